"""What predicates are true of, as bits: tuples are numbered as they are met, and a relation is a whole number.

Unions, comparisons and look-ups of relations are then those of numbers, however many tuples they have.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Row = tuple[int, ...]
Views = tuple[int, ...]  # a relation with its columns in all orders, as they are written first

MOST_COLUMNS = 3  # that are put in all orders: 24 orders and more save less than they take


def orders(arity: int) -> list[tuple[int, ...]]:
    """The orders of columns in which relations are looked at; the first is the one that they have."""
    return list(permutations(range(arity))) if arity <= MOST_COLUMNS else [tuple(range(arity))]


class Tuples:
    """The tuples of one length, numbered as they come."""

    def __init__(self, arity: int) -> None:
        self.orders = orders(arity)
        self.numbers: dict[Row, int] = {}

    def views(self, rows: Collection[Row]) -> Views:
        """The relation of these rows; and with its columns in the other orders."""
        numbers = self.numbers
        found = [self.bits([numbers.setdefault(row, len(numbers)) for row in rows])]
        for order in self.orders[1:]:
            turned = [tuple([row[column] for column in order]) for row in rows]
            found.append(self.bits([numbers.setdefault(row, len(numbers)) for row in turned]))
        return tuple(found)

    def bits(self, numbers: list[int]) -> int:
        flags = np.zeros(len(self.numbers), np.bool_)
        flags[numbers] = True
        return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")

    def rows(self, relation: int) -> list[Row]:
        """The rows of a relation, in the order of their numbers."""
        flags = np.frombuffer(relation.to_bytes(-(-relation.bit_length() // 8), "little"), np.uint8)
        places: NDArray[np.int64] = np.flatnonzero(np.unpackbits(flags, bitorder="little"))
        known = list(self.numbers)
        return [known[place] for place in places.tolist()]
