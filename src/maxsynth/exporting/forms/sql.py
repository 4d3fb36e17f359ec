"""A program as one SELECT that gives the covered keys.

Each rule is a SELECT, and a predicate is their UNION, which takes no row twice: so it is a set, as in the least model.
What the program defines besides the target, or calls itself, is a query with a name (WITH). A query that calls itself
gets from each row that it found those that follow from it, until none is new; that says all recursive rules with one
call of their own predicate. Others cannot be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from maxsynth.data.dates import rule_text
from maxsynth.data.meaning import ROW_NUMBER, Form
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.exporting.forms.conjunction import OUTSIDE, Conjunction
from maxsynth.exporting.forms.dialects import DIALECTS
from maxsynth.exporting.kinds import can_hold, sorts_of, variable_sorts
from maxsynth.exporting.names import Names
from maxsynth.exporting.order import Group, groups
from maxsynth.exporting.subject import Subject
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Rule

DATABASES = ("sqlite", "postgresql", "duckdb", "mysql", "mariadb", "mssql", "oracle")  # whose tables are known
REMEDY = "export it to python, datalog or prolog"


def sql(*subjects: Subject, dialect: str = "sqlite") -> str:
    """A statement; of several programs, one for each."""
    return "\n".join(SqlExport(subject, dialect).text() for subject in subjects)


class SqlExport:
    def __init__(self, subject: Subject, dialect: str) -> None:
        self.subject = subject
        self.dialect = DIALECTS[dialect]()
        self.dialect.words = subject.form != "sqlite"  # where only empty text is a missing number
        self.sorts = sorts_of(subject)
        check_arities(subject)
        self.names = Names(subject.tables())
        self.queries: dict[Predicate, str] = {}
        self.recursive = False

    def text(self) -> str:
        found = groups(self.subject.whole, self.subject.target, lambda rule: can_hold(rule, self.sorts))
        *first, last = found
        self.check_kinds(rule for group in found for rule in group.rules)
        named = [self.named_query(group) for group in first]
        if last.recursive:
            named.append(self.named_query(last))
        answer = self.answer(last)
        begin = f"WITH {'RECURSIVE ' * self.recursive}" + ",\n".join(named) + "\n" if named else ""
        return "\n".join([*self.comments(), begin + "\n".join(answer) + ";", ""])

    # -- queries ------------------------------------------------------------------------------------------------

    def answer(self, group: Group) -> list[str]:
        """The keys that the target has."""
        target, meaning = self.subject.target, self.subject.meanings.get(self.subject.target)
        keys = self.subject.from_data and meaning is not None and meaning.form is Form.FLAG
        if group.recursive:
            args = tuple(range(target.arity))
            call = Rule(Literal(target.name, args), (Literal(target.name, args),))
            return self.conjunction(call).select(keys_of_target=keys)
        rules = group.rules_for(target)
        if not rules:
            return self.nothing()
        return union(
            [
                comment(rule_text(rule, self.subject.meanings)),
                *self.conjunction(rule).select(keys_of_target=keys, distinct=len(rules) == 1),
            ]
            for rule in rules
        )

    def named_query(self, group: Group) -> str:
        """The query of an invented predicate, or of one that calls itself."""
        if len(group.predicates) > 1:
            names = " and ".join(map(str, group.predicates))
            raise MaxSynthError(f"{names} call each other in a circle, which SQL cannot say", remedy=REMEDY)
        predicate = group.predicates[0]
        name = self.names.free(predicate.name, f"{predicate.name}_{predicate.arity}")
        self.queries[predicate] = name
        base = [rule for rule in group.rules if not group.is_recursive(rule)]
        step = [rule for rule in group.rules if group.is_recursive(rule)]
        for rule in step:
            if sum(literal.predicate == predicate for literal in rule.body) > 1:
                raise MaxSynthError(f"`{rule}` calls itself twice, which SQL cannot say", remedy=REMEDY)
        self.recursive |= bool(step)
        columns = ", ".join(f"a{i}" for i in range(1, predicate.arity + 1))
        outside = predicate if len(step) > 1 and not self.dialect.several_calls else None
        parts = [
            union(
                [
                    comment(rule_text(rule, self.subject.meanings)),
                    *self.conjunction(rule, outside).select(cast=bool(step)),
                ]
                for rule in rules
            )
            for rules in (base, step)
        ]
        if outside is not None:
            begin = f"FROM {self.dialect.quoted(name)} AS {OUTSIDE} CROSS JOIN LATERAL ("
            parts[1] = [f"SELECT new.* {begin}", *(f"  {line}" for line in parts[1]), f") AS new ({columns})"]
        lines = self.dialect.recursive(*parts) if step else parts[0]
        query = "\n".join(f"  {line}" for line in lines)
        return f"{self.dialect.quoted(name)} ({columns}) AS (\n{query}\n)"

    def conjunction(self, rule: Rule, outside: Predicate | None = None) -> Conjunction:
        return Conjunction(self.subject, self.dialect, rule, self.sorts, self.queries, outside)

    def nothing(self) -> list[str]:
        """What the empty program covers."""
        meaning = self.subject.meanings[self.subject.target]
        quoted = self.dialect.quoted
        if not self.subject.from_data or meaning.form is not Form.FLAG:
            columns = ", ".join(f"NULL AS {quoted(argument.column)}" for argument in meaning.arguments)
            return [f"SELECT {columns} WHERE 1 = 0"]
        head = Literal(self.subject.target.name, tuple(range(self.subject.target.arity)))
        return [*self.conjunction(Rule(head, ())).select(keys_of_target=True), "WHERE 1 = 0"]

    def check_kinds(self, rules: Iterable[Rule]) -> None:
        """All rules for a predicate must give values of one kind: a column has one."""
        for rule in rules:
            found = variable_sorts(rule, self.sorts)
            for i, arg in enumerate(rule.head.args):
                sort = found.get(arg) if isinstance(arg, int) else None
                known = self.sorts.get((rule.head.predicate, i))
                if sort is not None and known is not None and not sort.meets(known):
                    raise MaxSynthError(
                        f"the rules for {rule.head.predicate} give values of different kinds in argument {i + 1}",
                        remedy="export it to python or prolog",
                    )

    # -- comments -----------------------------------------------------------------------------------------------

    def comments(self) -> Iterator[str]:
        name = self.dialect.name
        yield comment(f"What a program covers that MaxSynth learned, for {name}.")
        tables = self.subject.tables()
        if self.subject.from_data and self.subject.place:
            place = self.subject.place
            yield comment(f"The tables are those of {place if '://' in place else Path(place).name}.")
        if self.subject.where:
            yield comment(f"It was learned from the rows with: {self.subject.where}")
        if self.subject.form not in DATABASES and tables:
            if not self.subject.from_data:
                yield comment("Each predicate is a table, and each of its facts a row:")
            for table, named in tables.items():
                columns = [column for column in named if column.column != ROW_NUMBER]
                told = ", ".join(f"{self.dialect.quoted(one.column)} {self.dialect.types[one.kind]}" for one in columns)
                yield comment(f"  CREATE TABLE {self.dialect.quoted(table)} ({told});")


def check_arities(subject: Subject) -> None:
    for predicate in [*subject.given, *subject.whole.defined]:
        if predicate.arity == 0:
            raise MaxSynthError(f"{predicate} has no arguments, and a table has columns", remedy="export it to prolog")


def comment(text: str) -> str:
    """One line, whatever names and values are in it."""
    return f"-- {one_line(text)}" if not text.startswith("  ") else f"--   {one_line(text)}"


def union(queries: Iterable[list[str]]) -> list[str]:
    lines: list[str] = []
    for query in queries:
        lines += [*(["UNION"] if lines else []), *query]
    return lines
