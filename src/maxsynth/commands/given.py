"""The program that a command is given: in the JSON of a run, or in a file of rules."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import read_input
from maxsynth.logic.programs import Program, parse_program
from maxsynth.proofs.metrics import Weights
from maxsynth.verification.verify import read_result


class Given(NamedTuple):
    """A program, the folder of its task, its name in messages, and the weights that it was learned with."""

    program: Program
    folder: Path
    file: str
    weights: Weights


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
    if folder is None and not recorded.task:
        raise MaxSynthError("this result was not learned from a folder", Position(file), "name a task folder too")
    return Given(recorded.rules, folder or Path(recorded.task), file, Weights(*recorded.weights))
