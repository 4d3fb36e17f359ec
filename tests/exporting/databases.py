"""Databases that run what was exported: SQLite, DuckDB, PostgreSQL, each with tables of a test."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from maxsynth.data.tables import Kind

TYPES = {
    "sqlite": {
        Kind.TEXT: "TEXT", Kind.INTEGER: "INTEGER", Kind.REAL: "REAL", Kind.YES_NO: "BOOLEAN", Kind.DATE: "TEXT",
        Kind.TIME: "TEXT",
    },
    "postgresql": {
        Kind.TEXT: "VARCHAR(200)", Kind.INTEGER: "NUMERIC", Kind.REAL: "DOUBLE PRECISION", Kind.YES_NO: "BOOLEAN",
        Kind.DATE: "DATE", Kind.TIME: "TIMESTAMP",
    },
    "duckdb": {
        Kind.TEXT: "VARCHAR", Kind.INTEGER: "HUGEINT", Kind.REAL: "DOUBLE", Kind.YES_NO: "BOOLEAN", Kind.DATE: "DATE",
        Kind.TIME: "TIMESTAMP",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """A table: the kind of each column, and rows of values, with None for what is missing."""

    columns: Mapping[str, Kind]
    rows: Sequence[tuple[Any, ...]]


Tables = Mapping[str, Stored]


class Database(Protocol):
    dialect: str

    def load(self, tables: Tables) -> None:
        """Makes these tables, and drops those that were there."""

    def run(self, query: str) -> list[tuple[Any, ...]]:
        """The rows that a query gives."""


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def definition(name: str, table: Stored, dialect: str) -> str:
    columns = ", ".join(f"{quoted(one)} {TYPES[dialect][kind]}" for one, kind in table.columns.items())
    return f"CREATE TABLE {quoted(name)} ({columns})"


def insertion(name: str, table: Stored, mark: str) -> str:
    return f"INSERT INTO {quoted(name)} VALUES ({', '.join([mark] * len(table.columns))})"


class Sqlite:
    dialect = "sqlite"

    def load(self, tables: Tables) -> None:
        self.connection = sqlite3.connect(":memory:")
        for name, table in tables.items():
            self.connection.execute(definition(name, table, self.dialect))
            rows = [tuple(map(iso, row)) for row in table.rows]
            self.connection.executemany(insertion(name, table, "?"), rows)

    def run(self, query: str) -> list[tuple[Any, ...]]:
        return list(self.connection.execute(query))


def iso(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date) else value


class DuckDB:
    dialect = "duckdb"

    def __init__(self) -> None:
        import duckdb

        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        self.known: list[str] = []

    def load(self, tables: Tables) -> None:
        for name in self.known:
            self.connection.execute(f"DROP TABLE {quoted(name)}")
        self.known = list(tables)
        for name, table in tables.items():
            self.connection.execute(definition(name, table, self.dialect))
            if table.rows:
                self.connection.executemany(insertion(name, table, "?"), [list(row) for row in table.rows])

    def run(self, query: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(query).fetchall()


class PostgreSQL:
    """The zone of the session is far from UTC, so that no time is right by chance."""

    dialect = "postgresql"

    def __init__(self, url: str) -> None:
        import psycopg

        # Tables that it has no statistics of look large to it, and it would compile each query.
        self.connection = psycopg.connect(url, options="-c jit=off -c timezone=Asia/Tokyo")

    def load(self, tables: Tables) -> None:
        self.connection.rollback()
        for name, table in tables.items():
            self.connection.execute(definition(name, table, self.dialect).encode())
            with self.connection.cursor() as cursor:
                cursor.executemany(insertion(name, table, "\0").replace("%", "%%").replace("\0", "%s"), table.rows)

    def run(self, query: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(query.encode()).fetchall()
