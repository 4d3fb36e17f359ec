"""The rules of the last sizes, by what they can save: none is kept that is in no program below the bound.

At the last sizes, conjunctions are not extended any more. There may be very many of them, of which few matter. Let y be
values of the positives and m(e,n) shares of the negatives, as in `shares`, with some rules known: R. For another rule r,
the positives that it covers would need

    V(r) = sum over these e of max(0, y(e) - sum of m(e,n) over the negatives n that r covers)

of its size for shares with which all its prices are at least y. So if V(r) <= S(r) for all rules r, the values add up to
a lower bound for programs of all rules, whatever R was; and a program with r costs at least S(r) - V(r) more (what is
left of its size comes on top). Where that reaches the bound, r is in no better program. Rules with V(r) > S(r) are to be
added to R, and then there are new values.

So `Pricer` goes through all rules, those that are states and those that a state and an item make at the last sizes, and
lists those with the least S(r) - V(r), or all for which it is at most a given number. Nothing is stored for the others.
"""


cdef struct Priced:
    int64_t cost                      # S(r) - V(r)
    int32_t state, item               # what it is made of; item -1: the state itself


cdef bint cheaper(const Priced& a, const Priced& b) noexcept nogil:
    if a.cost != b.cost:
        return a.cost < b.cost
    if a.state != b.state:
        return a.state < b.state
    return a.item < b.item


@cython.final
cdef class Pricer:
    """Goes through all rules; of the states, those with fewer than `first` body literals are there, and all items are.

    `values` are those of the examples, `shares` those of each negative for each positive, both in whole numbers of
    2**-shift; `column` and `row` are those of an example in the latter, or -1: one that is listed on both sides is what it
    weighs more as. `bound` is what a better program stays below.
    """

    cdef Conjunctions rules
    cdef int first, shift
    cdef int64_t bound, most_cost
    cdef size_t most
    cdef vector[int64_t] value
    cdef const int64_t[:, ::1] shares
    cdef const int32_t[::1] column, row
    cdef vector[uint64_t] bits
    cdef vector[int32_t] columns
    cdef vector[int64_t] left
    cdef vector[Priced] found
    cdef readonly int64_t looked

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
        self.bits.assign(max(1, rules.words), 0)

    def rules_below(self, int64_t most_cost, size_t most, should_stop=None):
        """The rules for which S(r) - V(r) is at most this, the least ones, no more than so many; None when stopped.

        They are given as by `Conjunctions.rules`, and whether these are all.
        """
        cdef Conjunctions all_rules = self.rules
        cdef int size, item_size, state, k, i
        cdef size_t j
        cdef vector[int32_t] old, items
        cdef bint complete
        self.most_cost = most_cost
        self.most = most
        self.found.clear()
        for state in range(<int>all_rules.states.size()):
            if (state & 1023) == 0 and should_stop is not None and should_stop():
                return None
            if all_rules.is_rule(&all_rules.states[state]):
                self.look_at(
                    &all_rules.states[state], all_rules.state_bits.data() + all_rules.states[state].bits, state, -1
                )
        for size in range(self.first, all_rules.max_body + 1):
            for i in range(<int>all_rules.items_of[size].size()):
                self.look_at_pair(-1, all_rules.items_of[size][i])
            for item_size in range(1, size):
                all_rules.find_useful(size, item_size, old, items)
                for j in range(old.size()):
                    if should_stop is not None and (j & 15) == 0 and should_stop():
                        return None
                    k = all_rules.states[old[j]].parts[all_rules.states[old[j]].nparts - 1]
                    i = <int>(upper_bound(items.begin(), items.end(), k) - items.begin())
                    while i < <int>items.size():
                        self.look_at_pair(old[j], items[i])
                        i += 1
        complete = self.found.size() <= self.most
        if not complete:
            self.keep_cheapest()
        sort(self.found.begin(), self.found.end(), &cheaper)
        all_rules.fresh.clear()
        for j in range(self.found.size()):
            all_rules.fresh.push_back(
                self.found[j].state if self.found[j].item < 0 else self.make(self.found[j].state, self.found[j].item)
            )
        return all_rules.rules(), complete

    cdef int look_at_pair(self, int state, int item) except -1:
        """Looks at what a state, or none, and an item make together."""
        cdef State made
        cdef int w
        cdef const uint64_t* a = NULL
        cdef const uint64_t* b = self.rules.item_bits.data() + <size_t>item * self.rules.words
        if not self.rules.put_together(state, item, &made) or not self.rules.is_rule(&made):
            return 0
        if state >= 0:
            a = self.rules.state_bits.data() + self.rules.states[state].bits
        for w in range(self.rules.words):
            self.bits[w] = b[w] if a == NULL else a[w] & b[w]
        return self.look_at(&made, self.bits.data(), state, item)

    cdef int look_at(self, const State* rule, const uint64_t* bits, int32_t state, int32_t item) except -1:
        cdef int64_t size = self.rules.size_weight * (rule.size + 1), total = 0, least
        cdef int w, e, n
        cdef uint64_t word
        cdef size_t c
        cdef const int64_t* shares
        cdef const int64_t* value = self.value.data()
        cdef int64_t* left
        cdef const int32_t* columns
        cdef Priced priced
        cdef ExampleWeights weights = self.rules.weights
        self.looked += 1
        least = (size << self.shift) - self.most_cost  # of V(r)
        for w in range(self.rules.words):
            word = bits[w] & weights.positive[w]
            while word:
                total += value[w * 64 + lowest(word)]
                word &= word - 1
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
        priced.cost = (size << self.shift) - total
        priced.state = state
        priced.item = item
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

    cdef int make(self, int state, int item) except -1:
        """The number of a new state, which is what another one, or none, and an item make together."""
        cdef Conjunctions rules = self.rules
        cdef State made
        cdef int w
        cdef size_t at = rules.state_bits.size()
        cdef const uint64_t* a = NULL
        cdef const uint64_t* b = rules.item_bits.data() + <size_t>item * rules.words
        rules.put_together(state, item, &made)
        take(rules.room, rules.words * sizeof(uint64_t) + sizeof(State))
        before_growing(rules.room, at, rules.state_bits.capacity(), rules.words, sizeof(uint64_t))
        before_growing(rules.room, rules.states.size(), rules.states.capacity(), 1, sizeof(State))
        rules.state_bits.resize(at + rules.words)
        if state >= 0:
            a = rules.state_bits.data() + rules.states[state].bits
        for w in range(rules.words):
            rules.state_bits[at + w] = b[w] if a == NULL else a[w] & b[w]
        made.bits = at
        made.pos = rules.weights.pos_of(rules.state_bits.data() + at)
        made.neg = rules.weights.neg_of(rules.state_bits.data() + at)
        rules.states.push_back(made)
        return <int>rules.states.size() - 1
