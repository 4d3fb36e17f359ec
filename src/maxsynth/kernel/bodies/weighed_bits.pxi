"""What sets of examples weigh, for many sets at once: whole numbers, in one thread.

Sets are rows of bits. The weights are taken apart into *planes*: plane k has the examples whose weight has bit k, so that
a set weighs the sum over the planes of 2**k times the bits that it shares with plane k. Mostly there is one plane, since
all examples weigh alike. A matrix product of floats would do as well, but not alike on every machine: how NumPy adds up
depends on the number of its threads, which belongs to whoever imports this.
"""


cdef inline int64_t count(uint64_t word) noexcept nogil:
    """The bits that are set; not by an instruction, which not every machine has, nor by a call in its place."""
    word -= (word >> 1) & <uint64_t>0x5555555555555555ULL
    word = (word & <uint64_t>0x3333333333333333ULL) + ((word >> 2) & <uint64_t>0x3333333333333333ULL)
    word = (word + (word >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0FULL
    return <int64_t>((word * <uint64_t>0x0101010101010101ULL) >> 56)


@cython.final
cdef class WeighedBits:
    """Weights of examples, whose sum is below 2**63. Rows of bits are as `search.coverage` packs them."""

    cdef vector[uint64_t] planes
    cdef vector[int64_t] values      # of a bit in each plane
    cdef int words

    def __init__(self, weights):
        cdef uint64_t word
        cdef int bit
        self.words = (len(weights) + 63) // 64
        unit = int(np.gcd.reduce(weights)) or 1
        for bit in range(63):
            chosen = (weights // unit >> bit) & 1
            if chosen.any():
                self.values.push_back(unit << bit)
                words = np.zeros(self.words * 8, np.uint8)
                packed = np.packbits(chosen.astype(np.uint8), bitorder="little")
                words[:len(packed)] = packed
                for word in words.view("<u8"):
                    self.planes.push_back(word)

    def of(self, const uint64_t[:, ::1] rows):
        """The weight of each row."""
        found = np.zeros(rows.shape[0], np.int64)
        cdef int64_t[::1] view = found
        cdef Py_ssize_t i
        cdef size_t plane
        cdef int64_t bits
        cdef int w
        for i in range(rows.shape[0]):
            for plane in range(self.values.size()):
                bits = 0
                for w in range(self.words):
                    bits += count(rows[i, w] & self.planes[plane * self.words + w])
                view[i] += bits * self.values[plane]
        return found

    def of_both(self, const uint64_t[:, ::1] rows, const uint64_t[:, ::1] others):
        """The weight of what each row shares with each of the others."""
        found = np.zeros((rows.shape[0], others.shape[0]), np.int64)
        cdef int64_t[:, ::1] view = found
        cdef Py_ssize_t i, j
        cdef size_t plane
        cdef int64_t bits
        cdef const uint64_t* other
        cdef vector[uint64_t] part
        cdef int w
        part.resize(self.words)
        for plane in range(self.values.size()):
            for i in range(rows.shape[0]):
                for w in range(self.words):
                    part[w] = rows[i, w] & self.planes[plane * self.words + w]
                for j in range(others.shape[0]):
                    other = &others[j, 0]
                    bits = 0
                    for w in range(self.words):
                        bits += count(part[w] & other[w])
                    view[i, j] += bits * self.values[plane]
        return found
