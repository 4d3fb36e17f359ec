"""What `maxsynth report` does: the page of a finished run, as one file that can be sent to others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from maxsynth.commands.evaluate import program_doubts
from maxsynth.commands.given import Given
from maxsynth.commands.output import warn
from maxsynth.commands.progress import say
from maxsynth.data.description import Description
from maxsynth.errors import MaxSynthError, Position
from maxsynth.exporting.export import subject_of_recorded
from maxsynth.files import check_output, read_input, write_text
from maxsynth.proofs.metrics import Weights
from maxsynth.studio.desk import Desk, Listing
from maxsynth.studio.report import report_page, told_of
from maxsynth.task.task import ReadTask
from maxsynth.verification.verify import Recorded, check_unchanged, read_result


def report_command(result: Path, folder: Path | None, *, output: str | None, prolog: str) -> int:
    text, file = read_input(result, "result")
    recorded = read_result(text, file)
    given = given_in(recorded, file, folder)
    if given.data is None:
        check_unchanged(recorded, given.folder, file)
    output = output or (str(result.with_suffix(".html")) if str(result) != "-" else "-")
    check_output(output, result, given.place)
    task = given.task(test=False, prolog=prolog)
    try:
        warn(task.warnings + program_doubts(given.program, task, file))
        description = None if given.data is None else Description.from_dict(given.data)
        desk = Desk(given.program, Listing(task, description), {}, given.weights)
        told = told_of(desk, subject_of_recorded(recorded, file), state_of(recorded, given, task))
    except MaxSynthError as error:
        error.at(Position(file))
        raise
    finally:
        task.background.close_engine()
    write_text(report_page(told), output)
    if output != "-" and sys.stderr is not None:
        say(f"written: {output}")
    return 0


def given_in(recorded: Recorded, file: str, folder: Path | None) -> Given:
    if recorded.rules is None:
        raise MaxSynthError("there is no program in this result", Position(file), "there is nothing to report")
    if folder is None and recorded.data is None and not recorded.task:
        raise MaxSynthError("this result was not learned from a folder", Position(file), "name a task folder too")
    data = recorded.data if folder is None else None
    return Given(recorded.rules, folder or Path(recorded.task), file, Weights(*recorded.weights), data)


def state_of(recorded: Recorded, given: Given, task: ReadTask) -> dict[str, Any]:
    """Where the run stood at its end, as the page has it while one runs."""
    run = recorded.run()
    name = Path(given.place).name if given.data is None else str(Description.from_dict(given.data).target)
    seconds = number(run.seconds.get("total")) or (run.trace[-1][0] if run.trace else 0.0)
    status = {
        "state": run.status,
        "stage": "",
        "seconds": seconds,
        "size": task.bias.max_body + 1,
        "tested": sum(int(number(run.counts.get(f"{what}_tested"))) for what in ("features", "conjunctions")),
        "pool": int(number(run.counts.get("pool"))),
        "cost": run.cost,
        "lower_bound": run.lower_bound,
        "problem": "",
    }
    return {
        "task": {
            "name": name,
            "place": "",  # where it is on this machine is nobody else's matter
            "target": str(task.bias.head),
            "positives": len(task.positives),
            "negatives": len(task.negatives),
            "data": given.data is not None,
            "warnings": list(task.warnings),
            "labels_file": "",
        },
        "run": {"number": 1, **status, "decisions": 0},
        "points": [*map(list, run.trace), [seconds, run.cost, run.lower_bound]],
        "program": [str(rule) for rule in given.program.rules],
        "shown": "1",
        "taken": False,
        "decisions": {},
        "runs": [],
    }


def number(value: object) -> float:
    """What a result counted, of which nothing was checked."""
    return value if isinstance(value, int | float) else 0.0
