"""Partners: the literals with head variables that a rule must have besides a feature that does not mention these.

Where every head variable must occur, a rule with a feature that lacks some has a literal for each of them, with no more
variables than are left. If for one of them no literal leaves more positives than the rule has literals, no rule with
the feature pays, nor with an extension of it, which covers less, is larger and leaves fewer variables.
"""


cdef cppclass Partner:
    uint64_t head                     # head variables that it mentions
    int own                           # other variables
    int64_t pos                       # weight of the positives that have it
    vector[uint64_t] bits             # the examples that have it


@cython.final
cdef class Partners:
    """The literals that can begin a feature, as they are added, with what each covers by itself."""

    cdef Language language
    cdef ExampleWeights weights
    cdef vector[Partner] partners     # those with most positives first

    def __init__(self, Language language, ExampleWeights weights):
        self.language = language
        self.weights = weights

    cdef int add(self, const Shape* shape, const Coverage* coverage) except -1:
        """Adds the literal that has this shape."""
        cdef Partner partner
        cdef size_t i = self.partners.size()
        partner.head = shape.head_seen
        partner.own = shape.nvars - self.language.nhead
        partner.pos = coverage.pos
        partner.bits.assign(<uint64_t*>coverage.bits, <uint64_t*>coverage.bits + self.weights.words)  # for Cython 3.1
        # Those with most positives first: they are the most likely to be found good enough.
        self.partners.push_back(partner)
        while i > 0 and self.partners[i - 1].pos < partner.pos:
            self.partners[i] = self.partners[i - 1]
            i -= 1
        self.partners[i] = partner
        for i in range(1, self.partners.size()):
            kernel_assert(self.partners[i - 1].pos >= self.partners[i].pos)
        return 0

    cdef bint suffice(self, const uint64_t* bits, const Shape* shape, int64_t above, int64_t size) noexcept nogil:
        """Whether for each head variable that is missing a literal can come that leaves positives of more weight."""
        cdef int v, own_left = self.language.max_vars - shape.nvars
        cdef size_t i
        for v in range(self.language.nhead):
            if (shape.head_seen >> v) & 1:
                continue
            for i in range(self.partners.size()):
                if self.partners[i].pos <= above:
                    return False  # nor does any of those after it
                if (
                    (self.partners[i].head >> v) & 1 and self.partners[i].own <= own_left
                    and self.weights.shared(bits, self.partners[i].bits.data(), above, size)
                ):
                    break
            else:
                return False
        return True

    cdef int find_complete(self, int variable, vector[uint64_t]& examples) except -1:
        """The examples in which each head variable but this one has a literal with head variables only."""
        cdef int missing, w
        cdef size_t i
        cdef vector[uint64_t] some
        examples.assign(max(1, self.weights.words), ~<uint64_t>0)
        for missing in range(self.language.nhead):
            if missing == variable:
                continue
            some.assign(max(1, self.weights.words), 0)
            for i in range(self.partners.size()):
                if self.partners[i].own == 0 and (self.partners[i].head >> missing) & 1:
                    for w in range(self.weights.words):
                        some[w] |= self.partners[i].bits[w]
            for w in range(self.weights.words):
                examples[w] &= some[w]
        return 0
