"""Pairs that are taken to be false, for a relation of which only true pairs are known.

A negative is a true pair with one side replaced by another entity of the same type, such that the pair is not known
to be true: so negatives look like positives, and what tells them apart is the relation. Which ones is up to a seeded
chance. In a closed world all pairs that are not known to be true are false.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.rows import Rows
from maxsynth.errors import MaxSynthError
from maxsynth.prolog.terms import Term

MOST_PAIRS = 10_000_000
ROUNDS = 20  # of drawing anew what was drawn twice, or is true


@dataclass(frozen=True)
class Pairs:
    """Pairs as places among the entities of each side."""

    first: list[Term | str]
    second: list[Term | str]
    codes: NDArray[np.int64]  # a row for each pair

    def numbers(self) -> NDArray[np.int64]:
        """One number for each pair."""
        return self.codes[:, 0] * len(self.second) + self.codes[:, 1]

    def with_numbers(self, numbers: NDArray[np.int64]) -> Pairs:
        return Pairs(self.first, self.second, np.stack(np.divmod(numbers, len(self.second)), axis=1))

    def rows(self) -> Rows:
        shifted = self.codes + np.array([0, len(self.first)])
        return Rows([*self.first, *self.second], np.ascontiguousarray(shifted.astype(np.int32)))


def all_others(known: Pairs) -> Pairs:
    """All pairs that are not known to be true."""
    total = len(known.first) * len(known.second)
    if total > MOST_PAIRS:
        raise MaxSynthError(
            f"in a closed world there are {total:,} pairs, and at most {MOST_PAIRS:,} can be learned from",
            remedy="leave out --closed-world, and some of them are drawn (--negatives)",
        )
    return known.with_numbers(np.setdiff1d(np.arange(total, dtype=np.int64), known.numbers()))


def drawn(known: Pairs, each: int, seed: int) -> Pairs:
    """So many negatives for each positive, or fewer where there are no more."""
    chance = np.random.default_rng(seed)
    true = np.unique(known.numbers())
    wanted = len(true) * each
    found = np.zeros(0, np.int64)
    first, second = np.divmod(true, len(known.second))
    for _ in range(ROUNDS):
        missing = wanted - len(found)
        if missing <= 0:
            break
        at = chance.permutation(np.resize(np.arange(len(true)), missing))
        left = chance.random(missing) < 0.5
        new_first = np.where(left, chance.integers(len(known.first), size=missing), first[at])
        new_second = np.where(left, second[at], chance.integers(len(known.second), size=missing))
        numbers = new_first * len(known.second) + new_second
        numbers = numbers[~np.isin(numbers, true)]
        found = np.union1d(found, numbers)
    return known.with_numbers(found)
