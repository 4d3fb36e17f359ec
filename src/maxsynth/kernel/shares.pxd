# cython: language_level=3
"""Declarations of `shares`, for the branch and bound that works with it."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

cdef enum:
    MOST_SHIFT = 20  # see `shift`

cdef class Shares:
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

    cdef void weigh(self) noexcept
    cdef void start(self) noexcept
    cdef Shares without(self, vector[uint8_t]& dropped)
    cdef Shares choosing(self, int which, vector[uint8_t] dropped)
    cdef Shares reduced(self, vector[uint8_t]& dropped, vector[uint8_t]& paid_pos, vector[uint8_t]& paid_neg, int64_t cost)
    cdef int64_t evaluate(self) noexcept
    cdef void improve(self, int64_t gap) noexcept
    cdef void list_tight(self, int64_t width) noexcept
    cdef void fill(self) noexcept
    cdef void limit_sizes(self, int i) noexcept
    cdef void limit_negatives(self) noexcept
    cdef int64_t surplus(self, int i) noexcept
    cdef int probe(self, int64_t gap, vector[uint8_t]& dropped, object should_stop) except -1
    cdef int match(self, vector[uint8_t]& dropped, object should_stop) except -1
    cdef int64_t round_off(self, vector[int32_t]& chosen, int64_t most_rules, int64_t room) except? -1
    cdef int64_t saved_at_most(self, int64_t most_rules, int64_t room) except? -1
