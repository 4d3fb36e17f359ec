"""Testing the children of a node: which of them are dead, closed or equal to a known feature, and which become nodes.

What these words mean, and why nothing is lost, is told in `features`. All children of a node are tested on its table
before the first of them is expanded: each literal has its outcome then (`tree`), from which lists are handed down.
"""


cdef struct Candidate:
    # A child that is being tested.
    Child child
    int smallest                      # literals, at least, of the body of a rule with it
    bint complete                     # may stand in a rule as it is
    uint64_t waiting                  # see `waiting_literals`
    Coverage coverage
    TableHash hash
    uint64_t name                     # the hash with the standing, when all rows are in it


cdef struct Twin:
    # A candidate and a feature that may be equal to it.
    size_t candidate
    Feature known
    bint differs


@cython.final
cdef class ChildTests:
    """Tests children, with the prunings that are not in `without`, and adds those that pass to the tree."""

    cdef Language language
    cdef Tables tables
    cdef Tree tree
    cdef ExampleWeights weights
    cdef CoveragePool pool
    cdef CoverageTest coverage_test
    cdef TableHasher hasher
    cdef KnownTables known
    cdef TableComparison comparison
    cdef vector[int32_t] literals     # of children that are compared
    cdef Partners partners            # None: not asked for
    cdef bint tied                    # whether there are sealed nodes and paths
    cdef int64_t size_weight
    cdef int64_t bound                # what a program must cost less than
    cdef int64_t company              # the size of the smallest rule that may be of use, by weight
    cdef bint use_dead, use_closed, use_equal
    cdef int mode, parent_bits        # of the node whose children are tested
    cdef int allowed[MAX_ARITY + 1]   # new variables -> whether a child with so many can have partners; -1: not known
    cdef vector[uint64_t] bits        # the coverage of one candidate
    cdef object should_stop
    cdef bint stopped
    cdef readonly int64_t tested, dead, equal, closed

    def __init__(
        self, Tree tree, Tables tables, ExampleWeights weights, CoveragePool pool, Ties ties, int64_t size_weight,
        without,
    ):
        self.language = tree.language
        self.tree = tree
        self.tables = tables
        self.weights = weights
        self.pool = pool
        self.coverage_test = CoverageTest(tables, weights, ties)
        self.hasher = TableHasher(tables, "hash" in without)
        self.known = KnownTables(tree.room)
        self.comparison = TableComparison(tables)
        self.tied = ties is not None
        self.partners = Partners(self.language, weights) if self.tied and "partners" not in without else None
        self.size_weight = size_weight
        self.bound = <int64_t>1 << 62
        self.use_dead = "dead" not in without
        self.use_closed = "closed" not in without
        self.use_equal = "equal" not in without
        self.bits.assign(max(1, weights.words), 0)

    cdef int enter(self, int mode, int bits) noexcept:
        """Children of a node with this mode and coverage are tested from now on."""
        cdef int i
        self.mode = mode
        self.parent_bits = bits
        self.tables.keys_for = NEAR if self.tied and mode != SEALED else ALL
        for i in range(MAX_ARITY + 1):
            self.allowed[i] = -1
        return 0

    cdef int find_partners(self, vector[int32_t]& literals) except -1:
        """What mentions a head variable: the examples that each literal at the root covers."""
        cdef Candidate candidate
        cdef vector[uint64_t] examples
        cdef size_t i
        cdef int v
        self.tables.build(NULL, 0)
        for i in range(literals.size()):
            if self.consider(NULL, 0, literals[i], &candidate):
                memset(self.bits.data(), 0, self.weights.words * sizeof(uint64_t))
                self.coverage_test.add(&candidate.child, &candidate.coverage)
                self.partners.add(&candidate.child.shape, &candidate.coverage)
        for v in range(self.language.nhead):
            self.partners.find_complete(v, examples)
            self.tables.mark_keys(PARTNERED, v, examples)
        return 0

    # -- all children of a node -----------------------------------------------------------------------------

    cdef bint test(self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals) except -1:
        """Tests the features that add each of these literals to a sequence; False when it was stopped.

        `limit` is the largest size, head counted, of a rule with one of them that may be of use. Where the tables do
        not fit into memory, the keys are gone through in blocks: coverage, signatures and hashes add up.
        """
        cdef size_t i
        cdef bint slow, finished
        cdef Candidate candidate
        cdef Outcome* outcome
        self.tested += literals.size()
        self.tables.take_block(0, self.weights.count, True)
        if self.tables.build(sequence, depth):
            slow = self.tables.rows_of[depth].size() > 20000  # then it is worth a look at each test whether to stop
            for i in range(literals.size()):
                if slow and self.is_stopped():
                    return False
                outcome = &self.tree.outcomes[literals[i]]
                outcome.what = OUT
                if not self.consider(sequence, depth, literals[i], &candidate):
                    continue
                memset(self.bits.data(), 0, self.weights.words * sizeof(uint64_t))
                self.coverage_test.add(&candidate.child, &candidate.coverage)
                if self.is_dead(&candidate):
                    self.dead += 1
                    continue
                if self.is_hashed(&candidate):
                    self.hasher.sign(&candidate.child, &candidate.hash)
                    self.hasher.arrange(&candidate.child, &candidate.hash)
                    self.hasher.add_up(&candidate.child, &candidate.hash)
                    candidate.name = self.hasher.finish(
                        &candidate.child, sequence, candidate.waiting, &candidate.hash
                    )
                outcome.what = self.judge(sequence, limit, &candidate, self.find_equal(sequence, &candidate))
            return True
        finished = self.test_in_blocks(sequence, depth, limit, literals)
        self.tables.path.clear()
        return finished

    cdef bint test_sealed(self, const int32_t* sequence, const Node* node, vector[int32_t]& literals) except -1:
        """`test` for the children of a sealed node; those that use up all variables need only some of the keys."""
        cdef vector[int32_t] full, others
        cdef size_t i
        cdef bint none_left = node.nvars == self.language.max_vars
        if self.partners is None:
            return self.test(sequence, node.size, node.limit, literals)
        for i in range(literals.size()):
            if none_left or self.language.literals[literals[i]].variables >> (self.language.max_vars - 1):
                full.push_back(literals[i])
            else:
                others.push_back(literals[i])
        if others.size() and not self.test(sequence, node.size, node.limit, others):
            return False
        self.tables.keys_for = PARTNERED
        return full.size() == 0 or self.test(sequence, node.size, node.limit, full)

    cdef bint test_in_blocks(self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals) except -1:
        """`test`, with some of the keys at a time: half as many whenever their tables turn out to be too large."""
        cdef vector[Candidate] candidates
        cdef vector[Twin] twins
        cdef vector[uint64_t] bits
        cdef Candidate candidate
        cdef Candidate* one
        cdef size_t i, t = 0
        cdef int known, phase, start, end, keys = self.tables.count_keys(sequence[0]), length = (keys + 1) // 2
        cdef bint considered = False
        for i in range(literals.size()):
            self.tree.outcomes[literals[i]].what = OUT
        for phase in range(4):
            if phase == 3 and self.find_twins(sequence, candidates, twins) == 0:
                break
            start = 0
            while start < keys:
                if self.is_stopped():
                    return False
                self.tables.path.clear()
                end = min(start + length, keys)
                self.tables.take_block(start, end, end - start > 1)  # the rows of one key must fit in any case
                if not self.tables.build(sequence, depth):
                    length = (end - start + 1) // 2
                    continue
                if not considered:
                    considered = True
                    for i in range(literals.size()):
                        if self.consider(sequence, depth, literals[i], &candidate):
                            candidates.push_back(candidate)
                    bits.assign(candidates.size() * self.weights.words, 0)
                    for i in range(candidates.size()):
                        candidates[i].coverage.bits = bits.data() + i * self.weights.words
                if phase == 3:
                    self.compare_twins(candidates, twins)
                    start = end
                    continue
                for i in range(candidates.size()):
                    if self.is_stopped():
                        return False
                    one = &candidates[i]
                    if phase == 0:
                        self.coverage_test.add(&one.child, &one.coverage)
                    elif one.coverage.pos > self.least(one.smallest) and self.is_hashed(one):
                        if phase == 1:
                            self.hasher.sign(&one.child, &one.hash)
                        else:
                            self.hasher.add_up(&one.child, &one.hash)
                start = end
            if phase == 1:
                for i in range(candidates.size()):
                    self.hasher.arrange(&candidates[i].child, &candidates[i].hash)
        for i in range(candidates.size()):
            known = -1
            while t < twins.size() and twins[t].candidate == i:
                if not twins[t].differs and known < 0:
                    known = twins[t].known.count
                t += 1
            if self.is_dead(&candidates[i]):
                self.dead += 1
            else:
                self.tree.outcomes[candidates[i].child.literal].what = self.judge(
                    sequence, limit, &candidates[i], known
                )
        return True

    # -- equal ones -----------------------------------------------------------------------------------------

    cdef uint64_t places_of(self, const Candidate* candidate) noexcept:
        return pack_places(candidate.hash.place, candidate.child.shape.nvars - self.language.nhead)

    cdef int write_literals(self, const int32_t* sequence, const Candidate* candidate) except -1:
        """Appends the literals of a candidate to `literals`."""
        self.literals.insert(self.literals.end(), sequence, sequence + candidate.child.depth)
        self.literals.push_back(candidate.child.literal)
        return 0

    cdef Feature feature_of(self, const Candidate* candidate, const int32_t* literals) noexcept:
        cdef Feature feature
        feature.literals = literals
        feature.count = candidate.child.depth + 1
        feature.mode = candidate.child.mode
        feature.places = self.places_of(candidate)
        return feature

    cdef Feature known_feature(self, const Known* known) noexcept:
        """A known feature, until the next node is added."""
        cdef Feature feature
        feature.literals = self.tree.literals_of(known.node)
        feature.count = self.tree.nodes[known.node].size
        feature.mode = self.tree.nodes[known.node].mode
        feature.places = known.places
        return feature

    cdef int find_equal(self, const int32_t* sequence, const Candidate* candidate) except -2:
        """The size of a known feature that is equal to a child; -1 if there is none."""
        cdef Feature own, known
        cdef const Known* found
        cdef Candidates candidates
        if not self.is_hashed(candidate):
            return -1
        candidates = self.known.candidates(candidate.name)
        while True:
            found = self.known.next(&candidates, candidate.name, candidate.hash.rows)
            if found == NULL:
                return -1
            self.literals.clear()
            self.write_literals(sequence, candidate)
            own = self.feature_of(candidate, self.literals.data())
            known = self.known_feature(found)
            if self.comparison.same_standing(&known, &own) and self.comparison.holds(&candidate.child, &known, &own):
                return known.count

    cdef int find_twins(
        self, const int32_t* sequence, vector[Candidate]& candidates, vector[Twin]& twins
    ) except -1:
        """What each candidate may be equal to, and has the same standing as: known features, and earlier candidates.

        Returns how many twins there are; those of a candidate come together, the known features first.
        """
        cdef Candidate* one
        cdef const Known* found
        cdef Twin twin
        cdef Feature own
        cdef Candidates met
        cdef size_t i, j, size
        self.literals.clear()
        for i in range(candidates.size()):
            self.write_literals(sequence, &candidates[i])
        twin.differs = False
        for i in range(candidates.size()):
            one = &candidates[i]
            one.name = self.hasher.finish(&one.child, sequence, one.waiting, &one.hash)
            size = one.child.depth + 1
            own = self.feature_of(one, self.literals.data() + i * size)
            if self.is_dead(one) or not self.is_hashed(one):
                continue
            twin.candidate = i
            met = self.known.candidates(one.name)
            found = self.known.next(&met, one.name, one.hash.rows)
            while found != NULL:
                twin.known = self.known_feature(found)
                if self.comparison.same_standing(&twin.known, &own):
                    twins.push_back(twin)
                found = self.known.next(&met, one.name, one.hash.rows)
            for j in range(i):
                if (
                    candidates[j].name == one.name and candidates[j].hash.rows == one.hash.rows
                    and not self.is_dead(&candidates[j])
                ):
                    twin.known = self.feature_of(&candidates[j], self.literals.data() + j * size)
                    if self.comparison.same_standing(&twin.known, &own):
                        twins.push_back(twin)
        return <int>twins.size()

    cdef int compare_twins(self, vector[Candidate]& candidates, vector[Twin]& twins) except -1:
        """Compares the twins in the rows that are there."""
        cdef Feature own
        cdef size_t t
        cdef Candidate* one
        for t in range(twins.size()):
            if twins[t].differs:
                continue
            one = &candidates[twins[t].candidate]
            own = self.feature_of(one, self.literals.data() + twins[t].candidate * (one.child.depth + 1))
            self.comparison.name_variables(&twins[t].known, &own, one.child.shape.nvars)
            twins[t].differs = not self.comparison.holds(&one.child, &twins[t].known, &own)
        return 0

    def set_stop(self, should_stop):
        """What is asked from now on whether to stop; None for never."""
        self.should_stop = should_stop
        self.stopped = False

    cdef bint is_stopped(self) except -1:
        if not self.stopped and self.should_stop is not None and self.should_stop():
            self.stopped = True
        return self.stopped

    # -- one child ------------------------------------------------------------------------------------------

    cdef bint consider(self, const int32_t* sequence, int depth, int literal, Candidate* candidate) except -1:
        """What can be said of a child before its rows are looked at; False when it is out."""
        cdef Literal* lit = &self.language.literals[literal]
        cdef Shape* shape = &candidate.child.shape
        cdef const Shape* before = &self.tables.shape_of[depth]
        self.tree.outcomes[literal].limit = 0
        if not types_fit(before, lit):
            return False
        shape[0] = before[0]
        add_literal(shape, lit, self.language.head)
        if not is_possible(self.language, shape):
            return False
        candidate.smallest = depth + 1 + literals_missing(self.language, shape)
        if candidate.smallest > self.language.max_body:
            return False
        candidate.child.literal = literal
        candidate.child.depth = depth
        candidate.child.nvars_before = before.nvars
        candidate.child.mode = self.child_mode(shape.head_seen)
        if candidate.child.mode == SEALED and not self.is_allowed(candidate):
            return False
        candidate.waiting = waiting_literals(self.language, sequence, depth, literal)
        candidate.complete = candidate.child.mode != PATH and self.is_complete(candidate)
        candidate.coverage.bits = self.bits.data()
        candidate.coverage.pos = candidate.coverage.neg = 0
        begin_hash(&candidate.hash)
        return candidate.complete or depth + 1 < self.language.max_body

    cdef int child_mode(self, uint64_t head_seen) noexcept:
        """What may become of a child that mentions these head variables."""
        if not self.tied or self.mode == SEALED:
            return self.mode
        if head_seen & (head_seen - 1):
            return FREE
        return SEALED if self.mode == FREE else PATH

    cdef bint is_allowed(self, const Candidate* candidate) noexcept:
        """Whether a sealed child may have its partners, as far as the coverage of its parent tells."""
        cdef int new = candidate.child.shape.nvars - candidate.child.nvars_before
        if self.partners is None or self.parent_bits < 0:
            return True
        if self.allowed[new] < 0:
            self.allowed[new] = self.partners.suffice(
                self.pool.at(self.parent_bits), &candidate.child.shape, self.least(candidate.smallest)
            )
        return self.allowed[new]

    cdef bint is_complete(self, const Candidate* candidate) noexcept:
        """Whether a feature may stand in a rule as it is. (What waits may be made safe by another feature.)"""
        if candidate.child.shape.head_seen == 0 or (candidate.waiting and not self.language.head_outputs):
            return False
        return self.language.singletons or not has_singleton(self.language, &candidate.child.shape)

    cdef bint is_rule(self, const Candidate* candidate) noexcept:
        """Whether a feature is a rule of the space by itself."""
        if not candidate.complete or candidate.waiting:
            return False
        if self.language.needed & ~candidate.child.shape.head_seen:
            return False
        return meets_limits(self.language, &candidate.child.shape)

    cdef int64_t least(self, int body) noexcept:
        """The weight of positives that a rule with so many body literals must have more than.

        Where a program must cost less than a bound (`keep_below`): a rule that leaves no room for another one is alone,
        and a rule r alone costs S(r) + N(r) + all positives - P(r). What it covers at least grows with its size, so a
        feature that covers less has no specialisation that is of use.
        """
        cdef int64_t weight = self.size_weight * (body + 1)
        cdef int64_t least = weight if self.use_dead else 0
        if weight + self.company >= self.bound:
            least = max(least, weight + self.weights.all_pos - self.bound)
        return least

    cdef bint is_dead(self, const Candidate* candidate) noexcept:
        """Whether no rule with this feature pays."""
        cdef int64_t least = self.least(candidate.smallest)
        if candidate.coverage.pos <= least:
            return True
        return (
            candidate.child.mode == SEALED and self.partners is not None
            and not self.partners.suffice(candidate.coverage.bits, &candidate.child.shape, least)
        )

    cdef bint is_hashed(self, const Candidate* candidate) noexcept:
        """What cannot grow any more need not be told apart by its table."""
        return self.use_equal and candidate.child.depth + 1 < self.language.max_body

    cdef int judge(self, const int32_t* sequence, int limit, const Candidate* candidate, int known) except -1:
        """What becomes of a child that is not dead; a node, if it is new. `known`: the size of an equal one, or -1."""
        cdef Outcome* outcome = &self.tree.outcomes[candidate.child.literal]
        if known >= 0:
            self.equal += 1
            outcome.limit = self.language.max_body + 1
            return OUT if known < candidate.child.depth + 1 else SAME
        outcome.limit = self.limit_of(candidate, limit)
        outcome.child = self.make_node(sequence, outcome.limit, candidate)
        if self.is_hashed(candidate):
            self.known.add(candidate.name, candidate.hash.rows, self.places_of(candidate), outcome.child)
        if not self.tree.nodes[outcome.child].expanded:
            self.closed += 1
        return NODE

    cdef int limit_of(self, const Candidate* candidate, int limit) noexcept:
        """The largest size, head counted, of a larger rule that may be of use, when it is no more than `limit`."""
        cdef int64_t rule
        if not self.use_closed or not self.is_rule(candidate):
            return limit
        # S(r) >= S(f) + N(f) makes a larger rule r useless: what is left are sizes below that.
        rule = self.size_weight * (candidate.child.depth + 2)
        return <int>min(<int64_t>limit, (rule + candidate.coverage.neg - 1) // self.size_weight)

    cdef int make_node(self, const int32_t* sequence, int limit, const Candidate* candidate) except -1:
        cdef const Shape* shape = &candidate.child.shape
        cdef Node node
        kernel_assert(ends_at(candidate.coverage.bits, self.weights.words, self.weights.count))
        node.size = candidate.child.depth + 1
        node.mode = candidate.child.mode
        node.nvars = shape.nvars
        node.complete = candidate.complete
        node.head = shape.head_seen
        node.types = own_types(self.language, shape)
        node.counts = shape.counts
        node.marks = shape.marks
        node.head_types = found_head_types(self.language, shape)
        node.bits = -1 if node.mode == PATH else self.pool.store(candidate.coverage.bits)
        node.limit = limit
        node.expanded = limit >= max(node.size, candidate.smallest - 1) + 2 and node.size < self.language.max_body
        node.list_at = 0
        return self.tree.add(node, sequence, candidate.child.literal)
