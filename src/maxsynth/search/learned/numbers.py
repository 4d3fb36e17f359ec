"""Numbers as the search orders them, and which of those that mean the same is shown."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from maxsynth.background.comparisons import HOLDS, Numbers
from maxsynth.bias.learned import AT_LEAST
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.programs import Constant
from maxsynth.logic.round_numbers import round_number
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import ReadTask

Number = int | float
Bounds = tuple[Number, Number]

EXACT = 1 << 53  # integers up to here are floats


class Order:
    """What the numbers among the terms of a store are ordered by: a float for each, the same for equal ones.

    That is the number itself, as a float. Where the store has integers for which this is not exact when the search
    begins, it is their place among all numbers there, and new numbers get places between these.
    """

    @classmethod
    def of_task(cls, task: ReadTask) -> Order:
        """The order of all that a task has, which is made once."""
        background = task.background
        known = background.number_order
        made = known if isinstance(known, cls) else cls(background.store)
        background.number_order = made
        return made

    def __init__(self, store: TermStore) -> None:
        self.numbers = Numbers(store)
        some = np.flatnonzero(store.numbers_and_strings(np.arange(len(store), dtype=np.int32))).tolist()
        found = {value for value in map(self.numbers.value, some) if value is not None}
        self.ranked: list[Number] | None = None
        if any(isinstance(value, int) and abs(value) > EXACT for value in found):
            self.ranked = sorted(found)
            self.places = [float(place) for place in range(len(found))]

        self.first: dict[float, Number] = {}  # a number that has such a place

    def number(self, place: float) -> Number:
        """A number by its place, which it has got before."""
        return self.first[place]

    def of(self, term: int) -> float:
        """What a term is ordered by; NaN for no number."""
        value = self.numbers.value(term)
        if value is None:
            return math.nan
        place = self.place(value)
        self.first.setdefault(place, value)
        return place

    def place(self, value: Number) -> float:
        if self.ranked is None:
            if isinstance(value, int) and abs(value) > EXACT:
                return float(value) if abs(value) < 1 << 1000 else math.copysign(math.inf, value)
            return float(value)
        if isinstance(value, float) and math.isinf(value):
            return value
        at = bisect_left(self.ranked, value)
        if at < len(self.ranked) and self.ranked[at] == value:
            return self.places[at]
        before = self.places[at - 1] if at else (self.places[0] if self.places else 0.0) - 2.0
        after = self.places[at] if at < len(self.ranked) else before + 2.0
        self.ranked.insert(at, value)
        self.places.insert(at, (before + after) / 2)
        return self.places[at]


class Shown:
    """The numbers that the tests of a feature are shown with.

    `keys` has the key of each row of the feature without its tests, `columns` for each test what it compares in each
    row. The tests are `operators` with the numbers `cuts`. One after the other gets the roundest number for which the
    same keys are covered, the others being what they are by then.
    """

    def __init__(self, keys: Sequence[int], columns: Sequence[Sequence[Number | None]], operators: Sequence[str]):
        self.keys = keys
        self.columns = columns
        self.operators = operators

    def rounded(self, cuts: Sequence[Number], bounds: Sequence[Bounds | None]) -> list[Number]:
        shown = list(cuts)
        for place, operator in enumerate(self.operators):
            outside, inside = self.gap(place, shown)
            number = round_number(outside, inside, operator, bounds[place]) if inside is not None else None
            shown[place] = cuts[place] if number is None else number
        return shown

    def gap(self, place: int, cuts: Sequence[Number]) -> tuple[Number | None, Number | None]:
        """The last of the keys' numbers that do not pass a test, and the first that do."""
        others = [
            (HOLDS[operator], column, cut)
            for i, (operator, column, cut) in enumerate(zip(self.operators, self.columns, cuts, strict=True))
            if i != place
        ]
        better, best = (max, min) if self.operators[place] == AT_LEAST else (min, max)
        reached: dict[int, Number] = {}
        for row, (key, value) in enumerate(zip(self.keys, self.columns[place], strict=True)):
            if value is None or not all(passes(holds, column[row], cut) for holds, column, cut in others):
                continue
            reached[key] = better(reached[key], value) if key in reached else value
        holds = HOLDS[self.operators[place]]
        inside = [value for value in reached.values() if holds(value, cuts[place])]
        outside = [value for value in reached.values() if not holds(value, cuts[place])]
        return (better(outside) if outside else None, best(inside) if inside else None)


def passes(holds: object, value: Number | None, cut: Number) -> bool:
    return value is not None and bool(holds(value, cut))  # type: ignore[operator]


def written(number: Number) -> Constant:
    return Constant(term_text(number))
