"""Evaluates the paper's programs on the paper's data and compares with what the paper recorded.

For every task and trial in `paper-results.json`: the balanced accuracy of MaxSynth's program on the test examples must
be the recorded one to 0.01, and its cost on the training examples the recorded `mdl`. With `--prolog both`, the
built-in engine and SWI-Prolog must agree on every single example. The known exceptions are the accuracies of
`wn18rr2`, where the paper's test queries were cut after 0.1 s; there the counts are taken by SWI-Prolog alone,
consulting BK and program itself without any limit, and must be ours.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common import add_data_option, need_data, paper_results
from maxsynth.logic.programs import Program, parse_program
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.proofs.metrics import Confusion
from maxsynth.task.task import ReadTask

CUT_IN_THE_PAPER = {"wn18rr2"}


def covered(program: Program, folder: Path, prolog: str, *, test: bool) -> tuple[NDArray[np.bool_], int]:
    """Which examples the program covers, the positives first, and how many positives there are."""
    task = ReadTask.from_folder(folder, test=test, prolog=prolog)
    try:
        rows = np.concatenate([task.positives.rows, task.negatives.rows])
        return Evaluator(task.background, task.bias.head).coverage(program, rows).covered, len(task.positives)
    finally:
        task.background.close_engine()


def confusion(bits: NDArray[np.bool_], positives: int) -> Confusion:
    tp, fp = int(bits[:positives].sum()), int(bits[positives:].sum())
    return Confusion(tp, positives - tp, len(bits) - positives - fp, fp)


def swipl_alone(program: Program, folder: Path) -> tuple[int, int]:
    """True and false positives on the test examples, by SWI-Prolog with nothing of ours in between."""
    goal = "forall(member(L,[pos,neg]),(aggregate_all(count,(G=..[L,A],call(G),once(A)),N),writeln(N)))"
    with tempfile.NamedTemporaryFile("w", suffix=".pl") as file:
        file.write(":- style_check(-discontiguous).\n" + str(program) + "\n")
        file.flush()
        files = [folder / "test" / "bk.pl", folder / "test" / "exs.pl", Path(file.name)]
        command = ["swipl", "-q", "-g", goal, "-t", "halt", *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    tp, fp = map(int, done.stdout.split())
    return tp, fp


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tasks", nargs="*", help="task names (default: all)")
    parser.add_argument("--prolog", choices=("builtin", "swipl", "both"), default="builtin")
    add_data_option(parser)
    options = parser.parse_args()
    need_data(options.data)
    engines = ["builtin", "swipl"] if options.prolog == "both" else [options.prolog]
    checks = failures = 0
    for name, recorded in paper_results(options.data).items():
        if options.tasks and name not in options.tasks:
            continue
        for trial, run in sorted(recorded["maxsynth"].items()):
            problems = check_run(name, options.data / "paper" / name / trial, run, engines)
            checks += 1
            failures += bool(problems)
            print(f"{name:18} {trial}  {'; '.join(problems) or 'ok'}", flush=True)
    print(f"{checks - failures} of {checks} programs as recorded, engine {options.prolog}")
    return 1 if failures else 0


def check_run(name: str, folder: Path, run: dict, engines: list[str]) -> list[str]:
    # An empty program is recorded as "[]".
    program = parse_program("\n".join(rule for rule in run["program"] if rule != "[]"))
    problems = []
    found = {engine: [covered(program, folder, engine, test=test) for test in (False, True)] for engine in engines}
    if len(engines) == 2:
        for a, b, which in zip(*found.values(), ("training", "test"), strict=True):
            if not np.array_equal(a[0], b[0]):
                problems.append(f"the engines differ on {int((a[0] != b[0]).sum())} {which} examples")
    train, test = (confusion(*bits) for bits in found[engines[0]])
    cost = program.size + train.fp + train.fn
    if run["mdl"] is not None and cost != run["mdl"]:
        problems.append(f"cost {cost}, recorded {run['mdl']}")
    if name in CUT_IN_THE_PAPER:
        print(
            f"{name:18} {folder.name}  test tp {test.tp} fn {test.fn} tn {test.tn} fp {test.fp}, "
            f"accuracy {100 * (test.balanced_accuracy or 0):.2f}, recorded {run['accuracy']:.2f}"
        )
        if swipl_alone(program, folder) != (test.tp, test.fp):
            problems.append("SWI-Prolog alone counts differently")
    elif abs(100 * (test.balanced_accuracy or 0) - run["accuracy"]) > 0.01:
        problems.append(f"accuracy {100 * (test.balanced_accuracy or 0):.3f}, recorded {run['accuracy']:.3f}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
