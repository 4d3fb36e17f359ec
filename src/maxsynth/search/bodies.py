"""The rules of a space whose bodies may call the target, size after size, each with what it can cover at most.

Bodies grow by one literal at a time, in an order in which they can run: with directions, a literal is added when its
inputs are safe; without, when it shares a variable with the head or the body. Every body of the space has such an
order, and every part of it up to some literal is reached before. A new variable takes the next free number, and a body
is remembered under all names that its variables could have had, so each comes once.

What a body can cover is found on the examples, as a table of bindings that each literal extends. A call of the target
is taken to succeed with any result: variables that only a call binds are *open*, and literals on open variables are
taken to hold. So a body covers at most the examples that its table has, and one without calls covers just these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from maxsynth.background import Background
from maxsynth.bias import Bias, Predicate
from maxsynth.errors import PrologProblem
from maxsynth.kernel.index import Index
from maxsynth.logic import Literal, Rule

MOST_ROWS = 20_000  # of a table: a literal that makes more is taken to hold

Table = dict[int, NDArray[np.int32]]  # variable -> its values, a row for each binding; EXAMPLE: the example's number
EXAMPLE = -1


@dataclass
class Body:
    """A body, whole or not. `literals` are numbers; `shown` is the set of these, as bits, under the names it has."""

    literals: tuple[int, ...]
    shown: int
    variables: int  # how many the rule has, head counted
    types: tuple[str | None, ...]  # of these
    safe: int  # variables with a value once the body has run, as bits
    open: int  # variables that only a call binds
    used: int  # variables that occur in it
    calls: int
    table: Table | None  # None: too large, or BK could not be asked
    exact: bool  # whether it covers all that the table has


@dataclass
class FoundRule:
    """A rule of the space. `covers`: examples that it covers, or, if it calls the target, may cover."""

    body: tuple[int, ...]
    calls: int
    covers: NDArray[np.bool_]
    exact: bool


class Bodies:
    """Grows bodies, and gives those that make rules."""

    def __init__(self, bias: Bias, background: Background, examples: NDArray[np.int32]) -> None:
        self.bias = bias
        self.background = background
        self.examples = examples
        self.arity = bias.head.arity
        predicates = [*bias.body, bias.head]
        kinds = [(p, args) for p in predicates for args in permutations(range(bias.max_vars), p.arity)]
        self.args = [args for _, args in kinds]
        self.literals = [Literal(predicate.name, args) for predicate, args in kinds]
        self.number = {literal: number for number, literal in enumerate(self.literals)}
        self.is_call = [predicate == bias.head for predicate, _ in kinds]
        self.types = [list(zip(args, bias.types.get(predicate, ()), strict=False)) for predicate, args in kinds]
        self.mask = [sum(1 << v for v in args) for args in self.args]
        modes = bias.directions
        self.inputs = [
            sum(1 << v for v, mode in zip(args, modes.get(predicate, ()), strict=False) if mode == "in")
            for predicate, args in kinds
        ]
        self.own = self.number[Literal(bias.head.name, tuple(range(self.arity)))]
        self.loops = sum(
            1 << number for number, lit in enumerate(self.literals) if bias.is_loop(lit.predicate, lit.args)
        )
        self.renamings = {
            count: [self.renaming(names) for names in permutations(range(self.arity, count))]
            for count in range(self.arity, bias.max_vars + 1)
        }
        self.seen: dict[int, tuple[int, ...]] = {}  # a body as bits, under any names -> its literals
        self.next_literals: dict[int, list[int]] = {}
        self.look_ups: dict[tuple[Predicate, tuple[int, ...]], LookUp] = {}
        head_modes = modes.get(bias.head, ("in",) * self.arity)
        self.frontier = [
            Body(
                (), 0, self.arity, tuple(bias.types.get(bias.head, (None,) * self.arity)),
                sum(1 << i for i, mode in enumerate(head_modes) if mode == "in"), 0, 0, 0,
                {EXAMPLE: np.arange(len(examples), dtype=np.int32)}
                | {i: np.ascontiguousarray(examples[:, i]) for i in range(self.arity)},
                True,
            )
        ]  # fmt: skip
        self.size = 0
        self.grown = 0  # bodies so far

    def renaming(self, names: tuple[int, ...]) -> list[int]:
        """For each literal the bit of the one it becomes; 0 where it has variables beyond the names."""
        new = [*range(self.arity), *names]
        return [
            1 << self.number[Literal(literal.name, tuple(new[v] for v in args))] if max(args) < len(new) else 0
            for literal, args in zip(self.literals, self.args, strict=True)
        ]

    def grow(self, should_stop: Callable[[], bool]) -> list[FoundRule] | None:
        """The rules with one more literal; None when it was stopped."""
        longer: list[Body] = []
        last = self.size + 1 >= self.bias.max_body
        found: list[FoundRule] = []
        for body in self.frontier:
            if should_stop():
                return None
            for literal in self.candidates(body):
                grown = self.extended(body, literal)
                if grown is None:
                    continue
                if self.is_rule(grown):
                    found.append(self.found(grown))
                if not last:
                    longer.append(grown)
        self.frontier = longer
        self.size += 1
        return found

    def candidates(self, body: Body) -> Iterator[int]:
        """Literals that can run after a body, with new variables in order."""
        known = (1 << body.variables) - 1
        directed = bool(self.bias.directions)
        for number in self.in_order(body.variables):
            if directed:
                if self.inputs[number] & ~body.safe:
                    continue
            elif not self.mask[number] & known:
                continue
            if (shown := body.shown | 1 << number) != body.shown and shown not in self.seen:
                yield number

    def in_order(self, count: int) -> list[int]:
        """The literals that may be added to a rule with so many variables: new ones come in order."""
        if count not in self.next_literals:
            self.next_literals[count] = [
                number
                for number, args in enumerate(self.args)
                if not self.loops >> number & 1
                and [v for v in args if v >= count] == list(range(count, count + sum(v >= count for v in args)))
            ]
        return self.next_literals[count]

    def extended(self, body: Body, number: int) -> Body | None:
        self.grown += 1
        mask = self.mask[number]
        variables = max(body.variables, mask.bit_length())
        types = self.with_types(body.types, number, variables)
        if types is None:
            return None
        shown = body.shown | 1 << number
        literals = (*body.literals, number)
        for renaming in self.renamings[variables]:
            self.seen.setdefault(sum(renaming[part] for part in literals), literals)
        is_call = self.is_call[number]
        known = body.safe if self.bias.directions else (1 << body.variables) - 1
        opened = body.open
        table, exact = body.table, body.exact
        if is_call:
            # At the head of a rule that is tested, all arguments of the target are given, the outputs too.
            opened |= mask & ~known & ~((1 << self.arity) - 1)
            exact = False
        elif mask & body.open or table is None:
            exact = False
            opened |= mask & ~((1 << body.variables) - 1)
        else:
            table, complete = self.joined(table, number)
            if not complete:
                exact = False
                opened |= mask & ~((1 << body.variables) - 1)
        return Body(
            literals, shown, variables, types, body.safe | mask, opened, body.used | mask, body.calls + is_call,
            table, exact,
        )  # fmt: skip

    def with_types(self, types: tuple[str | None, ...], number: int, count: int) -> tuple[str | None, ...] | None:
        extended: list[str | None] | None = [*types, *[None] * (count - len(types))] if count > len(types) else None
        for variable, type_ in self.types[number]:
            known = types[variable] if variable < len(types) else None
            if known is None:
                extended = list(types) if extended is None else extended
                extended[variable] = type_
            elif known != type_:
                return None
        return types if extended is None else tuple(extended)

    # -- rules ----------------------------------------------------------------------------------------------

    def is_rule(self, body: Body) -> bool:
        """The conditions on a rule that growing does not ensure."""
        bias = self.bias
        head = (1 << self.arity) - 1
        missing = head & ~body.used
        if missing and not (bias.non_datalog and self.may_miss(missing)):
            return False
        if not bias.singletons:
            seen, twice = head, 0
            for number in body.literals:
                twice |= seen & self.mask[number]
                seen |= self.mask[number]
            if twice != seen:
                return False
        if any(body.types.count(type_) != 1 for type_ in bias.one_of_type):
            return False
        return not bias.directions or self.is_connected(body)

    def may_miss(self, missing: int) -> bool:
        """In a program that calls itself, only an `in` argument of the head may be missing from the body."""
        modes = self.bias.directions.get(self.bias.head)
        return modes is not None and all(mode == "in" for i, mode in enumerate(modes) if missing >> i & 1)

    def is_connected(self, body: Body) -> bool:
        reached, waiting = (1 << self.arity) - 1, [self.mask[number] for number in body.literals]
        while waiting:
            rest = [mask for mask in waiting if not mask & reached]
            if len(rest) == len(waiting):
                return False
            for mask in waiting:
                if mask & reached:
                    reached |= mask
            waiting = rest
        return True

    def found(self, body: Body) -> FoundRule:
        covers = np.zeros(len(self.examples), np.bool_)
        if body.table is None:
            covers[:] = True
        else:
            covers[body.table[EXAMPLE]] = True
        return FoundRule(body.literals, body.calls, covers, body.exact)

    def parents(self, body: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The bodies with one literal less, as they were found. (Not all of them need be bodies of the space.)"""
        for left_out in range(len(body)):
            names: dict[int, int] = {i: i for i in range(self.arity)}
            shown = 0
            for number in body[:left_out] + body[left_out + 1 :]:
                args = tuple(names.setdefault(arg, len(names)) for arg in self.args[number])
                shown |= 1 << self.number[Literal(self.literals[number].name, args)]
            if shown in self.seen:
                yield self.seen[shown]

    def rule(self, found: FoundRule) -> Rule:
        return Rule(self.literals[self.own], tuple(self.literals[number] for number in found.body))

    # -- tables ---------------------------------------------------------------------------------------------

    def joined(self, table: Table, number: int) -> tuple[Table | None, bool]:
        """The table with a literal; as it was, and False, where that would be too much or BK cannot be asked."""
        args, predicate = self.args[number], self.literals[number].predicate
        if not len(table[EXAMPLE]):
            return table | {v: np.zeros(0, np.int32) for v in args}, True
        relation = self.background.relation(predicate)
        index = relation.index(i for i, arg in enumerate(args) if arg in table)
        if index is None:
            return table, False  # an output of the head may be an input here, whose value only a call gives
        look_up = self.look_ups.setdefault((predicate, index.columns), LookUp(predicate.arity, index))
        try:
            rows, answers = look_up.join([table[args[i]] for i in index.columns], len(table[EXAMPLE]))
        except PrologProblem:
            return table, False
        for i, arg in enumerate(args):
            if arg in table and i not in index.columns:
                fits = table[arg][rows] == answers[:, i]
                rows, answers = rows[fits], answers[fits]
        if len(rows) > MOST_ROWS:
            return table, False
        joined = {variable: values[rows] for variable, values in table.items()}
        joined |= {arg: np.ascontiguousarray(answers[:, i]) for i, arg in enumerate(args) if arg not in table}
        return joined, True


