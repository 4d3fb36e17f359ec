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
    """The features that were the first to have their tables, in the order they were met.

    One thread makes tables known, others look for them. While these do (`hold`), what is new is entered apart, where
    only the one thread sees it: so nothing changes that others read.
    """

    cdef Room room
    cdef vector[Known] tables
    cdef Slots slots                  # hashes -> numbers of tables
    cdef Slots later                  # the same for those that are known since `hold`
    cdef Slots none
    cdef bint held
    cdef size_t held_from             # the number of the first of these

    def __init__(self, Room room):
        self.room = room

    cdef int hold(self, size_t more) except -1:
        """From now on until `let_go`, others look for what is known; so many at most become known meanwhile."""
        if self.tables.size() + more > self.tables.capacity():
            before_growing(self.room, self.tables.size(), self.tables.capacity(), more, sizeof(Known))
            self.tables.reserve(max(2 * self.tables.capacity(), self.tables.size() + more))
        self.held = True
        self.held_from = self.tables.size()
        return 0

    cdef int let_go(self) except -1:
        """Nobody else looks any more."""
        cdef size_t number
        self.held = False
        for number in range(self.held_from, self.tables.size()):
            self.enter(self.tables[number].hash, <int>number)
        self.later.clear()
        self.held_from = self.tables.size()
        return 0

    cdef Candidates candidates(self, uint64_t hash) noexcept nogil:
        """The known tables that may have this hash, for `next`, until the next one is added."""
        return self.slots.candidates(hash)

    cdef Candidates newer(self, uint64_t hash, bint seen) noexcept nogil:
        """The same for those that are entered apart, for who sees them."""
        return self.later.candidates(hash) if seen else self.none.candidates(hash)

    cdef const Known* next(
        self, Candidates* candidates, Candidates* newer, uint64_t hash, uint64_t rows
    ) noexcept nogil:
        """The next of these with this hash and so many rows, NULL for none. Where tables are added meanwhile, only where
        they begin is looked at."""
        cdef const Known* tables = self.tables.data()
        cdef int number
        while True:
            number = candidates.next()
            if number < 0:
                number = newer.next()
            if number < 0:
                return NULL
            if tables[number].hash == hash and tables[number].rows == rows:
                return tables + number

    cdef size_t number_of(self, const Known* known) noexcept nogil:
        """Its place in the order in which they were met."""
        return <size_t>(known - self.tables.data())

    cdef bint has_newer(self, uint64_t hash, uint64_t rows, size_t first) noexcept nogil:
        """Whether one of these, from this number on, has this hash and so many rows; for the thread that adds them."""
        cdef Candidates candidates = self.candidates(hash)
        cdef Candidates newer = self.newer(hash, True)
        cdef const Known* known = self.next(&candidates, &newer, hash, rows)
        while known != NULL and self.number_of(known) < first:
            known = self.next(&candidates, &newer, hash, rows)
        return known != NULL

    cdef int add(self, uint64_t hash, uint64_t rows, uint64_t places, int node) except -1:
        """Makes a table known."""
        cdef Known known
        known.hash = hash
        known.rows = rows
        known.places = places
        known.node = node
        kernel_assert(not self.held or self.tables.size() < self.tables.capacity())
        before_growing(self.room, self.tables.size(), self.tables.capacity(), 1, sizeof(Known))
        if self.held:
            self.later.add(hash, <int>self.tables.size())
        else:
            self.enter(hash, <int>self.tables.size())
        self.tables.push_back(known)
        return 0

    cdef int enter(self, uint64_t hash, int number) except -1:
        if self.slots.growth():
            self.room.ask(self.slots.growth())
        self.slots.add(hash, number)
        return 0
