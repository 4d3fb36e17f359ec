"""The rules of the last sizes, where there are too many to keep: those that may be in a program below the bound.

`kernel/choose/last_size.pxi` has the proof. Some rules are taken first, and values for them; then whichever rules these
values are too high for, and so on. When there are no such rules left, the values bound the cost of all programs, and
what is left are the rules that are within the gap between this and the best known cost. They are few where the bound is
good.

**Where they are not few**, the programs are parted in two: those that cover some negative, and those that do not. The
first pay for it, so that it can be left out of the examples; for the others it is a negative that costs as much as the
bound. So either part is the same problem with other weights, and its values are higher. A program below the bound is in
one of the parts, and its rules are among those that are listed for that: all that are listed go on together.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.choose import Conjunctions, Cover, Pricer
from maxsynth.search.choose.problem import Stop, lists
from maxsynth.search.coverage import Pool, unpack
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

FIRST = 1000  # rules that it begins with: those that save most alone
AT_ONCE = 300  # rules that are added, at most
STEPS = 100  # towards better values, each time ...
MOST_STEPS = 300  # ... and in the end
MOST = 200_000  # rules that are kept in the end ...
MOST_IN_PART = 20_000  # ... and of a part
MOST_SHARES = 1 << 25
SHARE = 28  # bytes: now, a step ago, as 32 bits, and where values are best

NEAREST = 4  # rules within one part in so many of the gap

Numbers = NDArray[np.int64]


class Improve(Protocol):
    """Looks for a better program of some rules, to the end or quickly; says what a better one must then stay below."""

    def __call__(self, some: Pool, bound: int, *, exactly: bool = True) -> int: ...


@dataclass(frozen=True)
class Part:
    """A part of all programs: what each example weighs there, positive or negative, and what all pay besides."""

    gains: Numbers
    paid: int
    depth: int = 0

    def split(self, negative: int, bound: int) -> tuple[Part, Part]:
        """The programs that cover a negative, and those that do not."""
        covered, spared = self.gains.copy(), self.gains.copy()
        covered[negative], spared[negative] = 0, -bound
        cost = -int(self.gains[negative])
        return Part(covered, self.paid + cost, self.depth + 1), Part(spared, self.paid, self.depth + 1)


@dataclass(frozen=True)
class Values:
    """Values of the positives, and shares of the negatives, for all rules or for those that are known."""

    positives: NDArray[np.intp]
    negatives: NDArray[np.intp]
    values: Numbers
    shares: Numbers  # negative -> positive
    shift: int
    paid: int

    @property
    def total(self) -> int:
        return int(self.values.sum())

    @property
    def lower_bound(self) -> int:
        """What a program of the part costs at least, if these are values for all rules."""
        return -(-self.total >> self.shift) + self.paid

    def gap(self, bound: int) -> int:
        """What a rule may cost on top in a program below the bound; negative where there is none."""
        return ((bound - 1 - self.paid) << self.shift) - self.total

    def most_decisive(self, undecided: NDArray[np.bool_]) -> int | None:
        """The negative with the most shares, each no more than what its positive is worth; None if none has any."""
        capped = np.minimum(self.shares, self.values[None, :]).sum(axis=1)
        capped[~undecided[self.negatives]] = 0
        return int(self.negatives[int(np.argmax(capped))]) if len(capped) and capped.max() > 0 else None

    def among(self, positives: NDArray[np.intp], negatives: NDArray[np.intp], count: int) -> tuple[Numbers, Numbers]:
        """The same for other examples: what is not known is nothing."""
        values = np.zeros(count, np.int64)
        values[self.positives] = self.values
        shares = np.zeros((len(negatives), count), np.int64)
        place = np.full(count, -1)
        place[self.negatives] = np.arange(len(self.negatives))
        known = np.flatnonzero(place[negatives] >= 0)
        shares[np.ix_(known, self.positives)] = self.shares[place[negatives[known]]]
        return values[positives], np.ascontiguousarray(shares[:, positives])


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
    pool: Pool | None = None  # what was found
    listed: list[Pool] = field(default_factory=list)  # for each part that is done with

    def __post_init__(self) -> None:
        self.gains: Numbers = self.examples.pos - self.examples.neg
        self.others = int(np.minimum(self.examples.pos, self.examples.neg).sum())
        self.count = len(self.gains)

    @property
    def fits(self) -> bool:
        """Whether there is room for the shares, which are there several times."""
        shares = int((self.gains > 0).sum()) * int((self.gains < 0).sum())
        return shares <= MOST_SHARES and self.memory.allows(SHARE * shares)

    def find(self, known: Pool, bound: int) -> bool:
        """Finds the rules that may be in a program that costs less than the bound; False when stopped, or for too many.

        `known` are rules with sizes as they are counted in the pool, without weights.
        """
        if not self.fits:
            return False
        gains = known.pos - known.neg - known.sizes * self.size_weight
        self.master = known.select(np.sort(np.argsort(-gains, kind="stable")[:FIRST]))
        self.bound = bound
        whole = Part(self.gains, self.others)
        values = self.first_values(whole)
        if values is None or not self.list_parts(whole, values):
            return False
        self.pool = distinct(Pool.of([known.select(np.zeros(0, np.int64)), *self.listed], self.count))
        return True

    def first_values(self, whole: Part) -> Values | None:
        """Values for all rules, size after size: larger rules are far more, and good values leave few of them."""
        values: Values | None = None
        for last in range(self.first, self.last + 1):
            values = self.values_of(whole, values, last, STEPS)
            if values is None:
                return None
            self.bound = self.improve(self.master, self.bound)
        # The gap says how many rules are left: so it is worth while to make it small.
        return self.values_of(whole, values, self.last, MOST_STEPS)

    def list_parts(self, whole: Part, values: Values) -> bool:
        """Lists the rules of all parts, that with the least bound first; False when stopped, or for too many."""
        waiting = [(values.lower_bound, 0, whole, values)]
        made, done = 0, self.bound  # done: what programs of the parts that are listed cost at least
        while waiting:
            least, _, part, values = heapq.heappop(waiting)
            self.raise_lower_bound(min(least, done, self.bound))
            listed = self.list_rules(values, MOST_IN_PART if part.depth else MOST)
            if listed is None:
                return False
            if listed:
                done = min(done, least)
                continue
            self.glance(values)
            negative = values.most_decisive(part.gains == self.gains)
            if negative is None or sum(map(len, self.listed)) > MOST:
                return False
            for smaller in part.split(negative, self.bound):
                found = self.values_of(smaller, values, self.last, STEPS)
                if found is None:
                    return False
                made += 1
                self.memory.claim(found.shares.nbytes)
                if found.lower_bound < self.bound:
                    heapq.heappush(waiting, (max(least, found.lower_bound), made, smaller, found))
        self.raise_lower_bound(min(done, self.bound))
        return True

    def values_of(self, part: Part, known: Values | None, last: int, steps: int) -> Values | None:
        """Values that are too high for no rule with up to so many body literals; None when stopped."""
        while True:
            known, pricer = self.priced(part, known, steps)
            answer = pricer.rules_below(-1, AT_ONCE, last, self.should_stop)
            if answer is None:
                return None
            found, complete = Pool(*answer[0]), answer[1]
            if len(found):
                self.master = Pool.of([self.master, distinct(found)], self.count)
                self.bound = self.improve(self.master, self.bound, exactly=False)
            else:
                return known if complete else None

    def list_rules(self, values: Values, most: int) -> bool | None:
        """Lists the rules within the gap of a part; False if they are too many, None when stopped."""
        gap = values.gap(self.bound)
        if gap >= 0:
            answer = self.pricer(values).rules_below(gap, most, self.last, self.should_stop)
            if answer is None:
                return None
            if not answer[1]:
                return False
            self.listed.append(distinct(Pool(*answer[0])))
        return True

    def glance(self, values: Values) -> None:
        """Looks for a better program of the rules that are nearest to having a place in one, without a proof."""
        answer = self.pricer(values).rules_below(
            values.gap(self.bound) // NEAREST, MOST_IN_PART, self.last, self.should_stop
        )
        if answer is not None and answer[1]:
            some = Pool.of([self.master, distinct(Pool(*answer[0]))], self.count)
            self.bound = self.improve(some, self.bound, exactly=False)

    def priced(self, part: Part, known: Values | None, steps: int) -> tuple[Values, Pricer]:
        """Values for the rules that are known, from other values on."""
        positives, negatives = np.flatnonzero(part.gains > 0), np.flatnonzero(part.gains < 0)
        self.memory.claim(SHARE * len(positives) * len(negatives) + 3 * len(self.master) * self.count)
        covers = unpack(self.master.bits, self.count)
        cover = Cover(
            *lists(covers[:, positives]),
            *lists(covers[:, negatives]),
            self.master.sizes * self.size_weight,
            part.gains[positives],
            -part.gains[negatives],
            claim=self.memory.claim,
        )
        begin = None if known is None else known.among(positives, negatives, self.count)
        values, shares, shift = cover.shares(self.bound - part.paid, steps, self.should_stop, begin)
        found = Values(positives, negatives, values, shares, shift, part.paid)
        return found, self.pricer(found)

    def pricer(self, values: Values) -> Pricer:
        column, row = np.full(self.count, -1, np.int32), np.full(self.count, -1, np.int32)
        column[values.positives] = np.arange(len(values.positives))
        row[values.negatives] = np.arange(len(values.negatives))
        of_examples = np.zeros(self.count, np.int64)
        of_examples[values.positives] = values.values
        return Pricer(self.rules, of_examples, values.shares, column, row, values.shift, self.bound)


def distinct(pool: Pool) -> Pool:
    """One rule for each coverage: the smallest, and of these the first."""
    rows: NDArray[np.void] = np.ascontiguousarray(pool.bits).view(np.dtype((np.void, pool.bits.shape[1] * 8))).ravel()
    order = np.argsort(pool.sizes, kind="stable")
    seen: dict[bytes, int] = {}
    for number in order.tolist():
        seen.setdefault(rows[number].tobytes(), number)
    return pool.select(np.array(sorted(seen.values()), np.int64))
