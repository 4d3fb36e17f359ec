# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t

from maxsynth.kernel.language cimport Language

cdef uint64_t waiting_literals(Language language, const int32_t* sequence, int count, int last) noexcept
cdef tuple safety_function(Language language, const int32_t* sequence, int count)
