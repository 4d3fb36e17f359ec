"""Names as numbers, without a Python object for each: a task may have a million of them."""


cdef inline uint64_t hash_bytes(const char* name, size_t size) noexcept nogil:
    cdef uint64_t h = size, word
    while size >= 8:
        memcpy(&word, name, 8)
        h = mix(h ^ word)
        name += 8
        size -= 8
    word = 0
    memcpy(&word, name, size)
    return mix(h ^ word)


@cython.final
cdef class NameTable:
    """Numbers from 0 on, in the order of first sight, for strings of bytes."""

    cdef vector[char] pool              # the bytes of all names, one after the other
    cdef vector[uint64_t] start         # number -> where its bytes start, and where the last ones end
    cdef Slots slots

    def __cinit__(self):
        self.start.push_back(0)

    cdef int count(self) noexcept nogil:
        return <int>self.start.size() - 1

    cdef int number(self, const char* name, size_t size, bint add=True) except -2 nogil:
        """The number of a name. A new one gets the next, or, without `add`, -1."""
        cdef uint64_t h = hash_bytes(name, size), begin
        cdef Candidates candidates = self.slots.candidates(h)
        cdef int known = candidates.next()
        while known >= 0:
            begin = self.start[known]
            if self.start[known + 1] - begin == size and memcmp(self.pool.data() + begin, name, size) == 0:
                return known
            known = candidates.next()
        if not add:
            return -1
        known = self.count()
        self.slots.add(h, known)
        self.pool.insert(self.pool.end(), name, name + size)
        self.start.push_back(self.pool.size())
        return known

    cdef bytes name(self, int number):
        cdef uint64_t begin = self.start[number]
        return (self.pool.data() + begin)[:self.start[number + 1] - begin]
