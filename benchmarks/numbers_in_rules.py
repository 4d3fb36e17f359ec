"""Numbers and constants in rules: NumSynth's tasks, and how time grows on a table with more of everything.

.venv/bin/python benchmarks/numbers.py recorded [--data FOLDER] [--tasks zendo1 interval ...] [--limit 60]
.venv/bin/python benchmarks/numbers.py growth [--columns 10 30 100] [--values 10 100 1000] [--rows 100 1000 ...]
.venv/bin/python benchmarks/numbers.py cancer [--limit 300] [--fold-limit 60]

*recorded* learns the tasks of `numsynth/` in the data, with `--exact` and without, and says how long that takes (`x
recorded` is the time that NumSynth took, as its authors recorded it on their machine, divided by it), and how the
program does on the test examples, beside the one that NumSynth learned. Then it does so for Zendo with 10 and 20
percent of the labels turned, by a fixed seed; the test examples, and the program beside it, are those without noise.

*growth* makes a table of so many rows and columns of numbers, so many different ones in each. A row is positive if one
column is large and another is small; one label in twenty is wrong. A rule has up to four body literals: two columns,
and a test on each. `hidden rule` is whether the program has these two tests and no others.

*cancer* learns rules of at most three tests for each class of scikit-learn's breast cancer data (569 rows, 30
columns), and holds their cost, and accuracy in five folds, against those of trees (one of them optimal) and RIPPER.

Every run is `maxsynth learn` as a process of its own. Seconds are processor time, which other work on the machine
changes less. A run that does not come to its end within the limit is cut, and the table says so: its time is a lower
bound.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from common import DEFAULT, print_head, print_row

TASKS = ("zendo1", "zendo2", "zendo3", "zendo4", "interval", "memberbetween", "last_leq", "next_geq")
NOISY, NOISES = TASKS[:4], (10, 20)
TRIALS = ("0", "1")
SEED = 11
LIMIT = 60  # seconds after which a run is cut
GRACE = 60  # more, after which it is ended: what cannot be cut is reading the task
WRONG = 0.05
CANCER_LIMIT = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parts = parser.add_subparsers(required=True)
    recorded = parts.add_parser("recorded", help="the tasks of NumSynth")
    recorded.add_argument("--data", type=Path, default=DEFAULT, help=f"folder with numsynth/ (default: {DEFAULT})")
    recorded.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    recorded.set_defaults(run=run_recorded)
    growth = parts.add_parser("growth", help="tables of growing size")
    growth.add_argument("--columns", type=int, nargs="+", default=(10, 30, 100))
    growth.add_argument("--values", type=int, nargs="+", default=(10, 100, 1000))
    growth.add_argument("--rows", type=int, nargs="+", default=(100, 1000, 10_000, 100_000))
    growth.set_defaults(run=run_growth)
    cancer = parts.add_parser("cancer", help="the breast cancer data of scikit-learn, beside other learners")
    cancer.add_argument("--fold-limit", type=int, default=LIMIT, help=f"seconds for a fold (default: {LIMIT})")
    cancer.set_defaults(run=run_cancer)
    for part, limit in ((recorded, LIMIT), (growth, LIMIT), (cancer, CANCER_LIMIT)):
        part.add_argument("--limit", type=int, default=limit, help=f"seconds for a run (default: {limit})")
    options = parser.parse_args()
    options.run(options)


# -- one run ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Learned:
    """What a run took, and what came of it."""

    seconds: float  # of processor time
    status: str
    program: str = ""
    cost: int | None = None
    lower_bound: int | None = None

    def time(self) -> str:
        return f"{self.seconds:.2f} s"

    def note(self) -> str:
        if self.status == "optimal":
            return ""
        bound = "" if self.cost is None else f": cost {self.cost}, at least {self.lower_bound}"
        return f"{'cut' if self.status == 'timeout' else self.status}{bound}"


def learn(folder: Path, limit: int, *options: str) -> Learned:
    report = folder / "result.json"
    report.unlink(missing_ok=True)
    before = children_seconds()
    command = ["learn", str(folder), "--quiet", "--json", str(report), "--timeout", str(limit), *options]
    try:
        done = maxsynth(*command, timeout=limit + GRACE)
    except subprocess.TimeoutExpired:
        return Learned(children_seconds() - before, "not read in time")
    seconds = children_seconds() - before
    if not report.exists():
        return Learned(seconds, done.stderr.strip().splitlines()[-1][:100])
    result = json.loads(report.read_text())
    return Learned(seconds, result["status"], done.stdout, result["cost"], result["lower_bound"])


def accuracy(program: str, folder: Path) -> str:
    """On the test examples of a task, in percent."""
    file = folder / "program.pl"
    file.write_text(program)
    done = maxsynth("evaluate", str(file), str(folder), "--test", "--json", "-")
    if done.returncode:
        return "none"  # in exact mode, there may be no program
    return f"{100 * json.loads(done.stdout)['accuracy']:.1f}"


def maxsynth(*command: str, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    called = [sys.executable, "-m", "maxsynth", *command]
    return subprocess.run(called, capture_output=True, text=True, timeout=timeout, check=False)


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


# -- NumSynth's tasks ---------------------------------------------------------------------------------------


def run_recorded(options: argparse.Namespace) -> None:
    data = options.data / "numsynth"
    if not (data / "recorded.json").is_file():
        print(f"no data: {options.data} has no folder numsynth/ with recorded.json; this part needs it (see --data)")
        return
    recorded = json.loads((data / "recorded.json").read_text())
    print_head("task", "mode", "time", "x recorded", "cost", "accuracy", "NumSynth's", "")
    for task, trial in product(options.tasks, TRIALS):
        with tempfile.TemporaryDirectory() as scratch:
            folder = copied(data / task / trial, Path(scratch, "task"))
            known = recorded[task][trial]
            theirs = accuracy(as_prolog(known["solution"]), folder)
            for mode in ("exact", "default"):
                run = learn(folder, options.limit, *(["--exact"] if mode == "exact" else []))
                ratio = f"{known['seconds'] / run.seconds:.1f}"
                ours = accuracy(run.program, folder)
                print_row(f"{task}/{trial}", mode, run.time(), ratio, run.cost, ours, theirs, run.note())
    noisy = [task for task in options.tasks if task in NOISY]
    if not noisy:
        return
    print()
    print_head("task", "labels turned", "time", "cost", "accuracy", "NumSynth's, without noise", "")
    for task, trial, noise in product(noisy, TRIALS, NOISES):
        with tempfile.TemporaryDirectory() as scratch:
            folder = copied(data / task / trial, Path(scratch, "task"))
            turn_labels(folder / "exs.pl", noise, random.Random(SEED))
            run = learn(folder, options.limit)
            theirs = accuracy(as_prolog(recorded[task][trial]["solution"]), folder)
            ours = accuracy(run.program, folder)
            print_row(f"{task}/{trial}", f"{noise}%", run.time(), run.cost, ours, theirs, run.note())


def copied(task: Path, folder: Path) -> Path:
    """A task that can be changed; other people's data stays as it is."""
    shutil.copytree(task, folder, copy_function=shutil.copyfile)
    return folder


