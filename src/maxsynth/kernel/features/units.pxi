"""Units: some nodes whose children are tried out on another machine, and what comes back, as arrays.

It is done as threads do it (`children`): what was found is judged here, node after node, in order. A worker has a search
of its own for the same language, BK and examples, of which nothing but the tests is used. A unit brings the nodes with
their literals, lists and coverages. They stay there as long as the unit does, and so does nothing else, but for what is
known: to find the children that are equal to a known feature, a worker is told of each, once (`news_of`). So the judge has
to compare a child only with what became known after its unit was sent. A worker may know more than there was then: units
are judged in order, so all that anybody was told of comes before every unit that is not judged.

**While units are away**, those that came back are judged, and more are sent, as there is room for them. What this machine
has to do anyway is done meanwhile, and one that has cores to spare takes units as well. What is lost, for whatever reason,
is tried out here.

**What comes back** may be anything: it is of use only if the literals, the equal ones and the coverages can be so. What a
child is beside that (its shape, what it may grow to) is not asked, but found again from its literals.
"""

cdef enum:
    UNIT_ROOM = 1 << 24               # bytes, about, that it may take to keep what is found in a unit
    MOST_OWN = 4                      # units that were tried out here and wait for their turn

cdef int64_t MOST_WORK = <int64_t>1 << 40   # rows that are gone through for one node: more are a mistake
# Rows to go through in a unit, about, and in all that is left of a level, at least, for others to be worth it. Most tests
# end before the last row: a unit took some 40 ms where there are tables, and is under way for some ten.
cdef int64_t UNIT_WORK = 100_000_000
cdef int64_t LEAST_SENT = 500_000_000


cdef struct Returned:
    # A child that is not dead, as it comes back.
    int32_t literal
    int32_t equal
    uint64_t name
    uint64_t rows
    uint64_t places
    int64_t wide


cdef struct OfNode:
    # The children of a node, as they come back.
    int64_t candidates                # those that are not dead
    int64_t dead
    int64_t work
    int64_t made
    uint64_t wide_rows


cdef struct News:
    # A feature that is known, beside its literals.
    uint64_t hash
    uint64_t rows
    uint64_t places
    int32_t size
    int32_t mode


cdef object kept(const void* data, size_t count, size_t size):
    """So many values of a size in bytes, as an array that stays."""
    return np.array(values_to_save(data, count, size))


# -- the judge ----------------------------------------------------------------------------------------------


cdef size_t worth_sending(FeatureSearch search, const vector[int32_t]& numbers) noexcept:
    """The place of a level before which so much is left that others are to have a part in it."""
    cdef double work = 0, enough = LEAST_SENT
    cdef size_t at = numbers.size()
    if search.elsewhere is None or search.tree.size == 0:
        return 0
    while at > search.at and (work < enough or at == numbers.size()):
        at -= 1
        work += search.time_of(numbers[at])
    return at + 1 if work >= enough else 0


cdef size_t end_of_unit(FeatureSearch search, const vector[int32_t]& numbers, size_t first) except 0:
    """The place after the last node of a unit that begins here."""
    cdef double work = 0, room = 0
    cdef double each = sizeof(Candidate) + search.weights.words * sizeof(uint64_t)
    cdef size_t at = first
    while at < numbers.size() and work < UNIT_WORK and room < UNIT_ROOM:
        work += search.time_of(numbers[at])
        room += search.count_literals(numbers[at]) * each
        at += 1
    return at


cdef bint expand_elsewhere(FeatureSearch search, vector[int32_t]& numbers, bint paths) except -1:
    """Works off what is left of a level, with the help of others; False when it was stopped.

    It ends early when there are no others any more.
    """
    cdef size_t end, cut = search.at  # the first node that is in no unit
    elsewhere, known, own = search.elsewhere, {}, {}  # the first node of a unit -> what was known; what was found here
    ends = []
    try:
        while search.at < numbers.size() and not search.is_over():
            while cut < numbers.size() and elsewhere.has_room():
                end = end_of_unit(search, numbers, cut)
                known[cut] = search.tests.known.tables.size()
                elsewhere.send(cut, unit_of(search, numbers, cut, end, paths), search)
                ends.append(end)
                cut = end
            if search.at == cut:
                return True
            while search.at not in own:
                helps = elsewhere.is_helped and cut < numbers.size() and len(own) < MOST_OWN
                if elsewhere.came(search.at, not helps):
                    break
                if helps:
                    end = end_of_unit(search, numbers, cut)
                    known[cut] = search.tests.known.tables.size()
                    search.try_together(numbers, cut, end, paths)
                    own[cut] = found_by(search, end - cut)
                    ends.append(end)
                    cut = end
                search.tests.pass_on()
                if search.tests.halt.load():
                    return False
            end = ends.pop(0)
            outcome = own.pop(search.at) if search.at in own else elsewhere.take(search.at)
            search.tried.known_before = known.pop(search.at)
            if not search.judge_nodes(numbers, end, paths, believed(search, outcome, numbers, end, paths)):
                return False
    finally:
        elsewhere.drop()
    return True


