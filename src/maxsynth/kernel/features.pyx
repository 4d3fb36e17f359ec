# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# distutils: language = c++
"""Enumerating features: the connected parts that bodies are made of, by size, by joins.

A *feature* is a set of body literals that hang together through variables that are not in the head. Given an example,
the features of a body are independent of each other, so a rule covers what all its features cover. A feature has a
*table*: for each example the values that its own variables can take. Adding a literal filters the table, or
joins it with the rows of the literal's predicate.

**The tree.** Variables are numbered: the head's first, then a feature's own in the order they are introduced. A node is
a feature; its children add one literal from the node's *list*. A literal in the list shares an own variable with the
node (at the root: a head variable), and its new variables are numbered on from the node's. Each list has a fixed
order. A child that adds M passes on what comes after M in its parent's list, and has besides these every literal on
M's new variables, unless that literal, with those variables taken as new, stood before M in the parent's list or
fell out of it. Every feature F is reached: go to the child by the first literal of the list that F has; all its
other literals come later or need a variable that is not there yet. This path is the *place* of F; features of one
size are met in the lexicographic order of their places.

**What falls out of a list**, and why nothing is lost (P and N: weight of the positives and negatives covered, S: weight
of the size; the swap lemma is in `docs/how-it-works.md`):

- *dead*: P(f) <= S of the smallest rule with f (every head variable must be mentioned: that may take more literals).
  No rule with f is in a smallest optimal program, nor is one with any
  extension of f, which covers less and is larger.
- *closed*: f alone is a rule, and S(f) + N(f) <= S of every larger rule: f does better than any rule that contains it.
- *equal to a smaller feature g*, with the same table and the same standing (types, head variables, what cannot be
  executed yet, and where singletons are forbidden the literals with a variable that occurs once): every extension of
  f has the table of that extension of g, which is smaller. (A literal of the extension may be in g already; then g
  is smaller still, and stands as well, for the standing says which literals matter for that.)

**What is not expanded**: a feature that is equal to one of the same size met before. An extension F of it equals an
extension G of the earlier one, of the same size or smaller. The place of G is before that of F: going down, G takes
at each node the first literal it has, so it passes the earlier feature or branches off before it. So by induction
on (size, place) every feature has an equal that is met. (The literal stays in the list for its siblings, where
this argument does not hold.)

**Ties.** In a graph, most features with many variables mention one head variable only, and the few that tie two together
are hard to reach among them. So where every head variable must occur and there are no directions, both are looked for
apart. (`ties` is None where this does not apply, and all nodes are free.)

- A node that mentions one head variable is *sealed*: its children do not mention another one. A rule with it has a
  literal for each head variable that it lacks, with no more variables than are left. If for one of these no literal
  leaves more positives than the rule has literals, no rule with this node pays, nor with an extension of it
  (`has_partners`: a stronger kind of dead). When all variables are used up, that literal has only head variables: so
  keys of which no example has such literals are of no concern, and neither are they in extensions (PARTNERED).
- A feature F that mentions two head variables or more is *free*. Let A be the first of them. Of the literals of F, take a
  shortest sequence that leads from A to another head variable, each sharing an own variable with the next. Since it
  is shortest, its first literal has A and no other head variable (or is the whole sequence), its last literal has one
  after A, those between have none; and each shares own variables only with its neighbours, so with the one before it
  only variables that are new there. These are the children of a *path*. What completes a path is free and is given
  the list of all literals, so F is reached through it. A path covers the examples that it can still lead to the end of
  (`ties`): F covers no others, so a path that has too few positives of these is dead.
- Paths are equal when their tables are and the variables of the last literal are the same columns, for then the same
  literals continue both. In the order of the features of one size, nodes from free ones come before those from paths;
  so an equal feature that came earlier is still on an earlier branch, as the argument above needs.

A table has the values of the feature's own variables not for each example but for each key of the head variables it
mentions (`head_keys`).

Equality is by a hash of 128 bits over the set of rows, with columns in the order of a signature that does not depend on
their names, from a sample of the keys. Two columns with the same signature may come in either order, which can only
miss an equality.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

import numpy as np

from maxsynth.kernel.bits cimport compatible, count_bits, lowest, mix
from maxsynth.kernel.head_keys cimport Extension, HeadKeys, KeyTable
from maxsynth.kernel.index cimport Groups, Index, find, is_present, may_be_present
from maxsynth.kernel.ties cimport Ties

cdef enum:
    MAX_VARS = 16
    MAX_ARITY = 16

cdef enum:
    SIGNATURE = MAX_VARS  # a place that no column has

cdef enum:  # what became of a literal of a list
    OUT = 0     # dead, closed or equal to something smaller: falls out of the list
    SAME = 1    # equal to a feature of the same size
    NODE = 2

cdef enum:  # what may become of a node (see *Ties*)
    FREE = 0
    SEALED = 1
    PATH = 2

cdef enum:  # the keys that tables are made for
    ALL = 0
    NEAR = 1        # from which a path can lead to another head variable
    PARTNERED = 2   # where the missing head variables can be mentioned without another variable

cdef struct Literal:
    int predicate
    int arity
    int32_t args[MAX_ARITY]
    int types[MAX_ARITY]      # of its arguments, -1 where the bias gives none
    uint64_t inputs           # variables in `in` positions
    uint64_t outputs          # variables in other positions
    uint64_t variables

cdef struct Node:
    int sequence              # its literals, in the order they are joined, in `sequences`
    int size
    int nvars
    int bits                  # number of its coverage in `pool`
    int limit                 # the largest size, head counted, of a larger rule that may be of use
    int mode
    bint complete             # may stand in a rule as it is
    uint64_t head             # head variables that occur
    uint64_t types            # types with exactly one variable of which it has an own variable
    uint64_t head_types       # a byte for each head variable without a declared type: the type it has here, plus one
    int next_item             # chain of items with the same coverage
    int list_at               # its list, as a bitset, in `lists`; -1 when it is not to be expanded


cdef struct Table:
    int nvars
    int types[MAX_VARS]
    int occurrences[MAX_VARS]
    uint64_t head_seen        # head variables that occur


cdef struct Lookup:
    # How a literal is looked up from the rows of a table. A literal that mentions new head variables turns each key
    # into those that extend it.
    const Groups* groups
    int which                 # number of the index
    int nkeys
    bint own[MAX_ARITY]       # whether a part of the look-up key is a column of the table, else one of the head
    const int32_t* columns[MAX_ARITY]
    const int32_t* rows
    const KeyTable* keys
    const Extension* extension


cdef struct Candidate:
    # A child that is being tested.
    int literal
    int mode
    int size
    int smallest              # literals, at least, of a rule with it
    int nvars                 # of the parent
    Table shape
    uint64_t pending          # see `unsafe`
    bint complete
    int64_t pos               # weights covered
    int64_t neg
    uint64_t signature[MAX_VARS]
    int place[MAX_VARS]       # own variable -> where its column comes
    uint64_t low              # the hash of its table
    uint64_t high

cdef cppclass Partner:
    # A literal with a head variable: what a rule must have besides features that do not mention that variable.
    uint64_t head             # head variables that it mentions
    int own                   # other variables
    int64_t pos
    vector[uint64_t] bits     # the examples that have it


cdef struct Extent:
    int own_old               # columns of the parent
    int new                   # new columns
    int new_at[MAX_ARITY]     # where these are in the literal
    const int32_t* old[MAX_VARS]


cdef inline size_t first_key(const Lookup* lookup, size_t row) noexcept nogil:
    return lookup.extension.start[lookup.rows[row]] if lookup.extension != NULL else 0


cdef inline size_t end_key(const Lookup* lookup, size_t row) noexcept nogil:
    return lookup.extension.start[lookup.rows[row] + 1] if lookup.extension != NULL else 1


cdef inline int32_t nth_key(const Lookup* lookup, size_t row, size_t place) noexcept nogil:
    return lookup.extension.keys[place] if lookup.extension != NULL else lookup.rows[row]


cdef inline void load_key(const Lookup* lookup, size_t row, int32_t k, int32_t* key) noexcept nogil:
    cdef int i
    for i in range(lookup.nkeys):
        key[i] = lookup.columns[i][row] if lookup.own[i] else lookup.columns[i][k]


cdef inline uint64_t value_hash(int place, int32_t value) noexcept nogil:
    """A random number for a value in a column."""
    return mix(<uint64_t>value * 0x9E3779B97F4A7C15ULL + <uint64_t>place * 0xC2B2AE3D27D4EB4FULL + 0x165667B19E3779F9ULL)


cdef inline uint64_t other_hash(uint64_t x) noexcept nogil:
    """Another random number from the first one."""
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9ULL
    return x ^ (x >> 32)


cdef class FeatureSearch:
    """The enumeration; `expand` works off one size."""

    cdef readonly int nhead, max_vars, max_body, nexamples, words
    cdef int64_t size_weight
    cdef int64_t bound, company, all_pos
    cdef uint64_t head_inputs
    cdef bint directed, datalog, singletons
    cdef bint use_dead, use_closed, use_equal, use_order, use_stand_in, use_partners  # each pruning can be switched off
    cdef vector[int] head_types
    cdef int one_types[MAX_VARS]      # types of which a rule has exactly one variable
    cdef int n_one_types
    cdef HeadKeys head_keys
    cdef Ties ties                    # None: all nodes are free
    cdef vector[Partner] partners
    cdef vector[uint64_t] positive    # a bit for each positive
    cdef bint unit_weights            # all positives weigh one
    cdef vector[int64_t] pos_weight
    cdef vector[int64_t] neg_weight
    cdef readonly list predicates     # (arity, types, input mask)
    cdef object make_index
    cdef vector[Literal] literals
    cdef readonly list literal_list   # (predicate, args) for Python
    cdef int list_words
    cdef vector[vector[int32_t]] order
    cdef vector[vector[int32_t]] rank     # nvars -> literal -> its place in the order, -1
    cdef vector[vector[vector[int32_t]]] origin  # nvars of the parent -> new variables -> literal -> the same in the parent
    cdef vector[const Groups*] lookups    # nvars x literal -> index
    cdef vector[int32_t] lookup_index     # nvars x literal -> its number in `indexes`
    cdef list indexes
    cdef readonly int size            # of the nodes that `expand` works off next
    # nodes
    cdef vector[Node] nodes
    cdef vector[int32_t] sequences
    cdef vector[uint64_t] lists
    cdef vector[vector[int32_t]] mergers   # size -> nodes that may be merged with others
    cdef vector[int32_t] level        # nodes of the current size, to expand
    cdef vector[int32_t] next_level
    cdef vector[int32_t] paths        # paths of the current size
    cdef vector[int32_t] next_paths
    cdef int beam                     # nodes of a size to expand, at most; 0: all
    cdef int mode, parent_bits        # of the node being expanded
    cdef int allowed[MAX_ARITY + 1]   # new variables -> whether a child with so many can have its partners; -1: not known
    cdef int keys_for                 # which keys the tables of the node being expanded have
    cdef vector[uint8_t] keys_of[3][MAX_VARS]  # ALL, NEAR or PARTNERED, head variable -> whether each key of it is one
    # coverage pool
    cdef vector[uint64_t] pool
    cdef vector[int64_t] pool_pos
    cdef vector[int64_t] pool_neg
    cdef vector[int32_t] pool_slots
    cdef uint64_t pool_mask
    # known tables
    cdef vector[uint64_t] seen_low
    cdef vector[uint64_t] seen_high
    cdef vector[int32_t] seen_size
    cdef uint64_t seen_mask
    cdef uint64_t seen_count
    # the path of tables to the node being expanded
    cdef vector[int32_t] path         # the literals that were joined
    cdef int path_keys                # which keys its tables have
    cdef vector[vector[int32_t]] rows_of   # depth -> the key of each row (see `head_keys`)
    cdef vector[vector[vector[int32_t]]] columns_of  # depth -> own variable -> values
    cdef vector[Table] shape_of
    # scratch
    cdef unordered_map[uint64_t, vector[uint64_t]] sums_of  # index, column and place -> see `value_sums`
    cdef vector[uint64_t] cover
    cdef vector[int32_t] tied_at      # example -> the last test in which a path could still cover it
    cdef vector[int32_t] covered_at   # key -> the last test in which it was covered
    cdef int32_t test_number
    cdef size_t row_limit             # rows of a table, at most; what is larger is done in blocks of keys ...
    cdef int block_from, block_end    # ... of the head variables of the first literal
    cdef bint limited
    cdef object should_stop
    cdef bint stopped
    cdef vector[int32_t] covered_keys
    cdef vector[int32_t] source       # of a join: where each row comes from, and the row of the literal's table
    cdef vector[int32_t] matched
    cdef vector[int32_t] status
    cdef vector[int32_t] child_of
    cdef vector[int32_t] status_limit
    cdef vector[vector[int32_t]] shifted   # by how much -> literal -> the same with its own variables moved up
    cdef uint64_t group_masks[MAX_ARITY]
    cdef int group_bits[MAX_ARITY]
    cdef uint64_t group_types[MAX_ARITY]
    cdef int max_arity
    # counts
    cdef int collected
    cdef vector[int32_t] item_of_bits   # coverage -> first of a chain of items
    cdef vector[int32_t] safety_of
    cdef readonly int64_t merged, tested, equal, dead, closed, rows_made

    def __init__(
        self, dict language, examples, pos_weight, neg_weight, int64_t size_weight, make_index, size_t row_limit=1 << 22,
        Ties ties=None, int beam=0,
    ):
        cdef int i
        self.beam = beam
        self.row_limit = row_limit
        self.nhead = language["nhead"]
        self.max_vars = language["max_vars"]
        self.max_body = language["max_body"]
        self.predicates = language["predicates"]
        self.head_types = language["head_types"]
        self.head_inputs = language["head_inputs"]
        self.directed = language["directed"]
        self.datalog = language["datalog"]
        self.singletons = language["singletons"]
        self.n_one_types = len(language["one_of_type"])
        for i in range(self.n_one_types):
            self.one_types[i] = language["one_of_type"][i]
        if self.max_vars > MAX_VARS or (self.nhead > 8 and min(self.head_types) < 0):
            raise ValueError(f"more than {MAX_VARS} variables, or more than 8 in a head without types")
        self.size_weight = size_weight
        self.all_pos = int(np.sum(pos_weight))
        self.bound = 1 << 62
        self.company = 0
        self.use_dead = "dead" not in language["without"]
        self.use_closed = "closed" not in language["without"]
        self.use_equal = "equal" not in language["without"]
        self.use_order = "order" not in language["without"]
        self.use_stand_in = "stand_in" not in language["without"]
        self.use_partners = "partners" not in language["without"]
        self.ties = ties
        self.make_index = make_index
        self.indexes = []
        self.nexamples = len(examples)
        self.words = (self.nexamples + 63) // 64
        self.head_keys = HeadKeys(examples, pos_weight, neg_weight)
        self.covered_at.assign(self.nexamples + 1, 0)
        self.tied_at.assign(self.nexamples, 0)
        self.pos_weight = pos_weight.tolist()
        self.neg_weight = neg_weight.tolist()
        self.positive.assign(max(1, self.words), 0)
        self.unit_weights = all([weight <= 1 for weight in self.pos_weight])
        for i in range(self.nexamples):
            if self.pos_weight[i]:
                self.positive[i >> 6] |= <uint64_t>1 << (i & 63)
        self.cover.assign(max(1, self.words), 0)
        self.pool_slots.assign(1 << 12, 0)
        self.pool_mask = (1 << 12) - 1
        self.seen_low.assign(1 << 14, 0)
        self.seen_high.assign(1 << 14, 0)
        self.seen_size.assign(1 << 14, 0)
        self.seen_mask = (1 << 14) - 1
        self.make_literals()
        self.make_lists()
        self.make_root()
        if ties is not None:
            self.find_near_keys()

    # -- the language ---------------------------------------------------------------------------------------

    def make_literals(self):
        """All literals over variables 0 .. max_vars - 1 whose arguments are distinct and whose types can agree."""
        from itertools import permutations
        cdef Literal literal
        cdef int i
        self.literal_list = []
        for number, (arity, types, inputs) in enumerate(self.predicates):
            if arity > self.max_vars or arity == 0:
                continue
            for args in permutations(range(self.max_vars), arity):
                if any(
                    a < self.nhead and types[k] >= 0 and self.head_types[a] >= 0 and self.head_types[a] != types[k]
                    for k, a in enumerate(args)
                ):
                    continue
                self.literal_list.append((number, args))
                literal.predicate = number
                literal.arity = arity
                literal.inputs = literal.outputs = literal.variables = 0
                for i in range(arity):
                    literal.args[i] = args[i]
                    literal.types[i] = types[i]
                    literal.variables |= <uint64_t>1 << <int>args[i]
                    if (inputs >> i) & 1:
                        literal.inputs |= <uint64_t>1 << <int>args[i]
                    else:
                        literal.outputs |= <uint64_t>1 << <int>args[i]
                self.literals.push_back(literal)

    def make_lists(self):
        """For nodes of each number of variables: the literals that fit, in order, with their indexes."""
        numbers = {literal: i for i, literal in enumerate(self.literal_list)}
        count = len(self.literal_list)
        self.list_words = (count + 63) // 64
        self.order.resize(self.max_vars + 1)
        self.rank.resize(self.max_vars + 1)
        self.origin.resize(self.max_vars + 1)
        self.lookups.assign((self.max_vars + 1) * max(1, count), NULL)
        self.lookup_index.assign((self.max_vars + 1) * max(1, count), -1)
        self.mergers.resize(self.max_body + 1)
        self.status.assign(max(1, count), 0)
        self.child_of.assign(max(1, count), 0)
        self.status_limit.assign(max(1, count), 0)
        self.max_arity = max([arity for arity, _, _ in self.predicates], default=0)
        self.shifted.resize(self.max_vars - self.nhead + 1)
        for by in range(self.max_vars - self.nhead + 1):
            self.shifted[by] = [
                numbers.get((predicate, tuple([a if a < self.nhead else a + by for a in args])), -1)
                for predicate, args in self.literal_list
            ]
        made = {}
        for nvars in range(self.nhead, self.max_vars + 1):
            fitting = []
            for number, (predicate, args) in enumerate(self.literal_list):
                new = [a for a in args if a >= nvars]
                if new != list(range(nvars, nvars + len(new))):
                    continue
                if self.directed and any([a >= nvars and (self.predicates[predicate][2] >> i) & 1 for i, a in enumerate(args)]):
                    continue
                bound = tuple([i for i, a in enumerate(args) if a < nvars])
                if (predicate, bound) not in made:
                    made[predicate, bound] = len(self.indexes)
                    self.indexes.append(self.make_index(predicate, bound))
                index = self.indexes[made[predicate, bound]]
                self.lookups[nvars * count + number] = &(<Index>index).groups
                self.lookup_index[nvars * count + number] = made[predicate, bound]
                if not self.connects(predicate, args, nvars):
                    continue
                fitting.append((len(new), index.fanout() if new else 0.0, number))
            # Filters first: they keep tables small, and a feature's place then takes them as early as it can.
            fitting.sort()
            self.order[nvars] = [number for _, _, number in fitting]
            ranks = [-1] * count
            for i, (_, _, number) in enumerate(fitting):
                ranks[number] = i
            self.rank[nvars] = ranks
            self.origin[nvars].resize(self.max_vars - nvars + 1)
            for new in range(self.max_vars - nvars + 1):
                self.origin[nvars][new] = [
                    number if number >= 0 and ranks[number] >= 0 else -1
                    for predicate, args in self.literal_list
                    for number in [numbers.get((predicate, taken_as_new(args, nvars)), -1)]
                ]

    def connects(self, int predicate, args, int nvars):
        """Whether a literal hangs on a node of so many variables by one of its own, or can begin a feature.

        What begins a feature has a head variable. With directions it may also be a literal that reads nothing: then the
        head is reached only later.
        """
        if nvars > self.nhead:
            return any([self.nhead <= a < nvars for a in args])
        return any([a < nvars for a in args]) or (self.directed and self.predicates[predicate][2] == 0)

    def make_root(self):
        cdef Node root
        cdef Table shape
        cdef int i, number
        cdef vector[int32_t] rows
        root.sequence = 0
        root.size = 0
        root.nvars = self.nhead
        root.bits = -1
        root.limit = self.max_body + 1
        root.complete = False
        root.mode = FREE
        root.list_at = 0
        self.nodes.push_back(root)
        self.lists.assign(self.list_words, 0)
        for number in self.order[self.nhead]:
            self.lists[number >> 6] |= <uint64_t>1 << (number & 63)
        self.level.push_back(0)
        if self.ties is not None:
            self.paths.push_back(0)
        self.size = 0
        shape.nvars = self.nhead
        shape.head_seen = 0
        for i in range(MAX_VARS):
            shape.types[i] = self.head_types[i] if i < self.nhead else -1
            shape.occurrences[i] = 0
        self.rows_of.resize(self.max_body + 2)
        self.columns_of.resize(self.max_body + 2)
        self.shape_of.assign(self.max_body + 2, shape)
        for i in range(self.max_body + 2):
            self.columns_of[i].resize(self.max_vars)
        self.rows_of[0].push_back(0)  # no head variable is mentioned yet: one key

    # -- one size -------------------------------------------------------------------------------------------

    def expand(self, should_stop=None):
        """Works off all nodes of the current size. False when `should_stop()` said so before the end."""
        cdef size_t i
        self.should_stop = should_stop
        self.stopped = False
        for i in range(self.level.size()):
            if ((i & 15) == 0 and self.is_stopped()) or not self.expand_node(self.level[i]):
                return False
        for i in range(self.paths.size()):
            if ((i & 15) == 0 and self.is_stopped()) or not self.expand_path(self.paths[i]):
                return False
        if self.directed and not self.merge_all():
            return False
        if self.beam:
            self.keep_promising(self.next_level, self.beam)
            self.keep_promising(self.mergers[self.size + 1], self.beam // 2)  # of which pairs are made
            self.next_paths.resize(min(self.next_paths.size(), <size_t>self.beam))
        self.level.swap(self.next_level)
        self.next_level.clear()
        self.paths.swap(self.next_paths)
        self.next_paths.clear()
        self.size += 1
        return True

    cdef int keep_promising(self, vector[int32_t]& level, int count) except -1:
        """Drops all but the nodes that tell positives from negatives best; for a beam."""
        cdef int i
        cdef int64_t all_pos = 0, all_neg = 0
        if level.size() <= <size_t>count:
            return 0
        for i in range(self.nexamples):
            all_pos += self.pos_weight[i]
            all_neg += self.neg_weight[i]
        scores = np.array([
            self.pool_pos[self.nodes[number].bits] * all_neg - self.pool_neg[self.nodes[number].bits] * all_pos
            for number in [level[i] for i in range(<int>level.size())]
        ])
        chosen = sorted(np.argsort(-scores, kind="stable")[:count].tolist())
        for i in range(count):
            level[i] = level[<int>chosen[i]]
        level.resize(count)
        return 0

    cdef bint expand_node(self, int number) except -1:
        """Makes the children of a node; False when it was stopped."""
        cdef Node node = self.nodes[number]
        cdef int i, literal
        cdef vector[int32_t] literals, sequence
        if node.list_at < 0 or node.size >= self.max_body:
            return True
        for i in range(<int>self.order[node.nvars].size()):
            literal = self.order[node.nvars][i]
            self.status[literal] = OUT
            if (self.lists[node.list_at + (literal >> 6)] >> (literal & 63)) & 1:
                literals.push_back(literal)
        sequence.assign(
            self.sequences.begin() + node.sequence, self.sequences.begin() + node.sequence + node.size
        )
        self.enter_node(node.mode, node.bits)
        if number == 0 and self.ties is not None and self.use_partners:
            self.find_partners(literals)
        # All are tested before the first child is made, for it needs to know what became of the rest.
        if node.mode == SEALED and self.use_partners:
            if not self.test_sealed(sequence.data(), &node, literals):
                return False
        elif not self.test_all(sequence.data(), node.size, node.limit, literals):
            return False
        for i in range(<int>literals.size()):
            if self.status[literals[i]] == NODE:
                if number == 0 and self.ties is not None and self.nodes[self.child_of[literals[i]]].mode == FREE:
                    self.hand_all(literals[i])
                else:
                    self.hand_down(number, literals[i])
        return True

    cdef int enter_node(self, int mode, int bits) noexcept:
        cdef int i
        self.mode = mode
        self.keys_for = NEAR if self.ties is not None and mode != SEALED else ALL
        self.parent_bits = bits
        for i in range(MAX_ARITY + 1):
            self.allowed[i] = -1
        return 0

    # -- ties -----------------------------------------------------------------------------------------------

    cdef bint test_sealed(self, const int32_t* sequence, const Node* node, vector[int32_t]& literals) except -1:
        """`test_all` for the children of a sealed node; those that use up all variables need only some of the keys."""
        cdef vector[int32_t] full, others
        cdef int i
        for i in range(<int>literals.size()):
            if self.literals[literals[i]].variables >> (self.max_vars - 1):
                full.push_back(literals[i])
            elif node.nvars == self.max_vars:
                full.push_back(literals[i])
            else:
                others.push_back(literals[i])
        if others.size() and not self.test_all(sequence, node.size, node.limit, others):
            return False
        self.keys_for = PARTNERED
        return full.size() == 0 or self.test_all(sequence, node.size, node.limit, full)

    cdef bint expand_path(self, int number) except -1:
        """Makes the children of a path; False when it was stopped."""
        cdef Node node = self.nodes[number]
        cdef int i, literal, before = self.nhead
        cdef uint64_t last, old, new, variables, heads = (<uint64_t>1 << self.nhead) - 1, start
        cdef vector[int32_t] literals, sequence
        if node.size >= self.max_body:
            return True
        sequence.assign(
            self.sequences.begin() + node.sequence, self.sequences.begin() + node.sequence + node.size
        )
        old = (<uint64_t>1 << node.nvars) - 1
        if number:
            last = self.literals[sequence[node.size - 1]].variables
            for i in range(node.size - 1):
                last &= ~self.literals[sequence[i]].variables
            last &= ~heads
            start = node.head
        for i in range(<int>self.order[node.nvars].size()):
            literal = self.order[node.nvars][i]
            variables = self.literals[literal].variables
            new = variables & ~old
            if number == 0:
                # It begins at one head variable, and there is another one to go to.
                start = variables & heads
                if not new or not start or start & (start - 1) or start >> (self.nhead - 1):
                    continue
            elif not variables & last or variables & old & ~last & ~heads or variables & heads & (start | (start - 1)):
                continue
            elif not new and not variables & heads:
                continue
            literals.push_back(literal)
        self.enter_node(PATH, -1)
        if not self.test_all(sequence.data(), node.size, node.limit, literals):
            return False
        for i in range(<int>literals.size()):
            if self.status[literals[i]] == NODE:
                if self.nodes[self.child_of[literals[i]]].mode == PATH:
                    self.next_paths.push_back(self.child_of[literals[i]])
                else:
                    self.hand_all(literals[i])
        return True

    cdef int find_near_keys(self) except -1:
        cdef int v, i
        cdef vector[uint64_t] near
        for v in range(self.nhead):
            near.assign(max(1, self.words), 0)
            for i in range(self.nexamples):
                if self.ties.is_near(v, i):
                    near[i >> 6] |= <uint64_t>1 << (i & 63)
            self.mark_keys(NEAR, v, near)
        return 0

    cdef int find_partnered_keys(self) except -1:
        """The keys of examples in which each other head variable has a literal without any other variable."""
        cdef int v, missing, w
        cdef size_t i
        cdef vector[uint64_t] every, some
        for v in range(self.nhead):
            every.assign(max(1, self.words), ~<uint64_t>0)
            for missing in range(self.nhead):
                if missing == v:
                    continue
                some.assign(max(1, self.words), 0)
                for i in range(self.partners.size()):
                    if self.partners[i].own == 0 and (self.partners[i].head >> missing) & 1:
                        for w in range(self.words):
                            some[w] |= self.partners[i].bits[w]
                for w in range(self.words):
                    every[w] &= some[w]
            self.mark_keys(PARTNERED, v, every)
        return 0

    cdef int mark_keys(self, int what, int variable, const vector[uint64_t]& examples) except -1:
        """Marks the keys of a head variable that one of these examples has."""
        cdef KeyTable* keys = self.head_keys.table(<uint64_t>1 << variable)
        cdef int k, at, example
        self.keys_of[what][variable].assign(keys.count, 0)
        for k in range(keys.count):
            for at in range(keys.examples_from[k], keys.examples_from[k + 1]):
                example = keys.examples[at]
                if (examples[example >> 6] >> (example & 63)) & 1:
                    self.keys_of[what][variable][k] = 1
        return 0

    cdef int find_partners(self, vector[int32_t]& literals) except -1:
        """What mentions a head variable: the examples that each literal at the root covers."""
        cdef Candidate candidate
        cdef Partner partner
        cdef size_t i, j
        self.build(NULL, 0)
        for i in range(literals.size()):
            if self.consider(0, literals[i], &candidate):
                memset(self.cover.data(), 0, self.words * sizeof(uint64_t))
                self.coverage(0, &candidate)
                partner.head = candidate.shape.head_seen
                partner.own = candidate.shape.nvars - self.nhead
                partner.pos = candidate.pos
                partner.bits.assign(self.cover.begin(), self.cover.end())
                # Those with most positives first: they are the most likely to be found good enough.
                j = self.partners.size()
                self.partners.push_back(partner)
                while j > 0 and self.partners[j - 1].pos < partner.pos:
                    self.partners[j] = self.partners[j - 1]
                    j -= 1
                self.partners[j] = partner
        self.find_partnered_keys()
        return 0

    cdef bint has_partners(self, const uint64_t* bits, uint64_t head, int own, int64_t above) noexcept:
        """Whether for each head variable that is missing a literal can come that leaves enough positives."""
        cdef int v
        cdef size_t i
        if not self.use_partners:
            return True
        for v in range(self.nhead):
            if (head >> v) & 1:
                continue
            for i in range(self.partners.size()):
                if self.partners[i].pos <= above:
                    return False  # nor does any of those after it
                if (
                    (self.partners[i].head >> v) & 1 and own + self.partners[i].own <= self.max_vars - self.nhead
                    and self.shared(bits, self.partners[i].bits.data(), above)
                ):
                    break
            else:
                return False
        return True

    cdef bint shared(self, const uint64_t* a, const uint64_t* b, int64_t above) noexcept:
        """Whether positives of more than this weight are in both sets."""
        cdef int64_t pos = 0
        cdef int w
        cdef uint64_t word
        for w in range(self.words):
            word = a[w] & b[w] & self.positive[w]
            if self.unit_weights:
                pos += count_bits(word)
            else:
                while word:
                    pos += self.pos_weight[w * 64 + lowest(word)]
                    word &= word - 1
            if pos > above:
                return True
        return False

    cdef bint is_allowed(self, const Candidate* candidate) noexcept:
        """Whether a sealed child may have its partners, as far as the coverage of its parent tells."""
        cdef int new = candidate.shape.nvars - candidate.nvars
        if self.parent_bits < 0:
            return True
        if self.allowed[new] < 0:
            self.allowed[new] = self.has_partners(
                self.pool.data() + <size_t>self.parent_bits * self.words, candidate.shape.head_seen,
                candidate.shape.nvars - self.nhead, self.least(candidate),
            )
        return self.allowed[new]

    cdef int path_coverage(self, int depth, Candidate* candidate) except -1:
        """Adds to `cover` the examples that a longer path can still cover."""
        cdef Lookup lookup
        cdef Extent extent
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, example, k, at, match, number
        cdef size_t row, e
        cdef int i, first = lowest(candidate.shape.head_seen)
        cdef int own = candidate.shape.nvars - self.nhead
        cdef int steps = min(self.max_body - candidate.size, self.max_vars - self.nhead - own + 1)
        cdef bint reached
        self.measure(depth, candidate, &lookup, &extent)
        self.test_number += 1
        number = self.test_number
        for row in range(self.rows_of[depth].size()):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                if not self.keys_of[NEAR][first][k]:
                    continue
                load_key(&lookup, row, k, key)
                if self.look(&lookup, key, &start, &stop) == 0:
                    continue
                for at in range(lookup.keys.examples_from[k], lookup.keys.examples_from[k + 1]):
                    example = lookup.keys.examples[at]
                    if self.tied_at[example] == number or not self.ties.is_near(first, example):
                        continue
                    reached = False
                    for match in range(start, stop):
                        for i in range(extent.new):
                            reached = reached or self.ties.reaches(
                                first, example,
                                lookup.groups.cells[<Py_ssize_t>match * lookup.groups.arity + extent.new_at[i]], steps,
                            )
                        if reached:
                            break
                    if reached:
                        self.tied_at[example] = number
                        candidate.pos += self.pos_weight[example]
                        candidate.neg += self.neg_weight[example]
                        self.cover[example >> 6] |= <uint64_t>1 << (example & 63)
        return 0

    # -- merging --------------------------------------------------------------------------------------------

    cdef bint merge_all(self) except -1:
        """Features of the next size whose last literal ties two or more features together.

        With directions, tables grow only by literals whose inputs are there, so a literal that reads from two
        features cannot be reached from either of them alone.
        """
        cdef int first, size
        cdef size_t i
        cdef vector[int32_t] sequence
        for first in range(1, self.size):
            for i in range(self.mergers[first].size()):
                if (i & 3) == 0 and self.is_stopped():
                    return False
                sequence.clear()
                self.merge(sequence, self.mergers[first][i], first, i, self.nhead, self.max_body + 1, 0)
                if self.stopped:
                    return False
        return True

    cdef int merge(
        self, vector[int32_t]& sequence, int number, int size, size_t place, int nvars, int limit, int groups
    ) except -1:
        """Adds a node to the groups in `sequence`; tests what ties them all; goes on with more groups."""
        cdef Node node = self.nodes[number]
        cdef int i, k, literal, total, second, tied
        cdef size_t before = sequence.size(), j
        cdef vector[int32_t] literals
        if nvars + node.nvars - self.nhead > self.max_vars:
            return 0
        for k in range(groups):
            if not compatible(self.group_types[k], node.head_types):
                return 0
        self.group_types[groups] = node.head_types
        for i in range(node.size):
            sequence.push_back(self.shifted[nvars - self.nhead][self.sequences[node.sequence + i]])
        self.group_masks[groups] = ((<uint64_t>1 << (nvars + node.nvars - self.nhead)) - 1) & ~((<uint64_t>1 << nvars) - 1)
        self.group_bits[groups] = node.bits
        nvars += node.nvars - self.nhead
        limit = min(limit, node.limit)
        groups += 1
        total = <int>sequence.size()
        if groups > 1 and total == self.size and limit >= total + 2 and self.groups_alive(groups, total + 1):
            for i in range(<int>self.order[nvars].size()):
                literal = self.order[nvars][i]
                tied = 0
                for k in range(groups):
                    tied += (self.literals[literal].variables & self.group_masks[k]) != 0
                if tied == groups:
                    literals.push_back(literal)
            self.merged += literals.size()
            if literals.size() and self.test_all(sequence.data(), total, limit, literals):
                for i in range(<int>literals.size()):
                    if self.status[literals[i]] == NODE:
                        self.hand_all(literals[i])
        elif groups < self.max_arity and total < self.size:
            # Groups come in the order of their nodes, the larger first; a node may come twice.
            for second in range(min(size, self.size - total), 0, -1):
                j = place if second == size else 0
                while j < self.mergers[second].size():
                    self.merge(sequence, self.mergers[second][j], second, j, nvars, limit, groups)
                    j += 1
        sequence.resize(before)
        return 0

    cdef bint groups_alive(self, int groups, int size) noexcept:
        """Whether enough positives are covered by all groups for a feature of this size to be of use."""
        cdef int64_t pos = 0
        cdef int w, k
        cdef uint64_t word
        for w in range(self.words):
            word = ~<uint64_t>0
            for k in range(groups):
                word &= self.pool[<size_t>self.group_bits[k] * self.words + w]
            while word:
                pos += self.pos_weight[w * 64 + lowest(word)]
                word &= word - 1
        return pos > self.least_pos(size)

    cdef int hand_all(self, int literal) except -1:
        """Gives a merged node the list of all literals for its number of variables."""
        cdef int number = self.child_of[literal], other, i
        cdef Node* child = &self.nodes[number]
        cdef size_t at = self.lists.size()
        if child.list_at < 0 or child.nvars == self.nhead:
            child.list_at = -1
            return 0
        self.lists.resize(at + self.list_words, 0)
        for i in range(<int>self.order[child.nvars].size()):
            other = self.order[child.nvars][i]
            self.lists[at + (other >> 6)] |= <uint64_t>1 << (other & 63)
        for i in range(child.size):
            # Not what it has already: a literal that is said twice is no new one.
            other = self.sequences[child.sequence + i]
            self.lists[at + (other >> 6)] &= ~(<uint64_t>1 << (other & 63))
        child.list_at = <int>at
        self.next_level.push_back(number)
        self.mergers[child.size].push_back(number)
        return 0

    cdef int hand_down(self, int number, int literal) except -1:
        """Gives the child by this literal its list."""
        cdef Node* child = &self.nodes[self.child_of[literal]]
        cdef int nvars = self.nodes[number].nvars, new = child.nvars - nvars
        cdef int other, origin, i, mine = self.rank[nvars][literal]
        cdef uint64_t heads = (<uint64_t>1 << self.nhead) - 1
        cdef size_t at = self.lists.size()
        cdef bint some = False
        if child.list_at < 0 or child.nvars == self.nhead:
            child.list_at = -1
            return 0
        self.mergers[child.size].push_back(self.child_of[literal])
        self.lists.resize(at + self.list_words, 0)
        for i in range(<int>self.order[child.nvars].size()):
            other = self.order[child.nvars][i]
            if child.mode == SEALED and self.literals[other].variables & heads & ~child.head:
                continue
            origin = self.origin[nvars][new][other]
            if origin >= 0:
                if self.status[origin] == OUT or self.status_limit[origin] < child.size + 2:
                    continue
                if (self.use_order and self.rank[nvars][origin] < mine) or other == literal:
                    continue
            self.lists[at + (other >> 6)] |= <uint64_t>1 << (other & 63)
            some = True
        if some:
            child.list_at = <int>at
            self.next_level.push_back(self.child_of[literal])
        else:
            child.list_at = -1
            self.lists.resize(at)
        return 0

    # -- tables ---------------------------------------------------------------------------------------------

    cdef bint build(self, const int32_t* wanted, int count) except -1:
        """Makes the tables of a sequence of literals, from where it leaves the sequence before.

        False when one of them has more rows than there is memory for.
        """
        cdef int i = 0
        if self.path_keys != self.keys_for:
            self.path_keys = self.keys_for
            self.path.clear()
        while i < count and i < <int>self.path.size() and self.path[i] == wanted[i]:
            i += 1
        self.path.resize(i)
        while i < count:
            if not self.join(i + 1, wanted[i]):
                return False
            self.path.push_back(wanted[i])
            i += 1
        return True

    cdef int join_first(self, const int32_t* wanted) except -1:
        """What the first literal makes of the shape, without its table."""
        self.shape_of[1] = self.shape_of[0]
        self.add_to_shape(&self.shape_of[1], &self.literals[wanted[0]])
        return 0

    cdef bint join(self, int depth, int literal) except -1:
        """The table at `depth` from that at `depth - 1` and a literal; False when it is too large."""
        cdef Literal* lit = &self.literals[literal]
        cdef Table* shape = &self.shape_of[depth]
        cdef int nvars = self.shape_of[depth - 1].nvars, i, own, new
        cdef vector[int32_t]* rows = &self.rows_of[depth]
        cdef vector[vector[int32_t]]* columns = &self.columns_of[depth]
        cdef vector[int32_t]* column
        cdef const int32_t* old
        cdef const int32_t* cells
        cdef Lookup lookup
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, k
        cdef size_t row, n, e
        cdef const uint8_t* wanted = NULL
        self.prepare(literal, depth - 1, &lookup)
        shape[0] = self.shape_of[depth - 1]
        self.add_to_shape(shape, lit)
        new = shape.nvars - nvars
        if self.path_keys != ALL and depth == 1 and not shape.head_seen & (shape.head_seen - 1):
            wanted = self.keys_of[self.path_keys][lowest(shape.head_seen)].data()
        rows.clear()
        self.source.clear()
        self.matched.clear()
        for row in range(self.rows_of[depth - 1].size()):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                if depth == 1 and not (self.block_from <= k < self.block_end and (wanted == NULL or wanted[k])):
                    continue
                load_key(&lookup, row, k, key)
                if self.look(&lookup, key, &start, &stop) == 0:
                    continue
                if self.limited and rows.size() + (stop - start) > self.row_limit:
                    return False
                for match in range(start, stop if new else start + 1):
                    rows.push_back(k)
                    self.source.push_back(<int32_t>row)
                    self.matched.push_back(match)
        n = rows.size()
        for own in range(nvars - self.nhead):
            column = &columns[0][own]
            column.resize(n)
            old = self.columns_of[depth - 1][own].data()
            for row in range(n):
                column[0][row] = old[self.source[row]]
        for i in range(lit.arity):
            if lit.args[i] >= nvars:
                column = &columns[0][lit.args[i] - self.nhead]
                column.resize(n)
                cells = lookup.groups.cells + i
                for row in range(n):
                    column[0][row] = cells[<Py_ssize_t>self.matched[row] * lookup.groups.arity]
        self.rows_made += n
        return True

    cdef int prepare(self, int literal, int depth, Lookup* lookup) except -1:
        """How a literal is looked up from the rows at `depth`."""
        cdef Literal* lit = &self.literals[literal]
        cdef int nvars = self.shape_of[depth].nvars, i, v, n = 0
        cdef uint64_t mask = self.shape_of[depth].head_seen, larger = mask
        for i in range(lit.arity):
            if lit.args[i] < self.nhead:
                larger |= <uint64_t>1 << lit.args[i]
        lookup.which = self.lookup_index[nvars * self.literals.size() + literal]
        lookup.groups = self.lookups[nvars * self.literals.size() + literal]
        lookup.rows = self.rows_of[depth].data()
        lookup.keys = self.head_keys.table(larger)
        lookup.extension = NULL
        if larger != mask:
            lookup.extension = self.head_keys.extension(mask, larger)
        for i in range(lit.arity):
            v = lit.args[i]
            if v < self.nhead:
                lookup.own[n] = False
                lookup.columns[n] = lookup.keys.values[v].data()
                n += 1
            elif v < nvars:
                lookup.own[n] = True
                lookup.columns[n] = self.columns_of[depth][v - self.nhead].data()
                n += 1
        lookup.nkeys = n
        return 0

    cdef inline int look(self, const Lookup* lookup, const int32_t* key, int32_t* start, int32_t* stop) except -1:
        """As `find`, but a lazy index is asked for what it does not know."""
        cdef int found = find(lookup.groups, key, start, stop), i
        if found < 0:
            (<Index>self.indexes[lookup.which]).fetch(tuple([key[i] for i in range(lookup.nkeys)]))
            found = find(lookup.groups, key, start, stop)
        return found

    cdef inline void add_to_shape(self, Table* shape, const Literal* lit) noexcept:
        cdef int i, v
        for i in range(lit.arity):
            v = lit.args[i]
            if v >= shape.nvars:
                shape.nvars = v + 1
            if lit.types[i] >= 0:
                shape.types[v] = lit.types[i]
            shape.occurrences[v] += 1
            if v < self.nhead:
                shape.head_seen |= <uint64_t>1 << v

    # -- testing children -----------------------------------------------------------------------------------

    cdef bint test_all(self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals) except -1:
        """Tests the features that add each of these literals to a sequence; False when it was stopped.

        `limit` is the largest size, head counted, of a rule with one of them that may be of use. Where the tables do
        not fit into memory, the keys are gone through in blocks: coverage, signatures and hashes add up.
        """
        cdef size_t i
        cdef int parts = 1
        cdef Candidate candidate
        self.tested += literals.size()
        self.block_from, self.block_end, self.limited = 0, self.nexamples, True
        if self.build(sequence, depth):
            for i in range(literals.size()):
                if self.is_slow(depth) and self.is_stopped():
                    return False
                self.status[literals[i]] = OUT
                if not self.consider(depth, literals[i], &candidate):
                    continue
                memset(self.cover.data(), 0, self.words * sizeof(uint64_t))
                self.cover_with(depth, &candidate)
                if self.is_dead(&candidate):
                    self.dead += 1
                    continue
                if self.is_hashed(&candidate):
                    self.sign(depth, &candidate)
                    self.arrange(&candidate)
                    self.add_up(depth, &candidate)
                self.status[literals[i]] = self.judge(depth, limit, &candidate)
            return True
        while True:
            parts *= 2
            if self.test_in_blocks(sequence, depth, limit, literals, parts):
                self.path.clear()
                return not self.stopped

    cdef bint test_in_blocks(
        self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals, int parts
    ) except -1:
        """`test_all`, with the keys in so many blocks; False when these are still too large."""
        cdef vector[Candidate] candidates
        cdef vector[uint64_t] covers
        cdef Candidate candidate
        cdef size_t i, kept
        cdef int phase, part, keys
        cdef bint considered = False
        self.path.clear()
        self.join_first(sequence)
        keys = self.head_keys.table(self.shape_of[1].head_seen).count
        self.limited = parts < keys  # the rows of one key must fit in any case
        for i in range(literals.size()):
            self.status[literals[i]] = OUT
        for phase in range(3):
            for part in range(parts):
                self.block_from = <int>(<int64_t>keys * part // parts)
                self.block_end = <int>(<int64_t>keys * (part + 1) // parts)
                self.path.clear()
                if self.block_from == self.block_end:
                    continue
                if not self.build(sequence, depth):
                    return False
                if not considered:
                    considered = True
                    for i in range(literals.size()):
                        if self.consider(depth, literals[i], &candidate):
                            candidates.push_back(candidate)
                    covers.assign(candidates.size() * self.words, 0)
                for i in range(candidates.size()):
                    if self.is_stopped():
                        return True
                    if phase == 0:
                        self.cover.assign(covers.begin() + i * self.words, covers.begin() + (i + 1) * self.words)
                        self.cover_with(depth, &candidates[i])
                        for kept in range(self.words):
                            covers[i * self.words + kept] = self.cover[kept]
                    elif candidates[i].pos > self.least(&candidates[i]) and self.is_hashed(&candidates[i]):
                        if phase == 1:
                            self.sign(depth, &candidates[i])
                        else:
                            self.add_up(depth, &candidates[i])
            if phase == 1:
                for i in range(candidates.size()):
                    self.arrange(&candidates[i])
        for i in range(candidates.size()):
            self.cover.assign(covers.begin() + i * self.words, covers.begin() + (i + 1) * self.words)
            if self.is_dead(&candidates[i]):
                self.dead += 1
                continue
            self.status[candidates[i].literal] = self.judge(depth, limit, &candidates[i])
        return True

    cdef bint is_slow(self, int depth) noexcept:
        """Whether one test takes so long that it is worth a look whether to stop."""
        return self.rows_of[depth].size() > 20000

    cdef bint is_stopped(self) except -1:
        if not self.stopped and self.should_stop is not None and self.should_stop():
            self.stopped = True
        return self.stopped

    cdef bint consider(self, int depth, int literal, Candidate* candidate) except -1:
        """What can be said of a child before its rows are looked at; False when it is out."""
        cdef Literal* lit = &self.literals[literal]
        cdef int i, v
        cdef Table* shape = &candidate.shape
        self.status_limit[literal] = 0
        shape[0] = self.shape_of[depth]
        candidate.literal = literal
        candidate.nvars = shape.nvars
        for i in range(lit.arity):
            v = lit.args[i]
            if lit.types[i] >= 0 and v < shape.nvars and shape.types[v] != -1 and shape.types[v] != lit.types[i]:
                return False
        self.add_to_shape(shape, lit)
        if not self.one_of_types_possible(shape):
            return False
        candidate.size = depth + 1
        candidate.smallest = depth + 1 + self.needs(shape)
        if candidate.smallest > self.max_body:
            return False
        candidate.pending = self.unsafe(literal)
        candidate.complete = self.is_complete(shape, candidate.pending)
        candidate.mode = self.mode
        if self.ties is not None and self.mode != SEALED:
            if shape.head_seen & (shape.head_seen - 1):
                candidate.mode = FREE
            elif self.mode == FREE:
                candidate.mode = SEALED
        if candidate.mode == SEALED and not self.is_allowed(candidate):
            return False
        candidate.pos = candidate.neg = 0
        candidate.low = candidate.high = 0
        for i in range(MAX_VARS):
            candidate.signature[i] = 0
            candidate.place[i] = i
        return (candidate.complete and candidate.mode != PATH) or candidate.size < self.max_body

    cdef int64_t least(self, const Candidate* candidate) noexcept:
        """The weight of positives that a rule with this feature must have more than."""
        return self.least_pos(candidate.smallest)

    cdef bint is_dead(self, const Candidate* candidate) noexcept:
        """Whether no rule with this feature pays; its coverage is in `cover`."""
        if candidate.pos <= self.least(candidate):
            return True
        return candidate.mode == SEALED and not self.has_partners(
            self.cover.data(), candidate.shape.head_seen, candidate.shape.nvars - self.nhead, self.least(candidate)
        )

    cdef int cover_with(self, int depth, Candidate* candidate) except -1:
        if candidate.mode == PATH:
            return self.path_coverage(depth, candidate)
        return self.coverage(depth, candidate)

    cdef int64_t least_pos(self, int size) noexcept:
        """A rule with so many body literals must cover more positives than this, by weight.

        Where a program must cost less than a bound: a rule that leaves no room for another one is alone, and a rule r
        alone costs S(r) + N(r) + all positives - P(r). What it covers at least grows with its size, so a feature that
        covers less has no specialisation that is of use.
        """
        cdef int64_t weight = self.size_weight * (size + 1)
        cdef int64_t least = weight if self.use_dead else 0
        if weight + self.company >= self.bound:
            least = max(least, weight + self.all_pos - self.bound)
        return least

    def keep_below(self, int64_t bound, int64_t company):
        """From now on, only rules of programs that cost less than this are asked for.

        `company` is the size of the smallest rule that may be of use, by weight.
        """
        self.bound = bound
        self.company = company

    cdef bint is_hashed(self, const Candidate* candidate) noexcept:
        """What cannot grow any more need not be told apart by its table."""
        return self.use_equal and candidate.size < self.max_body

    cdef int judge(self, int depth, int limit, const Candidate* candidate) except -1:
        """What becomes of a child that is not dead; a node, if it is new."""
        cdef int literal = candidate.literal, size = candidate.size, i, known
        cdef Node child
        cdef uint64_t low, high
        if self.is_hashed(candidate):
            self.finish_hash(candidate, &low, &high)
            known = self.look_up(low, high, size)
            if known >= 0:
                self.equal += 1
                self.status_limit[literal] = self.max_body + 1
                return OUT if known < size else SAME
        if self.use_closed and candidate.complete and self.is_rule(&candidate.shape, candidate.pending):
            # S(r) >= S(f) + N(f) makes a larger rule r useless: what is left are sizes below that.
            limit = min(
                limit,
                <int>min(
                    <int64_t>self.max_body + 1,
                    (self.size_weight * (size + 1) + candidate.neg - 1) // self.size_weight,
                ),
            )
        child.sequence = <int>self.sequences.size()
        for i in range(depth):
            self.sequences.push_back(self.path[i])
        self.sequences.push_back(literal)
        child.size = size
        child.mode = candidate.mode
        child.nvars = candidate.shape.nvars
        child.complete = candidate.complete and child.mode != PATH
        child.head = candidate.shape.head_seen
        child.types = self.own_types(&candidate.shape)
        child.head_types = self.found_types(&candidate.shape)
        child.next_item = -1
        child.bits = -1 if child.mode == PATH else self.store_bits(candidate.pos, candidate.neg)
        child.limit = limit
        child.list_at = 0 if limit >= max(size, candidate.smallest - 1) + 2 and size < self.max_body else -1
        self.child_of[literal] = <int>self.nodes.size()
        self.nodes.push_back(child)
        self.status_limit[literal] = limit
        if child.list_at < 0:
            self.closed += 1
        return NODE

    cdef int needs(self, const Table* shape) noexcept:
        """How many literals, at least, a rule with this feature has besides: those that mention the rest of the head."""
        cdef int missing = 0, i
        if not self.datalog:
            return 0
        for i in range(self.nhead):
            missing += not (shape.head_seen >> i) & 1
        return (missing + self.max_arity - 1) // self.max_arity

    cdef bint is_complete(self, const Table* shape, uint64_t pending) noexcept:
        """Whether a feature may stand in a rule as it is."""
        cdef int i
        if shape.head_seen == 0 or (pending and not self.head_outputs_unsafe()):
            return False
        if not self.singletons:
            for i in range(self.nhead, shape.nvars):
                if shape.occurrences[i] < 2:
                    return False
        return True

    cdef uint64_t own_types(self, const Table* shape) noexcept:
        cdef uint64_t found = 0
        cdef int i, k
        for k in range(self.n_one_types):
            for i in range(self.nhead, shape.nvars):
                if shape.types[i] == self.one_types[k]:
                    found |= <uint64_t>1 << k
        return found

    cdef uint64_t found_types(self, const Table* shape) noexcept:
        """The types that head variables without a declared type get from the literals."""
        cdef uint64_t found = 0
        cdef int i, at = 0
        for i in range(self.nhead):
            if self.head_types[i] < 0:
                found |= <uint64_t>(shape.types[i] + 1) << at
                at += 8
        return found

    cdef bint head_outputs_unsafe(self) noexcept:
        """Whether some head variable is `out`: then what is unsafe in a feature may be made safe by another one."""
        return self.directed and self.head_inputs != ((<uint64_t>1 << self.nhead) - 1)

    cdef bint is_rule(self, const Table* shape, uint64_t pending) noexcept:
        """Whether a complete feature is a rule of the space by itself."""
        cdef int i, k, count
        if pending or (self.datalog and shape.head_seen != ((<uint64_t>1 << self.nhead) - 1)):
            return False
        for k in range(self.n_one_types):
            count = 0
            for i in range(shape.nvars):
                count += shape.types[i] == self.one_types[k]
            if count != 1:
                return False
        return True

    cdef bint one_of_types_possible(self, const Table* shape) noexcept:
        cdef int i, k, count
        for k in range(self.n_one_types):
            count = 0
            for i in range(shape.nvars):
                count += shape.types[i] == self.one_types[k]
            if count > 1:
                return False
        return True

    cdef uint64_t unsafe(self, int literal) except? 77:
        """The literals (bit 0 for this one, bit i + 1 for number i of the path) that cannot be executed yet."""
        cdef uint64_t safe = self.head_inputs, waiting
        cdef int n = <int>self.path.size(), i, current
        cdef bint moved = True
        if not self.directed:
            return 0
        waiting = ((<uint64_t>1 << (n + 1)) - 1)
        while moved and waiting:
            moved = False
            for i in range(n + 1):
                current = self.path[i - 1] if i else literal
                if (waiting >> i) & 1 and not self.literals[current].inputs & ~safe:
                    safe |= self.literals[current].outputs
                    waiting &= ~(<uint64_t>1 << i)
                    moved = True
        return waiting

    cdef int coverage(self, int depth, Candidate* candidate) except -1:
        """Adds to `cover` the examples that keep a row."""
        cdef Lookup lookup
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, example, k, number
        cdef size_t row, e, rows = self.rows_of[depth].size()
        cdef int32_t* covered_at = self.covered_at.data()
        cdef const int32_t* column
        cdef const int32_t* other
        cdef int i
        self.prepare(candidate.literal, depth, &lookup)
        self.test_number += 1
        number = self.test_number
        self.covered_keys.clear()
        if lookup.extension == NULL and lookup.nkeys == 1 and not lookup.groups.lazy and lookup.own[0]:
            column = lookup.columns[0]
            for row in range(rows):
                k = lookup.rows[row]
                if covered_at[k] != number and is_present(lookup.groups, column[row]):
                    covered_at[k] = number
                    self.covered_keys.push_back(k)
        elif lookup.extension == NULL and lookup.nkeys == 2 and not lookup.groups.lazy:
            column = lookup.columns[0]
            other = lookup.columns[1]
            for row in range(rows):
                k = lookup.rows[row]
                if covered_at[k] != number:
                    key[0] = column[row if lookup.own[0] else k]
                    key[1] = other[row if lookup.own[1] else k]
                    if may_be_present(lookup.groups, key[0], key[1]) and find(lookup.groups, key, &start, &stop):
                        covered_at[k] = number
                        self.covered_keys.push_back(k)
        else:
            for row in range(rows):
                if not self.may_match(&lookup, row):
                    continue
                for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                    k = nth_key(&lookup, row, e)
                    if covered_at[k] == number:
                        continue
                    load_key(&lookup, row, k, key)
                    if lookup.nkeys == 2 and not lookup.groups.lazy and not may_be_present(lookup.groups, key[0], key[1]):
                        continue
                    if self.look(&lookup, key, &start, &stop):
                        covered_at[k] = number
                        self.covered_keys.push_back(k)
        for i in range(<int>self.covered_keys.size()):
            k = self.covered_keys[i]
            candidate.pos += lookup.keys.pos[k]
            candidate.neg += lookup.keys.neg[k]
            for start in range(lookup.keys.examples_from[k], lookup.keys.examples_from[k + 1]):
                example = lookup.keys.examples[start]
                self.cover[example >> 6] |= <uint64_t>1 << (example & 63)
        return 0

    cdef inline bint may_match(self, const Lookup* lookup, size_t row) noexcept nogil:
        """Whether a literal on one own variable and one head variable can hold for a row, whatever its key becomes."""
        cdef int32_t value
        if lookup.nkeys != 2 or lookup.groups.lazy or lookup.own[0] == lookup.own[1]:
            return True
        value = lookup.columns[0][row] if lookup.own[0] else lookup.columns[1][row]
        if value >= lookup.groups.npresent:
            return False
        if lookup.own[0]:
            return (lookup.groups.present[value >> 6] >> (value & 63)) & 1
        return (lookup.groups.present_too[value >> 6] >> (value & 63)) & 1

    cdef int sign(self, int depth, Candidate* candidate) except -1:
        """Adds to the signatures of the child's columns: sums over its rows, for a sample of the keys."""
        cdef Lookup lookup
        cdef Extent extent
        cdef const uint64_t* sums[MAX_VARS]
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, k, value
        cdef size_t row, e
        cdef uint64_t base
        cdef int i
        self.measure(depth, candidate, &lookup, &extent)
        if extent.own_old + extent.new < 2:
            return 0  # one column is in order anyway
        for i in range(extent.new):
            sums[i] = self.value_sums(lookup.which, extent.new_at[i], SIGNATURE)
        for row in range(self.rows_of[depth].size()):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                if not lookup.keys.sampled[k]:
                    continue
                load_key(&lookup, row, k, key)
                if find(lookup.groups, key, &start, &stop) <= 0:
                    continue
                base = lookup.keys.hash[k]
                for i in range(extent.own_old):
                    candidate.signature[i] += (
                        base * value_hash(SIGNATURE, extent.old[i][row]) * <uint64_t>(stop - start if extent.new else 1)
                    )
                for i in range(extent.new):
                    if sums[i] != NULL:
                        candidate.signature[extent.own_old + i] += base * (sums[i][2 * stop] - sums[i][2 * start])
                        continue
                    for match in range(start, stop):
                        value = lookup.groups.cells[<Py_ssize_t>match * lookup.groups.arity + extent.new_at[i]]
                        candidate.signature[extent.own_old + i] += base * value_hash(SIGNATURE, value)
        return 0

    cdef int arrange(self, Candidate* candidate) noexcept:
        """Gives each column of the child its place, by signature."""
        cdef int own = candidate.shape.nvars - self.nhead, i, j, c
        cdef int order[MAX_VARS]
        for i in range(own):
            order[i] = i
            candidate.signature[i] = mix(
                candidate.signature[i] + <uint64_t>(candidate.shape.types[self.nhead + i] + 1) * 0x9E3779B97F4A7C15ULL
            )
            if candidate.mode == PATH:
                candidate.signature[i] = mix(candidate.signature[i] + (self.nhead + i >= candidate.nvars))
            if not self.singletons:
                candidate.signature[i] = mix(candidate.signature[i] + (candidate.shape.occurrences[self.nhead + i] > 1))
        for i in range(1, own):
            j = i
            while j > 0 and candidate.signature[order[j - 1]] > candidate.signature[order[j]]:
                c = order[j]
                order[j] = order[j - 1]
                order[j - 1] = c
                j -= 1
        for i in range(own):
            candidate.place[order[i]] = i
        return 0

    cdef int add_up(self, int depth, Candidate* candidate) except -1:
        """Adds to the hash of the child's table.

        The table is taken as a polynomial: a variable for each value in each column and for each key, a product for each
        row, their sum for the table. Different tables are different polynomials, so at a random point (here one for
        each half of the hash) they are equal by a chance of about the degree in 2^64. A literal with one new variable
        multiplies a row by a sum over the values of that variable, which is there from prefix sums: so the rows of the
        child, which can be many times as many, are not gone through.
        """
        cdef Lookup lookup
        cdef Extent extent
        cdef const uint64_t* sums = NULL
        cdef const int32_t* cells
        cdef int32_t key[MAX_ARITY]
        cdef int32_t start = 0, stop = 0, match, k
        cdef size_t row, e
        cdef uint64_t h, g, x, low_part, high_part
        cdef int i
        self.measure(depth, candidate, &lookup, &extent)
        if extent.new == 1:
            sums = self.value_sums(lookup.which, extent.new_at[0], candidate.place[extent.own_old])
        for row in range(self.rows_of[depth].size()):
            for e in range(first_key(&lookup, row), end_key(&lookup, row)):
                k = nth_key(&lookup, row, e)
                load_key(&lookup, row, k, key)
                if find(lookup.groups, key, &start, &stop) <= 0:
                    continue
                h = lookup.keys.hash[k]
                g = ~h
                for i in range(extent.own_old):
                    x = value_hash(candidate.place[i], extent.old[i][row])
                    h *= x
                    g *= other_hash(x)
                if extent.new == 0:
                    candidate.low += h
                    candidate.high += g
                elif sums != NULL:
                    candidate.low += h * (sums[2 * stop] - sums[2 * start])
                    candidate.high += g * (sums[2 * stop + 1] - sums[2 * start + 1])
                else:
                    for match in range(start, stop):
                        cells = lookup.groups.cells + <Py_ssize_t>match * lookup.groups.arity
                        low_part = h
                        high_part = g
                        for i in range(extent.new):
                            x = value_hash(candidate.place[extent.own_old + i], cells[extent.new_at[i]])
                            low_part *= x
                            high_part *= other_hash(x)
                        candidate.low += low_part
                        candidate.high += high_part
        return 0

    cdef int measure(self, int depth, const Candidate* candidate, Lookup* lookup, Extent* extent) except -1:
        """The columns of a child's table: those of the parent, and where the new ones are in the literal."""
        cdef Literal* lit = &self.literals[candidate.literal]
        cdef int i
        self.prepare(candidate.literal, depth, lookup)
        extent.own_old = candidate.nvars - self.nhead
        extent.new = candidate.shape.nvars - candidate.nvars
        for i in range(extent.own_old):
            extent.old[i] = self.columns_of[depth][i].data()
        for i in range(lit.arity):
            if lit.args[i] >= candidate.nvars:
                extent.new_at[lit.args[i] - candidate.nvars] = i
        return 0

    cdef int finish_hash(self, const Candidate* candidate, uint64_t* low, uint64_t* high) noexcept:
        """The hash of the child's table and standing."""
        cdef const Table* shape = &candidate.shape
        cdef int own = shape.nvars - self.nhead, i, c
        cdef uint64_t h = mix(<uint64_t>own + 1)
        h = mix(h + shape.head_seen)  # tables over different keys are not compared
        if candidate.mode == PATH:
            h = mix(h + PATH)
        h = mix(h + self.found_types(shape))
        for c in range(own):
            for i in range(own):
                if candidate.place[i] == c:
                    h = mix(h + candidate.signature[i])
        if candidate.pending or self.head_outputs_unsafe():
            h = mix(h + self.pending_hash(candidate.literal, candidate.pending, candidate.place))
        if not self.singletons:
            h = mix(h + self.lonely_hash(candidate.literal, shape, candidate.place))
        low[0] = mix(candidate.low + h) | 1
        high[0] = mix(candidate.high ^ h)
        return 0

    cdef const uint64_t* value_sums(self, int which, int column, int place) except? NULL:
        """Sums of the hashes of a column over the first rows of an index: pairs of numbers. NULL for a lazy one."""
        cdef uint64_t name = (<uint64_t>which * MAX_ARITY + column) * (SIGNATURE + 1) + place
        cdef const Groups* groups = &(<Index>self.indexes[which]).groups
        cdef vector[uint64_t]* sums
        cdef uint64_t low = 0, high = 0, x
        cdef int32_t row
        if groups.lazy:
            return NULL
        sums = &self.sums_of[name]
        if sums.size() == 0:
            sums.reserve(2 * <size_t>groups.nrows + 2)
            for row in range(groups.nrows):
                sums.push_back(low)
                sums.push_back(high)
                x = value_hash(place, groups.cells[<Py_ssize_t>row * groups.arity + column])
                low += x
                high += other_hash(x)
            sums.push_back(low)
            sums.push_back(high)
        return sums.data()

    cdef uint64_t literal_hash(self, int literal, const int* place) noexcept:
        """A literal in terms of columns, whatever these are called."""
        cdef Literal* lit = &self.literals[literal]
        cdef uint64_t h = <uint64_t>lit.predicate + 1
        cdef int i, v
        for i in range(lit.arity):
            v = lit.args[i]
            h = mix(h * 31 + (<uint64_t>v if v < self.nhead else 100 + <uint64_t>place[v - self.nhead]))
        return h

    cdef uint64_t pending_hash(self, int literal, uint64_t pending, const int* place) noexcept:
        """What of a feature cannot be executed yet, and which variables are safe.

        Where the head has outputs, which of them a feature makes safe matters even if all of it can be executed: an
        extension may read them.
        """
        cdef uint64_t total = 0, safe = 0
        cdef int step, v, current
        for step in range(<int>self.path.size() + 1):
            current = self.path[step - 1] if step else literal
            if (pending >> step) & 1:
                total += self.literal_hash(current, place)
            else:
                safe |= self.literals[current].outputs
        for v in range(self.max_vars):
            if (safe >> v) & 1:
                total += mix(1000 + (<uint64_t>v if v < self.nhead else 100 + <uint64_t>place[v - self.nhead]))
        return mix(total)

    cdef uint64_t lonely_hash(self, int literal, const Table* shape, const int* place) noexcept:
        """The literals that hold the only occurrence of a variable.

        Where singletons are forbidden, features with equal tables must agree on these: an extension of one adds a
        literal that the other might have already, and then that variable would still occur only once in it.
        """
        cdef uint64_t total = 0
        cdef int step, i, v, current
        for step in range(<int>self.path.size() + 1):
            current = self.path[step - 1] if step else literal
            for i in range(self.literals[current].arity):
                v = self.literals[current].args[i]
                if v >= self.nhead and shape.occurrences[v] == 1:
                    total += self.literal_hash(current, place)
                    break
        return mix(total)

    cdef int look_up(self, uint64_t low, uint64_t high, int size) except -2:
        """The size of the known feature with this hash; -1 when there is none, and then this one is known."""
        cdef uint64_t at = low & self.seen_mask
        while self.seen_low[at]:
            if self.seen_low[at] == low and self.seen_high[at] == high:
                return self.seen_size[at]
            at = (at + 1) & self.seen_mask
        self.seen_low[at] = low
        self.seen_high[at] = high
        self.seen_size[at] = size
        self.seen_count += 1
        if self.seen_count * 2 > self.seen_mask:
            self.grow_seen()
        return -1

    cdef int grow_seen(self) except -1:
        cdef vector[uint64_t] low, high
        cdef vector[int32_t] size
        cdef uint64_t i, at
        low.swap(self.seen_low)
        high.swap(self.seen_high)
        size.swap(self.seen_size)
        self.seen_mask = (self.seen_mask + 1) * 4 - 1
        self.seen_low.assign(self.seen_mask + 1, 0)
        self.seen_high.assign(self.seen_mask + 1, 0)
        self.seen_size.assign(self.seen_mask + 1, 0)
        for i in range(low.size()):
            if low[i]:
                at = low[i] & self.seen_mask
                while self.seen_low[at]:
                    at = (at + 1) & self.seen_mask
                self.seen_low[at] = low[i]
                self.seen_high[at] = high[i]
                self.seen_size[at] = size[i]
        return 0

    cdef int store_bits(self, int64_t pos, int64_t neg) except -1:
        """The number of the coverage in `cover`, new or known."""
        cdef uint64_t h = 0, at
        cdef int i, known
        for i in range(self.words):
            h = mix(h + self.cover[i])
        at = h & self.pool_mask
        while self.pool_slots[at]:
            known = self.pool_slots[at] - 1
            for i in range(self.words):
                if self.pool[<size_t>known * self.words + i] != self.cover[i]:
                    break
            else:
                return known
            at = (at + 1) & self.pool_mask
        known = <int>self.pool_pos.size()
        self.pool_slots[at] = known + 1
        for i in range(self.words):
            self.pool.push_back(self.cover[i])
        self.pool_pos.push_back(pos)
        self.pool_neg.push_back(neg)
        if <uint64_t>self.pool_pos.size() * 2 > self.pool_mask:
            self.grow_pool()
        return known

    cdef int grow_pool(self) except -1:
        cdef int known, i
        cdef uint64_t h, at
        self.pool_mask = (self.pool_mask + 1) * 4 - 1
        self.pool_slots.assign(self.pool_mask + 1, 0)
        for known in range(<int>self.pool_pos.size()):
            h = 0
            for i in range(self.words):
                h = mix(h + self.pool[<size_t>known * self.words + i])
            at = h & self.pool_mask
            while self.pool_slots[at]:
                at = (at + 1) & self.pool_mask
            self.pool_slots[at] = known + 1
        return 0

    # -- for Python -----------------------------------------------------------------------------------------

    def counts(self):
        return {
            "nodes": self.nodes.size() - 1, "merged": self.merged, "tested": self.tested, "dead": self.dead, "equal": self.equal,
            "closed": self.closed, "coverages": self.pool_pos.size(), "rows": self.rows_made,
        }

    def collect(self, safety_number):
        """The complete features found since the last call, without those that an earlier one can stand in for.

        A feature can stand in for a later one of the same coverage when it has no more variables, the same one-variable
        types, at least the same head variables, and the same safety. Returns (nodes, bits, sizes, own variables, head
        variables, types, types of head variables, safety, limits).
        """
        cdef int number, other, w
        cdef Node* node
        cdef Node* known
        cdef bint special = self.head_outputs_unsafe()
        self.item_of_bits.resize(self.pool_pos.size(), -1)
        self.safety_of.resize(self.nodes.size(), 0)
        if not special:
            safety_number(((0, True),))
        kept = []
        for number in range(self.collected, <int>self.nodes.size()):
            node = &self.nodes[number]
            if not node.complete:
                continue
            if special:
                self.safety_of[number] = safety_number(self.safety_function(number))
            other = self.item_of_bits[node.bits]
            while other >= 0 and self.use_stand_in:
                known = &self.nodes[other]
                if (
                    known.nvars <= node.nvars and known.types == node.types and known.head_types == node.head_types
                    and (not self.datalog or known.head & node.head == node.head)
                    and self.safety_of[other] == self.safety_of[number]
                ):
                    break
                other = known.next_item
            if other < 0 or not self.use_stand_in:
                node.next_item = self.item_of_bits[node.bits]
                self.item_of_bits[node.bits] = number
                kept.append(number)
        self.collected = <int>self.nodes.size()
        bits = np.zeros((len(kept), self.words), dtype=np.uint64)
        cdef uint64_t[:, ::1] view = bits
        for i, number in enumerate(kept):
            for w in range(self.words):
                view[i, w] = self.pool[<size_t>self.nodes[number].bits * self.words + w]
        return (
            kept, bits,
            [self.nodes[number].size for number in kept],
            [self.nodes[number].nvars - self.nhead for number in kept],
            [self.nodes[number].head for number in kept],
            [self.nodes[number].types for number in kept],
            [self.nodes[number].head_types for number in kept],
            [self.safety_of[number] for number in kept],
            [self.nodes[number].limit for number in kept],
        )

    def safety_function(self, int number):
        """For each set of head outputs taken as safe: (what is safe then of these, whether all can be executed)."""
        cdef Node* node = &self.nodes[number]
        outputs = [v for v in range(self.nhead) if not (self.head_inputs >> v) & 1]
        lits = [self.literals[self.sequences[node.sequence + i]] for i in range(node.size)]
        function = []
        for start in range(1 << len(outputs)):
            safe = self.head_inputs
            for k, v in enumerate(outputs):
                if (start >> k) & 1:
                    safe |= 1 << v
            waiting = list(lits)
            while True:
                ready = [lit for lit in waiting if not lit["inputs"] & ~safe]
                if not ready:
                    break
                waiting = [lit for lit in waiting if lit["inputs"] & ~safe]
                for lit in ready:
                    safe |= lit["outputs"]
            made = 0
            for k, v in enumerate(outputs):
                if (safe >> v) & 1:
                    made |= 1 << k
            function.append((made, not waiting))
        return tuple(function)

    def literals_of(self, int number):
        """The literals of a node, as (predicate, args), in the order they are joined."""
        cdef Node* node = &self.nodes[number]
        return [self.literal_list[self.sequences[node.sequence + i]] for i in range(node.size)]


def taken_as_new(args, int nvars):
    """The literal with all variables from nvars on renamed, in order of appearance, to nvars, nvars + 1, ..."""
    names = {}
    return tuple([a if a < nvars else names.setdefault(a, nvars + len(names)) for a in args])
