"""What `maxsynth check` does and prints."""

from __future__ import annotations

from pathlib import Path

from maxsynth.bias.bias import Overrides
from maxsynth.checks.report import examine
from maxsynth.files import check_output, write_json
from maxsynth.task.task import ReadTask


def check_command(folder: Path, *, prolog: str, json_file: str | None, overrides: Overrides) -> int:
    check_output(json_file, folder)
    task = ReadTask.from_folder(folder, prolog=prolog, overrides=overrides)
    try:
        report = examine(task, str(folder / "exs.pl"))
    finally:
        task.background.close_engine()
    if json_file != "-":
        print(report, flush=True)
    if json_file is not None:
        write_json({"task": str(folder), **report.to_dict()}, json_file)
    return 0
