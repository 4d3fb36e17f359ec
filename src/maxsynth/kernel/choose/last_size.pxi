"""The rules of the last sizes, by what they can save: none is kept that is in no program below the bound.

There may be very many conjunctions, of which few matter. Let y be values of the positives and m(e,n) shares of the
negatives, as in `shares`, with some rules known: R. For another rule r, the positives that it covers would need

    V(r) = sum over these e of max(0, y(e) - sum of m(e,n) over the negatives n that r covers)

of its size for shares with which all its prices are at least y. So if V(r) <= S(r) for all rules r, the values add up to
a lower bound for programs of all rules, whatever R was; and a program with r costs at least S(r) - V(r) more (what is
left of its size comes on top). Where that reaches the bound, r is in no better program. Rules with V(r) > S(r) are to be
added to R, and then there are new values.

So `Pricer` goes through all rules, those that are states and those that states and items make from some size on, and
lists those with the least S(r) - V(r), or all for which it is at most a given number. Nothing is stored for the others.
What is put together covers no more than its parts, and is larger: where the values of what it covers do not add up to
enough for its own size, they do not for anything that has it as a part.
"""


cdef enum:
    MOST_ADDED = 6                    # items that are put to a state, one after the other


cdef struct Priced:
    int64_t cost                      # S(r) - V(r)
    int32_t state                     # what it is made of: a state, or -1 ...
    int32_t items[MOST_ADDED]         # ... and items; -1 for no more


cdef bint cheaper(const Priced& a, const Priced& b) noexcept nogil:
    cdef int k
    if a.cost != b.cost:
        return a.cost < b.cost
    if a.state != b.state:
        return a.state < b.state
    for k in range(MOST_ADDED):
        if a.items[k] != b.items[k]:
            return a.items[k] < b.items[k]
    return False


