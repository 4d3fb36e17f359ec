"""Merging: features whose last literal ties two or more features together.

With directions, tables grow only by literals whose inputs are there, so a literal that reads from two features cannot
be reached from either of them alone. So for each size all sets of nodes are gone through that have as many literals
together, and every literal is tested that has a variable of each of them.

Which sets there are does not depend on what becomes of them: what is found has one literal more. So many sets are listed,
tried out by all threads, and judged in their order, as the nodes of a batch are (`children`).
"""


cdef enum:
    MERGED_ROOM = 1 << 25             # bytes that what is found about sets may take, about


cdef size_t MERGED_AT_ONCE = 1024     # sets that are listed for several threads, at most


cdef cppclass Merged:
    # Features that are tied together.
    size_t place                      # of the first of them
    vector[int32_t] sequence          # their literals
    vector[int32_t] literals          # that tie them
    int limit
    Tested found


@cython.final
cdef class Merger:
    """Merges nodes of the tree that `tests` adds to."""

    cdef Language language
    cdef Tree tree
    cdef ChildTests tests
    cdef readonly int64_t merged
    cdef int at_size                  # the nodes of this size come next, ...
    cdef size_t at                    # ... from this place on; ...
    cdef bint entered                 # ... whether it has begun with that
    cdef object threads
    cdef list crew                    # the tests of each thread; None: there is one
    cdef vector[uint64_t] heads       # the sets of head variables that literals have
    cdef vector[Merged] listed        # sets of nodes to test, ...
    cdef size_t count                 # ... so many of them
    cdef size_t place                 # of the first node of what is listed next
    cdef double room                  # bytes for what is found about them
    cdef counter next_set             # the one that no thread has begun with
    # The features that are being merged, their literals in one sequence with the variables of each moved up.
    cdef vector[int32_t] sequence
    cdef uint64_t variables[MAX_ARITY]    # own variables of each
    cdef uint64_t head_types[MAX_ARITY]
    cdef int bits[MAX_ARITY]              # the number of its coverage
    cdef vector[uint64_t] common

    def __init__(self, ChildTests tests):
        self.language = tests.language
        self.tree = tests.tree
        self.tests = tests
        self.at_size = 1

    cdef bint merge_all(self) except -1:
        """Features with one more literal than the nodes of the current size; False when it was stopped."""
        cdef size_t place, end
        self.entered = False
        self.count = 0
        self.tests.alone = True
        while self.at_size < self.tree.size:
            end = self.tree.mergers[self.at_size].size()
            place = self.at
            while place < end:
                self.sequence.clear()
                self.place = place
                self.merge(self.at_size, place, self.language.nhead, self.language.max_body + 1, 0)
                if self.is_over():
                    return False
                place += 1
            if not self.test_listed() or (end and not self.go_to(end - 1)):
                return False
            self.at_size += 1
            self.at = 0
            self.entered = False
        self.at_size = 1
        return True

    cdef bint is_over(self) noexcept:
        """Whether it was stopped: then what was merged last may not be tested."""
        return self.tests.stopped or self.tests.halt.load() != 0

    cdef bint go_to(self, size_t place) except -1:
        """Is at this place from now on, and rests on the way; False when it was stopped."""
        while not self.entered or self.at < place:
            if self.entered:
                self.at += 1
            self.entered = True
            if (self.at & 3) == 0 and self.tests.rests():
                self.entered = False
                return False
        return not self.is_over()

    cdef int merge(self, int size, size_t place, int nvars, int limit, int count) except -1:
        """Adds the node at a place among those of a size to `count` others; goes on with more, or tests what ties them.

        Nodes come in the order of their places, the larger first; a node may come twice.
        """
        cdef int number = self.tree.mergers[size][place], wanted = self.tree.size, total, next_size
        cdef size_t before = self.sequence.size(), next_place
        if self.is_over() or not self.fits(number, nvars, count):
            return 0
        self.append(number, nvars, count)
        nvars += self.tree.nodes[number].nvars - self.language.nhead
        limit = min(limit, self.tree.nodes[number].limit)
        count += 1
        total = <int>self.sequence.size()
        if count > 1 and total == wanted and limit >= total + 2 and self.may_pay(count):
            self.list_ties(nvars, limit, count)
        elif count < self.language.max_arity and total < wanted:
            for next_size in range(min(size, wanted - total), 0, -1):
                next_place = place if next_size == size else 0
                while next_place < self.tree.mergers[next_size].size():
                    self.merge(next_size, next_place, nvars, limit, count)
                    next_place += 1
        self.sequence.resize(before)
        return 0

    cdef bint fits(self, int number, int nvars, int count) noexcept:
        """Whether a node can be added: there are variables enough, and head variables have one type in all."""
        cdef Node* node = &self.tree.nodes[number]
        cdef int i
        if nvars + node.nvars - self.language.nhead > self.language.max_vars:
            return False
        for i in range(count):
            if not compatible(self.head_types[i], node.head_types, self.language.type_bits):
                return False
        return True

    cdef int append(self, int number, int nvars, int count) except -1:
        """Puts the literals of a node into the sequence, its own variables numbered on from `nvars`."""
        cdef Node* node = &self.tree.nodes[number]
        cdef int i, up = nvars - self.language.nhead
        for i in range(node.size):
            self.sequence.push_back(self.tree.lists.shifted[up][self.tree.sequences[node.sequence + i]])
        self.variables[count] = ((<uint64_t>1 << (up + node.nvars)) - 1) & ~((<uint64_t>1 << nvars) - 1)
        self.head_types[count] = node.head_types
        self.bits[count] = node.bits
        return 0

    cdef int list_ties(self, int nvars, int limit, int count) except -1:
        """Lists the literals that tie all the features together, and has them tested when that is enough."""
        cdef vector[int32_t]* order = &self.tree.lists.order[nvars]
        cdef Merged* one
        cdef size_t i
        cdef int k, tied
        if self.listed.size() == self.count:
            self.listed.resize(self.count + 1)
        one = &self.listed[self.count]
        one.literals.clear()
        for i in range(order.size()):
            tied = 0
            for k in range(count):
                tied += (self.language.literals[order[0][i]].variables & self.variables[k]) != 0
            if tied == count:
                one.literals.push_back(order[0][i])
        one.place = self.place
        one.sequence = self.sequence
        one.limit = limit
        self.count += 1
        self.room += <double>one.literals.size() * (sizeof(Candidate) + self.tests.weights.words * sizeof(uint64_t))
        if self.crew is None or self.count >= MERGED_AT_ONCE or self.room >= MERGED_ROOM:
            self.test_listed()
        return 0

    cdef bint test_listed(self) except -1:
        """Tests what is listed; False when it was stopped."""
        cdef size_t i, known_before = self.tests.known.tables.size()
        cdef bint together = self.crew is not None and self.count > 1
        cdef bint goes_on = True
        if together:
            self.make_ready()
            self.threads.run(self.work_off, self.tests.pass_on)
        for i in range(self.count):
            if not self.go_to(self.listed[i].place) or not self.judge(&self.listed[i], together, known_before):
                goes_on = False
                break
        self.count = 0
        self.room = 0
        return goes_on

    cdef int make_ready(self) except -1:
        """What threads only read must be there before they do."""
        cdef ChildTests tests
        cdef uint64_t mask
        cdef size_t i, k
        for tests in self.crew[1:]:
            tests.take_over(self.tests)
        for i in range(self.count):
            mask = 0
            for k in range(self.listed[i].sequence.size()):
                self.tests.tables.head_keys.make_all(mask, self.heads)
                mask |= self.language.literals[self.listed[i].sequence[k]].variables & self.language.head
            self.tests.tables.head_keys.make_all(mask, self.heads)
        self.next_set.store(0)
        return 0

    def work_off(self, int which):
        """Tries out sets, one after the other that no thread has begun with; for one of the threads."""
        cdef ChildTests tests = self.crew[which]
        if which == 0:
            tests.slices = None  # the others have sets of their own
        with nogil:
            self.try_sets(tests)

    cdef int try_sets(self, ChildTests tests) except -1 nogil:
        cdef Merged* one
        cdef size_t i = <size_t>self.next_set.fetch_add(1)
        while i < self.count:
            one = &self.listed[i]
            tests.clear(&one.found)
            if not tests.try_out(one.sequence.data(), <int>one.sequence.size(), one.limit, one.literals, &one.found):
                return 0
            i = <size_t>self.next_set.fetch_add(1)
        return 0

    cdef bint judge(self, Merged* one, bint tried, size_t known_before) except -1:
        """Makes nodes of the features that tie a set together; False when it was stopped."""
        cdef const int32_t* sequence = one.sequence.data()
        cdef int size = <int>one.sequence.size()
        cdef size_t i
        self.merged += one.literals.size()
        if one.literals.size():
            if not tried or not self.tests.compare_with_newer(sequence, size, &one.found, known_before):
                self.tests.clear(&one.found)
                if not self.tests.try_out(sequence, size, one.limit, one.literals, &one.found):
                    return False
            if self.tests.judge_all(sequence, one.literals, &one.found):
                for i in range(one.literals.size()):
                    if self.tree.outcomes[one.literals[i]].what == NODE:
                        self.tree.hand_all(one.literals[i])
        self.tests.is_halted()
        return not self.is_over()

    cdef bint may_pay(self, int count) noexcept:
        """Whether enough positives are covered by all the features for one that ties them together to be of use."""
        cdef int words = self.tests.weights.words, w, k
        cdef const uint64_t* bits = self.tests.pool.at(self.bits[0])
        self.common.assign(bits, bits + words)
        for k in range(1, count):
            bits = self.tests.pool.at(self.bits[k])
            for w in range(words):
                self.common[w] &= bits[w]
        return self.tests.weights.shared(
            self.common.data(), self.common.data(), self.tests.least(<int>self.sequence.size() + 1),
            self.tests.weight_of(<int>self.sequence.size() + 1),
        )
