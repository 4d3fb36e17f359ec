"""How time and memory grow with the task: with the examples, at the same facts for each, and with the facts.

Every run is `maxsynth learn` as a process of its own on a generated folder, from start to proven result. Two worlds:

- *examples*: each example is a thing with three parts in a row, all with a colour and a shape: 13 facts for each, of
  its own. Twice the examples are twice the facts, and twice the work for each rule that is tested. (Nothing is shared:
  with a value that many examples share, such as a number, there are rules with a binding for each pair of examples.)
- *facts*: a fixed number of examples in a random graph, in which every node has three edges, a colour and a shape. What
  an example can reach stays the same; what has to be read, kept and looked things up in grows.

In both, a rule of four body literals decides, and one label in ten is wrong. The exponent is the slope of a straight
line through the logarithms over the last decade of sizes: 1 is linear. It is also given without what the command takes
for next to nothing, since that hides growth.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

COLOURS, SHAPES = ("red", "green", "blue"), ("round", "square", "flat")
PARTS = 3
NOISE = 0.1
GRAPH_EXAMPLES = 500
FACTS_OF_NODE = 5
NEAR_LINEAR = 1.15
SETTLED = 5.0  # a run that takes longer, in seconds, is not repeated
LIMIT = 300  # seconds of search after which a run is cut, which the table says

BIAS = "max_vars(4).\nmax_body(4).\nhead_pred(f,1).\n" + "".join(f"body_pred({name},1).\n" for name in COLOURS + SHAPES)

Writer = Callable[[Path, int, random.Random], int]  # writes a task of a size to a folder; returns how many facts it has


# -- worlds -------------------------------------------------------------------------------------------------


def write_things(folder: Path, examples: int, rng: random.Random) -> int:
    """Things with `f(A) :- part(A,B), red(B), next(B,C), blue(C)`."""
    facts, labels = [], []
    for number in range(examples):
        parts = [f"p{number}_{i}" for i in range(PARTS)]
        colours = [rng.choice(COLOURS) for _ in parts]
        for part, colour in zip(parts, colours, strict=True):
            facts += [f"part(e{number},{part})", f"{colour}({part})", f"{rng.choice(SHAPES)}({part})"]
        facts += [f"next({one},{other})" for one, other in pairwise(parts)]
        facts += [f"{kind}(e{number})" for kind in (rng.choice(COLOURS), rng.choice(SHAPES))]
        labels.append(any(pair == ("red", "blue") for pair in pairwise(colours)))
    bias = "".join(f"body_pred({name},2).\n" for name in ("part", "next"))
    write_task(folder, bias, facts, list(enumerate(labels)), rng)
    return len(facts)


def write_graph(folder: Path, facts_wanted: int, rng: random.Random) -> int:
    """A graph with `f(A) :- edge(A,B), red(B), edge(B,C), blue(C)`."""
    nodes = max(2, facts_wanted // FACTS_OF_NODE)
    colours = [rng.choice(COLOURS) for _ in range(nodes)]
    edges = [[rng.randrange(nodes) for _ in range(3)] for _ in range(nodes)]
    facts = [f"edge(e{node},e{other})" for node in range(nodes) for other in edges[node]]
    facts += [f"{colour}(e{node})" for node, colour in enumerate(colours)]
    facts += [f"{rng.choice(SHAPES)}(e{node})" for node in range(nodes)]
    examples = [rng.randrange(nodes) for _ in range(GRAPH_EXAMPLES)]
    labels = [
        (node, any(colours[b] == "red" and any(colours[c] == "blue" for c in edges[b]) for b in edges[node]))
        for node in examples
    ]
    write_task(folder, "body_pred(edge,2).\n", facts, labels, rng)
    return len(facts)


def write_task(folder: Path, bias: str, facts: list[str], labels: list[tuple[int, bool]], rng: random.Random) -> None:
    wrong = set(rng.sample(range(len(labels)), round(NOISE * len(labels))))
    folder.mkdir()
    (folder / "bias.pl").write_text(BIAS + bias)
    (folder / "bk.pl").write_text(":- style_check(-discontiguous).\n" + "".join(f"{fact}.\n" for fact in facts))
    (folder / "exs.pl").write_text(
        "".join(
            f"{'pos' if label != (place in wrong) else 'neg'}(f(e{number})).\n"
            for place, (number, label) in enumerate(labels)
        )
    )


# -- measuring ----------------------------------------------------------------------------------------------


@dataclass
class Run:
    """One size: what it took, with where the time went as the command itself says."""

    size: int
    facts: int
    seconds: float
    megabytes: float
    stages: dict[str, float]
    status: str


def learn(folder: Path) -> Run:
    """Runs the command once. The child's own peak of memory comes from `wait4`."""
    result = folder / "result.json"
    options = ["--quiet", "--json", str(result), "--timeout", str(LIMIT)]
    command = [sys.executable, "-m", "maxsynth", "learn", str(folder), *options]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the command failed with status {process.returncode} on {folder}")
    told = json.loads(result.read_text())
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return Run(0, 0, seconds, peak, told["seconds"], told["status"])


