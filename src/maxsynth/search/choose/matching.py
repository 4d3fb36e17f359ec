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

from maxsynth.search.choose.problem import Stop, equal_columns
from maxsynth.search.coverage import Bits, Pool, unpack
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

MOST_CELLS = 1 << 30  # rules times examples
AT_A_TIME = 64  # rules that are looked at, a multiple of 8
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
        found, surplus = match(pool, examples, memory, should_stop)
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


def match(
    pool: Pool, examples: WeighedExamples, memory: Memory, should_stop: Stop | None = None
) -> tuple[int, NDArray[np.int64]]:
    """What any set of rules costs at least, and for each rule how much more a set with it costs."""
    gains, columns = examples.pos - examples.neg, transposed(pool.bits, len(examples.pos))
    met = columns.any(axis=1)
    # What is listed on both sides costs the lesser weight in any case, and what no rule covers is missed.
    base = int(np.minimum(examples.pos, examples.neg).sum()) + int(gains[~met & (gains > 0)].sum())
    positives, wanted = merged(columns, met & (gains > 0), gains, len(pool), memory)
    negatives, left = merged(columns, met & (gains < 0), -gains, len(pool), memory)
    rules = [np.flatnonzero(column) for column in positives.T]
    choices = [
        common(negatives, which) if should_stop is None or number % 64 or not should_stop() else np.zeros(0, np.int64)
        for number, which in enumerate(rules)
    ]
    total = carry_negatives(choices, wanted, left)
    slack = pool.sizes.copy()
    total += carry_sizes(rules, wanted, slack)
    surplus = slack
    for at in range(0, len(pool), AT_A_TIME):
        surplus[at : at + AT_A_TIME] += (negatives[at : at + AT_A_TIME] * left).sum(axis=1)
    return base + total, surplus


def transposed(bits: Bits, count: int) -> NDArray[np.uint8]:
    """For each of so many examples the rules that cover it, eight of them in a byte."""
    parts = [np.zeros((0, count), np.uint8)]
    for at in range(0, len(bits), AT_A_TIME):  # since in between a bit takes a byte
        parts.append(np.packbits(unpack(bits[at : at + AT_A_TIME], count), axis=0))
    return np.ascontiguousarray(np.concatenate(parts).T)


def merged(
    columns: NDArray[np.uint8], chosen: NDArray[np.bool_], weights: NDArray[np.int64], rules: int, memory: Memory
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Of the chosen examples, those that the same rules cover as one, with the weight of all."""
    first, which = equal_columns(columns[chosen])
    total = np.zeros(len(first), np.int64)
    np.add.at(total, which, weights[chosen])
    memory.claim(2 * len(first) * rules)
    return np.unpackbits(columns[chosen][first].T, axis=0, count=rules).view(np.bool_), total


def common(negatives: NDArray[np.bool_], rules: NDArray[np.int64]) -> NDArray[np.int64]:
    """The negatives that all of these rules cover."""
    found = np.flatnonzero(negatives[rules[0]])
    for at in range(1, len(rules), AT_A_TIME):
        if not len(found):
            break
        found = found[negatives[np.ix_(rules[at : at + AT_A_TIME], found)].all(axis=0)]
    return found


def carry_negatives(choices: list[NDArray[np.int64]], wanted: NDArray[np.int64], left: NDArray[np.int64]) -> int:
    """Lets positives carry negatives; returns how much. What is left of the weights of both is left in the arrays."""
    total = 0
    demand = np.zeros(len(left), np.int64)
    for positive, choice in enumerate(choices):
        demand[choice] += wanted[positive]
    room = [int(left[choice].sum()) for choice in choices]
    for positive in sorted(range(len(choices)), key=lambda place: (room[place], -wanted[place], place)):
        choice = choices[positive]
        choice = choice[left[choice] > 0]
        # Those that fewer others could carry come first.
        for negative in choice[np.argsort(demand[choice], kind="stable")].tolist():
            amount = min(int(left[negative]), int(wanted[positive]))
            left[negative] -= amount
            wanted[positive] -= amount
            total += amount
            if not wanted[positive]:
                break
    return total


def carry_sizes(rules: list[NDArray[np.int64]], wanted: NDArray[np.int64], slack: NDArray[np.int64]) -> int:
    """The same for the sizes of all rules that cover a positive: those with few rules first."""
    total = 0
    for positive in sorted(range(len(rules)), key=lambda place: (len(rules[place]), -wanted[place], place)):
        if wanted[positive]:
            amount = min(int(wanted[positive]), int(slack[rules[positive]].min()))
            wanted[positive] -= amount
            slack[rules[positive]] -= amount
            total += amount
    return total
