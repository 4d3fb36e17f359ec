"""Killed at any moment, `maxsynth learn --checkpoint` loses what came after the last checkpoint, and nothing else."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxsynth.cli import main

COMMAND = [sys.executable, "-m", "maxsynth", "learn"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task that takes some seconds, most of them in several phases."""
    made = tmp_path_factory.mktemp("tasks") / "zendo"
    assert main(["demo", "zendo", "--save", str(made), "--timeout", "1"]) == 0
    return made


def told(file: Path) -> dict[str, Any]:
    """All that a run says, but for seconds."""
    result: dict[str, Any] = json.loads(file.read_text())
    result["trace"] = [entry[1:] for entry in result["trace"]]
    del result["seconds"]
    return result


def arguments(folder: Path, place: Path, steps: int) -> list[str]:
    saved = place / "saved"
    resume = ["--resume", str(saved)] if saved.exists() else []
    limit = ["--steps", str(steps), "--max-body", "8", "--max-vars", "7", "--quiet"]
    return [*COMMAND, str(folder), *limit, "--json", str(place / "r.json"), "--checkpoint", str(saved), *resume]


def written(saved: Path) -> int:
    return saved.stat().st_mtime_ns if saved.exists() else 0


def kill_at_some_moment(process: subprocess.Popen[bytes], saved: Path, rng: random.Random) -> bool:
    """Kills a run at any moment, mostly some time after a checkpoint; False if it came to its end before."""
    before, early = written(saved), rng.random() < 0.2
    while not early and written(saved) == before and process.poll() is None:
        time.sleep(0.01)
    time.sleep(rng.uniform(0, 0.5))
    ended = process.poll() is not None
    process.kill()
    process.wait()
    return not ended


def test_kills(folder: Path, tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """100 kills with --slow."""
    steps, wanted, kills = 800, effort(4, 100), 0
    limit = ["--steps", str(steps), "--max-body", "8", "--max-vars", "7", "--quiet"]
    assert main(["learn", str(folder), *limit, "--json", str(tmp_path / "w")]) == 0
    rng, environment = random.Random(1), {**os.environ, "MAXSYNTH_CHECKPOINT_SECONDS": "0.2"}
    whole = told(tmp_path / "w")
    while kills < wanted:
        (tmp_path / "saved").unlink(missing_ok=True)
        ended = False
        while not ended:
            process = subprocess.Popen(arguments(folder, tmp_path, steps), env=environment, stdout=subprocess.DEVNULL)
            if kills < wanted and kill_at_some_moment(process, tmp_path / "saved", rng):
                kills += 1
            else:
                ended = process.wait() == 0
        assert told(tmp_path / "r.json") == whole


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="there are no signals")
def test_an_interrupt_saves(folder: Path, tmp_path: Path) -> None:
    """Ctrl-C ends a run with the best so far, and with a checkpoint, long before a minute is over."""
    for seconds in (1.5, 6, 24):  # on a busy machine it may not have begun by then
        process = subprocess.Popen(arguments(folder, tmp_path, 10**6), stdout=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        if (tmp_path / "r.json").exists():
            break
    result = told(tmp_path / "r.json")
    assert result["status"] == "interrupted"
    again = arguments(folder, tmp_path, result["counts"]["steps"] + 500)
    assert subprocess.run(again, stdout=subprocess.DEVNULL, check=True).returncode == 0
    resumed = told(tmp_path / "r.json")
    assert resumed["counts"]["steps"] == result["counts"]["steps"] + 500 or resumed["status"] == "optimal"
    assert resumed["cost"] <= result["cost"]


def test_seconds(folder: Path, tmp_path: Path) -> None:
    """With `--timeout`, which counts for each run alone, it comes to the same cost."""
    place = str(tmp_path / "saved")
    few = ["learn", str(folder), "--max-body", "6", "--quiet"]
    assert main([*few, "--json", str(tmp_path / "whole")]) == 0
    assert main([*few, "--timeout", "0.1", "--checkpoint", place, "--json", str(tmp_path / "first")]) == 0
    for _ in range(100):
        resumed = [*few, "--timeout", "0.3", "--checkpoint", place, "--resume", place]
        assert main([*resumed, "--json", str(tmp_path / "r.json")]) == 0
        if told(tmp_path / "r.json")["status"] == "optimal":
            break
    assert told(tmp_path / "r.json")["cost"] == told(tmp_path / "whole")["cost"]
