"""Proofs, all examples at once.

A move of a plan is run for all rows (partial proofs) of all examples before the next move: a few tight loops over
arrays instead of a search for each example, which is several times as fast because nothing has to be guessed. The
price is that no alternative is spared, so this is done within limits, and what does not fit is left to `machine`.

**Rows** are columns of registers, and one column that says which goal a row is to prove. After each move only the
registers that are read later are kept, and neighbours that agree in all of them become one row: so a part of a body
that is done does not multiply the work of the next.

**Calls** make goals. A goal (an adornment with its bound values) is there once; the rows that call it *wait* for it,
and when it gets an answer, each of them goes on with that. This is the least model whatever the cycles: every rule is
applied to every answer of every goal that was asked, exactly once, until nothing is left to do.

**Parts.** A move that would make more rows than `MOST_ROWS` is done for as many rows as fit; the others are set aside, and
are taken up from that move on when these have come to the end of the plan. So the memory is bounded by the moves of a
plan, and what ends a test is its budget alone. (Rows can only be fewer than those of one look-up when that has more.)

A step of the count is one row at one move, as in `machine`.
"""

# Limits, which tests make small: see `set_limit`.
cdef int MOST_ROWS = 1 << 18         # of a move, at a time
cdef int SCANNED = 4                 # a goal with more answers than this has them in a hash table
cdef size_t MOST_CELLS = 0x7FFFFFFF  # of all rows that wait, and of all answers: their places are 32-bit numbers

# What is used together lies together and is small, since most of the time goes into waiting for memory.

cdef struct Goal:
    int waiter           # the first row that waits for it, -1 for none
    int first            # its answers, as a linked list
    int last
    int answers          # how many; for a goal without free arguments 1 says that it is proven


cdef enum:               # a row that waits, in `waiting`:
    SITE = 0             # the call it waits at
    NEXT = 1             # the next one that waits for the same goal, -1 for none
    OWNER = 2            # the goal it is to prove; after that its registers


cdef enum:               # an answer, in `answers`:
    FOLLOWING = 0        # the next answer of the same goal, -1 for none
    ANSWERED = 1         # its goal
    VALUES = 2           # the values of the free arguments


cdef struct Proven:
    int adornment
    int goal


cdef cppclass Part:                  # rows that were set aside
    int move                         # the move of the plan that they are to go on with
    vector[vector[int32_t]] columns


cdef cppclass Table:                 # the goals of an adornment
    vector[Goal] goals
    vector[int32_t] keys             # of all goals, one after the other
    vector[int32_t] single           # where there is one key: its value -> goal + 1
    Slots slots                      # otherwise: keys -> goals
    Slots answer_slots               # answers of goals that have many
    int begun                        # the plans have been run for this many goals


cdef inline uint64_t hash_with(const int32_t* cells, int count, int owner) noexcept nogil:
    cdef uint64_t h
    if count == 2:  # the common case
        h = (<uint64_t>cells[0] << 32 ^ <uint64_t>cells[1]) + <uint64_t>owner * 0xC2B2AE3D27D4EB4FULL
        h *= 0x9E3779B97F4A7C15ULL
        return h ^ (h >> 32)
    h = hash_cells(cells, count) + <uint64_t>owner * 0x9E3779B97F4A7C15ULL
    return h ^ (h >> 31)


cdef inline int new_goal(Table* table, const int32_t* key, int nbound) except -1 nogil:
    cdef int i
    table.goals.push_back(Goal(-1, -1, -1, 0))
    for i in range(nbound):
        table.keys.push_back(key[i])
    return <int>table.goals.size() - 1


cdef inline int goal_of(Table* table, const int32_t* key, int nbound, uint64_t hash) except -1 nogil:
    """The number of a goal, new or known; `hash` is that of its key, where there is not just one."""
    cdef int i, known
    cdef Candidates candidates
    if nbound == 1:
        if table.single.size() <= <size_t>key[0]:
            table.single.resize(2 * <size_t>key[0] + 16, 0)
        known = table.single[key[0]] - 1
        if known < 0:
            known = new_goal(table, key, 1)
            table.single[key[0]] = known + 1
        return known
    candidates = table.slots.candidates(hash)
    known = candidates.next()
    while known >= 0:
        for i in range(nbound):
            if table.keys[<size_t>known * nbound + i] != key[i]:
                break
        else:
            return known
        known = candidates.next()
    known = new_goal(table, key, nbound)
    table.slots.add(hash, known)
    return known


cdef struct Within:
    # A test that looks at some examples first (see `cover_within`).
    const int32_t* rows
    int width
    unsigned char* covered
    unsigned char* unfinished
    const int32_t* ends   # of the parts of the examples, one after the other
    int nparts
    const int64_t* weights   # of the examples, ...
    int64_t enough        # ... and the weight of those that are missed which ends the test before a part
    int64_t steps         # for each example, on average
    int64_t asking
    int part              # which comes next
    int64_t taken         # steps


