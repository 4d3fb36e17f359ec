"""One rule as one SELECT: a table for each literal, or one for all that are about the same row, joined by variables.

A variable is the first column that it occurs in; each other column that it occurs in must be equal to that. Nulls are
no values, and neither are empty texts: where nothing else sees to it, a column must not be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from maxsynth.data.meaning import ROW_NUMBER, Counted, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.forms.dialects import Dialect
from maxsynth.exporting.kinds import NUMBERS, Sort, Sorts
from maxsynth.exporting.names import Names
from maxsynth.exporting.subject import Subject
from maxsynth.exporting.values import bound_of, term_of, value_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Constant, Literal, Rule

SQL_OPERATORS = {">=": ">=", "=<": "<=", "<": "<", ">": ">"}
OUTSIDE = "known"  # the alias there
TURNED = {">=": "=<", "=<": ">=", "<": ">", ">": "<"}


@dataclass(eq=False)
class Source:
    """A table in FROM, with what is asked of its columns."""

    table: str
    alias: str
    key: tuple[str, ...] = ()
    tested: set[str] = field(default_factory=set)  # the columns that a condition names: these are not null
    joins: list[str] = field(default_factory=list)
    numbered: bool = False  # whether the number of its rows is needed
    outside: bool = False  # whether it is in FROM of a query around this one


@dataclass(frozen=True)
class Cell:
    """A column of a source, or what is computed from such."""

    sort: Sort
    source: Source | None = None
    column: str = ""
    expression: str = ""
    as_text: bool = False  # whether it is stored as text, though it is a number or a date


class Conjunction:
    """The SELECT of one rule. `queries` names the queries that stand for predicates of the program; the one that is
    `outside` is in FROM of a query around this one already, under its name."""

    def __init__(
        self,
        subject: Subject,
        dialect: Dialect,
        rule: Rule,
        sorts: Sorts,
        queries: Mapping[Predicate, str],
        outside: Predicate | None = None,
    ) -> None:
        self.outside = outside
        self.subject, self.dialect, self.rule, self.sorts, self.queries = subject, dialect, rule, sorts, queries
        self.names = Names([OUTSIDE])
        self.sources: list[Source] = []
        self.rows: dict[tuple[str, tuple[Argument, ...]], Source] = {}  # by table and key
        self.variables: dict[int, Cell] = {}
        self.cells: dict[int, list[Cell]] = {}  # all that a variable is equal to
        self.tests: list[str] = []

    def select(self, *, keys_of_target: bool = False, distinct: bool = False, cast: bool = False) -> list[str]:
        """The query by lines; a text in it may have line breaks of its own.

        `keys_of_target`: only what is a key in the target's table.
        """
        if keys_of_target:
            self.add(self.rule.head)
        computed = [literal for literal in self.rule.body if self.subject.is_built_in(literal.predicate)]
        for literal in self.rule.body:
            if literal not in computed:
                self.add(literal)
        self.add_open_keys()
        self.compute(computed)
        self.tests += self.missing()
        self.tests += self.other_pairs()
        columns = [self.selected(i, arg, cast) for i, arg in enumerate(self.rule.head.args)]
        first = next((source for source in self.sources if not source.outside), None)
        self.tests[:0] = [test for one in self.sources if one is first or one.outside for test in one.joins]
        distinct = distinct and not (keys_of_target and len(self.sources) == 1)  # a key is there once
        lines = [f"SELECT {'DISTINCT ' * distinct}{', '.join(columns)}", *self.from_lines()]
        return [*lines, *(f"{'  AND' if i else 'WHERE'} {test}" for i, test in enumerate(self.tests))]

    # -- tables -------------------------------------------------------------------------------------------------

    def add(self, literal: Literal) -> None:
        """A literal on a table, or on a query of the program."""
        if literal.predicate in self.queries and literal is not self.rule.head:
            source = self.new_source(self.queries[literal.predicate])
            if literal.predicate == self.outside:
                source.alias, source.outside = OUTSIDE, True
            columns = [f"a{i}" for i in range(1, len(literal.args) + 1)]
            as_text = [False] * len(columns)
        else:
            meaning = self.subject.meanings[literal.predicate]
            if meaning.counted is not None:
                self.add_count(literal, meaning, meaning.counted)
                return
            columns = [argument.column for argument in meaning.arguments]
            as_text = [argument.stored_as_text for argument in meaning.arguments]
            source = self.source_of_row(meaning.table, columns, literal.args)
            if meaning.form is Form.FLAG and literal is not self.rule.head:
                assert meaning.equals is not None
                column = self.written(source, meaning.column)
                self.tests.append(self.dialect.flag(column, meaning))
        for i, (arg, column) in enumerate(zip(literal.args, columns, strict=True)):
            self.meet(arg, Cell(self.sorts[literal.predicate, i], source, column, as_text=as_text[i]))

    def add_count(self, literal: Literal, meaning: Meaning, counted: Counted) -> None:
        """A count of the rows that lead to a thing: a query of its own, in the place of a column."""
        thing, number = literal.args
        key = meaning.arguments[0]
        source = self.source_of_row(meaning.table, [key.column], [thing])
        own = Cell(self.sorts[literal.predicate, 0], source, key.column, as_text=key.stored_as_text)
        self.meet(thing, own)
        row = Source(counted.table, self.names.free(f"{source.alias}_rows"))
        by = Cell(own.sort, row, counted.by.column, as_text=counted.by.stored_as_text)
        tests = [f"{self.comparable(by)} = {self.comparable(own)}"]
        if counted.column is not None:
            tests.append(self.dialect.flag(self.written(row, counted.column.column), counted.flag))
        rows = f"{self.dialect.quoted(row.table)} AS {row.alias}"
        expression = f"(SELECT COUNT(*) FROM {rows} WHERE {' AND '.join(tests)})"
        self.meet(number, Cell(self.sorts[literal.predicate, 1], expression=expression))

    def source_of_row(self, table: str, columns: Sequence[str], args: Sequence[Argument]) -> Source:
        """The table, as it is there already where the literal is about the same row."""
        key = self.subject.keys.get(table, ())
        if not key or not set(key) <= set(columns):
            return self.new_source(table, key)
        row = table, tuple(args[columns.index(column)] for column in key)
        if row not in self.rows:
            self.rows[row] = self.new_source(table, key)
        return self.rows[row]

    def new_source(self, table: str, key: tuple[str, ...] = ()) -> Source:
        first = next((c for c in table.lower() if "a" <= c <= "z"), "t")
        source = Source(table, self.names.free(first), key)
        self.sources.append(source)
        return source

    def add_open_keys(self) -> None:
        """A variable of the head that no literal has stands for every thing of its table."""
        bound = {*self.variables, *(literal.args[2] for literal in self.rule.body if literal.predicate == SUM)}
        for i, arg in enumerate(self.rule.head.args):
            if arg in bound or isinstance(arg, Constant) or arg in self.variables:
                continue
            meaning = self.subject.meanings.get(self.rule.head.predicate)
            entity = None if meaning is None else meaning.arguments[i].entity
            key = self.subject.keys.get(entity or "", ())
            if meaning is None or entity is None or len(key) != 1:
                raise MaxSynthError(
                    f"`{self.rule}` holds for everything in its argument {i + 1}, of which there is no table",
                    remedy="export it to prolog, english or latex",
                )
            self.meet(arg, Cell(Sort(meaning.arguments[i].kind), self.new_source(entity, key), key[0]))

    # -- conditions ---------------------------------------------------------------------------------------------

    def meet(self, arg: Argument, cell: Cell) -> None:
        """A variable or a constant has the value of this cell."""
        if isinstance(arg, Constant):
            value = value_of(arg, cell.sort.kind, mixed=cell.sort.mixed)
            assert value is not None, "such a rule never holds, and is left out"
            self.tests.append(f"{self.comparable(cell)} = {self.dialect.literal(value)}")
            return
        known = self.variables.setdefault(arg, cell)
        self.cells.setdefault(arg, []).append(cell)
        if known is cell or (known.source is cell.source and known.column == cell.column and cell.source is not None):
            return
        if {known.sort.kind, cell.sort.kind} - set(NUMBERS) and known.sort.kind is not cell.sort.kind:
            raise MaxSynthError(
                f"`{self.rule}` joins a column of texts and numbers with one of numbers",
                remedy="keep the numbers in a predicate of their own, or export it to python or prolog",
            )
        test = f"{self.comparable(cell)} = {self.comparable(known)}"
        if known.source is cell.source or known.source is None or cell.source is None:
            self.tests.append(test)
        else:
            max(known.source, cell.source, key=self.sources.index).joins.append(test)

    def written(self, source: Source, column: str) -> str:
        source.tested.add(column)
        source.numbered |= column == ROW_NUMBER
        return f"{source.alias}.{self.dialect.quoted(column)}"

    def raw(self, cell: Cell) -> str:
        return cell.expression if cell.source is None else self.written(cell.source, cell.column)

    def comparable(self, cell: Cell) -> str:
        return self.dialect.comparable(self.raw(cell), cell.sort.kind, cell.as_text)

    def missing(self) -> Iterator[str]:
        """That variables have values, where that does not follow from what they are equal to. Keys always have some."""
        if not self.subject.from_data:
            return  # facts have all their arguments
        for cells in self.cells.values():
            cell = cells[0]
            if cell.source is None or any(one.source is None or self.always_there(one) for one in cells):
                continue
            column = f"{cell.source.alias}.{self.dialect.quoted(cell.column)}"
            if cell.sort.kind is Kind.TEXT:
                yield f"{column} <> ''"
            elif cell.column not in cell.source.tested:
                yield f"{self.dialect.comparable(column, cell.sort.kind, cell.as_text)} IS NOT NULL"

    def always_there(self, cell: Cell) -> bool:
        assert cell.source is not None
        return cell.column in cell.source.key or cell.source.table in self.queries.values()

    def other_pairs(self) -> Iterator[str]:
        """That known pairs of the target are others than the one that the rule is about."""
        for sides in self.subject.differences(self.rule):
            tests = [self.differ(one, other) for one, other in sides]
            if None not in tests:
                either = " OR ".join(filter(None, tests)) or "1 = 0"
                yield f"({either})" if len(tests) > 1 else either

    def differ(self, one: Argument, other: Argument) -> str | None:
        """That two values are different; None where their kinds are, so that they always are."""
        cells = [self.variables.get(arg) if isinstance(arg, int) else None for arg in (one, other)]
        sort = next((cell.sort for cell in cells if cell is not None), None)
        if sort is None or any(cell is not None and not cell.sort.meets(sort) for cell in cells):
            return None
        values = []
        for arg, cell in zip((one, other), cells, strict=True):
            if cell is not None:
                values.append(self.comparable(cell))
                continue
            value = value_of(arg, sort.kind, mixed=sort.mixed) if isinstance(arg, Constant) else None
            if value is None:
                return None
            values.append(self.dialect.literal(value))
        return " <> ".join(values)

    # -- numbers ------------------------------------------------------------------------------------------------

    def compute(self, literals: list[Literal]) -> None:
        """Sums once their parts are known, and comparisons."""
        waiting = sorted(literals, key=lambda literal: literal.predicate != SUM)
        while waiting:
            ready = next((one for one in waiting if self.is_ready(one)), None)
            if ready is None:
                raise MaxSynthError(f"`{self.rule}` compares or adds what no table has")
            waiting.remove(ready)
            if ready.predicate == SUM:
                self.add_sum(ready)
            else:
                self.compare(ready.name, *ready.args)

    def is_ready(self, literal: Literal) -> bool:
        inputs = literal.args[:2]
        return all(isinstance(arg, Constant) or arg in self.variables for arg in inputs)

    def add_sum(self, literal: Literal) -> None:
        one, other, total = literal.args
        cells = [self.number(arg) for arg in (one, other)]
        whole = all(cell.sort.kind is Kind.INTEGER for cell in cells)
        mixed = any(cell.sort.mixed for cell in cells)
        sort = Sort(Kind.INTEGER if whole else Kind.REAL, mixed)
        cell = Cell(sort, expression=f"({self.raw(cells[0])} + {self.raw(cells[1])})")
        if isinstance(total, Constant):
            value = value_of(total, sort.kind, mixed=sort.mixed)
            self.tests.append("1 = 0" if value is None else f"{cell.expression} = {self.dialect.literal(value)}")
        elif total in self.variables:
            known = self.variables[total]
            meets = known.sort.meets(sort)
            self.tests.append(f"{cell.expression} = {self.raw(known)}" if meets else "1 = 0")
        else:
            self.variables[total] = cell

    def number(self, arg: Argument) -> Cell:
        if isinstance(arg, Constant):
            term = term_of(arg)
            assert isinstance(term, int | float), "such a rule never holds, and is left out"
            kind = Kind.INTEGER if isinstance(term, int) else Kind.REAL
            return Cell(Sort(kind), expression=self.dialect.literal(term))
        cell = self.variables[arg]
        if cell.sort.kind not in NUMBERS:
            raise MaxSynthError(f"`{self.rule}` adds dates or times", remedy="export it to prolog or python")
        return cell

    def compare(self, name: str, one: Argument, other: Argument) -> None:
        if isinstance(one, Constant) and isinstance(other, Constant):
            self.tests.append(f"{self.raw(self.number(one))} {SQL_OPERATORS[name]} {self.raw(self.number(other))}")
        elif isinstance(one, Constant):
            self.compare(TURNED[name], other, one)
        elif isinstance(other, Constant):
            cell = self.comparable_cell(one)
            found = bound_of(other, name, cell.sort.kind)
            assert found is not None, "such a rule never holds, and is left out"
            self.tests.append(f"{self.comparable(cell)} {SQL_OPERATORS[found[0]]} {self.dialect.literal(found[1])}")
        else:
            cells = self.comparable_cell(one), self.comparable_cell(other)
            kinds = {cell.sort.kind for cell in cells}
            if len(kinds) > 1 and not kinds <= set(NUMBERS):
                raise MaxSynthError(f"`{self.rule}` compares a date or time with something else")
            self.tests.append(f"{self.comparable(cells[0])} {SQL_OPERATORS[name]} {self.comparable(cells[1])}")

    def comparable_cell(self, variable: int) -> Cell:
        cell = self.variables[variable]
        if cell.sort.kind is Kind.TEXT:
            raise MaxSynthError(
                f"`{self.rule}` compares values of which not all are numbers",
                remedy="keep the numbers in a predicate of their own, or export it to prolog",
            )
        return cell

    # -- writing ------------------------------------------------------------------------------------------------

    def selected(self, place: int, arg: Argument, cast: bool) -> str:
        meaning = self.subject.meanings.get(self.rule.head.predicate)
        name = f"a{place + 1}" if meaning is None else meaning.arguments[place].column
        sort = self.sorts[self.rule.head.predicate, place]
        if isinstance(arg, Constant):
            value = value_of(arg, sort.kind, mixed=sort.mixed)
            assert value is not None, "such a rule never holds, and is left out"
            expression = self.dialect.literal(value)
        else:
            expression = self.raw(self.variables[arg])
        if cast:
            expression = self.dialect.cast(expression, sort.kind)
        quoted = self.dialect.quoted(name)
        return expression if expression.endswith(f".{quoted}") else f"{expression} AS {quoted}"

    def from_lines(self) -> Iterator[str]:
        inner = [source for source in self.sources if not source.outside]
        for i, source in enumerate(inner):
            table = self.dialect.quoted(source.table)
            if source.numbered:
                number = f"ROW_NUMBER() OVER () AS {self.dialect.quoted(ROW_NUMBER)}"
                table = f"(SELECT t.*, {number} FROM {table} AS t)"
            begin = "FROM" if not i else "JOIN" if source.joins else "CROSS JOIN"
            on = f" ON {' AND '.join(source.joins)}" if source.joins and i else ""
            yield f"{begin} {table} AS {source.alias}{on}"
