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
along that direction, with all prices near the least one counted, and goes on the way that the last steps went besides
(a heavy ball): the subgradient method with this momentum comes in a hundred steps to where it would be after thousands
without. A step looks only at the rules that were near the least price of a positive not long ago: the *active* ones, or,
every other step, those that were not far from it. Their values are no bound, since another rule may be cheaper by now; so
every few steps all rules are looked at. Any shares give a true bound, so nothing depends on how well this does.

Most of the time goes into adding shares. Where weights are small, as they mostly are, 32 bits hold any share of a negative
(at most its weight, in units of 2**-shift). There is a copy of them then in which a machine adds eight at a time
(`headers/rows.hpp`): a rule that covers many positives adds whole rows, if 32 bits also hold the weight of all negatives
that it covers. (They do for all rules that are worth much, however many negatives there are.)

Amounts are whole numbers of 2**-20: all sums are exact, and every machine decides alike. Where weights are large, they are
whole numbers of a larger unit, 2**-shift, so that no sum leaves 64 bits:

- Let L be the weight of all positives and all negatives and the largest size. `cover` takes the shift such that
  L << shift is below 2**51, and refuses L that is not (`search.weighing` refuses less, and says so to the user).
- The bound is at most the weight of all positives, which the empty set costs. A rule is chosen only while what is paid
  with it stays below the bound, and a positive is paid as missed once. So `cost` is below 2 L, and with the values of
  the positives, which add up to L at most, everything that is compared with the bound stays below 2**53.
- The shares of a rule, or of a negative, add up to its size or weight, at most 2**51. So do the prices of one rule over
  its positives, less the shares of its negatives, which add up to 2**51 as well. A share is at most 2**51, and what the
  momentum adds to it is at most the change of one step: below 2**52, so that it can be multiplied by ONE before.
- The width of what is near is at most half the value of all positives, divided by their number, and a step is at most
  FASTEST / ONE times that, or 1: below 2**52, so that it can be multiplied by ONE. The steps for all positives add up to
  2**53 at most, and with the momentum the shares of one rule, or negative, to 2**55, before they are limited again.