def as_prolog(program: str) -> str:
    """A program of NumSynth in our words: comparisons and sums are infix, and constants are not named apart."""
    program = re.sub(r"\bmagic\([^)]*\),|,magic\([^)]*\)", "", program)
    program = re.sub(r"\bgeq\((\w+),([^)]*)\)", r"\1 >= \2", program)
    program = re.sub(r"\bleq\((\w+),([^)]*)\)", r"\1 =< \2", program)
    return re.sub(r"\badd\((\w+),(\w+),(\w+)\)", r"\3 is \1+\2", program)


def turn_labels(file: Path, percent: int, rng: random.Random) -> None:
    lines = [line for line in file.read_text().splitlines() if re.match(r"(pos|neg)\(", line)]
    for place in rng.sample(range(len(lines)), round(percent / 100 * len(lines))):
        label = lines[place][:3]
        lines[place] = ("neg" if label == "pos" else "pos") + lines[place][3:]
    file.write_text("\n".join(lines) + "\n")


# -- growth -------------------------------------------------------------------------------------------------


def run_growth(options: argparse.Namespace) -> None:
    print_head("columns", "values", "rows", "time", "x fewer rows", "cost", "hidden rule", "")
    for columns, values in product(options.columns, options.values):
        before: float | None = None
        for rows in options.rows:
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch, "task")
                write_table(folder, columns, values, rows, random.Random(SEED))
                run = learn(folder, options.limit)
            growth = f"{run.seconds / before:.1f}" if before else ""
            found = "found" if is_hidden_rule(run.program) else "not found"
            print_row(columns, values, rows, run.time(), growth, run.cost, found, run.note())
            before = run.seconds


def write_table(folder: Path, columns: int, values: int, rows: int, rng: random.Random) -> None:
    """Rows with `f(A) :- c0(A,B), B >= two fifths of all values, c1(A,C), C =< three fifths`, and wrong labels."""
    folder.mkdir()
    names = [f"c{number}" for number in range(columns)]
    bias = ["head_pred(f,1).", "type(f,(row,)).", "direction(f,(in,)).", "max_body(4)."]
    for name in names:
        bias += [f"body_pred({name},2).", f"type({name},(row,{name}_value)).", f"direction({name},(in,out))."]
        bias.append(f"numbers({name}_value).")
    (folder / "bias.pl").write_text("\n".join(bias) + "\n")
    wrong = set(rng.sample(range(rows), round(WRONG * rows)))
    with (folder / "exs.pl").open("w") as examples, (folder / "bk.pl").open("w") as facts:
        table = [[rng.randrange(values) for _ in names] for _ in range(rows)]
        for number, row in enumerate(table):
            label = 5 * row[0] >= 2 * values and 5 * row[1] <= 3 * values
            examples.write(f"{'pos' if label != (number in wrong) else 'neg'}(f(r{number})).\n")
        for column, name in enumerate(names):  # the facts of a predicate stand together
            facts.writelines(f"{name}(r{number},{row[column]}).\n" for number, row in enumerate(table))


def is_hidden_rule(program: str) -> bool:
    """Whether it is one rule with the tests that decide, whatever the numbers."""
    if program.count(":-") != 1:
        return False
    columns = {variable: name for name, variable in re.findall(r"(c\d+)\(A,(\w)\)", program)}
    tests = re.findall(r"(\w) (>=|=<) ", program)
    return sorted((columns.get(variable, ""), operator) for variable, operator in tests) == [("c0", ">="), ("c1", "=<")]


# -- a table of the world -----------------------------------------------------------------------------------


def run_cancer(options: argparse.Namespace) -> None:
    from compared import cancer  # which needs NumPy, as the others here do not

    cancer.run(options.limit, options.fold_limit)


if __name__ == "__main__":
    main()
