"""Tables that Python has already: data frames of pandas and polars, Arrow's own, columns in a dict, NumPy's arrays.

All go the way of Arrow's C interface (`__arrow_c_stream__`), which every newer library of data frames speaks; what
does not is made a table of Arrow first. Types are taken as they are: text stays text.

pandas keeps integers as floats where some are missing; so a column of floats with nulls, all whole, is one of
integers. An index of pandas that has a name is a column.
"""

from __future__ import annotations

import decimal
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from maxsynth.data.reading.columns import as_integers, is_whole, typed_column
from maxsynth.data.reading.drafts import Draft, drafted
from maxsynth.data.reading.extras import arrow
from maxsynth.data.reading.files.csv_tables import MAX_COLUMNS, too_many
from maxsynth.data.tables import NULL, Column, Kind
from maxsynth.errors import MaxSynthError, Position, listed, shortened

PLACE = Position("<tables>")
ACCEPTED = (
    "give a mapping from names to tables, such as {'drugs': frame}: frames of pandas or polars, Arrow tables, dicts of "
    "columns, NumPy arrays with named fields, or pairs of a 2-D array and its column names"
)


def read_frames(tables: Mapping[Any, Any], notes: list[str]) -> list[Draft]:
    """A table for each item."""
    drafts = []
    for name, given in tables.items():
        if not isinstance(name, str):
            raise MaxSynthError(f"the name of a table is text, not {shortened(repr(name))}", PLACE, ACCEPTED)
        drafts.append(read_frame(name, given, notes))
    return drafts


def read_frame(name: str, given: Any, notes: list[str]) -> Draft:
    pa = arrow()
    try:
        columns = columns_of(name, given)
    except (pa.ArrowException, UnicodeError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, MaxSynthError):
            raise
        raise MaxSynthError(f"the table {name} cannot be read: {error}", PLACE, ACCEPTED) from None
    again = [one for one, count in Counter(one for one, _ in columns).items() if count > 1]
    if again:
        raise MaxSynthError(f"{name}: several columns have one name: {listed(again)}", PLACE, "rename them")
    lengths = {len(array) for _, array in columns}
    if len(lengths) > 1:
        said = ", ".join(f"{one}: {len(array)}" for one, array in columns[:5])
        raise MaxSynthError(f"{name}: columns of several lengths ({said})", PLACE, "give columns of one length")
    pandas = hasattr(given, "iloc")
    done = []
    for one, array in columns:
        column = typed_column(one, array, notes, f"{name}.{one}")
        done.append(integers_again(column) if pandas and isinstance(column, Column) else column)
    return drafted(name, done, notes)


def integers_again(column: Column) -> Column:
    """Integers that pandas made floats."""
    if column.kind is Kind.REAL and len(column.values) and (column.codes == NULL).any() and is_whole(column):
        return as_integers(column)
    return column


def columns_of(name: str, given: Any) -> list[tuple[str, Any]]:
    """The columns of a table in any of the forms, as arrays in parts."""
    pa = arrow()
    check_width(given)
    if isinstance(given, Mapping):
        return [(str(one), array(f"{name}.{one}", values)) for one, values in given.items()]
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], np.ndarray):
        return array_columns(name, given[0], [str(one) for one in given[1]])
    if isinstance(given, np.ndarray):
        return array_columns(name, given, None)
    if hasattr(given, "iloc") and hasattr(given, "columns"):
        return pandas_columns(name, given)
    if isinstance(given, pa.RecordBatch):
        given = pa.Table.from_batches([given])
    if not isinstance(given, pa.Table):
        if not hasattr(given, "__arrow_c_stream__"):
            raise MaxSynthError(f"{name}: {type(given).__name__} is no table", PLACE, ACCEPTED)
        given = pa.RecordBatchReader.from_stream(given).read_all()
    return list(zip(given.column_names, given.columns, strict=True))


