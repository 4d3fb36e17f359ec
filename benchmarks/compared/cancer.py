"""The breast cancer data of scikit-learn: 569 rows, 30 columns of numbers, rules of at most three tests.

One run for each of its two classes on all of the data, and what comes of the same rows beside other learners: the cost
of rules for the class on all of the data, and accuracy by five-fold cross-validation, with the same folds for all.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from common import print_head, print_row, run_measured
from compared.folds import folds
from compared.joined import Numbers
from compared.learners import Labels, missing
from compared.rules import Rules, optimal_tree_rules, ripper_rules, tree_rules

TESTS, DEPTH, FOLDS, SEED = 3, 3, 5, 1


def run(limit: int, fold_limit: int) -> None:
    if missing("sklearn"):
        print(f"no data: the breast cancer data is that of scikit-learn ({missing('sklearn')})")
        return
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    names = [re.sub(r"\W+", "_", name) for name in data.feature_names]
    classes = {str(name): data.target == number for number, name in enumerate(data.target_names)}
    print_head("target", "cost", "size", "lower bound", "best found after", "seconds", "MB", "")
    costs = {target: show_run(target, names, data.data, labels, limit) for target, labels in classes.items()}
    print()
    print_head("target", "learner", "cost", "size", "errors", "five-fold accuracy", "seconds for all")
    for target, labels in classes.items():
        start = time.monotonic()
        right = ours_in_folds(target, names, data.data, labels, fold_limit)
        seconds = f"{time.monotonic() - start:.1f} for folds"
        print_row(target, "**MaxSynth**", *costs[target], f"{100 * right / len(labels):.1f}", seconds)
        for name, learner in others().items():
            show_other(target, name, learner, data.data, labels)


def others() -> dict[str, Callable[[Numbers, Labels], Rules]]:
    found: dict[str, Callable[[Numbers, Labels], Rules]] = {
        f"tree of depth {DEPTH}": lambda rows, labels: tree_rules(rows, labels, DEPTH)
    }
    if missing("wittgenstein", "pystreed"):
        print(f"some learners are missing: {missing('wittgenstein', 'pystreed')}")
    if not missing("wittgenstein"):
        found["RIPPER"] = ripper_rules
    if not missing("pystreed"):
        found[f"optimal tree of depth {DEPTH}"] = lambda rows, labels: optimal_tree_rules(rows, labels, DEPTH)
    return found


def show_other(
    target: str, name: str, learner: Callable[[Numbers, Labels], Rules], rows: Numbers, labels: Labels
) -> None:
    start = time.process_time()
    whole = learner(rows, labels)
    errors = int((whole.asked(rows) != labels).sum())
    right = 0
    for held_out in folds(labels.tolist(), FOLDS, SEED):
        found = learner(rows[~held_out], labels[~held_out])
        right += int((found.asked(rows[held_out]) == labels[held_out]).sum())
    seconds = f"{time.process_time() - start:.1f}"
    print_row(target, name, whole.size + errors, whole.size, errors, f"{100 * right / len(labels):.1f}", seconds)


# -- ours ---------------------------------------------------------------------------------------------------


def show_run(target: str, names: list[str], rows: Numbers, labels: Labels, limit: int) -> tuple[object, object, object]:
    """A run on all of the data: its cost, size and errors."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "task")
        write_task(folder, target, names, rows, labels)
        result, seconds, megabytes = learn(folder, limit)
    share = seconds / max(result["seconds"]["total"], seconds)  # of the time that passed, what the processor gave us
    best = f"{result['trace'][-1][0] * share:.1f} s" if result["trace"] else ""
    note = "proven" if result["status"] == "optimal" else result["status"]
    bound = result["lower_bound"]
    print_row(target, result["cost"], result["size"], bound, best, f"{seconds:.1f}", f"{megabytes:.0f}", note)
    for rule in result["program"]:
        print(f"<!-- {rule} -->")
    return result["cost"], result["size"], result["fp"] + result["fn"]


def ours_in_folds(target: str, names: list[str], rows: Numbers, labels: Labels, limit: int) -> int:
    """How many rows are predicted rightly, each by a program that is learned from the other folds."""
    right = 0
    for held_out in folds(labels.tolist(), FOLDS, SEED):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch, "task")
            write_task(folder, target, names, rows[~held_out], labels[~held_out])
            write_rows(folder / "test", target, names, rows[held_out], labels[held_out])
            result, _, _ = learn(folder, limit)
            program = folder / "program.pl"
            program.write_text("\n".join(result["program"]) + "\n")
            command = ["evaluate", str(program), str(folder), "--test", "--json", "-"]
            told = json.loads(run_measured([sys.executable, "-m", "maxsynth", *command]).out)
            right += told["tp"] + told["tn"]
    return right


def learn(folder: Path, limit: int) -> tuple[dict[str, object], float, float]:
    report = folder / "result.json"
    command = ["learn", str(folder), "--quiet", "--json", str(report), "--timeout", str(limit)]
    done = run_measured([sys.executable, "-m", "maxsynth", *command])
    if not report.exists():
        raise SystemExit(done.error)
    return json.loads(report.read_text()), done.seconds, done.megabytes


def write_task(folder: Path, target: str, names: list[str], rows: Numbers, labels: Labels) -> None:
    bias = [f"head_pred({target},1).", f"type({target},(row,)).", f"direction({target},(in,))."]
    bias += [f"max_body({2 * TESTS}).", f"max_vars({1 + TESTS}).", f"max_numeric({TESTS})."]
    for name in names:
        bias += [f"body_pred({name},2).", f"type({name},(row,{name}_value)).", f"direction({name},(in,out))."]
        bias.append(f"numbers({name}_value).")
    write_rows(folder, target, names, rows, labels)
    (folder / "bias.pl").write_text("\n".join(bias) + "\n")


def write_rows(folder: Path, target: str, names: list[str], rows: Numbers, labels: Labels) -> None:
    folder.mkdir(parents=True)
    with (folder / "exs.pl").open("w") as examples, (folder / "bk.pl").open("w") as facts:
        for row, label in enumerate(labels.tolist()):
            examples.write(f"{'pos' if label else 'neg'}({target}(r{row})).\n")
        for column, name in enumerate(names):
            facts.writelines(f"{name}(r{row},{value!r}).\n" for row, value in enumerate(rows[:, column].tolist()))
