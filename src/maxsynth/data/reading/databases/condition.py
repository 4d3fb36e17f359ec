"""Conditions on rows, which the user gives as SQL: `{"orders": "year >= 2020"}`.

They go into the WHERE of a SELECT. That they stay a condition is checked here, so that a slip (a bracket too many, a
second statement) is an error with its reason; what keeps the database as it is, is that it is only opened for reading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from maxsynth.errors import MaxSynthError, Position, listed, shortened

Where = Mapping[str, str] | str | None

# What brackets and semicolons say nothing in: strings, quoted names, comments.
QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|/\*.*?\*/""", re.DOTALL)


def conditions(where: Where, tables: list[str], place: Position) -> dict[str, str]:
    """The condition for each table that has one."""
    if where is None:
        return {}
    if isinstance(where, str):
        if len(tables) != 1:
            raise MaxSynthError(
                f"the condition {shortened(where)!r} does not say which of the {len(tables)} tables it is for",
                place,
                'give {"table": "condition"}',
            )
        where = {tables[0]: where}
    for table, condition in where.items():
        if table not in tables:
            raise MaxSynthError(f"a condition is for the table {table}, which is not there", place, listed(tables))
        check(condition, place)
    return dict(where)


def check(condition: str, place: Position) -> None:
    """Raises an error for what is no single condition."""
    said = f"the condition {shortened(condition)!r}"
    rest = QUOTED.sub(" ", condition)
    if not rest.strip():
        raise MaxSynthError(f"{said} is empty", place, "give one such as: year >= 2020")
    if "\0" in condition or ";" in rest or "/*" in rest or any(rest.count(mark) for mark in "'\"`"):
        raise MaxSynthError(f"{said} is no single condition of SQL", place, "give one such as: year >= 2020")
    depth = 0
    for char in rest:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
    if depth:
        raise MaxSynthError(f"{said} has brackets that do not match", place, "correct it")


def none_for_files(where: Where, place: Position) -> None:
    """Files and frames have no SQL."""
    if where is not None:
        raise MaxSynthError(
            "a condition in SQL is for databases", place, "filter the rows before, or put the data into a database"
        )
