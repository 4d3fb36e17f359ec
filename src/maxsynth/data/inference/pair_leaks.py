"""Relations that have the pairs of the relation that is to be learned, in the same order or in the other.

Graphs are full of those (`parent` and `child`): a rule that turns one into the other is right, and says nothing. A
few pairs are looked for first, so that large relations that have nothing to do with each other cost little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxsynth.data.inference.values import as_list
from maxsynth.data.tables import NULL, Column, Table

LEAST = 20  # pairs: fewer tell nothing
LOOKED_AT = 200  # pairs, of which half must be there for all to be counted
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
        return self.at(np.arange(min(len(self), LOOKED_AT)))

    def all(self) -> set[Pair]:
        return self.at(np.arange(len(self)))

    def beginning_with(self, values: set[object]) -> set[Pair]:
        known = as_list(self.first.values)
        among = np.fromiter((*map(values.__contains__, known), False), np.bool_, len(known) + 1)  # at the end for NULL
        return self.at(np.flatnonzero(among[self.first.codes]))

    def at(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> set[Pair]:
        one, other = as_list(self.first.values), as_list(self.second.values)
        codes = zip(self.first.codes[rows].tolist(), self.second.codes[rows].tolist(), strict=True)
        return {(one[a], other[b]) for a, b in codes if NULL not in (a, b)}


def pair_leak(target: Pairs, other: Pairs) -> str:
    """The evidence that a relation has the pairs of the target, in this order or the other, and few besides."""
    if len(target) < LEAST or not SIZES[0] * len(target) <= len(other) <= SIZES[1] * len(target):
        return ""
    some = target.some()
    for way, text in ((other, "the same pairs"), (other.turned(), "the same pairs in the other order")):
        if 2 * len(some & way.beginning_with({first for first, _ in some})) < len(some):
            continue
        pairs = target.all()
        shared = len(pairs & way.all())
        if shared >= SAME * len(pairs):
            return f"it has {text}, {shared:,} of {len(pairs):,}"
    return ""
