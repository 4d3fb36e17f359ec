"""Saving a search for features, and going on from there.

**At rest.** Nodes are expanded one after the other, and between two of them everything is simple: what there is has only
grown. So what is saved is what there was at the last *rest*, between two nodes, which is known by how much there was of
each (`FeatureMark`): whatever was added since then is left out. A search can be stopped within a node, and is saved all the
same; it then goes on with that node. (Only `number_tests` changes nodes that are there, and knows how to undo that.)

Tables, hashes of relations and the like are made again when they are needed.

**What is read** may come from anywhere. All numbers that are used as places are checked; what the search then does with
it is of no concern, as long as it is the same that it could do with its own.
"""


cdef struct FeatureMark:
    # How much there was at a rest, ...
    size_t nodes, sequences, list_bits, next_level, next_paths
    size_t known, coverages, listed, constants, wide
    # ... where `expand` was, ...
    int phase, merge_size, number_size, first_made, looked_at, collected, last
    size_t at, merge_at, number_at
    bint begun, narrowed
    # ... and what was counted.
    int64_t merged, tested, dead, equal, closed, work, besides, rows_made


# -- the tree -----------------------------------------------------------------------------------------------


cdef dict tree_state(Tree tree, const FeatureMark* mark):
    cdef size_t i
    state = {
        "order": [tree.lists.order[i] for i in range(tree.lists.order.size())],
        "size": tree.size,
        "nodes": values_to_save(tree.nodes.data(), mark.nodes, sizeof(Node)),
        "sequences": values_to_save(tree.sequences.data(), mark.sequences, sizeof(int32_t)),
        "list_bits": values_to_save(tree.list_bits.data(), mark.list_bits, sizeof(uint64_t)),
        "level": values_to_save(tree.level.data(), tree.level.size(), sizeof(int32_t)),
        "paths": values_to_save(tree.paths.data(), tree.paths.size(), sizeof(int32_t)),
        "next_level": values_to_save(tree.next_level.data(), mark.next_level, sizeof(int32_t)),
        "next_paths": values_to_save(tree.next_paths.data(), mark.next_paths, sizeof(int32_t)),
    }
    if tree.language.reading:
        lists_to_save(state, "mergers", tree.mergers, <int32_t>mark.nodes)
    return state


cdef int take_tree(Tree tree, dict state, int coverages) except -1:
    cdef size_t count
    cdef const uint8_t* data
    cdef int32_t number
    cdef vector[int32_t] none
    take_order(tree.lists, state["order"])
    tree.size = state["size"]
    insist(0 <= tree.size <= tree.language.max_body, "the size of nodes")
    data = values_saved(state, "sequences", sizeof(int32_t), &count)
    tree.sequences.assign(<const int32_t*>data, <const int32_t*>data + count)
    data = values_saved(state, "list_bits", sizeof(uint64_t), &count)
    tree.list_bits.assign(<const uint64_t*>data, <const uint64_t*>data + count)
    data = values_saved(state, "nodes", sizeof(Node), &count)
    tree.nodes.assign(<const Node*>data, <const Node*>data + count)
    insist(0 < count < <size_t>1 << 31, "the number of nodes")
    for number in range(<int32_t>count):
        check_node(tree, number, coverages)
    for name in ("level", "paths", "next_level", "next_paths"):
        data = values_saved(state, name, sizeof(int32_t), &count)
        none.assign(<const int32_t*>data, <const int32_t*>data + count)
        for number in none:
            insist(is_joined(tree, number), name)
            insist(tree.nodes[number].bits >= 0 or number == 0 or name in ("paths", "next_paths"), name)
        if name == "level":
            tree.level = none
        elif name == "paths":
            tree.paths = none
        elif name == "next_level":
            tree.next_level = none
        else:
            tree.next_paths = none
    if tree.language.reading:
        lists_saved(state, "mergers", tree.mergers, <int32_t>tree.nodes.size())
    for count in range(tree.mergers.size()):
        for number in tree.mergers[count]:
            insist(is_joined(tree, number) and tree.nodes[number].size == <int>count, "what is merged")
            insist(tree.nodes[number].bits >= 0, "what is merged")
    return 0


