"""The coverages of features, each kept once: many features cover the same examples."""


@cython.final
cdef class CoveragePool:
    """Sets of examples of so many machine words, numbered in the order they are first seen."""

    cdef Room room
    cdef int words                    # of a coverage
    cdef int count                    # of coverages
    cdef vector[uint64_t] bits        # coverage -> a bit for each example
    cdef Slots slots                  # coverages -> numbers

    def __init__(self, int words, Room room):
        self.room = room
        self.words = words

    cdef const uint64_t* at(self, int number) noexcept nogil:
        """The coverage with this number, until the next one is stored."""
        return self.bits.data() + <size_t>number * self.words

    cdef int store(self, const uint64_t* bits) except -1:
        """The number of a coverage, new or known."""
        cdef uint64_t hash = self.hash(bits)
        cdef Candidates candidates = self.slots.candidates(hash)
        cdef int number = candidates.next()
        while number >= 0:
            if memcmp(self.at(number), bits, self.words * sizeof(uint64_t)) == 0:
                return number
            number = candidates.next()
        take(self.room, self.words * sizeof(uint64_t))
        before_growing(self.room, self.bits.size(), self.bits.capacity(), self.words, sizeof(uint64_t))
        if self.slots.growth():
            self.room.ask(self.slots.growth())
        number = self.count
        self.count += 1
        self.slots.add(hash, number)
        self.bits.insert(self.bits.end(), bits, bits + self.words)
        return number

    cdef int hold(self, size_t more) except -1:
        """Makes room for so many more: what others read then stays where it is."""
        cdef size_t wanted = self.bits.size() + more * self.words
        if wanted > self.bits.capacity():
            before_growing(self.room, self.bits.size(), self.bits.capacity(), more * self.words, sizeof(uint64_t))
            self.bits.reserve(max(2 * self.bits.capacity(), wanted))
        return 0

    cdef uint64_t hash(self, const uint64_t* bits) noexcept:
        cdef uint64_t h = 0
        cdef int w
        for w in range(self.words):
            h = mix(h + bits[w])
        return h
