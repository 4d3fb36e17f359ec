"""What is exported covers exactly what the program covers, by the evaluator of the search."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from data.postgres import server
from exporting.databases import Database, DuckDB, PostgreSQL, Sqlite
from exporting.worlds import Programs, World, random_world, truth
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.export import written
from maxsynth.exporting.forms.python import python
from maxsynth.exporting.subject import Subject
from maxsynth.logic.programs import Program

Effort = Callable[[int, int], int]
CANNOT_BE_SAID = ("calls itself twice", "holds for everything", "different kinds")


def examples(count: int, seed: str) -> Iterator[tuple[World, list[tuple[Program, bool, set[tuple[Any, ...]]]]]]:
    """Worlds, each with some programs, whether these are about pairs, and what they cover."""
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        world = random_world(rng)
        programs = Programs(rng, world)
        facts = world.facts()
        found = []
        for _ in range(6):
            pairs = rng.random() < 0.25
            program = programs.program(pairs)
            keys = world.key_values()
            asked = list(product(keys, keys)) if pairs else [(key,) for key in keys]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append((program, pairs, truth(program, facts, asked)))
        yield world, found


@pytest.fixture(scope="module")
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


def test_sql(database: Database, effort: Effort) -> None:
    said = 0
    for world, programs in examples(effort(40, 2000), "sql"):
        database.load(world.tables)
        for program, pairs, covered in programs:
            query = query_of(world.subject(program, pairs), database.dialect)
            if query is None:
                continue
            rows = database.run(query)
            assert len(rows) == len(set(rows)), f"twice the same\n{query}"
            keys = set(world.key_values())
            assert {row for row in rows if keys.issuperset(row)} == covered, f"{program}\n{query}"
            assert pairs or keys.issuperset(key for (key,) in rows), query
            said += 1
    assert said > 100


def query_of(subject: Subject, dialect: str) -> str | None:
    """The query; None where SQL is known not to be able to say it."""
    try:
        return written(subject, "sql", dialect)
    except MaxSynthError as error:
        if any(reason in error.message for reason in CANNOT_BE_SAID):
            return None
        raise


def test_python(effort: Effort) -> None:
    for world, programs in examples(effort(40, 2000), "python"):
        tables = {
            name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            for name, table in world.tables.items()
        }
        for program, pairs, covered in programs:
            text = python(world.subject(program, pairs))
            names: dict[str, Any] = {}
            exec(compile(text, "exported", "exec"), names)
            found = {key if isinstance(key, tuple) else (key,) for key in names["covered"](tables)}
            keys = set(world.key_values())
            assert {row for row in found if keys.issuperset(row)} == covered, f"{program}\n{text}"
