# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""The tables met so far, by their hashes (`table_hash`): a feature with a table that is known need not be expanded."""

from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

cimport cython

from maxsynth.kernel.room cimport Room


@cython.final
cdef class KnownTables:
    """A set of hashes with the size of the first feature that had each."""

    def __init__(self, Room room):
        self.room = room
        self.clear(1 << 14)

    cdef int clear(self, uint64_t room) except -1:
        cdef Known free
        free.low = free.high = free.size = 0
        self.slots.assign(room, free)
        self.mask = room - 1
        return 0

    cdef int look_up(self, uint64_t low, uint64_t high, int size) except -2:
        """The size of the known feature with this hash; -1 when there is none, and then this one is known."""
        cdef uint64_t at = low & self.mask
        while self.slots[at].low:
            if self.slots[at].low == low and self.slots[at].high == high:
                return self.slots[at].size
            at = (at + 1) & self.mask
        self.slots[at].low = low
        self.slots[at].high = high
        self.slots[at].size = size
        self.count += 1
        if self.count * 2 > self.mask:
            self.grow()
        return -1

    cdef int grow(self) except -1:
        """Makes room for more, and gives each hash its new slot."""
        cdef vector[Known] old
        cdef uint64_t at
        cdef size_t i
        self.room.ask((self.mask + 1) * 2 * sizeof(Known))
        old.swap(self.slots)
        self.clear((self.mask + 1) * 2)
        for i in range(old.size()):
            if old[i].low:
                at = old[i].low & self.mask
                while self.slots[at].low:
                    at = (at + 1) & self.mask
                self.slots[at] = old[i]
        return 0