- For each positive the parts add up to ONE at most: 16 bits hold their sums, and votes are below 2**31 * ONE.
"""


cdef enum:
    MOST_SHIFT = 20  # see `shift`


cdef enum Looked:
    ACTIVE, NEARBY, ALL


cdef enum:
    ONE = 1024  # directions, paces and momentum are in parts of this
    PACE = 2048  # the first pace of steps: so many parts of the width of what is near
    FASTEST = 4096
    SLOWEST = 128
    MOST_MOMENTUM = 1008
    NEAR = 2  # prices within the gap, divided by this and by the number of positives, are near the least
    NEARBY_WIDTH = 3  # rules within so many times that are nearby
    DENSE = 10  # a rule that covers one positive in so many adds whole rows of shares
    ROW_BLOCK = 64  # positives in a block of rows: what all negatives share with them is some hundred kilobytes
    MANY = 16  # the same, where so many of its prices are near the least
    SHARE = 48  # bytes for a rule and a positive that it covers, ...
    OF_NEG = 28  # ... and for a positive and a negative
    MOST_PARTS = 4  # of the rules, for as many threads: each adds up directions of its own


cdef inline bint useless(int64_t pos, int64_t neg, int64_t size, int64_t bound, int64_t room) noexcept nogil:
    """Whether a rule covers too few positives, reaches the bound alone or does not fit."""
    return pos <= size or size + neg >= bound or size > room


cdef inline int64_t sum_of(const int64_t* weights, const int32_t* numbers, int first, int end) noexcept nogil:
    """What those with these numbers weigh together."""
    cdef int k
    cdef int64_t total = 0
    for k in range(first, end):
        total += weights[numbers[k]]
    return total


cdef inline bint is_narrow(int64_t weight, int shift) noexcept nogil:
    """Whether 32 bits hold shares that add up to so much."""
    return weight <= <int64_t>0x7FFFFFFF >> shift


cdef inline void take_from(const vector[int64_t]& shares, vector[int64_t]& changes) noexcept nogil:
    """Turns changes of shares into what the shares were before."""
    cdef const int64_t* share = shares.data()
    cdef int64_t* change = changes.data()
    cdef size_t k
    for k in range(shares.size()):
        change[k] = share[k] - change[k]


cdef inline bint is_full(int64_t total, int64_t most) noexcept nogil:
    """Whether shares use up nearly all there is, and no more."""
    return total <= most and most - total <= most >> 10


cdef inline void set_bits(const int32_t* numbers, int first, int end, uint64_t* bits) noexcept nogil:
    cdef int k
    for k in range(first, end):
        bits[numbers[k] >> 6] |= <uint64_t>1 << (numbers[k] & 63)


cdef inline int64_t less_those(
    int64_t room, const uint64_t* some, const uint64_t* others, int words, const int64_t* weights
) noexcept nogil:
    """What is left of some room without the weights of those that are not among others; below zero, it may be more."""
    cdef int w
    cdef uint64_t word
    for w in range(words):
        word = some[w] & ~others[w]
        while word:
            room -= weights[w * 64 + lowest(word)]
            if room < 0:
                return room
            word &= word - 1
    return room


cdef inline int keep_numbers(
    const int32_t* place, const int32_t* numbers, int first, int end, int32_t* kept
) noexcept nogil:
    """Lists the new places of those numbers that have one; how many. Without a branch, which nobody could predict."""
    cdef int k, count = 0
    for k in range(first, end):
        kept[count] = place[numbers[k]]
        count += kept[count] >= 0
    return count


cdef inline int keep_entries(
    const int32_t* place, const int32_t* numbers, int first, int end, int32_t* kept,
    const int64_t* shares, int64_t* kept_shares, const int64_t* last, int64_t* changes,
) noexcept nogil:
    """The same with shares, and how much they changed in the last step."""
    cdef int k, count = 0
    for k in range(first, end):
        kept[count] = place[numbers[k]]
        kept_shares[count] = shares[k]
        changes[count] = shares[k] - last[k]
        count += kept[count] >= 0
    return count


cdef enum:  # what is done in parts, one after the other
    COPY_ROWS, SET_PRICES, LIST_TIGHT, MOVE_SIZES, MOVE_NEGATIVES


cdef int64_t LEAST_SHARED = 100_000  # shares to add up in a step, about, for several threads to be worth it
cdef double EXACT = 2.0 ** 53  # sums of whole numbers below that are exact


cdef cppclass Scratch:
    # A part of the rules that are looked at, and what is added up for it.
    size_t first, end
    vector[int64_t] value
    vector[int32_t] dense             # rules that add whole rows, ...
    vector[int32_t] at                # ... and which of their positives comes next
    vector[double] near               # of each positive: how near prices are to the least
    vector[int16_t] direction, parts


cdef class Shares


@cython.final
cdef class Workbench:
    """What is needed for a step and not after it, for one problem and the smaller ones below it; and who helps.

    A step is about some thousands of rules, each by itself but for what they add up: values by the least, directions and
    how near prices are as sums of whole numbers. So several threads may have a part of the rules each, and however they
    are divided, all is as with one.
    """

    cdef vector[int32_t] looked_at    # rules, ...
    cdef vector[Scratch] scratch
    cdef int parts                    # ... in so many parts, ...
    cdef int most                     # ... of which there may be so many: one for each thread
    cdef vector[int32_t] tight_from, tight_end, tight_place, tight_pos, tight_part  # see `list_tight`
    cdef vector[int64_t] tight_near, tight_to
    cdef int64_t momentum, step       # of this move
    cdef Team team
    cdef void* shares                 # whose turn it is ...
    cdef int turn                     # ... to do what

    def __init__(self, int most):
        self.most = most
        self.scratch.resize(most)

    def help(self):
        """What the others do, until there is nothing more to do."""
        cdef int part
        with nogil:
            part = self.team.wait_for_part()
            while part >= 0:
                (<Shares>self.shares).do_part(self.turn, part)
                self.team.done()
                part = self.team.wait_for_part()

    cdef int take_turn(self, Shares shares, int turn) except -1:
        """Has all parts done."""
        cdef int part
        if self.parts == 1:
            shares.do_part(turn, 0)
            return 0
        self.shares = <void*>shares
        self.turn = turn
        with nogil:
            self.team.begin(<uint32_t>self.parts)
            part = self.team.take()
            while part >= 0:
                (<Shares>self.shares).do_part(turn, part)
                self.team.done()
                part = self.team.take()
            while not self.team.wait_for_others():
                pass
        return 0


@cython.final
cdef class Shares:
    """Rules that may still be chosen, over the positives not covered and the negatives not paid so far; and shares.

    `cost` is what is paid already. The positives of rule i are `pos[pos_from[i]:pos_from[i + 1]]`, and the shares of its
    size are at the same places in `of_size`. The share of positive e of negative n is `of_neg[n * npos + e]`.
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
    cdef vector[int64_t] last_size, last_neg  # the same, a step ago
    cdef bint narrow  # whether 32 bits hold all shares of negatives, ...
    cdef vector[int32_t] rows  # ... and then `of_neg` is in there as well: see `copy_rows`
    cdef int row
    cdef vector[int64_t] size_sum, neg_sum
    cdef vector[int64_t] price, value
    cdef vector[int64_t] votes
    cdef vector[uint8_t] out  # rules that were dropped
    cdef int nout
    cdef vector[uint8_t] is_near, is_active
    cdef vector[int32_t] near, active  # the same as lists
    cdef vector[int32_t] neg_pace  # of the shares of each negative, in parts of ONE
    cdef int64_t total, last, pace, streak
    cdef int64_t done                 # of what steps are counted by (`steps.pxi`), since they were
    cdef bint matched  # whether `match` was here: to drop rules leaves nothing more for it
    cdef Workbench bench

    cdef int weigh(self) except -1:
        """What each rule covers here, by weight."""
        cdef int i
        self.size_sum.assign(self.nrules, 0)
        self.neg_sum.assign(self.nneg, 0)
        self.neg_pace.assign(self.nneg, 0)
        self.new_pos.resize(self.nrules)
        self.new_neg.resize(self.nrules)
        self.votes.assign(self.nrules, 0)
        for i in range(self.nrules):
            self.new_pos[i] = sum_of(self.pos_weight.data(), self.pos.data(), self.pos_from[i], self.pos_from[i + 1])
            self.new_neg[i] = sum_of(self.neg_weight.data(), self.neg.data(), self.neg_from[i], self.neg_from[i + 1])
        return 0

    cdef int start(self) except -1:
        """First shares, by weight: of each rule for its positives, of each negative for those that meet it in a rule."""
        cdef int k, e, n
        self.weigh()
        self.pace = PACE
        self.of_size.resize(self.pos.size())
        for k in range(<int>self.pos.size()):
            self.of_size[k] = self.pos_weight[self.pos[k]]
        self.of_neg.resize(<size_t>self.npos * self.nneg)
        for n in range(self.nneg):
            for e in range(self.npos):
                self.of_neg[<size_t>n * self.npos + e] = self.pos_weight[e]
        self.fill()
        self.last_size = self.of_size
        self.last_neg = self.of_neg
        self.is_near.assign(self.nrules, 1)
        self.is_active.assign(self.nrules, 1)
        self.out.assign(self.nrules, 0)
        return 0

    cdef int begin_with(self, const int64_t[::1] values, const int64_t[:, ::1] shares) except -1:
        """Takes over shares of the negatives, and of each rule what its positives lack with these to their values."""
        cdef int i, k, l, n
        cdef const int64_t* row
        cdef int64_t* lacking = self.last_size.data()
        cdef bint some
        for n in range(self.nneg if self.npos else 0):
            memcpy(&self.of_neg[<size_t>n * self.npos], &shares[n, 0], self.npos * sizeof(int64_t))
        for i in range(self.nrules):
            some = False
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                lacking[k] = values[self.pos[k]]
            if self.pos_from[i] < self.pos_from[i + 1]:
                for l in range(self.neg_from[i], self.neg_from[i + 1]):  # row by row: what is near is read together
                    row = &shares[self.neg[l], 0]
                    for k in range(self.pos_from[i], self.pos_from[i + 1]):
                        lacking[k] -= row[self.pos[k]]
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                some = some or lacking[k] > 0
                lacking[k] = max(lacking[k], 0)
            if some:  # otherwise its first shares do as well
                for k in range(self.pos_from[i], self.pos_from[i + 1]):
                    self.of_size[k] = self.last_size[k]
        self.fill()
        self.last_size = self.of_size
        self.last_neg = self.of_neg
        return 0

    cdef int fill(self) except -1:
        """Scales all shares so that they use up what there is, with none for positives that do not meet the negative.

        The pace of a negative is less, the more rules cover it: the prices of all these rise with one share.
        """
        cdef int i, k, l, e, n, w, words = (self.npos + 63) >> 6
        cdef int64_t total
        cdef int64_t* column
        cdef int64_t* of_size = self.of_size.data()
        cdef uint64_t* meet
        cdef double factor
        cdef vector[int32_t] count
        cdef vector[uint64_t] bits, meets
        for i in range(self.nrules):
            total = 0
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                total += of_size[k]
            self.size_sum[i] = total
            if self.size_sum[i] == 0 or is_full(self.size_sum[i], self.size[i] << self.shift):
                continue
            factor = <double>(self.size[i] << self.shift) / <double>self.size_sum[i]
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                of_size[k] = <int64_t>(<double>of_size[k] * factor)
            self.limit_sizes(i)
        count.assign(self.nneg, 0)
        meets.assign(<size_t>self.nneg * words, 0)
        for i in range(self.nrules):
            bits.assign(words, 0)
            set_bits(self.pos.data(), self.pos_from[i], self.pos_from[i + 1], bits.data())
            for l in range(self.neg_from[i], self.neg_from[i + 1]):
                count[self.neg[l]] += 1
                meet = meets.data() + <size_t>self.neg[l] * words
                for w in range(words):
                    meet[w] |= bits[w]
        for n in range(self.nneg):
            self.neg_pace[n] = <int32_t>(ONE / sqrt(1 + <double>count[n] / 2))
            column = self.of_neg.data() + <size_t>n * self.npos
            meet = meets.data() + <size_t>n * words
            total = 0
            for e in range(self.npos):
                column[e] *= (meet[e >> 6] >> (e & 63)) & 1
                total += column[e]
            self.neg_sum[n] = total
            if is_full(self.neg_sum[n], self.neg_weight[n] << self.shift):
                continue
            factor = <double>(self.neg_weight[n] << self.shift) / <double>max(1, self.neg_sum[n])
            for e in range(self.npos):
                column[e] = <int64_t>(<double>column[e] * factor)
            self.limit_negative(n)
        return 0

    cdef void limit_sizes(self, int i) noexcept nogil:
        """Takes an equal amount from all shares of a rule, none below zero, until they are at most its size."""
        self.size_sum[i] = settled(
            self.of_size.data() + self.pos_from[i], self.pos_from[i + 1] - self.pos_from[i], self.size[i] << self.shift
        )

    cdef void limit_negative(self, int n) noexcept:
        """The same for a negative and its weight."""
        self.neg_sum[n] = settled(
            self.of_neg.data() + <size_t>n * self.npos, self.npos, self.neg_weight[n] << self.shift
        )

    cdef void drop(self, int i) noexcept:
        """Takes a rule out; what was known of it stays in the lists until `without_dropped`."""
        self.nout += not self.out[i]
        self.out[i] = 1

    cdef Shares without_dropped(self):
        """The same without the rules that are out."""
        cdef vector[uint8_t] paid_pos, paid_neg
        cdef Shares smaller
        paid_pos.assign(self.npos, 0)
        paid_neg.assign(self.nneg, 0)
        smaller = self.reduced(self.out, paid_pos, paid_neg, self.cost)
        smaller.matched = self.matched
        return smaller

    cdef Shares choosing(self, int which, int64_t bound, int64_t room):
        """What is left when a rule is chosen: its positives are covered, its negatives are paid.

        Rules that are of no use beside it below the bound are left out at once (see `useless`).
        """
        cdef vector[uint8_t] paid_pos, paid_neg, dropped = self.out
        cdef vector[int64_t] pos_weight = self.pos_weight, neg_weight = self.neg_weight
        cdef int64_t cost = self.cost + self.size[which] + self.new_neg[which], pos, neg
        cdef int i, k
        paid_pos.assign(self.npos, 0)
        paid_neg.assign(self.nneg, 0)
        dropped[which] = 1
        for k in range(self.pos_from[which], self.pos_from[which + 1]):
            paid_pos[self.pos[k]] = 1
            pos_weight[self.pos[k]] = 0
        for k in range(self.neg_from[which], self.neg_from[which + 1]):
            paid_neg[self.neg[k]] = 1
            neg_weight[self.neg[k]] = 0
        for i in range(self.nrules):
            if not dropped[i]:
                pos = sum_of(pos_weight.data(), self.pos.data(), self.pos_from[i], self.pos_from[i + 1])
                neg = sum_of(neg_weight.data(), self.neg.data(), self.neg_from[i], self.neg_from[i + 1])
                dropped[i] = useless(pos, neg, self.size[i], bound - cost, room - self.size[which])
        return self.reduced(dropped, paid_pos, paid_neg, cost)

    cdef Shares reduced(
        self, vector[uint8_t]& dropped, vector[uint8_t]& paid_pos, vector[uint8_t]& paid_neg, int64_t cost
    ):
        """A smaller problem, with the shares of this one; positives that no rule is left for are paid as missed.

        The shares go on the way that they went.
        """
        cdef Shares smaller = Shares()
        cdef vector[int32_t] pos_at, neg_at, kept, rules
        cdef int i, k, e, n
        cdef size_t j, place, pos_count = 0, neg_count = 0
        cdef const int64_t* old
        cdef const int64_t* old_last
        cdef int64_t* now
        cdef int64_t* last
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
        smaller.streak = self.streak
        smaller.shift = self.shift
        smaller.narrow = self.narrow
        smaller.bench = self.bench
        for e in range(self.npos):
            if paid_pos[e]:
                pos_at[e] = -1
            elif pos_at[e] < 0:
                smaller.cost += self.pos_weight[e]
            else:
                pos_at[e] = smaller.npos
                kept.push_back(e)
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
        self.room.ask(OF_NEG * <size_t>smaller.npos * smaller.nneg + SHARE * self.pos.size())
        for i in range(self.nrules):
            if not dropped[i]:
                rules.push_back(i)
                pos_count += self.pos_from[i + 1] - self.pos_from[i]
                neg_count += self.neg_from[i + 1] - self.neg_from[i]
        # One place more, as what is not kept is written as well, to where the next one will be.
        smaller.pos.resize(pos_count + 1)
        smaller.of_size.resize(pos_count + 1)
        smaller.last_size.resize(pos_count + 1)
        smaller.neg.resize(neg_count + 1)
        smaller.pos_from.push_back(0)
        smaller.neg_from.push_back(0)
        pos_count = neg_count = 0
        for j in range(rules.size()):
            i = rules[j]
            smaller.rule.push_back(self.rule[i])
            smaller.size.push_back(self.size[i])
            smaller.is_near.push_back(self.is_near[i])
            smaller.is_active.push_back(self.is_active[i])
            if self.is_near[i]:
                smaller.near.push_back(<int32_t>j)
            if self.is_active[i]:
                smaller.active.push_back(<int32_t>j)
            pos_count += keep_entries(
                pos_at.data(), self.pos.data(), self.pos_from[i], self.pos_from[i + 1], smaller.pos.data() + pos_count,
                self.of_size.data(), smaller.of_size.data() + pos_count,
                self.last_size.data(), smaller.last_size.data() + pos_count,
            )
            neg_count += keep_numbers(
                neg_at.data(), self.neg.data(), self.neg_from[i], self.neg_from[i + 1], smaller.neg.data() + neg_count
            )
            smaller.pos_from.push_back(<int32_t>pos_count)
            smaller.neg_from.push_back(<int32_t>neg_count)
        smaller.pos.resize(pos_count)
        smaller.of_size.resize(pos_count)
        smaller.last_size.resize(pos_count)
        smaller.neg.resize(neg_count)
        smaller.nrules = <int>smaller.rule.size()
        smaller.out.assign(smaller.nrules, 0)
        smaller.of_neg.resize(<size_t>smaller.npos * smaller.nneg)
        smaller.last_neg.resize(<size_t>smaller.npos * smaller.nneg)
        place = 0
        for n in range(self.nneg):
            if neg_at[n] < 0:
                continue
            old = self.of_neg.data() + <size_t>n * self.npos
            old_last = self.last_neg.data() + <size_t>n * self.npos
            now = smaller.of_neg.data() + place
            last = smaller.last_neg.data() + place
            for e in range(smaller.npos):
                now[e] = old[kept[e]]
                last[e] = old[kept[e]] - old_last[kept[e]]
            place += smaller.npos
        smaller.weigh()
        smaller.fill()
        take_from(smaller.of_size, smaller.last_size)
        take_from(smaller.of_neg, smaller.last_neg)
        return smaller

    cdef int64_t evaluate(self, Looked which) except -1:
        """The sum of all values; leaves `price`, by place in `pos`, and `value`.

        If it looks at ALL, that is the lower bound on what the rules cost beyond `cost`. Otherwise it is none.
        """
        cdef int e, i
        cdef int part
        self.price.resize(self.pos.size())
        self.value.resize(self.npos)
        self.row = (self.npos + ROW - 1) // ROW * ROW
        if which == ALL:
            if CHECKED:
                self.check()
            self.bench.looked_at.clear()
            for i in range(self.nrules):
                if not self.out[i]:
                    self.bench.looked_at.push_back(i)
        else:
            self.bench.looked_at = self.near if which == NEARBY else self.active
        self.divide()
        self.done += self.looked_at_work() + <int64_t>self.row * self.nneg // 8
        if self.narrow:
            self.rows.resize(<size_t>self.row * self.nneg)
            self.bench.take_turn(self, COPY_ROWS)
        for part in range(self.bench.parts):
            self.bench.scratch[part].value.resize(self.npos)
            self.bench.scratch[part].dense.resize(self.bench.looked_at.size())
            self.bench.scratch[part].at.resize(self.bench.looked_at.size())
        self.bench.take_turn(self, SET_PRICES)
        for e in range(self.npos):
            self.value[e] = self.bench.scratch[0].value[e]
        for part in range(1, self.bench.parts):
            for e in range(self.npos):
                self.value[e] = min(self.value[e], self.bench.scratch[part].value[e])
        self.total = 0
        for e in range(self.npos):
            self.total += self.value[e]
        return self.total

    cdef void copy_rows(self, int first, int end) noexcept nogil:
        """The shares of some negatives as numbers of 32 bits, in blocks of so many positives."""
        cdef int n, e, start = 0, width
        cdef int32_t* row
        cdef const int64_t* shares
        while start < self.row:
            width = min(<int>ROW_BLOCK, self.row - start)
            for n in range(first, end):
                row = self.rows.data() + <size_t>start * self.nneg + <size_t>n * width
                shares = self.of_neg.data() + <size_t>n * self.npos + start
                for e in range(min(width, self.npos - start)):
                    row[e] = <int32_t>shares[e]
            start += width

    cdef void set_prices(self, Scratch* own) noexcept nogil:
        """What the rules of a part cost their positives."""
        cdef int32_t[ROW_BLOCK] sums
        cdef size_t j, count = 0
        cdef int i, k, start = 0, width
        cdef const int32_t* pos = self.pos.data()
        cdef const int32_t* rows
        cdef int64_t* price = self.price.data()
        cdef int64_t* value = own.value.data()
        for j in range(own.first, own.end):
            i = self.bench.looked_at[j]
            if self.is_dense(i):
                own.dense[count] = i
                own.at[count] = self.pos_from[i]
                count += 1
                continue
            self.add_shares(i)
            for k in range(self.pos_from[i], self.pos_from[i + 1]):
                value[pos[k]] = min(value[pos[k]], price[k])
        # A block after the other, for all rules: it is read many times, and should be near until then.
        while start < self.row and count:
            width = min(<int>ROW_BLOCK, self.row - start)
            rows = self.rows.data() + <size_t>start * self.nneg
            for j in range(count):
                i = own.dense[j]
                k = own.at[j]
                if k == self.pos_from[i + 1] or pos[k] >= start + width:
                    continue
                add_rows(
                    rows, width, self.neg.data() + self.neg_from[i], self.neg_from[i + 1] - self.neg_from[i], sums
                )
                while k < self.pos_from[i + 1] and pos[k] < start + width:
                    price[k] = self.of_size[k] + sums[pos[k] - start]
                    value[pos[k]] = min(value[pos[k]], price[k])
                    k += 1
                own.at[j] = k
            start += width

    cdef bint is_dense(self, int i) noexcept nogil:
        """Whether whole rows of shares are added for a rule."""
        cdef bint many = <int64_t>(self.pos_from[i + 1] - self.pos_from[i]) * DENSE >= self.npos
        return many and self.narrow and is_narrow(self.new_neg[i], self.shift)

    cdef void add_shares(self, int i) noexcept nogil:
        """The prices of a rule one by one, four negatives at a time."""
        cdef int k, e, l = self.neg_from[i], first = self.pos_from[i], end = self.pos_from[i + 1]
        cdef const int64_t* shares = self.of_neg.data()
        cdef const int64_t* a
        cdef const int64_t* b
        cdef const int64_t* c
        cdef const int64_t* d
        cdef const int32_t* pos = self.pos.data()
        cdef const int32_t* neg = self.neg.data()
        cdef int64_t* price = self.price.data()
        cdef size_t npos = self.npos
        for k in range(first, end):
            price[k] = self.of_size[k]
        while l + 4 <= self.neg_from[i + 1]:
            a = shares + neg[l] * npos
            b = shares + neg[l + 1] * npos
            c = shares + neg[l + 2] * npos
            d = shares + neg[l + 3] * npos
            for k in range(first, end):
                e = pos[k]
                price[k] += a[e] + b[e] + c[e] + d[e]
            l += 4
        while l < self.neg_from[i + 1]:
            a = shares + neg[l] * npos
            for k in range(first, end):
                price[k] += a[pos[k]]
            l += 1

    cdef bint comes_within(self, int i, int64_t width) noexcept:
        """Whether a rule has a price within `width` of the least."""
        cdef int k
        cdef const int32_t* pos = self.pos.data()
        cdef const int64_t* price = self.price.data()
        cdef const int64_t* value = self.value.data()
        for k in range(self.pos_from[i], self.pos_from[i + 1]):
            if price[k] - value[pos[k]] <= width:
                return True
        return False

    cdef int list_near(self, int64_t width) except -1:
        """After all rules were looked at: those with a price within `width` of the least.

        What was not among them before goes on without momentum.
        """
        cdef int i, k
        cdef bint near
        self.near.clear()
        for i in range(self.nrules):
            near = not self.out[i] and self.comes_within(i, width)
            if near and not self.is_near[i]:
                for k in range(self.pos_from[i], self.pos_from[i + 1]):
                    self.last_size[k] = self.of_size[k]
            self.is_near[i] = near
            self.is_active[i] = near and self.is_active[i]
            if near:
                self.near.push_back(i)
        return 0

    cdef int list_active(self, int64_t width) except -1:
        """The same of these, after they were looked at."""
        cdef int i
        cdef size_t j
        self.active.clear()
        for j in range(self.near.size()):
            i = self.near[j]
            self.is_active[i] = self.comes_within(i, width)
            if self.is_active[i]:
                self.active.push_back(i)
        return 0

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
                kernel_assert(self.of_neg[<size_t>n * self.npos + e] >= 0)
                total += self.of_neg[<size_t>n * self.npos + e]
            kernel_assert(total == self.neg_sum[n])
            kernel_assert(total <= self.neg_weight[n] << self.shift)

    cdef int list_tight(self, int64_t width) except -1:
        """For each positive, the active rules whose price is within `width` of the least, with parts of ONE by how near.

        To be missed counts as one of them, but has no place in the lists. Those of one rule follow each other: they are
        from `tight_from` to `tight_end`, by its place among the active ones.
        """
        cdef int e, part
        cdef size_t j, most = 0
        self.bench.tight_from.resize(self.active.size())
        self.bench.tight_end.resize(self.active.size())
        for j in range(self.active.size()):
            self.bench.tight_from[j] = <int32_t>most
            most += self.pos_from[self.active[j] + 1] - self.pos_from[self.active[j]] + 1  # one more is written over
        if self.bench.tight_place.size() < most:
            self.bench.tight_place.resize(most)
            self.bench.tight_pos.resize(most)
            self.bench.tight_part.resize(most)
            self.bench.tight_near.resize(most)
        self.bench.tight_to.resize(self.npos)
        for part in range(self.bench.parts):
            self.bench.scratch[part].near.assign(self.npos, 0)
        for e in range(self.npos):
            self.bench.tight_to[e] = self.value[e] + width
        self.bench.take_turn(self, LIST_TIGHT)
        for e in range(self.npos):
            self.bench.scratch[0].near[e] += <double>max(0, width - ((self.pos_weight[e] << self.shift) - self.value[e]))
        for part in range(1, self.bench.parts):
            for e in range(self.npos):
                self.bench.scratch[0].near[e] += self.bench.scratch[part].near[e]
        return 0

    cdef void list_tight_of(self, size_t at, double* sums) noexcept nogil:
        """Lists those of one active rule, and adds how near they are."""
        cdef int i = self.active[at], k, j, first = self.bench.tight_from[at], count = first
        cdef const int32_t* pos = self.pos.data()
        cdef const int64_t* price = self.price.data()
        cdef const int64_t* to = self.bench.tight_to.data()
        cdef int64_t* near = self.bench.tight_near.data()
        cdef int32_t* place = self.bench.tight_place.data()
        cdef int32_t* of_pos = self.bench.tight_pos.data()
        for k in range(self.pos_from[i], self.pos_from[i + 1]):
            # What is not near is written as well, and then written over: a branch would be hard to predict.
            place[count] = k
            near[count] = to[pos[k]] - price[k]
            count += near[count] > 0
        for j in range(first, count):
            of_pos[j] = pos[place[j]]
            sums[of_pos[j]] += <double>near[j]
        self.bench.tight_end[at] = count

    cdef int improve(self, int64_t gap, Looked which) except -1:
        """Moves the shares, after `evaluate`, of all rules or not; `gap` is how far the bound is from the cost to reach.

        The momentum grows from step to step. When the bound falls, it begins anew, and the steps are shorter from then
        on.
        """
        cdef int64_t width
        cdef int part
        if self.total < self.last - gap // 64:
            self.streak = 0
            self.pace = max(SLOWEST, self.pace - self.pace // 4)
        else:
            self.streak += 1
            self.pace = min(FASTEST, self.pace + self.pace // ONE)
        self.last = self.total
        width = max(1, min(gap // NEAR, self.total // 2) // self.npos)
        if which == ALL:
            self.list_near(NEARBY_WIDTH * width)
        if which != ACTIVE:
            self.list_active(width)
        self.bench.looked_at = self.active
        self.divide()
        if <double>width * <double>(self.active.size() + 1) >= EXACT:
            self.divide_by(1)  # sums may be rounded, and must not depend on who adds up what
        self.done += self.looked_at_work() + <int64_t>self.row * self.nneg // 2
        self.list_tight(width)
        self.bench.momentum = min(MOST_MOMENTUM, ONE * self.streak // (self.streak + 3))
        self.bench.step = max(1, <int64_t>(<double>width * <double>self.pace / ONE))
        self.votes.assign(self.nrules, 0)
        for part in range(self.bench.parts):
            self.bench.scratch[part].direction.resize(<size_t>self.row * self.nneg)
            self.bench.scratch[part].parts.resize(self.row)
        self.bench.take_turn(self, MOVE_SIZES)
        self.bench.take_turn(self, MOVE_NEGATIVES)
        return 0

    cdef void improve_rule(self, size_t at, const double* sums, int16_t* direction, int16_t* parts) noexcept nogil:
        """Moves the shares of the size of an active rule, and adds to the direction of those of its negatives.

        `sums` are how near all are, of each positive. `parts` is a row of zeros, and is so again afterwards.
        """
        cdef int i = self.active[at], k = self.pos_from[i], l, t, first = self.bench.tight_from[at], end = self.bench.tight_end[at]
        cdef int64_t total = 0, step = self.bench.step
        cdef const int32_t* pos = self.bench.tight_pos.data()
        cdef const int32_t* place = self.bench.tight_place.data()
        cdef const int64_t* near = self.bench.tight_near.data()
        cdef int32_t* part = self.bench.tight_part.data()
        cdef int64_t* of_size = self.of_size.data()
        cdef int16_t* row
        for t in range(first, end):
            part[t] = <int32_t>(<double>near[t] * ONE / sums[pos[t]])
        carry(of_size + k, self.last_size.data() + k, self.pos_from[i + 1] - k, self.bench.momentum)
        for t in range(first, end):
            total += part[t]
            of_size[place[t]] += (step * part[t]) >> 10
        self.votes[i] = total
        if (end - first) * MANY > self.row:
            for t in range(first, end):
                parts[pos[t]] = <int16_t>part[t]
            add_to_rows(
                direction, self.row, self.neg.data() + self.neg_from[i], self.neg_from[i + 1] - self.neg_from[i], parts
            )
            for t in range(first, end):
                parts[pos[t]] = 0
        elif first < end:
            for l in range(self.neg_from[i], self.neg_from[i + 1]):
                row = direction + <size_t>self.neg[l] * self.row
                for t in range(first, end):
                    row[pos[t]] += <int16_t>part[t]
        self.limit_sizes(i)

    cdef void move_negative(self, int n) noexcept nogil:
        """Moves the shares of a negative in the direction that all parts together have for it."""
        cdef size_t at = <size_t>n * self.npos, row = <size_t>n * self.row
        cdef int16_t* direction = self.bench.scratch[0].direction.data() + row
        cdef const int16_t* more
        cdef int e, part
        for part in range(1, self.bench.parts):
            more = self.bench.scratch[part].direction.data() + row
            for e in range(self.npos):
                direction[e] += more[e]
        self.neg_sum[n] = moved(
            self.of_neg.data() + at, self.last_neg.data() + at, direction, self.npos, self.bench.momentum,
            (self.bench.step * self.neg_pace[n]) >> 10, self.neg_weight[n] << self.shift,
        )

    # -- turns ----------------------------------------------------------------------------------------------

    cdef int divide(self) except -1:
        """Parts of the rules that are looked at, for each of several threads if that is worth it."""
        if self.bench.most == 1:
            return self.divide_by(1)
        return self.divide_by(self.bench.most if self.looked_at_work() >= LEAST_SHARED else 1)

    cdef int64_t looked_at_work(self) noexcept nogil:
        """Shares that are added up for the rules that are looked at, about."""
        cdef int64_t work = 0
        cdef size_t j
        for j in range(self.bench.looked_at.size()):
            work += self.work_of(self.bench.looked_at[j])
        return work

    cdef int64_t steps_due(self) noexcept nogil:
        """The steps of what was done here since it was last asked for them."""
        cdef int64_t steps = self.done // STEP_WORK
        self.done -= steps * STEP_WORK
        return steps

    cdef int64_t work(self) noexcept nogil:
        """Shares that are added up in a step that looks at all rules, about."""
        cdef int64_t work = 0
        cdef int i
        self.row = (self.npos + ROW - 1) // ROW * ROW
        for i in range(self.nrules):
            work += self.work_of(i)
        return work

    cdef int64_t work_of(self, int i) noexcept nogil:
        """Shares that are added up for a rule, about."""
        cdef int64_t pos = self.pos_from[i + 1] - self.pos_from[i], neg = self.neg_from[i + 1] - self.neg_from[i]
        return 4 * pos + (self.row * neg // 8 if self.is_dense(i) else pos * neg)

    cdef int divide_by(self, int parts) except -1:
        """So many parts of the rules that are looked at, with as much work each."""
        cdef int64_t work = self.looked_at_work() if parts > 1 else 0, done = 0
        cdef size_t j
        cdef int part = 0
        self.bench.parts = parts
        self.bench.scratch[0].first = 0
        for j in range(self.bench.looked_at.size() if parts > 1 else 0):
            while part + 1 < parts and done * parts >= work * (part + 1):
                self.bench.scratch[part].end = self.bench.scratch[part + 1].first = j
                part += 1
            done += self.work_of(self.bench.looked_at[j])
        while part + 1 < parts:
            self.bench.scratch[part].end = self.bench.scratch[part + 1].first = self.bench.looked_at.size()
            part += 1
        self.bench.scratch[parts - 1].end = self.bench.looked_at.size()
        return 0

    cdef void do_part(self, int turn, int part) noexcept nogil:
        """Does a part of a turn: of the rules that are looked at, or an equal part of the negatives."""
        cdef Scratch* own = &self.bench.scratch[part]
        cdef size_t j
        cdef int e, n
        cdef int first = <int>(<int64_t>self.nneg * part // self.bench.parts)
        cdef int end = <int>(<int64_t>self.nneg * (part + 1) // self.bench.parts)
        if turn == COPY_ROWS:
            self.copy_rows(first, end)
        elif turn == SET_PRICES:
            for e in range(self.npos):
                own.value[e] = self.pos_weight[e] << self.shift
            self.set_prices(own)
        elif turn == LIST_TIGHT:
            for j in range(own.first, own.end):
                self.list_tight_of(j, own.near.data())
        elif turn == MOVE_SIZES:
            if own.direction.size():  # there may be no negatives
                memset(own.direction.data(), 0, own.direction.size() * sizeof(int16_t))
            memset(own.parts.data(), 0, own.parts.size() * sizeof(int16_t))
            for j in range(own.first, own.end):
                self.improve_rule(j, self.bench.scratch[0].near.data(), own.direction.data(), own.parts.data())
        else:
            for n in range(first, end):
                self.move_negative(n)

    cdef int64_t surplus(self, int i) noexcept:
        """How much more than the bound a set with this rule costs, at least: slacks, and for its positives its price."""
        cdef int k
        cdef int64_t total = (self.size[i] << self.shift) - self.size_sum[i]
        cdef const int64_t* price = self.price.data()
        for k in range(self.pos_from[i], self.pos_from[i + 1]):
            total += price[k]
        total -= sum_of(self.value.data(), self.pos.data(), self.pos_from[i], self.pos_from[i + 1])
        total += self.new_neg[i] << self.shift
        return total - sum_of(self.neg_sum.data(), self.neg.data(), self.neg_from[i], self.neg_from[i + 1])

    cdef int match(self, object should_stop) except -1:
        """Drops a rule r where another one, d, does as well: S(d) + N(d \\ r) + P(r \\ d) <= S(r). Returns how many.

        That is the swap lemma: with d in the place of r, a set costs no more. They go one after the other, each for a d
        that is still there, so two rules never drop each other.
        """
        cdef int i, j, k, found = 0
        cdef int pos_words = (self.npos + 63) >> 6, neg_words = (self.nneg + 63) >> 6
        cdef int64_t room, size, pos, neg
        cdef vector[uint64_t] pos_bits, neg_bits
        cdef const uint64_t* has_pos
        cdef const uint64_t* has_neg
        cdef const int64_t* sizes = self.size.data()
        cdef const int64_t* new_pos = self.new_pos.data()
        cdef const int64_t* new_neg = self.new_neg.data()
        pos_bits.assign(<size_t>self.nrules * pos_words, 0)
        neg_bits.assign(<size_t>self.nrules * neg_words, 0)
        for i in range(self.nrules):
            set_bits(self.pos.data(), self.pos_from[i], self.pos_from[i + 1], pos_bits.data() + <size_t>i * pos_words)
            set_bits(self.neg.data(), self.neg_from[i], self.neg_from[i + 1], neg_bits.data() + <size_t>i * neg_words)
        for j in range(self.nrules):
            if self.out[j]:
                continue
            if should_stop is not None and (j & 63) == 0:
                if should_stop() or takes(should_stop, 64 * <int64_t>self.nrules // STEP_WORK):
                    return found
            has_pos = pos_bits.data() + <size_t>j * pos_words
            has_neg = neg_bits.data() + <size_t>j * neg_words
            size, pos, neg = sizes[j], new_pos[j], new_neg[j]
            for i in range(self.nrules):
                room = sizes[i] - size
                # P(r \ d) is at least P(r) - P(d), and so on.
                if (room < 0) | (new_pos[i] - pos > room) | (neg - new_neg[i] > room):
                    continue
                if i == j or self.out[i]:
                    continue
                room = less_those(
                    room, pos_bits.data() + <size_t>i * pos_words, has_pos, pos_words, self.pos_weight.data()
                )
                if room >= 0:
                    room = less_those(
                        room, has_neg, neg_bits.data() + <size_t>i * neg_words, neg_words, self.neg_weight.data()
                    )
                if room >= 0:
                    self.drop(i)
                    found += 1
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
            if not self.out[i]:
                gains.push_back(self.size[i] - self.new_pos[i])
                order.push_back(pair[double, int32_t](-<double>self.new_pos[i] / <double>self.size[i], i))
        sort(gains.begin(), gains.end())
        for i in range(<int>gains.size()):
            if i >= most_rules or gains[i] >= 0:
                break
            by_rules -= gains[i]
        sort(order.begin(), order.end())
        for at in range(<int>order.size()):
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
