"""How long it takes from data to a task, and how much memory: tables of a shop, and graphs, in each form that is read.

Every run is a process of its own, from its start to a task that is ready to be searched: made data is *read* into
columns, what it means is *inferred*, and facts and examples are *made* of it and indexed. Two worlds:

- *tables*: customers, orders and their items, a tenth, three tenths and six tenths of the rows, with keys, text,
  numbers, dates and nulls; to be learned is which orders are returned;
- *triples*: a graph with fifty relations over as many entities as a fifth of the triples; to be learned is one of them.

The limits that the project sets: 10^6 rows in 10 s and 2 GB, 10^7 triples in 60 s and 6 GB. Shown is which part of
them it takes.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROWS, TRIPLES = 1_000_000, 10_000_000
RELATIONS = 50
CHUNK = 200_000  # triples that are written at once
LINE = {
    ".txt": "Q{}\tP{}\tQ{}\n",
    ".nt": "<http://example.org/entity/Q{}> <http://example.org/relation/P{}> <http://example.org/entity/Q{}> .\n",
    ".ttl": "e:Q{} r:P{} e:Q{} .\n",
}
PREFIXES = "@prefix e: <http://example.org/entity/> .\n@prefix r: <http://example.org/relation/> .\n"
WHOLE_WAY = """
import sys, time
from maxsynth.data.reading.open_data import open_data
from maxsynth.data.inference.infer import infer
from maxsynth.data.task import make_task
times = [time.process_time()]
data = open_data(sys.argv[1])
times.append(time.process_time())
description = infer(data, sys.argv[2])
times.append(time.process_time())
task = make_task(data, description).read()
times.append(time.process_time())
print(*(end - start for start, end in zip(times, times[1:])))
"""
TARGETS = {"tables": "orders.state=returned", "triples": "P1"}

Columns = dict[str, list[object]]


@dataclass
class Limit:
    seconds: float
    megabytes: float


LIMITS = {"tables": Limit(10, 2000), "triples": Limit(60, 6000)}


# -- worlds -------------------------------------------------------------------------------------------------


def shop(rows: int) -> dict[str, Columns]:
    """Three tables with this many rows together."""
    rng = np.random.default_rng(rows)
    customers, orders = rows // 10, 3 * rows // 10
    items = rows - customers - orders
    days = np.datetime64("2015-01-01") + rng.integers(0, 3000, orders)
    prices = np.round(rng.lognormal(3, 1, items), 2)
    return {
        "customers": {
            "id": list(range(customers)),
            "name": [f"customer {number}" for number in range(customers)],
            "city": [f"city {number}" for number in rng.integers(0, 500, customers).tolist()],
            "age": [age if age > 17 else None for age in rng.integers(10, 90, customers).tolist()],
        },
        "orders": {
            "id": list(range(orders)),
            "customer": rng.integers(0, customers, orders).tolist(),
            "day": days.astype(str).tolist(),
            "state": np.array(["open", "paid", "sent", "returned"])[rng.integers(0, 4, orders)].tolist(),
        },
        "items": {
            "id": list(range(items)),
            "order": rng.integers(0, orders, items).tolist(),
            "product": [f"product {number}" for number in rng.integers(0, 20_000, items).tolist()],
            "price": prices.tolist(),
            "count": rng.integers(1, 20, items).tolist(),
        },
    }


def write_sqlite(path: Path, rows: int) -> Path:
    target = path / "shop.sqlite3"
    connection = sqlite3.connect(target)
    for table, columns in shop(rows).items():
        names = ", ".join(f'"{name}"' for name in columns)
        connection.execute(f'CREATE TABLE "{table}" ({names}, PRIMARY KEY (id))')
        marks = ", ".join("?" * len(columns))
        connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', zip(*columns.values(), strict=True))
    connection.commit()
    connection.close()
    return target


def write_csv(path: Path, rows: int) -> Path:
    import pyarrow as pa
    from pyarrow import csv

    for table, columns in shop(rows).items():
        csv.write_csv(pa.table(columns), path / f"{table}.csv")
    return path


def write_parquet(path: Path, rows: int) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    for table, columns in shop(rows).items():
        parquet.write_table(pa.table(columns), path / f"{table}.parquet")
    return path


def write_triples(path: Path, count: int, suffix: str) -> Path:
    rng = np.random.default_rng(count)
    entities = max(2, count // 5)
    target = path / f"graph{suffix}"
    with target.open("w") as file:
        file.write(PREFIXES if suffix == ".ttl" else "")
        for _ in range(0, count, CHUNK):
            size = min(CHUNK, count)
            parts = [rng.integers(0, most, size).tolist() for most in (entities, RELATIONS, entities)]
            file.writelines(map(LINE[suffix].format, *parts))
    return target


def write_grouped(path: Path, count: int) -> Path:
    """Turtle in which the subject stands once for what follows one another: `e:Q1 r:P2 e:Q3 ;` and `r:P4 e:Q5 .`"""
    rng = np.random.default_rng(count)
    entities = max(2, count // 5)
    target = path / "graph.ttl"
    with target.open("w") as file:
        file.write(PREFIXES)
        for _ in range(0, count, CHUNK):
            size = min(CHUNK, count)
            subjects = np.sort(rng.integers(0, entities, size))
            same = [*(subjects[1:] == subjects[:-1]).tolist(), False]
            starts = [True, *(not one for one in same[:-1])]
            parts = [rng.integers(0, most, size).tolist() for most in (RELATIONS, entities)]
            for subject, relation, thing, start, more in zip(subjects.tolist(), *parts, starts, same, strict=True):
                file.write(f"{f'e:Q{subject}' if start else '   '} r:P{relation} e:Q{thing} {';' if more else '.'}\n")
    return target


def write_tab_separated(path: Path, count: int) -> Path:
    return write_triples(path, count, ".txt")


def write_ntriples(path: Path, count: int) -> Path:
    return write_triples(path, count, ".nt")


def write_turtle(path: Path, count: int) -> Path:
    return write_triples(path, count, ".ttl")


Writer = Callable[[Path, int], Path]
WORLDS: dict[str, dict[str, Writer]] = {
    "tables": {"SQLite": write_sqlite, "CSV": write_csv, "Parquet": write_parquet},
    "triples": {
        "tab-separated": write_tab_separated,
        "N-Triples": write_ntriples,
        "Turtle": write_turtle,
        "Turtle, grouped": write_grouped,
    },
}


# -- measuring ----------------------------------------------------------------------------------------------


class Run(NamedTuple):
    seconds: float
    cpu: float  # seconds of all cores
    megabytes: float
    parts: tuple[float, ...]  # the same of reading, inferring and making, without what is imported before


def go(data: Path, target: str) -> Run:
    """What a process takes for the whole way. Its own peak of memory comes from `wait4`."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", WHOLE_WAY, str(data), target], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"it failed with status {process.returncode} on {data}")
    megabytes = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return Run(seconds, usage.ru_utime + usage.ru_stime, megabytes, tuple(map(float, said.split())))


