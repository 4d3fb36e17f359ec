"""The benchmark of growth: its worlds are tasks with the rule that they claim, and its exponents are right."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from maxsynth.logic.programs import parse_program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.task.task import ReadTask

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))
import scale


@pytest.mark.parametrize(
    ("write", "size", "examples", "rule"),
    [
        (scale.write_things, 300, 300, "f(A) :- part(A,B), red(B), next(B,C), blue(C)."),
        (scale.write_graph, 1000, scale.GRAPH_EXAMPLES, "f(A) :- edge(A,B), red(B), edge(B,C), blue(C)."),
    ],
)
def test_only_the_wrong_labels_are_against_the_rule(
    tmp_path: Path, write: scale.Writer, size: int, examples: int, rule: str
) -> None:
    facts = write(tmp_path / "task", size, random.Random(1))
    task = ReadTask.from_folder(tmp_path / "task")
    assert facts == sum(len(table) for table in task.background.source.tables.values())
    counts = evaluate_program(parse_program(rule), task).confusion
    assert counts.tp + counts.fn + counts.tn + counts.fp == examples
    assert counts.fp + counts.fn == examples * scale.NOISE


def test_exponents() -> None:
    sizes = scale.sizes_up_to(100, 100_000)
    assert sizes == [100, 300, 1000, 3000, 10_000, 30_000, 100_000]
    for power in (0.5, 1.0, 2.0):
        assert scale.exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)
    assert scale.exponent(sizes, [9, 9, 9, 9, *sizes[4:]]) == pytest.approx(1)  # only the last decade counts


def test_a_run(tmp_path: Path) -> None:
    run = scale.measure(scale.write_things, 50, 1, tmp_path)
    assert (run.size, run.facts, run.status) == (50, 650, "optimal")
    assert 0 < run.stages["total"] < run.seconds


def test_the_memory_of_a_run(tmp_path: Path) -> None:
    """From a process of its own: what one starts counts as large as itself for a moment, and that of the tests is."""
    measured = "print(scale.measure(scale.write_things, 50, 1, pathlib.Path(sys.argv[2])).megabytes)"
    code = f"import pathlib, sys; sys.path.insert(0, sys.argv[1]); import scale; {measured}"
    folder = str(Path(scale.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", code, folder, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert 10 < float(done.stdout) < 1000
