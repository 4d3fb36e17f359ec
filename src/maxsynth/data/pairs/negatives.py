"""Pairs that are taken to be false, for a relation of which only true pairs are known.

A negative is a positive with one side replaced, such that the pair is not known to be true: so negatives look like
positives, and what tells them apart is the relation. The replacement is something that is on that side of another
positive: so rules have to say who goes with whom, and not who has such relations at all. Where there are too few such
pairs it is any entity of the type. Which ones is up to a seeded chance. In a closed world all pairs that are not known
to be true are false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.rows import Rows
from maxsynth.api.stored import Joined, Stored
from maxsynth.background.distinct import distinct, distinct_but
from maxsynth.errors import MaxSynthError

MOST_PAIRS = 10_000_000
ROUNDS = 20  # of drawing anew what was drawn twice, or is true


@dataclass(frozen=True)
class Pairs:
    """Pairs as places among the entities of each side."""

    first: Stored
    second: Stored
    codes: NDArray[np.int64]  # a row for each pair

    def numbers(self) -> NDArray[np.int64]:
        """One number for each pair."""
        return self.codes[:, 0] * len(self.second) + self.codes[:, 1]

    def at(self, rows: NDArray[np.bool_]) -> Pairs:
        return Pairs(self.first, self.second, self.codes[rows])

    def with_numbers(self, numbers: NDArray[np.int64]) -> Pairs:
        return Pairs(self.first, self.second, np.stack(np.divmod(numbers, len(self.second)), axis=1))

    def rows(self) -> Rows:
        shifted = self.codes + np.array([0, len(self.first)])
        return Rows(Joined([self.first, self.second]), np.ascontiguousarray(shifted.astype(np.int32)))


def all_others(known: Pairs) -> Pairs:
    """All pairs that are not known to be true."""
    total = len(known.first) * len(known.second)
    if total > MOST_PAIRS:
        raise MaxSynthError(
            f"in a closed world there are {total:,} pairs, and at most {MOST_PAIRS:,} can be learned from",
            remedy="leave out --closed-world, and some of them are drawn (--negatives)",
        )
    return known.with_numbers(distinct_but(np.arange(total, dtype=np.int64), known.numbers()))


def drawn(positives: Pairs, true: Pairs, each: int, seed: int) -> Pairs:
    """So many negatives for each positive, or fewer where there are no more. None is among those that are `true`."""
    chance = np.random.default_rng(seed)
    known = distinct(true.numbers())
    wanted = len(positives.codes) * each
    found = np.zeros(0, np.int64)
    related = [distinct(side) for side in positives.codes.T]
    anything = [np.arange(len(side)) for side in (true.first, true.second)]
    for sides in [related] * ROUNDS + [anything] * ROUNDS:
        missing = wanted - len(found)
        if missing <= 0:
            break
        numbers = replaced(positives, sides, missing, chance)
        found = distinct(np.concatenate([found, distinct_but(numbers, known)]))
    return true.with_numbers(found)


def replaced(
    positives: Pairs, sides: Sequence[NDArray[np.int64]], count: int, chance: np.random.Generator
) -> NDArray[np.int64]:
    """So many positives, all as often, with one side replaced by one of these."""
    at = chance.permutation(np.resize(np.arange(len(positives.codes)), count))
    left = chance.random(count) < 0.5
    other = [side[chance.integers(len(side), size=count)] for side in sides]
    new_first = np.where(left, other[0], positives.codes[at, 0])
    new_second = np.where(left, positives.codes[at, 1], other[1])
    return new_first * len(positives.second) + new_second
