"""Features that are tested without a table, looks around that go further, and prices.

No task of a test has tables that are too large. So here nearly all are, and nothing may change.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from maxsynth.kernel import features as kernel
from maxsynth.search import loop
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL
from maxsynth.search.rules.features import Look
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from oracle.random_tasks import random_task
from test_kernel_limits import limited
from test_learn import check
from test_ties import least, write_task

SMALL = [
    {"wide_rows": 0, "wide_fanout": 0},
    {"wide_rows": 0, "wide_fanout": 0, "counted": 3, "remembered": 2, "cells": 1, "pace": 2, "orders": 1},
    {"wide_rows": 3, "wide_fanout": 1, "many": 7},
]


@pytest.fixture(params=SMALL, ids=["all", "little room", "some"])
def wide(request: pytest.FixtureRequest) -> Iterator[None]:
    with limited(kernel, **request.param):
        yield


def test_the_cost_is_the_least(tmp_path: Path, wide: None, effort: Callable[[int, int], int]) -> None:
    for seed in range(16_000_000, 16_000_000 + effort(60, 20_000)):
        check(random_task(random.Random(seed)), tmp_path, seed)


def test_graphs(tmp_path: Path, wide: None, effort: Callable[[int, int], int]) -> None:
    """Where there are paths and sealed features."""
    for seed in range(1_000_000, 1_000_000 + effort(15, 3000)):
        write_task(random.Random(seed), tmp_path)
        assert least(tmp_path, ()) == least(tmp_path, ("wide", "ties", "prices")), f"seed {seed}"


def test_without_equal_ones(tmp_path: Path, wide: None, effort: Callable[[int, int], int]) -> None:
    """Wide features are told apart by their literals, and by how many rows they have."""
    for seed in range(1_100_000, 1_100_000 + effort(8, 1000)):
        write_task(random.Random(seed), tmp_path)
        assert least(tmp_path, ()) == least(tmp_path, ("equal", "wide")), f"seed {seed}"


def test_looks_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: Callable[[int, int], int]) -> None:
    """However far they go, the answer is the same."""
    for seed in range(17_000_000, 17_000_000 + effort(40, 5000)):
        rng = random.Random(seed)
        monkeypatch.setattr(loop, "FIRST_LOOK", Look(*[rng.choice((1, 2, 10, 100)) for _ in range(4)]))
        monkeypatch.setattr(loop, "LOOKS", rng.choice((0, 1)))
        check(random_task(random.Random(seed)), tmp_path, seed)


def test_a_hub(make_task: Callable[..., Path]) -> None:
    """Everybody has one of two kinds, so that a feature through it has a row for each two of them."""
    bk = "".join(f"kind(a{i},k{i % 2}). next(a{i},a{(i + 1) % 400}).\n" for i in range(400)) + "red(a6).\n"
    exs = "".join(f"{'pos' if i % 2 else 'neg'}(f(a{i})).\n" for i in range(400))
    bias = "head_pred(f,1). body_pred(kind,2). body_pred(next,2). body_pred(red,1). max_vars(4). max_body(4).\n"
    task = ReadTask.from_folder(make_task(bias, bk, exs))
    result = Search(task, Settings()).run()
    # The next of an odd one is even, as is the red one.
    assert (result.status, result.cost) == (OPTIMAL, 5)
    again = Search(task, Settings(without=("wide",))).run()
    assert again.cost == 5
