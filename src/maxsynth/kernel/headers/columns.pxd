# cython: language_level=3
"""Columns of bits, and which of them are equal: see `columns.hpp`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

cdef extern from "columns.hpp" namespace "maxsynth" nogil:
    void turn(const uint64_t* rows, size_t nrows, size_t ncolumns, uint64_t* columns) noexcept
    void find_equal(
        const uint64_t* columns, size_t count, size_t words, vector[int64_t]& first, int64_t* which
    ) except +
    void order_groups(
        const uint64_t* columns, size_t count, size_t words, vector[int64_t]& first, int64_t* which
    ) except +
    void list_set(
        const uint8_t* row, const uint8_t* chosen, size_t count, const int32_t* number, vector[int32_t]& places
    ) except +
