"""The search: works off the nodes of one size after the other (see `features.pyx` for what it does, and why)."""

cdef enum:
    COLLECTED = 1 << 24               # bytes that a beam takes for what features of a size cover


@cython.final
cdef class FeatureSearch:
    """The enumeration; `expand` works off one size.

    `bias` is a `kernel.forms.language.KernelBias`; `without` names the prunings to leave out.
    """

    cdef Language language
    cdef LiteralLists lists
    cdef Tables tables
    cdef CoveragePool pool
    cdef Tree tree
    cdef ChildTests tests
    cdef Merger merger
    cdef StandIns stand_ins
    cdef NumberTests numbers          # None where there are no tests
    cdef ExampleWeights weights
    cdef int beam                     # nodes of a size to expand, at most; 0: all
    cdef int64_t most_work            # see `narrow`; 0 for no limit
    cdef bint tied                    # whether there are sealed nodes and paths; else all nodes are free

    def __init__(
        self, bias, without, examples, pos_weight, neg_weight, int64_t size_weight, make_index,
        size_t row_limit=1 << 22, Ties ties=None, int beam=0, claim=None, number_of=None,
    ):
        cdef ExampleWeights weights = ExampleWeights(pos_weight, neg_weight)
        cdef Room room = Room(claim)
        self.language = Language(bias)
        self.lists = LiteralLists(self.language, make_index)
        self.tables = Tables(self.lists, HeadKeys(examples, pos_weight, neg_weight), row_limit, room)
        self.pool = CoveragePool(weights.words, room)
        self.tree = Tree(self.lists, "order" not in without, room)
        self.tests = ChildTests(self.tree, self.tables, weights, self.pool, ties, size_weight, without)
        self.merger = Merger(self.tests)
        self.stand_ins = StandIns(self.tree, self.pool, "stand_in" not in without)
        if self.language.first_test < <int>self.language.literals.size():
            self.numbers = NumberTests(self.tests, self.stand_ins, number_of, beam)
        self.weights = weights
        self.beam = beam
        self.tied = ties is not None
        if self.tied:
            self.tree.paths.push_back(0)
            self.find_near_keys(ties, weights)

    cdef int find_near_keys(self, Ties ties, ExampleWeights weights) except -1:
        """The keys of examples from which a path can lead to another head variable."""
        cdef int v, i
        cdef vector[uint64_t] near
        for v in range(self.language.nhead):
            near.assign(max(1, weights.words), 0)
            for i in range(weights.count):
                if ties.is_near(v, i):
                    near[i >> 6] |= <uint64_t>1 << (i & 63)
            self.tables.mark_keys(NEAR, v, near)
        return 0

    # -- one size -------------------------------------------------------------------------------------------

    @property
    def size(self):
        """Of the nodes that `expand` works off next."""
        return self.tree.size

    def expand(self, should_stop=None):
        """Works off all nodes of the current size. False when `should_stop()` said so before the end."""
        cdef size_t i
        self.tests.set_stop(should_stop)
        for i in range(self.tree.level.size()):
            if self.is_over():
                break
            if ((i & 15) == 0 and self.tests.is_stopped()) or not self.expand_node(self.tree.level[i]):
                return False
        for i in range(self.tree.paths.size()):
            if self.is_over():
                break
            if ((i & 15) == 0 and self.tests.is_stopped()) or not self.expand_path(self.tree.paths[i]):
                return False
        if self.language.reading and not self.is_over() and not self.merger.merge_all():
            return False
        if self.numbers is not None and not self.is_over() and not self.numbers.expand():
            return False
        if self.beam:
            self.tests.narrowed = self.tests.narrowed or self.tree.next_level.size() > <size_t>self.beam
            self.tests.keep_promising(self.tree.next_level, self.beam)
            self.tests.keep_promising(self.tree.mergers[self.tree.size + 1], self.beam // 2)  # of which pairs are made
            self.tree.next_paths.resize(min(self.tree.next_paths.size(), <size_t>self.beam))
        self.tree.next_size()
        return True

    def narrow(self, int64_t work, int64_t rows, int64_t fanout):
        """For a quick look: no more than so much work, and no tables with more rows than that and for each key.

        Each size has an equal part of the work, and what the smaller ones left of theirs.
        """
        self.most_work = work
        self.tests.most_rows = rows
        self.tests.most_fanout = fanout

    cdef bint is_over(self) noexcept:
        """Whether the work for this size, and those before it, is used up."""
        cdef int64_t work = self.tests.coverage_test.work
        if self.most_work == 0 or work < self.most_work * (self.tree.size + 1) // self.language.max_body:
            return False
        self.tests.narrowed = True
        return True

    @property
    def narrowed(self):
        """Whether something was left out, for the beam or the limits of `narrow`."""
        return self.tests.narrowed

    @property
    def work(self):
        """Rows of tables that were gone through."""
        return self.tests.coverage_test.work

    def next_work(self):
        """How much work the next `expand` will be, about: each literal is tested on each row."""
        cdef size_t i
        cdef double work = 0
        cdef Node* node
        for i in range(self.tree.level.size()):
            node = &self.tree.nodes[self.tree.level[i]]
            work += <double>self.tests.rows_at_once(node.peak, node.head) * self.tree.count_list(self.tree.level[i])
        return int(work)

    def end_at(self, int body):
        """From now on, a rule with more body literals than this is of no use, as its size costs too much."""
        self.tests.last = min(self.tests.last, body)

    def set_prices(self, prices, int64_t others, int shift, int64_t bound):
        """Only rules of programs that cost less than the bound are asked for (`example_weights`)."""
        self.weights.set_prices(prices, others, shift, bound)
        self.tables.head_keys.set_prices(prices)

    cdef bint expand_node(self, int number) except -1:
        """Makes the children of a node; False when it was stopped."""
        cdef Node node = self.tree.nodes[number]
        cdef int literal
        cdef size_t i
        cdef vector[int32_t] literals, sequence
        if not node.expanded or node.size >= self.tests.last:
            return True
        self.tree.take_list(number, literals)
        sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
        self.tests.enter(node.mode, node.bits, node.peak, node.head)
        if number == 0 and self.tests.partners is not None:
            self.tests.find_partners(literals)
        # All are tested before the first child is made, for it needs to know what became of the rest.
        self.tests.clear(&self.tests.found)
        if node.mode == SEALED:
            if not self.tests.try_sealed(sequence.data(), &node, literals, &self.tests.found):
                return False
        elif not self.tests.try_out(sequence.data(), node.size, node.limit, literals, &self.tests.found):
            return False
        if not self.tests.judge_all(sequence.data(), literals, &self.tests.found):
            return False
        for i in range(literals.size()):
            literal = literals[i]
            if self.tree.outcomes[literal].what == NODE:
                if number == 0 and self.tied and self.tree.nodes[self.tree.outcomes[literal].child].mode == FREE:
                    self.tree.hand_all(literal)
                else:
                    self.tree.hand_down(number, literal)
        return True

    cdef bint expand_path(self, int number) except -1:
        """Makes the children of a path; False when it was stopped."""
        cdef Node node = self.tree.nodes[number]
        cdef int child
        cdef size_t i
        cdef vector[int32_t] literals, sequence
        if node.size >= self.tests.last:
            return True
        sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
        if number == 0:
            self.list_beginnings(literals)
        else:
            self.list_next(&node, sequence, literals)
        self.tests.enter(PATH, -1, node.peak, node.head)
        if not self.tests.test(sequence.data(), node.size, node.limit, literals):
            return False
        for i in range(literals.size()):
            if self.tree.outcomes[literals[i]].what == NODE:
                child = self.tree.outcomes[literals[i]].child
                if not self.tree.nodes[child].expanded:
                    continue
                if self.tree.nodes[child].mode == PATH:
                    self.tree.next_paths.push_back(child)
                else:
                    self.tree.hand_all(literals[i])
        return True

    cdef int list_beginnings(self, vector[int32_t]& literals) except -1:
        """The literals that begin a path: at one head variable, and there is another one to go to."""
        cdef vector[int32_t]* order = &self.lists.order[self.language.nhead]
        cdef uint64_t variables, start
        cdef size_t i
        for i in range(order.size()):
            variables = self.language.literals[order[0][i]].variables
            start = variables & self.language.head
            if start and not start & (start - 1) and variables != start and not start >> (self.language.nhead - 1):
                literals.push_back(order[0][i])
        return 0

    cdef int list_next(self, const Node* node, vector[int32_t]& sequence, vector[int32_t]& literals) except -1:
        """The literals that continue a path: on what is new in its last literal alone, and on to something else."""
        cdef vector[int32_t]* order = &self.lists.order[node.nvars]
        cdef uint64_t old = (<uint64_t>1 << node.nvars) - 1, last, variables, heads
        cdef size_t i
        cdef int k
        last = self.language.literals[sequence[node.size - 1]].variables & ~self.language.head
        for k in range(node.size - 1):
            last &= ~self.language.literals[sequence[k]].variables
        for i in range(order.size()):
            variables = self.language.literals[order[0][i]].variables
            heads = variables & self.language.head
            if not variables & last or variables & old & ~last & ~self.language.head:
                continue
            if heads & (node.head | (node.head - 1)):
                continue  # where it began, or before
            if heads or variables & ~old:
                literals.push_back(order[0][i])
        return 0

    # -- what was found -------------------------------------------------------------------------------------

    def counts(self):
        return {
            "nodes": self.tree.nodes.size() - 1, "merged": self.merger.merged, "tested": self.tests.tested,
            "dead": self.tests.dead, "equal": self.tests.equal, "closed": self.tests.closed,
            "coverages": self.pool.count, "rows": self.tables.rows_made,
        }

    def collect(self, safety_number):
        """The complete features found since the last call that go on into rules (see `stand_ins`)."""
        return self.stand_ins.collect(safety_number, self.most_promising if self.beam else None)

    def most_promising(self, list found):
        """For a beam: so many features that what they cover takes little room, those that promise most."""
        cdef vector[int32_t] nodes = found
        cdef size_t most = max(<size_t>(16 * self.beam), <size_t>COLLECTED // (max(1, self.pool.words) * sizeof(uint64_t)))
        if nodes.size() > most:
            self.tests.narrowed = True
            self.tests.keep_promising(nodes, <int>most)
        return [number for number in nodes]

    def literals_of(self, int number):
        """The literals of a node, as (predicate, args), in the order they are joined; tests come last."""
        cdef const int32_t* literals = self.tree.literals_of(number)
        cdef int i
        return [self.language.literal_list[literals[i]] for i in range(self.tree.nodes[number].size)]

    def numbers_of(self, int number):
        """The terms whose numbers the tests of a node have."""
        return self.numbers.terms_of(number) if self.numbers is not None else []

    def rows_of(self, int number):
        """What the tests of a node are on (`number_tests`)."""
        return self.numbers.rows_of(number)
