"""Testing the children of one node by several threads, where its table is large: each has a slice of the keys.

Threads that take a node each (`search`) wait for the one with the largest table, and every one of them holds the tables
on the way to its own node. Here the table of a node is made in slices, each with some of the keys, and all threads test
the same children, each on its slice: what they hold together is one table, and all have the same to do.

**The same is found as by one thread.** A key is in one slice, with all its rows; an example belongs to one key. So what
a child covers is the union of what it covers in the slices, weights, numbers of rows, signatures and hashes are sums
over them, and it is equal to a known feature if it is in each. As in one piece, the rows of keys without positives are
looked at only when those with positives are known to be enough: these are two *turns* of the threads. Signatures, hashes
and comparisons are one each, since each needs what came before from all slices. The leader puts together what a turn
found (`Team` says how they wait for each other).
"""


cdef uint64_t SLICED_ROWS = 60_000    # rows of a table, at least, for it to be made in slices, ...
cdef int64_t SLICED_WORK = 400_000    # ... and times its children, for that to be worth it

@cython.final
cdef class Slices:
    """The slices of the node at hand, each with tests of its own: the first is that of the leader."""

    cdef object threads
    cdef list crew                    # the tests of each slice, ...
    cdef vector[void*] tests_of       # ... which threads find here
    cdef ChildTests leader
    cdef HeadKeys head_keys
    cdef vector[uint64_t] heads       # the sets of head variables that literals have
    cdef Team team
    cdef counter failed               # parts that ended with an error
    cdef vector[Slice] slices
    cdef int turn
    cdef int outcome
    # What the leader was asked.
    cdef const int32_t* sequence
    cdef int depth, limit
    cdef vector[int32_t]* literals
    cdef Tested* found
    cdef vector[Candidate] candidates
    cdef vector[uint64_t] bits
    cdef vector[Twin] twins

    def __init__(self, threads, list crew, HeadKeys head_keys):
        cdef ChildTests tests
        self.threads = threads
        self.crew = crew
        self.leader = crew[0]
        self.head_keys = head_keys
        for tests in crew:
            self.tests_of.push_back(<void*>tests)
        self.slices.resize(self.tests_of.size())

    cdef bint are_worth_it(self, int depth, uint64_t rows, size_t children) noexcept nogil:
        return depth > 0 and rows >= SLICED_ROWS and <double>rows * children >= SLICED_WORK

    cdef int try_out(
        self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals, Tested* found
    ) except -1:
        """`ChildTests.try_by_table` by all threads; how it ended."""
        cdef ChildTests tests
        cdef uint64_t mask = 0
        cdef int64_t work = 0, before = self.leader.coverage_test.work
        cdef int64_t made = 0, made_before = self.leader.coverage_test.made
        cdef int k
        for k in range(depth):  # what threads only read must be there before they do
            mask |= self.leader.language.literals[sequence[k]].variables & self.leader.language.head
            self.head_keys.make_all(mask, self.heads)
        self.sequence, self.depth, self.limit = sequence, depth, limit
        self.literals, self.found = &literals, found
        self.failed.store(0)
        self.team.open()
        for k in range(<int>self.slices.size()):
            tests = self.crew[k]
            tests.take_over(self.leader)
            tests.tables.take_slice(k, <int>self.slices.size())
            self.slices[k].too_large = False
            work -= tests.coverage_test.work
            made -= tests.coverage_test.made
        try:
            self.threads.run(self.work, self.leader.pass_on)
        finally:
            for tests in self.crew:
                tests.tables.take_slice(0, 1)
        for tests in self.crew:
            work += tests.coverage_test.work
            made += tests.coverage_test.made
        # Whoever asked counts what the leader itself does. Where a slice was too large, all begins anew.
        self.leader.coverage_test.work = before + (work if self.outcome == TESTED else 0)
        self.leader.coverage_test.made = made_before + (made if self.outcome == TESTED else 0)
        return self.outcome

    def work(self, int number):
        """What a thread does: the first leads, the others help until there are no more turns."""
        cdef int part
        if number == 0:
            try:
                with nogil:
                    self.outcome = self.go_through(self.leader)
            finally:
                self.team.close()
            return
        with nogil:
            part = self.team.wait_for_part()
            while part >= 0:
                self.do(part)
                part = self.team.wait_for_part()

    # -- turns ----------------------------------------------------------------------------------------------

    cdef bint take_turn(self, int turn) except -1 nogil:
        """Has all slices done; False when somebody said stop, or somebody failed, who tells so himself."""
        cdef int part
        self.turn = turn
        self.team.begin(<uint32_t>self.slices.size())
        part = self.team.take()
        while part >= 0:
            self.do(part)
            part = self.team.take()
        while not self.team.wait_for_others():
            with gil:
                self.leader.pass_on()
        return self.failed.load() == 0 and self.leader.halt.load() == 0

    cdef int do(self, int part) except -1 nogil:
        cdef bint good = False
        try:
            (<ChildTests>self.tests_of[part]).test_slice(
                self.turn, self.sequence, self.depth, self.candidates, self.twins, self.leader.literals.data(),
                &self.slices[part],
            )
            good = True
        finally:
            if not good:
                self.failed.fetch_add(1)
            self.team.done()
        return 0

    cdef int go_through(self, ChildTests tests) except -1 nogil:
        """Leads: which children there are, all turns, and what is found; how it ended."""
        cdef Candidate candidate
        cdef size_t i, s, words = tests.weights.words
        self.candidates.clear()
        self.twins.clear()
        tests.tables.shape_only(self.sequence, self.depth)
        for i in range(self.literals.size()):
            if tests.consider(self.sequence, self.depth, self.literals[0][i], &candidate):
                self.candidates.push_back(candidate)
        self.bits.assign(self.candidates.size() * words, 0)
        for i in range(self.candidates.size()):
            self.candidates[i].coverage.bits = self.bits.data() + i * words
        if not self.take_turn(COVER_POSITIVES):
            return HALTED
        for s in range(self.slices.size()):
            if self.slices[s].too_large:
                return TOO_LARGE
        self.add_coverage(words)
        if not self.take_turn(COVER_THE_REST):
            return HALTED
        self.add_coverage(words)
        for i in range(self.candidates.size()):
            self.candidates[i].limit = tests.limit_of(&self.candidates[i], self.limit)
        if not self.take_turn(SIGN):
            return HALTED
        self.add_signatures()
        if not self.take_turn(ADD_UP):
            return HALTED
        for i in range(self.candidates.size()):
            for s in range(self.slices.size()):
                self.candidates[i].hash.sum += self.slices[s].candidates[i].hash.sum
                self.candidates[i].hash.rows += self.slices[s].candidates[i].hash.rows
        if tests.find_twins(self.sequence, self.candidates, self.twins):
            if not self.take_turn(COMPARE):
                return HALTED
            for s in range(self.slices.size()):
                for i in range(self.twins.size()):
                    self.twins[i].differs = self.twins[i].differs or self.slices[s].differs[i]
        tests.note_all(self.candidates, self.twins, self.found)
        return TESTED

    cdef int add_coverage(self, size_t words) noexcept nogil:
        """Puts together what the slices have of what children cover, and empties it there."""
        cdef size_t i, s, w
        cdef Candidate* own
        cdef Candidate* part
        for s in range(self.slices.size()):
            for i in range(self.candidates.size()):
                own, part = &self.candidates[i], &self.slices[s].candidates[i]
                own.coverage.pos += part.coverage.pos
                own.coverage.neg += part.coverage.neg
                own.coverage.price += part.coverage.price
                part.coverage.pos = part.coverage.neg = part.coverage.price = 0
            for w in range(self.bits.size()):
                self.bits[w] |= self.slices[s].bits[w]
        return 0

    cdef int add_signatures(self) noexcept nogil:
        cdef size_t i, s
        cdef int v
        for i in range(self.candidates.size()):
            for s in range(self.slices.size()):
                for v in range(MAX_VARS):
                    self.candidates[i].hash.signature[v] += self.slices[s].candidates[i].hash.signature[v]
            self.leader.hasher.arrange(&self.candidates[i].child, &self.candidates[i].hash)
        return 0
