"""What `maxsynth verify` does and prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maxsynth.commands.given import learned_from, learned_from_data
from maxsynth.errors import MaxSynthError, Position, one_line
from maxsynth.files import read_input
from maxsynth.search.result import OPTIMAL
from maxsynth.verification.simple_evaluator import STEPS
from maxsynth.verification.verify import OK, Check, Recorded, all_checks, read_result


def verify_command(result: Path, *, folder: Path | None, prolog: str | None, steps: int | None) -> int:
    text, file = read_input(result, "result")
    recorded = read_result(text, file)
    if recorded.data is not None and folder is None:
        return verify_data(recorded, recorded.data, file, prolog, steps)
    if folder is None and not recorded.task:
        raise MaxSynthError("this result was not learned from a folder", Position(file), "give one with --task FOLDER")
    folder = folder or Path(recorded.task)
    task = learned_from(recorded, folder, file, prolog or recorded.prolog)
    try:
        checks = [Check("task", OK, f"{folder}, unchanged"), *all_checks(recorded, task, prolog, steps or STEPS)]
    finally:
        task.background.close_engine()
    return report(recorded, checks)


def verify_data(recorded: Recorded, data: dict[str, Any], file: str, prolog: str | None, steps: int | None) -> int:
    """The same for a result that was learned from tables, with the data as it is now."""
    task = learned_from_data(recorded, data, file)
    place = Check("task", OK, f"{data.get('place')}, as it is now")
    return report(recorded, [place, *all_checks(recorded, task, prolog, steps or STEPS)])


def report(recorded: Recorded, checks: list[Check]) -> int:
    for check in checks:
        print(f"{check.verdict:6}  {check.name:11}  {one_line(check.text)}")
    failed = sum(check.verdict != OK for check in checks)
    print(f"{failed} of {len(checks)} checks failed" if failed else f"all {len(checks)} checks hold")
    if recorded.status == OPTIMAL:
        print("that no better program exists is what the search claims; it is not checked here")
    return 1 if failed else 0
