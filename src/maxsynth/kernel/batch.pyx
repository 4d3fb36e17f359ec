# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""Proofs, all examples at once.

A step of a plan is run for all rows (partial proofs) of all examples before the next step: a few tight loops over
arrays instead of a search for each example, which is several times as fast because nothing has to be guessed. The
price is that no alternative is spared, so this is done within limits, and what does not fit is left to `machine`.

**Rows** are columns of registers, and one column that says which goal a row is to prove. After each step only the
registers that are read later are kept, and neighbours that agree in all of them become one row: so a part of a body
that is done does not multiply the work of the next.

**Calls** make goals. A goal (an adornment with its bound values) is there once; the rows that call it *wait* for it,
and when it gets an answer, each of them goes on with that. This is the least model whatever the cycles: every rule is
applied to every answer of every goal that was asked, exactly once, until nothing is left to do.

A step of the count is one row at one step, as in `machine`.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.index cimport Index, find, hash_cells
from maxsynth.kernel.plans cimport CALL, Adornment, Filter, Plan, Plans, Step, holds

cdef enum:
    MOST_ROWS = 1 << 18
    SCANNED = 4          # a goal with more answers than this has them in the hash table


cdef struct Goal:
    int adornment
    int key              # in `keys`
    int waiter           # the first row that waits for it, -1 for none
    int first            # its answers, as a linked list
    int last
    int answers          # how many; for a goal without free arguments 1 says that it is proven

cdef struct Waiter:
    int site             # the call it waits at; -1 for the last one of a plan
    int row              # its registers, in `waiting` of the site; at a last call: the goal to prove
    int seen             # answers from this number on are new to it
    int next

cdef struct Slot:        # of a hash table
    uint64_t hash
    int32_t number       # of what is there
    int32_t epoch        # the test in which it was put there; in another one the slot is free

cdef struct Event:       # an answer that those who wait for it have not seen yet
    int32_t goal
    int32_t answer


cdef inline uint64_t hash_with(const int32_t* cells, int count, int owner) noexcept nogil:
    cdef uint64_t h = hash_cells(cells, count) + <uint64_t>owner * 0x9E3779B97F4A7C15ULL
    return h ^ (h >> 31)


