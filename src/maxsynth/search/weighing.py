"""What size and errors weigh, and the examples as the search sees them.

**No sum of weights overflows.** Let T be what all errors and the largest rule weigh together. It is at most
`MOST_WEIGHT`, 10^15 and so below 2^50; what is larger is refused here, before any search. What a set of rules covers or
misses weighs at most T, and so does the size of one rule, so that what the kernel compares are sums of a few numbers up
to T. The sizes of many rules are added up only while that makes a program cheaper (`kernel/choose/dive.pxi`,
`kernel/choose/cover.pxi`), hence up to T; or by Python, whose numbers have no limit (`combine`, and all that has to do
with recursion). Where more is done with weights than that, it is said there why it fits: products in
`kernel/tables/example_weights.pxi`, fractions in `kernel/choose/shares.pxi`, and the 32 bits of clingo in
`core_guided`. In exact mode an error weighs more than any program, and an example counts once, whatever its weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError, Position
from maxsynth.kernel.terms import equal_rows
from maxsynth.proofs.metrics import Weights
from maxsynth.task.task import Examples, ReadTask

MOST_WEIGHT = 10**15  # of all errors and the largest rule together


@dataclass(frozen=True)
class WeighedExamples:
    """The distinct example atoms, with what it costs to miss one as a positive and to cover it as a negative.

    An atom listed twice weighs twice; one listed on both sides has both weights.
    """

    rows: NDArray[np.int32]
    pos: NDArray[np.int64]
    neg: NDArray[np.int64]

    @classmethod
    def of(cls, task: ReadTask, weights: Weights) -> WeighedExamples:
        check_total(task, weights)
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


def check_total(task: ReadTask, weights: Weights, most: int = MOST_WEIGHT, who: str = "learn") -> None:
    """Refuses weights whose sums the search has no room for, or somebody whom it asks."""
    positives, negatives = (sum(side.weights.tolist()) for side in (task.positives, task.negatives))
    total = weights.fn * positives + weights.fp * negatives + weights.size * (task.bias.max_body + 1)
    if total > most:
        raise MaxSynthError(
            f"all errors and the largest rule together weigh {total:,}, and `{who}` takes at most {most:,}",
            heaviest(task.positives, task.negatives),
            "divide the weights of the examples, or those of the cost, by a number",
        )


def heaviest(*sides: Examples) -> Position | None:
    """Where the example with the largest weight is, if one has a weight of its own."""
    weight, side = max(((int(side.weights.max(initial=0)), side) for side in sides), key=lambda pair: pair[0])
    return Position(side.file, side.lines[int(side.weights.argmax())]) if weight > 1 and side.file else None
