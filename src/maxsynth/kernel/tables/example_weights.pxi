"""What the examples weigh, as positives and as negatives. A set of examples is a bit for each, in machine words.

**Prices.** When a program has room for no more than one rule that is not known yet, the others are known, and what is
known of them bounds what they cost (`search/choose/prices.py`): each positive that they are left with costs its *price*
at least, whether one of them covers it or not. So a program with a rule r that is not known costs at least

    S(r) + the prices of all positives that r does not cover + what every program costs in any case.

If that reaches the bound, r is in no better program. A feature covers what a rule with it covers, and more, and is no
larger; so all rules with it are out when this sum reaches the bound for it. Prices are whole numbers of 2**-shift.
"""


@cython.final
cdef class ExampleWeights:
    """The weights of the examples, by arrays with the weight of each as a positive and as a negative."""

    def __init__(self, pos, neg):
        cdef int i
        self.count = len(pos)
        self.words = (self.count + 63) // 64
        self.all_pos = take_weights(pos, self.pos)
        self.all_neg = take_weights(neg, self.neg)
        self.scale = max(0, int(max(self.all_pos, self.all_neg)).bit_length() - 31)
        self.each = one_weight(self.pos)
        self.each_neg = one_weight(self.neg)
        self.positive.assign(max(1, self.words), 0)
        self.negative.assign(max(1, self.words), 0)
        for i in range(self.count):
            if self.pos[i]:
                self.positive[i >> 6] |= <uint64_t>1 << (i & 63)
            if self.neg[i]:
                self.negative[i >> 6] |= <uint64_t>1 << (i & 63)

    cdef int set_prices(self, const int64_t[::1] prices, int64_t others, int shift, int64_t bound) except -1:
        """Sets the price of each example; `others` is what every program costs besides, and all must cost less than `bound`.

        The prices add up to no more than all positives weigh, 2**51 of such units, and so does what is compared here.
        """
        cdef int i
        self.price.resize(self.count)
        self.all_prices = others << shift
        for i in range(self.count):
            self.price[i] = prices[i]
            self.all_prices += prices[i]
        self.price_shift = shift
        self.price_bound = (bound - 1) << shift
        return 0

    cdef int64_t least_price(self, int64_t size) noexcept nogil:
        """The prices of what a rule of such a size by weight covers, at least, if it is in a program below the bound."""
        if self.price.size() == 0:
            return 0
        return self.all_prices + (size << self.price_shift) - self.price_bound

    cdef int64_t pos_of(self, const uint64_t* bits) noexcept nogil:
        return weight_of(bits, self.positive, self.pos, self.each, self.words)

    cdef int64_t neg_of(self, const uint64_t* bits) noexcept nogil:
        return weight_of(bits, self.negative, self.neg, self.each_neg, self.words)

    cdef int64_t price_of(self, const uint64_t* bits) noexcept nogil:
        cdef int64_t price = 0
        cdef int w
        cdef uint64_t word
        if self.price.size() == 0:
            return 0
        for w in range(self.words):
            word = bits[w] & self.positive[w]
            while word:
                price += self.price[w * 64 + lowest(word)]
                word &= word - 1
        return price

    cdef int64_t promise(self, int64_t pos, int64_t neg) noexcept nogil:
        """How well a set that covers such weights tells positives from negatives: nothing, if no better than chance.

        Each factor is below 2^31, and so the difference of two products is below 2^62.
        """
        return (
            (pos >> self.scale) * (self.all_neg >> self.scale) - (neg >> self.scale) * (self.all_pos >> self.scale)
        )

    cdef int64_t promise_of(self, const uint64_t* bits) noexcept nogil:
        return self.promise(self.pos_of(bits), self.neg_of(bits))

    cdef bint shared(self, const uint64_t* a, const uint64_t* b, int64_t above, int64_t size) noexcept nogil:
        """Whether positives of more than this weight are in both sets, and their prices are enough for such a size."""
        cdef int64_t pos = 0, price = 0, least = self.least_price(size)
        cdef int w
        cdef bint priced = self.price.size() > 0 and least > 0
        cdef uint64_t word
        for w in range(self.words):
            word = a[w] & b[w] & self.positive[w]
            if self.each and not priced:
                pos += self.each * count_bits(word)
            else:
                while word:
                    pos += self.pos[w * 64 + lowest(word)]
                    if priced:
                        price += self.price[w * 64 + lowest(word)]
                    word &= word - 1
            if pos > above and (not priced or price >= least):
                return True
        return False


cdef int64_t take_weights(weights, vector[int64_t]& taken) except -1:
    """Takes the weights of an array; returns their sum."""
    cdef const int64_t[::1] view = np.ascontiguousarray(weights, np.int64)
    cdef int64_t total = 0
    cdef Py_ssize_t i
    taken.clear()
    taken.reserve(view.shape[0])
    for i in range(view.shape[0]):
        taken.push_back(view[i])
        total += view[i]
    return total


cdef int64_t one_weight(const vector[int64_t]& weights) noexcept nogil:
    """What each example of a side weighs, 0 where they differ, or there is none."""
    cdef int64_t found = 0
    cdef size_t i
    for i in range(weights.size()):
        if weights[i] > 0:
            if found and weights[i] != found:
                return 0
            found = weights[i]
    return found


cdef int64_t weight_of(
    const uint64_t* bits, const vector[uint64_t]& side, const vector[int64_t]& weights, int64_t each, int words
) noexcept nogil:
    """The weight of a set of examples on one side."""
    cdef int64_t total = 0
    cdef int w
    cdef uint64_t word
    for w in range(words):
        word = bits[w] & side[w]
        if each:
            total += count_bits(word)
            continue
        while word:
            total += weights[w * 64 + lowest(word)]
            word &= word - 1
    return total * each if each else total


cdef int keep_best(vector[int32_t]& level, const vector[int64_t]& promises, int count) except -1:
    """Leaves the numbers with the highest promise, in their order; of equal ones the first. For a beam."""
    cdef size_t i
    if level.size() <= <size_t>count:
        return 0
    order = [-promises[i] for i in range(promises.size())]
    best = sorted(range(level.size()), key=order.__getitem__)[:count]
    for i, place in enumerate(sorted(best)):
        level[i] = level[<size_t>place]
    level.resize(count)
    return 0
