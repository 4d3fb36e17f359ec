"""Data whose labels can be flipped: learned from by MaxSynth, and as one table for others.

Demos have the tables that a person would make of their facts, joined as those of a database are (`joined.py`): for
Zendo structures, pieces and which of these touch; for trains their cars, each with the one before it; for rock, paper,
scissors a row for each example with the state that it is about, in which both players have their columns.
"""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

import maxsynth
from compared.joined import Joined, joined_table
from compared.learners import Labels
from maxsynth.bench.domains import rock_paper_scissors
from maxsynth.data.description import Description
from maxsynth.data.inference.infer import infer
from maxsynth.data.rows import coded, place_of
from maxsynth.data.tables import Data
from maxsynth.data.task import make_task
from maxsynth.demos import trains, zendo
from maxsynth.demos.generated import GeneratedTask
from maxsynth.explanation.suspects import DOUBTED, Suspect

if TYPE_CHECKING:
    import pandas as pd

WORLDS = {"zendo": zendo.WORLD, "iggp-rps": rock_paper_scissors.GAME, "trains demo": trains.WORLD}
LIMIT = 600  # seconds of one run
FACT = re.compile(r"(\w+)\(([^()]*)\)\.")
ARGUMENTS = re.compile(r"\w+\('?(.*?)'?\)")


@dataclass(frozen=True)
class Learned:
    """A program, what it says of each row, and the rows whose labels it contradicts, the most suspicious first."""

    program: str
    proven: bool
    covered: Labels
    suspects: dict[int, Suspect]


class Labelled(Protocol):
    """Rows with labels that are taken to be right."""

    @property
    def labels(self) -> Labels: ...

    def learn(self, labels: Labels) -> Learned:
        """From these labels in their place."""

    def joined(self, steps: int) -> Joined: ...


def learned(task: maxsynth.Task, names: Mapping[str, int], labels: Labels) -> Learned:
    """What is learned from a task with these labels; `names` are the numbers of its examples, by their arguments."""
    with warnings.catch_warnings(), maxsynth.Session(task, jobs=1) as session:
        warnings.simplefilter("ignore")
        result = session.learn(timeout=LIMIT)
        found = session.suspects(most=DOUBTED, timeout=LIMIT)
    suspects = {names[ARGUMENTS.sub(r"\1", one.example.explanation.example)]: one for one in found}
    covered = labels.copy()
    covered[list(suspects)] ^= True
    return Learned(str(result.program), result.status == "optimal", covered, suspects)


# -- demos ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Generated:
    """A demo with its data."""

    name: str
    task: GeneratedTask

    @classmethod
    def of(cls, name: str, seed: int) -> Generated:
        return cls(name, WORLDS[name].make(seed=seed, noise=0))

    @property
    def labels(self) -> Labels:
        return np.array([example.true for example in self.task.examples])

    def learn(self, labels: Labels) -> Learned:
        both = zip(self.task.examples, labels.tolist(), strict=True)
        given = [dataclasses.replace(one, given=label) for one, label in both]
        task = maxsynth.Task("".join(f"{one}\n" for one in given), self.task.bk, self.task.bias)
        names = {arguments: number for number, (_, arguments) in enumerate(self.atoms)}
        return learned(task, names, labels)

    @property
    def atoms(self) -> list[tuple[str, str]]:
        return [found for example in self.task.examples for found in FACT.findall(f"{example.atom}.")]

    def joined(self, steps: int) -> Joined:
        data, description = self.described
        return joined_table(data, description, steps)

    @cached_property
    def described(self) -> tuple[Data, Description]:
        frames = TABLES[self.name](self)
        database = maxsynth.Database(frames)
        return database.data, database.describe("examples.label")

    def facts(self) -> dict[str, list[tuple[str, ...]]]:
        found = defaultdict(list)
        for name, arguments in FACT.findall(self.task.bk):
            found[name].append(tuple(arguments.split(",")))
        return found


def tables_of_zendo(task: Generated) -> dict[str, pd.DataFrame]:
    import pandas as pd

    facts = task.facts()
    of_piece = {
        "colour": kinds(facts, zendo.COLOURS),
        "orientation": kinds(facts, zendo.ORIENTATIONS),
        **{name: numbers(facts[name]) for name in ("size", "column", "row")},
    }
    of_piece["extent"] = {
        piece: "small" if size <= 3 else "medium" if size <= 6 else "large" for piece, size in of_piece["size"].items()
    }
    pieces = [piece for _, piece in facts["piece"]]
    return {
        "examples": examples_table(task),
        "pieces": pd.DataFrame(
            {"id": pieces, "structure": [structure for structure, _ in facts["piece"]]}
            | {name: [known[piece] for piece in pieces] for name, known in of_piece.items()}
        ),
        "contacts": pd.DataFrame(facts["contact"], columns=["piece", "other"]),
    }