class LookUp:
    """The rows of an index as one array, for whole columns of keys at once."""

    def __init__(self, arity: int, index: Index) -> None:
        self.index = index
        self.places: dict[tuple[int, ...], tuple[int, int]] = {}  # key -> first row, number of rows
        self.parts: list[NDArray[np.int32]] = [np.zeros((0, arity), np.int32)]
        self.rows = self.parts[0]
        self.count = 0

    def join(self, keys: list[NDArray[np.int32]], count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """For each pair of a key and a row that has it: the number of the key, and the row."""
        if not keys:
            wanted: list[tuple[int, ...]] = [()] * count
        else:
            wanted = list(zip(*(column.tolist() for column in keys), strict=True))
        self.fetch([key for key in dict.fromkeys(wanted) if key not in self.places])
        places = [self.places[key] for key in wanted]
        if len(self.parts) > 1:
            self.parts = [np.concatenate(self.parts)]
            self.rows = self.parts[0]
        first, counts = np.array(places, np.int64).T
        which = np.repeat(np.arange(count), counts)
        within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        return which, self.rows[np.repeat(first, counts) + within]

    def fetch(self, keys: list[tuple[int, ...]]) -> None:
        self.index.fetch_all([key for key in keys if not self.index.knows(key)])
        for key in keys:
            rows = self.index.rows(key)
            self.places[key] = (self.count, len(rows))
            if rows:
                self.parts.append(np.array(rows, np.int32))
                self.count += len(rows)
