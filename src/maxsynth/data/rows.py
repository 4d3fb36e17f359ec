"""The facts of a predicate, taken from the columns that it means: arrays all the way, each value a term once.

Counts are facts too: how many rows lead to each thing of a table. A link is followed once for all counts by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.rows import Rows
from maxsynth.api.stored import Joined, Stored, listed
from maxsynth.data.meaning import ROW_NUMBER, Argument, Counted, Form, Meaning
from maxsynth.data.tables import NULL, Column, Data, Kind, Table

MOST = 1 << 62
SPREAD = 16  # numbers may lie so far apart, on average, to be found in an array of all between them
Places = NDArray[np.int64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Coded:
    """An argument in all rows of its table: values as terms, and their places."""

    values: Stored
    codes: NDArray[np.int32]


def coded(table: Table, argument: Argument) -> Coded:
    if argument.column == ROW_NUMBER:
        return Coded(range(1, len(table) + 1), np.arange(len(table), dtype=np.int32))
    column = table.column(argument.column)
    return Coded(terms(column), column.codes)


def terms(column: Column) -> Stored:
    """The values of a column as terms: text as atoms, dates and times as numbers. They stay as they are, if they can:
    the same for all predicates that have this column, so that they are numbered once."""
    found = column.values
    if column.kind is Kind.YES_NO:
        return ["true" if value else "false" for value in listed(found)]
    if column.kind is Kind.TIME and all(value.is_integer() for value in listed(found)):
        return [int(value) for value in listed(found)]
    return found


def facts_of(meanings: Iterable[Meaning], data: Data) -> dict[str, Rows]:
    """All rows for which each predicate is true."""
    counting = Counting(data)
    return {
        one.predicate: counting.rows(one) if one.form is Form.COUNT else rows_of(one, data)
        for one in meanings
    }  # fmt: skip


def rows_of(meaning: Meaning, data: Data) -> Rows:
    """All rows for which a predicate is true."""
    table = data.tables[meaning.table]
    mask = None
    if meaning.form is Form.FLAG:
        mask = table.column(meaning.column).codes == place_of(table.column(meaning.column), meaning.equals)
    rows = together([coded(table, argument) for argument in meaning.arguments], mask)
    return distinct(rows) if meaning.form is Form.RELATION else rows


def place_of(column: Column, value: object) -> int:
    """Where a value is in its column; one that is not there has a place that no row has."""
    found = listed(column.values)
    return found.index(value) if value in found else len(found)


def together(parts: Sequence[Coded], mask: NDArray[np.bool_] | None = None) -> Rows:
    """The rows of some arguments, without those that lack a value."""
    codes = []
    known = mask
    before = 0
    for part in parts:
        present = part.codes != NULL
        known = present if known is None else known & present
        codes.append(part.codes + np.int32(before))
        before += len(part.values)
    table = np.stack(codes, axis=1)
    return Rows(
        Joined([part.values for part in parts]),
        np.ascontiguousarray(table if known is None or known.all() else table[known]),
    )


def distinct(rows: Rows) -> Rows:
    """Each row once, in the order of first sight."""
    if not len(rows):
        return rows
    if len(rows.values) ** rows.arity < MOST:  # a row is one number then, which is much faster
        numbers = rows.codes[:, 0].astype(np.int64)
        for place in range(1, rows.arity):
            numbers = numbers * len(rows.values) + rows.codes[:, place]
        first = np.unique(numbers, return_index=True)[1]
    else:
        first = np.unique(rows.codes, axis=0, return_index=True)[1]
    return rows if len(first) == len(rows) else Rows(rows.values, np.ascontiguousarray(rows.codes[np.sort(first)]))


# -- counts ---------------------------------------------------------------------------------------------------


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


def places_among(values: Stored, known: Stored) -> Places:
    """Where each value is among others that are all different, or NULL."""
    if not (isinstance(values, np.ndarray) and isinstance(known, np.ndarray)):
        places = {value: place for place, value in enumerate(listed(known))}
        return np.fromiter((places.get(value, NULL) for value in listed(values)), np.int64, len(values))
    if not len(known):
        return np.full(len(values), NULL, np.int64)
    if known.dtype.kind == values.dtype.kind == "i":
        least, most = int(known.min()), int(known.max())
        if most - least <= SPREAD * len(known):  # then each number between them has a place, which is looked up
            places_of = np.full(most - least + 1, NULL, np.int64)
            places_of[known - least] = np.arange(len(known))
            within = (values >= least) & (values <= most)
            return np.where(within, places_of[np.where(within, values, least) - least], NULL)
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known, values, sorter=order), len(known) - 1)]
    return np.where(known[at] == values, at, NULL)
