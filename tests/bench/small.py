"""Small tasks, and how to run the bench on them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from maxsynth.cli import main

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_vars(2).\nmax_body(2).\n"


def write_tasks(folder: Path, names: list[str], trials: int = 1) -> Path:
    """Tasks whose rule is p and q, on six positives and six negatives, with a test set."""
    for name in names:
        for trial in range(trials):
            place = folder / name / str(trial)
            (place / "test").mkdir(parents=True)
            (place / "bias.pl").write_text(BIAS)
            for part, prefix in ((place, "s"), (place / "test", "t")):
                yes, no = [f"{prefix}{i}" for i in range(6)], [f"{prefix}{i}" for i in range(6, 12)]
                (part / "bk.pl").write_text(
                    "".join(f"p({e}).\n" for e in yes + no[:3]) + "".join(f"q({e}).\n" for e in yes + no[3:])
                )
                (part / "exs.pl").write_text(
                    "".join(f"pos(f({e})).\n" for e in yes) + "".join(f"neg(f({e})).\n" for e in no)
                )
    return folder


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "maxsynth", "bench", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), env=environment(), capture_output=True, text=True, timeout=300)


def run_here(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The same without a process for the command itself, which takes long to start; each run has one all the same."""
    given = ["bench", *map(str, arguments)]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = main(given)
    return subprocess.CompletedProcess(given, status, out.getvalue(), err.getvalue())


def records(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]


def script(folder: Path, name: str, text: str) -> str:
    """A system of one's own: a command that runs some Python, which finds the task's folder in `task`."""
    path = folder / f"{name}.py"
    path.write_text(f"import sys, time, os\ntask = sys.argv[1]\n{text}\n")
    return f"{shlex.quote(sys.executable)} -S {shlex.quote(str(path))} {{task}}"
