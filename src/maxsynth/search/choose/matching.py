"""A lower bound by matching, and the rules that it leaves: what makes a large choice small.

This is a quick way to good shares, as `kernel/choose/shares.pxi` explains them, where there are too many of them to
keep. A positive e may be covered by the rules R(e). If a negative n is covered by *all* of these, whoever covers e
pays for n as well. So e can carry n: as much of the weight of n as of its own, and no other positive carries the same.
Then e costs that much in any set of rules: if it is missed, by its own weight, and if it is covered, by that of n.
Which positive carries which negative is a flow, made greedily: those with the least to choose from come first. What is
left of a positive may carry sizes in the same way: the same amount of the size of every rule in R(e), as far as none is
used up.

The amounts add up to a lower bound L for all sets of rules. A set with rule r costs at least L and, besides, what
nobody carries of the size of r and of its negatives. If that reaches the bound to stay below, r is out. Without it,
other positives have fewer rules, and so more negatives to carry: this goes on until little changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.choose import Matching, columns_of, equal_columns, sums_of
from maxsynth.search.choose.problem import Stop
from maxsynth.search.coverage import Bits, Pool
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

MOST_CELLS = 1 << 30  # rules times examples
WORTH = 50  # one rule in so many must be out for another turn


@dataclass(frozen=True)
class Reduced:
    """The rules that may be in a set below the bound, and what any set costs at least, up to the bound."""

    pool: Pool
    lower_bound: int


def reduce_by_matching(
    pool: Pool, examples: WeighedExamples, bound: int, memory: Memory, should_stop: Stop | None = None
) -> Reduced:
    """Drops rules of a pool, whose sizes are by weight."""
    lower = 0
    while len(pool) and (should_stop is None or not should_stop()):
        if len(pool) * len(examples.pos) > MOST_CELLS or not memory.allows(3 * pool.bits.nbytes):
            break
        memory.claim(3 * pool.bits.nbytes)
        found, surplus = match(pool, examples, should_stop)
        lower = max(lower, found)
        if lower >= bound:
            return Reduced(pool.select(np.zeros(0, np.int64)), bound)
        kept = np.flatnonzero(found + surplus < bound)
        out = len(pool) - len(kept)
        pool = pool.select(kept)
        if out * WORTH < len(pool):
            break
    if not len(pool):
        lower = int(examples.pos.sum())  # only to choose nothing is left
    return Reduced(pool, min(lower, bound))


def match(pool: Pool, examples: WeighedExamples, should_stop: Stop | None = None) -> tuple[int, NDArray[np.int64]]:
    """What any set of rules costs at least, and for each rule how much more a set with it costs."""
    gains, columns = examples.pos - examples.neg, columns_of(pool.bits, len(examples.pos))
    met = columns.any(axis=1)
    # What is listed on both sides costs the lesser weight in any case, and what no rule covers is missed.
    base = int(np.minimum(examples.pos, examples.neg).sum()) + int(gains[~met & (gains > 0)].sum())
    positives, wanted = merged(columns[met & (gains > 0)], gains[met & (gains > 0)])
    negatives, left = merged(columns[met & (gains < 0)], -gains[met & (gains < 0)])
    matching = Matching(positives, wanted, negatives, left, len(pool))
    matching.find_choices(should_stop)
    surplus = pool.sizes.copy()
    total = matching.carry_negatives() + matching.carry_sizes(surplus)
    matching.charge(surplus)
    return base + total, surplus


def merged(columns: Bits, weights: NDArray[np.int64]) -> tuple[Bits, NDArray[np.int64]]:
    """Examples that the same rules cover as one, with the weight of all."""
    first, which = equal_columns(columns)
    return columns[first], sums_of(which, weights, len(first))
