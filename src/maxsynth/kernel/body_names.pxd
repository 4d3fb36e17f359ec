# cython: language_level=3
from libc.stdint cimport int32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from maxsynth.kernel.language cimport Literal

cdef int canonical(const vector[Literal]& literals, const vector[int32_t]& body, int nhead, string& name) except -1
