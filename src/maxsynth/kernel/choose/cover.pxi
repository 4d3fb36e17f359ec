"""Choosing rules: an exact branch and bound for the combine stage.

Given rules with their coverage, find the set that minimises size + weight of the negatives it covers + weight of the
positives it misses, if there is one below a known cost. A node of the search is the same problem, smaller (`shares`):
some rules are chosen, their positives and negatives are paid for; some are out. A node drops rules for three reasons,
none of which loses its best set if that is below the bound:

- a rule that covers, here, no more than its size in positives: a set without it costs no more;
- a rule that another one *matches* in the sense of the swap lemma: with that one in its place, a set costs no more;
- a rule with which every set reaches the bound, by the lower bound for sets that have it.

A set may be limited to so many rules, and to so large a size. None of this is in the way of that: the set without a rule
is smaller, and one with a rule that matches has as many rules and is no larger. A bound for all sets holds for these.

The lower bound rises as its shares are improved, and with every rule dropped. When that gets slow, the node branches on the
rule that the shares lean to most: first with that rule in, then, in the same node, with it out. With it in, the bound rises
by much; with it out, by little. So the tree is broad and hardly deeper than the best set has rules.
"""


cdef enum:
    LEADERS = 4  # that a node branches on, one after the other, before it goes on to improve its shares
    NEARBY_STEPS = 3  # every third step looks at all that are nearby, the others at the active ones only
    ROUNDED = 4  # times a node looks at what it has achieved before it looks again for a better set
    REBUILT = 4  # when one rule in so many is out, the lists are made anew without them


