"""Enumerating rules as conjunctions of features, by size, on bitsets.

A *state* is a set of features: the examples that all of them cover, its size, how many own variables it uses, which head
variables occur in it, what it has of what the bias limits (`features/limits`), and what of it can be executed. A state
is extended by features that come later in a fixed order (size, then the order they were found).

**What is dropped** (P, N, S: weight of positives and negatives covered, and of the size):

- *dead*: P <= S, or the prices of what is left to others reach the bound (`tables/example_weights.pxi`). No rule from
  here on pays.
- *closed*: a rule r with S(r) >= S(g) + N(g), for a rule g that is part of r: g does better (`limit`).
- *outdone*: a rule r with S(r) + N(r) >= S(g) + N(g), for a rule g that is part of r: by the swap lemma, g in the place
  of r costs no more, since it covers what r does, and N(g) - N(r) more negatives. The state stays, for a larger rule
  may do better, but the rule is of no use. (g is smaller than r, so this comes to an end.)
- *matched*: another state has the same coverage and is no worse in every part, and comes earlier in the order (size,
  then features, lexicographically). In any set of features that begins with the later state, the earlier one can
  take its place; the set becomes smaller, or stays as large and comes earlier: its features before the first
  difference are the same, and there the new one has an earlier feature. So the first of all equally good sets
  for a coverage has only kept beginnings, and is found.

**Sifting.** Most of what states and features make together is dead. Which is not is found by *sifting*, which changes
nothing: so blocks of states are sifted by several threads at a time. States are made of what is left in their order.
"""

cdef enum:
    MAX_PARTS = 24
    BLOCK = 64           # states between two looks whether to stop
    BLOCKS = 16          # of them for each thread, at most, between two times that states are made

cdef int64_t LEAST_SIFTED = 1_000_000  # words to go through, at least, for several threads to be worth it

cdef int64_t NO_RULE = <int64_t>1 << 62


cdef struct Item:
    int size
    int own
    int safety           # number of its safety function
    int limit
    int64_t pos
    int64_t least        # S + N where it is a rule by itself
    uint64_t head        # head variables that occur
    uint64_t types       # how many own variables it has of each type with a limit
    uint64_t counts      # of its literals, and their marks
    uint64_t marks
    uint64_t head_types  # a field for each head variable without a declared type: its type here plus one


cdef struct State:
    int size
    int own
    int safety
    int limit
    int nparts
    int64_t least        # S + N of the rule among its parts that has least of it
    int32_t parts[MAX_PARTS]
    uint64_t head
    uint64_t types
    uint64_t counts
    uint64_t marks
    uint64_t head_types
    int64_t pos
    int64_t neg
    size_t bits


cdef cppclass Sifted:
    # What is not dead of what some states and items make together, in order.
    vector[int32_t] states
    vector[int32_t] items
    vector[int64_t] pos
    int64_t tested
    int64_t dead


cdef bint before(const State& a, const State& b) noexcept nogil:
    """The order of states of one size: by their features, lexicographically."""
    cdef int k
    for k in range(min(a.nparts, b.nparts)):
        if a.parts[k] != b.parts[k]:
            return a.parts[k] < b.parts[k]
    return a.nparts < b.nparts


cdef struct ConjunctionMark:
    # How much there was at a rest, and where `expand` was.
    size_t items, states, state_bits, made, fresh, entered, safety, at
    int size, item_size
    int64_t tested, dead, matched


