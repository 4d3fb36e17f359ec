"""Tables of columns, the form in which all data comes in, whatever it was stored in.

A column holds each distinct value once, and for each row the place of its value: so rows never become Python objects,
and what is asked of a column (is it unique, are its values among those of another) is asked of arrays.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.stored import Chosen

NULL = -1  # the place of a value that is missing


class Kind(enum.Enum):
    """What the values of a column are. `values` of a column are stored as said here."""

    TEXT = "text"  # a list of str, or those chosen from what other columns have as well
    INTEGER = "integer"  # an array of int64, or a list of int where these are larger
    REAL = "real"  # an array of float64, all finite
    YES_NO = "yes/no"  # an array of bool
    DATE = "date"  # an array of int64: days since 1970-01-01
    TIME = "time"  # an array of float64: seconds since 1970-01-01, in UTC where the data has a time zone


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind
    values: list[str] | list[int] | Chosen | NDArray[Any]  # distinct, in the order of first sight
    codes: NDArray[np.int32]  # for each row the place of its value, or NULL
    stored_as_text: bool = False  # whether the source has them as text: '1994', '2020-01-31', 'yes'

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class ForeignKey:
    """Columns whose values are those of the key of another table."""

    columns: tuple[str, ...]
    table: str
    to: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table, with the keys that its source declares. Most sources declare none."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


@dataclass(frozen=True)
class Data:
    """All that was read from one place."""

    place: str  # a path or an address without its password; `<tables>` for data in Python
    form: str  # "sqlite", "postgresql", ..., "csv", "parquet", "python", "graph"
    tables: Mapping[str, Table]  # of a graph: one for each relation, with the columns subject and object
    notes: tuple[str, ...] = ()  # what was left out or read in a way that a user may not expect