@cython.final
cdef class Cover:
    """One problem: for each rule the positives and the negatives it covers, as lists one after the other."""

    cdef Shares root
    cdef int64_t bound, open, missed
    cdef int64_t most_rules, most_size, used  # limits of a set, and the size of the chosen rules
    cdef bint limited
    cdef readonly int shift             # amounts are whole numbers of 2**-shift
    cdef vector[int32_t] chosen
    cdef vector[int32_t] best
    cdef bint found, stopped
    cdef readonly bint full             # it was stopped because there is no more memory
    cdef readonly int64_t nodes, steps, matched  # the last: rules dropped that way
    # A node looks at what it has achieved every `check` steps, and goes on while those, `patience` times over, would
    # close the gap. Any values will do.
    cdef public int check, patience
    cdef object should_stop, on_better
    cdef object threads                 # `search.threads.Threads`; None: there is one
    cdef CoverLog log                   # None where nobody wants to go on another time

    def __init__(
        self, const int32_t[::1] pos_from, const int32_t[::1] pos, const int32_t[::1] neg_from, const int32_t[::1] neg,
        const int64_t[::1] sizes, const int64_t[::1] pos_weight, const int64_t[::1] neg_weight, *,
        most_rules=None, most_size=None, claim=None, threads=None,
    ):
        cdef Shares root = Shares()
        cdef int64_t largest = 0
        cdef int i
        self.limited = most_rules is not None or most_size is not None
        self.most_rules = sizes.shape[0] if most_rules is None else min(most_rules, sizes.shape[0])
        self.most_size = <int64_t>1 << 62 if most_size is None else most_size
        root.room = Room(claim)
        self.threads = threads
        root.bench = Workbench(1 if threads is None else min(<int>threads.jobs, MOST_PARTS))
        root.nrules = sizes.shape[0]
        root.npos = pos_weight.shape[0]
        root.nneg = neg_weight.shape[0]
        for i in range(root.nrules):
            root.rule.push_back(i)
            root.size.push_back(sizes[i])
            largest = max(largest, sizes[i])
        for i in range(root.nrules + 1):
            root.pos_from.push_back(pos_from[i])
            root.neg_from.push_back(neg_from[i])
        for i in range(pos.shape[0]):
            root.pos.push_back(pos[i])
        for i in range(neg.shape[0]):
            root.neg.push_back(neg[i])
        for i in range(root.npos):
            root.pos_weight.push_back(pos_weight[i])
        for i in range(root.nneg):
            root.neg_weight.push_back(neg_weight[i])
        self.missed = sum(root.pos_weight)
        # What the shares need, so that no sum overflows: see there.
        total = self.missed + sum(root.neg_weight) + largest
        if total >= 1 << 51:
            raise ValueError("the weights are too large")
        self.shift = root.shift = min(MOST_SHIFT, 51 - int(total).bit_length())
        root.narrow = all(is_narrow(weight, self.shift) for weight in root.neg_weight)  # see there as well
        root.start()
        self.root = root
        self.check = 8
        self.patience = 16

    def solve(self, int64_t bound, should_stop=None, on_better=None, CoverLog log=None):
        """(rules, finished, lower): a best set of cost below `bound`, or None, and what every set costs at least.

        When it was stopped, finished is False, and the rules are the best set found, if that is below the bound. Each
        better set is given to `on_better` when it is found. What is finished is kept in a `log`, and skipped where it is
        there already.
        """
        self.bound = bound
        self.log = log
        # To choose nothing costs no more. (It may be below zero, and so must not be shifted.)
        self.open = min(bound, self.missed + 1) * (<int64_t>1 << self.shift)
        self.should_stop = should_stop if log is None else log.counting(should_stop)
        self.on_better = on_better
        self.found = self.stopped = self.full = False
        self.nodes = self.steps = self.matched = 0
        self.chosen.clear()
        self.used = 0
        self.with_helpers(lambda: self.node(self.root, 0))
        # Rounded up: costs are whole numbers. (C's division rounds towards zero.)
        lower = min(self.bound, -((-self.open) >> self.shift)) if self.stopped else self.bound
        return ([r for r in self.best] if self.found else None), not self.stopped, lower

    def values(self, int64_t bound, int steps, should_stop=None):
        """What the positives cost at least, each, as whole numbers of 2**-shift; and that shift.

        These are the values of `shares` after so many steps towards a bound on all of them, or the best before that.
        """
        values = np.zeros(self.root.npos, np.int64)
        self.with_helpers(lambda: self.find_values(values, None, bound, steps, should_stop))
        return values, self.shift

    def shares(self, int64_t bound, int steps, should_stop=None, known=None):
        """The same with the shares of each negative for each positive, as a table: (values, shares, shift).

        `known` are values and shares for some of the rules, to begin with.
        """
        values = np.zeros(self.root.npos, np.int64)
        of_neg = np.zeros((self.root.nneg, self.root.npos), np.int64)
        if known is not None:
            self.root.begin_with(known[0], known[1])
        self.with_helpers(lambda: self.find_values(values, of_neg, bound, steps, should_stop))
        return values, of_neg, self.shift

    def with_helpers(self, do):
        """Does something; where steps are large, with other threads to share them."""
        cdef Workbench bench = self.root.bench

        def work(number):
            if number:
                return bench.help()
            try:
                do()
            finally:
                bench.team.close()

        if bench.most > 1 and self.root.work() >= LEAST_SHARED and self.threads.ready():
            bench.team.open()
            self.threads.run(work, lambda: None)
        else:
            bench.most = 1
            do()

    cdef int find_values(self, int64_t[::1] values, int64_t[:, ::1] of_neg, int64_t bound, int steps, should_stop) except -1:
        """Sets the values, and the shares that go with them, unless these are None."""
        cdef Shares p = self.root
        cdef int64_t best = -1, now, goal = min(bound, self.missed) << self.shift
        cdef int step
        cdef Looked which
        for step in range(steps):
            which = ALL
            if step % self.check and step + 1 < steps:
                which = ACTIVE if step % NEARBY_STEPS else NEARBY
            now = p.evaluate(which)
            if which != ALL and now >= goal:
                which = ALL
                now = p.evaluate(ALL)
            if which == ALL and now > best and p.npos:
                best = now
                memcpy(&values[0], p.value.data(), p.npos * sizeof(int64_t))
                if of_neg is not None and p.nneg:
                    memcpy(&of_neg[0, 0], p.of_neg.data(), p.of_neg.size() * sizeof(int64_t))
            if p.npos == 0 or now >= goal or (should_stop is not None and should_stop()):
                break
            if takes(should_stop, p.steps_due()):
                break
            p.improve(goal - now, which)
        return 0

    def unmatched(self, should_stop=None):
        """The rules that no other one matches, as a node drops them: enough for a set of least cost."""
        self.root.match(should_stop)
        return [i for i in range(self.root.nrules) if not self.root.out[i]]

    cdef int node(self, Shares p, int64_t lower) except -1:
        """Searches below a node, which is known to cost at least `lower`. Without memory for that, it is stopped."""
        try:
            return self.search(p, &lower)
        except MemoryError:
            self.full = True
            return self.stop(lower)

    cdef int search(self, Shares p, int64_t* known) except -1:
        """`node`; what it then costs at least is in `known`."""
        cdef int64_t now, gap = 0, all_missed, mark = 0, most_votes, lower = known[0]
        cdef int64_t rules_left = self.most_rules - <int64_t>self.chosen.size(), room = self.most_size - self.used
        cdef int steps = 0, i, leader, taken
        cdef Looked which
        cdef bint stop
        cdef vector[int32_t] none
        self.nodes += 1
        now = p.cost
        for i in range(p.npos):
            now += p.pos_weight[i]
        self.note(now, none)
        all_missed = now
        if rules_left <= 0:
            return 0
        while True:
            self.drop_useless(p, room)
            if p.nout == p.nrules:
                return 0
            if p.nout * REBUILT > p.nrules:
                p = p.without_dropped()
            if self.limited and rules_left == 1:
                return self.choose_one(p, all_missed)
            stop = self.should_stop is not None and self.should_stop()
            # The active rules alone, and then the nearby ones, say when it is worth a look at all.
            which = ACTIVE
            if steps == 0 or (steps + 1) % self.check == 0 or stop:
                which = ALL
            elif steps % NEARBY_STEPS == 0:
                which = NEARBY
            while which != ALL:
                now = (p.cost << self.shift) + p.evaluate(which)
                if now <= (self.bound - 1) << self.shift:
                    break
                which = NEARBY if which == ACTIVE else ALL
            if which == ALL:
                now = (p.cost << self.shift) + p.evaluate(ALL)
            stop = takes(self.should_stop, p.steps_due()) or stop
            if which == ALL:
                if self.limited:
                    lower = max(lower, max(0, all_missed - p.saved_at_most(rules_left, room)) << self.shift)
                lower = known[0] = max(lower, now)
                if lower > (self.bound - 1) << self.shift:
                    return 0
                self.drop_by_surplus(p, ((self.bound - 1) << self.shift) - now)
            if stop:
                return self.stop(lower)
            gap = max(0, ((self.bound - 1) << self.shift) - now)
            steps += 1
            self.steps += 1
            if steps % self.check:
                p.improve(gap + (<int64_t>1 << self.shift), which)
                continue
            if steps // self.check % ROUNDED == 1:
                self.round_off(p, rules_left, room)
            gap = ((self.bound - 1) << self.shift) - now
            if gap < 0:
                return 0
            # Without progress it is stuck, also when the gap is nothing: then the bound may never get beyond it.
            if gap < self.patience * (now - mark):
                mark = now
            elif not p.matched:
                self.matched += p.match(self.should_stop)
                p.matched = True
            else:
                mark = now
                most_votes = -1
                for taken in range(LEADERS):
                    leader = -1
                    for i in range(p.nrules):
                        if not p.out[i] and (leader < 0 or p.votes[i] > p.votes[leader]):
                            leader = i
                    if leader < 0:
                        return 0
                    if p.votes[leader] * 2 < most_votes:
                        break
                    most_votes = max(most_votes, p.votes[leader])
                    self.chosen.push_back(p.rule[leader])
                    self.used += p.size[leader]
                    if self.log is None or not self.skip():
                        self.enter()
                        self.node(p.choosing(leader, self.bound, room), lower)
                        self.leave()
                    self.used -= p.size[leader]
                    self.chosen.pop_back()
                    if self.stopped:
                        return self.stop(lower)
                    p.drop(leader)
            p.improve(gap + (<int64_t>1 << self.shift), ALL)

    cdef bint skip(self) except -1:
        """Whether the node that comes next was finished before; then all is as it was after it."""
        cdef int i
        record = self.log.next_finished()
        if record is None:
            return False
        _, nodes, steps, matched, better = record
        self.nodes += nodes
        self.steps += steps
        self.matched += matched
        for cost, rules in better:
            if cost >= self.bound or not all([0 <= i < self.root.nrules for i in rules]):
                raise ValueError("a set that cannot have been found")
            self.bound = cost
            self.found = True
            self.best = rules
            if self.on_better is not None:
                self.on_better(rules)
        return True

    cdef int enter(self) except -1:
        if self.log is not None:
            self.log.enter(self.nodes, self.steps, self.matched)
        return 0

    cdef int leave(self) except -1:
        if self.log is not None and not self.stopped:
            self.log.leave(self.nodes, self.steps, self.matched)
        return 0

    cdef int stop(self, int64_t lower) except -1:
        """Leaves a node that is not finished: what is left of it costs at least `lower`."""
        self.stopped = True
        self.open = min(self.open, lower)
        return 0

    cdef int choose_one(self, Shares p, int64_t all_missed) except -1:
        """The best set with one more rule, or none."""
        cdef vector[int32_t] one
        cdef int i
        one.push_back(0)
        for i in range(p.nrules):
            if not p.out[i]:
                one[0] = p.rule[i]
                self.note(all_missed - p.new_pos[i] + p.size[i] + p.new_neg[i], one)
        return 0

    cdef void drop_useless(self, Shares p, int64_t room) noexcept:
        """Drops rules that cover too few positives here, reach the bound alone or do not fit."""
        cdef int i
        for i in range(p.nrules):
            if useless(p.new_pos[i], p.new_neg[i], p.size[i], self.bound - p.cost, room):
                p.drop(i)

    cdef void drop_by_surplus(self, Shares p, int64_t gap) noexcept:
        """Drops rules with which every set reaches the bound, after all were looked at; `gap` is what is left below it."""
        cdef int i
        for i in range(p.nrules):
            if not p.out[i] and p.surplus(i) > gap:
                p.drop(i)

    cdef int round_off(self, Shares p, int64_t rules_left, int64_t room) except -1:
        """Looks whether the shares point at a better set."""
        cdef vector[int32_t] more
        cdef int64_t cost = p.round_off(more, rules_left, room)
        return self.note(cost, more)

    cdef int note(self, int64_t cost, vector[int32_t]& more) except -1:
        """Makes the chosen rules and some more the best set, if they cost less."""
        cdef int i
        if cost < self.bound:
            self.bound = cost
            self.found = True
            self.best = self.chosen
            for i in range(<int>more.size()):
                self.best.push_back(more[i])
            if CHECKED:
                kernel_assert(self.cost_of(self.best) == cost)
            if self.log is not None:
                self.log.better.append([cost, [r for r in self.best]])
            if self.on_better is not None:
                self.on_better([r for r in self.best])
        return 0

    cdef int64_t cost_of(self, const vector[int32_t]& rules) noexcept:
        """What a set of rules costs, by the definition."""
        cdef vector[uint8_t] pos, neg
        cdef int64_t cost = 0
        cdef size_t r
        cdef int k
        pos.assign(self.root.npos, 0)
        neg.assign(self.root.nneg, 0)
        for r in range(rules.size()):
            cost += self.root.size[rules[r]]
            for k in range(self.root.pos_from[rules[r]], self.root.pos_from[rules[r] + 1]):
                pos[self.root.pos[k]] = 1
            for k in range(self.root.neg_from[rules[r]], self.root.neg_from[rules[r] + 1]):
                neg[self.root.neg[k]] = 1
        for k in range(self.root.npos):
            cost += 0 if pos[k] else self.root.pos_weight[k]
        for k in range(self.root.nneg):
            cost += self.root.neg_weight[k] if neg[k] else 0
        return cost
