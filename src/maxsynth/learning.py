"""What `maxsynth learn` does and prints."""

from __future__ import annotations

import dataclasses
import signal
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from maxsynth.errors import MaxSynthError
from maxsynth.memory import check_limit
from maxsynth.progress import make_display, say
from maxsynth.report import check_output, warn, write_json
from maxsynth.result import MEMORY, OPTIMAL, Result
from maxsynth.search.combine import MakeSolver
from maxsynth.search.loop import Search, Settings
from maxsynth.search.weighing import Weights
from maxsynth.task import Task
from maxsynth.undirected import without_directions

POOR = 0.8  # of the cost of the empty program


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
    steps: int | None,
    exact: bool,
    weights: tuple[int, int, int] | None,
    forbid_singletons: bool,
    ignore_directions: bool,
    json_file: str | None,
    quiet: bool,
    prolog: str,
    solver: str | None,
    solver_format: str,
    memory: int | None,
    constraints: bool,
    method: str,
) -> int:
    if steps is not None and solver is not None:
        raise MaxSynthError("the steps of --solver cannot be counted", remedy="use --timeout, or leave out --solver")
    chosen = choose_solver(solver, solver_format)
    check_limit(memory)
    if json_file not in (None, "-"):
        check_output(Path(json_file), list(folder.glob("*.pl")))
    limit = Settings(steps=steps, memory=memory).memory_limit
    with make_display(quiet):
        task = Task.from_folder(folder, prolog=prolog, memory=limit)
    if forbid_singletons:
        task.bias = dataclasses.replace(task.bias, singletons=False)
    if ignore_directions:
        task.bias = without_directions(task)
    settings = Settings(
        Weights(*(weights or ())),
        exact,
        timeout,
        steps,
        solver=chosen,
        memory=memory,
        constraints=constraints,
        method=method,
    )
    outcome = learn(task, settings, quiet=quiet) if weights else learn_with_best_weights(task, settings, quiet=quiet)
    result = outcome.result
    if json_file is not None:
        result.settings |= {"prolog": prolog, "directions": not ignore_directions}
        write_json(result.to_dict(folder), json_file)
    if json_file != "-":
        print(program_text(result))
    if not quiet:
        say("\n".join([summary(result), *outcome.advice]))
    if outcome.signal == signal.SIGINT:
        return 130
    return 1 if result.program is None else 0


def choose_solver(solver: str | None, solver_format: str) -> MakeSolver | None:
    """What `--solver` means: `clingo` is built in."""
    if solver is None:
        return None
    from maxsynth.search.core_guided import Clingo  # with the solver's own modules, which take their time to load
    from maxsynth.search.maxsat import SolverCommand

    return Clingo() if solver == Clingo().text else SolverCommand(solver, solver_format)


@dataclass(frozen=True)
class Outcome:
    """What a run found, the signal that ended it, if one did, and what to say when it found little."""

    result: Result
    signal: int | None
    advice: list[str]


def learn(task: Task, settings: Settings, *, quiet: bool = False) -> Outcome:
    """Runs a search in front of a person."""
    try:
        if not quiet:
            warn(task.warnings)
        with Interrupt() as interrupt, make_display(quiet) as display:
            search = Search(task, settings, display.note, lambda: interrupt.signal is not None)
            display.follow(search.now)
            result = search.run()
            return Outcome(result, interrupt.signal, [] if quiet else advice(task, settings, result))
    finally:
        task.background.close_engine()


def learn_with_best_weights(task: Task, settings: Settings, *, quiet: bool) -> Outcome:
    """Chooses the weights by cross-validation first; the limits count for both together."""
    if settings.exact:
        raise MaxSynthError("a program without errors has no use for --weights auto", remedy="leave out one of them")
    from maxsynth.cross_validation import choose_weights

    with Interrupt() as interrupt:
        choice = choose_weights(
            task, settings, interrupted=lambda: interrupt.signal is not None, tell=None if quiet else say
        )
    if not quiet:
        say(f"chosen in {choice.seconds:.2f} s: {','.join(map(str, dataclasses.astuple(choice.weights)))}")
        if choice.better_undirected:
            say("The directions in bias.pl seem to forbid better rules: --ignore-directions allows them.")
    left = settings.left_after(choice.seconds, choice.steps)
    if interrupt.signal is not None:
        left = dataclasses.replace(left, timeout=0.0)  # what was chosen so far is all there is
    outcome = learn(task, dataclasses.replace(left, weights=choice.weights), quiet=quiet)
    outcome.result.settings |= {**choice.to_dict(), "timeout": settings.timeout, "steps": settings.steps}
    outcome.result.seconds["weights"] = round(choice.seconds, 4)
    return outcome if interrupt.signal is None else dataclasses.replace(outcome, signal=interrupt.signal)


def advice(task: Task, settings: Settings, result: Result) -> list[str]:
    """What `maxsynth check` would say, when a search that came to its end found next to nothing."""
    empty = settings.weights.fn * int(task.positives.weights.sum())
    if result.status != OPTIMAL or (result.cost is not None and result.cost < POOR * empty):
        return []
    from maxsynth.checks.report import why_so_little

    warnings = why_so_little(task)
    if not warnings:
        return [
            "That is little, but `maxsynth check` finds nothing wrong: perhaps rules need other predicates or limits."
        ]
    return ["That is little. What `maxsynth check` would say:", *(f"  {warning}" for warning in warnings)]


def program_text(result: Result) -> str:
    if result.program is None:
        return "% no program without errors exists in this space" if result.status == OPTIMAL else "% none found"
    return str(result.program) or "% the empty program"


def summary(result: Result) -> str:
    if result.program is None or result.confusion is None:
        return f"{result.status}: {program_text(result)[2:]}"
    counts = result.confusion
    cut = result.counts.get("programs_cut", 0)
    note = f"; {cut} program{'s' * (cut > 1)} ran out of steps in the test, and count as far as that got" if cut else ""
    if result.status == MEMORY:
        note += "; --memory SIZE allows more"
    proven = "" if result.status == OPTIMAL else f", at least {result.lower_bound}"
    return (
        f"{result.status}: cost {result.cost}{proven} = size {result.program.size} and "
        f"{counts.fp} false positives, {counts.fn} false negatives, in {result.seconds['total']:.2f} s{note}"
    )
