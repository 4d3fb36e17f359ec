"""Datalog for Souffle: with Souffle where it is installed, and else with a reader of what exports use of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exporting.souffle import run
from exporting.test_equivalence import examples
from exporting.test_facts import Case
from exporting.worlds import written
from maxsynth.data.meaning import Meaning
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.forms.datalog import DatalogExport, quoted
from maxsynth.exporting.subject import Subject
from maxsynth.logic.predicates import Predicate

Effort = Callable[[int, int], int]
Facts = dict[str, list[tuple[Any, ...]]]


def named(subject: Subject, rows: Callable[[Meaning], list[tuple[Any, ...]]]) -> Facts:
    """The facts by the names that the relations have in Datalog."""
    export = DatalogExport(subject)
    return {export.names[Predicate(one.predicate, one.arity)]: rows(one) for one in export.needed}


def test_tables(effort: Effort) -> None:
    for world, programs in examples(effort(25, 1000), "datalog"):
        for example in programs:
            text = written(example.subject, "datalog")
            rows = run(text, named(example.subject, world.rows))
            assert rows & set(example.asked) == example.covered, f"{example.program}\n{text}"


def test_facts(effort: Effort) -> None:
    for number in range(effort(40, 2000)):
        case = Case(f"datalog {number}")
        text = written(case.subject, "datalog")
        rows = run(text, named(case.subject, case.rows))
        assert rows & set(case.asked) == case.covered, f"{case.program}\n{text}"


@pytest.mark.skipif(shutil.which("souffle") is None, reason="Souffle is not installed")
def test_souffle_itself(tmp_path: Path) -> None:
    """With facts that fit into its files: no tabs or line breaks, and numbers of 32 bits."""
    for number in range(10):
        case = Case(f"souffle {number}")
        facts = named(case.subject, case.rows)
        if any(
            (isinstance(v, str) and "\n" in v) or v in (2**53 + 1, 1e20)
            for rows in facts.values()
            for r in rows
            for v in r
        ):
            continue
        for name, rows in facts.items():
            lines = ("\t".join(map(str, row)) for row in rows)
            (tmp_path / f"{name}.facts").write_text("".join(f"{line}\n" for line in lines))
        (tmp_path / "rules.dl").write_text(written(case.subject, "datalog"))
        subprocess.run(["souffle", "-F", ".", "-D", ".", "rules.dl"], cwd=tmp_path, check=True)
        rows = {tuple(line.split("\t")) for line in (tmp_path / "covered.csv").read_text().splitlines()}
        assert rows & set(case.asked) == case.covered


def test_what_souffle_cannot_write() -> None:
    with pytest.raises(MaxSynthError, match="control character"):
        quoted("\x01")
