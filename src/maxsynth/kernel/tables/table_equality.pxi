"""Whether a child and a known feature are equal: in their tables and in their standing (see `features`).

A hash (`table_hash`) says which known features may be equal, and gives the columns of each an order, in which those of
the one are those of the other. Here that is checked, so that two features count as equal only if they are.

The table of the known feature K is not there any more, and is not made again. It has all rows in which the literals of K
hold, each once, and how many these are is known. So if the child C has as many rows, and the literals of K hold in
each of them, then the rows of C are among those of K, and are all of them. Literals that K and C share need no
look-up, and one on variables without a new one is looked up once for all rows that C's literal makes of a row: mostly
this is done without going through the rows of C. Where it is not, it costs no more than to make the table of C, which
is what comes next for a child that has no equal.

K's table may have been made for some keys only (*Ties* in `features`), so a row of C must be of one of these. It is. A
literal alone has all keys, and C is no smaller than K. For sealed features and paths the keys depend on the head
variable and on the number of variables, in which the two agree. And the literals of a free feature lead from its
first head variable to another one, so they hold for keys that were chosen only.
"""


cdef struct Feature:
    # A feature that is compared with another one.
    const int32_t* literals           # in the order they are joined
    int count
    int mode                          # FREE, SEALED or PATH
    uint64_t places                   # where the column of each own variable comes (`pack_places`)


cdef struct Standing:
    Shape shape
    int nvars_before                  # variables without the last literal
    uint64_t waiting                  # the literals that wait (a bit for each), and the variables that the rest makes safe
    uint64_t safe
    uint64_t lonely                   # the literals that hold the only occurrence of a variable


cdef enum:  # where the value of a variable is, for a row of a child's table
    HEAD = 0      # by its key
    COLUMN = 1    # in the table of its parent
    CELL = 2      # in a row of its literal


cdef struct Part:
    int kind
    int variable
    int argument


cdef struct Check:
    # A literal that is looked up for each row.
    const Groups* groups
    int nkeys
    Part parts[MAX_ARITY]             # what it is looked up by, and then what a row that is found must have besides
    int count


cdef inline uint64_t pack_places(const int* place, int count) noexcept nogil:
    """Where the column of each of so many variables comes, four bits for each."""
    cdef uint64_t packed = 0
    cdef int i
    for i in range(count):
        packed |= <uint64_t>place[i] << (4 * i)
    return packed


