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

- *dead*: P(f) <= S of the smallest rule with f (every head variable must be mentioned: that may take more literals). No
  rule with f is in a smallest optimal program, nor is one with any extension of f, which covers less and is larger.
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

**Ties.** In a graph, most features with many variables mention one head variable only, and the few that tie two
together are hard to reach among them. So where every head variable must occur and there are no directions, both are
looked for apart. (`ties` is None where this does not apply, and all nodes are free.)

- A node that mentions one head variable is *sealed*: its children do not mention another one. A rule with it has a
  literal for each head variable that it lacks, with no more variables than are left. If for one of these no literal
  leaves more positives than the rule has literals, no rule with this node pays, nor with an extension of it
  (`partners`: a stronger kind of dead). When all variables are used up, that literal has only head variables: so
  keys of which no example has such literals are of no concern, and neither are they in extensions (PARTNERED).
- A feature F that mentions two head variables or more is *free*. Let A be the first of them. Of the literals of F, take
  a shortest sequence that leads from A to another head variable, each sharing an own variable with the next. Since it
  is shortest, its first literal has A and no other head variable (or is the whole sequence), its last literal has one
  after A, those between have none; and each shares own variables only with its neighbours, so with the one before it
  only variables that are new there. These are the children of a *path*. What completes a path is free and is given the
  list of all literals, so F is reached through it. A path covers the examples that it can still lead to the end of
  (`ties`): F covers no others, so a path that has too few positives of these is dead.
- Paths are equal when their tables are and the variables of the last literal are the same columns, for then the same
  literals continue both. In the order of the features of one size, nodes from free ones come before those from paths;
  so an equal feature that came earlier is still on an earlier branch, as the argument above needs.

The parts of this are in files of their own:

- `language` and `literal_lists`: the literals there are, and which of them fit a feature, in what order;
- `shapes` and `safety`: what a feature's literals say about its variables, against what the bias allows;
- `tables`, `coverage`, `table_hash`: joins, what a child covers, and which known tables (`known_tables`) its own may be
  equal to; `table_equality`: whether it is;
- `children`: testing the children of a node (`partners`: a test of sealed ones);
- `tree`: nodes and their lists; `merging`: features that are tied together by a literal that reads from several;
- `stand_ins`: the features that go on into rules.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

cimport cython

from maxsynth.kernel.children cimport ChildTests
from maxsynth.kernel.coverage_pool cimport CoveragePool
from maxsynth.kernel.example_weights cimport ExampleWeights, keep_best
from maxsynth.kernel.head_keys cimport HeadKeys
from maxsynth.kernel.language cimport Language
from maxsynth.kernel.literal_lists cimport LiteralLists
from maxsynth.kernel.merging cimport Merger
from maxsynth.kernel.room cimport Room
from maxsynth.kernel.stand_ins cimport StandIns
from maxsynth.kernel.tables cimport FREE, NEAR, PATH, SEALED, Tables
from maxsynth.kernel.ties cimport Ties
from maxsynth.kernel.tree cimport NODE, Node, Tree


@cython.final
cdef class FeatureSearch:
    """The enumeration; `expand` works off one size.

    `bias` is what `search.features.make_language` makes, and names the prunings to leave out in `without`.
    """

    cdef Language language
    cdef LiteralLists lists
    cdef Tables tables
    cdef CoveragePool pool
    cdef Tree tree
    cdef ChildTests tests
    cdef Merger merger
    cdef StandIns stand_ins
    cdef ExampleWeights weights
    cdef int beam                     # nodes of a size to expand, at most; 0: all
    cdef bint tied                    # whether there are sealed nodes and paths; else all nodes are free

    def __init__(
        self, dict bias, examples, pos_weight, neg_weight, int64_t size_weight, make_index, size_t row_limit=1 << 22,
        Ties ties=None, int beam=0, claim=None,
    ):
        cdef ExampleWeights weights = ExampleWeights(pos_weight, neg_weight)
        cdef Room room = Room(claim)
        without = bias["without"]
        self.language = Language(bias)
        self.lists = LiteralLists(self.language, make_index)
        self.tables = Tables(self.lists, HeadKeys(examples, pos_weight, neg_weight), row_limit, room)
        self.pool = CoveragePool(weights.words, room)
        self.tree = Tree(self.lists, "order" not in without, room)
        self.tests = ChildTests(self.tree, self.tables, weights, self.pool, ties, size_weight, without)
        self.merger = Merger(self.tests)
        self.stand_ins = StandIns(self.tree, self.pool, "stand_in" not in without)
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
            if ((i & 15) == 0 and self.tests.is_stopped()) or not self.expand_node(self.tree.level[i]):
                return False
        for i in range(self.tree.paths.size()):
            if ((i & 15) == 0 and self.tests.is_stopped()) or not self.expand_path(self.tree.paths[i]):
                return False
        if self.language.directed and not self.merger.merge_all():
            return False
        if self.beam:
            self.keep_promising(self.tree.next_level, self.beam)
            self.keep_promising(self.tree.mergers[self.tree.size + 1], self.beam // 2)  # of which pairs are made
            self.tree.next_paths.resize(min(self.tree.next_paths.size(), <size_t>self.beam))
        self.tree.next_size()
        return True

    def keep_below(self, int64_t bound, int64_t company):
        """From now on, only rules of programs that cost less than this are asked for.

        `company` is the size of the smallest rule that may be of use, by weight.
        """
        self.tests.bound = bound
        self.tests.company = company

    cdef int keep_promising(self, vector[int32_t]& level, int count) except -1:
        """Drops all but the nodes that tell positives from negatives best; for a beam."""
        cdef vector[int64_t] promises
        cdef size_t i
        for i in range(level.size()):
            promises.push_back(self.weights.promise_of(self.pool.at(self.tree.nodes[level[i]].bits)))
        return keep_best(level, promises, count)

    cdef bint expand_node(self, int number) except -1:
        """Makes the children of a node; False when it was stopped."""
        cdef Node node = self.tree.nodes[number]
        cdef int literal
        cdef size_t i
        cdef vector[int32_t] literals, sequence
        if not node.expanded or node.size >= self.language.max_body:
            return True
        self.tree.take_list(number, literals)
        sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
        self.tests.enter(node.mode, node.bits)
        if number == 0 and self.tests.partners is not None:
            self.tests.find_partners(literals)
        # All are tested before the first child is made, for it needs to know what became of the rest.
        if node.mode == SEALED:
            if not self.tests.test_sealed(sequence.data(), &node, literals):
                return False
        elif not self.tests.test(sequence.data(), node.size, node.limit, literals):
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
        if node.size >= self.language.max_body:
            return True
        sequence.assign(self.tree.literals_of(number), self.tree.literals_of(number) + node.size)
        if number == 0:
            self.list_beginnings(literals)
        else:
            self.list_next(&node, sequence, literals)
        self.tests.enter(PATH, -1)
        if not self.tests.test(sequence.data(), node.size, node.limit, literals):
            return False
        for i in range(literals.size()):
            if self.tree.outcomes[literals[i]].what == NODE:
                child = self.tree.outcomes[literals[i]].child
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
        return self.stand_ins.collect(safety_number)

    def literals_of(self, int number):
        """The literals of a node, as (predicate, args), in the order they are joined."""
        cdef const int32_t* literals = self.tree.literals_of(number)
        cdef int i
        return [self.language.literal_list[literals[i]] for i in range(self.tree.nodes[number].size)]
