"""Leaving out the directions of a bias: facts can be looked up in every direction, whatever the bias says."""

from __future__ import annotations

import dataclasses

from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.task.task import ReadTask


def without_directions(task: ReadTask) -> ReadTask:
    """A task whose predicates are facts, in the larger space that has no directions."""
    predicate = needs_direction(task)
    if predicate is not None:
        raise MaxSynthError(
            f"rules define {predicate}, and may work in its direction only",
            task.background.place(predicate),
            "learn without --ignore-directions, or list its facts in bk.pl",
        )
    return task.with_bias(dataclasses.replace(task.bias, directions={}))


def task_without_directions(task: ReadTask) -> ReadTask | None:
    """The task in that larger space, if it has directions and can do without them."""
    return without_directions(task) if task.bias.directions and needs_direction(task) is None else None


def needs_direction(task: ReadTask) -> Predicate | None:
    """A predicate with a direction that is not known by its facts alone."""
    directed = (predicate for predicate in task.bias.directions if predicate in task.bias.body)
    return next((predicate for predicate in directed if not task.background.is_table(predicate)), None)
