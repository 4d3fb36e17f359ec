# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector


cdef class Ties:
    # Not a memoryview: the code for those would be compiled into every module that knows this class.
    cdef vector[int32_t] cells             # example x head variable -> term
    cdef int nhead
    cdef readonly int longest, radius
    cdef vector[int32_t] graph_from        # term -> its neighbours, from here to the next term's, in `graph`
    cdef vector[int32_t] graph
    cdef int nterms
    cdef unordered_map[int32_t, int32_t] ball_of   # term at the far end -> number of its ball
    cdef vector[vector[int32_t]] rims      # ball -> the terms at its outermost distance
    cdef vector[uint64_t] slots            # (ball, term) + 1, open addressing ...
    cdef vector[uint8_t] distances         # ... and how far the term is
    cdef uint64_t mask
    cdef int64_t entries, effort, most_entries, most_effort, most_walk
    cdef vector[vector[uint8_t]] near      # head variable -> example -> see `is_near`
    cdef bint known                        # whether there is a graph at all

    cdef bint is_near(self, int start, int example) noexcept
    cdef bint reaches(self, int start, int example, int32_t term, int steps) noexcept
    cdef int32_t term_of(self, int example, int variable) noexcept
    cdef int link(self, list relations) except -1
    cdef int grow_balls(self, int wanted) except -1
    cdef int find_near(self) except -1
    cdef bint meets(self, int start, int example, const vector[int32_t]& terms, int steps) noexcept
    cdef int enter(self, uint64_t name, int distance) except -1
    cdef int distance(self, int32_t ball, int32_t term) noexcept
