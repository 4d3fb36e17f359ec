# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""Rows of Python values as columns: what the drivers of databases give, as the buffers that Arrow's arrays have.

A driver gives a tuple for each row. To look at the type of each value and to write the value down is little work, but
much if it is done by calls that each go through a whole column of objects again.
"""

cimport cython
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

import numpy as np

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1


cdef enum:
    NOTHING = 1
    INTEGER = 2
    REAL = 4
    TEXT = 8
    OTHER = 16


def columns_of(list rows, int width):
    """For each column of some rows its kind, marks, values, and for text where each begins; None for other columns.

    The kinds are `int`, `float` and `str`. Marks are bits that say which values are there, None where all are. A column
    is left to others when its values are of several types (but for whole numbers among reals), when none is there, and
    when an integer has more than 64 bits.
    """
    cdef Py_ssize_t i, n = len(rows)
    cdef int j
    for i in range(n):
        if type(rows[i]) is not tuple or PyTuple_GET_SIZE(rows[i]) != width:
            raise TypeError(f"row {i} is not a tuple of {width}")
    return [column_of(rows, j) for j in range(width)]


cdef object value_at(list rows, Py_ssize_t i, int j):
    return <object>PyTuple_GET_ITEM(rows[i], j)


cdef int types_in(list rows, int j) except -1:
    cdef int found = 0
    cdef Py_ssize_t i
    cdef object kind
    for i in range(len(rows)):
        value = value_at(rows, i, j)
        kind = type(value)
        if value is None:
            found |= NOTHING
        elif kind is int:
            found |= INTEGER
        elif kind is str:
            found |= TEXT
        elif kind is float:
            found |= REAL
        else:
            return OTHER
    return found


cdef object column_of(list rows, int j):
    cdef int types = types_in(rows, j)
    marks = marks_of(rows, j) if types & NOTHING else None
    types &= ~NOTHING
    if types == INTEGER:
        values = integers_of(rows, j)
        return None if values is None else (int, marks, values, None)
    if types == REAL or types == REAL | INTEGER:
        return float, marks, reals_of(rows, j), None
    if types == TEXT:
        return (str, marks, *texts_of(rows, j))
    return None


cdef object marks_of(list rows, int j):
    """A bit for each value that is there, the lowest one first."""
    cdef Py_ssize_t i, n = len(rows)
    marks = np.zeros((n + 7) // 8, np.uint8)
    cdef uint8_t[::1] view = marks
    for i in range(n):
        if value_at(rows, i, j) is not None:
            view[i >> 3] |= 1 << (i & 7)
    return marks


cdef object integers_of(list rows, int j):
    cdef Py_ssize_t i, n = len(rows)
    cdef int overflow = 0
    values = np.zeros(n, np.int64)
    cdef int64_t[::1] view = values
    for i in range(n):
        value = value_at(rows, i, j)
        if value is not None:
            view[i] = PyLong_AsLongLongAndOverflow(value, &overflow)
            if overflow:
                return None
    return values


cdef object reals_of(list rows, int j):
    cdef Py_ssize_t i, n = len(rows)
    values = np.zeros(n, np.float64)
    cdef double[::1] view = values
    for i in range(n):
        value = value_at(rows, i, j)
        if value is not None:
            view[i] = PyFloat_AS_DOUBLE(value) if type(value) is float else float(value)
    return values


cdef object texts_of(list rows, int j):
    """All texts as UTF-8, one after the other, and where each begins and the last one ends."""
    cdef Py_ssize_t i, n = len(rows), size = 0
    cdef const char* text
    ends = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] end = ends
    for i in range(n):
        value = value_at(rows, i, j)
        size = 0
        if value is not None:
            PyUnicode_AsUTF8AndSize(value, &size)
        end[i + 1] = end[i] + size
    texts = np.empty(end[n], np.uint8)
    cdef uint8_t[::1] view = texts
    for i in range(n):
        value = value_at(rows, i, j)
        if value is not None and end[i + 1] > end[i]:
            text = PyUnicode_AsUTF8AndSize(value, &size)
            memcpy(&view[end[i]], text, size)
    return texts, ends