def check_width(given: Any) -> None:
    """Very many columns are refused before they are converted."""
    width = len(given) if isinstance(given, Mapping) else 0
    shape = getattr(given, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2:
        width = shape[1]
    if width > MAX_COLUMNS:
        raise too_many(width, PLACE)


def pandas_columns(name: str, frame: Any) -> list[tuple[str, Any]]:
    """Column by column, so that an error names its own."""
    if len(frame.columns) and getattr(frame.columns, "nlevels", 1) > 1:
        raise MaxSynthError(f"{name}: its columns have names of several levels", PLACE, "give each one name")
    named = [one for one in frame.index.names if one is not None]
    if named:
        frame = frame.reset_index(level=named)
    return [(str(one), array(f"{name}.{one}", frame.iloc[:, at])) for at, one in enumerate(frame.columns)]


def array_columns(name: str, given: Any, names: list[str] | None) -> list[tuple[str, Any]]:
    """An array with named fields, or one of two dimensions; without names its columns are x0, x1, and so on."""
    if given.dtype.names is not None:
        return [(one, array(f"{name}.{one}", given[one])) for one in given.dtype.names]
    if given.ndim != 2:
        raise MaxSynthError(f"{name}: an array of the shape {given.shape} is no table", PLACE, ACCEPTED)
    names = [f"x{at}" for at in range(given.shape[1])] if names is None else names
    if len(names) != given.shape[1]:
        raise MaxSynthError(
            f"{name}: {len(names)} names for {given.shape[1]} columns", PLACE, "give a name for each column"
        )
    return [(one, array(f"{name}.{one}", given[:, at])) for at, one in enumerate(names)]


def array(where: str, values: Any) -> Any:
    """One column in any form as an array in parts."""
    pa = arrow()
    if isinstance(values, np.ndarray):
        values = np.ascontiguousarray(values)
        if values.dtype.byteorder not in "=|" and values.dtype.kind in "iuf":
            values = values.astype(values.dtype.newbyteorder("="))
    elif isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise MaxSynthError(f"{where}: {shortened(repr(values))} is no column", PLACE, ACCEPTED)
    try:
        found = values if isinstance(values, pa.ChunkedArray) else as_arrow(values)
    except UnicodeError:
        raise no_unicode(where, values) from None
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise not_alike(where, values, error) from None
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


def as_arrow(values: Any) -> Any:
    pa = arrow()
    if isinstance(values, pa.Array):
        return values
    if hasattr(values, "iloc"):
        return pa.Array.from_pandas(values)
    if hasattr(values, "__arrow_c_stream__"):
        return pa.chunked_array(values)
    try:
        return pa.array(values if isinstance(values, np.ndarray) else list(values), from_pandas=True)
    except OverflowError:  # integers of more than 64 bits
        return pa.array([None if value is None else decimal.Decimal(value) for value in values], pa.decimal256(76))


def no_unicode(where: str, values: Any) -> MaxSynthError:
    """Half of a surrogate pair is no character, and no file or database can hold it."""
    for row, value in enumerate(values, 1):
        try:
            if isinstance(value, str):
                value.encode()
        except UnicodeEncodeError:
            return MaxSynthError(
                f"{where}: row {row} has text that is not Unicode: {ascii(value)[:60]}", PLACE, "correct it"
            )
    return MaxSynthError(f"{where} has text that is not Unicode", PLACE, "correct it")


def not_alike(where: str, values: Any, error: Exception) -> MaxSynthError:
    """The error for a column that Arrow cannot take: mostly since its values are of several types."""
    rows: dict[str, list[int]] = {}
    for row, value in enumerate(values, 1):
        if value is not None and value == value:  # NaN is not
            rows.setdefault(type(value).__name__, []).append(row)
    if len(rows) < 2:
        return MaxSynthError(f"{where} cannot be read: {error}", PLACE, "convert its values, or leave the column out")
    few = min(rows, key=lambda kind: len(rows[kind]))
    others = " and ".join(kind for kind in rows if kind != few)
    first = listed([str(row) for row in rows[few][:1000]], 3)
    return MaxSynthError(
        f"{where} has values of the type {others}, but also {few} (rows {first})",
        PLACE,
        "make them one type, or leave the column out",
    )
