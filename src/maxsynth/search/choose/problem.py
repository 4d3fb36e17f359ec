"""The choice of rules as a problem: which rules cover which examples, what those weigh, and who can solve it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.evaluated import NO_LIMIT, Most
from maxsynth.kernel.choose import Cover, columns_of, equal_columns, lists_of, sums_of
from maxsynth.search.coverage import Bits, Pool, unpack
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

Stop = Callable[[], bool]

COVERED = 80  # bytes for a rule and an example that it covers, in the branch and bound, and about that in clingo
SHARE = 24  # bytes for a positive and a negative in the branch and bound


@dataclass
class Combination:
    """A set of rules, by their numbers, and its cost."""

    cost: int
    rules: list[int]


@dataclass
class Choice:
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
class Problem:
    """Rules over merged examples, of net weights. `base` is what every set of rules costs in any case.

    The sizes of the rules in the pool are what they weigh.
    """

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

    def cover(self, memory: Memory | None = None, threads: Threads | None = None) -> Cover:
        memory = memory or Memory()
        memory.claim(SHARE * self.shares + COVERED * int(np.count_nonzero(self.covers)))
        return Cover(
            *lists(self.covers, self.weights > 0),
            *lists(self.covers, self.weights < 0),
            self.sizes,
            self.weights[self.weights > 0],
            -self.weights[self.weights < 0],
            most_rules=self.most.rules,
            most_size=self.most.size,
            claim=memory.claim,
            threads=threads,
        )

    def combination(self, chosen: list[int]) -> Combination:
        covered = self.covers[chosen].any(axis=0)
        errors = self.weights[~covered & (self.weights > 0)].sum() - self.weights[covered & (self.weights < 0)].sum()
        # Another solver may choose any rules: their sizes add up to more than 64 bits, if weights are large.
        cost = self.base + sum(self.pool.sizes[chosen].tolist()) + int(errors)
        return Combination(cost, sorted(self.pool.numbers[chosen].tolist()))


def make_problem(pool: Pool, examples: WeighedExamples, most: Most = NO_LIMIT) -> Problem:
    """Examples that the same rules cover are merged: they are covered or not together, so their weights add up."""
    columns = columns_of(pool.bits, len(examples.pos))
    first, which = equal_columns(columns)
    pos, neg = (sums_of(which, weights, len(first)) for weights in (examples.pos, examples.neg))
    columns = columns[first]
    met = columns.any(axis=1)
    # What no rule covers is missed in any case.
    neg = np.where(met, neg, pos)
    weights, base = np.where(met, pos - neg, 0), int(np.minimum(pos, neg).sum())
    return Problem(pool, matrix_of(columns, len(pool)), weights, base, most)


def matrix_of(columns: Bits, rules: int) -> NDArray[np.bool_]:
    """The matrix of so many rules that has these columns."""
    return unpack(columns_of(columns, rules), len(columns))  # to turn bits is less work than to turn bytes


def groups_in_order(order: NDArray[np.int64], differ: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of each group of equals, and the group of each, from their order and whether neighbours in it differ.

    `np.unique` does that too, but loads much before it does so for the first time.
    """
    begins = np.concatenate([np.ones(min(1, len(order)), np.bool_), differ])
    which = np.empty(len(order), np.int64)
    which[order] = np.cumsum(begins) - 1
    return order[begins], which


def steps_within(work: int, positives: NDArray[np.bool_], negatives: NDArray[np.bool_]) -> int:
    """How many steps towards better shares go through so many of them, where rules cover these: each sees them all."""
    pos, neg = positives.sum(axis=1), negatives.sum(axis=1)
    shares = int(positives.shape[1]) * int(negatives.shape[1])
    return max(1, work // (int((pos * (neg + 1)).sum()) + shares + 1))


def lists(
    matrix: NDArray[np.bool_], chosen: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The columns set in each row, one row after the other; and where each row begins, and the last one ends.

    Of all columns, or of those that are chosen: then they are numbered among these.
    """
    if chosen is None:
        chosen = np.ones(matrix.shape[1], np.bool_)
    starts, places = lists_of(np.ascontiguousarray(matrix).view(np.uint8), chosen.view(np.uint8))
    return starts, places
