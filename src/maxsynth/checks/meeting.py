"""Whether predicates can meet in a rule at all: by their types, their directions, and the values they hold of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.bias import Bias
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.writer import atom_text
from maxsynth.task.task import ReadTask

Place = tuple[Predicate, int]


# -- types and directions ---------------------------------------------------------------------------------------


def usable(bias: Bias) -> set[Predicate]:
    """A set that has every predicate which some rule of the space can use; what is not in it occurs in no rule.

    Starting from the types of the head, a predicate can be used when a variable of a rule can be one of its arguments
    (rules are connected), and with directions, when there are safe variables of the types of all its `in` arguments.
    What it gives then has its types. Where a predicate has no type, its arguments may have any.
    """
    everything = set(bias.body)
    if any(predicate not in bias.types for predicate in (bias.head, *bias.body)):
        return everything
    head_modes = bias.directions.get(bias.head)
    known = {type_ for i, type_ in enumerate(bias.types[bias.head]) if head_modes is None or head_modes[i] == "in"}
    found: set[Predicate] = set()
    while True:
        more = {predicate for predicate in everything - found if can_join(bias, predicate, known)}
        if not more:
            return found
        found |= more
        known |= {type_ for predicate in more for type_ in bias.types[predicate]}


def can_join(bias: Bias, predicate: Predicate, known: set[str]) -> bool:
    types, modes = bias.types[predicate], bias.directions.get(predicate)
    if modes is None:
        return not known.isdisjoint(types)
    return all(type_ in known for type_, mode in zip(types, modes, strict=True) if mode == "in")


def type_doubts(bias: Bias) -> Iterator[str]:
    """What can occur in no rule."""
    if not bias.recursion and not bias.invention:
        found = usable(bias)
        for predicate in bias.body:
            if predicate not in found:
                yield f"{predicate} can be in no rule: {missing_types(bias, predicate, found)}"
        yield from head_doubts(bias, found)


def missing_types(bias: Bias, predicate: Predicate, found: set[Predicate]) -> str:
    given = {type_ for other in found for type_ in bias.types[other]} | set(bias.types[bias.head])
    types, modes = bias.types[predicate], bias.directions.get(predicate)
    if modes is None:
        return (
            f"neither the head nor a predicate that can be reached from it has type {' or '.join(sorted(set(types)))}"
        )
    needed = sorted({type_ for type_, mode in zip(types, modes, strict=True) if mode == "in" and type_ not in given})
    what = f"a variable of type {needed[0]}" if needed else "a variable that is given"
    return f"its `in` arguments need {what}, and no literal that can be called gives one"


def head_doubts(bias: Bias, found: set[Predicate]) -> Iterator[str]:
    head_types = bias.types.get(bias.head)
    if bias.non_datalog or head_types is None or any(predicate not in bias.types for predicate in bias.body):
        return
    taken = {type_ for predicate in found for type_ in bias.types[predicate]} | set(bias.learned.number_types)
    for place, type_ in enumerate(head_types):
        if type_ not in taken:
            yield (
                f"no rule is possible: argument {place + 1} of {bias.head} has type {type_}, and every head variable "
                f"must occur in a body, but no predicate that a rule can use takes a {type_}"
            )


# -- values -----------------------------------------------------------------------------------------------------


@dataclass
class Column:
    """The values at one place of a predicate."""

    place: Place
    type: str | None
    values: NDArray[np.int32]  # sorted, distinct

    def __str__(self) -> str:
        return f"argument {self.place[1] + 1} of {self.place[0]}"


def columns(task: ReadTask) -> list[Column] | None:
    """The values at all places of the head and the body; None when some predicate is not a table."""
    bias = task.bias
    tables: dict[Predicate, NDArray[np.int32]] = {bias.head: np.concatenate([task.positives.rows, task.negatives.rows])}
    for predicate in bias.body:
        rows = task.background.relation(predicate).rows
        if rows is None:
            return None
        tables[predicate] = rows
    return [
        Column(
            (predicate, place),
            bias.types[predicate][place] if predicate in bias.types else None,
            np.unique(rows[:, place]),
        )
        for predicate, rows in tables.items()
        for place in range(predicate.arity)
    ]


def lonely_columns(bias: Bias, known: list[Column]) -> Iterator[str]:
    """Places whose type says that they can meet others, and whose values say that they never do."""
    if bias.recursion or bias.invention:
        return
    for column in known:
        others = [other for other in known if other.type == column.type and other is not column]
        if column.type is None or not len(column.values) or not others or column.type in bias.learned.number_types:
            continue  # numbers meet where they are compared
        if not any(share(column, other) for other in others):
            yield (
                f"{column} has type {column.type}, but shares no value with any other argument of that type: "
                "no rule that covers anything joins it with one of them"
            )


def share(one: Column, other: Column) -> bool:
    """Whether two places have a value in common; one that is never filled is taken to go with all others."""
    return (
        not len(one.values)
        or not len(other.values)
        or bool(len(np.intersect1d(one.values, other.values, assume_unique=True)))
    )


def suggested_types(bias: Bias, known: list[Column]) -> list[str]:
    """Types for a bias that has none, one for each set of places that share values with each other.

    A variable at two places whose values are disjoint makes a body that is never true, so these types lose nothing.
    (With recursion or invention, the head may hold of more than the examples, and nothing is suggested.)
    """
    if bias.types or bias.recursion or bias.invention:
        return []
    groups: list[list[Column]] = []
    for column in known:
        joined = [group for group in groups if any(share(column, other) for other in group)]
        groups = [group for group in groups if not any(group is one for one in joined)]
        groups.append([*(other for group in joined for other in group), column])
    if len(groups) < 2:
        return []
    groups.sort(key=lambda group: min(known.index(column) for column in group))
    names = {column.place: f"t{number + 1}" for number, group in enumerate(groups) for column in group}
    return [signature(predicate, names) for predicate in (bias.head, *bias.body)]


def signature(predicate: Predicate, names: dict[Place, str]) -> str:
    parts = [names[predicate, place] for place in range(predicate.arity)]
    return f"type({atom_text(predicate.name)},({','.join(parts)}{',' if len(parts) == 1 else ''}))."
