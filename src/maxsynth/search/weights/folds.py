"""One search of a cross-validation: learns from some of the examples, and says what that predicts of the others.

These searches are units of work that do not need each other (`maxsynth.spread`). Each begins with the task as it was
read, and not with what earlier ones have asked of background knowledge: so it takes the same steps to the same program,
wherever it is done and whatever was done there before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.bias import Bias
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluation import Evaluation, evaluate_program
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL
from maxsynth.search.settings import Settings
from maxsynth.spread.executor import Executor, Serial, Work
from maxsynth.task.source import Source
from maxsynth.task.task import Examples, ReadTask
from maxsynth.task.undirected import task_without_directions

if TYPE_CHECKING:
    from maxsynth.search.rules.elsewhere import Helpers

FOLDS = 5
SEED = 1
FEW = 60  # examples of a side: when there are fewer, all are dealt so often that about as many are predicted, ...
MOST_DEALS = 5  # ... but not more often than this

Split = tuple[NDArray[np.bool_], NDArray[np.bool_]]


class Folds:
    """A task with the ways in which its examples are split into those that are learned from and the others."""

    def __init__(self, task: ReadTask) -> None:
        self.task = task
        self.count = min(FOLDS, len(task.positives), max(len(task.negatives), 2))
        if self.count < 2:
            raise MaxSynthError("too few examples to choose weights from", remedy="give --weights SIZE,FP,FN")
        fewer = min(len(task.positives), len(task.negatives)) or len(task.positives)
        self.deals = min(-(-FEW // fewer), MOST_DEALS)
        self.splits = [split for number in range(self.deals) for split in deal(task, self.count, SEED + number)]

    @cached_property
    def larger(self) -> ReadTask | None:
        """The task without directions, if it can do without."""
        return task_without_directions(self.task)

    def close(self) -> None:
        self.task.background.close_engine()


@dataclass(frozen=True)
class SentFolds:
    """The same as it is sent elsewhere: where the task comes from, and the space in which it is searched."""

    source: Source
    bias: Bias

    def open(self) -> Folds:
        return Folds(self.source.read_again(self.bias))


class Where(NamedTuple):
    """Where searches are done, and where the task comes from, which has to be sent if that is not here."""

    executor: Executor = Serial()
    source: Source | None = None

    def work(self, folds: Folds) -> Work[Folds]:
        return Work(lambda: folds, lambda: self.sent(folds.task.bias))

    def sent(self, bias: Bias) -> SentFolds:
        assert self.source is not None, "it is not said where the task comes from"
        return SentFolds(self.source, bias)

    def helpers(self, settings: Settings, tell: Callable[[str], None]) -> AbstractContextManager[Helpers | None]:
        """Who has a part in one search: the workers of a cluster. That these are lost, if they are, is told."""
        if isinstance(self.executor, Serial):
            return nullcontext()
        from maxsynth.search.rules.elsewhere import Helpers  # with what most do without
        from maxsynth.spread.cluster import Cluster

        assert isinstance(self.executor, Cluster)
        return Helpers(self.executor, settings, tell)


HERE = Where()


@dataclass(frozen=True)
class Fold:
    """What to do: learn with these settings, and without those examples that this split holds out."""

    split: int
    settings: Settings
    directions: bool = True  # False: in the larger space that has none


@dataclass(frozen=True)
class Learned:
    """What was learned, and how it does on all examples."""

    cut: bool  # by a limit
    steps: int
    evaluation: Evaluation


def learn_fold(folds: Folds, fold: Fold, stop: Callable[[], bool]) -> Learned:
    space = folds.task if fold.directions else folds.larger
    assert space is not None
    task, (pos, neg) = space.afresh(), folds.splits[fold.split]
    learning = dataclasses.replace(task, positives=some(task.positives, pos), negatives=some(task.negatives, neg))
    result = Search(learning, fold.settings, None, stop).run()
    found = evaluate_program(result.program or Program(), task)
    return Learned(result.status != OPTIMAL, result.counts["steps"], found)


def deal(task: ReadTask, folds: int, seed: int) -> list[Split]:
    """Which positives and which negatives are learned from, when each fold in turn is held out."""
    pos, neg = (fold_of_each(len(side), folds, seed) for side in (task.positives, task.negatives))
    return [(pos != fold, neg != fold) for fold in range(folds)]


def fold_of_each(count: int, folds: int, seed: int) -> NDArray[np.int64]:
    """As many in each, in a random order that is always the same."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
    return np.asarray(order % folds, dtype=np.int64)


def some(examples: Examples, chosen: NDArray[np.bool_]) -> Examples:
    lines = [line for line, keep in zip(examples.lines, chosen.tolist(), strict=True) if keep]
    return Examples(examples.rows[chosen], examples.weights[chosen], lines)
