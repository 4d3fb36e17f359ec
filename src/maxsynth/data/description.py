"""What data means as a task: tables, their keys, what each column is, and what is to be learned.

A description is inferred (`inference`), kept as a file that a person edits (`toml`), and saved with each result, so
that a program can be told in the words of the data, asked about new data, and exported. It does not hold the data.

What each predicate means follows from it (`meanings`), and is not kept apart.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from maxsynth.data.meaning import NUMBER_OF_ROWS, ROW_NUMBER, Argument, Counted, Form, Meaning, rows_text
from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate

Value = str | int | float | bool


class Role(enum.Enum):
    """What a column is for."""

    KEY = "key"
    LINK = "link"  # to the key of a table
    THING = "thing"  # a node of a graph, the same wherever it occurs
    CATEGORY = "category"  # rules may name its values
    NUMBER = "number"  # rules may compare its values with a number
    CODE = "code"  # few whole numbers: named, and compared
    FLAG = "yes/no"
    TARGET = "target"
    LEFT_OUT = "left out"


class Shape(enum.Enum):
    """What a row of a table is."""

    ENTITY = "entity"  # a thing, named by the key, with a predicate for each column
    ROWS = "rows"  # the same, named by the number of the row, since there is no key
    RELATION = "relation"  # that its values go together: one predicate over all columns
    PAIRS = "pairs"  # a thing named by several columns, with a predicate over these and each other column


@dataclass(frozen=True)
class ColumnInfo:
    name: str
    kind: Kind
    role: Role
    type: str = ""  # in the bias
    predicate: str = ""  # none for what is left out, and for a column of a relation
    opposite: str = ""  # of a yes/no column: the predicate for `no`
    yes: Value | None = None  # of a yes/no column: the values that mean so
    no: Value | None = None
    table: str = ""  # that a link leads to, or whose key it is
    why: str = ""  # it is what it is, or was left out
    leak: str = ""  # the evidence, where this column alone decides the target
    distinct: int = 0
    missing: int = 0
    examples: tuple[str, ...] = ()
    stored_as_text: bool = False

    @property
    def used(self) -> bool:
        return self.role not in (Role.LEFT_OUT, Role.TARGET)

    @property
    def argument(self) -> Argument:
        return Argument(self.name, self.kind, self.table or None, self.type, self.stored_as_text)

    def flag(self, predicate: str, table: str, key: tuple[Argument, ...], equals: Value | None) -> Meaning:
        """That it has this value, as a predicate on the key."""
        return Meaning(predicate, Form.FLAG, table, key, self.name, equals, self.kind, self.stored_as_text)


@dataclass(frozen=True)
class LinkInfo:
    """A foreign key, declared or guessed."""

    columns: tuple[str, ...]
    table: str
    to: tuple[str, ...]
    declared: bool = True
    why: str = ""


@dataclass(frozen=True)
class CountInfo:
    """For each thing of a table, how many rows of another one lead to it; or how many with a value in a column."""

    predicate: str
    type: str  # in the bias
    table: str  # whose rows are counted
    by: str  # its column that leads to the thing
    column: str = ""
    equals: Value | None = None
    distinct: int = 0
    least: int = 0
    most: int = 0
    leak: str = ""  # the evidence, where it alone decides the target

    @property
    def argument(self) -> Argument:
        return Argument(NUMBER_OF_ROWS, Kind.INTEGER, None, self.type)

    @property
    def what(self) -> str:
        return rows_text(self.table, self.by, self.column, self.equals)

    def counted(self, table: TableInfo) -> Counted:
        column = table.column(self.column).argument if self.column else None
        return Counted(self.table, table.column(self.by).argument, table.row_arguments, column, self.equals)


@dataclass(frozen=True)
class TableInfo:
    name: str
    rows: int
    shape: Shape
    columns: tuple[ColumnInfo, ...]
    key: tuple[str, ...] = ()
    key_declared: bool = True
    key_why: str = ""
    links: tuple[LinkInfo, ...] = ()
    type: str = ""  # of its rows, where these are things with one name
    predicate: str = ""  # of a relation; of pairs: that there is such a row
    counts: tuple[CountInfo, ...] = ()  # of rows that lead to its things

    def column(self, name: str) -> ColumnInfo:
        return {column.name: column for column in self.columns}[name]

    @property
    def key_arguments(self) -> tuple[Argument, ...]:
        """What names a row, in predicates over its other columns."""
        if self.shape is Shape.ROWS:
            return (Argument(ROW_NUMBER, Kind.INTEGER, self.name, self.type),)
        return tuple(self.column(name).argument for name in self.key)

    @property
    def row_arguments(self) -> tuple[Argument, ...]:
        """What tells its rows apart: the key, or the number of the row."""
        if self.key:
            return tuple(self.column(name).argument for name in self.key)
        return (Argument(ROW_NUMBER, Kind.INTEGER, self.name, self.type),)

    def meanings(self) -> Iterator[Meaning]:
        """Of all predicates but counts, which need other tables."""
        if self.shape is Shape.RELATION:
            used = tuple(column.argument for column in self.columns if column.used)
            if self.predicate:
                yield Meaning(self.predicate, Form.RELATION, self.name, used)
            return
        key = self.key_arguments
        if self.predicate:
            yield Meaning(self.predicate, Form.RELATION, self.name, key)
        for column in self.columns:
            if not column.used or not column.predicate:
                continue
            if column.role is Role.FLAG:
                for predicate, equals in ((column.predicate, column.yes), (column.opposite, column.no)):
                    if predicate:
                        yield column.flag(predicate, self.name, key, equals)
            else:
                form = Form.RELATION if len(key) > 1 else Form.LINK if column.role is Role.LINK else Form.COLUMN
                yield Meaning(column.predicate, form, self.name, (*key, column.argument))


@dataclass(frozen=True)
class Aim:
    """One thing to learn: a predicate for a value of the target column, or for the pairs of a link or relation."""

    predicate: str
    equals: Value | None = None
    otherwise: Value | None = None  # the other value of a column that has two


@dataclass(frozen=True)
class Target:
    """What is to be learned; for a column of several values, one program for each."""

    table: str
    column: str  # empty for a relation
    aims: tuple[Aim, ...]
    pairs: bool = False
    why: str = ""
    known: str = ""  # the predicate of those pairs that rules may use
    rival: Aim | None = None  # the other one of two values, which is learned where its program costs less

    @property
    def all_aims(self) -> tuple[Aim, ...]:
        """All that may be learned."""
        return self.aims if self.rival is None else (*self.aims, self.rival)

    def __str__(self) -> str:
        return f"{self.table}.{self.column}" if self.column else self.table


@dataclass(frozen=True, repr=False)
class Description:
    place: str
    form: str
    tables: tuple[TableInfo, ...]
    target: Target
    where: str = ""
    negatives: int = 1  # for each positive, of pairs; 0: all that are not known to be true
    seed: int = 1
    known: float = 0.0  # the share of the pairs that rules may use; the others are examples
    max_vars: int = 0  # 0: as fits the effort
    max_body: int = 0
    notes: tuple[str, ...] = ()  # what was found and is no matter of one column

    def table(self, name: str) -> TableInfo:
        return {table.name: table for table in self.tables}[name]

    @property
    def meanings(self) -> dict[Predicate, Meaning]:
        """What each predicate of bodies means."""
        found = [meaning for table in self.tables for meaning in (*table.meanings(), *self.counts_of(table))]
        if self.target.known:
            found.append(dataclasses.replace(self.target_meaning(), predicate=self.target.known, known=True))
        return {Predicate(meaning.predicate, meaning.arity): meaning for meaning in found}

    @property
    def counts(self) -> list[Predicate]:
        """The predicates that count rows."""
        return [predicate for predicate, meaning in self.meanings.items() if meaning.form is Form.COUNT]

    def counts_of(self, table: TableInfo) -> Iterator[Meaning]:
        for count in table.counts:
            arguments = (*table.key_arguments, count.argument)
            counted = count.counted(self.table(count.table))
            yield Meaning(count.predicate, Form.COUNT, table.name, arguments, counted=counted)

    def target_meaning(self, aim: Aim | None = None) -> Meaning:
        """What the target means: of the only thing to learn, or of one of several."""
        aim, table = aim or self.target.aims[0], self.table(self.target.table)
        if self.target.pairs and not self.target.column:
            return Meaning(aim.predicate, Form.RELATION, table.name, self.relation_arguments(table))
        key = table.key_arguments
        column = table.column(self.target.column)
        if self.target.pairs:
            return Meaning(aim.predicate, Form.LINK, table.name, (*key, column.argument))
        return column.flag(aim.predicate, table.name, key, aim.equals)

    @staticmethod
    def relation_arguments(table: TableInfo) -> tuple[Argument, ...]:
        return tuple(column.argument for column in table.columns if column.role is Role.TARGET)

    def only(self, aim: Aim) -> Description:
        """The same for one of the things to learn: this is what goes with a result."""
        return dataclasses.replace(self, target=dataclasses.replace(self.target, aims=(aim,), rival=None))

    @property
    def leaks(self) -> list[str]:
        """Warnings for columns that alone decide the target."""
        found = [(f"{table.name}.{one.name}", one.leak) for table in self.tables for one in table.columns]
        found += [(f"{table.name}: {one.predicate}", one.leak) for table in self.tables for one in table.counts]
        known = "leave it out, unless it is known for new data too"
        return [f"leak? {name}: {leak} ({known})" for name, leak in found if leak]

    def __repr__(self) -> str:
        """A line for each table and column."""
        lines = [f"<Description of {self.place}, target {self.target}: {self.target.why}>"]
        for table in self.tables:
            key = f", key {', '.join(table.key)}" if table.key else ""
            lines.append(f"{table.name}: {table.rows:,} rows, {table.shape.value}{key}")
            for column in table.columns:
                to = f" to {column.table}" if column.role is Role.LINK else ""
                said = "; ".join(filter(None, (column.why, column.leak and f"LEAK? {column.leak}")))
                lines.append(f"  {column.name}: {column.role.value}{to}{f' ({said})' if said else ''}")
            lines += [f"  {count.predicate}: count ({count.what})" for count in table.counts]
        return "\n".join([*lines, *self.notes])

    # -- keeping ----------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        plain = plainly(self)
        assert isinstance(plain, dict)
        return plain

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Description:
        try:
            found = read_description(given)
            check_fields(found)
            _ = found.meanings  # that all is there
            _ = [found.target_meaning(aim) for aim in found.target.all_aims or (None,)]
            return found
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as problem:
            raise MaxSynthError(
                f"the description of the data is not complete: {problem}", remedy="learn again, with this version"
            ) from None


def plainly(value: object) -> object:
    """Dataclasses as mappings without what is empty, enumerations by their values, tuples as lists."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple):
        return [plainly(part) for part in value]
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: plainly(part) for name, part in fields.items() if part is not None and part != ()}
    return value


