"""From rules to a class and its probability: which rule speaks for a row, and how far it is believed.

A rule is believed as far as it was right before: the classes of the training rows that it covers are counted, with one
more of each (Laplace), and their shares are the probabilities that it gives. Of several rules that cover a row, the one
speaks that gives its own class the highest probability; of equals, the one that covers more, and then the first. Where
none does, the training rows speak that no rule covers either.

A program is only worth its size if it is right more often than wrong, so its class is the most probable one. Where that
is not so of one of its rules, since other rules cover the same rows, the rule gives what its program gives as a whole.
With errors that cost more on one side than on the other, rows count as much as the error would cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.rows import Rows
from maxsynth.data.conform import conform
from maxsynth.data.meaning import ROW_NUMBER, Meaning
from maxsynth.data.prediction import needed, rule_coverage
from maxsynth.data.rows import Coded, coded, together
from maxsynth.data.tables import NULL, Data, Table
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import Rule
from maxsynth.sklearn.features import ROWS
from maxsynth.sklearn.learning import ClassProgram

Counts = NDArray[np.float64]  # a number for each class


@dataclass(frozen=True)
class Verdict:
    """What a rule says, or what is said where no rule covers a row (`program` and `rule` are None)."""

    place: int  # of the class
    counts: Counts  # training rows that it covers, by class
    probabilities: Counts
    number: int = -1  # of the rule, among those of all programs
    program: ClassProgram | None = None
    rule: Rule | None = None

    @property
    def covered(self) -> float:
        return float(self.counts.sum())

    @property
    def precision(self) -> float:
        """The share of what it covers that is of its class."""
        return float(self.counts[self.place] / self.covered) if self.covered else float("nan")


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of all rules, the most believed first, and last the one without a rule."""

    programs: tuple[ClassProgram, ...]
    ordered: tuple[Verdict, ...]

    def speaking(self, data: Data) -> NDArray[np.int64]:
        """For each row, the number of the verdict that speaks for it."""
        covered = coverage(self.programs, data)[[one.number for one in self.ordered[:-1]]]
        otherwise = np.ones((1, covered.shape[1]), bool)
        found: NDArray[np.int64] = np.concatenate([covered, otherwise]).argmax(axis=0)
        return found

    def tables(self, data: Data) -> dict[str, Table]:
        """The tables besides the rows that the rules ask of."""
        names = needed([one.learned for one in self.programs])
        return {name: table for name, table in data.tables.items() if name in names and name != ROWS}


def known_rows(programs: Sequence[ClassProgram], data: Data) -> tuple[Data, Rows]:
    """What the rules need of the data, in the form that they know, and the names of its rows."""
    learned = [one.learned for one in programs]
    known = conform(data, learned[0].description, needed(learned))
    target = learned[0].target
    table = known.tables[ROWS]
    keys = [coded(table, argument) for argument in target.arguments]
    check_keys(table, target, keys)
    return known, together(keys)


def check_keys(table: Table, target: Meaning, keys: Sequence[Coded]) -> None:
    """Rows with one name must be the same, and every row must have one."""
    if target.arguments[0].column == ROW_NUMBER:
        return
    names = " and ".join(argument.column for argument in target.arguments)
    codes = np.stack([key.codes for key in keys], axis=1)
    if (codes == NULL).any():
        raise MaxSynthError(
            f"{names} is empty in row {int((codes == NULL).any(axis=1).argmax()) + 1} of X", remedy="it names the rows"
        )
    everything = np.stack([column.codes for column in table.columns], axis=1)
    if len(np.unique(codes, axis=0)) < len(np.unique(everything, axis=0)):
        raise MaxSynthError(
            f"{names} names rows of X, and some that differ have the same", remedy="leave one of them out"
        )


def coverage(programs: Sequence[ClassProgram], data: Data) -> NDArray[np.bool_]:
    """For each rule of each program whether it covers each row."""
    size = len(data.tables[ROWS])
    if not any(one.learned.program.rules for one in programs):
        return np.zeros((0, size), bool)
    known, keys = known_rows(programs, data)
    return np.concatenate([rule_coverage(one.learned, known, keys) for one in programs])


def judge(
    programs: Sequence[ClassProgram], data: Data, codes: NDArray[Any], weights: NDArray[np.float64], classes: int
) -> Verdicts:
    """The verdicts of all rules, from the training rows: `codes` are the places of their classes."""
    covered = coverage(programs, data)

    def by_class(some: Any) -> NDArray[np.float64]:
        """What the rows of each class weigh, of those that some flags choose."""
        return np.asarray(np.bincount(codes[some], weights[some], classes), np.float64)

    counts = [by_class(rows) for rows in covered]
    verdicts: list[Verdict] = []
    for one in programs:
        numbers = range(len(verdicts), len(verdicts) + len(one.learned.program.rules))
        together = by_class(covered[numbers.start : numbers.stop].any(axis=0))
        for number, rule in zip(numbers, one.learned.program.rules, strict=True):
            shares = smoothed(counts[number], one)
            if shares[one.place] <= np.delete(shares, one.place).max():
                shares = smoothed(together, one)
            verdicts.append(Verdict(one.place, counts[number], shares, number, one, rule))
    verdicts.sort(key=lambda one: (-one.probabilities[one.place], -one.covered, one.number))
    rest = by_class(~covered.any(axis=0))
    shares = smoothed(rest if rest.any() else by_class(np.ones(len(codes), np.bool_)))
    return Verdicts(tuple(programs), (*verdicts, Verdict(int(shares.argmax()), rest, shares)))


def smoothed(counts: Counts, program: ClassProgram | None = None) -> Counts:
    """Probabilities from counts."""
    counts = counts + 0.0
    if program is not None:
        counts[program.place] *= program.weights.fn / program.weights.fp
    found: Counts = (counts + 1) / (counts.sum() + len(counts))
    return found
