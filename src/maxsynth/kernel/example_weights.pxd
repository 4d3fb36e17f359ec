# cython: language_level=3
from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector


cdef class ExampleWeights:
    cdef readonly int count, words    # examples, and machine words for a bit of each
    cdef vector[int64_t] pos          # example -> its weight as a positive, 0 for a negative
    cdef vector[int64_t] neg
    cdef vector[uint64_t] positive    # a bit for each positive
    cdef bint unit                    # all positives weigh one

    cdef bint shared(self, const uint64_t* a, const uint64_t* b, int64_t above) noexcept