def check_fields(value: object) -> None:
    """An error for a text, number or flag that is something else."""
    if isinstance(value, tuple):
        for part in value:
            check_fields(part)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            if field.type in PLAIN and type(part) is not PLAIN[field.type]:
                raise TypeError(f"{field.name} is {part!r}")
            check_fields(part)


PLAIN = {"str": str, "int": int, "bool": bool, "float": float}


def read_description(given: Mapping[str, Any]) -> Description:
    return Description(
        **{**given, "notes": tuple(given.get("notes", ()))}
        | {
            "tables": tuple(map(read_table, given["tables"])),
            "target": read_target(given["target"]),
        }
    )


def read_target(given: Mapping[str, Any]) -> Target:
    rival = given.get("rival")
    aims = tuple(Aim(**aim) for aim in given["aims"])
    return Target(**{**given, "aims": aims, "rival": None if rival is None else Aim(**rival)})


def read_table(given: Mapping[str, Any]) -> TableInfo:
    links = (
        LinkInfo(**{**link, "columns": tuple(link["columns"]), "to": tuple(link["to"])})
        for link in given.get("links", ())
    )
    return TableInfo(
        **{**given}
        | {
            "shape": Shape(given["shape"]),
            "key": tuple(given.get("key", ())),
            "columns": tuple(map(read_column, given.get("columns", ()))),
            "links": tuple(links),
            "counts": tuple(CountInfo(**count) for count in given.get("counts", ())),
        }
    )


def read_column(given: Mapping[str, Any]) -> ColumnInfo:
    return ColumnInfo(
        **{**given}
        | {"kind": Kind(given["kind"]), "role": Role(given["role"]), "examples": tuple(given.get("examples", ()))}
    )
