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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import StoppedAskingError
from maxsynth.kernel.bodies import WeighedBits
from maxsynth.logic.programs import Program, Rule
from maxsynth.search.coverage import Bits, pack, words
from maxsynth.search.programs.bodies import Bodies, FoundRule
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.programs.tester import Tester
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

Stop = Callable[[], bool]

SIZE_FACTOR = 4
NAME = 32  # bits: a program is known by the names of its two sets in one number ...
WEIGHT = 54  # ... and so are the weights of its errors
MOST_PAIRS = 1 << 22  # bounded at once
UNTESTED = 32  # programs between two looks whether to stop, when none of them needs a test
PAIR = 512  # one pair at once, at most, for so many bytes of the limit
MOST_UNPACKED = 1 << 23  # sets of rules times examples that are looked at at once, ...
UNPACKED = 128  # ... and one, at most, for so many bytes of the limit
MOST_KNOWN = 1 << 24  # programs whose errors are remembered, ...
KNOWN = 400  # ... and one, at most, for so many bytes of the limit


class StoppedError(Exception):
    """The search was told to stop."""


@dataclass
class Items:
    """Sets of rules of one kind, with as many rules and as many literals: who is in them, and what they cover.

    `most` is what a set may cover, `least` what it covers in any case: a row for a set, a bit for an example, since
    there may be millions of sets.
    """

    rules: NDArray[np.int32]  # their numbers, which rise
    most: Bits
    least: Bits
    names: dict[int, int] = field(default_factory=dict)  # of the sets that were asked for, by their places


@dataclass
class Pairs:
    """Programs: a set of base rules and a set of calling rules each, by their places in the items."""

    bases: Items
    calls: Items
    first: NDArray[np.int32]
    second: NDArray[np.int32]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.first.tolist(), self.second.tolist(), strict=True)


class Neighbours(NamedTuple):
    """The names of sets of rules of one kind that differ from one such set by little."""

    general: list[int]  # one rule has a literal less
    fewer: list[int]  # one rule is not there


@dataclass(order=True)
class Cell:
    """Programs of one size whose largest rule has one size, and that make errors of one weight at least."""

    rank: int
    largest: int  # of two cells of a rank, the one with smaller rules is first: there are far fewer of these
    size: int
    errors: int
    programs: list[Pairs] | None = field(compare=False, default=None)  # None: not looked for yet