cdef int take_order(LiteralLists lists, list orders) except -1:
    """The order of literals: it depends on how much was known of BK when the search began."""
    cdef int nvars
    cdef size_t i
    insist(len(orders) == <Py_ssize_t>lists.order.size(), "the order of literals")
    for nvars, given in enumerate(orders):
        insist(sorted(given) == sorted(lists.order[nvars]), "the order of literals")
        lists.order[nvars] = given
        for i in range(lists.order[nvars].size()):
            lists.rank[nvars][lists.order[nvars][i]] = <int32_t>i
    return 0


cdef int check_node(Tree tree, int number, int coverages) except -1:
    cdef Node* node = &tree.nodes[number]
    cdef Language language = tree.language
    cdef int i, literal
    insist(0 <= node.size <= language.max_body and (node.size > 0) == (number > 0), "the size of a node")
    insist(node.sequence >= 0 and <size_t>(node.sequence + node.size) <= tree.sequences.size(), "the literals of a node")
    for i in range(node.size):
        literal = tree.sequences[node.sequence + i]
        insist(0 <= literal < <int>language.literals.size(), "a literal")
    insist(language.nhead <= node.nvars <= language.max_vars, "the variables of a node")
    insist(FREE <= node.mode <= PATH, "the mode of a node")
    insist(-1 <= node.bits < coverages and (node.bits >= 0 or node.mode == PATH or number == 0), "a coverage")
    insist(not node.complete or node.bits >= 0, "a coverage")
    insist(not node.head & ~language.head, "the head variables of a node")
    insist(node.list_at + <size_t>tree.list_words <= tree.list_bits.size(), "the list of a node")
    return 0


cdef bint is_joined(Tree tree, int number) except -1:
    """Whether a node has a table: each of its literals can be looked up when those before it are."""
    cdef Node* node
    cdef int i, literal, nvars = tree.language.nhead
    cdef size_t count = tree.language.literals.size()
    if not 0 <= number < <int>tree.nodes.size():
        return False
    node = &tree.nodes[number]
    for i in range(node.size):
        literal = tree.sequences[node.sequence + i]
        if literal >= tree.language.first_test or tree.lists.index_of[nvars * count + literal] < 0:
            return False
        while nvars < tree.language.max_vars and tree.language.literals[literal].variables >> nvars:
            nvars += 1
    return nvars == node.nvars


# -- what is known of features ------------------------------------------------------------------------------


cdef dict tests_state(ChildTests tests, const FeatureMark* mark):
    return {
        "coverages": values_to_save(tests.pool.bits.data(), mark.coverages * tests.pool.words, sizeof(uint64_t)),
        "known": values_to_save(tests.known.tables.data(), mark.known, sizeof(Known)),
        "partners": [] if tests.partners is None else partners_state(tests.partners),
        "wide": [[code.hex(), size] for (code, size), _ in zip(tests.wide_known.items(), range(mark.wide))],
    }


cdef list partners_state(Partners partners):
    cdef size_t i
    return [
        [partners.partners[i].head, partners.partners[i].own, partners.partners[i].pos, list(partners.partners[i].bits)]
        for i in range(partners.partners.size())
    ]


