# cython: language_level=3
from libcpp.vector cimport vector
from libc.stdint cimport int32_t, uint64_t


cdef class TermStore:
    cdef readonly list atomics          # id -> Atom, int, float or String; None for a compound
    cdef dict atomic_ids                # key of an atomic term -> id
    cdef readonly list functors         # functor number -> (name, arity)
    cdef dict functor_ids
    cdef vector[int32_t] functor_of     # id -> functor number, -1 for an atomic term
    cdef vector[int32_t] args_from      # id -> where its arguments start in `args`
    cdef vector[int32_t] args
    cdef vector[int32_t] slots          # open addressing: id + 1 of a compound, 0 for free
    cdef uint64_t slot_mask
    cdef readonly int nil
    cdef int cell
    cdef readonly object limit

    cdef int add_atomic(self, object key, object term) except -1
    cpdef int functor(self, str name, int arity) except -1
    cdef int compound(self, int functor, const int32_t* args) except -1
    cdef int grow(self) except -1
