"""A program for each class, from the rows and their classes.

Of two classes, a program for one says all: what it does not cover is of the other. Which of the two makes the shorter
description is not known before, so both are learned, and the one that costs less is kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api import options
from maxsynth.api.learn import learn
from maxsynth.api.result import Result
from maxsynth.data.description import Description, Role
from maxsynth.data.inference.infer import infer
from maxsynth.data.inference.roles import role_of
from maxsynth.data.inference.values import all_values
from maxsynth.data.prediction import Learned
from maxsynth.data.tables import Data
from maxsynth.data.task import make_task
from maxsynth.data.wishes import Wishes
from maxsynth.proofs.metrics import Weights
from maxsynth.sklearn.bins import in_groups
from maxsynth.sklearn.features import ROWS, InputError, merged
from maxsynth.task.task import MAX_WEIGHT

STEPS = 1_000  # for each class, where nothing is said
PARTS = 1000  # of a row, as which weights that are no whole numbers are counted


@dataclass(frozen=True)
class Effort:
    """How to learn: as `maxsynth.learn` takes it."""

    weights: Any
    steps: int | None
    timeout: float | None
    memory: Any
    max_vars: int | None
    max_body: int | None
    max_bins: int | None


def checked_effort(
    weights: Any, steps: Any, timeout: Any, memory: Any, max_vars: Any, max_body: Any, max_bins: Any
) -> Effort:
    """What a user asks for; an error for what cannot be, even where there is nothing to learn."""
    options.weights(weights)
    options.memory(memory)
    options.overrides(max_vars, max_body, None)
    return Effort(
        weights,
        options.count("steps", steps),
        options.seconds("timeout", timeout),
        memory,
        max_vars,
        max_body,
        options.count("max_bins", max_bins),
    )


@dataclass(frozen=True)
class ClassProgram:
    """What was learned of one class, without the data that it was learned from."""

    place: int  # of the class
    learned: Learned
    result: Result

    @property
    def weights(self) -> Weights:
        """What a literal and each kind of error cost."""
        return Weights(*self.result._run.settings["weights"])  # type: ignore[misc]


def learn_classes(
    data: Data, weights: NDArray[np.float64], column: str, wanted: Mapping[int, str], effort: Effort
) -> tuple[list[ClassProgram], list[str]]:
    """Programs for these classes, and warnings.

    The data has its rows in order, and `weights` tell how many times each counts. `wanted` has the places of the
    classes and their names in the column of classes.
    """
    described = {place: describe(data, column, name, effort) for place, name in wanted.items()}
    found = []
    if any(one.meanings for one in described.values()):  # else all columns are the same everywhere
        if effort.max_bins is not None:
            data = in_groups(data, next(iter(described.values())), weights, effort.max_bins)
        once, counted = merged(data, weights)
        if effort.steps is None:
            effort = dataclasses.replace(effort, steps=STEPS)
        whole = bool((counted == np.floor(counted)).all())
        rows = as_counts(counted if whole else np.maximum(np.rint(counted * PARTS), 1))
        found = [learn_class(once, rows, one, place, effort, whole) for place, one in described.items()]
    if len(found) == 2 == len(data.tables[ROWS].column(column).values):
        found = [min(found, key=lambda one: (one.result.cost, one.place))]
    return found, [*leaks(list(described.values())), *unused_tables(found)]


def as_counts(weights: NDArray[Any]) -> NDArray[np.int64]:
    if weights.max() > MAX_WEIGHT:
        raise InputError("sample_weight is too large", remedy=f"{MAX_WEIGHT:,} is the most that rows count together")
    return weights.astype(np.int64)


def describe(data: Data, column: str, name: str, effort: Effort) -> Description:
    """What the data means, where this class is to be learned.

    Columns of X were chosen: one that says the same as another, or as the class, is used. Rows of X are not counted,
    since what is predicted for one must not depend on the others that are asked about.
    """
    table = data.tables[ROWS]
    useful = [one.name for one in all_values(table) if one.name != column and role_of(one).role is not Role.LEFT_OUT]
    alone = len(data.tables) == 1  # then nothing refers to a row, and no column is there to name it
    description = infer(
        data,
        f"{ROWS}.{column}={name}",
        keep=[f"{ROWS}.{name}" for name in useful if name],
        wishes=Wishes(keyless=frozenset([ROWS]) if alone else frozenset(), uncounted=frozenset([ROWS])),
    )
    limits = options.overrides(effort.max_vars, effort.max_body, None)
    return dataclasses.replace(description, max_vars=limits.max_vars or 0, max_body=limits.max_body or 0)


def learn_class(
    data: Data, rows: NDArray[np.int64], description: Description, place: int, effort: Effort, whole: bool
) -> ClassProgram:
    task = make_task(data, description, weights=rows)
    task.warnings = ()  # they are said once for all classes
    costs = options.weights(effort.weights)
    if not whole and costs is not None:  # errors count in parts of a row, and so literals do
        costs = dataclasses.replace(costs, size=costs.size * PARTS)
    elif not whole:
        raise InputError('weights="auto" needs whole numbers as sample_weight', remedy="round them, or set the weights")
    result = learn(
        task,
        weights="auto" if costs is None else dataclasses.astuple(costs),
        steps=effort.steps,
        timeout=effort.timeout,
        memory=effort.memory,
    )
    assert result.program is not None
    light = Result(result._run, None, advice=result.advice)
    light._origin = task.origin
    return ClassProgram(place, Learned(result.program, description), light)


def leaks(described: Sequence[Description]) -> list[str]:
    """Warnings for columns that alone decide of every class whether a row is of it."""
    if not described:
        return []
    tables = [one.table(ROWS) for one in described]
    found = [
        {one.name: one.leak for one in table.columns} | {one.predicate: one.leak for one in table.counts}
        for table in tables
    ]
    known = "leave it out, unless it is known for new data too"
    return [f"leak? {name}: {leak} ({known})" for name, leak in found[0].items() if all(one.get(name) for one in found)]


def unused_tables(found: Sequence[ClassProgram]) -> list[str]:
    """Warnings for tables that are given and not used."""
    if not found:
        return []
    unused = [
        table
        for table in found[0].learned.description.tables
        if table.name != ROWS and not any(one.used for one in table.columns)
    ]
    return [
        f"nothing leads from X to the table {table.name}, or from it to X, so it is not used (see keys)"
        for table in unused
    ]
