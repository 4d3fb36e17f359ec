"""A lower bound on the cost of any set of rules: every positive pays a share.

Rules cover positives and negatives. A set of rules X costs its size, the weight of the negatives it covers and that of
the positives it misses. Let every positive e carry a share b(e,r) of the size of each rule r that covers it, and a share
m(e,n) of the weight of each negative n; shares are not below zero, and those of one rule, or of one negative, add up to
at most its size, or its weight. To be covered by r then costs e the *price* b(e,r) + sum of m(e,n) over the negatives n of
r; to be missed costs its weight. The *value* of e is the least of these.

**The values add up to a lower bound.** The cost of X is at least the sum over all e of

    T(e) = b(e,r) for all r in X that cover e + m(e,n) for all n that X covers + the weight of e if X misses it,

because the shares of each size and weight add up to no more than that. If X misses e, T(e) is at least its weight; if r
in X covers e, T(e) has all the terms of the price of r. Both are at least the value. What is not shared out (the *slack*
of a rule or negative) comes on top for each rule in X and each negative that X covers.

This is the dual of a linear program in which every positive picks the one rule that it counts as covered by. A negative
is shared among positives, not among rules: a crowd of similar rules with the same false positives cannot split them. That
makes it tight, mostly within a few percent, where the plain relaxation is off by half.

**Better shares.** Of each rule and negative, more should go to the positives whose least price has it. `improve` moves
along that direction: a projected subgradient method, with all prices near the least one counted, and steps by the gap to
the best known cost. Any shares give a true bound, so nothing depends on how well this does.

Amounts are whole numbers of 2**-20: all sums are exact, and every machine decides alike. Where weights are large, they are
whole numbers of a larger unit, 2**-shift, so that no sum leaves 64 bits:

- Let L be the weight of all positives and all negatives and the largest size. `cover` takes the shift such that
  L << shift is below 2**51, and refuses L that is not (`search.weighing` refuses less, and says so to the user).
- The bound is at most the weight of all positives, which the empty set costs. A rule is chosen only while what is paid
  with it stays below the bound, and a positive is paid as missed once. So `cost` is below 2 L, and with the values of
  the positives, which add up to L at most, everything that is compared with the bound stays below 2**53.
- The shares of a rule, or of a negative, add up to its size or weight, at most 2**51. So do the prices of one rule over
  its positives, less the shares of its negatives, which add up to 2**51 as well. `improve` adds to the shares of a rule,
  or of a negative, no more than a step for each positive, before it limits them again: a step is at most 2**61 // npos.
- A step is at most the gap, which is below 2**51, so that a step times ONE is below 2**61.
- For each positive the parts add up to ONE at most, so that votes are below 2**31 * ONE, and the length of a direction is
  below npos * (nneg + 1) * ONE**2, with shares that are npos * nneg numbers in memory. Squares of votes: `quotient`.
"""


cdef enum:
    MOST_SHIFT = 20  # see `shift`


cdef enum:
    ONE = 1024  # the direction of a step is in parts of this
    FASTEST = 4096  # the pace of the steps, in parts of ONE
    SLOWEST = 32
    PROBE = 40
    SHARE = 48  # bytes for a rule and a positive that it covers


cdef inline int64_t quotient(int64_t votes, int64_t count) noexcept nogil:
    """The square of votes, divided by a number of voters with at most ONE vote each."""
    if votes < <int64_t>1 << 31:
        return votes * votes // count
    return votes // count * votes


