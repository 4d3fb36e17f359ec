"""The rules of the last sizes, where there are too many to keep: those that may be in a program below the bound.

`kernel/choose/last_size.pxi` has the proof. Some rules are taken first, and values for them; then whichever rules these
values are too high for, and so on. When there are no such rules left, the values bound the cost of all programs, and
what is left are the rules that are within the gap between this and the best known cost. They are few where the bound is
good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.choose import Conjunctions, Cover, Pricer
from maxsynth.search.choose.problem import Stop, lists
from maxsynth.search.coverage import Pool, unpack
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

FIRST = 1000  # rules that it begins with: those that save most alone
AT_ONCE = 300  # rules that are added, at most
STEPS = 100  # towards better values, at first ...
MOST_STEPS = 1000  # ... and in the end
MOST = 200_000  # rules that are kept in the end
MOST_SHARES = 1 << 25
SHARE = 28  # bytes: now, a step ago, as 32 bits, and where values are best


@dataclass
class LastSizes:
    """Finds these rules: of all states, and those with `first` to `last` body literals that come next."""

    rules: Conjunctions
    first: int
    last: int
    examples: WeighedExamples
    size_weight: int
    memory: Memory
    should_stop: Stop | None
    improve: Callable[[Pool, int], int]  # looks for a better program of some rules; what one must then stay below
    lower_bound: int = 0  # what any program costs at least, in the end

    def __post_init__(self) -> None:
        self.pool: Pool | None = None
        gains = self.examples.pos - self.examples.neg
        self.others = int(np.minimum(self.examples.pos, self.examples.neg).sum())
        self.positives, self.negatives = np.flatnonzero(gains > 0), np.flatnonzero(gains < 0)
        self.weights = gains[self.positives], -gains[self.negatives]
        self.count = len(gains)
        self.column, self.row = np.full(self.count, -1, np.int32), np.full(self.count, -1, np.int32)
        self.column[self.positives] = np.arange(len(self.positives))
        self.row[self.negatives] = np.arange(len(self.negatives))

    @property
    def fits(self) -> bool:
        """Whether there is room for the shares, which are there several times."""
        shares = len(self.positives) * len(self.negatives)
        return shares <= MOST_SHARES and self.memory.allows(SHARE * shares)

    def find(self, known: Pool, bound: int) -> bool:
        """Finds the rules that may be in a program that costs less than the bound; False when stopped, or for too many.

        `known` are rules with sizes as they are counted in the pool, without weights.
        """
        if not self.fits:
            return False
        gains = known.pos - known.neg - known.sizes * self.size_weight
        master = known.select(np.sort(np.argsort(-gains, kind="stable")[:FIRST]))
        steps, last = STEPS, self.first
        while True:
            pricer, total = self.priced(master, bound, steps)
            answer = pricer.rules_below(-1, AT_ONCE, last, self.should_stop)
            if answer is None:
                return False
            found = Pool(*answer[0])
            if not len(found) and not answer[1]:
                return False
            if len(found):
                master = Pool.of([master, distinct(found)], self.count)
            elif last < self.last:
                # Larger rules are far more, and good values leave few of them.
                bound = self.improve(master, bound)
                last += 1
            elif steps == MOST_STEPS or total > (bound - 1 - self.others) << self.shift:
                break
            else:
                # The gap says how many rules are left: so it is worth while to make it small, from both sides.
                bound = self.improve(master, bound)
                steps = MOST_STEPS
        self.lower_bound = -(-total >> self.shift) + self.others  # which holds, whatever comes of the rules
        self.pool = known.select(np.zeros(0, np.int64))
        gap = ((bound - 1 - self.others) << self.shift) - total
        if gap >= 0:
            answer = pricer.rules_below(gap, MOST, last, self.should_stop)
            if answer is None or not answer[1]:
                self.pool = None
                return False
            self.pool = distinct(Pool(*answer[0]))
        return True

    def priced(self, master: Pool, bound: int, steps: int) -> tuple[Pricer, int]:
        """Values for some rules; what these add up to."""
        self.memory.claim(SHARE * len(self.positives) * len(self.negatives) + 3 * len(master) * self.count)
        covers = unpack(master.bits, self.count)
        sides = covers[:, self.positives], covers[:, self.negatives]
        cover = Cover(
            *lists(sides[0]), *lists(sides[1]), master.sizes * self.size_weight, *self.weights, claim=self.memory.claim
        )
        values, shares, self.shift = cover.shares(bound - self.others, steps, self.should_stop)
        of_examples = np.zeros(self.count, np.int64)
        of_examples[self.positives] = values
        pricer = Pricer(self.rules, of_examples, shares, self.column, self.row, self.shift, bound)
        return pricer, int(values.sum())


def distinct(pool: Pool) -> Pool:
    """One rule for each coverage: the smallest, and of these the first."""
    rows: NDArray[np.void] = np.ascontiguousarray(pool.bits).view(np.dtype((np.void, pool.bits.shape[1] * 8))).ravel()
    order = np.argsort(pool.sizes, kind="stable")
    seen: dict[bytes, int] = {}
    for number in order.tolist():
        seen.setdefault(rows[number].tobytes(), number)
    return pool.select(np.array(sorted(seen.values()), np.int64))
