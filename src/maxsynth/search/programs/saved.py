"""Saving recursive programs, and going on with them (`checkpoints.rest` says what a *rest* is).

There are three parts in each size, and each has its rests: rules without parents are grown, between two bodies; the
programs of the size are listed, only before that begins; and they are tested, between two groups of them. What is known
of programs is in dictionaries that only grow, so that a rest is known by their lengths; of the programs of this size,
while they are listed, nothing is saved at all.

What is tested after a rest may have been noted already when it is saved. It is noted again, then, and is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from maxsynth.search.programs.recursion import Candidate, Known, RecursivePrograms
from maxsynth.search.programs.rule_sets import RuleSet, Shape

Contents = dict[str, Any]


@dataclass(frozen=True)
class Lengths:
    """How much there was when the programs of a size were to be listed, or were."""

    made: dict[Shape, int]
    followed: int
    split: int
    first: int

    @classmethod
    def of(cls, programs: RecursivePrograms) -> Lengths:
        made = {shape: len(sets) for shape, sets in programs.made.items()}
        return cls(made, len(programs.followed), len(programs.split), len(programs.first))


@dataclass(frozen=True)
class ProgramsRest:
    """What there was at a rest."""

    programs: RecursivePrograms
    size: int
    least_call: int
    counted: tuple[int, int, int, int]  # bounded, tested, cut, and cut with open numbers
    place: int | None  # among the programs of this size; None while they are not listed
    groups: tuple[int, tuple[int, int] | None]  # how many are tested together (see `RecursivePrograms.put_together`)
    lengths: Lengths
    body: int  # the size up to which rules without parents are known, ...
    first: dict[tuple[bool, int], int]  # ... and how many there are
    plans: int  # of rules that were compiled

    @classmethod
    def of(cls, programs: RecursivePrograms) -> ProgramsRest:
        bodies, tester = programs.bodies, programs.tester
        bodies.grower.mark()
        if programs.lengths is None or programs.place is None:
            programs.lengths = Lengths.of(programs)
        return cls(
            programs,
            programs.size,
            programs.least_call,
            (programs.bounded, tester.tested, tester.cut, programs.open.cut if programs.open else 0),
            programs.place,
            (programs.next_group, programs.ahead),
            programs.lengths,
            bodies.size,
            {key: len(numbers) for key, numbers in bodies.first.items()},
            len(tester.evaluator.known_rules.orders),
        )

    def state(self) -> Contents:
        """All of it, as JSON and arrays."""
        programs, lengths = self.programs, self.lengths
        known: dict[Known, int] = {}
        return {
            "size": self.size,
            "least_call": self.least_call,
            "counted": list(self.counted),
            "made": [[shape, list(islice(programs.made[shape], count))] for shape, count in lengths.made.items()],
            "followed": list(islice(programs.followed, lengths.followed)),
            "split": list(islice(programs.split, lengths.split)),
            "first": [
                [shape, [[hex(most), sets] for most, sets in found.items()]]
                for shape, found in islice(programs.first.items(), lengths.first)
            ],
            "hopeful": [[base, kept] for base in programs.hopeful if (kept := self.hopeful(base, known))],
            "known": [list(map(hex, one)) for one in known],
            "groups": self.groups,
            "wanted": None if self.place is None else [*map(candidate_state, programs.listed[self.place :])],
            "body": self.body,
            "without_parents": [[*key, programs.bodies.first[key][:count]] for key, count in self.first.items()],
            "plans": self.compiled(),
            "bodies": programs.bodies.grower.state(),
        }

    def hopeful(self, base: RuleSet, numbers: dict[Known, int]) -> list[Any]:
        """What is known of the programs with some base rules; that is numbered, since many have the same."""
        own = self.programs.bases.shape(base)[1]
        return [
            [shape, [[call, numbers.setdefault(known, len(numbers))] for call, known in found.items()]]
            for shape, found in self.programs.hopeful[base].items()
            if self.place is not None or own + shape[1] < self.size
        ]

    def compiled(self) -> list[Any]:
        """The rules that were compiled, in order, and the order of the literals of each."""
        found = self.programs.bodies.found
        numbers = {id(one.rule): number for number, one in found.items() if "rule" in vars(one)}
        orders = self.programs.tester.evaluator.known_rules.orders[: self.plans]
        return [[numbers[id(rule)], adornment, order] for rule, adornment, order in orders]


def candidate_state(one: Candidate) -> list[Any]:
    return [one.base, one.call, *map(hex, (one.misses, one.wrong, one.unsure)), one.errors]


# -- the way back -------------------------------------------------------------------------------------------


class Reader:
    """Makes new programs what others were; a `ValueError` where they cannot have been that."""

    def __init__(self, programs: RecursivePrograms, state: Contents) -> None:
        self.programs = programs
        self.state = state

    def restore(self) -> None:
        programs, state, bodies = self.programs, self.state, self.programs.bodies
        bodies.grower.restore(state["bodies"])
        programs.size, programs.least_call, bodies.size = state["size"], state["least_call"], state["body"]
        for calls, size, numbers in state["without_parents"]:
            bodies.first[bool(calls), int(size)] = list(self.rules(numbers))
        self.restore_sets()
        self.restore_programs()
        tester = programs.tester
        programs.bounded, tester.tested, tester.cut, cut = state["counted"]
        if programs.open is not None:
            programs.open.cut = cut
        for number, adornment, order in state["plans"]:
            known_rules = tester.evaluator.known_rules
            if not 0 <= adornment < len(known_rules.compiler.adornments):
                raise ValueError("another adornment")
            known_rules.make_plan(bodies[self.rules((number,))[0]].rule, adornment, order)

    def rules(self, numbers: Iterable[Any]) -> RuleSet:
        """Numbers of rules."""
        last = self.programs.bodies.grown
        found = tuple(numbers)
        if not all(type(number) is int and 0 < number <= last for number in found):
            raise ValueError("a rule that is not there")
        return found

    def restore_sets(self) -> None:
        programs, state = self.programs, self.state
        for shape, sets in state["made"]:
            programs.made[shape_of(shape)] = dict.fromkeys(map(self.rules, sets))
        programs.followed = dict.fromkeys(map(self.rules, state["followed"]))
        programs.split = dict.fromkeys((self.rules(base), shape_of(shape)) for base, shape in state["split"])
        for shape, found in state["first"]:
            programs.first[shape_of(shape)] = {int(most, 16): [*map(self.rules, sets)] for most, sets in found}

    def restore_programs(self) -> None:
        programs, state = self.programs, self.state
        known = [tuple(int(part, 16) for part in one) for one in state["known"]]
        if not all(len(one) == 3 for one in known):
            raise ValueError("something else is known")
        for base, shapes in state["hopeful"]:
            own = programs.hopeful[self.rules(base)] = {}
            for shape, found in shapes:
                own[shape_of(shape)] = {self.rules(call): known[number] for call, number in found}
        if state["wanted"] is not None:
            programs.place, programs.listed = 0, [self.candidate(*one) for one in state["wanted"]]
            programs.next_group, ahead = state["groups"]
            programs.ahead = ahead and (int(ahead[0]), int(ahead[1]))
            if not all(1 <= length <= programs.most_together for length in (programs.next_group, *(ahead or ())[:1])):
                raise ValueError("another group")

    def candidate(self, base: Any, call: Any, misses: str, wrong: str, unsure: str, errors: int) -> Candidate:
        sets = (int(misses, 16), int(wrong, 16), int(unsure, 16))
        return Candidate(self.rules(base), self.rules(call), *sets, int(errors))


def shape_of(state: Any) -> Shape:
    count, size = state
    return int(count), int(size)
