"""Roles that a person gives to columns, in the place of those that are inferred: whether they can be had."""

from __future__ import annotations

from maxsynth.data.description import Role
from maxsynth.data.inference.roles import Seen, yes_and_no
from maxsynth.data.inference.target import nearest, no_column
from maxsynth.data.inference.values import COUNTED, Values
from maxsynth.data.tables import Data, Kind
from maxsynth.data.wishes import Wishes
from maxsynth.errors import MaxSynthError, shortened

ASKED = "as asked"


def wished_role(column: Values, wish: Role) -> Seen:
    """A role that somebody gives to a column, if it can have that."""
    flag = yes_and_no(column) if wish is Role.FLAG else None
    if flag is not None:
        return flag
    able = {
        Role.FLAG: False,
        Role.NUMBER: column.kind in COUNTED,
        Role.CODE: column.kind in (Kind.INTEGER, Kind.REAL),
    }.get(wish, True)
    if not able:
        raise MaxSynthError(
            f"{column} is to be {wish.value}, and is {column.kind.value}", remedy="give it another role"
        )
    return Seen(wish, ASKED)


def check_wishes(wishes: Wishes, data: Data) -> None:
    """An error for what is said of tables and columns that are not there."""
    for table, column in (*wishes.roles, *((table, "") for table in (*wishes.shapes, *wishes.keyless))):
        if table not in data.tables:
            raise MaxSynthError(f"there is no table {shortened(table)}", remedy=nearest(table, data.tables))
        if column and all(one.name != column for one in data.tables[table].columns):
            raise no_column(data.tables[table], column)
