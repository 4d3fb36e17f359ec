"""Results that were recorded elsewhere, such as the paper's, beside ours.

The file is JSON: for each task `means`, by system, with `accuracy` and `seconds` (`mean`, `standard_error`, `trials`),
and under a system's name what it found in single trials (`accuracy`, and `mdl` for its cost).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maxsynth.bench.report.contents import OURS
from maxsynth.bench.report.grouping import Measure, Results, balanced_accuracy, cost, seconds
from maxsynth.bench.report.statistics import Mean
from maxsynth.bench.report.tables import NONE, Cell, Table
from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import open_regular

# Our names of systems, and what the recorded results call what corresponds to them.
NAMES = {"no-constraints": "maxsynth-without-constraints", "exact": "popper-2", "consistent": "popper-2"}

Recorded = dict[str, Any]


def load(path: Path) -> Recorded:
    try:
        found = json.loads(open_regular(path, Position(str(path))).read())
    except OSError as error:
        raise MaxSynthError(f"cannot be read: {error.strerror}", Position(str(path)), "check --recorded") from None
    except ValueError:
        raise MaxSynthError("this is no JSON", Position(str(path)), "check --recorded") from None
    if not isinstance(found, dict) or not all(isinstance(entry, dict) for entry in found.values()):
        raise MaxSynthError("these are no recorded results", Position(str(path)), "it must be an object of tasks")
    return found


def mean_of(recorded: Recorded, task: str, system: str, what: str) -> Mean | None:
    entry = recorded.get(task, {}).get("means", {}).get(NAMES.get(system, system), {}).get(what)
    return None if entry is None else Mean(entry["mean"], entry["standard_error"], entry["trials"])


def tables(results: Results, recorded: Recorded) -> Iterator[Table]:
    """Theirs and ours in neighbouring columns."""
    systems = [
        system
        for system in results.systems
        if any(mean_of(recorded, task, system, "accuracy") for task in results.tasks)
    ]
    if OURS in systems:
        yield against_paper(results, recorded)
    for key, title, measure, what, digits in (
        ("recorded-accuracy", "Accuracy, recorded and ours", balanced_accuracy, "accuracy", 1),
        ("recorded-time", "Learning time, recorded and ours", seconds, "seconds", None),
    ):
        columns = [f"{system}, {whose}" for system in systems for whose in ("recorded", "ours")]
        rows = [
            side_by_side(results, recorded, task, systems, measure, what, digits) for task in known(results, recorded)
        ]
        notes = ["Recorded times are from another machine."] if what == "seconds" else []
        notes += [f"Recorded for {ours}: {theirs}." for ours, theirs in NAMES.items() if ours in systems]
        yield Table(key, title, ["task", *columns], rows, notes)


def known(results: Results, recorded: Recorded) -> list[str]:
    return [task for task in results.tasks if task in recorded]


def side_by_side(
    results: Results, recorded: Recorded, task: str, systems: list[str], measure: Measure, what: str, digits: int | None
) -> list[Cell]:
    row = [Cell(task)]
    for system in systems:
        theirs, ours = mean_of(recorded, task, system, what), results.mean(task, system, measure)
        row += [Cell.of(theirs, digits=digits), Cell.of(ours, digits=digits)]
    return row


def against_paper(results: Results, recorded: Recorded) -> Table:
    """Accuracy and cost on the same trials, where single trials are recorded; and on all of theirs."""
    rows, short = [], []
    for task in known(results, recorded):
        theirs, ours = mean_of(recorded, task, OURS, "accuracy"), results.mean(task, OURS, balanced_accuracy)
        alike = same_trials(results, recorded, task, "accuracy")
        basis = alike or theirs
        row = [Cell(task), Cell.of(theirs), Cell.of(alike), Cell.of(ours)]
        row += [Cell.of(same_trials(results, recorded, task, "mdl")), Cell.of(results.mean(task, OURS, cost))]
        if ours is None or basis is None:
            rows.append([*row, Cell(NONE)])
            continue
        missing = basis.value - max(basis.error, ours.error) - ours.value
        if missing > 1e-9:
            short.append(task)
        rows.append([*row, Cell(f"short by {missing:.1f}", bold=True) if missing > 1e-9 else Cell("yes")])
    columns = [
        "task",
        "recorded, all trials",
        "recorded, these trials",
        "ours",
        "recorded cost",
        "our cost",
        "at least theirs",
    ]
    notes = [
        "Balanced accuracy of MaxSynth; `at least theirs` compares with the same trials where they are recorded, up to "
        "one standard error (the larger of both).",
        f"Falls short on {len(short)} of {len(rows)} tasks{': ' + ', '.join(short) if short else ''}.",
    ]
    return Table("against-paper", "MaxSynth here and in the recorded results", columns, rows, notes)


def same_trials(results: Results, recorded: Recorded, task: str, what: str) -> Mean | None:
    """The mean of what is recorded for the trials that we ran; None unless all of them are."""
    single = recorded[task].get(OURS, {})
    values = [single.get(str(record["trial"]), {}).get(what) for record in results.runs(task, OURS)]
    return Mean.of([float(value) for value in values]) if all(value is not None for value in values) else None
