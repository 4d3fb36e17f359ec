"""What is given as X, with further tables, as the data that rules are learned from.

X is the table `rows`. Its columns are those of a data frame, or x0, x1 and so on; where there are further tables, an
index of pandas that has a name is a column too, for tables may refer to it.

Rows that are the same are one row that counts more than once, and rows are put in the order of their values. So what
is learned depends neither on their order nor on whether a row is there twice or has a weight of two.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.inference.keys import KEY_KINDS
from maxsynth.data.inference.values import all_values
from maxsynth.data.inference.words import names_table
from maxsynth.data.reading.keys import Keys
from maxsynth.data.reading.open_data import open_data
from maxsynth.data.tables import NULL, Column, Data, ForeignKey, Kind, Table
from maxsynth.errors import MaxSynthError

ROWS = "rows"


class InputError(MaxSynthError, ValueError):
    """A mistake in what the user gave, of the type that scikit-learn has for these."""


def read(X: Any, tables: Mapping[str, Any] | None, keys: Keys | None = None, *, index: bool = False) -> Data:
    """X and the other tables as data. `index`: an index of X that has a name is a column."""
    if tables is not None and (not isinstance(tables, Mapping) or ROWS in tables):
        wrong = f"one of them is called {ROWS}, as X is" if isinstance(tables, Mapping) else type(tables).__name__
        raise InputError(f"tables: {wrong}", remedy="give a mapping from names to data frames")
    try:
        return open_data({ROWS: as_table(X, index=index), **(tables or {})}, keys=keys)
    except MaxSynthError as error:
        raise InputError(error.message, error.position, error.remedy) from None


def as_table(X: Any, *, index: bool) -> Any:
    """X as the reader of tables takes it."""
    if isinstance(X, np.ndarray):
        if X.dtype.kind != "O":
            return X
        return {f"x{place}": plain_column(X[:, place]) for place in range(X.shape[1])}
    if hasattr(X, "iloc"):
        return X if index else X.reset_index(drop=True)
    return X


def plain_column(values: NDArray[Any]) -> Any:
    """A column of an array of objects: text where it has text, and numbers otherwise."""
    if any(isinstance(value, str) for value in values):
        return values.tolist()
    return np.array([np.nan if value is None else value for value in values]).astype(np.float64)


def is_frame(X: Any) -> bool:
    """Whether X has columns of its own types, rather than being an array or nested lists."""
    return (hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")) and hasattr(X, "shape")


# -- keys -------------------------------------------------------------------------------------------------------


def linked(data: Data) -> Data:
    """The data with the column as key of X that other tables have by the same name, unless a key was set.

    Tables may speak of more than the rows of X, which are often a part of all there are: so it is no matter how many of
    their values X has.
    """
    rows = data.tables[ROWS]
    able = [column for column in all_values(rows) if column.unique and column.kind in KEY_KINDS]
    chosen = rows.key or next(((one.name,) for one in able if any(named_after(data, one.name))), ())
    if len(chosen) != 1:
        return data
    tables = {**data.tables, ROWS: dataclasses.replace(rows, key=chosen)}
    for table in named_after(data, chosen[0]):
        link = ForeignKey(chosen, ROWS, chosen)
        tables[table.name] = dataclasses.replace(table, foreign_keys=(*table.foreign_keys, link))
    return dataclasses.replace(data, tables=tables)


def named_after(data: Data, key: str) -> Iterator[Table]:
    """The tables that have a column with the name of the key, and its kind; `id` may be a name of anything."""
    kind = data.tables[ROWS].column(key).kind
    for table in data.tables.values():
        same = [column for column in table.columns if column.name == key and column.kind is kind]
        free = same and all(key not in link.columns for link in table.foreign_keys)
        if table.name != ROWS and free and names_table(key, ROWS, key):
            yield table


# -- classes ----------------------------------------------------------------------------------------------------


def class_column(name: str, classes: NDArray[Any], codes: NDArray[Any]) -> Column:
    """The classes of all rows as a column."""
    plain = classes.tolist()
    kinds = {bool: Kind.YES_NO, int: Kind.INTEGER}
    kind = kinds.get(type(plain[0]), Kind.TEXT)
    values: Any = np.array(plain) if kind is not Kind.TEXT else [str(one) for one in plain]
    return Column(name, kind, values, codes.astype(np.int32))


def free_name(wish: str, data: Data) -> str:
    """A name for the column of classes that no other column has, or begins with."""
    taken = [column.name for column in data.tables[ROWS].columns]
    while any(name == wish or name.startswith(f"{wish}=") for name in taken):
        wish += "_"
    return wish


def with_rows(data: Data, columns: tuple[Column, ...]) -> Data:
    table = dataclasses.replace(data.tables[ROWS], columns=columns)
    return dataclasses.replace(data, tables={**data.tables, ROWS: table})


def with_tables(data: Data, tables: Mapping[str, Table]) -> Data:
    return dataclasses.replace(data, tables={**tables, **data.tables})


# -- rows -------------------------------------------------------------------------------------------------------


def in_order(data: Data, rows: NDArray[Any]) -> tuple[Data, NDArray[np.int64]]:
    """The data with some of its rows, in the order of their values, and where each was before."""
    columns = [ordered(column) for column in data.tables[ROWS].columns]
    chosen = rows[np.lexsort([column.codes[rows] for column in reversed(columns)])]
    return with_rows(data, tuple(taken(column, chosen) for column in columns)), chosen


def ordered(column: Column) -> Column:
    """The column with its values in order."""
    values: Any = column.values
    if isinstance(values, np.ndarray):
        known = np.argsort(values, kind="stable")
    else:
        known = np.array(sorted(range(len(values)), key=values.__getitem__), np.int64)
    places = np.empty(len(known) + 1, np.int32)
    places[known] = np.arange(len(known))
    places[-1] = NULL
    kept = values[known] if isinstance(values, np.ndarray) else [values[place] for place in known.tolist()]
    return dataclasses.replace(column, values=kept, codes=places[column.codes])


def taken(column: Column, rows: NDArray[Any]) -> Column:
    """Some rows of a column, with the values that these have."""
    codes = column.codes[rows]
    used = np.unique(codes[codes != NULL])
    places = np.full(len(column.values) + 1, NULL, np.int32)
    places[used] = np.arange(len(used))
    values: Any = column.values
    kept = values[used] if isinstance(values, np.ndarray) else [values[place] for place in used.tolist()]
    return dataclasses.replace(column, values=kept, codes=places[codes])


def some_rows(data: Data, rows: NDArray[Any]) -> Data:
    return with_rows(data, tuple(taken(column, rows) for column in data.tables[ROWS].columns))


def merged(data: Data, weights: NDArray[Any]) -> tuple[Data, NDArray[Any]]:
    """Each row once, in the order of their values, with the weight of all that are the same."""
    data, order = in_order(data, np.arange(len(weights)))
    weights = weights[order]
    table: Table = data.tables[ROWS]
    first = np.zeros(len(table), bool)
    first[:1] = True
    for column in table.columns:
        first[1:] |= column.codes[1:] != column.codes[:-1]
    starts = np.flatnonzero(first)
    return some_rows(data, starts), np.add.reduceat(weights, starts)
