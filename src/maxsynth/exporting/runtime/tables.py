"""Rows from tables, and the command line."""

from __future__ import annotations

import csv
import datetime
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from maxsynth.exporting.runtime.relations import Relation

TABLES: dict[str, str] = {}


def covered(tables: Mapping[str, Iterable[Mapping[str, Any]]]) -> set[Any]:
    raise NotImplementedError


# -- how tables are read -------------------------------------------------------------------------------------------

MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--", ".")
Column = tuple[str, Callable[[Any], Any]]  # its name, and what its values are


def relation(table: Iterable[Mapping[str, Any]], *columns: Column, only: Any = None) -> Relation:
    """The rows of a table that have values in all these columns.

    `only`: those with this value in the last column, and without that.
    """
    found = []
    for number, row in enumerate(table, 1):
        values = [number if name == "#row" else value_of(row, name, kind) for name, kind in columns]
        if only is not None and values.pop() != only:
            continue
        if None not in values:
            found.append(tuple(values))
    return Relation(found)


def count(
    things: Iterable[Mapping[str, Any]], key: Column, table: Iterable[Mapping[str, Any]], by: Column, *value: Column,
    only: Any = None,
) -> Relation:  # fmt: skip
    """Each thing with the number of rows that lead to it; `only`: of those with this value in the last column."""
    numbers = {thing: 0 for (thing,) in relation(things, key)}
    for row in table:
        thing = value_of(row, *by)
        if thing in numbers and all(value_of(row, *one) == only for one in value):
            numbers[thing] += 1
    return Relation(numbers.items())


def value_of(row: Mapping[str, Any], name: str, kind: Callable[[Any], Any]) -> Any:
    """None where there is no value, or a word that says so."""
    value = row[name]
    if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, str) and kind is not text:
        value = value.strip()
        if value.lower() in MISSING:
            return None
    return kind(value)


def text(value: Any) -> str:
    return str(value)


def whole_number(value: Any) -> int:
    return int(value)


def number(value: Any) -> float:
    return float(value)


def yes_no(value: Any) -> bool:
    return value.lower() in ("true", "t", "yes", "y", "1") if isinstance(value, str) else bool(value)


def day(value: Any) -> datetime.date:
    return moment(value).date()


def moment(value: Any) -> datetime.datetime:
    """In UTC, where it has a time zone."""
    if isinstance(value, str):
        parts = re.fullmatch(r"(.{10})(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?)? ?(Z|[-+]\d\d(?::?\d\d)?)?", value)
        if parts is None:
            raise ValueError(f"{value!r} is no date or time")
        date, clock, fraction, zone = (part or "" for part in parts.groups())
        hours = zone.replace(":", "").replace("Z", "+00")[:3]
        minutes = zone.replace(":", "")[3:] or "00"
        written = f"{date} {clock or '00:00'}{f'{fraction:0<7}'[:7] if fraction else ''}"
        value = datetime.datetime.fromisoformat(written + (f"{hours}:{minutes}" if zone else ""))
    if not isinstance(value, datetime.datetime):
        return datetime.datetime(value.year, value.month, value.day)
    return value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if value.tzinfo else value


def main() -> None:
    """Reads tables from CSV files, and prints the keys that are covered."""
    given = [Path(argument) for argument in sys.argv[1:]]
    files = {path.stem: path for place in given for path in (place.glob("*.csv") if place.is_dir() else [place])}
    missing = [table for table in TABLES if table not in files]
    if missing:
        print(f"usage: {sys.argv[0]} FOLDER, or CSV files: {missing[0]}.csv is missing", file=sys.stderr)
        sys.exit(2)
    csv.field_size_limit(sys.maxsize)
    tables = {}
    for table in TABLES:
        with files[table].open(encoding="utf-8-sig", newline="") as file:
            tables[table] = list(csv.DictReader(file))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for key in sorted(covered(tables)):
        writer.writerow(key if isinstance(key, tuple) else [key])


if __name__ == "__main__":
    main()
