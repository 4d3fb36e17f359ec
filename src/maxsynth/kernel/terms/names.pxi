"""Names as numbers, without a Python object for each: a task may have a million of them."""


cdef struct Slot:
    uint32_t tag       # of the hash, so that most slots of other names are passed over without looking at the name
    int32_t name       # 1 + its number, 0 for a free slot


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
    cdef vector[Slot] slots
    cdef uint64_t mask

    def __cinit__(self):
        self.start.push_back(0)
        self.slots.resize(1024)
        self.mask = 1023

    cdef int count(self) noexcept:
        return <int>self.start.size() - 1

    cdef int number(self, const char* name, size_t size, bint add=True) except -2:
        """The number of a name. A new one gets the next, or, without `add`, -1."""
        cdef uint64_t h = hash_bytes(name, size), at = h & self.mask, begin
        cdef uint32_t tag = <uint32_t>(h >> 32)
        cdef int known
        while self.slots[at].name:
            if self.slots[at].tag == tag:
                known = self.slots[at].name - 1
                begin = self.start[known]
                if self.start[known + 1] - begin == size and memcmp(self.pool.data() + begin, name, size) == 0:
                    return known
            at = (at + 1) & self.mask
        if not add:
            return -1
        known = self.count()
        self.slots[at].tag = tag
        self.slots[at].name = known + 1
        self.pool.insert(self.pool.end(), name, name + size)
        self.start.push_back(self.pool.size())
        if <uint64_t>self.count() * 2 > self.mask:
            self.grow()
        return known

    cdef bytes name(self, int number):
        cdef uint64_t begin = self.start[number]
        return (self.pool.data() + begin)[:self.start[number + 1] - begin]

    cdef int grow(self) except -1:
        cdef vector[Slot] old
        cdef Slot slot
        cdef uint64_t at, h
        cdef int known
        self.mask = self.mask * 2 + 1
        old.resize(self.mask + 1)
        self.slots.swap(old)
        for slot in old:
            if slot.name == 0:
                continue
            known = slot.name - 1
            h = hash_bytes(self.pool.data() + self.start[known], self.start[known + 1] - self.start[known])
            at = h & self.mask
            while self.slots[at].name:
                at = (at + 1) & self.mask
            self.slots[at] = slot
        return 0
