"""How much speaks against a label that the best program contradicts.

Let the best program cost c, and let it have an example e wrong. Of all programs that have e right, let the cheapest
cost c + d. If d is large, much that is said about the others has to be unsaid, or a rule made for e alone: its label is
probably wrong. If d is 0 or 1, a program that agrees with the label is about as good, and nothing speaks against the
label but the choice between these two. As where examples are asked for (`ask`), a program that costs d more counts
2^-d: so the label is wrong with probability 1 / (1 + 2^-d).

**How d is found.** An error at e is made to cost `most` more. A program that has e wrong then costs c + `most` at
least, and one that has it right what it cost before. So a search for programs that cost less than c + `most` finds one
of cost c + d, or proves that d is `most` or more. One that is cut knows a bound, which holds as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL
from maxsynth.task.task import Examples, ReadTask


def weigh(
    task: ReadTask,
    row: tuple[int, ...],
    label: bool,
    cost: int,
    weights: Weights,
    most: int,
    make_search: Callable[[ReadTask], Search],
) -> int:
    """How much more than `cost`, up to `most`, a program costs at least that has this example right."""
    times = -(-most // max(weights.fn if label else weights.fp, 1))
    search = make_search(heavier(task, row, label, times))
    search.look_below(cost + most)
    result = search.run()
    least = result.lower_bound
    if result.status == OPTIMAL:
        least = cost + most if result.program is None or result.cost is None else result.cost
    return min(max(least - cost, 0), most)


def heavier(task: ReadTask, row: tuple[int, ...], label: bool, times: int) -> ReadTask:
    """The task with an example counted so many times more."""
    if label:
        return dataclasses.replace(task, positives=counted_more(task.positives, row, times))
    return dataclasses.replace(task, negatives=counted_more(task.negatives, row, times))


def counted_more(side: Examples, row: tuple[int, ...], times: int) -> Examples:
    weights = side.weights.copy()
    weights[np.flatnonzero((side.rows == np.array(row, np.int32)).all(axis=1))[0]] += times
    return dataclasses.replace(side, weights=weights)
