"""Which rows of BK each positive can meet, step after step (see `support`).

A search in a larger space asks for more steps of the same, and where limits of rules fit the effort there is one search
after the other. So what was found is kept with BK, and goes on from there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Background
from maxsynth.background.distinct import distinct_but
from maxsynth.bias.bias import Bias
from maxsynth.logic.predicates import Predicate

Table = NDArray[np.int32]
Pairs = NDArray[np.int64]  # a positive and something that it meets, in two columns

MOST_WORK = 5_000_000  # rows that are looked at; what would take more is not told


def reach_of(bias: Bias, background: Background, tables: dict[Predicate, Table], positives: Table) -> Reach:
    """What is known for these tables and positives, or the beginning of it."""
    known = background.reach
    if isinstance(known, Reach) and known.is_for(bias, tables, positives):
        return known
    made = background.reach = Reach(bias, tables, positives)
    return made


class Reach:
    """The rows that positives meet in a step, for as many steps as somebody asked for."""

    def __init__(self, bias: Bias, tables: dict[Predicate, Table], positives: Table) -> None:
        self.tables, self.positives = tables, positives
        self.given = given_by(bias)
        self.inputs = inputs_of(bias, tables)
        self.work = 0
        self.steps: list[dict[Predicate, Pairs] | None] = []  # None for what is too much to tell
        self.orders = {
            (predicate, place): by_value(rows[:, place])
            for predicate, rows in tables.items()
            for place in self.inputs[predicate]
        }
        self.fresh = self.known = np.unique(
            np.concatenate(
                [none(), *(np.column_stack([np.arange(len(positives)), positives[:, i]]) for i in self.given)]
            ),
            axis=0,
        )

    def is_for(self, bias: Bias, tables: dict[Predicate, Table], positives: Table) -> bool:
        return (
            list(tables) == list(self.tables)
            and all(rows is self.tables[predicate] for predicate, rows in tables.items())
            and np.array_equal(positives, self.positives)
            and given_by(bias) == self.given
            and inputs_of(bias, tables) == self.inputs
        )

    def within(self, steps: int) -> dict[Predicate, Pairs] | None:
        """The rows of each table that each positive can meet, as their numbers; None where that is too much to tell."""
        while len(self.steps) < steps and None not in self.steps:
            if self.steps:
                self.go_on()
            self.steps.append(self.step())
        found = [met for met in self.steps[:steps] if met is not None]
        if len(found) < len(self.steps[:steps]):
            return None
        return {predicate: np.concatenate([none(), *(met[predicate] for met in found)]) for predicate in self.tables}

    def go_on(self) -> None:
        """The next step begins with what was met for the first time in the last one."""
        last = self.steps[-1]
        assert last is not None
        more = [none()]
        for predicate, rows in self.tables.items():
            met = last[predicate]
            more += [np.column_stack([met[:, 0], rows[met[:, 1], i]]) for i in range(rows.shape[1])]
        self.fresh = without(np.concatenate(more), self.known)
        self.known = np.concatenate([self.known, self.fresh])

    def step(self) -> dict[Predicate, Pairs] | None:
        found: dict[Predicate, Pairs] = {}
        fresh = self.fresh[np.argsort(self.fresh[:, 1], kind="stable")]  # neighbours are looked up together
        for predicate in self.tables:
            met = self.met_by(predicate, fresh)
            if met is None:
                return None
            found[predicate] = met
        return found

    def met_by(self, predicate: Predicate, known: Pairs) -> Pairs | None:
        """The rows of a predicate one of whose inputs is known to a positive; all of them, once, where it has none."""
        rows, places = self.tables[predicate], self.inputs[predicate]
        if not places:
            if self.steps:
                return none()
            self.work += len(rows) * len(self.positives)
            if self.work > MOST_WORK:
                return None
            everyone = np.repeat(np.arange(len(self.positives)), len(rows))
            return np.column_stack([everyone, np.tile(np.arange(len(rows)), len(self.positives))])
        parts = [none()]
        for place in places:
            order, values = self.orders[predicate, place]
            begin, end = np.searchsorted(values, known[:, 1]), np.searchsorted(values, known[:, 1], "right")
            counts = end - begin
            self.work += int(counts.sum())
            if self.work > MOST_WORK:
                return None
            at = np.repeat(begin - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
            parts.append(np.column_stack([np.repeat(known[:, 0], counts), order[at]]))
        return np.concatenate(parts)


def given_by(bias: Bias) -> list[int]:
    """The arguments of an example that a rule begins with."""
    return [i for i, mode in enumerate(bias.directions[bias.head]) if mode == "in"]


def inputs_of(bias: Bias, tables: dict[Predicate, Table]) -> dict[Predicate, list[int]]:
    """The arguments one of which must be known. What may be a constant need not be."""
    return {
        predicate: [
            i
            for i, mode in enumerate(bias.directions[predicate])
            if mode == "in" and not bias.learned.constant_at(predicate, i, bias.types)
        ]
        for predicate in tables
    }


def by_value(column: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The order of a column, and its values in that order, of the type of what is looked for among them."""
    order = np.argsort(column, kind="stable")
    return order, column[order].astype(np.int64)


def none() -> Pairs:
    return np.zeros((0, 2), np.int64)


def without(pairs: Pairs, known: Pairs) -> Pairs:
    """The pairs that are not known, each once."""
    wide = int(max(pairs[:, 1].max(initial=0), known[:, 1].max(initial=0))) + 1
    codes = distinct_but(pairs[:, 0] * wide + pairs[:, 1], known[:, 0] * wide + known[:, 1])
    return np.column_stack([codes // wide, codes % wide])
