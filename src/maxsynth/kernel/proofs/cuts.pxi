"""The best numbers for the tests of a program that calls itself, on its ground instances.

An *instance* of a rule is for one goal: it calls some goals, and has a value for each test of its rule. Values are turned
so that a test with the number c passes those that are at least c. What a program derives shrinks as a c rises.

**All numbers of one test at once.** Let all others be fixed, and leave out the instances that do not pass them. For each
goal let m be the largest c with which it is derived. A derivation with c exists if and only if all its instances pass
c; so m is the largest, over all instances for the goal, of the least of the instance's own value and the m of the goals
that it calls. Such a largest-of-least is found as shortest paths are, from the largest value down: when a goal comes
first, no later instance can give it more.

Then an example is covered with c if and only if the m of its goal is at least c: so the c that matter are the m of
positives, and one sweep over the examples in the order of m has the errors of each. The tests before the last try
every value that instances have, from the least up: any c between two values passes the same. When what is covered with
the least c of all tests to come misses too much, so does every larger c.
"""


@cython.final
cdef class GroundProgram:
    """A program by its instances: the goal of each, the goals that it calls, and a row of values for each test.

    `examples` are the goals of the examples, `pos` and `neg` their weights; for each test c is from `least` to
    `greatest`.
    """

    cdef int ngoals, ninstances, ntests, nexamples
    cdef vector[int32_t] goal, calls_from, calls, examples
    cdef vector[int32_t] callers_from, callers          # goal -> the instances that call it
    cdef vector[vector[double]] values
    cdef vector[double] least, greatest
    cdef vector[int64_t] pos, neg
    cdef int64_t all_pos
    cdef vector[vector[uint8_t]] passing                # tests chosen -> whether each instance passes them
    cdef vector[double] chosen
    cdef vector[double] reached                         # goal -> m
    cdef int64_t best
    cdef vector[double] best_cuts
    cdef object should_stop
    cdef bint stopped

    def __init__(
        self, int ngoals, const int32_t[::1] goal, const int32_t[::1] calls_from, const int32_t[::1] calls,
        const double[:, ::1] values, const double[::1] least, const double[::1] greatest,
        const int32_t[::1] examples, const int64_t[::1] pos, const int64_t[::1] neg,
    ):
        cdef int i, t
        cdef vector[double] row
        self.ngoals, self.ninstances = ngoals, goal.shape[0]
        self.ntests, self.nexamples = values.shape[0], examples.shape[0]
        for i in range(self.ninstances):
            self.goal.push_back(goal[i])
        for i in range(self.ninstances + 1):
            self.calls_from.push_back(calls_from[i])
        for i in range(calls.shape[0]):
            self.calls.push_back(calls[i])
        for t in range(self.ntests):
            row.clear()
            for i in range(self.ninstances):
                row.push_back(values[t, i])
            self.values.push_back(row)
            self.least.push_back(least[t])
            self.greatest.push_back(greatest[t])
        for i in range(self.nexamples):
            self.examples.push_back(examples[i])
            self.pos.push_back(pos[i])
            self.neg.push_back(neg[i])
            self.all_pos += pos[i]
        self.passing.resize(self.ntests + 1)
        self.passing[0].assign(self.ninstances, 1)
        self.find_callers()

    cdef int find_callers(self) except -1:
        cdef vector[int32_t] counts
        cdef int i, k
        counts.assign(self.ngoals + 1, 0)
        for k in range(<int>self.calls.size()):
            counts[self.calls[k] + 1] += 1
        for i in range(self.ngoals):
            counts[i + 1] += counts[i]
        self.callers_from = counts
        self.callers.resize(self.calls.size())
        for i in range(self.ninstances):
            for k in range(self.calls_from[i], self.calls_from[i + 1]):
                self.callers[counts[self.calls[k]]] = i
                counts[self.calls[k]] += 1
        return 0

    def best_cuts_below(self, int64_t errors, should_stop=None):
        """The numbers with the fewest errors by weight, if these are fewer than `errors`, else None.

        When it is stopped, they are the best so far.
        """
        self.best = errors
        self.best_cuts.clear()
        self.should_stop = should_stop
        self.stopped = False
        self.chosen.clear()
        self.choose(0)
        return [c for c in self.best_cuts] if self.best_cuts.size() else None

    def covered(self, cuts):
        """Which examples are covered with these numbers."""
        cdef int i
        self.derive(self.passing_others(-1, cuts), -1)
        return [self.reached[self.examples[i]] > -INFINITY for i in range(self.nexamples)]

    def gap(self, int test, cuts):
        """Around the number of a test, with those of the others: the next m of an example below it, None if there is none,
        and the first that is not. With any number between them, the same examples are covered."""
        cdef double below = -INFINITY, above = INFINITY, value, cut = cuts[test]
        cdef int i
        self.derive(self.passing_others(test, cuts), test)
        for i in range(self.nexamples):
            value = self.reached[self.examples[i]]
            if value >= cut:
                above = min(above, value)
            else:
                below = max(below, value)
        return (below if below > -INFINITY else None), (above if above < INFINITY else cut)

    cdef vector[uint8_t] passing_others(self, int test, cuts):
        """Which instances pass all tests but one, or -1 for all."""
        cdef vector[uint8_t] passing
        cdef double cut
        cdef int t, i
        passing.assign(self.ninstances, 1)
        for t in range(self.ntests):
            if t != test:
                cut = cuts[t]
                for i in range(self.ninstances):
                    passing[i] &= self.values[t][i] >= cut
        return passing

    cdef bint choose(self, int test) except -1:
        """Tries the numbers of a test and those after it; whether the least of each covers enough positives."""
        cdef vector[double] numbers
        cdef size_t n
        cdef int i
        cdef double below = -INFINITY
        cdef bint some = False, enough
        if self.should_stop is not None and self.should_stop():
            self.stopped = True
        if self.stopped:
            return False
        if test == self.ntests - 1:
            return self.choose_last(test)
        for i in range(self.ninstances):
            if self.passing[test][i] and self.values[test][i] < INFINITY:
                numbers.push_back(self.values[test][i])
        sort(numbers.begin(), numbers.end())
        numbers.erase(unique(numbers.begin(), numbers.end()), numbers.end())
        if numbers.empty():
            return False
        for n in range(numbers.size()):
            if numbers[n] >= self.least[test] and below < self.greatest[test]:
                self.passing[test + 1].assign(self.ninstances, 0)
                for i in range(self.ninstances):
                    self.passing[test + 1][i] = self.passing[test][i] and self.values[test][i] >= numbers[n]
                self.chosen.push_back(numbers[n])
                enough = self.choose(test + 1)
                self.chosen.pop_back()
                if not enough:
                    return some
                some = True
            below = numbers[n]
        return some

    cdef bint choose_last(self, int test) except -1:
        """Goes through all numbers of the last test; whether the least covers enough positives."""
        cdef vector[pair[double, int32_t]] order
        cdef int64_t missed = self.all_pos, wrong = 0
        cdef size_t i, j
        cdef double now, below
        self.derive(self.passing[test], test)
        for i in range(<size_t>self.nexamples):
            now = self.reached[self.examples[i]]
            if now > -INFINITY:
                order.push_back(pair[double, int32_t](-now, <int32_t>i))
                missed -= self.pos[i]
        if missed >= self.best:
            return False
        missed = self.all_pos
        sort(order.begin(), order.end())
        i = 0
        while i < order.size():
            now = -order[i].first
            j = i
            while j < order.size() and -order[j].first == now:
                missed -= self.pos[order[j].second]
                wrong += self.neg[order[j].second]
                j += 1
            below = -order[j].first if j < order.size() else -INFINITY
            # (If nothing passes the test, the program does as well without its rule.)
            if self.least[test] <= now < INFINITY and below < self.greatest[test] and missed + wrong < self.best:
                self.best = missed + wrong
                self.best_cuts = self.chosen
                self.best_cuts.push_back(now)
            i = j
        return True

    cdef int derive(self, const vector[uint8_t]& passing, int test) except -1:
        """Sets m for each goal: the largest c of a test with which it is derived, -INFINITY where it is not.

        Without a test, it is INFINITY where it is derived.
        """
        cdef vector[pair[double, int32_t]] heap      # of goals, by the value that an instance gives them
        cdef vector[int32_t] missing                 # instance -> goals that it calls and that are not derived yet
        cdef vector[double] value                    # instance -> the least so far
        cdef vector[uint8_t] done
        cdef int i, k, goal, caller
        cdef double now
        self.reached.assign(self.ngoals, -INFINITY)
        done.assign(self.ngoals, 0)
        missing.resize(self.ninstances)
        value.resize(self.ninstances)
        for i in range(self.ninstances):
            missing[i] = self.calls_from[i + 1] - self.calls_from[i]
            value[i] = self.values[test][i] if test >= 0 else INFINITY
            if passing[i] and missing[i] == 0 and value[i] == value[i]:
                heap.push_back(pair[double, int32_t](value[i], self.goal[i]))
        make_heap(heap.begin(), heap.end())
        while not heap.empty():
            now, goal = heap.front().first, heap.front().second
            pop_heap(heap.begin(), heap.end())
            heap.pop_back()
            if done[goal]:
                continue
            done[goal] = 1
            self.reached[goal] = now
            for k in range(self.callers_from[goal], self.callers_from[goal + 1]):
                caller = self.callers[k]
                missing[caller] -= 1
                value[caller] = min(value[caller], now)
                if missing[caller] == 0 and passing[caller] and value[caller] == value[caller]:
                    if not done[self.goal[caller]]:
                        heap.push_back(pair[double, int32_t](value[caller], self.goal[caller]))
                        push_heap(heap.begin(), heap.end())
        return 0
