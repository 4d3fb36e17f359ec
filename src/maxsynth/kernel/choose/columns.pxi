"""The examples of a pool of rules by the rules that cover them (`columns.hpp`)."""


def columns_of(const uint64_t[:, ::1] bits, Py_ssize_t count):
    """For each of so many examples the rules that cover it, as rows of bits, the first rule in the lowest."""
    cdef size_t rules = bits.shape[0]
    if bits.shape[1] != (count + 63) // 64:
        raise ValueError(f"{bits.shape[1]} words for {count} examples")
    columns = np.empty((count, (rules + 63) // 64), np.uint64)
    cdef uint64_t[:, ::1] view = columns
    if count and rules:
        with nogil:
            turn(&bits[0, 0], rules, count, &view[0, 0])
    return columns


def equal_columns(const uint64_t[:, ::1] columns):
    """The first of all columns that are alike, and for each column its number among those.

    They come in lexicographic order: what the first rule does not cover is before what it does.
    """
    cdef size_t count = columns.shape[0], words = columns.shape[1]
    cdef vector[int64_t] first
    which = np.zeros(count, np.int64)
    cdef int64_t[::1] view = which
    if count == 0 or words == 0:
        return which[:1].copy(), which
    with nogil:
        find_equal(&columns[0, 0], count, words, first, &view[0])
        order_groups(&columns[0, 0], count, words, first, &view[0])
    return np.array(<int64_t[:first.size()]>first.data()), which


def lists_of(const uint8_t[:, ::1] matrix, const uint8_t[::1] chosen):
    """The chosen columns that are set in each row, one row after the other; and where each begins, and the last ends.

    They are numbered among those that are chosen. All is zeros and ones.
    """
    cdef Py_ssize_t row, column, rows = matrix.shape[0], columns = matrix.shape[1]
    cdef vector[int32_t] places, number
    starts = np.zeros(rows + 1, np.int32)
    cdef int32_t[::1] start = starts
    cdef int32_t count = 0
    if chosen.shape[0] != columns:
        raise ValueError(f"{chosen.shape[0]} choices for {columns} columns")
    if rows and columns:
        with nogil:
            for column in range(columns):
                number.push_back(count)
                count += chosen[column]
            for row in range(rows):
                list_set(&matrix[row, 0], &chosen[0], columns, number.data(), places)
                start[row + 1] = <int32_t>places.size()
    return starts, np.array(<int32_t[:places.size()]>places.data()) if places.size() else np.zeros(0, np.int32)


def sums_of(const int64_t[::1] which, const int64_t[::1] weights, Py_ssize_t count):
    """The weights that have the same number added up, for so many numbers."""
    cdef Py_ssize_t i
    sums = np.zeros(count, np.int64)
    cdef int64_t[::1] view = sums
    for i in range(which.shape[0]):
        view[which[i]] += weights[i]
    return sums
