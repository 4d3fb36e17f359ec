"""The rows of a relation, from whatever Python has them in, as numbers of distinct values.

Nothing of this goes through Prolog text: each column is read as a whole, its distinct values become terms once, and a
row is the places of its values. That is small, and filled into the tables of the kernel as often as they are needed.

Data frames are known by what they can do (`columns`, and `items` as in pandas or `get_columns` as in polars), so that
neither library is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.stored import Numbering
from maxsynth.background.python_terms import Text, shown, to_term
from maxsynth.errors import MaxSynthError, Position
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.reading.operators import Operators
from maxsynth.prolog.terms import Atom, Struct, Term, list_items
from maxsynth.prolog.writer import atom_text, term_text

ACCEPTED = (
    "give an iterable of tuples or of single values, a DataFrame or Series of pandas or polars, "
    "or a NumPy array of one or two dimensions"
)
ONE_LENGTH = "give rows of one length; predicates of different arities under one name can only be given as Prolog text"
ALIKE = {str, int}  # values of one of these types that are equal are the same term: not so 0.0 and -0.0, or 1 and True
PLAIN = (np.str_, np.bool_, np.integer, np.floating)  # NumPy's, with a Python value each ...
TIMES = (np.datetime64, np.timedelta64)  # ... but for some that count as integers
HASHED = {*ALIKE, bool, float, Text}


@dataclass(frozen=True)
class Rows:
    """Rows of one length. A `str` among the values is an atom."""

    values: Sequence[Term | str]
    codes: NDArray[np.int32]  # a row each, of places in `values`
    weights: NDArray[np.int64] | None = None  # of examples: how many times each counts, where that is not once

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def arity(self) -> int:
        return int(self.codes.shape[1])

    def length_of_lists(self) -> int:
        """The length of lists that could have been meant as rows: alone, several, and all of it; otherwise 0."""
        if self.arity != 1 or len(self.values) < 2 or isinstance(self.values[0], str):
            return 0
        if next(list_items(self.values[0]), None) is None:  # then no look at all others is needed
            return 0
        lengths = {0 if isinstance(value, str) else sum(1 for _ in list_items(value)) for value in self.values}
        return lengths.pop() if len(lengths) == 1 else 0

    def ids(self, numbering: Numbering) -> NDArray[np.int32]:
        """The rows in the terms of a store."""
        return np.take(numbering.ids(self.values), self.codes)

    def terms(self, row: int) -> tuple[Term, ...]:
        values = (self.values[code] for code in self.codes[row].tolist())
        return tuple(Atom(value) if isinstance(value, str) else value for value in values)

    def atom(self, name: str, row: int) -> str:
        """A row as an atom of Prolog."""
        terms = self.terms(row)
        return term_text(Struct(name, terms) if terms else Atom(name))

    def atoms(self, name: str) -> Iterator[str]:
        """All rows as atoms of Prolog. Where the name is a plain one, each value is written only once."""
        if not self.arity or not re.fullmatch(r"[a-z][a-zA-Z0-9_]*", name):
            yield from (self.atom(name, row) for row in range(len(self)))
            return
        operators = Operators()
        texts = [
            atom_text(value)
            if isinstance(value, str)
            else term_text(Struct("p", (value,)), operators=operators)[2:-1]  # as an argument, with brackets
            for value in self.values
        ]
        for codes in self.codes.tolist():
            yield f"{name}({','.join([texts[code] for code in codes])})"


@dataclass(frozen=True)
class Source:
    """Where rows come from, for messages. `numbers` are those of the rows, where they do not just count from 0."""

    what: str
    numbers: Sequence[int] | None = None

    def row(self, row: int) -> Position:
        return Position(f"{self.what}, row {row if self.numbers is None else self.numbers[row]}")

    def cell(self, row: int, column: int, name: str) -> Position:
        return Position(f"{self.row(row)}, argument {column + 1}{f' (`{name}`)' if name else ''}")


def read_rows(data: object, source: Source) -> Rows:
    """The rows of a relation that is given in any of the accepted forms."""
    if isinstance(data, Rows):  # by who has them as arrays already
        return data
    if is_frame(data):
        return frame_rows(data, source)
    if isinstance(data, np.ndarray):
        return array_rows(data, source)
    if callable(getattr(data, "to_list", None)):  # a Series
        return listed_rows(data.to_list(), source)  # type: ignore[attr-defined]
    if not isinstance(data, Iterable) or isinstance(data, str | bytes | bytearray | Mapping):
        raise no_rows(data, source)
    return listed_rows(in_order(data), source)


def in_order(data: Iterable[object]) -> list[object]:
    """The items. A set has another order in each process, so they are in the order of their texts then."""
    return sorted(data, key=repr) if isinstance(data, set | frozenset) else list(data)


def no_rows(data: object, source: Source) -> MaxSynthError:
    remedy = ACCEPTED
    if isinstance(data, Mapping):
        remedy = "give its items(), or, where it has a list for each column, zip(*mapping.values())"
    elif callable(data):
        remedy = "decorate it with maxsynth.predicate"
    return MaxSynthError(f"{source.what}: {shown(data)} is no set of rows", remedy=remedy)


# -- forms ----------------------------------------------------------------------------------------------------


def is_frame(data: object) -> bool:
    if isinstance(data, Mapping | type):
        return False
    known = callable(getattr(data, "get_columns", None)) or callable(getattr(data, "items", None))
    return known and hasattr(data, "columns")


def frame_rows(frame: Any, source: Source) -> Rows:
    """A column for each argument. By place, since several columns may have one name."""
    if callable(getattr(frame, "get_columns", None)):  # polars
        columns = [(str(column.name), column) for column in frame.get_columns()]
    else:
        columns = [(str(name), column) for name, column in frame.items()]
    if not columns:
        raise MaxSynthError(f"{source.what}: the DataFrame has no columns", remedy="each column is an argument")
    return together(((name, column.to_list()) for name, column in columns), source)


def array_rows(array: NDArray[Any], source: Source) -> Rows:
    if array.ndim == 1:
        return listed_rows(array_values(array), source)
    if array.ndim != 2 or not array.shape[1]:
        raise MaxSynthError(f"{source.what}: an array of the shape {array.shape} is no set of rows", remedy=ACCEPTED)
    return together((("", array_values(array[:, column])) for column in range(array.shape[1])), source)


def array_values(array: NDArray[Any]) -> list[object]:
    """The plain Python values of an array; but dates, which would become numbers, stay to be refused."""
    return list(array) if array.dtype.kind in "mM" else array.tolist()


def listed_rows(rows: list[object], source: Source) -> Rows:
    """Tuples, or values that stand for tuples of one."""
    kinds = set(map(type, rows))
    tuples = {kind for kind in kinds if issubclass(kind, tuple)}
    if not tuples:
        return together([("", rows)], source)
    same: list[Any] = rows if tuples == kinds else [row if isinstance(row, tuple) else (row,) for row in rows]
    if len(set(map(len, same))) > 1:
        row = next(row for row, values in enumerate(same) if len(values) != len(same[0]))
        raise MaxSynthError(
            f"{len(same[row])} value{'s' * (len(same[row]) != 1)}, where row 0 has {len(same[0])}",
            source.row(row),
            ONE_LENGTH,
        )
    if not same[0]:
        raise MaxSynthError("an empty row", source.row(0), "give at least one value")
    return tuple_rows(same, source, range(len(same[0])))


def tuple_rows(rows: list[Any], source: Source, places: Iterable[int]) -> Rows:
    """The values at these places of tuples, which all are long enough."""
    return together((("", list(map(itemgetter(place), rows))) for place in places), source, len(rows))


# -- values ---------------------------------------------------------------------------------------------------


def together(columns: Iterable[tuple[str, list[object]]], source: Source, count: int = 0) -> Rows:
    """Columns, each with its name, as rows: one at a time is a Python list. Without any there are `count` rows."""
    values: list[list[Term | str]] = []
    codes: list[NDArray[np.int32]] = []
    before = 0
    for number, (name, column) in enumerate(columns):
        distinct, places = distinct_values(column, source, number, name)
        values.append(distinct)
        codes.append(places + np.int32(before))
        before += len(distinct)
    rows = np.stack(codes, axis=1) if codes else np.zeros((count, 0), np.int32)
    return Rows(list(chain.from_iterable(values)), np.ascontiguousarray(rows))


def distinct_values(
    column: list[Any], source: Source, number: int, name: str
) -> tuple[list[Term | str], NDArray[np.int32]]:
    """The different values of a column, and for each row the place of its value among them."""
    kinds = set(map(type, column))
    if len(kinds) == 1 and issubclass(kind := next(iter(kinds)), PLAIN) and not issubclass(kind, TIMES):
        column = [value.item() for value in column]
        kinds = set(map(type, column))
    if len(kinds) <= 1 and kinds <= ALIKE:
        places = dict.fromkeys(column)
        distinct = list(places)
        places.update(zip(distinct, range(len(distinct)), strict=True))
        return distinct, np.fromiter(map(places.__getitem__, column), np.int32, len(column))
    return distinct_terms(column, source, number, name)


def distinct_terms(
    column: list[Any], source: Source, number: int, name: str
) -> tuple[list[Term | str], NDArray[np.int32]]:
    """The same for values of all kinds, told apart by the terms that they are."""
    store = TermStore()
    terms: list[Term | str] = []
    place_of_id: dict[int, int] = {}
    place_of_key: dict[object, int] = {}
    places = np.empty(len(column), np.int32)
    for row, value in enumerate(column):
        kind = type(value)
        key = (kind, repr(value) if kind is float else value) if kind in HASHED else None
        place = place_of_key.get(key, -1) if key is not None else -1
        if place < 0:
            try:
                term = to_term(value)
            except MaxSynthError as problem:
                raise MaxSynthError(problem.message, source.cell(row, number, name), problem.remedy) from None
            place = place_of_id.setdefault(store.intern(term), len(terms))
            if place == len(terms):
                terms.append(term)
            if key is not None:
                place_of_key[key] = place
        places[row] = place
    return terms, places
