"""Good sets of rules, quickly: greedy dives. Nothing here is proven; it makes a good cost known early.

To cover an example saves what it costs to miss it, less what it costs to cover it: its weight here, which may be negative.
A rule gains the weights of the examples that it covers first, less its size. When a rule is added or taken out, the gains
of others change only through the examples that became covered or uncovered. Examples that the same rules cover are one
here, as in `search/choose/problem.py`: among 100,000 there may be a few thousand that differ.
"""


@cython.final
cdef class Dive:
    cdef int nrules, nexamples
    cdef const int64_t[::1] size
    cdef vector[int64_t] weight
    cdef vector[int32_t] covered_from, covered  # the examples of each rule
    cdef vector[int32_t] covering_from, covering  # the rules of each example
    cdef vector[int64_t] alone, gain
    cdef vector[int32_t] times  # how many chosen rules cover each example
    cdef vector[int32_t] chosen
    cdef int64_t saved
    cdef int64_t most_rules, room  # how many rules a set may have, and what of its size is left

    def __init__(
        self, const uint64_t[:, ::1] bits, const int64_t[::1] sizes, const int64_t[::1] weights,
        int64_t most_rules, int64_t most_size,
    ):
        self.most_rules = most_rules
        self.room = most_size
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

    cdef int begin(self) except -1:
        cdef int i
        for i in range(<int>self.chosen.size()):
            self.room += self.size[self.chosen[i]]
        self.gain = self.alone
        self.times.assign(self.nexamples, 0)
        self.chosen.clear()
        self.chosen.reserve(self.nrules)
        self.saved = 0
        return 0

    cdef void add(self, int r) noexcept:
        cdef int k, l, x
        self.saved += self.gain[r]
        self.room -= self.size[r]
        self.chosen.push_back(r)
        for k in range(self.covered_from[r], self.covered_from[r + 1]):
            x = self.covered[k]
            self.times[x] += 1
            if self.times[x] == 1:
                for l in range(self.covering_from[x], self.covering_from[x + 1]):
                    self.gain[self.covering[l]] -= self.weight[x]

    cdef void take_out(self, int which) noexcept:
        cdef int k, l, x, r = self.chosen[which]
        self.chosen.erase(self.chosen.begin() + which)
        self.room += self.size[r]
        for k in range(self.covered_from[r], self.covered_from[r + 1]):
            x = self.covered[k]
            self.times[x] -= 1
            kernel_assert(self.times[x] >= 0)
            if self.times[x] == 0:
                for l in range(self.covering_from[x], self.covering_from[x + 1]):
                    self.gain[self.covering[l]] += self.weight[x]
        self.saved -= self.gain[r]

    cdef int64_t worth(self, int r) noexcept:
        """What a chosen rule saves beside the others."""
        cdef int k
        cdef int64_t total = -self.size[r]
        for k in range(self.covered_from[r], self.covered_from[r + 1]):
            if self.times[self.covered[k]] == 1:
                total += self.weight[self.covered[k]]
        return total

    cdef void complete(self) noexcept:
        """Adds the rule that gains most while one gains; takes out what no longer pays. Each time, more is saved."""
        cdef int r, best, i
        while <int64_t>self.chosen.size() < self.most_rules:
            best = -1
            for r in range(self.nrules):
                if (best < 0 or self.gain[r] > self.gain[best]) and self.size[r] <= self.room:
                    best = r
            if best < 0 or self.gain[best] <= 0:
                return
            self.add(best)
            i = 0
            while i < <int>self.chosen.size():
                if self.worth(self.chosen[i]) < 0:
                    self.take_out(i)
                else:
                    i += 1


def dive(
    bits, sizes, weights, int starts, should_stop=None, *, most_rules=None, most_size=None,
):
    """(saved, rules): the best of the sets that begin with one of the `starts` most gainful rules each.

    No set has more than `most_rules` rules, or a size by weight of more than `most_size`.
    """
    cdef int64_t rule_limit = <int64_t>1 << 62 if most_rules is None else most_rules
    cdef int64_t size_limit = <int64_t>1 << 62 if most_size is None else most_size
    cdef Dive search = Dive(bits, sizes, weights, rule_limit, size_limit)
    cdef int r
    cdef int64_t most = 0
    gains = [search.alone[r] for r in range(search.nrules)]
    best = []
    fitting = [r for r in range(search.nrules) if search.size[r] <= size_limit] if rule_limit > 0 else []
    for r in sorted(fitting, key=gains.__getitem__, reverse=True)[:starts]:
        if should_stop is not None and should_stop():
            break
        search.begin()
        search.add(r)
        search.complete()
        if search.saved > most:
            most = search.saved
            best = [i for i in search.chosen]
    return most, best