@cython.final
cdef class Conjunctions:
    """All useful conjunctions, size after size. `items` are given as they are found; `expand` makes one size."""

    cdef Room room
    cdef int words, max_body, max_own, beam, type_bits
    cdef int64_t size_weight
    cdef uint64_t head_needed
    cdef bint use_dead, use_closed, use_matched, use_outdone   # each pruning can be switched off
    cdef Limits limits
    cdef ExampleWeights weights
    cdef vector[Item] items
    cdef vector[uint64_t] item_bits
    cdef vector[vector[int32_t]] items_of      # size -> items
    cdef vector[State] states
    cdef vector[uint64_t] state_bits
    cdef vector[vector[int32_t]] states_of     # size -> states that may be extended
    cdef Slots slots                           # coverage -> the first state that has it
    cdef vector[int32_t] chain                 # state -> another one with the same coverage, -1 for none
    cdef list safety                           # number -> bytes: for each set of safe outputs, what it makes safe
    cdef dict safety_ids
    cdef dict composed
    cdef dict no_worse
    cdef vector[int32_t] fresh                 # states made by the last `expand` that are rules
    cdef vector[int32_t] entered               # states that others may be matched by
    # Where `expand` is: the size it makes (0 for none), of items of this size, with which of the states; what it made.
    cdef int size, item_size
    cdef size_t at
    cdef vector[State] made
    cdef ConjunctionMark rested                # what there was at the last rest (`saved_conjunctions`)
    cdef object threads                        # `search.threads.Threads`; None: there is one
    cdef vector[int32_t] sifted_states         # that are extended now, ...
    cdef vector[int32_t] sifted_items          # ... and what by
    cdef vector[Sifted] sifted                 # of each block
    cdef size_t sifted_from
    cdef counter next_block
    cdef readonly int64_t tested, dead, matched

    def __init__(self, int nexamples, pos_weight, neg_weight, int64_t size_weight, int max_body, int max_own,
                 uint64_t head_needed, limits, without=(), int beam=0, int type_bits=8, claim=None, threads=None):
        if max_body > MAX_PARTS:
            raise ValueError(f"more than {MAX_PARTS} body literals")
        self.room = Room(claim)
        self.threads = threads
        self.beam = beam
        self.type_bits = type_bits
        self.words = (nexamples + 63) // 64
        self.max_body = max_body
        self.max_own = max_own
        self.size_weight = size_weight
        self.head_needed = head_needed
        self.limits = Limits(limits)
        self.use_dead = "dead" not in without
        self.use_closed = "closed" not in without
        self.use_matched = "matched" not in without
        self.use_outdone = "outdone" not in without
        self.weights = ExampleWeights(pos_weight, neg_weight)
        self.items_of.resize(max_body + 1)
        self.states_of.resize(max_body + 1)
        self.safety = []
        self.safety_ids = {}
        self.composed = {}
        self.no_worse = {}

    def safety_number(self, tuple function):
        """The number of a safety function: for each set S of head outputs taken as safe, (made safe, all executable)."""
        known = self.safety_ids.get(function)
        if known is None:
            known = self.safety_ids[function] = len(self.safety)
            self.safety.append(function)
        return known

    def add_items(self, const uint64_t[:, ::1] bits, sizes, owns, heads, types, head_types, safeties, limits, counts, marks):
        """Adds features, in order."""
        cdef int i, w
        cdef Item item
        self.room.ask(2 * bits.shape[0] * (self.words * sizeof(uint64_t) + sizeof(Item)))
        for i in range(bits.shape[0]):
            item.size = sizes[i]
            item.own = owns[i]
            item.head = heads[i]
            item.types = types[i]
            item.counts = counts[i]
            item.marks = marks[i]
            item.head_types = head_types[i]
            item.safety = safeties[i]
            item.limit = limits[i]
            item.least = NO_RULE
            self.items_of[item.size].push_back(<int>self.items.size())
            self.items.push_back(item)
            if self.words:
                self.item_bits.insert(self.item_bits.end(), <uint64_t*>&bits[i, 0], <uint64_t*>&bits[i, 0] + self.words)
            self.items[self.items.size() - 1].pos = self.weights.pos_of(
                self.item_bits.data() + self.item_bits.size() - self.words
            )
            kernel_assert(
                ends_at(self.item_bits.data() + self.item_bits.size() - self.words, self.words, self.weights.count)
            )

    def set_prices(self, prices, int64_t others, int shift, int64_t bound):
        """Only rules of programs that cost less than the bound are asked for (`tables/example_weights.pxi`)."""
        self.weights.set_prices(prices, others, shift, bound)

    def expand(self, int size, should_stop=None, at_rest=None):
        """Makes the states of one size; all items up to that size and all smaller states must be there.

        `at_rest()` is called where all can be saved (`saved_conjunctions`); what was restored goes on from there.
        """
        cdef int i
        cdef size_t k, block
        cdef vector[State] none
        cdef Sifted* found
        if self.size == 0:
            self.fresh.clear()
            self.size, self.item_size, self.at = size, 1, 0
            for i in range(<int>self.items_of[size].size()):
                self.consider(-1, self.items_of[size][i], self.made)
        while self.item_size < size:
            self.find_useful(size, self.item_size, self.sifted_states, self.sifted_items)
            while self.at < self.sifted_states.size():
                self.sift_blocks(self.at)
                for block in range(self.sifted.size()):
                    if at_rest is not None:
                        at_rest()
                    found = &self.sifted[block]
                    if should_stop is not None and should_stop():
                        return False
                    if takes(should_stop, found.tested * self.words // STEP_WORK):
                        return False
                    self.tested += found.tested
                    self.dead += found.dead
                    for k in range(found.states.size()):
                        self.make(found.states[k], found.items[k], found.pos[k], self.made)
                    self.at += BLOCK
            self.item_size += 1
            self.at = 0
        if at_rest is not None:
            at_rest()
        self.keep(self.made)
        self.made.swap(none)
        self.size = 0
        return True

    cdef int sift_blocks(self, size_t first) except -1:
        """Sifts the next blocks of states: as many as there is work for in all threads, or one."""
        cdef size_t left = (self.sifted_states.size() - first + BLOCK - 1) // BLOCK, count = 1
        cdef double work = <double>min(left, <size_t>BLOCKS) * BLOCK * self.sifted_items.size() * self.words
        if self.threads is not None and left > 1 and work >= LEAST_SIFTED and self.threads.ready():
            count = min(left, <size_t>BLOCKS * <size_t>self.threads.jobs)
        self.sifted.resize(count)
        self.sifted_from = first
        self.next_block.store(0)
        if count == 1:
            self.sift_some(0)
        else:
            self.threads.run(self.sift_some, lambda: None)
        return 0

    def sift_some(self, int which):
        """Sifts one block after the other that no thread has begun with."""
        cdef int block
        with nogil:
            block = self.next_block.fetch_add(1)
            while block < <int>self.sifted.size():
                self.sift(self.sifted_from + <size_t>block * BLOCK, &self.sifted[block])
                block = self.next_block.fetch_add(1)

    cdef int sift(self, size_t first, Sifted* found) except -1 nogil:
        """Sifts a block of states, from this place on."""
        cdef size_t j, i
        cdef int32_t state, item
        cdef int64_t pos = 0
        cdef vector[int32_t]* items = &self.sifted_items
        found.states.clear()
        found.items.clear()
        found.pos.clear()
        found.tested = found.dead = 0
        for j in range(first, min(first + BLOCK, self.sifted_states.size())):
            state = self.sifted_states[j]
            # Items are numbered by size, so the order of numbers is the fixed order.
            item = self.states[state].parts[self.states[state].nparts - 1]
            for i in range(upper_bound(items.begin(), items.end(), item) - items.begin(), items.size()):
                item = items[0][i]
                if not self.fits(&self.states[state], item):
                    continue
                found.tested += 1
                if self.is_dead(state, item, &pos):
                    found.dead += 1
                    continue
                found.states.push_back(state)
                found.items.push_back(item)
                found.pos.push_back(pos)
        return 0

    def next_work(self, int size):
        """How many words the next `expand` will go through, at most, with the items that there are."""
        cdef int item_size
        work = 0
        for item_size in range(1, size):
            work += self.items_of[item_size].size() * self.states_of[size - item_size].size()
        return work * self.words // 2

    cdef int find_useful(self, int size, int item_size, vector[int32_t]& states, vector[int32_t]& items) except -1:
        """The states and items that may make a state of a size together: neither is dead at that size by itself."""
        cdef size_t j
        cdef int k
        cdef int64_t least = self.size_weight * (size + 1) if self.use_dead else 0
        cdef int64_t least_price = self.weights.least_price(self.size_weight * (size + 1))
        cdef State* state
        states.clear()
        items.clear()
        for j in range(self.states_of[size - item_size].size()):
            state = &self.states[self.states_of[size - item_size][j]]
            if state.pos > least and state.limit > size and (
                least_price <= 0 or self.weights.price_of(self.state_bits.data() + state.bits) >= least_price
            ):
                states.push_back(self.states_of[size - item_size][j])
        if states.size() == 0:
            return 0
        for j in range(self.items_of[item_size].size()):
            k = self.items_of[item_size][j]
            if self.items[k].pos > least and self.items[k].limit > size and (
                least_price <= 0 or self.weights.price_of(self.item_bits.data() + <size_t>k * self.words) >= least_price
            ):
                items.push_back(k)
        return 0

    cdef int consider(self, int state, int item, vector[State]& made) except -1:
        """Adds the state that extends a state (-1: the empty one) by an item, if it is of use."""
        cdef int64_t pos = 0
        if not self.fits(&self.states[state] if state >= 0 else NULL, item):
            return 0
        self.tested += 1
        if self.is_dead(state, item, &pos):
            self.dead += 1
            return 0
        return self.make(state, item, pos, made)

    cdef bint is_dead(self, int state, int item, int64_t* pos) noexcept nogil:
        """Whether no rule pays with a state (-1: the empty one) and an item; and the weight of their positives."""
        cdef int w, i, size = self.items[item].size + (self.states[state].size if state >= 0 else 0)
        cdef int64_t weight = 0, price = 0
        cdef bint priced = self.weights.price.size() > 0
        cdef uint64_t word
        cdef const uint64_t* a = NULL
        cdef const uint64_t* b = self.item_bits.data() + <size_t>item * self.words
        if state >= 0:
            a = self.state_bits.data() + self.states[state].bits
        for w in range(self.words):
            word = self.weights.positive[w] & (b[w] if a == NULL else a[w] & b[w])
            if self.weights.each and not priced:
                weight += self.weights.each * count_bits(word)
                continue
            while word:
                i = w * 64 + lowest(word)
                weight += self.weights.pos[i]
                if priced:
                    price += self.weights.price[i]
                word &= word - 1
        pos[0] = weight
        if weight <= (self.size_weight * (size + 1) if self.use_dead else 0):
            return True
        return price < self.weights.least_price(self.size_weight * (size + 1))

    cdef int make(self, int state, int item, int64_t pos, vector[State]& made) except -1:
        """Makes the state that extends a state (-1: the empty one) by an item that fits; it covers such positives."""
        cdef State next_state
        cdef int w
        cdef size_t at = self.state_bits.size()
        cdef const uint64_t* a = NULL
        cdef const uint64_t* b = self.item_bits.data() + <size_t>item * self.words
        self.put_together(&self.states[state] if state >= 0 else NULL, item, &next_state)
        next_state.pos = pos
        take(self.room, self.words * sizeof(uint64_t) + 2 * sizeof(State))  # it is made, and perhaps kept
        before_growing(self.room, at, self.state_bits.capacity(), self.words, sizeof(uint64_t))
        before_growing(self.room, made.size(), made.capacity(), 1, sizeof(State))
        next_state.bits = at
        self.state_bits.resize(at + self.words)
        if state >= 0:
            a = self.state_bits.data() + self.states[state].bits
        for w in range(self.words):
            self.state_bits[at + w] = b[w] if a == NULL else a[w] & b[w]
        next_state.neg = self.weights.neg_of(self.state_bits.data() + at)
        made.push_back(next_state)
        return 0

    cdef bint fits(self, const State* state, int item) noexcept nogil:
        """Whether the bias allows a state (NULL: the empty one) and an item together, and a rule with them may pay."""
        cdef const Item* part = &self.items[item]
        if state == NULL:
            return part.own <= self.max_own
        if state.own + part.own > self.max_own:
            return False
        if self.limits.too_many_of_types(state.types + part.types):
            return False
        if self.limits.exceeded(state.counts + part.counts, state.marks | part.marks):
            return False
        if not compatible(state.head_types, part.head_types, self.type_bits):
            return False
        return min(state.limit, part.limit) >= state.size + part.size + 1

    cdef bint put_together(self, const State* state, int item, State* made) except -1:
        """What a state (NULL: the empty one) and an item make together, but for what it covers.

        False where the bias does not allow it.
        """
        cdef Item* part = &self.items[item]
        cdef State next_state
        if not self.fits(state, item):
            return False
        if state != NULL:
            next_state = state[0]
            next_state.limit = min(next_state.limit, part.limit)
            next_state.least = min(next_state.least, part.least)
        else:
            next_state.size = next_state.own = next_state.nparts = 0
            next_state.head = next_state.types = next_state.head_types = next_state.counts = next_state.marks = 0
            next_state.limit = part.limit
            next_state.least = NO_RULE
        next_state.size += part.size
        next_state.own += part.own
        next_state.head |= part.head
        next_state.types += part.types
        next_state.counts += part.counts
        next_state.marks |= part.marks
        next_state.head_types |= part.head_types
        next_state.pos = next_state.neg = 0
        next_state.safety = part.safety if state == NULL else self.compose(next_state.safety, part.safety)
        next_state.parts[next_state.nparts] = item
        next_state.nparts += 1
        made[0] = next_state
        return True

    cdef int compose(self, int a, int b) except -1:
        """The safety function of two states together: each may make safe what the other waits for."""
        if a == 0 and b == 0:
            return 0
        key = (a, b)
        known = self.composed.get(key)
        if known is None:
            f, g = self.safety[a], self.safety[b]
            function = []
            for start in range(len(f)):
                safe = start
                while safe | f[safe][0] | g[safe][0] != safe:
                    safe |= f[safe][0] | g[safe][0]
                function.append((safe, f[safe][1] and g[safe][1]))
            known = self.composed[key] = self.safety_number(tuple(function))
        return known

    cdef bint as_safe(self, int a, int b) except -1:
        """Whether safety function a is at least as good as b, whatever else is safe."""
        if a == b:
            return True
        key = (a, b)
        known = self.no_worse.get(key)
        if known is None:
            f, g = self.safety[a], self.safety[b]
            known = self.no_worse[key] = all(
                [f[s][0] & g[s][0] == g[s][0] and (f[s][1] or not g[s][1]) for s in range(len(f))]
            )
        return known

    cdef int keep(self, vector[State]& made) except -1:
        """Sorts the states of one size by their features and keeps those that no earlier one matches."""
        cdef int i, number
        cdef int64_t total
        cdef State one  # a copy: what was made is as it was until all is kept
        cdef State* state = &one
        sort(made.begin(), made.end(), &before)
        for i in range(<int>made.size()):
            kernel_assert(i == 0 or before(made[i - 1], made[i]))  # none is there twice
            if self.use_matched and self.is_matched(&made[i]):
                self.matched += 1
                continue
            number = <int>self.states.size()
            one = made[i]
            if self.is_rule(state):
                # A rule that contains this one pays only while S(r) < S(g) + N(g).
                if self.use_closed:
                    state.limit = <int>min(
                        <int64_t>state.limit,
                        (self.size_weight * (state.size + 1) + state.neg - 1) // self.size_weight,
                    )
                total = self.size_weight * (state.size + 1) + state.neg
                if total < state.least or not self.use_outdone:
                    self.fresh.push_back(number)
                state.least = min(state.least, total)
                if state.nparts == 1:
                    self.items[state.parts[0]].least = total
            before_growing(self.room, self.states.size(), self.states.capacity(), 1, sizeof(State))
            self.states.push_back(state[0])
            self.enter(number)
            if state.size < self.max_body and state.limit >= state.size + 2:
                self.states_of[state.size].push_back(number)
        if self.beam and made.size():
            self.keep_promising(self.states_of[made[0].size])
        return 0

    cdef int keep_promising(self, vector[int32_t]& level) except -1:
        """Drops all but the states that tell positives from negatives best; for a beam."""
        cdef vector[int64_t] promises
        cdef size_t i
        for i in range(level.size()):
            promises.push_back(self.weights.promise(self.states[level[i]].pos, self.states[level[i]].neg))
        return keep_best(level, promises, self.beam)

    cdef bint is_rule(self, const State* state) except -1:
        if state.head & self.head_needed != self.head_needed or not self.limits.has_required(state.marks):
            return False
        if not self.limits.types_met(state.types, state.head_types, self.type_bits):
            return False
        return self.safety[state.safety][0][1]

    cdef uint64_t hash_of(self, const State* state) noexcept:
        cdef uint64_t h = 0
        cdef int w
        for w in range(self.words):
            h = mix(h + self.state_bits[state.bits + w])
        return h

    cdef int first_with(self, const State* state, uint64_t hash) noexcept:
        """The first state that has the coverage of this one, -1 for none."""
        cdef Candidates candidates = self.slots.candidates(hash)
        cdef const uint64_t* bits = self.state_bits.data()
        cdef int known = candidates.next()
        while known >= 0 and memcmp(bits + self.states[known].bits, bits + state.bits, self.words * sizeof(uint64_t)):
            known = candidates.next()
        return known

    cdef bint is_matched(self, const State* state) except -1:
        cdef int other = self.first_with(state, self.hash_of(state))
        cdef State* known
        while other >= 0:
            known = &self.states[other]
            if (
                known.own <= state.own and known.types == state.types and known.head_types == state.head_types
                and known.marks == state.marks and self.limits.no_more(known.counts, state.counts)
                and known.head & state.head & self.head_needed == state.head & self.head_needed
                and self.as_safe(known.safety, state.safety)
            ):
                return True
            other = self.chain[other]
        return False

    cdef int enter(self, int number) except -1:
        cdef uint64_t hash = self.hash_of(&self.states[number])
        cdef int first = self.first_with(&self.states[number], hash)
        self.entered.push_back(number)
        if first >= 0:
            self.chain.push_back(self.chain[first])
            self.chain[first] = number
            return 0
        if self.slots.growth():
            self.room.ask(self.slots.growth())
        self.slots.add(hash, number)
        self.chain.push_back(-1)
        return 0

    # -- for Python -----------------------------------------------------------------------------------------

    def rules(self, some=None):
        """The rules made by the last `expand`, or `some` by their numbers: (numbers, coverage bits, sizes with head, P, N)."""
        cdef vector[int32_t] chosen = self.fresh
        cdef int n, i, w
        if some is not None:
            chosen = some
        n = <int>chosen.size()
        self.room.ask(<size_t>n * (self.words + 4) * sizeof(uint64_t))
        numbers = np.zeros(n, dtype=np.int64)
        bits = np.zeros((n, self.words), dtype=np.uint64)
        sizes = np.zeros(n, dtype=np.int64)
        pos = np.zeros(n, dtype=np.int64)
        neg = np.zeros(n, dtype=np.int64)
        cdef uint64_t[:, ::1] view = bits
        for i in range(n):
            if not 0 <= chosen[i] < <int>self.states.size():
                raise ValueError(f"{chosen[i]} is not the number of a rule")
            state = &self.states[chosen[i]]
            numbers[i] = chosen[i]
            sizes[i] = state.size + 1
            pos[i] = state.pos
            neg[i] = state.neg
            for w in range(self.words):
                view[i, w] = self.state_bits[state.bits + w]
        return numbers, bits, sizes, pos, neg

    def parts(self, int number):
        """The items of a state."""
        return [self.states[number].parts[k] for k in range(self.states[number].nparts)]

    @property
    def item_count(self):
        return self.items.size()

    def mark(self):
        """Takes note of how much there is, at a rest (`saved_conjunctions`)."""
        mark_conjunctions(self)

    def state(self):
        """All that there was at the last rest, as arrays, numbers and lists: to be written before the search goes on."""
        return conjunctions_state(self)

    def restore(self, dict state):
        """Makes what is new what another one was."""
        take_conjunctions(self, state)
        self.mark()

    def counts(self):
        return {"states": self.states.size(), "tested": self.tested, "dead": self.dead, "matched": self.matched}
