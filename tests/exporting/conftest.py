"""Databases to run exported queries in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from data.postgres import available, running
from exporting.databases import Database, DuckDB, PostgreSQL, Sqlite


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    pytest.importorskip("psycopg")
    if not available():
        pytest.skip("there is no PostgreSQL on this machine")
    with running() as server:
        database = PostgreSQL(server.url())
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
