"""Equal rows of tables of term ids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def equal_rows(rows: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Equal rows as groups, in lexicographic order: the first row of each group, and the group of each row.

    The same as `np.unique(rows, axis=0, ...)`, which compares whole rows and so is slow. Here a row becomes one number,
    column by column: the group of what comes before the column, and the id in it. There is at least one column.
    """
    first, group = unique(rows[:, 0])
    for column in range(1, rows.shape[1]):
        first, group = unique(group.astype(np.int64) << 32 | rows[:, column])
    return first, group


def unique(keys: NDArray[np.signedinteger]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first, group.ravel()


def distinct_rows(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows without repetitions, in the order of first appearance."""
    if rows.shape[1] == 0:
        return rows[:1]
    first, _ = equal_rows(rows)
    return rows if len(first) == len(rows) else rows[np.sort(first)]
