# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.room cimport Room


cdef struct Known:
    uint64_t low                      # the hash of a table; a `low` of 0 is a free slot
    uint64_t high
    int32_t size                      # of the feature that had it first


cdef class KnownTables:
    cdef Room room
    cdef vector[Known] slots          # open addressing
    cdef uint64_t mask
    cdef uint64_t count

    cdef int look_up(self, uint64_t low, uint64_t high, int size) except -2
    cdef int clear(self, uint64_t room) except -1
    cdef int grow(self) except -1
