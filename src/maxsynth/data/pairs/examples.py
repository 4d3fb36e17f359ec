"""The pairs of a relation as examples, and those that are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxsynth.api.rows import Rows
from maxsynth.data.description import Description, Shape
from maxsynth.data.meaning import ROW_NUMBER, Argument, Meaning
from maxsynth.data.pairs.known import parted
from maxsynth.data.pairs.negatives import Pairs, all_others, drawn
from maxsynth.data.rows import coded
from maxsynth.data.tables import NULL, Data


def pair_examples(data: Data, description: Description, target: Meaning) -> tuple[Rows, Rows, Rows]:
    pairs = true_pairs(data, description, target)
    known, positives = parted(pairs, description.known, description.seed)
    each = description.negatives
    negatives = drawn(positives, pairs, each, description.seed) if each else all_others(pairs)
    return known.rows(), positives.rows(), negatives.rows()


def true_pairs(data: Data, description: Description, target: Meaning) -> Pairs:
    """The pairs of a relation, among all entities that could be in one."""
    table = data.tables[target.table]
    sides = []
    present = np.ones(len(table), bool)
    for argument in target.arguments:
        part = coded(table, argument)
        entities = entity_terms(data, description, argument)
        if entities is None:
            entities, codes = part.values, part.codes.astype(np.int64)
        else:
            places = {entity: place for place, entity in enumerate(entities)}
            codes = np.array([places.get(value, NULL) for value in part.values] + [NULL], np.int64)[part.codes]
        present &= codes != NULL
        sides.append((entities, codes))
    (first, left), (second, right) = sides
    codes = np.unique(np.stack([left, right], axis=1)[present], axis=0)
    return Pairs(first, second, codes)


def entity_terms(data: Data, description: Description, argument: Argument) -> list[Any] | None:
    """All things of the table whose keys an argument holds."""
    if argument.entity is None:
        return None
    info = description.table(argument.entity)
    if info.shape is not Shape.ROWS and len(info.key) != 1:
        return None
    column = ROW_NUMBER if info.shape is Shape.ROWS else info.key[0]
    return coded(data.tables[argument.entity], Argument(column, argument.kind)).values
