"""Numbers in features: `X >= c` and `X =< c`, with every c that can be of use.

Such a literal, a *test*, only leaves out rows of a table. So it is put in last: a feature with tests is one without, its
*base*, and some of the tests that its variables allow, each with a number. (A base is a node that can grow; what is equal
to a base has the same features with tests, up to names. A test on a head variable is a feature by itself.) Literals
of other kinds never come after a test, so that what is known of features without tests holds as before.

**Which numbers.** Take a rule, and a test `X >= c` in it; all else is fixed. (`=<` is the same the other way round.) A key
of the base is covered if and only if m(k) >= c, where m(k) is the largest X in those of its rows that pass the other
tests. Let c go down for as long as no key with negatives comes in: then the positives are as many or more, and the
negatives are the same, which is no worse for any rule with the feature, and any program. So c needs to be no other than m(p)
for keys p with positives such that there is a key with negatives whose m is less, but no less than that of the next
lower p. (Where there is no lower p, any negative below will do, and one without a number is below all: it is out as
well. If there is none at all, the rule is no better than without the test, if it is a rule without it. A test may be what
mentions a head variable or makes a variable occur twice, or be one of the literals that must be there: where any of this
is asked for, c goes down to the least p of all.) These are the *boundaries* of the last test.

The tests before the last have their numbers chosen when those after them are not known, nor which rows these leave. Let
v = m(p) be a boundary once they are known, and n the highest m of a key with negatives below v. Both are values of X in
rows that are there now. Let w be the least value above n in any row, that is there now, of a key with positives. Then
n < w <= v, and no key at all has its m in the range from w to v but v: such a key with positives would make n or itself
the next lower one, against the choice of v or of n. So `X >= w` covers the same. And w is a value in a row of a key with
positives, with n below it and no less than the next lower such value: a boundary among *rows*, which need not be
the only one of their keys. So for these tests the rows take the place of the keys.

Where c has bounds, some of this cannot be reached. Going down ends at the last p that can be, so that is taken too; and
it may begin at the highest c there is, from which nothing but negatives comes in: so that is taken.

What is covered by fewer and fewer rows is dead from some c on, and is so with all tests after it.

**Which of equals.** Of features with the same literals but tests, or the same coverage and standing, any one will do. On
data that was not seen, a number in a wide gap is the better guess: so it is that whose narrowest gap, as a part of all
values of its variable, is the widest.
"""


cdef struct NumberTest:
    int literal                       # its number
    int column                        # what it tests, among the `values` of the base at hand
    bint at_least                     # whether it is >=, else =<
    double least, greatest            # bounds of c


cdef struct Boundary:
    size_t end                        # of the rows that pass, in the order they come in, so many
    int64_t promise                   # of what they cover
    double gap                        # to the next row, as a part of all


cdef struct TakenOver:
    # What a node was before another one of the same coverage gave it its literals.
    int node
    uint64_t head
    int64_t constants_at
    double gap


cdef int sort_by(vector[int32_t]& rows, const vector[double]& values) except -1:
    """Sorts rows by their values; rows of equal values stay in order."""
    cdef vector[pair[double, int32_t]] order
    cdef size_t i
    for i in range(rows.size()):
        order.push_back(pair[double, int32_t](values[rows[i]], rows[i]))
    sort(order.begin(), order.end())
    for i in range(rows.size()):
        rows[i] = order[i].second
    return 0


