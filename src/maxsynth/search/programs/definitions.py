"""Definitions of invented predicates, each known by what it is true of.

A *symbol* is a predicate that bodies may call: one of BK, or one that is invented already. A *world* has those of BK
and some invented ones, each defined by rules that call symbols from before it. This module lists, size after size, the
rules that a world allows for one more predicate, by their relations (`RuleList`), and sets of these (`definitions`).

A rule for an invented predicate is like one for a target that has its types and directions: what it covers, of all
tuples of values, is its relation. So `rules.features` lists them, with all tuples as positive examples, and without the
prunings that compare what rules cost. Of rules with the same relation, a smallest one stays. A tuple weighs more than
any rule: only what is true of nothing is of no use.

With directions, a rule may need some arguments of its head. With more of them given it still runs, so a rule that is
known to need no more stands for another. A definition needs what one of its rules needs.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Relation
from maxsynth.bias.bias import Bias
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Rule
from maxsynth.search.programs.relations import Tuples, Views
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

Types = tuple[str, ...]  # of the columns of a relation; all empty where the bias has none

# What costs is not compared; and what ties examples together would have to be found for each world anew.
WITHOUT = ("closed", "outdone", "ties")
HEAVY = 1 << 20  # more than a rule has literals
ENTRY = 900  # bytes for a rule that is kept, about, but for its relation
GENERATOR = 80_000  # bytes, about, for what generates rules in a world


class StoppedError(Exception):
    """The search is to end."""


@dataclass
class Symbol:
    """A predicate that bodies may call."""

    predicate: Predicate
    types: Types
    inputs: int  # places that must be given, as bits
    views: Views
    relation: Relation


class Entry(NamedTuple):
    """A rule for an invented predicate."""

    types: Types
    inputs: int
    views: Views
    rule: Rule


class Definition(NamedTuple):
    """Rules for an invented predicate."""

    types: Types
    inputs: int
    views: Views
    rules: tuple[Rule, ...]

    @property
    def size(self) -> int:
        return sum(rule.size for rule in self.rules)


class Space:
    """What all worlds of a task have in common."""

    def __init__(self, task: ReadTask, memory: Memory) -> None:
        bias = self.bias = task.bias
        self.task = task
        self.memory = memory
        self.should_stop: Callable[[], bool] = lambda: False
        values = values_of(task)
        self.tuples = {arity: Tuples(values, arity) for arity in arities(bias)}
        self.examples = {arity: as_examples(tuples.rows) for arity, tuples in self.tuples.items()}
        self.kinds = kinds(bias)

    def known_symbol(self, predicate: Predicate) -> Symbol:
        """A predicate of BK."""
        relation = self.task.background.relation(predicate)
        assert relation.rows is not None
        types = self.bias.types.get(predicate, ("",) * predicate.arity)
        modes = self.bias.directions.get(predicate, ())
        inputs = sum(1 << place for place, mode in enumerate(modes) if mode == "in")
        return Symbol(predicate, types, inputs, self.tuples[predicate.arity].views_of(relation.rows), relation)

    def invented_symbol(self, name: str, definition: Definition) -> Symbol:
        arity = len(definition.types)
        predicate = Predicate(name, arity)
        rows = self.tuples[arity].rows_of(definition.views[0])
        return Symbol(predicate, definition.types, definition.inputs, definition.views, Relation(predicate, rows))

    def task_with(self, invented: Sequence[Symbol], head: Symbol | None = None) -> ReadTask:
        """The task with invented predicates in BK; and another head."""
        task, bias = self.task, self.bias
        background = copy.copy(task.background)
        background.relations = dict(task.background.relations)
        types, directions = dict(bias.types), dict(bias.directions)
        for symbol in (*invented, head) if head is not None else invented:
            background.relations[symbol.predicate] = symbol.relation
            if bias.types:
                types[symbol.predicate] = symbol.types
            if bias.directions:
                modes = ["in" if symbol.inputs >> place & 1 else "out" for place in range(len(symbol.types))]
                directions[symbol.predicate] = tuple(modes)
        body = (*bias.body, *(symbol.predicate for symbol in invented))
        target = bias.head if head is None else head.predicate
        extended = dataclasses.replace(bias, head=target, body=body, types=types, directions=directions)
        return dataclasses.replace(task, bias=extended, background=background)

    def look(self) -> None:
        if self.should_stop():
            raise StoppedError


class RuleList:
    """The rules of a world for one more predicate, by the sizes of their bodies."""

    def __init__(self, space: Space, invented: Sequence[Symbol], name: str) -> None:
        self.space = space
        self.invented = invented
        self.name = name  # of the predicate
        self.size = 0
        self.generators: list[tuple[Types, int, RuleGenerator]] = []
        self.entries: dict[int, dict[Types, list[Entry]]] = {}  # by size of the body
        self.known: dict[tuple[Types, int], list[int]] = {}  # types and relation -> the sets of inputs

    def of_size(self, size: int) -> dict[Types, list[Entry]]:
        """The rules with so many body literals, by the types of their columns."""
        if size > self.space.bias.most_body:
            return {}
        if not self.generators and self.size < size:
            self.generators = [(types, inputs, self.generator(types, inputs)) for types, inputs in self.space.kinds]
        while self.size < size:
            self.grow()
        return self.entries[size]

    def generator(self, types: Types, inputs: int) -> RuleGenerator:
        space, arity = self.space, len(types)
        space.memory.take(GENERATOR)
        predicate = Predicate(self.name, arity)
        head = Symbol(predicate, types, inputs, (), Relation(predicate, np.zeros((0, arity), np.int32)))
        return RuleGenerator(
            space.task_with(self.invented, head), space.examples[arity], 1, without=WITHOUT, memory=space.memory
        )

    def grow(self) -> None:
        self.size += 1
        found = self.entries[self.size] = {}
        for types, inputs, generator in self.generators:
            pool = generator.next_size(self.space.should_stop)
            if pool is None:
                raise StoppedError
            views = self.space.tuples[len(types)].views(pool.bits) if len(pool) else []
            for number, own in zip(pool.numbers.tolist(), views, strict=True):
                if not self.knows(types, own[0], inputs):
                    self.space.memory.take(ENTRY + sum(view.bit_length() // 8 for view in own))
                    self.known.setdefault((types, own[0]), []).append(inputs)
                    found.setdefault(types, []).append(Entry(types, inputs, own, generator.rule(number)))
        if self.size == self.space.bias.most_body:
            self.generators = []

    def knows(self, types: Types, relation: int, inputs: int) -> bool:
        """Whether there is a rule for this that needs no more."""
        return any(not own & ~inputs for own in self.known.get((types, relation), ()))


# -- what can be told beforehand ----------------------------------------------------------------------------


def values_of(task: ReadTask) -> NDArray[np.int32]:
    """The values in BK's tables: invented predicates are true of no others."""
    tables = [task.background.relation(predicate).rows for predicate in task.bias.body]
    return np.unique(np.concatenate([table.ravel() for table in tables if table is not None])).astype(np.int32)


