"""The exact choice of rules, stopped and gone on with: the same set, by the same nodes and steps."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.choose import Cover, CoverLog
from maxsynth.search.choose.problem import lists

Covered = NDArray[np.bool_]


def random_problem(rng: random.Random) -> Callable[[], Cover]:
    """Rules that overlap, so that there is much to choose; it branches soon."""
    rules, positives, negatives = rng.randint(5, 25), rng.randint(5, 25), rng.randint(0, 15)
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    pos: Covered = numbers.random((rules, positives)) < rng.uniform(0.1, 0.5)
    neg: Covered = numbers.random((rules, negatives)) < rng.uniform(0.0, 0.3)
    sizes = numbers.integers(1, 4, rules).astype(np.int64)
    weights = [numbers.integers(1, 4, count).astype(np.int64) for count in (positives, negatives)]
    most = rng.choice((None, None, 3))

    def make() -> Cover:
        cover = Cover(*lists(pos), *lists(neg), sizes, *weights, most_rules=most)
        cover.check, cover.patience = 1, 1
        return cover

    return make


def solve(cover: Cover, steps: int | None, known: list[Any] | None = None) -> tuple[dict[str, Any], CoverLog]:
    """What comes out within so many looks whether to stop."""
    taken = 0

    def should_stop() -> bool:
        nonlocal taken
        if steps is not None and taken >= steps:
            return True
        taken += 1
        return False

    def skipped(looks: int) -> None:
        nonlocal taken
        taken += looks

    better: list[list[int]] = []
    log = CoverLog(known, skipped)
    rules, finished, lower = cover.solve(1 << 40, should_stop, better.append, log)
    found = {"rules": rules, "finished": finished, "lower": lower, "better": better, "taken": taken}
    return {**found, "nodes": cover.nodes, "steps": cover.steps, "matched": cover.matched}, log


def test_in_parts(effort: Callable[[int, int], int]) -> None:
    nodes = 0
    for seed in range(effort(150, 5000)):
        rng = random.Random(seed)
        make = random_problem(rng)
        whole, _ = solve(make(), None)
        nodes += whole["nodes"]
        plain = make()
        assert plain.solve(1 << 40) == (whole["rules"], True, whole["lower"])
        known, end = None, 0
        while True:
            end += rng.randint(1, 1 + whole["taken"] // 4)
            found, log = solve(make(), end, known)
            if found["finished"] and found["taken"] < end:  # what comes to its end when it is to stop may be cut
                break
            if not log.is_behind:
                known = json.loads(json.dumps(log.frames))
        assert found == whole, seed
    assert nodes > 1000
