# cython: language_level=3
from libcpp.vector cimport vector
from libc.stdint cimport int32_t, uint32_t, uint64_t


cdef struct Slot:
    uint32_t tag       # of the hash, so that most slots of other names are passed over without looking at the name
    int32_t name       # 1 + its number, 0 for a free slot


cdef class NameTable:
    cdef vector[char] pool              # the bytes of all names, one after the other
    cdef vector[uint64_t] start         # number -> where its bytes start, and where the last ones end
    cdef vector[Slot] slots
    cdef uint64_t mask

    cdef int count(self) noexcept
    cdef int number(self, const char* name, size_t size, bint add=*) except -2
    cdef bytes name(self, int number)
    cdef int grow(self) except -1
