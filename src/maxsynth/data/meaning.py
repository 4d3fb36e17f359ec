"""What a predicate of a task says in terms of the data that the task was made from.

Rules speak of predicates; people, SQL and reports of tables and columns. A `Meaning` takes one to the other.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from maxsynth.data.tables import Kind

ROW_NUMBER = "#row"  # in place of a column: the number of the row, from 1 on, in a table that has no key
NUMBER_OF_ROWS = "#count"  # in place of a column: how many rows there are


class Form(enum.Enum):
    COLUMN = "column"  # table_column(key, value)
    LINK = "link"  # table_column(key, key of another table)
    FLAG = "flag"  # table_column(key): the column has this value (`equals`) there
    RELATION = "relation"  # table(value, ..., value): a row has these values
    COUNT = "count"  # other_count(key, number): so many rows of another table lead to it (`counted`)


@dataclass(frozen=True)
class Argument:
    """An argument of a predicate: the column that it comes from, and what its values are."""

    column: str
    kind: Kind
    entity: str | None = None  # the table whose keys these values are
    type: str = ""  # its type in the bias
    stored_as_text: bool = False  # whether the source has these numbers, dates or yes and no as text


def rows_text(table: str, by: str, column: str, equals: object) -> str:
    """What is counted, as people read it: `rows of cars by tid, with len = short`."""
    value = {True: "yes", False: "no"}[equals] if isinstance(equals, bool) else equals
    return f"rows of {table} by {by}{f', with {column} = {value}' if column else ''}"


@dataclass(frozen=True)
class Counted:
    """The rows that are counted for a key: those that have it in a column, and in another one a value."""

    table: str
    by: Argument  # the column that has the key
    row: tuple[Argument, ...]  # what names a row
    column: Argument | None = None  # that must have a value ...
    equals: str | int | float | bool | None = None  # ... this one, as the data has it

    @property
    def columns(self) -> tuple[Argument, ...]:
        """The columns that it takes to count."""
        return (self.by,) if self.column is None else (self.by, self.column)

    @property
    def what(self) -> str:
        return rows_text(self.table, self.by.column, self.column.column if self.column else "", self.equals)

    @property
    def flag(self) -> Meaning:
        """That a row has the value."""
        assert self.column is not None
        one = self.column
        return Meaning("", Form.FLAG, self.table, self.row, one.column, self.equals, one.kind, one.stored_as_text)


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
    counted: Counted | None = None  # of a count
    known: bool = False  # pairs of the target, without the one that is asked about: it does not count for itself

    @property
    def arity(self) -> int:
        return len(self.arguments)

    @property
    def columns(self) -> dict[str, list[Argument]]:
        """The columns of tables that it takes to know what is true, by table."""
        own = [argument for argument in self.arguments if argument.column != NUMBER_OF_ROWS]
        if self.form is Form.FLAG:
            own.append(Argument(self.column, self.kind, stored_as_text=self.stored_as_text))
        found = {self.table: own}
        if self.counted is not None:
            found.setdefault(self.counted.table, []).extend(self.counted.columns)
        return found