class RecursivePrograms:
    """All recursive programs that may cost less than the best so far.

    Without `constraints`, the test of a program says nothing about others.
    """

    def __init__(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        size_weight: int,
        *,
        constraints: bool = True,
        memory: Memory | None = None,
    ) -> None:
        self.bias = task.bias
        self.memory = memory or Memory()
        limit = self.memory.limit
        self.most_known = MOST_KNOWN if limit is None else min(MOST_KNOWN, limit // KNOWN)
        self.most_pairs = MOST_PAIRS if limit is None else min(MOST_PAIRS, limit // PAIR)
        unpacked = MOST_UNPACKED if limit is None else min(MOST_UNPACKED, limit // UNPACKED)
        self.most_sets = max(1, unpacked // max(1, len(examples.pos)))  # with all examples, at once
        self.bodies = Bodies(task.bias, task.background, examples.rows, memory)
        self.tester = Tester(task, examples, size_weight)
        self.constraints = constraints
        self.weight = size_weight
        self.count = len(examples.pos)
        self.pos = WeighedBits(examples.pos)
        self.neg = WeighedBits(examples.neg)
        self.rules: list[FoundRule] = []
        self.made: dict[int, Rule] = {}  # those that were tested
        self.numbers: dict[tuple[int, ...], int] = {}  # body -> number of its rule
        self.sets_by_name: list[tuple[int, ...]] = []
        self.names: dict[tuple[int, ...], int] = {}
        self.near: dict[int, Neighbours] = {}
        self.more_general: dict[int, list[int]] = {}
        self.bound = 1 << 60  # no program that costs as much is of use
        self.should_stop: Stop = lambda: False
        self.by_size: dict[tuple[bool, int], list[int]] = {}  # (calls?, size) -> numbers of rules
        self.items: dict[tuple[bool, int, int, int], Items] = {}
        self.known: dict[int, int] = {}  # program -> weights that it misses and covers wrongly, at least
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
            try:
                if cell.programs is None:
                    self.open(cell, bound, should_stop)
                    if self.close_sizes():
                        return True
                else:
                    bound = self.try_all(cell, bound, take, should_stop)
            except (StoppedError, StoppedAskingError):
                heapq.heappush(self.cells, cell)
                return False
        return True

    # -- bounds ---------------------------------------------------------------------------------------------

    def close_sizes(self) -> bool:
        """Whether all programs of a further size were bounded: then those of the next size are to be."""
        if any(cell.programs is None for cell in self.cells):
            return False
        rules, most = self.bias.most_clauses, 1 + self.bias.max_body
        self.size += 1
        if self.size <= (rules * most if self.bias.most.size is None else min(rules * most, self.bias.most.size)):
            for largest in range(-(-self.size // rules), min(most, self.size - 2) + 1):
                heapq.heappush(self.cells, Cell(SIZE_FACTOR * self.weight * self.size, largest, self.size, 0))
        return True

    def open(self, cell: Cell, bound: int, should_stop: Stop) -> None:
        """Bounds all programs of a size with such a largest rule, and makes cells of them."""
        while self.bodies.size + 1 < cell.largest:
            found = self.bodies.grow(should_stop)
            if found is None:
                raise StoppedError
            for rule in found:
                self.by_size.setdefault((rule.calls > 0, 1 + len(rule.body)), []).append(len(self.rules))
                self.numbers[rule.body] = len(self.rules)
                self.rules.append(rule)
        cells: dict[int, list[Pairs]] = {}
        self.bound, self.should_stop = bound, should_stop
        for bases, calls in self.shapes(cell.size, cell.largest):
            for errors, pairs in self.pairs(bases, calls, bound - self.weight * cell.size):
                cells.setdefault(errors, []).append(pairs)
        for errors, programs in cells.items():
            heapq.heappush(self.cells, Cell(cell.rank + errors, cell.largest, cell.size, errors, programs))

    def shapes(self, size: int, largest: int) -> Iterator[tuple[Items, Items]]:
        """Sets of base rules and sets of calling rules: so many literals together, and so many in the largest rule."""
        for bases in range(1, self.bias.most_clauses):
            for calls in range(1, self.bias.most_clauses - bases + 1):
                for literals in range(2 * bases, size - 2 * calls + 1):
                    for first, second in self.largest_in(largest):
                        base_sets = self.sets(False, bases, literals, first)
                        if len(base_sets.rules):
                            call_sets = self.sets(True, calls, size - literals, second)
                            if len(call_sets.rules):
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
        if count == 1:
            return self.single_rules(calls, size) if size == largest else self.no_sets(1)
        made = [self.no_sets(count)]
        numbers = self.by_size.get((calls, largest), [])
        # The numbers of a set rise, and with them the sizes of its rules: so the last numbers of these sets rise too.
        befores = [self.sets(calls, count - 1, size - largest, other) for other in range(2, largest + 1)]
        before = all_of(befores) if numbers else befores[0]
        for rule in numbers if len(before.rules) else ():
            if self.should_stop():
                raise StoppedError
            which = self.joined_by(before.rules, rule)
            if len(which):
                self.memory.claim(3 * len(which) * (16 * before.most.shape[1] + 4 * count))
                most, least = self.bits(rule)
                sets = Items(
                    np.column_stack([before.rules[which], np.full(len(which), rule, np.int32)]),
                    before.most[which] | most,
                    before.least[which] | least,
                )
                made.append(sets if calls else self.of_use(sets, size))
        self.memory.claim(sum(part.rules.nbytes + part.most.nbytes + part.least.nbytes for part in made))
        return all_of(made)

    def no_sets(self, count: int) -> Items:
        nothing = np.zeros((0, words(self.count)), np.uint64)
        return Items(np.zeros((0, count), np.int32), nothing, nothing)

    def bits(self, rule: int) -> tuple[Bits, Bits]:
        """What a rule may cover, and what it covers in any case."""
        found = self.rules[rule]
        most = pack(found.covers[None])
        return most, most if found.exact else np.zeros_like(most)

    def single_rules(self, calls: bool, size: int) -> Items:
        numbers = self.by_size.get((calls, size), [])
        if not numbers:
            return self.no_sets(1)
        bits = [self.bits(number) for number in numbers]
        most, least = (np.concatenate(rows) for rows in zip(*bits, strict=True))
        sets = Items(np.array(numbers, np.int32)[:, None], most, least)
        return sets if calls else self.of_use(sets, size)

    def of_use(self, sets: Items, size: int) -> Items:
        """Those sets of base rules that can be in a program below the bound.

        They cover their negatives whatever the calling rules are, and these have two literals at least.
        """
        wrong = self.neg.of(sets.least)
        few = wrong < self.bound - self.weight * (size + 2)
        return sets if few.all() else Items(sets.rules[few], sets.most[few], sets.least[few])

    def joined_by(self, sets: NDArray[np.int32], rule: int) -> NDArray[np.int64]:
        """The sets that a further rule may join: those of rules with lower numbers, none of which makes it redundant.

        A rule whose body has all literals of another's derives nothing that the other does not. Without it a program
        has the same least model and is smaller, and the other rule, of the same kind, keeps it recursive.
        """
        lower = sets[: np.searchsorted(sets[:, -1], rule)]
        redundant = np.zeros(len(self.rules), np.bool_)
        redundant[self.generalisations(rule)] = True
        return np.flatnonzero(~redundant[lower].any(axis=1))

    def generalisations(self, rule: int) -> list[int]:
        """Rules of the same kind whose bodies are part of this one's, with other names perhaps."""
        if rule not in self.more_general:
            parents = self.parents(rule)
            found = dict.fromkeys(parents)
            for parent in parents:
                found.update(dict.fromkeys(self.generalisations(parent)))
            self.more_general[rule] = list(found)
        return self.more_general[rule]

    def pairs(self, bases: Items, calls: Items, room: int) -> Iterator[tuple[int, Pairs]]:
        """The programs of these sets that need not make errors of the weight `room`, by the errors they must make."""
        for begin in range(0, len(calls.rules), self.most_sets):
            some = calls.most[begin : begin + self.most_sets]
            yield from self.pairs_with(bases, calls, some, begin, room)

    def pairs_with(self, bases: Items, calls: Items, some: Bits, begin: int, room: int) -> Iterator[tuple[int, Pairs]]:
        """The same for some of the calling rules, which begin at a place."""
        step = max(1, min(self.most_pairs // len(some), self.most_sets, len(bases.rules)))
        self.memory.claim(9 * (len(some) + step) * self.count + 24 * step * len(some))
        impossible = ~some
        for start in range(0, len(bases.rules), step):
            if self.should_stop():
                raise StoppedError
            part = slice(start, start + step)
            wrong = self.neg.of(bases.least[part])
            errors = self.pos.of_both(~bases.most[part], impossible) + wrong[:, None]
            self.bounded += errors.size
            first, second = np.nonzero(errors < room)
            if not len(first):
                continue
            found = errors[first, second]
            order = np.argsort(found, kind="stable")
            weights, places = np.unique(found[order], return_index=True)
            for weight, which in zip(weights.tolist(), np.split(order, places[1:]), strict=True):
                yield weight, Pairs(bases, calls, as_places(first[which] + start), as_places(second[which] + begin))

    # -- tests ----------------------------------------------------------------------------------------------

    def try_all(self, cell: Cell, bound: int, take: Callable[[Program, Outcome], int], should_stop: Stop) -> int:
        """Tries the programs of a cell; returns the bound after that."""
        untested = 0  # since it was last asked whether to stop
        for pairs in cell.programs or ():
            for base, call in pairs:
                tested = self.tester.tested
                names = self.name_at(pairs.bases, base), self.name_at(pairs.calls, call)
                bound = self.try_program(*names, cell, bound, take)
                untested = (untested + 1) % UNTESTED if tested == self.tester.tested else 0
                if not untested and should_stop():
                    raise StoppedError
        return bound

    def try_program(
        self, bases: int, calls: int, cell: Cell, bound: int, take: Callable[[Program, Outcome], int]
    ) -> int:
        """Tests a program unless the tests of others say that it cannot cost less than the bound."""
        size = self.weight * cell.size
        misses, wrong = self.at_least(bases, calls) if self.constraints else (0, 0)
        if size + max(cell.errors, misses + wrong) >= bound:
            self.remember(bases, calls, misses, wrong)
            return bound
        program = Program(tuple(self.rule(n) for n in (*self.sets_by_name[bases], *self.sets_by_name[calls])))
        outcome = self.tester.outcome(program, bound, early=True)
        if self.constraints:
            self.remember(bases, calls, outcome.missed - outcome.most_pos, outcome.neg)
        if outcome.cost < bound:
            return take(program, outcome)
        return bound

    def rule(self, number: int) -> Rule:
        """A rule by its number: the same object each time, which is how the evaluator knows it again."""
        if number not in self.made:
            self.made[number] = self.bodies.rule(self.rules[number])
        return self.made[number]

    def remember(self, bases: int, calls: int, misses: int, wrong: int) -> None:
        """Notes what a program misses and covers wrongly, for others; what there is no room for only costs tests."""
        if (misses or wrong) and len(self.known) < self.most_known:
            self.known[bases << NAME | calls] = misses << WEIGHT | wrong

    def at_least(self, bases: int, calls: int) -> tuple[int, int]:
        """The weights that a program misses and covers wrongly, by what is known of its neighbours."""
        misses = wrong = 0
        known = self.known
        near, nearer = self.neighbours(bases), self.neighbours(calls)
        base = bases << NAME
        for found in (
            *[known.get(general << NAME | calls, 0) for general in near.general],
            *[known.get(base | general, 0) for general in nearer.general],
        ):
            misses = max(misses, found >> WEIGHT)
        for found in (
            *[known.get(fewer << NAME | calls, 0) for fewer in near.fewer],
            *[known.get(base | fewer, 0) for fewer in nearer.fewer],
        ):
            wrong = max(wrong, found & (1 << WEIGHT) - 1)
        return misses, wrong

    def name_at(self, items: Items, place: int) -> int:
        name = items.names.get(place)
        if name is None:
            name = items.names[place] = self.name(tuple(items.rules[place].tolist()))
        return name

    def name(self, rules: tuple[int, ...]) -> int:
        """A small number for a set of rules."""
        name = self.names.setdefault(rules, len(self.sets_by_name))
        if name == len(self.sets_by_name):
            self.sets_by_name.append(rules)
        return name

    def neighbours(self, name: int) -> Neighbours:
        found = self.near.get(name)
        if found is None:
            rules = self.sets_by_name[name]
            places = range(len(rules))
            found = self.near[name] = Neighbours(
                [self.name(replaced(rules, at, parent)) for at in places for parent in self.parents(rules[at])],
                [self.name(rules[:at] + rules[at + 1 :]) for at in places] if len(rules) > 1 else [],
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


def as_places(numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    return numbers.astype(np.int32)


def all_of(parts: list[Items]) -> Items:
    return Items(
        np.concatenate([part.rules for part in parts]),
        np.concatenate([part.most for part in parts]),
        np.concatenate([part.least for part in parts]),
    )


def replaced(rules: tuple[int, ...], place: int, rule: int) -> tuple[int, ...]:
    return (rule,) if len(rules) == 1 else tuple(sorted({*rules[:place], rule, *rules[place + 1 :]}))
