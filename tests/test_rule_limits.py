"""Limits of rules that the search understands by itself: against brute force, and against clingo."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import violations
from oracle.brute_force import all_rules, optimum, optimum_exact
from oracle.calling import best_program
from oracle.calling_tasks import random_calling_task
from oracle.random_tasks import random_task
from oracle.rule_limits import RuleLimit, random_limits
from oracle.small_task import SmallTask

PRUNINGS = ("dead", "closed", "equal", "order", "stand_in", "matched", "ties", "partners")


def limited_task(seed: int) -> tuple[SmallTask, list[RuleLimit]]:
    rng = random.Random(seed)
    task = random_task(rng, most_bodies=400)
    if rng.random() < 0.3:
        task = replace(task, non_datalog=True)
    limits = random_limits(rng, task)
    return replace(task, constraints=tuple(limit.text for limit in limits)), limits


def least(task: SmallTask, limits: list[RuleLimit]) -> int | None:
    """By brute force, over the rules that all limits allow."""
    rules = [rule for rule in all_rules(task) if all(limit.allows(rule.body) for limit in limits)]
    if task.exact:
        solution = optimum_exact(task, rules)
        return None if solution is None else solution[0]
    return optimum(task, rules)[0]


def learn(read: ReadTask, task: SmallTask, **options: object) -> SearchResult:
    return Search(read, Settings(Weights(*task.weights), exact=task.exact, **options)).run()  # type: ignore[arg-type]


def check(seed: int, folder: Path, without: tuple[str, ...] = ()) -> None:
    task, limits = limited_task(seed)
    rng = random.Random(-seed - 1)
    if rng.random() < 0.4:
        task.by_rules = frozenset(name for name, _ in task.body if rng.random() < 0.6)
    task.write(folder)
    read = ReadTask.from_folder(folder, prolog="builtin")
    assert not read.bias.constraints, task.describe()  # nothing is left to clingo
    tables = 1 if rng.random() < 0.3 else None
    result = learn(read, task, tables=tables, without=without)
    assert result.status == OPTIMAL
    assert result.cost == least(task, limits), f"seed {seed}, without {without}: {result.program}\n{task.describe()}"
    if result.program is not None:
        assert not violations(result.program, read.bias), f"seed {seed}: {result.program}\n{task.describe()}"


def test_the_cost_is_the_least(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(120, 20_000)):
        check(seed, tmp_path)


def test_no_pruning_changes_the_answer(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(1_000_000, 1_000_000 + effort(65, 8000)):
        check(seed, tmp_path, (PRUNINGS[seed % len(PRUNINGS)],))


def test_clingo_finds_the_same(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(2_000_000, 2_000_000 + effort(25, 4000)):
        task, limits = limited_task(seed)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        found = [learn(read, task, method=method).cost for method in ("features", "asp")]
        assert found == [least(task, limits)] * 2, f"seed {seed}\n{task.describe()}"


def check_recursive(seed: int, folder: Path) -> bool:
    """Whether the best program is recursive."""
    rng = random.Random(seed)
    task = random_calling_task(rng, invention=False, most_programs=1500)
    limits = random_limits(rng, task)
    task = replace(task, constraints=tuple(limit.text for limit in limits))
    task.write(folder)
    read = ReadTask.from_folder(folder, prolog="builtin")
    assert not read.bias.constraints, task.describe()
    expected = best_program(task, None, lambda rule: all(limit.allows(rule[1]) for limit in limits))[0]
    result = learn(read, task, method=rng.choice(("auto", "auto", "auto", "asp")))
    assert result.cost == expected, f"seed {seed}: {result.program}\n{task.describe()}"
    if result.program is not None:
        assert not violations(result.program, read.bias), f"seed {seed}: {result.program}\n{task.describe()}"
    return result.program is not None and result.program.calls_itself


def test_recursive_programs(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    recursive = sum(check_recursive(seed, tmp_path) for seed in range(3_000_000, 3_000_000 + effort(100, 4000)))
    assert recursive > 5
