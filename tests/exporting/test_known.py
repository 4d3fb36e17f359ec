"""Exports of rules that use known pairs of their own target: a pair does not count for itself, wherever they run."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from data.pair_worlds import KNOWN, THINGS, Graph, Pair, covered, random_graph, random_program
from exporting.databases import Database, Sqlite, Stored
from exporting.souffle import run as run_souffle
from exporting.test_facts import fact_text
from exporting.worlds import written
from maxsynth.cli import main
from maxsynth.data.meaning import Argument, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.exporting.export import subjects_of_file
from maxsynth.exporting.subject import Subject, subject_of_meanings
from maxsynth.logic.programs import Program, parse_program

pytest.importorskip("pyarrow")

Effort = Callable[[int, int], int]
SIDES = (Argument("subject", Kind.TEXT, None, "thing"), Argument("object", Kind.TEXT, None, "thing"))
TARGET = Meaning("r", Form.RELATION, "r", SIDES)
MEANINGS = (
    Meaning(KNOWN, Form.RELATION, "r", SIDES, known=True),
    *(Meaning(name, Form.RELATION, name, SIDES) for name in ("p", "q")),
)


def subject_of(program: Program) -> Subject:
    return subject_of_meanings(program, TARGET, MEANINGS, {}, "a test", "sqlite")


def examples(count: int, seed: str) -> Iterator[tuple[Graph, Program, set[Pair]]]:
    """Graphs with a program each, and what that covers of all pairs."""
    pairs = [(one, other) for one in THINGS for other in THINGS]
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        graph, program = random_graph(rng), random_program(rng)
        yield graph, program, covered(program, {**graph, KNOWN: graph["r"]}, pairs)


def stored(graph: Graph) -> dict[str, Stored]:
    return {name: Stored({"subject": Kind.TEXT, "object": Kind.TEXT}, pairs) for name, pairs in graph.items()}


def test_sql(database: Database, effort: Effort) -> None:
    for graph, program, wanted in examples(effort(60, 3000), "sql"):
        database.load(stored(graph))
        query = written(subject_of(program), "sql", database.dialect)
        rows = database.run(query)
        assert len(rows) == len(set(rows))
        assert set(rows) == wanted, query


def test_python(effort: Effort) -> None:
    for graph, program, wanted in examples(effort(60, 3000), "python"):
        assert run_python(subject_of(program), graph) == wanted, program


def run_python(subject: Subject, graph: Graph) -> set[Pair]:
    text = written(subject, "python")
    names: dict[str, Any] = {}
    exec(compile(text, "exported", "exec"), names)
    found: set[Pair] = names["covered"](
        {name: [{"subject": a, "object": b} for a, b in pairs] for name, pairs in graph.items()}
    )
    return found


def test_datalog(effort: Effort) -> None:
    for graph, program, wanted in examples(effort(60, 1000), "datalog"):
        text = written(subject_of(program), "datalog")
        assert run_souffle(text, {**graph, KNOWN: graph["r"], "r": []}) == wanted, text


@pytest.mark.swipl
def test_prolog(tmp_path: Path, effort: Effort) -> None:
    pairs = [(one, other) for one in THINGS for other in THINGS]
    for graph, program, wanted in examples(effort(5, 100), "prolog"):
        text = written(subject_of(program), "prolog")
        facts = fact_text({KNOWN: graph["r"], "p": graph["p"], "q": graph["q"]})
        assert proven(tmp_path, facts, text, pairs) == wanted, text


def proven(folder: Path, facts: str, program: str, pairs: list[Pair]) -> set[Pair]:
    from exporting.test_facts import prove

    renamed = f"{program}\n:- dynamic covered/2.\ncovered(X, Y) :- r(X, Y).\n"
    return prove(folder, facts, renamed, pairs)  # type: ignore[arg-type, return-value]


def test_the_pair_itself_would_be_seen(effort: Effort) -> None:
    """Without the tests that pairs are others, queries give more."""
    database, more = Sqlite(), 0
    for graph, program, wanted in examples(150, "sql"):
        database.load(stored(graph))
        lines = written(subject_of(program), "sql", "sqlite").removesuffix("\n").removesuffix(";").split("\n")
        kept = [line for line in lines if not (line.startswith("  AND") and "<>" in line and "''" not in line)]
        more += set(database.run("\n".join(kept))) > wanted
    assert more > 30


def test_in_words() -> None:
    text = written(subject_of(parse_program(f"r(A,B) :- {KNOWN}(A,C), {KNOWN}(D,C), p(D,B).")), "english")
    assert text.endswith("What is known of a pair itself does not count for it.\n")
    assert written(subject_of(parse_program("r(A,B) :- p(A,C), q(C,B).")), "english").count("\n") == 2


def test_what_was_learned(tmp_path: Path) -> None:
    """With the known pairs in its table, an export covers the same examples as in the search."""
    rng = random.Random(9)
    people = [f"p{number}" for number in range(40)]
    likes = {(one, other) for one in people for other in rng.sample(people, 4) if one != other}
    graph = {"likes": sorted({*likes, *((b, a) for a, b in likes if rng.random() < 0.9)}), "near": []}
    graph["near"] = [tuple(rng.sample(people, 2)) for _ in range(60)]  # type: ignore[misc]
    file, result = tmp_path / "graph.txt", tmp_path / "result.json"
    file.write_text("".join(f"{a}\t{name}\t{b}\n" for name, pairs in graph.items() for a, b in pairs))
    command = ["learn", str(file), "--target", "likes", "--quiet", "--max-vars", "3", "--max-body", "2"]
    assert main([*command, "--json", str(result)]) == 0
    kept = json.loads(result.read_text())
    assert any("known_likes" in rule for rule in kept["program"])
    from maxsynth.data.description import Description
    from maxsynth.data.reading.open_data import open_data
    from maxsynth.data.task import make_task

    task = make_task(open_data(file), Description.from_dict(kept["data"])).read()
    store = task.background.store
    known, positives, negatives = (
        [tuple(store.term(one).name for one in row) for row in rows.tolist()]  # type: ignore[union-attr]
        for rows in (task.background.source.tables["known_likes", 2].rows(), task.positives.rows, task.negatives.rows)
    )
    (subject,) = subjects_of_file(result.read_text(), str(result))
    with_known: Graph = {"likes": known, "near": graph["near"]}  # type: ignore[dict-item]
    database = Sqlite()
    database.load(stored(with_known))
    for found in (set(database.run(written(subject, "sql"))), run_python(subject, with_known)):
        assert len(found & set(positives)) == kept["tp"]
        assert len(found & set(negatives)) == kept["fp"]
