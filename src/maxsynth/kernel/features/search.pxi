"""The search: works off the nodes of one size after the other (see `features.pyx` for what it does, and why)."""

cdef enum:
    COLLECTED = 1 << 24               # bytes that a beam takes for what features of a size cover
    TEST_WORK = 100                   # what a test takes besides, in rows
    WIDE_WORK = 20                    # times as long as its rows tell is what a test takes without a table
    BATCH_ROOM = 1 << 26              # bytes that it may take to keep what was found
    WIDE_PARTS = 16                   # of a node without a table: some children take far longer than others, ...
    WIDE_NODES = 64                   # ... and so do some nodes: of fewer for each thread, all have parts
    WHOLE = -1
    BEGINNING = 5                     # milliseconds that others may take to begin
    # What `expand` does, one after the other.
    LEVEL = 0
    PATHS = 1
    MERGING = 2
    NUMBERS = 3

cdef struct NodePart:
    # A node of a batch, or a part of it.
    int node
    int start, end                    # the places of its literals; WHOLE: all


cdef cppclass Batch:
    # Nodes whose children are tried out together, by all threads.
    vector[int32_t] nodes
    bint paths                        # whether these are paths
    vector[NodePart] parts            # in which they are tried out, ...
    vector[size_t] first_part         # ... for each node the first of them, ...
    Portions portions                 # ... of which a thread takes neighbours, for these begin with the same tables
    vector[Tested] found              # of each part
    size_t known_before               # features that were known when it began
    double work                       # rows to go through, about


