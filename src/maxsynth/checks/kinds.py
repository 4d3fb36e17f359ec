"""Values that look the same and are not: the atom '1', the integer 1, the float 1.0 and the string "1".

No rule joins them, and nothing else would say so: a column of years that was read as text never meets one of numbers.
Facts and examples are looked at, not what Prolog computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.terms import Atom, String, Term
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import ReadTask

NAMED = 5  # pairs of arguments
LOOKED_AT = 100_000  # numbers and strings of an argument; where columns are of different kinds, the first ones tell
MOST = 10**15  # numbers beyond are not written out in full
KINDS = {Atom: "atom", String: "string", int: "integer", float: "float"}

Twin = String | str | int  # a str is an atom


@dataclass(frozen=True)
class Column:
    """The values at one argument of a predicate."""

    predicate: Predicate
    place: int
    type: str | None
    values: NDArray[np.int32]  # sorted, distinct

    def __str__(self) -> str:
        return f"argument {self.place + 1} of {self.predicate}"

    def can_meet(self, other: Column) -> bool:
        return self.type is None or other.type is None or self.type == other.type


def different_kinds(task: ReadTask) -> list[str]:
    """Warnings for arguments that a rule could join, with values that differ only in their kind."""
    known = list(columns(task))
    pairs = look_alikes(task, known)
    if not len(pairs):
        return []
    numeric = task.bias.learned.number_types
    ones, others = (np.array([np.isin(side, column.values) for column in known]) for side in pairs.T)
    found = []
    for i, one in enumerate(known):
        for j, other in enumerate(known):
            both = np.flatnonzero(ones[i] & others[j])
            if len(both) and one.can_meet(other):
                value, twin = (task.background.store.term(int(value)) for value in pairs[both[0]])
                if one.type in numeric and isinstance(value, int | float) and isinstance(twin, int | float):
                    continue  # as numbers they are compared, and there 1 and 1.0 are the same
                found.append(warning(one, other, value, twin))
    more = [f"and {len(found) - NAMED} more arguments with such values"] if len(found) > NAMED else []
    return [*found[:NAMED], *more]


def warning(one: Column, other: Column, value: Term, twin: Term) -> str:
    return (
        f"{one} has the {KINDS[type(value)]} {term_text(value)} and {other} the {KINDS[type(twin)]} "
        f"{term_text(twin)}, which are never equal (write both in the same way; a str in Python is an atom)"
    )


def columns(task: ReadTask) -> Iterator[Column]:
    """The arguments of the target and of all predicates that only facts define."""
    bias, background = task.bias, task.background
    tables = {bias.head: np.concatenate([task.positives.rows, task.negatives.rows])}
    for predicate in bias.body:
        if background.is_table(predicate):
            tables[predicate] = background.source.tables[predicate].rows()
    for predicate, rows in tables.items():
        types = bias.types.get(predicate)
        for place in range(predicate.arity):
            seen = np.zeros(len(background.store), np.bool_)
            seen[rows[:, place]] = True
            values = np.flatnonzero(seen).astype(np.int32)
            yield Column(predicate, place, types[place] if types else None, values)


def look_alikes(task: ReadTask, known: list[Column]) -> NDArray[np.int32]:
    """Pairs of values that are written alike: the first is a number or a string, the other is of another kind."""
    store = task.background.store
    asked = [column.values[store.numbers_and_strings(column.values)][:LOOKED_AT] for column in known]
    pairs = []
    seen = np.zeros(len(store), np.bool_)
    for values in asked:
        seen[values] = True
    several = np.flatnonzero(seen).astype(np.int32)
    for value in several[store.written_alike(several)].tolist():
        for twin in twins_of(store.term(value)):
            found = store.find(twin)
            if found >= 0:
                pairs.append((value, found))
    return np.array(pairs, np.int32).reshape(-1, 2)


def twins_of(term: Term) -> Iterator[Twin]:
    """What is written as this term and of another kind; of two, only one is the other's twin."""
    if isinstance(term, String):
        yield term.text
    elif isinstance(term, int):
        yield from texts_of(str(term), f"{term}.0") if abs(term) < MOST else ()
    elif isinstance(term, float):
        yield from texts_of(repr(term))
        if term.is_integer() and abs(term) < MOST:
            yield int(term)
            yield from texts_of(str(int(term)))


def texts_of(*texts: str) -> Iterator[Twin]:
    for text in texts:
        yield text
        yield String(text)
