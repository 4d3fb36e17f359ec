# cython: language_level=3
"""What the kernel holds, as it is saved and read again: vectors of plain values, as they are in memory.

What is saved is not copied, so it is to be written before the search goes on. What is read may come from anywhere: each
class checks what it takes, and raises a `ValueError` where it is not what it could have saved itself.
"""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector


cdef inline object values_to_save(const void* data, size_t count, size_t size):
    """So many values of a size in bytes, each a row."""
    import numpy as np  # a .pxd cannot do that for all

    if count == 0:
        return np.zeros((0, size), np.uint8)
    return np.asarray(<const uint8_t[:count * size]>(<const uint8_t*>data)).reshape(count, size)


cdef inline const uint8_t* values_saved(dict state, str name, size_t size, size_t* count) except? NULL:
    """The values that were saved by a name, and how many these are; only as long as the state is there."""
    cdef const uint8_t[:, ::1] rows
    rows = state[name]
    if <size_t>rows.shape[1] != size:
        raise ValueError(f"{name} has values of another size")
    count[0] = rows.shape[0]
    return &rows[0, 0] if rows.shape[0] else NULL


cdef inline int insist(bint holds, str what) except -1:
    """Refuses what was not saved by this kernel for this task."""
    if not holds:
        raise ValueError(f"{what} cannot be so")
    return 0


cdef inline int lists_to_save(dict state, str name, vector[vector[int32_t]]& lists, int32_t end) except -1:
    """Puts rising lists of numbers into a state, each by its place, without what is not below `end`."""
    cdef size_t place, count
    for place in range(lists.size()):
        count = lists[place].size()
        while count and lists[place][count - 1] >= end:
            count -= 1
        state[f"{name} {place}"] = values_to_save(lists[place].data(), count, sizeof(int32_t))
    return 0


cdef inline int lists_saved(dict state, str name, vector[vector[int32_t]]& lists, int32_t end) except -1:
    """The same the other way round."""
    cdef size_t place, count, i
    cdef const int32_t* numbers
    for place in range(lists.size()):
        numbers = <const int32_t*>values_saved(state, f"{name} {place}", sizeof(int32_t), &count)
        lists[place].assign(numbers, numbers + count)
        for i in range(count):
            insist(0 <= numbers[i] < end, name)
    return 0