def measure(write: Writer, size: int, repeats: int, scratch: Path) -> Run:
    """The quickest of several runs on one task, or a single run where that takes long.

    What else the machine does only adds to a time, so the least is nearest to what the command itself takes.
    """
    folder = scratch / f"{write.__name__}-{size}"
    # By another process: the peak of a child counts from what its parent had when it was made.
    with ProcessPoolExecutor(max_workers=1) as other:
        facts = other.submit(write, folder, size, random.Random(size)).result()
    runs = [learn(folder)]
    while len(runs) < repeats and runs[0].seconds < SETTLED:
        runs.append(learn(folder))
    for path in folder.iterdir():
        path.unlink()
    best = min(runs, key=lambda run: run.seconds)
    memory = statistics.median(run.megabytes for run in runs)
    return Run(size, facts, best.seconds, memory, best.stages, best.status)


def exponent(sizes: list[int], values: list[float]) -> float:
    """The slope of the least-squares line through the logarithms, over the last decade of sizes."""
    points = [
        (math.log(size), math.log(max(value, 1e-9)))
        for size, value in zip(sizes, values, strict=True)
        if size * 10 >= sizes[-1]
    ]
    mean_x = statistics.fmean(x for x, _ in points)
    mean_y = statistics.fmean(y for _, y in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


# -- reporting ----------------------------------------------------------------------------------------------


def table_line(run: Run, start: Run) -> str:
    stages = run.stages
    reading = max(0.0, run.seconds - start.seconds - stages["total"])
    times = [reading, stages["background"], stages.get("generate", 0.0), stages.get("combine", 0.0)]
    return (
        f"{run.size:>10,} {run.facts:>11,} {run.seconds:>9.2f} {run.megabytes:>9.0f}   "
        + " ".join(f"{value:>9.2f}" for value in times)
        + ("" if run.status == "optimal" else f"   {run.status}")
    )


def growth(name: str, runs: list[Run], start: Run) -> Iterator[tuple[str, float]]:
    sizes = [run.size for run in runs]
    for what, values, constant in (
        ("time", [run.seconds for run in runs], start.seconds),
        ("memory", [run.megabytes for run in runs], start.megabytes),
    ):
        yield f"{what} by {name}", exponent(sizes, values)
        yield f"{what} by {name}, start-up subtracted", exponent(sizes, [value - constant for value in values])


def need_matplotlib() -> None:
    if find_spec("matplotlib") is None:
        raise SystemExit("--plot needs matplotlib: pip install 'maxsynth[bench]'")


def plot(series: dict[str, list[Run]], start: Run, path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "maxsynth"  # the same figures give the same file
    figure, axes = plt.subplots(2, len(series), figsize=(5 * len(series), 7), squeeze=False)
    for column, (name, runs) in enumerate(series.items()):
        sizes = [run.size for run in runs]
        for row, (label, values, constant) in enumerate(
            (
                ("seconds", [run.seconds for run in runs], start.seconds),
                ("megabytes", [run.megabytes for run in runs], start.megabytes),
            )
        ):
            axis = axes[row][column]
            axis.loglog(sizes, values, "o-", label="measured")
            axis.loglog(sizes, [max(value - constant, 1e-3) for value in values], ".:", label="start-up subtracted")
            last = values[-1] - constant
            axis.loglog(sizes, [max(last * n / sizes[-1], 1e-3) for n in sizes], "k--", lw=0.8, label="linear")
            axis.set(xlabel=name, ylabel=label)
            axis.grid(alpha=0.3)
            axis.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def sizes_up_to(first: int, last: int) -> list[int]:
    """1, 3, 10, 30, ... times the first."""
    steps = (first * factor * 10**power for power in range(9) for factor in (1, 3))
    return [size for size in steps if size <= last]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Measures how time and memory of `maxsynth learn` grow with examples and with facts.",
        epilog="examples:\n  python benchmarks/scale.py --quick\n  python benchmarks/scale.py --plot scale.svg",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="one decade of each, in half a minute")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each small size (default: 3)")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="write a plot there")
    options = parser.parse_args()
    if options.plot:
        need_matplotlib()
    # The quick sizes begin where start-up does not hide the rest.
    worlds = {
        "examples": (write_things, sizes_up_to(3000, 30_000) if options.quick else sizes_up_to(100, 100_000)),
        "facts": (write_graph, sizes_up_to(30_000, 300_000) if options.quick else sizes_up_to(1000, 1_000_000)),
    }
    series: dict[str, list[Run]] = {}
    with tempfile.TemporaryDirectory(prefix="maxsynth-scale-") as name:
        scratch = Path(name)
        start = measure(write_things, 20, 5, scratch)
        print(f"start-up: {start.seconds:.2f} s, {start.megabytes:.0f} MB; times in seconds, memory in MB")
        for world, (write, sizes) in worlds.items():
            heads = ("time", "memory", "", "reading", "closing", "generate", "combine")
            print(
                f"\n{world:>10} {'facts':>11} {heads[0]:>9} {heads[1]:>9}   " + " ".join(f"{h:>9}" for h in heads[3:])
            )
            series[world] = []
            for size in sizes:
                series[world].append(measure(write, size, options.repeats, scratch))
                print(table_line(series[world][-1], start), flush=True)
    print(f"\nexponents over the last decade (1 is linear; up to {NEAR_LINEAR} counts as near-linear)")
    found = [line for world, runs in series.items() for line in growth(world, runs, start)]
    for what, power in found:
        print(f"{what:42} {power:5.2f}{'' if power <= NEAR_LINEAR else '  worse'}")
    if options.plot:
        plot(series, start, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
