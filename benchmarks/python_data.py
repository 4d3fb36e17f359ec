"""How long it takes to make a task of Python data, beside reading the same task from a folder.

    .venv/bin/python benchmarks/python_data.py

A relation of two columns of strings, and some examples. Each form of the data is read in a process of its own. The
seconds are those of the processor, the least of several tries: what else the machine does counts less then. The memory
is what the peak grows by while the task is made, beside what the data itself takes.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path

FACTS, EXAMPLES = 542_000, 1000
BIAS = {"max_vars": 2, "max_body": 1}

Pairs = list[tuple[str, str]]


def make_pairs(facts: int) -> Pairs:
    """Edges of a random graph in which every node has a few."""
    rng = random.Random(1)
    names = [f"node{number}" for number in range(max(2, facts // 5))]
    return [(rng.choice(names), rng.choice(names)) for _ in range(facts)]


def as_tuples(pairs: Pairs) -> object:
    return pairs


def as_array(pairs: Pairs) -> object:
    import numpy as np

    return np.array(pairs)


def as_frame(pairs: Pairs) -> object:
    import pandas as pd

    return pd.DataFrame(pairs, columns=["one", "other"])


def peak() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def measure(form: Callable[[Pairs], object], facts: int, examples: int, folder: Path | None) -> tuple[float, float]:
    """Seconds and megabytes of making a task; with a folder, of reading it, whose peak that of writing it hides."""
    from maxsynth import Task

    pairs = make_pairs(facts)
    labels = {("f", f"node{number}"): number % 2 == 0 for number in range(examples)}
    data = form(pairs)
    if folder is not None:
        Task(labels, {"edge": data}, BIAS).to_folder(folder)
    before, start = peak(), time.process_time()
    Task(labels, {"edge": data}, BIAS) if folder is None else Task.from_folder(folder)
    return time.process_time() - start, peak() - before


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures how long it takes to make a task of Python data.")
    parser.add_argument("--facts", type=int, default=FACTS, metavar="N", help=f"of one relation (default: {FACTS})")
    parser.add_argument("--examples", type=int, default=EXAMPLES, metavar="N", help=f"(default: {EXAMPLES})")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="of which the least counts (default: 3)")
    options = parser.parse_args()
    forms = {"tuples": as_tuples, "NumPy array": as_array}
    if find_spec("pandas") is not None:
        forms["pandas"] = as_frame
    print(f"{options.facts:,} facts, {options.examples:,} examples      seconds  megabytes")
    with tempfile.TemporaryDirectory(prefix="maxsynth-data-") as scratch:
        for name, form in {**forms, "a folder": as_tuples}.items():
            found = []
            for number in range(options.repeats):
                folder = Path(scratch) / str(number) if name == "a folder" else None
                with ProcessPoolExecutor(max_workers=1) as other:  # a peak of memory is that of a process
                    found.append(other.submit(measure, form, options.facts, options.examples, folder).result())
            seconds, megabytes = min(found)
            print(f"{name:36} {seconds:7.2f} {'-' if folder else round(megabytes):>10}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
