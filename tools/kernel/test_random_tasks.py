"""500 random tasks, learned with the checked kernel and by brute force: rules alone, recursion, invention."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from maxsynth.search.result import OPTIMAL
from maxsynth.search.settings import AUTO
from oracle.calling import best_program
from oracle.calling_tasks import random_calling_task
from oracle.random_tasks import random_task
from test_calling import learn_small
from test_learn import check

AT_ONCE = 20
RULES = range(9_000_000, 9_000_360)  # of which some have their tables in blocks, or BK that is asked lazily
RECURSIVE = range(9_000_000, 9_000_100)
INVENTING = range(9_000_000, 9_000_040)


def parts(seeds: range) -> list[range]:
    return [seeds[start : start + AT_ONCE] for start in range(0, len(seeds), AT_ONCE)]


@pytest.mark.parametrize("seeds", parts(RULES), ids=str)
def test_rules(tmp_path: Path, seeds: range) -> None:
    for seed in seeds:
        check(random_task(random.Random(seed)), tmp_path, seed)


@pytest.mark.parametrize("seeds", parts(RECURSIVE), ids=str)
def test_recursion(tmp_path: Path, seeds: range) -> None:
    check_calling(tmp_path, seeds, invention=False)


@pytest.mark.parametrize("seeds", parts(INVENTING), ids=str)
def test_invention(tmp_path: Path, seeds: range) -> None:
    check_calling(tmp_path, seeds, invention=True)


def check_calling(folder: Path, seeds: range, *, invention: bool) -> None:
    for seed in seeds:
        limit = 20_000 if invention else 800
        task = random_calling_task(random.Random(seed), invention=invention, most_programs=limit)
        result = learn_small(task, folder, AUTO)
        assert (result.status, result.cost) == (OPTIMAL, best_program(task)[0]), f"seed {seed}\n{task.describe()}"