@cython.final
cdef class NumberTests:
    """Makes features with tests of those without. `number_of` says what a term is ordered by, NaN for no number."""

    cdef Language language
    cdef Tables tables
    cdef Tree tree
    cdef ChildTests tests
    cdef StandIns stand_ins
    cdef object number_of
    cdef vector[double] number        # term -> the same, ...
    cdef vector[uint8_t] is_known     # ... where it has been asked for
    cdef vector[vector[int32_t]] bases   # size -> nodes
    cdef int looked_at                # nodes that were looked at, whether they are bases
    cdef vector[int32_t] constants    # the terms whose numbers tests have
    cdef vector[int64_t] constants_at    # node -> its own, from here; -1 for none
    cdef unordered_map[int32_t, int32_t] last_with   # coverage -> the last node made in this size that has it
    cdef vector[int32_t] one_before   # node -> the one before it, ...
    cdef vector[double] gap_of        # ... and the narrowest of its gaps
    cdef int beam
    cdef bint begun                   # whether bases are listed for this size; then those of
    cdef int at_size                  # ... this size come next (0: tests of the head alone)
    cdef size_t at                    # ... from this place on
    cdef int first_made               # the first node that is made in this size
    cdef vector[TakenOver] taken_over   # since the last rest
    cdef vector[int32_t] literals_before   # of these nodes, one after the other
    cdef bint rolled_back             # whether nodes are what they were before that
    cdef bint to_the_end              # whether a test that leaves out nothing can be of use
    # The base at hand.
    cdef int size, limit, mode
    cdef KeyTable* keys
    cdef vector[int32_t] sequence     # its literals, and the tests chosen so far
    cdef vector[int32_t] chosen       # a term for each of these tests ...
    cdef vector[double] gaps          # ... and its gap
    cdef vector[int32_t] row_keys
    cdef vector[NumberTest] here
    cdef vector[int32_t] variables    # of each column ...
    cdef vector[int32_t] sources      # ... and which column of the data has the value for it, -1 for none
    cdef vector[vector[int32_t]] terms, order   # column -> the term in each row; rows by their numbers
    cdef vector[vector[double]] values
    cdef vector[vector[int32_t]] without_number
    cdef vector[vector[uint8_t]] passing   # tests chosen -> whether each row passes them
    cdef vector[Shape] shapes         # tests chosen -> the shape
    cdef vector[int32_t] entered      # rows in the order they come in, for one test
    cdef vector[uint8_t] is_boundary
    cdef vector[int32_t] seen         # key -> the last turn it was met in
    cdef int turn
    cdef vector[uint64_t] bits

    def __init__(self, ChildTests tests, StandIns stand_ins, number_of, int beam):
        self.language = tests.language
        self.tables = tests.tables
        self.tree = tests.tree
        self.tests = tests
        self.stand_ins = stand_ins
        self.number_of = number_of
        self.beam = beam
        self.bases.resize(self.language.max_body + 2)
        self.passing.resize(self.language.max_body + 2)
        self.shapes.assign(self.language.max_body + 2, empty_shape(self.language))
        self.bits.assign(max(1, tests.weights.words), 0)
        self.looked_at = self.first_made = 1

    # -- one size -------------------------------------------------------------------------------------------

    cdef bint expand(self) except -1:
        """Makes the features with tests that have one literal more than the nodes of the current size; False when stopped."""
        cdef int wanted = self.tree.size + 1
        if wanted > self.tests.last:
            return True
        if not self.begun:
            self.list_bases()
            self.last_with.clear()
            self.first_made = <int>self.tree.nodes.size()
            self.begun = True
            self.tests.rest()
        if self.at_size == 0:
            if wanted == 1 and not self.test_heads():
                return False
            self.at_size = 1
        while self.at_size < wanted:
            while self.at < self.bases[self.at_size].size():
                if self.tests.rests() or not self.add_tests(self.bases[self.at_size][self.at], wanted - self.at_size):
                    return False
                self.at += 1
            self.at_size += 1
            self.at = 0
        if self.tests.takes_due():
            return False
        self.at_size = 0
        self.begun = False
        return True

    cdef int list_bases(self) except -1:
        """Takes note of the nodes that tests can be added to."""
        cdef vector[int32_t] sequence
        cdef Node* node
        cdef int number, size
        for number in range(self.looked_at, <int>self.tree.nodes.size()):
            node = &self.tree.nodes[number]
            if not node.grows or node.mode == PATH or node.head == 0:
                continue
            sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
            self.tables.shape_only(sequence.data(), node.size)
            if self.list_tests(&self.tables.shape_of[node.size], False):
                self.bases[node.size].push_back(number)
        self.looked_at = <int>self.tree.nodes.size()
        if self.beam:
            for size in range(1, <int>self.bases.size()):
                self.tests.keep_promising(self.bases[size], self.beam)
        return 0

    cdef int list_tests(self, const Shape* shape, bint of_head) except -1:
        """The tests that fit a feature, on its own variables or those of the head, are then `here`; how many."""
        cdef NumberTest test
        cdef Literal* literal
        cdef TestKind* kind
        cdef int v, l, first = 0 if of_head else self.language.nhead
        cdef int end = self.language.nhead if of_head else shape.nvars
        self.here.clear()
        self.variables.clear()
        self.sources.clear()
        for v in range(first, end):
            for l in range(self.language.first_test, <int>self.language.literals.size()):
                literal = &self.language.literals[l]
                if literal.args[0] != v or not types_fit(shape, literal):
                    continue
                kind = &self.language.kinds[literal.predicate - <int>len(self.language.predicates)]
                test.literal = l
                test.column = 0
                while test.column < <int>self.variables.size() and (
                    self.variables[test.column] != v or self.sources[test.column] != kind.column
                ):
                    test.column += 1
                if test.column == <int>self.variables.size():
                    self.variables.push_back(v)
                    self.sources.push_back(kind.column)
                test.at_least = kind.at_least
                test.least, test.greatest = kind.least, kind.greatest
                self.here.push_back(test)
        return <int>self.here.size()

    cdef bint test_heads(self) except -1:
        """The tests on head variables; False when stopped."""
        cdef int v, k
        cdef size_t i
        cdef vector[NumberTest] all_tests
        cdef vector[int32_t] variables, sources
        self.to_the_end = True
        self.size = 0
        self.limit = self.language.max_body + 1
        self.sequence.clear()
        self.shapes[0] = empty_shape(self.language)
        self.list_tests(&self.shapes[0], True)
        all_tests, variables, sources = self.here, self.variables, self.sources
        for v in range(<int>variables.size()):
            self.tests.enter(FREE, -1, 1, 0)
            self.mode = self.tests.child_mode(<uint64_t>1 << variables[v])
            self.keys = self.tables.head_keys.table(<uint64_t>1 << variables[v])
            self.row_keys.clear()
            for k in range(self.keys.count):
                self.row_keys.push_back(k)
            self.here.clear()
            for i in range(all_tests.size()):
                if all_tests[i].column == v:
                    self.here.push_back(all_tests[i])
                    self.here.back().column = 0
            self.terms.resize(1)
            self.terms[0] = self.keys.values[variables[v]]
            self.take_values(self.terms[0], sources[v])
            self.order_rows()
            if not self.search(0, 0, 1):
                return False
        return True

    cdef bint add_tests(self, int number, int count) except -1:
        """Adds so many tests to a base; False when stopped."""
        cdef Node node = self.tree.nodes[number]
        if node.limit < node.size + count + 1 or (self.beam and count > 3):
            return True
        self.load(number)
        if <int>self.here.size() < count:
            return True
        self.to_the_end = (
            not self.language.singletons or self.language.limits.required != 0
            or self.language.limits.types.size() > 0
        )
        self.size, self.limit, self.mode = node.size, node.limit, node.mode
        self.order_rows()
        return self.search(0, 0, count)

    cdef int load(self, int number) except -1:
        """Makes the table of a base."""
        cdef Node node = self.tree.nodes[number]
        cdef size_t c
        self.sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
        self.tests.enter(node.mode, node.bits, node.peak, node.head)
        self.tables.take_block(0, self.tests.weights.count, False)
        self.tables.build(self.sequence.data(), node.size)
        self.shapes[0] = self.tables.shape_of[node.size]
        self.list_tests(&self.shapes[0], False)
        self.keys = self.tables.head_keys.table(node.head)
        self.row_keys = self.tables.rows_of[node.size]
        self.terms.resize(self.variables.size())
        for c in range(self.variables.size()):
            self.terms[c] = self.tables.columns_of[node.size][self.variables[c] - self.language.nhead]
            self.take_values(self.terms[c], self.sources[c])
        return 0

    cdef int take_values(self, vector[int32_t]& terms, int source) noexcept:
        """Puts the value that a column of the data has for each term in its place, -1 where it has none."""
        cdef size_t i
        cdef int64_t at, count
        if source < 0:
            return 0
        count = self.language.column_values[source].size()
        for i in range(terms.size()):
            at = <int64_t>terms[i] - self.language.column_first[source]
            if at >= 0 and at < count:
                terms[i] = self.language.column_values[source][at]
            else:
                terms[i] = -1
        return 0

    cdef int order_rows(self) except -1:
        """The rows by the numbers in each column."""
        cdef size_t c, row, n = self.row_keys.size()
        self.values.resize(self.terms.size())
        self.order.resize(self.terms.size())
        self.without_number.resize(self.terms.size())
        for c in range(self.terms.size()):
            self.values[c].resize(n)
            self.without_number[c].clear()
            self.order[c].clear()
            for row in range(n):
                self.values[c][row] = self.look_up(self.terms[c][row])
                if self.values[c][row] != self.values[c][row]:
                    self.without_number[c].push_back(<int32_t>row)
                else:
                    self.order[c].push_back(<int32_t>row)
            sort_by(self.order[c], self.values[c])
        self.passing[0].assign(n, 1)
        self.seen.assign(self.keys.count, 0)
        self.turn = 0
        self.chosen.clear()
        self.gaps.clear()
        return 0

    cdef double look_up(self, int32_t term) except? -1:
        if term < 0:
            return NAN
        if <size_t>term >= self.number.size():
            self.number.resize(term + 1 + term // 2, 0)
            self.is_known.resize(self.number.size(), 0)
        if not self.is_known[term]:
            self.number[term] = self.number_of(term)
            self.is_known[term] = 1
        return self.number[term]

    # -- the tests of one base ------------------------------------------------------------------------------

    cdef bint search(self, int depth, size_t first, int left) except -1:
        """Adds so many tests more, from the first of those that may come next on; False when stopped."""
        cdef size_t t
        for t in range(first, self.here.size() - left + 1):
            self.tests.besides += A_TEST
            if self.tests.takes_due():
                return False
            self.shapes[depth + 1] = self.shapes[depth]
            add_literal(&self.shapes[depth + 1], &self.language.literals[self.here[t].literal], self.language.head)
            if not is_possible(self.language, &self.shapes[depth + 1]):
                continue
            if left == 1:
                self.choose_last(depth, t)
            elif not self.choose(depth, t, left):
                return False
        return True

    cdef bint find_boundaries(self, int depth, size_t t, bint of_keys) except -1:
        """Lists the rows that pass so far in the order they come in, of each key all or the first; marks the boundaries."""
        cdef NumberTest* test = &self.here[t]
        cdef const int32_t* order = self.order[test.column].data()
        cdef const double* value = self.values[test.column].data()
        cdef const uint8_t* passing = self.passing[depth].data()
        cdef size_t i, n = self.order[test.column].size(), start, end, first = 0
        cdef int32_t row
        cdef int k
        cdef bint below = False, pos, neg, reached, reached_one = False, missed_one = False, some = False, cut_off = False
        cdef double now, looser
        self.turn += 1
        self.entered.clear()
        for i in range(n):
            row = order[n - 1 - i] if test.at_least else order[i]
            if passing[row]:
                if of_keys:
                    if self.seen[self.row_keys[row]] == self.turn:
                        continue
                    self.seen[self.row_keys[row]] = self.turn
                self.entered.push_back(row)
        self.tests.work += n
        for i in range(self.without_number[test.column].size()):
            row = self.without_number[test.column][i]
            k = self.row_keys[row]
            if passing[row] and self.keys.neg[k] and not (of_keys and self.seen[k] == self.turn):
                below = True
        self.is_boundary.assign(self.entered.size(), 0)
        looser = -INFINITY if test.at_least else INFINITY
        end = self.entered.size()
        while end > 0:
            # Those with the same number, from the last that come in to the first.
            now = value[self.entered[end - 1]]
            pos = neg = False
            start = end
            while start > 0 and value[self.entered[start - 1]] == now:
                start -= 1
                k = self.row_keys[self.entered[start]]
                pos = pos or self.keys.pos[k] > 0
                neg = neg or self.keys.neg[k] > 0
            if test.at_least:
                reached = now >= test.least and looser < test.greatest
            else:
                reached = now <= test.greatest and looser > test.least
            if reached:
                first = end
            elif first:
                cut_off = True
            if pos:
                if reached and (below or (not reached_one and (missed_one or self.to_the_end))):
                    self.is_boundary[end - 1] = some = True
                reached_one = reached_one or reached
                missed_one = missed_one or not reached
                below = neg
            else:
                below = below or neg
            looser = now
            end = start
        if cut_off:
            self.is_boundary[first - 1] = some = True
        return some

    cdef bint choose(self, int depth, size_t t, int left) except -1:
        """Goes on with each number for a test that is not the last; False when stopped."""
        cdef vector[int32_t] entered
        cdef vector[Boundary] found
        cdef Boundary one
        cdef int64_t pos = 0, neg = 0, price = 0, least, least_price
        cdef size_t i, at = 0, f
        cdef int k, smallest
        if not self.find_boundaries(depth, t, False):
            return True
        smallest = self.size + <int>self.chosen.size() + left
        smallest += literals_missing(self.language, &self.shapes[depth + 1])
        least = self.tests.least(smallest)
        least_price = self.tests.weights.least_price(self.tests.weight_of(smallest))
        self.turn += 1
        for i in range(self.entered.size()):
            k = self.row_keys[self.entered[i]]
            if self.seen[k] != self.turn:
                self.seen[k] = self.turn
                pos += self.keys.pos[k]
                neg += self.keys.neg[k]
                price += self.keys.price[k]
            if self.is_boundary[i] and pos > least and price >= least_price:
                one.end = i + 1
                one.promise = self.tests.weights.promise(pos, neg)
                one.gap = self.gap_after(t, i)
                found.push_back(one)
        if self.beam:
            self.keep_best_boundaries(found)
        entered.swap(self.entered)
        self.passing[depth + 1].assign(self.row_keys.size(), 0)
        for f in range(found.size()):
            while at < found[f].end:
                self.passing[depth + 1][entered[at]] = 1
                at += 1
            self.sequence.push_back(self.here[t].literal)
            self.chosen.push_back(self.terms[self.here[t].column][entered[at - 1]])
            self.gaps.push_back(found[f].gap)
            if not self.search(depth + 1, t + 1, left - 1):
                return False
            self.gaps.pop_back()
            self.chosen.pop_back()
            self.sequence.pop_back()
        return True

    cdef int keep_best_boundaries(self, vector[Boundary]& found) except -1:
        """Leaves those with the highest promise, in their order, for a beam."""
        cdef size_t i, kept = 0
        self.tests.narrowed = self.tests.narrowed or found.size() > <size_t>self.beam
        if found.size() <= <size_t>self.beam:
            return 0
        least = sorted([found[i].promise for i in range(found.size())], reverse=True)[self.beam - 1]
        for i in range(found.size()):
            if kept < <size_t>self.beam and found[i].promise >= <int64_t>least:
                found[kept] = found[i]
                kept += 1
        found.resize(kept)
        return 0

    cdef int choose_last(self, int depth, size_t t) except -1:
        """Makes a feature of each number for the last test."""
        cdef Candidate candidate
        cdef Shape* shape = &self.shapes[depth + 1]
        cdef int size = self.size + <int>self.chosen.size() + 1, k, at, example
        cdef size_t i
        candidate.smallest = size + literals_missing(self.language, shape)
        if candidate.smallest > self.tests.last:
            return 0
        candidate.child.literal = self.here[t].literal
        candidate.child.depth = size - 1
        candidate.child.mode = self.mode
        candidate.child.nvars_before = shape.nvars
        candidate.child.shape = shape[0]
        candidate.waiting = waiting_literals(self.language, self.sequence.data(), size - 1, self.here[t].literal)
        candidate.complete = self.tests.is_complete(&candidate)
        if not candidate.complete or not self.find_boundaries(depth, t, True):
            return 0
        if self.beam:
            self.leave_promising()
        candidate.coverage.bits = self.bits.data()
        candidate.coverage.pos = candidate.coverage.neg = candidate.coverage.price = 0
        candidate.wide = False
        memset(self.bits.data(), 0, self.tests.weights.words * sizeof(uint64_t))
        for i in range(self.entered.size()):
            k = self.row_keys[self.entered[i]]
            candidate.coverage.pos += self.keys.pos[k]
            candidate.coverage.neg += self.keys.neg[k]
            candidate.coverage.price += self.keys.price[k]
            for at in range(self.keys.examples_from[k], self.keys.examples_from[k + 1]):
                example = self.keys.examples[at]
                self.bits[example >> 6] |= <uint64_t>1 << (example & 63)
            if self.is_boundary[i]:
                self.tests.tested += 1
                if self.tests.is_dead(&candidate):
                    self.tests.dead += 1
                else:
                    self.make_node(&candidate, self.terms[self.here[t].column][self.entered[i]], self.gap_after(t, i))
        return 0

    cdef int leave_promising(self) except -1:
        """Leaves only the most promising boundaries of keys, for a beam."""
        cdef vector[Boundary] found
        cdef Boundary one
        cdef int64_t pos = 0, neg = 0
        cdef size_t i
        for i in range(self.entered.size()):
            pos += self.keys.pos[self.row_keys[self.entered[i]]]
            neg += self.keys.neg[self.row_keys[self.entered[i]]]
            if self.is_boundary[i]:
                one.end = i
                one.promise = self.tests.weights.promise(pos, neg)
                found.push_back(one)
        self.keep_best_boundaries(found)
        self.is_boundary.assign(self.entered.size(), 0)
        for i in range(found.size()):
            self.is_boundary[found[i].end] = 1
        return 0

    cdef double gap_after(self, size_t t, size_t i) noexcept:
        """How far the next row that comes in is from one, as a part of all that there is of a test's variable."""
        cdef const double* value = self.values[self.here[t].column].data()
        cdef vector[int32_t]* order = &self.order[self.here[t].column]
        cdef double all_of_it = value[order[0].back()] - value[order[0].front()]
        if i + 1 >= self.entered.size() or all_of_it <= 0:
            return 1
        return abs(value[self.entered[i]] - value[self.entered[i + 1]]) / all_of_it

    cdef int make_node(self, const Candidate* candidate, int32_t term, double gap) except -1:
        cdef const Shape* shape = &candidate.child.shape
        cdef Node node
        cdef size_t i
        cdef int number
        for i in range(self.gaps.size()):
            gap = min(gap, self.gaps[i])
        node.size = candidate.child.depth + 1
        node.mode = candidate.child.mode
        node.nvars = shape.nvars
        node.complete = True
        node.head = shape.head_seen
        node.types = own_types(self.language, shape)
        node.counts = shape.counts
        node.marks = shape.marks
        node.head_types = found_head_types(self.language, shape)
        node.bits = self.tests.pool.store(candidate.coverage.bits)
        node.limit = self.tests.limit_of(candidate, self.limit)
        node.expanded = node.grows = False
        node.rows = node.peak = 0
        node.list_at = 0
        if self.is_known_already(&node, candidate.child.literal, term, gap):
            return 0
        number = self.tree.add(node, self.sequence.data(), candidate.child.literal)
        self.constants_at.resize(number + 1, -1)
        self.gap_of.resize(number + 1, 0)
        self.note_constants(number, term, gap)
        self.one_before.resize(number + 1, -1)
        self.one_before[number] = self.last_with[node.bits] - 1 if self.last_with.count(node.bits) else -1
        self.last_with[node.bits] = number + 1
        return 0

    cdef int note_constants(self, int number, int32_t term, double gap) except -1:
        self.constants_at[number] = self.constants.size()
        self.constants.insert(self.constants.end(), self.chosen.begin(), self.chosen.end())
        self.constants.push_back(term)
        self.gap_of[number] = gap
        return 0

    cdef bint is_known_already(self, const Node* node, int literal, int32_t term, double gap) except -1:
        """Whether another feature stands in for this one (`stand_ins`); not where it would take long to tell.

        One of the same size takes over the literals of this one, if its gaps are wider.
        """
        cdef int other, i
        if not self.stand_ins.use_stand_in or self.language.head_outputs:
            return False
        other = self.last_with[node.bits] - 1 if self.last_with.count(node.bits) else -1
        while other >= 0:
            if stands_in(self.language, &self.tree.nodes[other], node):
                if gap > self.gap_of[other] and stands_in(self.language, node, &self.tree.nodes[other]):
                    if self.tests.at_rest is not None:
                        self.remember(other)
                    for i in range(node.size - 1):
                        self.tree.sequences[self.tree.nodes[other].sequence + i] = self.sequence[i]
                    self.tree.sequences[self.tree.nodes[other].sequence + node.size - 1] = literal
                    self.tree.nodes[other].head = node.head
                    self.note_constants(other, term, gap)
                return True
            other = self.one_before[other]
        return self.stand_ins.has_stand_in(node, 0)

    cdef int remember(self, int number) except -1:
        """What a node is, before it takes over the literals of another one."""
        cdef TakenOver before
        before.node = number
        before.head = self.tree.nodes[number].head
        before.constants_at = self.constants_at[number]
        before.gap = self.gap_of[number]
        self.taken_over.push_back(before)
        self.literals_before.insert(
            self.literals_before.end(), self.tree.literals_of(number),
            self.tree.literals_of(number) + self.tree.nodes[number].size,
        )
        return 0

    cdef int roll(self, bint back) except -1:
        """Makes all nodes what they were at the last rest; or, not `back`, what they were before that."""
        cdef size_t i, k, at = self.literals_before.size() if back else 0
        for i in range(self.taken_over.size()):
            k = self.taken_over.size() - 1 - i if back else i
            if back:
                at -= self.tree.nodes[self.taken_over[k].node].size
            self.exchange(&self.taken_over[k], self.literals_before.data() + at)
            if not back:
                at += self.tree.nodes[self.taken_over[k].node].size
        self.rolled_back = back
        return 0

    cdef int exchange(self, TakenOver* other, int32_t* literals) noexcept:
        """Puts what a node was in its place, and what it is in the place of that."""
        cdef Node* node = &self.tree.nodes[other.node]
        cdef TakenOver now
        cdef int32_t literal
        cdef int i
        for i in range(node.size):
            literal = literals[i]
            literals[i] = self.tree.sequences[node.sequence + i]
            self.tree.sequences[node.sequence + i] = literal
        now = other[0]
        other.head, other.constants_at, other.gap = node.head, self.constants_at[other.node], self.gap_of[other.node]
        node.head, self.constants_at[now.node], self.gap_of[now.node] = now.head, now.constants_at, now.gap
        return 0

    # -- what was found -------------------------------------------------------------------------------------

    def terms_of(self, int number):
        """The terms whose numbers the tests of a node have."""
        cdef int i, first
        cdef Node* node = &self.tree.nodes[number]
        if number >= <int>self.constants_at.size() or self.constants_at[number] < 0:
            return []
        first = <int>self.constants_at[number]
        return [self.constants[first + i] for i in range(self.count_tests(number))]

    cdef int count_tests(self, int number) noexcept:
        cdef int i, count = 0
        for i in range(self.tree.nodes[number].size):
            count += self.tree.literals_of(number)[i] >= self.language.first_test
        return count

    def rows_of(self, int number):
        """What the tests of a node are on: the key of each row of its base, and for each test the term in each row."""
        cdef vector[int32_t] sequence, terms
        cdef Literal* literal
        cdef int count = self.count_tests(number), i
        cdef int v
        cdef Node node = self.tree.nodes[number]
        sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
        on, sources = [], []
        for i in range(node.size - count, node.size):
            literal = &self.language.literals[sequence[i]]
            on.append(literal.args[0])
            sources.append(self.language.kinds[literal.predicate - <int>len(self.language.predicates)].column)
        if node.size == count:
            v = on[0]
            terms = self.tables.head_keys.table(<uint64_t>1 << v).values[v]
            self.take_values(terms, sources[0])
            return list(range(<int>terms.size())), [list(terms) for _ in on]
        self.tests.enter(node.mode, node.bits, 1, node.head)
        self.tables.take_block(0, self.tests.weights.count, False)
        self.tables.build(sequence.data(), node.size - count)
        columns = []
        for v, i in zip(on, sources):
            terms = self.tables.columns_of[node.size - count][v - self.language.nhead]
            self.take_values(terms, i)
            columns.append(list(terms))
        return list(self.tables.rows_of[node.size - count]), columns
