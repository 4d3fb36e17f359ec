"""The tree of features: its nodes, and the list of literals that each node gets.

How lists are handed down, and why every feature is still reached, is told in `features`.
"""


cdef enum:  # what became of a literal of a list
    OUT = 0     # dead, closed or equal to something smaller: falls out of the list
    SAME = 1    # equal to a feature of the same size
    NODE = 2


cdef struct Outcome:
    int what                          # OUT, SAME or NODE
    int child                         # the node that was made
    int limit                         # the largest size, head counted, of a rule with it that may be of use


cdef struct Node:
    int sequence                      # its literals, in the order they are joined, in `sequences`
    int size
    int nvars
    int bits                          # the number of its coverage; -1 for a path
    int limit                         # the largest size, head counted, of a larger rule that may be of use
    int mode                          # FREE, SEALED or PATH
    bint complete                     # may stand in a rule as it is
    uint64_t head                     # head variables that occur
    uint64_t types                    # how many own variables it has of each type with a limit (`limits`)
    uint64_t counts                   # of its literals, and their marks
    uint64_t marks
    uint64_t head_types               # a field for each head variable without a declared type: the type here, plus one
    bint expanded                     # whether it is to be expanded
    bint grows                        # whether a larger feature that has it may be of use
    uint64_t rows                     # of its table, where that is known
    uint64_t peak                     # of the largest table on the way to it
    size_t list_at                    # its list, as a bitset, in `list_bits`


