"""Prices: what known rules cost at least, for each positive that they are left with.

A program below a bound has room for one rule, at most, that is at least half as large as the bound. So when all smaller
rules are known, and r is one that is not, the rest of its program are known rules, which together cost less than what
the bound leaves beside the size of r. How little these can cost is a matter of shares (`kernel/choose/shares.pxi`): the
values there add up to a bound from below, and each belongs to one positive. The positives that r covers may cost the
others nothing; all the rest cost their values. That is why the sum of these, without those that r covers, bounds what
the rest of the program costs: it is the bound for the problem without the positives of r, with the same shares.

Positives that the same rules cover are one in that problem. Its value is split among them by weight: so are its shares
then, and they bound the problem in which these positives are apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.choose import Cover, columns_of, equal_columns
from maxsynth.search.choose.problem import Stop, groups_in_order, lists, matrix_of, steps_within
from maxsynth.search.coverage import Pool
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

STEPS = 60  # towards better prices, ...
WORK = 1 << 27  # ... if they do not go through more shares than these together
MOST_CELLS = 1 << 27  # rules times examples


@dataclass(frozen=True)
class Prices:
    """The price of each example, 0 for a negative; `others` is what any program costs besides.

    Prices are whole numbers of 2**-shift.
    """

    values: NDArray[np.int64]
    others: int
    shift: int


def make_prices(
    pool: Pool,
    examples: WeighedExamples,
    bound: int,
    memory: Memory,
    should_stop: Stop | None = None,
    threads: Threads | None = None,
) -> Prices | None:
    """Prices for a program that has no other rules but these, which cost less than the bound together.

    The sizes in the pool are by weight. None where there are too many rules.
    """
    # An example that is listed on both sides costs the lesser weight in any case, and the rest is at stake.
    others = int(np.minimum(examples.pos, examples.neg).sum())
    gains = examples.pos - examples.neg
    prices, shift = np.maximum(gains, 0), 0
    if not len(pool):
        return Prices(prices, others, shift)
    cells = len(pool) * len(gains)
    if cells > MOST_CELLS or not memory.allows(3 * cells):
        return None
    memory.claim(3 * cells)
    columns = columns_of(pool.bits, len(gains))
    met = columns.any(axis=1)
    positives, negatives = np.flatnonzero(met & (gains > 0)), np.flatnonzero(met & (gains < 0))
    pos_first, pos_which = equal_columns(columns[positives])
    neg_first, neg_which = equal_columns(columns[negatives])
    pos_weight, neg_weight = np.zeros(len(pos_first), np.int64), np.zeros(len(neg_first), np.int64)
    np.add.at(pos_weight, pos_which, gains[positives])
    np.add.at(neg_weight, neg_which, -gains[negatives])
    shares = len(pos_first) * len(neg_first)
    if not memory.allows(8 * shares):
        return None
    sides = tuple(matrix_of(columns[side], len(pool)) for side in (positives[pos_first], negatives[neg_first]))
    cover = Cover(
        *lists(sides[0]),
        *lists(sides[1]),
        pool.sizes,
        pos_weight,
        neg_weight,
        claim=memory.claim,
        threads=threads,
    )
    values, shift = cover.values(bound, min(STEPS, steps_within(WORK, *sides)), should_stop)
    prices <<= shift
    prices[positives] = split(values, pos_weight, pos_which, gains[positives])
    return Prices(prices, others, shift)


def split(
    values: NDArray[np.int64], totals: NDArray[np.int64], which: NDArray[np.int64], weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The part of each example of the value of all those that it is merged with, by weight and rounded down."""
    order = np.lexsort([weights, which])
    group, weight = which[order], weights[order]
    first, place = groups_in_order(order, (group[1:] != group[:-1]) | (weight[1:] != weight[:-1]))
    # In Python, whose numbers have no limit. There are few pairs.
    pairs = zip(which[first].tolist(), weights[first].tolist(), strict=True)
    parts = [int(values[k]) * own // int(totals[k]) for k, own in pairs]
    return np.array(parts, np.int64)[place]
