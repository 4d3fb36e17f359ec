"""Limits: a search may be ended after any step, with an answer that is right and can be had again."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import maxsynth
from maxsynth.bench.domains.catalogue import make
from maxsynth.cli import main
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.proofs.metrics import Weights
from maxsynth.search import limits, settings
from maxsynth.search.choose import combine, core_guided
from maxsynth.search.limits import Limits
from maxsynth.search.loop import Search
from maxsynth.search.result import INTERRUPTED, OPTIMAL, OUT_OF_STEPS, TIMEOUT, SearchResult
from maxsynth.search.settings import METHODS, Settings
from maxsynth.search.weights.cross_validation import choose_weights
from maxsynth.task.task import ReadTask
from oracle.calling_tasks import random_calling_task
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

AUTO, FEATURES, ASP = METHODS
Capture = pytest.CaptureFixture[str]


def learn(folder: Path, **settings: object) -> SearchResult:
    return Search(ReadTask.from_folder(folder, prolog="builtin"), Settings(**settings)).run()  # type: ignore[arg-type]


def learned(result: SearchResult) -> tuple[object, ...]:
    """All that a result says but its times and its settings."""
    costs = [(cost, lower) for _, cost, lower in result.trace]
    return str(result.program), result.status, result.cost, result.lower_bound, result.counts, costs


def some_task(kind: str, seed: int) -> SmallTask:
    rng = random.Random(seed)
    if kind in METHODS:
        return random_task(rng, most_bodies=200)
    return random_calling_task(rng, invention=kind == "invention", most_programs=800)


@pytest.mark.parametrize("kind", [FEATURES, ASP, "recursion", "invention"])
def test_ended_after_any_step(tmp_path: Path, effort: Callable[[int, int], int], kind: str) -> None:
    """What is said then is true: the optimum is between the bounds, and the program costs what it is said to cost."""
    end_after_any_step(tmp_path, effort, kind)


@pytest.mark.parametrize("kind", [FEATURES, "recursion"])
def test_ended_after_any_step_where_clingo_chooses_the_rules(
    tmp_path: Path, effort: Callable[[int, int], int], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does when there is no room for the shares of the lower bound."""
    monkeypatch.setattr(combine, "MOST_SHARES", -1)
    monkeypatch.setattr(core_guided, "DECISIONS", 1)
    monkeypatch.setattr(limits.time, "monotonic", erratic_clock())
    end_after_any_step(tmp_path, effort, kind)


def end_after_any_step(tmp_path: Path, effort: Callable[[int, int], int], kind: str) -> None:
    stopped = 0
    for seed in range(6_000_000, 6_000_000 + effort(2 if kind == "invention" else 4, 300)):
        task = some_task(kind, seed)
        task.write(tmp_path)
        settings = {
            "method": kind if kind in METHODS else AUTO, "exact": task.exact, "weights": Weights(*task.weights)
        }  # fmt: skip
        whole = learn(tmp_path, **settings)
        assert whole.status == OPTIMAL
        last = whole.counts["steps"]
        before: int | None = None
        for steps in sorted({*range(1, min(last, 12)), *random.Random(seed).sample(range(1, last + 2), min(last, 12))}):
            result = learn(tmp_path, **settings, steps=steps)
            assert learned(result) == learned(learn(tmp_path, **settings, steps=steps))
            said = f"{kind}, seed {seed}, {steps} of {last} steps: {learned(result)}\n{task.describe()}"
            assert result.counts["steps"] <= steps, said
            assert result.status in (OPTIMAL, OUT_OF_STEPS), said
            if steps >= last:
                assert learned(result) == learned(whole), said
            if result.status == OPTIMAL:
                assert result.cost == whole.cost, said
            stopped += result.status == OUT_OF_STEPS
            if result.cost is not None:
                assert whole.cost is not None, said
                assert result.lower_bound <= whole.cost <= result.cost, said
                assert before is None or result.cost <= before, said
                assert result.program is not None, said
                assert result.cost == true_cost(result.program, tmp_path, Weights(*task.weights)), said
                before = result.cost
            else:
                assert task.exact, said
                assert before is None, said
    assert stopped


def true_cost(program: Program, folder: Path, weights: Weights) -> int:
    task = ReadTask.from_folder(folder, prolog="builtin")
    evaluator = Evaluator(task.background, task.bias.head)
    missed, wrong = (
        int(side.weights[evaluator.coverage(program, side.rows).covered == covered].sum())
        for side, covered in ((task.positives, False), (task.negatives, True))
    )
    return weights.size * program.size + weights.fp * wrong + weights.fn * missed


# -- what no limit of seconds can do ------------------------------------------------------------------------


