"""SQLite files, with the module that Python has. Known by their first bytes, whatever they are called.

Nothing is written, neither to the file nor beside it. A database in WAL mode is the difficult case: opening it, even
only to read, makes files beside it. So

- without a log that holds anything, nobody is writing: it is opened as immutable, and that it stayed so is checked;
- with a log and its index, another process has it open: it is read together with that one, as SQLite does;
- with a log alone, which a crash leaves, both are copied to a temporary folder and read there.

All tables are read in one transaction, so that they fit together while another process writes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from maxsynth.data.reading.columns import LeftOut, TextColumn
from maxsynth.data.reading.databases.condition import Where, conditions
from maxsynth.data.reading.databases.python_values import Gathered, add_rows, mixed
from maxsynth.data.reading.drafts import Draft, drafted
from maxsynth.data.tables import Column, ForeignKey, Kind
from maxsynth.errors import MaxSynthError, Position

MAGIC = b"SQLite format 3\0"
WAL_MODE = 2  # in the bytes 18 and 19
BATCH = 2_000  # rows: more of them would fill the cache, and keep the garbage collector busy
YES_NO_TYPES = ("BOOL", "BOOLEAN")
REMEDIES = {
    "locked": "another process writes to it: try again when that is done",
    "readonly": "a write was cut off: open it once with the sqlite3 command, which repairs it",
    "encrypted": "it is encrypted or damaged: check it with the sqlite3 command, PRAGMA integrity_check",
    "not a database": "it is encrypted or damaged: check it with the sqlite3 command, PRAGMA integrity_check",
    "malformed": "it is damaged: try the .recover command of sqlite3",
    "no such module": "it has a table of an extension of SQLite: leave that out",
    "unable to open": "check who may read the file and its folder",
}


def read_sqlite(path: Path, where: Where, leave_out: Collection[str], notes: list[str]) -> list[Draft]:
    place = Position(str(path))
    try:
        with opened(path, place) as connection:
            return read_tables(connection, where, leave_out, notes, place)
    except sqlite3.Error as error:
        raise problem(error, place) from None


def problem(error: sqlite3.Error, place: Position) -> MaxSynthError:
    said = str(error)
    remedy = next((remedy for word, remedy in REMEDIES.items() if word in said), "check the database")
    return MaxSynthError(f"the database cannot be read: {said}", place, remedy)


# -- opening --------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def opened(path: Path, place: Position) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write, in a transaction."""
    real = path.resolve()
    log, index = real.with_name(f"{real.name}-wal"), real.with_name(f"{real.name}-shm")
    with real.open("rb") as file:
        wal = WAL_MODE in file.read(20)[18:20]
    if not wal:
        with connected(real, "mode=ro") as connection:
            yield connection
    elif not log.exists() or not log.stat().st_size:
        before = state(real)
        with connected(real, "mode=ro&immutable=1") as connection:
            yield connection
        if state(real) != before:
            raise MaxSynthError("the database changed while it was read", place, "try again")
    elif index.exists():
        with connected(real, "mode=ro") as connection:
            yield connection
    else:
        with tempfile.TemporaryDirectory(prefix="maxsynth-") as folder:
            for one in (real, log):
                shutil.copyfile(one, Path(folder) / one.name)
            with connected(Path(folder) / real.name, "mode=ro") as connection:
                yield connection


def state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


@contextlib.contextmanager
def connected(path: Path, options: str) -> Iterator[sqlite3.Connection]:
    address = f"file:{quote(os.fsencode(path))}?{options}"
    with contextlib.closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        yield connection


# -- schema ---------------------------------------------------------------------------------------------------


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def table_names(connection: sqlite3.Connection) -> dict[str, str]:
    """Tables and views, and which they are, without those that SQLite keeps for itself."""
    found = dict(
        connection.execute(
            "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'"
        ).fetchall()
    )
    if sqlite3.sqlite_version_info >= (3, 37):  # the tables behind a virtual one are no data of their own
        hidden = connection.execute("SELECT name FROM pragma_table_list WHERE type = 'shadow'").fetchall()
        return {name: kind for name, kind in found.items() if (name,) not in hidden}
    return found


def declared_columns(connection: sqlite3.Connection, table: str) -> list[tuple[str, str, int]]:
    """Name, declared type, and place in the key (from 1, or 0) of each column."""
    rows = connection.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()
    return [(name, kind.upper(), key) for _, name, kind, _, _, key, hidden in rows if hidden != 1]


