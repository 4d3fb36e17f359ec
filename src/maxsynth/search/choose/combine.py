"""Combine: the set of rules of least cost, exactly.

While rules come in, quick dives (`kernel/choose/dive.pxi`) look for better sets. When all are there, a branch and bound
(`kernel/choose/cover.pxi`, with the lower bound of `kernel/choose/shares.pxi`) finds the best set and proves it. Both
net the examples: one that costs p to miss and q to cover costs the lesser of the two in any case, and beyond that it is
a positive of weight p - q or a negative of weight q - p. Nothing here looks at a clock, so the answer does not depend
on the machine.

Weighted MaxSAT, the paper's way, can have the last word instead: in clingo (`core_guided`) or in any other solver
(`maxsat`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.program import NO_LIMIT, Most
from maxsynth.kernel.choose import Cover, dive
from maxsynth.search.rules.features import RuleBatch
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

Stop = Callable[[], bool]
Note = Callable[["Combination"], None]

STARTS = 50  # rules that a dive begins with, one after the other
FEW_STARTS = 5  # the same, while more rules are to come soon
MOST_SHARES = 1 << 26  # 512 MB, ...
SHARE = 32  # ... and one, at most, for so many bytes of the limit
MOST_ENTRIES = (1 << 31) - 1  # examples that rules cover, all together: the kernel counts them with 32 bits
DIVE_ENTRIES = 1 << 28  # the same, in a dive: 2 GB
COVERED = 80  # bytes for a rule and an example that it covers, in the branch and bound, and about that in clingo
QUICK = 30  # steps towards a better lower bound, where a first one is enough
AT_A_TIME = 256  # rules whose examples are listed
DIVE_RULES = 4000  # rules that take part in dives: of more, the most gainful ones


@dataclass
class Combination:
    """A set of rules, by their numbers, and its cost."""

    cost: int
    rules: list[int]


@dataclass
class Proof:
    """The best combination below a bound, if one was found; whether that is proven; and what any costs at least.

    The lower bound holds for every set of rules of the pool that costs less than the bound asked for: when it is proven
    that there is none, it is that bound.
    """

    best: Combination | None
    proven: bool
    lower_bound: int


class Solver(Protocol):
    """Another exact method, for one problem."""

    def solve(self, bound: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """The best combination below the bound, if there is one; and whether that is proven."""


class MakeSolver(Protocol):
    """What a user chose as another exact method."""

    @property
    def text(self) -> str:
        """What it is called in a result."""

    @property
    def most_weight(self) -> int:
        """The most that all errors and the largest rule may weigh together."""

    def __call__(self, problem: Problem) -> Solver: ...


@dataclass
class Combiner:
    """The pool of rules met so far."""

    examples: WeighedExamples
    size_weight: int
    solver: MakeSolver | None = None  # has the last word instead of the branch and bound
    most: Most = NO_LIMIT  # rules and literals in a set
    memory: Memory = field(default_factory=Memory)
    batches: list[RuleBatch] = field(default_factory=list)
    nodes: int = 0
    steps: int = 0
    calls: int = 0  # of the solver

    def add(self, batch: RuleBatch) -> None:
        if len(batch.numbers):
            self.batches.append(batch)

    def __len__(self) -> int:
        return sum(len(batch.numbers) for batch in self.batches)

    def improve(self, bound: int, should_stop: Stop | None = None, starts: int = STARTS) -> Combination | None:
        """A combination below the bound, if a quick dive finds one."""
        pool = self.pool(bound)
        if not len(pool):
            return None
        most = self.most_in_a_dive(pool)
        if len(pool) > most:
            gains = pool.pos - pool.neg - pool.sizes
            pool = pool.select(np.sort(np.argsort(-gains, kind="stable")[:most]))
        weights, limits = self.examples.pos - self.examples.neg, self.most_by_weight()
        saved, rules = dive(
            pool.bits, pool.sizes, weights, starts, should_stop, most_rules=limits.rules, most_size=limits.size
        )
        cost = int(self.examples.pos.sum()) - saved
        return Combination(cost, sorted(pool.numbers[rules].tolist())) if cost < bound else None

    def best(self, bound: int, should_stop: Stop | None = None, on_better: Note | None = None) -> Proof:
        """The best combination below the bound; better ones are given to `on_better` as they are found."""
        note = on_better or (lambda combination: None)
        found = self.improve(bound, should_stop)
        if found:
            bound = found.cost
            note(found)
        problem = self.problem(self.pool(bound))
        solver = self.solver or (None if self.fits(problem) else clingo())
        if solver is not None and len(problem.pool):
            self.memory.claim(COVERED * int(problem.covers.sum()))
            self.calls += 1
            better, proven = solver(problem).solve(bound, should_stop or (lambda: False))
            found = better or found
            least = found.cost if found else bound
            return Proof(found, proven, least if proven else min(problem.base, least))
        cover = problem.cover(self.memory)
        rules, proven, lower = cover.solve(
            bound - problem.base, should_stop, lambda chosen: note(problem.combination(chosen))
        )
        self.memory.full |= cover.full
        self.nodes += cover.nodes
        self.steps += cover.steps
        if rules is not None:
            found = problem.combination(rules)
        return Proof(found, proven, lower + problem.base)

    def at_least(self, bound: int) -> int:
        """A quick lower bound on what sets of these rules cost, not above the bound."""
        pool = self.pool(bound)
        if len(pool) > DIVE_RULES or not self.memory.allows(self.unpacked(pool)):
            return 2 * self.size_weight  # any rule has two literals
        problem = self.problem(pool)
        if not self.fits(problem) or not self.memory.allows(COVERED * int(problem.covers.sum())):
            return 2 * self.size_weight
        looks = iter(range(QUICK))
        _, _, lower = problem.cover(self.memory).solve(bound - problem.base, lambda: next(looks, None) is None)
        return lower + problem.base

    def most_in_a_dive(self, pool: Pool) -> int:
        """So many of the rules may be in a dive, which lists the examples of each twice."""
        most = min(DIVE_RULES, DIVE_ENTRIES // len(self.examples.pos) or 1)
        while most > 1 and not self.memory.allows(8 * min(most, len(pool)) * len(self.examples.pos)):
            most //= 2
        return most

    def problem(self, pool: Pool) -> Problem:
        self.memory.claim(self.unpacked(pool))
        return make_problem(pool, self.examples, self.most_by_weight())

    def unpacked(self, pool: Pool) -> int:
        """Bytes that it takes to make a problem of a pool: for each rule and example one, three times over."""
        return 3 * len(pool) * len(self.examples.pos)

    def fits(self, problem: Problem) -> bool:
        """Whether there is room for the shares of the lower bound, some of which are there several times."""
        most = MOST_SHARES if self.memory.limit is None else min(MOST_SHARES, self.memory.limit // SHARE)
        return problem.shares <= most and int(np.count_nonzero(problem.covers)) <= MOST_ENTRIES

    def most_by_weight(self) -> Most:
        """What a set may have at most, as sizes are counted here."""
        return Most(self.most.rules, None if self.most.size is None else self.most.size * self.size_weight)

    def pool(self, bound: int) -> Pool:
        """All rules that do not reach the bound alone."""
        width = -(-len(self.examples.pos) // 64)
        self.memory.claim(2 * sum(batch.bits.nbytes for batch in self.batches))
        pool = Pool(
            np.concatenate([np.zeros(0, np.int64), *(batch.numbers for batch in self.batches)]),
            np.concatenate([np.zeros((0, width), np.uint64), *(batch.bits for batch in self.batches)]),
            np.concatenate([np.zeros(0, np.int64), *(batch.sizes for batch in self.batches)]) * self.size_weight,
            np.concatenate([np.zeros(0, np.int64), *(batch.pos for batch in self.batches)]),
            np.concatenate([np.zeros(0, np.int64), *(batch.neg for batch in self.batches)]),
        )
        return pool.select(np.flatnonzero(pool.sizes + pool.neg < bound))


@dataclass
class Pool:
    """Rules: their numbers, coverage (a bit for each example), sizes by weight, and weights covered."""

    numbers: NDArray[np.int64]
    bits: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    pos: NDArray[np.int64]
    neg: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)

    def select(self, which: NDArray[np.int64]) -> Pool:
        return Pool(self.numbers[which], self.bits[which], self.sizes[which], self.pos[which], self.neg[which])


@dataclass
class Problem:
    """Rules over merged examples, of net weights. `base` is what every set of rules costs in any case."""

    pool: Pool
    covers: NDArray[np.bool_]  # rule x merged example
    weights: NDArray[np.int64]  # saved by covering it
    base: int
    most: Most = NO_LIMIT  # rules, and size by weight

    @property
    def sizes(self) -> NDArray[np.int64]:
        return self.pool.sizes

    @property
    def missed(self) -> NDArray[np.int64]:
        """What it costs to miss each example."""
        return np.maximum(self.weights, 0)

    @property
    def covered(self) -> NDArray[np.int64]:
        """What it costs to cover each example."""
        return np.maximum(-self.weights, 0)

    @property
    def shares(self) -> int:
        """Of the lower bound: one for each positive and negative."""
        return int((self.weights > 0).sum()) * int((self.weights < 0).sum())

    def limited_sums(self) -> Iterator[tuple[int, list[int]]]:
        """What is limited, with how much of it each rule has."""
        if self.most.rules is not None:
            yield self.most.rules, [1] * len(self.pool)
        if self.most.size is not None:
            # All sizes are multiples of the weight of a literal: without it, there are fewer sums.
            unit = int(np.gcd.reduce(self.sizes, initial=0)) or 1
            yield self.most.size // unit, (self.sizes // unit).tolist()

    def cover(self, memory: Memory | None = None) -> Cover:
        memory = memory or Memory()
        memory.claim(8 * self.shares + COVERED * int(self.covers.sum()))
        return Cover(
            *lists(self.covers[:, self.weights > 0]),
            *lists(self.covers[:, self.weights < 0]),
            self.sizes,
            self.weights[self.weights > 0],
            -self.weights[self.weights < 0],
            most_rules=self.most.rules,
            most_size=self.most.size,
            claim=memory.claim,
        )

    def combination(self, chosen: list[int]) -> Combination:
        covered = self.covers[chosen].any(axis=0)
        errors = self.weights[~covered & (self.weights > 0)].sum() - self.weights[covered & (self.weights < 0)].sum()
        # Another solver may choose any rules: their sizes add up to more than 64 bits, if weights are large.
        cost = self.base + sum(self.pool.sizes[chosen].tolist()) + int(errors)
        return Combination(cost, sorted(self.pool.numbers[chosen].tolist()))


def clingo() -> MakeSolver:
    from maxsynth.search.choose.core_guided import Clingo  # which imports this module

    return Clingo()


def make_problem(pool: Pool, examples: WeighedExamples, most: Most = NO_LIMIT) -> Problem:
    """Examples that the same rules cover are merged: they are covered or not together, so their weights add up."""
    covers = unpack(pool.bits, len(examples.pos))
    columns = np.packbits(covers.T, axis=1)
    keys = np.ascontiguousarray(columns).view(np.dtype((np.void, columns.shape[1]))).ravel() if len(pool) else None
    if keys is None:
        first, which = np.zeros(1, np.int64), np.zeros(len(examples.pos), np.int64)
    else:
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    pos = np.zeros(len(first), np.int64)
    neg = np.zeros(len(first), np.int64)
    np.add.at(pos, which.ravel(), examples.pos)
    np.add.at(neg, which.ravel(), examples.neg)
    merged = covers[:, first]
    # What no rule covers is missed in any case.
    neg = np.where(merged.any(axis=0), neg, pos)
    weights, base = np.where(merged.any(axis=0), pos - neg, 0), int(np.minimum(pos, neg).sum())
    return Problem(pool, merged, weights, base, most)


def unpack(bits: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    flat = np.unpackbits(np.ascontiguousarray(bits).view(np.uint8), axis=1, bitorder="little")
    return flat[:, :count].view(np.bool_)


def lists(matrix: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The columns set in each row, one row after the other; and where each row begins, and the last one ends."""
    starts = np.zeros(len(matrix) + 1, np.int32)
    np.cumsum(matrix.sum(axis=1), out=starts[1:])
    # Some rows at a time: NumPy gives two numbers of eight bytes for each.
    parts = [np.nonzero(matrix[at : at + AT_A_TIME])[1].astype(np.int32) for at in range(0, len(matrix), AT_A_TIME)]
    return starts, np.concatenate([np.zeros(0, np.int32), *parts])
