"""Good sets of rules, quickly: greedy dives. Nothing here is proven; it makes a good cost known early.

To cover an example saves what it costs to miss it, less what it costs to cover it: its weight here, which may be negative.
A rule gains the weights of the examples that it covers first, less its size. When a rule is added or taken out, the gains
of others change only through the examples that became covered or uncovered.
"""


@cython.final
cdef class Dive:
    cdef int nrules, nexamples
    cdef const int64_t[::1] size
    cdef const int64_t[::1] weight
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
        cdef int r, w, x, k
        cdef uint64_t word
        self.most_rules = most_rules
        self.room = most_size
        self.nrules = bits.shape[0]
        self.nexamples = weights.shape[0]
        self.size = sizes
        self.weight = weights
        self.covering_from.assign(self.nexamples + 1, 0)
        for r in range(self.nrules):
            self.covered_from.push_back(<int32_t>self.covered.size())
            self.alone.push_back(-sizes[r])
            for w in range(bits.shape[1]):
                word = bits[r, w]
                while word:
                    x = w * 64 + lowest(word)
                    word &= word - 1
                    # Where errors weigh alike on both sides, nothing is to be had from it.
                    if weights[x]:
                        self.covered.push_back(x)
                        self.covering_from[x + 1] += 1
                        self.alone[r] += weights[x]
        self.covered_from.push_back(<int32_t>self.covered.size())
        for x in range(self.nexamples):
            self.covering_from[x + 1] += self.covering_from[x]
        self.covering.resize(self.covered.size())
        for r in range(self.nrules):
            for k in range(self.covered_from[r], self.covered_from[r + 1]):
                x = self.covered[k]
                self.covering[self.covering_from[x]] = r
                self.covering_from[x] += 1
        for x in range(self.nexamples, 0, -1):
            self.covering_from[x] = self.covering_from[x - 1]
        self.covering_from[0] = 0
        kernel_assert(rises(self.covering_from.data(), self.covering_from.size(), <int32_t>self.covering.size()))

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
