"""What a predicate of a task says in terms of the data that the task was made from.

Rules speak of predicates; people, SQL and reports of tables and columns. A `Meaning` takes one to the other.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from maxsynth.data.tables import Kind

ROW_NUMBER = "#row"  # in place of a column: the number of the row, from 1 on, in a table that has no key


class Form(enum.Enum):
    COLUMN = "column"  # table_column(key, value)
    LINK = "link"  # table_column(key, key of another table)
    FLAG = "flag"  # table_column(key): the column has this value (`equals`) there
    RELATION = "relation"  # table(value, ..., value): a row has these values


@dataclass(frozen=True)
class Argument:
    """An argument of a predicate: the column that it comes from, and what its values are."""

    column: str
    kind: Kind
    entity: str | None = None  # the table whose keys these values are
    type: str = ""  # its type in the bias
    stored_as_text: bool = False  # whether the source has these numbers, dates or yes and no as text


@dataclass(frozen=True)
class Meaning:
    predicate: str
    form: Form
    table: str
    arguments: tuple[Argument, ...]
    column: str = ""  # of a flag
    equals: str | int | float | bool | None = None  # the value of a flag, as the data has it
    kind: Kind = Kind.YES_NO  # of the column of a flag
    stored_as_text: bool = False  # whether the source has the column of a flag as text
    known: bool = False  # pairs of the target, without the one that is asked about: it does not count for itself

    @property
    def arity(self) -> int:
        return len(self.arguments)
