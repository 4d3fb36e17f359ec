"""Of the rules within a gap (`last_size`), those that a program below the bound may need.

Let r be a rule for which S(r) - V(r) is known. A program with r also pays for what nobody shares of the negatives that r covers,
which is all of most negatives without a say: that comes on top. Where the sum is above the gap, r is out.

And of rules that cover the same negatives, one that covers no more positives than another, and is no smaller, is left out: by the
swap lemma the other one can take its place. They are looked at one after the other, each beside those that are still there, so
that of two that cover the same, one stays. Of millions of rules within a gap, some ten thousand are left by both.
"""


cdef enum:
    MOST_COMPARED = 2000              # rules that another one is compared with


@cython.final
cdef class GapRules:
    """What is kept is the last states of `rules` that are fresh there. `unshared` is for each example, as a negative."""

    cdef Conjunctions rules
    cdef int64_t bound, most_cost
    cdef vector[int64_t] unshared
    cdef Slots by_negatives                      # groups of rules, by the negatives that they cover, ...
    cdef vector[vector[int32_t]] groups          # ... their places among those that are kept, ...
    cdef vector[uint8_t] outdone                 # ... and whether there is a better one

    def __init__(self, Conjunctions rules, const int64_t[::1] unshared, int64_t bound):
        cdef int e
        self.rules = rules
        self.bound = bound
        for e in range(unshared.shape[0]):
            self.unshared.push_back(unshared[e])

    cdef int begin(self, int64_t most_cost) except -1:
        self.most_cost = most_cost
        self.rules.fresh.clear()
        self.by_negatives.clear()
        self.groups.clear()
        self.outdone.clear()
        return 0

    cdef bint takes(self, const State* made, int64_t cost) except -1:
        """Whether a rule may be in a better program, and no other one that covers the same negatives is better.

        Then it takes its place among those. `cost` is S(r) - V(r).
        """
        cdef Conjunctions rules = self.rules
        cdef const uint64_t* bits = rules.state_bits.data() + made.bits
        cdef Candidates candidates
        cdef int64_t size = rules.size_weight * (made.size + 1)
        cdef uint64_t hash = 0, word
        cdef int w, k, at, group
        if made.pos <= size or size + made.neg >= self.bound:
            return False
        for w in range(rules.words):
            word = bits[w] & rules.weights.negative[w]
            hash = mix(hash + word)
            while word:
                cost += self.unshared[w * 64 + lowest(word)]
                word &= word - 1
        if cost > self.most_cost:
            return False
        candidates = self.by_negatives.candidates(hash)
        group = candidates.next()
        while group >= 0 and not self.covers_negatives(self.groups[group][0], bits):
            group = candidates.next()
        if group < 0:
            group = <int>self.groups.size()
            self.by_negatives.add(hash, group)
            self.groups.push_back(vector[int32_t]())
        for k in range(min(MOST_COMPARED, <int>self.groups[group].size())):
            at = self.groups[group][k]
            if self.outdone[at]:
                continue
            if self.is_better(&rules.states[rules.fresh[at]], made):
                return False
            if self.is_better(made, &rules.states[rules.fresh[at]]):
                self.outdone[at] = 1
        self.groups[group].push_back(<int32_t>rules.fresh.size())
        self.outdone.push_back(0)
        return True

    cdef bint covers_negatives(self, int at, const uint64_t* bits) noexcept:
        """Whether the rule in this place covers the same negatives."""
        cdef const uint64_t* own = self.rules.state_bits.data() + self.rules.states[self.rules.fresh[at]].bits
        cdef int w
        for w in range(self.rules.words):
            if (own[w] ^ bits[w]) & self.rules.weights.negative[w]:
                return False
        return True

    cdef bint is_better(self, const State* one, const State* other) noexcept:
        """Whether a rule covers all positives that another one does, and is no larger; they cover the same negatives."""
        cdef Conjunctions rules = self.rules
        cdef const uint64_t* a = rules.state_bits.data() + one.bits
        cdef const uint64_t* b = rules.state_bits.data() + other.bits
        cdef int w
        if one.size > other.size or one.pos < other.pos:
            return False
        for w in range(rules.words):
            if b[w] & ~a[w] & rules.weights.positive[w]:
                return False
        return True

    cdef int drop_outdone(self) except -1:
        """Leaves of the rules within a gap those that no other one is better than."""
        cdef vector[int32_t] kept
        cdef size_t j
        for j in range(self.rules.fresh.size()):
            if not self.outdone[j]:
                kept.push_back(self.rules.fresh[j])
        self.rules.fresh.swap(kept)
        return 0
