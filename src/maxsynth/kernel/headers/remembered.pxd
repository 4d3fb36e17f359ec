# cython: language_level=3
"""A hash table that is emptied in no time: see `remembered.hpp`."""

from libc.stdint cimport uint64_t

cdef extern from "remembered.hpp" namespace "maxsynth" nogil:
    cdef cppclass Remembered:
        const uint64_t* find(uint64_t name) noexcept
        void add(uint64_t name, uint64_t value) except +
        void clear() noexcept
