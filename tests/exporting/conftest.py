"""Databases to run exported queries in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from data.postgres import server
from exporting.databases import Database, DuckDB, PostgreSQL, Sqlite


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    pytest.importorskip("psycopg")
    with server() as place:
        database = PostgreSQL(place)
        yield database
        database.connection.close()


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    if request.param == "postgresql":
        found: Database = request.getfixturevalue("postgres")
        return found
    if request.param == "duckdb":
        pytest.importorskip("duckdb")
        return DuckDB()
    return Sqlite()