cdef bint believed(FeatureSearch search, outcome, vector[int32_t]& numbers, size_t end, bint paths) except -1:
    """Whether what came back can be judged; where it cannot, it is tried out here."""
    if outcome is None:
        return False
    try:
        take_found(search, outcome, numbers, end, paths)
    except (ValueError, TypeError, KeyError) as error:
        search.elsewhere.give_up(f"a worker found what cannot be: {error}")
        return False
    return True


cdef dict unit_of(FeatureSearch search, const vector[int32_t]& numbers, size_t first, size_t end, bint paths):
    """The nodes of a unit, with all that is needed to try out their children."""
    cdef Tree tree = search.tree
    cdef CoveragePool pool = search.pool
    cdef vector[Node] nodes
    cdef vector[int32_t] sequences
    cdef vector[uint64_t] lists, coverages
    cdef Node node
    cdef size_t at
    for at in range(first, end):
        node = tree.nodes[numbers[at]]
        sequences.insert(
            sequences.end(), tree.sequences.begin() + node.sequence, tree.sequences.begin() + node.sequence + node.size
        )
        if not paths:
            lists.insert(
                lists.end(), tree.list_bits.begin() + node.list_at,
                tree.list_bits.begin() + node.list_at + tree.list_words,
            )
        if node.bits >= 0:
            coverages.insert(coverages.end(), pool.at(node.bits), pool.at(node.bits) + pool.words)
        nodes.push_back(node)
    return {
        "paths": paths,
        "last": search.tests.last,
        "prices": search.prices,
        "known": search.tests.known.tables.size(),
        "nodes": kept(nodes.data(), nodes.size(), sizeof(Node)),
        "sequences": kept(sequences.data(), sequences.size(), sizeof(int32_t)),
        "lists": kept(lists.data(), lists.size(), sizeof(uint64_t)),
        "coverages": kept(coverages.data(), coverages.size(), sizeof(uint64_t)),
    }


def beginning_of(FeatureSearch search):
    """What a worker has to know of a search, besides what it is made with, when the root was expanded."""
    cdef LiteralLists lists = search.lists
    cdef size_t i
    partners = [] if search.tests.partners is None else partners_state(search.tests.partners)
    return {"order": [lists.order[i] for i in range(lists.order.size())], "partners": partners}


def news_of(FeatureSearch search, size_t first, size_t end):
    """The features that are known, from this number on to that."""
    cdef vector[News] news
    cdef vector[int32_t] sequences
    cdef News one
    cdef const Known* known
    cdef const Node* node
    cdef size_t i
    for i in range(first, min(end, search.tests.known.tables.size())):
        known = &search.tests.known.tables[i]
        node = &search.tree.nodes[known.node]
        one.hash, one.rows, one.places = known.hash, known.rows, known.places
        one.size, one.mode = node.size, node.mode
        news.push_back(one)
        sequences.insert(
            sequences.end(), search.tree.sequences.begin() + node.sequence,
            search.tree.sequences.begin() + node.sequence + node.size,
        )
    return {
        "first": first,
        "news": kept(news.data(), news.size(), sizeof(News)),
        "sequences": kept(sequences.data(), sequences.size(), sizeof(int32_t)),
    }


# -- what comes back ----------------------------------------------------------------------------------------


cdef dict found_by(FeatureSearch search, size_t count):
    """What was found for the first nodes of a batch, as arrays."""
    cdef vector[OfNode] nodes
    cdef vector[Returned] children
    cdef vector[uint64_t] coverages
    cdef OfNode of_node
    cdef Returned child
    cdef Tested* found
    cdef Candidate* one
    cdef size_t k, i
    cdef int words = search.weights.words
    for k in range(count):
        found = search.found_of(k)
        of_node.candidates = found.candidates.size()
        of_node.dead, of_node.work, of_node.made = found.dead, found.work, found.made
        of_node.wide_rows = found.wide_rows
        nodes.push_back(of_node)
        for i in range(found.candidates.size()):
            one = &found.candidates[i]
            child.literal, child.equal, child.wide = one.child.literal, found.equal[i], one.wide
            child.name, child.rows, child.places = one.name, one.hash.rows, search.tests.places_of(one)
            children.push_back(child)
            if one.child.mode != PATH:
                coverages.insert(coverages.end(), found.bits.data() + i * words, found.bits.data() + (i + 1) * words)
    return {
        "nodes": kept(nodes.data(), nodes.size(), sizeof(OfNode)),
        "children": kept(children.data(), children.size(), sizeof(Returned)),
        "coverages": kept(coverages.data(), coverages.size(), sizeof(uint64_t)),
    }


