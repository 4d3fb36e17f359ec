"""The tables of features, made by joins.

A feature's table has the values that its own variables can take, not for each example but for each key of the head
variables it mentions (`head_keys`). It is kept in columns: the key of each row, and the value of each variable.
Adding a literal filters the table, or joins it with the rows of the literal's predicate.

Only the tables on the way to one feature are there at a time, one for each literal of its sequence. The next sequence
often begins with the same literals; then these tables stay.
"""


cdef enum:  # the keys that tables are made for (see *Ties* in `features`)
    ALL = 0
    NEAR = 1        # from which a path can lead to another head variable
    PARTNERED = 2   # where the missing head variables can be mentioned without another variable
    KEY_CHOICES = 3


cdef enum:  # what may become of a feature (see there)
    FREE = 0
    SEALED = 1
    PATH = 2


cdef struct Child:
    # A feature that adds a literal to the one whose table is at `depth`. Its own table is not made.
    int literal
    int depth
    int mode                          # FREE, SEALED or PATH
    int nvars_before                  # variables without the literal
    Shape shape


cdef struct Lookup:
    # How a literal is looked up from the rows of a table. A literal that mentions new head variables turns each key
    # into those that extend it.
    const Groups* groups
    int which                         # number of the index
    int nkeys
    bint own[MAX_ARITY]               # whether a part of the look-up key is a column of the table, else one of the head
    const int32_t* columns[MAX_ARITY]
    const int32_t* rows               # the key of each row
    size_t nrows
    size_t positive                   # of the rows, so many at the beginning have all keys with positives
    const KeyTable* keys
    const Extension* extension        # NULL where each key stays what it is


cdef struct Columns:
    # The columns of a child's table.
    int old                           # how many are those of the table it is made from ...
    const int32_t* values[MAX_VARS]
    int new                           # ... how many are new, and where these are in the literal
    int new_at[MAX_ARITY]


cdef inline size_t first_key(const Lookup* lookup, size_t row) noexcept nogil:
    return lookup.extension.start[lookup.rows[row]] if lookup.extension != NULL else 0


cdef inline size_t end_key(const Lookup* lookup, size_t row) noexcept nogil:
    return lookup.extension.start[lookup.rows[row] + 1] if lookup.extension != NULL else 1


cdef inline int32_t nth_key(const Lookup* lookup, size_t row, size_t place) noexcept nogil:
    return lookup.extension.keys[place] if lookup.extension != NULL else lookup.rows[row]


cdef inline void load_key(const Lookup* lookup, size_t row, int32_t k, int32_t* key) noexcept nogil:
    """What the literal is looked up by, for a row whose key becomes `k`."""
    cdef int i
    for i in range(lookup.nkeys):
        key[i] = lookup.columns[i][row] if lookup.own[i] else lookup.columns[i][k]


cdef size_t MOST_ROWS = 0x7FFFFFFF  # of any table: rows are numbered with 32 bits

cdef enum:
    MOST_RUN = 1024  # keys that follow each other in a slice: they lead to values that lie near each other in memory


