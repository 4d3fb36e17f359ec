"""The tables met so far, by their hashes (`table_hash`): a feature with a table that is known need not be expanded.

A hash says which of them may be equal, `table_equality` whether one is.
"""


cdef struct Known:
    # A feature that has a node, by its table.
    uint64_t hash
    uint64_t rows                     # of the table
    uint64_t places                   # where the column of each own variable comes (`pack_places`)
    int32_t node


@cython.final
cdef class KnownTables:
    """The features that were the first to have their tables, in the order they were met."""

    cdef Room room
    cdef vector[Known] tables
    cdef Slots slots                  # hashes -> numbers of tables

    def __init__(self, Room room):
        self.room = room

    cdef Candidates candidates(self, uint64_t hash) noexcept nogil:
        """The known tables that may have this hash, for `next`, until the next one is added."""
        return self.slots.candidates(hash)

    cdef const Known* next(self, Candidates* candidates, uint64_t hash, uint64_t rows) noexcept nogil:
        """The next of these with this hash and so many rows, NULL for none."""
        cdef int number = candidates.next()
        while number >= 0:
            if self.tables[number].hash == hash and self.tables[number].rows == rows:
                return &self.tables[number]
            number = candidates.next()
        return NULL

    cdef size_t number_of(self, const Known* known) noexcept nogil:
        """Its place in the order in which they were met."""
        return <size_t>(known - self.tables.data())

    cdef bint has_newer(self, uint64_t hash, uint64_t rows, size_t first) noexcept nogil:
        """Whether one of these, from this number on, has this hash and so many rows."""
        cdef Candidates candidates = self.candidates(hash)
        cdef const Known* known = self.next(&candidates, hash, rows)
        while known != NULL and self.number_of(known) < first:
            known = self.next(&candidates, hash, rows)
        return known != NULL

    cdef int add(self, uint64_t hash, uint64_t rows, uint64_t places, int node) except -1:
        """Makes a table known."""
        cdef Known known
        known.hash = hash
        known.rows = rows
        known.places = places
        known.node = node
        before_growing(self.room, self.tables.size(), self.tables.capacity(), 1, sizeof(Known))
        if self.slots.growth():
            self.room.ask(self.slots.growth())
        self.slots.add(hash, <int>self.tables.size())
        self.tables.push_back(known)
        return 0
