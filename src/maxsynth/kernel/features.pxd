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

    cdef bint exceeded(self, uint64_t counts, uint64_t marks) noexcept nogil
    cdef bint too_many_of_types(self, uint64_t own) noexcept nogil
    cdef bint has_required(self, uint64_t marks) noexcept nogil
    cdef bint types_met(self, uint64_t own, uint64_t head_types, int type_bits) noexcept nogil
    cdef bint no_more(self, uint64_t a, uint64_t b) noexcept nogil


@cython.final
cdef class ExampleWeights:
    cdef readonly int count, words    # examples, and machine words for a bit of each
    cdef vector[int64_t] pos          # example -> its weight as a positive, 0 for a negative
    cdef vector[int64_t] neg
    cdef vector[uint64_t] positive    # a bit for each positive ...
    cdef vector[uint64_t] negative    # ... and negative
    cdef int64_t all_pos, all_neg
    cdef int64_t each                 # what each positive weighs, 0 where they differ ...
    cdef int64_t each_neg             # ... and each negative
    cdef int scale                    # bits that are left out of weights that are multiplied
    cdef vector[int64_t] price        # example -> its price (see `example_weights`); none where there are no prices
    cdef int64_t all_prices, price_bound
    cdef int price_shift

    cdef int set_prices(self, const int64_t[::1] prices, int64_t others, int shift, int64_t bound) except -1
    cdef int64_t least_price(self, int64_t size) noexcept nogil
    cdef int64_t pos_of(self, const uint64_t* bits) noexcept nogil
    cdef int64_t neg_of(self, const uint64_t* bits) noexcept nogil
    cdef int64_t price_of(self, const uint64_t* bits) noexcept nogil
    cdef int64_t promise(self, int64_t pos, int64_t neg) noexcept nogil
    cdef int64_t promise_of(self, const uint64_t* bits) noexcept nogil
    cdef bint shared(self, const uint64_t* a, const uint64_t* b, int64_t above, int64_t size) noexcept nogil


cdef int keep_best(vector[int32_t]& level, const vector[int64_t]& promises, int count) except -1
