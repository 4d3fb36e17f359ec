"""What a column is for, seen from its values alone: a category, a number, yes or no, or nothing that rules can use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxsynth.data.description import Role, Value
from maxsynth.data.inference.values import COUNTED, Values, as_list
from maxsynth.data.inference.words import is_identifier
from maxsynth.data.tables import Kind

FEW_CODES = 30  # whole numbers that could be codes: so many different ones at most, ...
EACH_CODE = 3  # ... and each in so many rows on average
NEARLY_ALL = 0.8  # of the values are different: then they are names or descriptions
FEW_ROWS = 5  # of which this cannot be told
YES_WORDS = ("yes", "y", "true", "t", "1", "on")
NO_WORDS = ("no", "n", "false", "f", "0", "off")


class Seen(NamedTuple):
    """A role, and why it is that where this needs a reason."""

    role: Role
    why: str = ""
    yes: Value | None = None
    no: Value | None = None


def role_of(column: Values, *, joined: bool = False) -> Seen:
    """The role of a column that is neither key nor link. `joined`: another column has its values as well."""
    if not column.present:
        return Seen(Role.LEFT_OUT, "empty")
    flag = yes_and_no(column)
    if flag is not None:
        return flag
    if column.distinct == 1:
        if not column.missing:
            return Seen(Role.LEFT_OUT, f"always {column.shown(1)[0]}")
        return Seen(Role.CATEGORY)
    mostly_different = column.present >= FEW_ROWS and column.distinct >= NEARLY_ALL * column.present
    of = f"{column.distinct:,} of {column.present:,} values are different"
    if mostly_different and not joined and is_identifier(column.name) and column.kind in (Kind.TEXT, Kind.INTEGER):
        return Seen(Role.LEFT_OUT, f"named as an identifier, and {of}")
    if column.kind is Kind.TEXT:
        return Seen(Role.LEFT_OUT, f"text, and {of}") if mostly_different and not joined else Seen(Role.CATEGORY)
    if column.kind is Kind.INTEGER and is_code(column):
        return Seen(Role.CODE)
    if not isinstance(column.column.values, np.ndarray):
        return Seen(Role.LEFT_OUT, "whole numbers that are too large to be compared")
    return Seen(Role.NUMBER)


def is_code(column: Values) -> bool:
    return column.distinct <= FEW_CODES and column.present >= EACH_CODE * column.distinct


def yes_and_no(column: Values) -> Seen | None:
    """Booleans, 0 and 1, and words for yes and no. With one value only, the others must be missing."""
    found = as_list(column.column.values)
    if len(found) > 2 or (len(found) == 1 and not column.missing):
        return None
    sides = [side(value, column.kind) for value in found]
    if None in sides or len(set(sides)) < len(sides):
        return None
    meant = dict(zip(sides, found, strict=True))
    return Seen(Role.FLAG, "", meant.get(True), meant.get(False))


def side(value: Value, kind: Kind) -> bool | None:
    """Whether a value says yes or no; None when it says neither."""
    if kind is Kind.YES_NO:
        return bool(value)
    if kind in (Kind.INTEGER, Kind.REAL):
        return bool(value) if value in (0, 1) else None
    if kind is Kind.TEXT:
        word = str(value).strip().lower()
        return True if word in YES_WORDS else False if word in NO_WORDS else None
    return None


def copies(columns: list[tuple[Values, Role]]) -> dict[str, str]:
    """Columns that say what an earlier one says, with that: the same rows together and, for numbers, in the same order.

    Codes count values in the order of first sight, so columns that are equal up to their values have equal codes. Where
    nearly all values are different that means nothing but for numbers, whose order must agree.
    """
    known: dict[tuple[bytes, bytes], str] = {}
    found: dict[str, str] = {}
    for column, role in columns:
        if role not in (Role.CATEGORY, Role.CODE, Role.NUMBER, Role.FLAG) or column.distinct < 2:
            continue
        ordered = role is Role.NUMBER and column.kind in COUNTED
        order = column.in_order.astype(np.int32).tobytes() if ordered else b""
        if not ordered and column.distinct >= NEARLY_ALL * column.present and column.present >= FEW_ROWS:
            continue
        place = (column.column.codes.tobytes(), order)
        if place in known:
            found[column.name] = known[place]
        else:
            known[place] = column.name
    return found
