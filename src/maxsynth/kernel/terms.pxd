# cython: language_level=3
"""What other extensions use of `terms`: rows by their keys (`terms/index.pxi`), and room (`terms/room.pxi`)."""

cimport cython
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.checked cimport kernel_assert

cdef enum:
    ASKED_EVERY = 1 << 21  # bytes


@cython.final
cdef class Room:
    cdef object claim                 # `Memory.claim`; None: there is no limit
    cdef size_t taken                 # bytes since it was last asked

    cdef int ask(self, size_t size) except -1


cdef inline int take(Room room, size_t size) except -1:
    """Counts bytes that are about to be taken, and asks whether there is room when there have been many."""
    room.taken += size
    if room.taken >= ASKED_EVERY:
        room.ask(0)
    return 0


cdef inline int before_growing(Room room, size_t count, size_t capacity, size_t more, size_t size) except -1:
    """To be called before a vector of so many items, of such a size each, gets some more.

    When it has to move, it is there twice for a moment.
    """
    if count + more > capacity and room.claim is not None:
        room.ask(max(count, more) * size)
    return 0


cdef struct Groups:
    # What a look-up needs of an Index, as plain pointers into its vectors.
    int arity
    int nkeys
    bint lazy
    const int32_t* cells          # the rows, grouped, `arity` cells each
    int32_t nrows
    int32_t most                  # rows of the largest group
    const int32_t* direct         # one key column: first row and row count of key k are direct[2 k], direct[2 k + 1];
    int32_t ndirect               # a first row of -1 says that a lazy index was not asked for k yet
    const uint64_t* present       # one or two key columns, not lazy: a bit for each value of the first that has rows, ...
    const uint64_t* present_too   # ... and for each of the second (these are small, so quick to ask); `npresent` bits each
    int32_t npresent
    const int32_t* function       # where each key of two columns has one value: that value, -1 for none; else NULL
    const int32_t* pairs          # two key columns: open addressing, (key, key, first row, row count), -1 for free
    const int32_t* dense          # or, where that is small: first row and row count for each pair of ranks,
    const int32_t* rank           # with the rank of each first key, then of each second one, -1 for none
    const int32_t* runs           # or, where a first key has few rows: those of k begin at runs[k], end at runs[k + 1],
    int second                    # and are sorted by this column, the second key
    int32_t nfirst                # how many first keys have a place in `rank` or `runs`
    int32_t nsecond
    int32_t width                 # the number of ranks of second keys
    const int32_t* slots          # otherwise: open addressing, group number + 1
    uint64_t mask
    const int32_t* group_from     # group number -> its first row, and how many
    const int32_t* group_count
    const int32_t* group_keys


cdef inline uint64_t hash_cells(const int32_t* cells, int count) noexcept nogil:
    cdef uint64_t h = 0x243F6A8885A308D3ULL
    cdef int i
    for i in range(count):
        h = (h ^ <uint64_t>cells[i]) * <uint64_t>0x9E3779B97F4A7C15ULL
        h ^= h >> 29
    return h


