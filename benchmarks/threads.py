"""How much faster a search is with several threads, how much of it only one can do, and what more cores would give.

    .venv/bin/python benchmarks/threads.py [--data FOLDER] [--jobs 1 2] [--repeats N] [--tasks NAME ...]

Each run is `maxsynth learn` as a process of its own; seconds are of the clock, and the least of several runs counts.
The numbers of threads take turns, so that what else the machine does hits all of them. What was counted, the program
and the trace of costs must be the same for all, or it ends with an error.

The model (docs/scaling.md): of the time t(1) with one thread, a *serial part* s is there for any number, and the rest p
is divided. Each thread more costs c of processor time for what threads do twice. So

    t(n) = s + (p + (n - 1) c) / n

in which c is what the processor times of runs with n threads and with one differ by, and s then follows from the two
times of the clock. What is said of 8, 64 and 512 cores is this, and was not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import add_data_option, need_data, print_head, print_row
from scale import write_graph, write_things

PREDICTED = (8, 64, 512)  # cores


@dataclass(frozen=True)
class Task:
    """Where a task is, or what writes it; and the options that go with it."""

    place: str | Callable[[Path], object]
    options: tuple[str, ...] = ()


TASKS = {
    "wn18rr1": Task("wn18rr1/0"),
    "alzheimer-acetyl": Task("alzheimer-acetyl/0", ("--ignore-directions",)),
    "wn18rr1, 7 variables": Task("wn18rr1/0", ("--max-vars", "7", "--max-body", "7")),
    "alzheimer-acetyl, 7 variables": Task("alzheimer-acetyl/0", ("--ignore-directions", "--max-vars", "7")),
    "dropk-10": Task("dropk-10/0", ("--steps", "120000")),
    "100,000 examples": Task(lambda folder: write_things(folder, 100_000, random.Random(100_000))),
    "1,000,000 facts": Task(lambda folder: write_graph(folder, 1_000_000, random.Random(1_000_000))),
    "noisy-drugdrug": Task("../popper/noisy-drugdrug", ("--steps", "3000")),
}


@dataclass(frozen=True)
class Run:
    seconds: float
    processor: float  # seconds of it
    megabytes: float  # at its peak
    result: dict[str, Any]

    @property
    def same(self) -> tuple[object, ...]:
        """What must be the same, however many threads there are."""
        trace = [(cost, bound) for _, cost, bound in self.result["trace"]]
        return self.result["program"], self.result["status"], self.result["cost"], self.result["counts"], trace


def learn(folder: Path, options: tuple[str, ...], jobs: int) -> Run:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "result.json")
        command = ["learn", str(folder), *options, "--jobs", str(jobs), "--quiet", "--json", str(report)]
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "maxsynth", *command], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{folder}: {jobs} threads end with status {process.returncode}")
        result = json.loads(report.read_text())
        return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, result)


def measure(folder: Path, options: tuple[str, ...], jobs: list[int], repeats: int) -> dict[int, Run]:
    """The quickest run for each number of threads."""
    best: dict[int, Run] = {}
    for _ in range(repeats):
        for number in jobs:
            run = learn(folder, options, number)
            if run.same != next(iter(best.values()), run).same:
                raise SystemExit(f"{folder}: {number} threads give another result")
            if number not in best or run.seconds < best[number].seconds:
                best[number] = run
    return best


@dataclass(frozen=True)
class Model:
    """Seconds that one thread takes alone, that are divided, and that each thread more costs."""

    serial: float
    divided: float
    more: float

    @classmethod
    def of(cls, alone: Run, together: Run, jobs: int) -> Model:
        more = max(0.0, together.processor - alone.processor) / (jobs - 1)
        # From t(1) = s + p and t(n) = s + (p + (n - 1) c) / n.
        serial = (jobs * together.seconds - alone.seconds - (jobs - 1) * more) / (jobs - 1)
        serial = min(alone.seconds, max(0.0, serial))
        return cls(serial, alone.seconds - serial, more)

    def seconds(self, jobs: int) -> float:
        return self.serial + (self.divided + (jobs - 1) * self.more) / jobs

    def faster(self, jobs: int) -> float:
        return self.seconds(1) / self.seconds(jobs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_option(parser)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="numbers of threads (default: 1 2)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each (default: 3)")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    options = parser.parse_args()
    need_data(options.data)
    print_head(
        "task",
        *(f"{number} threads" for number in options.jobs),
        "times as fast",
        "serial part",
        *(f"{cores} cores, by the model" for cores in PREDICTED),
        "MB",
        "stages with one",
    )
    for name in options.tasks:
        task = TASKS[name]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch, "task")
            if isinstance(task.place, str):
                folder = options.data / "paper" / task.place
            else:
                task.place(folder)
            if not folder.is_dir():
                print(f"no data: there is no {folder}; this part needs it (see --data)")
                continue
            runs = measure(folder, task.options, options.jobs, options.repeats)
        first, last = runs[options.jobs[0]], runs[options.jobs[-1]]
        model = Model.of(first, last, options.jobs[-1])
        told = ", ".join(
            f"{stage} {spent:.2f}"
            for stage, spent in first.result["seconds"].items()
            if stage != "total" and spent >= 0.05
        )
        print_row(
            name,
            *(f"{runs[number].seconds:.2f} s" for number in options.jobs),
            f"{first.seconds / last.seconds:.2f}",
            f"{100 * model.serial / first.seconds:.0f} %",
            *(f"{model.faster(cores):.1f}" for cores in PREDICTED),
            ", ".join(f"{runs[number].megabytes:.0f}" for number in options.jobs),
            told,
        )


if __name__ == "__main__":
    main()
