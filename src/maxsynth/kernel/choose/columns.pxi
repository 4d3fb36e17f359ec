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
