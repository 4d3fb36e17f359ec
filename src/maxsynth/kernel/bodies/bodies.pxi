"""Growing bodies by a literal at a time, with the table of bindings that each has on the examples.

What the bodies are for, and why growing them so reaches all, is told in `maxsynth.search.programs.bodies`, which sets
this up.
"""

cdef size_t MOST_ROWS = 20_000  # of a table: a literal that makes more is taken to hold


cdef enum:
    NAMED = 200  # bytes for a body, about: its literals, twice, and its name
    FOUND = 500  # bytes for a rule that is found, about, but for what it covers


cdef cppclass Bindings:
    vector[int32_t] example              # of each row
    vector[vector[int32_t]] columns      # the values of each variable; empty for one that is open


cdef cppclass Body:                      # whole or not
    vector[int32_t] literals             # their numbers
    int variables                        # how many the rule has, head counted
    int types[MAX_VARS]                  # of these, -1 where none is known
    uint64_t safe                        # variables with a value once the body has run
    uint64_t open                        # variables that only a call binds
    uint64_t used                        # variables that occur in it
    uint64_t counts                      # of its literals, and their marks (`features/limits`)
    uint64_t marks
    int calls
    bint exact                           # whether it covers all that its table has
    shared_ptr[Bindings] table


@cython.final
cdef class BodyGrower:
    """Bodies of one size, and what makes those of the next.

    `bias` is a `kernel.forms.language.KernelBias`. `literals` are (predicate, arguments, types or -1, input variables as
    bits, may be in a body, counts, marks); the predicates are numbers, the last of which is the target. `index_of(predicate, bound arguments)` says how to look rows up, None if
    that cannot be. `may_miss` are the head variables that
    need not be in the body of a rule: see `is_rule`.
    """

    cdef vector[Literal] literals
    cdef vector[uint8_t] allowed
    cdef vector[vector[int32_t]] next_literals           # for each number of variables, those with new ones in order
    cdef vector[Body] frontier
    cdef unordered_map[string, int32_t] seen             # the name of a body -> its number
    cdef vector[vector[int32_t]] bodies                  # number -> literals
    cdef object index_of
    cdef dict indexes
    cdef int target, arity, nexamples
    cdef uint64_t head, may_miss
    cdef bint directed, singletons
    cdef Limits limits
    cdef readonly int64_t grown                              # bodies tried so far
    cdef Room room

    def __init__(
        self, bias, list literals, uint64_t may_miss, examples, index_of, claim=None,
    ):
        cdef Literal made
        cdef Body empty
        cdef int count, i
        cdef size_t number
        self.room = Room(claim)
        self.arity = bias.head.arity
        self.head = (<uint64_t>1 << self.arity) - 1
        self.directed = bias.directed
        self.may_miss = may_miss
        self.singletons = bias.singletons
        self.limits = Limits(bias.limits)
        self.index_of = index_of
        self.indexes = {}
        for predicate, args, types, inputs, allowed, counts, marks in literals:
            made.predicate = self.target = predicate
            made.arity = len(args)
            made.inputs = inputs
            made.counts = counts
            made.marks = marks
            made.variables = 0
            for i in range(made.arity):
                made.args[i] = args[i]
                made.types[i] = types[i]
                made.variables |= <uint64_t>1 << made.args[i]
            self.literals.push_back(made)
            self.allowed.push_back(allowed)
        self.next_literals.resize(<size_t>(bias.max_vars + 1))
        for count in range(self.arity, bias.max_vars + 1):
            for number in range(self.literals.size()):
                if self.allowed[number] and in_order(&self.literals[number], count):
                    self.next_literals[count].push_back(<int32_t>number)
        empty.variables = self.arity
        for i in range(self.arity):
            empty.types[i] = bias.head.types[i]
        empty.safe = bias.head.inputs
        empty.open = empty.used = empty.counts = empty.marks = 0
        empty.calls = 0
        empty.exact = True
        empty.table = make_shared[Bindings]()
        self.nexamples = len(examples)
        empty.table.get().example = range(self.nexamples)
        empty.table.get().columns = [examples[:, i].tolist() for i in range(self.arity)]
        self.frontier.push_back(empty)

    def grow(self, bint last, should_stop):
        """The bodies with one more literal that make rules, as (literals, calls, covered examples, exact).

        None when it was stopped. After the last size, nothing is kept to grow from.
        """
        cdef vector[Body] longer
        cdef Body grown
        cdef const Body* body
        cdef const Literal* literal
        cdef size_t at, i
        cdef int32_t number
        found = []
        for at in range(self.frontier.size()):
            if should_stop():
                return None
            body = &self.frontier[at]
            for i in range(self.next_literals[body.variables].size()):
                number = self.next_literals[body.variables][i]
                literal = &self.literals[number]
                if self.directed:
                    if literal.inputs & ~body.safe:
                        continue
                elif not literal.variables & ((<uint64_t>1 << body.variables) - 1):
                    continue
                if has(body.literals, number) or not self.extend(body, number, &grown):
                    continue
                if self.is_rule(&grown):
                    take(self.room, self.nexamples + FOUND)
                    found.append(self.found(&grown))
                if not last:
                    before_growing(self.room, longer.size(), longer.capacity(), 1, sizeof(Body))
                    longer.push_back(grown)
        self.frontier.swap(longer)
        return found

    cdef bint extend(self, const Body* body, int32_t number, Body* grown) except -1:
        """Makes the body with one more literal; False where its types do not fit, it has too much of something that the
        bias limits, or it was there before."""
        cdef const Literal* literal = &self.literals[number]
        cdef uint64_t before = (<uint64_t>1 << body.variables) - 1, known = body.safe if self.directed else before
        cdef string name
        grown.literals = body.literals
        grown.literals.push_back(number)
        grown.variables = body.variables
        while literal.variables >> grown.variables:
            grown.variables += 1
        grown.counts = body.counts + literal.counts
        grown.marks = body.marks | literal.marks
        if not with_types(body, literal, grown) or self.limits.exceeded(grown.counts, grown.marks):
            self.grown += 1
            return False
        canonical(self.literals, grown.literals, self.arity, name)
        if self.seen.count(name):
            return False
        self.grown += 1
        take(self.room, NAMED + sizeof(Body))
        self.seen[name] = <int32_t>self.bodies.size()
        self.bodies.push_back(grown.literals)
        grown.safe = body.safe | literal.variables
        grown.used = body.used | literal.variables
        grown.open = body.open
        grown.calls = body.calls + (literal.predicate == self.target)
        grown.table = body.table
        grown.exact = body.exact
        if literal.predicate == self.target:
            # At the head of a rule that is tested, all arguments of the target are given, the outputs too.
            grown.open |= literal.variables & ~known & ~self.head
            grown.exact = False
        elif literal.variables & body.open or not self.join(body, literal, grown):
            grown.open |= literal.variables & ~before
            grown.exact = False
        return True

    def parents(self, vector[int32_t] body):
        """The bodies with one literal less, as they were found. (Not all of them need be bodies of the space.)"""
        cdef vector[int32_t] rest
        cdef string name
        cdef size_t left_out
        parents = []
        for left_out in range(body.size()):
            rest = body
            rest.erase(rest.begin() + left_out)
            canonical(self.literals, rest, self.arity, name)
            if self.seen.count(name):
                parents.append(tuple(self.bodies[self.seen[name]]))
        return parents

    # -- rules ----------------------------------------------------------------------------------------------

    cdef bint is_rule(self, const Body* body) noexcept:
        """The conditions on a rule that growing does not ensure."""
        cdef uint64_t seen = self.head, twice = 0
        cdef size_t i
        cdef int variable, count
        if self.head & ~body.used & ~self.may_miss:
            return False
        if not self.singletons:
            for i in range(body.literals.size()):
                twice |= seen & self.literals[body.literals[i]].variables
                seen |= self.literals[body.literals[i]].variables
            if twice != seen:
                return False
        for i in range(self.limits.types.size()):
            count = 0
            for variable in range(body.variables):
                count += body.types[variable] == self.limits.types[i].type
            if not self.limits.types[i].least <= count <= self.limits.types[i].most:
                return False
        if not self.limits.has_required(body.marks):
            return False
        return not self.directed or self.is_connected(body)

    cdef bint is_connected(self, const Body* body) noexcept:
        cdef uint64_t reached = 0, more = self.head
        cdef size_t i
        while reached != more:
            reached = more
            for i in range(body.literals.size()):
                if self.literals[body.literals[i]].variables & more:
                    more |= self.literals[body.literals[i]].variables
        for i in range(body.literals.size()):
            if not self.literals[body.literals[i]].variables & reached:
                return False
        return True

    cdef tuple found(self, const Body* body):
        covers = np.zeros(self.nexamples, np.bool_)
        cdef uint8_t[::1] view = covers.view(np.uint8)
        cdef size_t row
        for row in range(body.table.get().example.size()):
            view[body.table.get().example[row]] = 1
        return tuple(body.literals), body.calls, covers, bool(body.exact)

    # -- tables ---------------------------------------------------------------------------------------------

    cdef bint join(self, const Body* body, const Literal* literal, Body* grown) except -1:
        """Makes the table with a literal; False where that would be too much or BK cannot be asked."""
        cdef const Bindings* table = body.table.get()
        cdef shared_ptr[Bindings] joined = make_shared[Bindings]()
        cdef vector[int32_t] source, matched
        cdef Index index
        cdef int i
        joined.get().columns.resize(grown.variables)
        if table.example.size():
            index = self.index(literal, body.variables)
            if index is None:
                return False  # an output of the head may be an input here, whose value only a call gives
            try:
                fetch_missing(table, literal, index)
            except PrologProblem:
                return False
            if not match(table, literal, body.variables, index, source, matched):
                return False
            take(self.room, source.size() * (grown.variables + 1) * sizeof(int32_t))
            gather(table.example, source, joined.get().example)
            for i in range(<int>table.columns.size()):
                if table.columns[i].size():
                    kernel_assert(table.columns[i].size() == table.example.size())
                    gather(table.columns[i], source, joined.get().columns[i])
            for i in range(literal.arity):
                if literal.args[i] >= body.variables:
                    take_cells(index, i, matched, joined.get().columns[literal.args[i]])
        grown.table = joined
        return True

    cdef Index index(self, const Literal* literal, int variables):
        """How to look a literal up after a body with so many variables."""
        cdef int i, predicate = literal.predicate
        cdef tuple key = (predicate, tuple([i for i in range(literal.arity) if literal.args[i] < variables]))
        if key not in self.indexes:
            self.indexes[key] = self.index_of(*key)
        return self.indexes[key]


