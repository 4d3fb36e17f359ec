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
    cdef vector[int32_t] slots        # open addressing: number of a table + 1, 0 for free
    cdef uint64_t mask

    def __init__(self, Room room):
        self.room = room
        self.slots.assign(1 << 14, 0)
        self.mask = (1 << 14) - 1

    cdef const Known* candidate(self, uint64_t hash, uint64_t rows, uint64_t* at) noexcept:
        """The next known table with this hash and so many rows, NULL for none.

        `at` says where to look: the hash at first, and then what the last call left in it.
        """
        cdef const Known* known
        while self.slots[at[0] & self.mask]:
            known = &self.tables[self.slots[at[0] & self.mask] - 1]
            at[0] += 1
            if known.hash == hash and known.rows == rows:
                return known
        return NULL

    cdef int add(self, uint64_t hash, uint64_t rows, uint64_t places, int node) except -1:
        """Makes a table known."""
        cdef Known known
        cdef int number
        known.hash = hash
        known.rows = rows
        known.places = places
        known.node = node
        before_growing(self.room, self.tables.size(), self.tables.capacity(), 1, sizeof(Known))
        self.tables.push_back(known)
        if self.tables.size() * 2 > self.mask:
            self.room.ask((self.mask + 1) * 4 * sizeof(int32_t))
            self.mask = (self.mask + 1) * 4 - 1
            self.slots.assign(self.mask + 1, 0)
            for number in range(<int>self.tables.size() - 1):
                self.enter(number)
        return self.enter(<int>self.tables.size() - 1)

    cdef int enter(self, int number) noexcept:
        """Gives a table its slot."""
        cdef uint64_t at = self.tables[number].hash & self.mask
        kernel_assert(self.tables.size() * 2 <= self.mask + 1)
        while self.slots[at]:
            at = (at + 1) & self.mask
        self.slots[at] = number + 1
        return 0
