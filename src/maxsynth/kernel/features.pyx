# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# distutils: language = c++
"""Enumerating features: the connected parts that bodies are made of, by size, by joins.

A *feature* is a set of body literals that hang together through variables that are not in the head. Given an example,
the features of a body are independent of each other, so a rule covers what all its features cover. A feature has a
*table*: for each example the values that its own variables can take. (Examples that agree in the head variables that it
mentions share them: `tables/head_keys`.) Adding a literal filters the table, or joins it with the rows of the literal's
predicate.

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
  executed yet, what it counts towards limits, and where singletons are forbidden the literals with a variable that
  occurs once): every extension of
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

Start reading with `features/search.pxi`. The other parts, in the order in which they need each other:

- `features/limits`: what a bias limits in a rule, and why the prunings lose nothing by that;
- `features/language` and `literal_lists`: the literals there are, and which of them fit a feature, in what order;
- `features/shapes` and `safety`: what a feature's literals say about its variables, against what the bias allows;
- `features/ties`: which examples a path can lead to the end of;
- `tables/head_keys` and `tables`: the tables of features, and the joins that make them;
- `tables/example_weights`, `coverage`, `coverage_pool`: what a child covers, and what that weighs;
- `tables/wide_tests`: the same without a table, where that is too large;
- `tables/table_hash`, `known_tables`, `table_equality`: which known tables a child's own may be equal to, and whether it is;
- `features/tree`: nodes and their lists; `children/partners`: a test of sealed ones; `children`: testing the children of a node;
- `children/slices`: the same by several threads, where its table is large;
- `children/merging`: features that are tied together by a literal that reads from several;
- `features/stand_ins`: the features that go on into rules;
- `features/number_tests`: numbers that variables are compared with;
- `features/saved`: saving a search, to go on with it another time;
- `features/units`: having the children of nodes tested on other machines.
"""

from itertools import permutations

cimport cython
from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.math cimport INFINITY, NAN
from libc.string cimport memcmp, memcpy, memset
from libcpp.algorithm cimport next_permutation, sort
from libcpp.map cimport map
from libcpp.pair cimport pair
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

import numpy as np

from maxsynth.kernel.headers.bits cimport compatible, count_bits, lowest, mix
from maxsynth.kernel.headers.checked cimport ends_at, kernel_assert, rises
from maxsynth.kernel.headers.remembered cimport Remembered
from maxsynth.kernel.headers.saved cimport insist, lists_saved, lists_to_save, values_saved, values_to_save
from maxsynth.kernel.headers.slots cimport Candidates, Slots
from maxsynth.kernel.headers.team cimport Team
from maxsynth.kernel.headers.portions cimport Portions
from maxsynth.kernel.headers.threads cimport counter, let_others, milliseconds, mutex
from maxsynth.kernel.terms cimport Groups, Index, Room, before_growing, find, is_present, may_be_present, take
from maxsynth.kernel.terms import equal_rows, sorted_order

include "bodies/body_names.pxi"
include "features/limits.pxi"
include "features/language.pxi"
include "features/literal_lists.pxi"
include "features/shapes.pxi"
include "features/safety.pxi"
include "features/ties.pxi"
include "tables/head_keys.pxi"
include "tables/tables.pxi"
include "tables/example_weights.pxi"
include "tables/coverage.pxi"
include "tables/coverage_pool.pxi"
include "tables/table_hash.pxi"
include "tables/known_tables.pxi"
include "tables/table_equality.pxi"
include "tables/wide_tests.pxi"
include "features/tree.pxi"
include "children/partners.pxi"
include "children/children.pxi"
include "children/slices.pxi"
include "children/merging.pxi"
include "features/stand_ins.pxi"
include "features/number_tests.pxi"
include "features/saved.pxi"
include "features/search.pxi"
include "features/units.pxi"


def set_limit(str name, int64_t value):
    """Sets a limit, for tests; returns what it was."""
    global SAMPLE, SAMPLED_FROM, MOST_TESTS, WIDE_ROWS, WIDE_FANOUT, COUNTED, MOST_REMEMBERED, MOST_CELLS, MANY, PACE
    global BATCH_WORK, LEAST_WORK, UNIT_WORK, LEAST_SENT, MOST_ORDERS, SOME_ROWS, SLICED_ROWS, SLICED_WORK
    global MERGED_AT_ONCE, STEP_ROWS
    before = {
        "sample": SAMPLE, "sampled_from": SAMPLED_FROM, "tests": MOST_TESTS, "wide_rows": WIDE_ROWS,
        "wide_fanout": WIDE_FANOUT, "counted": COUNTED, "remembered": MOST_REMEMBERED, "cells": MOST_CELLS,
        "many": MANY, "pace": PACE, "batch_work": BATCH_WORK, "least_work": LEAST_WORK,
        "unit_work": UNIT_WORK, "least_sent": LEAST_SENT, "orders": MOST_ORDERS,
        "some_rows": SOME_ROWS, "sliced_rows": SLICED_ROWS, "sliced_work": SLICED_WORK,
        "merged_at_once": MERGED_AT_ONCE, "step_rows": STEP_ROWS,
    }[name]
    if name == "sample":
        SAMPLE = value
    elif name == "sampled_from":
        SAMPLED_FROM = value
    elif name == "tests":
        MOST_TESTS = value
    elif name == "wide_rows":
        WIDE_ROWS = value
    elif name == "wide_fanout":
        WIDE_FANOUT = value
    elif name == "counted":
        COUNTED = value
    elif name == "remembered":
        MOST_REMEMBERED = value
    elif name == "cells":
        MOST_CELLS = value
    elif name == "pace":
        PACE = value
    elif name == "batch_work":
        BATCH_WORK = value
    elif name == "least_work":
        LEAST_WORK = value
    elif name == "unit_work":
        UNIT_WORK = value
    elif name == "least_sent":
        LEAST_SENT = value
    elif name == "some_rows":
        SOME_ROWS = value
    elif name == "step_rows":
        STEP_ROWS = value
    elif name == "merged_at_once":
        MERGED_AT_ONCE = value
    elif name == "sliced_rows":
        SLICED_ROWS = value
    elif name == "sliced_work":
        SLICED_WORK = value
    elif name == "orders":
        MOST_ORDERS = value
    else:
        MANY = value
    return before
