"""Names as numbers, and texts of data, without a Python object for each: there may be millions of them."""


cdef inline uint64_t hash_bytes(const char* name, size_t size) noexcept nogil:
    cdef uint64_t h = size, word
    while size >= 8:
        memcpy(&word, name, 8)
        h = mix(h ^ word)
        name += 8
        size -= 8
    word = 0
    if size:  # a name without bytes may be nowhere
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
        return self.number_of(hash_bytes(name, size), name, size, add)

    cdef int number_of(self, uint64_t h, const char* name, size_t size, bint add) except -2 nogil:
        """The same, by its hash."""
        cdef uint64_t begin
        cdef Candidates candidates = self.slots.candidates(h)
        cdef int known = candidates.next()
        while known >= 0:
            begin = self.start[known]
            if self.start[known + 1] - begin == size and (
                size == 0 or memcmp(self.pool.data() + begin, name, size) == 0
            ):
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


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define MAXSYNTH_SOON(address) __builtin_prefetch(address)
    #else
    #define MAXSYNTH_SOON(address) ((void)0)
    #endif
    """
    void needed_soon "MAXSYNTH_SOON"(const void* address) noexcept nogil


cdef enum:
    TOGETHER = 32  # texts or names that are looked for at the same time


@cython.final
cdef class TextTable:
    """Numbers from 0 on, in the order of first sight, for the texts of arrays.

    Where there are millions of them, the time to find one is that to wait for memory, three times: for its slot, for
    where it lies, and for its bytes. So many are looked for at once, and wait together.
    """

    cdef vector[char] pool              # the bytes of all texts, one after the other
    cdef vector[int64_t] end            # where each begins, and where the last one ends
    cdef vector[uint64_t] slots         # the high half of a hash, and a number plus one; 0 where it is free
    cdef uint64_t mask

    def __cinit__(self):
        self.end.push_back(0)
        self.slots.assign(64, 0)
        self.mask = 63

    def __len__(self):
        return <Py_ssize_t>self.end.size() - 1

    def add(self, const unsigned char[::1] text, const int64_t[::1] ends):
        """The numbers of texts that are there as UTF-8, one after the other: `i` from `ends[i]` to `ends[i + 1]`."""
        cdef Py_ssize_t n = ends.shape[0] - 1, i, k, many
        cdef const char* names = <const char*>&text[0] if text.shape[0] else NULL
        cdef uint64_t[TOGETHER] hashes
        cdef uint64_t slot
        if n < 0 or ends[0] < 0 or ends[n] > text.shape[0]:
            raise IndexError("these are not the places of texts")
        if self.end.size() + n > 0x7FFFFFFF:
            raise MaxSynthError("more than 2^31 different texts", remedy="make the data smaller")
        numbers = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] view = numbers
        with nogil:
            self.make_room(n)
            i = 0
            while i < n:
                many = min(<Py_ssize_t>TOGETHER, n - i)
                for k in range(many):
                    hashes[k] = hash_bytes(names + ends[i + k], ends[i + k + 1] - ends[i + k])
                    needed_soon(&self.slots[hashes[k] & self.mask])
                for k in range(many):
                    slot = self.slots[hashes[k] & self.mask]
                    if slot:
                        needed_soon(&self.end[<int32_t>slot - 1])
                for k in range(many):
                    slot = self.slots[hashes[k] & self.mask]
                    if slot:
                        needed_soon(self.pool.data() + self.end[<int32_t>slot - 1])
                for k in range(many):
                    view[i + k] = self.number(hashes[k], names + ends[i + k], ends[i + k + 1] - ends[i + k])
                i += many
        return numbers

    cdef int make_room(self, size_t more) except -1 nogil:
        """Has at least half of the slots free after so many more."""
        cdef size_t size = self.slots.size(), i
        cdef uint64_t at
        while size < 2 * (self.end.size() + more):
            size *= 2
        if size == self.slots.size():
            return 0
        self.slots.assign(size, 0)
        self.mask = size - 1
        for i in range(self.end.size() - 1):
            at = hash_bytes(self.pool.data() + self.end[i], self.end[i + 1] - self.end[i])
            self.put(at, <int32_t>i)
        return 0

    cdef void put(self, uint64_t hashed, int32_t number) noexcept nogil:
        cdef uint64_t at = hashed & self.mask
        while self.slots[at]:
            at = (at + 1) & self.mask
        self.slots[at] = (hashed >> 32 << 32) | (<uint64_t>number + 1)

    cdef int32_t number(self, uint64_t hashed, const char* text, int64_t size) except -1 nogil:
        cdef uint64_t at = hashed & self.mask, slot
        cdef int32_t known
        while True:
            slot = self.slots[at]
            if not slot:
                break
            if slot >> 32 == hashed >> 32:
                known = <int32_t>slot - 1
                if self.end[known + 1] - self.end[known] == size and (
                    size == 0 or memcmp(self.pool.data() + self.end[known], text, size) == 0
                ):
                    return known
            at = (at + 1) & self.mask
        known = <int32_t>(self.end.size() - 1)
        self.slots[at] = (hashed >> 32 << 32) | (<uint64_t>known + 1)
        self.pool.insert(self.pool.end(), text, text + size)
        self.end.push_back(self.pool.size())
        return known

    def texts(self):
        """All texts as UTF-8, one after the other, and where each begins and the last one ends."""
        cdef Py_ssize_t size = self.pool.size(), n = self.end.size()
        text = np.array(<unsigned char[:size]><unsigned char*>self.pool.data()) if size else np.zeros(0, np.uint8)
        return text, np.array(<int64_t[:n]>self.end.data())
