"""Tables for tests: from lists of values, and from SQLite files by a reader of a few lines."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from maxsynth.data.tables import NULL, Column, Data, ForeignKey, Kind, Table

KINDS = {str: Kind.TEXT, int: Kind.INTEGER, float: Kind.REAL, bool: Kind.YES_NO}


def column(name: str, values: Iterable[Any], kind: Kind | None = None) -> Column:
    listed = list(values)
    types = {type(value) for value in listed if value is not None} or {str}
    if types == {int, float}:
        types, listed = {float}, [None if value is None else float(value) for value in listed]
    found = kind or KINDS[types.pop()]
    places: dict[Any, int] = {}
    codes = [NULL if value is None else places.setdefault(value, len(places)) for value in listed]
    distinct: Any = list(places) if found is Kind.TEXT else np.array(list(places))
    return Column(name, found, distinct, np.array(codes, np.int32))


def table(
    name: str, columns: Mapping[str, Iterable[Any]], key: Sequence[str] = (), links: Sequence[ForeignKey] = ()
) -> Table:
    return Table(name, tuple(column(one, values) for one, values in columns.items()), tuple(key), tuple(links))


def data(*tables: Table, form: str = "python") -> Data:
    return Data("<tables>", form, {one.name: one for one in tables})


def read_sqlite(path: str | Path) -> Data:
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = {}
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        if name.startswith("sqlite_"):
            continue
        info = database.execute(f'PRAGMA table_info("{name}")').fetchall()
        rows = database.execute(f'SELECT * FROM "{name}"').fetchall()
        columns = {row[1]: [values[place] for values in rows] for place, row in enumerate(info)}
        key = [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]]
        links = [
            ForeignKey((link[3],), link[2], (link[4],))
            for link in database.execute(f'PRAGMA foreign_key_list("{name}")').fetchall()
        ]
        tables[name] = table(name, columns, key, links)
    return Data(str(path), "sqlite", tables)
