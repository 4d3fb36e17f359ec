"""How SQLite, PostgreSQL and DuckDB write names, values, dates, and queries that call themselves."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import ClassVar

from maxsynth.data.meaning import Meaning
from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.subject import kind_of_value
from maxsynth.exporting.values import Value
from maxsynth.prolog.writer import term_text

YES_WORDS = ("true", "t", "yes", "y", "1")
NO_WORDS = ("false", "f", "no", "n", "0")


class Dialect:
    """What the three have in common: standard SQL."""

    name = ""
    types: ClassVar[Mapping[Kind, str]] = {
        Kind.TEXT: "TEXT", Kind.INTEGER: "BIGINT", Kind.REAL: "DOUBLE PRECISION", Kind.YES_NO: "BOOLEAN",
        Kind.DATE: "DATE", Kind.TIME: "TIMESTAMP",
    }  # fmt: skip

    words = True  # whether numbers that are stored as text may have words among them, for missing ones
    several_calls = True  # whether a query may have several parts that call itself

    def quoted(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def literal(self, value: Value) -> str:
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, datetime.datetime):
            return self.instant(f"TIMESTAMP '{value.isoformat(' ')}'")
        if isinstance(value, datetime.date):
            return f"DATE '{value.isoformat()}'"
        return self.text(value) if isinstance(value, str) else number(value)

    def text(self, value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def instant(self, expression: str) -> str:
        """A time as seconds: with or without a zone, whatever the zone of the session is."""
        return f"EXTRACT(EPOCH FROM {expression})"

    def comparable(self, column: str, kind: Kind, as_text: bool) -> str:
        """A column as it is compared: dates as dates, though they be stored as texts."""
        if kind is Kind.DATE:
            return f"CAST({column} AS DATE)"
        return self.instant(column) if kind is Kind.TIME else column

    def flag(self, column: str, meaning: Meaning) -> str:
        """That a column has the value of a flag; where it holds words for yes and no, whichever of them."""
        value = meaning.equals
        assert value is not None
        if meaning.stored_as_text and isinstance(value, bool):
            words = ", ".join(f"'{word}'" for word in (YES_WORDS if value else NO_WORDS))
            return f"lower(CAST({column} AS {self.types[Kind.TEXT]})) IN ({words})"
        return f"{self.comparable(column, kind_of_value(value), meaning.stored_as_text)} = {self.literal(value)}"

    def cast(self, expression: str, kind: Kind) -> str:
        """Where a query calls itself, its columns have to have the same type throughout."""
        return f"CAST({expression} AS {self.types[kind]})"

    def recursive(self, base: Sequence[str], step: Sequence[str]) -> list[str]:
        """The parts of a query that calls itself, by lines: one union of two parts, each a union in turn."""
        return ["(", *base, ")", "UNION", "(", *step, ")"]


class PostgreSQL(Dialect):
    name = "PostgreSQL"
    several_calls = False

    def text(self, value: str) -> str:
        if "\0" in value:
            raise MaxSynthError(
                "PostgreSQL has no texts with the character of number 0, and a rule asks for one",
                remedy="export it to sqlite or duckdb",
            )
        return super().text(value)


class DuckDB(Dialect):
    name = "DuckDB"

    def comparable(self, column: str, kind: Kind, as_text: bool) -> str:
        if as_text and kind in (Kind.INTEGER, Kind.REAL):
            return f"TRY_CAST({column} AS {self.types[kind]})"
        return super().comparable(column, kind, as_text)

    def text(self, value: str) -> str:
        return " || chr(0) || ".join(super(DuckDB, self).text(part) for part in value.split("\0"))


class SQLite(Dialect):
    """There are no types for dates and truth: dates are texts as ISO 8601 has them, truth is 0 and 1."""

    name = "SQLite"
    types: ClassVar[Mapping[Kind, str]] = {**Dialect.types, Kind.INTEGER: "INTEGER", Kind.REAL: "REAL"}

    def literal(self, value: Value) -> str:
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, datetime.datetime):
            if value.microsecond % 1000:
                raise MaxSynthError("SQLite knows no times finer than milliseconds", remedy="export it to postgresql")
            return f"'{value.isoformat(' ', 'milliseconds')}'"
        if isinstance(value, datetime.date):
            return f"'{value.isoformat()}'"
        return super().literal(value)

    def text(self, value: str) -> str:
        return " || char(0) || ".join(super(SQLite, self).text(part) for part in value.split("\0"))

    def comparable(self, column: str, kind: Kind, as_text: bool) -> str:
        if kind is Kind.DATE:
            return f"date({column})"
        if as_text and kind in (Kind.INTEGER, Kind.REAL):  # other texts would become 0
            if not self.words:
                return f"CAST(NULLIF({column}, '') AS {self.types[kind]})"
            return f"CASE WHEN {column} GLOB '*[0-9]*' THEN CAST({column} AS {self.types[kind]}) END"
        return f"strftime('%Y-%m-%d %H:%M:%f', {column})" if kind is Kind.TIME else column

    def cast(self, expression: str, kind: Kind) -> str:
        return expression

    def recursive(self, base: Sequence[str], step: Sequence[str]) -> list[str]:
        return [*base, "UNION", *step]


def number(value: int | float) -> str:
    return repr(value) if isinstance(value, float) else term_text(value)


DIALECTS = {"sqlite": SQLite, "postgresql": PostgreSQL, "duckdb": DuckDB}
