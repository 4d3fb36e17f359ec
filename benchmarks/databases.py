"""Three databases, from one command to rules, and how these predict beside what others learn from the same data.

.venv/bin/python benchmarks/databases.py [--data FOLDER] [--databases trains ...] [--seeds 1 2 3] [--variants 1,2,2 ...]

For each database: whether what is inferred is right, as a person would say it; one run of `maxsynth learn` on all of
it, as a process of its own (seconds are processor time); and ten-fold cross-validation, with a seed for each way of
making the folds. In a fold, rows that are held out have no label: all that is done with the data is done without it.

The others: decision trees of scikit-learn and RIPPER of `wittgenstein`, on all tables joined into one (see
`compared/joined.py`; up to 1, 2 or 3 steps along keys), and RelF of python-rdm (see `compared/relf.py`), whose features
a decision tree takes. The packages are `pip install 'maxsynth[compare]'`; what is missing is said and left out.

*--variants* learns with other options, too. These are for knowing what a default costs, and not for choosing the best
of them by looking at the rows that are held out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import maxsynth
from common import DEFAULT, print_head, print_row, run_measured
from compared import ours, relf
from compared.folds import Mask, folds
from compared.joined import Numbers, joined_table
from compared.learners import Labels, Learner, missing, ripper, tree
from maxsynth.data.description import Role

WithHeldOut = Callable[[Labels, Mask], Labels]  # from all labels, those of the rows that are held out

FOLDS = 10
STEPS = (1, 2, 3)  # along keys, from the target's table
LIMIT = 30  # seconds in which one run on all of the data should end


@dataclass(frozen=True)
class Question:
    """A database and what is asked of it, with what a person knows about its columns."""

    target: str
    leave_out: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    links: int = 0
    roles: str = ""  # of columns that are no keys or links

    @property
    def table(self) -> str:
        return self.target.partition(".")[0]

    @property
    def column(self) -> str:
        return self.target.partition(".")[2]


DATABASES = {
    "trains": Question(
        "trains.direction",
        links=1,
        roles="cars: position code, shape category, len category, sides category, roof category, wheels code, "
        "load_shape category, load_num code; trains: direction target",
    ),
    "mutagenesis42": Question(
        "drugs.active",
        ("drugs.act",),
        ("drugs.act",),
        links=8,
        roles="atoms: element category, atom_type code, charge number; bonds: id left out, bond_type code; "
        "drugs: ind1 yes/no, inda left out, act number, logp number, lumo number, active target; "
        "ring_atom: id left out; ring_strucs: name category",
    ),
    "imdb_top": Question(
        "movies.quality",
        links=6,
        roles="directors: name left out; movies_directors: id left out; movies_genres: genre category, id left out; "
        "roles: id left out; movies: name left out, year category, quality target; "
        "directors_genres: genre category, id left out, prob category; actors: gender category, name left out",
    ),
}
VARIANTS = {
    "auto": {"weights": "auto"},
    "1,2,2": {"weights": (1, 2, 2)},
    "1,3,3": {"weights": (1, 3, 3)},
    "1,4,4": {"weights": (1, 4, 4)},
    "other": {"other": True},
    "no counts": {"counts": False},
    **{f"joined, {steps} steps": {"joined": steps} for steps in STEPS},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT, help=f"folder with databases/ (default: {DEFAULT})")
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=list(DATABASES))
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 2, 3), help="of the folds (default: 1 2 3)")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=(), help="learn with other options, too")
    parser.add_argument("--only", choices=("ours", "others", "relf"), help="in cross-validation (default: all)")
    options = parser.parse_args()
    asked = {}
    for name in options.databases:
        file = options.data / "databases" / f"{name}.sqlite3"
        if file.is_file():
            asked[name] = file
        else:
            print(f"no data: there is no {file}; this part needs it (see --data)")
    if not asked:
        return
    show_descriptions(asked)
    show_runs(asked)
    show_accuracy(asked, options.seeds, options.variants, options.only)


# -- all of the data ----------------------------------------------------------------------------------------


def show_descriptions(asked: dict[str, Path]) -> None:
    print_head("database", "links", "roles of columns", "leaks", "with what was known left out")
    for name, file in asked.items():
        question = DATABASES[name]
        database = maxsynth.Database(file)
        found = database.describe(question.target)
        links = sum(len(table.links) for table in found.tables)
        roles = {
            f"{table.name}.{column.name}": column.role.value
            for table in found.tables
            for column in table.columns
            if column.role not in (Role.KEY, Role.LINK)
        }
        wrong = [column for column, role in known_roles(question).items() if roles.get(column) != role]
        leaks = tuple(
            f"{table.name}.{column.name}" for table in found.tables for column in table.columns if column.leak
        )
        without = database.describe(question.target, leave_out=question.leave_out).leaks
        print_row(
            name,
            said(links == question.links, f"{links}, known are {question.links}"),
            said(not wrong and len(roles) == len(known_roles(question)), f"wrong: {', '.join(wrong)}"),
            said(leaks == question.leaks, f"{leaks}, known are {question.leaks}") + (f" ({leaks[0]})" if leaks else ""),
            said(not without, "; ".join(without)),
        )
    print()


def known_roles(question: Question) -> dict[str, str]:
    found = {}
    for part in question.roles.split("; "):
        table, _, columns = part.partition(": ")
        for column in columns.split(", "):
            name, _, role = column.partition(" ")
            found[f"{table}.{name}"] = role
    return found


def said(right: bool, otherwise: str) -> str:
    return "right" if right else otherwise


def show_runs(asked: dict[str, Path]) -> None:
    print_head("database", "program", "cost", "proven", "rules of up to", "seconds", f"x {LIMIT} s", "MB")
    for name, file in asked.items():
        question = DATABASES[name]
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch, "result.json")
            left_out = [part for column in question.leave_out for part in ("--leave-out", column)]
            command = ["learn", str(file), "--target", question.target, *left_out, "--quiet", "--json", str(report)]
            run = run_measured([sys.executable, "-m", "maxsynth", *command])
            if run.status:
                print_row(name, run.error.strip(), "", "", "", f"{run.seconds:.1f}", "", f"{run.megabytes:.0f}")
                continue
            result = json.loads(report.read_text())
        limits = f"{result['settings']['max_vars']} variables, {result['settings']['max_body']} literals"
        program = "<br>".join(f"`{line}`" for line in run.out.splitlines())
        proven = "yes" if result["status"] == "optimal" else f"no, at least {result['lower_bound']}"
        ratio = f"{run.seconds / LIMIT:.2f}"
        print_row(name, program, result["cost"], proven, limits, f"{run.seconds:.1f}", ratio, f"{run.megabytes:.0f}")
    print()


# -- cross-validation ---------------------------------------------------------------------------------------


@dataclass
class Score:
    """Accuracies of one learner, one for each seed."""

    name: str
    accuracies: list[float]
    seconds: float

    def cells(self) -> tuple[str, str, str, str]:
        mean = sum(self.accuracies) / len(self.accuracies)
        each = ", ".join(f"{100 * one:.1f}" for one in self.accuracies)
        return self.name, f"{100 * mean:.1f}", each, f"{self.seconds:.1f}"


def show_accuracy(asked: dict[str, Path], seeds: list[int], variants: list[str], only: str | None) -> None:
    lacking = missing("sklearn", "wittgenstein")
    if lacking:
        print(f"some learners are missing: {lacking}")
    if relf.missing():
        print(f"RelF is missing: {relf.missing()}")
    for name, file in asked.items():
        question = DATABASES[name]
        database = maxsynth.Database(file)
        column = database.tables[question.table].column(question.column)
        labels = column.codes == np.bincount(column.codes).argmin()  # the rarer value
        print(f"\n{name}: {len(labels)} rows, {int(labels.sum())} of the rarer value\n")
        print_head("learner", "ten-fold accuracy", "by seed", "seconds for ten folds")
        print_row("always the more frequent", f"{100 * max(labels.mean(), 1 - labels.mean()):.1f}", "", "")
        for how, learner in learners(database, file, question, variants, only):
            print_row(*cross_validated(how, learner, labels, seeds).cells())


def cross_validated(name: str, learner: WithHeldOut, labels: Labels, seeds: list[int]) -> Score:
    start = time.process_time()
    accuracies = []
    for seed in seeds:
        right = 0
        for held_out in folds(labels.tolist(), FOLDS, seed):
            right += int((learner(labels, held_out) == labels[held_out]).sum())
        accuracies.append(right / len(labels))
    return Score(name, accuracies, (time.process_time() - start) / len(seeds))


def learners(
    database: maxsynth.Database, file: Path, question: Question, variants: list[str], only: str | None
) -> Iterator[tuple[str, WithHeldOut]]:
    data = database.data
    target = (question.table, question.column)
    if only in (None, "ours"):
        for name, options in {
            "**MaxSynth**": {},
            **{f"**MaxSynth**, {one}": VARIANTS[one] for one in variants},
        }.items():
            yield name, partial(ours.predicted, data, target, question.leave_out, options)
    if only == "ours":
        return
    description = database.describe(question.target, leave_out=question.leave_out)
    single: dict[str, Learner] = {}
    if not missing("sklearn"):
        single |= {"tree": tree(None), "tree of depth 3": tree(3)}
    if not missing("wittgenstein"):
        single |= {"RIPPER": ripper}
    columns = 0
    for steps in STEPS if only != "relf" else ():
        joined = joined_table(data, description, steps)
        if len(joined.names) == columns:
            break
        columns = len(joined.names)
        for name, learner in single.items():
            yield f"{name}, {steps} steps ({columns} columns)", partial(on_rows, learner, joined.values)
    if not (relf.missing() or missing("sklearn")):
        known, own = relf.facts(file, data, description), joined_table(data, description, 0).values
        for name in ("tree", "tree of depth 3"):
            yield f"RelF, {name}", partial(relf.predicted, known, own, single[name])


def on_rows(learner: Learner, rows: Numbers, labels: Labels, held_out: Mask) -> Labels:
    return learner(rows[~held_out], labels[~held_out], rows[held_out])


if __name__ == "__main__":
    main()
