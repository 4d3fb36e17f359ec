"""Values that are no numbers, where the bias says that they are compared as such: a column that was read as text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from maxsynth.checks.kinds import columns
from maxsynth.errors import brief
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.terms import String
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import ReadTask


def no_numbers(task: ReadTask) -> Iterator[str]:
    """A warning for each argument of a number type with other values. Infinities are reported when a task is read."""
    types, store = task.bias.learned.number_types, task.background.store
    for column in columns(task) if types else ():
        if column.type not in types:
            continue
        others = column.values[~are_numbers(store, column.values)]
        if len(others):
            many = "is no number" if len(others) == 1 else "are no numbers"
            first = brief(term_text(store.term(int(others[0]))))
            yield (
                f"{column} has type {column.type}, which is compared as numbers, but {len(others)} of its "
                f"{len(column.values)} values {many}: `{first}` satisfies nothing"
            )


def are_numbers(store: TermStore, values: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of these are numbers."""
    found = store.numbers_and_strings(values)
    for place in found.nonzero()[0].tolist():
        found[place] = not isinstance(store.term(int(values[place])), String)
    return found
