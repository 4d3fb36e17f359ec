# cython: language_level=3
from libcpp.vector cimport vector
from libc.stdint cimport int32_t, uint64_t

from maxsynth.kernel.names cimport NameTable

cdef enum:
    # In place of a functor number, for what has none.
    OTHER = -1
    ATOM = -2
    INTEGER = -3
    # The first byte of an integer's name; no atom has it, in UTF-8.
    DIGITS = 0xFF
    MOST_DIGITS = 18


cdef class TermStore:
    cdef NameTable names                # of atoms, in UTF-8, and of integers that are not too long, as digits
    cdef vector[int32_t] id_of_name     # number of a name -> id
    cdef dict others                    # id -> any other atomic term ...
    cdef dict other_ids                 # ... and back, by a key
    cdef list functors                  # functor number -> (name, arity)
    cdef dict functor_ids
    cdef vector[int32_t] arity_of       # functor number -> arity
    cdef vector[int32_t] functor_of     # id -> functor number, or what it is instead
    cdef vector[int32_t] args_from      # id -> where its arguments start in `args`, or the number of its name
    cdef vector[int32_t] args
    cdef vector[int32_t] slots          # open addressing: id + 1 of a compound, 0 for free
    cdef uint64_t slot_mask
    cdef readonly int nil
    cdef int cell
    cdef readonly int limit
    cdef size_t most_args

    cdef int check(self, int known) except -1
    cdef int fresh(self, int functor, int start) except -1
    cdef int named(self, int kind, const char* name, size_t size) except -1
    cdef int atomic(self, object term) except -1
    cdef object atomic_term(self, int known)
    cpdef int functor(self, str name, int arity) except -1
    cdef int compound(self, int functor, const int32_t* args) except -1
    cdef int grow(self) except -1
