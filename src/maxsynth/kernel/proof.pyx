# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""Proofs: which examples a program covers, by its least model.

A program arrives compiled (see `maxsynth.evaluate`): for each of its predicates, with a given set of bound
arguments (an *adornment*), one *plan* a rule. A plan is a sequence of steps; a step looks rows up in an index,
or calls an adornment of the program, and binds registers from each row in turn.

**One plan** is run by backtracking. When step L has no row left, it does not go back to step L - 1 but to the
latest step that matters: one that bound a register that L, or a step that failed because of L, reads
(conflict-directed backjumping, Prosser 1993). So independent parts of a body do not multiply each other's
work. Where all answers are wanted, going back after an answer starts at the latest step that bound an output.

**Recursion** is tabled: a goal (an adornment with its bound values) is solved once and its answers are kept. A
goal that calls one still being solved reads the answers there are so far, and the first goal of such a cycle
(its *leader*) is solved again until a round adds nothing that somebody had read too early; only then are the
goals of the cycle complete. This computes the least model, whatever the cycles. A goal with no free argument
is complete as soon as it is proven.

All of it runs on explicit stacks, so the depth of a proof is bounded by memory and by the *step* budget alone. A
step is one look-up or one row tried: the same count on every machine. What is left when an example's budget
ends is forgotten, except for answers found, which are true in any case.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from maxsynth.kernel.bits cimport highest
from maxsynth.kernel.index cimport Groups, Index, find, hash_cells

cdef enum:
    LOOKUP = 0
    CALL = 1

cdef enum:  # the state of a goal
    NEW = 0
    OPEN = 1        # being solved, or waiting for the leader of its cycle
    COMPLETE = 2

cdef enum:  # what the machine does next
    START = 0       # begin a plan
    ENTER = 1       # look a step up
    ADVANCE = 2     # take the next row of a step

cdef struct Step:
    int kind
    const Groups* groups
    int index            # LOOKUP: number of the Index, to ask it; CALL: the adornment
    int nkeys
    int keys             # registers of the key, in `pool`
    int nops
    int ops              # (column, register, check?) for each other column, in `pool`
    int column           # where the only operation is to bind a register: its column and register; else -1
    int register
    int arity
    int filters          # tables that must hold the bound value, in `filters`: tested without a branch for each
    int nfilters
    uint64_t parents     # the steps that bound what this one reads

cdef struct Filter:      # a table with one key that is not lazy, so that it never changes
    const int32_t* direct
    int32_t ndirect

cdef struct Plan:
    int steps
    int nsteps
    int nregs
    int ninit
    int init             # (register, value): constants, in `pool`
    int nentry
    int entry            # (argument, register, check?): the bound arguments of the head
    int nout
    int out              # registers of the free arguments of the head
    uint64_t out_steps   # the steps that bound these

cdef struct Adornment:
    int plans
    int nplans
    int nbound
    int nfree

cdef struct Frame:
    int goal
    int plan
    int plan_end
    int level
    size_t regs          # its registers and levels lie from here ...
    size_t levels
    size_t regs_end      # ... to here, in vectors that only grow
    size_t levels_end
    int64_t surprises    # `surprises` of the machine when this round of the goal began

cdef struct Goal:
    int adornment
    int key              # in `keys`
    int state
    int place            # in `opened`
    int low              # the lowest place that a proof of this goal has read too early
    bint read_early
    int first            # answers, as a linked list
    int last

cdef struct Level:
    int32_t at           # LOOKUP: the next row; CALL: the last answer used, -1 before the first
    int32_t stop         # LOOKUP: the end of the rows; CALL: the goal, or -1 when there is nothing more
    uint64_t blamed      # earlier steps that failures after this one were due to


cdef inline bint holds(const Filter* filter, int32_t value) noexcept nogil:
    """Whether the table has a row whose key is the value."""
    return value < filter.ndirect and filter.direct[2 * value + 1] > 0