def tables_of_trains(task: Generated) -> dict[str, pd.DataFrame]:
    import pandas as pd

    facts = task.facts()
    before = {car: other for other, car in facts["before"]}
    of_car = {
        "length": kinds(facts, trains.LENGTHS),
        "roof": kinds(facts, trains.ROOFS),
        "load": kinds(facts, trains.LOADS),
        "wheels": numbers(facts["wheels"]),
        "behind": before,
    }
    cars = [car for _, car in facts["has_car"]]
    return {
        "examples": examples_table(task),
        "cars": pd.DataFrame(
            {"id": cars, "train": [train for train, _ in facts["has_car"]]}
            | {name: [known.get(car) for car in cars] for name, known in of_car.items()}
        ),
    }


def tables_of_rps(task: Generated) -> dict[str, pd.DataFrame]:
    import pandas as pd

    facts = task.facts()
    states: dict[str, dict[str, object]] = defaultdict(dict)
    for state, player, points in facts["score"]:
        states[state][f"score_{player}"] = int(points)
    for state, player, gesture in facts["does"]:
        states[state][f"does_{player}"] = gesture
    atoms = [arguments.split(",") for _, arguments in task.atoms]
    return {
        "examples": pd.DataFrame(
            {
                "id": [f"e{number}" for number in range(len(atoms))],
                "state": [state for state, _, _ in atoms],
                "player": [player for _, player, _ in atoms],
                "points": [int(points) for _, _, points in atoms],
                "label": task.labels,
            }
        ),
        "states": pd.DataFrame([{"id": state, **columns} for state, columns in states.items()]),
    }


TABLES = {"zendo": tables_of_zendo, "trains demo": tables_of_trains, "iggp-rps": tables_of_rps}


def examples_table(task: Generated) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({"id": [arguments for _, arguments in task.atoms], "label": task.labels})


def kinds(facts: Mapping[str, list[tuple[str, ...]]], names: Sequence[str]) -> dict[str, str]:
    """For each thing, which of some predicates is true of it."""
    return {thing: name for name in names for (thing,) in facts.get(name, ())}


def numbers(pairs: Sequence[tuple[str, ...]]) -> dict[str, int]:
    return {thing: int(number) for thing, number in pairs}


# -- databases ------------------------------------------------------------------------------------------------


class Stored:
    """A database; what is asked is when the target has the value that is learned by default from the clean labels.

    `space` are limits of rules, in variables and literals: those that a run on the clean labels ends with, so that
    programs are from the same space, and flips do not decide how far it goes.
    """

    def __init__(self, file: Path, target: str, leave_out: Sequence[str], space: tuple[int, int]) -> None:
        self.data = maxsynth.Database(file).data
        self.leave_out = list(leave_out)
        self.space = space
        self.description = infer(self.data, target, leave_out=self.leave_out)
        self.aim = self.description.target.aims[0]
        self.place = self.description.target.table, self.description.target.column
        column = self.data.tables[self.place[0]].column(self.place[1])
        self.labels: Labels = column.codes == place_of(column, self.aim.equals)

    def learn(self, labels: Labels) -> Learned:
        """All that is inferred is inferred from the labels as they are given."""
        data = self.with_labels(labels)
        asked = f"{'.'.join(self.place)}={self.aim.equals}"
        description = infer(data, asked, leave_out=self.leave_out)
        description = dataclasses.replace(description, max_vars=self.space[0], max_body=self.space[1])
        key = coded(data.tables[self.place[0]], description.target_meaning().arguments[0])
        names = {str(key.values[code]): number for number, code in enumerate(key.codes.tolist())}
        return learned(make_task(data, description), names, labels)

    def with_labels(self, labels: Labels) -> Data:
        table = self.data.tables[self.place[0]]
        column = table.column(self.place[1])
        yes = place_of(column, self.aim.equals)
        codes = np.where(labels, yes, 1 - yes).astype(column.codes.dtype)
        columns = tuple(dataclasses.replace(one, codes=codes) if one is column else one for one in table.columns)
        tables = {**self.data.tables, table.name: dataclasses.replace(table, columns=columns)}
        return dataclasses.replace(self.data, tables=tables)

    def joined(self, steps: int) -> Joined:
        return joined_table(self.data, self.description, steps)
