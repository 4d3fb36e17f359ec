# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""What the examples weigh, as positives and as negatives. A set of examples is a bit for each, in machine words."""

from libc.stdint cimport int64_t, uint64_t

cimport cython

from maxsynth.kernel.bits cimport count_bits, lowest


@cython.final
cdef class ExampleWeights:
    """The weights of the examples, by arrays with the weight of each as a positive and as a negative."""

    def __init__(self, pos, neg):
        cdef int i
        self.count = len(pos)
        self.words = (self.count + 63) // 64
        self.pos = pos.tolist()
        self.neg = neg.tolist()
        self.unit = all([weight <= 1 for weight in self.pos])
        self.positive.assign(max(1, self.words), 0)
        for i in range(self.count):
            if self.pos[i]:
                self.positive[i >> 6] |= <uint64_t>1 << (i & 63)

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
