"""How many rows lead to each thing of a table: arrays all the way, and each link is followed once for all counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.rows import Rows
from maxsynth.data.meaning import Counted, Form, Meaning
from maxsynth.data.rows import Coded, coded, place_of, rows_of, together
from maxsynth.data.tables import NULL, Data

Places = NDArray[np.int64]
Numbers = NDArray[np.int64]


def facts_of(meanings: Iterable[Meaning], data: Data) -> dict[str, Rows]:
    """All rows for which each predicate is true."""
    counting = Counting(data)
    return {
        one.predicate: counting.rows(one) if one.form is Form.COUNT else rows_of(one, data)
        for one in meanings
    }  # fmt: skip


class Counting:
    """Counts rows of the tables of some data."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.known: dict[tuple[str, str, str, str], Places] = {}  # by the columns at both ends of a link

    def rows(self, meaning: Meaning) -> Rows:
        """Each key with its number; one that no row leads to has the number 0."""
        assert meaning.counted is not None
        key = coded(self.data.tables[meaning.table], meaning.arguments[0])
        numbers = self.numbers(meaning.table, meaning.arguments[0].column, meaning.counted)
        values, places = np.unique(numbers, return_inverse=True)
        codes = np.append(places, NULL)[key.codes] if len(places) else key.codes
        return together([key, Coded(values.tolist(), codes.astype(np.int32))])

    def numbers(self, table: str, key: str, counted: Counted) -> Numbers:
        """For each value of a key, how many rows there are."""
        owners = self.owners(table, key, counted.table, counted.by.column)
        if counted.column is not None:
            column = self.data.tables[counted.table].column(counted.column.column)
            owners = owners[column.codes == place_of(column, counted.equals)]
        return self.count(table, key, owners)

    def count(self, table: str, key: str, owners: Places) -> Numbers:
        return np.bincount(owners[owners != NULL], minlength=len(self.data.tables[table].column(key).values))

    def owners(self, table: str, key: str, other: str, by: str) -> Places:
        """For each row of the other table the place of its value in the key, or NULL."""
        link = (table, key, other, by)
        if link not in self.known:
            column = self.data.tables[other].column(by)
            places = places_among(column.values, self.data.tables[table].column(key).values)
            self.known[link] = np.append(places, NULL)[column.codes]
        return self.known[link]


def places_among(values: list[Any] | NDArray[Any], known: list[Any] | NDArray[Any]) -> Places:
    """Where each value is among others that are all different, or NULL."""
    if not (isinstance(values, np.ndarray) and isinstance(known, np.ndarray)):
        places = {value: place for place, value in enumerate(known)}
        return np.fromiter((places.get(value, NULL) for value in values), np.int64, len(values))
    if not len(known):
        return np.full(len(values), NULL, np.int64)
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known, values, sorter=order), len(known) - 1)]
    return np.where(known[at] == values, at, NULL)
