"""Which examples a feature covers, from the table without its last literal: the table itself is not made for that.

A key is covered when one of its rows has a match, and with it all examples of that key. This is the innermost loop of
the search, so what it asks most (one or two parts to look up, no new head variable) is written out.
"""


cdef struct Coverage:
    uint64_t* bits                    # a bit for each example
    int64_t pos                       # weights covered
    int64_t neg
    int64_t price                     # of the positives (`example_weights`)


cdef int64_t NO_PRICE = -(<int64_t>1 << 62)  # that any price is enough

cdef int32_t MOST_TESTS = 0x7FFFFFFF  # numbers of tests

cdef size_t SOME_ROWS = 256  # for more, it is worth it to have another index


cdef inline bint may_match(const Lookup* lookup, size_t row) noexcept nogil:
    """Whether a literal on one own variable and one head variable can hold for a row, whatever its key becomes."""
    cdef int32_t value
    if lookup.nkeys != 2 or lookup.groups.lazy or lookup.own[0] == lookup.own[1]:
        return True
    value = lookup.columns[0][row] if lookup.own[0] else lookup.columns[1][row]
    if value >= lookup.groups.npresent:
        return False
    if lookup.own[0]:
        return (lookup.groups.present[value >> 6] >> (value & 63)) & 1
    return (lookup.groups.present_too[value >> 6] >> (value & 63)) & 1


