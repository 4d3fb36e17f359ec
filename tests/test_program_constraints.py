"""Constraints over whole programs: what they mean, where they are judged, and the least cost under them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maxsynth.result import OPTIMAL, Result
from maxsynth.search.loop import METHODS, Search, Settings
from maxsynth.search.weighing import Weights
from maxsynth.space import violations
from maxsynth.task import Task
from oracle.brute_force import all_rules
from oracle.calling_tasks import random_calling_task
from oracle.program_constraints import ProgramConstraint, best_allowed, random_constraints
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

AUTO, FEATURES, ASP = METHODS
MOST_RULES = 12  # all of their sets are tried


def learn(folder: Path, **settings: object) -> Result:
    return Search(Task.from_folder(folder, prolog="builtin"), Settings(**settings)).run()  # type: ignore[arg-type]


# -- against brute force ------------------------------------------------------------------------------------


def constrained_task(seed: int, kind: str) -> tuple[SmallTask, list[ProgramConstraint]]:
    rng = random.Random(seed)
    while True:
        if kind == "plain":
            task = random_task(rng, most_bodies=40)
        else:
            task = random_calling_task(rng, invention=kind == "invention", most_programs=800)
        if 2 <= len(all_rules(task)) <= MOST_RULES:
            constraints = random_constraints(rng, task)
            return replace(task, constraints=tuple(one.text for one in constraints)), constraints


@pytest.mark.parametrize("kind", ["plain", "recursion", "invention"])
def test_the_cost_is_the_least_of_what_is_allowed(tmp_path: Path, effort: Callable[[int, int], int], kind: str) -> None:
    count = effort(100, 2200) if kind == "plain" else effort(15, 400)
    for seed in range(8_000_000, 8_000_000 + count):
        task, constraints = constrained_task(seed, kind)
        least = best_allowed(task, constraints, MOST_RULES)
        task.write(tmp_path)
        result = learn(tmp_path, weights=Weights(*task.weights), exact=task.exact)
        said = f"seed {seed}: least {least}, found {result.cost} {result.program}\n{task.describe()}"
        assert (result.status, result.cost) == (OPTIMAL, least), said
        if result.program is not None:
            assert violations(result.program, Task.from_folder(tmp_path, prolog="builtin").bias) == [], said
