"""Proofs, one example after the other: for programs that `batch` cannot do within its limits.

**One plan** is run by backtracking. When move L has no row left, it does not go back to move L - 1 but to the
latest move that matters: one that bound a register that L, or a move that failed because of L, reads
(conflict-directed backjumping, Prosser 1993). So independent parts of a body do not multiply each other's
work. Where all answers are wanted, going back after an answer starts at the latest move that bound an output.

**Recursion** is tabled: a goal (an adornment with its bound values) is solved once and its answers are kept. A
goal that calls one still being solved reads the answers there are so far, and the first goal of such a cycle
(its *leader*) is solved again until a round adds nothing that somebody had read too early; only then are the
goals of the cycle complete. This computes the least model, whatever the cycles. A goal with no free argument
is complete as soon as it is proven.

All of it runs on explicit stacks, so the depth of a proof is bounded by memory and by the *step* budget alone. A
step is one look-up or one row tried: the same count on every machine. What is left when an example's budget
ends is forgotten, except for answers found, which are true in any case.
"""

cdef size_t MACHINE_CELLS = 0x7FFF0000  # of all goals and answers of an example: their places are 32-bit numbers

cdef enum:  # the state of a goal
    NEW = 0
    OPEN = 1        # being solved, or waiting for the leader of its cycle
    COMPLETE = 2


cdef enum:  # what the machine does next
    START = 0       # begin a plan
    ENTER = 1       # look a move up
    ADVANCE = 2     # take the next row of a move


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


cdef struct MachineGoal:
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
    uint64_t blamed      # earlier moves that failures after this one were due to


