"""Sorting rows of term ids, in linear time: ids are small integers, so that they can be counted. And equal rows."""

cdef int64_t SPREAD = 65536  # ids may be so much larger than 16 times their number, to be counted


def sorted_order(rows, columns):
    """The order that sorts the rows by these columns, the first one first; equal rows stay as they are."""
    cdef int32_t[::1] values, order, other
    cdef vector[int32_t] place
    cdef Py_ssize_t n = len(rows), i
    cdef int32_t value, most
    if any(int(rows[:, column].max(initial=0)) > 16 * n + SPREAD for column in columns):
        return np.lexsort([rows[:, column] for column in reversed(columns)]).astype(np.int32)
    found, spare = np.arange(n, dtype=np.int32), np.empty(n, np.int32)
    for column in reversed(columns):
        values = np.ascontiguousarray(rows[:, column])
        most = rows[:, column].max(initial=0)
        order, other = found, spare
        with nogil:
            place.assign(<size_t>most + 2, 0)
            for i in range(n):
                place[values[i] + 1] += 1
            for value in range(most):
                place[value + 1] += place[value]
            for i in range(n):
                value = values[order[i]]
                other[place[value]] = order[i]
                place[value] += 1
        found, spare = spare, found
    if CHECKED:
        check_sorted(rows, columns, found)
    return found


cdef int check_sorted(rows, columns, found) except -1:
    """Asserts that this is the order in which the rows are sorted, equal ones as they were."""
    expected = np.lexsort([rows[:, column] for column in reversed(columns)]) if len(columns) else np.arange(len(rows))
    kernel_assert(bool((expected == found).all()))
    return 0


def equal_rows(rows):
    """Equal rows as groups, in lexicographic order: the first row of each group, and the group of each row.

    The same as `np.unique(rows, axis=0, ...)`, which compares whole rows and so is slow.
    """
    order = sorted_order(rows, range(rows.shape[1]))
    group = np.empty(len(rows), np.intp)
    return order[beginnings(rows, order, group)], group


def distinct_rows(rows):
    """The rows without repetitions, in the order of first appearance."""
    order = sorted_order(rows, range(rows.shape[1]))
    first = beginnings(rows, order)
    return rows if len(first) == len(rows) else rows[np.sort(order[first])]


cdef beginnings(rows, const int32_t[::1] order, Py_ssize_t[::1] group=None):
    """Where in their order equal rows begin; `group` gets the number of the group of each row."""
    cdef const int32_t[:, ::1] cells = np.ascontiguousarray(rows)
    cdef Py_ssize_t i, j, n = order.shape[0], arity = rows.shape[1]
    cdef vector[Py_ssize_t] starts
    cdef bint numbered = group is not None
    with nogil:
        for i in range(n):
            for j in range(arity):
                if i == 0 or cells[order[i], j] != cells[order[i - 1], j]:
                    starts.push_back(i)
                    break
            if i == 0 and arity == 0:
                starts.push_back(i)
            if numbered:
                group[order[i]] = <Py_ssize_t>starts.size() - 1
    return np.array(<Py_ssize_t[:starts.size()]>starts.data()) if starts.size() else np.zeros(0, np.intp)