@cython.final
cdef class Tables:
    """The tables of one sequence of literals, none with more than `row_limit` rows unless it is of one key."""

    cdef Room room
    cdef Language language
    cdef LiteralLists lists
    cdef HeadKeys head_keys
    cdef int keys_for                 # the keys that are wanted: ALL, NEAR or PARTNERED
    cdef vector[vector[vector[uint8_t]]] keys_of  # such a choice -> head variable -> whether each key of it is one
    # A sequence of literals, and the table of its first ones at each depth.
    cdef vector[int32_t] path
    cdef int path_keys                # which keys these tables have
    cdef vector[vector[int32_t]] rows_of             # depth -> the key of each row (see `head_keys`)
    cdef vector[size_t] positive_of   # depth -> how many rows at the beginning have all keys with positives
    cdef vector[vector[vector[int32_t]]] columns_of  # depth -> own variable -> values
    cdef vector[Shape] shape_of       # depth -> shape
    cdef size_t row_limit             # rows of a table, at most; what is larger is done in blocks of keys ...
    cdef int block_from, block_end    # ... of the head variables of the first literal
    cdef bint limited
    cdef int slice, slices            # of so many slices of these keys, the one that tables are made for (`slices`), ...
    cdef int path_slices              # ... and of how many those of the path are one
    cdef readonly int64_t rows_made
    cdef vector[int32_t] source       # of a join: where each row comes from ...
    cdef vector[int32_t] matched      # ... and the row of the literal's predicate

    def __init__(self, LiteralLists lists, HeadKeys head_keys, size_t row_limit, Room room):
        cdef int depth, depths, choice
        self.room = room
        self.language = lists.language
        self.lists = lists
        self.head_keys = head_keys
        self.row_limit = min(row_limit, MOST_ROWS)
        self.slices = self.path_slices = 1
        self.keys_of.resize(KEY_CHOICES)
        for choice in range(KEY_CHOICES):
            self.keys_of[choice].resize(self.language.nhead)
        depths = self.language.max_body + 2
        self.rows_of.resize(depths)
        self.positive_of.assign(depths, 1)
        self.columns_of.resize(depths)
        self.shape_of.assign(depths, empty_shape(self.language))
        for depth in range(depths):
            self.columns_of[depth].resize(self.language.max_vars)
        self.rows_of[0].push_back(0)  # no head variable is mentioned yet: one key

    cdef int mark_keys(self, int choice, int variable, const vector[uint64_t]& examples) except -1:
        """Chooses the keys of a head variable that one of these examples has."""
        cdef KeyTable* keys = self.head_keys.table(<uint64_t>1 << variable)
        cdef int k, at, example
        self.keys_of[choice][variable].assign(keys.count, 0)
        for k in range(keys.count):
            for at in range(keys.examples_from[k], keys.examples_from[k + 1]):
                example = keys.examples[at]
                if (examples[example >> 6] >> (example & 63)) & 1:
                    self.keys_of[choice][variable][k] = 1
        return 0

    cdef int take_block(self, int start, int end, bint limited) noexcept nogil:
        """Tables are made for these keys of the first literal from now on."""
        self.block_from = start
        self.block_end = end
        self.limited = limited
        return 0

    cdef int take_slice(self, int which, int slices) noexcept nogil:
        """Tables are made for one of so many slices of the keys from now on: for every so many runs of them, one."""
        self.slice = which
        self.slices = slices
        return 0

    cdef int count_keys(self, int first) except -1 nogil:
        """How many keys the table of this literal alone has."""
        return self.head_keys.table(self.language.literals[first].variables & self.language.head).count

    # -- joins ----------------------------------------------------------------------------------------------

    cdef bint build(self, const int32_t* sequence, int count) except -1 nogil:
        """Makes the tables of a sequence of literals, from where it leaves the sequence before.

        False when one of them has more rows than there is memory for.
        """
        cdef int i = 0
        if self.path_keys != self.keys_for or self.path_slices != self.slices:
            self.path_keys = self.keys_for
            self.path_slices = self.slices
            self.path.clear()
        while i < count and i < <int>self.path.size() and self.path[i] == sequence[i]:
            i += 1
        self.path.resize(i)
        while i < count:
            if not self.join(i + 1, sequence[i]):
                return False
            self.path.push_back(sequence[i])
            i += 1
        return True

    cdef int shape_only(self, const int32_t* sequence, int count) except -1 nogil:
        """Has the shapes of a sequence of literals, as `build` leaves them, without the tables."""
        cdef int i = 0
        while i < count and i < <int>self.path.size() and self.path[i] == sequence[i]:
            i += 1
        self.path.resize(i)
        while i < count:
            self.shape_of[i + 1] = self.shape_of[i]
            add_literal(&self.shape_of[i + 1], &self.language.literals[sequence[i]], self.language.head)
            i += 1
        return 0

    cdef bint join(self, int depth, int literal) except -1 nogil:
        """The table at `depth` from that at `depth - 1` and a literal; False when it is too large."""
        cdef Shape* shape = &self.shape_of[depth]
        cdef vector[int32_t]* rows = &self.rows_of[depth]
        cdef Lookup lookup
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, k
        cdef int found, run
        cdef size_t row, e, most = self.row_limit if self.limited else MOST_ROWS
        cdef const uint8_t* wanted
        cdef bint grows, in_positive = True
        self.prepare(depth - 1, literal, &lookup)
        shape[0] = self.shape_of[depth - 1]
        add_literal(shape, &self.language.literals[literal], self.language.head)
        grows = shape.nvars > self.shape_of[depth - 1].nvars
        wanted = self.wanted_keys(depth)
        run = max(1, min(<int>MOST_RUN, lookup.keys.count // (8 * self.slices)))
        rows.clear()
        self.source.clear()
        self.matched.clear()
        for row in range(lookup.nrows):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                if depth == 1 and not (self.block_from <= k < self.block_end and (wanted == NULL or wanted[k])):
                    continue
                if depth == 1 and self.slices > 1 and k // run % self.slices != self.slice:
                    continue
                if in_positive and (row >= lookup.positive or (depth == 1 and lookup.keys.pos[k] == 0)):
                    in_positive = False
                    self.positive_of[depth] = rows.size()
                load_key(&lookup, row, k, key)
                found = find(lookup.groups, key, &start, &stop)
                if found < 0:  # a lazy index, which is asked for what it does not know
                    found = self.ask(&lookup, key, &start, &stop)
                if found == 0:
                    continue
                if rows.size() + (stop - start) > most:
                    if self.limited:
                        return False
                    with gil:
                        raise MemoryError("a table of one key has more rows than can be numbered")
                if rows.size() + (stop - start) > rows.capacity():
                    self.make_room(rows, stop - start)
                kernel_assert(0 <= k < lookup.keys.count)
                for match in range(start, stop if grows else start + 1):
                    rows.push_back(k)
                    self.source.push_back(<int32_t>row)
                    self.matched.push_back(match)
        if in_positive:
            self.positive_of[depth] = rows.size()
        self.fill_columns(depth, literal, lookup.groups)
        self.rows_made += rows.size()
        return True

    cdef int make_room(self, const vector[int32_t]* rows, size_t more) except -1 nogil:
        """Asks whether there is memory before a table that is full gets some rows more.

        What has been made of it moves; and the rows of one key may be many at once.
        """
        self.room.ask(3 * max(rows.size(), more) * sizeof(int32_t))
        return 0

    cdef const uint8_t* wanted_keys(self, int depth) noexcept nogil:
        """Which keys the first table is made for; NULL for all, and at other depths."""
        cdef uint64_t head = self.shape_of[depth].head_seen
        if self.path_keys == ALL or depth != 1 or head & (head - 1):
            return NULL
        return self.keys_of[self.path_keys][lowest(head)].data()

    cdef int fill_columns(self, int depth, int literal, const Groups* groups) except -1 nogil:
        """The values of a join, when it is known where each row comes from."""
        cdef Literal* lit = &self.language.literals[literal]
        cdef int nvars = self.shape_of[depth - 1].nvars, nhead = self.language.nhead, i, own
        cdef size_t row, n = self.source.size()
        cdef vector[int32_t]* column
        cdef const int32_t* old
        cdef const int32_t* cells
        for own in range(nvars - nhead):
            column = &self.columns_of[depth][own]
            before_growing(self.room, 0, column.capacity(), n, sizeof(int32_t))
            column.resize(n)
            kernel_assert(self.columns_of[depth - 1][own].size() == self.rows_of[depth - 1].size())
            old = self.columns_of[depth - 1][own].data()
            for row in range(n):
                column[0][row] = old[self.source[row]]
        for i in range(lit.arity):
            if lit.args[i] >= nvars:
                column = &self.columns_of[depth][lit.args[i] - nhead]
                before_growing(self.room, 0, column.capacity(), n, sizeof(int32_t))
                column.resize(n)
                cells = groups.cells + i
                for row in range(n):
                    column[0][row] = cells[<Py_ssize_t>self.matched[row] * groups.arity]
        return 0

    # -- looking literals up --------------------------------------------------------------------------------

    cdef int prepare(self, int depth, int literal, Lookup* lookup) except -1 nogil:
        """How a literal is looked up from the rows at `depth`."""
        cdef Literal* lit = &self.language.literals[literal]
        cdef int nvars = self.shape_of[depth].nvars, nhead = self.language.nhead, i, v, n = 0
        cdef size_t place = nvars * self.language.literals.size() + literal
        cdef uint64_t mask = self.shape_of[depth].head_seen
        cdef uint64_t larger = mask | (lit.variables & self.language.head)
        lookup.which = self.lists.index_of[place]
        lookup.groups = self.lists.groups_of[place]
        lookup.rows = self.rows_of[depth].data()
        lookup.nrows = self.rows_of[depth].size()
        lookup.positive = self.positive_of[depth]
        lookup.keys = self.head_keys.table(larger)
        lookup.extension = NULL
        if larger != mask:
            lookup.extension = self.head_keys.extension(mask, larger)
        for i in range(lit.arity):
            v = lit.args[i]
            if v < nhead:
                lookup.own[n] = False
                lookup.columns[n] = lookup.keys.values[v].data()
                n += 1
            elif v < nvars:
                lookup.own[n] = True
                lookup.columns[n] = self.columns_of[depth][v - nhead].data()
                n += 1
        lookup.nkeys = n
        return 0

    cdef int measure(self, const Child* child, Lookup* lookup, Columns* columns) except -1 nogil:
        """How a child's literal is looked up, and the columns that its table has."""
        cdef Literal* lit = &self.language.literals[child.literal]
        cdef int i
        self.prepare(child.depth, child.literal, lookup)
        columns.old = child.nvars_before - self.language.nhead
        columns.new = child.shape.nvars - child.nvars_before
        for i in range(columns.old):
            columns.values[i] = self.columns_of[child.depth][i].data()
        for i in range(lit.arity):
            if lit.args[i] >= child.nvars_before:
                columns.new_at[lit.args[i] - child.nvars_before] = i
        return 0

    cdef int ask(self, const Lookup* lookup, const int32_t* key, int32_t* start, int32_t* stop) except -1 nogil:
        """Has a lazy index fetch the rows of a key, and finds them."""
        cdef int i
        with gil:
            (<Index>self.lists.indexes[lookup.which]).fetch(tuple([key[i] for i in range(lookup.nkeys)]))
        return find(lookup.groups, key, start, stop)
