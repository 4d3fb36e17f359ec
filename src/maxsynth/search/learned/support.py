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
from numpy.typing import NDArray

from maxsynth.background.background import Background
from maxsynth.background.distinct import distinct_but
from maxsynth.bias.bias import Bias
from maxsynth.kernel.terms import distinct_rows
from maxsynth.logic.predicates import Predicate
from maxsynth.search.weighing import WeighedExamples

Row = tuple[int, ...]
Table = NDArray[np.int32]
Pairs = NDArray[np.int64]  # a positive and something that it meets, in two columns

MOST_WORK = 5_000_000  # rows that are looked at; what would take more is not left out
SMALLEST = 2  # literals of a rule, the head counted


class Support:
    """What the positives can meet. It is not looked at where a rule may come by other terms, or need not pay: without
    directions, with sums, where a program may call itself, and where one with fewer rules may not be allowed."""

    def __init__(self, bias: Bias, background: Background, examples: WeighedExamples, size_weight: int) -> None:
        self.bias, self.background = bias, background
        self.rows, self.weights = examples.rows[examples.pos > 0], examples.pos[examples.pos > 0]
        self.least = SMALLEST * size_weight
        self.work = 0
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
        reached = self.reached(tables)
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

    def reached(self, tables: dict[Predicate, Table]) -> dict[Predicate, Pairs] | None:
        """The rows of each table that each positive can meet, as their numbers; None where that is too much to tell."""
        given = [i for i, mode in enumerate(self.bias.directions[self.bias.head]) if mode == "in"]
        fresh = np.concatenate(
            [np.column_stack([np.arange(len(self.rows)), self.rows[:, i]]) for i in given] or [none()]
        )
        fresh = known = np.unique(fresh.astype(np.int64), axis=0)
        found: dict[Predicate, list[Pairs]] = {predicate: [] for predicate in tables}
        orders = {
            (predicate, place): np.argsort(rows[:, place], kind="stable")
            for predicate, rows in tables.items()
            for place in self.inputs(predicate)
        }
        for step in range(self.bias.max_body):
            more = [none()]
            for predicate, rows in tables.items():
                met = self.met_by(predicate, rows, fresh, orders, step == 0)
                if met is None:
                    return None
                found[predicate].append(met)
                more += [np.column_stack([met[:, 0], rows[met[:, 1], i]]) for i in range(rows.shape[1])]
            fresh = without(np.concatenate(more), known)
            if not len(fresh):
                break
            known = np.concatenate([known, fresh])
        return {predicate: np.concatenate([none(), *parts]) for predicate, parts in found.items()}

    def inputs(self, predicate: Predicate) -> list[int]:
        """The arguments one of which must be known. What may be a constant need not be."""
        bias = self.bias
        return [
            i
            for i, mode in enumerate(bias.directions[predicate])
            if mode == "in" and not bias.learned.constant_at(predicate, i, bias.types)
        ]

    def met_by(
        self,
        predicate: Predicate,
        rows: Table,
        known: Pairs,
        orders: dict[tuple[Predicate, int], NDArray[np.intp]],
        first: bool,
    ) -> Pairs | None:
        """The rows of a predicate one of whose inputs is known to a positive; all of them, once, where it has none."""
        places = self.inputs(predicate)
        if not places:
            if not first:
                return none()
            self.work += len(rows) * len(self.rows)
            if self.work > MOST_WORK:
                return None
            everyone = np.repeat(np.arange(len(self.rows)), len(rows))
            return np.column_stack([everyone, np.tile(np.arange(len(rows)), len(self.rows))])
        parts = [none()]
        for place in places:
            order = orders[predicate, place]
            values = rows[order, place]
            begin, end = np.searchsorted(values, known[:, 1]), np.searchsorted(values, known[:, 1], "right")
            counts = end - begin
            self.work += int(counts.sum())
            if self.work > MOST_WORK:
                return None
            at = np.repeat(begin - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
            parts.append(np.column_stack([np.repeat(known[:, 0], counts), order[at]]))
        return np.concatenate(parts)


def none() -> Pairs:
    return np.zeros((0, 2), np.int64)


def without(pairs: Pairs, known: Pairs) -> Pairs:
    """The pairs that are not known, each once."""
    wide = int(max(pairs[:, 1].max(initial=0), known[:, 1].max(initial=0))) + 1
    codes = distinct_but(pairs[:, 0] * wide + pairs[:, 1], known[:, 0] * wide + known[:, 1])
    return np.column_stack([codes // wide, codes % wide])


def chosen(places: Sequence[int], arity: int) -> Iterator[tuple[int, ...]]:
    """Some of these places, at least one, such that a variable is left."""
    for count in range(1, min(len(places), arity - 1) + 1):
        yield from combinations(places, count)
