"""A program as one Python file that needs nothing but Python.

Each rule is a comprehension: a `for` for each literal that brings new values, an `if` for each that tests known ones.
So a person finds the rules again in it. Predicates that call each other are computed together until nothing is new.
"""

from __future__ import annotations

import builtins
import datetime
import keyword
from collections.abc import Iterator, Sequence
from pathlib import Path

from maxsynth.data.dates import rule_text
from maxsynth.data.meaning import Counted, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.exporting.kinds import Sort, can_hold, sorts_of, variable_sorts
from maxsynth.exporting.names import Names, identifier, named_for
from maxsynth.exporting.order import Group, groups
from maxsynth.exporting.subject import Subject, kind_of_value
from maxsynth.exporting.values import NUMERIC, bound_of, term_of, text_of, value_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Constant, Literal, Rule
from maxsynth.prolog.writer import term_text

READERS = {
    Kind.TEXT: "text", Kind.INTEGER: "whole_number", Kind.REAL: "number", Kind.YES_NO: "yes_no", Kind.DATE: "day",
    Kind.TIME: "moment",
}  # fmt: skip
OPERATORS = {">=": ">=", "=<": "<=", "<": "<", ">": ">"}
OWN = (
    "ANY",
    "Relation",
    "plus",
    "is_number",
    "relation",
    "count",
    "value_of",
    "main",
    "covered",
    "tables",
    "facts",
    "growing",
)
IMPORTS = {
    True: "import csv\nimport datetime\nimport math\nimport re\nimport sys\n"
    "from collections.abc import Callable, Iterable, Iterator, Mapping\nfrom pathlib import Path\n"
    "from typing import Any\n",
    False: "import csv\nimport json\nimport math\nimport sys\n"
    "from collections.abc import Iterable, Iterator, Mapping\nfrom typing import Any\n",
}
TURNED = {">=": "=<", "=<": ">=", "<": ">", ">": "<"}
INDENT = "    "
TABLES = "tables: Mapping[str, Iterable[Mapping[str, Any]]]"


def python(*subjects: Subject) -> str:
    """Of several programs, for the values of a column: one function each, and one for the keys with these values."""
    exports = [PythonExport(subject) for subject in subjects]
    data = subjects[0].from_data
    tables = list(dict.fromkeys(table for subject in subjects for table in subject.tables()))
    parts = [
        "\n".join(comments(subjects, tables)),
        f"\nfrom __future__ import annotations\n\n{IMPORTS[data]}",
        f"TABLES = {tables!r}\n" if data else f"FACTS = {tables!r}\n",
    ]
    if len(exports) == 1:
        parts.append("\n" + "\n".join(exports[0].function("covered")) + "\n")
    else:
        names = Names(OWN, fold=False)
        functions = [names.free(f"covered_by_{identifier(subject.target.name, 'rules')}") for subject in subjects]
        parts += ["\n" + "\n".join(one.function(name)) + "\n" for one, name in zip(exports, functions, strict=True)]
        parts.append("\n" + "\n".join(together(subjects, functions)) + "\n")
    return "\n".join([*parts, "\n" + runtime("relations"), "\n" + runtime("tables" if data else "facts")])


def comments(subjects: Sequence[Subject], tables: list[str]) -> Iterator[str]:
    yield "# What a program covers that MaxSynth learned:"
    yield "#"
    rules = [rule for subject in subjects for rule in subject.program.rules]
    yield from (f"#     {one_line(str(rule))}" for rule in rules) if rules else ["#     (no rules: nothing)"]
    yield "#"
    if subjects[0].from_data:
        files = " ".join(f"{table}.csv" for table in tables)
        yield f"# Run it with the tables as CSV files: python3 THIS_FILE {one_line(files)}"
    else:
        yield '# Run it with facts as JSON, such as {"parent": [["ann", "bob"]]}: python3 THIS_FILE FACTS.json'


