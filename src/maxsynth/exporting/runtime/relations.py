"""Rows, and looking for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

# -- rows, and looking for them -------------------------------------------------------------------------------------

ANY: Any = object()


class Relation:
    """A set of rows. `parent["ann", ANY]` are those that have "ann" in the first place."""

    def __init__(self, rows: Iterable[tuple[Any, ...]] = ()) -> None:
        self.rows = set(rows)
        self.indexes: dict[tuple[int, ...], dict[tuple[Any, ...], list[tuple[Any, ...]]]] = {}

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __contains__(self, row: object) -> bool:
        return row in self.rows

    def __getitem__(self, pattern: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        places = tuple(place for place, value in enumerate(pattern) if value is not ANY)
        if places not in self.indexes:
            index = self.indexes[places] = {}
            for row in self.rows:
                index.setdefault(tuple(row[place] for place in places), []).append(row)
        return self.indexes[places].get(tuple(pattern[place] for place in places), [])

    def add(self, rows: Iterable[tuple[Any, ...]]) -> bool:
        """Adds rows, and says whether one of them is new."""
        new = set(rows) - self.rows
        self.rows |= new
        if new:
            self.indexes.clear()
        return bool(new)


def plus(one: Any, other: Any) -> list[Any]:
    """The sum of two numbers; none where it is too large, or where something else was to be added."""
    try:
        total = one + other
    except (OverflowError, TypeError):
        return []
    return [total] if is_number(total) else []


def is_number(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
