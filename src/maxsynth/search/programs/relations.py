"""What predicates are true of, as bits: one for each tuple of values, in a whole number.

Unions, comparisons and look-ups of relations are then those of numbers. The values are those of BK, in order, and the
tuples of them come in the order of their first, second, ... value.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from maxsynth.search.coverage import Bits, unpack

Views = tuple[int, ...]  # a relation with its columns in all orders; the first is the one that they have

MOST_COLUMNS = 3  # that are put in all orders: 24 orders and more save less than they take


def orders(arity: int) -> list[tuple[int, ...]]:
    """The orders of columns in which relations are looked at; the first is the one that they have."""
    return list(permutations(range(arity))) if arity <= MOST_COLUMNS else [tuple(range(arity))]


class Tuples:
    """All tuples of some values that have one length."""

    def __init__(self, values: NDArray[np.int32], arity: int) -> None:
        self.values = values
        self.arity = arity
        self.orders = orders(arity)
        self.rows: NDArray[np.int32] = np.array(list(product(values.tolist(), repeat=arity)), np.int32)

    def views_of(self, rows: NDArray[np.int32]) -> Views:
        """The relation of these rows."""
        flags = np.zeros((1, len(self.rows)), np.bool_)
        places = np.zeros(len(rows), np.int64)
        for column in np.searchsorted(self.values, rows).T:
            places = places * len(self.values) + column
        flags[0, places] = True
        return self.all_views(flags)[0]

    def views(self, bits: Bits) -> list[Views]:
        """The relations whose bits these are, each in a row."""
        return self.all_views(unpack(bits, len(self.rows)))

    def all_views(self, flags: NDArray[np.bool_]) -> list[Views]:
        count = len(flags)
        cube = flags.reshape(count, *(len(self.values),) * self.arity)
        turned = []
        for order in self.orders:
            axes = (0, *(1 + column for column in order))
            packed = np.packbits(cube.transpose(axes).reshape(count, -1), axis=1, bitorder="little")
            turned.append([int.from_bytes(row.tobytes(), "little") for row in packed])
        return list(zip(*turned, strict=True))

    def rows_of(self, relation: int) -> NDArray[np.int32]:
        flags = np.frombuffer(relation.to_bytes(-(-len(self.rows) // 8), "little"), np.uint8)
        return self.rows[np.unpackbits(flags, bitorder="little")[: len(self.rows)].view(np.bool_)]