@pytest.fixture(params=["zendo3-30", "reverse-10", "evens-20"])
def hard(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A task whose search takes more than a thousand steps."""
    make(request.param, 0, 1, test=20).write(tmp_path / "hard")
    return tmp_path / "hard"


def erratic_clock() -> Callable[[], float]:
    rng = random.Random(1)
    clock = [time.monotonic()]

    def erratic() -> float:
        clock[0] += rng.choice((0.0, 1e-6, 3.0))
        return clock[0]

    return erratic


def test_neither_time_nor_the_machine_matters(hard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = learn(hard, steps=1000)
    assert (first.status, first.counts["steps"]) == (OUT_OF_STEPS, 1000)
    monkeypatch.setattr(limits.time, "monotonic", erratic_clock())
    monkeypatch.setattr(settings, "half_the_memory", lambda: 1 << 16)
    assert learned(learn(hard, steps=1000, timeout=1e9)) == learned(first)


def test_chosen_weights_too(tmp_path: Path) -> None:
    make("iggp-rps-20", 0, 1, test=20).write(tmp_path / "task")
    task = ReadTask.from_folder(tmp_path / "task")
    settings = Settings(steps=2000)
    choice, again = choose_weights(task, settings), choose_weights(task, settings)
    assert replace(choice, seconds=0.0) == replace(again, seconds=0.0)
    assert any(score.cut for score in choice.scores)
    assert 0 < choice.steps <= 1000
    left = settings.left_after(choice.seconds, choice.steps)
    assert (left.steps, left.timeout) == (2000 - choice.steps, None)


def test_which_limit_ended_a_search() -> None:
    asked = Limits(None, 2, lambda: False)
    assert [asked() for _ in range(4)] == [False, False, True, True]
    assert asked.steps == 2
    assert Limits(0.0, None, lambda: False).reached()
    waiting = Limits(None, 5, lambda: True)
    assert waiting.reached()
    assert waiting.steps == 0


# -- how it is asked for ------------------------------------------------------------------------------------

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_vars(1).\nmax_body(2).\n"
BK = "p(a). p(b). p(c). q(a). q(d).\n"
EXS = "pos(f(a)). pos(f(b)). pos(f(c)). neg(f(d)).\n"


def test_on_the_command_line(make_task: Callable[..., Path], tmp_path: Path, capsys: Capture) -> None:
    folder, file = make_task(BIAS, BK, EXS), tmp_path / "result.json"
    assert main(["learn", str(folder), "--steps", "1", "--json", str(file)]) == 0
    assert "out-of-steps: cost" in capsys.readouterr().err
    recorded = json.loads(file.read_text())
    assert (recorded["status"], recorded["settings"]["steps"], recorded["counts"]["steps"]) == ("out-of-steps", 1, 1)
    assert main(["verify", str(file)]) == 0
    assert "no better program" not in capsys.readouterr().out
    assert main(["learn", str(folder), "--steps", "100000", "--json", str(file)]) == 0
    assert json.loads(file.read_text())["status"] == OPTIMAL


@pytest.mark.parametrize("given", [["--steps", "0"], ["--steps", "many"], ["--steps", "5", "--solver", "clingo"]])
def test_bad_values(given: list[str], make_task: Callable[..., Path], capsys: Capture) -> None:
    try:
        status = main(["learn", str(make_task(BIAS, BK, EXS)), *given])
    except SystemExit as ended:  # as argparse does
        status = int(str(ended.code))
    assert status == 2
    assert "positive integer" in (said := capsys.readouterr().err) or "cannot be counted (use --timeout" in said


def test_from_python(make_task: Callable[..., Path]) -> None:
    task = maxsynth.Task.from_folder(make_task(BIAS, BK, EXS))
    result = maxsynth.learn(task, steps=1)
    assert result.status == OUT_OF_STEPS
    assert maxsynth.learn(task).status == OPTIMAL
    seen: list[int] = []
    # With no rule that tells much, the first is not the last.
    bk = "".join(f"p{j}(a{i}). " for i in range(40) for j in range(6) if (i * i + 3 * i * j + j) % 7 < 4)
    exs = "".join(f"{'pos' if i * i % 11 < 6 else 'neg'}(f(a{i})). " for i in range(40))
    task = maxsynth.Task.from_folder(
        make_task("head_pred(f,1)." + "".join(f"body_pred(p{j},1)." for j in range(6)), bk, exs)
    )
    assert maxsynth.learn(task, on_progress=lambda progress: bool(seen.append(progress.steps))).status == INTERRUPTED
    assert seen
    assert maxsynth.learn(task, timeout=0).status == TIMEOUT
    for bad in (0, -1, 2.5, True):
        with pytest.raises(maxsynth.MaxSynthError, match="give a positive integer"):
            maxsynth.learn(task, steps=bad)  # type: ignore[arg-type]
