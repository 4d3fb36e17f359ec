"""Which constants enough positives can meet: with the others, no rule pays.

A rule with the literal p(X,c) covers a positive only if it leads from the example to a row of p that has c. With
directions, it leads from what is given to what is answered: a row can be met if its inputs are among the head's, or
answers of rows that can be met, after no more steps than a body has literals. So if the positives that can meet c
weigh no more than the smallest rule, every rule with that literal is dead (`kernel/features.pyx`), and c need not be
spelled out: a million constants that few positives meet cost nothing but this look at each example.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from maxsynth.background.background import Background
from maxsynth.bias.bias import Bias
from maxsynth.kernel.terms import distinct_rows
from maxsynth.logic.predicates import Predicate
from maxsynth.search.learned.reach import Pairs, Table, reach_of
from maxsynth.search.weighing import WeighedExamples

Row = tuple[int, ...]

SMALLEST = 2  # literals of a rule, the head counted


class Support:
    """What the positives can meet. It is not looked at where a rule may come by other terms, or need not pay: without
    directions, with sums, where a program may call itself, and where one with fewer rules may not be allowed."""

    def __init__(self, bias: Bias, background: Background, examples: WeighedExamples, size_weight: int) -> None:
        self.bias, self.background = bias, background
        self.rows, self.weights = examples.rows[examples.pos > 0], examples.pos[examples.pos > 0]
        self.least = SMALLEST * size_weight
        self.met: dict[Predicate, dict[Row, int]] | None = None

    def of(self, predicate: Predicate, places: Sequence[int], constants: Row) -> bool:
        """Whether enough positives can meet these constants at these places of a predicate."""
        if self.met is None:
            self.met = self.look() or {}
        weights = self.met.get(predicate)
        if weights is None:
            return True
        key = tuple(constants[places.index(place)] if place in places else -1 for place in range(predicate.arity))
        return weights.get(key, 0) > self.least

    def look(self) -> dict[Predicate, dict[Row, int]] | None:
        """For each predicate, what the positives weigh that can meet some constants, with -1 for variables."""
        bias = self.bias
        if not bias.directions or bias.recursion or bias.invention or bias.learned.sums or not bias.hold_of_less:
            return None
        tables: dict[Predicate, Table] = {}
        for predicate in bias.body:
            rows = self.background.relation(predicate).rows
            if rows is None:
                return None  # what is asked for as it is needed may have no end
            tables[predicate] = rows
        reached = reach_of(bias, self.background, tables, self.rows).within(bias.max_body)
        if reached is None:
            return None
        met: dict[Predicate, dict[Row, int]] = {}
        for predicate, rows in tables.items():
            places = [i for i in range(predicate.arity) if bias.learned.constant_at(predicate, i, bias.types)]
            if places:
                met[predicate] = {}
                for some in chosen(places, predicate.arity):
                    met[predicate].update(self.weighed(reached[predicate], rows, some))
        return met

    def weighed(self, reached: Pairs, rows: Table, places: Sequence[int]) -> Iterator[tuple[Row, int]]:
        """The constants at some places of the rows that positives reach, and what those positives weigh."""
        if not len(reached):
            return
        found = distinct_rows(np.column_stack([reached[:, 0], rows[reached[:, 1]][:, list(places)]]).astype(np.int32))
        values, which = np.unique(found[:, 1:], axis=0, return_inverse=True)
        weights = np.zeros(len(values), np.int64)
        np.add.at(weights, which.ravel(), self.weights[found[:, 0]])
        for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
            key = [-1] * rows.shape[1]
            for place, constant in zip(places, value, strict=True):
                key[place] = constant
            yield tuple(key), weight


def chosen(places: Sequence[int], arity: int) -> Iterator[tuple[int, ...]]:
    """Some of these places, at least one, such that a variable is left."""
    for count in range(1, min(len(places), arity - 1) + 1):
        yield from combinations(places, count)
