# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.example_weights cimport ExampleWeights
from maxsynth.kernel.tables cimport Child, Lookup, Tables
from maxsynth.kernel.ties cimport Ties


cdef struct Coverage:
    uint64_t* bits                    # a bit for each example
    int64_t pos                       # weights covered
    int64_t neg


cdef class CoverageTest:
    cdef Tables tables
    cdef ExampleWeights weights
    cdef Ties ties                    # None: there are no paths
    cdef int32_t test_number
    cdef vector[int32_t] covered_at   # key -> the last test in which it was covered
    cdef vector[int32_t] tied_at      # example -> the last test in which a path could still cover it
    cdef vector[int32_t] covered_keys

    cdef int add(self, const Child* child, Coverage* coverage) except -1
    cdef int add_feature(self, const Child* child, Coverage* coverage) except -1
    cdef int add_path(self, const Child* child, Coverage* coverage) except -1
    cdef int32_t next_test(self) except -1
    cdef int find_keys(self, const Lookup* lookup) except -1
