"""One program on the examples of one task: what the page shows of it, all counted at once.

Examples have numbers: the positives of the task first, as listed. The numbers stay whatever is decided about labels, so
what is decided is kept apart: a desk is told which labels its program was learned from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.dates import rule_text
from maxsynth.data.description import Description
from maxsynth.data.telling import TableExplainer
from maxsynth.explanation.explain import Explainer, Explanation
from maxsynth.logic.programs import Program, Rule
from maxsynth.logic.tested import size_of
from maxsynth.proofs.metrics import Weights
from maxsynth.studio.decisions import FLIP, LEAVE_OUT, Example
from maxsynth.studio.treatment import Flags, treat
from maxsynth.task.task import ReadTask
from maxsynth.verification.simple_evaluator import STEPS

COVERED_BY, NOT_BY, UNKNOWN = -1, -2, -3  # in the place of the literals that hold
SUSPECTED = 0.5  # from here on, a label is more probably wrong than not


class Listing:
    """All examples of a task, with their numbers."""

    def __init__(self, task: ReadTask, description: Description | None = None) -> None:
        self.task = task
        self.description = description
        sides = (task.positives, task.negatives)
        self.rows = np.concatenate([side.rows for side in sides])
        self.weights = np.concatenate([side.weights for side in sides])
        self.lines = [line for side in sides for line in side.lines]
        self.labels: Flags = np.arange(len(self.rows)) < len(task.positives)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def atoms(self) -> list[str]:
        return [self.task.example_text(row) for row in self.rows]

    @cached_property
    def texts(self) -> list[str]:
        """Examples as a person names them."""
        if self.description is None:
            return self.atoms
        explainer = self.explainer(Program())
        return [explainer.example_text(tuple(row)) for row in self.rows.tolist()]

    @cached_property
    def folded(self) -> list[str]:
        """The same, to be searched in."""
        return [text.casefold() for text in self.texts]

    @cached_property
    def numbers(self) -> dict[Example, int]:
        """Of each atom the number; of one that is listed several times, the first."""
        return {atom: number for number, atom in reversed(list(enumerate(self.atoms)))}

    def example(self, number: int) -> Example:
        return self.atoms[number]

    def rule_texts(self, rules: Iterable[Rule]) -> list[str]:
        """Rules as people write them, with dates where numbers are dates."""
        meanings = {} if self.description is None else self.description.meanings
        return [rule_text(rule, meanings) for rule in rules]

    def explainer(self, program: Program) -> Explainer:
        if self.description is None:
            return Explainer(program, self.task)
        return TableExplainer(program, self.task, self.description, STEPS)


@dataclass(frozen=True)
class Kind:
    """Examples that a program treats alike: what it does with them, and how many of each label there are."""

    covered: bool | None
    rules: tuple[int, ...]
    held: tuple[int, ...]
    positives: int
    negatives: int


class Desk:
    """A program with all that it does on a listing. `made` are the decisions that it was learned with."""

    def __init__(self, program: Program, listing: Listing, made: Mapping[Example, str], weights: Weights) -> None:
        self.listing = listing
        self.made = made
        self.weights = weights
        self.treatment = treat(program, listing.task, listing.rows)
        self.explainer = listing.explainer(program)
        self.program = self.explainer.program
        self.labels, self.counted = labels_with(listing, made)
        self.size = size_of(program, listing.task.bias.learned.tested)

    # -- counts -----------------------------------------------------------------------------------------------

    @property
    def covered(self) -> Flags:
        return self.treatment.covered

    @cached_property
    def wrong(self) -> Flags:
        return np.asarray((self.covered != self.labels) & self.counted & ~self.treatment.unfinished)

    @property
    def cost(self) -> int:
        errors = (self.covered != self.labels) & self.counted
        weighed = self.listing.weights
        wrong, missed = (int(weighed[errors & (self.labels == label)].sum()) for label in (False, True))
        return self.weights.size * self.size + self.weights.fp * wrong + self.weights.fn * missed

    def count(self, chosen: Flags) -> tuple[int, int]:
        """How many positives and negatives there are among some examples."""
        chosen = chosen & self.counted
        positives = int((chosen & self.labels).sum())
        return positives, int(chosen.sum()) - positives

    def alone(self, number: int) -> Flags:
        """What a rule covers beyond all others."""
        others = np.zeros(len(self.listing), bool)
        for other in range(len(self.treatment.rules)):
            if other != number:
                others |= self.treatment.covers(other)
        return self.treatment.covers(number) & ~others

    # -- examples that are treated alike ----------------------------------------------------------------------

    @cached_property
    def marks(self) -> NDArray[np.int16]:
        """For each example a row of what each rule does with it."""
        treatment = self.treatment
        by = np.array([treatment.covers(number) for number in range(len(treatment.rules))])
        marks = treatment.held.copy()
        marks = np.where(self.covered, np.where(by, COVERED_BY, NOT_BY), marks) if len(by) else marks
        first = np.where(self.covered, COVERED_BY, NOT_BY)  # a program without rules treats all alike
        marks = np.vstack([first, marks]).astype(np.int16)
        marks[:, treatment.unfinished] = UNKNOWN
        return np.ascontiguousarray(marks.T)

    @cached_property
    def _alike(self) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        distinct, kinds = np.unique(self.marks, axis=0, return_inverse=True)
        return distinct, kinds.reshape(-1)

    @property
    def kind_of(self) -> NDArray[np.int64]:
        """For each example, the number of its kind."""
        return self._alike[1]

    @cached_property
    def kinds(self) -> list[Kind]:
        return list(self._kinds())

    def _kinds(self) -> Iterator[Kind]:
        distinct, kinds = self._alike
        positives = np.bincount(kinds[self.labels & self.counted], minlength=len(distinct)).tolist()
        negatives = np.bincount(kinds[~self.labels & self.counted], minlength=len(distinct)).tolist()
        for row, yes, no in zip(distinct.tolist(), positives, negatives, strict=True):
            covered = None if row[0] == UNKNOWN else row[0] == COVERED_BY
            rules = tuple(number for number, mark in enumerate(row[1:]) if mark == COVERED_BY)
            yield Kind(covered, rules, () if covered is not False else tuple(row[1:]), yes, no)

    @cached_property
    def suspicion(self) -> NDArray[np.float64]:
        """Of each label that the program contradicts, how probably it is wrong (as `maxsynth explain` has it); or 0."""
        positives, negatives = (
            np.array([getattr(kind, side) for kind in self.kinds], np.int64) for side in ("positives", "negatives")
        )
        others = (positives + negatives)[self.kind_of] - 1
        against = np.where(self.labels, negatives[self.kind_of], positives[self.kind_of])
        return np.where(self.wrong, (against + 1) / (others + 2), 0.0)

    @cached_property
    def suspects(self) -> NDArray[np.int64]:
        """The numbers of contradicted examples, the most suspicious first, then as listed."""
        found = np.flatnonzero(self.wrong)
        return found[np.argsort(-self.suspicion[found], kind="stable")]

    # -- words ------------------------------------------------------------------------------------------------

    def rule_texts(self) -> list[str]:
        """The rules for the target."""
        return self.listing.rule_texts(self.treatment.rules)

    def other_texts(self) -> list[str]:
        """The rules of what was invented."""
        return [str(rule) for rule in self.program.rules if rule.head.predicate != self.listing.task.bias.head]

    def explain(self, number: int) -> Explanation:
        return self.explainer.explain(tuple(self.listing.rows[number].tolist()))


def labels_with(listing: Listing, made: Mapping[Example, str]) -> tuple[Flags, Flags]:
    """The labels as they are with some decisions, and which examples count."""
    labels, counted = listing.labels.copy(), np.ones(len(listing), bool)
    if made:
        for number in range(len(listing)):
            decision = made.get(listing.example(number))
            if decision == FLIP:
                labels[number] = not labels[number]
            elif decision == LEAVE_OUT:
                counted[number] = False
    return labels, counted
