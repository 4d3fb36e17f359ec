"""What `maxsynth learn` does and prints."""

from __future__ import annotations

import dataclasses
import signal
from pathlib import Path
from types import FrameType

from maxsynth.progress import make_display, say
from maxsynth.report import check_output, warn, write_json
from maxsynth.result import OPTIMAL, Result
from maxsynth.search.combine import MakeSolver
from maxsynth.search.core_guided import Clingo
from maxsynth.search.loop import Search, Settings
from maxsynth.search.maxsat import SolverCommand
from maxsynth.search.weighing import Weights
from maxsynth.task import Task


class Interrupt:
    """Turns Ctrl-C and SIGTERM into a flag, so that a run ends with the best so far. A second Ctrl-C ends at once."""

    def __init__(self) -> None:
        self.signal: int | None = None

    def __enter__(self) -> Interrupt:
        self.before = {number: signal.signal(number, self.note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def note(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number


def learn_command(
    folder: Path,
    *,
    timeout: float | None,
    exact: bool,
    weights: tuple[int, int, int],
    forbid_singletons: bool,
    json_file: str | None,
    quiet: bool,
    prolog: str,
    solver: str | None,
    solver_format: str,
    memory: int | None,
    constraints: bool,
    method: str,
) -> int:
    chosen = choose_solver(solver, solver_format)
    if json_file not in (None, "-"):
        check_output(Path(json_file), list(folder.glob("*.pl")))
    with make_display(quiet):
        task = Task.from_folder(folder, prolog=prolog)
    if forbid_singletons:
        task.bias = dataclasses.replace(task.bias, singletons=False)
    settings = Settings(
        Weights(*weights), exact, timeout, solver=chosen, memory=memory, constraints=constraints, method=method
    )
    result, interrupted = learn(task, settings, quiet=quiet)
    if json_file is not None:
        result.settings["prolog"] = prolog
        write_json(result.to_dict(folder), json_file)
    if json_file != "-":
        print(program_text(result))
    if not quiet:
        say(summary(result))
    if result.program is None:
        return 1
    return 130 if interrupted == signal.SIGINT else 0


def choose_solver(solver: str | None, solver_format: str) -> MakeSolver | None:
    """What `--solver` means: `clingo` is built in."""
    if solver is None:
        return None
    if solver == Clingo().text:
        return Clingo()
    return SolverCommand(solver, solver_format)


def learn(task: Task, settings: Settings, *, quiet: bool = False) -> tuple[Result, int | None]:
    """Runs a search in front of a person; returns what it found, and the signal that ended it, if one did."""
    try:
        if not quiet:
            warn(task.warnings)
        with Interrupt() as interrupt, make_display(quiet) as display:
            search = Search(task, settings, display.note, lambda: interrupt.signal is not None)
            display.follow(search.now)
            return search.run(), interrupt.signal
    finally:
        task.background.close_engine()


def program_text(result: Result) -> str:
    if result.program is None:
        return "% no program without errors exists in this space" if result.status == OPTIMAL else "% none found"
    return str(result.program) or "% the empty program"


def summary(result: Result) -> str:
    if result.program is None or result.confusion is None:
        return f"{result.status}: {program_text(result)[2:]}"
    counts = result.confusion
    cut = result.counts.get("programs_cut", 0)
    note = f"; the tests of {cut} programs ran out of steps, and count as far as they got" if cut else ""
    proven = "" if result.status == OPTIMAL else f", at least {result.lower_bound}"
    return (
        f"{result.status}: cost {result.cost}{proven} = size {result.program.size} and "
        f"{counts.fp} false positives, {counts.fn} false negatives, in {result.seconds['total']:.2f} s{note}"
    )
