"""What a bias leaves to be learned inside of literals: constants, numbers to compare with, what is compared and added.

The directives say *where* such things may stand; which constants and numbers there are comes from the data. Nothing
here is of interest to a task whose bias has no such directive: then `Bias.learned` is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from maxsynth.errors import Position
from maxsynth.logic.predicates import Predicate

AT_LEAST, AT_MOST = ">=", "=<"  # the comparisons of a variable with a learned number

Number = int | float
Place = tuple[Predicate, int]  # an argument of a predicate, counted from 0


@dataclass(frozen=True)
class Learned:
    """Where a rule may have constants and numbers. Types are named as in `Bias.types`."""

    constant_types: tuple[str, ...] = ()  # a constant may stand for every argument of these
    constant_places: tuple[Place, ...] = ()  # and at these
    at_least: tuple[str, ...] = ()  # types with X >= c
    at_most: tuple[str, ...] = ()  # types with X =< c
    compared: tuple[str, ...] = ()  # types with X < Y and X =< Y
    sums: tuple[str, ...] = ()  # types with Z is X+Y, where X and Y are known
    tested: tuple[Predicate, ...] = ()  # columns p(X,B): of `p(X,B), B >= c` only the comparison counts
    bounds: Mapping[str, tuple[Number, Number]] = field(default_factory=dict)  # the least and greatest c of >= and =<
    most_numbers: int | None = None  # literals with a learned number in a rule, at most
    position: Position | None = field(default=None, compare=False)  # of the first such directive

    def __bool__(self) -> bool:
        return bool(self.constant_types or self.constant_places or self.numeric)

    @property
    def numeric(self) -> bool:
        """Whether there are literals on numbers, which need no body_pred."""
        return bool(self.at_least or self.at_most or self.compared or self.sums)

    @property
    def number_types(self) -> tuple[str, ...]:
        """The types whose values are numbers."""
        return tuple(sorted({*self.at_least, *self.at_most, *self.compared, *self.sums}))

    def tested_with(self, operator: str, types: Mapping[Predicate, tuple[str, ...]]) -> tuple[Predicate, ...]:
        """The columns whose values may be compared in this way."""
        allowed = {AT_LEAST: self.at_least, AT_MOST: self.at_most}[operator]
        return tuple(column for column in self.tested if types[column][1] in allowed)

    def constant_at(self, predicate: Predicate, place: int, types: Mapping[Predicate, tuple[str, ...]]) -> bool:
        """Whether an argument of a body literal may be a constant."""
        names = types.get(predicate)
        return (predicate, place) in self.constant_places or (names is not None and names[place] in self.constant_types)


NOTHING_LEARNED = Learned()
