"""Leaks: columns that alone decide the target, and so were probably made from it, or it from them.

A program with such a column is right on these rows and useless on new ones, where nobody knows that column yet. A
leak is only reported; whether it is one, the user knows.

What tells a leak from an honest, strong feature? For a category, that its values, each in several rows, miss (almost)
no label. For a number that is not enough: two kinds of things may be far apart in it. But a target that was made by
cutting a measurement in two parts values that lie close to each other, where an honest one would have errors. So the
cut must go through values that are as dense as elsewhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.inference.values import COUNTED, Values, shown
from maxsynth.data.tables import NULL

LEAST_ROWS = 20  # fewer tell nothing
LEAST_EACH = 5  # of each label
MOST_ERRORS = 0.01  # share of rows
EACH_VALUE = 5  # rows, for its majority to count
MOST_RARE = 0.1  # share of rows with values that are rarer
WIDE = 8.0  # times the usual step between neighbouring values: then the labels lie apart

Labels = NDArray[np.int32]  # of each row a number; NULL where there is none


def leak(column: Values, labels: Labels) -> str:
    """The evidence that a column alone decides the labels; empty when it does not."""
    rows = labels != NULL
    codes, known = column.column.codes[rows], labels[rows]
    counts = np.bincount(known)
    counts = counts[counts > 0]
    if len(known) < LEAST_ROWS or len(counts) < 2 or counts.min() < LEAST_EACH:
        return ""
    said = by_absence(codes, known) or by_category(codes, known)
    if not said and column.kind in COUNTED and len(counts) == 2 and isinstance(column.column.values, np.ndarray):
        said = by_cut(column, codes, known)
    return said


def by_absence(codes: NDArray[np.int32], labels: Labels) -> str:
    """Whether it is missing for one label only, as the date of an end is."""
    missing = (codes == NULL).astype(np.int32)
    if not missing.any() or missing.all():
        return ""
    wrong = errors_by_majority(missing, labels)
    if wrong > MOST_ERRORS * len(labels) or min(missing.sum(), len(labels) - missing.sum()) < LEAST_EACH:
        return ""
    return f"whether it is empty decides the target, {errors_text(wrong, len(labels))}"


def by_category(codes: NDArray[np.int32], labels: Labels) -> str:
    shifted = codes + 1  # a missing value is one, too
    counts = np.bincount(shifted)
    often = counts[shifted] >= EACH_VALUE
    if np.count_nonzero(~often) > MOST_RARE * len(labels) or np.count_nonzero(counts >= EACH_VALUE) < 2:
        return ""
    wrong = errors_by_majority(shifted[often], labels[often])
    total = int(np.count_nonzero(often))
    if wrong > MOST_ERRORS * total:
        return ""
    return f"its value alone decides the target, {errors_text(wrong, total)}"


def errors_by_majority(codes: NDArray[np.int32], labels: Labels) -> int:
    """Rows that do not have the most frequent label of their value."""
    width = int(labels.max()) + 1
    table = np.bincount(codes.astype(np.int64) * width + labels, minlength=(int(codes.max()) + 1) * width)
    return int(len(labels) - table.reshape(-1, width).max(axis=1).sum())


def by_cut(column: Values, codes: NDArray[np.int32], labels: Labels) -> str:
    """The best cut of a number in two, with the label of each side, where its values are dense."""
    present = codes != NULL
    values = np.asarray(column.column.values)[codes[present]].astype(np.float64)
    yes = (labels[present] == labels.max()).astype(np.int64)
    if len(values) < LEAST_ROWS:
        return ""
    order = np.argsort(values, kind="stable")
    values, yes = values[order], yes[order]
    total, rows = int(yes.sum()), len(yes)
    below = np.cumsum(yes)[:-1]  # those that are yes up to here, for a cut after each row ...
    before = np.arange(1, rows)  # ... and all up to here
    yes_above, yes_below = below + (rows - before) - (total - below), (before - below) + (total - below)
    wrong = np.minimum(yes_above, yes_below)
    steps = np.diff(values)
    wrong = np.where(steps > 0, wrong, len(values))
    at = int(np.argmin(wrong))
    if wrong[at] > MOST_ERRORS * len(values) or is_apart(steps, at):
        return ""
    least = shown(values[at + 1].item(), column.kind)
    return f"one cut, at {least}, parts the values of the target, {errors_text(int(wrong[at]), len(values))}"


def is_apart(steps: NDArray[np.float64], at: int) -> bool:
    """Whether the step at a cut is much wider than the steps near it."""
    reach = max(5, len(steps) // 10)
    near = np.concatenate([steps[max(0, at - reach) : at], steps[at + 1 : at + 1 + reach]])
    near = near[near > 0]
    return len(near) < 3 or bool(steps[at] > WIDE * np.median(near))


def errors_text(wrong: int, rows: int) -> str:
    return f"{'without an error' if not wrong else f'but for {wrong:,}'} in {rows:,} rows"
