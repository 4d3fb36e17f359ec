# cython: language_level=3
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from maxsynth.kernel.index cimport Groups
from maxsynth.kernel.language cimport Language


cdef class LiteralLists:
    cdef Language language
    cdef vector[vector[int32_t]] order    # variables -> the literals that fit, in order
    cdef vector[vector[int32_t]] rank     # variables -> literal -> its place in the order, -1 for none
    cdef vector[vector[int32_t]] origin   # variables -> literal -> with others taken as new, -1 if not listed
    cdef vector[vector[int32_t]] shifted  # by how much -> literal -> the same with its own variables moved up, or -1
    cdef list indexes
    cdef vector[int32_t] index_of         # variables x literal -> the number of its index, -1
    cdef vector[const Groups*] groups_of  # the same, as it is looked up

    cdef int list_fitting(self, int nvars, make_index, dict made) except -1
    cdef int find_origins(self, int nvars, dict numbers) except -1
    cdef int find_shifted(self, dict numbers) except -1
