# cython: language_level=3

cdef enum:
    ASKED_EVERY = 1 << 21  # bytes


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
