# cython: language_level=3
"""Declarations of `shares`, for the branch and bound that works with it."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from maxsynth.kernel.room cimport Room

cdef enum:
    MOST_SHIFT = 20  # see `shift`

cdef class Shares:
    cdef Room room
    cdef int nrules, npos, nneg
    cdef int shift  # amounts are in fixed point: whole numbers of 2**-shift
    cdef int64_t cost
    cdef vector[int32_t] rule
    cdef vector[int64_t] size, new_pos, new_neg
    cdef vector[int32_t] pos_from, pos, neg_from, neg
    cdef vector[int64_t] pos_weight, neg_weight
    cdef vector[int64_t] of_size, of_neg
    cdef vector[int64_t] size_sum, neg_sum
    cdef vector[int32_t] neg_count
    cdef vector[int64_t] price, value
    cdef vector[int64_t] votes
    cdef int64_t total, last, pace
    cdef vector[int32_t] tight_from, tight_rule, tight_place, tight_part

    cdef int weigh(self) except -1
    cdef int start(self) except -1
    cdef Shares without(self, vector[uint8_t]& dropped)
    cdef Shares choosing(self, int which, vector[uint8_t] dropped)
    cdef Shares reduced(self, vector[uint8_t]& dropped, vector[uint8_t]& paid_pos, vector[uint8_t]& paid_neg, int64_t cost)
    cdef int64_t evaluate(self) except -1
    cdef void check(self) noexcept
    cdef int improve(self, int64_t gap) except -1
    cdef int list_tight(self, int64_t width) except -1
    cdef int fill(self) except -1
    cdef void limit_sizes(self, int i) noexcept
    cdef int limit_negatives(self) except -1
    cdef int64_t surplus(self, int i) noexcept
    cdef int probe(self, int64_t gap, vector[uint8_t]& dropped, object should_stop) except -1
    cdef int match(self, vector[uint8_t]& dropped, object should_stop) except -1
    cdef int64_t round_off(self, vector[int32_t]& chosen, int64_t most_rules, int64_t room) except? -1
    cdef int64_t saved_at_most(self, int64_t most_rules, int64_t room) except? -1
