"""DuckDB's files, with its own package: it gives Arrow's tables, so that no row becomes an object of Python.

(The dialect for SQLAlchemy asks for catalogues of PostgreSQL that DuckDB does not have.)
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from maxsynth.data.reading.columns import typed_column
from maxsynth.data.reading.databases.condition import Where, conditions
from maxsynth.data.reading.drafts import Draft, drafted
from maxsynth.data.reading.extras import arrow
from maxsynth.data.tables import ForeignKey
from maxsynth.errors import MaxSynthError, Position

MAGIC = b"DUCK"  # from the ninth byte on
TABLES = "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = current_schema()"
CONSTRAINTS = """
    SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names
    FROM duckdb_constraints() WHERE schema_name = current_schema() AND database_name = current_database()
    AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY table_name, constraint_index
"""


def read_duckdb(path: Path, where: Where, leave_out: Collection[str], notes: list[str]) -> list[Draft]:
    place = Position(str(path))
    try:
        import duckdb
    except ImportError:
        raise MaxSynthError("reading DuckDB needs its package", place, "pip install duckdb") from None
    try:
        with contextlib.closing(duckdb.connect(str(path), read_only=True)) as connection:
            return read_tables(connection, where, leave_out, notes, place)
    except duckdb.Error as error:
        said = " ".join(str(error).split())
        raise MaxSynthError(
            f"the database cannot be read: {said}", place, "check it, and that no other process has it open"
        ) from None


def read_tables(
    connection: Any, where: Where, leave_out: Collection[str], notes: list[str], place: Position
) -> list[Draft]:
    kinds = {name: kind for name, kind in sorted(connection.sql(TABLES).fetchall()) if name not in leave_out}
    condition = conditions(where, list(kinds), place)
    drafts = {name: read_table(connection, name, condition.get(name), leave_out, notes, place) for name in kinds}
    notes.extend(f"{name} is a view, which is read as a table" for name, kind in kinds.items() if kind == "VIEW")
    for table, kind, columns, other, to in connection.sql(CONSTRAINTS).fetchall():
        if table in drafts and kind == "PRIMARY KEY":
            drafts[table].key = tuple(columns)
        elif table in drafts:
            drafts[table].foreign_keys.append(ForeignKey(tuple(columns), other, tuple(to)))
    return list(drafts.values())


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def read_table(
    connection: Any, name: str, condition: str | None, leave_out: Collection[str], notes: list[str], place: Position
) -> Draft:
    import duckdb

    query = f"SELECT * FROM {quoted(name)}" + ("" if condition is None else f" WHERE ({condition}\n)")
    try:
        table = arrow().RecordBatchReader.from_stream(connection.sql(query)).read_all()
    except duckdb.Error as error:
        if condition is None:
            raise
        said = " ".join(str(error).split())
        raise MaxSynthError(f"the condition for {name} is wrong: {said}", place, "correct the SQL") from None
    columns = [
        typed_column(one, column, notes, f"{name}.{one}")
        for one, column in zip(table.column_names, table.columns, strict=True)
        if f"{name}.{one}" not in leave_out
    ]
    return drafted(name, columns, notes)
