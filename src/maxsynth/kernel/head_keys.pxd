# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector


cdef cppclass KeyTable:
    # The distinct values of some head variables in the examples (a mask says which): each is a *key*.
    int count
    vector[vector[int32_t]] values        # head variable -> key -> value
    vector[int32_t] examples_from         # key -> its examples, from here to the next key's, in `examples`
    vector[int32_t] examples
    vector[int64_t] pos                   # key -> weight of its positives
    vector[int64_t] neg
    vector[uint8_t] sampled               # whether a key is in the sample that columns are ordered by
    vector[uint64_t] hash


cdef cppclass Extension:
    # From the keys of a mask to those of a larger one that agree with them.
    vector[int32_t] start                 # key -> from here to the next key's, in `keys`
    vector[int32_t] keys


cdef class HeadKeys:
    cdef object rows
    cdef object pos
    cdef object neg
    cdef unordered_map[uint64_t, KeyTable*] tables             # mask -> its keys
    cdef dict places                      # mask -> the key of each example
    cdef unordered_map[uint64_t, Extension*] extensions        # smaller mask and larger mask -> ...

    cdef KeyTable* table(self, uint64_t mask) except NULL
    cdef Extension* extension(self, uint64_t smaller, uint64_t larger) except NULL
