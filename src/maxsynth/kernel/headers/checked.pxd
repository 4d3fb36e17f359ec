# cython: language_level=3
"""What the kernel takes for granted, as assertions. They are there in the build of `make check-kernel` only.

`kernel_assert` costs nothing otherwise, where what it is given has no loop and calls nothing that may raise; a longer
check stands behind `if CHECKED:`.
"""

from libc.stdint cimport int32_t, uint64_t

cdef extern from "checked.hpp":
    const bint CHECKED "MAXSYNTH_CHECKED"
    void kernel_assert "maxsynth_assert"(bint holds) noexcept nogil


cdef inline bint ends_at(const uint64_t* bits, int words, int count) noexcept nogil:
    """Whether no bit is set from number `count` on."""
    cdef int w
    for w in range(words):
        if 64 * (w + 1) > count and bits[w] >> (count - 64 * w if count > 64 * w else 0):
            return False
    return True


cdef inline bint rises(const int32_t* numbers, size_t count, int32_t end) noexcept nogil:
    """Whether numbers say where parts begin: the first is 0, the last is `end`, and none is below the one before it."""
    cdef size_t i
    if count == 0 or numbers[0] != 0 or numbers[count - 1] != end:
        return False
    for i in range(1, count):
        if numbers[i] < numbers[i - 1]:
            return False
    return True
