"""Testing features whose tables are too large to be made.

Where many things share a value (a *hub*: a gender, a part of speech), a feature that goes through it has a row for every
pair of them. No such row is needed to tell which keys the feature covers: it is enough that one exists. So here it is
looked for key by key, and the parts that do not depend on the key are worked out once for all keys:

- **Branches.** A variable v that occurs in no literal with a head variable, and beside one other variable u only, is the
  end of a branch. For each value of u it is known how many values v has there, whatever the key and the other
  variables are. These numbers, the *message* from v to u, take its place; then u may be the end of a branch in turn. A
  message takes one pass over the rows of a predicate, and many features have the same branches.
- **The core** is what remains: variables that a head variable is beside, cycles, and what connects them. Its literals are
  joined key by key, those with the fewest rows first, up to the first row in which every message says that there is one.

The number of rows of the whole table, where it is asked for, is the sum over the rows of the core of the product of
their messages. It is exact up to `MANY`, where it stops.

What comes after some literals of the core often depends on one or two values only, of all that are known by then. It is
remembered for these, since the same values are met again, with other keys too.

Of a path (*Ties* in `features`) it is asked for which positives it can lead on. Its end is in the core then, and is
looked at once for each value that it has for a key.
"""


cdef uint64_t MANY = <uint64_t>1 << 62  # rows: so many, or more

cdef int64_t PACE = 1 << 20  # rows that are gone through between two looks whether to stop

cdef size_t MOST_CELLS = 1 << 22  # of messages that are kept
cdef size_t MOST_REMEMBERED = 1 << 18


cdef struct Step:
    # A literal of the core, looked up by values that are known by then.
    const Groups* groups
    int nkeys
    int source[MAX_ARITY]             # variables it is looked up by
    int depends[2]                    # variables that all depends on from here on, ...
    int remembered                    # ... and how many these are, where that is remembered; else 0
    int new                           # how many variables it gives, which, and where they are in its rows
    int variable[MAX_ARITY]
    int new_at[MAX_ARITY]


cdef struct Rows:
    # Of a predicate, by arguments that are bound.
    const Groups* groups              # NULL where they are not all known
    double fanout                     # rows for a key, on average


cdef inline uint64_t times(uint64_t a, uint64_t b) noexcept nogil:
    return MANY if b and a > MANY // b else min(a * b, MANY)


