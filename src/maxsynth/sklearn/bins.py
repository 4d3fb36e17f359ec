"""Numbers in groups of about equal size, so that rules have few numbers to be compared with.

A column of measurements may have a number of its own in each row. Each could be where a rule cuts, and pairs of them
are what a search goes through; of cuts that few rows lie between, it makes little difference which is taken. So a
column with many numbers is learned from as if all numbers of a group were the one in its middle.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.description import Description, Role
from maxsynth.data.tables import NULL, Column, Data
from maxsynth.sklearn.features import ROWS, ordered


def in_groups(data: Data, description: Description, weights: NDArray[np.float64], most: int) -> Data:
    """The data with at most so many numbers in a column; `weights` tell how many times each row of X counts."""
    tables = {}
    for table in data.tables.values():
        counted = weights if table.name == ROWS else np.ones(len(table))
        info = description.table(table.name)
        columns = tuple(
            grouped(column, counted, most)
            if info.column(column.name).role is Role.NUMBER and len(column.values) > most
            else column
            for column in table.columns
        )
        tables[table.name] = dataclasses.replace(table, columns=columns)
    return dataclasses.replace(data, tables=tables)


def grouped(column: Column, weights: NDArray[np.float64], most: int) -> Column:
    column = ordered(column)
    present = column.codes != NULL
    counts = np.bincount(column.codes[present], weights[present], len(column.values))
    middles = np.cumsum(counts) - counts / 2
    groups = np.minimum((middles * most / counts.sum()).astype(np.int64), most - 1)
    known, places = np.unique(groups, return_inverse=True)
    kept = np.array([middle_of(np.flatnonzero(places == place), counts) for place in range(len(known))])
    values: Any = np.asarray(column.values)[kept]
    return dataclasses.replace(column, values=values, codes=np.append(places, NULL).astype(np.int32)[column.codes])


def middle_of(group: NDArray[np.int64], counts: NDArray[Any]) -> int:
    """The number of a group that as many rows are below as above."""
    total = np.cumsum(counts[group])
    return int(group[np.searchsorted(total, total[-1] / 2)])