@cython.final
cdef class TableComparison:
    """Compares children of the feature whose tables these are with known features."""

    cdef Language language
    cdef Tables tables
    cdef int names[MAX_VARS]          # variable of the known feature -> of the other one
    cdef vector[Check] checks
    cdef vector[Check] late_checks    # those that need a value which only the child's literal gives

    def __init__(self, Tables tables):
        self.tables = tables
        self.language = tables.language

    # -- the standing ---------------------------------------------------------------------------------------

    cdef bint same_standing(self, const Feature* known, const Feature* other) noexcept nogil:
        """Whether two features agree in all but their tables; says which variable of the one is which of the other."""
        cdef Standing a, b
        cdef int v, w
        self.stand(known, &a)
        self.stand(other, &b)
        if (
            a.shape.nvars != b.shape.nvars or a.shape.head_seen != b.shape.head_seen
            or (known.mode == PATH) != (other.mode == PATH)
            or found_head_types(self.language, &a.shape) != found_head_types(self.language, &b.shape)
            or a.shape.counts != b.shape.counts or a.shape.marks != b.shape.marks
        ):
            return False
        self.name_variables(known, other, a.shape.nvars)
        for v in range(self.language.nhead, a.shape.nvars):
            w = self.names[v]
            if a.shape.types[v] != b.shape.types[w]:
                return False
            if known.mode == PATH and (v >= a.nvars_before) != (w >= b.nvars_before):
                return False
            if not self.language.singletons and (a.shape.occurrences[v] > 1) != (b.shape.occurrences[w] > 1):
                return False
        # Where the head has outputs, which of them a feature makes safe matters even if all of it can be executed: an
        # extension may read them.
        if (a.waiting or b.waiting or self.language.head_outputs) and self.named(a.safe) != b.safe:
            return False
        if not self.same_literals(known, a.waiting, other, b.waiting):
            return False
        return self.language.singletons or self.same_literals(known, a.lonely, other, b.lonely)

    cdef int stand(self, const Feature* feature, Standing* standing) noexcept nogil:
        cdef const Literal* literal
        cdef int i, j, v, last = feature.count - 1
        standing.shape = empty_shape(self.language)
        standing.nvars_before = standing.shape.nvars
        for i in range(feature.count):
            standing.nvars_before = standing.shape.nvars
            add_literal(&standing.shape, &self.language.literals[feature.literals[i]], self.language.head)
        # That has the last literal first; here they are in their order.
        standing.waiting = waiting_literals(self.language, feature.literals, last, feature.literals[last])
        standing.waiting = standing.waiting >> 1 | (standing.waiting & 1) << last
        standing.safe = standing.lonely = 0
        for i in range(feature.count):
            literal = &self.language.literals[feature.literals[i]]
            if not (standing.waiting >> i) & 1:
                standing.safe |= literal.outputs
            for j in range(literal.arity):
                v = literal.args[j]
                if v >= self.language.nhead and standing.shape.occurrences[v] == 1:
                    standing.lonely |= <uint64_t>1 << i
        return 0

    cdef int name_variables(self, const Feature* known, const Feature* other, int nvars) noexcept nogil:
        """A variable of the one is that of the other whose column is at the same place."""
        cdef int nhead = self.language.nhead, v, w
        for v in range(nhead):
            self.names[v] = v
        for v in range(nhead, nvars):
            self.names[v] = -1
        for v in range(nvars - nhead):
            for w in range(nvars - nhead):
                if ((known.places >> (4 * v)) & 15) == ((other.places >> (4 * w)) & 15):
                    self.names[nhead + v] = nhead + w
            kernel_assert(self.names[nhead + v] >= 0)
        return 0

    cdef uint64_t named(self, uint64_t variables) noexcept nogil:
        cdef uint64_t found = 0
        cdef int v
        for v in range(self.language.max_vars):
            if (variables >> v) & 1:
                found |= <uint64_t>1 << self.names[v]
        return found

    cdef bint same_literals(self, const Feature* known, uint64_t some, const Feature* other, uint64_t others) noexcept nogil:
        """Whether some literals of a feature are these others of the other one; a feature has none of them twice."""
        cdef int i, j
        if count_bits(some) != count_bits(others):
            return False
        for i in range(known.count):
            if (some >> i) & 1:
                for j in range(other.count):
                    if (others >> j) & 1 and self.same_literal(known.literals[i], other.literals[j]):
                        break
                else:
                    return False
        return True

    cdef bint same_literal(self, int known, int other) noexcept nogil:
        cdef const Literal* a = &self.language.literals[known]
        cdef const Literal* b = &self.language.literals[other]
        cdef int i
        if a.predicate != b.predicate:
            return False
        for i in range(a.arity):
            if self.names[a.args[i]] != b.args[i]:
                return False
        return True

    # -- the table ------------------------------------------------------------------------------------------

    cdef bint holds(self, const Child* child, const Feature* known, const Feature* other) except -1 nogil:
        """Whether the literals of a known feature hold in the rows of a child, `other`, that has the same standing.

        In those that are there: the keys can be gone through in blocks.
        """
        cdef Lookup lookup
        cdef Columns columns
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, k
        cdef size_t row, e
        cdef bint passed
        self.list_checks(child, known, other)
        if self.checks.size() == 0 and self.late_checks.size() == 0:
            return True
        self.tables.measure(child, &lookup, &columns)
        for row in range(lookup.nrows):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                # Nearly always they are equal: then it need not be known whether the child has rows here.
                passed = passes(&self.checks, &lookup, &columns, row, k, 0)
                if passed and self.late_checks.size() == 0:
                    continue
                load_key(&lookup, row, k, key)
                if find(lookup.groups, key, &start, &stop) <= 0:  # a lazy index was asked for the hash
                    continue
                if not passed:
                    return False
                for match in range(start, stop):
                    if not passes(&self.late_checks, &lookup, &columns, row, k, match):
                        return False
        return True

    cdef int list_checks(self, const Child* child, const Feature* known, const Feature* other) except -1 nogil:
        """What is to be looked up: the literals of the known feature that the other one does not have.

        Every argument has a value then, and there is an index by all of them. But a lazy one would have to be asked: so
        such a literal is looked up as it was for the table of the known feature. What that did not ask for is not there.
        """
        cdef Shape shape = empty_shape(self.language)
        cdef Check check
        cdef Part part
        cdef const Literal* literal
        cdef int i, j, v, bound
        cdef bint asked_for, late
        self.checks.clear()
        self.late_checks.clear()
        for i in range(known.count):
            bound = shape.nvars
            literal = &self.language.literals[known.literals[i]]
            add_literal(&shape, literal, self.language.head)
            for j in range(other.count):
                if self.same_literal(known.literals[i], other.literals[j]):
                    break
            else:
                check.groups = self.tables.lists.groups_of[bound * self.language.literals.size() + known.literals[i]]
                if not check.groups.lazy:
                    bound = self.language.max_vars
                    check.groups = self.tables.lists.groups_of[bound * self.language.literals.size() + known.literals[i]]
                check.nkeys = check.count = 0
                late = False
                for asked_for in (True, False):
                    for j in range(literal.arity):
                        if (literal.args[j] < bound) != asked_for:
                            continue
                        v = self.names[literal.args[j]]
                        part.argument = j
                        if v < self.language.nhead:
                            part.kind, part.variable = HEAD, v
                        elif v < child.nvars_before:
                            part.kind, part.variable = COLUMN, v - self.language.nhead
                        else:
                            part.kind, part.variable = CELL, v - child.nvars_before
                            late = True
                        check.parts[check.count] = part
                        check.count += 1
                        check.nkeys += asked_for
                if late:
                    self.late_checks.push_back(check)
                else:
                    self.checks.push_back(check)
        return 0


