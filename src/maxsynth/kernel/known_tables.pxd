# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.room cimport Room


cdef struct Known:
    # A feature that has a node, by its table.
    uint64_t hash
    uint64_t rows                     # of the table
    uint64_t places                   # where the column of each own variable comes (`pack_places`)
    int32_t node


cdef class KnownTables:
    cdef Room room
    cdef vector[Known] tables
    cdef vector[int32_t] slots        # open addressing: number of a table + 1, 0 for free
    cdef uint64_t mask

    cdef const Known* candidate(self, uint64_t hash, uint64_t rows, uint64_t* at) noexcept
    cdef int add(self, uint64_t hash, uint64_t rows, uint64_t places, int node) except -1
    cdef int enter(self, int number) noexcept