cdef bint in_order(const Literal* literal, int count) noexcept:
    """Whether the variables of a literal that are new to a rule with so many come in the order of their numbers."""
    cdef int i
    for i in range(literal.arity):
        if literal.args[i] >= count:
            if literal.args[i] != count:
                return False
            count += 1
    return True


cdef bint has(const vector[int32_t]& numbers, int32_t wanted) noexcept:
    cdef size_t i
    for i in range(numbers.size()):
        if numbers[i] == wanted:
            return True
    return False


cdef bint with_types(const Body* body, const Literal* literal, Body* grown) noexcept:
    """Whether a literal fits the types of a body; sets those of the two together."""
    cdef int i, variable
    for i in range(grown.variables):
        grown.types[i] = body.types[i] if i < body.variables else -1
    for i in range(literal.arity):
        variable = literal.args[i]
        if literal.types[i] < 0:
            continue
        if grown.types[variable] < 0:
            grown.types[variable] = literal.types[i]
        elif grown.types[variable] != literal.types[i]:
            return False
    return True


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
    const Bindings* table, const Literal* literal, int variables, Index index,
    vector[int32_t]& source, vector[int32_t]& matched,
) except -1:
    """For each row of a join: the row of the table, and that of the index; False for too many."""
    cdef vector[int] columns = index.columns
    cdef vector[int] others = [
        i for i in range(literal.arity) if literal.args[i] < variables and i not in index.columns
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
