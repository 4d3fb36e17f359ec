# cython: language_level=3
"""Numbers that threads take, neighbours as far as that goes: see portions.hpp."""

from libc.stdint cimport int64_t, uint32_t


cdef extern from "portions.hpp" namespace "maxsynth" nogil:
    cdef cppclass Portions:
        void divide(uint32_t count, int first, int all) noexcept
        void begin() noexcept
        int count_begun() noexcept
        void hold(bint on) noexcept
        int64_t take(int own) noexcept
        void close() noexcept
