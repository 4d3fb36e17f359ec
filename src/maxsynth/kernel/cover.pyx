# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# distutils: language = c++
"""Choosing rules: an exact branch and bound for the combine stage.

Given rules with their coverage, find the set that minimises S + N + (weight of the positives it misses), if there is one
below a known cost. A node of the search has chosen some rules; it knows the positives still uncovered, the negatives
still free, and which rules may still be added.

**Which rules may be added.** In a smallest best set every rule covers, of positives that no other rule covers, more than
its size; so a rule must cover more uncovered positives than that.

**Lower bound.** A set of at most k further rules covers at least a k-th of the sum of their new negatives. So it costs
at least the sum of c(r) = S(r) + N(r)/k over its rules, and what it misses. Prices y(e) on the uncovered positives,
at most their weights, such that the prices in each rule add up to at most c(r), bound that from below by their sum
(linear programming duality). They are found by raising them one after the other, fairly first, then greedily. k
is what the remaining budget can pay for. All in fixed-point integers, rounded down, so that every machine decides alike.

**Branching.** While rules bring new negatives: on the rule that brings most, in or out. With it in, its negatives are
paid, and rules like it become cheap or useless; with it out, the bound rises, for it was cheap only by sharing. When
none brings new negatives: on an uncovered positive with the fewest rules, one of which is in (those tried before out),
or all are out.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.bits cimport lowest

cdef enum:
    SHIFT = 20

cdef class Cover:
    """One problem. Positives and negatives are numbered apart, and their bits are in words of their own."""

    cdef int nrules, pwords, nwords, npos
    cdef vector[uint64_t] pos
    cdef vector[uint64_t] neg
    cdef vector[int64_t] size
    cdef vector[int64_t] pos_weight
    cdef vector[int64_t] neg_weight
    cdef bint plain_pos, plain_neg
    cdef int64_t bound
    cdef vector[int32_t] chosen
    cdef vector[int32_t] best
    cdef bint found, stopped
    cdef readonly int64_t nodes
    cdef int64_t budget
    cdef object should_stop
    # scratch for the bound
    cdef vector[int64_t] price
    cdef vector[int64_t] slack
    cdef vector[int64_t] fair
    cdef vector[int32_t] inverted_from
    cdef vector[int32_t] inverted
    cdef vector[int32_t] order

    def __init__(self, const uint64_t[:, ::1] pos, const uint64_t[:, ::1] neg, sizes, pos_weight, neg_weight):
        cdef int r, w
        self.nrules = pos.shape[0]
        self.pwords = pos.shape[1]
        self.nwords = neg.shape[1]
        self.npos = len(pos_weight)
        self.size = sizes.tolist()
        self.pos_weight = pos_weight.tolist()
        self.neg_weight = neg_weight.tolist()
        self.pos_weight.resize(self.pwords * 64, 0)
        self.neg_weight.resize(self.nwords * 64, 0)
        for r in range(self.nrules):
            for w in range(self.pwords):
                self.pos.push_back(pos[r, w])
            for w in range(self.nwords):
                self.neg.push_back(neg[r, w])
        self.price.assign(self.pwords * 64, 0)
        self.slack.assign(max(1, self.nrules), 0)

    def solve(self, int64_t bound, int64_t budget, should_stop=None):
        """(rules, finished): a best set of cost below `bound`, or None; finished is False when `budget` nodes ended it."""
        cdef vector[uint64_t] uncovered, free
        cdef vector[int32_t] allowed
        cdef int r, e
        uncovered.assign(self.pwords, 0)
        free.assign(self.nwords, ~<uint64_t>0)
        for e in range(self.npos):
            uncovered[e >> 6] |= <uint64_t>1 << (e & 63)
        for r in range(self.nrules):
            allowed.push_back(r)
        self.bound = bound
        self.budget = budget
        self.should_stop = should_stop
        self.found = self.stopped = False
        self.nodes = 0
        self.chosen.clear()
        self.node(0, uncovered, free, allowed, 1 << 30)
        return ([r for r in self.best] if self.found else None), not self.stopped

    def dive(self, int64_t bound, int starts):
        """A good set below the bound, or None: from each of the most gainful rules on, adds what gains most.

        What stopped to pay on the way is taken out again. Nothing here is proven; it makes the bound good early.
        """
        cdef vector[int64_t] gain
        cdef vector[uint64_t] uncovered, free
        cdef vector[int32_t] chosen
        cdef int64_t total = 0, cost
        cdef int e, r
        for e in range(self.npos):
            total += self.pos_weight[e]
        uncovered.assign(self.pwords, 0)
        for e in range(self.npos):
            uncovered[e >> 6] |= <uint64_t>1 << (e & 63)
        free.assign(self.nwords, ~<uint64_t>0)
        gain.resize(self.nrules)
        for r in range(self.nrules):
            gain[r] = self.gain(r, uncovered, free)
        gains = [gain[r] for r in range(self.nrules)]
        order = sorted(range(self.nrules), key=gains.__getitem__, reverse=True)
        self.bound = bound
        self.found = False
        for r in order[:starts]:
            chosen.clear()
            chosen.push_back(r)
            self.complete(chosen)
            cost = self.cost_of(chosen)
            if cost < self.bound:
                self.bound = cost
                self.best = chosen
                self.found = True
        return [r for r in self.best] if self.found else None

    cdef int64_t gain(self, int r, vector[uint64_t]& uncovered, vector[uint64_t]& free) noexcept:
        return (
            self.weigh(self.pos.data() + <size_t>r * self.pwords, uncovered.data(), self.pwords, self.pos_weight.data())
            - self.weigh(self.neg.data() + <size_t>r * self.nwords, free.data(), self.nwords, self.neg_weight.data())
            - self.size[r]
        )

    cdef int uncover(self, vector[int32_t]& chosen, int without, vector[uint64_t]& uncovered, vector[uint64_t]& free) except -1:
        """What a set of rules (but one) leaves uncovered, and free."""
        cdef int i, w, e
        uncovered.assign(self.pwords, 0)
        for e in range(self.npos):
            uncovered[e >> 6] |= <uint64_t>1 << (e & 63)
        free.assign(self.nwords, ~<uint64_t>0)
        for i in range(<int>chosen.size()):
            if i == without:
                continue
            for w in range(self.pwords):
                uncovered[w] &= ~self.pos[<size_t>chosen[i] * self.pwords + w]
            for w in range(self.nwords):
                free[w] &= ~self.neg[<size_t>chosen[i] * self.nwords + w]
        return 0

    cdef int complete(self, vector[int32_t]& chosen) except -1:
        """Adds the rule that gains most while one gains; then drops those that do not pay; until nothing changes."""
        cdef vector[uint64_t] uncovered, free
        cdef int64_t most, gain
        cdef int r, best, i, rounds
        for rounds in range(50):
            self.uncover(chosen, -1, uncovered, free)
            most = 0
            best = -1
            for r in range(self.nrules):
                gain = self.gain(r, uncovered, free)
                if gain > most:
                    most = gain
                    best = r
            if best < 0:
                return 0
            chosen.push_back(best)
            i = 0
            while i < <int>chosen.size():
                self.uncover(chosen, i, uncovered, free)
                if self.gain(chosen[i], uncovered, free) < 0:
                    chosen.erase(chosen.begin() + i)
                else:
                    i += 1
        return 0

    cdef int64_t cost_of(self, vector[int32_t]& chosen) except -1:
        cdef vector[uint64_t] uncovered, free
        cdef int64_t cost = 0
        cdef int i, e
        self.uncover(chosen, -1, uncovered, free)
        for i in range(<int>chosen.size()):
            cost += self.size[chosen[i]]
        for e in range(self.pwords * 64):
            if (uncovered[e >> 6] >> (e & 63)) & 1:
                cost += self.pos_weight[e]
        for e in range(self.nwords * 64):
            if not (free[e >> 6] >> (e & 63)) & 1:
                cost += self.neg_weight[e]
        return cost

    cdef int64_t weigh(self, const uint64_t* bits, const uint64_t* mask, int words, const int64_t* weights) noexcept:
        cdef int64_t total = 0
        cdef int w
        cdef uint64_t word
        for w in range(words):
            word = bits[w] & mask[w]
            while word:
                total += weights[w * 64 + lowest(word)]
                word &= word - 1
        return total

    cdef int node(
        self, int64_t cost, vector[uint64_t]& uncovered, vector[uint64_t]& free, vector[int32_t] allowed, int64_t most
    ) except -1:
        """Searches below a node; `allowed` is its own copy."""
        cdef vector[int64_t] new_pos, new_neg
        cdef vector[uint64_t] child_uncovered, child_free
        cdef int64_t missed, lower
        cdef int i, leader, w, e
        cdef size_t kept
        cdef bint fresh = True
        missed = self.weigh(uncovered.data(), uncovered.data(), self.pwords, self.pos_weight.data())
        if cost + missed < self.bound:
            self.bound = cost + missed
            self.best = self.chosen
            self.found = True
        while True:
            self.nodes += 1
            if self.nodes > self.budget or (
                self.should_stop is not None and (self.nodes & 255) == 0 and self.should_stop()
            ):
                self.stopped = True
                return 0
            new_pos.clear()
            new_neg.clear()
            kept = 0
            for i in range(<int>allowed.size()):
                missed = self.weigh(self.pos.data() + <size_t>allowed[i] * self.pwords, uncovered.data(), self.pwords, self.pos_weight.data())
                if missed <= self.size[allowed[i]]:
                    continue
                lower = self.weigh(self.neg.data() + <size_t>allowed[i] * self.nwords, free.data(), self.nwords, self.neg_weight.data())
                if cost + self.size[allowed[i]] + lower >= self.bound:
                    continue
                allowed[kept] = allowed[i]
                kept += 1
                new_pos.push_back(missed)
                new_neg.push_back(lower)
            allowed.resize(kept)
            if kept == 0 or not self.bounded(cost, uncovered, allowed, new_pos, new_neg, &most):
                return 0
            if fresh and allowed.size() > 8:
                # Only when the node is new: taking one rule out afterwards changes little.
                self.drop_matched(uncovered, free, allowed, new_pos, new_neg)
                fresh = False
            if allowed.size() == 0:
                return 0
            leader = 0
            for i in range(<int>allowed.size()):
                if new_neg[i] > new_neg[leader]:
                    leader = i
            if new_neg[leader] == 0:
                return self.branch_on_positive(cost, uncovered, free, allowed, most)
            self.take(cost, uncovered, free, allowed, leader, new_neg[leader], most)
            if self.stopped:
                return 0
            allowed.erase(allowed.begin() + leader)

    cdef int drop_matched(
        self, vector[uint64_t]& uncovered, vector[uint64_t]& free, vector[int32_t]& allowed, vector[int64_t]& new_pos,
        vector[int64_t]& new_neg,
    ) except -1:
        """Drops a rule r where another one, d, does as well here: S(d) + N(d \\ r) + P(r \\ d) <= S(r) (the swap lemma).

        Only for a d that is smaller, or as large and earlier, so that two rules do not drop each other.
        """
        cdef int n = <int>allowed.size(), i, j, w, pw = self.pwords, nw = self.nwords
        cdef int64_t room
        cdef size_t kept = 0
        cdef uint64_t word
        cdef const uint64_t* p
        cdef const uint64_t* q
        cdef vector[uint64_t] pos, neg
        pos.resize(<size_t>n * pw)
        neg.resize(<size_t>n * nw)
        for i in range(n):
            for w in range(pw):
                pos[<size_t>i * pw + w] = self.pos[<size_t>allowed[i] * pw + w] & uncovered[w]
            for w in range(nw):
                neg[<size_t>i * nw + w] = self.neg[<size_t>allowed[i] * nw + w] & free[w]
        self.order.assign(n, 1)
        for i in range(n):
            for j in range(n):
                room = self.size[allowed[i]] - self.size[allowed[j]]
                if room < 0 or (room == 0 and j >= i) or i == j or not self.order[j]:
                    continue
                if new_pos[i] - new_pos[j] > room or new_neg[j] - new_neg[i] > room:
                    continue
                p = pos.data() + <size_t>i * pw
                q = pos.data() + <size_t>j * pw
                for w in range(pw):
                    word = p[w] & ~q[w]
                    while word:
                        room -= self.pos_weight[w * 64 + lowest(word)]
                        word &= word - 1
                    if room < 0:
                        break
                if room < 0:
                    continue
                p = neg.data() + <size_t>i * nw
                q = neg.data() + <size_t>j * nw
                for w in range(nw):
                    word = q[w] & ~p[w]
                    while word:
                        room -= self.neg_weight[w * 64 + lowest(word)]
                        word &= word - 1
                    if room < 0:
                        break
                if room >= 0:
                    self.order[i] = 0
                    break
        for i in range(n):
            if self.order[i]:
                allowed[kept] = allowed[i]
                new_pos[kept] = new_pos[i]
                new_neg[kept] = new_neg[i]
                kept += 1
        allowed.resize(kept)
        new_pos.resize(kept)
        new_neg.resize(kept)
        return 0

    cdef int take(
        self, int64_t cost, vector[uint64_t]& uncovered, vector[uint64_t]& free, vector[int32_t]& allowed, int which,
        int64_t new_neg, int64_t most,
    ) except -1:
        """Searches with one more rule chosen."""
        cdef vector[uint64_t] child_uncovered = uncovered
        cdef vector[uint64_t] child_free = free
        cdef vector[int32_t] rest = allowed
        cdef int r = allowed[which], w
        for w in range(self.pwords):
            child_uncovered[w] &= ~self.pos[<size_t>r * self.pwords + w]
        for w in range(self.nwords):
            child_free[w] &= ~self.neg[<size_t>r * self.nwords + w]
        rest.erase(rest.begin() + which)
        self.chosen.push_back(r)
        self.node(cost + self.size[r] + new_neg, child_uncovered, child_free, rest, most - 1)
        self.chosen.pop_back()
        return 0

    cdef int branch_on_positive(
        self, int64_t cost, vector[uint64_t]& uncovered, vector[uint64_t]& free, vector[int32_t]& allowed,
        int64_t most,
    ) except -1:
        cdef int e, target = -1, i, r, which
        cdef vector[int32_t] covering, rest
        cdef vector[uint64_t] child
        # `inverted_from` still counts the rules of each positive, from the bound.
        for e in range(self.pwords * 64):
            if self.inverted_from[e + 1] > self.inverted_from[e]:
                if target < 0 or (
                    self.inverted_from[e + 1] - self.inverted_from[e]
                    < self.inverted_from[target + 1] - self.inverted_from[target]
                ):
                    target = e
        if target < 0:
            return 0
        rest = allowed
        for i in range(<int>allowed.size()):
            r = allowed[i]
            if (self.pos[<size_t>r * self.pwords + (target >> 6)] >> (target & 63)) & 1:
                covering.push_back(r)
        for i in range(<int>covering.size()):
            which = 0
            for r in range(<int>rest.size()):
                if rest[r] == covering[i]:
                    which = r
            self.take(cost, uncovered, free, rest, which, 0, most)
            if self.stopped:
                return 0
            rest.erase(rest.begin() + which)
        child = uncovered
        child[target >> 6] &= ~(<uint64_t>1 << (target & 63))
        return self.node(cost + self.pos_weight[target], child, free, rest, most)

    cdef bint bounded(
        self, int64_t cost, vector[uint64_t]& uncovered, vector[int32_t]& allowed, vector[int64_t]& new_pos,
        vector[int64_t]& new_neg, int64_t* most,
    ) except -1:
        """False when nothing below this node costs less than the bound; drops rules that cannot be in anything that does.

        `most` is how many more rules a set may have; it falls where the prices say so.
        """
        cdef int64_t left, smallest, k, total, fewer
        cdef int i, n, rounds
        cdef size_t kept
        while True:
            n = <int>allowed.size()
            if n == 0:
                return False
            smallest = self.size[allowed[0]]
            for i in range(n):
                smallest = min(smallest, self.size[allowed[i]])
            # What is left to spend: sets below the bound cost at most bound - 1.
            left = self.bound - 1 - cost - self.invert(uncovered, allowed)
            k = min(most[0], left // smallest)
            # A set of m rules costs at least m * smallest and the prices for c(r) - smallest: so m is limited.
            for rounds in range(4):
                if k < 1:
                    return False
                total = self.raise_prices(smallest, k, allowed, new_pos, new_neg)
                fewer = ((left << SHIFT) - total) // (smallest << SHIFT) if total <= left << SHIFT else 0
                if fewer >= k:
                    break
                k = fewer
            if k < 1:
                return False
            most[0] = k
            total = self.raise_prices(0, k, allowed, new_pos, new_neg)
            if total > left << SHIFT:
                return False
            # With r in, the cost is at least c(r) and the prices outside r: together the total and the slack of r.
            kept = 0
            for i in range(n):
                if total + self.slack[i] > left << SHIFT:
                    continue
                allowed[kept] = allowed[i]
                new_pos[kept] = new_pos[i]
                new_neg[kept] = new_neg[i]
                kept += 1
            allowed.resize(kept)
            new_pos.resize(kept)
            new_neg.resize(kept)
            if kept * 10 > <size_t>n * 9:
                if kept < <size_t>n:
                    self.invert(uncovered, allowed)
                return kept > 0

    cdef int64_t invert(self, vector[uint64_t]& uncovered, vector[int32_t]& allowed) except -1:
        """Lists the rules of each positive; returns the weight of those that no rule covers."""
        cdef int i, w, e, n = <int>allowed.size(), slots = self.pwords * 64
        cdef int64_t hopeless = 0
        cdef uint64_t word
        self.inverted_from.assign(slots + 1, 0)
        for i in range(n):
            for w in range(self.pwords):
                word = self.pos[<size_t>allowed[i] * self.pwords + w] & uncovered[w]
                while word:
                    self.inverted_from[w * 64 + lowest(word) + 1] += 1
                    word &= word - 1
        for e in range(slots):
            if self.inverted_from[e + 1] == 0 and (uncovered[e >> 6] >> (e & 63)) & 1:
                hopeless += self.pos_weight[e]
            self.inverted_from[e + 1] += self.inverted_from[e]
        self.inverted.resize(self.inverted_from[slots])
        self.order.assign(self.inverted_from.begin(), self.inverted_from.end())
        for i in range(n):
            for w in range(self.pwords):
                word = self.pos[<size_t>allowed[i] * self.pwords + w] & uncovered[w]
                while word:
                    e = w * 64 + lowest(word)
                    self.inverted[self.order[e]] = i
                    self.order[e] += 1
                    word &= word - 1
        return hopeless

    cdef int64_t raise_prices(
        self, int64_t less, int64_t k, vector[int32_t]& allowed, vector[int64_t]& new_pos, vector[int64_t]& new_neg
    ) except -1:
        """Prices for c(r) = S(r) - less + N(r)/k; returns their sum; leaves `slack` = c(r) - prices in r."""
        cdef int i, e, j, n = <int>allowed.size(), slots = self.pwords * 64
        cdef int64_t y, total = 0
        self.fair.resize(n)
        for i in range(n):
            self.slack[i] = ((self.size[allowed[i]] - less) << SHIFT) + (new_neg[i] << SHIFT) // k
            self.fair[i] = self.slack[i] // new_pos[i]
        for e in range(slots):
            self.price[e] = 0
            if self.inverted_from[e + 1] == self.inverted_from[e]:
                continue
            y = <int64_t>1 << SHIFT
            for j in range(self.inverted_from[e], self.inverted_from[e + 1]):
                y = min(y, self.fair[self.inverted[j]])
            y *= self.pos_weight[e]
            self.price[e] = y
            for j in range(self.inverted_from[e], self.inverted_from[e + 1]):
                self.slack[self.inverted[j]] -= y
        for e in range(slots):
            if self.inverted_from[e + 1] == self.inverted_from[e]:
                continue
            y = (self.pos_weight[e] << SHIFT) - self.price[e]
            for j in range(self.inverted_from[e], self.inverted_from[e + 1]):
                y = min(y, self.slack[self.inverted[j]])
                if y <= 0:
                    break
            if y > 0:
                self.price[e] += y
                for j in range(self.inverted_from[e], self.inverted_from[e + 1]):
                    self.slack[self.inverted[j]] -= y
            total += self.price[e]
        return total
