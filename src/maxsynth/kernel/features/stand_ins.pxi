"""The features that rules are put together from (`conjunctions`): those that no earlier one can stand in for.

A feature can stand in for a later one of the same coverage when it has no more variables, as many of each type with a
limit, no higher counts and the same marks (`limits`), at least the same head variables, and the same safety: then it can
take its place in every rule, which gets no larger.
"""


@cython.final
cdef class StandIns:
    """Without `use_stand_in`, every complete feature is collected."""

    cdef Tree tree
    cdef CoveragePool pool
    cdef bint use_stand_in
    cdef int collected                # the nodes that were looked at, up to this number
    cdef vector[int32_t] first        # coverage -> the last item that has it, -1 for none ...
    cdef vector[int32_t] next         # ... node -> the one before it
    cdef vector[int32_t] safety_of    # node -> number of its safety function
    cdef vector[int32_t] listed       # the nodes that are items, in order

    def __init__(self, Tree tree, CoveragePool pool, bint use_stand_in):
        self.tree = tree
        self.pool = pool
        self.use_stand_in = use_stand_in

    def collect(self, safety_number, some=None):
        """What was found since the last call, or `some` of the nodes.

        `safety_number` gives each safety function a number. Returns (nodes, bits, sizes, own variables, head variables,
        types, types of head variables, safety, limits, counts, marks).
        """
        cdef int number, nhead = self.tree.language.nhead, end = <int>self.tree.nodes.size()
        cdef bint has_outputs = self.tree.language.head_outputs
        cdef Node* node
        self.first.resize(self.pool.count, -1)
        self.next.resize(end, -1)
        self.safety_of.resize(end, 0)
        if not has_outputs:
            safety_number(((0, True),))
        kept = []
        for number in range(self.collected, end):
            node = &self.tree.nodes[number]
            if not node.complete:
                continue
            if has_outputs:
                function = safety_function(self.tree.language, self.tree.literals_of(number), node.size)
                self.safety_of[number] = safety_number(function)
            if not self.use_stand_in or not self.has_stand_in(node, self.safety_of[number]):
                self.enter(number)
                kept.append(number)
        self.collected = end
        if some is not None:
            kept = some(kept)
        return (
            kept, self.bits_of(kept),
            [self.tree.nodes[number].size for number in kept],
            [self.tree.nodes[number].nvars - nhead for number in kept],
            [self.tree.nodes[number].head for number in kept],
            [self.tree.nodes[number].types for number in kept],
            [self.tree.nodes[number].head_types for number in kept],
            [self.safety_of[number] for number in kept],
            [self.tree.nodes[number].limit for number in kept],
            [self.tree.nodes[number].counts for number in kept],
            [self.tree.nodes[number].marks for number in kept],
        )

    cdef int enter(self, int number) except -1:
        cdef int bits = self.tree.nodes[number].bits
        self.listed.push_back(number)
        self.next[number] = self.first[bits]
        self.first[bits] = number
        return 0

    def bits_of(self, list numbers):
        """The coverage of each of these nodes."""
        cdef int number
        cdef Py_ssize_t width = self.pool.words * sizeof(uint64_t)
        self.tree.room.ask(3 * len(numbers) * width)  # for a moment it is there three times
        rows = [(<const char*>self.pool.at(self.tree.nodes[number].bits))[:width] for number in numbers]
        return np.frombuffer(b"".join(rows), dtype=np.uint64).reshape(len(numbers), self.pool.words)

    cdef bint has_stand_in(self, const Node* node, int safety) noexcept:
        cdef int other = self.first[node.bits] if node.bits < <int>self.first.size() else -1
        while other >= 0:
            if stands_in(self.tree.language, &self.tree.nodes[other], node) and self.safety_of[other] == safety:
                return True
            other = self.next[other]
        return False


cdef inline bint stands_in(Language language, const Node* known, const Node* node) noexcept:
    """Whether a feature can stand in for a later one of the same coverage, if their safety is the same."""
    return (
        known.nvars <= node.nvars and known.types == node.types and known.head_types == node.head_types
        and known.marks == node.marks and language.limits.no_more(known.counts, node.counts)
        and node.head & language.needed & ~known.head == 0
    )
