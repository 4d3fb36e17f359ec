"""What bodies cover on the examples: tables of bindings, which each literal extends.

Calls are taken to succeed with any result, so they come as late as they can: a variable that only a call binds is
*open*, and a literal with an open variable is taken to hold. The tables of the body that was last asked for are kept,
up to each of its literals, since the next one mostly begins in the same way.
"""

cdef size_t MOST_ROWS = 20_000  # of a table: a literal that makes more is taken to hold


cdef cppclass Bindings:
    vector[int32_t] example              # of each row
    vector[vector[int32_t]] columns      # the values of each variable; empty for one that has none
    uint64_t bound                       # variables with a column
    uint64_t open                        # variables that only a call binds
    bint exact                           # whether no literal was taken to hold


@cython.final
cdef class BodyTables:

    cdef vector[shared_ptr[Bindings]] tables     # of the literals in `order`, up to each of them, after that of none
    cdef vector[int32_t] order
    cdef bint directed
    cdef int target, nexamples
    cdef uint64_t head, inputs
    cdef object index_of
    cdef dict indexes
    cdef Room room

    def __init__(self, directed, target, arity, inputs, examples, index_of, Room room):
        cdef shared_ptr[Bindings] empty = make_shared[Bindings]()
        self.directed = directed
        self.target = target
        self.head = (<uint64_t>1 << <int>arity) - 1
        self.inputs = inputs
        self.index_of = index_of
        self.indexes = {}
        self.room = room
        self.nexamples = len(examples)
        empty.get().example = range(self.nexamples)
        empty.get().columns.resize(MAX_VARS)
        for i in range(arity):
            empty.get().columns[<int>i] = examples[:, i].tolist()
        # At the head of a rule that is tested, all arguments are given, the outputs too.
        empty.get().bound = self.head
        empty.get().open = 0
        empty.get().exact = True
        self.tables.push_back(empty)

    cdef tuple covers(self, const vector[Literal]& literals, const vector[int32_t]& body):
        """The examples that a body covers, at most, as bits of a whole number; whether it covers just these."""
        cdef vector[int32_t] waiting = body
        cdef vector[uint8_t] bits
        cdef const Bindings* last
        cdef uint64_t safe = self.inputs
        cdef size_t place = 0, row
        cdef int at, example
        while not waiting.empty():
            at = self.next_literal(literals, waiting, safe)
            if place >= self.order.size() or self.order[place] != waiting[at]:
                self.order.resize(place)
                self.tables.resize(place + 1)
                self.tables.push_back(self.extended(self.tables[place].get(), &literals[waiting[at]]))
                self.order.push_back(waiting[at])
            safe |= literals[waiting[at]].variables
            waiting.erase(waiting.begin() + at)
            place += 1
        last = self.tables[place].get()
        bits.resize((self.nexamples + 7) // 8 + 1)
        for row in range(last.example.size()):
            example = last.example[row]
            bits[example >> 3] |= 1 << (example & 7)
        return int.from_bytes(<bytes>(<const char*>bits.data())[:bits.size()], "little"), bool(last.exact)

    cdef int next_literal(self, const vector[Literal]& literals, const vector[int32_t]& waiting, uint64_t safe) except -1:
        """Which literal to take: the first that can run, one that calls nothing if there is one.

        Without directions, every literal that is linked to what was taken can run; and the head is there from the start.
        """
        cdef const Literal* literal
        cdef size_t i
        cdef int call = -1
        for i in range(waiting.size()):
            literal = &literals[waiting[i]]
            if literal.inputs & ~safe if self.directed else not literal.variables & (safe | self.head):
                continue
            if literal.predicate != self.target:
                return <int>i
            if call < 0:
                call = <int>i
        kernel_assert(call >= 0)
        return call

    cdef shared_ptr[Bindings] extended(self, const Bindings* table, const Literal* literal) except *:
        """The table with one more literal."""
        cdef shared_ptr[Bindings] made
        if literal.predicate != self.target and not literal.variables & table.open:
            made = self.joined(table, literal)
            if made:
                return made
        made = make_shared[Bindings](table[0])
        made.get().open |= literal.variables & ~table.bound
        made.get().exact = False
        return made

    cdef shared_ptr[Bindings] joined(self, const Bindings* table, const Literal* literal) except *:
        """The table joined with a literal; nothing where that would be too much or BK cannot be asked."""
        cdef shared_ptr[Bindings] joined = make_shared[Bindings](), nothing
        cdef vector[int32_t] source, matched
        cdef Index index
        cdef int i
        joined.get().columns.resize(MAX_VARS)
        joined.get().bound = table.bound | literal.variables
        joined.get().open = table.open
        joined.get().exact = table.exact
        if not table.example.size():
            return joined
        index = self.index(literal, table.bound)
        if index is None:
            return nothing  # an output of the head may be an input here, whose value only a call gives
        try:
            fetch_missing(table, literal, index)
        except PrologProblem:
            return nothing
        if not match(table, literal, index, source, matched):
            return nothing
        take(self.room, source.size() * (ones(joined.get().bound) + 1) * sizeof(int32_t))
        gather(table.example, source, joined.get().example)
        for i in range(MAX_VARS):
            if table.bound >> i & 1:
                gather(table.columns[i], source, joined.get().columns[i])
        for i in range(literal.arity):
            if not table.bound >> literal.args[i] & 1:
                take_cells(index, i, matched, joined.get().columns[literal.args[i]])
        return joined

    cdef Index index(self, const Literal* literal, uint64_t bound):
        """How to look a literal up where these variables are bound."""
        cdef int i, predicate = literal.predicate
        cdef tuple key = (predicate, tuple([i for i in range(literal.arity) if bound >> literal.args[i] & 1]))
        if key not in self.indexes:
            self.indexes[key] = self.index_of(*key)
        return self.indexes[key]


cdef void load_key(const Bindings* table, const Literal* literal, const vector[int]& columns, size_t row, int32_t* key) noexcept:
    cdef size_t i
    for i in range(columns.size()):
        key[i] = table.columns[literal.args[columns[i]]][row]


cdef int fetch_missing(const Bindings* table, const Literal* literal, Index index) except -1:
    """Has a lazy index ask for all keys of a table that it does not know, at once."""
    cdef vector[int] columns = index.columns
    cdef int32_t key[MAX_ARITY]
    cdef int32_t start = 0, stop = 0
    cdef size_t row
    cdef int i
    if not index.groups.lazy:
        return 0
    missing = {}
    for row in range(table.example.size()):
        load_key(table, literal, columns, row, key)
        if find(&index.groups, key, &start, &stop) < 0:
            missing[tuple([key[i] for i in range(<int>columns.size())])] = None
    if missing:
        index.fetch_all(list(missing))
    return 0


cdef bint match(
    const Bindings* table, const Literal* literal, Index index, vector[int32_t]& source, vector[int32_t]& matched,
) except -1:
    """For each row of a join: the row of the table, and that of the index; False for too many."""
    cdef vector[int] columns = index.columns
    cdef vector[int] others = [
        i for i in range(literal.arity) if table.bound >> literal.args[i] & 1 and i not in index.columns
    ]
    cdef int32_t key[MAX_ARITY]
    cdef int32_t start = 0, stop = 0, at
    cdef size_t row, i
    for row in range(table.example.size()):
        load_key(table, literal, columns, row, key)
        if find(&index.groups, key, &start, &stop) <= 0:
            continue
        for at in range(start, stop):
            for i in range(others.size()):
                if (
                    index.groups.cells[<Py_ssize_t>at * index.groups.arity + others[i]]
                    != table.columns[literal.args[others[i]]][row]
                ):
                    break
            else:
                source.push_back(<int32_t>row)
                matched.push_back(at)
        if source.size() > MOST_ROWS:
            return False
    return True


cdef int gather(const vector[int32_t]& values, const vector[int32_t]& rows, vector[int32_t]& gathered) except -1:
    cdef size_t i
    kernel_assert(rows.empty() or values.size() > 0)
    gathered.resize(rows.size())
    for i in range(rows.size()):
        gathered[i] = values[rows[i]]
    return 0


cdef int take_cells(Index index, int column, const vector[int32_t]& rows, vector[int32_t]& taken) except -1:
    cdef size_t i
    taken.resize(rows.size())
    for i in range(rows.size()):
        taken[i] = index.groups.cells[<Py_ssize_t>rows[i] * index.groups.arity + column]
    return 0
