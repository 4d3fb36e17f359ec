"""What `maxsynth evaluate` does and prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, replace
from pathlib import Path

from maxsynth.commands.given import read_program
from maxsynth.commands.output import warn
from maxsynth.errors import MaxSynthError, Position, listed
from maxsynth.files import check_output, write_json
from maxsynth.logic.programs import Constant, Program, variable_names
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.proofs.evaluation import Evaluation, evaluate_program
from maxsynth.proofs.evaluator import STEPS
from maxsynth.proofs.metrics import Weights
from maxsynth.task.task import ReadTask


def evaluate_command(
    program_path: Path, folder: Path | None, *, test: bool, prolog: str, steps: int | None, json_file: str | None
) -> int:
    given = read_program(program_path, folder, what="program", to="test")
    program, file, weights = given.program, given.file, given.weights
    check_output(json_file, program_path, given.place)
    task = given.task(test=test, prolog=prolog)
    try:
        warn(task.warnings + program_doubts(program, task, file))
        result = replace(evaluate_program(program, task, steps or STEPS), weights=weights)
    except MaxSynthError as error:
        error.at(Position(file))
        raise
    finally:
        task.background.close_engine()
    if result.unfinished:
        examples = "1 example" if result.unfinished == 1 else f"{result.unfinished} examples"
        warn([f"{examples} ran out of {steps or STEPS} steps, taken as not covered (see --steps)"])
    if json_file != "-":
        print(evaluation_text(result), flush=True)
    if json_file is not None:
        write_json({"task": given.place, "test": test, "prolog": prolog, **result.to_dict()}, json_file)
    return 0


def program_doubts(program: Program, task: ReadTask, file: str) -> list[str]:
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
    doubts = [
        f"{file}: neither the program nor BK defines {predicate}, so it is never true"
        for predicate in called
        if predicate not in program.defined and not task.background.defines(predicate)
    ]
    return doubts + [f"{file}: {doubt}" for doubt in number_doubts(program, task)]


def number_doubts(program: Program, task: ReadTask) -> Iterator[str]:
    """Comparisons and sums of what is no number: `C >= 2*3` is not computed, as Prolog would."""
    for rule in program.rules:
        for literal in rule.body:
            if literal.predicate in program.defined or not task.background.is_built_in(literal.predicate):
                continue
            for arg in literal.args:
                if isinstance(arg, Constant) and not isinstance(parse_term(arg.text).term, int | float):
                    yield f"{arg.text} is no number, and so `{literal.text(variable_names(rule))}` is never true"


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
    lines += [f"{'size':18} {result.size}", f"{'cost':18} {result.cost}{weights}"]
    return "\n".join(lines)
