# cython: language_level=3
"""Threads that do short pieces of work together: see team.hpp."""

from libc.stdint cimport uint32_t


cdef extern from "team.hpp" namespace "maxsynth" nogil:
    cdef cppclass Team:
        void begin(uint32_t parts) noexcept
        int take() noexcept
        void done() noexcept
        int wait_for_part() noexcept
        bint wait_for_others() noexcept
        void open() noexcept
        void close() noexcept