cdef inline int find_more(const Groups* groups, const int32_t* key, int32_t* start, int32_t* stop) noexcept nogil:
    """`find` for any number of keys but one."""
    cdef uint64_t at
    cdef int32_t group, i
    cdef const int32_t* slot
    if groups.dense != NULL:
        if key[0] >= groups.nfirst or key[1] >= groups.nsecond:
            return 0
        i = groups.rank[key[0]]
        group = groups.rank[groups.nfirst + key[1]]
        if i < 0 or group < 0:
            return 0
        slot = groups.dense + 2 * (<Py_ssize_t>i * groups.width + group)
        start[0] = slot[0]
        stop[0] = slot[0] + slot[1]
        return slot[1] > 0
    if groups.runs != NULL:
        if key[0] >= groups.nfirst:
            return 0
        i = groups.runs[key[0]]
        while i < groups.runs[key[0] + 1] and groups.cells[<Py_ssize_t>i * groups.arity + groups.second] < key[1]:
            i += 1
        start[0] = i
        while i < groups.runs[key[0] + 1] and groups.cells[<Py_ssize_t>i * groups.arity + groups.second] == key[1]:
            i += 1
        stop[0] = i
        return start[0] < i
    if groups.nkeys == 2:
        at = hash_cells(key, 2) & groups.mask
        while True:
            slot = groups.pairs + 4 * at
            if slot[0] == key[0] and slot[1] == key[1]:
                start[0] = slot[2]
                stop[0] = slot[2] + slot[3]
                return slot[3] > 0
            if slot[0] < 0:
                return -1 if groups.lazy else 0
            at = (at + 1) & groups.mask
    if groups.nkeys == 0 and not groups.lazy:
        start[0] = 0
        stop[0] = groups.nrows
        return groups.nrows > 0
    at = hash_cells(key, groups.nkeys) & groups.mask
    while groups.slots[at]:
        group = groups.slots[at] - 1
        for i in range(groups.nkeys):
            if groups.group_keys[<Py_ssize_t>group * groups.nkeys + i] != key[i]:
                break
        else:
            start[0] = groups.group_from[group]
            stop[0] = start[0] + groups.group_count[group]
            return groups.group_count[group] > 0
        at = (at + 1) & groups.mask
    return -1 if groups.lazy else 0


cdef inline int find(const Groups* groups, const int32_t* key, int32_t* start, int32_t* stop) noexcept nogil:
    """Rows start..stop-1 match the key. 1: there are some, 0: there are none, -1: never asked for (lazy)."""
    # One key is the common case, and small enough to be inlined.
    cdef int found
    kernel_assert(groups.nkeys == 0 or key[0] >= 0)
    if groups.nkeys == 1:
        if key[0] >= groups.ndirect or groups.direct[2 * key[0]] < 0:
            return -1 if groups.lazy else 0
        start[0] = groups.direct[2 * key[0]]
        stop[0] = start[0] + groups.direct[2 * key[0] + 1]
        kernel_assert(start[0] <= stop[0] <= groups.nrows)
        return start[0] < stop[0]
    found = find_more(groups, key, start, stop)
    kernel_assert(found <= 0 or 0 <= start[0] < stop[0] <= groups.nrows)
    return found


cdef inline bint is_present(const Groups* groups, int32_t key) noexcept nogil:
    """Whether a key has rows, for an index with one key column that is not lazy."""
    return key < groups.npresent and (groups.present[key >> 6] >> (key & 63)) & 1


cdef inline bint may_be_present(const Groups* groups, int32_t first, int32_t second) noexcept nogil:
    """Whether each of two keys has rows, with whatever other one: most pairs are told apart by this already."""
    return (
        first < groups.npresent and second < groups.npresent
        and (groups.present[first >> 6] >> (first & 63)) & (groups.present_too[second >> 6] >> (second & 63)) & 1
    )


@cython.final
cdef class Index:
    cdef readonly tuple columns
    cdef Groups groups
    cdef vector[int32_t] cells
    cdef vector[int32_t] direct
    cdef vector[uint64_t] present
    cdef vector[uint64_t] present_too
    cdef vector[int32_t] function
    cdef vector[int32_t] pairs
    cdef vector[int32_t] dense
    cdef vector[int32_t] rank
    cdef vector[int32_t] runs
    cdef vector[int32_t] slots
    cdef vector[int32_t] group_from
    cdef vector[int32_t] group_count
    cdef vector[int32_t] group_keys
    cdef object ask
    cdef object ask_all
    cdef int ngroups

    cdef int check(self) except -1
    cdef int point(self) except -1
    cdef int add_group(self, const int32_t* key, int32_t start, int32_t count) except -1
    cdef int grow(self) except -1
    cdef int make_dense(self, keys, int groups) except -1
    cdef int make_runs(self, firsts) except -1
    cpdef int fetch(self, tuple key) except -1
    cpdef int fetch_all(self, list keys) except -1
