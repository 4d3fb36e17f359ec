"""The rules of the last sizes, by what they can save: none is kept that is in no program below the bound.

There may be very many conjunctions, of which few matter. Let y be values of the positives and m(e,n) shares of the
negatives, as in `shares`, with some rules known: R. For another rule r, the positives that it covers would need

    V(r) = sum over these e of max(0, y(e) - sum of m(e,n) over the negatives n that r covers)

of its size for shares with which all its prices are at least y. So if V(r) <= S(r) for all rules r, the values add up to
a lower bound for programs of all rules, whatever R was; and a program with r costs at least S(r) - V(r) more (what is
left of its size comes on top). Where that reaches the bound, r is in no better program. Rules with V(r) > S(r) are to be
added to R, and then there are new values.

So `Pricer` goes through all rules, and lists those with the least S(r) - V(r), or all for which it is at most a given
number. Nothing is stored for the others.

**Few examples have a say.** V(r) depends only on the positives with a value above zero, and on the negatives that have a
share for one of these: mostly some dozens, however many examples there are. On these, most of the thousands of items
(a column of numbers has one for each threshold) cover the same, and are one *class*. A class is *beaten* by one that has the
same standing in a rule and is no larger, and there covers no fewer positives and no more negatives: with that in its place, V
is no lower and S no higher. So where rules with V(r) > S(r) are looked for, or it is to be shown that there are none, beaten
classes are left out. (What is put in their place may be no rule of use, since it is closed: it has a part g with
S(g) + N(g) <= S(r), and then V(r) <= V(g) + N(g) <= S(r), for the shares of a negative add up to its weight at most.)

What is put together covers no more than its parts, and is larger: where the values of what it covers do not add up to
enough for its own size, they do not for anything that has it as a part. So a class that is not enough together with a
state is not tried with what that state becomes.

**Chains are gone through in blocks.** Classes that contain each other, as the thresholds of a column do, are a *chain*. A block is
some classes of a chain that come one after the other. Of what is made of blocks, nothing covers more positives than what the
widest class of each covers, and nothing covers fewer negatives than what the narrowest do: V of these positives and
negatives is at least V(r) for all rules r in it. Where that is not enough, none of them is. Otherwise the longest block is cut
into two, down to single classes. So far apart from the best, whole blocks of thresholds are left out at once. (Where rules with
V(r) > S(r) are looked for, two classes of one chain are never together: the narrower one alone has the same V, and is smaller. Within
a gap they may be, since on examples without a say they need not contain each other.)

**All rules within a gap.** There no class is left out but for its values, and each stands for all of its items, but those
that another one of the class *stands in* for: it covers no fewer positives and no more negatives, of all examples. By the
swap lemma it can take its place in every rule and program. (Of two that cover the same, the first stays.) What is made of
items is looked at once more, with all examples (`gap_rules`).
"""


cdef enum:
    MOST_ADDED = 6                    # items that make a rule
    A_TURN = 60                       # what is done in any case for what is looked at (`steps.pxi`), ...
    A_LOOK = 4                        # ... and when two classes or items are compared
    LONGEST = 8                       # block, to begin with
    MOST_BEATEN = 10_000              # classes, up to which it is looked for those that are beaten


cdef struct ItemClass:
    int32_t item                      # one of its items, which has the standing of all
    int32_t first, count              # where its items are listed
    int size                          # of each of them
    int negatives                     # that it covers, of those that have a say
    int chain                         # its number
    int32_t place                     # where its bits are
    int64_t worth                     # the values of all positives that it covers


cdef struct Priced:
    int64_t cost                      # S(r) - V(r)
    int32_t classes[MOST_ADDED]       # what it is made of; -1 for no more


cdef struct Block:
    int32_t first, end                # classes of one chain, the widest first
    int32_t item                      # of one of them, that which goes with most others
    int size, chain


cdef bint cheaper(const Priced& a, const Priced& b) noexcept nogil:
    cdef int k
    if a.cost != b.cost:
        return a.cost < b.cost
    for k in range(MOST_ADDED):
        if a.classes[k] != b.classes[k]:
            return a.classes[k] < b.classes[k]
    return False