cdef int take_found(FeatureSearch search, dict outcome, vector[int32_t]& numbers, size_t end, bint paths) except -1:
    """The same the other way round, for the nodes up to this place; a `ValueError` where it cannot be so."""
    cdef size_t count, children, words, k, child = 0, word = 0
    cdef const OfNode* nodes = <const OfNode*>values_saved(outcome, "nodes", sizeof(OfNode), &count)
    cdef const Returned* returned = <const Returned*>values_saved(outcome, "children", sizeof(Returned), &children)
    cdef const uint64_t* bits = <const uint64_t*>values_saved(outcome, "coverages", sizeof(uint64_t), &words)
    insist(count == end - search.at, "the number of nodes")
    search.tried.found.resize(max(search.tried.found.size(), count))
    search.tried.first_part.resize(count + 1)
    for k in range(count + 1):
        search.tried.first_part[k] = k  # each as a whole
    for k in range(count):
        insist(0 <= nodes[k].candidates <= <int64_t>(children - child), "the number of children")
        word += take_node(
            search, numbers[search.at + k], paths, &nodes[k], returned + child, bits + word, words - word,
            &search.tried.found[k],
        )
        child += nodes[k].candidates
    insist(child == children and word == words, "the number of children")
    return 0


cdef size_t take_node(
    FeatureSearch search, int number, bint path, const OfNode* of_node, const Returned* children, const uint64_t* bits,
    size_t words, Tested* found,
) except? 0:
    """What was found for one node. Returns how many words the coverages of its children took."""
    cdef ChildTests tests = search.tests
    cdef Node node = search.tree.nodes[number]
    cdef const int32_t* sequence = search.tree.literals_of(number)
    cdef vector[int32_t] literals
    cdef vector[uint8_t] listed
    cdef Candidate candidate
    cdef size_t i, taken = 0
    tests.clear(found)
    if not search.is_expanded(&node, path):
        return insist(of_node.candidates == 0, "the children of a node that is not expanded")
    search.list_children(number, path, literals)
    search.enter(tests, &node, path)
    tests.tables.shape_only(sequence, node.size)
    found.tested = literals.size()
    found.dead, found.work, found.made = of_node.dead, of_node.work, of_node.made
    found.wide_rows = of_node.wide_rows
    insist(0 <= found.dead <= found.tested - of_node.candidates, "the number of children")
    insist(0 <= found.work <= MOST_WORK and 0 <= found.made <= MOST_WORK, "the work for a node")
    listed.assign(search.language.literals.size(), 0)
    for i in range(literals.size()):
        listed[literals[i]] = 1
    for i in range(<size_t>of_node.candidates):
        insist(0 <= children[i].literal < <int>listed.size() and listed[children[i].literal], "a literal")
        listed[children[i].literal] = 0
        insist(tests.consider(sequence, node.size, children[i].literal, &candidate), "a child")
        memset(tests.bits.data(), 0, tests.weights.words * sizeof(uint64_t))
        if candidate.child.mode != PATH:
            insist(words - taken >= <size_t>tests.weights.words, "the number of coverages")
            memcpy(tests.bits.data(), bits + taken, tests.weights.words * sizeof(uint64_t))
            insist(ends_at(tests.bits.data(), tests.weights.words, tests.weights.count), "a coverage")
            candidate.coverage.neg = tests.weights.neg_of(tests.bits.data())
            taken += tests.weights.words
        take_child(tests, &children[i], node.limit, &candidate)
        tests.note(found, &candidate, tests.bits.data(), children[i].equal)
    return taken


cdef int take_child(ChildTests tests, const Returned* child, int limit, Candidate* candidate) except -1:
    """What is not found again from the literals of a child."""
    candidate.limit = tests.limit_of(candidate, limit)
    candidate.wide = child.wide != 0
    candidate.name = child.name
    candidate.hash.rows = child.rows
    take_places(child.places, candidate.child.shape.nvars - tests.language.nhead, candidate.hash.place)
    insist(-1 <= child.equal <= candidate.child.depth + 1, "the size of an equal feature")
    insist(child.equal < 0 or (tests.is_hashed(candidate) and not candidate.wide), "the size of an equal feature")
    return 0


cdef int take_places(uint64_t places, int own, int* place) except -1:
    """Where the column of each own variable comes: each is somewhere else."""
    cdef uint64_t seen = 0
    cdef int v
    for v in range(own):
        place[v] = (places >> (4 * v)) & 15
        seen |= <uint64_t>1 << place[v]
    return insist(seen == (<uint64_t>1 << own) - 1, "the order of columns")