@cython.final
cdef class Tree:
    """The nodes so far. Without `use_order`, children get all that is left of a list, not only what comes later."""

    cdef Room room
    cdef Language language
    cdef LiteralLists lists
    cdef bint use_order
    cdef vector[Node] nodes           # number 0 is the root
    cdef vector[int32_t] sequences
    cdef int list_words
    cdef vector[uint64_t] list_bits
    cdef vector[Outcome] outcomes     # of the literals in the list of the node being expanded
    cdef readonly int size            # of the nodes in `level` and `paths`
    cdef vector[int32_t] level        # nodes to expand
    cdef vector[int32_t] paths        # paths to expand
    cdef vector[int32_t] next_level
    cdef vector[int32_t] next_paths
    cdef vector[vector[int32_t]] mergers   # size -> nodes that may be merged with others

    def __init__(self, LiteralLists lists, bint use_order, Room room):
        cdef Outcome nothing
        self.room = room
        nothing.what = OUT
        nothing.child = nothing.limit = 0
        self.language = lists.language
        self.lists = lists
        self.use_order = use_order
        self.list_words = <int>((self.language.literals.size() + 63) // 64)
        self.outcomes.assign(self.language.literals.size(), nothing)
        self.mergers.resize(self.language.max_body + 1)
        self.make_root()

    cdef int make_root(self) except -1:
        """A node without literals, with the list of all that can begin a feature."""
        cdef Node root
        cdef int32_t literal
        root.sequence = root.size = 0
        root.nvars = self.language.nhead
        root.bits = -1
        root.limit = self.language.max_body + 1
        root.mode = FREE
        root.complete = False
        root.head = root.types = root.head_types = root.counts = root.marks = 0
        root.expanded = root.grows = True
        root.rows = root.peak = 1
        root.list_at = 0
        self.nodes.push_back(root)
        self.list_bits.assign(self.list_words, 0)
        for literal in self.lists.order[self.language.nhead]:
            self.put(0, literal)
        self.level.push_back(0)
        return 0

    cdef int add(self, Node node, const int32_t* sequence, int literal) except -1:
        """The number of a new node, which adds a literal to a sequence."""
        cdef int i
        kernel_assert(1 <= node.size <= self.language.max_body)
        kernel_assert(node.nvars <= self.language.max_vars)
        take(self.room, sizeof(Node) + node.size * sizeof(int32_t))
        before_growing(self.room, self.nodes.size(), self.nodes.capacity(), 1, sizeof(Node))
        before_growing(self.room, self.sequences.size(), self.sequences.capacity(), node.size, sizeof(int32_t))
        node.sequence = <int>self.sequences.size()
        for i in range(node.size - 1):
            self.sequences.push_back(sequence[i])
        self.sequences.push_back(literal)
        self.nodes.push_back(node)
        return <int>self.nodes.size() - 1

    cdef int hold(self, size_t more) except -1:
        """Makes room for so many nodes more, with their lists: what others read then stays where it is."""
        cdef size_t literals = self.sequences.size() + more * self.language.max_body
        cdef size_t lists = self.list_bits.size() + more * self.list_words
        if self.nodes.size() + more > self.nodes.capacity():
            before_growing(self.room, self.nodes.size(), self.nodes.capacity(), more, sizeof(Node))
            self.nodes.reserve(max(2 * self.nodes.capacity(), self.nodes.size() + more))
        if literals > self.sequences.capacity():
            before_growing(
                self.room, self.sequences.size(), self.sequences.capacity(), more * self.language.max_body,
                sizeof(int32_t),
            )
            self.sequences.reserve(max(2 * self.sequences.capacity(), literals))
        if lists > self.list_bits.capacity():
            before_growing(
                self.room, self.list_bits.size(), self.list_bits.capacity(), more * self.list_words, sizeof(uint64_t)
            )
            self.list_bits.reserve(max(2 * self.list_bits.capacity(), lists))
        return 0

    cdef const Node* node(self, int number) noexcept nogil:
        """A node, until the next one is added; while there is room for that (`hold`), also then.

        Others may ask while nodes are added: only where they begin is looked at, and not how many there are by now.
        """
        return self.nodes.data() + number

    cdef const int32_t* literals_of(self, int number) noexcept nogil:
        """The literals of a node, in the order they are joined; for others too, as above."""
        return self.sequences.data() + self.node(number).sequence

    cdef int fall_out(self, int number) except -1:
        """Of what could be in the list of a node, all has fallen out that is not judged otherwise."""
        cdef vector[int32_t]* order = &self.lists.order[self.nodes[number].nvars]
        cdef size_t i
        for i in range(order.size()):
            self.outcomes[order[0][i]].what = OUT
        return 0

    cdef int read_list(self, int number, vector[int32_t]& literals) except -1 nogil:
        """The list of a node, in order; for others too, as above."""
        cdef const Node* node = self.node(number)
        cdef const uint64_t* bits = self.list_bits.data() + node.list_at
        cdef vector[int32_t]* order = &self.lists.order[node.nvars]
        cdef size_t i
        cdef int literal
        for i in range(order.size()):
            literal = order[0][i]
            if (bits[literal >> 6] >> (literal & 63)) & 1:
                literals.push_back(literal)
        return 0

    cdef int hand_down(self, int number, int literal) except -1:
        """Gives the child by this literal its list, from that of its parent."""
        cdef Outcome* own = &self.outcomes[literal]
        cdef Node* child = &self.nodes[own.child]
        cdef vector[int32_t]* order = &self.lists.order[child.nvars]
        cdef vector[int32_t]* rank = &self.lists.rank[self.nodes[number].nvars]
        cdef vector[int32_t]* origin_of = &self.lists.origin[self.nodes[number].nvars]
        cdef int other, origin
        cdef size_t i, at = self.list_bits.size()
        cdef bint some = False
        if not child.expanded or child.nvars == self.language.nhead:
            child.expanded = False
            return 0
        self.mergers[child.size].push_back(own.child)
        self.make_list()
        for i in range(order.size()):
            other = order[0][i]
            if child.mode == SEALED and self.language.literals[other].variables & self.language.head & ~child.head:
                continue
            origin = origin_of[0][other]
            if origin >= 0:
                if self.outcomes[origin].what == OUT or self.outcomes[origin].limit < child.size + 2:
                    continue
                if (self.use_order and rank[0][origin] < rank[0][literal]) or other == literal:
                    continue
            self.put(at, other)
            some = True
        if some:
            child.list_at = at
            self.next_level.push_back(own.child)
        else:
            child.expanded = False
            self.list_bits.resize(at)
        return 0

    cdef int count_list(self, int number) noexcept nogil:
        """How many literals the list of a node has."""
        cdef int i, count = 0
        for i in range(self.list_words):
            count += count_bits(self.list_bits[self.nodes[number].list_at + i])
        return count

    cdef int make_list(self) except -1:
        """Makes room for another list, which is empty."""
        take(self.room, self.list_words * sizeof(uint64_t))
        before_growing(
            self.room, self.list_bits.size(), self.list_bits.capacity(), self.list_words, sizeof(uint64_t)
        )
        self.list_bits.resize(self.list_bits.size() + self.list_words, 0)
        return 0

    cdef int hand_all(self, int literal) except -1:
        """Gives the child by this literal the list of all that fit its number of variables."""
        cdef int number = self.outcomes[literal].child, other
        cdef Node* child = &self.nodes[number]
        cdef vector[int32_t]* order = &self.lists.order[child.nvars]
        cdef size_t i, at = self.list_bits.size()
        cdef int k
        if not child.expanded or child.nvars == self.language.nhead:
            child.expanded = False
            return 0
        self.make_list()
        for i in range(order.size()):
            self.put(at, order[0][i])
        for k in range(child.size):
            # Not what it has already: a literal that is said twice is no new one.
            other = self.sequences[child.sequence + k]
            self.list_bits[at + (other >> 6)] &= ~(<uint64_t>1 << (other & 63))
        child.list_at = at
        self.next_level.push_back(number)
        self.mergers[child.size].push_back(number)
        return 0

    cdef int next_size(self) except -1:
        """Goes on to the children."""
        self.level.swap(self.next_level)
        self.next_level.clear()
        self.paths.swap(self.next_paths)
        self.next_paths.clear()
        self.size += 1
        return 0

    cdef void put(self, size_t list_at, int literal) noexcept:
        kernel_assert(0 <= literal < <int>self.language.literals.size())
        self.list_bits[list_at + (literal >> 6)] |= <uint64_t>1 << (literal & 63)
