"""Folds for cross-validation: the same for every learner, with as many of each class in each as in any other."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def folds(labels: Sequence[Hashable], count: int, seed: int) -> Iterator[Mask]:
    """For each fold, which rows are held out. Each row is in one fold; classes are dealt one after the other."""
    rng = random.Random(seed)
    fold_of = np.zeros(len(labels), np.int64)
    dealt = 0
    for value in dict.fromkeys(labels):
        rows = [row for row, label in enumerate(labels) if label == value]
        rng.shuffle(rows)
        for row in rows:
            fold_of[row] = dealt % count
            dealt += 1
    for fold in range(min(count, len(labels))):
        yield fold_of == fold