@cython.final
cdef class CoverageTest:
    """Tests children of the feature whose tables these are."""

    cdef Tables tables
    cdef ExampleWeights weights
    cdef Ties ties                    # None: there are no paths
    cdef int64_t work                 # rows of tables that were gone through, ...
    cdef int64_t made                 # ... and those of tables that were made for it
    cdef int32_t test_number
    cdef vector[int32_t] covered_at   # key -> the last test in which it was covered
    cdef vector[int32_t] tied_at      # example -> the last test in which a path could still cover it
    cdef vector[int32_t] covered_keys
    cdef vector[int32_t] missing_keys         # of those that may be found for a row, the ones that were not ...
    cdef vector[int32_t] value_at             # ... and value -> when it was last met, ...
    cdef int32_t value_turn                   # ... which is now this
    cdef unordered_map[uint64_t, const Groups*] by_own   # see `rows_by_own`; NULL where not all of them are known
    cdef vector[vector[int32_t]] near_from    # head variable -> key of it -> its near positives, from here ...
    cdef vector[vector[int32_t]] near         # ... to the next key's, in this

    def __init__(self, Tables tables, ExampleWeights weights, Ties ties):
        self.tables = tables
        self.weights = weights
        self.ties = ties
        self.covered_at.assign(weights.count + 1, 0)
        self.tied_at.assign(weights.count, 0)

    cdef int add(self, const Child* child, int64_t enough, int64_t enough_price, Coverage* coverage) except -1 nogil:
        """Adds the examples that a child covers; of a path, the positives that a longer one can still cover.

        A path may not cover anything itself. All that is asked of it is whether there are positives of more weight than
        `enough` and of a price of at least `enough_price`: when they are found, the rest is not looked for. Of a feature
        with less than that, which is dead, the negatives are not looked for.
        """
        if child.mode == PATH:
            return self.add_path(child, enough, enough_price, coverage)
        return self.add_feature(child, enough, enough_price, coverage)

    cdef int add_feature(self, const Child* child, int64_t enough, int64_t enough_price, Coverage* coverage) except -1 nogil:
        self.add_positives(child, coverage)
        if coverage.pos > enough and coverage.price >= enough_price:
            self.add_the_rest(child, coverage)
        return 0

    cdef int add_positives(self, const Child* child, Coverage* coverage) except -1 nogil:
        """Adds what a feature covers in the rows whose keys have positives."""
        cdef Lookup lookup
        self.tables.prepare(child.depth, child.literal, &lookup)
        kernel_assert(lookup.keys.count <= <int>self.covered_at.size())
        self.next_test()
        self.find_keys(child, &lookup, 0, lookup.positive)
        self.add_keys(&lookup, coverage)
        return 0

    cdef int add_the_rest(self, const Child* child, Coverage* coverage) except -1 nogil:
        """Adds what it covers in the other rows. No key has rows among both."""
        cdef Lookup lookup
        self.tables.prepare(child.depth, child.literal, &lookup)
        if lookup.positive < lookup.nrows:
            self.next_test()
            self.find_keys(child, &lookup, lookup.positive, lookup.nrows)
            self.add_keys(&lookup, coverage)
        return 0

    cdef int add_keys(self, const Lookup* lookup, Coverage* coverage) noexcept nogil:
        """Adds the examples of the keys that were found."""
        cdef int32_t k, at, example
        cdef size_t i
        for i in range(self.covered_keys.size()):
            k = self.covered_keys[i]
            coverage.pos += lookup.keys.pos[k]
            coverage.neg += lookup.keys.neg[k]
            coverage.price += lookup.keys.price[k]
            for at in range(lookup.keys.examples_from[k], lookup.keys.examples_from[k + 1]):
                example = lookup.keys.examples[at]
                coverage.bits[example >> 6] |= <uint64_t>1 << (example & 63)
        return 0

    cdef int32_t next_test(self) except -1 nogil:
        """The number of a new test. When there are no more, all that is known of earlier tests is forgotten."""
        if self.test_number >= MOST_TESTS:
            self.test_number = 0
            self.covered_at.assign(self.covered_at.size(), 0)
            self.tied_at.assign(self.tied_at.size(), 0)
        self.test_number += 1
        return self.test_number

    cdef int find_keys(self, const Child* child, const Lookup* lookup, size_t begin, size_t end) except -1 nogil:
        """The keys that keep one of these rows and were not found before in this test, in `covered_keys`."""
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, k, number
        cdef int found
        cdef size_t row, e
        cdef int32_t* covered_at
        cdef const int32_t* column
        cdef const int32_t* other
        cdef bint check_pairs = lookup.nkeys == 2 and not lookup.groups.lazy
        number = self.test_number
        self.work += end - begin
        covered_at = self.covered_at.data()
        self.covered_keys.clear()
        if lookup.extension == NULL and lookup.nkeys == 1 and not lookup.groups.lazy and lookup.own[0]:
            column = lookup.columns[0]
            for row in range(begin, end):
                k = lookup.rows[row]
                if covered_at[k] != number and is_present(lookup.groups, column[row]):
                    covered_at[k] = number
                    self.covered_keys.push_back(k)
        elif lookup.extension == NULL and check_pairs:
            column = lookup.columns[0]
            other = lookup.columns[1]
            for row in range(begin, end):
                k = lookup.rows[row]
                if covered_at[k] != number:
                    key[0] = column[row if lookup.own[0] else k]
                    key[1] = other[row if lookup.own[1] else k]
                    if may_be_present(lookup.groups, key[0], key[1]) and find(lookup.groups, key, &start, &stop):
                        covered_at[k] = number
                        self.covered_keys.push_back(k)
        elif lookup.extension != NULL and not lookup.groups.lazy:
            self.find_longer_keys(child, lookup, begin, end)
        else:
            for row in range(begin, end):
                for e in range(first_key(lookup, row), end_key(lookup, row)):
                    k = nth_key(lookup, row, e)
                    if covered_at[k] == number:
                        continue
                    load_key(lookup, row, k, key)
                    found = find(lookup.groups, key, &start, &stop)
                    if found < 0:
                        found = self.tables.ask(lookup, key, &start, &stop)
                    if found:
                        covered_at[k] = number
                        self.covered_keys.push_back(k)
        return 0

    cdef int find_longer_keys(self, const Child* child, const Lookup* lookup, size_t begin, size_t end) except -1 nogil:
        """The same for a literal that mentions a new head variable, which each row is tried with every value of.

        There may be very many of both, as where a feature did not mention the head before. So only those keys are tried
        that are still missing; and where the literal depends on one own variable, each value of it once for them. Where
        it depends on several, a row is left out that no value of the head fits.
        """
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, last = -1, value
        cdef int i, own = 0, owns = 0
        cdef size_t row, e, at
        cdef bint check_pairs = lookup.nkeys == 2
        cdef const Groups* by_own = NULL
        for i in range(lookup.nkeys):
            if lookup.own[i]:
                own = i
                owns += 1
        if owns > 1 and end - begin > SOME_ROWS:
            by_own = self.rows_by_own(child)
        for row in range(begin, end):
            if not may_match(lookup, row):
                continue
            if lookup.rows[row] != last:
                last = lookup.rows[row]
                self.missing_keys.clear()
                for e in range(first_key(lookup, row), end_key(lookup, row)):
                    if self.covered_at[nth_key(lookup, row, e)] != self.test_number:
                        self.missing_keys.push_back(nth_key(lookup, row, e))
                self.next_values()
            if self.missing_keys.size() == 0:
                continue
            if owns == 1:
                value = lookup.columns[own][row]
                if <size_t>value >= self.value_at.size():
                    self.value_at.resize(<size_t>value + 1 + value // 2, 0)
                if self.value_at[value] == self.value_turn:
                    continue
                self.value_at[value] = self.value_turn
            elif by_own != NULL:
                own = 0
                for i in range(lookup.nkeys):
                    if lookup.own[i]:
                        key[own] = lookup.columns[i][row]
                        own += 1
                if find(by_own, key, &start, &stop) == 0:
                    continue
            at = 0
            while at < self.missing_keys.size():
                load_key(lookup, row, self.missing_keys[at], key)
                if (check_pairs and not may_be_present(lookup.groups, key[0], key[1])) or (
                    find(lookup.groups, key, &start, &stop) == 0
                ):
                    at += 1
                    continue
                self.covered_at[self.missing_keys[at]] = self.test_number
                self.covered_keys.push_back(self.missing_keys[at])
                self.missing_keys[at] = self.missing_keys.back()
                self.missing_keys.pop_back()
        return 0

    cdef const Groups* rows_by_own(self, const Child* child) except? NULL nogil:
        """The rows of a child's literal by its own variables that are there already, whatever the head is."""
        cdef uint64_t name = <uint64_t>child.literal * MAX_VARS + child.nvars_before
        cdef unordered_map[uint64_t, const Groups*].iterator found = self.by_own.find(name)
        if found == self.by_own.end():
            with gil:
                self.find_rows_by_own(child, name)
            found = self.by_own.find(name)
        return dereference(found).second

    cdef int find_rows_by_own(self, const Child* child, uint64_t name) except -1:
        cdef const Literal* literal = &self.tables.language.literals[child.literal]
        cdef int i
        cdef Index index = self.tables.lists.index_by(literal.predicate, tuple([
            i for i in range(literal.arity) if self.tables.language.nhead <= literal.args[i] < child.nvars_before
        ]))
        self.by_own[name] = &index.groups
        if index.groups.lazy:
            self.by_own[name] = NULL
        return 0

    cdef int next_values(self) except -1 nogil:
        """No value was met yet, from now on."""
        if self.value_turn >= MOST_TESTS:
            self.value_turn = 0
            self.value_at.assign(self.value_at.size(), 0)
        self.value_turn += 1
        return 0

    cdef int add_path(self, const Child* child, int64_t enough, int64_t enough_price, Coverage* coverage) except -1 nogil:
        """Examples are asked one by one here: whether a path can lead to the end differs within a key."""
        cdef Lookup lookup
        cdef Columns columns
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, example, k, at, number, left = 0, last = -1
        cdef int found
        cdef size_t row, e
        cdef int first = lowest(child.shape.head_seen)
        cdef int own_left = self.tables.language.max_vars - child.shape.nvars
        cdef int steps = min(self.tables.language.max_body - child.depth - 1, own_left + 1)
        cdef const int32_t* near_from
        if self.near_from.size() == 0:
            self.find_near()
        near_from = self.near_from[first].data()
        self.tables.measure(child, &lookup, &columns)
        self.work += lookup.nrows
        number = self.next_test()
        for row in range(lookup.nrows):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                if k != last:
                    last = k
                    left = 0
                    for at in range(near_from[k], near_from[k + 1]):
                        left += self.tied_at[self.near[first][at]] != number
                if left == 0:
                    continue
                load_key(&lookup, row, k, key)
                found = find(lookup.groups, key, &start, &stop)
                if found < 0:
                    found = self.tables.ask(&lookup, key, &start, &stop)
                if found == 0:
                    continue
                for at in range(near_from[k], near_from[k + 1]):
                    example = self.near[first][at]
                    if self.tied_at[example] != number and self.leads_on(
                        first, example, lookup.groups, start, stop, &columns, steps
                    ):
                        self.tied_at[example] = number
                        left -= 1
                        coverage.pos += self.weights.pos[example]
                        if self.weights.price.size():
                            coverage.price += self.weights.price[example]
                        if coverage.pos > enough and coverage.price >= enough_price:
                            return 0
        return 0

    cdef bint leads_on(
        self, int first, int example, const Groups* groups, int32_t start, int32_t stop, const Columns* columns, int steps
    ) noexcept nogil:
        """Whether so many more literals can lead from a new value in one of these rows to the end in an example."""
        cdef int32_t match
        cdef int i
        for match in range(start, stop):
            for i in range(columns.new):
                if self.ties.reaches(
                    first, example, groups.cells[<Py_ssize_t>match * groups.arity + columns.new_at[i]], steps
                ):
                    return True
        return False

    cdef int find_near(self) except -1 nogil:
        """The positives of each key from which a path that begins there can lead to another head variable."""
        cdef int v, k, at, example
        cdef KeyTable* keys
        self.near_from.resize(self.tables.language.nhead)
        self.near.resize(self.tables.language.nhead)
        for v in range(self.tables.language.nhead):
            keys = self.tables.head_keys.table(<uint64_t>1 << v)
            for k in range(keys.count):
                self.near_from[v].push_back(<int32_t>self.near[v].size())
                for at in range(keys.examples_from[k], keys.examples_from[k + 1]):
                    example = keys.examples[at]
                    if self.weights.pos[example] and self.ties.is_near(v, example):
                        self.near[v].push_back(example)
            self.near_from[v].push_back(<int32_t>self.near[v].size())
        return 0
