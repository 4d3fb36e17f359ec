# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""Mistakes, to see that `make check-kernel` finds such. This is in no other build."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from maxsynth.kernel.headers.checked cimport kernel_assert


def through_a_pointer(int place):
    """Reads beyond the end of an array by its address."""
    cdef vector[int32_t] values = range(10)
    cdef const int32_t* data = values.data()
    return data[place]


def through_a_vector(int place):
    cdef vector[int32_t] values = range(10)
    return values[place]


def in_room_to_grow(int place):
    """Reads what a vector has room for, but does not have."""
    cdef vector[int32_t] values
    cdef const int32_t* data
    values.reserve(100)
    values.push_back(1)
    data = values.data()
    return data[place]


def through_a_memoryview(int place):
    cdef int32_t[::1] view = np.zeros(10, np.int32)
    return view[place]


cdef int32_t silently(int32_t[::1] view, int place) noexcept:
    return view[place]


def where_nothing_can_be_raised(int place):
    """An error here is printed and goes on, unless somebody minds."""
    return silently(np.zeros(10, np.int32), place)


def after_it_was_freed(int place):
    cdef vector[int32_t]* values = new vector[int32_t](10)
    cdef const int32_t* data = values.data()
    del values
    return data[place]


def with_too_large_a_number(int64_t number):
    return number * 2


def by_too_large_a_shift(int by):
    return <uint64_t>1 << by


def against_an_assertion(int number):
    kernel_assert(number < 10)
    return number


cdef int64_t[2] NUMBERS


def at_the_same_time(int which, int64_t times):
    """Counts one of two numbers up, without the interpreter: two threads must not have the same one."""
    cdef int64_t* number = &NUMBERS[which]
    cdef int64_t i
    with nogil:
        for i in range(times):
            number[0] = (number[0] * 3 + i) & 0xFFFF
    return number[0]
