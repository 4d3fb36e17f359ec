"""The front against brute force: for every size the fewest errors, with all that is proven on the way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from maxsynth.cli import main
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.choose.problem import Problem, make_problem
from maxsynth.search.coverage import Pool, pack
from maxsynth.search.front import by_pool
from maxsynth.search.front.front import FrontSearch
from maxsynth.search.front.known import KnownFront
from maxsynth.search.front.result import Front
from maxsynth.search.front.values import make_values
from maxsynth.search.result import OPTIMAL
from maxsynth.search.settings import Settings
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask
from oracle.calling_tasks import random_calling_task
from oracle.fronts import calling_front_of, front_of
from oracle.learned_rules import answer
from oracle.learned_tasks import random_learned_task
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

LARGE = 40  # more literals than a small task has use for


def front(task: SmallTask, folder: Path, size: int | None = None, **given: object) -> Front:
    task.write(folder)
    read = ReadTask.from_folder(folder, prolog="builtin")
    by_searches = bool(given.pop("by_searches", False))
    settings = Settings(Weights(*task.weights), jobs=1, **given)  # type: ignore[arg-type]
    return FrontSearch(read, settings, by_searches=by_searches).run(size)


def check_points(task: SmallTask, folder: Path, found: Front) -> None:
    """Each point is what it says: by another evaluator, and in order."""
    read = ReadTask.from_folder(folder, prolog="builtin")
    _, fp, fn = task.weights
    for point in found.points:
        judged = evaluate_program(point.program, read)
        weighed = WeighedExamples.of(read, Weights(1, fp, fn))
        assert point.program.size == point.size
        assert judged.confusion == point.confusion
        assert judged.cost is not None
        assert found.errors[point.size] == point.errors >= point.at_least
        assert point.errors <= int(weighed.pos.sum())
    sizes, errors = [point.size for point in found.points], [point.errors for point in found.points]
    assert sizes == sorted(set(sizes))
    assert errors == sorted(set(errors), reverse=True)


def plain(seed: int) -> SmallTask:
    return replace(random_task(random.Random(seed)), exact=False)


@pytest.mark.parametrize("by_searches", [False, True])
def test_every_size_has_the_fewest_errors(tmp_path: Path, effort: Callable[[int, int], int], by_searches: bool) -> None:
    first = 40_000 if by_searches else 30_000
    for seed in range(first, first + effort(20 if by_searches else 60, 1000)):
        task = plain(seed)
        size = random.Random(-seed).choice([LARGE, LARGE, 12, 7, 3])
        found = front(task, tmp_path, size, by_searches=by_searches, steps=1 << 40)  # without a share for each size
        assert found.status == OPTIMAL
        assert found.proven
        assert list(found.errors) == front_of(task, size), f"seed {seed}\n{task.describe()}"
        check_points(task, tmp_path, found)


@pytest.mark.parametrize("looks", [0, 3, 30])
def test_where_there_are_too_many_programs_to_go_through(
    tmp_path: Path, effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """Then the branch and bound has the last word on some sizes."""
    monkeypatch.setattr(by_pool, "ROUNDS", ((5, looks), (9, 2 * looks)))
    for seed in range(33_000 + looks, 33_000 + looks + effort(15, 300)):
        task = plain(seed)
        found = front(task, tmp_path, LARGE, steps=1 << 40)
        assert found.proven
        assert list(found.errors) == front_of(task, LARGE), f"seed {seed}\n{task.describe()}"


def test_constants_and_numbers(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Both ways come to the same, and by their last point to what brute force says."""
    for seed in range(75_000, 75_000 + effort(15, 500)):
        task = replace(random_learned_task(random.Random(seed)), exact=False)
        found = front(task, tmp_path, steps=1 << 40)
        assert found.errors == front(task, tmp_path, found.size, steps=1 << 40, by_searches=True).errors, seed
        least = min(task.weights[0] * size + errors for size, errors in enumerate(found.errors))
        assert least == answer(task)[0], f"seed {seed}\n{task.describe()}"


