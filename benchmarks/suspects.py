"""Labels that are flipped at random, and which of them are suspected: by programs, and by cleanlab on one table.

.venv/bin/python benchmarks/suspects.py [--data FOLDER] [--cases zendo ...] [--seeds 1 2 3] [--percent 5 10 20]

For each case, the labels as they are count as right, some of them are flipped by a seed, and MaxSynth learns from
what there is then. *Suspects* are all examples that `maxsynth explain --suspects` lists. *Precision* is the share of
them whose label was flipped, and *recall* the share of what was flipped that is among them; both are of all seeds
together. The clean program is *found* where the one that is learned treats each example as the program does that is
learned from the clean labels.

This one may contradict clean labels, too: real data has exceptions, and nobody knows which of them are mistakes.
Where it does, a suspect that was suspected before anything was flipped is told apart (*known before*).

cleanlab gets the same labels, and all tables joined into one (`compared/joined.py`, up to 1, 2 or 3 steps along keys;
shown is the number of steps with the best F1 over all of a case, which is more than it could know), with random
forests and with logistic regression (`compared/confident.py`). The packages are `pip install 'maxsynth[compare]'`.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common import DEFAULT, print_head, print_row
from compared.confident import MODELS, label_issues
from compared.flipped import WORLDS, Generated, Labelled, Learned, Stored
from compared.joined import Numbers
from compared.learners import Labels, missing
from databases import DATABASES
from maxsynth.demos.generated import flip_labels

STEPS = (1, 2, 3)  # along keys
SPACES = {"trains": (6, 6), "mutagenesis42": (4, 4), "imdb_top": (3, 3)}  # variables and literals, see `Stored`
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
    clean: Learned
    learned: Learned
    joined: Callable[[int], Numbers]

    @property
    def suspected(self) -> Labels:
        found = np.zeros(len(self.given), bool)
        found[list(self.learned.suspects)] = True
        return found

    @property
    def before(self) -> Labels:
        """Suspects that the clean program contradicts, though their labels are as they were."""
        found = np.zeros(len(self.given), bool)
        found[list(self.clean.suspects)] = True
        return found & self.suspected & ~self.flipped

    @property
    def found(self) -> bool:
        return bool((self.learned.covered == self.clean.covered).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT, help=f"folder with databases/ (default: {DEFAULT})")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 2, 3))
    parser.add_argument("--percent", type=float, nargs="+", default=(5, 10, 20), help="flipped (default: 5 10 20)")
    parser.add_argument("--no-cleanlab", action="store_true", help="suspects alone")
    options = parser.parse_args()
    lacking = missing("sklearn", "cleanlab")
    if lacking and not options.no_cleanlab:
        print(f"cleanlab is left out: {lacking}\n")
    for name in options.cases:
        file = options.data / "databases" / f"{name}.sqlite3"
        if name in DATABASES and not file.is_file():
            print(f"no data: there is no {file}; this part needs it (see --data)")
            continue
        if missing("pandas"):
            print(f"{name} is left out: {missing('pandas')}")
            continue
        show(name, list(trials(name, file, options.seeds, options.percent)), not (lacking or options.no_cleanlab))


def trials(name: str, file: Path, seeds: Sequence[int], percents: Sequence[float]) -> Iterator[Trial]:
    """A demo has other data for each seed, a database the same with other flips."""
    cases: dict[int, Labelled] = {}
    if name in DATABASES:
        question = DATABASES[name]
        cases = dict.fromkeys(seeds, Stored(file, question.target, question.leave_out, SPACES[name]))
    else:
        cases = {seed: Generated.of(name, seed) for seed in seeds}
    clean = {id(case): case.learn(case.labels) for case in cases.values()}
    for percent in percents:
        for seed, case in cases.items():
            given = np.array(flip_labels(case.labels.tolist(), percent, random.Random(seed)))
            yield Trial(
                percent, seed, given, given != case.labels, clean[id(case)], case.learn(given),
                lambda steps, case=case: case.joined(steps).values,
            )  # fmt: skip


def show(name: str, done: list[Trial], others: bool) -> None:
    clean = done[0].clean
    print(f"\n{name}: {len(done[0].given)} examples; from the clean labels of the first seed is learned\n")
    print("".join(f"    {line}\n" for line in clean.program.splitlines()))
    print_head("flipped", "seed", "labels", "suspects", "hits", "known before", "treated otherwise", "proven")
    for one in done:
        otherwise = int((one.learned.covered != one.clean.covered).sum())
        counts = Counts.of(one.suspected, one.flipped)
        print_row(
            f"{one.percent:g}%", one.seed, counts.flipped, counts.suspects, counts.hits, int(one.before.sum()),
            otherwise or "none", "yes" if one.learned.proven else "no",
        )  # fmt: skip
    print()
    by_model = by_cleanlab(done) if others else {}
    columns = ["suspects", "where the clean program is found", "the same without those known before"]
    print_head(name, *columns, *(f"cleanlab, {model}" for model in by_model))
    for percent in dict.fromkeys(one.percent for one in done):
        some = [one for one in done if one.percent == percent]
        found = [one for one in some if one.found]
        print_row(
            f"{percent:g}%",
            total(Counts.of(one.suspected, one.flipped) for one in some),
            f"{total(Counts.of(one.suspected, one.flipped) for one in found)} ({len(found)} of {len(some)})"
            if found
            else "–",
            total(Counts.of(one.suspected & ~one.before, one.flipped) for one in found) if found else "–",
            *(counts[percent] for counts in by_model.values()),
        )


def total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())


def by_cleanlab(done: list[Trial]) -> dict[str, dict[float, Counts]]:
    """For each model, with the number of steps that is best for it, what is found with each share of flips."""
    found = {}
    for model, make in MODELS.items():
        tried: dict[int, dict[float, Counts]] = {}
        columns = 0
        start = time.process_time()
        for steps in STEPS:
            if done[0].joined(steps).shape[1] == columns:
                break  # there is nothing further
            columns = done[0].joined(steps).shape[1]
            counts: dict[float, Counts] = defaultdict(Counts)
            for one in done:
                issues = label_issues(make, one.joined(steps), one.given)
                counts[one.percent] += Counts.of(issues, one.flipped)
            tried[steps] = counts
        best = max(tried, key=lambda steps: total(tried[steps].values()).f1)
        seconds = (time.process_time() - start) / len(tried) / len(done)
        print(f"cleanlab, {model}: best with {best} steps, {seconds:.1f} s for one table")
        found[f"{model}, {best} steps"] = tried[best]
    print()
    return found


if __name__ == "__main__":
    main()
