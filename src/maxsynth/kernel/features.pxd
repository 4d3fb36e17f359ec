# cython: language_level=3
"""What other extensions use of `features`: literals, and the weights of examples."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

cdef enum:
    MAX_VARS = 16
    MAX_ARITY = 16


cdef struct Literal:
    int predicate
    int arity
    int32_t args[MAX_ARITY]
    int types[MAX_ARITY]              # of its arguments, -1 where the bias gives none
    uint64_t inputs                   # variables in `in` positions
    uint64_t outputs                  # variables in other positions
    uint64_t variables
    uint64_t counts                   # see `features/limits`: what it counts as ...
    uint64_t marks                    # ... and what is there with it


cdef struct TypeLimit:
    # How many variables of a type a rule has.
    int type
    int least
    int most
    int declared                      # head variables that have it by declaration
    int at                            # where its field begins
    uint64_t field                    # the bits of a field


@cython.final
cdef class Limits:
    cdef uint64_t slack, guards, required, type_slack, type_guards
    cdef vector[uint64_t] apart
    cdef vector[TypeLimit] types

    cdef bint exceeded(self, uint64_t counts, uint64_t marks) noexcept
    cdef bint too_many_of_types(self, uint64_t own) noexcept
    cdef bint has_required(self, uint64_t marks) noexcept
    cdef bint types_met(self, uint64_t own, uint64_t head_types, int type_bits) noexcept
    cdef bint no_more(self, uint64_t a, uint64_t b) noexcept


@cython.final
cdef class ExampleWeights:
    cdef readonly int count, words    # examples, and machine words for a bit of each
    cdef vector[int64_t] pos          # example -> its weight as a positive, 0 for a negative
    cdef vector[int64_t] neg
    cdef vector[uint64_t] positive    # a bit for each positive
    cdef int64_t all_pos, all_neg
    cdef bint unit                    # all positives weigh one
    cdef int scale                    # bits that are left out of weights that are multiplied

    cdef int64_t promise(self, int64_t pos, int64_t neg) noexcept
    cdef int64_t promise_of(self, const uint64_t* bits) noexcept
    cdef bint shared(self, const uint64_t* a, const uint64_t* b, int64_t above) noexcept


cdef int keep_best(vector[int32_t]& level, const vector[int64_t]& promises, int count) except -1
