"""What is exported: a program, and what its predicates mean in tables.

Where the task was made from data, its description says so. Where it was Prolog facts, each predicate is a table with
the columns a1, a2, ...; what kind of values these have is looked up in the facts, where they are at hand (`facts`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from maxsynth.data.description import Description
from maxsynth.data.meaning import Argument, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.names import Names
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Program, Rule
from maxsynth.prolog.reading.reader import parse_term

Place = tuple[Predicate, int]  # an argument of a predicate, counted from 0


@dataclass(frozen=True)
class Background:
    """What is known of the Prolog facts and rules that a program was learned with."""

    kinds: Mapping[Place, Kind] = field(default_factory=dict)
    mixed: frozenset[Place] = frozenset()  # these have terms of several types, such as whole numbers and others
    rules: tuple[Rule, ...] = ()  # that the program needs
    tables: Mapping[Predicate, str] = field(default_factory=dict)  # the name of the table, where it is another one
    unsayable: Mapping[Predicate, str] = field(default_factory=dict)  # what is neither table nor rules, and why
    equal: str = ""  # values that tables would take for the same, and rules do not


@dataclass(frozen=True)
class Subject:
    program: Program
    target: Predicate
    meanings: Mapping[Predicate, Meaning]  # of what the data has, and of the target
    keys: Mapping[str, tuple[str, ...]]  # the columns that name one row of a table
    from_data: bool
    place: str = ""
    form: str = ""  # of the data: "sqlite", "csv", ...
    where: str = ""  # which of its rows were looked at
    background: Background = field(default_factory=Background)
    mixed: frozenset[tuple[str, str]] = frozenset()  # columns that may have values of several types

    @cached_property
    def whole(self) -> Program:
        """The program with the rules of BK that it needs. An error where these cannot be said in tables."""
        for predicate in called(self.program):
            if predicate in self.background.unsayable:
                why = self.background.unsayable[predicate]
                raise MaxSynthError(
                    f"{predicate} is {why}: there is no table for it", remedy="export it to prolog, english or latex"
                )
        if self.background.equal:
            raise MaxSynthError(
                f"{self.background.equal} are the same in a table, and different in Prolog",
                remedy="write them in one way in bk.pl, or export it to prolog",
            )
        return Program((*self.program.rules, *self.background.rules))

    @property
    def given(self) -> list[Predicate]:
        """The predicates that the data has, in the order in which the rules call them."""
        defined = self.whole.defined
        return [p for p in called(self.whole) if p not in defined and not self.is_built_in(p)]

    @property
    def counts(self) -> list[Predicate]:
        """Those that count rows."""
        meant = [p for p in called(self.program) if p in self.meanings and p not in self.program.defined]
        return [predicate for predicate in meant if self.meanings[predicate].form is Form.COUNT]

    def is_built_in(self, predicate: Predicate) -> bool:
        """Whether it is a comparison or a sum, and not something of that name in the data."""
        return predicate in BUILT_IN and predicate not in self.meanings

    def uses_known(self) -> bool:
        """Whether rules use pairs of the target itself."""
        return any(self.differences(rule) for rule in self.program.rules)

    def differences(self, rule: Rule) -> list[list[tuple[int | Constant, int | Constant]]]:
        """For each known pair of the target that a rule asks for: the values of which one must differ, for a pair does
        not count for itself. Where there are none, it is the same pair, and the rule never holds."""
        if rule.head.predicate != self.target:
            return []
        found = []
        for literal in rule.body:
            meaning = self.meanings.get(literal.predicate)
            if meaning is not None and meaning.known and literal.predicate not in self.program.defined:
                sides = zip(literal.args, rule.head.args, strict=True)
                found.append(list({frozenset(side): side for side in sides if side[0] != side[1]}.values()))
        return found

    def tables(self) -> dict[str, list[Argument]]:
        """The tables that are needed, and their columns."""
        found: dict[str, list[Argument]] = {}

        def need(table: str, arguments: Iterable[Argument]) -> None:
            columns = found.setdefault(table, [])
            columns += [one for one in arguments if one.column not in {column.column for column in columns}]

        target = self.meanings[self.target]
        if self.from_data and target.form is Form.FLAG:
            need(target.table, target.arguments)
        for argument in self.open_arguments():
            need(argument.entity or "", [Argument(self.keys[argument.entity or ""][0], argument.kind)])
        for meaning in (self.meanings[predicate] for predicate in self.given):
            for table, columns in meaning.columns.items():
                need(table, columns)
        return found

    def open_arguments(self) -> list[Argument]:
        """The arguments of the target that a rule says nothing of, and for which there is a table of all things."""
        target = self.meanings[self.target]
        return [
            argument
            for rule in self.program.rules
            if rule.head.predicate == self.target and target.form is not Form.FLAG
            for arg, argument in zip(rule.head.args, target.arguments, strict=True)
            if isinstance(arg, int) and all(arg not in literal.args for literal in rule.body)
            if argument.entity is not None and len(self.keys.get(argument.entity, ())) == 1
        ]


def called(program: Program) -> list[Predicate]:
    return list(dict.fromkeys(literal.predicate for rule in program.rules for literal in rule.body))


def kind_of_value(value: object) -> Kind:
    kinds = {bool: Kind.YES_NO, int: Kind.INTEGER, float: Kind.REAL}
    return kinds.get(type(value), Kind.TEXT)


# -- from data ----------------------------------------------------------------------------------------------------


def subject_of_data(program: Program, description: Description) -> Subject:
    keys = {
        table.name: tuple(argument.column for argument in table.key_arguments)
        for table in description.tables
        if table.key_arguments
    }
    target = description.target_meaning()
    meanings = description.meanings.values()
    subject = subject_of_meanings(program, target, meanings, keys, description.place, description.form)
    return dataclasses.replace(subject, where=description.where)


def subject_of_meanings(
    program: Program,
    target: Meaning,
    meanings: Iterable[Meaning],
    keys: Mapping[str, tuple[str, ...]],
    place: str = "",
    form: str = "",
) -> Subject:
    known = {Predicate(meaning.predicate, meaning.arity): meaning for meaning in (*meanings, target)}
    head = Predicate(target.predicate, target.arity)
    unknown = [p for p in called(program) if p not in known and p not in program.defined and p not in BUILT_IN]
    if unknown:
        raise MaxSynthError(f"the description of the data does not have {unknown[0]}", remedy="learn again")
    return Subject(program, head, known, keys, True, place, form)


# -- from Prolog facts --------------------------------------------------------------------------------------------


def subject_of_facts(program: Program, target: Predicate, background: Background, place: str = "") -> Subject:
    """Each predicate is a table; what the facts do not tell about its columns is guessed from how they are used."""
    whole = Program((*program.rules, *background.rules))
    numbers = numbers_by_use(whole)
    names = Names()
    meanings = {}
    mixed = set()
    for predicate in [*called(whole), target]:
        if predicate in BUILT_IN or (predicate in whole.defined and predicate != target) or predicate in meanings:
            continue
        wish = background.tables.get(predicate, predicate.name)
        table = names.free(wish, f"{wish}_{predicate.arity}")
        columns = []
        for i in range(predicate.arity):
            where, column = (predicate, i), f"a{i + 1}"
            kind = background.kinds.get(where) or (Kind.REAL if where in numbers else Kind.TEXT)
            if where in background.mixed or (where not in background.kinds and where in numbers):
                mixed.add((table, column))
            columns.append(Argument(column, kind))
        meanings[predicate] = Meaning(predicate.name, Form.RELATION, table, tuple(columns))
    return Subject(program, target, meanings, {}, False, place, background=background, mixed=frozenset(mixed))


def numbers_by_use(program: Program) -> set[Place]:
    """Numbers are what is compared or added, or is said to be one; and what these share a variable with."""
    found: set[Place] = set()
    before = -1
    while len(found) > before:
        before = len(found)
        for rule in program.rules:
            places = [(literal.predicate, i, arg) for literal in rule.literals() for i, arg in enumerate(literal.args)]
            numbers = {arg for predicate, i, arg in places if predicate in BUILT_IN or (predicate, i) in found}
            found |= {
                (predicate, i)
                for predicate, i, arg in places
                if predicate not in BUILT_IN and (is_number(arg) if isinstance(arg, Constant) else arg in numbers)
            }
    return found


def is_number(constant: Constant) -> bool:
    return type(parse_term(constant.text).term) in (int, float)
