"""Relations that have the pairs of the relation that is to be learned, in the same order or in the other.

Graphs are full of those (`parent` and `child`): a rule that turns one into the other is right, and says nothing. A few
pairs of the other relation are looked for first, so that relations that have nothing to do with the target cost little,
however large they are: if it has nearly all pairs of the target and few besides, most of its own are there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.stored import values_at
from maxsynth.background.distinct import distinct
from maxsynth.data.inference.values import as_list
from maxsynth.data.tables import NULL, Column, Table

LEAST = 20  # pairs: fewer tell nothing
LOOKED_AT = 200  # pairs of the other, of which so many must be in the target for all to be counted:
ENOUGH = 0.4  # less than SAME / SIZES[1], the share that has to be there
SAME = 0.9  # share of the pairs that the other has ...
SIZES = (0.9, 1.5)  # ... where it has so many, times those of the target

Pair = tuple[object, object]


@dataclass(frozen=True)
class Pairs:
    first: Column
    second: Column

    @classmethod
    def of(cls, table: Table, first: str, second: str) -> Pairs:
        return cls(table.column(first), table.column(second))

    def __len__(self) -> int:
        return len(self.first.codes)

    def turned(self) -> Pairs:
        return Pairs(self.second, self.first)

    def some(self) -> set[Pair]:
        """A few, from all parts."""
        return self.at(np.linspace(0, len(self) - 1, min(len(self), LOOKED_AT)).astype(np.int64))

    def all(self) -> set[Pair]:
        return self.at(np.arange(len(self)))

    def at(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> set[Pair]:
        one, other = self.first.codes[rows], self.second.codes[rows]
        present = (one != NULL) & (other != NULL)
        return set(
            zip(
                values_at(self.first.values, one[present]),
                values_at(self.second.values, other[present]),
                strict=True,
            )
        )


class Wanted:
    """The pairs of the target, to look some up."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.sides = [
            {value: code for code, value in enumerate(as_list(side.values))} for side in (pairs.first, pairs.second)
        ]
        present = (pairs.first.codes != NULL) & (pairs.second.codes != NULL)
        self.numbers = distinct(self.number(pairs.first.codes[present], pairs.second.codes[present]))

    def number(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int64]:
        return first.astype(np.int64) * len(self.sides[1]) + second

    def count(self, pairs: set[Pair]) -> int:
        """How many of some pairs are there."""
        first, second = self.sides
        codes = [(first[a], second[b]) for a, b in pairs if a in first and b in second]
        if not codes or not len(self.numbers):
            return 0
        one, other = np.array(codes, np.int32).T
        asked = self.number(one, other)
        places = np.minimum(np.searchsorted(self.numbers, asked), len(self.numbers) - 1)
        return int((self.numbers[places] == asked).sum())


def pair_leak(target: Wanted, other: Pairs) -> str:
    """The evidence that a relation has the pairs of the target, in this order or the other, and few besides."""
    size = len(target.pairs)
    if size < LEAST or not SIZES[0] * size <= len(other) <= SIZES[1] * size:
        return ""
    for way, text in ((other, "the same pairs"), (other.turned(), "the same pairs in the other order")):
        some = way.some()
        if target.count(some) < ENOUGH * len(some):
            continue
        pairs = target.pairs.all()
        shared = len(pairs & way.all())
        if shared >= SAME * len(pairs):
            return f"it has {text}, {shared:,} of {len(pairs):,}"
    return ""
