"""What is to be learned: a column, one value of it, or the pairs of a link or a relation.

drugs.active        a yes/no column: when is it yes?
trains.direction    two values: when is it this one, or that one, whichever rules describe better?
iris.species        several values: one program for each
iris.species=setosa one of them
movies_directors    a relation: which pairs are in it?
cars.maker_id       a link: which pairs of car and maker?
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from maxsynth.data.description import Aim, Role, Target, Value
from maxsynth.data.inference.keys import Keys
from maxsynth.data.inference.roles import role_of
from maxsynth.data.inference.values import Values, all_values, as_list, shown
from maxsynth.data.inference.words import Names, plain_name, without_id
from maxsynth.data.tables import Data, Kind, Table
from maxsynth.errors import MaxSynthError, listed, shortened

MOST_VALUES = 20  # with a program each


@dataclass(frozen=True)
class Asked:
    """A target as it was written, with what it names."""

    table: Table
    column: str = ""
    value: str | None = None


def nearest(name: str, known: Iterable[str]) -> str:
    """What may have been meant, for a message."""
    names = list(known)
    close = difflib.get_close_matches(name.lower(), [one.lower() for one in names], 1, 0.6)
    if close:
        return f"did you mean {next(one for one in names if one.lower() == close[0])}?"
    return f"there are {listed(names, 8)}" if names else "there are none"


def find_place(text: str, data: Data) -> tuple[Table, str]:
    """The table and the rest of `TABLE`, `TABLE.COLUMN` or, where only one table has it, `COLUMN`."""
    starts = [name for name in data.tables if text == name or text.startswith(f"{name}.")]
    if starts:
        name = max(starts, key=len)
        return data.tables[name], text[len(name) + 1 :]
    owners = [
        table for table in data.tables.values() if text.split("=")[0] in {column.name for column in table.columns}
    ]
    if len(owners) == 1:
        return owners[0], text
    if len(owners) > 1:
        names = " or ".join(f"{table.name}.{text}" for table in owners[:3])
        raise MaxSynthError(f"several tables have a column {shortened(text)}", remedy=f"say which: {names}")
    table = text.split(".")[0]
    if len(data.tables) == 1 and "." not in text:
        only = next(iter(data.tables.values()))
        raise no_column(only, text.split("=")[0])
    raise MaxSynthError(f"there is no table {shortened(table)}", remedy=nearest(table, data.tables))


def no_column(table: Table, name: str) -> MaxSynthError:
    columns = [column.name for column in table.columns]
    return MaxSynthError(f"the table {table.name} has no column {shortened(name)}", remedy=nearest(name, columns))


def find_column(text: str, data: Data) -> tuple[str, str]:
    """What `--leave-out` and `--keep` name: a table and one of its columns, or a table and an empty name."""
    table, column = find_place(text, data)
    if column and all(one.name != column for one in table.columns):
        raise no_column(table, column)
    return table.name, column


def read_target(text: str, data: Data) -> Asked:
    if not text:
        raise MaxSynthError("the target is empty", remedy="name what to learn: TABLE.COLUMN, or TABLE for a relation")
    table, rest = find_place(text, data)
    names = [column.name for column in table.columns]
    if not rest or rest in names:
        return Asked(table, rest)
    parts = [(rest[:at], rest[at + 1 :]) for at, letter in enumerate(rest) if letter == "="]
    for column, value in parts:
        if column in names:
            return Asked(table, column, value)
    raise no_column(table, rest.split("=")[0])


def make_target(asked: Asked, keys: Keys, names: Names) -> Target:
    table = asked.table
    if not len(table):
        raise MaxSynthError(f"the table {table.name} has no rows", remedy="there is nothing to learn from")
    if not asked.column:
        return relation_target(table, keys, names)
    column = next(one for one in all_values(table) if one.name == asked.column)
    key = keys.keys.get(table.name)
    if key is not None and asked.column in key.columns and len(key.columns) == 1:
        raise MaxSynthError(f"{column} is the key of its table", remedy="name a column that says something of each row")
    if not column.present:
        raise MaxSynthError(f"{column} is empty", remedy="name a column that has values")
    named_by_one = key is None or len(key.columns) == 1
    if asked.value is None and named_by_one and keys.link(table.name, asked.column) is not None:
        name = plain_name(without_id(asked.column), "link")
        aim = Aim(names.free(2, name, f"{plain_name(table.name, 'table')}_{name}"))
        return Target(table.name, asked.column, (aim,), True, "a link: pairs are learned")
    return value_target(table, column, asked.value, names)


def relation_target(table: Table, keys: Keys, names: Names) -> Target:
    places = pair_columns(table, keys)
    if len(places) != 2:
        key = keys.keys.get(table.name)
        inner = [column.name for column in table.columns if key is None or column.name not in key.columns]
        raise MaxSynthError(
            f"{table.name} is no table of pairs",
            remedy=f"name one of its columns, such as {table.name}.{(inner or [''])[0]}",
        )
    aim = Aim(names.free(2, plain_name(table.name, "related")))
    return Target(table.name, "", (aim,), True, f"a relation: pairs of {places[0]} and {places[1]} are learned")


def pair_columns(table: Table, keys: Keys) -> list[str]:
    """The two columns of a table of pairs: its links, or all that it has."""
    linked = [column.name for column in table.columns if keys.link(table.name, column.name) is not None]
    if len(linked) == 2:
        return linked
    return [column.name for column in table.columns] if len(table.columns) == 2 else []


def value_target(table: Table, column: Values, value: str | None, names: Names) -> Target:
    if column.distinct == 1 and not (value is None and column.missing and role_of(column).role is Role.FLAG):
        raise MaxSynthError(
            f"{column} has only one value, {column.shown(1)[0]}", remedy="a target needs at least two different values"
        )
    if value is not None:
        chosen = [find_value(column, value)]
        return Target(table.name, column.name, aims(table, column, chosen, names), why="one value of it")
    seen = role_of(column)
    if seen.role is Role.FLAG:
        if seen.no is None or seen.yes is None:
            raise MaxSynthError(
                f"{column} has only one value, {column.shown(1)[0]}",
                remedy="rows where it is empty are left out; a target needs two values",
            )
        base = plain_name(column.name, "target")
        aim = Aim(names.free(1, base, f"{plain_name(table.name, 'table')}_{base}"), seen.yes, seen.no)
        return Target(table.name, column.name, (aim,), why=f"yes/no: when is it {shown(seen.yes, column.kind)}?")
    if column.distinct > MOST_VALUES:
        what = "numbers" if column.kind is not Kind.TEXT else "values"
        raise MaxSynthError(
            f"{column} has {column.distinct:,} different {what}, and each would be a program of its own",
            remedy=f"name one of them, such as {column}={column.shown(1)[0]}",
        )
    if column.distinct == column.present > 2:
        raise MaxSynthError(
            f"each value of {column} is in one row only, so that no rule could be about several",
            remedy="name a column with values that occur again",
        )
    counts = np.bincount(column.column.codes[column.column.codes >= 0], minlength=column.distinct)
    listed_values = as_list(column.column.values)
    order = sorted(
        range(column.distinct), key=lambda place: (isinstance(listed_values[place], str), listed_values[place])
    )
    if column.distinct == 2:
        rarer = min(order, key=lambda place: counts[place])
        first, rival = aims(table, column, [listed_values[rarer], listed_values[1 - rarer]], names)
        one, other = (shown(aim.equals, column.kind) for aim in (first, rival))
        why = f"two values: rules for {one}, or for {other} if these cost less ({column}={one} asks for this one alone)"
        return Target(table.name, column.name, (first,), why=why, rival=rival)
    found = aims(table, column, [listed_values[place] for place in order], names)
    return Target(table.name, column.name, found, why=f"{column.distinct} values, and a program for each")


def aims(table: Table, column: Values, values: Sequence[Value], names: Names) -> tuple[Aim, ...]:
    base, known = plain_name(column.name, "target"), as_list(column.column.values)
    return tuple(
        Aim(
            names.free(1, name, f"{plain_name(table.name, 'table')}_{name}"),
            value,
            next(other for other in known if other != value) if len(known) == 2 else None,
        )
        for value in values
        for name in [plain_name(f"{base}_{shown(value, column.kind)}", "target")]
    )


def find_value(column: Values, text: str) -> Value:
    """The value that is written so."""
    for value in as_list(column.column.values):
        if text in (str(value), shown(value, column.kind)):
            found: Value = value
            return found
        if isinstance(value, bool) and text.lower() in (str(value).lower(), str(int(value))):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool) and as_number(text) == value:
            return value
    known = [str(shown(value, column.kind)) for value in as_list(column.column.values)]
    raise MaxSynthError(f"{column} is never {shortened(text)}", remedy=nearest(text, known))


def as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