def test_up_to_the_size_that_learn_chooses(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """And what is proven of larger ones holds."""
    for seed in range(50_000, 50_000 + effort(35, 1000)):
        task = plain(seed)
        found = front(task, tmp_path, steps=1 << 40)
        errors = front_of(task, found.size + 10)
        assert list(found.errors) == errors[: found.size + 1], f"seed {seed}\n{task.describe()}"
        assert all(found.errors_at_least(size) <= errors[size] for size in range(found.size + 11))


@pytest.mark.parametrize("invention", [False, True])
def test_programs_that_call_themselves(tmp_path: Path, effort: Callable[[int, int], int], invention: bool) -> None:
    for seed in range(60_000, 60_000 + effort(8, 200)):
        task = random_calling_task(random.Random(seed), invention=invention, most_programs=400)
        task = replace(task, exact=False)
        found = front(task, tmp_path, 9, steps=1 << 40)
        assert list(found.errors) == calling_front_of(task, 9), f"seed {seed}\n{task.describe()}"


def test_a_search_that_is_cut_says_what_is_true(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(70_000, 70_000 + effort(25, 1000)):
        task, rng = plain(seed), random.Random(-seed)
        found = front(task, tmp_path, rng.choice([None, 10]), steps=rng.randint(1, 60), by_searches=rng.random() < 0.4)
        errors = front_of(task, found.size)
        bounds = zip(found.at_least, errors, found.errors, strict=True)
        assert all(least <= true <= known for least, true, known in bounds), f"seed {seed}\n{task.describe()}"
        assert (found.status == OPTIMAL) == found.proven


# -- its parts ------------------------------------------------------------------------------------------------


def random_problem(rng: random.Random) -> Problem:
    rules, examples = rng.randint(1, 9), rng.randint(1, 9)
    covers = np.array([[rng.random() < 0.5 for _ in range(examples)] for _ in range(rules)])
    pos = np.array([rng.choice([0, 1, 1, 2]) for _ in range(examples)], np.int64)
    neg = np.array([rng.choice([0, 0, 1, 3]) for _ in range(examples)], np.int64)
    weighed = WeighedExamples(np.zeros((examples, 1), np.int32), pos, neg)
    sizes = np.array([rng.randint(2, 5) for _ in range(rules)], np.int64)
    pool = Pool(np.arange(rules), pack(covers), sizes, covers @ pos, covers @ neg)
    return make_problem(pool, weighed)


def test_values_leave_out_no_rule_of_a_program(effort: Callable[[int, int], int]) -> None:
    """Of every set of rules: it costs at least what the values say, and each of its rules is allowed."""
    for seed in range(effort(120, 10_000)):
        rng = random.Random(seed)
        problem, a, b = random_problem(rng), rng.randint(1, 9), rng.randint(1, 9)
        found = make_values(problem, a, b, rng.randint(0, 60), rng.randint(1, 40), Memory(), lambda: False)
        assert found is not None
        for bits in range(1 << len(problem.pool)):
            chosen = [rule for rule in range(len(problem.pool)) if bits >> rule & 1]
            size = int(problem.sizes[chosen].sum())
            covered = problem.covers[chosen].any(axis=0)
            errors = problem.base + int(problem.missed[~covered].sum()) + int(problem.covered[covered].sum())
            assert found.cost <= a * size + b * errors, seed
            assert found.allows(size, errors), seed
            assert found.allowed(size, errors)[chosen].all(), seed


def test_values_that_break_their_conditions_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(random.Random(3))

    class Wrong:
        def shares(self, *_: object) -> tuple[object, object, int]:
            positives, negatives = int((problem.weights > 0).sum()), int((problem.weights < 0).sum())
            return np.full(positives, 1000, np.int64), np.zeros((negatives, positives), np.int64), 0

    monkeypatch.setattr(Problem, "cover", lambda *_: Wrong())
    assert make_values(problem, 1, 1, 10, 5, Memory(), lambda: False) is None


def test_weights_for_a_size(effort: Callable[[int, int], int]) -> None:
    """Under the weights for a size, whatever costs no more than what is looked for is what is looked for."""
    for seed in range(effort(300, 5000)):
        rng = random.Random(seed)
        size = rng.randint(2, 12)
        known = KnownFront(size, rng.randint(1, 30))
        for smaller in range(2, size + 1):
            known.errors[smaller] = max(1, known.errors[smaller - 1] - rng.choice([0, 0, 0, 1, 2, 7]))
        a, b = known.steepest(size)
        assert a > 0
        most = a * size + b * (known.errors[size] - 1)
        for other in range(size + 1):
            for errors in range(known.errors[other] if other < size else 0, known.nothing + 1):
                below = a * other + b * errors <= most
                assert below == (other == size and errors < known.errors[size]), seed


# -- the command ----------------------------------------------------------------------------------------------

KINSHIP = Path(__file__).parent.parent / "examples" / "kinship"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "front.json"
    assert main(["front", str(KINSHIP), "--json", str(file)]) == 0
    shown = capsys.readouterr()
    assert "% 3 literals: 5 errors, proven (3 false positives, 2 false negatives)" in shown.out
    assert "2 points up to 3 literals, all proven" in shown.err
    written = json.loads(file.read_text())
    assert [(point["size"], point["errors"], point["proven"]) for point in written["points"]] == [
        (0, 24, True),
        (3, 5, True),
    ]
    assert written["errors"] == written["at_least"] == [24, 24, 24, 5]
    assert written["larger"] == {"literal": 1, "cost_at_least": 8}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--weights", "auto"], "a front has no use for --weights auto (give three numbers, or leave it out)"),
        (["--size", "0"], "--size"),
        (["--seed", "3"], "--seed is for tables (give --target TABLE.COLUMN too)"),
    ],
)
def test_what_the_command_refuses(given: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["front", str(KINSHIP), *given])
    except SystemExit as stop:
        status = int(str(stop.code))
    assert status == 2
    assert complaint in capsys.readouterr().err