def measure(write: Writer, target: str, size: int, repeats: int) -> Run:
    """The quickest of several runs: what else the machine does only adds to a time."""
    with tempfile.TemporaryDirectory(prefix="maxsynth-data-") as name:
        # By another process: the peak of a child counts from what its parent had when it was made.
        with ProcessPoolExecutor(max_workers=1) as other:
            data = other.submit(write, Path(name), size).result()
        return min(go(data, target) for _ in range(repeats))


def lines(sizes: dict[str, int], forms: set[str], repeats: int) -> Iterator[str]:
    for world, writers in WORLDS.items():
        limit = LIMITS[world]
        for form, write in writers.items():
            if forms and form not in forms:
                continue
            size = sizes[world]
            run = measure(write, TARGETS[world], size, repeats)
            parts = " ".join(f"{seconds:>9.2f}" for seconds in run.parts)
            yield (
                f"{form:>15} {size:>11,} {parts} {run.cpu:>9.2f} {run.seconds:>9.2f} {run.megabytes:>9.0f}   "
                f"{run.seconds / limit.seconds:>7.0%} {run.megabytes / limit.megabytes:>7.0%}"
            )


def main() -> int:
    known = list(chain.from_iterable(WORLDS.values()))
    parser = argparse.ArgumentParser(
        description="Measures how long it takes from data to a task, and how much memory.",
        epilog="examples:\n  python benchmarks/data.py --quick\n  python benchmarks/data.py CSV N-Triples",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("forms", nargs="*", metavar="FORM", help=f"which forms (default: all): {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    parser.add_argument("--repeats", type=int, default=2, metavar="N", help="runs of each (default: 2)")
    options = parser.parse_args()
    if unknown := sorted(set(options.forms) - set(known)):
        parser.error(f"no such form: {', '.join(unknown)}")
    part = 10 if options.quick else 1
    parts = " ".join(f"{part:>9}" for part in ("read", "infer", "make"))
    print(f"{'form':>15} {'size':>11} {parts} {'cpu':>9} {'seconds':>9} {'MB':>9}   of the limits")
    for line in lines({"tables": ROWS // part, "triples": TRIPLES // part}, set(options.forms), options.repeats):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
