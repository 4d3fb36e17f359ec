# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t
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


cdef class Language:
    cdef int nhead, max_vars, max_body, max_arity
    cdef uint64_t head                # all head variables
    cdef uint64_t head_inputs         # those that are `in`
    cdef int type_bits                # of a field for a type, in a word with one for each head variable without a type
    cdef bint directed                # whether the bias gives directions
    cdef bint head_outputs            # whether some head variable is `out`
    cdef bint datalog                 # whether every head variable must occur in the body
    cdef bint singletons              # whether a variable may occur only once
    cdef vector[int] head_types       # -1 where the bias gives none
    cdef vector[int] one_types        # types of which a rule has exactly one variable
    cdef list predicates              # (arity, types, input mask)
    cdef vector[Literal] literals
    cdef list literal_list            # the same as (predicate, args)

    cdef int make_literals(self) except -1