def together(subjects: Sequence[Subject], functions: list[str]) -> Iterator[str]:
    """The function that calls those of several programs."""
    yield f"def covered({TABLES}) -> set[Any]:"
    yield f'{INDENT}"""The keys that each program covers, with the value that it is for."""'
    yield f"{INDENT}found: set[Any] = set()"
    for subject, function in zip(subjects, functions, strict=True):
        value = written(subject.meanings[subject.target].equals)
        row = f"(key, {value})" if subject.target.arity == 1 else f"(*key, {value})"
        yield f"{INDENT}found |= {{{row} for key in {function}(tables)}}"
    yield f"{INDENT}return found"


class PythonExport:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.sorts = sorts_of(subject)
        taken = [*keyword.kwlist, *dir(builtins), *OWN, *READERS.values(), *IMPORTS[True].split(), *letters()]
        names = Names(taken, fold=False)
        self.names = {
            predicate: names.free(wish, f"{wish}_{predicate.arity}")
            for predicate in [*subject.given, subject.target, *sorted(subject.whole.defined - {subject.target})]
            for wish in [identifier(predicate.name, "p").lower()]
        }
        self.keys = names.free("known_keys")

    # -- the function -------------------------------------------------------------------------------------------

    def function(self, name: str) -> Iterator[str]:
        target = self.names[self.subject.target]
        if self.subject.from_data:
            yield f"def {name}({TABLES}) -> set[Any]:"
            yield f'{INDENT}"""The keys that the program covers; `tables` has the rows of each, by their columns."""'
        else:
            yield f"def {name}(facts: Mapping[str, Iterable[tuple[Any, ...]]]) -> set[Any]:"
            yield f'{INDENT}"""What the program covers; `facts` has the rows of each predicate."""'
        for predicate in self.subject.given:
            yield f"{INDENT}{self.names[predicate]} = {self.rows_of(predicate)}"
        yield ""
        for group in groups(self.subject.whole, self.subject.target, self.may_hold):
            yield from (INDENT + line if line else "" for line in self.group(group))
            yield ""
        meaning = self.subject.meanings.get(self.subject.target)
        found = f"{target}.rows"
        if self.subject.from_data and meaning is not None and meaning.form is Form.FLAG:
            yield f"{INDENT}{self.keys} = {self.rows_of(self.subject.target)}"
            found += f" & {self.keys}.rows"
        yield f"{INDENT}return " + (f"{{a for (a,) in {found}}}" if self.subject.target.arity == 1 else found)

    def may_hold(self, rule: Rule) -> bool:
        return can_hold(rule, self.sorts)

    def rows_of(self, predicate: Predicate) -> str:
        """How the rows of a predicate come from its table."""
        meaning = self.subject.meanings[predicate]
        if not self.subject.from_data:
            return f"Relation(facts[{meaning.table!r}])"
        if meaning.counted is not None:
            return self.count_of(meaning, meaning.counted)
        columns = [(argument.column, READERS[argument.kind]) for argument in meaning.arguments]
        only = ""
        if meaning.form is Form.FLAG and predicate != self.subject.target:
            columns.append((meaning.column, READERS[kind_of_value(meaning.equals)]))
            only = f", only={meaning.equals!r}"
        told = ", ".join(f"({column!r}, {reader})" for column, reader in columns)
        return f"relation(tables[{meaning.table!r}], {told}{only})"

    @staticmethod
    def count_of(meaning: Meaning, counted: Counted) -> str:
        key, by = (f"({one.column!r}, {READERS[one.kind]})" for one in (meaning.arguments[0], counted.by))
        told = f"tables[{meaning.table!r}], {key}, tables[{counted.table!r}], {by}"
        if counted.column is not None:
            reader = READERS[kind_of_value(counted.equals)]
            told += f", ({counted.column.column!r}, {reader}), only={counted.equals!r}"
        return f"count({told})"

    # -- rules --------------------------------------------------------------------------------------------------

    def group(self, group: Group) -> Iterator[str]:
        for predicate in group.predicates:
            yield f"{self.names[predicate]} = Relation()"
        if not group.recursive:
            for rule in group.rules:
                yield from self.rule(rule, f"{self.names[rule.head.predicate]}.add(")
            return
        yield "growing = True"
        yield "while growing:  # until nothing is new"
        for i, rule in enumerate(group.rules):
            begin = f"growing {'|' * bool(i)}= {self.names[rule.head.predicate]}.add("
            yield from (INDENT + line for line in self.rule(rule, begin))

    def rule(self, rule: Rule, begin: str) -> Iterator[str]:
        yield f"# {one_line(rule_text(rule, self.subject.meanings))}"
        yield f"{begin}["
        yield from (INDENT + line for line in Comprehension(self, rule).lines())
        yield "])"