cdef int64_t BATCH_WORK = 16_000_000  # rows to go through, about, for each thread between two times that it is judged ...
cdef int64_t LEAST_WORK = 200_000     # ... and all in all, at least, for several threads to be worth it, ...
cdef int64_t LARGE_WORK = 2_000_000   # ... or to begin with them, if there are none yet


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
    cdef object threads               # `search.threads.Threads`; None: there is one
    cdef object elsewhere             # `search.rules.elsewhere.Elsewhere`; None: all is done here
    cdef tuple prices                 # what `set_prices` was last given
    cdef list crew                    # the tests of each of them, once there are several
    cdef Slices slices                # what they do together
    cdef vector[uint64_t] heads       # the sets of head variables that literals have
    cdef Batch first_batch, second_batch
    cdef Batch* tried                 # the one of these that is judged, or comes next to be judged, ...
    cdef Batch* coming                # ... and the one that is tried out meanwhile
    cdef object others                # those who do (`Threads.start`); None: nobody
    cdef size_t ahead                 # nodes that come first after this level, of the batch that others try out; 0: none
    cdef bint tied                    # whether there are sealed nodes and paths; else all nodes are free
    cdef int phase                    # of `expand`: what it does next, ...
    cdef size_t at                    # ... with which node of the level, or which path
    cdef FeatureMark rested           # what there was at the last rest (`saved`)

    def __init__(
        self, bias, without, examples, pos_weight, neg_weight, int64_t size_weight, make_index,
        size_t row_limit=1 << 22, Ties ties=None, int beam=0, claim=None, number_of=None,
        threads=None, expect=None, elsewhere=None,
    ):
        cdef ExampleWeights weights = ExampleWeights(pos_weight, neg_weight)
        cdef Room room = Room(claim)
        self.language = Language(bias)
        self.lists = LiteralLists(self.language, make_index, expect)
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
        self.threads = self.merger.threads = None if self.lists.is_lazy() else threads
        self.elsewhere = None if self.threads is None else elsewhere
        self.tried, self.coming = &self.first_batch, &self.second_batch
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

    def expand(self, should_stop=None, at_rest=None):
        """Works off all nodes of the current size. False when `should_stop()` said so before the end.

        `at_rest()` is called where all can be saved (`saved`); what was restored goes on from there.
        """
        self.tests.set_stop(should_stop, at_rest)
        if self.phase == LEVEL:
            if not self.expand_all(self.tree.level, False):
                return False
            self.phase, self.at = PATHS, 0
        if self.phase == PATHS:
            if not self.expand_all(self.tree.paths, True):
                return False
            self.phase, self.at = MERGING, 0
        if self.phase == MERGING:
            if self.language.reading and not self.is_over():
                if self.crew is None and self.threads is not None and self.threads.ready():
                    self.make_crew()
                if not self.merger.merge_all():
                    return False
            self.phase = NUMBERS
        if self.numbers is not None and not self.is_over() and not self.numbers.expand():
            return False
        self.phase = LEVEL
        if self.beam:
            self.tests.narrowed = self.tests.narrowed or self.tree.next_level.size() > <size_t>self.beam
            self.tests.keep_promising(self.tree.next_level, self.beam)
            self.tests.keep_promising(self.tree.mergers[self.tree.size + 1], self.beam // 2)  # of which pairs are made
            self.tree.next_paths.resize(min(self.tree.next_paths.size(), <size_t>self.beam))
        self.tree.next_size()
        self.tests.rest()
        if self.ahead == 0:
            self.go_ahead(self.tree.level, False)
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
        if self.work_left() > 0:
            return False
        self.tests.narrowed = True
        return True

    cdef double work_left(self) noexcept:
        """How much may be done for this size."""
        if self.most_work == 0:
            return INFINITY
        return <double>(self.most_work * (self.tree.size + 1) // self.language.max_body - self.tests.work)

    @property
    def narrowed(self):
        """Whether something was left out, for the beam or the limits of `narrow`."""
        return self.tests.narrowed

    @property
    def work(self):
        """Rows of tables that were gone through."""
        return self.tests.work

    def next_work(self):
        """How much work the next `expand` will be, about: each literal is tested on each row."""
        cdef size_t i
        cdef double work = 0
        cdef Node* node
        for i in range(self.tree.level.size()):
            node = &self.tree.nodes[self.tree.level[i]]
            if self.ahead and self.tables.head_keys.tables.count(node.head) == 0:
                self.drop_ahead()  # they read the keys that there are, so none can be made
            work += <double>self.tests.rows_at_once(node.peak, node.head) * self.tree.count_list(self.tree.level[i])
        return int(work)

    def end_at(self, int body):
        """From now on, a rule with more body literals than this is of no use, as its size costs too much."""
        if body < self.tests.last:
            self.drop_ahead()
            self.tests.last = body

    def set_prices(self, prices, int64_t others, int shift, int64_t bound):
        """Only rules of programs that cost less than the bound are asked for (`example_weights`)."""
        self.drop_ahead()
        self.prices = prices, others, shift, bound
        self.weights.set_prices(prices, others, shift, bound)
        self.tables.head_keys.set_prices(prices)

    cdef bint expand_all(self, vector[int32_t]& numbers, bint paths) except -1:
        """Makes the children of nodes, or of paths; False when it was stopped."""
        cdef size_t end, sent = worth_sending(self, numbers)
        if self.ahead and self.coming.paths == paths:
            end = self.ahead
            self.catch_up()
            self.ahead = 0
            if not self.judge_batches(numbers, end, paths):
                return False
        while self.at < numbers.size() and not self.is_over():
            if self.at < sent and self.elsewhere.is_ready():
                if not expand_elsewhere(self, numbers, paths):
                    return False
                continue
            end = self.prepare(numbers, self.at, paths, 0, False)
            if end == 0:
                if not self.judge_nodes(numbers, self.at + 1, paths, False):
                    return False
            else:
                self.threads.run(self.work_off, self.tests.pass_on)
                if not self.judge_batches(numbers, end, paths):
                    return False
        return True

    cdef bint judge_nodes(self, vector[int32_t]& numbers, size_t end, bint paths, bint tried) except -1:
        """Judges the nodes up to this place, which were tried out, or are now; False when it was stopped."""
        cdef size_t first = self.at
        cdef Tested* found
        while self.at < end and not self.is_over():
            if (self.at & 15) == 0 and self.tests.rests():
                return False
            if tried:
                found = self.found_of(self.at - first)
                if self.tests.halt.load():
                    return False
            else:
                found = &self.tests.found
                if not self.try_node(self.tests, numbers[self.at], paths, found):
                    return False
            if not self.judge_node(numbers[self.at], paths, found, tried):
                return False
            self.at += 1
        return True

    cdef int list_children(self, int number, bint path, vector[int32_t]& literals) except -1 nogil:
        """The literals that are to be added to a node or path."""
        if not path:
            return self.tree.read_list(number, literals)
        if number == 0:
            return self.list_beginnings(literals)
        return self.list_next(number, literals)

    cdef int enter(self, ChildTests tests, const Node* node, bint path) except -1 nogil:
        return tests.enter(PATH if path else node.mode, -1 if path else node.bits, node.peak, node.head)

    cdef bint try_node(self, ChildTests tests, int number, bint path, Tested* found) except -1 nogil:
        """Tries out the children of a node, or path; False when it was stopped."""
        cdef Node node = self.tree.node(number)[0]
        cdef const int32_t* sequence = self.tree.literals_of(number)
        cdef vector[int32_t] literals
        tests.clear(found)
        if not self.is_expanded(&node, path):
            return True
        self.list_children(number, path, literals)
        self.enter(tests, &node, path)
        if number == 0 and not path and self.tests.partners is not None:
            with gil:
                tests.find_partners(literals)
        if node.mode == SEALED and not path:
            return tests.try_sealed(sequence, &node, literals, found)
        return tests.try_out(sequence, node.size, node.limit, literals, found)

    cdef bint is_expanded(self, const Node* node, bint path) noexcept nogil:
        return node.size < self.tests.last and (path or node.expanded)

    cdef bint judge_node(self, int number, bint path, Tested* found, bint of_batch) except -1:
        """Makes the children of a node, or path, of what was found; False when it was stopped."""
        cdef Node node = self.tree.nodes[number]
        cdef vector[int32_t] literals, sequence
        if not self.is_expanded(&node, path):
            return True
        self.list_children(number, path, literals)
        sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
        if of_batch:
            self.enter(self.tests, &node, path)
            if not self.tests.compare_with_newer(sequence.data(), node.size, found, self.tried.known_before):
                self.wait_for_others()  # there is room for what they found, and this may be something else
                if not self.try_node(self.tests, number, path, found):
                    return False
        self.tree.fall_out(number)
        # All are judged before the first child gets its list, for it needs to know what became of the rest.
        if not self.tests.judge_all(sequence.data(), literals, found):
            return False
        if path:
            self.hand_down_path(literals)
        else:
            self.hand_down(number, literals)
        return True

    cdef int hand_down(self, int number, vector[int32_t]& literals) except -1:
        """Gives the children of a node their lists."""
        cdef size_t i
        cdef int literal
        for i in range(literals.size()):
            literal = literals[i]
            if self.tree.outcomes[literal].what == NODE:
                if number == 0 and self.tied and self.tree.nodes[self.tree.outcomes[literal].child].mode == FREE:
                    self.tree.hand_all(literal)
                else:
                    self.tree.hand_down(number, literal)
        return 0

    cdef int hand_down_path(self, vector[int32_t]& literals) except -1:
        cdef size_t i
        cdef int child
        for i in range(literals.size()):
            if self.tree.outcomes[literals[i]].what == NODE:
                child = self.tree.outcomes[literals[i]].child
                if not self.tree.nodes[child].expanded:
                    continue
                if self.tree.nodes[child].mode == PATH:
                    self.tree.next_paths.push_back(child)
                else:
                    self.tree.hand_all(literals[i])
        return 0

    cdef int list_beginnings(self, vector[int32_t]& literals) except -1 nogil:
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

    cdef int list_next(self, int number, vector[int32_t]& literals) except -1 nogil:
        """The literals that continue a path: on what is new in its last literal alone, and on to something else."""
        cdef const Node* node = self.tree.node(number)
        cdef const int32_t* sequence = self.tree.literals_of(number)
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

    # -- several threads ------------------------------------------------------------------------------------

    cdef bint judge_batches(self, vector[int32_t]& numbers, size_t end, bint paths) except -1:
        """Judges what was tried out last, up to this place, while others try out the batch that comes next; and then
        that, until there is none. False when it was stopped.

        What others read while one thread judges: nodes of this level, with their lists and coverages, and features that
        were known when they began. None of it changes, and none of it moves, for there is room for all that judging can
        add. What becomes known meanwhile, they do not see: but each batch is compared with what is newer than its
        beginning before it is judged, so it makes no difference when it began.
        """
        cdef size_t next
        cdef bint goes_on = True, done = False
        while goes_on:
            self.tried, self.coming = self.coming, self.tried
            if self.tests.halt.load():
                return False
            next = self.begin_next(numbers, end, paths)
            if next == 0 and end == numbers.size():
                self.go_ahead_of_level(paths)
            goes_on = done = False
            try:
                if not self.judge_nodes(numbers, end, paths, True):
                    self.tests.halt.store(1)
                    return False
                done = self.at == end
                goes_on = next != 0 and done
            finally:
                if not done:
                    self.drop_ahead()
                if not goes_on and self.ahead == 0:  # what nobody will judge
                    self.coming.portions.close()
                if self.ahead == 0:
                    self.wait_for_others()
            end = next
        return True

    cdef size_t begin_next(self, vector[int32_t]& numbers, size_t first, bint paths) except? 0:
        """Has the others begin with what comes after the batch to judge; the place after that, 0 for none."""
        cdef size_t end = self.prepare(numbers, first, paths, self.tried.work, True)
        if end:
            self.hold_what_is_read()
            self.others = self.threads.start(self.work_off)
            self.let_begin(self.others)
        return end

    cdef int hold_what_is_read(self) except -1:
        """Makes room for all that judging a batch can add, so that nothing moves that others read meanwhile."""
        cdef size_t most = 0, part
        for part in range(self.tried.parts.size()):
            most += self.tried.found[part].candidates.size()
        self.tree.hold(most)
        self.pool.hold(most)
        self.tests.known.hold(most)
        return 0

    cdef int let_begin(self, list parts) except -1:
        """Waits until the others have begun: for that they need the interpreter, which judging does not let go of."""
        cdef int others = <int>min(<size_t>len(parts), self.coming.parts.size())
        cdef int64_t latest = milliseconds() + BEGINNING
        with nogil:
            while self.coming.portions.count_begun() < others and milliseconds() < latest:
                let_others()
        return 0

    cdef int wait_for_others(self) except -1:
        """Does what is left of the batch that is tried out, with those who do."""
        if self.ahead:
            self.catch_up()
        others, self.others = self.others, None
        if others is not None:
            try:
                self.threads.finish(others, self.work_off, self.tests.pass_on)
            finally:
                self.tests.known.let_go()
        return 0

    # -- ahead ----------------------------------------------------------------------------------------------

    # A level ends where its last batch is judged. Then rules are put together, better programs looked for, and bounds
    # raised, before the next level begins: most of that one thread does alone. So the others go ahead to the first nodes
    # that come after the level, as far as they are known. What they find there is judged when its turn comes, as if it
    # had been tried out then: it is compared with what became known since (`compare_with_newer`), and what else tests
    # depend on, the largest size of a rule (`end_at`) and prices, drops what was done ahead when it changes. So whether
    # others go ahead, and how far they come, makes no difference.

    cdef int go_ahead_of_level(self, bint paths) except -1:
        """Has the others begin with what comes after the level, while its last batch is judged."""
        if self.language.reading:
            return 0  # they are needed for merged features before
        if not paths and self.tree.paths.size():
            return self.go_ahead(self.tree.paths, True)
        return self.go_ahead(self.tree.next_level, False)

    cdef int go_ahead(self, vector[int32_t]& numbers, bint paths) except -1:
        """Has the others begin with these nodes, or paths, which come next."""
        cdef size_t end
        # A look around is over soon; tests of numbers change nodes in the end; and a cluster has its own ways.
        if self.beam or self.numbers is not None or self.elsewhere is not None or numbers.empty():
            return 0
        if self.threads is None or self.threads.ahead is not None:
            return 0
        if self.tree.nodes[numbers[0]].size >= self.tests.last:
            return 0
        end = self.prepare(numbers, 0, paths, 0, True)
        if end == 0:
            return 0
        self.hold_what_is_read()
        self.ahead = end
        self.let_begin(self.threads.go_ahead(self.work_off, self.hold_ahead, self.drop_ahead))
        return 0

    def hold_ahead(self, on):
        """Has the others leave what they do ahead after the nodes at hand, or allows to go on with it."""
        self.coming.portions.hold(on)

    cdef int catch_up(self) except -1:
        """Does what is left of what others do ahead, with them."""
        try:
            self.threads.catch_up(self.tests.pass_on)
        finally:
            self.tests.known.let_go()
        return 0

    def drop_ahead(self):
        """Ends what others do ahead for this search, if they do; it is tried out again when its turn comes."""
        cdef int halt = self.tests.halt.load()
        if self.ahead == 0:
            return
        self.ahead = 0
        self.coming.portions.close()
        self.tests.halt.store(1)
        try:
            self.threads.settle()
        finally:
            self.tests.halt.store(halt)
            self.tests.known.let_go()

    cdef size_t prepare(
        self, vector[int32_t]& numbers, size_t first, bint paths, double before, bint by_others
    ) except? 0:
        """Makes the next batch, from this place on; returns the place after its last node. `before` is the work of those
        that are judged before it.

        0: there is one thread, or it is not worth it to have several, or they do the next node together.
        """
        cdef size_t end
        if self.threads is None or self.threads.jobs == 1:
            return 0
        if self.is_sliced(numbers[first] if first < numbers.size() else 0) and self.threads.ready(large=True):
            if self.crew is None:
                self.make_crew()
            self.tests.slices = self.slices
            return 0
        end = self.end_of_batch(numbers, first, self.work_left() - before)
        if end == 0:
            return 0
        self.divide(numbers, first, end, paths)
        large = self.coming.work >= LARGE_WORK
        if self.coming.parts.size() < 2 or not self.threads.ready(large=large):
            return 0
        self.make_ready(1 if by_others else 0)
        return end

    cdef int try_together(self, vector[int32_t]& numbers, size_t first, size_t end, bint paths) except -1:
        """Tries out the children of nodes, from this place on to that, with as many threads as there are by now."""
        self.divide(numbers, first, end, paths)
        large = self.coming.work >= LARGE_WORK
        self.make_ready(0)
        if self.threads.ready(large=large):
            self.threads.run(self.work_off, self.tests.pass_on)
        else:
            self.work_off(0)
        self.tried, self.coming = self.coming, self.tried
        return 0

    cdef size_t end_of_batch(self, vector[int32_t]& numbers, size_t first, double left) except? 0:
        """The place after the last node of a batch: enough work for all threads, but no more than there is room for, or
        than is `left` to do."""
        cdef double work = 0, time = 0, room = 0, enough = min(left, <double>BATCH_WORK * <int>self.threads.jobs)
        cdef double each = sizeof(Candidate) + self.weights.words * sizeof(uint64_t)
        cdef size_t at = first
        while at < numbers.size() and work < enough and room < BATCH_ROOM and not self.is_sliced(numbers[at]):
            work += self.work_of(numbers[at])
            time += self.time_of(numbers[at])
            room += self.count_literals(numbers[at]) * each
            at += 1
        return at if at > first and time >= LEAST_WORK else 0

    cdef bint is_sliced(self, int number) except -1 nogil:
        """Whether the table of a node is so large that all threads should test its children together (`slices`)."""
        cdef const Node* node = &self.tree.nodes[number]
        return SLICED_ROWS <= node.peak <= self.tests.rows_at_once(node.peak, node.head) and node.size > 0

    cdef int count_literals(self, int number) noexcept nogil:
        """How many children of a node are tried out; of a path, about."""
        return self.tree.count_list(number) if self.tree.nodes[number].mode != PATH else 64

    cdef double work_of(self, int number) except? -1 nogil:
        """How many rows are gone through for all children of a node, about."""
        cdef Node* node = &self.tree.nodes[number]
        cdef double rows = <double>self.tests.rows_at_once(node.peak, node.head)
        if number == 0:  # its one row has no key yet, and gets all of them with each literal
            rows = self.weights.count
        return (rows + TEST_WORK) * self.count_literals(number)

    cdef double time_of(self, int number) except? -1 nogil:
        """The same, or for a node without a table what takes as long."""
        return self.work_of(number) * (WIDE_WORK if self.is_wide(number) else 1)

    cdef bint is_wide(self, int number) except -1 nogil:
        """Whether the children of a node are tested without a table (`tables/wide_tests.pxi`)."""
        cdef Node* node = &self.tree.nodes[number]
        return self.tests.rows_at_once(node.peak, node.head) < node.peak

    cdef int divide(self, vector[int32_t]& numbers, size_t first, size_t end, bint paths) except -1:
        """The parts in which these nodes are tried out, as a batch: each as a whole, but in several where it is large.

        Such a node has more than its share of all work, so that others would wait for the thread that has it. Without a
        table, nobody knows beforehand which those are.
        """
        cdef Batch* batch = self.coming
        cdef double work = 0, time = 0
        cdef size_t at
        cdef NodePart made
        cdef int jobs = self.threads.jobs, count, parts, part
        cdef vector[int32_t] literals
        cdef bint wide
        batch.paths = paths
        batch.nodes.assign(numbers.begin() + first, numbers.begin() + end)
        for at in range(first, end):
            work += self.work_of(numbers[at])
            time += self.time_of(numbers[at])
        batch.parts.clear()
        batch.first_part.clear()
        for at in range(first, end):
            parts = 1
            wide = self.is_wide(numbers[at])
            if self.time_of(numbers[at]) * jobs * (WIDE_NODES if wide else 1) > time and self.is_divisible(numbers[at], paths):
                literals.clear()
                self.list_children(numbers[at], paths, literals)
                count = <int>literals.size()
                if self.time_of(numbers[at]) * jobs > time:
                    parts = jobs
                if wide:
                    parts *= WIDE_PARTS
                parts = max(1, min(parts, count))
            batch.first_part.push_back(batch.parts.size())
            for part in range(parts):
                made.node = numbers[at]
                made.start = count * part // parts
                made.end = count * (part + 1) // parts if parts > 1 else WHOLE
                batch.parts.push_back(made)
        batch.first_part.push_back(batch.parts.size())
        batch.work = work
        return 0

    cdef bint is_divisible(self, int number, bint path) except -1 nogil:
        """Whether the children of a node can be tried out in parts, each with some of the literals in their order.

        What all parts find together must be what one would: each child is tested by itself, on the table or without
        one, and no child needs to know of another but to be equal to it (`ChildTests.join_part`).
        """
        cdef Node* node = &self.tree.nodes[number]
        if not self.is_expanded(node, path) or (path and number == 0):
            return False
        return self.tests.partners is None or (number != 0 and node.mode != SEALED)

    cdef Tested* found_of(self, size_t k) except NULL:
        """What was found about a node of the batch to judge, all parts of it together."""
        cdef Batch* batch = self.tried
        cdef Tested* found = &batch.found[batch.first_part[k]]
        cdef Node node
        cdef size_t part
        if batch.first_part[k] + 1 == batch.first_part[k + 1]:
            return found
        node = self.tree.nodes[batch.nodes[k]]
        self.enter(self.tests, &node, batch.paths)
        for part in range(batch.first_part[k] + 1, batch.first_part[k + 1]):
            if not self.tests.join_part(self.tree.literals_of(batch.nodes[k]), node.size, found, &batch.found[part]):
                self.wait_for_others()  # as in `judge_node`
                self.try_node(self.tests, batch.nodes[k], batch.paths, found)
                break
        return found

    cdef int make_crew(self) except -1:
        """The tests of each thread."""
        cdef uint64_t mask
        cdef size_t i
        cdef int v
        limit = max(<size_t>SLOW, self.tables.row_limit // <size_t>self.threads.jobs)
        self.tables.row_limit = limit
        self.crew = [self.tests] + [self.tests.for_a_thread(limit) for _ in range(self.threads.jobs - 1)]
        for v in range(self.language.nhead):
            self.tables.head_keys.table(<uint64_t>1 << v)
        for i in range(self.language.literals.size()):
            mask = self.language.literals[i].variables & self.language.head
            if mask not in list(self.heads):
                self.heads.push_back(mask)
        self.slices = Slices(self.threads, self.crew, self.tables.head_keys)
        self.slices.heads = self.merger.heads = self.heads
        self.merger.crew = self.crew if len(self.crew) > 1 else None
        return 0

    cdef int make_ready(self, int first) except -1:
        """Begins with the batch that comes. What threads only read must be there before they do.

        `first`: the first thread that has a part in it from the beginning on.
        """
        cdef Batch* batch = self.coming
        cdef ChildTests tests
        cdef uint64_t mask
        cdef size_t i
        cdef int k
        cdef Node* node
        if self.crew is None:
            self.make_crew()
        for tests in self.crew:
            tests.last = self.tests.last
        batch.found.resize(max(batch.found.size(), batch.parts.size()))
        batch.known_before = self.tests.known.tables.size()
        batch.portions.divide(<uint32_t>batch.parts.size(), first, <int>len(self.crew))
        for i in range(batch.nodes.size()):
            node = &self.tree.nodes[batch.nodes[i]]
            mask = 0
            for k in range(node.size):
                self.tables.head_keys.make_all(mask, self.heads)
                mask |= self.language.literals[self.tree.sequences[node.sequence + k]].variables & self.language.head
            self.tables.head_keys.make_all(mask, self.heads)
        return 0

    def work_off(self, int which):
        """Tries out parts of the batch, one after the other that no thread has begun with; for one of the threads."""
        cdef ChildTests tests = self.crew[which]
        cdef Batch* batch = self.coming
        cdef int64_t part
        if which == 0:
            self.tests.slices = None  # the others have nodes of their own
        with nogil:
            batch.portions.begin()
            part = batch.portions.take(which)
            while part >= 0 and self.try_part(tests, &batch.parts[part], batch.paths, &batch.found[part]):
                part = batch.portions.take(which)

    cdef bint try_part(self, ChildTests tests, const NodePart* part, bint paths, Tested* found) except -1 nogil:
        """`try_node` for a part of the children."""
        cdef Node node = self.tree.node(part.node)[0]
        cdef vector[int32_t] all, some
        if part.end == WHOLE:
            return self.try_node(tests, part.node, paths, found)
        tests.clear(found)
        self.list_children(part.node, paths, all)
        some.assign(all.begin() + part.start, all.begin() + part.end)
        self.enter(tests, &node, paths)
        tests.later = part.start > 0
        return tests.try_out(self.tree.literals_of(part.node), node.size, node.limit, some, found)

    # -- saving ---------------------------------------------------------------------------------------------

    def mark(self):
        """Takes note of how much there is, at a rest (`saved`)."""
        cdef FeatureMark mark
        cdef Tree tree = self.tree
        cdef ChildTests tests = self.tests
        mark.nodes, mark.sequences, mark.list_bits = tree.nodes.size(), tree.sequences.size(), tree.list_bits.size()
        mark.next_level, mark.next_paths = tree.next_level.size(), tree.next_paths.size()
        mark.known, mark.coverages = tests.known.tables.size(), self.pool.count
        mark.listed, mark.collected = self.stand_ins.listed.size(), self.stand_ins.collected
        mark.wide = len(tests.wide_known)
        mark.phase, mark.at = self.phase, self.at
        mark.merge_size, mark.merge_at, mark.merged = self.merger.at_size, self.merger.at, self.merger.merged
        mark.last, mark.narrowed = tests.last, tests.narrowed
        mark.work, mark.besides = tests.work, tests.besides
        mark.tested, mark.dead, mark.equal, mark.closed = tests.tested, tests.dead, tests.equal, tests.closed
        mark.rows_made = self.tables.rows_made
        mark.begun, mark.number_size, mark.number_at = False, 0, 0
        mark.first_made = mark.looked_at = 1
        mark.constants = 0
        if self.numbers is not None:
            mark.begun, mark.number_size, mark.number_at = self.numbers.begun, self.numbers.at_size, self.numbers.at
            mark.first_made, mark.looked_at = self.numbers.first_made, self.numbers.looked_at
            mark.constants = self.numbers.constants.size()
            self.numbers.taken_over.clear()
            self.numbers.literals_before.clear()
        self.rested = mark

    def go_on(self):
        """What was saved is written: all is again as it was before `state` was asked for."""
        if self.numbers is not None and self.numbers.rolled_back:
            self.numbers.roll(False)

    def state(self):
        """All that there was at the last rest, as arrays, numbers and lists: to be written, and then comes `go_on`."""
        cdef const FeatureMark* mark = &self.rested
        if mark.next_level > self.tree.next_level.size() or mark.next_paths > self.tree.next_paths.size():
            raise ValueError("it was torn away within a step")
        if self.numbers is not None and not self.numbers.rolled_back:
            self.numbers.roll(True)
        return {
            **tree_state(self.tree, mark),
            **tests_state(self.tests, mark),
            **({} if self.numbers is None else numbers_state(self.numbers, mark)),
            "safety": values_to_save(self.stand_ins.safety_of.data(), mark.collected, sizeof(int32_t)),
            "listed": values_to_save(self.stand_ins.listed.data(), mark.listed, sizeof(int32_t)),
            "at": [
                mark.phase, mark.at, mark.merge_size, mark.merge_at, mark.begun, mark.number_size, mark.number_at,
                mark.first_made, mark.looked_at, mark.collected, mark.last, mark.narrowed,
            ],
            "counted": [
                mark.merged, mark.tested, mark.dead, mark.equal, mark.closed, mark.work, mark.besides,
                mark.rows_made,
            ],
        }

    def restore(self, dict state, int terms):
        """Makes a new search what another one was. Terms are numbered up to `terms`."""
        cdef int collected, first_made, looked_at, number_size
        cdef size_t number_at
        cdef bint begun
        cdef ChildTests tests = self.tests
        (
            self.phase, self.at, self.merger.at_size, self.merger.at, begun, number_size, number_at, first_made,
            looked_at, collected, tests.last, tests.narrowed,
        ) = state["at"]
        (
            self.merger.merged, tests.tested, tests.dead, tests.equal, tests.closed, tests.work,
            tests.besides, self.tables.rows_made,
        ) = state["counted"]
        tests.taken = tests.steps_of_work()
        insist(LEVEL <= self.phase <= NUMBERS and tests.last <= self.language.max_body, "where it was")
        insist(1 <= self.merger.at_size <= max(1, self.language.max_body), "where it was")
        take_pool(self.pool, state, self.weights.count)
        take_tree(self.tree, state, self.pool.count)
        take_known(tests, state)
        take_partners(tests, state["partners"])
        for code, size in state["wide"]:
            insist(type(code) is str and type(size) is int, "a wide feature")
            tests.wide_known[bytes.fromhex(code)] = size
        take_stand_ins(self.stand_ins, state, collected)
        insist((self.numbers is not None) == ("gaps" in state), "the numbers")
        if self.numbers is not None:
            insist(0 <= number_size <= self.language.max_body + 1, "where it was")
            insist(0 < first_made <= <int>self.tree.nodes.size(), "where it was")
            insist(0 < looked_at <= <int>self.tree.nodes.size(), "where it was")
            self.numbers.begun, self.numbers.at_size, self.numbers.at = begun, number_size, number_at
            self.numbers.first_made, self.numbers.looked_at = first_made, looked_at
            take_numbers(self.numbers, state, terms)
        self.mark()

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
