"""New data in the form of old data: what a program needs of it, with values of the kinds that it knows.

A column of new data may be read as another kind than before, because its values happen to be others: whole numbers
where there were fractions before, or words that all look like numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from maxsynth.data.description import Description, TableInfo
from maxsynth.data.inference.target import nearest, no_column
from maxsynth.data.inference.values import as_list
from maxsynth.data.tables import NULL, Column, Data, Kind, Table
from maxsynth.errors import MaxSynthError, Position, shortened

NUMBERS = (Kind.INTEGER, Kind.REAL)


def conform(data: Data, description: Description, needed: Mapping[str, set[str]]) -> Data:
    """The data with these columns of these tables as the description has them."""
    tables = renamed(data, needed)
    return dataclasses.replace(
        data,
        tables={name: conformed(tables, description.table(name), columns, data) for name, columns in needed.items()},
    )


def renamed(data: Data, needed: Mapping[str, set[str]]) -> Mapping[str, Table]:
    """A file is a table by its own name: where there is but one, it is the one that is meant."""
    if len(needed) == 1 and len(data.tables) == 1:
        return dict(zip(needed, data.tables.values(), strict=True))
    return data.tables


def conformed(tables: Mapping[str, Table], info: TableInfo, columns: set[str], data: Data) -> Table:
    table = tables.get(info.name)
    if table is None:
        raise MaxSynthError(
            f"there is no table {info.name}, which the program needs", Position(data.place), nearest(info.name, tables)
        )
    found = []
    for name in sorted(columns):
        column = next((one for one in table.columns if one.name == name), None)
        if column is None:
            error = no_column(table, name)
            error.at(Position(data.place))
            raise error
        found.append(as_kind(column, info.column(name).kind, info.name))
    empty = Column("", Kind.INTEGER, np.zeros(0, np.int64), np.full(len(table), NULL, np.int32))
    return Table(info.name, tuple(found) or (empty,))


def as_kind(column: Column, kind: Kind, table: str) -> Column:
    """The column with its values as another kind; an error for a value that cannot be one."""
    if column.kind is kind or not len(column.values):
        return dataclasses.replace(column, kind=kind)
    known = as_list(column.values)
    if kind is Kind.TEXT:
        return recoded(column, kind, [str(value) for value in known])
    if kind is Kind.REAL and column.kind is Kind.INTEGER:
        return recoded(column, kind, [float(value) for value in known])
    if kind is Kind.INTEGER and column.kind is Kind.REAL:
        whole = all(value.is_integer() for value in known)  # others are compared by their values all the same
        return recoded(column, kind, [int(value) for value in known]) if whole else column
    if kind in NUMBERS and column.kind is Kind.YES_NO:
        return recoded(column, kind, [int(value) for value in known])
    if kind is Kind.YES_NO and column.kind in NUMBERS and set(known) <= {0, 1}:
        return recoded(column, kind, [bool(value) for value in known])
    if kind is Kind.TIME and column.kind is Kind.DATE:
        return recoded(column, kind, [value * 86400.0 for value in known])
    raise MaxSynthError(
        f"{table}.{column.name} is {column.kind.value} here, such as {shortened(str(known[0]))}, and was {kind.value}",
        remedy="give it in the form that was learned from",
    )


def recoded(column: Column, kind: Kind, values: list[Any]) -> Column:
    """With other values, of which some may be equal now."""
    places: dict[Any, int] = {}
    new = np.array([*(places.setdefault(value, len(places)) for value in values), NULL], np.int32)
    distinct: Any = list(places) if kind is Kind.TEXT else np.array(list(places))
    return Column(column.name, kind, distinct, new[column.codes], column.stored_as_text)