class Comprehension:
    """One rule."""

    def __init__(self, export: PythonExport, rule: Rule) -> None:
        self.export, self.rule = export, rule
        self.sorts = variable_sorts(rule, export.sorts)
        names = named_for(rule, export.subject.differences(rule))
        self.names = {variable: name.lower() for variable, name in names.items()}
        self.bound: set[int] = set()

    def lines(self) -> Iterator[str]:
        clauses = list(self.clauses())
        head = [self.argument(self.rule.head.predicate, i, arg) for i, arg in enumerate(self.rule.head.args)]
        yield row_text(head)
        if not clauses or not clauses[0].startswith("for"):
            yield "for _ in [()]  # once"
        yield from clauses

    def clauses(self) -> Iterator[str]:
        yield from self.open_keys()
        waiting = list(self.rule.body)
        while waiting:
            literal = max(waiting, key=lambda literal: self.rank(literal, waiting))
            waiting.remove(literal)
            yield from self.built_in(literal) if self.is_built_in(literal) else self.look_up(literal)
        for sides in self.export.subject.differences(self.rule):
            yield f"if {' or '.join(self.differ(*side) for side in sides) or False}  # a pair does not count for itself"

    def differ(self, *args: Argument) -> str:
        known = [self.sorts[arg] for arg in args if isinstance(arg, int) and arg in self.sorts]
        values = [arg if isinstance(arg, int) or not known else value_of(arg, known[0].kind) for arg in args]
        return " != ".join(
            self.names[arg] if isinstance(arg, int) else written(value) for arg, value in zip(args, values, strict=True)
        )

    def is_built_in(self, literal: Literal) -> bool:
        return self.export.subject.is_built_in(literal.predicate)

    def rank(self, literal: Literal, waiting: list[Literal]) -> tuple[int, int]:
        """Tests first, then what has a known value, in the order in which they stand."""
        known = [self.is_known(arg) for arg in literal.args]
        order = -waiting.index(literal)
        if self.is_built_in(literal):
            return (3 if all(known[:2]) else -1), order
        return (2 if all(known) else int(any(known))), order

    def is_known(self, arg: Argument) -> bool:
        return isinstance(arg, Constant) or arg in self.bound

    def open_keys(self) -> Iterator[str]:
        """A variable of the head that no literal has stands for every thing of its table."""
        subject = self.export.subject
        met = {arg for literal in self.rule.body for arg in literal.args}
        for i, arg in enumerate(self.rule.head.args):
            if isinstance(arg, Constant) or arg in met or arg in self.bound:
                continue
            meaning = subject.meanings.get(self.rule.head.predicate)
            entity = None if meaning is None else meaning.arguments[i].entity
            key = subject.keys.get(entity or "", ())
            if meaning is None or len(key) != 1:
                raise MaxSynthError(
                    f"`{self.rule}` holds for everything in its argument {i + 1}, of which there is no table",
                    remedy="export it to prolog, english or latex",
                )
            if self.names[arg] == "_":
                self.names[arg] = next(one for one in letters() if one not in self.names.values())
            name = self.names[arg]
            self.bound.add(arg)
            reader = READERS[meaning.arguments[i].kind]
            yield f"for ({name},) in relation(tables[{entity!r}], ({key[0]!r}, {reader}))"

    def look_up(self, literal: Literal) -> Iterator[str]:
        name = self.export.names[literal.predicate]
        known = [self.is_known(arg) for arg in literal.args]
        args = [self.argument(literal.predicate, i, arg) for i, arg in enumerate(literal.args)]
        if all(known):
            yield f"if {row_text(args)} in {name}"
            return
        pattern = ", ".join(arg if is_known else "ANY" for arg, is_known in zip(args, known, strict=True))
        rows = f"{name}[{pattern}]" if any(known) else name
        if all(is_known or arg == "_" for arg, is_known in zip(args, known, strict=True)) and any(known):
            yield f"if {rows}"
            return
        targets, again = [], []
        for arg, written, is_known in zip(literal.args, args, known, strict=True):
            assert isinstance(arg, int) or is_known
            if is_known:
                targets.append("_")
            elif arg in self.bound:  # a second time in this literal
                targets.append(f"{written}_again")
                again.append(f"if {written}_again == {written}")
            else:
                targets.append(written)
                if isinstance(arg, int):
                    self.bound.add(arg)
        yield f"for {row_text(targets) if len(targets) == 1 else ', '.join(targets)} in {rows}"
        yield from dict.fromkeys(again)

    def built_in(self, literal: Literal) -> Iterator[str]:
        for arg in literal.args[:2]:
            if not self.is_known(arg):
                raise MaxSynthError(f"`{self.rule}` compares or adds what no literal gives")
        if literal.predicate == SUM:
            yield from self.sum(literal)
            return
        for arg in literal.args:
            if isinstance(arg, int) and not self.is_surely_number(arg):
                yield f"if is_number({self.names[arg]})"
        one, other = (self.number(arg, literal) for arg in literal.args)
        yield f"if {one} {OPERATORS[literal.name]} {other}"

    def sum(self, literal: Literal) -> Iterator[str]:
        sorts = [self.sorts.get(arg) for arg in literal.args[:2] if isinstance(arg, int)]
        if any(sort is not None and sort.kind in (Kind.DATE, Kind.TIME) for sort in sorts):
            raise MaxSynthError(f"`{self.rule}` adds dates or times", remedy="export it to prolog")
        one, other, total = (self.argument(literal.predicate, i, arg) for i, arg in enumerate(literal.args))
        known = self.is_known(literal.args[2])
        yield f"{'if' if known else 'for'} {total} in plus({one}, {other})"
        if isinstance(literal.args[2], int):
            self.bound.add(literal.args[2])

    def is_surely_number(self, variable: int) -> bool:
        sort = self.sorts.get(variable, Sort(Kind.REAL, True))
        return sort.kind in NUMERIC and not sort.mixed

    # -- values -------------------------------------------------------------------------------------------------

    def argument(self, predicate: Predicate, place: int, arg: Argument) -> str:
        if isinstance(arg, int):
            return self.names[arg]
        sort = self.export.sorts.get((predicate, place))
        if sort is None or not self.export.subject.from_data:
            term = term_of(arg)
            return written(term if isinstance(term, int | float) else text_of(term))
        return written(value_of(arg, sort.kind, mixed=sort.mixed))

    def number(self, arg: Argument, literal: Literal) -> str:
        """What is compared: a date with a date."""
        if isinstance(arg, int):
            return self.names[arg]
        other = next((one for one in literal.args if isinstance(one, int)), None)
        kind = self.sorts[other].kind if other in self.sorts else Kind.REAL
        if kind not in (Kind.DATE, Kind.TIME):
            return written(term_of(arg))
        comparison = literal.name if literal.args[1] == arg else TURNED[literal.name]
        found = bound_of(arg, comparison, kind)
        assert found is not None
        return written(found[1])


def letters() -> list[str]:
    """The names of variables."""
    return [f"{chr(97 + i % 26)}{i // 26 or ''}" for i in range(26 * 64)]


def written(value: object) -> str:
    """A value as Python has it."""
    if isinstance(value, datetime.datetime):
        parts = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
        while len(parts) > 3 and not parts[-1]:
            parts.pop()
        return f"datetime.datetime({', '.join(map(str, parts))})"
    if isinstance(value, datetime.date):
        return f"datetime.date({value.year}, {value.month}, {value.day})"
    return term_text(value) if type(value) is int else repr(value)


def row_text(values: list[str]) -> str:
    return f"({values[0]},)" if len(values) == 1 else f"({', '.join(values)})"


def runtime(part: str) -> str:
    """A file of `runtime`, without what it has only to be a file of its own."""
    text = (Path(__file__).parent.parent / "runtime" / f"{part}.py").read_text(encoding="utf-8")
    return text[text.index("# --") :]