cdef int take_pool(CoveragePool pool, dict state, int examples) except -1:
    cdef size_t count
    cdef const uint8_t* data = values_saved(state, "coverages", sizeof(uint64_t), &count)
    cdef int number
    insist(pool.words and count % pool.words == 0 and count // pool.words < <size_t>1 << 31, "coverages")
    pool.bits.assign(<const uint64_t*>data, <const uint64_t*>data + count)
    pool.count = <int>(count // pool.words)
    for number in range(pool.count):
        insist(ends_at(pool.at(number), pool.words, examples), "a coverage")
        pool.slots.add(pool.hash(pool.at(number)), number)
    return 0


cdef int take_known(ChildTests tests, dict state) except -1:
    cdef size_t count, i
    cdef const Known* known
    cdef uint64_t seen
    cdef int v, own
    cdef const Known* tables = <const Known*>values_saved(state, "known", sizeof(Known), &count)
    for i in range(count):
        known = &tables[i]
        insist(is_joined(tests.tree, known.node) and known.node > 0, "a known table")
        own = tests.tree.nodes[known.node].nvars - tests.language.nhead
        seen = 0
        for v in range(own):
            seen |= <uint64_t>1 << ((known.places >> (4 * v)) & 15)
        insist(seen == (<uint64_t>1 << own) - 1, "a known table")
        tests.known.add(known.hash, known.rows, known.places, known.node)
    return 0


cdef int take_partners(ChildTests tests, list given) except -1:
    """What was found at the root; the keys that follow from it are marked anew."""
    cdef Partner partner
    cdef vector[uint64_t] examples
    cdef int v
    if tests.partners is None or not given:
        return insist(not given, "partners")
    for partner.head, partner.own, partner.pos, bits in given:
        partner.bits = bits
        insist(<int>partner.bits.size() == tests.weights.words, "a partner")
        insist(ends_at(partner.bits.data(), tests.weights.words, tests.weights.count), "a partner")
        tests.partners.partners.push_back(partner)
    for v in range(tests.language.nhead):
        tests.partners.find_complete(v, examples)
        tests.tables.mark_keys(PARTNERED, v, examples)
    return 0


# -- items and numbers --------------------------------------------------------------------------------------


cdef int take_stand_ins(StandIns own, dict state, int collected) except -1:
    cdef size_t count, i
    cdef const uint8_t* data
    cdef int32_t number
    insist(0 <= collected <= <int>own.tree.nodes.size(), "the nodes that were looked at")
    own.collected = collected
    data = values_saved(state, "safety", sizeof(int32_t), &count)
    insist(count == <size_t>collected, "the safety of nodes")
    own.safety_of.assign(<const int32_t*>data, <const int32_t*>data + count)
    own.next.assign(collected, -1)
    own.first.assign(own.pool.count, -1)
    data = values_saved(state, "listed", sizeof(int32_t), &count)
    for i in range(count):
        number = (<const int32_t*>data)[i]
        insist(0 < number < collected and own.tree.nodes[number].bits >= 0, "a feature that is listed")
        own.enter(number)
    return 0


cdef dict numbers_state(NumberTests numbers, const FeatureMark* mark):
    cdef size_t nodes = min(mark.nodes, numbers.constants_at.size())
    state = {
        "constants": values_to_save(numbers.constants.data(), mark.constants, sizeof(int32_t)),
        "constants_at": values_to_save(numbers.constants_at.data(), nodes, sizeof(int64_t)),
        "one_before": values_to_save(numbers.one_before.data(), nodes, sizeof(int32_t)),
        "gaps": values_to_save(numbers.gap_of.data(), nodes, sizeof(double)),
    }
    lists_to_save(state, "bases", numbers.bases, mark.looked_at)
    return state


cdef int take_numbers(NumberTests numbers, dict state, int terms) except -1:
    cdef size_t count, i
    cdef const uint8_t* data
    cdef Tree tree = numbers.tree
    cdef int32_t number
    cdef int64_t at
    lists_saved(state, "bases", numbers.bases, <int32_t>tree.nodes.size())
    for i in range(numbers.bases.size()):
        for number in numbers.bases[i]:
            insist(is_joined(tree, number) and tree.nodes[number].size == <int>i, "what tests are added to")
            insist(tree.nodes[number].bits >= 0, "what tests are added to")
    data = values_saved(state, "constants", sizeof(int32_t), &count)
    numbers.constants.assign(<const int32_t*>data, <const int32_t*>data + count)
    for number in numbers.constants:
        insist(0 <= number < terms, "a constant")
    data = values_saved(state, "constants_at", sizeof(int64_t), &count)
    insist(count <= tree.nodes.size(), "the constants of nodes")
    numbers.constants_at.assign(<const int64_t*>data, <const int64_t*>data + count)
    for i in range(count):
        at = numbers.constants_at[i]
        insist(at == -1 or (at >= 0 and <size_t>(at + numbers.count_tests(<int>i)) <= numbers.constants.size()), "constants")
    data = values_saved(state, "one_before", sizeof(int32_t), &i)
    insist(i == count, "the constants of nodes")
    numbers.one_before.assign(<const int32_t*>data, <const int32_t*>data + count)
    for i in range(count):
        insist(-1 <= numbers.one_before[i] < <int>i or i == 0, "the constants of nodes")
    data = values_saved(state, "gaps", sizeof(double), &i)
    insist(i == count, "the constants of nodes")
    numbers.gap_of.assign(<const double*>data, <const double*>data + count)
    for i in range(numbers.first_made, count):
        if numbers.constants_at[i] >= 0:
            numbers.last_with[tree.nodes[i].bits] = <int>i + 1
    return 0
