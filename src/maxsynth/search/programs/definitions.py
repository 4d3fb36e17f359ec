"""Definitions of invented predicates, each known by what it is true of.

A *symbol* is a predicate that bodies may call: one of BK, or one that is invented already. A *world* has those of BK
and some invented ones, each defined by rules that call symbols from before it. This module lists, size after size, the
rules that a world allows for one more predicate, by their relations (`RuleList`), and sets of these (`definitions`).

**One rule for each relation.** Of rules with the same relation, the same types of columns, and the same places that
must be given, the first, a smallest one, stays: `invention` says why. Bodies grow literal by literal, each sharing a
variable with the head or with what is there; a new variable takes the next number, and a body is known by a name that
does not depend on these. Every body that a rule may have is reached, in any order in which each literal is linked.
(Where a world is made from another by one more symbol, only bodies that call it are new. These grow from a call of it,
which need not be linked to the head at first.)

A body is not grown further when no values make it true: then none make a larger one true. Nor when another one, met
before, has the same variables with the same types, linked in the same way, and the same rows: what is added to the one
can be added to the other, for the same rows and one that is not larger. With directions it matters, too, how it runs,
and all bodies are grown.

**Places that must be given.** With directions, a rule may need some arguments of its head. With more of them given it
still runs, so the least sets of them say all. A definition needs what one of its rules needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

from maxsynth.kernel.features import canonical
from maxsynth.search.programs.relations import Row, Tuples, Views
from maxsynth.task.memory import Memory

Call = tuple[int, tuple[int, ...]]  # the number of a symbol in its world, and variables
Body = tuple[Call, ...]
Types = tuple[str, ...]  # of the columns of a relation; all empty where the bias has none

WIDEST = 100_000  # rows of a body's table
CELL = 30  # bytes for a value in a table of Python's, about
ENTRY = 600  # bytes for a rule that is kept, about, but for its relation


class TooWideError(Exception):
    """A body has more rows than are worth listing."""


@dataclass
class Symbol:
    """A predicate that bodies may call."""

    name: str
    types: Types
    inputs: int  # places that must be given, as bits
    views: Views
    rows: Sequence[Row]
    indexes: dict[tuple[int, ...], dict[Row, list[Row]]] = field(default_factory=dict)

    @property
    def arity(self) -> int:
        return len(self.types)

    def index(self, columns: tuple[int, ...]) -> dict[Row, list[Row]]:
        """The other columns of its rows, by these."""
        if columns not in self.indexes:
            others = [place for place in range(self.arity) if place not in columns]
            made: dict[Row, list[Row]] = {}
            for row in self.rows:
                key = tuple([row[place] for place in columns])
                made.setdefault(key, []).append(tuple([row[place] for place in others]))
            self.indexes[columns] = made
        return self.indexes[columns]


class Entry(NamedTuple):
    """A rule for an invented predicate, its head variables being 0, 1, ..."""

    types: Types
    inputs: int
    views: Views
    body: Body


class Definition(NamedTuple):
    """Rules for an invented predicate."""

    types: Types
    inputs: int
    views: Views
    bodies: tuple[Body, ...]

    @property
    def size(self) -> int:
        return sum(1 + len(body) for body in self.bodies)


class Grown(NamedTuple):
    """A body on its way: its variables in order, their types, and all values that make it true."""

    body: Body
    variables: tuple[int, ...]
    types: tuple[str, ...]
    rows: set[Row]


@dataclass
class Space:
    """What all worlds of a task have in common."""

    max_vars: int
    max_body: int
    arities: range  # of invented predicates
    directed: bool
    memory: Memory
    look: Callable[[], None]  # to be called now and then: it ends a search that is to end
    tuples: dict[int, Tuples] = field(default_factory=dict)

    def of_length(self, arity: int) -> Tuples:
        if arity not in self.tuples:
            self.tuples[arity] = Tuples(arity)
        return self.tuples[arity]


class RuleList:
    """The rules of a world for one more predicate, by the sizes of their bodies."""

    def __init__(self, space: Space, symbols: Sequence[Symbol], before: RuleList | None = None) -> None:
        self.space = space
        self.symbols = symbols
        self.before = before  # of the world with one symbol less
        self.size = 0
        self.entries: dict[int, dict[Types, list[Entry]]] = {}  # by size of the body; new ones only
        self.known: dict[tuple[Types, int], list[int]] = {}  # types and relation -> the sets of inputs
        self.levels: dict[int, list[Grown]] = {}  # by arity of the head: bodies of the last size
        self.tables: set[object] = set()
        # Literals with what they bind: their variables can be any up to the number of those that a body has.
        self.literals = [
            (number, args)
            for number, symbol in enumerate(symbols)
            for args in permutations(range(space.max_vars), symbol.arity)
        ]
        self.widest = max(symbol.arity for symbol in symbols)

    def of_size(self, size: int) -> dict[Types, list[Entry]]:
        """The rules with so many body literals, by the types of their columns."""
        if size > self.space.max_body:
            return {}
        found = {types: list(rules) for types, rules in self.before.of_size(size).items()} if self.before else {}
        while self.size < size:
            self.grow()
        for types, rules in self.entries[size].items():
            found.setdefault(types, []).extend(rules)
        return found

    def grow(self) -> None:
        self.size += 1
        self.entries[self.size] = {}
        if self.before is not None:
            self.before.of_size(self.size)
        for arity in self.space.arities:
            bodies = self.first(arity) if self.size == 1 else self.longer(arity)
            level = []
            for grown in bodies:
                self.note(grown, arity)
                if self.size < self.space.max_body:
                    level.append(grown)
            self.levels[arity] = level

    # -- bodies ---------------------------------------------------------------------------------------------

    def first(self, arity: int) -> Iterator[Grown]:
        last = len(self.symbols) - 1
        start = Grown((), (), (), {()})
        for call in self.literals:
            if self.before is not None:
                if call[0] != last:
                    continue
            elif not any(variable < arity for variable in call[1]):
                continue
            if takes_next_names(call[1], arity):
                grown = self.extended(start, call, arity)
                if grown is not None:
                    yield grown

    def longer(self, arity: int) -> Iterator[Grown]:
        seen: set[object] = set()
        for grown in self.levels[arity]:
            self.space.look()
            touched = {*range(arity), *grown.variables}
            fresh = max(arity, grown.variables[-1] + 1)
            for call in self.literals:
                if call in grown.body or touched.isdisjoint(call[1]) or not takes_next_names(call[1], fresh):
                    continue
                body = [*grown.body, call]
                name = canonical(body, arity) or tuple(sorted(body))
                if name in seen:
                    continue
                seen.add(name)
                extended = self.extended(grown, call, arity)
                if extended is not None:
                    yield extended

    def extended(self, grown: Grown, call: Call, arity: int) -> Grown | None:
        """A body with one more literal, unless it is of no use."""
        symbol = self.symbols[call[0]]
        types = dict(zip(grown.variables, grown.types, strict=True))
        for variable, own in zip(call[1], symbol.types, strict=True):
            if types.setdefault(variable, own) != own:
                return None
        missing = sum(variable not in types for variable in range(arity))
        if missing > self.widest * (self.space.max_body - len(grown.body) - 1):
            return None
        rows = joined(grown, call, symbol)
        if not rows:
            return None
        variables = tuple(sorted(types))
        made = Grown((*grown.body, call), variables, tuple([types[variable] for variable in variables]), rows)
        if not self.space.directed and len(made.body) < self.space.max_body:
            self.space.memory.take(CELL * len(rows) * (2 + len(variables)))
            table = arity, variables, made.types, components(made.body), frozenset(rows)
            if table in self.tables:
                return None
            self.tables.add(table)
        return made

    # -- rules ----------------------------------------------------------------------------------------------

    def note(self, grown: Grown, arity: int) -> None:
        """Keeps a body if it is that of a rule, and no rule before it does the same."""
        if grown.variables[:arity] != tuple(range(arity)) or not is_linked(grown.body, arity):
            return
        types = grown.types[:arity]
        tuples = self.space.of_length(arity)
        views = tuples.views({row[:arity] for row in grown.rows})
        for inputs in self.needs(grown.body, arity):
            if not self.knows(types, views[0], inputs):
                self.space.memory.take(ENTRY + sum(view.bit_length() // 8 for view in views))
                self.known.setdefault((types, views[0]), []).append(inputs)
                rules = self.entries[self.size].setdefault(types, [])
                rules.append(Entry(types, inputs, views, grown.body))

    def knows(self, types: Types, relation: int, inputs: int) -> bool:
        """Whether there is a rule for this that needs no more."""
        if any(not own & ~inputs for own in self.known.get((types, relation), ())):
            return True
        return self.before is not None and self.before.knows(types, relation, inputs)

    def needs(self, body: Body, arity: int) -> list[int]:
        """The least sets of head variables that must be given for a body to run."""
        if not self.space.directed:
            return [0]
        found: list[int] = []
        for given in sorted(range(1 << arity), key=lambda places: (places.bit_count(), places)):
            if all(other & ~given for other in found) and self.runs(body, given):
                found.append(given)
        return found

    def runs(self, body: Body, given: int) -> bool:
        waiting = list(body)
        while waiting:
            ready = [
                (number, args)
                for number, args in waiting
                if all(given >> arg & 1 for place, arg in enumerate(args) if self.symbols[number].inputs >> place & 1)
            ]
            if not ready:
                return False
            for call in ready:
                waiting.remove(call)
                given |= sum(1 << arg for arg in call[1])
        return True


def joined(grown: Grown, call: Call, symbol: Symbol) -> set[Row]:
    """The rows of a body with one more literal, their values in the order of the variables."""
    place = {variable: i for i, variable in enumerate(grown.variables)}
    columns = tuple([i for i, variable in enumerate(call[1]) if variable in place])
    keys = [place[call[1][i]] for i in columns]
    index = symbol.index(columns)
    if len(columns) == len(call[1]):
        return {row for row in grown.rows if tuple([row[key] for key in keys]) in index}
    all_variables = [*grown.variables, *(variable for variable in call[1] if variable not in place)]
    order = sorted(range(len(all_variables)), key=all_variables.__getitem__)
    found: set[Row] = set()
    for row in grown.rows:
        for more in index.get(tuple([row[key] for key in keys]), ()):
            whole = row + more
            found.add(tuple([whole[i] for i in order]))
        if len(found) > WIDEST:
            raise TooWideError
    return found


def takes_next_names(args: Iterable[int], fresh: int) -> bool:
    """Whether the new variables among these, from `fresh` on, come in order."""
    for variable in args:
        if variable > fresh:
            return False
        if variable == fresh:
            fresh += 1
    return True


def components(body: Body) -> frozenset[frozenset[int]]:
    """The variables of a body, those that are linked together."""
    parts: list[set[int]] = []
    for _, args in body:
        touching = [part for part in parts if not part.isdisjoint(args)]
        parts = [part for part in parts if part not in touching]
        parts.append(set(args).union(*touching))
    return frozenset(map(frozenset, parts))


def is_linked(body: Body, arity: int) -> bool:
    """Whether every variable of a body is linked to a head variable."""
    return all(min(part) < arity for part in components(body))


def definitions(rules: RuleList, size: int, most: int) -> Iterator[Definition]:
    """The definitions of a size, with at most so many rules, none of which adds nothing to the others."""
    by_size = {own: rules.of_size(own - 1) for own in range(2, size + 1) if own - 1 <= rules.space.max_body}
    kinds = dict.fromkeys(types for found in by_size.values() for types in found)
    for types in kinds:
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
    return Definition(rules[0].types, inputs, tuple(views), tuple([rule.body for rule in rules]))
