# cython: language_level=3
from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.coverage cimport Coverage
from maxsynth.kernel.example_weights cimport ExampleWeights
from maxsynth.kernel.language cimport Language
from maxsynth.kernel.shapes cimport Shape


cdef cppclass Partner:
    uint64_t head                     # head variables that it mentions
    int own                           # other variables
    int64_t pos                       # weight of the positives that have it
    vector[uint64_t] bits             # the examples that have it


cdef class Partners:
    cdef Language language
    cdef ExampleWeights weights
    cdef vector[Partner] partners     # those with most positives first

    cdef int add(self, const Shape* shape, const Coverage* coverage) except -1
    cdef bint suffice(self, const uint64_t* bits, const Shape* shape, int64_t above) noexcept
    cdef int find_complete(self, int variable, vector[uint64_t]& examples) except -1
