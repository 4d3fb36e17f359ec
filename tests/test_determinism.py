"""The same input gives the same answer: whatever the hash seed, the number of threads, or the place of the files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from maxsynth.demos import zendo


def learned(folder: Path, seed: int, threads: int) -> tuple[object, ...]:
    """What a run in a process of its own says, but for its times."""
    numbers = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    done = subprocess.run(
        [sys.executable, "-m", "maxsynth", "learn", str(folder), "--quiet", "--json", "-"],
        env={**os.environ, "PYTHONHASHSEED": str(seed), **numbers},
        capture_output=True,
        check=True,
    )
    result = json.loads(done.stdout)
    costs = [(cost, lower) for _, cost, lower in result["trace"]]
    return result["program"], result["status"], result["cost"], result["counts"], costs


def test_every_run_is_the_same(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    zendo.make(seed=1, train=80).write(tmp_path / "task")
    first = learned(tmp_path / "task", 0, 1)
    for seed in range(1, effort(3, 20)):
        assert learned(tmp_path / "task", seed, 1 + seed % 2) == first
