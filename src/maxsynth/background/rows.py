"""Equal rows of tables of term ids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.terms import sorted_order


def equal_rows(rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Equal rows as groups, in lexicographic order: the first row of each group, and the group of each row.

    The same as `np.unique(rows, axis=0, ...)`, which compares whole rows and so is slow.
    """
    order = sorted_order(rows, range(rows.shape[1]))
    in_order = rows[order]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (in_order[1:] != in_order[:-1]).any(axis=1)
    group = np.empty(len(rows), np.intp)
    group[order] = np.cumsum(begins) - 1
    return order[begins], group


def distinct_rows(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows without repetitions, in the order of first appearance."""
    first, _ = equal_rows(rows)
    return rows if len(first) == len(rows) else rows[np.sort(first)]
