"""How much faster a search is with several threads, and how much of it only one can do.

    .venv/bin/python benchmarks/threads.py [--data FOLDER] [--jobs 1 2] [--repeats N] [--tasks NAME ...]

Each run is `maxsynth learn` as a process of its own; seconds are of the clock, and the least of several runs counts.
The numbers of threads take turns, so that what else the machine does hits all of them. What was counted, the program
and the trace of costs must be the same for all, or it ends with an error. From the times with one thread and with the
most, the *serial part* is what no number of threads makes faster, if all else was divided evenly: Amdahl's law, turned
round.
"""

from __future__ import annotations

import argparse
import json
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


@dataclass(frozen=True)
class Task:
    """Where a task is, or what writes it; and the options that go with it."""

    place: str | Callable[[Path], object]
    options: tuple[str, ...] = ()


TASKS = {
    "wn18rr1": Task("wn18rr1/0"),
    "alzheimer-acetyl": Task("alzheimer-acetyl/0", ("--ignore-directions",)),
    "dropk-10": Task("dropk-10/0", ("--steps", "20000")),
    "100,000 examples": Task(lambda folder: write_things(folder, 100_000, random.Random(100_000))),
    "1,000,000 facts": Task(lambda folder: write_graph(folder, 1_000_000, random.Random(1_000_000))),
    "noisy-drugdrug": Task("../popper/noisy-drugdrug", ("--steps", "3000")),
}


@dataclass(frozen=True)
class Run:
    seconds: float
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
        subprocess.run([sys.executable, "-m", "maxsynth", *command], check=True, stdout=subprocess.DEVNULL)
        return Run(time.perf_counter() - start, json.loads(report.read_text()))


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


def serial_part(alone: float, together: float, jobs: int) -> float:
    """The share of the time alone that does not get less: t(n) = t(1) (s + (1 - s) / n)."""
    return (together / alone - 1 / jobs) / (1 - 1 / jobs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_option(parser)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="numbers of threads (default: 1 2)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each (default: 3)")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    options = parser.parse_args()
    need_data(options.data)
    print_head(
        "task", *(f"{number} threads" for number in options.jobs), "times as fast", "serial part", "stages with one"
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
        first, last = (runs[number].seconds for number in (options.jobs[0], options.jobs[-1]))
        stages = runs[options.jobs[0]].result["seconds"]
        told = ", ".join(
            f"{stage} {spent:.2f}" for stage, spent in stages.items() if stage != "total" and spent >= 0.05
        )
        part = serial_part(first, last, options.jobs[-1])
        seconds = (f"{runs[number].seconds:.2f} s" for number in options.jobs)
        print_row(name, *seconds, f"{first / last:.2f}", f"{100 * part:.0f} %", told)


if __name__ == "__main__":
    main()
