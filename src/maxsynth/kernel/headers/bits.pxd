# cython: language_level=3
"""Small operations on machine words that several loops share."""

from libc.stdint cimport uint64_t

cdef extern from "bits.hpp":
    int count_bits "maxsynth_count"(uint64_t word) noexcept nogil
    int highest "maxsynth_highest"(uint64_t word) noexcept nogil  # the number of the highest bit that is set
    int lowest "maxsynth_lowest"(uint64_t word) noexcept nogil  # the number of the lowest bit that is set


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """A hash of one word in which every bit of the result depends on every bit of the value."""
    value ^= value >> 32
    value *= <uint64_t>0xD6E8FEB86659FD93ULL
    value ^= value >> 32
    value *= <uint64_t>0xD6E8FEB86659FD93ULL
    value ^= value >> 32
    return value


cdef inline bint compatible(uint64_t a, uint64_t b, int bits) noexcept nogil:
    """Whether two features can give each head variable one type: fields of so many bits are equal, or one is zero."""
    cdef uint64_t x, y, field = (<uint64_t>1 << bits) - 1
    if a == b:
        return True
    while a and b:
        x = a & field
        y = b & field
        if x and y and x != y:
            return False
        a >>= bits
        b >>= bits
    return True