def arities(bias: Bias) -> range:
    return range(1, min(bias.invented_arity, bias.max_vars) + 1)


def count_kinds(bias: Bias) -> int:
    ways = len(types_in(bias)) * (2 if bias.directions else 1)
    return sum(ways**arity for arity in arities(bias))


def types_in(bias: Bias) -> list[str]:
    return list(dict.fromkeys(name for predicate in bias.body for name in bias.types.get(predicate, ()))) or [""]


def kinds(bias: Bias) -> list[tuple[Types, int]]:
    """The types and inputs that an invented predicate may have, those with fewer inputs first."""
    found = [
        (types, inputs)
        for arity in arities(bias)
        for types in product(types_in(bias), repeat=arity)
        for inputs in range(1 << arity if bias.directions else 1)
    ]
    return sorted(found, key=lambda kind: kind[1].bit_count())


def as_examples(rows: NDArray[np.int32]) -> WeighedExamples:
    return WeighedExamples(rows, np.full(len(rows), HEAVY, np.int64), np.zeros(len(rows), np.int64))


# -- sets of rules ------------------------------------------------------------------------------------------


def definitions(rules: RuleList, size: int, most: int) -> Iterator[Definition]:
    """The definitions of a size, with at most so many rules, none of which adds nothing to the others."""
    by_size = {own: rules.of_size(own - 1) for own in range(2, size + 1)}
    for types in dict.fromkeys(types for found in by_size.values() for types in found):
        entries = {own: found.get(types, []) for own, found in by_size.items()}
        yield from rule_sets(entries, size, most, (), (0, -1))


def rule_sets(
    entries: dict[int, list[Entry]], size: int, most: int, chosen: tuple[Entry, ...], after: tuple[int, int]
) -> Iterator[Definition]:
    """Sets of rules of a size together, all after one in the order of sizes and numbers."""
    for own in range(max(after[0], 2), size + 1):
        left = size - own
        if left and (most == 1 or left < own):
            continue
        listed = entries.get(own, [])
        for number in range(after[1] + 1 if own == after[0] else 0, len(listed)):
            more = (*chosen, listed[number])
            if len(more) > 1 and adds_nothing(more):
                continue
            if left:
                yield from rule_sets(entries, left, most - 1, more, (own, number))
            else:
                yield united(more)


def adds_nothing(rules: Sequence[Entry]) -> bool:
    """Whether one of the rules is true only where the others are."""
    for number, rule in enumerate(rules):
        others = 0
        for place, other in enumerate(rules):
            if place != number:
                others |= other.views[0]
        if not rule.views[0] & ~others:
            return True
    return False


def united(rules: Sequence[Entry]) -> Definition:
    inputs = 0
    views = [0] * len(rules[0].views)
    for rule in rules:
        inputs |= rule.inputs
        for number, view in enumerate(rule.views):
            views[number] |= view
    return Definition(rules[0].types, inputs, tuple(views), tuple([rule.rule for rule in rules]))
