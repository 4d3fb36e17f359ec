"""Counts: for each thing of a table, how many rows of another one lead to it, and how many of these have a value.

A rule says that there is a car that is short. That there are two of them is another question, and so is that there is
none; where trees on a joined table do well, it is often because they can ask it. So a count is a number of the thing
like others, to be compared.

Which counts are made is a matter of the data, and not of the target: those that are above 1 for some things (or else
they say no more than that there is a row), that are not the same everywhere, and that no other number repeats. There
may be many, since values are; counts of all rows come first, then those of the target's own things, then those of
frequent values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maxsynth.data.description import ColumnInfo, CountInfo, Role, Shape, TableInfo, Target, Value
from maxsynth.data.inference.target import nearest
from maxsynth.data.inference.values import Values, shown
from maxsynth.data.inference.words import Names, plain_name, type_name, without_id
from maxsynth.data.rows import Counting, Numbers
from maxsynth.data.tables import NULL, Column, Data, Kind
from maxsynth.data.wishes import Wishes
from maxsynth.errors import MaxSynthError, shortened

MOST_VALUES = 10  # of a column: the most frequent
MOST_COUNTS = 40  # of all tables
MOST_FACTS = 500_000  # of all counts, unless the first alone has more
ABOVE = 2  # things of which there must be more than one row
VALUED = (Role.CATEGORY, Role.CODE, Role.FLAG)
PLAIN = (Kind.TEXT, Kind.INTEGER, Kind.REAL, Kind.YES_NO)
END = "count"
LETTERS = 34  # of a name before its end ...
TABLE = 15  # ... and of the table of the things, where another one has that name


@dataclass(frozen=True)
class Candidate:
    """A count that could be made."""

    thing: TableInfo
    table: TableInfo
    by: ColumnInfo
    numbers: Numbers  # for each value of the key
    column: ColumnInfo | None = None
    equals: Value | None = None
    rows: int = 0  # that are counted

    @property
    def name(self) -> str:
        """`cars`, `cars_len_short`; with the link where several lead to the same things."""
        links = [one for one in self.table.columns if leads_to(one, self.table, self.thing)]
        parts = [self.table.name]
        if len(links) > 1 or self.table.name == self.thing.name:
            parts.append(without_id(self.by.name))
        if self.column is not None:
            parts += [self.column.name, shown(self.equals, self.column.kind)]
        return f"{plain_name('_'.join(parts), 'rows')[:LETTERS].strip('_')}_{END}"


def with_counts(
    tables: list[TableInfo], data: Data, target: Target, names: Names, wishes: Wishes, *, wanted: bool = True
) -> list[TableInfo]:
    """The tables with the counts of rows that lead to their things."""
    if not wanted or data.form == "graph":
        return tables
    found = sorted(candidates(tables, data, wishes), key=lambda one: rank(one, target))
    types = Names(filter(None, [*(t.type for t in tables), *(c.type for t in tables for c in t.columns)]))
    made: dict[str, list[CountInfo]] = {table.name: [] for table in tables}
    asked = dict(wishes.counts)
    left, facts = MOST_COUNTS, 0
    for one in found:
        predicate = names.free(2, one.name, f"{plain_name(one.thing.name, 'things')[:TABLE]}_{one.name}")
        wish = asked.pop((one.thing.name, predicate), None)
        if wish is None:
            facts += one.thing.rows
            left -= 1
            wish = left >= 0 and (facts <= MOST_FACTS or facts == one.thing.rows)
        if wish:
            made[one.thing.name].append(info(one, predicate, types))
    for table, predicate in asked:
        known = [count.predicate for count in made.get(table, [])]
        raise MaxSynthError(f"{table} has no count {shortened(predicate)}", remedy=nearest(predicate, known))
    return [dataclasses.replace(table, counts=tuple(made[table.name])) for table in tables]


def rank(one: Candidate, target: Target) -> tuple[bool, bool, int]:
    return one.column is not None, one.thing.name != target.table, -one.rows


def info(one: Candidate, predicate: str, types: Names) -> CountInfo:
    return CountInfo(
        predicate,
        types.free(0, type_name(predicate, END)),
        one.table.name,
        one.by.name,
        one.column.name if one.column is not None else "",
        one.equals,
        len(np.unique(one.numbers)),
        int(one.numbers.min()),
        int(one.numbers.max()),
    )


def count_values(thing: TableInfo, tables: Mapping[str, TableInfo], data: Data) -> Iterator[tuple[CountInfo, Values]]:
    """The counts of a table as columns of it."""
    counting, rows = Counting(data), data.tables[thing.name]
    for count in thing.counts:
        numbers = counting.numbers(thing.name, thing.key[0], count.counted(tables[count.table]))
        values, places = np.unique(numbers, return_inverse=True)
        codes = places[rows.column(thing.key[0]).codes].astype(np.int32)
        yield count, Values(thing.name, Column(count.predicate, Kind.INTEGER, values, codes))


# -- what could be counted --------------------------------------------------------------------------------------


def candidates(tables: Sequence[TableInfo], data: Data, wishes: Wishes) -> Iterator[Candidate]:
    counting = Counting(data)
    for thing in tables:
        if thing.shape is not Shape.ENTITY or not thing.column(thing.key[0]).used:
            continue
        seen = set(known_numbers(thing, data))
        for table in tables:
            for by in table.columns if table.name not in wishes.uncounted else ():
                if leads_to(by, table, thing):
                    yield from worth(counts_by(thing, table, by, data, counting), seen)


def leads_to(column: ColumnInfo, table: TableInfo, thing: TableInfo) -> bool:
    """Whether it has the keys of the other table; a key leads to its own table, too, which is no link."""
    own_key = table.name == thing.name and column.role is not Role.LINK
    return column.used and column.role in (Role.LINK, Role.KEY) and column.table == thing.name and not own_key


def known_numbers(thing: TableInfo, data: Data) -> Iterator[bytes]:
    """Columns of whole numbers: a count that repeats one says nothing."""
    for column in (data.tables[thing.name].column(one.name) for one in thing.columns):
        if column.kind is Kind.INTEGER and isinstance(column.values, np.ndarray) and NULL not in column.codes:
            yield column.values[column.codes].astype(np.int64).tobytes()


def worth(found: Iterable[Candidate], seen: set[bytes]) -> Iterator[Candidate]:
    for one in found:
        written = one.numbers.astype(np.int64).tobytes()
        if np.count_nonzero(one.numbers > 1) >= ABOVE and np.ptp(one.numbers) and written not in seen:
            seen.add(written)
            yield one


def counts_by(
    thing: TableInfo, table: TableInfo, by: ColumnInfo, data: Data, counting: Counting
) -> Iterator[Candidate]:
    key = thing.key[0]
    owners = counting.owners(thing.name, key, table.name, by.name)
    yield Candidate(thing, table, by, counting.count(thing.name, key, owners), rows=len(owners))
    for column in table.columns:
        if column.role not in VALUED or column.kind not in PLAIN or column.name == by.name:
            continue
        source = data.tables[table.name].column(column.name)
        for place, rows in frequent(source, owners != NULL):
            numbers = counting.count(thing.name, key, owners[source.codes == place])
            yield Candidate(thing, table, by, numbers, column, value_at(source, place), rows)


def frequent(column: Column, linked: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """The places of the values that most rows have, with their numbers."""
    rows = np.bincount(column.codes[linked & (column.codes != NULL)], minlength=len(column.values))
    order = np.argsort(-rows, kind="stable")[:MOST_VALUES]
    return [(int(place), int(rows[place])) for place in order if rows[place]]


def value_at(column: Column, place: int) -> Value:
    value = column.values[place]
    found: Value = value.item() if isinstance(value, np.generic) else value
    return found
