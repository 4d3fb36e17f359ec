"""What `maxsynth evaluate` does and prints, and what other commands need of it."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError, Position, listed, one_line
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluator import STEPS, Evaluator
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.weighing import Weights
from maxsynth.task.task import Task


@dataclass(frozen=True)
class Evaluation:
    """A program's test on a task."""

    program: Program
    confusion: Confusion
    wrong: int  # what the false positives weigh
    missed: int  # what the false negatives weigh
    unfinished: int
    steps: int
    covered: tuple[NDArray[np.bool_], NDArray[np.bool_]] = field(repr=False, compare=False)  # positives, negatives
    weights: Weights = field(default_factory=Weights)

    @property
    def cost(self) -> int:
        weights = self.weights
        return weights.size * self.program.size + weights.fp * self.wrong + weights.fn * self.missed

    def to_dict(self) -> dict[str, object]:
        counts = self.confusion
        return {
            "program": [str(rule) for rule in self.program.rules],
            "size": self.program.size,
            "tp": counts.tp,
            "fn": counts.fn,
            "tn": counts.tn,
            "fp": counts.fp,
            "cost": self.cost,
            "weights": list(astuple(self.weights)),
            "accuracy": counts.accuracy,
            "balanced_accuracy": counts.balanced_accuracy,
            "precision": counts.precision,
            "recall": counts.recall,
            "unfinished": self.unfinished,
            "steps": self.steps,
        }


def evaluate_program(program: Program, task: Task, steps: int = STEPS) -> Evaluation:
    """Tests a program on all examples of a task."""
    evaluator = Evaluator(task.background, task.bias.head, steps)
    result = evaluator.coverage(program, np.concatenate([task.positives.rows, task.negatives.rows]))
    pos, neg = np.split(result.covered, [len(task.positives)])
    tp, fp = int(pos.sum()), int(neg.sum())
    return Evaluation(
        program.executable(task.bias.directions),
        Confusion(tp, len(task.positives) - tp, len(task.negatives) - fp, fp),
        int(task.negatives.weights[neg].sum()),
        int(task.positives.weights[~pos].sum()),
        int(result.unfinished.sum()),
        result.steps,
        (pos, neg),
    )


# -- maxsynth evaluate --------------------------------------------------------------------------------------


def evaluate(
    program_path: Path, folder: Path | None, *, test: bool, prolog: str, steps: int | None, json_file: str | None
) -> int:
    from maxsynth.commands.explain import read_program

    program, folder, file, weights = read_program(program_path, folder, what="program", to="test")
    if json_file not in (None, "-"):
        check_output(Path(json_file), [program_path, *folder.glob("*.pl"), *folder.glob("test/*.pl")])
    task = Task.from_folder(folder, test=test, prolog=prolog)
    try:
        warn(task.warnings + program_doubts(program, task, file))
        result = replace(evaluate_program(program, task, steps or STEPS), weights=weights)
    except MaxSynthError as error:
        error.position = error.position or Position(file)
        raise
    finally:
        task.background.close_engine()
    if result.unfinished:
        examples = "1 example" if result.unfinished == 1 else f"{result.unfinished} examples"
        warn([f"{examples} ran out of {steps or STEPS} steps, taken as not covered (see --steps)"])
    if json_file != "-":
        print(evaluation_text(result), flush=True)
    if json_file is not None:
        write_json({"task": str(folder), "test": test, "prolog": prolog, **result.to_dict()}, json_file)
    return 0


def program_doubts(program: Program, task: Task, file: str) -> list[str]:
    """Warnings about a program that the task's files do not fit; an error when it is for another target."""
    target = task.bias.head
    if program.rules and target not in program.defined:
        names = listed(sorted(str(predicate) for predicate in program.defined))
        raise MaxSynthError(
            f"the program defines {names} but not {target}, which the task is about",
            Position(file),
            "check that program and task belong together",
        )
    called = dict.fromkeys(literal.predicate for rule in program.rules for literal in rule.body)
    return [
        f"{file}: neither the program nor BK defines {predicate}, so it is never true"
        for predicate in called
        if predicate not in program.defined and not task.background.defines(predicate)
    ]


def evaluation_text(result: Evaluation) -> str:
    counts = result.confusion
    width = max(len(str(count)) for count in (counts.tp, counts.fn, counts.tn, counts.fp, "not covered"))
    lines = [
        str(result.program) or "(the empty program)",
        "",
        f"{'':10}{'covered':>{width}}  {'not covered':>{width}}",
        f"{'positive':10}{counts.tp:>{width}}  {counts.fn:>{width}}",
        f"{'negative':10}{counts.fp:>{width}}  {counts.tn:>{width}}",
        "",
    ]
    measures = {
        "accuracy": counts.accuracy,
        "balanced accuracy": counts.balanced_accuracy,
        "precision": counts.precision,
        "recall": counts.recall,
    }
    lines += [f"{name:18} {'-' if value is None else f'{value:.4f}'}" for name, value in measures.items()]
    weights = "" if result.weights == Weights() else f" (weights {','.join(map(str, astuple(result.weights)))})"
    lines += [f"{'size':18} {result.program.size}", f"{'cost':18} {result.cost}{weights}"]
    return "\n".join(lines)


def check_output(path: Path, inputs: list[Path]) -> None:
    """Raises an error, before any work is done, when a result cannot or should not be written to this path."""
    place = Position(str(path))
    if path.is_dir():
        raise MaxSynthError("this is a folder, not a file", place, "name a file in it")
    real = path if is_device(path) else Path(os.path.realpath(path))
    if not real.parent.is_dir():
        raise MaxSynthError("there is no such folder to write to", place, f"make {real.parent} first")
    if not os.access(real if real.exists() else real.parent, os.W_OK):
        raise MaxSynthError("no permission to write it", place, "choose another place")
    if not is_device(real) and not os.access(real.parent, os.W_OK):  # where a new file is made, to take its place
        raise MaxSynthError("no permission to write to its folder", place, "choose another place")
    if path.exists() and any(path.samefile(used) for used in inputs if used.exists()):
        raise MaxSynthError("this is an input and would be overwritten", place, "choose another name")


def is_device(path: Path) -> bool:
    """Whether it is something that is written to and not replaced: a device or a pipe."""
    return path.exists() and not path.is_file()


def write_json(value: dict[str, object], file: str) -> None:
    write_text(json.dumps(value, indent=1) + "\n", file)


def write_text(text: str, file: str) -> None:
    """Writes a file as a whole or, when that fails, not at all: what was there before stays."""
    path = Path(file)
    try:
        if file == "-" or is_standard_output(path):
            sys.stdout.write(text)
        elif is_device(path):
            path.write_text(text, encoding="utf-8")
        else:
            put_in_place(Path(os.path.realpath(path)), text)
    except OSError as error:
        raise MaxSynthError(f"cannot be written: {error.strerror}", Position(file), "choose another place") from None


def is_standard_output(path: Path) -> bool:
    """Whether a path leads to the file that standard output goes to, as /dev/stdout does: that must not be replaced."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def put_in_place(path: Path, text: str) -> None:
    """Makes a new file beside the old one, complete and on the disk, and then puts it in its place."""
    part = path.with_name(f".maxsynth-{os.urandom(8).hex()}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(path.stat().st_mode & 0o7777)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def warn(messages: list[str]) -> None:
    for message in messages:
        print(f"maxsynth: warning: {one_line(message)}", file=sys.stderr)
