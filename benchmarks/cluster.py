"""What a cluster of two worker processes is worth against one, and what becomes of runs whose processes are killed.

`--weights auto` on alzheimer-toxic, and `bench paper --quick`, each with `local:1` and `local:2`: seconds on the wall,
and how many times faster two are. On a machine on which others work, that says little; so there is the processor time
on the longest way through it as well: of the command itself, and of the worker that had the most to do.

One search, with one thread alone and with `local:1` and `local:2`: seconds on the wall, and of the processor time that
of the command (`here`) and of the worker that had the most to do. Both work at the same time, so what a machine with
enough cores takes is more than the longer of the two, and less than their sum. What a start takes is in both: about a
second for a worker.

Then runs in each of which a worker, or the scheduler, is killed at a random moment: the result must be that of a run
alone, or the best so far, saved, with a line that says what happened.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from common import add_data_option, need_data, print_head, print_row

TASK = Path("paper") / "alzheimer-toxic" / "0"


def maxsynth(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "maxsynth", *map(str, arguments)]


SEARCHES: list[tuple[str, tuple[str, ...]]] = [
    ("wn18rr1", ()),
    ("alzheimer-acetyl", ("--ignore-directions",)),
    ("wn18rr1", ("--max-vars", "7", "--max-body", "7")),
    ("alzheimer-acetyl", ("--ignore-directions", "--max-vars", "7")),
]


class Took(NamedTuple):
    wall: float  # seconds
    own: float  # seconds of processor time of the command, ...
    worker: float  # ... and of the worker that had the most to do

    @property
    def way(self) -> float:
        """Seconds of processor time on the longest way."""
        return self.own + self.worker


def measured(command: Sequence[str]) -> Took:
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        used: dict[int, float] = {}
        while process.poll() is None:
            used |= used_by(process.pid)
            time.sleep(0.1)
        if process.returncode != 0:
            errors.seek(0)
            sys.exit(f"{' '.join(command)}: {errors.read()}")
    own = used.pop(process.pid)
    return Took(time.monotonic() - began, own, max(used.values(), default=0.0))


def used_by(process: int) -> dict[int, float]:
    """The processor time of a process, and of each that it started with all that those have waited for."""
    found, ticks = {}, os.sysconf("SC_CLK_TCK")
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            user, system, waited_user, waited_system = map(int, fields[11:15])
            if int(path.parent.name) == process:
                found[process] = (user + system) / ticks
            elif int(fields[1]) == process:
                found[int(path.parent.name)] = (user + system + waited_user + waited_system) / ticks
    return found


def untimed(file: Path) -> dict[str, Any]:
    """A result without what differs from run to run."""
    result: dict[str, Any] = json.loads(file.read_text())
    del result["seconds"]
    result["settings"].get("weights_auto", {}).pop("seconds", None)
    result["trace"] = [entry[1:] for entry in result["trace"]]
    return result


def compare(data: Path, steps: int, folder: Path) -> None:
    print_head("what", "1 worker (s)", "2 workers (s)", "times faster", "by processor time")
    auto = [data / TASK, "--weights", "auto", "--steps", steps, "--quiet", "--json"]
    rows = {
        f"`--weights auto`, alzheimer-toxic, {steps:,} steps": [
            maxsynth("learn", *auto, folder / f"{workers}.json", "--cluster", f"local:{workers}") for workers in (1, 2)
        ],
        "`bench paper --quick`": [
            maxsynth("bench", "paper", "--quick", "--out", folder / f"bench{workers}", "--cluster", f"local:{workers}")
            for workers in (1, 2)
        ],
    }
    for name, commands in rows.items():
        one, two = map(measured, commands)
        shorter = f"{one.way:.1f} / {two.way:.1f} = {one.way / two.way:.2f}"
        print_row(name, f"{one.wall:.1f}", f"{two.wall:.1f}", f"{one.wall / two.wall:.2f}", shorter)
    print("equal results:", untimed(folder / "1.json") == untimed(folder / "2.json"), flush=True)


def one_search(data: Path, folder: Path) -> None:
    heads = [
        f"{what} {kind}" for what in ("alone", "1 worker", "2 workers") for kind in ("(s)", "here + busiest worker")
    ]
    print_head("one search", *heads, "equal results")
    for name, options in SEARCHES:
        row, results = [], []
        for workers in range(3):
            file = folder / f"search{workers}.json"
            where = ["--cluster", f"local:{workers}"] if workers else []
            line = [data / "paper" / name / "0", *options, "--jobs", 1, "--quiet", "--json", file, *where]
            took = measured(maxsynth("learn", *line))
            row += [f"{took.wall:.1f}", f"{took.own:.1f} + {took.worker:.1f}" if workers else f"{took.own:.1f}"]
            results.append(untimed(file))
        print_row(" ".join((name, *options)), *row, str(results[0] == results[1] == results[2]))


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler; it, and two workers."""
    file = folder / f"scheduler-{time.time_ns()}.json"
    quiet = {**os.environ, "DASK_LOGGING__DISTRIBUTED": "critical"}

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", *arguments]
        return subprocess.Popen(command, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    processes = [start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address",
                       ":0", "--scheduler-file", str(file))]  # fmt: skip
    try:
        while not file.exists():
            time.sleep(0.05)
        time.sleep(0.2)
        address: str = json.loads(file.read_text())["address"]
        limits = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--no-dashboard")
        processes += [start("distributed.cli.dask_worker", address, *limits) for _ in range(2)]
        yield address, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def kill(data: Path, steps: int, folder: Path, workers: int, schedulers: int) -> None:
    """Kills a worker in each of so many runs, then the scheduler in others."""
    rng = random.Random(1)
    alone, file = folder / "alone.json", folder / "killed.json"
    line = ["learn", data / TASK, "--weights", "auto", "--steps", steps, "--json"]
    began = time.monotonic()
    subprocess.run(maxsynth(*line, alone), capture_output=True, check=True)
    took = time.monotonic() - began
    outcomes = dict.fromkeys(("equal", "saved and said", "WRONG"), 0)
    for number in range(workers + schedulers):
        file.unlink(missing_ok=True)
        with cluster(folder) as (address, processes):
            time.sleep(2.0)  # both workers are there by then
            process = subprocess.Popen(
                maxsynth(*line, file, "--cluster", address),
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
            )
            time.sleep(1.0 + rng.random() * took / 2)
            processes[1 + number % 2 if number < workers else 0].kill()
            said = process.communicate(timeout=600)[1]
        if process.returncode == 0 and untimed(file) == untimed(alone):
            outcomes["equal"] += 1
        elif number >= workers and process.returncode == 0 and "maxsynth: the scheduler of the cluster is gone" in said:
            outcomes["saved and said"] += json.loads(file.read_text())["status"] == "interrupted"
        elif number >= workers and process.returncode == 2 and "no Dask scheduler answers" in said:
            outcomes["saved and said"] += 1  # it was killed before anything began
        else:
            outcomes["WRONG"] += 1
            print(number, process.returncode, said)
    print(f"{workers} workers and {schedulers} schedulers killed: {outcomes}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--steps", type=int, default=2_000_000, help="of `learn` (default: 2000000)")
    parser.add_argument("--kills", type=int, nargs=2, default=(20, 5), help="of workers, of schedulers (default: 20 5)")
    parser.add_argument("--only", choices=("speed", "search", "kills"), help="one of the parts")
    options = parser.parse_args()
    need_data(options.data)
    with tempfile.TemporaryDirectory() as name:
        if options.only in ("speed", None):
            compare(options.data, options.steps, Path(name))
        if options.only in ("search", None):
            one_search(options.data, Path(name))
        if options.only in ("kills", None):
            kill(options.data, options.steps // 16, Path(name), *options.kills)


if __name__ == "__main__":
    main()
