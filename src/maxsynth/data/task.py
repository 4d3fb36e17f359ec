"""From data and its description to a task: facts, examples, and the bias that they call for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.rows import Rows
from maxsynth.api.task import Task
from maxsynth.data.description import Aim, Description, Role
from maxsynth.data.inference.values import shown
from maxsynth.data.meaning import ROW_NUMBER, Argument, Form, Meaning
from maxsynth.data.pairs.examples import pair_examples
from maxsynth.data.rows import coded, facts_of, place_of, together
from maxsynth.data.tables import NULL, Data
from maxsynth.errors import MaxSynthError, Position

THINGS = (Role.KEY, Role.LINK, Role.THING)


def make_task(
    data: Data, description: Description, aim: Aim | None = None, weights: NDArray[np.int64] | None = None
) -> Task:
    """The task for one thing to learn, a task like any other; `origin` says what it was made from.

    `weights` tell how many times each row of the target's table counts, where a column of it is learned.
    """
    aim = aim or description.target.aims[0]
    target = description.target_meaning(aim)
    known, positives, negatives = examples(data, description, target, weights)
    if not len(positives) and len(known):
        raise MaxSynthError(
            f"all pairs of {description.target} are known, and none is an example", remedy="give a smaller --known"
        )
    if not len(positives):
        value = "" if aim.equals is None else f" = {shown(aim.equals, target.kind)}"
        raise MaxSynthError(
            f"no row has {description.target}{value}", Position(data.place), "there is nothing to learn from"
        )
    meanings = description.meanings.values()
    facts = facts_of((meaning for meaning in meanings if not meaning.known), data)
    facts |= {meaning.predicate: known for meaning in meanings if meaning.known}
    background = {name: rows for name, rows in facts.items() if len(rows)}
    if not background:
        raise MaxSynthError(
            "all columns are left out, so there is nothing that rules could use", remedy="see maxsynth describe, --keep"
        )
    task = Task(
        {"pos": {target.predicate: positives}, "neg": {target.predicate: negatives}},
        background,
        make_bias(description, target, background),
        name=str(description.target),
    )
    task.climbs = not (description.max_vars or description.max_body)
    task.counts = tuple(description.counts)
    task.warnings = (*task.warnings, *description.leaks)
    task.origin = description.only(aim).as_dict()
    if aim is description.target.aims[0] and description.target.rival is not None:
        task.rival = partial(make_task, data, description, description.target.rival, weights)
    return task


# -- examples -------------------------------------------------------------------------------------------------


def examples(
    data: Data, description: Description, target: Meaning, weights: NDArray[np.int64] | None
) -> tuple[Rows, Rows, Rows]:
    """The pairs of the target that are known, if it has pairs; and the examples, positive and negative."""
    if description.target.pairs:
        return pair_examples(data, description, target)
    table = data.tables[target.table]
    keys = [coded(table, argument) for argument in target.arguments]
    labels = table.column(target.column)
    yes = labels.codes == place_of(labels, target.equals)
    no = (labels.codes != NULL) & ~yes
    none = together(keys, np.zeros(len(table), bool))
    if weights is None:
        return none, together(keys, yes), together(keys, no)
    positives, negatives = (
        dataclasses.replace(together(keys, side), weights=weights[side]) for side in (yes, no)
    )  # a key is never missing
    return none, positives, negatives


# -- bias -----------------------------------------------------------------------------------------------------


def make_bias(description: Description, target: Meaning, background: dict[str, Rows]) -> dict[str, Any]:
    """Types from the description; constants for categories, numbers for numbers; ways to go along keys and links."""
    body = [meaning for meaning in description.meanings.values() if meaning.predicate in background]
    constants, numbers = learned(description, body)
    limits = {"max_vars": description.max_vars, "max_body": description.max_body}
    return {
        "head_pred": f"{target.predicate}/{target.arity}",
        "body_pred": [f"{meaning.predicate}/{meaning.arity}" for meaning in body],
        "type": {meaning.predicate: tuple(one.type for one in meaning.arguments) for meaning in (target, *body)},
        "direction": {target.predicate: ("in",) * target.arity} | {one.predicate: direction(one) for one in body},
        "constants": constants,
        "numbers": numbers,
        **{name: limit for name, limit in limits.items() if limit},
        **tested(description, body),
    }


def direction(meaning: Meaning) -> tuple[str, ...]:
    """Links and relations are used both ways. What is said of a thing is asked of a thing that is known: a rule does
    not go from a value to all that have it."""
    if meaning.form in (Form.LINK, Form.RELATION):
        return ("out",) * meaning.arity
    keys = meaning.arity if meaning.form is Form.FLAG else meaning.arity - 1
    return ("in",) * keys + ("out",) * (meaning.arity - keys)


def roles_of(description: Description, meaning: Meaning) -> Iterator[tuple[int, Argument, Role]]:
    """The arguments of a predicate that hold values, with their places from 1 on and their roles."""
    if meaning.form is Form.COUNT:
        yield 2, meaning.arguments[1], Role.NUMBER
        return
    table = description.table(meaning.table)
    for place, argument in enumerate(meaning.arguments, 1):
        if argument.column != ROW_NUMBER:
            yield place, argument, table.column(argument.column).role


def learned(description: Description, body: list[Meaning]) -> tuple[list[Any], list[str]]:
    """What may be named, by type or, where things are of that type too, by argument; and what may be compared."""
    entities = {table.type for table in description.tables if table.type}
    entities |= {one.type for table in description.tables for one in table.columns if one.role in THINGS}
    constants: dict[Any, None] = {}
    numbers: dict[str, None] = {}
    for meaning in body:
        for place, argument, role in roles_of(description, meaning):
            if role in (Role.CATEGORY, Role.CODE):
                constants[(meaning.predicate, place) if argument.type in entities else argument.type] = None
            if role in (Role.NUMBER, Role.CODE):
                numbers[argument.type] = None
    return list(constants), list(numbers)


def tested(description: Description, body: list[Meaning]) -> dict[str, list[str]]:
    """Functional columns of numbers, and counts: with a comparison, each is one test, and counts as one literal."""
    numeric = [
        meaning
        for meaning in body
        if meaning.form in (Form.COLUMN, Form.COUNT)
        and any(role in (Role.NUMBER, Role.CODE) for _, _, role in roles_of(description, meaning))
    ]
    return {"tested": [f"{meaning.predicate}/{meaning.arity}" for meaning in numeric]} if numeric else {}
