"""What size and errors weigh, and the examples as the search sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.rows import equal_rows
from maxsynth.task import Task


@dataclass(frozen=True)
class Weights:
    """What a literal, a false positive and a false negative cost."""

    size: int = 1
    fp: int = 1
    fn: int = 1


@dataclass(frozen=True)
class WeighedExamples:
    """The distinct example atoms, with what it costs to miss one as a positive and to cover it as a negative.

    An atom listed twice weighs twice; one listed on both sides has both weights.
    """

    rows: NDArray[np.int32]
    pos: NDArray[np.int64]
    neg: NDArray[np.int64]

    @classmethod
    def of(cls, task: Task, weights: Weights) -> WeighedExamples:
        rows = np.concatenate([task.positives.rows, task.negatives.rows])
        if rows.shape[1] == 0:
            raise ValueError("the target has no arguments")
        first, which = equal_rows(rows)
        # In the order listed, the positives first: bits of one side lie together.
        order = np.argsort(first, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        which = place[which]
        pos, neg = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
        count = len(task.positives)
        np.add.at(pos, which[:count], task.positives.weights * weights.fn)
        np.add.at(neg, which[count:], task.negatives.weights * weights.fp)
        return cls(rows[first[order]], pos, neg)
