"""Merging: features whose last literal ties two or more features together.

With directions, tables grow only by literals whose inputs are there, so a literal that reads from two features cannot
be reached from either of them alone. So for each size all sets of nodes are gone through that have as many literals
together, and every literal is tested that has a variable of each of them.
"""


cdef enum:
    STEP_BITS = 14                    # of the number of rows that are gone through in a step


@cython.final
cdef class Merger:
    """Merges nodes of the tree that `tests` adds to."""

    cdef Language language
    cdef Tree tree
    cdef ChildTests tests
    cdef readonly int64_t merged
    cdef int at_size                  # the nodes of this size come next, ...
    cdef size_t at                    # ... from this place on
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
        while self.at_size < self.tree.size:
            while self.at < self.tree.mergers[self.at_size].size():
                if (self.at & 3) == 0 and self.tests.rests():
                    return False
                self.sequence.clear()
                self.merge(self.at_size, self.at, self.language.nhead, self.language.max_body + 1, 0)
                if self.tests.stopped or self.tests.halt.load():  # what was merged last may not be tested
                    return False
                self.at += 1
            self.at_size += 1
            self.at = 0
        self.at_size = 1
        return True

    cdef int merge(self, int size, size_t place, int nvars, int limit, int count) except -1:
        """Adds the node at a place among those of a size to `count` others; goes on with more, or tests what ties them.

        Nodes come in the order of their places, the larger first; a node may come twice.
        """
        cdef int number = self.tree.mergers[size][place], wanted = self.tree.size, total, next_size
        cdef size_t before = self.sequence.size(), next_place
        if self.tests.stopped or self.tests.halt.load() or not self.fits(number, nvars, count):
            return 0
        self.append(number, nvars, count)
        nvars += self.tree.nodes[number].nvars - self.language.nhead
        limit = min(limit, self.tree.nodes[number].limit)
        count += 1
        total = <int>self.sequence.size()
        if count > 1 and total == wanted and limit >= total + 2 and self.may_pay(count):
            self.test_ties(nvars, limit, count)
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

    cdef int test_ties(self, int nvars, int limit, int count) except -1:
        """Tests the literals that tie all the features together."""
        cdef vector[int32_t]* order = &self.tree.lists.order[nvars]
        cdef vector[int32_t] literals
        cdef size_t i
        cdef int k, tied
        cdef int64_t before = self.tests.work
        for i in range(order.size()):
            tied = 0
            for k in range(count):
                tied += (self.language.literals[order[0][i]].variables & self.variables[k]) != 0
            if tied == count:
                literals.push_back(order[0][i])
        self.merged += literals.size()
        if literals.size() and self.tests.test(self.sequence.data(), <int>self.sequence.size(), limit, literals):
            for i in range(literals.size()):
                if self.tree.outcomes[literals[i]].what == NODE:
                    self.tree.hand_all(literals[i])
        # There may be very many pairs with one node, and each table has a row for each two of theirs.
        self.tests.takes((self.tests.work >> STEP_BITS) - (before >> STEP_BITS))
        self.tests.is_halted()
        return 0

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