@cython.final
cdef class Batch:
    """Runs one compiled program on many examples; then another one, where it is told to."""

    cdef Plans owner
    cdef Compiled* program
    cdef readonly int part               # of `cover_within`, which is next, ...
    cdef readonly int64_t steps          # ... and those that it took
    cdef int64_t count
    cdef int64_t budget
    cdef int64_t asking
    cdef bint may_ask                    # whether BK may be asked; where not, a test that has to ends, ...
    cdef bint lacks                      # ... and this tells that
    # rows: a column for each register, and one more for the goal
    cdef vector[vector[int32_t]] columns
    cdef vector[vector[int32_t]] spare
    cdef size_t capacity
    cdef vector[int32_t] source          # scratch: which row each new row comes from
    cdef vector[int32_t] values          # and the value it binds
    cdef vector[int32_t] found           # or the table's row, or the answer
    cdef vector[uint64_t] hashes
    cdef vector[const int32_t*] carried_columns
    cdef vector[Part] aside
    cdef int taken                       # how many rows the last move took, if not all
    cdef bint full                       # whether there was no room for an answer
    cdef unsigned char* covered          # of a program without calls: the examples that are proven
    # goals and what is to be done
    cdef vector[Table] tables            # adornment -> its goals
    cdef vector[int32_t] answers
    cdef vector[int32_t] waiting
    cdef vector[Proven] proven
    cdef bint resumable
    cdef vector[vector[int32_t]] resumed_rows     # call -> rows to go on with, ...
    cdef vector[vector[int32_t]] resumed_answers  # ... each with this answer
    cdef vector[int32_t] resuming_rows
    cdef vector[int32_t] resuming_answers

    def __init__(self, Plans program):
        self.owner = program
        self.may_ask = program is not None
        if program is not None:
            self.take(&program.made)

    cdef int take(self, Compiled* program) except -1 nogil:
        """From now on it is this program that runs, or none."""
        cdef size_t i, before = self.columns.size()
        if self.program != NULL:
            self.clear()  # the goals of the one before
        self.program = program
        if program == NULL:
            return 0
        self.columns.resize(max(before, <size_t>program.most_regs + 1))
        self.spare.resize(self.columns.size())
        for i in range(before, self.columns.size()):
            self.columns[i].resize(self.capacity)
            self.spare[i].resize(self.capacity)
        self.tables.resize(max(self.tables.size(), program.adornments.size()))
        self.resumed_rows.resize(max(self.resumed_rows.size(), program.moves.size()))
        self.resumed_answers.resize(self.resumed_rows.size())
        return self.room(256)

    cdef int room(self, size_t rows) except -1 nogil:
        """Makes the columns long enough."""
        cdef size_t i
        if rows <= self.capacity:
            return 0
        self.capacity = max(rows, 2 * self.capacity)
        for i in range(self.columns.size()):
            self.columns[i].resize(self.capacity)
            self.spare[i].resize(self.capacity)
        return 0

    def cover(self, const int32_t[:, ::1] examples, unsigned char[::1] covered, int64_t budget, int64_t asking=0):
        """(finished, steps). Sets `covered`: when the limits ended it, what is set is true, and the rest is not known.

        `asking`: what a look-up counts more where BK may have to be asked.
        """
        cdef int n = examples.shape[0], width = examples.shape[1], finished
        if n == 0:
            return True, 0
        finished = self.cover_rows(&examples[0, 0] if width else NULL, n, width, &covered[0], budget, asking)
        return bool(finished), self.count

    def cover_within(
        self, const int32_t[:, ::1] examples, unsigned char[::1] covered, unsigned char[::1] unfinished,
        const int32_t[::1] ends, const int64_t[::1] weights, int64_t enough, int64_t steps, int64_t asking,
        int part, int64_t taken,
    ):
        """Covers parts of the examples, one after the other, from one on; `part` and `steps` say how far it came.

        There are so many `steps` for each example on average; when these do not suffice, or those that were missed
        before a part weigh `enough`, the test ends: what it did not derive by then is unfinished.
        """
        cdef Within test
        if examples.shape[0] == 0:
            self.part, self.steps = ends.shape[0], taken
            return
        test.rows = &examples[0, 0] if examples.shape[1] else NULL
        test.width = examples.shape[1]
        test.covered, test.unfinished = &covered[0], &unfinished[0]
        test.ends, test.nparts = &ends[0], ends.shape[0]
        test.weights = &weights[0]
        test.enough, test.steps, test.asking = enough, steps, asking
        test.part, test.taken = part, taken
        self.go_on(&test)

    cdef int go_on(self, Within* test) except -1 nogil:
        """`cover_within`. Where BK raises an error, `part` is the one in which it did."""
        cdef int i, start, end, n = test.ends[test.nparts - 1], finished
        cdef int64_t missed
        self.part, self.steps, self.lacks = test.part, test.taken, False
        while self.part < test.nparts:
            start = test.ends[self.part - 1] if self.part > 0 else 0
            end = test.ends[self.part]
            missed = 0
            for i in range(start):
                missed += 0 if test.covered[i] else test.weights[i]
            if start and missed >= test.enough:
                for i in range(start, n):
                    test.unfinished[i] = 1
                self.part = test.nparts
                return 0
            finished = self.cover_rows(
                test.rows + <Py_ssize_t>start * test.width, end - start, test.width, test.covered + start,
                test.steps * end - self.steps, test.asking,
            )
            self.steps += self.count
            self.part += 1
            if not finished:
                for i in range(start, n):
                    test.unfinished[i] = 1 - test.covered[i]
                self.part = test.nparts
        return 0

    cdef int cover_rows(
        self, const int32_t* row, int n, int width, unsigned char* covered, int64_t budget, int64_t asking
    ) except -1 nogil:
        """Sets `covered` for n examples; 0 when the limits ended it."""
        cdef int i, finished = 1
        cdef vector[int32_t] goals
        self.count = 0
        self.budget = budget
        self.asking = asking
        if not self.program.calls:
            # The examples are the only goals, so nothing has to be found or kept.
            self.covered = covered
            for i in range(self.program.adornments[0].nplans):
                finished = self.begin_all(&self.program.plans[self.program.adornments[0].plans + i], row, 0, n)
                if not finished:
                    break
            return finished
        self.clear()
        goals.resize(n)
        for i in range(n):
            goals[i] = goal_of(
                &self.tables[0], row + <Py_ssize_t>i * width, width, hash_with(row + <Py_ssize_t>i * width, width, 0)
            )
        finished = self.run_all()
        for i in range(n):
            covered[i] = self.tables[0].goals[goals[i]].answers > 0
        return finished

    # -- goals and answers ----------------------------------------------------------------------------------

    cdef int clear(self) except -1 nogil:
        """Forgets all goals; their memory is kept for the next test."""
        cdef size_t i, a
        cdef Table* table
        for a in range(self.program.adornments.size()):
            table = &self.tables[a]
            if self.program.adornments[a].nbound == 1:
                for i in range(table.keys.size()):
                    table.single[table.keys[i]] = 0
            table.slots.clear()
            table.answer_slots.clear()
            table.goals.clear()
            table.keys.clear()
            table.begun = 0
        for i in range(self.resumed_rows.size()):
            self.resumed_rows[i].clear()
            self.resumed_answers[i].clear()
        self.waiting.clear()
        self.answers.clear()
        self.resumable = self.full = False
        return 0

    cdef int prove(self, int adornment, int number) except -1 nogil:
        """A goal without free arguments is proven, and with it those that wait for nothing else."""
        cdef int waiter, owner
        cdef const int32_t* row
        cdef const Move* move
        cdef Goal* goal = &self.tables[adornment].goals[number]
        if goal.answers:
            return 0
        goal.answers = 1
        if goal.waiter < 0:
            return 0
        self.proven.push_back(Proven(adornment, number))
        while self.proven.size():
            goal = &self.tables[self.proven.back().adornment].goals[self.proven.back().goal]
            self.proven.pop_back()
            waiter = goal.waiter
            goal.waiter = -1
            while waiter >= 0:
                row = self.waiting.data() + waiter
                move = &self.program.moves[row[SITE]]
                if move.last:
                    owner = self.program.plans[move.plan].adornment
                    goal = &self.tables[owner].goals[row[OWNER]]
                    if goal.answers == 0:
                        goal.answers = 1
                        if goal.waiter >= 0:
                            self.proven.push_back(Proven(owner, row[OWNER]))
                else:
                    self.resumed_rows[row[SITE]].push_back(waiter)
                    self.resumable = True
                waiter = row[NEXT]
        return 0

    cdef inline int add_answer(self, Table* table, int number, const int32_t* values, int free) except -1 nogil:
        """An answer that is new goes to all rows that wait for it; those that come later find it."""
        cdef Goal* goal = &table.goals[number]
        cdef int known, i, waiter
        cdef const int32_t* row
        if goal.answers and not self.is_new(table, number, values, free):
            return 0
        if self.answers.size() + VALUES + free > MOST_CELLS:
            self.full = True
            return 0
        known = <int>self.answers.size()
        self.answers.push_back(-1)
        self.answers.push_back(number)
        for i in range(free):
            self.answers.push_back(values[i])
        if goal.last >= 0:
            self.answers[goal.last + FOLLOWING] = known
        else:
            goal.first = known
        goal.last = known
        goal.answers += 1
        if goal.answers > SCANNED:
            self.hash_answer(table, known, free)
        waiter = goal.waiter
        while waiter >= 0:
            row = self.waiting.data() + waiter
            self.resumed_rows[row[SITE]].push_back(waiter)
            self.resumed_answers[row[SITE]].push_back(known)
            self.resumable = True
            waiter = row[NEXT]
        return 0

    cdef bint is_new(self, Table* table, int number, const int32_t* values, int free) except -1 nogil:
        """Whether a goal that has answers does not have this one."""
        cdef Goal* goal = &table.goals[number]
        cdef int known = goal.first, i
        cdef Candidates candidates
        if goal.answers <= SCANNED:
            while known >= 0:
                for i in range(free):
                    if self.answers[known + VALUES + i] != values[i]:
                        break
                else:
                    return False
                known = self.answers[known + FOLLOWING]
            if goal.answers == SCANNED:
                # From the next one on they are found by hash.
                known = goal.first
                while known >= 0:
                    self.hash_answer(table, known, free)
                    known = self.answers[known + FOLLOWING]
            return True
        candidates = table.answer_slots.candidates(hash_with(values, free, number))
        known = candidates.next()
        while known >= 0:
            if self.answers[known + ANSWERED] == number:
                for i in range(free):
                    if self.answers[known + VALUES + i] != values[i]:
                        break
                else:
                    return False
            known = candidates.next()
        return True

    cdef int hash_answer(self, Table* table, int answer, int free) except -1 nogil:
        cdef const int32_t* cells = self.answers.data() + answer
        table.answer_slots.add(hash_with(cells + VALUES, free, cells[ANSWERED]), answer)
        return 0

    # -- the order of work ----------------------------------------------------------------------------------

    cdef int run_all(self) except -1 nogil:
        """Works until there is nothing to do (1) or a limit is reached (0)."""
        cdef int i, begun, goals
        cdef size_t a, site
        cdef bint working = True
        cdef Adornment* adornment
        while working:
            working = False
            for a in range(self.program.adornments.size()):
                begun = self.tables[a].begun
                goals = <int>self.tables[a].goals.size()
                if begun < goals:
                    working = True
                    self.tables[a].begun = goals
                    adornment = &self.program.adornments[a]
                    for i in range(adornment.nplans):
                        if not self.begin_all(&self.program.plans[adornment.plans + i], NULL, begun, goals):
                            return 0
            if self.resumable:
                self.resumable = False
                working = True
                for site in range(self.resumed_rows.size()):
                    if self.resumed_rows[site].size() and not self.resume(<int>site):
                        return 0
        return 1

    cdef int begin_all(self, const Plan* plan, const int32_t* examples, int first, int end) except -1 nogil:
        """`begin`, with no more rows at a time than there may be."""
        cdef int start = first
        while start < end:
            if not self.begin(plan, examples, start, start + min(end - start, MOST_ROWS)):
                return 0
            start += min(end - start, MOST_ROWS)
        return 1

    cdef int begin(self, const Plan* plan, const int32_t* examples, int first, int end) except -1 nogil:
        """Runs a plan for some examples, or (if NULL) goals of its adornment, except those that are proven already."""
        cdef int i, j, n = 0, width = self.program.adornments[plan.adornment].nbound
        cdef const int32_t* op
        cdef const int32_t* keys
        cdef const Goal* goals
        cdef int32_t* column
        cdef int32_t* whose
        cdef bint fits = True
        self.room(end - first)
        whose = self.columns[plan.nregs].data()
        if examples != NULL:
            keys = examples
            for i in range(first, end):
                whose[n] = i
                n += self.covered[i] == 0
        else:
            keys = self.tables[plan.adornment].keys.data()
            goals = self.tables[plan.adornment].goals.data()
            if plan.nout:
                n = end - first
                for i in range(n):
                    whose[i] = first + i
            else:
                for i in range(first, end):
                    whose[n] = i
                    n += goals[i].answers == 0
        op = self.program.pool.data() + plan.init
        for j in range(plan.ninit):
            column = self.columns[op[0]].data()
            for i in range(n):
                column[i] = op[1]
            op += 2
        op = self.program.pool.data() + plan.entry
        for j in range(plan.nentry):
            column = self.columns[op[1]].data()
            if op[2]:
                fits = False
            elif n == end - first:
                for i in range(n):
                    column[i] = keys[<Py_ssize_t>(first + i) * width + op[0]]
            else:
                for i in range(n):
                    column[i] = keys[<Py_ssize_t>whose[i] * width + op[0]]
            op += 3
        if not fits:
            n = self.match_head(plan, keys, width, n)
        return self.run(plan, 0, n)

    cdef int match_head(self, const Plan* plan, const int32_t* keys, int width, int n) noexcept nogil:
        """Keeps the rows whose bound arguments agree where the head repeats a variable or has a constant."""
        cdef int i, j, kept = 0
        cdef const int32_t* op
        cdef bint fits
        for i in range(n):
            fits = True
            op = self.program.pool.data() + plan.entry
            for j in range(plan.nentry):
                if op[2] and self.columns[op[1]][i] != keys[<Py_ssize_t>self.columns[plan.nregs][i] * width + op[0]]:
                    fits = False
                op += 3
            if fits:
                for j in range(plan.nregs + 1):
                    self.columns[j][kept] = self.columns[j][i]
                kept += 1
        return kept

    cdef int resume(self, int site) except -1 nogil:
        """Goes on with rows that waited, each with an answer."""
        cdef size_t start, end
        # Swapped, since going on may add rows here again.
        self.resuming_rows.swap(self.resumed_rows[site])
        self.resuming_answers.swap(self.resumed_answers[site])
        self.resumed_rows[site].clear()
        self.resumed_answers[site].clear()
        start = 0
        while start < self.resuming_rows.size():
            end = min(start + MOST_ROWS, self.resuming_rows.size())
            if not self.resume_some(&self.program.moves[site], start, <int>(end - start)):
                return 0
            start = end
        return 1

    cdef int resume_some(self, const Move* move, size_t start, int n) except -1 nogil:
        """`resume` for n of the rows, from one on."""
        cdef const Plan* plan = &self.program.plans[move.plan]
        cdef const int32_t* carried = self.program.pool.data() + move.carried
        cdef const int32_t* waiting
        cdef const int32_t* rows = self.resuming_rows.data() + start
        cdef int32_t* column
        cdef int i, j
        self.room(n)
        self.count += n
        for j in range(move.ncarried + 1):
            waiting = self.waiting.data() + OWNER + j
            column = self.columns[carried[j - 1] if j else plan.nregs].data()
            for i in range(n):
                column[i] = waiting[rows[i]]
        if move.nops:
            n = self.bind_answers(move, self.resuming_answers.data() + start, n, plan.nregs)
        return self.run(plan, move.number + 1, n)

    cdef int bind_answers(self, const Move* move, const int32_t* used, int n, int whose) noexcept nogil:
        """Binds registers from the answers, one for each row; where it compares, only the rows that agree are kept."""
        cdef const int32_t* op = self.program.pool.data() + move.ops
        cdef const int32_t* values = self.answers.data() + VALUES
        cdef int32_t* column
        cdef int i, j, k, kept = 0
        cdef bint compares = False, fits
        for j in range(move.nops):
            if op[3 * j + 2]:
                compares = True
                continue
            column = self.columns[op[3 * j + 1]].data()
            for i in range(n):
                column[i] = values[used[i] + op[3 * j]]
        if not compares:
            return n
        for i in range(n):
            fits = True
            for j in range(move.nops):
                if op[3 * j + 2]:
                    fits &= self.columns[op[3 * j + 1]][i] == values[used[i] + op[3 * j]]
            if fits:
                for j in range(move.nlive):
                    k = self.program.pool[move.live + j]
                    self.columns[k][kept] = self.columns[k][i]
                self.columns[whose][kept] = self.columns[whose][i]
                kept += 1
        return kept

    # -- the moves ------------------------------------------------------------------------------------------

    cdef int run(self, const Plan* plan, int number, int n) except -1 nogil:
        """Runs the moves of a plan from one on, for the rows in the columns. 0 when a limit is reached."""
        cdef int finished
        self.aside.clear()  # an error of BK may have ended the last run
        finished = self.run_steps(plan, number, n)
        while finished and self.aside.size():
            number = self.aside.back().move
            finished = self.run_steps(plan, number, self.take_up(plan))
        self.aside.clear()
        return finished

    cdef int set_aside(self, const Move* move, int first, int n) except -1 nogil:
        """Leaves rows from one on for later, when a move has no room for what it makes of them."""
        cdef size_t i, used = self.program.plans[move.plan].nregs + 1
        self.aside.resize(self.aside.size() + 1)
        self.aside.back().move = move.number
        self.aside.back().columns.resize(used)
        for i in range(used):
            self.aside.back().columns[i].assign(self.columns[i].begin() + first, self.columns[i].begin() + n)
        self.taken = first
        return 0

    cdef int take_up(self, const Plan* plan) except -1 nogil:
        """The rows that were set aside last, but for those whose goals were proven meanwhile; how many they are."""
        cdef vector[vector[int32_t]]* columns = &self.aside.back().columns
        cdef int i, j, kept = 0, n = <int>columns[0][plan.nregs].size()
        cdef int32_t goal
        for i in range(n):
            goal = columns[0][plan.nregs][i]
            if not self.program.calls:
                if self.covered[goal]:
                    continue
            elif plan.nout == 0 and self.tables[plan.adornment].goals[goal].answers:
                continue
            for j in range(plan.nregs + 1):
                self.columns[j][kept] = columns[0][j][i]
            kept += 1
        self.aside.pop_back()
        return kept

    cdef int run_steps(self, const Plan* plan, int number, int n) except -1 nogil:
        """`run`, without what is set aside."""
        cdef const Move* move
        cdef int i, j, whose = plan.nregs
        cdef const int32_t* out
        cdef const int32_t* goals
        cdef const int32_t* out_columns[64]
        cdef int32_t values[64]
        cdef Table* table
        while number < plan.nmoves:
            if n == 0:
                return 1
            move = &self.program.moves[plan.moves + number]
            self.taken = n
            if move.kind == CALL:
                n = self.call(move, n, whose)
            elif move.nkeys == 1 and not move.groups.lazy and move.column >= 0:
                n = self.bind(move, n, whose)
            elif move.nkeys == 1 and not move.groups.lazy and move.nops == 0:
                n = self.test(move, n, whose)
            else:
                n = self.look_up(move, n, whose)
            self.count += self.taken
            if move.kind != CALL and move.groups.lazy:
                self.count += self.taken * self.asking
            if n < 0 or self.count > self.budget:
                return 0
            if move.repeats and n > 1:
                n = self.merge(move, n, whose)
            number += 1
        goals = self.columns[whose].data()
        if not self.program.calls:
            for i in range(n):
                self.covered[goals[i]] = 1
        elif plan.nout == 0:
            for i in range(n):
                self.prove(plan.adornment, goals[i])
        else:
            out = self.program.pool.data() + plan.out
            table = &self.tables[plan.adornment]
            for j in range(plan.nout):
                out_columns[j] = self.columns[out[j]].data()
            for i in range(n):
                for j in range(plan.nout):
                    values[j] = out_columns[j][i]
                self.add_answer(table, goals[i], values, plan.nout)
        return not self.full

    cdef int test(self, const Move* move, int n, int whose) except -1 nogil:
        """A look-up that binds nothing, by one key."""
        cdef const int32_t* key = self.columns[self.program.pool[move.keys]].data()
        cdef Filter table = Filter(move.groups.direct, move.groups.ndirect)
        cdef int i, m = 0
        cdef int32_t* source
        if self.source.size() < <size_t>n:
            self.source.resize(2 * n)
        source = self.source.data()
        for i in range(n):
            source[m] = i
            m += holds(&table, key[i])
        if m < n:
            self.keep(move, m, whose)
        return m

    cdef int bind(self, const Move* move, int n, int whose) except -2 nogil:
        """A look-up by one key that binds one register, whose value may have to be in other tables too."""
        cdef const int32_t* key = self.columns[self.program.pool[move.keys]].data()
        cdef const int32_t* direct = move.groups.direct
        cdef const int32_t* cells = move.groups.cells + move.column
        cdef const Filter* filters = self.program.filters.data() + move.filters
        cdef int32_t ndirect = move.groups.ndirect, value, first, count
        cdef int i, j, k, m = 0, arity = move.arity, nfilters = move.nfilters, room
        cdef bint fits, used = move.nlive > move.nkept
        cdef int32_t* source
        cdef int32_t* values
        cdef Filter only
        if self.source.size() < <size_t>n + move.groups.most:
            self.source.resize(2 * n + move.groups.most)
        if self.values.size() < self.source.size():
            self.values.resize(self.source.size())
        source = self.source.data()
        values = self.values.data()
        if move.groups.function != NULL:
            # A row becomes one row or none.
            for i in range(n):
                value = move.groups.function[key[i]] if key[i] < ndirect else -1
                source[m] = i
                values[m] = value
                fits = value >= 0
                for k in range(nfilters):
                    fits &= holds(filters + k, max(value, 0))
                m += fits
        else:
            if nfilters:
                only = filters[0]
            room = <int>min(self.source.size(), <size_t>MOST_ROWS)
            for i in range(n):
                if key[i] >= ndirect:
                    continue
                first = direct[2 * key[i]]
                count = direct[2 * key[i] + 1]
                if count > room - m:
                    if nfilters == 0 and not used:
                        count = min(count, 1)  # one of them says it all
                    if m and count > MOST_ROWS - m:
                        self.set_aside(move, i, n)
                        break
                    room = self.make_room(<size_t>m + count)
                    source = self.source.data()
                    values = self.values.data()
                if nfilters == 0:
                    for j in range(first, first + count):
                        source[m] = i
                        values[m] = cells[<Py_ssize_t>j * arity]
                        m += 1
                        if not used:
                            break
                elif nfilters == 1:
                    for j in range(first, first + count):
                        source[m] = i
                        values[m] = cells[<Py_ssize_t>j * arity]
                        m += holds(&only, values[m])
                else:
                    for j in range(first, first + count):
                        value = cells[<Py_ssize_t>j * arity]
                        fits = True
                        for k in range(nfilters):
                            fits &= holds(filters + k, value)
                        source[m] = i
                        values[m] = value
                        m += fits
        self.room(m)
        if m != n or move.groups.function == NULL:
            self.keep(move, m, whose)
        if used:
            if self.values.size() < self.capacity:
                self.values.resize(self.capacity)
            self.columns[move.register].swap(self.values)
        return m

    cdef int make_room(self, size_t rows) except -1 nogil:
        """Lets a move make so many rows, or some more; returns how many it may make."""
        if self.source.size() < rows or self.values.size() < rows or self.found.size() < rows:
            self.source.resize(max(self.source.size(), 2 * rows))
            self.values.resize(max(self.values.size(), 2 * rows))
            self.found.resize(max(self.found.size(), 2 * rows))
        return <int>max(rows, min(2 * rows, <size_t>MOST_ROWS))

    cdef int look_up(self, const Move* move, int n, int whose) except -2 nogil:
        """Any look-up: by any number of keys, binding and comparing any number of registers, lazy or not."""
        cdef int32_t key[64]
        cdef int32_t start = 0, stop = 0, at
        cdef int i, j, m = 0, nkeys = move.nkeys, nops = move.nops
        cdef const int32_t* keys = self.program.pool.data() + move.keys
        cdef const int32_t* ops = self.program.pool.data() + move.ops
        cdef const int32_t* op
        cdef const int32_t* cells
        cdef const Filter* filters = self.program.filters.data() + move.filters
        cdef int32_t same[64]  # where a register is bound by an earlier column of the same row: that column, else -1
        cdef const int32_t* key_columns[64]
        cdef int32_t* source
        cdef int k, room
        cdef bint fits
        for j in range(nops):
            same[j] = -1
            for k in range(j):
                if ops[3 * k + 1] == ops[3 * j + 1] and not ops[3 * k + 2]:
                    same[j] = ops[3 * k]
        for j in range(nkeys):
            key_columns[j] = self.columns[keys[j]].data()
        if move.groups.lazy:
            if self.lacks_rows(move, n):
                if not self.may_ask:
                    self.lacks = True
                    return -1
                self.ask(move, n)
        elif nops == 0:
            if self.source.size() < <size_t>n:
                self.source.resize(2 * n)
            source = self.source.data()
            for i in range(n):
                for j in range(nkeys):
                    key[j] = key_columns[j][i]
                source[m] = i
                m += find(move.groups, key, &start, &stop)
            if m < n:
                self.keep(move, m, whose)
            return m
        room = <int>min(min(self.source.size(), self.found.size()), <size_t>MOST_ROWS)
        for i in range(n):
            for j in range(nkeys):
                key[j] = key_columns[j][i]
            if not find(move.groups, key, &start, &stop):
                continue
            if nops == 0:
                stop = start + 1
            if stop - start > room - m:
                if m and stop - start > MOST_ROWS - m:
                    self.set_aside(move, i, n)
                    break
                room = self.make_room(<size_t>m + (stop - start))
            for at in range(start, stop):
                cells = move.groups.cells + <Py_ssize_t>at * move.arity
                op = ops
                fits = True
                for j in range(nops):
                    if op[2]:
                        fits &= (cells[same[j]] if same[j] >= 0 else self.columns[op[1]][i]) == cells[op[0]]
                    op += 3
                for j in range(move.nfilters):
                    fits &= holds(filters + j, cells[move.column])
                self.source[m] = i
                self.found[m] = at
                m += fits
        self.room(m)
        self.keep(move, m, whose)
        op = ops
        for j in range(nops):
            if not op[2]:
                cells = move.groups.cells + op[0]
                for i in range(m):
                    self.columns[op[1]][i] = cells[<Py_ssize_t>self.found[i] * move.arity]
            op += 3
        return m

    cdef bint lacks_rows(self, const Move* move, int n) noexcept nogil:
        """Whether a look-up needs something that BK was not asked for yet."""
        cdef int32_t key[64]
        cdef int32_t start = 0, stop = 0
        cdef int i, j
        cdef const int32_t* keys = self.program.pool.data() + move.keys
        for i in range(n):
            for j in range(move.nkeys):
                key[j] = self.columns[keys[j]][i]
            if find(move.groups, key, &start, &stop) < 0:
                return True
        return False

    cdef int ask(self, const Move* move, int n) except -1 with gil:
        """Has BK tell all that a look-up needs and that is not known yet, in one go."""
        cdef int32_t key[64]
        cdef int32_t start = 0, stop = 0
        cdef int i, j, nkeys = move.nkeys
        cdef const int32_t* keys = self.program.pool.data() + move.keys
        unknown = {}
        for i in range(n):
            for j in range(nkeys):
                key[j] = self.columns[keys[j]][i]
            if find(move.groups, key, &start, &stop) < 0:
                unknown[tuple([key[j] for j in range(nkeys)])] = None
        (<Index>self.owner.indexes[move.index]).fetch_all(list(unknown))
        return 0

    cdef int keep(self, const Move* move, int m, int whose) noexcept nogil:
        """Makes row i of the registers that live on what row `source[i]` was, for m rows."""
        cdef int i, j, register
        cdef const int32_t* source = self.source.data()
        cdef const int32_t* old
        cdef int32_t* new
        for j in range(move.nkept + 1):
            register = whose if j == move.nkept else self.program.pool[move.live + j]
            old = self.columns[register].data()
            new = self.spare[register].data()
            for i in range(m):
                new[i] = old[source[i]]
            self.columns[register].swap(self.spare[register])
        return 0

    cdef int merge(self, const Move* move, int n, int whose) noexcept nogil:
        """Of neighbours that agree in everything that is read later, keeps the first."""
        cdef int i, j, m = 1
        cdef const int32_t* live = self.program.pool.data() + move.live
        cdef int32_t* goals = self.columns[whose].data()
        cdef int32_t* column = NULL
        cdef bint differs
        if move.nlive <= 1:
            if move.nlive == 1:
                column = self.columns[live[0]].data()
                for i in range(1, n):
                    differs = (goals[i] != goals[m - 1]) | (column[i] != column[m - 1])
                    goals[m] = goals[i]
                    column[m] = column[i]
                    m += differs
                return m
            for i in range(1, n):
                differs = goals[i] != goals[m - 1]
                goals[m] = goals[i]
                m += differs
            return m
        for i in range(1, n):
            differs = goals[i] != goals[m - 1]
            for j in range(move.nlive):
                column = self.columns[live[j]].data()
                differs |= column[i] != column[m - 1]
            if differs:
                goals[m] = goals[i]
                for j in range(move.nlive):
                    column = self.columns[live[j]].data()
                    column[m] = column[i]
                m += 1
        return m

    cdef int call(self, const Move* move, int n, int whose) except -2 nogil:
        """Rows whose goal has answers go on with them; all that could get more wait. -1 where there is no room."""
        cdef const int32_t* keys = self.program.pool.data() + move.keys
        cdef const int32_t* key_columns[64]
        cdef int32_t key[64]
        cdef int i, j, m = 0, answer, nkeys = move.nkeys, room
        cdef int site = <int>(move - self.program.moves.data())
        cdef bint ground = self.program.adornments[move.index].nfree == 0
        cdef Table* table = &self.tables[move.index]
        cdef Goal* goal
        cdef uint64_t* hashes
        cdef const int32_t** carried_columns
        cdef int width = OWNER + 1 + move.ncarried
        cdef size_t place
        cdef int32_t* made
        for j in range(nkeys):
            key_columns[j] = self.columns[keys[j]].data()
        if self.carried_columns.size() <= <size_t>move.ncarried:
            self.carried_columns.resize(move.ncarried + 1)
        carried_columns = self.carried_columns.data()
        carried_columns[0] = self.columns[whose].data()
        for j in range(move.ncarried):
            carried_columns[1 + j] = self.columns[self.program.pool[move.carried + j]].data()
        place = self.waiting.size()
        if place + <size_t>n * width > MOST_CELLS:
            return -1
        self.waiting.resize(place + <size_t>n * width)
        if self.hashes.size() < <size_t>n:
            self.hashes.resize(2 * n)
        hashes = self.hashes.data()
        if nkeys != 1:
            for i in range(n):
                for j in range(nkeys):
                    key[j] = key_columns[j][i]
                hashes[i] = hash_with(key, nkeys, 0)
        room = <int>min(min(self.source.size(), self.found.size()), <size_t>MOST_ROWS)
        for i in range(n):
            for j in range(nkeys):
                key[j] = key_columns[j][i]
            j = goal_of(table, key, nkeys, hashes[i])
            goal = &table.goals[j]
            if goal.answers:
                if goal.answers > room - m:
                    if m and goal.answers > MOST_ROWS - m:
                        self.set_aside(move, i, n)
                        break
                    room = self.make_room(<size_t>m + goal.answers)
                if ground:
                    self.source[m] = i
                    m += 1
                    continue
                answer = goal.first
                while answer >= 0:
                    self.source[m] = i
                    self.found[m] = answer
                    m += 1
                    answer = self.answers[answer + FOLLOWING]
            made = self.waiting.data() + place
            made[SITE] = site
            made[NEXT] = goal.waiter
            for j in range(move.ncarried + 1):
                made[OWNER + j] = carried_columns[j][i]
            goal.waiter = <int>place
            place += width
        self.waiting.resize(place)
        self.room(m)
        if m == 0:
            return 0
        self.keep_compared(move, m)
        self.keep(move, m, whose)
        return self.bind_answers(move, self.found.data(), m, whose) if move.nops else m

    cdef int keep_compared(self, const Move* move, int m) noexcept nogil:
        """`keep` for the registers that answers are compared with and that are not read later."""
        cdef int i, j, register
        for j in range(move.nkept, move.ncarried):
            register = self.program.pool[move.carried + j]
            for i in range(m):
                self.spare[register][i] = self.columns[register][self.source[i]]
            self.columns[register].swap(self.spare[register])
        return 0
