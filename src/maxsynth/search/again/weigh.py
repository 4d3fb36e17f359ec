"""How much speaks against a label that the best program contradicts.

Let the best program cost c, and let it have an example e wrong. Of all programs that have e right, let the cheapest
cost c + d. If d is large, much that is said about the others has to be unsaid, or a rule made for e alone: its label is
probably wrong. If d is 0 or 1, a program that agrees with the label is about as good, and nothing speaks against the
label but the choice between these two. As where examples are asked for (`ask`), a program that costs d more counts
2^-d: so the label is wrong with probability 1 / (1 + 2^-d).

**How d is found.** An error at e is made to cost `most` more. A program that has e wrong then costs c + `most` at
least, and one that has it right what it cost before. So a search for programs that cost less than c + `most` finds one
of cost c + d, or proves that d is `most` or more. One that is cut knows a bound, which holds as well.

**Where the program is not proven.** It costs c, and the best one perhaps less. What is found is still no more than
c + d, the cost of the cheapest program that agrees, and so a bound for d. If that is more than 0, all programs that
agree cost more than this one, so the best one contradicts the label too, and by as much at least. A d of 0 says nothing
then: the best program may agree. All programs cost `least` at least, so what is found below `least` and the additional
cost of an error at e has e right: then d is known exactly.

**After decisions that agree with the program.** Examples that it has wrong are flipped or left out: it is cheaper by
all that these cost, and no program by more. So it is still the best, and d does not become less for any other label.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL
from maxsynth.task.task import Examples, ReadTask


class Weight(NamedTuple):
    """How much more a program costs that agrees with a label: so much at least, or so much exactly."""

    evidence: int
    exactly: bool


NOT_WEIGHED = Weight(0, False)


def weigh(
    task: ReadTask,
    row: tuple[int, ...],
    label: bool,
    cost: int,
    weights: Weights,
    most: int,
    make_search: Callable[[ReadTask], Search],
    least: int | None = None,
) -> Weight:
    """How much more than `cost`, up to `most`, a program costs at least that has this example right.

    `least` is what any program costs, where it is not proven that this is `cost`.
    """
    error = max(weights.fn if label else weights.fp, 1)
    times = -(-most // error)
    search = make_search(heavier(task, row, label, times))
    search.look_below(cost + most)
    result = search.run()
    if result.status != OPTIMAL:
        return Weight(within(result.lower_bound - cost, most), False)
    if result.program is None or result.cost is None:
        return Weight(most, False)
    agrees = result.cost < (cost if least is None else least) + times * error
    return Weight(within(result.cost - cost, most), agrees)


def within(more: int, most: int) -> int:
    return min(max(more, 0), most)


def heavier(task: ReadTask, row: tuple[int, ...], label: bool, times: int) -> ReadTask:
    """The task with an example counted so many times more."""
    if label:
        return dataclasses.replace(task, positives=counted_more(task.positives, row, times))
    return dataclasses.replace(task, negatives=counted_more(task.negatives, row, times))


def counted_more(side: Examples, row: tuple[int, ...], times: int) -> Examples:
    weights = side.weights.copy()
    weights[np.flatnonzero((side.rows == np.array(row, np.int32)).all(axis=1))[0]] += times
    return dataclasses.replace(side, weights=weights)
