"""One table of many: what learners of a single table are given in the place of a database.

For each row of the target's table: its own columns, and for each way along keys and links to another table, up to
some steps, how many rows are there, how many with each value of a category, and the least, greatest and mean value of
each number. Categories become a column of 0 and 1, or counts, for each value. What is left out of the task is left
out here too, and links that were inferred are used, so that all learners know the same.

What this cannot say is that two things are true of the same row (a car that is short *and* closed).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.description import Description, Role
from maxsynth.data.tables import NULL, Column, Data, Table

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Joined:
    names: list[str]
    values: Numbers  # a row for each row of the target's table; NaN where there is no number


@dataclass(frozen=True)
class Way:
    """Rows of a table that were reached: for each, from which row of the target's table."""

    name: str
    table: str
    start: Places
    row: Places
    came_down: tuple[str, str] | None = None  # the link, with its table, that was followed from a key to its rows


def joined_table(data: Data, description: Description, steps: int) -> Joined:
    target = data.tables[description.target.table]
    count = len(target)
    own = Way("", target.name, np.arange(count), np.arange(count))
    names: list[str] = []
    columns: list[Numbers] = []
    for way in reached(data, description, own, steps):
        for name, values in summaries(data, description, way, count):
            if np.unique(values[~np.isnan(values)]).size > 1 or np.isnan(values).any():
                names.append(name)
                columns.append(values)
    return Joined(names, np.stack(columns, axis=1) if columns else np.zeros((count, 0)))


def reached(data: Data, description: Description, start: Way, steps: int) -> Iterator[Way]:
    ways = [start]
    for step in range(steps + 1):
        yield from ways
        if step < steps:
            ways = [further for way in ways for further in next_ways(data, description, way)]


def next_ways(data: Data, description: Description, way: Way) -> Iterator[Way]:
    """Along each link of the table to a key, and from its key to each table with a link to it."""
    for info in description.tables:
        for link in info.links:
            if len(link.columns) != 1 or len(link.to) != 1:
                continue
            lower, upper = data.tables[info.name], data.tables[link.table]
            pairs = links_between(lower, link.columns[0], upper, link.to[0])
            name = f"{info.name}.{link.columns[0]}"
            if way.table == info.name and way.came_down != (info.name, link.columns[0]):
                yield stepped(way, pairs, f"{way.name}{name}>", link.table)
            if way.table == link.table:
                down = (info.name, link.columns[0])
                yield stepped(way, pairs[:, ::-1], f"{way.name}<{name} ", info.name, down)


def links_between(lower: Table, column: str, upper: Table, key: str) -> Places:
    """Pairs of rows: one of the lower table, and the one of the upper table that it leads to."""
    keys = upper.column(key)
    values = plain(keys)
    row_of = {values[code]: row for row, code in enumerate(keys.codes.tolist()) if code != NULL}
    links = lower.column(column)
    to = [row_of.get(value, NULL) for value in plain(links)] + [NULL]
    rows = np.asarray(to, np.int64)[links.codes]
    return np.stack([np.arange(len(lower)), rows], axis=1)[rows != NULL]


def stepped(way: Way, pairs: Places, name: str, table: str, came_down: tuple[str, str] | None = None) -> Way:
    order = np.argsort(pairs[:, 0], kind="stable")
    pairs = pairs[order]
    first = np.searchsorted(pairs[:, 0], way.row, "left")
    last = np.searchsorted(pairs[:, 0], way.row, "right")
    counts = last - first
    places = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
    both = np.unique(np.stack([np.repeat(way.start, counts), pairs[places, 1]], axis=1), axis=0)
    return Way(name, table, both[:, 0], both[:, 1], came_down)


def summaries(data: Data, description: Description, way: Way, count: int) -> Iterator[tuple[str, Numbers]]:
    table = data.tables[way.table]
    if way.name:
        yield f"{way.name}rows", np.bincount(way.start, minlength=count).astype(float)
    for info in description.table(way.table).columns:
        column = table.column(info.name)
        name = f"{way.name}{info.name}"
        if info.role in (Role.CATEGORY, Role.CODE, Role.FLAG):
            yield from counted(name, column, way, count)
        if info.role in (Role.NUMBER, Role.CODE):
            yield from measured(name, column, way, count)


def counted(name: str, column: Column, way: Way, count: int) -> Iterator[tuple[str, Numbers]]:
    codes = column.codes[way.row]
    for code, value in enumerate(plain(column)):
        yield f"{name}={value}", np.bincount(way.start[codes == code], minlength=count).astype(float)


def measured(name: str, column: Column, way: Way, count: int) -> Iterator[tuple[str, Numbers]]:
    codes = column.codes[way.row]
    start = way.start[codes != NULL]
    values = np.asarray(plain(column), float)[codes[codes != NULL]]
    rows = np.bincount(start, minlength=count)
    none = rows == 0
    mean = np.bincount(start, values, minlength=count) / np.maximum(rows, 1)
    least, greatest = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, start, values)
    np.maximum.at(greatest, start, values)
    for kind, found in (("least", least), ("greatest", greatest), ("mean", mean)):
        if kind == "mean" or way.name:  # of its own row, there is one value
            yield f"{name} {kind}" if way.name else name, np.where(none, np.nan, found)


def plain(column: Column) -> list[object]:
    return column.values.tolist() if isinstance(column.values, np.ndarray) else list(column.values)
