# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.room cimport Room


cdef class CoveragePool:
    cdef Room room
    cdef int words                    # of a coverage
    cdef int count                    # of coverages
    cdef vector[uint64_t] bits        # coverage -> a bit for each example
    cdef vector[int32_t] slots        # open addressing: number of a coverage + 1, 0 for free
    cdef uint64_t mask

    cdef int store(self, const uint64_t* bits) except -1
    cdef int grow(self) except -1
    cdef uint64_t hash(self, const uint64_t* bits) noexcept
    cdef const uint64_t* at(self, int number) noexcept