cdef class Prover:
    """One compiled program. `plans[a]` are the plans of adornment `a`; adornment 0 is the whole target."""

    cdef vector[Adornment] adornments
    cdef vector[Plan] plans
    cdef vector[Step] steps
    cdef vector[int32_t] pool
    cdef vector[Filter] filters
    cdef list indexes
    cdef bint calls
    # The machine of recursive programs.
    cdef vector[Goal] goals
    cdef vector[int32_t] keys
    cdef vector[int32_t] goal_slots
    cdef vector[vector[int32_t]] single  # adornment with one bound argument -> its value -> goal + 1
    cdef uint64_t goal_mask
    cdef vector[int32_t] answer_next
    cdef vector[int32_t] answer_at       # its values, in `answers`
    cdef vector[int32_t] answer_goal
    cdef vector[int32_t] answers
    cdef vector[int32_t] answer_slots
    cdef uint64_t answer_mask
    cdef vector[int32_t] opened          # goals that are open, in the order they were called
    cdef vector[Frame] frames
    cdef vector[int32_t] regs
    cdef vector[Level] levels
    cdef vector[int32_t] key             # scratch
    cdef int64_t surprises               # answers added to goals that somebody had read too early
    cdef int64_t count                   # steps since the example began
    cdef int64_t total

    def __init__(self, list adornments, list indexes):
        self.indexes = indexes
        self.calls = False
        for nbound, nfree, plans in adornments:
            self.adornments.push_back(Adornment(<int>self.plans.size(), len(plans), nbound, nfree))
            for plan in plans:
                self.add_plan(plan)
        self.single.resize(self.adornments.size())
        self.key.resize(256)
        self.goal_slots.assign(64, 0)
        self.goal_mask = 63
        self.answer_slots.assign(64, 0)
        self.answer_mask = 63

    cdef int add_ints(self, values) except -1:
        cdef int start = <int>self.pool.size()
        for value in values:
            self.pool.push_back(<int>value)
        return start

    cdef int add_plan(self, tuple plan) except -1:
        registers, init, entry, steps, out, out_steps = plan
        cdef Plan made
        cdef Step step
        cdef const Groups* groups
        made.steps = <int>self.steps.size()
        made.nsteps = len(steps)
        made.nregs = registers
        made.ninit = len(init)
        made.init = self.add_ints([x for pair in init for x in pair])
        made.nentry = len(entry)
        made.entry = self.add_ints([x for triple in entry for x in triple])
        made.nout = len(out)
        made.out = self.add_ints(out)
        made.out_steps = out_steps
        for kind, target, keys, ops, parents, filters in steps:
            step.kind = kind
            step.index = target
            step.groups = NULL
            if step.kind == LOOKUP:
                step.groups = &(<Index>self.indexes[step.index]).groups
            else:
                self.calls = True
            step.nkeys = len(keys)
            step.keys = self.add_ints(keys)
            step.nops = len(ops)
            step.ops = self.add_ints([x for triple in ops for x in triple])
            step.parents = parents
            step.arity = step.groups.arity if step.groups != NULL else 0
            step.filters = <int>self.filters.size()
            step.nfilters = len(filters)
            for number in filters:
                groups = &(<Index>self.indexes[number]).groups
                self.filters.push_back(Filter(groups.direct, groups.ndirect))
            step.column = step.register = -1
            if len(ops) == 1 and not ops[0][2]:
                step.column, step.register = ops[0][0], ops[0][1]
            self.steps.push_back(step)
        self.plans.push_back(made)
        # Room for the largest plan, so that running one need not look.
        if self.regs.size() < <size_t>made.nregs:
            self.regs.resize(made.nregs)
        if self.levels.size() < <size_t>made.nsteps + 1:
            self.levels.resize(made.nsteps + 1)
        return 0

    def cover(self, const int32_t[:, ::1] examples, int64_t budget):
        """(covered, unfinished, steps): which rows of `examples` are proven, and which were cut, as bools.

        Goals are shared by the examples of one call and forgotten before the next, so that its steps do not depend
        on what was tested before.
        """
        cdef int i, n = examples.shape[0], result
        cdef bint empty = examples.shape[1] == 0
        cdef const int32_t* row
        covered = np.zeros(n, dtype=np.bool_)
        unfinished = np.zeros(n, dtype=np.bool_)
        cdef unsigned char[::1] yes = covered.view(np.uint8)
        cdef unsigned char[::1] cut = unfinished.view(np.uint8)
        self.total = 0
        self.clear()
        for i in range(n):
            row = NULL
            if not empty:
                row = &examples[i, 0]
            self.count = 0
            result = self.prove(row, budget) if self.calls else self.prove_flat(row)
            yes[i] = result == 1
            cut[i] = result == 2
            self.total += self.count
        return covered, unfinished, self.total

    cdef int clear(self) except -1:
        """Forgets all goals and answers; their memory is kept for the next test."""
        cdef size_t i
        for i in range(self.goals.size()):
            if self.adornments[self.goals[i].adornment].nbound == 1:
                self.single[self.goals[i].adornment][self.keys[self.goals[i].key]] = 0
        self.goal_slots.assign(self.goal_mask + 1, 0)
        self.answer_slots.assign(self.answer_mask + 1, 0)
        self.goals.clear()
        self.keys.clear()
        self.answer_next.clear()
        self.answer_at.clear()
        self.answer_goal.clear()
        self.answers.clear()
        self.surprises = 0
        return 0

    # -- plans without calls ------------------------------------------------------------------------------

    cdef int prove_flat(self, const int32_t* example) except -1:
        """1 when some rule covers the example. For programs without calls; these always end."""
        cdef Adornment* adornment = &self.adornments[0]
        cdef int i, found
        for i in range(adornment.nplans):
            found = self.run_flat(&self.plans[adornment.plans + i], example)
            if found:
                return found
        return 0

    cdef int run_flat(self, const Plan* plan, const int32_t* example) except -1:
        """Runs one plan. The pointers are local, so that the loop does not read them again at every step."""
        cdef int level = 0, last = plan.nsteps, i, found
        cdef int64_t count = 0
        cdef uint64_t blamed
        cdef const Step* steps = self.steps.data() + plan.steps
        cdef const Step* step
        cdef const int32_t* pool = self.pool.data()
        cdef const int32_t* row
        cdef const int32_t* op
        cdef const int32_t* ops
        cdef const int32_t* cells
        cdef const Filter* filters = self.filters.data()
        cdef const Filter* filter
        cdef int32_t value
        cdef int32_t* regs
        cdef Level* levels
        cdef Level* here
        cdef int32_t key[64]
        regs = self.regs.data()
        levels = self.levels.data()
        if not self.enter_head(plan, example, regs):
            return 0
        while level < last:
            # Enter a step: look its rows up.
            step = steps + level
            here = levels + level
            here.blamed = 0
            op = pool + step.keys
            for i in range(step.nkeys):
                key[i] = regs[op[i]]
            found = find(step.groups, key, &here.at, &here.stop)
            if found < 0:
                (<Index>self.indexes[step.index]).fetch(tuple([key[i] for i in range(step.nkeys)]))
                found = find(step.groups, key, &here.at, &here.stop)
            count += 1
            if found:
                if step.nops == 0:
                    # Nothing to bind or to compare: one row says it all.
                    here.at = here.stop
                    level += 1
                    continue
            else:
                here.at = here.stop = 0
            # Take its next row that fits; without one, go back to the step to blame.
            while True:
                found = 0
                if step.column >= 0:
                    cells = step.groups.cells + step.column
                    while here.at < here.stop:
                        value = cells[<Py_ssize_t>here.at * step.arity]
                        here.at += 1
                        count += 1 + step.nfilters
                        found = 1
                        filter = filters + step.filters
                        for i in range(step.nfilters):
                            found &= holds(filter + i, value)
                        if found:
                            regs[step.register] = value
                            break
                ops = pool + step.ops
                while step.column < 0 and here.at < here.stop:
                    row = step.groups.cells + <Py_ssize_t>here.at * step.arity
                    here.at += 1
                    count += 1
                    op = ops
                    found = 1
                    for i in range(step.nops):
                        if op[2]:
                            if regs[op[1]] != row[op[0]]:
                                found = 0
                                break
                        else:
                            regs[op[1]] = row[op[0]]
                        op += 3
                    if found:
                        break
                if found:
                    level += 1
                    break
                blamed = step.parents | here.blamed
                if blamed == 0:
                    self.count += count
                    return 0
                level = highest(blamed)
                step = steps + level
                here = levels + level
                here.blamed |= blamed & ~(<uint64_t>1 << level)
        self.count += count
        return 1

    cdef bint enter_head(self, const Plan* plan, const int32_t* bound, int32_t* regs) noexcept:
        """Sets the registers of constants and bound arguments. False where the head does not match."""
        cdef int i
        cdef const int32_t* op = self.pool.data() + plan.init
        for i in range(plan.ninit):
            regs[op[0]] = op[1]
            op += 2
        op = self.pool.data() + plan.entry
        for i in range(plan.nentry):
            if op[2]:
                if regs[op[1]] != bound[op[0]]:
                    return False
            else:
                regs[op[1]] = bound[op[0]]
            op += 3
        return True

    # -- programs with calls ------------------------------------------------------------------------------

    cdef int prove(self, const int32_t* example, int64_t budget) except -1:
        """1: the example is in the least model, 0: it is not, 2: the budget ended before either was known."""
        cdef int goal = self.goal(0, example)
        if self.goals[goal].state != COMPLETE:
            self.push(goal)
            if not self.solve(budget):
                self.forget()
        if self.goals[goal].first >= 0:
            return 1
        return 0 if self.goals[goal].state == COMPLETE else 2

    cdef int goal(self, int adornment, const int32_t* key) except -1:
        """The number of a goal, new or known."""
        cdef int nbound = self.adornments[adornment].nbound, i, known
        cdef uint64_t at
        if nbound == 1:
            if self.single[adornment].size() <= <size_t>key[0]:
                self.single[adornment].resize(2 * <size_t>key[0] + 16, 0)
            known = self.single[adornment][key[0]] - 1
            if known < 0:
                known = self.new_goal(adornment, key, 1)
                self.single[adornment][key[0]] = known + 1
            return known
        at = hash_cells(key, nbound) + <uint64_t>adornment * 0x9E3779B97F4A7C15ULL
        at = (at ^ (at >> 31)) & self.goal_mask
        while self.goal_slots[at]:
            known = self.goal_slots[at] - 1
            if self.goals[known].adornment == adornment:
                for i in range(nbound):
                    if self.keys[self.goals[known].key + i] != key[i]:
                        break
                else:
                    return known
            at = (at + 1) & self.goal_mask
        known = self.new_goal(adornment, key, nbound)
        self.goal_slots[at] = known + 1
        if self.goals.size() * 2 > self.goal_mask:
            self.grow_goals()
        return known

    cdef inline int new_goal(self, int adornment, const int32_t* key, int nbound) except -1:
        cdef int i
        self.goals.push_back(Goal(adornment, <int>self.keys.size(), NEW, -1, -1, False, -1, -1))
        for i in range(nbound):
            self.keys.push_back(key[i])
        return <int>self.goals.size() - 1

    cdef int grow_goals(self) except -1:
        cdef uint64_t at
        cdef int known
        self.goal_mask = (self.goal_mask + 1) * 4 - 1
        self.goal_slots.assign(self.goal_mask + 1, 0)
        for known in range(<int>self.goals.size()):
            if self.adornments[self.goals[known].adornment].nbound == 1:
                continue
            at = hash_cells(self.keys.data() + self.goals[known].key, self.adornments[self.goals[known].adornment].nbound)
            at += <uint64_t>self.goals[known].adornment * 0x9E3779B97F4A7C15ULL
            at = (at ^ (at >> 31)) & self.goal_mask
            while self.goal_slots[at]:
                at = (at + 1) & self.goal_mask
            self.goal_slots[at] = known + 1
        return 0

    cdef int push(self, int goal) except -1:
        """Opens a goal and its frame."""
        cdef Goal* g = &self.goals[goal]
        cdef Adornment* adornment = &self.adornments[g.adornment]
        cdef size_t regs = 0, levels = 0
        if self.frames.size():
            regs = self.frames.back().regs_end
            levels = self.frames.back().levels_end
        g.state = OPEN
        g.place = g.low = <int>self.opened.size()
        g.read_early = False
        self.opened.push_back(goal)
        self.frames.push_back(Frame(
            goal, adornment.plans, adornment.plans + adornment.nplans, -1, regs, levels, regs, levels, self.surprises,
        ))
        return 0

    cdef int close(self, int place, int state) noexcept:
        """All goals opened from `place` on get this state and are open no more."""
        cdef int goal
        while <int>self.opened.size() > place:
            goal = self.opened.back()
            self.opened.pop_back()
            self.goals[goal].state = state
            self.goals[goal].read_early = False
        return 0

    cdef int forget(self) except -1:
        """After the budget ended: nothing stays open."""
        self.close(0, NEW)
        self.frames.clear()
        return 0

    cdef int solve(self, int64_t budget) except -1:
        """Runs the machine until no frame is left (1) or the budget ends (0)."""
        cdef int action = START, i, level = 0, found, goal
        cdef const Step* all_steps = self.steps.data()
        cdef const int32_t* pool = self.pool.data()
        cdef const Plan* plan = NULL
        cdef const Step* step
        cdef const int32_t* op
        cdef int32_t* key = self.key.data()
        cdef int32_t* regs = NULL
        cdef Level* levels = NULL
        cdef Level* here
        cdef Frame* frame
        cdef Goal* called
        cdef uint64_t blamed = 0
        while self.frames.size():
            frame = &self.frames.back()
            if action == START:
                if frame.plan == frame.plan_end:
                    if self.finish(frame):
                        self.frames.pop_back()
                        action = ENTER
                    continue
                plan = self.plans.data() + frame.plan
                frame.regs_end = frame.regs + plan.nregs
                frame.levels_end = frame.levels + plan.nsteps
                if frame.regs_end > self.regs.size():
                    self.regs.resize(2 * frame.regs_end)
                if frame.levels_end > self.levels.size():
                    self.levels.resize(2 * frame.levels_end)
                self.count += 1
                if self.count > budget:
                    return 0
                regs = self.regs.data() + frame.regs
                levels = self.levels.data() + frame.levels
                if not self.enter_head(plan, self.keys.data() + self.goals[frame.goal].key, regs):
                    frame.plan += 1
                    continue
                level = 0
                action = ENTER
            else:
                # A call has come back: its step is entered again, and finds the answers there.
                plan = self.plans.data() + frame.plan
                regs = self.regs.data() + frame.regs
                levels = self.levels.data() + frame.levels
                level = frame.level
            # The steps of one plan, until it calls, succeeds for good, or is through.
            while True:
                if action == ENTER:
                    if level == plan.nsteps:
                        if plan.nout == 0:
                            # Proven: nothing can be added. What waited for it above is solved anew when asked again.
                            self.goals[frame.goal].first = 0
                            self.surprises += self.goals[frame.goal].read_early
                            self.close(self.goals[frame.goal].place, NEW)
                            self.goals[frame.goal].state = COMPLETE
                            self.frames.pop_back()
                            break
                        self.add_answer(frame.goal, plan, regs)
                        blamed = plan.out_steps
                        action = ADVANCE
                    else:
                        step = all_steps + plan.steps + level
                        here = levels + level
                        here.blamed = 0
                        self.count += 1
                        op = pool + step.keys
                        for i in range(step.nkeys):
                            key[i] = regs[op[i]]
                        if step.kind == LOOKUP:
                            found = find(step.groups, key, &here.at, &here.stop)
                            if found < 0:
                                (<Index>self.indexes[step.index]).fetch(tuple([key[i] for i in range(step.nkeys)]))
                                found = find(step.groups, key, &here.at, &here.stop)
                            if not found:
                                here.at = here.stop = 0
                        else:
                            goal = self.goal(step.index, key)
                            called = self.goals.data() + goal
                            if called.state == NEW:
                                frame.level = level
                                self.push(goal)
                                action = START
                                break
                            if called.state == OPEN:
                                called.read_early = True
                                if called.low < self.goals[frame.goal].low:
                                    self.goals[frame.goal].low = called.low
                            here.at = -1
                            here.stop = goal
                        action = ADVANCE
                        if self.advance(step, here, regs):
                            level += 1
                            action = ENTER
                            continue
                        blamed = step.parents | here.blamed
                # Go back to the latest step to blame, and on from its next row.
                while blamed:
                    level = highest(blamed)
                    here = levels + level
                    here.blamed |= blamed & ~(<uint64_t>1 << level)
                    step = all_steps + plan.steps + level
                    if self.advance(step, here, regs):
                        level += 1
                        action = ENTER
                        break
                    blamed = step.parents | here.blamed
                if self.count > budget:
                    return 0
                if action != ENTER:
                    frame.plan += 1
                    action = START
                    break
        return 1

    cdef inline bint advance(self, const Step* step, Level* here, int32_t* regs) noexcept:
        """Binds the registers from the next row or answer that fits."""
        cdef const int32_t* row
        cdef const int32_t* op
        cdef const int32_t* ops = self.pool.data() + step.ops
        cdef int32_t next_answer
        cdef int i
        cdef bint fits
        while True:
            if step.kind == LOOKUP:
                if here.at >= here.stop:
                    return False
                row = step.groups.cells + <Py_ssize_t>here.at * step.arity
                here.at += 1
                if step.column >= 0:
                    self.count += 1 + step.nfilters
                    fits = True
                    for i in range(step.nfilters):
                        fits &= holds(self.filters.data() + step.filters + i, row[step.column])
                    if fits:
                        regs[step.register] = row[step.column]
                        return True
                    continue
            else:
                if here.stop < 0:
                    return False
                next_answer = self.answer_next[here.at] if here.at >= 0 else self.goals[here.stop].first
                if next_answer < 0:
                    return False
                here.at = next_answer
                if step.nops == 0:
                    here.stop = -1  # one answer says it all
                    self.count += 1
                    return True
                row = self.answers.data() + self.answer_at[here.at]
            self.count += 1
            op = ops
            fits = True
            for i in range(step.nops):
                if op[2]:
                    if regs[op[1]] != row[op[0]]:
                        fits = False
                        break
                else:
                    regs[op[1]] = row[op[0]]
                op += 3
            if fits:
                return True

    cdef bint finish(self, Frame* frame) except -1:
        """All rules of the top goal were tried. False when its cycle needs another round."""
        cdef Goal* goal = &self.goals[frame.goal]
        cdef Goal* caller
        if goal.low < goal.place:
            # Not the leader: it stays open, and its caller depends on the same earlier goal.
            caller = &self.goals[self.frames[self.frames.size() - 2].goal]
            if goal.low < caller.low:
                caller.low = goal.low
            return True
        if self.surprises > frame.surprises:
            self.close(goal.place + 1, NEW)
            frame.surprises = self.surprises
            frame.plan = self.adornments[goal.adornment].plans
            return False
        self.close(goal.place, COMPLETE)
        return True

    cdef int add_answer(self, int goal, const Plan* plan, const int32_t* regs) except -1:
        cdef int i, known, free = plan.nout
        cdef int32_t* values = self.key.data()
        cdef uint64_t at
        cdef Goal* g
        for i in range(free):
            values[i] = regs[self.pool[plan.out + i]]
        at = hash_cells(values, free) + <uint64_t>goal * 0x9E3779B97F4A7C15ULL
        at = (at ^ (at >> 31)) & self.answer_mask
        while self.answer_slots[at]:
            known = self.answer_slots[at] - 1
            if self.answer_goal[known] == goal:
                for i in range(free):
                    if self.answers[self.answer_at[known] + i] != values[i]:
                        break
                else:
                    return 0
            at = (at + 1) & self.answer_mask
        known = <int>self.answer_next.size()
        self.answer_slots[at] = known + 1
        self.answer_next.push_back(-1)
        self.answer_at.push_back(<int>self.answers.size())
        self.answer_goal.push_back(goal)
        for i in range(free):
            self.answers.push_back(values[i])
        g = &self.goals[goal]
        if g.last >= 0:
            self.answer_next[g.last] = known
        else:
            g.first = known
        g.last = known
        if g.read_early:
            self.surprises += 1
        if self.answer_next.size() * 2 > self.answer_mask:
            self.grow_answers()
        return 0

    cdef int grow_answers(self) except -1:
        cdef uint64_t at
        cdef int known, free
        self.answer_mask = (self.answer_mask + 1) * 4 - 1
        self.answer_slots.assign(self.answer_mask + 1, 0)
        for known in range(<int>self.answer_next.size()):
            free = self.adornments[self.goals[self.answer_goal[known]].adornment].nfree
            at = hash_cells(self.answers.data() + self.answer_at[known], free)
            at += <uint64_t>self.answer_goal[known] * 0x9E3779B97F4A7C15ULL
            at = (at ^ (at >> 31)) & self.answer_mask
            while self.answer_slots[at]:
                at = (at + 1) & self.answer_mask
            self.answer_slots[at] = known + 1
        return 0
