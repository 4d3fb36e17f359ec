"""Columns from batches of Python values, which is what the drivers of databases give.

A batch of a column goes into an array of Arrow at once; only the set of the types in it is looked at here. SQLite lets
a column have values of several types: whole and other numbers are numbers, but numbers beside text are an error.
"""

from __future__ import annotations

import datetime
import decimal
import ipaddress
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from maxsynth.data.reading.columns import LeftOut, TextColumn, text_column, typed_column
from maxsynth.data.reading.extras import arrow
from maxsynth.data.tables import Column
from maxsynth.errors import MaxSynthError, Position
from maxsynth.kernel.batches import columns_of

NUMBER, TEXT, BINARY, YES_NO, DATE, TIME = "numbers", "text", "binary values", "yes/no", "dates", "times"
CLASS = {
    int: NUMBER,
    float: NUMBER,
    decimal.Decimal: NUMBER,
    str: TEXT,
    bytes: BINARY,
    bytearray: BINARY,
    memoryview: BINARY,
    bool: YES_NO,
    datetime.date: DATE,
    datetime.datetime: TIME,
}
SPELLED = (uuid.UUID, ipaddress.IPv4Address, ipaddress.IPv6Address)  # with one text each


class Gathered:
    """A column that comes in batches."""

    def __init__(self, name: str, *, untyped: bool) -> None:
        self.name = name
        self.untyped = untyped  # whether text may be numbers or dates
        self.parts: list[Any] = []
        self.classes: set[str] = set()

    def add(self, values: Sequence[Any]) -> None:
        types = set(map(type, values)) - {type(None)}
        if types and all(issubclass(one, SPELLED) for one in types):
            values, types = [None if value is None else str(value) for value in values], {str}
        if str in types and len(types) > 1:  # an empty text is no value
            values = [None if value == "" else value for value in values]
            types = set(map(type, values)) - {type(None)}
        self.classes |= {CLASS.get(one, f"values of the type {one.__name__}") for one in types}
        if len(self.classes) <= 1:  # otherwise it is an error, or left out
            self.parts.append(batch(values, types))

    def take(self, kind: type, array: Any) -> None:
        """Adds values of one type, which are in an array already."""
        self.classes.add(CLASS[kind])
        if len(self.classes) <= 1:
            self.parts.append(array)

    def done(self, notes: list[str], where: str) -> Column | TextColumn | LeftOut:
        """The column, once all batches were added. There is one class of values at most."""
        pa = arrow()
        if self.classes & {BINARY}:
            return LeftOut(self.name, BINARY)
        if unknown := self.classes - set(CLASS.values()):
            return LeftOut(self.name, min(unknown))
        kind = common_type({part.type for part in self.parts} - {pa.null()})
        # Not safe: integers beside reals may be larger than what a real can hold, and are rounded then.
        array = pa.chunked_array([part.cast(kind, safe=False) for part in self.parts], kind)
        large = self.classes == {NUMBER} and kind == pa.large_string()  # integers of more than 64 bits
        if large or (self.classes == {TEXT} and self.untyped):
            return text_column(self.name, array)
        return typed_column(self.name, array, notes, where)


def add_rows(columns: Sequence[Gathered], rows: list[tuple[Any, ...]]) -> None:
    """Adds some rows to all columns. Those with values of one plain type are written down by the kernel."""
    pa = arrow()
    types = {int: pa.int64(), float: pa.float64(), str: pa.large_string()}
    for place, (column, found) in enumerate(zip(columns, columns_of(rows, len(columns)), strict=True)):
        if found is None:
            column.add([row[place] for row in rows])
            continue
        kind, marks, values, ends = found
        buffers = (marks, values) if ends is None else (marks, ends, values)
        packed = [None if one is None else pa.py_buffer(one) for one in buffers]
        column.take(kind, pa.Array.from_buffers(types[kind], len(rows), packed))


def batch(values: Sequence[Any], types: set[type]) -> Any:
    """An array of one batch."""
    pa = arrow()
    if types == {int}:
        try:
            return pa.array(values, pa.int64())
        except (OverflowError, pa.ArrowInvalid):
            return pa.array([None if value is None else str(value) for value in values], pa.large_string())
    if types and types <= {int, float, decimal.Decimal}:
        if types != {float}:
            values = [None if value is None else float(value) for value in values]
        return pa.array(values, pa.float64())
    if types == {str}:
        return pa.array(values, pa.large_string())
    if types == {datetime.datetime}:
        zoned = any(value is not None and value.tzinfo is not None for value in values)
        return pa.array(values, pa.timestamp("us", "UTC" if zoned else None))
    if types == {bool}:
        return pa.array(values, pa.bool_())
    if types == {datetime.date}:
        return pa.array(values, pa.date32())
    return pa.nulls(len(values))  # nothing but nulls, or what is left out


def common_type(kinds: set[Any]) -> Any:
    """The type that holds all batches of a column, which all are of one class."""
    pa = arrow()
    if not kinds:
        return pa.null()
    if len(kinds) == 1:
        return next(iter(kinds))
    if pa.float64() in kinds:
        return pa.float64()
    if pa.large_string() in kinds:
        return pa.large_string()
    return pa.timestamp("us", "UTC")  # times with and without a zone


# -- mixed types ----------------------------------------------------------------------------------------------


def mixed(table: str, column: str, values: Callable[[], Iterable[Any]], place: Position) -> MaxSynthError:
    """The error for a column with values of several classes: it names the rows of those that are the fewest."""
    rows: dict[str, list[tuple[int, Any]]] = {}
    counts: dict[str, int] = {}
    for row, value in enumerate(values(), 1):
        if value is None or value == "":
            continue
        kind = CLASS.get(type(value), type(value).__name__)
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= 3:
            rows.setdefault(kind, []).append((row, value))
    few = min(counts, key=lambda kind: counts[kind])
    others = " and ".join(kind for kind in counts if kind != few)
    first = ", ".join(f"row {row}: {shown(value)}" for row, value in rows[few])
    more = f" and {counts[few] - len(rows[few])} more" if counts[few] > len(rows[few]) else ""
    return MaxSynthError(
        f"{table}.{column} has {others}, but also {few} ({first}{more})",
        place,
        f"correct these, or leave the column out (--leave-out {table}.{column})",
    )


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 30 else f"{text[:27]}..."
