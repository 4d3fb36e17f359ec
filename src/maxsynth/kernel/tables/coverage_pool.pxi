"""The coverages of features, each kept once: many features cover the same examples."""


@cython.final
cdef class CoveragePool:
    """Sets of examples of so many machine words, numbered in the order they are first seen."""

    cdef Room room
    cdef int words                    # of a coverage
    cdef int count                    # of coverages
    cdef vector[uint64_t] bits        # coverage -> a bit for each example
    cdef vector[int32_t] slots        # open addressing: number of a coverage + 1, 0 for free
    cdef uint64_t mask

    def __init__(self, int words, Room room):
        self.room = room
        self.words = words
        self.slots.assign(1 << 12, 0)
        self.mask = (1 << 12) - 1

    cdef const uint64_t* at(self, int number) noexcept:
        """The coverage with this number, until the next one is stored."""
        return self.bits.data() + <size_t>number * self.words

    cdef int store(self, const uint64_t* bits) except -1:
        """The number of a coverage, new or known."""
        cdef uint64_t at = self.hash(bits) & self.mask
        cdef int number
        while self.slots[at]:
            number = self.slots[at] - 1
            if memcmp(self.at(number), bits, self.words * sizeof(uint64_t)) == 0:
                return number
            at = (at + 1) & self.mask
        take(self.room, self.words * sizeof(uint64_t))
        before_growing(self.room, self.bits.size(), self.bits.capacity(), self.words, sizeof(uint64_t))
        number = self.count
        self.count += 1
        self.slots[at] = number + 1
        self.bits.insert(self.bits.end(), bits, bits + self.words)
        if <uint64_t>self.count * 2 > self.mask:
            self.grow()
        return number

    cdef int grow(self) except -1:
        """Makes room for more, and gives each coverage its new slot."""
        cdef int number
        cdef uint64_t at
        self.room.ask((self.mask + 1) * 4 * sizeof(int32_t))
        self.mask = (self.mask + 1) * 4 - 1
        self.slots.assign(self.mask + 1, 0)
        for number in range(self.count):
            at = self.hash(self.at(number)) & self.mask
            while self.slots[at]:
                at = (at + 1) & self.mask
            self.slots[at] = number + 1
        return 0

    cdef uint64_t hash(self, const uint64_t* bits) noexcept:
        cdef uint64_t h = 0
        cdef int w
        for w in range(self.words):
            h = mix(h + bits[w])
        return h
