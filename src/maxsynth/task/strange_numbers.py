"""Infinities and NaN where a bias says that values are numbers: they can be compared with nothing, which few expect."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from maxsynth.bias.bias import Bias
from maxsynth.errors import Position, shortened
from maxsynth.prolog.consult import Consulted
from maxsynth.prolog.terms import Struct
from maxsynth.prolog.writer import term_text

if TYPE_CHECKING:
    from maxsynth.task.task import Examples


def strange_numbers(bias: Bias, source: Consulted, examples: tuple[Examples, ...]) -> Iterator[str]:
    """A warning for each predicate with such values in its facts, or in the examples, with the line of the first."""
    store = source.store
    found = [store.find(value) for value in (math.inf, -math.inf, math.nan)]
    strange = [known for known in found if known >= 0]
    types = set(bias.learned.number_types)
    if not strange or not types:
        return
    for predicate, names in bias.types.items():
        columns = [place for place, name in enumerate(names) if name in types]
        tables = [(side.rows, side.lines, side.file) for side in examples if predicate == bias.head]
        if predicate in source.tables:
            table = source.tables[predicate]
            tables.append((table.rows(), source.lines(table.offsets()), source.file))
        for rows, lines, file in tables if columns else ():
            places = np.flatnonzero(np.isin(rows[:, columns], strange).any(axis=1))
            if len(places):
                first = int(places[0])
                fact = term_text(Struct(predicate.name, tuple(store.term(int(known)) for known in rows[first])))
                many = f", and {len(places) - 1} others of {predicate}, have" if len(places) > 1 else " has"
                yield (
                    f"{Position(file, int(lines[first]))}: `{shortened(fact)}`{many} an infinity or NaN where "
                    "numbers are compared: it is as if it were no number"
                )
