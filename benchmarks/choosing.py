"""How long the choice of rules takes on many noisy tasks: the middle, the slowest twentieth and the slowest of all.

.venv/bin/python benchmarks/choosing.py [--tasks 200] [--seed 7000] [--slowest 5]

With noise, thousands of rules are left to choose from, and the time that a proof takes varies much from task to task.
The tasks are Zendo with the four rules of the paper in turn, 200 examples each, of which 10, 20 and 30 percent have the
wrong label. Each is learned by `maxsynth learn` as a process of its own. What is given in seconds is its processor
time, which other work on the machine changes less; `x median` is that, divided by the median of all, and `choosing` is
the share of the search that goes into the choice of rules.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from maxsynth.bench.domains.zendo import ZENDO1, ZENDO2, ZENDO3, ZENDO4

WORLDS = (ZENDO1, ZENDO2, ZENDO3, ZENDO4)
NOISES = (10, 20, 30)
LIMIT = 60  # seconds of search after which a run is cut


@dataclass(frozen=True)
class Learned:
    name: str
    noise: int
    seconds: float  # of processor time
    choosing: float  # of the search
    nodes: int
    status: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7000, help="of the first task; the next ones count up from it")
    parser.add_argument("--slowest", type=int, default=5, help="how many of the slowest to name")
    options = parser.parse_args()
    runs = [learn(number, options.seed + number) for number in range(options.tasks)]
    print(table(runs))
    print(f"\nThe slowest of {len(runs)}:")
    for run in sorted(runs, key=lambda run: -run.seconds)[: options.slowest]:
        print(f"- {run.name}: {run.seconds:.2f} s, {run.nodes} nodes, {run.choosing:.0%} choosing, {run.status}")


def learn(number: int, seed: int) -> Learned:
    """One task, by its number: the rules take turns, and then the shares of noise."""
    rule, noise = number % len(WORLDS), NOISES[number // len(WORLDS) % len(NOISES)]
    with tempfile.TemporaryDirectory() as scratch:
        folder, report = Path(scratch, "task"), Path(scratch, "result.json")
        WORLDS[rule].make(seed, noise, test=2).write(folder)
        command = [sys.executable, "-m", "maxsynth", "learn", str(folder), "--quiet", "--json", str(report)]
        seconds = processor_seconds([*command, "--timeout", str(LIMIT)])
        result = json.loads(report.read_text())
    spent = result["seconds"]
    return Learned(
        f"zendo{rule + 1}-{noise}, seed {seed}",
        noise,
        seconds,
        spent["combine"] / spent["total"],
        result["counts"]["branch_nodes"],
        result["status"],
    )


def processor_seconds(command: list[str]) -> float:
    """What a command takes, with its own output thrown away."""
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=nowhere)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def table(runs: list[Learned]) -> str:
    middle = statistics.median(run.seconds for run in runs)
    lines = [
        "| noise | tasks | median | 95% | slowest | x median: 95% | slowest | choosing | cut |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for noise in (*NOISES, None):
        some = [run for run in runs if noise is None or run.noise == noise]
        if not some:
            continue
        times = sorted(run.seconds for run in some)
        late, last = times[max(0, -(-len(times) * 95 // 100) - 1)], times[-1]
        cells = (
            "all" if noise is None else f"{noise}%",
            len(some),
            f"{statistics.median(times):.2f} s",
            f"{late:.2f} s",
            f"{last:.2f} s",
            f"{late / middle:.1f}",
            f"{last / middle:.1f}",
            f"{statistics.mean(run.choosing for run in some):.0%}",
            sum(run.status != "optimal" for run in some),
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