# -- a worker -----------------------------------------------------------------------------------------------


def begin_elsewhere(FeatureSearch search, dict beginning):
    """Makes a new search one that tries out units of another."""
    take_order(search.lists, beginning["order"])
    take_partners(search.tests, beginning["partners"])


def hear(FeatureSearch search, dict told):
    """Takes note of features that are known elsewhere; False where some are missing before the first of them."""
    cdef size_t count, words, i, at = 0
    cdef const News* news = <const News*>values_saved(told, "news", sizeof(News), &count)
    cdef const int32_t* sequences = <const int32_t*>values_saved(told, "sequences", sizeof(int32_t), &words)
    cdef KnownTables known = search.tests.known
    cdef size_t first = told["first"]
    cdef Node node
    cdef int place[MAX_VARS]
    cdef int number
    if first > known.tables.size():
        return False
    for i in range(count):
        insist(1 <= news[i].size <= search.language.max_body and at + news[i].size <= words, "a known feature")
        insist(FREE <= news[i].mode <= PATH, "a known feature")
        if first + i >= known.tables.size():
            node = search.tree.nodes[0]
            node.size, node.mode = news[i].size, news[i].mode
            number = search.tree.add(node, sequences + at, sequences[at + news[i].size - 1])
            count_variables(search.tree, number)
            take_places(news[i].places, search.tree.nodes[number].nvars - search.language.nhead, place)
            known.add(news[i].hash, news[i].rows, news[i].places, number)
        at += news[i].size
    return True


cdef int count_variables(Tree tree, int number) except -1:
    """Gives a node the number of variables that its literals have."""
    cdef Node* node = &tree.nodes[number]
    cdef uint64_t seen = tree.language.head
    cdef int i, literal
    for i in range(node.size):
        literal = tree.sequences[node.sequence + i]
        insist(0 <= literal < tree.language.first_test, "a literal")
        seen |= tree.language.literals[literal].variables
    node.nvars = count_bits(seen)
    return insist(is_joined(tree, number), "the literals of a feature")


def try_unit(FeatureSearch search, dict unit, should_stop):
    """What was found for the nodes of a unit; None when it was stopped."""
    cdef Tree tree = search.tree
    cdef size_t nodes = tree.nodes.size(), sequences = tree.sequences.size(), lists = tree.list_bits.size()
    cdef Node root = tree.nodes[0]
    cdef vector[int32_t] numbers
    search.tests.set_stop(None)
    search.tests.peek = should_stop
    search.tests.last = unit["last"]
    if unit["prices"] is not None:
        search.set_prices(*unit["prices"])
    try:
        take_unit(search, unit, numbers)
        search.try_together(numbers, 0, numbers.size(), unit["paths"])
        found = None if search.tests.halt.load() else found_by(search, numbers.size())
        return None if search.tests.halt.load() else found
    finally:
        tree.nodes.resize(nodes, root)
        tree.sequences.resize(sequences)
        tree.list_bits.resize(lists)
        search.pool.bits.clear()
        search.pool.count = 0


cdef int take_unit(FeatureSearch search, dict unit, vector[int32_t]& numbers) except -1:
    """Adds the nodes of a unit to the tree."""
    cdef Tree tree = search.tree
    cdef size_t count, words, bits, k, sequence = tree.sequences.size(), list_at = tree.list_bits.size()
    cdef const Node* nodes = <const Node*>values_saved(unit, "nodes", sizeof(Node), &count)
    cdef const int32_t* literals = <const int32_t*>values_saved(unit, "sequences", sizeof(int32_t), &words)
    cdef const uint64_t* lists
    cdef bint paths = unit["paths"]
    cdef Node node
    tree.sequences.insert(tree.sequences.end(), literals, literals + words)
    lists = <const uint64_t*>values_saved(unit, "lists", sizeof(uint64_t), &words)
    tree.list_bits.insert(tree.list_bits.end(), lists, lists + words)
    lists = <const uint64_t*>values_saved(unit, "coverages", sizeof(uint64_t), &bits)
    search.pool.bits.assign(lists, lists + bits)
    search.pool.count = 0
    insist(bits % max(1, search.pool.words) == 0, "coverages")
    bits //= max(1, search.pool.words)
    for k in range(count):
        node = nodes[k]
        node.sequence = <int>sequence
        sequence += max(0, node.size)
        node.list_at = 0 if paths else list_at
        list_at += 0 if paths else tree.list_words
        if node.bits >= 0:
            node.bits = search.pool.count
            search.pool.count += 1
        numbers.push_back(<int32_t>tree.nodes.size())
        tree.nodes.push_back(node)
        check_node(tree, numbers[k], <int>bits)
        insist(is_joined(tree, numbers[k]), "the literals of a node")
    return 0
