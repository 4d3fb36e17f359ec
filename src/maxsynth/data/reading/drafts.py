"""Tables as they were read, made final: each column gets its kind, and keys are checked.

The columns of a foreign key must have one kind with those that they refer to, or nothing would ever be equal: `17` in a
table that has no other codes is the text '17' where the key has 'A1' too; and whole numbers that a data frame keeps as
floats, since some are missing, are integers as those in the key are. So kinds are settled for linked columns together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.reading.columns import Codes, LeftOut, TextColumn, as_integers, as_reals, is_whole
from maxsynth.data.reading.texts import kind_of, settled
from maxsynth.data.tables import NULL, Column, ForeignKey, Kind, Table
from maxsynth.errors import MaxSynthError, Position, listed, shortened

NUMBERS = {Kind.INTEGER, Kind.REAL}
Place = tuple[str, str]  # a table and a column of it


@dataclass
class Draft:
    """A table as it was read. Keys of `chosen` were set by the user: where these are wrong it is an error."""

    name: str
    columns: list[Column | TextColumn]
    key: tuple[str, ...] = ()
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    key_chosen: bool = False
    chosen: set[ForeignKey] = field(default_factory=set)

    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def drafted(table: str, columns: Sequence[Column | TextColumn | LeftOut], notes: list[str]) -> Draft:
    """A table of the columns that can be part of a task; what is left out is noted. There may be none."""
    kept = [column for column in columns if not isinstance(column, LeftOut)]
    for column in columns:
        if isinstance(column, LeftOut):
            notes.append(f"{table}.{column.name} is left out: {column.why}")
    if not kept:
        notes.append(f"{table} is left out: it has no columns that can be read")
    return Draft(table, kept)


def finished(drafts: list[Draft], notes: list[str], place: Position) -> dict[str, Table]:
    """The tables, with a kind for each column, and the keys that hold."""
    tables = {draft.name: draft for draft in drafts}
    kinds = linked_kinds(tables)
    columns = {
        draft.name: [final(column, kinds.get((draft.name, column.name)), notes, draft.name) for column in draft.columns]
        for draft in drafts
    }
    found = {name: {column.name: column for column in of_table} for name, of_table in columns.items()}
    return {
        draft.name: Table(
            draft.name,
            tuple(columns[draft.name]),
            checked_key(draft, found[draft.name], notes, place),
            tuple(link for link in draft.foreign_keys if holds(draft, link, found, notes, place)),
        )
        for draft in drafts
    }


def final(column: Column | TextColumn, kind: Kind | None, notes: list[str], table: str) -> Column:
    where = f"{table}.{column.name}"
    if isinstance(column, TextColumn):
        return settled(column, kind_of(column) if kind is None else kind, notes, where)
    if column.kind is Kind.REAL and kind is Kind.INTEGER:
        return as_integers(column)
    if column.kind is Kind.INTEGER and kind is Kind.REAL:
        return as_reals(column)
    return column


# -- kinds of linked columns ----------------------------------------------------------------------------------


def links(tables: dict[str, Draft]) -> Iterator[tuple[Place, Place]]:
    """The pairs of columns that foreign keys say to have the same values."""
    for draft in tables.values():
        for link in draft.foreign_keys:
            for own, other in zip(link.columns, link.to, strict=True):
                yield (draft.name, own), (link.table, other)


def linked_kinds(tables: dict[str, Draft]) -> dict[Place, Kind]:
    """The kind of each column that foreign keys link to another."""
    columns = {(draft.name, column.name): column for draft in tables.values() for column in draft.columns}
    group: dict[Place, list[Place]] = {}
    for one, other in links(tables):
        if one not in columns or other not in columns:
            continue
        first, second = group.setdefault(one, [one]), group.setdefault(other, [other])
        if first is not second:
            first.extend(second)
            group.update(dict.fromkeys(second, first))
    kinds: dict[Place, Kind] = {}
    for places in group.values():
        if places[0] not in kinds:
            members = [columns[place] for place in places]
            for place, kind in zip(places, kinds_together(members), strict=True):
                kinds[place] = kind
    return kinds


def kinds_together(columns: list[Column | TextColumn]) -> list[Kind]:
    """A kind for each of the columns, the same for all where that can be."""
    kinds = [kind_of(column) if isinstance(column, TextColumn) else column.kind for column in columns]
    if len(set(kinds)) == 1:
        return kinds
    if set(kinds) <= NUMBERS:
        whole = all(
            isinstance(column, Column) and is_whole(column)
            for column, kind in zip(columns, kinds, strict=True)
            if kind is Kind.REAL
        )
        return [Kind.INTEGER if whole else Kind.REAL] * len(kinds)
    return [Kind.TEXT if isinstance(column, TextColumn) else kind for column, kind in zip(columns, kinds, strict=True)]


# -- keys -----------------------------------------------------------------------------------------------------


def checked_key(draft: Draft, columns: dict[str, Column], notes: list[str], place: Position) -> tuple[str, ...]:
    """The key, if each row has one and no two the same. SQLite allows nulls in a key; users may set a wrong one."""
    key = draft.key
    if not key:
        return ()
    problem = ""
    if any(name not in columns for name in key):
        problem = "a column of it is left out"
    else:
        problem = key_problem([columns[name] for name in key])
    if not problem:
        return key
    message = f"{draft.name}: ({', '.join(key)}) is no key: {problem}"
    if draft.key_chosen:
        raise MaxSynthError(message, place, "correct the data, or set another key")
    notes.append(message)
    return ()


def key_problem(columns: list[Column]) -> str:
    """Why these are no key, with the first rows that show it."""
    codes = [column.codes for column in columns]
    empty = np.flatnonzero(np.any([one == NULL for one in codes], axis=0))
    if len(empty):
        return f"{rows_said(empty)} no value"
    again = repeated(codes)
    if not len(again):
        return ""
    first = again[0]
    values = ", ".join(shortened(str(column.values[column.codes[first]]), 40) for column in columns)
    same = np.flatnonzero(np.all([one == one[first] for one in codes], axis=0))
    return f"{rows_said(same)} the value {values}"


def rows_said(rows: NDArray[np.intp]) -> str:
    numbers = listed([str(row + 1) for row in rows[:1000].tolist()], 3)
    return f"row {numbers} has" if len(rows) == 1 else f"rows {numbers} have"


def repeated(codes: list[Codes]) -> NDArray[np.intp]:
    """The rows whose values another row has before them."""
    if not len(codes[0]):
        return np.empty(0, np.intp)
    together = codes[0].astype(np.int64)
    for one in codes[1:]:  # renumbered at each column, so that the products stay small
        _, together = np.unique(together * (int(one.max()) + 1) + one, return_inverse=True)
    _, first = np.unique(together, return_index=True)
    again = np.ones(len(together), bool)
    again[first] = False
    return np.flatnonzero(again)


def holds(
    draft: Draft, link: ForeignKey, found: dict[str, dict[str, Column]], notes: list[str], place: Position
) -> bool:
    """Whether a foreign key leads to columns that are there and can be equal; if not it is noted, or an error."""
    own, other = found[draft.name], found.get(link.table, {})
    problem = ""
    if link.table not in found:
        problem = f"there is no table {link.table}"
    elif missing := [name for name in link.to if name not in other]:
        problem = f"{link.table} has no column {missing[0]}"
    elif missing := [name for name in link.columns if name not in own]:
        problem = f"{draft.name} has no column {missing[0]}"
    else:
        for one, to in zip(link.columns, link.to, strict=True):
            if own[one].kind is not other[to].kind:
                problem = f"{one} is {own[one].kind.value} and {link.table}.{to} is {other[to].kind.value}"
    if not problem:
        return True
    message = (
        f"the foreign key {draft.name} ({', '.join(link.columns)}) to {link.table} ({', '.join(link.to)}) "
        f"is not used: {problem}"
    )
    if link in draft.chosen:
        raise MaxSynthError(message.replace("is not used", "cannot be"), place, "correct the keys")
    notes.append(message)
    return False
