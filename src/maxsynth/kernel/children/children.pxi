"""Testing the children of a node: which of them are dead, closed or equal to a known feature, and which become nodes.

What these words mean, and why nothing is lost, is told in `features`. All children of a node are tested on its table
before the first of them is expanded: each literal has its outcome then (`tree`), from which lists are handed down.

**Testing and judging.** `try_out` tests children and changes nothing that others see: what it found is `Tested`. `judge`
then makes nodes of it. So the children of several nodes can be tried out at the same time, by threads with a
`ChildTests` each, and are judged one node after the other, as if there was one thread. What the tests of a node say
depends on what was judged before in one way only: a child may be equal to a feature that became known since. So before
it is judged, it is compared with these (`compare_with_newer`). A child that is equal to an earlier one of its own node is
found by the test itself; or, where several threads share the children of a large node, when their parts are put together
(`join_part`). At most one known feature is equal to a child, for what is equal to a known one does not become known.
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
    bint wide                         # it was tested without a table
    int limit                         # the largest size, head counted, of a larger rule with it that may be of use


cdef uint64_t WIDE_ROWS = 20000   # a table with more rows, ...
cdef uint64_t WIDE_FANOUT = 8     # ... and more for each key, is not made if that can be avoided
cdef uint64_t SLOW = 20000        # rows of a table on which a single test takes its time
cdef uint64_t IN_ORDER = 0xFEDCBA9876543210ULL   # `pack_places`, where each variable has the column of its number
# A step is so many rows of tables that are gone through. What else there is to do counts as the rows that take as long: so
# a step takes about as long on large tables as on small ones.
cdef int64_t STEP_ROWS = 20000
cdef int64_t A_CHILD = 12         # most of which are out before they are tested (`consider`), ...
cdef int64_t A_TEST = 120         # ... and one that is tested, however few rows there are
cdef int64_t MADE_ROW = 4         # of a table that is made for a node
cdef int64_t SAMPLED_ROW = 2      # ... and gone through once more to tell a child from others, ...
cdef int64_t HASHED_ROW = 8       # ... with all its values, where there are few keys (`head_keys`), ...
cdef int64_t COMPARED_ROW = 8     # ... and again where it is equal to one
cdef int64_t MOST_ORDERS = 120    # of variables that look alike, of which a feature without a table is named by the least
cdef int64_t COUNTED = 1 << 22    # rows that are gone through to count those of such a table, at most


cdef cppclass Tested:
    # What was found out about the children of a node.
    vector[Candidate] candidates      # those that are not dead
    vector[uint64_t] names            # hashes of their tables, ...
    vector[uint8_t] hashed            # ... where they are told apart by these
    vector[uint64_t] bits             # what each of them covers
    vector[int32_t] equal             # the size of a known feature, or of an earlier one of these, that is equal; -1
    int64_t tested
    int64_t dead
    int64_t work                      # rows that were gone through, ...
    int64_t made                      # ... and those of the table that was made for it
    uint64_t wide_rows                # of the node, where that was tested without a table
    bint mixed                        # whether some of them were tested without a table, and others could not be so


cdef struct Twin:
    # A candidate and a feature that may be equal to it.
    size_t candidate
    Feature known
    bint differs


cdef enum:  # what threads do in a turn (`slices`)
    COVER_POSITIVES = 0
    COVER_THE_REST = 1
    SIGN = 2
    ADD_UP = 3
    COMPARE = 4

cdef enum:  # how it ended
    HALTED = 0
    TESTED = 1
    TOO_LARGE = 2                     # a slice does not fit into memory


cdef cppclass Slice:
    # What was found in some of the keys.
    vector[Candidate] candidates
    vector[uint64_t] bits             # what each of them covers
    vector[uint8_t] differs           # whether each twin does
    bint too_large


cdef class Slices


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
    cdef WideTest wide_test
    cdef dict wide_known              # what features that were tested without a table are, up to names -> their sizes
    cdef bint use_wide, wide          # whether the node whose children are tested is so
    cdef bint later                   # whether others test the first of them
    cdef uint64_t peak                # rows of the largest table on the way to that node
    cdef vector[int32_t] literals     # of children that are compared
    cdef Partners partners            # None: not asked for
    cdef bint tied                    # whether there are sealed nodes and paths
    cdef int64_t size_weight
    cdef int last                     # body literals of a rule that may be of use, at most
    cdef uint64_t most_rows, most_fanout   # a node with more rows, and more for each key, is not expanded; 0: all are
    cdef bint narrowed                # whether this was so
    cdef bint use_dead, use_closed, use_equal
    cdef object without
    cdef int mode, parent_bits        # of the node whose children are tested
    cdef int allowed[MAX_ARITY + 1]   # new variables -> whether a child with so many can have partners; -1: not known
    cdef vector[uint64_t] bits        # the coverage of one candidate
    cdef Tested found                 # by the last `test`
    cdef object at_rest               # is called between two nodes (`saved`); None for nobody
    cdef object should_stop, peek     # the second asks without taking a step; None: it is not asked
    cdef object take_steps            # asks for many steps at once; None: they are taken one by one
    cdef Slices slices                # who tests on large tables together; None: nobody, or they have something to do
    cdef bint judges                  # whether it sees what becomes known while others test (`KnownTables.hold`)
    cdef bint alone                   # whether all tables are made for this node alone: none has the same beginning
    cdef bint stopped
    cdef counter* halt                # not 0: whoever tests is to stop; the same for all threads
    cdef counter own_halt
    cdef int64_t looked_at            # when those who know were last asked
    cdef readonly int64_t tested, dead, equal, closed
    cdef int64_t work                 # rows of tables that were gone through for what was judged, ...
    cdef int64_t besides              # ... and what else was done, as so many rows
    cdef int64_t taken                # steps of that

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
        self.wide_test = WideTest(tables, weights, self.coverage_test)
        self.wide_known = {}
        self.use_wide = "wide" not in without and not self.language.reading
        self.tied = ties is not None
        self.partners = Partners(self.language, weights) if self.tied and "partners" not in without else None
        self.size_weight = size_weight
        self.last = self.language.max_body
        self.use_dead = "dead" not in without
        self.use_closed = "closed" not in without
        self.use_equal = "equal" not in without
        self.without = without
        self.bits.assign(max(1, weights.words), 0)
        self.judges = True
        self.own_halt.store(0)
        self.halt = &self.own_halt

    cdef ChildTests for_a_thread(self, size_t row_limit):
        """The same for another thread, which may try out what this one judges."""
        cdef Tables tables = Tables(self.tables.lists, self.tables.head_keys, row_limit, self.tables.room.another())
        cdef ChildTests other = ChildTests(
            self.tree, tables, self.weights, self.pool, self.coverage_test.ties, self.size_weight, self.without
        )
        tables.keys_of = self.tables.keys_of
        other.hasher.sums = self.hasher.sums
        other.known = self.known
        other.partners = self.partners
        other.judges = False
        other.halt = self.halt
        return other

    cdef int enter(self, int mode, int bits, uint64_t peak, uint64_t head) except -1 nogil:
        """Children of a node are tested from now on, with this mode, coverage, rows at its peak, and head variables."""
        cdef int i
        self.mode = mode
        self.peak = peak
        self.alone = self.later = False
        self.wide = self.rows_at_once(peak, head) < peak
        self.parent_bits = bits
        self.tables.keys_for = NEAR if self.tied and mode != SEALED else ALL
        for i in range(MAX_ARITY + 1):
            self.allowed[i] = -1
        return 0

    cdef uint64_t rows_at_once(self, uint64_t rows, uint64_t head) except 0 nogil:
        """How many rows are gone through for a child of a node: all, or few for each key where there is no table."""
        if not self.use_wide or head == 0 or rows <= WIDE_ROWS:
            return max(1, rows)
        return max(1, min(rows, max(WIDE_ROWS, WIDE_FANOUT * <uint64_t>self.tables.head_keys.table(head).count)))

    cdef int find_partners(self, vector[int32_t]& literals) except -1:
        """What mentions a head variable: the examples that each literal at the root covers."""
        cdef Candidate candidate
        cdef vector[uint64_t] examples
        cdef size_t i
        cdef int v
        cdef int64_t before = self.coverage_test.work
        self.tables.build(NULL, 0)
        for i in range(literals.size()):
            if self.consider(NULL, 0, literals[i], &candidate):
                memset(self.bits.data(), 0, self.weights.words * sizeof(uint64_t))
                self.coverage_test.add(&candidate.child, -1, NO_PRICE, &candidate.coverage)
                self.partners.add(&candidate.child.shape, &candidate.coverage)
        for v in range(self.language.nhead):
            self.partners.find_complete(v, examples)
            self.tables.mark_keys(PARTNERED, v, examples)
        self.work += self.coverage_test.work - before
        return 0

    # -- all children of a node -----------------------------------------------------------------------------

    cdef bint test(self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals) except -1:
        """Tests the features that add each of these literals to a sequence; False when it was stopped."""
        self.clear(&self.found)
        return self.try_out(sequence, depth, limit, literals, &self.found) and self.judge_all(
            sequence, literals, &self.found
        )

    cdef int clear(self, Tested* found) noexcept nogil:
        found.candidates.clear()
        found.names.clear()
        found.hashed.clear()
        found.bits.clear()
        found.equal.clear()
        found.tested = found.dead = found.work = found.made = 0
        found.wide_rows = MANY
        found.mixed = False
        return 0

    cdef bint try_out(
        self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals, Tested* found
    ) except -1 nogil:
        """Tests the features that add each of these literals to a sequence; False when it was stopped.

        `limit` is the largest size, head counted, of a rule with one of them that may be of use. Where the tables do
        not fit into memory, the keys are gone through in blocks: coverage, signatures and hashes add up. A table that
        goes through hubs is not made at all, where that can be avoided (`wide_tests`).
        """
        cdef vector[int32_t] rest
        cdef int64_t before = self.coverage_test.work, made_before = self.coverage_test.made
        cdef bint finished = True
        found.tested += literals.size()
        if self.wide:
            finished = self.try_wide(sequence, depth, limit, literals, rest, found)
            found.mixed = rest.size() > 0
            if finished and rest.size():
                finished = self.try_by_table(sequence, depth, limit, rest, found)
        else:
            finished = self.try_by_table(sequence, depth, limit, literals, found)
        found.work += self.coverage_test.work - before
        found.made += self.coverage_test.made - made_before
        return finished

    cdef bint try_by_table(
        self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals, Tested* found
    ) except -1 nogil:
        cdef size_t i
        cdef bint finished, slow = self.peak > SLOW  # then it is worth a look at each test whether to stop
        cdef Candidate candidate
        cdef uint64_t gone = 0  # rows since the last look
        cdef int equal, outcome
        self.tables.take_block(0, self.weights.count, True)
        if self.slices is not None and self.slices.are_worth_it(depth, self.peak, literals.size()):
            with gil:
                outcome = self.slices.try_out(sequence, depth, limit, literals, found)
            if outcome != TOO_LARGE:
                return outcome == TESTED
        if self.tables.build(sequence, depth):
            self.count_made(depth)
            for i in range(literals.size()):
                if (slow or gone > SLOW) and self.is_halted():
                    return False
                gone = 0 if gone > SLOW else gone + self.tables.rows_of[depth].size()
                if not self.consider(sequence, depth, literals[i], &candidate):
                    continue
                memset(self.bits.data(), 0, self.weights.words * sizeof(uint64_t))
                self.cover(&candidate)
                if self.is_dead(&candidate):
                    found.dead += 1
                    continue
                candidate.limit = self.limit_of(&candidate, limit)
                equal = -1
                if self.is_hashed(&candidate):
                    self.hasher.sign(&candidate.child, &candidate.hash)
                    self.hasher.arrange(&candidate.child, &candidate.hash)
                    self.hasher.add_up(&candidate.child, &candidate.hash)
                    gone += candidate.hash.rows
                    candidate.name = self.hasher.finish(
                        &candidate.child, sequence, candidate.waiting, &candidate.hash
                    )
                    equal = self.find_equal(sequence, &candidate, 0)
                    if equal < 0:
                        equal = self.find_equal_child(sequence, &candidate, found)
                self.note(found, &candidate, self.bits.data(), equal)
            return True
        finished = self.try_in_blocks(sequence, depth, limit, literals, found)
        self.tables.path.clear()
        return finished

    cdef int count_made(self, int depth) noexcept nogil:
        """Counts the rows of the table that is there. Blocks and slices have some of the keys each: all together count
        what one piece would."""
        cdef int d
        for d in range(1 if self.alone else max(1, depth), depth + 1):
            self.coverage_test.made += self.tables.rows_of[d].size()
        return 0

    cdef int note(self, Tested* found, const Candidate* candidate, const uint64_t* bits, int equal) except -1 nogil:
        """A child that is not dead."""
        cdef uint8_t hashed = 1 if self.is_hashed(candidate) and not candidate.wide else 0
        found.candidates.push_back(candidate[0])
        found.names.push_back(candidate.name)
        found.hashed.push_back(hashed)
        found.bits.insert(found.bits.end(), <uint64_t*>bits, <uint64_t*>bits + self.weights.words)  # for Cython 3.1
        found.equal.push_back(equal)
        return 0

    cdef bint try_sealed(
        self, const int32_t* sequence, const Node* node, vector[int32_t]& literals, Tested* found
    ) except -1 nogil:
        """`try_out` for the children of a sealed node; those that use up all variables need only some of the keys."""
        cdef vector[int32_t] full, others
        cdef size_t i
        cdef bint none_left = node.nvars == self.language.max_vars
        if self.partners is None:
            return self.try_out(sequence, node.size, node.limit, literals, found)
        for i in range(literals.size()):
            if none_left or self.language.literals[literals[i]].variables >> (self.language.max_vars - 1):
                full.push_back(literals[i])
            else:
                others.push_back(literals[i])
        if others.size() and not self.try_out(sequence, node.size, node.limit, others, found):
            return False
        self.tables.keys_for = PARTNERED
        return full.size() == 0 or self.try_out(sequence, node.size, node.limit, full, found)

    cdef bint try_in_blocks(
        self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals, Tested* found
    ) except -1 nogil:
        """`try_out`, with some of the keys at a time: half as many whenever their tables turn out to be too large."""
        cdef vector[Candidate] candidates
        cdef vector[Twin] twins
        cdef vector[uint64_t] bits
        cdef vector[int64_t] rest     # rows of keys without positives that were gone through
        cdef Candidate candidate
        cdef Candidate* one
        cdef size_t i
        cdef int phase, start, end, keys = self.tables.count_keys(sequence[0]), length = (keys + 1) // 2
        cdef bint considered = False
        for phase in range(4):
            if phase == 3 and self.find_twins(sequence, candidates, twins) == 0:
                break
            start = 0
            while start < keys:
                if self.is_halted():
                    return False
                self.tables.path.clear()
                end = min(start + length, keys)
                self.tables.take_block(start, end, end - start > 1)  # the rows of one key must fit in any case
                if not self.tables.build(sequence, depth):
                    length = (end - start + 1) // 2
                    continue
                if phase == 0:
                    self.count_made(depth)
                if not considered:
                    considered = True
                    for i in range(literals.size()):
                        if self.consider(sequence, depth, literals[i], &candidate):
                            candidates.push_back(candidate)
                    bits.assign(candidates.size() * self.weights.words, 0)
                    rest.assign(candidates.size(), 0)
                    for i in range(candidates.size()):
                        candidates[i].coverage.bits = bits.data() + i * self.weights.words
                if phase == 3:
                    self.compare_twins(candidates, twins)
                    start = end
                    continue
                for i in range(candidates.size()):
                    if self.is_halted():
                        return False
                    one = &candidates[i]
                    if phase == 0:
                        if one.child.mode == PATH:
                            self.cover(one)
                        else:  # other blocks may have more positives
                            self.coverage_test.add_positives(&one.child, &one.coverage)
                            rest[i] -= self.coverage_test.work
                            self.coverage_test.add_the_rest(&one.child, &one.coverage)
                            rest[i] += self.coverage_test.work
                    elif self.may_pay(one) and self.is_hashed(one):
                        if phase == 1:
                            self.hasher.sign(&one.child, &one.hash)
                        else:
                            self.hasher.add_up(&one.child, &one.hash)
                start = end
            if phase == 0:
                for i in range(candidates.size()):
                    candidates[i].limit = self.limit_of(&candidates[i], limit)
                    if not self.may_pay(&candidates[i]):  # in one piece these rows are not looked at, and do not count
                        self.coverage_test.work -= rest[i]
            elif phase == 1:
                for i in range(candidates.size()):
                    self.hasher.arrange(&candidates[i].child, &candidates[i].hash)
        self.note_all(candidates, twins, found)
        return True

    cdef int note_all(self, vector[Candidate]& candidates, vector[Twin]& twins, Tested* found) except -1 nogil:
        """Notes children that were tested together, whose twins are compared."""
        cdef size_t i, t = 0
        cdef int known
        for i in range(candidates.size()):
            known = -1
            while t < twins.size() and twins[t].candidate == i:
                if not twins[t].differs and known < 0:
                    known = twins[t].known.count
                t += 1
            if self.is_dead(&candidates[i]):
                found.dead += 1
            else:
                self.note(found, &candidates[i], candidates[i].coverage.bits, known)
        return 0

    # -- on a slice of the keys -----------------------------------------------------------------------------

    cdef int take_over(self, ChildTests leader) noexcept nogil:
        """Tests children of the same node as another one (`slices`)."""
        self.mode, self.peak, self.wide, self.last = leader.mode, leader.peak, leader.wide, leader.last
        self.alone = leader.alone
        self.parent_bits = leader.parent_bits
        self.tables.keys_for = leader.tables.keys_for
        self.tables.take_block(0, self.weights.count, True)
        return 0

    cdef int test_slice(
        self, int turn, const int32_t* sequence, int depth, const vector[Candidate]& candidates,
        const vector[Twin]& twins, const int32_t* literals, Slice* own,
    ) except -1 nogil:
        """What there is to do in a turn. All of these may be dropped half way, when it is time to stop."""
        cdef size_t i, size = <size_t>depth + 1
        cdef Candidate* one
        cdef const Candidate* whole
        cdef Feature feature
        if turn == COVER_POSITIVES:
            own.candidates.assign(candidates.begin(), candidates.end())
            own.bits.assign(candidates.size() * self.weights.words, 0)
            for i in range(candidates.size()):
                own.candidates[i].coverage.bits = own.bits.data() + i * self.weights.words
            own.too_large = not self.tables.build(sequence, depth)
            if own.too_large:
                self.tables.path.clear()
                return 0
            self.count_made(depth)
        own.differs.assign(twins.size(), 0)
        if turn == COMPARE:
            for i in range(twins.size()):
                whole = &candidates[twins[i].candidate]
                feature = self.feature_of(whole, literals + twins[i].candidate * size)
                self.comparison.name_variables(&twins[i].known, &feature, whole.child.shape.nvars)
                own.differs[i] = not self.comparison.holds(&whole.child, &twins[i].known, &feature)
                if self.is_halted():
                    return 0
            return 0
        for i in range(candidates.size()):
            if self.is_halted():
                return 0
            one = &own.candidates[i]
            whole = &candidates[i]
            if turn == COVER_POSITIVES:
                if whole.child.mode == PATH:
                    self.cover(one)
                else:
                    self.coverage_test.add_positives(&one.child, &one.coverage)
            elif turn == COVER_THE_REST:
                if whole.child.mode != PATH and self.may_pay(whole):
                    self.coverage_test.add_the_rest(&one.child, &one.coverage)
            elif self.may_pay(whole) and self.is_hashed(whole):
                if turn == SIGN:
                    self.hasher.sign(&one.child, &one.hash)
                else:
                    one.hash = whole.hash
                    one.hash.sum = one.hash.rows = 0
                    self.hasher.add_up(&one.child, &one.hash)
        return 0

    # -- without a table ------------------------------------------------------------------------------------

    cdef bint try_wide(
        self,
        const int32_t* sequence,
        int depth,
        int limit,
        vector[int32_t]& literals,
        vector[int32_t]& rest,
        Tested* found,
    ) except -1 nogil:
        """`try_out` without a table; `rest` are the literals that cannot be tested so. False when it was stopped."""
        cdef Candidate candidate
        cdef size_t i
        cdef uint64_t end
        self.tables.shape_only(sequence, depth)
        if self.later:
            pass  # who tests the first children of the node counts its rows, for all
        elif self.parent_bits >= 0 and self.wide_test.take_apart(sequence, depth - 1, sequence[depth - 1], 0):
            found.wide_rows = self.count_wide(self.tables.shape_of[depth].head_seen, self.pool.at(self.parent_bits))
        for i in range(literals.size()):
            if not self.consider(sequence, depth, literals[i], &candidate):
                continue
            end = 0
            if candidate.child.mode == PATH:
                end = (<uint64_t>1 << candidate.child.shape.nvars) - (<uint64_t>1 << candidate.child.nvars_before)
            if not self.wide_test.take_apart(sequence, depth, literals[i], end):
                rest.push_back(literals[i])
                continue
            if self.is_halted() or not self.cover_wide(&candidate):
                return False
            if self.is_dead(&candidate):
                found.dead += 1
                continue
            candidate.wide = True
            candidate.limit = self.limit_of(&candidate, limit)
            candidate.hash.rows = MANY
            if self.is_hashed(&candidate) and candidate.child.mode != PATH:
                candidate.hash.rows = self.count_wide(candidate.child.shape.head_seen, candidate.coverage.bits)
            self.note(found, &candidate, candidate.coverage.bits, -1)
        return True

    cdef bint cover_wide(self, Candidate* candidate) except -1 nogil:
        """Finds what the feature at hand covers: the positives first, for most features are dead; False when stopped."""
        cdef KeyTable* keys = self.tables.head_keys.table(candidate.child.shape.head_seen)
        cdef int k, at, example, turn
        cdef uint64_t rows
        cdef int64_t pace = PACE, most
        if candidate.child.mode == PATH:
            k = 0
            while k >= 0:
                k = self.wide_test.lead(
                    &candidate.child, k, self.least(candidate.smallest),
                    self.weights.least_price(self.weight_of(candidate.smallest)), &candidate.coverage,
                )
                if k >= 0 and self.is_halted():
                    return False
            self.count_work()
            return True
        memset(self.bits.data(), 0, self.weights.words * sizeof(uint64_t))
        self.wide_test.one = True
        most = self.wide_test.work + pace
        for turn in range(2):
            for k in range(keys.count):
                if (keys.pos[k] > 0) == (turn == 1) or not self.is_in_parent(keys.examples[keys.examples_from[k]]):
                    continue
                rows = self.wide_test.rows_of_key(keys, k, most)
                while self.wide_test.work > most:
                    # A look whether to stop, and once more with twice as much.
                    if self.is_halted():
                        return False
                    most = self.wide_test.work + pace
                    pace *= 2
                    rows = self.wide_test.rows_of_key(keys, k, most)
                pace = PACE
                if rows == 0:
                    continue
                candidate.coverage.pos += keys.pos[k]
                candidate.coverage.neg += keys.neg[k]
                candidate.coverage.price += keys.price[k]
                for at in range(keys.examples_from[k], keys.examples_from[k + 1]):
                    example = keys.examples[at]
                    self.bits[example >> 6] |= <uint64_t>1 << (example & 63)
            if not self.may_pay(candidate):
                break
        self.count_work()
        return True

    cdef int count_work(self) noexcept nogil:
        self.coverage_test.work += self.wide_test.work
        self.wide_test.work = 0
        return 0

    cdef bint is_in_parent(self, int example) noexcept nogil:
        """Whether the parent covers an example; of a path that is not known."""
        return self.parent_bits < 0 or (self.pool.at(self.parent_bits)[example >> 6] >> (example & 63)) & 1

    cdef uint64_t count_wide(self, uint64_t head, const uint64_t* bits) except? 0 nogil:
        """The rows of the feature at hand, for keys that it covers; MANY where that is too much to count."""
        cdef KeyTable* keys = self.tables.head_keys.table(head)
        cdef int k, example
        cdef uint64_t total = 0
        self.count_work()
        self.wide_test.one = False
        self.wide_test.forget()
        for k in range(keys.count):
            example = keys.examples[keys.examples_from[k]]
            if (bits[example >> 6] >> (example & 63)) & 1:
                total = min(MANY, total + self.wide_test.rows_of_key(keys, k, COUNTED))
                if self.wide_test.work > COUNTED:
                    total = MANY
            if total >= MANY:
                break
        self.count_work()
        return total

    cdef int find_equal_wide(
        self, const int32_t* sequence, int depth, const Candidate* candidate, uint64_t wide_rows
    ) except -2:
        """The size of a known feature that is equal to the one at hand; -1 if none is known.

        It is equal to its parent if its literal leaves out no row; and to what is the same up to the names of variables.
        """
        cdef Feature own, parent
        cdef string name
        if candidate.hash.rows == wide_rows < MANY and candidate.child.shape.nvars == candidate.child.nvars_before:
            self.literals.clear()
            self.write_literals(sequence, candidate)
            own.literals = parent.literals = self.literals.data()
            own.count = depth + 1
            parent.count = depth
            own.mode = parent.mode = candidate.child.mode
            own.places = parent.places = IN_ORDER
            if self.comparison.same_standing(&parent, &own):
                return depth
        self.literals.clear()
        self.write_literals(sequence, candidate)
        if not canonical(self.language.literals, self.literals, self.language.nhead, MOST_ORDERS, name):
            return -1
        name.push_back(<char>candidate.child.mode)
        code = <bytes>name
        known = self.wide_known.get(code)
        if known is not None:
            return known
        self.wide_known[code] = depth + 1
        take(self.tree.room, 400)
        return -1

    # -- equal ones -----------------------------------------------------------------------------------------

    cdef uint64_t places_of(self, const Candidate* candidate) noexcept nogil:
        return pack_places(candidate.hash.place, candidate.child.shape.nvars - self.language.nhead)

    cdef int write_literals(self, const int32_t* sequence, const Candidate* candidate) except -1 nogil:
        """Appends the literals of a candidate to `literals`."""
        self.literals.insert(self.literals.end(), sequence, sequence + candidate.child.depth)
        self.literals.push_back(candidate.child.literal)
        return 0

    cdef Feature feature_of(self, const Candidate* candidate, const int32_t* literals) noexcept nogil:
        cdef Feature feature
        feature.literals = literals
        feature.count = candidate.child.depth + 1
        feature.mode = candidate.child.mode
        feature.places = self.places_of(candidate)
        return feature

    cdef Feature known_feature(self, const Known* known) noexcept nogil:
        """A known feature, until the next node is added."""
        cdef Feature feature
        feature.literals = self.tree.literals_of(known.node)
        feature.count = self.tree.node(known.node).size
        feature.mode = self.tree.node(known.node).mode
        feature.places = known.places
        return feature

    cdef int find_equal(self, const int32_t* sequence, const Candidate* candidate, size_t first) except -2 nogil:
        """The size of a known feature, from this number on, that is equal to a child; -1 if there is none."""
        cdef Feature own, known
        cdef const Known* found
        cdef Candidates candidates = self.known.candidates(candidate.name)
        cdef Candidates newer = self.known.newer(candidate.name, self.judges)
        while True:
            found = self.known.next(&candidates, &newer, candidate.name, candidate.hash.rows)
            if found == NULL:
                return -1
            if self.known.number_of(found) < first:
                continue
            self.literals.clear()
            self.write_literals(sequence, candidate)
            own = self.feature_of(candidate, self.literals.data())
            known = self.known_feature(found)
            if self.comparison.same_standing(&known, &own) and self.comparison.holds(&candidate.child, &known, &own):
                return known.count

    cdef int find_equal_child(self, const int32_t* sequence, const Candidate* candidate, Tested* found) except -2 nogil:
        """The size of a child, if an earlier one of the same node that is new is equal to it; else -1."""
        cdef Feature own, other
        cdef size_t i, count = candidate.child.depth + 1
        for i in range(found.names.size()):
            if (
                found.names[i] != candidate.name or found.equal[i] >= 0 or not found.hashed[i]
                or found.candidates[i].hash.rows != candidate.hash.rows
            ):
                continue
            self.literals.clear()
            self.write_literals(sequence, candidate)
            self.write_literals(sequence, &found.candidates[i])
            own = self.feature_of(candidate, self.literals.data())
            other = self.feature_of(&found.candidates[i], self.literals.data() + count)
            if self.comparison.same_standing(&other, &own) and self.comparison.holds(&candidate.child, &other, &own):
                return <int>count
        return -1

    cdef int find_twins(
        self, const int32_t* sequence, vector[Candidate]& candidates, vector[Twin]& twins
    ) except -1 nogil:
        """What each candidate may be equal to, and has the same standing as: known features, and earlier candidates.

        Returns how many twins there are; those of a candidate come together, the known features first.
        """
        cdef Candidate* one
        cdef const Known* found
        cdef Twin twin
        cdef Feature own
        cdef Candidates met, newer
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
            newer = self.known.newer(one.name, self.judges)
            found = self.known.next(&met, &newer, one.name, one.hash.rows)
            while found != NULL:
                twin.known = self.known_feature(found)
                if self.comparison.same_standing(&twin.known, &own):
                    twins.push_back(twin)
                found = self.known.next(&met, &newer, one.name, one.hash.rows)
            for j in range(i):
                if (
                    candidates[j].name == one.name and candidates[j].hash.rows == one.hash.rows
                    and not self.is_dead(&candidates[j])
                ):
                    twin.known = self.feature_of(&candidates[j], self.literals.data() + j * size)
                    if self.comparison.same_standing(&twin.known, &own):
                        twins.push_back(twin)
        return <int>twins.size()

    cdef int compare_twins(self, vector[Candidate]& candidates, vector[Twin]& twins) except -1 nogil:
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

    def set_stop(self, should_stop, at_rest=None):
        """What is asked from now on whether to stop, None for never; and who is told that a node is done with.

        It may be asked without a step, by `cut`, and then does not look at these: when they are used up must not depend
        on what is tried out ahead. And it may be asked for many steps at once, by `take`.
        """
        self.should_stop = should_stop
        self.at_rest = at_rest
        self.peek = getattr(should_stop, "cut", None)
        self.take_steps = getattr(should_stop, "take", None)
        self.stopped = False
        self.halt.store(0)

    cdef int rest(self) except -1:
        """Here all is as it can be saved: between two nodes."""
        kernel_assert(self.taken == self.steps_of_work())
        if self.at_rest is not None:
            self.at_rest()
        return 0

    cdef bint rests(self) except -1:
        """`is_stopped` between two nodes."""
        if self.takes_due():
            return True
        self.rest()
        return self.is_stopped()

    cdef bint is_stopped(self) except -1:
        """Takes a step; whether to stop."""
        if not self.stopped and self.should_stop is not None and self.should_stop():
            self.stopped = True
        return self.stopped

    cdef int64_t steps_of_work(self) noexcept nogil:
        """The steps of all that was done so far (`STEP_ROWS`)."""
        return (self.work + self.besides) // STEP_ROWS

    cdef bint takes_due(self) except -1:
        """Takes the steps of what was done since it last took them; whether to stop.

        At a rest none is due, so that what is saved tells how many were taken.
        """
        cdef int64_t due = self.steps_of_work() - self.taken
        self.taken += due
        return self.takes(due) or self.stopped

    cdef bint takes(self, int64_t steps) except -1:
        """Takes so many steps; whether to stop."""
        cdef int64_t step
        if steps and not self.stopped and self.take_steps is not None:
            self.stopped = self.take_steps(steps)
            return self.stopped
        for step in range(steps):
            if self.is_stopped():
                return True
        return False

    cdef bint is_halted(self) except -1 nogil:
        """Whether to stop now; only one thread asks those who know, and not more often than is of use."""
        cdef int64_t now
        if self.halt == &self.own_halt:
            now = milliseconds()
            if now == self.looked_at:
                return self.halt.load() != 0
            self.looked_at = now
            with gil:
                self.pass_on()
        return self.halt.load() != 0

    def pass_on(self):
        """Lets all threads stop if it is time to."""
        if self.peek is not None and self.peek():
            self.halt.store(1)

    # -- one child ------------------------------------------------------------------------------------------

    cdef bint consider(self, const int32_t* sequence, int depth, int literal, Candidate* candidate) except -1 nogil:
        """What can be said of a child before its rows are looked at; False when it is out."""
        cdef Literal* lit = &self.language.literals[literal]
        cdef Shape* shape = &candidate.child.shape
        cdef const Shape* before = &self.tables.shape_of[depth]
        if not types_fit(before, lit):
            return False
        shape[0] = before[0]
        add_literal(shape, lit, self.language.head)
        if not is_possible(self.language, shape):
            return False
        candidate.smallest = depth + 1 + literals_missing(self.language, shape)
        if candidate.smallest > self.last:
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
        candidate.coverage.pos = candidate.coverage.neg = candidate.coverage.price = 0
        candidate.wide = False
        candidate.limit = self.last + 1
        begin_hash(&candidate.hash)
        candidate.name = 0
        return candidate.complete or depth + 1 < self.last

    cdef int child_mode(self, uint64_t head_seen) noexcept nogil:
        """What may become of a child that mentions these head variables."""
        if not self.tied or self.mode == SEALED:
            return self.mode
        if head_seen & (head_seen - 1):
            return FREE
        return SEALED if self.mode == FREE else PATH

    cdef bint is_allowed(self, const Candidate* candidate) noexcept nogil:
        """Whether a sealed child may have its partners, as far as the coverage of its parent tells."""
        cdef int new = candidate.child.shape.nvars - candidate.child.nvars_before
        if self.partners is None or self.parent_bits < 0:
            return True
        if self.allowed[new] < 0:
            self.allowed[new] = self.partners.suffice(
                self.pool.at(self.parent_bits), &candidate.child.shape, self.least(candidate.smallest),
                self.weight_of(candidate.smallest),
            )
        return self.allowed[new]

    cdef bint is_complete(self, const Candidate* candidate) noexcept nogil:
        """Whether a feature may stand in a rule as it is. (What waits may be made safe by another feature.)"""
        if candidate.child.shape.head_seen == 0 or (candidate.waiting and not self.language.head_outputs):
            return False
        return self.language.singletons or not has_singleton(self.language, &candidate.child.shape)

    cdef bint is_rule(self, const Candidate* candidate) noexcept nogil:
        """Whether a feature is a rule of the space by itself."""
        if not candidate.complete or candidate.waiting:
            return False
        if self.language.needed & ~candidate.child.shape.head_seen:
            return False
        return meets_limits(self.language, &candidate.child.shape)

    cdef int64_t weight_of(self, int body) noexcept nogil:
        """The size of a rule with so many body literals, by weight."""
        return self.size_weight * (body + 1)

    cdef int64_t least(self, int body) noexcept nogil:
        """The weight of positives that a rule with so many body literals must have more than."""
        return self.weight_of(body) if self.use_dead else 0

    cdef int cover(self, Candidate* candidate) except -1 nogil:
        """Adds what a candidate covers in the tables that are there."""
        self.coverage_test.add(
            &candidate.child, self.least(candidate.smallest),
            self.weights.least_price(self.weight_of(candidate.smallest)), &candidate.coverage,
        )
        return 0

    cdef bint may_pay(self, const Candidate* candidate) noexcept nogil:
        """Whether a candidate covers enough: more than a rule with it costs, and enough for a better program."""
        return (
            candidate.coverage.pos > self.least(candidate.smallest)
            and candidate.coverage.price >= self.weights.least_price(self.weight_of(candidate.smallest))
        )

    cdef bint is_dead(self, const Candidate* candidate) noexcept nogil:
        """Whether no rule with this feature pays."""
        if not self.may_pay(candidate):
            return True
        return (
            candidate.child.mode == SEALED and self.partners is not None
            and not self.partners.suffice(
                candidate.coverage.bits, &candidate.child.shape, self.least(candidate.smallest),
                self.weight_of(candidate.smallest),
            )
        )

    cdef bint grows(self, const Candidate* candidate) noexcept nogil:
        """Whether a larger feature that has this one may be of use."""
        cdef int size = candidate.child.depth + 1
        return candidate.limit >= max(size, candidate.smallest - 1) + 2 and size < self.last

    cdef bint is_hashed(self, const Candidate* candidate) noexcept nogil:
        """What does not grow need not be told apart by its table."""
        return self.use_equal and self.grows(candidate)

    # -- what becomes of them -------------------------------------------------------------------------------

    cdef bint compare_with_newer(self, const int32_t* sequence, int depth, Tested* found, size_t first) except -1:
        """Compares what was found with the features that are known since then, from this number on.

        A child that is equal to an earlier one of its node is equal to what that one is equal to. It makes a difference
        where that is smaller: so it is, where these children were tried out while smaller features were judged.

        False where it has to be tested again, as its table is too large to be there at once.
        """
        cdef size_t i
        cdef int equal
        cdef int most  # the size of what those that are not compared are equal to, at most
        if first == self.known.tables.size():
            return True
        most = depth if self.tree.nodes[self.known.tables[first].node].size <= depth else depth + 1
        for i in range(found.names.size()):
            if not found.hashed[i] or 0 <= found.equal[i] <= most:
                continue
            if not self.known.has_newer(found.names[i], found.candidates[i].hash.rows, first):
                continue
            self.choose_keys(&found.candidates[i].child)
            self.tables.take_block(0, self.weights.count, True)
            if not self.tables.build(sequence, depth):  # mostly it is there already
                self.tables.path.clear()
                return False
            equal = self.find_equal(sequence, &found.candidates[i], first)
            if equal >= 0:
                found.equal[i] = equal
        return True

    cdef bint join_part(self, const int32_t* sequence, int depth, Tested* found, Tested* part) except -1:
        """Adds what was found about further children of the same node, as if they had been tested after the others.

        A child may be equal to one of these, which those who tested it did not know. That it is equal to one of its own
        part which in turn is equal to one of these makes no difference: they all have the same size. False where it
        has to be tested again, as its table is too large to be there at once, or as those without a table come first.
        """
        cdef size_t i
        cdef int equal
        if found.mixed or part.mixed:
            return False
        found.tested += part.tested
        found.dead += part.dead
        found.work += part.work
        for i in range(part.candidates.size()):
            equal = part.equal[i]
            if equal < 0 and part.hashed[i] and self.is_among(found, part.names[i]):
                self.choose_keys(&part.candidates[i].child)
                self.tables.take_block(0, self.weights.count, True)
                if not self.tables.build(sequence, depth):
                    self.tables.path.clear()
                    return False
                equal = self.find_equal_child(sequence, &part.candidates[i], found)
            self.note(found, &part.candidates[i], part.bits.data() + i * self.weights.words, equal)
        return True

    cdef bint is_among(self, const Tested* found, uint64_t name) noexcept nogil:
        cdef size_t i
        for i in range(found.names.size()):
            if found.names[i] == name:
                return True
        return False

    cdef int choose_keys(self, const Child* child) noexcept nogil:
        """The keys that a child was tested on (`try_sealed`)."""
        self.tables.keys_for = NEAR if self.tied and self.mode != SEALED else ALL
        if self.mode == SEALED and self.partners is not None and child.shape.nvars == self.language.max_vars:
            self.tables.keys_for = PARTNERED
        return 0

    cdef bint judge_all(self, const int32_t* sequence, vector[int32_t]& literals, Tested* found) except -1:
        """Gives each literal its outcome, with a node for what is new; False when it is time to stop."""
        cdef Candidate* one
        cdef size_t i
        cdef int equal
        cdef int64_t hashed_row = HASHED_ROW if self.weights.count < SAMPLED_FROM else SAMPLED_ROW
        self.tested += found.tested
        self.dead += found.dead
        self.work += found.work
        self.besides += A_CHILD * found.tested + MADE_ROW * found.made
        self.besides += A_TEST * (found.dead + <int64_t>found.candidates.size())
        for i in range(found.candidates.size()):
            if found.hashed[i]:
                self.besides += (hashed_row + (COMPARED_ROW if found.equal[i] >= 0 else 0)) * found.made
        if self.takes_due():
            return False
        for i in range(literals.size()):
            self.tree.outcomes[literals[i]].what = OUT
            self.tree.outcomes[literals[i]].limit = 0
        for i in range(found.candidates.size()):
            one = &found.candidates[i]
            one.coverage.bits = found.bits.data() + i * self.weights.words
            equal = found.equal[i]
            if one.wide and self.is_hashed(one):
                equal = self.find_equal_wide(sequence, one.child.depth, one, found.wide_rows)
            self.tree.outcomes[one.child.literal].what = self.judge(sequence, one, equal)
        return True

    cdef int judge(self, const int32_t* sequence, const Candidate* candidate, int known) except -1:
        """What becomes of a child that is not dead; a node, if it is new. `known`: the size of an equal one, or -1."""
        cdef Outcome* outcome = &self.tree.outcomes[candidate.child.literal]
        if known >= 0:
            self.equal += 1
            outcome.limit = self.language.max_body + 1
            return OUT if known < candidate.child.depth + 1 else SAME
        outcome.limit = candidate.limit
        outcome.child = self.make_node(sequence, candidate)
        if self.is_hashed(candidate) and not candidate.wide:
            self.known.add(candidate.name, candidate.hash.rows, self.places_of(candidate), outcome.child)
        if not self.tree.nodes[outcome.child].expanded:
            self.closed += 1
        return NODE

    cdef int limit_of(self, const Candidate* candidate, int limit) noexcept nogil:
        """The largest size, head counted, of a larger rule that may be of use, when it is no more than `limit`."""
        cdef int64_t rule
        if not self.use_closed or not self.is_rule(candidate):
            return limit
        # S(r) >= S(f) + N(f) makes a larger rule r useless: what is left are sizes below that.
        rule = self.size_weight * (candidate.child.depth + 2)
        return <int>min(<int64_t>limit, (rule + candidate.coverage.neg - 1) // self.size_weight)

    cdef int keep_promising(self, vector[int32_t]& nodes, int count) except -1:
        """Drops all but the nodes that tell positives from negatives best; for a beam."""
        cdef vector[int64_t] promises
        cdef size_t i
        for i in range(nodes.size()):
            promises.push_back(self.weights.promise_of(self.pool.at(self.tree.nodes[nodes[i]].bits)))
        return keep_best(nodes, promises, count)

    cdef int make_node(self, const int32_t* sequence, const Candidate* candidate) except -1:
        cdef const Shape* shape = &candidate.child.shape
        cdef Node node
        cdef uint64_t keys
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
        node.limit = candidate.limit
        node.expanded = node.grows = self.grows(candidate)
        node.rows = candidate.hash.rows
        node.peak = max(self.peak, node.rows)
        if self.most_rows and node.rows > self.most_rows:
            keys = self.tables.head_keys.table(shape.head_seen).count
            if node.rows > self.most_fanout * keys:
                node.expanded = node.grows = False
                self.narrowed = True
        node.list_at = 0
        return self.tree.add(node, sequence, candidate.child.literal)
