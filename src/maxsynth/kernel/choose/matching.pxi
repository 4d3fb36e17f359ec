"""Which positive carries which negatives, and sizes: the loops of `search/choose/matching.py`, which says what it is for.

Positives and negatives are given by their columns: the rules that cover them, as bits.
"""

cdef enum:
    LOOK = 64  # positives between two looks whether to stop


@cython.final
cdef class Matching:
    """Positives of some weights, `wanted`, and negatives, `left`: what is not carried of them stays there."""

    cdef const uint64_t[:, ::1] positives, negatives
    cdef readonly object wanted, left
    cdef int64_t[::1] wanted_view, left_view
    cdef size_t words
    cdef vector[uint64_t] rows          # rule -> the negatives that it covers, as bits
    cdef size_t row_words
    cdef vector[int32_t] covered        # rule -> how many these are
    cdef vector[int32_t] choices        # the negatives that each positive can carry, one after the other ...
    cdef vector[size_t] choices_from    # ... and where they begin

    def __init__(self, positives, wanted, negatives, left, int rules):
        cdef int r
        cdef size_t w
        self.positives, self.negatives = positives, negatives
        self.wanted, self.left = wanted, left
        self.wanted_view, self.left_view = wanted, left
        self.words = (rules + 63) // 64
        self.row_words = (len(left) + 63) // 64
        self.rows.assign(<size_t>rules * self.row_words, 0)
        self.covered.assign(rules, 0)
        if len(left):
            turn(&self.negatives[0, 0], len(left), rules, self.rows.data())
        for r in range(rules):
            for w in range(self.row_words):
                self.covered[r] += count_bits(self.rows[r * self.row_words + w])

    def find_choices(self, should_stop=None):
        """Lists the negatives that all rules of each positive cover; of fewer positives when it is stopped."""
        cdef Py_ssize_t p, end, count = self.positives.shape[0]
        cdef int64_t work
        self.choices_from.assign(1, 0)
        p = 0
        while p < count and (should_stop is None or not should_stop()):
            end = min(count, p + LOOK)
            work = 0
            with nogil:
                while p < end:
                    work += self.add_choice(&self.positives[p, 0])
                    p += 1
            if takes(should_stop, work // STEP_WORK):
                break
        self.choices_from.resize(count + 1, self.choices.size())

    cdef int64_t add_choice(self, const uint64_t* rules) except -1 nogil:
        """Goes through the negatives of the rule that has fewest of them; returns how much that was."""
        cdef int r, best = -1
        cdef size_t w
        cdef uint64_t word
        cdef int32_t n
        for w in range(self.words):
            word = rules[w]
            while word:
                r = <int>(64 * w) + lowest(word)
                word &= word - 1
                if best < 0 or self.covered[r] < self.covered[best]:
                    best = r
        kernel_assert(best >= 0)
        for w in range(self.row_words):
            word = self.rows[best * self.row_words + w]
            while word:
                n = <int32_t>(64 * w) + lowest(word)
                word &= word - 1
                if self.has_all(n, rules):
                    self.choices.push_back(n)
        self.choices_from.push_back(self.choices.size())
        return self.words + self.row_words + self.covered[best] * <int64_t>self.words

    cdef bint has_all(self, int32_t negative, const uint64_t* rules) noexcept nogil:
        cdef size_t w
        for w in range(self.words):
            if rules[w] & ~self.negatives[negative, w]:
                return False
        return True

    def carry_negatives(self):
        """Lets positives carry negatives; returns how much. Those with the least to choose from come first."""
        cdef Py_ssize_t p, count = self.positives.shape[0]
        cdef size_t k, at
        cdef int64_t total = 0, amount
        cdef int32_t n
        cdef vector[int64_t] demand
        cdef vector[pair[int64_t, int32_t]] some
        demand.assign(self.left_view.shape[0], 0)
        room = np.zeros(count, np.int64)
        cdef int64_t[::1] room_view = room
        cdef const int64_t[::1] order
        for p in range(count):
            for k in range(self.choices_from[p], self.choices_from[p + 1]):
                demand[self.choices[k]] += self.wanted_view[p]
                room_view[p] += self.left_view[self.choices[k]]
        order = np.lexsort([-self.wanted, room]).astype(np.int64, copy=False)
        for at in range(<size_t>count):
            p = order[at]
            some.clear()
            for k in range(self.choices_from[p], self.choices_from[p + 1]):
                n = self.choices[k]
                if self.left_view[n] > 0:
                    some.push_back(pair[int64_t, int32_t](demand[n], n))
            sort(some.begin(), some.end())  # those that fewer others could carry come first
            for k in range(some.size()):
                if not self.wanted_view[p]:
                    break
                n = some[k].second
                amount = min(self.left_view[n], self.wanted_view[p])
                self.left_view[n] -= amount
                self.wanted_view[p] -= amount
                total += amount
        return total

    def carry_sizes(self, int64_t[::1] slack):
        """The same for the sizes of all rules that cover a positive, of which there is `slack`: few rules first."""
        cdef Py_ssize_t p, count = self.positives.shape[0]
        cdef size_t at, k
        cdef int64_t total = 0, amount
        cdef vector[int32_t] rules
        numbers = np.zeros(count, np.int64)
        cdef int64_t[::1] numbers_view = numbers
        cdef const int64_t[::1] order
        for p in range(count):
            for at in range(self.words):
                numbers_view[p] += count_bits(self.positives[p, at])
        order = np.lexsort([-self.wanted, numbers]).astype(np.int64, copy=False)
        for at in range(<size_t>count):
            p = order[at]
            if self.wanted_view[p] == 0:
                continue
            list_bits(&self.positives[p, 0], self.words, rules)
            amount = self.wanted_view[p]
            for k in range(rules.size()):
                amount = min(amount, slack[rules[k]])
            self.wanted_view[p] -= amount
            total += amount
            for k in range(rules.size()):
                slack[rules[k]] -= amount
        return total

    def charge(self, int64_t[::1] rules):
        """Adds to each rule the weight that is left of the negatives that it covers."""
        cdef Py_ssize_t n
        cdef size_t k
        cdef vector[int32_t] covering
        for n in range(self.negatives.shape[0]):
            if self.left_view[n]:
                list_bits(&self.negatives[n, 0], self.words, covering)
                for k in range(covering.size()):
                    rules[covering[k]] += self.left_view[n]


cdef int list_bits(const uint64_t* bits, size_t words, vector[int32_t]& numbers) except -1:
    """The numbers of the bits that are set."""
    cdef size_t w
    cdef uint64_t word
    numbers.clear()
    for w in range(words):
        word = bits[w]
        while word:
            numbers.push_back(<int32_t>(64 * w) + lowest(word))
            word &= word - 1
    return 0