@cython.final
cdef class WideTest:
    """Tests features by their literals alone."""

    cdef Language language
    cdef LiteralLists lists
    cdef HeadKeys head_keys
    cdef ExampleWeights weights
    cdef Room room
    cdef unordered_map[uint64_t, Rows] rows         # predicate and bound arguments -> its rows by these
    cdef map[vector[int32_t], int32_t] places       # the code of a branch -> the place of its message
    cdef vector[vector[uint64_t]] messages
    cdef size_t cells
    # The feature at hand.
    cdef vector[Step] steps
    cdef vector[Remembered] memory    # step -> values that it depends on -> the rows from there on
    cdef size_t remembered
    cdef vector[vector[int32_t]] branches   # variable -> its messages
    cdef int32_t value[MAX_VARS]
    cdef int64_t work
    cdef int64_t most_work            # with more than this, the rows of a key are not known
    cdef bint one                     # whether one row is enough
    # The path at hand, for one key.
    cdef CoverageTest coverage_test
    cdef int first, end, literals_left, turn
    cdef int32_t key, left
    cdef uint64_t mask                # head variables that it mentions

    def __init__(self, Tables tables, ExampleWeights weights, CoverageTest coverage_test):
        self.coverage_test = coverage_test
        self.language = tables.language
        self.lists = tables.lists
        self.head_keys = tables.head_keys
        self.weights = weights
        self.room = tables.room
        self.branches.resize(MAX_VARS)

    # -- what a feature is made of --------------------------------------------------------------------------

    cdef bint take_apart(self, const int32_t* sequence, int count, int last, uint64_t kept=0) except -1 nogil:
        """Splits a sequence of literals with one more into branches and core, with the variables `kept` in the core.

        False where that cannot be done.
        """
        cdef int i, v
        cdef uint64_t others, alive = 0, head = self.language.head
        cdef bint found = True
        cdef vector[const Literal*] literals, here
        for i in range(count):
            literals.push_back(&self.language.literals[sequence[i]])
        literals.push_back(&self.language.literals[last])
        if self.cells > MOST_CELLS:
            self.messages.clear()
            self.places.clear()
            self.cells = 0
        self.mask = 0
        for i in range(<int>literals.size()):
            self.mask |= literals[i].variables & head
            alive |= literals[i].variables & ~head
        for v in range(MAX_VARS):
            self.branches[v].clear()
        while found:
            found = False
            for v in range(self.language.nhead, MAX_VARS):
                if not (alive >> v) & 1 or (kept >> v) & 1:
                    continue
                others = 0
                for i in range(<int>literals.size()):
                    if (literals[i].variables >> v) & 1:
                        others |= literals[i].variables
                # Of what was beside it, that which is a branch by now has become a message.
                others &= alive | head
                others &= ~(<uint64_t>1 << v)
                if others == 0 or others & head or others & (others - 1):
                    continue
                here.clear()
                for i in range(<int>literals.size()):
                    if (literals[i].variables >> v) & 1 and not literals[i].variables & ~(others | <uint64_t>1 << v):
                        here.push_back(literals[i])
                if not self.add_branch(v, lowest(others), here):
                    continue
                alive &= ~(<uint64_t>1 << v)
                found = True
        here.clear()
        for i in range(<int>literals.size()):
            if not literals[i].variables & ~(alive | head):
                here.push_back(literals[i])
        return self.plan(here)

    cdef bint add_branch(self, int v, int u, const vector[const Literal*]& here) except -1 nogil:
        """Makes the message from a variable to the one that it hangs on; False where it cannot be made."""
        cdef vector[int32_t] unary, binary, code
        cdef vector[int32_t] beyond = self.branches[v]
        cdef map[vector[int32_t], int32_t].iterator known
        cdef const Literal* literal
        cdef int32_t place
        cdef size_t i
        for i in range(here.size()):
            literal = here[i]
            if literal.arity > 2 or self.by(literal.predicate, (1 << literal.arity) - 1).groups == NULL:
                return False
            if literal.arity == 1:
                unary.push_back(literal.predicate)
            elif literal.args[0] == literal.args[1]:
                return False
            else:
                binary.push_back(2 * literal.predicate + (literal.args[1] == u))  # and where u is
        if binary.size() == 0:
            return False
        # What a code says is what decides the message, so equal ones have the same place.
        sort(unary.begin(), unary.end())
        sort(binary.begin(), binary.end())
        sort(beyond.begin(), beyond.end())
        code.push_back(<int32_t>unary.size())
        code.push_back(<int32_t>binary.size())
        code.insert(code.end(), unary.begin(), unary.end())
        code.insert(code.end(), binary.begin(), binary.end())
        code.insert(code.end(), beyond.begin(), beyond.end())
        known = self.places.find(code)
        if known != self.places.end():
            place = dereference(known).second
        else:
            place = <int32_t>self.messages.size()
            self.messages.resize(place + 1)
            self.make_message(self.messages[place], v, unary, binary)
            self.places[code] = place
            self.cells += self.messages[place].size()
        self.branches[u].push_back(place)
        return True

    cdef int make_message(
        self, vector[uint64_t]& message, int v, const vector[int32_t]& unary, const vector[int32_t]& binary
    ) except -1 nogil:
        """`binary`: twice the number of a predicate, and one more where the variable it hangs on comes second."""
        cdef const Groups* groups
        cdef vector[const Groups*] filters, pairs
        cdef vector[int] same
        cdef size_t i, b, least = 0
        cdef int at
        cdef int32_t row, x, y, start, stop
        cdef int32_t key[2]
        cdef uint64_t count
        cdef const int32_t* cells
        for i in range(1, binary.size()):
            if self.by(binary[i] >> 1, 3).groups.nrows < self.by(binary[least] >> 1, 3).groups.nrows:
                least = i
        for i in range(unary.size()):
            filters.push_back(self.by(unary[i], 1).groups)
        for i in range(binary.size()):
            if i != least:
                pairs.push_back(self.by(binary[i] >> 1, 3).groups)
                same.push_back(binary[i] & 1)
        at = binary[least] & 1
        groups = self.by(binary[least] >> 1, 1 << at).groups
        for row in range(groups.nrows):
            cells = groups.cells + 2 * <Py_ssize_t>row
            x = cells[at]
            y = cells[1 - at]
            count = 1
            for i in range(filters.size()):
                if not is_present(filters[i], y):
                    count = 0
                    break
            if count == 0:
                continue
            for i in range(pairs.size()):
                key[same[i]] = x
                key[1 - same[i]] = y
                if not (may_be_present(pairs[i], key[0], key[1]) and find(pairs[i], key, &start, &stop) > 0):
                    count = 0
                    break
            for b in range(self.branches[v].size()):
                if count:
                    count = times(count, self.message(self.branches[v][b], y))
            if count == 0:
                continue
            if <size_t>x >= message.size():
                self.room.ask(2 * (<size_t>x + 1) * sizeof(uint64_t))
                message.resize(max(<size_t>x + 1, 2 * message.size()), 0)
            message[x] = min(MANY, message[x] + count)
        return 0

    cdef uint64_t message(self, int place, int32_t value) noexcept nogil:
        return self.messages[place][value] if <size_t>value < self.messages[place].size() else 0

    cdef const Rows* by(self, int predicate, uint64_t bound) except NULL nogil:
        """The rows of a predicate by the arguments that are bound."""
        cdef uint64_t name = <uint64_t>predicate << MAX_ARITY | bound
        cdef unordered_map[uint64_t, Rows].iterator found = self.rows.find(name)
        if found == self.rows.end():
            with gil:
                self.find_rows(predicate, bound)
            found = self.rows.find(name)
        return &dereference(found).second

    cdef int find_rows(self, int predicate, uint64_t bound) except -1:
        cdef Rows rows
        cdef int i
        cdef Index index = self.lists.index_by(predicate, tuple([i for i in range(MAX_ARITY) if (bound >> i) & 1]))
        rows.groups = &index.groups
        if index.groups.lazy:
            rows.groups = NULL
        rows.fanout = index.fanout()
        self.rows[<uint64_t>predicate << MAX_ARITY | bound] = rows
        return 0

    cdef bint plan(self, vector[const Literal*]& literals) except -1 nogil:
        """The order in which the literals of the core are looked up: next the one with the fewest rows, on average."""
        cdef Step step
        cdef uint64_t known = self.mask, bound, best_bound
        cdef const Rows* rows
        cdef const Rows* best_rows
        cdef const Literal* literal
        cdef double fewest, own
        cdef size_t k, best
        cdef int i
        self.steps.clear()
        while literals.size():
            best = literals.size()
            best_bound = 0
            best_rows = NULL
            fewest = 0
            for k in range(literals.size()):
                literal = literals[k]
                bound = 0
                for i in range(literal.arity):
                    bound |= ((known >> literal.args[i]) & 1) << i
                if not bound:
                    continue
                rows = self.by(literal.predicate, bound)
                if rows.groups == NULL:
                    return False
                own = rows.fanout if bound != (<uint64_t>1 << literal.arity) - 1 else 0
                if best == literals.size() or own < fewest:
                    best, best_bound, best_rows, fewest = k, bound, rows, own
            if best == literals.size():
                return False
            literal = literals[best]
            literals.erase(literals.begin() + best)
            step.groups = best_rows.groups
            step.nkeys = step.new = step.remembered = 0
            for i in range(literal.arity):
                if (best_bound >> i) & 1:
                    step.source[step.nkeys] = literal.args[i]
                    step.nkeys += 1
                else:
                    step.new_at[step.new] = i
                    step.variable[step.new] = literal.args[i]
                    step.new += 1
                    known |= <uint64_t>1 << literal.args[i]
            self.steps.push_back(step)
        self.find_dependencies(known)
        return True

    cdef int find_dependencies(self, uint64_t known) except -1 nogil:
        """Which steps are worth remembering: those after which there is more to do, with fewer values than are known."""
        cdef uint64_t needed = 0, rest
        cdef int i, j, gives = 0
        cdef Step* step
        self.memory.resize(max(self.memory.size(), self.steps.size()))
        self.forget()
        for i in range(<int>self.steps.size() - 1, -1, -1):
            step = &self.steps[i]
            for j in range(step.new):
                known &= ~(<uint64_t>1 << step.variable[j])
                needed &= ~(<uint64_t>1 << step.variable[j])
            for j in range(step.nkeys):
                needed |= <uint64_t>1 << step.source[j]
            gives += step.new
            step.remembered = 0
            rest = needed
            if gives and i and needed != known:
                for j in range(2):
                    if rest:
                        step.depends[j] = lowest(rest)
                        step.remembered += 1
                        rest &= rest - 1
                if rest:
                    step.remembered = 0
        return 0

    # -- going through the keys -----------------------------------------------------------------------------

    cdef uint64_t rows_from(self, size_t number) noexcept nogil:
        """The rows from a step of the plan on, for the values that are known; or 1 for some, if one is enough."""
        cdef Step* step
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, x
        cdef int i
        cdef size_t b
        cdef uint64_t total = 0, count, name = 0
        cdef const uint64_t* known
        if number == self.steps.size():
            return 1
        step = &self.steps[number]
        if step.remembered:
            name = <uint64_t>self.value[step.depends[0]]
            if step.remembered == 2:
                name = name << 32 | <uint64_t>self.value[step.depends[1]]
            known = self.memory[number].find(name)
            if known != NULL:
                return known[0]
        for i in range(step.nkeys):
            key[i] = self.value[step.source[i]]
        if find(step.groups, key, &start, &stop) <= 0:
            return 0
        if step.new == 0:
            return self.rows_from(number + 1)
        self.work += stop - start
        if self.work > self.most_work:
            return 0
        for match in range(start, stop):
            count = 1
            for i in range(step.new):
                x = step.groups.cells[<Py_ssize_t>match * step.groups.arity + step.new_at[i]]
                self.value[step.variable[i]] = x
                for b in range(self.branches[step.variable[i]].size()):
                    if count:
                        count = times(count, self.message(self.branches[step.variable[i]][b], x))
            if count:
                total = min(MANY, total + times(count, self.rows_from(number + 1)))
                if total and self.one:
                    total = 1
                    break
        if step.remembered and self.remembered < MOST_REMEMBERED and self.work <= self.most_work:
            self.memory[number].add(name, total)
            self.remembered += 1
        return total

    cdef int forget(self) except -1 nogil:
        """What is remembered holds for counting rows, or for finding one."""
        cdef size_t i
        for i in range(self.memory.size()):
            self.memory[i].clear()
        self.remembered = 0
        return 0

    cdef uint64_t rows_of_key(self, const KeyTable* keys, int k, int64_t most_work) noexcept nogil:
        """The rows of the feature at hand for a key, or 1 for some; not known if `work` passes `most_work` on the way."""
        cdef int v
        self.most_work = most_work
        for v in range(self.language.nhead):
            if (self.mask >> v) & 1:
                self.value[v] = keys.values[v][k]
        return self.rows_from(0)

    # -- paths ----------------------------------------------------------------------------------------------

    cdef int lead(
        self, const Child* child, int start, int64_t enough, int64_t enough_price, Coverage* coverage
    ) except -2 nogil:
        """`CoverageTest.add_path` without a table, for the path at hand, from the key `start` on.

        Returns the key to go on from, after some work, or -1 when all is done.
        """
        cdef KeyTable* keys = self.head_keys.table(self.mask)
        cdef int k
        cdef int64_t most = self.work + PACE
        cdef const int32_t* near_from
        self.first = lowest(self.mask)
        if self.coverage_test.near_from.size() == 0:
            self.coverage_test.find_near()
        near_from = self.coverage_test.near_from[self.first].data()
        self.literals_left = min(
            self.language.max_body - child.depth - 1, self.language.max_vars - child.shape.nvars + 1
        )
        if start == 0:
            self.turn = self.coverage_test.next_test()
        for k in range(start, keys.count):
            if self.work > most:
                return k
            self.left = near_from[k + 1] - near_from[k]
            if self.left == 0:
                continue
            self.key = k
            self.forget()
            self.value[self.first] = keys.values[self.first][k]
            self.follow(0, coverage)
            if coverage.pos > enough and coverage.price >= enough_price:
                break
        return -1

    cdef int follow(self, size_t number, Coverage* coverage) except -1 nogil:
        """Goes on from a step for one key, until all its positives that are near are known to be led to."""
        cdef Step* step
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match
        cdef int i
        cdef uint64_t name
        if number == self.steps.size():
            return 0
        step = &self.steps[number]
        for i in range(step.nkeys):
            key[i] = self.value[step.source[i]]
        if find(step.groups, key, &start, &stop) <= 0:
            return 0
        self.work += stop - start
        for match in range(start, stop):
            for i in range(step.new):
                self.value[step.variable[i]] = step.groups.cells[
                    <Py_ssize_t>match * step.groups.arity + step.new_at[i]
                ]
            if number + 1 < self.steps.size():
                if self.steps[number + 1].remembered == 1:
                    name = <uint64_t>self.value[self.steps[number + 1].depends[0]]
                    if self.memory[number + 1].find(name) != NULL:
                        continue
                    self.memory[number + 1].add(name, 1)
                self.follow(number + 1, coverage)
            else:
                for i in range(step.new):
                    self.reach(self.value[step.variable[i]], coverage)
            if self.left == 0:
                return 0
        return 0

    cdef int reach(self, int32_t term, Coverage* coverage) except -1 nogil:
        """Which positives of the key the end of the path can lead to from a term."""
        cdef const int32_t* near = self.coverage_test.near[self.first].data()
        cdef const int32_t* near_from = self.coverage_test.near_from[self.first].data() + self.key
        cdef int32_t* tied_at = self.coverage_test.tied_at.data()
        cdef int at, example
        for at in range(near_from[0], near_from[1]):
            example = near[at]
            if tied_at[example] != self.turn and self.coverage_test.ties.reaches(
                self.first, example, term, self.literals_left
            ):
                tied_at[example] = self.turn
                self.left -= 1
                coverage.pos += self.weights.pos[example]
                if self.weights.price.size():
                    coverage.price += self.weights.price[example]
        return 0
