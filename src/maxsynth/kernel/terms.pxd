# cython: language_level=3
"""What other extensions use of `terms`: rows by their keys (`terms/index.pxi`), and room (`terms/room.pxi`)."""

cimport cython
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.headers.slots cimport Slots

cdef enum:
    ASKED_EVERY = 1 << 21  # bytes


@cython.final
cdef class Room:
    cdef object claim                 # `Memory.claim`; None: there is no limit
    cdef bint limited
    cdef size_t taken                 # bytes since it was last asked

    cdef int ask(self, size_t size) except -1 nogil
    cdef Room another(self)


cdef inline int take(Room room, size_t size) except -1 nogil:
    """Counts bytes that are about to be taken, and asks whether there is room when there have been many."""
    room.taken += size
    if room.taken >= ASKED_EVERY:
        room.ask(0)
    return 0


cdef inline int before_growing(Room room, size_t count, size_t capacity, size_t more, size_t size) except -1 nogil:
    """To be called before a vector of so many items, of such a size each, gets some more.

    When it has to move, it is there twice for a moment.
    """
    if count + more > capacity and room.limited:
        room.ask(max(count, more) * size)
    return 0


cdef extern from "groups.hpp" namespace "maxsynth" nogil:
    cdef struct Groups:
        # What each of these is, is told there.
        int arity, nkeys, second
        bint lazy, sparse
        int32_t nrows, most, ndirect, npresent, nfirst, nsecond, width
        const int32_t* cells
        const int32_t* direct
        const int32_t* function
        const int32_t* pairs
        const int32_t* dense
        const int32_t* rank
        const int32_t* runs
        const Slots* slots
        const int32_t* group_from
        const int32_t* group_count
        const int32_t* group_keys
        const uint64_t* present
        const uint64_t* present_too
        uint64_t mask

    uint64_t hash_cells(const int32_t* cells, int count) noexcept
    int find(const Groups* groups, const int32_t* key, int32_t* start, int32_t* stop) noexcept
    bint is_present(const Groups* groups, int32_t key) noexcept
    bint may_be_present(const Groups* groups, int32_t first, int32_t second) noexcept


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
    cdef Slots slots
    cdef vector[int32_t] group_from
    cdef vector[int32_t] group_count
    cdef vector[int32_t] group_keys
    cdef object ask
    cdef object ask_all
    cdef int ngroups
    cdef vector[int32_t] asked            # of a lazy one: each key that it was told, and how many rows that has

    cdef int check(self) except -1
    cdef int point(self) except -1
    cdef int add_group(self, const int32_t* key, int32_t start, int32_t count) except -1 nogil
    cdef int add_pair(self, const int32_t* key, int32_t start, int32_t count) except -1 nogil
    cdef void put_pair(self, int32_t first, int32_t second, int32_t start, int32_t count) noexcept nogil
    cdef int find_ends(self, const vector[int32_t]& columns, int n, vector[int32_t]& ends) except -1 nogil
    cdef int add_groups(self, const vector[int32_t]& columns, const vector[int32_t]& ends) except -1 nogil
    cdef int make_marks(self, const vector[int32_t]& columns) except -1 nogil
    cdef int make_dense(self, keys, int groups) except -1
    cdef int make_runs(self, firsts) except -1
    cpdef int fetch(self, tuple key) except -1
    cpdef int fetch_all(self, list keys) except -1
