"""A hash of a feature's table and standing: it says which known features may be equal to it.

Whether they are is found by a comparison (`table_equality`), so a hash that two different tables share by chance, or by
their structure, costs the time of that and nothing else. What must hold is that equal tables have equal hashes. It is
over the set of rows, with columns in the order of a *signature* that does not depend on their names, from a sample of
the keys. Two columns with the same signature may come in either order, which can only miss an equality.

The table is taken as a polynomial modulo 2^64: a number for each key, and for keys of the sample one for each value in
each column, a product for each row, their sum for the table. A literal with one new variable multiplies a row by a sum
over the values of that variable, which is there from prefix sums: so the rows of the child, which can be many times as
many, are not gone through. Only their number is counted as well.

The *standing* is what else decides in which rules a feature can be: its head variables and types, what of it waits to
be executed, what it counts towards limits, and where singletons are forbidden the literals with a variable that occurs
once.
"""


cdef struct TableHash:
    uint64_t signature[MAX_VARS]      # own variable -> what its column is ordered by
    int place[MAX_VARS]               # own variable -> where its column comes
    uint64_t sum
    uint64_t rows                     # of the table


cdef inline void begin_hash(TableHash* hash) noexcept nogil:
    cdef int i
    hash.sum = hash.rows = 0
    for i in range(MAX_VARS):
        hash.signature[i] = 0
        hash.place[i] = i


cdef enum:
    SIGNATURE = MAX_VARS  # a place that no column has


cdef inline uint64_t value_hash(int place, int32_t value) noexcept nogil:
    """A random number for a value in a column."""
    return mix(
        <uint64_t>value * 0x9E3779B97F4A7C15ULL + <uint64_t>place * 0xC2B2AE3D27D4EB4FULL + 0x165667B19E3779F9ULL
    )


@cython.final
cdef class ValueSums:
    """Sums of hashes over the rows of indexes, which several threads share: each is made once, and then stays."""

    cdef mutex lock
    cdef unordered_map[uint64_t, vector[uint64_t]] made     # index, column and place -> the sums

    cdef const uint64_t* of(self, const Groups* groups, int which, int column, int place, Room room) except NULL nogil:
        """The sums of the hashes of a column over the first rows of an index."""
        cdef uint64_t name = (<uint64_t>which * MAX_ARITY + column) * (SIGNATURE + 1) + place
        cdef vector[uint64_t]* known
        cdef vector[uint64_t] sums
        cdef uint64_t sum = 0
        cdef int32_t row
        cdef const uint64_t* found
        self.lock.lock()
        known = &self.made[name]
        found = known.data() if known.size() else NULL
        self.lock.unlock()
        if found != NULL:
            return found
        room.ask((<size_t>groups.nrows + 1) * sizeof(uint64_t))
        sums.reserve(<size_t>groups.nrows + 1)
        for row in range(groups.nrows):
            sums.push_back(sum)
            sum += value_hash(place, groups.cells[<Py_ssize_t>row * groups.arity + column])
        sums.push_back(sum)
        self.lock.lock()
        if known.size() == 0:  # else another thread was faster
            known.swap(sums)
        found = known.data()
        self.lock.unlock()
        return found


