"""Choosing among very many rules, where good values are known: all sets within the gap, with values that stay.

Let y be values of the positives, m(e,n) shares of the negatives and S(r) sizes, as in `shares`, such that V(r) <= S(r) for
every rule (`last_size` says what V is, and finds such values). With b(e,r) = max(0, y(e) - sum of m(e,n) over the
negatives n of r) for the positives e of r, V(r) is the sum of all b(e,r). What is written of a set X of rules as

    cost(X) = sizes of its rules + weights of the negatives it covers + weights of the positives it misses

is then, with nothing lost, the sum of all values y(e) and of

- S(r) - V(r) for each rule r in X,
- what nobody shares of each negative that X covers,
- for each positive e that X covers: b(e,r) for each r in X that covers it, and m(e,n) for each n that X covers, less y(e),
- for each positive e that X misses: its weight, and m(e,n) for each n that X covers, less y(e).

None of these is below zero: of a positive that r covers, b(e,r) and the m(e,n) of the negatives of r alone add up to y(e) or
more. The first three only grow when X does. So they are the *surplus* of X, and of every set that contains X: where the
surplus and what missed positives cost, if it is decided that they are, are above the gap (what a better set may cost beyond the
sum of the values), there is no better set with these rules.

**The search.** A node is a set X, the *candidates* that may still be added, and the positives that are missed by decision.
Candidates with which the surplus is above the gap go. A positive that is not covered, and that no candidate covers, is missed.
Otherwise one is picked that few candidates cover: a set of the node has the first of these, or not the first but the second,
and so on, or it has none of them and misses the positive. When all positives are covered or missed, another rule only costs.

Nothing is computed anew at a node but what the new rule changes, so there are some ten thousand nodes a second, against
dozens in `cover`, which makes new values for each. It is worth while where the gap is small for what two rules cost that cover
the same: then most pairs of rules are out at once, and so are, of a hundred thousand rules, nearly all triples.

Most of the time goes into how a candidate raises the surplus. What a negative n raises it by, if X covers n besides, is what nobody
shares of n, and m(e,n) for each positive e that is *decided*: covered, or missed by decision. That sum is kept for each negative. So
only the positives that the candidate newly covers are looked at one by one, with the negatives that it newly covers. Candidates
of a node are independent of each other there, so where they are many, several threads look at some of them each; all else, and
what is counted, is as with one.

**Limits.** A set may be limited to so many rules. It may also be limited to M literals, and then the set with the fewest
*errors* is looked for: sizes count only as far as they have to fit. For that, a set is said to cost a M + errors, where a is what a
literal weighs, and is above the gap if that is. This is its cost and a times the literals that it leaves *unused*. So, at a node, the
surplus and a times what every set of the node leaves unused are at most the gap, or there is no better set. The latter is
M, less the largest sum of literals up to M of the chosen rules and any candidates. (A rule that does not fit is no candidate,
so near the end of the room this says much: with 4 literals left and candidates of 3, one is unused.) That M
literals do not all fit a good set is what the values cannot know: they bound sets of all sizes alike.
"""


cdef enum:
    OFTEN = 1024                      # looks at candidates between two questions whether to stop, ...
    OFTEN_LIMITED = 128               # ... or these, where problems are small
    PORTIONS = 4                      # of the candidates of a node, for each thread

cdef int64_t LEAST_TOGETHER = 512     # candidates, at least, for several threads to be worth it


cdef cppclass Covered:
    # Of the negatives that a rule covers, those that the chosen ones do not; for each thread that looks at one.
    vector[int32_t] fresh


