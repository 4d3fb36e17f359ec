"""What literals on numbers mean (`maxsynth.logic.comparisons` says how they look).

They are relations without end, so they are computed for the values that somebody asks for. Numbers are compared by
their exact values, an integer with a float too (2**53 + 1 is more than 2.0**53, which a conversion to floats would
deny). What is no number satisfies nothing; nor does NaN, and an infinity is no value here. The sum of two integers is
an integer, any other is a float; there is none where it would overflow.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from maxsynth.kernel.terms import TermStore
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.predicates import Predicate

Row = tuple[int, ...]
Number = int | float

HOLDS: dict[str, Callable[[Number, Number], bool]] = {
    ">=": operator.ge, "=<": operator.le, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


class Numbers:
    """The numbers among the terms of a store, each looked at once."""

    def __init__(self, store: TermStore) -> None:
        self.store = store
        self.known: dict[int, Number | None] = {}

    def value(self, known: int) -> Number | None:
        """The number that a term is; None for all else."""
        if known not in self.known:
            term = self.store.term(known)
            is_number = type(term) is int or (type(term) is float and math.isfinite(term))
            self.known[known] = term if is_number and isinstance(term, int | float) else None
        return self.known[known]

    def answers(self, predicate: Predicate) -> Callable[[Row], list[Row]]:
        """What gives the tuples of a built-in predicate that have the given inputs."""
        if predicate == SUM:
            return self.sums
        holds = HOLDS[predicate.name]

        def compare(row: Row) -> list[Row]:
            one, other = self.value(row[0]), self.value(row[1])
            return [row] if one is not None and other is not None and holds(one, other) else []

        return compare

    def sums(self, row: Row) -> list[Row]:
        one, other = self.value(row[0]), self.value(row[1])
        if one is None or other is None:
            return []
        try:
            total = one + other
        except OverflowError:  # an integer that no float is near to
            return []
        return [(*row, self.store.intern(total))] if isinstance(total, int) or math.isfinite(total) else []
