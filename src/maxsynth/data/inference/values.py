"""Questions to the values of columns: how many there are, whether they are unique, whether they are among those of
another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.stored import Chosen
from maxsynth.background.distinct import distinct
from maxsynth.data.tables import NULL, Column, Kind, Table

COUNTED = (Kind.INTEGER, Kind.REAL, Kind.DATE, Kind.TIME)  # what has an order that means something


@dataclass(frozen=True, eq=False)
class Values:
    """A column of a table, with what is asked of it often."""

    table: str
    column: Column

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def kind(self) -> Kind:
        return self.column.kind

    def __str__(self) -> str:
        return f"{self.table}.{self.column.name}"

    @cached_property
    def missing(self) -> int:
        return int(np.count_nonzero(self.column.codes == NULL))

    @property
    def present(self) -> int:
        return len(self.column.codes) - self.missing

    @property
    def distinct(self) -> int:
        return len(self.column.values)

    @property
    def unique(self) -> bool:
        """Whether it could be a key."""
        return not self.missing and self.distinct == len(self.column.codes) > 0

    @cached_property
    def known(self) -> frozenset[Any]:
        return frozenset(as_list(self.column.values))

    def shared_with(self, other: Values) -> int:
        """How many of its distinct values are values of the other as well."""
        if self.kind is not other.kind:
            return 0
        if isinstance(self.column.values, np.ndarray) and isinstance(other.column.values, np.ndarray):
            return int(np.count_nonzero(np.isin(self.column.values, other.column.values)))
        return len(self.known & other.known)

    @cached_property
    def in_order(self) -> NDArray[np.int64]:
        """The places of its values, the least first."""
        return np.argsort(np.asarray(self.column.values), kind="stable")

    def shown(self, most: int = 3) -> tuple[str, ...]:
        return tuple(shown(value, self.kind) for value in as_list(self.column.values[:most]))


def as_list(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """As Python has them."""
    return values.tolist() if isinstance(values, np.ndarray | Chosen) else list(values)


def shown(value: Any, kind: Kind) -> str:
    """A value as people write it."""
    if kind is Kind.DATE:
        return str(np.datetime64(int(value), "D"))
    if kind is Kind.TIME:
        return str(np.datetime64(round(float(value) * 1000), "ms")).replace("T", " ").removesuffix(".000")
    if kind is Kind.YES_NO:
        return "yes" if value else "no"
    text = str(value)
    return text if len(text) <= 30 else f"{text[:27]}..."


def all_values(table: Table) -> list[Values]:
    return [Values(table.name, column) for column in table.columns]


def unique_together(columns: Sequence[Values]) -> bool:
    """Whether no two rows have the same values in all of these, and none is missing."""
    if any(column.missing for column in columns) or not len(columns[0].column.codes):
        return False
    return count_together(columns) == len(columns[0].column.codes)


def count_together(columns: Sequence[Values]) -> int:
    """How many different combinations there are."""
    codes = combined(columns)
    return len(distinct(codes))


def combined(columns: Sequence[Values]) -> NDArray[np.int64]:
    """A number for each row that tells its combination of values."""
    codes = np.zeros(len(columns[0].column.codes), np.int64)
    for column in columns:
        codes = codes * np.int64(column.distinct + 1) + (column.column.codes.astype(np.int64) + 1)
        if column is not columns[-1] and codes.size and int(codes.max()) > 1 << 31:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return codes
