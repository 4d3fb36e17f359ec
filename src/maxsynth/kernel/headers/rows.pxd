# cython: language_level=3
"""Loops over rows of shares (`rows.hpp`)."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t

cdef extern from "rows.hpp":
    const int ROW "MAXSYNTH_ROW"
    void add_rows "maxsynth_add_rows"(
        const int32_t* rows, size_t length, const int32_t* which, int count, int32_t* sums
    ) noexcept nogil
    void add_to_rows "maxsynth_add_to_rows"(
        int16_t* rows, size_t length, const int32_t* which, int count, const int16_t* added
    ) noexcept nogil
    int64_t settled "maxsynth_settle"(int64_t* shares, int count, int64_t most) noexcept nogil
    void carry "maxsynth_carry"(int64_t* shares, int64_t* last, int count, int64_t momentum) noexcept nogil
    int64_t moved "maxsynth_move"(
        int64_t* shares, int64_t* last, const int16_t* parts, int count, int64_t momentum, int64_t step, int64_t most
    ) noexcept nogil
    void some_of "maxsynth_some_of"[Share](
        const Share* values, const uint64_t* set, size_t length, Share* some
    ) noexcept nogil
    int64_t saved "maxsynth_saved"[Share](
        const Share* rows, size_t length, const int32_t* which, int count, int64_t least, Share* left
    ) noexcept nogil
