"""Rules that use pairs of their own target, asked about pairs that may be known themselves.

A known pair does not count for itself: rules ask for another one. Facts have numbers here, and so have the pairs that
are asked about, which is the number of the same pair or one that no fact has; and each `known(X,Y)` of a rule asks for
a number that is smaller than that, or larger. So a rule becomes several, whose literals mean just what they say.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import product

import numpy as np

from maxsynth.api.rows import Rows
from maxsynth.api.stored import Joined
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Literal, Rule

NONE = -1  # the number of a pair that is not known


def numbered(facts: Rows, keys: Rows) -> tuple[Rows, Rows]:
    """Known pairs and pairs that are asked about, with the number of each as one more argument."""
    numbers = {pair: number for number, pair in enumerate(pairs_of(facts))}
    asked = [numbers.get(pair, NONE) for pair in pairs_of(keys)]
    return with_numbers(facts, range(len(facts))), with_numbers(keys, asked)


def pairs_of(rows: Rows) -> Iterator[tuple[object, ...]]:
    values = list(rows.values)
    for codes in rows.codes.tolist():
        yield tuple(values[code] for code in codes)


def with_numbers(rows: Rows, numbers: range | list[int]) -> Rows:
    first = len(rows.values)
    places = np.array(numbers, np.int32).reshape(-1, 1) - NONE + first
    most = max(numbers, default=NONE)
    return Rows(Joined([rows.values, range(NONE, most + 1)]), np.ascontiguousarray(np.hstack([rows.codes, places])))


def of_others(rule: Rule, known: Predicate) -> list[Rule]:
    """The rule on numbered pairs, as several: for each known pair that it asks for, one with a smaller number than the
    pair that it is about, or one with a larger."""
    new = max((variable for literal in rule.literals() for variable in literal.variables), default=-1) + 1
    head = Literal(rule.head.name, (*rule.head.args, new))
    places = [place for place, literal in enumerate(rule.body) if literal.predicate == known]
    found = []
    for smaller in product((True, False), repeat=len(places)):
        body = list(rule.body)
        for number, (place, less) in enumerate(zip(places, smaller, strict=True), new + 1):
            one = body[place]
            body[place] = dataclasses.replace(one, args=(*one.args, number))
            order: tuple[Argument, ...] = (number, new) if less else (new, number)
            body.append(Literal("<", order))
        found.append(Rule(head, tuple(body)))
    return found
