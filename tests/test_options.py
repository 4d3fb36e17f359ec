"""Options in random combinations on random tasks of every kind, against brute force.

Each option is tested by itself elsewhere. Here they meet. Whatever they are, an optimum is the least cost, a run that
was cut says what is true, and what is recorded is what was asked for.

`python test_options.py SEED ...` in the folder of the tests runs single seeds again.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import maxsynth
from maxsynth.cli import main
from maxsynth.commands.learn import learn_with_best_weights
from maxsynth.commands.learn_options import choose_solver
from maxsynth.commands.signals import Interrupt
from maxsynth.logic.programs import Program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import INTERRUPTED, OPTIMAL, OUT_OF_STEPS, TIMEOUT
from maxsynth.search.settings import Settings
from maxsynth.search.weights.folds import HERE
from maxsynth.task.task import ReadTask
from maxsynth.task.undirected import without_directions
from maxsynth.verification.space import violations
from oracle.calling import CallingProgram
from oracle.random_options import AS_COMMAND, FROM_PYTHON, Case, Options, random_case, true_cost
from programs import as_program


@dataclass(frozen=True)
class Found:
    """What a run said, in the words of the brute force, however it was asked."""

    status: str
    cost: int | None
    lower_bound: int
    program: CallingProgram | None
    settings: dict[str, object]
    saved: Path | None  # for `verify`


def test_options_in_any_combination(
    tmp_path: Path, effort: Callable[[int, int], int], capsys: pytest.CaptureFixture[str]
) -> None:
    seen: Counter[str] = Counter()
    for seed in range(effort(50, 2000)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        seen.update(check(seed, folder))
        capsys.readouterr()  # what a failure shows is of the seed that failed
    # That all of it was met, cut runs and optima of several rules included.
    assert (
        min(seen[what] for what in ("optimal", "cut", "auto", "exact", "calls itself", "constraints", "of programs"))
        > 0
    ), seen


def check(seed: int, folder: Path) -> list[str]:
    """Runs one case and judges what comes out; says what was met."""
    case = random_case(random.Random(f"options {seed}"))
    said = f"seed {seed}: {case.describe()}\n"
    try:
        found = run(case, folder)
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}\n{said}") from error
    judge(case, found, folder, f"{found}\n{said}")
    return [
        "optimal" if found.status == OPTIMAL else "cut",
        "auto" if case.options.weights is None else "exact" if case.options.exact else "weights",
        *(["calls itself"] if found.program and as_program(found.program).calls_itself else []),
        *(["constraints"] if case.constraints and found.program else []),
        *(["of programs"] if case.program_constraints and found.program else []),
    ]


# -- running ------------------------------------------------------------------------------------------------


def run(case: Case, folder: Path) -> Found:
    case.task.write(folder / "task")
    how = {AS_COMMAND: run_command, FROM_PYTHON: run_python}.get(case.options.entrance, run_search)
    return how(case.options, folder)


def run_command(options: Options, folder: Path) -> Found:
    saved = folder / "result.json"
    status = main(["learn", str(folder / "task"), "--quiet", "--json", str(saved), *as_arguments(options)])
    result = read_saved(saved)
    assert status == (0 if result.program is not None else 1 if result.status == OPTIMAL else 3)
    return result


def as_arguments(options: Options) -> list[str]:
    arguments = [f"--prolog={options.prolog}", f"--method={options.method}"]
    if options.weights != (1, 1, 1):
        arguments.append(f"--weights={','.join(map(str, options.weights)) if options.weights else 'auto'}")
    if options.memory is not None:
        arguments.append(f"--memory={-(-options.memory // 1024)}K")
    for name in ("solver", "steps", "timeout"):
        if getattr(options, name) is not None:
            arguments.append(f"--{name}={getattr(options, name)}")
    for name in ("exact", "forbid_singletons", "ignore_directions"):
        if getattr(options, name):
            arguments.append(f"--{name.replace('_', '-')}")
    return arguments if options.constraints else [*arguments, "--no-constraints"]


def read_saved(saved: Path) -> Found:
    value = json.loads(saved.read_text())
    rules = value["rules"]
    program = None if rules is None else tuple(
        ((head["predicate"], len(head["args"])), tuple((lit["predicate"], tuple(lit["args"])) for lit in body))
        for head, *body in rules
    )  # fmt: skip
    return Found(value["status"], value["cost"], value["lower_bound"], program, value["settings"], saved)


def run_python(options: Options, folder: Path) -> Found:
    assert options.weights is not None
    task = maxsynth.Task.from_folder(folder / "task", prolog=options.prolog)
    told = Countdown(options.stop_after)
    result = maxsynth.learn(
        task,
        timeout=options.timeout,
        steps=options.steps,
        exact=options.exact,
        weights=options.weights,
        forbid_singletons=options.forbid_singletons,
        ignore_directions=options.ignore_directions,
        memory=options.memory,
        on_progress=lambda progress: not told.out(),
    )
    result.save(folder / "result.json")
    return read_saved(folder / "result.json")


class Countdown:
    """Somebody who wants to stop after being asked so many times."""

    def __init__(self, left: int | None) -> None:
        self.left = left

    def out(self) -> bool:
        if self.left is None:
            return False
        self.left -= 1
        return self.left < 0


def run_search(options: Options, folder: Path) -> Found:
    task = ReadTask.from_folder(folder / "task", prolog=options.prolog)
    if options.forbid_singletons:
        task = task.with_bias(replace(task.bias, singletons=False))
    if options.ignore_directions:
        task = without_directions(task)
    settings = Settings(
        Weights(*(options.weights or ())),
        options.exact,
        options.timeout,
        options.steps,
        solver=choose_solver(options.solver, "new"),
        memory=options.memory,
        tables=options.tables,
        constraints=options.constraints,
        method=options.method,
        without=options.without,
        directions=not options.ignore_directions,
        prolog=options.prolog,
    )
    try:
        if options.weights is None:
            result = learn_with_best_weights(task, settings, Interrupt(), HERE, started=time.monotonic(), quiet=True)
        else:
            result = Search(task, settings, interrupted=Countdown(options.stop_after).out).run()
    finally:
        task.background.close_engine()
    program = None if result.program is None else in_words(result.program)
    return Found(result.status, result.cost, result.lower_bound, program, result.settings, None)


def in_words(program: Program) -> CallingProgram:
    return tuple(
        ((rule.head.name, len(rule.head.args)), tuple((lit.name, tuple(map(int, lit.args))) for lit in rule.body))
        for rule in program.rules
    )


# -- judging ------------------------------------------------------------------------------------------------


def judge(case: Case, found: Found, folder: Path, said: str) -> None:
    options = case.options
    check_settings(case, found.settings, said)
    size, fp, fn = found.settings["weights"]  # type: ignore[misc]
    asked = case.asked((size, fp, fn))
    least = case.least_cost(asked.weights)
    assert found.status in possible(options), said
    if found.program is None:
        assert options.exact, said
        assert found.cost is None, said
        assert found.status != OPTIMAL or least is None, f"the least cost is {least}: {said}"
        return
    assert found.cost is not None, said
    assert least is not None, f"no program is exact: {said}"
    cost, wrong, missed = true_cost(asked, found.program)
    assert found.cost == cost, f"it costs {cost}: {said}"
    assert not options.exact or (wrong, missed) == (0, 0), said
    if found.status == OPTIMAL:
        assert found.cost == found.lower_bound == least, f"the least cost is {least}: {said}"
    elif options.exact:
        assert least <= found.cost, f"the least cost is {least}: {said}"
    else:
        assert found.lower_bound <= least <= found.cost, f"the least cost is {least}: {said}"
    check_space(case, found, folder, said)


def possible(options: Options) -> tuple[str, ...]:
    """The statuses that a run with these options may have."""
    return (
        OPTIMAL,
        *([OUT_OF_STEPS] if options.steps is not None else []),
        *([TIMEOUT] if options.timeout == 0 else []),
        *([INTERRUPTED] if options.stop_after is not None else []),
    )


def check_settings(case: Case, settings: dict[str, object], said: str) -> None:
    options = case.options
    expected = {
        "exact": options.exact,
        "timeout": options.timeout,
        "steps": options.steps,
        "singletons": case.task.singletons and not options.forbid_singletons,
        "solver": options.solver,
        "constraints": options.constraints,
        "directions": not options.ignore_directions,
        "method": options.method,
        "prolog": options.prolog,
    }
    if options.weights is not None:
        expected["weights"] = list(options.weights)
    else:
        assert "weights_auto" in settings, said
    recorded = {name: settings[name] for name in expected}
    assert recorded == expected, f"{recorded} is recorded: {said}"


def check_space(case: Case, found: Found, folder: Path, said: str) -> None:
    """Both judges of the space, and `verify`."""
    assert found.program is not None
    if found.saved is not None:
        assert main(["verify", str(found.saved)]) == 0, said
    bias = ReadTask.from_folder(folder / "task", prolog="builtin").bias
    bias = replace(bias, singletons=bias.singletons and not case.options.forbid_singletons)
    if case.options.ignore_directions:
        bias = replace(bias, directions={})
    assert violations(as_program(found.program), bias) == [], said


if __name__ == "__main__":
    for seed in map(int, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as base:
            check(seed, Path(base))
