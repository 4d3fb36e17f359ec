# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.children cimport ChildTests
from maxsynth.kernel.language cimport MAX_ARITY, Language
from maxsynth.kernel.tree cimport Tree


cdef class Merger:
    cdef Language language
    cdef Tree tree
    cdef ChildTests tests
    cdef readonly int64_t merged
    # The features that are being merged, their literals in one sequence with the variables of each moved up.
    cdef vector[int32_t] sequence
    cdef uint64_t variables[MAX_ARITY]    # own variables of each
    cdef uint64_t head_types[MAX_ARITY]
    cdef int bits[MAX_ARITY]              # the number of its coverage
    cdef vector[uint64_t] common

    cdef bint merge_all(self) except -1
    cdef int merge(self, int size, size_t place, int nvars, int limit, int count) except -1
    cdef int append(self, int number, int nvars, int count) except -1
    cdef bint fits(self, int number, int nvars, int count) noexcept
    cdef int test_ties(self, int nvars, int limit, int count) except -1
    cdef bint may_pay(self, int count) noexcept