@cython.final
cdef class Shares:
    """Rules that may still be chosen, over the positives not covered and the negatives not paid so far; and shares.

    `cost` is what is paid already. The positives of rule i are `pos[pos_from[i]:pos_from[i + 1]]`, and the shares of its
    size are at the same places in `of_size`. The share of positive e of negative n is `of_neg[e * nneg + n]`.
    """

    cdef Room room
    cdef int nrules, npos, nneg
    cdef int shift  # amounts are in fixed point: whole numbers of 2**-shift
    cdef int64_t cost
    cdef vector[int32_t] rule
    cdef vector[int64_t] size, new_pos, new_neg
    cdef vector[int32_t] pos_from, pos, neg_from, neg
    cdef vector[int64_t] pos_weight, neg_weight
    cdef vector[int64_t] of_size, of_neg
    cdef vector[int64_t] size_sum, neg_sum
    cdef vector[int32_t] neg_count
    cdef vector[int64_t] price, value
    cdef vector[int64_t] votes
    cdef int64_t total, last, pace
    cdef vector[int32_t] tight_from, tight_rule, tight_place, tight_part

    cdef int weigh(self) except -1:
        """What each rule covers here, by weight."""
        cdef int i, k
        self.new_pos.assign(self.nrules, 0)
        self.new_neg.assign(self.nrules, 0)
        self.votes.assign(self.nrules, 0)
        for i in range(self.nrules):
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                self.new_pos[i] += self.pos_weight[self.pos[k]]
            for k in range(self.neg_from[i], self.neg_from[i + 1]):
                self.new_neg[i] += self.neg_weight[self.neg[k]]
        return 0

    cdef int start(self) except -1:
        """First shares, by weight: of each rule for its positives, of each negative for those that meet it in a rule."""
        cdef int i, k, l
        cdef int64_t* row
        self.weigh()
        self.pace = ONE
        self.of_size.assign(self.pos.size(), 0)
        self.of_neg.assign(<size_t>self.npos * self.nneg, 0)
        for i in range(self.nrules):
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                self.of_size[k] = self.pos_weight[self.pos[k]]
                row = self.of_neg.data() + <size_t>self.pos[k] * self.nneg
                for l in range(self.neg_from[i], self.neg_from[i + 1]):
                    row[self.neg[l]] = self.pos_weight[self.pos[k]]
        self.fill()
        return 0

    cdef int fill(self) except -1:
        """Scales all shares so that they use up what there is."""
        cdef int i, k, e, n
        cdef int64_t* row
        cdef double factor
        cdef vector[double] factors
        self.size_sum.assign(self.nrules, 0)
        for i in range(self.nrules):
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                self.size_sum[i] += self.of_size[k]
            if self.size_sum[i] == 0:
                continue
            factor = <double>(self.size[i] << self.shift) / <double>self.size_sum[i]
            self.size_sum[i] = 0
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                self.of_size[k] = <int64_t>(<double>self.of_size[k] * factor)
                self.size_sum[i] += self.of_size[k]
            self.limit_sizes(i)
        self.neg_sum.assign(self.nneg, 0)
        for e in range(self.npos):
            row = self.of_neg.data() + <size_t>e * self.nneg
            for n in range(self.nneg):
                self.neg_sum[n] += row[n]
        for n in range(self.nneg):
            factors.push_back(<double>(self.neg_weight[n] << self.shift) / <double>max(1, self.neg_sum[n]))
        self.neg_sum.assign(self.nneg, 0)
        self.neg_count.assign(self.nneg, 0)
        for e in range(self.npos):
            row = self.of_neg.data() + <size_t>e * self.nneg
            for n in range(self.nneg):
                row[n] = <int64_t>(<double>row[n] * factors[n])
                self.neg_sum[n] += row[n]
                self.neg_count[n] += row[n] > 0
        self.limit_negatives()
        return 0

    cdef void limit_sizes(self, int i) noexcept:
        """Takes an equal amount from all shares of a rule, none below zero, until they are at most its size."""
        cdef int k
        cdef int64_t over, count, less
        while self.size_sum[i] > self.size[i] << self.shift:
            over = self.size_sum[i] - (self.size[i] << self.shift)
            count = 0
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                count += self.of_size[k] > 0
            less = (over + count - 1) // count
            self.size_sum[i] = 0
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                self.of_size[k] = max(0, self.of_size[k] - less)
                self.size_sum[i] += self.of_size[k]

    cdef int limit_negatives(self) except -1:
        """The same for all negatives that exceed their weights."""
        cdef int e, n, j, count
        cdef int64_t left
        cdef int64_t* row
        cdef vector[int32_t] exceeding
        cdef vector[int64_t] cuts
        cdef int32_t* which
        cdef int64_t* less
        cdef int64_t* sums = self.neg_sum.data()
        cdef int32_t* counts = self.neg_count.data()
        for n in range(self.nneg):
            exceeding.push_back(n)
        cuts.resize(self.nneg)
        which = exceeding.data()
        less = cuts.data()
        count = self.nneg
        while True:
            j = 0
            for e in range(count):
                n = which[e]
                left = sums[n] - (self.neg_weight[n] << self.shift)
                if left > 0:
                    which[j] = n
                    less[j] = (left + counts[n] - 1) // counts[n]
                    sums[n] = 0
                    counts[n] = 0
                    j += 1
            count = j
            if count == 0:
                return 0
            for e in range(self.npos):
                row = self.of_neg.data() + <size_t>e * self.nneg
                for j in range(count):
                    n = which[j]
                    left = row[n]
                    if left:
                        left = max(0, left - less[j])
                        row[n] = left
                        sums[n] += left
                        counts[n] += left > 0

    cdef Shares without(self, vector[uint8_t]& dropped):
        """The same without some rules."""
        cdef vector[uint8_t] paid_pos, paid_neg
        paid_pos.assign(self.npos, 0)
        paid_neg.assign(self.nneg, 0)
        return self.reduced(dropped, paid_pos, paid_neg, self.cost)

    cdef Shares choosing(self, int which, vector[uint8_t] dropped):
        """What is left when a rule is chosen and some are dropped: its positives are covered, its negatives are paid."""
        cdef vector[uint8_t] paid_pos, paid_neg
        cdef int k
        paid_pos.assign(self.npos, 0)
        paid_neg.assign(self.nneg, 0)
        dropped[which] = 1
        for k in range(self.pos_from[which], self.pos_from[which + 1]):
            paid_pos[self.pos[k]] = 1
        for k in range(self.neg_from[which], self.neg_from[which + 1]):
            paid_neg[self.neg[k]] = 1
        return self.reduced(dropped, paid_pos, paid_neg, self.cost + self.size[which] + self.new_neg[which])

    cdef Shares reduced(
        self, vector[uint8_t]& dropped, vector[uint8_t]& paid_pos, vector[uint8_t]& paid_neg, int64_t cost
    ):
        """A smaller problem, with the shares of this one; positives that no rule is left for are paid as missed."""
        cdef Shares smaller = Shares()
        cdef vector[int32_t] pos_at, neg_at
        cdef int i, k, e, n, at
        cdef int64_t* row
        cdef int64_t* old
        pos_at.assign(self.npos, -1)
        neg_at.assign(self.nneg, -1)
        for i in range(self.nrules):
            if not dropped[i]:
                for k in range(self.pos_from[i], self.pos_from[i + 1]):
                    pos_at[self.pos[k]] = 0
                for k in range(self.neg_from[i], self.neg_from[i + 1]):
                    neg_at[self.neg[k]] = 0
        smaller.cost = cost
        smaller.pace = self.pace
        smaller.shift = self.shift
        for e in range(self.npos):
            if paid_pos[e]:
                pos_at[e] = -1
            elif pos_at[e] < 0:
                smaller.cost += self.pos_weight[e]
            else:
                pos_at[e] = smaller.npos
                smaller.npos += 1
                smaller.pos_weight.push_back(self.pos_weight[e])
        for n in range(self.nneg):
            if paid_neg[n]:
                neg_at[n] = -1
            elif neg_at[n] >= 0:
                neg_at[n] = smaller.nneg
                smaller.nneg += 1
                smaller.neg_weight.push_back(self.neg_weight[n])
        smaller.room = self.room
        self.room.ask(<size_t>smaller.npos * smaller.nneg * sizeof(int64_t) + SHARE * self.pos.size())
        smaller.pos_from.push_back(0)
        smaller.neg_from.push_back(0)
        for i in range(self.nrules):
            if dropped[i]:
                continue
            smaller.rule.push_back(self.rule[i])
            smaller.size.push_back(self.size[i])
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                at = pos_at[self.pos[k]]
                if at >= 0:
                    smaller.pos.push_back(at)
                    smaller.of_size.push_back(self.of_size[k])
            for k in range(self.neg_from[i], self.neg_from[i + 1]):
                at = neg_at[self.neg[k]]
                if at >= 0:
                    smaller.neg.push_back(at)
            smaller.pos_from.push_back(<int32_t>smaller.pos.size())
            smaller.neg_from.push_back(<int32_t>smaller.neg.size())
        smaller.nrules = <int>smaller.rule.size()
        smaller.of_neg.resize(<size_t>smaller.npos * smaller.nneg)
        row = smaller.of_neg.data()
        for e in range(self.npos):
            if pos_at[e] < 0:
                continue
            old = self.of_neg.data() + <size_t>e * self.nneg
            for n in range(self.nneg):
                if neg_at[n] >= 0:
                    row[0] = old[n]
                    row += 1
        smaller.weigh()
        smaller.fill()
        return smaller

    cdef int64_t evaluate(self) except -1:
        """The lower bound on what the rules cost beyond `cost`; leaves `price`, by place in `pos`, and `value`."""
        cdef int i, k, l, e, count
        cdef int64_t price
        cdef const int64_t* row
        cdef const int32_t* negs
        if CHECKED:
            self.check()
        self.price.resize(self.pos.size())
        self.value.resize(self.npos)
        for e in range(self.npos):
            self.value[e] = self.pos_weight[e] << self.shift
        for i in range(self.nrules):
            negs = self.neg.data() + self.neg_from[i]
            count = self.neg_from[i + 1] - self.neg_from[i]
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                e = self.pos[k]
                row = self.of_neg.data() + <size_t>e * self.nneg
                price = self.of_size[k]
                for l in range(count):
                    price += row[negs[l]]
                self.price[k] = price
                if price < self.value[e]:
                    self.value[e] = price
        self.total = 0
        for e in range(self.npos):
            self.total += self.value[e]
        return self.total

    cdef void check(self) noexcept:
        """Asserts what the bound rests on: no share is below zero, and they add up to no more than there is."""
        cdef int i, k, e, n
        cdef int64_t total
        kernel_assert(rises(self.pos_from.data(), self.pos_from.size(), <int32_t>self.pos.size()))
        kernel_assert(rises(self.neg_from.data(), self.neg_from.size(), <int32_t>self.neg.size()))
        for i in range(self.nrules):
            total = 0
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                kernel_assert(self.of_size[k] >= 0)
                total += self.of_size[k]
            kernel_assert(total == self.size_sum[i])
            kernel_assert(total <= self.size[i] << self.shift)
        for n in range(self.nneg):
            total = 0
            for e in range(self.npos):
                kernel_assert(self.of_neg[<size_t>e * self.nneg + n] >= 0)
                total += self.of_neg[<size_t>e * self.nneg + n]
            kernel_assert(total == self.neg_sum[n])
            kernel_assert(total <= self.neg_weight[n] << self.shift)

    cdef int list_tight(self, int64_t width) except -1:
        """For each positive, the rules whose price is within `width` of the least, with parts of ONE by how near.

        To be missed counts as one of them, but has no place in the lists.
        """
        cdef int i, k, e, at
        cdef int64_t near
        cdef vector[double] sums  # exact below 2^53; beyond that a part is off by next to nothing
        sums.resize(self.npos)
        self.tight_from.assign(self.npos + 1, 0)
        for e in range(self.npos):
            sums[e] = <double>max(0, width - ((self.pos_weight[e] << self.shift) - self.value[e]))
        for k in range(<int>self.pos.size()):
            e = self.pos[k]
            near = width - (self.price[k] - self.value[e])
            if near > 0:
                sums[e] += <double>near
                self.tight_from[e + 1] += 1
        for e in range(self.npos):
            self.tight_from[e + 1] += self.tight_from[e]
        at = self.tight_from[self.npos]
        self.tight_rule.resize(at)
        self.tight_place.resize(at)
        self.tight_part.resize(at)
        for i in range(self.nrules):
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                e = self.pos[k]
                near = width - (self.price[k] - self.value[e])
                if near > 0:
                    at = self.tight_from[e]
                    self.tight_rule[at] = i
                    self.tight_place[at] = k
                    self.tight_part[at] = <int32_t>(<double>near * ONE / sums[e])
                    self.tight_from[e] += 1
        for e in range(self.npos, 0, -1):
            self.tight_from[e] = self.tight_from[e - 1]
        self.tight_from[0] = 0
        return 0

    cdef int improve(self, int64_t gap) except -1:
        """Moves the shares, after `evaluate`; `gap` is how far the bound is from the cost to reach.

        The pace of the steps rises while the bound does and falls when it falls.
        """
        cdef int e, i, j, l, n
        cdef int64_t norm = 0, full = 0, step, part
        cdef int64_t* row
        cdef vector[int64_t] direction, neg_votes
        if self.total > self.last:
            self.pace = min(FASTEST, self.pace + self.pace // 16)
        else:
            self.pace = max(SLOWEST, self.pace - self.pace // 8)
        self.last = self.total
        self.list_tight(max(1, gap // self.npos // 2))
        # The length of the direction, as far as the limits leave it: of what is used up, all lose what some gain.
        self.votes.assign(self.nrules, 0)
        neg_votes.assign(self.nneg, 0)
        direction.assign(self.nneg, 0)
        for e in range(self.npos):
            for j in range(self.tight_from[e], self.tight_from[e + 1]):
                i = self.tight_rule[j]
                part = self.tight_part[j]
                self.votes[i] += part
                full += part * part
                for l in range(self.neg_from[i], self.neg_from[i + 1]):
                    direction[self.neg[l]] += part
            for j in range(self.tight_from[e], self.tight_from[e + 1]):
                i = self.tight_rule[j]
                for l in range(self.neg_from[i], self.neg_from[i + 1]):
                    n = self.neg[l]
                    full += direction[n] * direction[n]
                    neg_votes[n] += direction[n]
                    direction[n] = 0
        norm = full
        for i in range(self.nrules):
            if self.votes[i]:
                norm -= quotient(self.votes[i], self.pos_from[i + 1] - self.pos_from[i])
        for n in range(self.nneg):
            if self.neg_count[n]:
                norm -= quotient(neg_votes[n], self.neg_count[n])
        norm = max(norm, max(full // 4, ONE))
        gap = min(gap, (<int64_t>1 << 61) // self.npos)
        step = <int64_t>min(<double>gap * <double>self.pace * ONE / <double>norm, <double>gap)
        step = max(1, step)
        for e in range(self.npos):
            row = self.of_neg.data() + <size_t>e * self.nneg
            for j in range(self.tight_from[e], self.tight_from[e + 1]):
                i = self.tight_rule[j]
                # This is step * tight_part / ONE, and does not overflow.
                part = (step >> 10) * self.tight_part[j] + (((step & (ONE - 1)) * self.tight_part[j]) >> 10)
                if part == 0:
                    continue
                self.of_size[self.tight_place[j]] += part
                self.size_sum[i] += part
                for l in range(self.neg_from[i], self.neg_from[i + 1]):
                    n = self.neg[l]
                    self.neg_count[n] += row[n] == 0
                    row[n] += part
                    self.neg_sum[n] += part
        for i in range(self.nrules):
            if self.votes[i]:
                self.limit_sizes(i)
        self.limit_negatives()
        return 0

    cdef int64_t surplus(self, int i) noexcept:
        """How much more than the bound a set with this rule costs, at least: slacks, and for its positives its price."""
        cdef int k, n
        cdef int64_t total = (self.size[i] << self.shift) - self.size_sum[i]
        for k in range(self.pos_from[i], self.pos_from[i + 1]):
            total += self.price[k] - self.value[self.pos[k]]
        for k in range(self.neg_from[i], self.neg_from[i + 1]):
            n = self.neg[k]
            total += (self.neg_weight[n] << self.shift) - self.neg_sum[n]
        return total

    cdef int probe(self, int64_t gap, vector[uint8_t]& dropped, object should_stop) except -1:
        """Drops the rules that no set within the gap has; a sharper form of `surplus`. Returns how many.

        With rule r in the set, T(e) also has the shares of all negatives of r where r does not cover e. So e costs,
        if it is missed, its weight and those; if another rule d covers it, the price of d and those that d has not.
        It ends early when it has cost as much as PROBE evaluations.
        """
        cdef int i, k, e, l, n, r, j, found = 0, words = (self.nneg + 63) >> 6
        cdef int64_t total, least, more, effort = 0
        cdef const int64_t* row
        cdef vector[int32_t] place
        cdef vector[pair[int64_t, int32_t]] near
        cdef vector[uint64_t] bits
        bits.assign(<size_t>self.nrules * words, 0)
        for i in range(self.nrules):
            for l in range(self.neg_from[i], self.neg_from[i + 1]):
                bits[<size_t>i * words + (self.neg[l] >> 6)] |= <uint64_t>1 << (self.neg[l] & 63)
            effort += <int64_t>(self.pos_from[i + 1] - self.pos_from[i]) * (self.neg_from[i + 1] - self.neg_from[i] + 1)
        effort *= PROBE
        # For each positive the other rules by price; those beyond the gap cannot matter.
        self.list_tight(gap + 1)
        near.resize(self.tight_rule.size())
        for e in range(self.npos):
            for j in range(self.tight_from[e], self.tight_from[e + 1]):
                near[j].first = self.price[self.tight_place[j]] - self.value[e]
                near[j].second = self.tight_rule[j]
            sort(near.begin() + self.tight_from[e], near.begin() + self.tight_from[e + 1])
        place.assign(self.npos, -1)
        for i in range(self.nrules):
            if dropped[i]:
                continue
            if effort < 0 or (should_stop is not None and (i & 3) == 0 and should_stop()):
                return found
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                place[self.pos[k]] = k
            total = self.surplus(i)
            for e in range(self.npos):
                if total > gap:
                    break
                if place[e] >= 0:
                    continue
                row = self.of_neg.data() + <size_t>e * self.nneg
                least = 0
                for l in range(self.neg_from[i], self.neg_from[i + 1]):
                    least += row[self.neg[l]]
                if least == 0:
                    continue
                least = min(gap + 1, least + (self.pos_weight[e] << self.shift) - self.value[e])
                for j in range(self.tight_from[e], self.tight_from[e + 1]):
                    more = near[j].first
                    if more >= least:
                        break
                    r = near[j].second
                    effort -= 4
                    for l in range(self.neg_from[i], self.neg_from[i + 1]):
                        n = self.neg[l]
                        if not (bits[<size_t>r * words + (n >> 6)] >> (n & 63)) & 1:
                            more += row[n]
                            effort -= 1
                            if more >= least:
                                break
                    least = min(least, more)
                total += least
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                place[self.pos[k]] = -1
            if total > gap:
                dropped[i] = 1
                found += 1
        return found

    cdef int match(self, vector[uint8_t]& dropped, object should_stop) except -1:
        """Drops a rule r where another one, d, does as well: S(d) + N(d \\ r) + P(r \\ d) <= S(r). Returns how many.

        That is the swap lemma: with d in the place of r, a set costs no more. They go one after the other, each for a d
        that is still there, so two rules never drop each other.
        """
        cdef int i, j, k, found = 0
        cdef int64_t room
        cdef vector[uint8_t] has_pos, has_neg
        has_pos.assign(self.npos, 0)
        has_neg.assign(self.nneg, 0)
        for j in range(self.nrules):
            if dropped[j]:
                continue
            if should_stop is not None and (j & 63) == 0 and should_stop():
                return found
            for k in range(self.pos_from[j], self.pos_from[j + 1]):
                has_pos[self.pos[k]] = 1
            for k in range(self.neg_from[j], self.neg_from[j + 1]):
                has_neg[self.neg[k]] = 1
            for i in range(self.nrules):
                room = self.size[i] - self.size[j]
                if i == j or dropped[i] or room < 0:
                    continue
                if self.new_pos[i] - self.new_pos[j] > room or self.new_neg[j] - self.new_neg[i] > room:
                    continue
                for k in range(self.pos_from[i], self.pos_from[i + 1]):
                    if not has_pos[self.pos[k]]:
                        room -= self.pos_weight[self.pos[k]]
                        if room < 0:
                            break
                if room < 0:
                    continue
                # N(d \ r) is what d has, less what both have.
                room -= self.new_neg[j]
                for k in range(self.neg_from[i], self.neg_from[i + 1]):
                    if has_neg[self.neg[k]]:
                        room += self.neg_weight[self.neg[k]]
                if room >= 0:
                    dropped[i] = 1
                    found += 1
            for k in range(self.pos_from[j], self.pos_from[j + 1]):
                has_pos[self.pos[k]] = 0
            for k in range(self.neg_from[j], self.neg_from[j + 1]):
                has_neg[self.neg[k]] = 0
        return found

    cdef int64_t saved_at_most(self, int64_t most_rules, int64_t room) except? -1:
        """What so many rules, of such a size together, save at the most, against missing all positives that are left.

        A rule r saves P(r) - S(r) at the most, whatever else is chosen. So `most_rules` rules save no more than those
        with the most of that. And of all that fit into `room`, none save more than rules taken by P(r) / S(r), the last
        of them only in part: each unit of size, bought in that order, buys the most. Both bounds hold.
        """
        cdef vector[int64_t] gains
        cdef vector[pair[double, int32_t]] order
        cdef int i, at
        cdef int64_t by_rules = 0, by_size = 0, left = room
        for i in range(self.nrules):
            gains.push_back(self.size[i] - self.new_pos[i])
            order.push_back(pair[double, int32_t](-<double>self.new_pos[i] / <double>self.size[i], i))
        sort(gains.begin(), gains.end())
        for i in range(self.nrules):
            if i >= most_rules or gains[i] >= 0:
                break
            by_rules -= gains[i]
        sort(order.begin(), order.end())
        for at in range(self.nrules):
            i = order[at].second
            if self.new_pos[i] <= self.size[i]:
                break
            if self.size[i] > left:
                # Rounded up, with more than what doubles may have lost, here and in the order of the rules.
                by_size += <int64_t>(<double>(self.new_pos[i] - self.size[i]) * <double>left / <double>self.size[i]) + 2
                by_size += by_size >> 40
                break
            by_size += self.new_pos[i] - self.size[i]
            left -= self.size[i]
        return min(by_rules, by_size)

    cdef int64_t round_off(self, vector[int32_t]& chosen, int64_t most_rules, int64_t room) except? -1:
        """A good set: rules by how much the last step moved towards them, while they pay. Returns its whole cost.

        It has no more rules, and is no larger, than there is room for.
        """
        cdef vector[pair[int64_t, int32_t]] order
        cdef vector[int32_t] pos_covered, neg_covered
        cdef int i, k, e, n, at
        cdef int64_t gain, cost = self.cost
        chosen.clear()
        pos_covered.assign(self.npos, 0)
        neg_covered.assign(self.nneg, 0)
        for i in range(self.nrules):
            if self.votes[i]:
                order.push_back(pair[int64_t, int32_t](-self.votes[i], i))
        sort(order.begin(), order.end())
        for at in range(<int>order.size()):
            i = order[at].second
            if self.size[i] > room:
                continue
            if <int64_t>chosen.size() >= most_rules:
                break
            gain = -self.size[i]
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                if not pos_covered[self.pos[k]]:
                    gain += self.pos_weight[self.pos[k]]
            if gain <= 0:
                continue
            for k in range(self.neg_from[i], self.neg_from[i + 1]):
                if not neg_covered[self.neg[k]]:
                    gain -= self.neg_weight[self.neg[k]]
            if gain > 0:
                chosen.push_back(i)
                room -= self.size[i]
                for k in range(self.pos_from[i], self.pos_from[i + 1]):
                    pos_covered[self.pos[k]] += 1
                for k in range(self.neg_from[i], self.neg_from[i + 1]):
                    neg_covered[self.neg[k]] += 1
        # Some no longer pay beside those that came after.
        at = 0
        while at < <int>chosen.size():
            i = chosen[at]
            gain = -self.size[i]
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                if pos_covered[self.pos[k]] == 1:
                    gain += self.pos_weight[self.pos[k]]
            for k in range(self.neg_from[i], self.neg_from[i + 1]):
                if neg_covered[self.neg[k]] == 1:
                    gain -= self.neg_weight[self.neg[k]]
            if gain > 0:
                at += 1
                continue
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                pos_covered[self.pos[k]] -= 1
            for k in range(self.neg_from[i], self.neg_from[i + 1]):
                neg_covered[self.neg[k]] -= 1
            chosen.erase(chosen.begin() + at)
        for at in range(<int>chosen.size()):
            cost += self.size[chosen[at]]
            chosen[at] = self.rule[chosen[at]]
        for e in range(self.npos):
            if not pos_covered[e]:
                cost += self.pos_weight[e]
        for n in range(self.nneg):
            if neg_covered[n]:
                cost += self.neg_weight[n]
        return cost
