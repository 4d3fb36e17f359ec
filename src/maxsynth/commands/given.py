"""The program that a command is given, in the JSON of a run or in a file of rules, and the task that it is for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import read_input
from maxsynth.logic.programs import Program, parse_program
from maxsynth.proofs.metrics import Weights
from maxsynth.task.labels import NO_LABELS, Labels
from maxsynth.task.task import ReadTask
from maxsynth.verification.verify import Recorded, check_unchanged, read_result


class Given(NamedTuple):
    """A program, the folder of its task, its name in messages, the weights that it was learned with, and the
    description of the data that it was learned from, if it was: then there is no folder."""

    program: Program
    folder: Path
    file: str
    weights: Weights
    data: dict[str, Any] | None = None
    labels: Labels = NO_LABELS  # what was decided about labels before it was learned
    recorded: Recorded | None = None  # the result that it is from; None for a file of rules

    @property
    def place(self) -> str:
        """Where its task is, or the data."""
        return str(self.folder) if self.data is None else str(self.data.get("place", ""))

    def task(self, *, test: bool, prolog: str) -> ReadTask:
        if self.data is None:
            task = ReadTask.from_folder(self.folder, test=test, prolog=prolog)
            return task if test else self.labels.apply(task)
        if test:
            raise MaxSynthError("--test is for task folders", Position(self.file), "use predict for other data")
        from maxsynth.commands.tables.given import task_again

        return self.labels.apply(task_again(self.data, self.file))


def read_program(path: Path, folder: Path | None, *, what: str = "result", to: str = "explain") -> Given:
    """The program of a result, or of a file of rules; and the folder of its task."""
    text, file = read_input(path, what)
    if not text.lstrip().startswith("{"):
        if folder is None:
            raise MaxSynthError(
                "a file of rules does not say what it is for", Position(file), "name the task folder too"
            )
        return Given(parse_program(text, file), folder, file, Weights())
    recorded = read_result(text, file)
    if recorded.rules is None:
        raise MaxSynthError("there is no program in this result", Position(file), f"there is nothing to {to}")
    weights, labels = Weights(*recorded.weights), recorded.labels(file)
    if folder is None and recorded.data is not None:
        return Given(recorded.rules, Path(), file, weights, recorded.data, labels, recorded)
    if folder is None and not recorded.task:
        raise MaxSynthError("this result was not learned from a folder", Position(file), "name a task folder too")
    labels = labels if folder is None else NO_LABELS
    return Given(recorded.rules, folder or Path(recorded.task), file, weights, None, labels, recorded)


def learned_from(recorded: Recorded, folder: Path, file: str, prolog: str) -> ReadTask:
    """The task of a result as it was learned from: unchanged, with the same labels and limits of rules."""
    check_unchanged(recorded, folder, file)
    task = ReadTask.from_folder(folder, prolog=prolog, overrides=recorded.overrides)
    inferred = recorded.inferred(file)
    if inferred:
        from maxsynth.data.infer_folder import with_inferred

        task = with_inferred(task, inferred, prolog)
    return recorded.labels(file).apply(task)


def learned_from_data(recorded: Recorded, data: dict[str, Any], file: str) -> ReadTask:
    """The same for a result that was learned from tables, with the data as it is now."""
    from maxsynth.commands.tables.given import task_again

    return recorded.labels(file).apply(task_again(data, file, overrides=recorded.overrides))
