"""The rules of the last sizes, where there are too many to keep: those that may be in a program below the bound.

`kernel/choose/last_size.pxi` has the proof. Some rules are taken first, and values for them; then whichever rules these
values are too high for, and so on. When there are no such rules left, the values bound the cost of all programs, and
what is left are the rules that are within the gap between this and the best known cost.

These can be a hundred thousand, but the values tell more: with which others a rule can be in a better program.
`kernel/choose/within_gap.pxi` goes through all programs that are within the gap. First it does so with the rules that
are nearest, which shows whether there is a better program: then the gap is smaller, and there are fewer rules to list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.choose import Conjunctions, Cover, Pricer, WithinGap
from maxsynth.search.choose.problem import Stop, lists
from maxsynth.search.coverage import Pool, unpack
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

FIRST = 1000  # rules that it begins with: those that save most alone
AT_ONCE = 300  # rules that are added, at most
STEPS = 100  # towards better values, each time ...
MOST_STEPS = 300  # ... and in the end
MOST = 1_000_000  # rules that are kept in the end ...
MOST_LEFT = 200_000  # ... and that are left to choose among in other ways
MOST_LOOKS = 1 << 32  # at rules, in going through all programs within the gap
MOST_SHARES = 1 << 25
SHARE = 28  # bytes: now, a step ago, as 32 bits, and where values are best

NEAREST = 4  # rules within one part in so many of the gap are looked at before the others, ...
FEW = 20_000  # ... if they are no more than these

Numbers = NDArray[np.int64]


class Improve(Protocol):
    """Looks for a better program of some rules, to the end or quickly; says what a better one must then stay below."""

    def __call__(self, some: Pool, bound: int, *, exactly: bool = True) -> int: ...


@dataclass(frozen=True)
class Values:
    """Values of the positives, and shares of the negatives, for all rules or for those that are known."""

    values: Numbers
    shares: Numbers  # negative -> positive
    shift: int


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
    improve: Improve
    raise_lower_bound: Callable[[int], None]  # is told what any program costs at least
    limited: bool = False  # whether a program may have only so many rules, or literals
    threads: Threads | None = None
    pool: Pool | None = None  # what was found

    def __post_init__(self) -> None:
        self.gains: Numbers = self.examples.pos - self.examples.neg
        self.paid = int(np.minimum(self.examples.pos, self.examples.neg).sum())  # by what is listed on both sides
        self.count = len(self.gains)
        self.positives, self.negatives = np.flatnonzero(self.gains > 0), np.flatnonzero(self.gains < 0)
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
        # Of larger ones, those that save most are much alike: what is missing beside them is found one size at a time.
        known = known.select(np.flatnonzero(known.sizes <= self.first + 1))
        gains = known.pos - known.neg - known.sizes * self.size_weight
        self.master = known.select(np.sort(np.argsort(-gains, kind="stable")[:FIRST]))
        self.bound = bound
        values = self.first_values()
        if values is None:
            return False
        self.raise_lower_bound(min(self.lower_bound(values), self.bound))
        self.look_at_nearest(values)
        listed = self.within(self.gap(values), MOST, values)
        if listed is None:
            return False
        if self.go_through(listed, values):
            listed = listed.select(np.zeros(0, np.int64))  # the best program is known
        elif len(listed) > MOST_LEFT:
            return False
        self.pool = distinct(listed)
        return True

    def first_values(self) -> Values | None:
        """Values for all rules, size after size: larger rules are far more, and good values leave few of them."""
        values: Values | None = None
        for last in range(self.first, self.last + 1):
            values = self.values_of(values, last, STEPS)
            if values is None:
                return None
            self.bound = self.improve(self.master, self.bound)
        if values is None or self.gap(values) < 0:
            return values
        # The gap says how many rules are left: so it is worth while to make it small.
        return self.values_of(values, self.last, MOST_STEPS)

    def values_of(self, known: Values | None, last: int, steps: int) -> Values | None:
        """Values that are too high for no rule with up to so many body literals; None when stopped."""
        while True:
            known = self.priced(known, steps)
            answer = self.pricer(known).rules_below(-1, AT_ONCE, last, self.should_stop)
            if answer is None:
                return None
            found, complete = Pool(*answer[0]), answer[1]
            if len(found):
                self.master = Pool.of([self.master, distinct(found)], self.count)
                self.bound = self.improve(self.master, self.bound, exactly=False)
            else:
                return known if complete else None

    def priced(self, known: Values | None, steps: int) -> Values:
        """Values for the rules that are known, from other values on."""
        self.memory.claim(SHARE * len(self.positives) * len(self.negatives) + 3 * len(self.master) * self.count)
        covers = unpack(self.master.bits, self.count)
        cover = Cover(
            *lists(covers[:, self.positives]),
            *lists(covers[:, self.negatives]),
            self.master.sizes * self.size_weight,
            self.gains[self.positives],
            -self.gains[self.negatives],
            claim=self.memory.claim,
            threads=self.threads,
        )
        begin = None if known is None else (known.values, known.shares)
        goal = self.bound - self.paid
        values, shares, shift = cover.shares(goal, steps, self.should_stop, begin)
        # While few rules are known, values may add up to more than is asked for, and then nearly all others are too
        # good for them. With less it is right as well, and a proof if none is.
        total = int(values.sum())
        if total > goal << shift > 0:
            values = np.floor(values * ((goal << shift) / total)).astype(np.int64)
        return Values(values, shares, shift)

    def lower_bound(self, values: Values) -> int:
        """What a program costs at least, if these are values for all rules."""
        return -(-int(values.values.sum()) >> values.shift) + self.paid

    def gap(self, values: Values) -> int:
        """What a rule may cost on top in a program below the bound; negative where there is none."""
        return ((self.bound - 1 - self.paid) << values.shift) - int(values.values.sum())

    def of_examples(self, values: Values) -> Numbers:
        of_examples = np.zeros(self.count, np.int64)
        of_examples[self.positives] = values.values
        return of_examples

    def pricer(self, values: Values) -> Pricer:
        unshared = np.zeros(self.count, np.int64)
        shared = values.shares[:, values.values > 0].sum(axis=1)
        unshared[self.negatives] = (-self.gains[self.negatives] << values.shift) - shared
        return Pricer(
            self.rules,
            self.of_examples(values),
            values.shares,
            self.column,
            self.row,
            unshared,
            values.shift,
            self.bound,
        )

    def within(self, gap: int, most: int, values: Values) -> Pool | None:
        """The rules within a gap; None when stopped, or if they are more than that."""
        if gap < 0:
            return self.master.select(np.zeros(0, np.int64))
        answer = self.pricer(values).rules_below(gap, most, self.last, self.should_stop)
        return Pool(*answer[0]) if answer is not None and answer[1] else None

    def look_at_nearest(self, values: Values) -> None:
        """Looks for a better program of the rules that are nearest to having a place in one."""
        nearest = self.within(self.gap(values) // NEAREST, FEW, values)
        if nearest is not None:
            self.go_through(nearest, values)

    def go_through(self, pool: Pool, values: Values) -> bool:
        """Goes through all programs of some rules that are within the gap; False when that was cut.

        It looks for ever better ones, whether these may have so many rules or not: so where they may not, it has not
        gone through those that cost more and may.
        """
        if self.limited:
            return False
        choose = WithinGap(
            pool.bits,
            pool.sizes * self.size_weight,
            self.gains,
            self.of_examples(values),
            values.shares,
            self.column,
            self.row,
            values.shift,
            self.paid,
            self.bound,
            self.memory.claim,
            threads=self.threads,
        )

        def take(rules: list[int]) -> None:
            self.bound = self.improve(pool.select(np.array(rules, np.int64)), self.bound)

        _, finished = choose.solve(MOST_LOOKS, self.should_stop, take)
        return finished


def distinct(pool: Pool) -> Pool:
    """One rule for each coverage: the smallest, and of these the first."""
    rows: NDArray[np.void] = np.ascontiguousarray(pool.bits).view(np.dtype((np.void, pool.bits.shape[1] * 8))).ravel()
    order = np.argsort(pool.sizes, kind="stable")
    seen: dict[bytes, int] = {}
    for number in order.tolist():
        seen.setdefault(rows[number].tobytes(), number)
    return pool.select(np.array(sorted(seen.values()), np.int64))
