"""Results that were learned from tables: their programs with what these mean, and their tasks made again from the
data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maxsynth.bias.bias import NO_OVERRIDES, Overrides
from maxsynth.data.conform import conform
from maxsynth.data.description import Description, Role
from maxsynth.data.prediction import Learned
from maxsynth.data.task import make_task
from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import read_input
from maxsynth.task.task import ReadTask
from maxsynth.verification.verify import Recorded, read_results


def read_learned(result: Path) -> list[Learned]:
    """The programs of a result that was learned from tables, with one for each value where there are several."""
    text, file = read_input(result, "result")
    return [learned(recorded, file) for recorded in read_results(text, file)]


def learned(recorded: Recorded, file: str) -> Learned:
    if recorded.data is None:
        raise MaxSynthError(
            "this result was not learned from tables",
            Position(file),
            "learn from data with --target; for task folders there is evaluate",
        )
    if recorded.rules is None:
        raise MaxSynthError("there is no program in this result", Position(file), "there is nothing to predict")
    right, wrong = recorded.counts["tp"] or 0, recorded.counts["fp"] or 0
    return Learned(recorded.rules, description_in(recorded.data, file), (right + 1) / (right + wrong + 2))


def description_in(data: dict[str, Any], file: str) -> Description:
    """The description of the data that a result in this file was learned from."""
    try:
        return Description.from_dict(data)
    except MaxSynthError as error:
        error.at(Position(file))
        raise


def task_again(data: dict[str, Any], file: str, overrides: Overrides = NO_OVERRIDES) -> ReadTask:
    """The task that a result in this file was learned from, made of the data as it is now."""
    from maxsynth.data.reading.open_data import open_data

    description = description_in(data, file)
    where = {description.target.table: description.where} if description.where else None
    used = {
        table.name: {one.name for one in table.columns if one.role is not Role.LEFT_OUT or one.name in table.key}
        for table in description.tables
    }
    now = conform(open_data(description.place, where=where), description, used)
    return make_task(now, description).read(overrides=overrides)
