"""Indexes over tables of term ids: from the values of some columns to the rows that have them.

The rows are stored grouped by key. With one key column a group is found by an array look-up (ids are small integers);
with two by the ranks of both, where that table is small, or by going through the rows of the first, where these are
few, or else by open addressing with the keys in the slots; with more by open addressing. A *sparse* index has one key column,
and finds groups by open addressing as well: a table for each of thousands of constants, each with some rows of a large
one, would otherwise have an array for all ids of that. A *lazy* index starts empty
and asks for the rows of a key when that key is first looked up; what it was told it keeps, so nothing is asked twice.
"""

# Limits, which tests make small (`set_limit`): each says when another form of index is taken.
cdef int RUN = 16  # rows for a first key, at most, that are gone through: they lie together, a hash table is all over
cdef int64_t DENSE = 256  # pairs that a small table of all pairs may have in any case


cdef int32_t least_of(const int32_t[:, ::1] rows) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef int32_t least = 0
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            least = min(least, rows[i, j])
    return least


@cython.final
cdef class Index:
    """The rows of a table (int32, one row a tuple) by the columns `columns`, or lazily by `ask(key)`.

    `ask_all(keys)` answers for many keys at once, where that is quicker. Only what finds rows by `find` and `is_present`
    may have a sparse one.
    """

    def __init__(self, int arity, tuple columns, rows=None, ask=None, ask_all=None, *, bint sparse=False):
        self.columns = columns
        self.groups.arity = arity
        self.groups.nkeys = len(columns)
        self.ask = ask
        self.ask_all = ask_all
        self.groups.lazy = ask is not None
        self.groups.sparse = sparse and len(columns) == 1
        self.groups.mask = 15
        if self.groups.nkeys == 2:
            self.pairs.assign(4 * 16, -1)
        if rows is not None:
            self.build(np.ascontiguousarray(rows, dtype=np.int32))
        self.point()
        if CHECKED and not self.groups.lazy:
            self.check()

    def build(self, rows):
        """Has the rows in the order of their keys; within a group they keep their own."""
        cdef const int32_t[:, ::1] view = rows
        cdef const int32_t[::1] order
        cdef vector[int32_t] columns = self.columns, ends
        cdef int n = len(rows), arity = self.groups.arity
        cdef int i, j
        if n == 0:
            return
        if least_of(view) < 0:
            raise IndexError("a row has a number that is not the id of a term")
        order = sorted_order(rows, self.columns)
        with nogil:
            self.cells.resize(<size_t>n * arity)
            for i in range(n):
                for j in range(arity):
                    self.cells[<size_t>i * arity + j] = view[order[i], j]
            if columns.size():
                self.find_ends(columns, n, ends)
        if columns.size() == 2:
            keys = np.array(<int32_t[:n, :arity]>self.cells.data())[:, list(self.columns)]
            self.make_dense(keys, <int>ends.size() - 1)
            if self.dense.size() == 0:
                self.make_runs(keys[:, 0])
        if columns.size():
            with nogil:
                self.add_groups(columns, ends)

    cdef int find_ends(self, const vector[int32_t]& columns, int n, vector[int32_t]& ends) except -1 nogil:
        """Where each group of rows begins, and the last one ends."""
        cdef const int32_t* row
        cdef size_t k
        cdef int i, arity = self.groups.arity
        ends.push_back(0)
        for i in range(1, n):
            row = self.cells.data() + <size_t>i * arity
            for k in range(columns.size()):
                if row[columns[k]] != (row - arity)[columns[k]]:
                    ends.push_back(i)
                    break
        ends.push_back(n)
        return 0

    cdef int add_groups(self, const vector[int32_t]& columns, const vector[int32_t]& ends) except -1 nogil:
        """Lets each group be found by its key."""
        cdef int nkeys = self.groups.nkeys, arity = self.groups.arity, second = 1 - columns[0]
        cdef vector[int32_t] key
        cdef size_t g, k
        cdef const int32_t* row
        cdef bint marked = nkeys <= 2 and not self.groups.sparse
        key.resize(nkeys)
        if marked:
            self.make_marks(columns)
        if marked and nkeys == 1:  # the last group has the largest key
            row = self.cells.data() + <size_t>ends[ends.size() - 2] * arity
            self.direct.assign(2 * (<size_t>row[columns[0]] + 1), -1)
        for g in range(ends.size() - 1):
            row = self.cells.data() + <size_t>ends[g] * arity
            for k in range(columns.size()):
                key[k] = row[columns[k]]
            if marked:
                self.present[key[0] >> 6] |= <uint64_t>1 << (key[0] & 63)
                self.present_too[key[nkeys - 1] >> 6] |= <uint64_t>1 << (key[nkeys - 1] & 63)
            self.add_group(key.data(), ends[g], ends[g + 1] - ends[g])
        if marked and nkeys == 1 and arity == 2 and self.groups.most == 1:
            self.function.assign(self.direct.size() // 2, -1)
            for g in range(ends.size() - 1):
                row = self.cells.data() + 2 * g
                self.function[row[columns[0]]] = row[second]
        return 0

    cdef int make_marks(self, const vector[int32_t]& columns) except -1 nogil:
        """Room for a mark for every id up to the largest of a key."""
        cdef int32_t most = 0
        cdef size_t row, k
        for row in range(self.cells.size() // self.groups.arity):
            for k in range(columns.size()):
                most = max(most, self.cells[row * self.groups.arity + columns[k]])
        self.present.assign(most // 64 + 1, 0)
        self.present_too.assign(most // 64 + 1, 0)
        return 0

    cdef int make_dense(self, keys, int groups) except -1:
        """Lets all pairs of keys have a place of their own, where that takes little more room than a hash table."""
        cdef int32_t key, rank
        if int(keys[:, 0].max()) + int(keys[:, 1].max()) > 16 * groups + SPREAD:
            return 0
        firsts, seconds = (np.flatnonzero(np.bincount(keys[:, column])) for column in (0, 1))
        if len(firsts) * len(seconds) > 8 * groups + DENSE:
            return 0
        self.groups.nfirst = firsts[len(firsts) - 1] + 1
        self.groups.nsecond = seconds[len(seconds) - 1] + 1
        self.groups.width = len(seconds)
        self.rank.assign(self.groups.nfirst + self.groups.nsecond, -1)
        for rank, key in enumerate(firsts):
            self.rank[key] = rank
        for rank, key in enumerate(seconds):
            self.rank[self.groups.nfirst + key] = rank
        self.dense.assign(2 * len(firsts) * len(seconds), 0)
        return 0

    cdef int make_runs(self, firsts) except -1:
        """Lets a pair of keys be found among the rows of the first, where these are few."""
        if int(firsts[len(firsts) - 1]) > 16 * len(firsts) + SPREAD:
            return 0
        counts = np.bincount(firsts)
        if counts.max() > RUN:
            return 0
        self.runs = np.concatenate([[0], np.cumsum(counts)]).tolist()
        self.groups.nfirst = len(counts)
        self.groups.second = self.columns[1]
        return 0

    cdef int check(self) except -1:
        """Asserts that every row of a table is found by its key, among rows that all have that key."""
        cdef vector[int32_t] columns = self.columns, key
        cdef int32_t start = 0, stop = 0, row, other
        cdef size_t i
        key.resize(columns.size() + 1)
        for row in range(self.groups.nrows):
            for i in range(columns.size()):
                key[i] = self.cells[<size_t>row * self.groups.arity + columns[i]]
            kernel_assert(find(&self.groups, key.data(), &start, &stop) == 1)
            kernel_assert(start <= row < stop)
            if row == start:
                for other in range(start, stop):
                    for i in range(columns.size()):
                        kernel_assert(self.cells[<size_t>other * self.groups.arity + columns[i]] == key[i])
        return 0

    cdef int point(self) except -1:
        """Makes the pointers in `groups` true again after the vectors changed."""
        cdef int i
        self.groups.cells = self.cells.data()
        self.groups.nrows = <int32_t>(self.cells.size() // max(1, self.groups.arity))
        if self.groups.nkeys == 0 and not self.groups.lazy:
            self.groups.most = self.groups.nrows
        self.groups.direct = self.direct.data()
        self.groups.ndirect = <int32_t>(self.direct.size() // 2)
        self.groups.present = self.present.data()
        self.groups.present_too = self.present_too.data()
        self.groups.npresent = <int32_t>self.present.size() * 64
        self.groups.function = self.function.data() if self.function.size() else NULL
        self.groups.pairs = self.pairs.data()
        self.groups.dense = self.dense.data() if self.dense.size() else NULL
        self.groups.rank = self.rank.data()
        self.groups.runs = self.runs.data() if self.runs.size() else NULL
        self.groups.slots = &self.slots
        self.groups.group_from = self.group_from.data()
        self.groups.group_count = self.group_count.data()
        self.groups.group_keys = self.group_keys.data()
        return 0

    cdef int add_group(self, const int32_t* key, int32_t start, int32_t count) except -1 nogil:
        cdef int i
        cdef uint64_t at
        self.ngroups += 1
        self.groups.most = max(self.groups.most, count)
        if self.groups.nkeys == 1 and not self.groups.sparse:
            if 2 * <size_t>key[0] + 2 > self.direct.size():
                self.direct.resize(max(2 * <size_t>key[0] + 2, self.direct.size() * 2), -1)
            self.direct[2 * key[0]] = start
            self.direct[2 * key[0] + 1] = count
            return 0
        if self.runs.size():
            return 0
        if self.dense.size():
            at = <uint64_t>self.rank[key[0]] * self.groups.width + self.rank[self.groups.nfirst + key[1]]
            self.dense[2 * at] = start
            self.dense[2 * at + 1] = count
            return 0
        if self.groups.nkeys == 2:
            self.add_pair(key, start, count)
            return 0
        self.slots.add(hash_cells(key, self.groups.nkeys), <int32_t>self.group_from.size())
        self.group_from.push_back(start)
        self.group_count.push_back(count)
        for i in range(self.groups.nkeys):
            self.group_keys.push_back(key[i])
        return 0

    cdef int add_pair(self, const int32_t* key, int32_t start, int32_t count) except -1 nogil:
        """A table of its own, not `Slots`: with the keys in the slots, a pair is found in one line of memory.

        Among a million pairs that takes 22 ns instead of 34 ns; up to 100,000 or so, there is no difference.
        """
        cdef vector[int32_t] old
        cdef size_t slot
        if <uint64_t>self.ngroups * 2 > self.groups.mask:
            old.swap(self.pairs)
            self.groups.mask = 4 * self.groups.mask + 3
            self.pairs.assign(4 * (self.groups.mask + 1), -1)
            for slot in range(old.size() // 4):
                if old[4 * slot] >= 0:
                    self.put_pair(old[4 * slot], old[4 * slot + 1], old[4 * slot + 2], old[4 * slot + 3])
        self.put_pair(key[0], key[1], start, count)
        return 0

    cdef void put_pair(self, int32_t first, int32_t second, int32_t start, int32_t count) noexcept nogil:
        cdef int32_t* slot
        cdef int32_t[2] key
        cdef uint64_t at
        key[0] = first
        key[1] = second
        at = hash_cells(key, 2) & self.groups.mask
        while self.pairs[4 * at] >= 0:
            at = (at + 1) & self.groups.mask
        slot = self.pairs.data() + 4 * at
        slot[0], slot[1], slot[2], slot[3] = first, second, start, count

    def checked(self, tuple key):
        """A key that somebody gave from Python, if it is one."""
        if len(key) != self.groups.nkeys or any([value < 0 for value in key]):
            raise IndexError(f"{key} is not a key of {self.groups.nkeys}")
        return key

    def put(self, tuple key, rows):
        """Tells a lazy index all rows of a key (whole tuples; distinct)."""
        cdef vector[int32_t] cells = self.checked(key)
        cdef int32_t start = <int32_t>(self.cells.size() // max(1, self.groups.arity))
        cdef int32_t count = 0
        for row in rows:
            if len(row) != self.groups.arity:
                raise IndexError(f"{row} is not a row of {self.groups.arity}")
            for cell in row:
                self.cells.push_back(cell)
            count += 1
        if self.cells.size() // max(1, self.groups.arity) > 0x7FFFFFFF:
            raise MemoryError("an index has more rows than can be numbered")
        self.add_group(cells.data(), start, count)
        self.asked.insert(self.asked.end(), cells.begin(), cells.end())
        self.asked.push_back(count)
        self.point()

    cpdef int fetch(self, tuple key) except -1:
        """Asks for the rows of a key that was looked up for the first time."""
        self.put(key, self.ask(key))
        return 0

    cpdef int fetch_all(self, list keys) except -1:
        """`fetch` for many keys, which are distinct."""
        if self.ask_all is None:
            for key in keys:
                self.fetch(key)
        else:
            for key, rows in zip(keys, self.ask_all(keys)):
                self.put(key, rows)
        return 0

    def knows(self, tuple key):
        """Whether the rows of this key are here already (always so when the index is not lazy)."""
        cdef vector[int32_t] cells = self.checked(key)
        cdef int32_t start, stop
        return find(&self.groups, cells.data(), &start, &stop) >= 0

    def rows(self, tuple key):
        """The rows of a key, as tuples."""
        cdef vector[int32_t] cells = self.checked(key)
        cdef int32_t start = 0, stop = 0
        cdef int i, j, arity = self.groups.arity
        cdef int found = find(&self.groups, cells.data(), &start, &stop)
        if found < 0:
            self.fetch(key)
            found = find(&self.groups, cells.data(), &start, &stop)
        if not found:
            return []
        return [tuple([self.cells[<size_t>i * arity + j] for j in range(arity)]) for i in range(start, stop)]

    def fanout(self):
        """Rows for a key, on average, for ordering joins; a guess of one while nothing is known."""
        if self.groups.nkeys == 0 and not self.groups.lazy:
            return <double>self.groups.nrows
        return <double>self.groups.nrows / self.ngroups if self.ngroups else 1.0
