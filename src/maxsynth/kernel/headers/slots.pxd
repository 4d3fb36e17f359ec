# cython: language_level=3
"""The kernel's hash table, from hashes to numbers: see `slots.hpp`."""

from libc.stdint cimport int32_t, uint64_t

cdef extern from "slots.hpp" namespace "maxsynth" nogil:
    cdef cppclass Candidates:
        int32_t next() noexcept

    cdef cppclass Slots:
        Candidates candidates(uint64_t hash) noexcept
        void soon(uint64_t hash) noexcept
        void add(uint64_t hash, int32_t number) except +
        size_t growth() noexcept
        void clear() noexcept