cdef class Batch:
    """Runs one compiled program on many examples."""

    cdef Plans program
    cdef int64_t count
    cdef int64_t budget
    # rows: a column for each register, and one more for the goal
    cdef vector[vector[int32_t]] columns
    cdef vector[vector[int32_t]] spare
    cdef size_t capacity
    cdef vector[int32_t] source          # scratch: which row each new row comes from
    cdef vector[int32_t] values          # and the value it binds
    cdef vector[int32_t] found           # or the table's row, or the answer
    cdef vector[int32_t] answer
    # goals, and how to find them
    cdef vector[Goal] goals
    cdef vector[int32_t] keys
    cdef vector[vector[int32_t]] single  # adornment with one bound argument -> its value -> goal + 1
    cdef vector[Slot] goal_slots
    cdef size_t hashed_goals
    # answers
    cdef vector[int32_t] answers
    cdef vector[int32_t] answer_next
    cdef vector[int32_t] answer_at       # its values, in `answers`
    cdef vector[int32_t] answer_goal
    cdef vector[Slot] answer_slots
    cdef size_t hashed_answers
    cdef int32_t epoch
    # what is to be done
    cdef vector[vector[int32_t]] fresh   # adornment -> goals that no plan was run for
    cdef vector[int32_t] proven
    cdef vector[Event] events
    cdef vector[Waiter] waiters
    cdef vector[vector[int32_t]] waiting          # call -> the registers of the rows that wait there
    cdef vector[vector[int32_t]] resumed_rows     # call -> rows to go on with, ...
    cdef vector[vector[int32_t]] resumed_answers  # ... each with this answer
    cdef bint resumable
    cdef vector[int32_t] begun           # scratch
    cdef vector[int32_t] place
    cdef vector[int32_t] resuming_rows
    cdef vector[int32_t] resuming_answers
    cdef unsigned char* covered          # of a program without calls: the examples that are proven

    def __init__(self, Plans program):
        self.program = program
        self.columns.resize(program.most_regs + 1)
        self.spare.resize(program.most_regs + 1)
        self.single.resize(program.adornments.size())
        self.fresh.resize(program.adornments.size())
        self.waiting.resize(program.steps.size())
        self.resumed_rows.resize(program.steps.size())
        self.resumed_answers.resize(program.steps.size())
        self.goal_slots.assign(64, Slot(0, 0, 0))
        self.answer_slots.assign(64, Slot(0, 0, 0))
        self.room(256)

    cdef int room(self, size_t rows) except -1:
        """Makes the columns long enough."""
        cdef size_t i
        if rows <= self.capacity:
            return 0
        self.capacity = max(rows, 2 * self.capacity)
        for i in range(self.columns.size()):
            self.columns[i].resize(self.capacity)
            self.spare[i].resize(self.capacity)
        return 0

    def cover(self, const int32_t[:, ::1] examples, unsigned char[::1] covered, int64_t budget):
        """(finished, steps). Sets `covered`: when the limits ended it, what is set is true, and the rest is not known."""
        cdef int i, n = examples.shape[0], finished = 1
        cdef int width = examples.shape[1]
        cdef vector[int32_t] goals
        cdef const int32_t* row = NULL
        self.count = 0
        self.budget = budget
        if n == 0:
            return True, 0
        if width:
            row = &examples[0, 0]
        if not self.program.calls:
            # The examples are the only goals, so nothing has to be found or kept.
            self.covered = &covered[0]
            for i in range(self.program.adornments[0].nplans):
                finished = self.begin(&self.program.plans[self.program.adornments[0].plans + i], NULL, row, n)
                if not finished:
                    break
            return bool(finished), self.count
        self.clear()
        goals.resize(n)
        for i in range(n):
            goals[i] = self.goal(0, row + <Py_ssize_t>i * width)
        finished = self.run_all()
        for i in range(n):
            covered[i] = self.goals[goals[i]].answers > 0
        return bool(finished), self.count

    cdef int clear(self) except -1:
        """Forgets all goals; their memory is kept for the next test."""
        cdef size_t i
        cdef Goal* goal
        for i in range(self.goals.size()):
            goal = &self.goals[i]
            if self.program.adornments[goal.adornment].nbound == 1:
                self.single[goal.adornment][self.keys[goal.key]] = 0
        self.epoch += 1  # all slots are free
        for i in range(self.waiting.size()):
            self.waiting[i].clear()
            self.resumed_rows[i].clear()
            self.resumed_answers[i].clear()
        for i in range(self.fresh.size()):
            self.fresh[i].clear()
        self.goals.clear()
        self.keys.clear()
        self.waiters.clear()
        self.events.clear()
        self.answers.clear()
        self.answer_next.clear()
        self.answer_at.clear()
        self.answer_goal.clear()
        self.hashed_goals = self.hashed_answers = 0
        self.resumable = False
        return 0

    # -- goals and answers ----------------------------------------------------------------------------------

    cdef inline int new_goal(self, int adornment, const int32_t* key, int nbound) except -1:
        cdef int i, number = <int>self.goals.size()
        self.goals.push_back(Goal(adornment, <int>self.keys.size(), -1, -1, -1, 0))
        for i in range(nbound):
            self.keys.push_back(key[i])
        self.fresh[adornment].push_back(number)
        return number

    cdef inline int goal(self, int adornment, const int32_t* key) except -1:
        """The number of a goal, new or known."""
        cdef int nbound = self.program.adornments[adornment].nbound, i, known
        cdef uint64_t hash, at, mask
        if nbound == 1:
            if self.single[adornment].size() <= <size_t>key[0]:
                self.single[adornment].resize(2 * <size_t>key[0] + 16, 0)
            known = self.single[adornment][key[0]] - 1
            if known < 0:
                known = self.new_goal(adornment, key, 1)
                self.single[adornment][key[0]] = known + 1
            return known
        mask = self.goal_slots.size() - 1
        hash = hash_with(key, nbound, adornment)
        at = hash & mask
        while self.goal_slots[at].epoch == self.epoch:
            if self.goal_slots[at].hash == hash:
                known = self.goal_slots[at].number
                if self.goals[known].adornment == adornment:
                    for i in range(nbound):
                        if self.keys[self.goals[known].key + i] != key[i]:
                            break
                    else:
                        return known
            at = (at + 1) & mask
        known = self.new_goal(adornment, key, nbound)
        self.goal_slots[at] = Slot(hash, known, self.epoch)
        self.hashed_goals += 1
        if self.hashed_goals * 2 > self.goal_slots.size():
            grow(self.goal_slots, self.epoch)
        return known

    cdef int prove(self, int goal) except -1:
        """A goal without free arguments is proven, and with it those that wait for nothing else."""
        cdef int number
        cdef Waiter* waiter
        if self.goals[goal].answers:
            return 0
        self.goals[goal].answers = 1
        if self.goals[goal].waiter < 0:
            return 0
        self.proven.push_back(goal)
        while self.proven.size():
            goal = self.proven.back()
            self.proven.pop_back()
            number = self.goals[goal].waiter
            while number >= 0:
                waiter = &self.waiters[number]
                if waiter.site < 0:
                    if not self.goals[waiter.row].answers:
                        self.goals[waiter.row].answers = 1
                        if self.goals[waiter.row].waiter >= 0:
                            self.proven.push_back(waiter.row)
                else:
                    self.resumed_rows[waiter.site].push_back(waiter.row)
                    self.resumable = True
                number = waiter.next
            self.goals[goal].waiter = -1
        return 0

    cdef int add_answer(self, int number, const int32_t* values, int free) except -1:
        """A new answer of a goal becomes an event."""
        cdef Goal* goal = &self.goals[number]
        cdef int known, i
        cdef uint64_t hash, at, mask
        if 0 < goal.answers <= SCANNED:
            known = goal.first
            while known >= 0:
                for i in range(free):
                    if self.answers[self.answer_at[known] + i] != values[i]:
                        break
                else:
                    return 0
                known = self.answer_next[known]
        if goal.answers == SCANNED:
            known = goal.first
            while known >= 0:
                self.hash_answer(known, free)
                known = self.answer_next[known]
        if goal.answers > SCANNED:
            mask = self.answer_slots.size() - 1
            hash = hash_with(values, free, number)
            at = hash & mask
            while self.answer_slots[at].epoch == self.epoch:
                if self.answer_slots[at].hash == hash:
                    known = self.answer_slots[at].number
                    if self.answer_goal[known] == number:
                        for i in range(free):
                            if self.answers[self.answer_at[known] + i] != values[i]:
                                break
                        else:
                            return 0
                at = (at + 1) & mask
        known = <int>self.answer_next.size()
        self.answer_next.push_back(-1)
        self.answer_at.push_back(<int>self.answers.size())
        self.answer_goal.push_back(number)
        for i in range(free):
            self.answers.push_back(values[i])
        if goal.last >= 0:
            self.answer_next[goal.last] = known
        else:
            goal.first = known
        goal.last = known
        if goal.answers >= SCANNED:
            self.hash_answer(known, free)
        goal.answers += 1
        if goal.waiter >= 0:
            self.events.push_back(Event(number, known))
        return 0

    cdef int hash_answer(self, int answer, int free) except -1:
        cdef uint64_t hash = hash_with(self.answers.data() + self.answer_at[answer], free, self.answer_goal[answer])
        cdef uint64_t mask = self.answer_slots.size() - 1, at = hash & mask
        while self.answer_slots[at].epoch == self.epoch:
            at = (at + 1) & mask
        self.answer_slots[at] = Slot(hash, answer, self.epoch)
        self.hashed_answers += 1
        if self.hashed_answers * 2 > self.answer_slots.size():
            grow(self.answer_slots, self.epoch)
        return 0

    # -- the order of work ----------------------------------------------------------------------------------

    cdef int run_all(self) except -1:
        """Works until there is nothing to do (1) or a limit is reached (0)."""
        cdef int a, i
        cdef size_t site
        cdef bint working = True
        cdef Adornment* adornment
        while working:
            working = False
            for a in range(<int>self.fresh.size()):
                if self.fresh[a].size():
                    working = True
                    self.begun.swap(self.fresh[a])
                    self.fresh[a].clear()
                    adornment = &self.program.adornments[a]
                    for i in range(adornment.nplans):
                        if not self.begin(
                            &self.program.plans[adornment.plans + i], self.begun.data(), NULL, <int>self.begun.size()
                        ):
                            return 0
            if self.events.size():
                self.dispatch()
            if self.resumable:
                self.resumable = False
                working = True
                for site in range(self.resumed_rows.size()):
                    if self.resumed_rows[site].size() and not self.resume(<int>site):
                        return 0
        return 1

    cdef int begin(self, const Plan* plan, const int32_t* goals, const int32_t* examples, int count) except -1:
        """Runs a plan for these goals, or for the examples, except those that are proven already."""
        cdef int i, j, n = 0, width
        cdef const int32_t* op
        cdef const int32_t* keys
        cdef int32_t* column
        cdef int32_t* whose
        cdef int32_t* place
        cdef bint fits = True
        self.room(count)
        whose = self.columns[plan.nregs].data()
        if self.place.size() < <size_t>count:
            self.place.resize(2 * count)
        place = self.place.data()  # where the key of a row is
        if goals == NULL:
            keys = examples
            width = self.program.adornments[0].nbound
            for i in range(count):
                whose[n] = i
                place[n] = i * width
                n += self.covered[i] == 0
        else:
            keys = self.keys.data()
            for i in range(count):
                whose[n] = goals[i]
                place[n] = self.goals[goals[i]].key
                n += plan.nout > 0 or self.goals[goals[i]].answers == 0
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
            else:
                for i in range(n):
                    column[i] = keys[place[i] + op[0]]
            op += 3
        if not fits:
            n = self.match_head(plan, keys, n)
        return self.run(plan, 0, n)

    cdef int match_head(self, const Plan* plan, const int32_t* keys, int n) noexcept:
        """Keeps the rows whose bound arguments agree where the head repeats a variable or has a constant."""
        cdef int i, j, kept = 0
        cdef const int32_t* op
        cdef bint fits
        for i in range(n):
            fits = True
            op = self.program.pool.data() + plan.entry
            for j in range(plan.nentry):
                if op[2] and self.columns[op[1]][i] != keys[self.place[i] + op[0]]:
                    fits = False
                op += 3
            if fits:
                for j in range(plan.nregs + 1):
                    self.columns[j][kept] = self.columns[j][i]
                kept += 1
        return kept

    cdef int dispatch(self) except -1:
        """Each new answer goes to the rows that wait for it and have not used it."""
        cdef size_t e
        cdef int number
        cdef Waiter* waiter
        cdef Event event
        for e in range(self.events.size()):
            event = self.events[e]
            number = self.goals[event.goal].waiter
            while number >= 0:
                waiter = &self.waiters[number]
                if waiter.seen <= event.answer:
                    self.resumed_rows[waiter.site].push_back(waiter.row)
                    self.resumed_answers[waiter.site].push_back(event.answer)
                    self.resumable = True
                number = waiter.next
        self.events.clear()
        return 0

    cdef int resume(self, int site) except -1:
        """Goes on with rows that waited, each with an answer."""
        cdef const Step* step = &self.program.steps[site]
        cdef const Plan* plan = &self.program.plans[step.plan]
        cdef const int32_t* carried = self.program.pool.data() + step.carried
        cdef const int32_t* waiting
        cdef int32_t* column
        cdef int i, j, n, width = 1 + step.ncarried
        cdef const int32_t* rows
        # Swapped, since going on may add rows here again.
        self.resuming_rows.swap(self.resumed_rows[site])
        self.resuming_answers.swap(self.resumed_answers[site])
        self.resumed_rows[site].clear()
        self.resumed_answers[site].clear()
        n = <int>self.resuming_rows.size()
        rows = self.resuming_rows.data()
        if n > MOST_ROWS:
            return 0
        self.room(n)
        self.count += n
        for j in range(width):
            waiting = self.waiting[site].data() + j
            column = self.columns[carried[j - 1] if j else plan.nregs].data()
            for i in range(n):
                column[i] = waiting[<size_t>rows[i] * width]
        if step.nops:
            n = self.bind_answers(step, self.resuming_answers.data(), n, plan.nregs)
        return self.run(plan, step.number + 1, n)

    cdef int bind_answers(self, const Step* step, const int32_t* used, int n, int whose) noexcept:
        """Binds registers from the answers, one for each row; where it compares, only the rows that agree are kept."""
        cdef const int32_t* op = self.program.pool.data() + step.ops
        cdef int32_t* column
        cdef int i, j, k, kept = 0
        cdef bint compares = False, fits
        for j in range(step.nops):
            if op[3 * j + 2]:
                compares = True
                continue
            column = self.columns[op[3 * j + 1]].data()
            for i in range(n):
                column[i] = self.answers[self.answer_at[used[i]] + op[3 * j]]
        if not compares:
            return n
        for i in range(n):
            fits = True
            for j in range(step.nops):
                if op[3 * j + 2]:
                    fits &= self.columns[op[3 * j + 1]][i] == self.answers[self.answer_at[used[i]] + op[3 * j]]
            if fits:
                for j in range(step.nlive):
                    k = self.program.pool[step.live + j]
                    self.columns[k][kept] = self.columns[k][i]
                self.columns[whose][kept] = self.columns[whose][i]
                kept += 1
        return kept

    # -- the steps ------------------------------------------------------------------------------------------

    cdef int run(self, const Plan* plan, int number, int n) except -1:
        """Runs the steps of a plan from one on, for the rows in the columns. 0 when a limit is reached."""
        cdef const Step* step
        cdef int i, j, whose = plan.nregs
        cdef const int32_t* out
        cdef const int32_t* goals
        cdef int32_t* values
        while number < plan.nsteps:
            if n == 0:
                return 1
            self.count += n
            step = &self.program.steps[plan.steps + number]
            if step.kind == CALL:
                n = self.call(step, n, whose)
            elif step.nkeys == 1 and not step.groups.lazy and step.column >= 0:
                n = self.bind(step, n, whose)
            elif step.nkeys == 1 and not step.groups.lazy and step.nops == 0:
                n = self.test(step, n, whose)
            else:
                n = self.look_up(step, n, whose)
            if n < 0 or self.count > self.budget:
                return 0
            if step.repeats and n > 1:
                n = self.merge(step, n, whose)
            number += 1
        goals = self.columns[whose].data()
        if not self.program.calls:
            for i in range(n):
                self.covered[goals[i]] = 1
            return 1
        if plan.nout == 0:
            for i in range(n):
                self.prove(goals[i])
            return 1
        out = self.program.pool.data() + plan.out
        self.answer.resize(plan.nout)
        values = self.answer.data()
        for i in range(n):
            for j in range(plan.nout):
                values[j] = self.columns[out[j]][i]
            self.add_answer(goals[i], values, plan.nout)
        return 1

    cdef int test(self, const Step* step, int n, int whose) except -1:
        """A look-up that binds nothing, by one key."""
        cdef const int32_t* key = self.columns[self.program.pool[step.keys]].data()
        cdef Filter table = Filter(step.groups.direct, step.groups.ndirect)
        cdef int i, m = 0
        cdef int32_t* source
        if self.source.size() < <size_t>n:
            self.source.resize(2 * n)
        source = self.source.data()
        for i in range(n):
            source[m] = i
            m += holds(&table, key[i])
        if m < n:
            self.keep(step, m, whose)
        return m

    cdef int bind(self, const Step* step, int n, int whose) except -1:
        """A look-up by one key that binds one register, whose value may have to be in other tables too."""
        cdef const int32_t* key = self.columns[self.program.pool[step.keys]].data()
        cdef const int32_t* direct = step.groups.direct
        cdef const int32_t* cells = step.groups.cells + step.column
        cdef const Filter* filters = self.program.filters.data() + step.filters
        cdef int32_t ndirect = step.groups.ndirect, value, first, count
        cdef int i, j, k, m = 0, arity = step.arity, nfilters = step.nfilters
        cdef bint fits, used = step.nlive > step.nkept
        cdef int32_t* source
        cdef int32_t* values
        cdef Filter only
        if self.source.size() < <size_t>n + step.groups.most:
            self.source.resize(2 * n + step.groups.most)
        if self.values.size() < self.source.size():
            self.values.resize(self.source.size())
        source = self.source.data()
        values = self.values.data()
        if step.groups.most <= 1:
            # A function: a row becomes one row or none.
            for i in range(n):
                first = direct[2 * key[i]] if key[i] < ndirect else -1
                if first < 0:
                    continue
                value = cells[<Py_ssize_t>first * arity]
                fits = direct[2 * key[i] + 1] > 0
                for k in range(nfilters):
                    fits &= holds(filters + k, value)
                source[m] = i
                values[m] = value
                m += fits
        else:
            if nfilters:
                only = filters[0]
            for i in range(n):
                if key[i] >= ndirect:
                    continue
                first = direct[2 * key[i]]
                count = direct[2 * key[i] + 1]
                if m + count > <int>self.source.size():
                    if m + count > MOST_ROWS:
                        return -1
                    self.source.resize(2 * (m + count))
                    self.values.resize(2 * (m + count))
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
        if m != n or step.groups.most > 1:
            self.keep(step, m, whose)
        if used:
            if self.values.size() < self.capacity:
                self.values.resize(self.capacity)
            self.columns[step.register].swap(self.values)
        return m

    cdef int look_up(self, const Step* step, int n, int whose) except -1:
        """Any look-up: by any number of keys, binding and comparing any number of registers, lazy or not."""
        cdef int32_t key[64]
        cdef int32_t start = 0, stop = 0, at
        cdef int i, j, m = 0, found, nkeys = step.nkeys, nops = step.nops
        cdef const int32_t* keys = self.program.pool.data() + step.keys
        cdef const int32_t* ops = self.program.pool.data() + step.ops
        cdef const int32_t* op
        cdef const int32_t* cells
        cdef const Filter* filters = self.program.filters.data() + step.filters
        cdef int32_t same[64]  # where a register is bound by an earlier column of the same row: that column, else -1
        cdef const int32_t* key_columns[64]
        cdef int32_t* source
        cdef int k
        cdef bint fits
        for j in range(nops):
            same[j] = -1
            for k in range(j):
                if ops[3 * k + 1] == ops[3 * j + 1] and not ops[3 * k + 2]:
                    same[j] = ops[3 * k]
        for j in range(nkeys):
            key_columns[j] = self.columns[keys[j]].data()
        if nops == 0 and not step.groups.lazy:
            if self.source.size() < <size_t>n:
                self.source.resize(2 * n)
            source = self.source.data()
            for i in range(n):
                for j in range(nkeys):
                    key[j] = key_columns[j][i]
                source[m] = i
                m += find(step.groups, key, &start, &stop)
            if m < n:
                self.keep(step, m, whose)
            return m
        for i in range(n):
            for j in range(nkeys):
                key[j] = key_columns[j][i]
            found = find(step.groups, key, &start, &stop)
            if found < 0:
                (<Index>self.program.indexes[step.index]).fetch(tuple([key[j] for j in range(nkeys)]))
                found = find(step.groups, key, &start, &stop)
            if not found:
                continue
            if nops == 0:
                stop = start + 1
            if <size_t>(m + stop - start) > self.source.size() or <size_t>(m + stop - start) > self.found.size():
                if m + stop - start > MOST_ROWS:
                    return -1
                self.source.resize(2 * (m + stop - start))
                self.found.resize(2 * (m + stop - start))
            for at in range(start, stop):
                cells = step.groups.cells + <Py_ssize_t>at * step.arity
                op = ops
                fits = True
                for j in range(nops):
                    if op[2]:
                        fits &= (cells[same[j]] if same[j] >= 0 else self.columns[op[1]][i]) == cells[op[0]]
                    op += 3
                for j in range(step.nfilters):
                    fits &= holds(filters + j, cells[step.column])
                self.source[m] = i
                self.found[m] = at
                m += fits
        self.room(m)
        self.keep(step, m, whose)
        op = ops
        for j in range(nops):
            if not op[2]:
                cells = step.groups.cells + op[0]
                for i in range(m):
                    self.columns[op[1]][i] = cells[<Py_ssize_t>self.found[i] * step.arity]
            op += 3
        return m

    cdef int keep(self, const Step* step, int m, int whose) noexcept:
        """Makes row i of the registers that live on what row `source[i]` was, for m rows."""
        cdef int i, j, register
        cdef const int32_t* source = self.source.data()
        cdef const int32_t* old
        cdef int32_t* new
        for j in range(step.nkept + 1):
            register = whose if j == step.nkept else self.program.pool[step.live + j]
            old = self.columns[register].data()
            new = self.spare[register].data()
            for i in range(m):
                new[i] = old[source[i]]
            self.columns[register].swap(self.spare[register])
        return 0

    cdef int merge(self, const Step* step, int n, int whose) noexcept:
        """Of neighbours that agree in everything that is read later, keeps the first."""
        cdef int i, j, m = 1
        cdef const int32_t* live = self.program.pool.data() + step.live
        cdef int32_t* goals = self.columns[whose].data()
        cdef int32_t* column = NULL
        cdef bint differs
        if step.nlive <= 1:
            if step.nlive == 1:
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
            for j in range(step.nlive):
                column = self.columns[live[j]].data()
                differs |= column[i] != column[m - 1]
            if differs:
                goals[m] = goals[i]
                for j in range(step.nlive):
                    column = self.columns[live[j]].data()
                    column[m] = column[i]
                m += 1
        return m

    cdef int call(self, const Step* step, int n, int whose) except -1:
        """Rows whose goal has answers go on with them; all that could get more wait."""
        cdef const int32_t* keys = self.program.pool.data() + step.keys
        cdef int32_t key[64]
        cdef int i, j, m = 0, number, answer, width = 1 + step.ncarried
        cdef int site = <int>(step - self.program.steps.data())
        cdef bint ground = self.program.adornments[step.index].nfree == 0
        cdef bint last = ground and step.number + 1 == self.program.plans[step.plan].nsteps and self.program.plans[step.plan].nout == 0
        cdef Goal* goal
        cdef const int32_t* key_columns[64]
        for j in range(step.nkeys):
            key_columns[j] = self.columns[keys[j]].data()
        for i in range(n):
            for j in range(step.nkeys):
                key[j] = key_columns[j][i]
            number = self.goal(step.index, key)
            goal = &self.goals[number]
            if <size_t>(m + goal.answers) > self.source.size() or <size_t>(m + goal.answers) > self.found.size():
                if m + goal.answers > MOST_ROWS:
                    return -1
                self.source.resize(2 * (m + goal.answers))
                self.found.resize(2 * (m + goal.answers))
            if ground:
                if goal.answers:
                    self.source[m] = i
                    m += 1
                elif last:
                    self.waiters.push_back(Waiter(-1, self.columns[whose][i], 0, goal.waiter))
                    goal.waiter = <int>self.waiters.size() - 1
                else:
                    self.wait(step, site, goal, i, whose, width)
                continue
            answer = goal.first
            while answer >= 0:
                self.source[m] = i
                self.found[m] = answer
                m += 1
                answer = self.answer_next[answer]
            self.wait(step, site, goal, i, whose, width)
        self.room(m)
        if m == 0:
            return 0
        self.keep_compared(step, m)
        self.keep(step, m, whose)
        return self.bind_answers(step, self.found.data(), m, whose) if step.nops else m

    cdef int keep_compared(self, const Step* step, int m) noexcept:
        """`keep` for the registers that answers are compared with and that are not read later."""
        cdef int i, j, register
        for j in range(step.nkept, step.ncarried):
            register = self.program.pool[step.carried + j]
            for i in range(m):
                self.spare[register][i] = self.columns[register][self.source[i]]
            self.columns[register].swap(self.spare[register])
        return 0

    cdef inline int wait(self, const Step* step, int site, Goal* goal, int row, int whose, int width) except -1:
        cdef vector[int32_t]* waiting = &self.waiting[site]
        cdef int j, place = <int>(waiting.size() // width)
        waiting.push_back(self.columns[whose][row])
        for j in range(width - 1):
            waiting.push_back(self.columns[self.program.pool[step.carried + j]][row])
        # Numbers of answers grow with time: those from now on are the ones that it has not used.
        self.waiters.push_back(Waiter(site, place, <int>self.answer_next.size(), goal.waiter))
        goal.waiter = <int>self.waiters.size() - 1
        return 0


cdef int grow(vector[Slot]& slots, int32_t epoch) except -1:
    cdef vector[Slot] old
    cdef uint64_t at, mask
    cdef size_t i
    old.swap(slots)
    slots.assign(4 * old.size(), Slot(0, 0, 0))
    mask = slots.size() - 1
    for i in range(old.size()):
        if old[i].epoch == epoch:
            at = old[i].hash & mask
            while slots[at].epoch == epoch:
                at = (at + 1) & mask
            slots[at] = old[i]
    return 0