@cython.final
cdef class WithinGap:
    """One problem: rules, by the examples they cover, and values.

    `gains` is what an example weighs: as a positive, or below zero, as a negative. `values` and `shares` are as in
    `Pricer`, with `column` and `row` for the place of an example in the latter. `paid` is what every set pays besides.
    With `most_literals`, of which each weighs `literal`, the set with the fewest errors is looked for; see above.
    """

    cdef Room room
    cdef int nrules, npos, nneg, valued          # positives with a value come first
    cdef int pos_words, neg_words, valued_words
    cdef int shift
    cdef int64_t paid, total, bound, limit
    cdef int64_t most_size, literal              # limit by weight, below zero for none; what a literal weighs
    cdef int most_rules
    cdef vector[uint64_t] has_value              # which positives have one
    cdef vector[int64_t] value, weight           # of the positives
    cdef vector[int64_t] neg_weight, unshared    # of the negatives
    cdef vector[int64_t] share                   # positive with a value -> negative
    cdef vector[int32_t] rule                    # the number of each rule that is here
    cdef vector[int64_t] size, slack
    cdef vector[uint64_t] pos_bits, neg_bits
    cdef vector[int64_t] lacking                 # rule -> positive with a value -> b, as above
    # For each depth of the search, which is how many rules are chosen:
    cdef vector[vector[uint64_t]] covered, missed, negatives
    cdef vector[vector[int64_t]] carried         # what each positive with a value carries
    cdef vector[vector[int64_t]] decided         # negative -> its shares for positives that are decided, ...
    cdef vector[vector[int32_t]] undecided       # ... but for these, which were missed since then
    cdef vector[Covered] at_hand                 # what the candidates that are looked at newly cover
    # What threads do in a turn: the candidates of a node from some number on, and by how much they raise the surplus.
    cdef object threads                          # `search.threads.Threads`; None: there is one
    cdef Team team
    cdef int portions                            # 0 while there is one thread
    cdef const int32_t* given
    cdef int64_t count, most
    cdef int depth
    cdef vector[int64_t] raised
    cdef vector[int32_t] chosen, best
    cdef bint found, stopped
    cdef readonly int64_t nodes, looks
    cdef int64_t most_looks
    cdef object should_stop, on_better

    def __init__(
        self, const uint64_t[:, ::1] bits, const int64_t[::1] sizes, const int64_t[::1] gains,
        const int64_t[::1] values, const int64_t[:, ::1] shares, const int32_t[::1] column, const int32_t[::1] row,
        int shift, int64_t paid, int64_t bound, claim=None, *, most_rules=None, most_literals=None, int64_t literal=1,
        threads=None,
    ):
        cdef int e, n, k, r
        cdef vector[int32_t] positives, others, negatives
        self.literal = literal << shift
        self.most_size = -1 if most_literals is None else most_literals * self.literal
        self.most_rules = bits.shape[0] if most_rules is None else min(most_rules, bits.shape[0])
        self.room = Room(claim)
        self.threads = threads
        self.at_hand.resize(1)
        self.shift = shift
        self.paid = paid
        for e in range(gains.shape[0]):
            if gains[e] > 0 and values[e] > 0:
                positives.push_back(e)
            elif gains[e] > 0:
                others.push_back(e)
            elif gains[e] < 0:
                negatives.push_back(e)
        self.valued = <int>positives.size()
        positives.insert(positives.end(), others.begin(), others.end())
        self.npos, self.nneg = <int>positives.size(), <int>negatives.size()
        self.pos_words, self.neg_words = max(1, (self.npos + 63) // 64), max(1, (self.nneg + 63) // 64)
        self.valued_words = (self.valued + 63) // 64
        self.has_value.assign(self.valued_words, 0)
        for k in range(self.valued):
            self.has_value[k >> 6] |= <uint64_t>1 << (k & 63)
        for k in range(self.npos):
            self.weight.push_back(gains[positives[k]] << shift)
            self.value.push_back(values[positives[k]])
            self.total += values[positives[k]]
        self.room.ask(<size_t>self.nneg * self.valued * sizeof(int64_t))
        self.share.assign(<size_t>self.nneg * self.valued, 0)
        for n in range(self.nneg):
            self.neg_weight.push_back((-gains[negatives[n]]) << shift)
            self.unshared.push_back(self.neg_weight[n])
            if row[negatives[n]] >= 0:
                for k in range(self.valued):
                    self.share[<size_t>k * self.nneg + n] = shares[row[negatives[n]], column[positives[k]]]
                    self.unshared[n] -= self.share[<size_t>k * self.nneg + n]
            kernel_assert(self.unshared[n] >= 0)
        self.set_bound(bound)
        self.make_room(0)
        for r in range(bits.shape[0]):
            self.add_rule(r, &bits[r, 0], sizes[r], positives, negatives)

    cdef int set_bound(self, int64_t bound) except -1:
        """A better set costs less than this."""
        self.bound = bound
        self.limit = (bound - 1 - self.paid) * (<int64_t>1 << self.shift) - self.total
        return 0

    cdef int make_room(self, int depth) except -1:
        """Makes what a node has at this depth, if nothing was there before."""
        if <int>self.covered.size() <= depth:
            self.covered.push_back(vector[uint64_t](self.pos_words, 0))
            self.missed.push_back(vector[uint64_t](self.pos_words, 0))
            self.negatives.push_back(vector[uint64_t](self.neg_words, 0))
            self.carried.push_back(vector[int64_t](self.valued, 0))
            self.decided.push_back(vector[int64_t](self.nneg, 0))
            self.undecided.push_back(vector[int32_t]())
        return 0

    cdef int add_rule(
        self, int number, const uint64_t* bits, int64_t size, const vector[int32_t]& positives,
        const vector[int32_t]& negatives,
    ) except -1:
        """Takes a rule in, unless it is above the gap alone."""
        cdef size_t pos = self.pos_bits.size(), neg = self.neg_bits.size(), at = self.lacking.size()
        cdef int k, n
        cdef int64_t slack = size << self.shift, b
        take(self.room, (self.pos_words + self.neg_words + self.valued + 3) * sizeof(int64_t))
        before_growing(self.room, at, self.lacking.capacity(), self.valued, sizeof(int64_t))
        self.pos_bits.resize(pos + self.pos_words, 0)
        self.neg_bits.resize(neg + self.neg_words, 0)
        self.lacking.resize(at + self.valued, 0)
        for k in range(self.npos):
            self.pos_bits[pos + (k >> 6)] |= ((bits[positives[k] >> 6] >> (positives[k] & 63)) & 1) << (k & 63)
        for n in range(self.nneg):
            self.neg_bits[neg + (n >> 6)] |= ((bits[negatives[n] >> 6] >> (negatives[n] & 63)) & 1) << (n & 63)
        self.list_fresh(self.neg_bits.data() + neg, 0, &self.at_hand[0])
        for k in range(self.valued):
            if (self.pos_bits[pos + (k >> 6)] >> (k & 63)) & 1:
                b = max(0, self.value[k] - self.share_of(&self.at_hand[0], k))
                self.lacking[at + k] = b
                slack -= b
        kernel_assert(slack >= 0)
        self.rule.push_back(number)
        self.size.push_back(size << self.shift)
        self.slack.push_back(slack)
        self.nrules += 1
        if self.surplus(self.nrules - 1, 0, self.limit, &self.at_hand[0]) > self.limit:
            self.nrules -= 1
            self.pos_bits.resize(pos)
            self.neg_bits.resize(neg)
            self.lacking.resize(at)
            self.rule.pop_back()
            self.size.pop_back()
            self.slack.pop_back()
        return 0

    cdef int list_fresh(self, const uint64_t* negatives, int depth, Covered* at_hand) except -1 nogil:
        """Lists which of these negatives the rules that are chosen do not cover."""
        cdef const uint64_t* known = self.negatives[depth].data()
        cdef uint64_t word
        cdef int w
        at_hand.fresh.clear()
        for w in range(self.neg_words):
            word = negatives[w] & ~known[w]
            while word:
                at_hand.fresh.push_back(w * 64 + lowest(word))
                word &= word - 1
        return 0

    cdef inline int64_t share_of(self, const Covered* at_hand, int positive) noexcept nogil:
        """What the negatives that are newly covered share with a positive, together."""
        cdef const int64_t* share = self.share.data() + <size_t>positive * self.nneg
        cdef int64_t total = 0
        cdef size_t i
        for i in range(at_hand.fresh.size()):
            total += share[at_hand.fresh[i]]
        return total

    cdef int64_t surplus(self, int rule, int depth, int64_t most, Covered* at_hand) except -1 nogil:
        """By how much a rule raises the surplus of the rules that are chosen; or something above `most`, if that is."""
        cdef const uint64_t* pos = self.pos_bits.data() + <size_t>rule * self.pos_words
        cdef const uint64_t* covered = self.covered[depth].data()
        cdef const int64_t* lacking = self.lacking.data() + <size_t>rule * self.valued
        cdef const int64_t* carried = self.carried[depth].data()
        cdef const int64_t* decided = self.decided[depth].data()
        cdef int64_t total = self.slack[rule]
        cdef uint64_t word
        cdef size_t i
        cdef int w, k
        for w in range(self.valued_words):
            word = pos[w] & covered[w] & self.has_value[w]
            while word:
                total += lacking[w * 64 + lowest(word)]
                word &= word - 1
        if total > most:
            return total
        self.list_fresh(self.neg_bits.data() + <size_t>rule * self.neg_words, depth, at_hand)
        for i in range(at_hand.fresh.size()):
            total += self.unshared[at_hand.fresh[i]] + decided[at_hand.fresh[i]]
        if total > most:
            return total
        for w in range(self.valued_words):
            word = pos[w] & ~covered[w] & self.has_value[w]
            while word:
                k = w * 64 + lowest(word)
                word &= word - 1
                total += carried[k] + lacking[k] - self.value[k] + self.share_of(at_hand, k)
        return total

    # -- several threads ------------------------------------------------------------------------------------

    def with_helpers(self, do):
        """Does something, in which other threads have a part where that is worth it."""
        def work(number):
            if number:
                return self.help()
            try:
                do()
            finally:
                self.team.close()

        if self.nrules < LEAST_TOGETHER or self.threads is None or self.threads.jobs == 1 or not self.threads.ready():
            return do()
        self.portions = PORTIONS * <int>self.threads.jobs
        self.at_hand.resize(self.portions)
        self.team.open()
        try:
            self.threads.run(work, lambda: None)
        finally:
            self.portions = 0

    def help(self):
        """What the others do, until there is nothing more to do."""
        cdef int portion
        with nogil:
            portion = self.team.wait_for_part()
            while portion >= 0:
                self.look_at(portion)
                portion = self.team.wait_for_part()

    cdef int look_at(self, int portion) except -1 nogil:
        """Finds by how much some of the candidates at hand raise the surplus."""
        cdef int64_t i, first = self.count * portion // self.portions
        try:
            for i in range(first, self.count * (portion + 1) // self.portions):
                self.raised[i] = self.surplus(self.given[i], self.depth, self.most, &self.at_hand[portion])
        finally:
            self.team.done()
        return 0

    cdef bint look_together(self, int depth, const vector[int32_t]& given, int64_t most) except -1:
        """Finds by how much all of these raise the surplus, for `raised`; False where they are too few for that."""
        cdef int portion
        if self.portions == 0 or <int64_t>given.size() < LEAST_TOGETHER:
            return False
        self.given = &given[0]
        self.count, self.depth, self.most = <int64_t>given.size(), depth, most
        self.raised.resize(max(self.raised.size(), given.size()))
        with nogil:
            self.team.begin(<uint32_t>self.portions)
            portion = self.team.take()
            while portion >= 0:
                self.look_at(portion)
                portion = self.team.take()
            while not self.team.wait_for_others():
                pass
        return True

    # -- the search -----------------------------------------------------------------------------------------

    def solve(self, int64_t most_looks, should_stop=None, on_better=None):
        """(rules, finished): a best set below the bound, or None.

        When it was stopped, or there were more looks at candidates than it may have, finished is False, and the rules are
        the best set found, if that is below the bound. Each better set is given to `on_better` when it is found.
        """
        cdef vector[int32_t] every
        cdef int r
        self.should_stop = should_stop
        self.on_better = on_better
        self.most_looks = most_looks
        self.nodes = self.looks = 0
        self.found = self.stopped = False
        self.chosen.clear()
        self.missed[0].assign(self.pos_words, 0)
        self.decided[0].assign(self.nneg, 0)
        self.undecided[0].clear()
        for r in range(self.nrules):
            every.push_back(r)
        self.with_helpers(lambda: self.search(0, every, 0, 0))
        return ([r for r in self.best] if self.found else None), not self.stopped

    cdef int search(self, int depth, const vector[int32_t]& given, int64_t surplus, int64_t size) except -1:
        """Searches below a node, whose rules have such a surplus and size together."""
        cdef vector[pair[int64_t, int32_t]] candidates, those, others
        cdef vector[int32_t] left
        cdef pair[int64_t, int32_t] made
        cdef int i, positive, r
        cdef int64_t limit, unused
        cdef bint together
        self.nodes += 1
        kernel_assert(self.counts_decided(depth))
        self.note(depth, size)
        if depth >= self.most_rules:
            return 0
        self.room.ask(given.size() * (sizeof(int32_t) + 3 * sizeof(made)))
        together = self.look_together(depth, given, self.limit - surplus)
        for i in range(<int>given.size()):
            if not self.fits(size, given[i]):
                continue
            if not self.goes_on():
                return 0
            made.second = given[i]
            if together:
                made.first = self.raised[i]
            else:
                made.first = self.surplus(given[i], depth, self.limit - surplus, &self.at_hand[0])
            if surplus + made.first <= self.limit:
                candidates.push_back(made)
        while True:
            unused = self.unused(size, candidates, self.limit - surplus)
            limit = self.limit - unused
            positive = self.pick(depth, candidates, &surplus, limit)
            if positive < 0 or surplus > limit:
                return 0
            those.clear()
            others.clear()
            left.clear()
            for i in range(<int>candidates.size()):
                if surplus + candidates[i].first > limit:
                    continue
                if self.covers(candidates[i].second, positive):
                    those.push_back(candidates[i])
                else:
                    others.push_back(candidates[i])
            sort(those.begin(), those.end())
            for i in range(<int>others.size()):
                left.push_back(others[i].second)
            for i in range(<int>those.size() - 1, 0, -1):  # the last is the first that is taken away
                left.push_back(those[i].second)
            for i in range(<int>those.size()):
                r = those[i].second
                if surplus + those[i].first <= self.limit - unused:  # which is lower when a better set was found
                    self.choose(depth, r)
                    self.search(depth + 1, left, surplus + those[i].first, size + self.size[r])
                    self.chosen.pop_back()
                    if self.stopped:
                        return 0
                if i + 1 < <int>those.size():
                    left.pop_back()
            surplus += self.miss(depth, positive)
            candidates.swap(others)

    cdef int choose(self, int depth, int rule) except -1:
        """Makes the node below that has a rule besides."""
        cdef const uint64_t* pos = self.pos_bits.data() + <size_t>rule * self.pos_words
        cdef const uint64_t* neg = self.neg_bits.data() + <size_t>rule * self.neg_words
        cdef const int64_t* lacking = self.lacking.data() + <size_t>rule * self.valued
        cdef uint64_t word
        cdef size_t i
        cdef int w, k
        self.make_room(depth + 1)
        self.list_fresh(neg, depth, &self.at_hand[0])
        for k in range(self.valued):
            self.carried[depth + 1][k] = self.carried[depth][k] + self.share_of(&self.at_hand[0], k) + lacking[k]
        for i in range(self.undecided[depth].size()):
            self.decide(depth, self.undecided[depth][i])
        self.undecided[depth].clear()
        self.decided[depth + 1] = self.decided[depth]
        self.undecided[depth + 1].clear()
        for w in range(self.valued_words):
            word = pos[w] & ~(self.covered[depth][w] | self.missed[depth][w]) & self.has_value[w]
            while word:
                self.decide(depth + 1, w * 64 + lowest(word))
                word &= word - 1
        for w in range(self.neg_words):
            self.negatives[depth + 1][w] = self.negatives[depth][w] | neg[w]
        for w in range(self.pos_words):
            self.covered[depth + 1][w] = self.covered[depth][w] | pos[w]
            self.missed[depth + 1][w] = self.missed[depth][w]
        self.chosen.push_back(rule)
        return 0

    cdef void decide(self, int depth, int positive) noexcept:
        """From now on, its shares of negatives count as those of a positive that is covered or missed."""
        cdef const int64_t* share = self.share.data() + <size_t>positive * self.nneg
        cdef int64_t* decided = self.decided[depth].data()
        cdef int n
        for n in range(self.nneg):
            decided[n] += share[n]

    cdef bint counts_decided(self, int depth) noexcept:
        """Whether what is kept for each negative is what it shares with all positives that are decided."""
        cdef int64_t total
        cdef int n, k
        for n in range(self.nneg):
            total = 0
            for k in range(self.valued):
                if ((self.covered[depth][k >> 6] | self.missed[depth][k >> 6]) >> (k & 63)) & 1:
                    total += self.share[<size_t>k * self.nneg + n]
            if total != self.decided[depth][n]:
                return False
        return True

    cdef int64_t miss(self, int depth, int positive) except? -1:
        """Decides that a positive is missed; what that costs beyond its value."""
        self.missed[depth][positive >> 6] |= <uint64_t>1 << (positive & 63)
        if positive < self.valued:
            self.undecided[depth].push_back(positive)
        return self.weight[positive] - self.value[positive] + (
            self.carried[depth][positive] if positive < self.valued else 0
        )

    cdef int pick(
        self, int depth, const vector[pair[int64_t, int32_t]]& candidates, int64_t* surplus, int64_t limit
    ) except -2:
        """The positive to go on with, or -1 for none; those that no candidate covers are missed.

        It is one that few candidates cover, for what it costs to miss it.
        """
        cdef vector[uint64_t] union
        cdef vector[int32_t] count
        cdef size_t i
        cdef int w, k, found = -1
        cdef const uint64_t* pos
        cdef uint64_t word
        cdef double score, least = 0
        cdef double quarter = <double>((<int64_t>1 << self.shift) // 4 + 1)
        union.assign(self.pos_words, 0)
        count.assign(self.valued, 0)
        for i in range(candidates.size()):
            if surplus[0] + candidates[i].first > limit:
                continue
            pos = self.pos_bits.data() + <size_t>candidates[i].second * self.pos_words
            for w in range(self.pos_words):
                union[w] |= pos[w]
            for w in range(self.valued_words):
                word = pos[w] & ~self.covered[depth][w] & self.has_value[w]
                while word:
                    count[w * 64 + lowest(word)] += 1
                    word &= word - 1
        for k in range(self.npos):
            w = k >> 6
            if ((self.covered[depth][w] | self.missed[depth][w]) >> (k & 63)) & 1:
                continue
            if not (union[w] >> (k & 63)) & 1:
                surplus[0] += self.miss(depth, k)
            elif k < self.valued:
                score = count[k] / (quarter + <double>(self.weight[k] - self.value[k]))
                if found < 0 or score < least:
                    found, least = k, score
            elif found < 0:
                found = k
        return found

    cdef inline bint fits(self, int64_t size, int rule) noexcept:
        return self.most_size < 0 or size + self.size[rule] <= self.most_size

    cdef int64_t unused(self, int64_t size, const vector[pair[int64_t, int32_t]]& candidates, int64_t most) noexcept:
        """What is left of the size that a set may have, at least, whichever candidates it takes besides.

        These are the ones that raise the surplus by `most` or less.
        """
        cdef uint64_t sums = 1, fitting  # bit k: whether some of them have k literals together
        cdef int64_t left, literals
        cdef int32_t count[64]
        cdef size_t i
        cdef int k
        if self.most_size < 0:
            return 0
        left = (self.most_size - size) // self.literal
        if left >= 63:  # so much room is used by some of many rules
            return 0
        fitting = (<uint64_t>1 << (left + 1)) - 1
        for k in range(64):
            count[k] = 0
        for i in range(candidates.size()):
            literals = self.size[candidates[i].second] // self.literal
            if literals <= left and candidates[i].first <= most:
                count[literals] += 1
        for k in range(1, <int>left + 1):
            for i in range(min(count[k], <int>left // k)):
                sums |= (sums << k) & fitting
        while not (sums >> left) & 1:
            left -= 1
        return self.most_size - size - left * self.literal

    cdef inline bint covers(self, int rule, int positive) noexcept:
        return (self.pos_bits[<size_t>rule * self.pos_words + (positive >> 6)] >> (positive & 63)) & 1

    cdef inline bint goes_on(self) except -1:
        self.looks += 1
        if self.looks > self.most_looks:
            self.stopped = True
        if self.looks % (OFTEN if self.most_size < 0 else OFTEN_LIMITED) == 0 and self.should_stop is not None and self.should_stop():
            self.stopped = True
        return not self.stopped

    cdef int note(self, int depth, int64_t size) except -1:
        """Makes the chosen rules the best set, if they cost less."""
        cdef int64_t cost = size if self.most_size < 0 else self.most_size
        cdef int w, k
        cdef uint64_t word
        for k in range(self.npos):
            if not (self.covered[depth][k >> 6] >> (k & 63)) & 1:
                cost += self.weight[k]
        for w in range(self.neg_words):
            word = self.negatives[depth][w]
            while word:
                cost += self.neg_weight[w * 64 + lowest(word)]
                word &= word - 1
        cost = (cost >> self.shift) + self.paid
        if cost < self.bound:
            self.set_bound(cost)
            self.found = True
            self.best.clear()
            for k in range(<int>self.chosen.size()):
                self.best.push_back(self.rule[self.chosen[k]])
            if self.on_better is not None:
                self.on_better([r for r in self.best])
        return 0