@cython.final
cdef class TableHasher:
    """Hashes children of the feature whose tables these are: `sign`, `arrange`, `add_up`, `finish`.

    `sign` and `add_up` add, so that the keys can be gone through in blocks. A `weak` hash is 0 or 1, for tests.
    """

    cdef Language language
    cdef Tables tables
    cdef uint64_t bits                # of a hash that are kept
    cdef ValueSums sums

    def __init__(self, Tables tables, bint weak):
        self.tables = tables
        self.language = tables.language
        self.bits = 1 if weak else ~<uint64_t>0
        self.sums = ValueSums()

    # -- the table ------------------------------------------------------------------------------------------

    cdef int sign(self, const Child* child, TableHash* hash) except -1 nogil:
        """Adds to the signatures of the child's columns: sums over its rows, for a sample of the keys."""
        cdef Lookup lookup
        cdef Columns columns
        cdef const uint64_t* sums[MAX_VARS]
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, k, value
        cdef size_t row, e
        cdef uint64_t base
        cdef int i, found
        self.tables.measure(child, &lookup, &columns)
        if columns.old + columns.new < 2:
            return 0  # one column is in order anyway
        for i in range(columns.new):
            sums[i] = self.value_sums(lookup.groups, lookup.which, columns.new_at[i], SIGNATURE)
        for row in range(lookup.nrows):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                if not lookup.keys.sampled[k]:
                    continue
                load_key(&lookup, row, k, key)
                found = find(lookup.groups, key, &start, &stop)
                if found < 0:  # a lazy index, which is asked for what it does not know
                    found = self.tables.ask(&lookup, key, &start, &stop)
                if found == 0:
                    continue
                base = lookup.keys.hash[k]
                for i in range(columns.old):
                    hash.signature[i] += (
                        base * value_hash(SIGNATURE, columns.values[i][row])
                        * <uint64_t>(stop - start if columns.new else 1)
                    )
                for i in range(columns.new):
                    if sums[i] != NULL:
                        hash.signature[columns.old + i] += base * (sums[i][stop] - sums[i][start])
                        continue
                    for match in range(start, stop):
                        value = lookup.groups.cells[<Py_ssize_t>match * lookup.groups.arity + columns.new_at[i]]
                        hash.signature[columns.old + i] += base * value_hash(SIGNATURE, value)
        return 0

    cdef int arrange(self, const Child* child, TableHash* hash) noexcept nogil:
        """Gives each column of the child its place, by signature."""
        cdef int nhead = self.language.nhead, own = child.shape.nvars - nhead, i, j, c
        cdef int order[MAX_VARS]
        for i in range(own):
            order[i] = i
            hash.signature[i] = mix(
                hash.signature[i] + <uint64_t>(child.shape.types[nhead + i] + 1) * 0x9E3779B97F4A7C15ULL
            )
            if child.mode == PATH:
                hash.signature[i] = mix(hash.signature[i] + (nhead + i >= child.nvars_before))
            if not self.language.singletons:
                hash.signature[i] = mix(hash.signature[i] + (child.shape.occurrences[nhead + i] > 1))
        for i in range(1, own):
            j = i
            while j > 0 and hash.signature[order[j - 1]] > hash.signature[order[j]]:
                c = order[j]
                order[j] = order[j - 1]
                order[j - 1] = c
                j -= 1
        for i in range(own):
            hash.place[order[i]] = i
            kernel_assert(i == 0 or hash.signature[order[i - 1]] <= hash.signature[order[i]])
        return 0

    cdef int add_up(self, const Child* child, TableHash* hash) except -1 nogil:
        """Adds the child's rows to the hash."""
        cdef Lookup lookup
        cdef Columns columns
        cdef const uint64_t* sums = NULL
        cdef const int32_t* cells
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, k
        cdef size_t row, e
        cdef uint64_t product, part, count
        cdef int i, found
        self.tables.measure(child, &lookup, &columns)
        if columns.new == 1:
            sums = self.value_sums(lookup.groups, lookup.which, columns.new_at[0], hash.place[columns.old])
        for row in range(lookup.nrows):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                load_key(&lookup, row, k, key)
                found = find(lookup.groups, key, &start, &stop)
                if found < 0:  # a lazy index, which is asked for what it does not know
                    found = self.tables.ask(&lookup, key, &start, &stop)
                if found == 0:
                    continue
                product = lookup.keys.hash[k]
                count = <uint64_t>(stop - start) if columns.new else 1
                hash.rows += count
                if not lookup.keys.sampled[k]:
                    hash.sum += product * count
                    continue
                for i in range(columns.old):
                    product *= value_hash(hash.place[i], columns.values[i][row])
                if columns.new == 0:
                    hash.sum += product
                    continue
                if sums != NULL:
                    hash.sum += product * (sums[stop] - sums[start])
                    continue
                for match in range(start, stop):
                    cells = lookup.groups.cells + <Py_ssize_t>match * lookup.groups.arity
                    part = product
                    for i in range(columns.new):
                        part *= value_hash(hash.place[columns.old + i], cells[columns.new_at[i]])
                    hash.sum += part
        return 0

    cdef const uint64_t* value_sums(self, const Groups* groups, int which, int column, int place) except? NULL nogil:
        """Sums of the hashes of a column over the first rows of an index. NULL for a lazy one."""
        if groups.lazy:
            return NULL
        return self.sums.of(groups, which, column, place, self.tables.room)

    # -- the standing ---------------------------------------------------------------------------------------

    cdef uint64_t finish(
        self, const Child* child, const int32_t* sequence, uint64_t waiting, const TableHash* hash
    ) noexcept nogil:
        """The hash with the child's standing; `sequence` has its other literals."""
        cdef int own = child.shape.nvars - self.language.nhead, i, c
        cdef uint64_t h = mix(<uint64_t>own + 1)
        h = mix(h + child.shape.head_seen)  # tables over different keys are not compared
        if child.mode == PATH:
            h = mix(h + PATH)
        h = mix(h + found_head_types(self.language, &child.shape))
        h = mix(mix(h + child.shape.counts) + child.shape.marks)
        for c in range(own):
            for i in range(own):
                if hash.place[i] == c:
                    h = mix(h + hash.signature[i])
        if waiting or self.language.head_outputs:
            h = mix(h + self.waiting_hash(child, sequence, waiting, hash.place))
        if not self.language.singletons:
            h = mix(h + self.lonely_hash(child, sequence, hash.place))
        return mix(hash.sum + h) & self.bits

    cdef uint64_t variable_hash(self, int variable, const int* place) noexcept nogil:
        """A variable by its column, whatever it is called."""
        cdef int nhead = self.language.nhead
        return <uint64_t>variable if variable < nhead else 100 + <uint64_t>place[variable - nhead]

    cdef uint64_t literal_hash(self, int literal, const int* place) noexcept nogil:
        """A literal in terms of columns."""
        cdef Literal* lit = &self.language.literals[literal]
        cdef uint64_t h = <uint64_t>lit.predicate + 1
        cdef int i
        for i in range(lit.arity):
            h = mix(h * 31 + self.variable_hash(lit.args[i], place))
        return h

    cdef uint64_t waiting_hash(
        self, const Child* child, const int32_t* sequence, uint64_t waiting, const int* place
    ) noexcept nogil:
        """What of a feature cannot be executed yet (see `waiting_literals`), and which variables are safe.

        Where the head has outputs, which of them a feature makes safe matters even if all of it can be executed: an
        extension may read them.
        """
        cdef uint64_t total = 0, safe = 0
        cdef int step, v, literal
        for step in range(child.depth + 1):
            literal = sequence[step - 1] if step else child.literal
            if (waiting >> step) & 1:
                total += self.literal_hash(literal, place)
            else:
                safe |= self.language.literals[literal].outputs
        for v in range(self.language.max_vars):
            if (safe >> v) & 1:
                total += mix(1000 + self.variable_hash(v, place))
        return mix(total)

    cdef uint64_t lonely_hash(self, const Child* child, const int32_t* sequence, const int* place) noexcept nogil:
        """The literals that hold the only occurrence of a variable.

        Where singletons are forbidden, features with equal tables must agree on these: an extension of one adds a
        literal that the other might have already, and then that variable would still occur only once in it.
        """
        cdef uint64_t total = 0
        cdef int step, i, v, literal
        for step in range(child.depth + 1):
            literal = sequence[step - 1] if step else child.literal
            for i in range(self.language.literals[literal].arity):
                v = self.language.literals[literal].args[i]
                if v >= self.language.nhead and child.shape.occurrences[v] == 1:
                    total += self.literal_hash(literal, place)
                    break
        return mix(total)