cdef bint is_wider(const ItemClass& a, const ItemClass& b) noexcept nogil:
    """The order in which classes are put into chains: if one contains another, it comes before."""
    if a.size != b.size:
        return a.size < b.size
    if a.worth != b.worth:
        return a.worth > b.worth
    return a.negatives > b.negatives if a.negatives != b.negatives else a.place < b.place


cdef bint comes_first(const ItemClass& a, const ItemClass& b) noexcept nogil:
    """The order in which classes are tried: by size, chain, and place in their chain."""
    if a.size != b.size:
        return a.size < b.size
    return a.chain < b.chain if a.chain != b.chain else is_wider(a, b)


cdef inline bint contains(const uint64_t* a, const uint64_t* b, int words) noexcept nogil:
    """Whether the first set has all that the second has."""
    cdef int w
    for w in range(words):
        if b[w] & ~a[w]:
            return False
    return True


@cython.final
cdef class Pricer:
    """Goes through all rules that can be made of the items.

    `values` are those of the examples, `shares` those of each negative for each positive, both in whole numbers of
    2**-shift; `column` and `row` are those of an example in the latter, or -1: one that is listed on both sides is what it
    weighs more as. `unshared` is what nobody shares of an example as a negative. `bound` is what a better program stays below.
    """

    cdef Conjunctions rules
    cdef int last, shift
    cdef int64_t most_cost
    cdef size_t most
    cdef int npos, nneg, pos_words, neg_words    # of the examples that have a say
    cdef int length                              # of a row of shares, with zeros at its end
    cdef vector[int32_t] positives, negatives    # which these are
    cdef vector[int64_t] value
    cdef vector[int64_t] share                   # negative -> positive -> its share
    cdef vector[int64_t] bytes_worth             # for each eight positives -> which of them -> their values
    cdef vector[ItemClass] classes
    cdef vector[Block] blocks
    cdef int32_t from_class[MOST_ADDED]          # what is looked at: a block for each part, from here ...
    cdef int32_t to_class[MOST_ADDED]            # ... to here
    cdef vector[int32_t] members                 # the items of all classes, one class after the other
    cdef vector[uint64_t] pos_bits, neg_bits     # what a class covers of the examples that have a say
    cdef vector[vector[uint64_t]] pos_of         # depth -> what is covered, at most
    cdef vector[uint64_t] pos_here, neg_here     # the same for a block of rules, and what is, at least
    cdef vector[int64_t] left                    # positive -> what the shares leave of its value
    cdef bint narrow                             # whether 32 bits hold all sums ...
    cdef vector[int32_t] value32, share32, left32   # ... and the same as such
    cdef vector[int32_t] rows                    # negatives that a rule covers
    cdef vector[Priced] found
    cdef GapRules kept                           # of what is within a gap
    cdef int64_t done                            # of a step
    cdef bint stopped
    cdef object should_stop

    def __init__(self, Conjunctions rules, const int64_t[::1] values, const int64_t[:, ::1] shares,
                 const int32_t[::1] column, const int32_t[::1] row, const int64_t[::1] unshared, int shift,
                 int64_t bound):
        cdef int e, n, k
        cdef int64_t total, most = 0
        self.rules = rules
        self.shift = shift
        self.kept = GapRules(rules, unshared, bound)
        for e in range(values.shape[0]):
            if values[e] > 0:
                self.positives.push_back(e)
        self.npos = <int>self.positives.size()
        self.length = (self.npos + ROW - 1) // ROW * ROW
        self.value.assign(self.length, 0)
        for k in range(self.npos):
            self.value[k] = values[self.positives[k]]
            most += self.value[k]
        with_shares = []
        for n in range(values.shape[0]):
            if row[n] >= 0:
                total = 0
                for k in range(self.npos):
                    total += shares[row[n], column[self.positives[k]]]
                if total > 0:
                    with_shares.append((-total, n))
                    most += total
        rules.room.ask(2 * len(with_shares) * self.length * (sizeof(int64_t) + sizeof(int32_t)))
        for _, n in sorted(with_shares):  # those that count most come first, so that few are looked at
            self.negatives.push_back(n)
            for k in range(self.length):
                self.share.push_back(shares[row[n], column[self.positives[k]]] if k < self.npos else 0)
        self.narrow = most < <int64_t>1 << 31
        if self.narrow:
            self.value32.assign(self.value.begin(), self.value.end())
            self.share32.assign(self.share.begin(), self.share.end())
        self.nneg = <int>self.negatives.size()
        self.pos_words = max(1, (self.npos + 63) // 64)
        self.neg_words = max(1, (self.nneg + 63) // 64)
        self.add_up(self.bytes_worth, self.value, self.pos_words)
        self.left.resize(self.length)
        self.left32.resize(self.length)
        self.rows.resize(64)
        self.pos_of.resize(MOST_ADDED + 1)
        self.pos_here.resize(self.pos_words)
        self.neg_here.resize(self.neg_words)
        for k in range(MOST_ADDED + 1):
            self.pos_of[k].assign(self.pos_words, 0)

    cdef int add_up(self, vector[int64_t]& sums, const vector[int64_t]& values, int words) except -1:
        """The values of each set of eight examples that stand together."""
        cdef int group, some, k
        sums.assign(words * 8 * 256, 0)
        for group in range(words * 8):
            for some in range(1, 256):
                k = group * 8 + lowest(some)
                sums[group * 256 + some] = sums[group * 256 + (some & (some - 1))] + (
                    values[k] if k < <int>values.size() else 0
                )
        return 0

    def rules_below(self, int64_t most_cost, size_t most, int last, should_stop=None):
        """The rules for which S(r) - V(r) is at most this, no more than so many; None when stopped.

        They have no more than `last` body literals, and are given as by `Conjunctions.rules`, and whether these are all (of a
        gap, but those that another one is better than). With a `most_cost` below zero it is the least ones, and one rule for all
        that are alike or beaten.
        """
        cdef int k
        cdef bint complete
        cdef vector[int32_t] every
        self.most_cost = most_cost
        self.most = most
        self.last = last
        self.should_stop = should_stop
        self.found.clear()
        self.kept.begin(most_cost)
        self.done = 0
        self.stopped = False
        self.make_classes()
        self.drop_in_classes()
        if most_cost < 0:
            self.drop_beaten()
        self.put_into_chains()
        self.make_blocks()
        for k in range(<int>self.blocks.size()):
            every.push_back(k)
        for k in range(self.pos_words):
            self.pos_of[0][k] = ~<uint64_t>0
        if self.goes_on():
            self.extend(NULL, every, 0, 0)
        if self.stopped:
            return None
        if self.most_cost >= 0:
            complete = self.rules.fresh.size() <= self.most
            self.kept.drop_outdone()
            return self.rules.rules(), complete
        complete = self.found.size() <= self.most
        if not complete:
            self.keep_cheapest()
        sort(self.found.begin(), self.found.end(), &cheaper)
        return self.made(complete)

    # -- classes of items -----------------------------------------------------------------------------------

    cdef int make_classes(self) except -1:
        """Puts together the items that are alike in all that counts here, and may be in a rule that is looked for."""
        cdef Conjunctions rules = self.rules
        cdef Slots slots
        cdef Candidates candidates
        cdef vector[uint64_t] pos, neg
        cdef vector[vector[int32_t]] items
        cdef ItemClass made
        cdef Item* item
        cdef int i, known, w
        cdef uint64_t hash
        cdef size_t c
        pos.resize(self.pos_words)
        neg.resize(self.neg_words)
        self.classes.clear()
        self.members.clear()
        self.pos_bits.clear()
        self.neg_bits.clear()
        rules.room.ask(rules.items.size() * (self.pos_words + self.neg_words + 4) * sizeof(uint64_t))
        self.done += <int64_t>rules.items.size() * (self.npos + self.nneg)
        for i in range(<int>rules.items.size()):
            item = &rules.items[i]
            if item.size > self.last:
                continue
            self.pick(i, self.positives, pos)
            made.worth = self.worth(pos.data())
            if made.worth < self.least(item.size):
                continue
            self.pick(i, self.negatives, neg)
            hash = self.hash_of(item, pos, neg)
            candidates = slots.candidates(hash)
            known = candidates.next()
            while known >= 0 and not self.is_alike(known, item, pos, neg):
                known = candidates.next()
            if known < 0:
                slots.add(hash, <int32_t>self.classes.size())
                made.item = i
                made.size = item.size
                made.chain = made.negatives = 0
                for w in range(self.neg_words):
                    made.negatives += count_bits(neg[w])
                made.place = <int32_t>self.classes.size()
                made.first = <int32_t>self.classes.size()
                made.count = 0
                self.classes.push_back(made)
                items.push_back(vector[int32_t]())
                self.pos_bits.insert(self.pos_bits.end(), pos.begin(), pos.end())
                self.neg_bits.insert(self.neg_bits.end(), neg.begin(), neg.end())
                known = <int>items.size() - 1
            items[known].push_back(i)
        for c in range(items.size()):
            self.classes[c].first = <int32_t>self.members.size()
            self.classes[c].count = <int32_t>items[c].size()
            self.members.insert(self.members.end(), items[c].begin(), items[c].end())
        return 0

    cdef int put_into_chains(self) except -1:
        """Finds chains of classes, each of which contains the next one, and puts the classes in their order.

        The thresholds of a column are such a chain; here they are found by what they cover.
        """
        cdef vector[int32_t] ends  # the last class of each chain
        cdef size_t c, k, first = 0
        sort(self.classes.begin(), self.classes.end(), &is_wider)
        for c in range(self.classes.size()):
            if c and self.classes[c].size != self.classes[c - 1].size:
                first = ends.size()
            for k in range(first, ends.size()):
                self.done += A_LOOK
                if self.continues(&self.classes[ends[k]], &self.classes[c]):
                    break
            else:
                k = ends.size()
                ends.push_back(0)
            ends[k] = <int32_t>c
            self.classes[c].chain = <int>k
        sort(self.classes.begin(), self.classes.end(), &comes_first)
        return 0

    cdef inline bint continues(self, const ItemClass* a, const ItemClass* b) noexcept:
        """Whether a class contains another one with the same standing."""
        return (
            contains(self.pos_of_class(a), self.pos_of_class(b), self.pos_words)
            and contains(self.neg_of_class(a), self.neg_of_class(b), self.neg_words)
            and self.stand_alike(&self.rules.items[a.item], &self.rules.items[b.item])
            and self.rules.items[a.item].own == self.rules.items[b.item].own
        )

    cdef inline const uint64_t* pos_of_class(self, const ItemClass* one) noexcept:
        return self.pos_bits.data() + <size_t>one.place * self.pos_words

    cdef inline const uint64_t* neg_of_class(self, const ItemClass* one) noexcept:
        return self.neg_bits.data() + <size_t>one.place * self.neg_words

    cdef int pick(self, int item, const vector[int32_t]& examples, vector[uint64_t]& bits) noexcept:
        """What an item covers of some examples, as a set of these."""
        cdef const uint64_t* all_bits = self.rules.item_bits.data() + <size_t>item * self.rules.words
        cdef int k, e
        for k in range(<int>bits.size()):
            bits[k] = 0
        for k in range(<int>examples.size()):
            e = examples[k]
            bits[k >> 6] |= ((all_bits[e >> 6] >> (e & 63)) & 1) << (k & 63)
        return 0

    cdef uint64_t hash_of(self, const Item* item, const vector[uint64_t]& pos, const vector[uint64_t]& neg) noexcept:
        cdef uint64_t hash = mix(item.size * 31 + item.own) + mix(item.head + item.marks * 7 + item.counts * 11)
        cdef size_t w
        for w in range(pos.size()):
            hash = mix(hash + pos[w])
        for w in range(neg.size()):
            hash = mix(hash + neg[w])
        return hash

    cdef bint is_alike(self, int known, const Item* item, const vector[uint64_t]& pos, const vector[uint64_t]& neg) noexcept:
        cdef const Item* other = &self.rules.items[self.classes[known].item]
        return (
            self.stand_alike(other, item) and other.size == item.size and other.own == item.own
            and other.limit == item.limit
            and not memcmp(self.pos_bits.data() + known * self.pos_words, pos.data(), self.pos_words * sizeof(uint64_t))
            and not memcmp(self.neg_bits.data() + known * self.neg_words, neg.data(), self.neg_words * sizeof(uint64_t))
        )

    cdef bint stand_alike(self, const Item* a, const Item* b) noexcept:
        """Whether they can be in the same rules, but for sizes and variables."""
        return (
            a.safety == b.safety and a.head == b.head and a.types == b.types and a.counts == b.counts
            and a.marks == b.marks and a.head_types == b.head_types
        )

    cdef int drop_in_classes(self) except -1:
        """Leaves of each class the items that no other one stands in for."""
        cdef size_t c
        cdef int first, end, a, b
        cdef vector[int32_t] kept, left
        for c in range(self.classes.size()):
            first, end = self.classes[c].first, self.classes[c].first + self.classes[c].count
            left.clear()
            for b in range(first, end):
                for a in range(first, end):
                    self.done += A_LOOK
                    if a != b and self.replaces(self.members[a], self.members[b], a < b):
                        break
                else:
                    left.push_back(self.members[b])
            self.classes[c].first = <int32_t>kept.size()
            self.classes[c].count = <int32_t>left.size()
            kept.insert(kept.end(), left.begin(), left.end())
        self.members.swap(kept)
        return 0

    cdef bint replaces(self, int item, int other, bint earlier) noexcept:
        """Whether an item covers no fewer positives and no more negatives than another; and if the same, comes earlier."""
        cdef Conjunctions rules = self.rules
        cdef const uint64_t* a = rules.item_bits.data() + <size_t>item * rules.words
        cdef const uint64_t* b = rules.item_bits.data() + <size_t>other * rules.words
        cdef bint same = True
        cdef int w
        for w in range(rules.words):
            if (b[w] & ~a[w] & rules.weights.positive[w]) or (a[w] & ~b[w] & rules.weights.negative[w]):
                return False
            same = same and (a[w] ^ b[w]) & (rules.weights.positive[w] | rules.weights.negative[w]) == 0
        return earlier or not same

    cdef int drop_beaten(self) except -1:
        """Drops classes that another one beats.

        Most are beaten by one that covers the same positives, or the same negatives: as a threshold moves, either comes in.
        """
        self.drop_beaten_among(self.grouped_by(self.pos_bits, self.pos_words))
        self.drop_beaten_among(self.grouped_by(self.neg_bits, self.neg_words))
        sort(self.classes.begin(), self.classes.end(), &is_wider)
        for size in range(1, self.last + 1):
            group = [c for c in range(self.classes.size()) if self.classes[c].size <= size]
            if len(group) > MOST_BEATEN:
                break
            self.drop_beaten_among([group])
        return 0

    cdef list grouped_by(self, const vector[uint64_t]& bits, int words):
        """The classes that cover the same on one side, where there are several such."""
        cdef Slots slots
        cdef Candidates candidates
        cdef uint64_t hash
        cdef const uint64_t* own
        cdef int c, known, w
        cdef list groups = []
        cdef dict group_of = {}
        for c in range(<int>self.classes.size()):
            own = bits.data() + <size_t>self.classes[c].place * words
            hash = 0
            for w in range(words):
                hash = mix(hash + own[w])
            candidates = slots.candidates(hash)
            known = candidates.next()
            while known >= 0 and memcmp(
                bits.data() + <size_t>self.classes[known].place * words, own, words * sizeof(uint64_t)
            ):
                known = candidates.next()
            if known < 0:
                slots.add(hash, c)
            elif known in group_of:
                (<list>group_of[known]).append(c)
            else:
                group_of[known] = [known, c]
                groups.append(group_of[known])
        return groups

    cdef int drop_beaten_among(self, list groups) except -1:
        """Drops classes that another one of the same group beats."""
        cdef vector[uint8_t] out
        cdef vector[int32_t] group
        cdef size_t a, b, kept = 0
        out.assign(self.classes.size(), 0)
        for listed in groups:
            group = listed
            for b in range(group.size()):
                for a in range(group.size()):
                    self.done += A_LOOK
                    if a != b and not out[group[a]] and self.beats(group[a], group[b]):
                        out[group[b]] = 1
                        break
        for b in range(self.classes.size()):
            if not out[b]:
                self.classes[kept] = self.classes[b]
                kept += 1
        self.classes.resize(kept)
        return 0

    cdef inline bint beats(self, int a, int b) noexcept:
        """Whether one class beats another: what it covers, what it takes, where it can stand."""
        cdef const ItemClass* one = &self.classes[a]
        cdef const ItemClass* other = &self.classes[b]
        cdef const Item* item = &self.rules.items[one.item]
        cdef const Item* other_item = &self.rules.items[other.item]
        if one.worth < other.worth or one.size > other.size or one.negatives > other.negatives:
            return False
        return (
            contains(self.pos_of_class(one), self.pos_of_class(other), self.pos_words)
            and contains(self.neg_of_class(other), self.neg_of_class(one), self.neg_words)
            and item.own <= other_item.own and item.limit >= other_item.limit and self.stand_alike(item, other_item)
        )

    cdef int make_blocks(self) except -1:
        """Cuts the chains into blocks."""
        cdef Block block
        cdef size_t c
        cdef int length = 0
        self.blocks.clear()
        for c in range(self.classes.size()):
            if c and self.classes[c].chain == self.classes[c - 1].chain and length < LONGEST:
                self.blocks.back().end = <int32_t>c + 1
                length += 1
                if self.rules.items[self.classes[c].item].limit > self.rules.items[self.blocks.back().item].limit:
                    self.blocks.back().item = self.classes[c].item
                continue
            block.first, block.end = <int32_t>c, <int32_t>c + 1
            block.size, block.chain, block.item = self.classes[c].size, self.classes[c].chain, self.classes[c].item
            self.blocks.push_back(block)
            length = 1
        return 0

    # -- rules ----------------------------------------------------------------------------------------------

    cdef inline int64_t worth(self, const uint64_t* bits) noexcept:
        """The values of all positives in a set."""
        cdef int64_t total = 0
        cdef int w, k
        cdef uint64_t word
        cdef const int64_t* sums = self.bytes_worth.data()
        for w in range(self.pos_words):
            word = bits[w]
            k = w * 8 * 256
            while word:
                total += sums[k + (word & 255)]
                word >>= 8
                k += 256
        return total

    cdef inline int64_t least(self, int size) noexcept:
        """What a rule with so many body literals must be worth."""
        return ((self.rules.size_weight * (size + 1)) << self.shift) - self.most_cost

    cdef bint extend(self, const State* state, const vector[int32_t]& given, size_t first, int depth) except -1:
        """Looks at what a state of blocks, or none, makes with some of the given blocks; False to go no further."""
        cdef Conjunctions rules = self.rules
        cdef State made
        cdef vector[int32_t] enough
        cdef const Block* block
        cdef size_t i
        if not self.find_enough(0 if state == NULL else state.size, given, first, depth, enough):
            return False
        for i in range(enough.size()):
            block = &self.blocks[enough[i]]
            if not rules.put_together(state, block.item, &made):
                continue
            self.from_class[depth], self.to_class[depth] = block.first, block.end
            if rules.is_rule(&made) and not self.look_at(made.size, depth + 1):
                return False
            if depth + 1 < MOST_ADDED and i + 1 < enough.size() and made.size < self.last and made.limit >= made.size + 2:
                self.cover_at_most(depth + 1, self.pos_of[depth + 1].data())
                if not self.extend(&made, enough, i + 1, depth + 1):
                    return False
        return True

    cdef bint find_enough(
        self, int size, const vector[int32_t]& given, size_t first, int depth, vector[int32_t]& enough
    ) except -1:
        """Those of some blocks that can be enough together with a state of such a size; False to go no further.

        Of a chain, those that are too little are at its end.
        """
        cdef const Block* block
        cdef const uint64_t* before = self.pos_of[depth].data()
        cdef const uint64_t* widest
        cdef int w, too_little = -1, last_chain = -1
        cdef size_t i
        if depth and self.most_cost < 0 and self.rules.limits.types.size() == 0:
            last_chain = self.classes[self.from_class[depth - 1]].chain
        for i in range(first, given.size()):
            block = &self.blocks[given[i]]
            if size + block.size > self.last:
                break
            if block.chain == too_little or block.chain == last_chain:
                continue
            if not self.goes_on():
                return False
            widest = self.pos_of_class(&self.classes[block.first])
            for w in range(self.pos_words):
                self.pos_here[w] = before[w] & widest[w]
            if self.worth(self.pos_here.data()) < self.least(size + block.size):
                too_little = block.chain
            else:
                enough.push_back(given[i])
        return True

    cdef inline bint goes_on(self) except -1:
        self.done += A_TURN + 8 * self.pos_words + self.neg_words
        if self.done >= STEP_WORK:
            if self.should_stop is not None and self.should_stop():
                self.stopped = True
            elif takes(self.should_stop, self.done // STEP_WORK - 1):
                self.stopped = True
            self.done = 0
        return not self.stopped

    cdef int cover_at_most(self, int parts, uint64_t* pos) noexcept:
        """The positives that anything in the blocks that are looked at covers."""
        cdef int part, w
        for w in range(self.pos_words):
            pos[w] = ~<uint64_t>0
        for part in range(parts):
            for w in range(self.pos_words):
                pos[w] &= self.pos_of_class(&self.classes[self.from_class[part]])[w]
        return 0

    cdef bint look_at(self, int size, int parts) except -1:
        """Looks at the rules of some size that the blocks make, one class of each; False to go no further."""
        cdef int part, longest = 0, w
        cdef int64_t cost
        cdef int32_t first, middle, end
        if not self.goes_on():
            return False
        self.cover_at_most(parts, self.pos_here.data())
        for w in range(self.neg_words):
            self.neg_here[w] = ~<uint64_t>0
        for part in range(parts):
            for w in range(self.neg_words):
                self.neg_here[w] &= self.neg_of_class(&self.classes[self.to_class[part] - 1])[w]
            if self.to_class[part] - self.from_class[part] > self.to_class[longest] - self.from_class[longest]:
                longest = part
        cost = self.cost(size, self.pos_here.data(), self.neg_here.data(), self.worth(self.pos_here.data()))
        if cost > self.most_cost:
            return True
        first, end = self.from_class[longest], self.to_class[longest]
        if end - first == 1:
            return self.take_note(cost, parts)
        middle = (first + end) // 2
        self.to_class[longest] = middle
        if not self.look_at(size, parts):
            return False
        self.from_class[longest], self.to_class[longest] = middle, end
        if not self.look_at(size, parts):
            return False
        self.from_class[longest] = first
        return True

    cdef int64_t cost(self, int size, const uint64_t* pos, const uint64_t* neg, int64_t total) noexcept:
        """S(r) - V(r) of a rule with so many body literals that covers this, whose values add up to `total`.

        Or something that is more than is asked for, as soon as it is.
        """
        cdef int64_t least = self.least(size)
        cdef int w, count
        cdef uint64_t word
        cdef bint begun = False
        for w in range(self.neg_words):
            word = neg[w]
            count = 0
            while word:
                self.rows[count] = w * 64 + lowest(word)
                count += 1
                word &= word - 1
            if count == 0:
                continue
            self.done += count * self.length // 16  # a machine does several at a time, and mostly not all
            if self.narrow:
                if not begun:
                    some_of(self.value32.data(), pos, self.length, self.left32.data())
                total = saved(self.share32.data(), self.length, self.rows.data(), count, least, self.left32.data())
            else:
                if not begun:
                    some_of(self.value.data(), pos, self.length, self.left.data())
                total = saved(self.share.data(), self.length, self.rows.data(), count, least, self.left.data())
            if total < least:
                break
            begun = True
        return ((self.rules.size_weight * (size + 1)) << self.shift) - total

    cdef bint take_note(self, int64_t cost, int parts) except -1:
        """Takes note of the rule that is looked at; False where all are asked for, and there are too many."""
        cdef Priced priced
        cdef int part
        cdef int items[MOST_ADDED]
        priced.cost = cost
        for part in range(MOST_ADDED):
            priced.classes[part] = self.from_class[part] if part < parts else -1
        if self.most_cost >= 0:
            return self.choose_items(&priced, 0, items)
        take(self.rules.room, sizeof(Priced))
        self.found.push_back(priced)
        if self.found.size() >= 4 * self.most:
            self.keep_cheapest()
        return True

    cdef int keep_cheapest(self) except -1:
        """Keeps one more than there may be, so that it is seen that these are not all."""
        if self.found.size() > self.most + 1:
            nth_element(self.found.begin(), self.found.begin() + self.most + 1, self.found.end(), &cheaper)
            self.found.resize(self.most + 1)
        return 0

    # -- what was found -------------------------------------------------------------------------------------

    cdef object made(self, bint complete):
        """The rules that were found, as states, and whether they are all: one for all that are alike."""
        cdef size_t j
        cdef int items[MOST_ADDED]
        for j in range(self.found.size()):
            self.choose_items(&self.found[j], 0, items)
        # One that is closed has a part that costs no more, and so is not the only one.
        return self.rules.rules(), complete and (self.found.size() == 0 or self.rules.fresh.size() > 0)

    cdef bint choose_items(self, const Priced* priced, int depth, int* items) except -1:
        """Makes a rule of each choice of items from here on; False when that is enough.

        Within a gap, it is when there are too many, and otherwise when there is one.
        """
        cdef ItemClass* chosen
        cdef int k
        if depth == MOST_ADDED or priced.classes[depth] < 0:
            if not self.make(items, depth, priced.cost):
                return True
            return self.most_cost >= 0 and self.rules.fresh.size() <= self.most
        chosen = &self.classes[priced.classes[depth]]
        for k in range(chosen.count):
            items[depth] = self.members[chosen.first + k]
            if not self.choose_items(priced, depth + 1, items):
                return False
        return True

    cdef bint make(self, const int* items, int count, int64_t cost) except -1:
        """Makes a state of some items; where all that are within a gap are asked for, if it can be in a better program.

        (Otherwise it may stand for others that can, and the values are too high for it in any case.) False where the bias
        does not allow it, or it is closed, which was only known for one item of each block.
        """
        cdef Conjunctions rules = self.rules
        cdef State made, before
        cdef int w, k
        cdef size_t at = rules.state_bits.size()
        cdef uint64_t word
        for k in range(count):
            if not rules.put_together(&before if k else NULL, items[k], &made):
                return False
            before = made
        if not rules.is_rule(&made):
            return False
        take(rules.room, rules.words * sizeof(uint64_t) + sizeof(State))
        before_growing(rules.room, at, rules.state_bits.capacity(), rules.words, sizeof(uint64_t))
        before_growing(rules.room, rules.states.size(), rules.states.capacity(), 1, sizeof(State))
        rules.state_bits.resize(at + rules.words)
        for w in range(rules.words):
            word = ~<uint64_t>0
            for k in range(count):
                word &= rules.item_bits[<size_t>items[k] * rules.words + w]
            rules.state_bits[at + w] = word
        made.bits = at
        made.pos = rules.weights.pos_of(rules.state_bits.data() + at)
        made.neg = rules.weights.neg_of(rules.state_bits.data() + at)
        if self.most_cost >= 0 and not self.kept.takes(&made, cost):
            rules.state_bits.resize(at)
            return False
        rules.fresh.push_back(<int32_t>rules.states.size())
        rules.states.push_back(made)
        rules.chain.push_back(-1)  # each state has a place there; nothing is to be matched by this one
        return True