cdef inline bint passes(
    const vector[Check]* checks, const Lookup* lookup, const Columns* columns, size_t row, int32_t k, int32_t match
) noexcept nogil:
    """Whether a row passes some checks."""
    cdef const Check* check
    cdef const Part* part
    cdef const int32_t* cells = lookup.groups.cells + <Py_ssize_t>match * lookup.groups.arity
    cdef int32_t values[MAX_ARITY]
    cdef int32_t start = 0, stop = 0
    cdef size_t c
    cdef int i
    for c in range(checks.size()):
        check = &checks[0][c]
        for i in range(check.count):
            part = &check.parts[i]
            if part.kind == HEAD:
                values[i] = lookup.keys.values[part.variable][k]
            elif part.kind == COLUMN:
                values[i] = columns.values[part.variable][row]
            else:
                values[i] = cells[columns.new_at[part.variable]]
        if find(check.groups, values, &start, &stop) <= 0:
            return False
        if check.nkeys < check.count and not is_among(check, values, start, stop):
            return False
    return True


cdef bint is_among(const Check* check, const int32_t* values, int32_t start, int32_t stop) noexcept nogil:
    """Whether one of the rows that were found has the values that it was not looked up by."""
    cdef const int32_t* cells
    cdef int32_t at
    cdef int i
    for at in range(start, stop):
        cells = check.groups.cells + <Py_ssize_t>at * check.groups.arity
        for i in range(check.nkeys, check.count):
            if cells[check.parts[i].argument] != values[i]:
                break
        else:
            return True
    return False
