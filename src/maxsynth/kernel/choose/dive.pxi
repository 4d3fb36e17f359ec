"""Good sets of rules, quickly: greedy dives. Nothing here is proven; it makes a good cost known early.

To cover an example saves what it costs to miss it, less what it costs to cover it: its weight here, which may be negative.
A rule gains the weights of the examples that it covers first, less its size. When a rule is added or taken out, the gains
of others change only through the examples that became covered or uncovered. Examples that the same rules cover are one
here, as in `search/choose/problem.py`: among 100,000 there may be a few thousand that differ.
"""


cdef int64_t LEAST_DIVED = 2_000_000  # rules and examples to go through, about, for several threads to be worth it


cdef cppclass Set:
    # A set of rules that a dive has come to.
    vector[int64_t] gain              # of each rule beside these
    vector[int32_t] times             # how many chosen rules cover each example
    vector[int32_t] chosen
    int64_t saved
    int64_t room                      # what is left of the size that it may have
    int64_t work                      # gains that were gone through


@cython.final
cdef class Dive:
    """The rules, and the dives from some of them, which do not depend on each other: threads share them."""

    cdef int nrules, nexamples
    cdef const int64_t[::1] size
    cdef vector[int64_t] weight
    cdef vector[int32_t] covered_from, covered  # the examples of each rule
    cdef vector[int32_t] covering_from, covering  # the rules of each example
    cdef vector[int64_t] alone
    cdef int64_t most_rules, most_size  # what a set may have
    cdef vector[int32_t] starts         # the rules that dives begin with ...
    cdef vector[int64_t] saved          # ... and what each has found
    cdef vector[vector[int32_t]] found
    cdef vector[int64_t] work           # gains that it has gone through
    cdef vector[uint8_t] done
    cdef counter next_start, halt
    cdef object peek                    # whether to stop; None: it is not asked

    def __init__(
        self, const uint64_t[:, ::1] bits, const int64_t[::1] sizes, const int64_t[::1] weights,
        int64_t most_rules, int64_t most_size,
    ):
        self.most_rules = most_rules
        self.most_size = most_size
        self.nrules = bits.shape[0]
        self.size = sizes
        self.merge(columns_of(bits, weights.shape[0]), weights)
        self.list_covered()

    cdef int merge(self, const uint64_t[:, ::1] columns, const int64_t[::1] weights) except -1:
        """Takes examples that the same rules cover as one, with the weight of all, and lists the rules of each.

        They are covered or not together, so they change gains together: as if each was there by itself.
        """
        cdef size_t count = columns.shape[0], words = columns.shape[1], x
        cdef vector[int64_t] first, which, total
        cdef vector[int32_t] rules
        if count and words:
            which.resize(count)
            find_equal(&columns[0, 0], count, words, first, which.data())
        total.assign(first.size(), 0)
        for x in range(which.size()):
            total[which[x]] += weights[x]
        self.covering_from.push_back(0)
        for x in range(first.size()):
            # Where errors weigh alike on both sides, nothing is to be had from it.
            if total[x]:
                list_bits(&columns[first[x], 0], words, rules)
                self.covering.insert(self.covering.end(), rules.begin(), rules.end())
                self.covering_from.push_back(<int32_t>self.covering.size())
                self.weight.push_back(total[x])
        self.nexamples = <int>self.weight.size()
        kernel_assert(rises(self.covering_from.data(), self.covering_from.size(), <int32_t>self.covering.size()))
        return 0

    cdef int list_covered(self) except -1:
        """Lists the examples of each rule, and what it gains alone."""
        cdef int r, x, k
        self.covered_from.assign(self.nrules + 1, 0)
        self.covered.resize(self.covering.size())
        for r in range(self.nrules):
            self.alone.push_back(-self.size[r])
        for k in range(<int>self.covering.size()):
            self.covered_from[self.covering[k] + 1] += 1
        for r in range(self.nrules):
            self.covered_from[r + 1] += self.covered_from[r]
        for x in range(self.nexamples):
            for k in range(self.covering_from[x], self.covering_from[x + 1]):
                r = self.covering[k]
                self.covered[self.covered_from[r]] = x
                self.covered_from[r] += 1
                self.alone[r] += self.weight[x]
        for r in range(self.nrules, 0, -1):
            self.covered_from[r] = self.covered_from[r - 1]
        self.covered_from[0] = 0
        kernel_assert(rises(self.covered_from.data(), self.covered_from.size(), <int32_t>self.covered.size()))
        return 0

    # -- one set --------------------------------------------------------------------------------------------

    cdef int begin(self, Set* rules) except -1 nogil:
        rules.gain = self.alone
        rules.times.assign(self.nexamples, 0)
        rules.chosen.clear()
        rules.chosen.reserve(self.nrules)
        rules.saved = rules.work = 0
        rules.room = self.most_size
        return 0

    cdef void add(self, Set* rules, int r) noexcept nogil:
        cdef int k, l, x
        rules.saved += rules.gain[r]
        rules.room -= self.size[r]
        rules.chosen.push_back(r)
        for k in range(self.covered_from[r], self.covered_from[r + 1]):
            x = self.covered[k]
            rules.times[x] += 1
            if rules.times[x] == 1:
                rules.work += self.covering_from[x + 1] - self.covering_from[x]
                for l in range(self.covering_from[x], self.covering_from[x + 1]):
                    rules.gain[self.covering[l]] -= self.weight[x]

    cdef void take_out(self, Set* rules, int which) noexcept nogil:
        cdef int k, l, x, r = rules.chosen[which]
        rules.chosen.erase(rules.chosen.begin() + which)
        rules.room += self.size[r]
        for k in range(self.covered_from[r], self.covered_from[r + 1]):
            x = self.covered[k]
            rules.times[x] -= 1
            kernel_assert(rules.times[x] >= 0)
            if rules.times[x] == 0:
                rules.work += self.covering_from[x + 1] - self.covering_from[x]
                for l in range(self.covering_from[x], self.covering_from[x + 1]):
                    rules.gain[self.covering[l]] += self.weight[x]
        rules.saved -= rules.gain[r]

    cdef int64_t worth(self, const Set* rules, int r) noexcept nogil:
        """What a chosen rule saves beside the others."""
        cdef int k
        cdef int64_t total = -self.size[r]
        for k in range(self.covered_from[r], self.covered_from[r + 1]):
            if rules.times[self.covered[k]] == 1:
                total += self.weight[self.covered[k]]
        return total

    cdef void complete(self, Set* rules) noexcept nogil:
        """Adds the rule that gains most while one gains; takes out what no longer pays. Each time, more is saved."""
        cdef int r, best, i
        while <int64_t>rules.chosen.size() < self.most_rules:
            rules.work += self.nrules
            best = -1
            for r in range(self.nrules):
                if (best < 0 or rules.gain[r] > rules.gain[best]) and self.size[r] <= rules.room:
                    best = r
            if best < 0 or rules.gain[best] <= 0:
                return
            self.add(rules, best)
            i = 0
            while i < <int>rules.chosen.size():
                if self.worth(rules, rules.chosen[i]) < 0:
                    self.take_out(rules, i)
                else:
                    i += 1

    # -- dives ----------------------------------------------------------------------------------------------

    def begin_with(self, list starts):
        self.starts = starts
        self.saved.assign(self.starts.size(), 0)
        self.found.resize(self.starts.size())
        self.work.assign(self.starts.size(), 0)
        self.done.assign(self.starts.size(), 0)
        self.next_start.store(0)
        self.halt.store(0)

    cdef int go(self, size_t which, Set* rules) except -1 nogil:
        """One dive."""
        self.begin(rules)
        self.add(rules, self.starts[which])
        self.complete(rules)
        self.saved[which] = rules.saved
        self.found[which] = rules.chosen
        self.work[which] = rules.work
        self.done[which] = 1
        return 0

    def go_all(self, threads, peek):
        """Has threads do all dives, if there is enough to do for several."""
        cdef int64_t work = (<int64_t>self.covering.size() + self.nrules) * <int64_t>self.starts.size()
        self.peek = peek
        if threads is not None and self.starts.size() > 1 and work >= LEAST_DIVED and threads.ready():
            threads.run(self.work_off, self.look)

    def work_off(self, int number):
        """Does one dive after the other that no thread has begun with; the first thread also looks whether to stop."""
        cdef Set rules
        cdef int k = self.next_start.fetch_add(1)
        while k < <int>self.starts.size() and self.halt.load() == 0:
            with nogil:
                self.go(k, &rules)
                k = self.next_start.fetch_add(1)
            if number == 0:
                self.look()

    def look(self):
        if self.peek is not None and self.peek():
            self.halt.store(1)

    def best(self, should_stop):
        """(saved, rules): the best of all dives, the first of these; of fewer when it is stopped."""
        cdef Set rules
        cdef size_t k
        cdef int64_t most = 0
        best = []
        for k in range(self.starts.size()):
            if should_stop is not None and should_stop():
                break
            if not self.done[k]:
                with nogil:
                    self.go(k, &rules)
            if self.saved[k] > most:
                most = self.saved[k]
                best = [r for r in self.found[k]]
            if takes(should_stop, self.work[k] // STEP_WORK):
                break
        return most, best


def dive(
    bits, sizes, weights, int starts, should_stop=None, *, most_rules=None, most_size=None, threads=None,
):
    """(saved, rules): the best of the sets that begin with one of the `starts` most gainful rules each.

    No set has more than `most_rules` rules, or a size by weight of more than `most_size`.
    """
    cdef int64_t rule_limit = <int64_t>1 << 62 if most_rules is None else most_rules
    cdef int64_t size_limit = <int64_t>1 << 62 if most_size is None else most_size
    cdef Dive search = Dive(bits, sizes, weights, rule_limit, size_limit)
    cdef int r
    gains = [search.alone[r] for r in range(search.nrules)]
    fitting = [r for r in range(search.nrules) if search.size[r] <= size_limit] if rule_limit > 0 else []
    search.begin_with(sorted(fitting, key=gains.__getitem__, reverse=True)[:starts])
    search.go_all(threads, getattr(should_stop, "reached", None))
    return search.best(should_stop)
