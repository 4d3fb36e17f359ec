"""The keys of tables: those that the data declares, and where it declares none, those that it allows.

A column can be the key of its table when it is unique and never null. That alone is no evidence (measurements are
often unique), so more is asked: that its name says so, that columns of other tables are named after it and hold its
values, that it counts the rows, or that it is text. A column can lead to the key of another table when its values are
among those of the key. For whole numbers that alone is no evidence either (small numbers are among all others), so
its name must tell; text that is among the keys of another table is there for a reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from maxsynth.data.description import LinkInfo
from maxsynth.data.inference.values import Values, all_values, count_together, unique_together
from maxsynth.data.inference.words import RANKS, is_key_name, names_table
from maxsynth.data.tables import Data, Kind, Table
from maxsynth.errors import MaxSynthError, Position

KEY_KINDS = (Kind.INTEGER, Kind.TEXT)
LONG_TEXT = 60  # letters on average: no name of a thing
MOST_STRANGERS = 0.1  # share of values that lead nowhere, where the name tells that they should
FEW = 3  # values: so few are in another column by chance
MOST_TOGETHER = 8  # columns that are tried in pairs and triples


@dataclass(frozen=True)
class Key:
    columns: tuple[str, ...]
    declared: bool
    why: str


@dataclass(frozen=True)
class Keys:
    keys: Mapping[str, Key]  # tables without one are missing
    links: Mapping[str, tuple[LinkInfo, ...]]

    def link(self, table: str, column: str) -> LinkInfo | None:
        """Where a column leads to by itself."""
        return next((link for link in self.links[table] if link.columns == (column,)), None)


def find_keys(data: Data, keyless: Collection[str] = (), no_links: Collection[tuple[str, str]] = ()) -> Keys:
    """All keys, but for tables and columns that are said to have none."""
    values = {table.name: all_values(table) for table in data.tables.values()}
    if data.form == "graph":  # every relation is a table of pairs
        return Keys({}, dict.fromkeys(values, ()))
    with_keys = [table for table in data.tables.values() if table.name not in keyless]
    keys = {table.name: key for table in with_keys if (key := single_key(table, values)) is not None}
    links = {
        table.name: (*declared_links(table, data), *guessed_links(table, data, values, keys, no_links))
        for table in data.tables.values()
    }
    for table in with_keys:
        if table.name not in keys:
            together = composite_key(table, values[table.name], links[table.name])
            if together is not None:
                keys[table.name] = together
    return Keys(keys, links)


# -- keys -----------------------------------------------------------------------------------------------------


def single_key(table: Table, values: Mapping[str, list[Values]]) -> Key | None:
    if table.key:
        return declared_key(table, values[table.name])
    unique = [column for column in values[table.name] if column.unique and column.kind in KEY_KINDS and len(table) > 1]
    if len(table.columns) < 2:
        return None  # a list of things, or of numbers
    for why, fits in (
        ("unique, and named as a key", lambda column: is_key_name(column.name, table.name)),
        ("unique, and other tables have its values", lambda column: is_asked_for(column, values)),
        ("unique, and counts the rows", counts_rows),
        ("unique text", lambda column: column.kind is Kind.TEXT and letters(column) <= LONG_TEXT),
    ):
        found = next(filter(fits, unique), None)
        if found is not None:
            return Key((found.name,), False, why)
    return None


def declared_key(table: Table, values: list[Values]) -> Key:
    chosen = [column for name in table.key for column in values if column.name == name]
    if len(chosen) < len(table.key):
        missing = next(name for name in table.key if all(column.name != name for column in values))
        raise MaxSynthError(
            f"the table {table.name} has no column {missing}, which is to be its key", remedy="check the name"
        )
    empty = next((column for column in chosen if column.missing), None)
    if empty is not None:
        raise MaxSynthError(
            f"{empty} is to be a key, and has {empty.missing} empty value{'s' * (empty.missing > 1)}",
            Position(table.name),
            "give another key, or leave out these rows",
        )
    if not unique_together(chosen) and len(table):
        what = " and ".join(map(str, chosen))
        raise MaxSynthError(
            f"{what} {'is' if len(chosen) == 1 else 'are'} to be the key of {table.name}, and {len(table):,} rows have "
            f"only {count_together(chosen):,} different values",
            remedy="give another key, or leave out the rows that are there twice",
        )
    return Key(table.key, True, "declared")


def is_asked_for(column: Values, values: Mapping[str, list[Values]]) -> bool:
    """Whether a column of another table is named after it and has only its values."""
    return any(
        names_table(other.name, column.table, column.name)
        and other.distinct
        and other.shared_with(column) == other.distinct
        for table, columns in values.items()
        if table != column.table
        for other in columns
    )


def counts_rows(column: Values) -> bool:
    if column.kind is not Kind.INTEGER or not isinstance(column.column.values, np.ndarray):
        return False
    found = column.column.values
    return int(found[0]) in (0, 1) and bool((np.diff(found) == 1).all())


def letters(column: Values) -> float:
    some = column.column.values[:1000]
    return sum(len(str(value)) for value in some) / max(len(some), 1)


def composite_key(table: Table, values: list[Values], links: tuple[LinkInfo, ...]) -> Key | None:
    """Two or three columns that are unique together, links among them: a relation with something said of each pair."""
    linked = {name for link in links for name in link.columns}
    able = [column for column in values if column.kind in KEY_KINDS and not column.missing][:MOST_TOGETHER]
    for count in (2, 3):
        if count > len(values) - 1:  # of all columns together nothing more is to be said
            break
        for chosen in combinations(able, count):
            if sum(column.name in linked for column in chosen) >= count - 1 and unique_together(chosen):
                return Key(tuple(column.name for column in chosen), False, "unique together")
    return None


# -- links ----------------------------------------------------------------------------------------------------


def declared_links(table: Table, data: Data) -> Iterator[LinkInfo]:
    for link in table.foreign_keys:
        to = data.tables.get(link.table)
        if to is not None and {column.name for column in to.columns} >= set(link.to):
            yield LinkInfo(link.columns, link.table, link.to, True, "declared")


def guessed_links(
    table: Table,
    data: Data,
    values: Mapping[str, list[Values]],
    keys: Mapping[str, Key],
    no_links: Collection[tuple[str, str]],
) -> Iterator[LinkInfo]:
    declared = {name for link in table.foreign_keys for name in link.columns}
    declared |= {name for place, name in no_links if place == table.name}
    own = keys.get(table.name)
    for column in values[table.name]:
        if column.name in declared or not column.distinct or column.kind not in KEY_KINDS:
            continue
        found = [
            (RANKS.index(how), order, link)
            for order, other in enumerate(data.tables.values())
            if (
                judged := link_to(column, other, values, keys, is_key=own is not None and own.columns == (column.name,))
            )
            for how, link in [judged]
        ]
        if found:
            yield min(found, key=lambda one: one[:2])[2]


def link_to(
    column: Values, to: Table, values: Mapping[str, list[Values]], keys: Mapping[str, Key], *, is_key: bool
) -> tuple[str, LinkInfo] | None:
    """The link from a column to the key of a table, with what its name tells of it."""
    key = keys.get(to.name)
    if key is None or len(key.columns) != 1 or (column.table == to.name and column.name == key.columns[0]):
        return None
    target = next(one for one in values[to.name] if one.name == key.columns[0])
    how = names_table(column.name, to.name, target.name)
    shared = column.shared_with(target)
    strangers = column.distinct - shared
    by_values = column.kind is Kind.TEXT and not strangers and column.distinct >= FEW
    if is_key and how not in RANKS[:2] and not (by_values and column.distinct < target.distinct):
        return None  # a key that also leads elsewhere says so, or has some of the names that are there
    if not shared or (not by_values and (not how or strangers > MOST_STRANGERS * column.distinct)):
        return None
    parts = [f"named after {how}"] if how else []
    parts.append("all its values are there" if not strangers else f"{shared:,} of {column.distinct:,} values are there")
    return how, LinkInfo((column.name,), to.name, key.columns, False, ", ".join(parts))
