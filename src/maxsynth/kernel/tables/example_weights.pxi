"""What the examples weigh, as positives and as negatives. A set of examples is a bit for each, in machine words."""


@cython.final
cdef class ExampleWeights:
    """The weights of the examples, by arrays with the weight of each as a positive and as a negative."""

    def __init__(self, pos, neg):
        cdef int i
        self.count = len(pos)
        self.words = (self.count + 63) // 64
        self.pos = pos.tolist()
        self.neg = neg.tolist()
        self.all_pos = sum(self.pos)
        self.all_neg = sum(self.neg)
        self.scale = max(0, int(max(self.all_pos, self.all_neg)).bit_length() - 31)
        self.unit = all([weight <= 1 for weight in self.pos])
        self.positive.assign(max(1, self.words), 0)
        for i in range(self.count):
            if self.pos[i]:
                self.positive[i >> 6] |= <uint64_t>1 << (i & 63)

    cdef int64_t promise(self, int64_t pos, int64_t neg) noexcept:
        """How well a set that covers such weights tells positives from negatives: nothing, if no better than chance.

        Each factor is below 2^31, and so the difference of two products is below 2^62.
        """
        return (
            (pos >> self.scale) * (self.all_neg >> self.scale) - (neg >> self.scale) * (self.all_pos >> self.scale)
        )

    cdef int64_t promise_of(self, const uint64_t* bits) noexcept:
        cdef int64_t pos = 0, neg = 0
        cdef int w, i
        cdef uint64_t word
        for w in range(self.words):
            word = bits[w]
            while word:
                i = w * 64 + lowest(word)
                pos += self.pos[i]
                neg += self.neg[i]
                word &= word - 1
        return self.promise(pos, neg)

    cdef bint shared(self, const uint64_t* a, const uint64_t* b, int64_t above) noexcept:
        """Whether positives of more than this weight are in both sets."""
        cdef int64_t pos = 0
        cdef int w
        cdef uint64_t word
        for w in range(self.words):
            word = a[w] & b[w] & self.positive[w]
            if self.unit:
                pos += count_bits(word)
            else:
                while word:
                    pos += self.pos[w * 64 + lowest(word)]
                    word &= word - 1
            if pos > above:
                return True
        return False


cdef int keep_best(vector[int32_t]& level, const vector[int64_t]& promises, int count) except -1:
    """Leaves the numbers with the highest promise, in their order; of equal ones the first. For a beam."""
    cdef size_t i
    if level.size() <= <size_t>count:
        return 0
    order = [-promises[i] for i in range(promises.size())]
    best = sorted(range(level.size()), key=order.__getitem__)[:count]
    for i, place in enumerate(sorted(best)):
        level[i] = level[<size_t>place]
    level.resize(count)
    return 0
