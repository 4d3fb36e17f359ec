"""Recursive programs without invented predicates, in an order that finds good ones early.

A recursive program has base rules and rules that call the target. Before any proof its cost is bounded from below: the
base rules alone cover their negatives, and no example is covered that neither a base rule covers nor a calling rule
whose calls are taken to succeed (`bodies`). With S the size by weight,

    cost >= S + N(covered by base rules) + P(neither covered by a base rule nor possible by a calling rule).

That is a matter of bits, so all pairs of a set of base rules and a set of calling rules are bounded at once; only those
that may cost less than the best program so far are tested. What their tests say bounds others, as in `constraints`: a
program misses what a program misses that has one literal less, and covers the negatives that it covers without one of
its rules. Programs are taken by `SIZE_FACTOR * S` plus the errors they must make: a compromise between the order of
sizes, in which the space grows, and the order of the bounds, in which a proof would need least.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic import Program
from maxsynth.search.bodies import Bodies, FoundRule
from maxsynth.search.constraints import Outcome
from maxsynth.search.tester import Tester
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task import Task

Stop = Callable[[], bool]
Key = tuple[tuple[int, ...], tuple[int, ...]]  # base rules and calling rules, by their numbers

SIZE_FACTOR = 4
MOST_PAIRS = 1 << 22  # bounded at once


@dataclass
class Items:
    """Sets of rules of one kind, with as many rules and as many literals: who is in them, and what they cover.

    `most` is what a set may cover, `least` what it covers in any case: a row for a set, a column for an example.
    """

    rules: list[tuple[int, ...]]
    most: NDArray[np.bool_]
    least: NDArray[np.bool_]


@dataclass
class Pairs:
    """Programs: a set of base rules and a set of calling rules each, by their places in the items."""

    bases: Items
    calls: Items
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def __iter__(self) -> Iterator[Key]:
        for i, j in zip(self.first.tolist(), self.second.tolist(), strict=True):
            yield self.bases.rules[i], self.calls.rules[j]


class Neighbours(NamedTuple):
    """Sets of rules of one kind that differ from one such set by little."""

    general: list[tuple[int, ...]]  # one rule has a literal less
    fewer: list[tuple[int, ...]]  # one rule is not there


@dataclass(order=True)
class Cell:
    """Programs of one size whose largest rule has one size, and that make errors of one weight at least."""

    rank: int
    largest: int  # of two cells of a rank, the one with smaller rules is first: there are far fewer of these
    size: int
    errors: int
    programs: list[Pairs] | None = field(compare=False, default=None)  # None: not looked for yet


class RecursivePrograms:
    """All recursive programs that may cost less than the best so far."""

    def __init__(self, task: Task, examples: WeighedExamples, size_weight: int) -> None:
        self.bias = task.bias
        self.bodies = Bodies(task.bias, task.background, examples.rows)
        self.tester = Tester(task, examples, size_weight)
        self.weight = size_weight
        self.pos = examples.pos.astype(np.float64)
        self.neg = examples.neg.astype(np.float64)
        self.rules: list[FoundRule] = []
        self.numbers: dict[tuple[int, ...], int] = {}  # body -> number of its rule
        self.near: dict[tuple[int, ...], Neighbours] = {}
        self.by_size: dict[tuple[bool, int], list[int]] = {}  # (calls?, size) -> numbers of rules
        self.items: dict[tuple[bool, int, int, int], Items] = {}
        self.known: dict[Key, tuple[int, int]] = {}  # program -> weights that it misses and covers wrongly, at least
        self.bounded = 0
        self.cells: list[Cell] = []
        self.size = 3  # the programs of this size are being bounded; all smaller ones were
        self.close_sizes()

    @property
    def tested(self) -> int:
        return self.tester.tested

    @property
    def work(self) -> int:
        return self.bodies.grown + 20 * self.tester.tested

    def exhausted(self, bound: int) -> bool:
        """Whether no program that is left can cost less than the bound."""
        return self.lower_bound() >= bound

    def lower_bound(self) -> int:
        """What a program that is left costs at least."""
        return min((self.weight * cell.size + cell.errors for cell in self.cells), default=1 << 60)

    def next_size(self, bound: int, take: Callable[[Program, Outcome], int], should_stop: Stop) -> bool:
        """Goes on until all programs of a further size are bounded, or none is left; False when it was stopped."""
        while self.cells:
            cell = heapq.heappop(self.cells)
            if self.weight * cell.size + cell.errors >= bound:
                continue  # and so is every later program of this size
            if cell.programs is None:
                if not self.open(cell, bound, should_stop):
                    heapq.heappush(self.cells, cell)
                    return False
                if self.close_sizes():
                    return True
                continue
            for key in (key for pairs in cell.programs for key in pairs):
                if should_stop():
                    heapq.heappush(self.cells, cell)
                    return False
                bound = self.try_program(key, cell, bound, take)
        return True

    # -- bounds ---------------------------------------------------------------------------------------------

    def close_sizes(self) -> bool:
        """Whether all programs of a further size were bounded: then those of the next size are to be."""
        if any(cell.programs is None for cell in self.cells):
            return False
        rules, most = self.bias.max_clauses, 1 + self.bias.max_body
        self.size += 1
        if self.size <= rules * most:
            for largest in range(-(-self.size // rules), min(most, self.size - 2) + 1):
                heapq.heappush(self.cells, Cell(SIZE_FACTOR * self.weight * self.size, largest, self.size, 0))
        return True

    def open(self, cell: Cell, bound: int, should_stop: Stop) -> bool:
        """Bounds all programs of a size with such a largest rule, and makes cells of them."""
        while self.bodies.size + 1 < cell.largest:
            found = self.bodies.grow(should_stop)
            if found is None:
                return False
            for rule in found:
                self.by_size.setdefault((rule.calls > 0, 1 + len(rule.body)), []).append(len(self.rules))
                self.numbers[rule.body] = len(self.rules)
                self.rules.append(rule)
        cells: dict[int, list[Pairs]] = {}
        room = bound - self.weight * cell.size
        for bases, calls in self.shapes(cell.size, cell.largest):
            for errors, pairs in self.pairs(bases, calls, room):
                if should_stop():
                    return False
                cells.setdefault(errors, []).append(pairs)
        for errors, programs in cells.items():
            heapq.heappush(self.cells, Cell(cell.rank + errors, cell.largest, cell.size, errors, programs))
        return True

    def shapes(self, size: int, largest: int) -> Iterator[tuple[Items, Items]]:
        """Sets of base rules and sets of calling rules: so many literals together, and so many in the largest rule."""
        for bases in range(1, self.bias.max_clauses):
            for calls in range(1, self.bias.max_clauses - bases + 1):
                for literals in range(2 * bases, size - 2 * calls + 1):
                    for first, second in self.largest_in(largest):
                        base_sets = self.sets(False, bases, literals, first)
                        if base_sets.rules:
                            call_sets = self.sets(True, calls, size - literals, second)
                            if call_sets.rules:
                                yield base_sets, call_sets

    def largest_in(self, largest: int) -> Iterator[tuple[int, int]]:
        """The sizes of the largest rule in either set, where one of them is given."""
        yield from ((largest, other) for other in range(2, largest + 1))
        yield from ((other, largest) for other in range(2, largest))

    def sets(self, calls: bool, count: int, size: int, largest: int) -> Items:
        """The sets of so many rules of a kind, with so many literals together, and so many in the largest."""
        key = calls, count, size, largest
        if key not in self.items:
            self.items[key] = self.make_sets(calls, count, size, largest)
        return self.items[key]

    def make_sets(self, calls: bool, count: int, size: int, largest: int) -> Items:
        nothing = np.zeros((1, len(self.pos)), np.bool_)
        numbers: list[tuple[int, ...]] = []
        most, least = [nothing[:0]], [nothing[:0]]
        if count > 1:
            befores = [self.sets(calls, count - 1, size - largest, other) for other in range(2, largest + 1)]
        else:
            befores = [Items([()], nothing, nothing)] if size == largest else []
        lasts = [[rules[-1] if rules else -1 for rules in before.rules] for before in befores]  # these rise
        for rule in self.by_size.get((calls, largest), ()) if befores else ():
            found = self.rules[rule]
            for before, last in zip(befores, lasts, strict=True):
                # The numbers of a set rise, and with them the sizes of its rules.
                if end := bisect_left(last, rule):
                    numbers += [(*rules, rule) for rules in before.rules[:end]]
                    most.append(before.most[:end] | found.covers)
                    least.append(before.least[:end] | (found.covers & found.exact))
        return Items(numbers, np.concatenate(most), np.concatenate(least))

    def pairs(self, bases: Items, calls: Items, room: int) -> Iterator[tuple[int, Pairs]]:
        """The programs of these sets that need not make errors of the weight `room`, by the errors they must make."""
        impossible = (~calls.most).astype(np.float64)
        step = max(1, MOST_PAIRS // len(calls.rules))
        for start in range(0, len(bases.rules), step):
            part = slice(start, start + step)
            wrong = bases.least[part] @ self.neg
            # Weights are integers below 2^53, so these sums are exact.
            errors = np.where(bases.most[part], 0.0, self.pos) @ impossible.T + wrong[:, None]
            self.bounded += errors.size
            first, second = np.nonzero(errors < room)
            if not len(first):
                continue
            found = errors[first, second].astype(np.int64)
            order = np.argsort(found, kind="stable")
            weights, places = np.unique(found[order], return_index=True)
            for weight, which in zip(weights.tolist(), np.split(order, places[1:]), strict=True):
                yield weight, Pairs(bases, calls, first[which] + start, second[which])

    # -- tests ----------------------------------------------------------------------------------------------

    def try_program(self, key: Key, cell: Cell, bound: int, take: Callable[[Program, Outcome], int]) -> int:
        """Tests a program unless the tests of others say that it cannot cost less than the bound."""
        size = self.weight * cell.size
        misses, wrong = self.at_least(key)
        if size + max(cell.errors, misses + wrong) >= bound:
            self.known[key] = misses, wrong
            return bound
        program = Program(tuple(self.bodies.rule(self.rules[number]) for number in (*key[0], *key[1])))
        outcome = self.tester.outcome(program)
        self.known[key] = outcome.missed - outcome.most_pos, outcome.neg
        if outcome.cost < bound:
            return take(program, outcome)
        return bound

    def at_least(self, key: Key) -> tuple[int, int]:
        """The weights that a program misses and covers wrongly, by what is known of its neighbours."""
        misses = wrong = 0
        bases, calls = key
        known = self.known
        near, nearer = self.neighbours(bases), self.neighbours(calls)
        for found in (
            *(known.get((general, calls)) for general in near.general),
            *(known.get((bases, general)) for general in nearer.general),
        ):
            if found is not None and found[0] > misses:
                misses = found[0]
        for found in (
            *(known.get((fewer, calls)) for fewer in near.fewer),
            *(known.get((bases, fewer)) for fewer in nearer.fewer),
        ):
            if found is not None and found[1] > wrong:
                wrong = found[1]
        return misses, wrong

    def neighbours(self, rules: tuple[int, ...]) -> Neighbours:
        found = self.near.get(rules)
        if found is None:
            places = range(len(rules))
            found = self.near[rules] = Neighbours(
                [replaced(rules, place, parent) for place in places for parent in self.parents(rules[place])],
                [rules[:place] + rules[place + 1 :] for place in places] if len(rules) > 1 else [],
            )
        return found

    def parents(self, number: int) -> list[int]:
        """The rules of the same kind with one literal less."""
        found = self.rules[number]
        numbers = [self.numbers.get(body) for body in self.bodies.parents(found.body)]
        return [n for n in numbers if n is not None and (self.rules[n].calls > 0) == (found.calls > 0)]

    def counts(self) -> dict[str, int]:
        return {
            "programs_bounded": self.bounded,
            "programs_tested": self.tester.tested,
            "programs_cut": self.tester.cut,
        }


def replaced(rules: tuple[int, ...], place: int, rule: int) -> tuple[int, ...]:
    return (rule,) if len(rules) == 1 else tuple(sorted({*rules[:place], rule, *rules[place + 1 :]}))
