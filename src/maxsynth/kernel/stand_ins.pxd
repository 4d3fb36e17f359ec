# cython: language_level=3
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from maxsynth.kernel.coverage_pool cimport CoveragePool
from maxsynth.kernel.tree cimport Tree


cdef class StandIns:
    cdef Tree tree
    cdef CoveragePool pool
    cdef bint use_stand_in
    cdef int collected                # the nodes that were looked at, up to this number
    cdef vector[int32_t] first        # coverage -> the last item that has it, -1 for none ...
    cdef vector[int32_t] next         # ... node -> the one before it
    cdef vector[int32_t] safety_of    # node -> number of its safety function

    cdef bint has_stand_in(self, int number) noexcept
