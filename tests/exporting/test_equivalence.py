"""What is exported covers exactly what the program covers, by the evaluator of the search."""

from __future__ import annotations

import csv
import io
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import maxsynth
from exporting.databases import Database, Sqlite, iso
from exporting.test_facts import fact_text, prove
from exporting.worlds import Programs, Row, World, random_world, truth, written
from maxsynth.data.meaning import Form
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.counts import needed
from maxsynth.exporting.forms.python import python
from maxsynth.exporting.subject import Subject
from maxsynth.logic.programs import Program, parse_program
from maxsynth.prolog.writer import atom_text
from maxsynth.search.result import SearchResult

Effort = Callable[[int, int], int]
CANNOT_BE_SAID = ("calls itself twice", "holds for everything", "different kinds")


class Example(NamedTuple):
    program: Program
    subject: Subject
    asked: list[Row]
    covered: set[Row]

    def check(self, rows: Iterable[Row], text: str) -> None:
        listed = list(rows)
        assert len(listed) == len(set(listed)), f"twice the same\n{text}"
        assert set(listed) & set(self.asked) == self.covered, f"{self.program}\n{text}"
        if self.subject.meanings[self.subject.target].form is Form.FLAG:
            assert set(listed) <= set(self.asked), f"what is no key of the table\n{text}"


def examples(count: int, seed: str) -> Iterator[tuple[World, list[Example]]]:
    """Worlds, each with some programs and what they cover."""
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        world = random_world(rng)
        programs = Programs(rng, world)
        facts = world.facts()
        found = []
        for _ in range(6):
            about = rng.choice(["things", "things", "things", "pairs", "cells"])
            program, asked = programs.program(about), world.asked(about)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(Example(program, world.subject(program, about), asked, truth(program, facts, asked)))
        yield world, found


def test_sql(database: Database, effort: Effort) -> None:
    said = 0
    for world, programs in examples(effort(20, 2000), "sql"):
        database.load(world.tables)
        for example in programs:
            query = query_of(example.subject, database.dialect)
            if query is not None:
                example.check(database.run(query), query)
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
    for world, programs in examples(effort(20, 2000), "python"):
        tables = {
            name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            for name, table in world.tables.items()
        }
        for example in programs:
            text = python(example.subject)
            names: dict[str, Any] = {}
            exec(compile(text, "exported", "exec"), names)
            example.check([key if isinstance(key, tuple) else (key,) for key in names["covered"](tables)], text)


def test_python_in_a_process(tmp_path: Path) -> None:
    """With tables as CSV files, without anything installed."""
    for world, programs in examples(3, "process"):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name, table in world.tables.items():
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(table.columns)
                writer.writerows([iso(value) for value in row] for row in table.rows)
        for number, example in enumerate(programs[:3]):
            text = written(example.subject, "python")
            (folder / f"rules{number}.py").write_text(text, encoding="utf-8")
            command = [sys.executable, "-I", f"rules{number}.py", "."]
            done = subprocess.run(command, cwd=folder, capture_output=True, check=True, encoding="utf-8")
            assert done.stderr == ""
            rows = {tuple(row) for row in csv.reader(io.StringIO(done.stdout, newline=""))}
            asked, wanted = ({tuple(map(str, row)) for row in part} for part in (example.asked, example.covered))
            assert rows & asked == wanted, f"{example.program}\n{text}"


@pytest.mark.swipl
def test_prolog(tmp_path: Path, effort: Effort) -> None:
    for world, programs in examples(effort(5, 100), "prolog"):
        for example in programs[:3]:
            text = written(example.subject, "prolog")
            assert prove(tmp_path, needed_facts(world, example), text, example.asked) == example.covered, text


def needed_facts(world: World, example: Example) -> str:
    """The facts that the exported Prolog says that it needs."""
    return fact_text({one.predicate: world.rows(one) for one in needed(example.subject)})


def test_prolog_without_swipl(effort: Effort) -> None:
    """By the interpreter that comes with MaxSynth, which has no library(aggregate), and no tabling."""
    count = "aggregate_all(count,Goal,N) :- findall(x,Goal,Xs), length(Xs,M), N = M.\n"
    asking = parse_program("asked(A) :- covered(A).", "test")
    run = SearchResult("optimal", asking, 0, 0, None, {"prolog": "builtin"})
    counted = 0
    for world, programs in examples(effort(25, 300), "prolog"):
        for example in programs:
            if not example.subject.counts or example.subject.target.arity != 1:
                continue
            text = written(example.subject, "prolog")
            if ":- table" in text:
                continue
            counted += 1
            lines = [line for line in text.split("\n") if not line.startswith((":- dynamic", "%"))]
            background = "\n".join([count, needed_facts(world, example), *lines])
            known = {one.split("(")[0] for one in background.split("\n")}
            background += "".join(
                f":- dynamic({atom_text(one.predicate)}/{one.arity}).\n"
                for one in needed(example.subject)
                if atom_text(one.predicate) not in known
            )
            verdicts = maxsynth.Result(run, None).predict(
                [("asked", *row) for row in example.asked], background=background
            )
            covered = {row for row, verdict in zip(example.asked, verdicts, strict=True) if verdict}
            assert covered == example.covered, text
    assert counted > 20


def test_errors_are_caught(effort: Effort) -> None:
    """Each of these mistakes in an export would be seen by the tests above."""
    mistakes = {
        "less than for at most": lambda query: query.replace(" <= ", " < "),
        "more than for at least": lambda query: query.replace(" >= ", " > "),
        "rows counted twice": lambda query: query.replace("DISTINCT ", "").replace("UNION", "UNION ALL"),
        "empty texts are values": lambda query: query.replace(" <> ''", " IS NOT NULL"),
        "nulls are values": lambda query: query.replace(" IS NOT NULL", " IS NOT 0.123"),
        "a rule is missing": lambda query: query.split("\nUNION\n")[0].rstrip(";"),
        "dates as they are stored": lambda query: query.replace(" >= '19", " >= '20"),
        "the wrong flag": lambda query: query.replace(" = 1\n", " = 0\n"),
        "all rows are counted": lambda query: re.sub(r"(COUNT.* WHERE \S+ = \S+) AND [^)]*\)", r"\1)", query),
        "rows of all things are counted": lambda query: re.sub(
            r"(COUNT.* WHERE) \S+ = \S+?( AND|\))", r"\1 1 = 1\2", query
        ),
        "joins without conditions": lambda query: re.sub(r"(?m)^(JOIN .*?) ON .*?(;?)$", r"\1 ON 1 = 1\2", query),
    }
    caught: dict[str, int] = dict.fromkeys(mistakes, 0)
    database = Sqlite()
    for world, programs in examples(40, "sql"):
        database.load(world.tables)
        for example in programs:
            query = query_of(example.subject, "sqlite")
            if query is None or "WITH" in query:  # there, a mistake may not end
                continue
            for name, change in mistakes.items():
                rows = database.run(change(query))
                caught[name] += len(rows) != len(set(rows)) or set(rows) & set(example.asked) != example.covered
    assert all(caught.values()), caught
