"""What the bias of a task folder leaves open, inferred from the facts of BK: types, constants, numbers, directions.

The arguments of predicates that only facts define are columns like those of tables. Those that share values have one
type. A type is one of *things* when the target speaks of it, or when facts begin with it; all others are of *values*:
words may be named by rules, numbers compared. What is said of a thing is asked of a thing that is known, so a rule
does not go from a value to all things that have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.asp_names import asp_name
from maxsynth.bias.parsing import parse_bias
from maxsynth.checks.kinds import Column, columns
from maxsynth.checks.numbers import are_numbers
from maxsynth.data.inference.words import Names, type_name
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.terms import Term
from maxsynth.task.task import ReadTask

ENOUGH = 0.5  # share of the values of the smaller column
ALIKE = 0.5  # share of all values of two columns of numbers, for these to be names of the same things
FEW_CODES = 30  # whole numbers that could be codes
NEARLY_ALL = 0.8  # of the values are different: then nothing is to be named

Place = tuple[Predicate, int]


@dataclass(frozen=True)
class Inferred:
    """Lines for the bias, and the same for a person."""

    lines: tuple[str, ...]
    said: tuple[str, ...]


def infer_folder(task: ReadTask) -> Inferred:
    facts = FolderFacts(task)
    lines, said = [], []
    types = facts.name_types()
    if not task.bias.types:
        lines += [
            f"type({asp_name(predicate.name)},({','.join(kinds)}{',' * (len(kinds) == 1)}))."
            for predicate, kinds in types.items()
        ]
        texts = [f"{one.name}({','.join(kinds)})" for one, kinds in types.items()]
        said.append(f"types: {', '.join(texts)}")
    if not task.bias.learned and not task.bias.types:
        constants, numbers = facts.learned()
        for name, found in (("constants", constants), ("numbers", numbers)):
            lines += [f"{name}({type})." for type in found]
            said += [f"{name}: {', '.join(found)}"] if found else []
    if not task.bias.directions and facts.complete and not task.bias.types:
        ways = {task.bias.head: ("in",) * task.bias.head.arity} | {one: facts.direction(one) for one in task.bias.body}
        lines += [
            f"direction({asp_name(one.name)},({','.join(way)}{',' * (len(way) == 1)}))." for one, way in ways.items()
        ]
        asked = [one.name for one, way in ways.items() if one.arity > 1 and "in" in way and one != task.bias.head]
        said += [f"asked only of what is known: {', '.join(asked)}"] if asked else []
    return Inferred(tuple(lines), tuple(said))


def with_inferred(task: ReadTask, lines: Sequence[str], prolog: str) -> ReadTask:
    """The task with more lines in its bias."""
    text = "\n".join([task.bias.text, *lines]) + "\n"
    bias = parse_bias(text, task.bias.file, task.bias.overrides)
    examples = (task.positives, task.negatives)
    task.background.close_engine()
    return ReadTask.from_source(task.name, bias, task.background.source, examples, prolog=prolog)


class FolderFacts:
    """The columns of a task, with their types."""

    def __init__(self, task: ReadTask) -> None:
        self.task = task
        self.columns: dict[Place, Column] = {(one.predicate, one.place): one for one in columns(task)}
        store = task.background.store
        self.numeric = {
            place: bool(len(column.values)) and bool(are_numbers(store, column.values).all())
            for place, column in self.columns.items()
        }
        self.functional = {place for place in self.columns if self.is_functional(place)}
        self.leader = {place: place for place in self.columns}
        for one, other in combinations(self.columns, 2):
            if self.meet(one, other):
                self.join(one, other)

    @property
    def complete(self) -> bool:
        """Whether all predicates are facts, so that directions can be said of all."""
        return all(self.task.background.is_table(predicate) for predicate in self.task.bias.body)

    def rows(self, predicate: Predicate) -> NDArray[np.int32]:
        if predicate == self.task.bias.head:
            return np.concatenate([self.task.positives.rows, self.task.negatives.rows])
        return self.task.background.source.tables[predicate].rows()

    def is_functional(self, place: Place) -> bool:
        """Whether the last argument of a binary predicate is determined by the first."""
        predicate, position = place
        if predicate.arity != 2 or position != 1 or predicate == self.task.bias.head:
            return False
        rows = self.rows(predicate)
        return len(np.unique(rows[:, 0])) == len(np.unique(rows, axis=0))

    # -- types ------------------------------------------------------------------------------------------------

    def meet(self, one: Place, other: Place) -> bool:
        """Whether two columns hold values of one sort. Numbers that are measured are like no others by chance only."""
        if self.numeric[one] != self.numeric[other]:
            return False
        first, second = self.columns[one].values, self.columns[other].values
        shared = len(np.intersect1d(first, second, assume_unique=True))
        if self.numeric[one] and (one in self.functional or other in self.functional):
            return shared >= ALIKE * (len(first) + len(second) - shared) and shared > 2
        return shared > 0 and shared >= ENOUGH * min(len(first), len(second))

    def join(self, one: Place, other: Place) -> None:
        first, second = self.find(one), self.find(other)
        if first != second:
            self.leader[second] = first

    def find(self, place: Place) -> Place:
        while self.leader[place] != place:
            place = self.leader[place]
        return place

    def things(self) -> set[Place]:
        """The types that the target speaks of, or that facts begin with."""
        head = self.task.bias.head
        starts = [place for place in self.columns if place[0] == head or (place[1] == 0 and place[0].arity <= 2)]
        return {self.find(place) for place in starts}

    def name_types(self) -> dict[Predicate, tuple[str, ...]]:
        """Types by their names: of the predicate that has such values, or that speaks of such things."""
        names, known, things = Names(), dict[Place, str](), self.things()
        found: dict[Predicate, tuple[str, ...]] = {}
        for predicate in dict.fromkeys(predicate for predicate, _ in self.columns):
            kinds = []
            for position in range(predicate.arity):
                leader = self.find((predicate, position))
                if leader not in known:
                    wish = "thing" if leader in things else type_name(predicate.name, "value")
                    known[leader] = names.free(0, wish)
                kinds.append(known[leader])
            found[predicate] = tuple(kinds)
        self.names = known
        return found

    # -- what rules may name and compare ----------------------------------------------------------------------

    def learned(self) -> tuple[list[str], list[str]]:
        things, constants, numbers = self.things(), dict[str, None](), dict[str, None]()
        for place, column in self.columns.items():
            leader = self.find(place)
            if leader in things:
                continue
            count, name = len(self.rows(place[0])), self.names[leader]
            if self.numeric[place]:
                numbers[name] = None
                if self.are_codes(column, count):
                    constants[name] = None
            elif len(column.values) < NEARLY_ALL * count:
                constants[name] = None
        return list(constants), list(numbers)

    def are_codes(self, column: Column, count: int) -> bool:
        if len(column.values) > FEW_CODES or 3 * len(column.values) > count:
            return False
        terms: list[Term] = [self.task.background.store.term(int(value)) for value in column.values]
        return all(isinstance(term, int) for term in terms)

    def direction(self, predicate: Predicate) -> tuple[str, ...]:
        """What is said of things is asked of known things; what holds between things goes both ways."""
        things = self.things()
        if predicate.arity == 1:
            return ("in",)
        of_things = [self.find((predicate, position)) in things for position in range(predicate.arity)]
        if of_things.count(True) == 1:
            return tuple("in" if thing else "out" for thing in of_things)
        return ("out",) * predicate.arity