def declared_links(connection: sqlite3.Connection, table: str, schema: dict[str, list[Any]]) -> list[ForeignKey]:
    """Foreign keys. Names in them need not have the case of what they name, and the key may be left to be guessed."""
    found: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, _, other, own, to, *_ in connection.execute(f"PRAGMA foreign_key_list({quoted(table)})"):
        found.setdefault(number, []).append((other, own, to))
    links = []
    for number in sorted(found, reverse=True):  # SQLite counts from the last one
        parts = found[number]
        other = same_name(parts[0][0], list(schema))
        of_other = schema.get(other, [])
        key = [name for name, _, at in sorted(of_other, key=lambda one: one[2]) if at]
        to = [part[2] for part in parts]
        targets = key if None in to else [same_name(name, [one[0] for one in of_other]) for name in to if name]
        own = [same_name(part[1], [one[0] for one in schema[table]]) for part in parts]
        if len(targets) == len(own):
            links.append(ForeignKey(tuple(own), other, tuple(targets)))
    return links


def same_name(name: str, names: list[str]) -> str:
    return next((known for known in names if known.lower() == name.lower()), name)


# -- rows -----------------------------------------------------------------------------------------------------


def read_tables(
    connection: sqlite3.Connection, where: Where, leave_out: Collection[str], notes: list[str], place: Position
) -> list[Draft]:
    kinds = table_names(connection)
    schema = {name: declared_columns(connection, name) for name in kinds if name not in leave_out}
    condition = conditions(where, list(schema), place)
    drafts = []
    for table, columns in schema.items():
        draft = read_table(connection, table, columns, condition.get(table), leave_out, notes, place)
        if kinds[table] == "view":
            notes.append(f"{table} is a view, which is read as a table")
        draft.key = tuple(name for name, _, at in sorted(columns, key=lambda one: one[2]) if at)
        draft.foreign_keys = declared_links(connection, table, schema)
        drafts.append(draft)
    return drafts


def read_table(
    connection: sqlite3.Connection,
    table: str,
    columns: list[tuple[str, str, int]],
    condition: str | None,
    leave_out: Collection[str],
    notes: list[str],
    place: Position,
) -> Draft:
    wanted = [(name, kind) for name, kind, _ in columns if f"{table}.{name}" not in leave_out]
    gathered = [Gathered(name, untyped=True) for name, _ in wanted]
    if wanted:
        cursor = run(connection, select(table, wanted, condition), table, condition, place)
        try:
            while batch := cursor.fetchmany(BATCH):
                add_rows(gathered, batch)
        except sqlite3.OperationalError as error:
            if "decode" not in str(error):
                raise
            raise broken_text(connection, table, wanted, condition, place) from None
    done = []
    for column, (name, kind) in zip(gathered, wanted, strict=True):
        if len(column.classes) > 1:
            raise mixed(table, name, partial(values_of, connection, table, (name, kind), condition), place)
        done.append(with_declared(column.done(notes, f"{table}.{name}"), kind))
    return drafted(table, done, notes)


def run(
    connection: sqlite3.Connection, query: str, table: str, condition: str | None, place: Position
) -> sqlite3.Cursor:
    try:
        return connection.execute(query)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if condition is None:
            raise MaxSynthError(
                f"the table {table} cannot be read: {error}", place, f"leave it out (--leave-out {table})"
            ) from None
        raise MaxSynthError(f"the condition for {table} is wrong: {error}", place, "correct the SQL") from None


def select(table: str, columns: list[tuple[str, str]], condition: str | None) -> str:
    """The bytes of a binary value are not asked for: that it is one will do."""
    parts = [
        f"CASE typeof({quoted(name)}) WHEN 'blob' THEN x'' ELSE {quoted(name)} END"
        if "BLOB" in kind or not kind
        else quoted(name)
        for name, kind in columns
    ]
    query = f"SELECT {', '.join(parts)} FROM {quoted(table)}"
    return query if condition is None else f"{query} WHERE ({condition}\n)"


def values_of(
    connection: sqlite3.Connection, table: str, column: tuple[str, str], condition: str | None
) -> Iterator[Any]:
    for (value,) in connection.execute(select(table, [column], condition)):
        yield value


def with_declared(column: Column | TextColumn | LeftOut, kind: str) -> Column | TextColumn | LeftOut:
    """SQLite has no yes/no; a column that is declared so has 0 and 1."""
    if isinstance(column, Column) and column.kind is Kind.INTEGER and kind in YES_NO_TYPES:
        values = [int(value) for value in column.values]
        if set(values) <= {0, 1}:
            return Column(column.name, Kind.YES_NO, np.array(values, bool), column.codes)
    return column


def broken_text(
    connection: sqlite3.Connection, table: str, columns: list[tuple[str, str]], condition: str | None, place: Position
) -> MaxSynthError:
    """The error for text that is no UTF-8, with its column and row."""
    connection.text_factory = bytes
    for column in columns:
        for row, value in enumerate(values_of(connection, table, column, condition), 1):
            try:
                if isinstance(value, bytes):
                    value.decode()
            except UnicodeDecodeError:
                return MaxSynthError(
                    f"{table}.{column[0]} has text that is not UTF-8, in row {row}",
                    place,
                    f"correct it, or leave the column out (--leave-out {table}.{column[0]})",
                )
    return MaxSynthError(f"the table {table} has text that is not UTF-8", place, "correct it")
