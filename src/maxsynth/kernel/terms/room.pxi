"""Asking for memory before it is taken, in the kernel.

What grows there are vectors. A large one that is full moves to a place twice as large, and for a moment there are both:
that is asked for before it happens. Other growth is counted, and asked for when it adds up to some megabytes. Where the
limit does not allow it, `Memory.claim` raises a `MemoryError`, which ends the search with the best so far.

Every thread has a room of its own, so that none counts what another one takes.
"""


@cython.final
cdef class Room:
    """Asks `claim(bytes)`; None where all is allowed."""

    def __init__(self, claim=None):
        self.claim = claim
        self.limited = claim is not None

    cdef int ask(self, size_t size) except -1 nogil:
        """Whether there is room for so many bytes, and for those counted since the last time."""
        size += self.taken
        self.taken = 0
        if self.limited:
            with gil:
                self.claim(size)
        return 0

    cdef Room another(self):
        """For another thread."""
        return Room(self.claim)
