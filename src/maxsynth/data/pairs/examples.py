"""The pairs of a relation as examples, and those that are known."""

from __future__ import annotations

import numpy as np

from maxsynth.api.rows import Rows
from maxsynth.api.stored import Stored
from maxsynth.data.description import Description, Shape
from maxsynth.data.meaning import ROW_NUMBER, Argument, Meaning
from maxsynth.data.pairs.known import parted
from maxsynth.data.pairs.negatives import Pairs, all_others, drawn
from maxsynth.data.rows import coded, places_among
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
            codes = np.append(places_among(part.values, entities), NULL)[part.codes]
        present &= codes != NULL
        sides.append((entities, codes))
    (first, left), (second, right) = sides
    codes = np.unique(np.stack([left, right], axis=1)[present], axis=0)
    return Pairs(first, second, codes)


def entity_terms(data: Data, description: Description, argument: Argument) -> Stored | None:
    """All things of the table whose keys an argument holds."""
    if argument.entity is None:
        return None
    info = description.table(argument.entity)
    if info.shape is not Shape.ROWS and len(info.key) != 1:
        return None
    column = ROW_NUMBER if info.shape is Shape.ROWS else info.key[0]
    return coded(data.tables[argument.entity], Argument(column, argument.kind)).values