@cython.final
cdef class Machine:
    """Runs one compiled program."""

    cdef Plans owner
    cdef Compiled* program
    cdef vector[MachineGoal] goals
    cdef vector[int32_t] keys
    cdef Slots goal_slots                # keys -> goals, where they have not just one part
    cdef vector[vector[int32_t]] single  # adornment with one bound argument -> its value -> goal + 1
    cdef vector[int32_t] answer_next
    cdef vector[int32_t] answer_at       # its values, in `answers`
    cdef vector[int32_t] answer_goal
    cdef vector[int32_t] answers
    cdef Slots answer_slots
    cdef vector[int32_t] opened          # goals that are open, in the order they were called
    cdef vector[Frame] frames
    cdef vector[int32_t] regs
    cdef vector[Level] levels
    cdef vector[int32_t] key             # scratch
    cdef int64_t surprises               # answers added to goals that somebody had read too early
    cdef int64_t count                   # steps since the example began

    def __init__(self, Plans program):
        self.owner = program
        self.program = &program.made
        self.regs.resize(self.program.most_regs)
        self.levels.resize(self.program.most_moves + 1)
        self.single.resize(self.program.adornments.size())
        self.key.resize(256)

    def cover(self, const int32_t[:, ::1] examples, unsigned char[::1] covered, unsigned char[::1] unfinished, budget):
        """Proves the examples that are not `covered`; returns the steps. `unfinished` are those that were cut.

        Goals are shared by the examples of one call and forgotten before the next, so that its steps do not depend
        on what was tested before.
        """
        cdef int i, result
        cdef int64_t total = 0, limit = budget
        cdef const int32_t* row = NULL
        self.clear()
        for i in range(examples.shape[0]):
            if covered[i]:
                continue
            if examples.shape[1]:
                row = &examples[i, 0]
            self.count = 0
            if self.is_full():
                self.clear()
            result = self.prove(row, limit)
            covered[i] = result == 1
            unfinished[i] = result == 2
            total += self.count
        return total

    cdef int clear(self) except -1:
        """Forgets all goals and answers; their memory is kept for the next test."""
        cdef size_t i
        for i in range(self.goals.size()):
            if self.program.adornments[self.goals[i].adornment].nbound == 1:
                self.single[self.goals[i].adornment][self.keys[self.goals[i].key]] = 0
        self.goal_slots.clear()
        self.answer_slots.clear()
        self.goals.clear()
        self.keys.clear()
        self.answer_next.clear()
        self.answer_at.clear()
        self.answer_goal.clear()
        self.answers.clear()
        self.frames.clear()  # an error of BK may have ended the last test
        self.opened.clear()
        self.surprises = 0
        return 0

    cdef inline bint is_full(self) noexcept:
        return self.keys.size() + self.goals.size() + self.answers.size() + self.answer_at.size() > MACHINE_CELLS

    cdef bint enter_head(self, const Plan* plan, const int32_t* bound, int32_t* regs) noexcept:
        """Sets the registers of constants and bound arguments. False where the head does not match."""
        cdef int i
        cdef const int32_t* op = self.program.pool.data() + plan.init
        for i in range(plan.ninit):
            regs[op[0]] = op[1]
            op += 2
        op = self.program.pool.data() + plan.entry
        for i in range(plan.nentry):
            if op[2]:
                if regs[op[1]] != bound[op[0]]:
                    return False
            else:
                regs[op[1]] = bound[op[0]]
            op += 3
        return True

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
        cdef int nbound = self.program.adornments[adornment].nbound, i, known
        cdef uint64_t hash
        cdef Candidates candidates
        if nbound == 1:
            if self.single[adornment].size() <= <size_t>key[0]:
                self.single[adornment].resize(2 * <size_t>key[0] + 16, 0)
            known = self.single[adornment][key[0]] - 1
            if known < 0:
                known = self.new_goal(adornment, key, 1)
                self.single[adornment][key[0]] = known + 1
            return known
        hash = hash_with(key, nbound, adornment)
        candidates = self.goal_slots.candidates(hash)
        known = candidates.next()
        while known >= 0:
            if self.goals[known].adornment == adornment:
                for i in range(nbound):
                    if self.keys[self.goals[known].key + i] != key[i]:
                        break
                else:
                    return known
            known = candidates.next()
        known = self.new_goal(adornment, key, nbound)
        self.goal_slots.add(hash, known)
        return known

    cdef inline int new_goal(self, int adornment, const int32_t* key, int nbound) except -1:
        cdef int i
        self.goals.push_back(MachineGoal(adornment, <int>self.keys.size(), NEW, -1, -1, False, -1, -1))
        for i in range(nbound):
            self.keys.push_back(key[i])
        return <int>self.goals.size() - 1

    cdef int push(self, int goal) except -1:
        """Opens a goal and its frame."""
        cdef MachineGoal* g = &self.goals[goal]
        cdef Adornment* adornment = &self.program.adornments[g.adornment]
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
            kernel_assert(self.goals[goal].place == <int>self.opened.size())
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
        cdef const Move* all_moves = self.program.moves.data()
        cdef const int32_t* pool = self.program.pool.data()
        cdef const Plan* plan = NULL
        cdef const Move* move
        cdef const int32_t* op
        cdef int32_t* key = self.key.data()
        cdef int32_t* regs = NULL
        cdef Level* levels = NULL
        cdef Level* here
        cdef Frame* frame
        cdef MachineGoal* called
        cdef uint64_t blamed = 0
        while self.frames.size():
            frame = &self.frames.back()
            if action == START:
                if frame.plan == frame.plan_end:
                    if self.finish(frame):
                        self.frames.pop_back()
                        action = ENTER
                    continue
                plan = self.program.plans.data() + frame.plan
                frame.regs_end = frame.regs + plan.nregs
                frame.levels_end = frame.levels + plan.nmoves
                if frame.regs_end > self.regs.size():
                    self.regs.resize(2 * frame.regs_end)
                if frame.levels_end > self.levels.size():
                    self.levels.resize(2 * frame.levels_end)
                self.count += 1
                if self.count > budget or self.is_full():
                    return 0
                regs = self.regs.data() + frame.regs
                levels = self.levels.data() + frame.levels
                if not self.enter_head(plan, self.keys.data() + self.goals[frame.goal].key, regs):
                    frame.plan += 1
                    continue
                level = 0
                action = ENTER
            else:
                # A call has come back: its move is entered again, and finds the answers there.
                plan = self.program.plans.data() + frame.plan
                regs = self.regs.data() + frame.regs
                levels = self.levels.data() + frame.levels
                level = frame.level
            # The moves of one plan, until it calls, succeeds for good, or is through.
            while True:
                if action == ENTER:
                    if level == plan.nmoves:
                        if plan.nout == 0:
                            # Proven: nothing can be added. What waited for it above is solved anew when asked again.
                            self.goals[frame.goal].first = 0
                            self.surprises += self.goals[frame.goal].read_early
                            self.close(self.goals[frame.goal].place, NEW)
                            self.goals[frame.goal].state = COMPLETE
                            self.frames.pop_back()
                            break
                        self.add_answer(frame.goal, plan, regs)
                        blamed = plan.out_moves
                        action = ADVANCE
                    else:
                        move = all_moves + plan.moves + level
                        here = levels + level
                        here.blamed = 0
                        self.count += 1
                        op = pool + move.keys
                        for i in range(move.nkeys):
                            key[i] = regs[op[i]]
                        if move.kind == LOOKUP:
                            found = find(move.groups, key, &here.at, &here.stop)
                            if found < 0:
                                (<Index>self.owner.indexes[move.index]).fetch(tuple([key[i] for i in range(move.nkeys)]))
                                found = find(move.groups, key, &here.at, &here.stop)
                            if not found:
                                here.at = here.stop = 0
                        else:
                            goal = self.goal(move.index, key)
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
                        if self.advance(move, here, regs):
                            level += 1
                            action = ENTER
                            continue
                        blamed = move.parents | here.blamed
                # Go back to the latest move to blame, and on from its next row.
                while blamed:
                    level = highest(blamed)
                    kernel_assert(level < plan.nmoves)
                    here = levels + level
                    here.blamed |= blamed & ~(<uint64_t>1 << level)
                    move = all_moves + plan.moves + level
                    if self.advance(move, here, regs):
                        level += 1
                        action = ENTER
                        break
                    blamed = move.parents | here.blamed
                if self.count > budget or self.is_full():
                    return 0
                if action != ENTER:
                    frame.plan += 1
                    action = START
                    break
        return 1

    cdef inline bint advance(self, const Move* move, Level* here, int32_t* regs) noexcept:
        """Binds the registers from the next row or answer that fits."""
        cdef const int32_t* row
        cdef const int32_t* op
        cdef const int32_t* ops = self.program.pool.data() + move.ops
        cdef int32_t next_answer
        cdef int i
        cdef bint fits
        while True:
            if move.kind == LOOKUP:
                if here.at >= here.stop:
                    return False
                kernel_assert(0 <= here.at < move.groups.nrows)
                row = move.groups.cells + <Py_ssize_t>here.at * move.arity
                here.at += 1
                if move.column >= 0:
                    self.count += 1 + move.nfilters
                    fits = True
                    for i in range(move.nfilters):
                        fits &= holds(self.program.filters.data() + move.filters + i, row[move.column])
                    if fits:
                        regs[move.register] = row[move.column]
                        return True
                    continue
            else:
                if here.stop < 0:
                    return False
                next_answer = self.answer_next[here.at] if here.at >= 0 else self.goals[here.stop].first
                if next_answer < 0:
                    return False
                here.at = next_answer
                if move.nops == 0:
                    here.stop = -1  # one answer says it all
                    self.count += 1
                    return True
                row = self.answers.data() + self.answer_at[here.at]
            self.count += 1
            op = ops
            fits = True
            for i in range(move.nops):
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
        cdef MachineGoal* goal = &self.goals[frame.goal]
        cdef MachineGoal* caller
        if goal.low < goal.place:
            # Not the leader: it stays open, and its caller depends on the same earlier goal.
            caller = &self.goals[self.frames[self.frames.size() - 2].goal]
            if goal.low < caller.low:
                caller.low = goal.low
            return True
        if self.surprises > frame.surprises:
            self.close(goal.place + 1, NEW)
            frame.surprises = self.surprises
            frame.plan = self.program.adornments[goal.adornment].plans
            return False
        self.close(goal.place, COMPLETE)
        return True

    cdef int add_answer(self, int goal, const Plan* plan, const int32_t* regs) except -1:
        cdef int i, known, free = plan.nout
        cdef int32_t* values = self.key.data()
        cdef uint64_t hash
        cdef Candidates candidates
        cdef MachineGoal* g
        kernel_assert(free <= <int>self.key.size())
        for i in range(free):
            values[i] = regs[self.program.pool[plan.out + i]]
        hash = hash_with(values, free, goal)
        candidates = self.answer_slots.candidates(hash)
        known = candidates.next()
        while known >= 0:
            if self.answer_goal[known] == goal:
                for i in range(free):
                    if self.answers[self.answer_at[known] + i] != values[i]:
                        break
                else:
                    return 0
            known = candidates.next()
        known = <int>self.answer_next.size()
        self.answer_slots.add(hash, known)
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
        return 0
