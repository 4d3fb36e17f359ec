"""Labels that are flipped at random, and which of them are suspected: by programs, and by cleanlab on one table.

.venv/bin/python benchmarks/suspects.py [--data FOLDER] [--cases zendo ...] [--seeds 1 2 3 4 5] [--percent 5 10 20]

For each case, the labels as they are count as right, some of them are flipped by a seed, and MaxSynth learns from
what there is then. *Listed* are all examples that the program contradicts, as `maxsynth explain --suspects` has them;
*doubted* are those of them for which a program that agrees costs clearly more (`Session.suspects`). *Precision* is the
share of these whose label was flipped, and *recall* the share of what was flipped that is among them; both are of all
seeds together. The clean program is *found* where the one that is learned treats each example as the program does that
is learned from the clean labels.

This one may contradict clean labels, too: real data has exceptions, and nobody knows which of them are mistakes. How
many suspects are such exceptions is shown (*known before*): they count as false alarms.

cleanlab gets the same labels, and all tables joined into one (`compared/joined.py`, up to 1, 2 or 3 steps along keys),
with random forests and with logistic regression (`compared/confident.py`). The packages are those of
`pip install 'maxsynth[compare]'`; what is missing is said and left out.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from common import DEFAULT, print_head, print_row
from compared.confident import MODELS, label_issues
from compared.flipped import WORLDS, Generated, Labelled, Learned, Stored
from compared.learners import Labels, missing
from databases import DATABASES
from maxsynth.demos.generated import flip_labels

STEPS = (1, 2, 3)  # along keys
SPACES = {"trains": (6, 6), "mutagenesis42": (4, 3), "imdb_top": (3, 3)}  # variables and literals, see `Stored`
CASES = (*WORLDS, *DATABASES)


@dataclass(frozen=True)
class Counts:
    """Suspects of some data, with how many of them were flipped, and how many labels were flipped in all."""

    suspects: int = 0
    hits: int = 0
    flipped: int = 0

    @classmethod
    def of(cls, suspected: Labels, flipped: Labels) -> Counts:
        return cls(int(suspected.sum()), int((suspected & flipped).sum()), int(flipped.sum()))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.suspects + other.suspects, self.hits + other.hits, self.flipped + other.flipped)

    @property
    def f1(self) -> float:
        return 2 * self.hits / max(self.suspects + self.flipped, 1)

    def __str__(self) -> str:
        precision = f"{100 * self.hits / self.suspects:.0f}" if self.suspects else "–"
        return f"{precision} / {100 * self.hits / max(self.flipped, 1):.0f}"


@dataclass
class Trial:
    """One case with one share of its labels flipped by one seed."""

    percent: float
    seed: int
    given: Labels
    flipped: Labels
    case: Labelled

    @cached_property
    def learned(self) -> Learned:
        return self.case.learn(self.given)

    def listed(self) -> Labels:
        return marked(self.learned.suspects, len(self.given))

    def doubted(self) -> Labels:
        return marked([row for row, one in self.learned.suspects.items() if one.doubted], len(self.given))


def marked(rows: Iterable[int], count: int) -> Labels:
    found = np.zeros(count, bool)
    found[list(rows)] = True
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT, help=f"folder with databases/ (default: {DEFAULT})")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 2, 3, 4, 5))
    parser.add_argument("--percent", type=float, nargs="+", default=(5, 10, 20), help="flipped (default: 5 10 20)")
    parser.add_argument("--only", choices=("suspects", "cleanlab"), help="(default: both)")
    options = parser.parse_args()
    lacking = missing("sklearn", "cleanlab")
    if lacking and options.only != "suspects":
        print(f"cleanlab is left out: {lacking}\n")
    for name in options.cases:
        file = options.data / "databases" / f"{name}.sqlite3"
        if name in DATABASES and not file.is_file():
            print(f"no data: there is no {file}; this part needs it (see --data)")
            continue
        if missing("pandas"):
            print(f"{name} is left out: {missing('pandas')}")
            continue
        done = list(trials(name, file, options.seeds, options.percent))
        print(f"\n{name}: {len(done[0].given)} examples\n")
        if options.only != "cleanlab":
            show_suspects(done)
        if options.only != "suspects" and not lacking:
            show_cleanlab(done)


def trials(name: str, file: Path, seeds: Sequence[int], percents: Sequence[float]) -> Iterator[Trial]:
    """A demo has other data for each seed, a database the same with other flips."""
    cases: dict[int, Labelled] = {}
    if name in DATABASES:
        question = DATABASES[name]
        cases = dict.fromkeys(seeds, Stored(file, question.target, question.leave_out, SPACES[name]))
    else:
        cases = {seed: Generated.of(name, seed) for seed in seeds}
    for percent in percents:
        for seed, case in cases.items():
            given = np.array(flip_labels(case.labels.tolist(), percent, random.Random(seed)))
            yield Trial(percent, seed, given, given != case.labels, case)


def show_suspects(done: list[Trial]) -> None:
    cases = {id(one.case): one.case for one in done}
    clean = {name: case.learn(case.labels) for name, case in cases.items()}
    for learned in list(clean.values())[:1]:
        wrong, doubted = len(learned.suspects), sum(one.doubted for one in learned.suspects.values())
        print(f"from the clean labels, contradicting {wrong} of them and doubting {doubted}:\n")
        print("".join(f"    {line}\n" for line in learned.program.splitlines()))
    print_head(
        "flipped", "seed", "labels", "listed", "of these flipped", "doubted", "of these flipped", "known before",
        "treated otherwise", "proven",
    )  # fmt: skip
    found: set[int] = set()
    for one in done:
        known = clean[id(one.case)]
        listed, doubted = (Counts.of(rows, one.flipped) for rows in (one.listed(), one.doubted()))
        before = int((marked(known.suspects, len(one.given)) & one.listed() & ~one.flipped).sum())
        otherwise = int((one.learned.covered != known.covered).sum())
        if not otherwise:
            found.add(id(one))
        print_row(
            f"{one.percent:g}%", one.seed, listed.flipped, listed.suspects, listed.hits, doubted.suspects, doubted.hits,
            before, otherwise or "none", "yes" if one.learned.proven else "no",
        )  # fmt: skip
    print()
    print_head("precision / recall", "listed", "doubted", "found", "listed where found", "doubted where found")
    for percent, some in by_percent(done).items():
        there = [one for one in some if id(one) in found]
        cells = [total(Counts.of(rows(one), one.flipped) for one in group)
                 for group in (some, there) for rows in (Trial.listed, Trial.doubted)]  # fmt: skip
        print_row(f"{percent:g}%", *cells[:2], f"{len(there)} of {len(some)}", *cells[2:])
    print(flush=True)


def by_percent(done: list[Trial]) -> dict[float, list[Trial]]:
    found: dict[float, list[Trial]] = defaultdict(list)
    for one in done:
        found[one.percent].append(one)
    return found


def total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())


def show_cleanlab(done: list[Trial]) -> None:
    percents = list(by_percent(done))
    print_head(
        "precision / recall of cleanlab", *(f"{percent:g}%" for percent in percents), "F1", "seconds for a table"
    )
    for model, make in MODELS.items():
        columns = 0
        for steps in STEPS:
            width = done[0].case.joined(steps).values.shape[1]
            if width == columns:
                break  # there is nothing further
            columns = width
            start = time.process_time()
            counts: dict[float, Counts] = defaultdict(Counts)
            for one in done:
                issues = label_issues(make, one.case.joined(steps).values, one.given)
                counts[one.percent] += Counts.of(issues, one.flipped)
            seconds = (time.process_time() - start) / len(done)
            f1 = total(counts.values()).f1
            cells = [str(counts[percent]) for percent in percents]
            print_row(f"{model}, {steps} steps ({columns} columns)", *cells, f"{f1:.2f}", f"{seconds:.1f}")
    print(flush=True)


if __name__ == "__main__":
    main()