@cython.final
cdef class Pricer:
    """Goes through all rules; of the states, those with fewer than `first` body literals are there, and all items are.

    `values` are those of the examples, `shares` those of each negative for each positive, both in whole numbers of
    2**-shift; `column` and `row` are those of an example in the latter, or -1: one that is listed on both sides is what it
    weighs more as. `bound` is what a better program stays below.
    """

    cdef Conjunctions rules
    cdef int first, last, shift
    cdef int64_t bound, most_cost
    cdef size_t most
    cdef vector[int64_t] value
    cdef const int64_t[:, ::1] shares
    cdef const int32_t[::1] column, row
    cdef vector[vector[uint64_t]] bits    # items added -> what is covered
    cdef vector[int32_t] columns
    cdef vector[int64_t] left
    cdef vector[Priced] found
    cdef Priced now
    cdef object should_stop

    def __init__(self, Conjunctions rules, int first, const int64_t[::1] values, const int64_t[:, ::1] shares,
                 const int32_t[::1] column, const int32_t[::1] row, int shift, int64_t bound):
        cdef int i
        self.rules = rules
        self.first = first
        self.shift = shift
        self.bound = bound
        for i in range(values.shape[0]):
            self.value.push_back(values[i])
        self.shares = shares
        self.column = column
        self.row = row
        self.bits.resize(MOST_ADDED + 1)
        for i in range(MOST_ADDED + 1):
            self.bits[i].assign(max(1, rules.words), 0)

    def rules_below(self, int64_t most_cost, size_t most, int last, should_stop=None):
        """The rules for which S(r) - V(r) is at most this, the least ones, no more than so many; None when stopped.

        They have no more than `last` body literals, and are given as by `Conjunctions.rules`, and whether these are all.
        """
        cdef Conjunctions all_rules = self.rules
        cdef int state, k
        cdef const uint64_t* bits
        cdef size_t j
        cdef bint complete
        cdef vector[int32_t] smaller
        self.most_cost = most_cost
        self.most = most
        self.last = last
        self.should_stop = should_stop
        self.found.clear()
        for k in range(MOST_ADDED):
            self.now.items[k] = -1
        for state in range(<int>all_rules.states.size()):
            if (state & 1023) == 0 and should_stop is not None and should_stop():
                return None
            if all_rules.is_rule(&all_rules.states[state]):
                self.now.state = state
                bits = all_rules.state_bits.data() + all_rules.states[state].bits
                self.look_at(&all_rules.states[state], bits, self.worth(bits))
        self.now.state = -1
        if not self.extend(NULL, NULL, 0):
            return None
        for k in range(1, min(self.first, <int>all_rules.states_of.size())):
            smaller = all_rules.states_of[k]
            for j in range(smaller.size()):
                self.now.state = smaller[j]
                bits = all_rules.state_bits.data() + all_rules.states[smaller[j]].bits
                if not self.extend(&all_rules.states[smaller[j]], bits, 0):
                    return None
        complete = self.found.size() <= self.most
        if not complete:
            self.keep_cheapest()
        sort(self.found.begin(), self.found.end(), &cheaper)
        all_rules.fresh.clear()
        for j in range(self.found.size()):
            all_rules.fresh.push_back(
                self.found[j].state if self.found[j].items[0] < 0 else self.make(&self.found[j])
            )
        return all_rules.rules(), complete

    cdef bint extend(self, const State* state, const uint64_t* bits, int added) except -1:
        """Looks at what a state, or none, makes with items, as far as that has `first` literals or more; False if stopped.

        A smaller one is a state of its own, or dead.
        """
        cdef Conjunctions rules = self.rules
        cdef State made
        cdef int size = 0 if state == NULL else state.size, w, item
        cdef int after = -1 if state == NULL else state.parts[state.nparts - 1]
        cdef int64_t total
        cdef uint64_t* own = self.bits[added].data()
        cdef const uint64_t* b
        kernel_assert(added < MOST_ADDED)
        for item in range(after + 1, <int>rules.items.size()):
            if (item & 1023) == 0 and self.should_stop is not None and self.should_stop():
                return False
            if size + rules.items[item].size < self.first:
                continue
            if size + rules.items[item].size > self.last:
                break  # items are numbered by size
            b = rules.item_bits.data() + <size_t>item * rules.words
            for w in range(rules.words):
                own[w] = b[w] if bits == NULL else bits[w] & b[w]
            total = self.worth(own)
            if total < ((rules.size_weight * (size + rules.items[item].size + 1)) << self.shift) - self.most_cost:
                continue
            if not rules.put_together(state, item, &made):
                continue
            self.now.items[added] = item
            if rules.is_rule(&made):
                self.look_at(&made, own, total)
            if made.limit >= made.size + 2 and made.size < self.last:
                if not self.extend(&made, own, added + 1):
                    return False
            self.now.items[added] = -1
        return True

    cdef inline int64_t worth(self, const uint64_t* bits) noexcept:
        """The values of all positives in a set."""
        cdef int64_t total = 0
        cdef int w
        cdef uint64_t word
        cdef const int64_t* value = self.value.data()
        for w in range(self.rules.words):
            word = bits[w] & self.rules.weights.positive[w]
            while word:
                total += value[w * 64 + lowest(word)]
                word &= word - 1
        return total

    cdef int look_at(self, const State* rule, const uint64_t* bits, int64_t total) except -1:
        """Looks at a rule: what is `now` put together, and covers this, whose values add up to `total`."""
        cdef int64_t size = self.rules.size_weight * (rule.size + 1), least
        cdef int w, e, n
        cdef uint64_t word
        cdef size_t c
        cdef const int64_t* shares
        cdef const int64_t* value = self.value.data()
        cdef int64_t* left
        cdef const int32_t* columns
        cdef Priced priced
        cdef ExampleWeights weights = self.rules.weights
        least = (size << self.shift) - self.most_cost  # of V(r)
        if total < least or size + weights.neg_of(bits) >= self.bound:
            return 0
        self.columns.clear()
        self.left.clear()
        for w in range(self.rules.words):
            word = bits[w] & weights.positive[w]
            while word:
                e = w * 64 + lowest(word)
                word &= word - 1
                if value[e] > 0:
                    self.columns.push_back(self.column[e])
                    self.left.push_back(value[e])
        left, columns = self.left.data(), self.columns.data()
        for w in range(self.rules.words):
            word = bits[w] & weights.negative[w]
            while word:
                n = w * 64 + lowest(word)
                word &= word - 1
                if self.row[n] < 0:
                    continue
                shares = &self.shares[self.row[n], 0]
                total = 0
                for c in range(self.columns.size()):
                    left[c] -= shares[columns[c]]
                    total += left[c] if left[c] > 0 else 0
                if total < least:
                    return 0
        priced = self.now
        priced.cost = (size << self.shift) - total
        take(self.rules.room, sizeof(Priced))
        self.found.push_back(priced)
        if self.found.size() >= 4 * self.most:
            self.keep_cheapest()
        return 0

    cdef int keep_cheapest(self) except -1:
        """Keeps one more than there may be, so that it is seen that these are not all."""
        if self.found.size() > self.most + 1:
            nth_element(self.found.begin(), self.found.begin() + self.most + 1, self.found.end(), &cheaper)
            self.found.resize(self.most + 1)
        return 0

    cdef int make(self, const Priced* priced) except -1:
        """The number of a new state, made of what it says."""
        cdef Conjunctions rules = self.rules
        cdef State made, before
        cdef int w, k
        cdef size_t at = rules.state_bits.size()
        cdef uint64_t word
        take(rules.room, rules.words * sizeof(uint64_t) + sizeof(State))
        before_growing(rules.room, at, rules.state_bits.capacity(), rules.words, sizeof(uint64_t))
        before_growing(rules.room, rules.states.size(), rules.states.capacity(), 1, sizeof(State))
        rules.state_bits.resize(at + rules.words)
        for w in range(rules.words):
            word = ~<uint64_t>0 if priced.state < 0 else rules.state_bits[rules.states[priced.state].bits + w]
            for k in range(MOST_ADDED):
                if priced.items[k] >= 0:
                    word &= rules.item_bits[<size_t>priced.items[k] * rules.words + w]
            rules.state_bits[at + w] = word
        if priced.state >= 0:
            before = rules.states[priced.state]
        for k in range(MOST_ADDED):
            if priced.items[k] >= 0:
                rules.put_together(&before if k or priced.state >= 0 else NULL, priced.items[k], &made)
                before = made
        made.bits = at
        made.pos = rules.weights.pos_of(rules.state_bits.data() + at)
        made.neg = rules.weights.neg_of(rules.state_bits.data() + at)
        rules.states.push_back(made)
        return <int>rules.states.size() - 1
