"""Random tables with what a program may say of them, and random programs: what an export may get wrong is in them.

Names and texts with quotes, newlines and other scripts; numbers that are negative, huge, or not whole; dates and times;
nulls everywhere but in keys; links that lead nowhere; a table without a key; one table that links to itself.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import maxsynth
from exporting.databases import Stored, Tables
from maxsynth.data.meaning import NUMBER_OF_ROWS, ROW_NUMBER, Argument, Counted, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.exporting import export
from maxsynth.exporting.subject import Subject, subject_of_meanings
from maxsynth.logic.programs import Constant, Literal, Program, Rule
from maxsynth.prolog.terms import Atom
from maxsynth.prolog.writer import term_text
from maxsynth.search.result import SearchResult

NAMES = ["drugs", "select", 'a "quoted" name', "Order", "my table", "100%", "naïve", "it's", "表", "x;--", "a\\b"]
TEXTS = ["n", "c", "it's", 'a "b"', "two\nlines", "\\", "ß", "日本", "%s", "--", " x ", "1", "true", "\t", "A", "a"]
Row = tuple[Any, ...]
EPOCH = datetime.datetime(1970, 1, 1)
COLUMNS = {  # of the table of things, with the type of each
    "logp": (Kind.REAL, "real"),
    "charge": (Kind.REAL, "real"),
    "mass": (Kind.INTEGER, "whole"),
    "rank": (Kind.INTEGER, "whole"),
    "colour": (Kind.TEXT, "word"),
    "since": (Kind.DATE, "date"),
    "until": (Kind.DATE, "date"),
    "seen": (Kind.TIME, "time"),
}


@dataclass(frozen=True)
class World:
    tables: Tables
    meanings: tuple[Meaning, ...]
    keys: dict[str, tuple[str, ...]]
    things: str  # the table of the target
    key: str

    def target(self, about: str) -> Meaning:
        """Of things, of pairs of them, or of what a key of two columns names."""
        if about == "cells":
            cell = next(meaning for meaning in self.meanings if meaning.predicate == "cell")
            return Meaning("covered", Form.FLAG, cell.table, cell.arguments, "label", True)
        key = self.argument(self.things, self.key, "thing")
        if about == "pairs":
            return Meaning("covered", Form.LINK, self.things, (key, key))
        return Meaning("covered", Form.FLAG, self.things, (key,), "label", True)

    def argument(self, table: str, column: str, type_: str) -> Argument:
        wanted = table, column, type_
        return next(a for m in self.meanings for a in m.arguments if (m.table, a.column, a.type) == wanted)

    def subject(self, program: Program, about: str) -> Subject:
        return subject_of_meanings(program, self.target(about), self.meanings, self.keys, "a test", "sqlite")

    def facts(self) -> dict[str, list[tuple[Any, ...]]]:
        """What each predicate is true of, as Python values that stand for terms."""
        return {meaning.predicate: self.rows(meaning) for meaning in self.meanings}

    def rows(self, meaning: Meaning) -> list[Row]:
        """What one predicate is true of."""
        table = self.tables[meaning.table]
        names = list(table.columns)
        if meaning.counted is not None:
            place = names.index(meaning.arguments[0].column)
            return [(row[place], self.number(row[place], meaning.counted)) for row in table.rows]
        rows = []
        for number, row in enumerate(table.rows, 1):
            if meaning.form is Form.FLAG and row[names.index(meaning.column)] != meaning.equals:
                continue
            values = [
                number if one.column == ROW_NUMBER else as_term(row[names.index(one.column)])
                for one in meaning.arguments
            ]
            if None not in values:
                rows.append(tuple(values))
        return list(dict.fromkeys(rows))

    def number(self, key: Any, counted: Counted) -> int:
        """How many rows lead to a thing."""
        table = self.tables[counted.table]
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        column = counted.column
        return sum(
            row[counted.by.column] == key and (not column or row[column.column] == counted.equals) for row in rows
        )

    def asked(self, about: str) -> list[Row]:
        """All that may be covered."""
        if about == "cells":
            return [row[:2] for row in self.tables[self.target(about).table].rows]
        place = list(self.tables[self.things].columns).index(self.key)
        keys = [row[place] for row in self.tables[self.things].rows]
        return list(product(keys, keys)) if about == "pairs" else [(key,) for key in keys]


def as_term(value: Any) -> Any:
    """What a value is in a rule; None where it is missing."""
    if isinstance(value, datetime.datetime):
        return (value - EPOCH).total_seconds()
    if isinstance(value, datetime.date):
        return (value - EPOCH.date()).days
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value == "" else value


def random_world(rng: random.Random) -> World:
    things, parts, pairs, log, grid = rng.sample(NAMES, 5)
    key, *rest = rng.sample([*NAMES, "id", "key"], 1 + len(COLUMNS))
    column_names = dict(zip(COLUMNS, rest, strict=True))
    text_keys = rng.random() < 0.5
    count = rng.randint(3, 8)
    ids: list[Any] = rng.sample(TEXTS, count) if text_keys else rng.sample(range(-5, 60), count)
    kind = Kind.TEXT if text_keys else Kind.INTEGER
    lost: list[Any] = ["nowhere"] if text_keys else [99]
    thing_columns = {key: kind} | {column_names[one]: kind_ for one, (kind_, _) in COLUMNS.items()}
    thing_columns |= {"flag": Kind.INTEGER, "open": Kind.YES_NO, "word flag": Kind.TEXT, "boss": kind}
    thing_rows = [
        (
            one,
            *(random_value(rng, kind_) for kind_, _ in COLUMNS.values()),
            rng.choice([0, 1, None]),
            rng.choice([True, False, None]),
            rng.choice(["yes", "no", None]),
            rng.choice([*ids, *lost, None]),
        )
        for one in ids
    ]
    part_ids = rng.sample(range(1000), rng.randint(2, 9))
    part_rows = [(one, rng.choice([*ids, *lost, None]), random_value(rng, Kind.TEXT)) for one in part_ids]
    pair_rows = [
        (rng.choice([*part_ids, None]), rng.choice([*part_ids, None]), rng.choice([1, 2, 3, None]))
        for _ in range(rng.randint(0, 12))
    ]
    log_rows = [(rng.choice([*ids, None]), random_value(rng, Kind.REAL)) for _ in range(rng.randint(0, 8))]
    grid_rows = [
        (x, y, random_value(rng, Kind.REAL), rng.choice([0, 1, None]))
        for x, y in rng.sample(list(product(range(4), repeat=2)), rng.randint(0, 8))
    ]
    tables = {
        things: Stored(thing_columns, thing_rows),
        parts: Stored({"id": Kind.INTEGER, "of": kind, "what": Kind.TEXT}, part_rows),
        pairs: Stored({"from": Kind.INTEGER, "to": Kind.INTEGER, "how": Kind.INTEGER}, pair_rows),
        log: Stored({"who": kind, "much": Kind.REAL}, log_rows),
        grid: Stored({"x": Kind.INTEGER, "y": Kind.INTEGER, "height": Kind.REAL, "dry": Kind.INTEGER}, grid_rows),
    }
    thing = Argument(key, kind, things, "thing")
    part = Argument("id", Kind.INTEGER, parts, "part")
    row = Argument(ROW_NUMBER, Kind.INTEGER, log, "row")
    cell = tuple(Argument(one, Kind.INTEGER, None, "whole") for one in ("x", "y"))
    meanings = [
        *(
            Meaning(one, Form.COLUMN, things, (thing, Argument(column_names[one], kind_, None, type_)))
            for one, (kind_, type_) in COLUMNS.items()
        ),
        Meaning("flag", Form.FLAG, things, (thing,), "flag", 1),
        Meaning("not_flag", Form.FLAG, things, (thing,), "flag", 0),
        Meaning("open", Form.FLAG, things, (thing,), "open", True),
        Meaning("not_open", Form.FLAG, things, (thing,), "open", False),
        Meaning("said", Form.FLAG, things, (thing,), "word flag", "yes"),
        Meaning("boss", Form.LINK, things, (thing, Argument("boss", kind, things, "thing"))),
        Meaning("part_of", Form.LINK, parts, (part, Argument("of", kind, things, "thing"))),
        Meaning("what", Form.COLUMN, parts, (part, Argument("what", Kind.TEXT, None, "word"))),
        Meaning(
            "joined",
            Form.RELATION,
            pairs,
            (
                Argument("from", Kind.INTEGER, parts, "part"),
                Argument("to", Kind.INTEGER, parts, "part"),
                Argument("how", Kind.INTEGER, None, "whole"),
            ),
        ),
        Meaning("cell", Form.RELATION, grid, cell),
        Meaning("height", Form.RELATION, grid, (*cell, Argument("height", Kind.REAL, None, "real"))),
        Meaning("dry", Form.FLAG, grid, cell, "dry", 1),
        Meaning("log_who", Form.LINK, log, (row, Argument("who", kind, things, "thing"))),
        Meaning("log_much", Form.COLUMN, log, (row, Argument("much", Kind.REAL, None, "real"))),
        *counts(rng, {"thing": thing, "part": part, "row": row}, (pairs, column_names["mass"])),
    ]
    keys = {things: (key,), parts: ("id",), log: (ROW_NUMBER,), grid: ("x", "y")}
    return World(tables, tuple(meanings), keys, things, key)


def counts(rng: random.Random, names: dict[str, Argument], other: tuple[str, str]) -> Iterator[Meaning]:
    """Counts of rows that have a key, a key that is a number, or none; by a link to another table or to their own."""
    thing, part, row = names.values()
    pairs, mass = other
    pair = (Argument(ROW_NUMBER, Kind.INTEGER, pairs, "pair"),)
    of, boss, who = (
        Argument(name, thing.kind, thing.entity, "thing") for name in ("of", "boss", "who")
    )  # fmt: skip
    things, parts, log = (one.entity or "" for one in (thing, part, row))
    what = Argument("what", Kind.TEXT, None, "word")
    start, how = Argument("from", Kind.INTEGER, parts, "part"), Argument("how", Kind.INTEGER, None, "whole")
    valued = [
        (Argument("flag", Kind.INTEGER), rng.choice([0, 1])),
        (Argument("open", Kind.YES_NO), rng.choice([True, False])),
        (Argument("word flag", Kind.TEXT), "no"),
        (Argument(mass, Kind.INTEGER), rng.choice([1, 2**53 + 1])),
    ]
    for name, owner, counted in (
        ("parts_count", thing, Counted(parts, of, (part,))),
        ("parts_what_count", thing, Counted(parts, of, (part,), what, rng.choice(TEXTS))),
        ("log_count", thing, Counted(log, who, (row,))),
        ("led_count", thing, Counted(things, boss, (thing,))),
        ("led_valued_count", thing, Counted(things, boss, (thing,), *rng.choice(valued))),
        ("joined_count", part, Counted(pairs, start, pair)),
        ("joined_how_count", part, Counted(pairs, start, pair, how, rng.choice([1, 2]))),
    ):
        number = Argument(NUMBER_OF_ROWS, Kind.INTEGER, None, "whole")
        yield Meaning(name, Form.COUNT, owner.entity or "", (owner, number), counted=counted)


def random_value(rng: random.Random, kind: Kind) -> Any:
    if rng.random() < 0.25:
        return None
    if kind is Kind.TEXT:
        return rng.choice([*TEXTS, ""])
    if kind is Kind.INTEGER:
        return rng.choice([0, 1, 2, 3, -7, 4096, 2**53 + 1, -(2**62)])
    if kind is Kind.REAL:
        return rng.choice([0.0, 1.0, 2.5, -7.25, 0.1, 1e300, -1e-12, 2.0**53])
    day = datetime.date(1969, 12, 30) + datetime.timedelta(days=rng.choice([0, 1, 2, 3, 9000, 20000]))
    if kind is Kind.DATE:
        return day
    clock = rng.choice([datetime.time(0), datetime.time(12, 30, 15, 250000), datetime.time(23, 59, 59)])
    return datetime.datetime.combine(day, clock)


HEADS = {"things": ("thing",), "pairs": ("thing", "thing"), "cells": ("whole", "whole")}


# -- programs -------------------------------------------------------------------------------------------------------


class Programs:
    """Random programs on a world."""

    def __init__(self, rng: random.Random, world: World) -> None:
        self.rng, self.world = rng, world
        self.values = {
            (meaning.predicate, i): [row[i] for row in rows]
            for meaning in world.meanings
            for rows in [world.facts()[meaning.predicate]]
            for i in range(meaning.arity)
        }

    def program(self, about: str) -> Program:
        """Plain rules, or with an invented predicate, or with one that calls itself."""
        rng = self.rng
        head = ("covered", HEADS[about])
        defined: list[tuple[str, tuple[str, ...]]] = []
        rules: list[Rule] = []
        if rng.random() < 0.3:
            choice = ["thing", "part", "word", "whole", "real", "date"]
            types = tuple(rng.choice(choice) for _ in range(rng.randint(1, 2)))
            rules += [self.rule(("invented", types), []) for _ in range(rng.randint(1, 2))]
            defined.append(("invented", types))
        rules += [self.rule(head, defined) for _ in range(rng.randint(0 if rng.random() < 0.05 else 1, 3))]
        if rng.random() < 0.35:
            rules += [self.rule(head, defined, calls=head) for _ in range(rng.randint(1, 2))]
        return Program(tuple(rules))

    def rule(
        self,
        head: tuple[str, tuple[str, ...]],
        defined: list[tuple[str, tuple[str, ...]]],
        calls: tuple[str, tuple[str, ...]] | None = None,
    ) -> Rule:
        rng = self.rng
        types: dict[int, str] = dict(enumerate(head[1]))
        body: list[Literal] = []
        if calls is not None:
            body.append(self.literal(calls[0], calls[1], types))
        for _ in range(rng.randint(1, 4)):
            if defined and rng.random() < 0.3:
                body.append(self.literal(*rng.choice(defined), types))
            else:
                meaning = rng.choice(self.world.meanings)
                body.append(self.literal(meaning.predicate, [one.type for one in meaning.arguments], types))
        for variable, type_ in enumerate(head[1]):  # each must be somewhere
            if all(variable not in literal.args for literal in body):
                body.append(self.binder(variable, type_, types))
        used = {arg for literal in body for arg in literal.args if isinstance(arg, int)}
        for variable in sorted(used):
            if types[variable] in ("real", "whole", "date", "time") and rng.random() < 0.6:
                body.append(self.comparison(variable, types, used))
        if rng.random() < 0.15:
            body += self.sums(types, used)
        return Rule(Literal(head[0], tuple(range(len(head[1])))), tuple(dict.fromkeys(body)))

    def binder(self, variable: int, type_: str, types: dict[int, str]) -> Literal:
        places = [(m, i) for m in self.world.meanings for i, one in enumerate(m.arguments) if one.type == type_]
        meaning, place = self.rng.choice(places)
        args = []
        for i, one in enumerate(meaning.arguments):
            args.append(variable if i == place else self.variable(one.type, types))
        return Literal(meaning.predicate, tuple(args))

    def literal(self, name: str, arguments: Sequence[str], types: dict[int, str]) -> Literal:
        args: list[int | Constant] = []
        for i, type_ in enumerate(arguments):
            values = self.values.get((name, i))
            if values and type_ != "row" and self.rng.random() < (0.1 if type_ in ("thing", "part") else 0.3):
                args.append(constant(self.rng.choice(values)))
            else:
                args.append(self.variable(type_, types))
        return Literal(name, tuple(args))

    def variable(self, type_: str, types: dict[int, str]) -> int:
        known = [variable for variable, one in types.items() if one == type_]
        if known and self.rng.random() < 0.7:
            return self.rng.choice(known)
        types[len(types)] = type_
        return len(types) - 1

    def comparison(self, variable: int, types: dict[int, str], used: set[int]) -> Literal:
        rng = self.rng
        name = rng.choice([">=", "=<", "<", ">"])
        others = [one for one in sorted(used) if types[one] == types[variable] and one != variable]
        if others and rng.random() < 0.3:
            return Literal(name, (variable, rng.choice(others)))
        places = [
            (meaning.predicate, i)
            for meaning in self.world.meanings
            for i, one in enumerate(meaning.arguments)
            if one.type == types[variable]
        ]
        values = [value for place in places for value in self.values[place]] or [0]
        value = rng.choice(values)
        if types[variable] in ("real", "whole") and rng.random() < 0.4:
            value = rng.choice([value + 0.5, 10**400, -(10**30), 2**53 + 1, 1, 0.1])
        pair: tuple[int | Constant, int | Constant] = (variable, constant(value))
        return Literal(name, pair if rng.random() < 0.9 else (pair[1], pair[0]))

    def sums(self, types: dict[int, str], used: set[int]) -> Iterator[Literal]:
        numbers = [one for one in sorted(used) if types[one] in ("real", "whole")]
        if not numbers:
            return
        total = len(types)
        one, other = self.rng.choice(numbers), self.rng.choice(numbers)
        whole = types[one] == types[other] == "whole"
        if {types[one], types[other]} == {"whole", "real"}:
            return  # a database rounds the large ones
        types[total] = "whole" if whole else "real"
        yield Literal("+", (one, other, total))
        yield Literal("=<", (total, constant(self.rng.choice([3, 10, -5]) if whole else self.rng.choice([2.5, 1.0]))))


def constant(value: Any) -> Constant:
    if isinstance(value, str):
        return Constant(term_text(Atom(value)))
    return Constant(term_text(value))


def truth(program: Program, facts: dict[str, list[Row]], asked: Iterable[Row]) -> set[Row]:
    """What the program covers of what is asked, as the evaluator of the search says."""
    rows = list(asked)
    called = {literal.name for rule in program.rules for literal in rule.body}
    if all(rule.head.name != "covered" for rule in program.rules) or not any(facts.get(name) for name in called):
        return set()  # which would be an error in a task
    result = maxsynth.Result(SearchResult("optimal", program, 0, 0, None, {"prolog": "builtin"}), None)
    background = {name: known for name, known in facts.items() if known}
    verdicts = result.predict([("covered", *row) for row in rows], background=background)
    return {row for row, verdict in zip(rows, verdicts, strict=True) if verdict}


def written(subject: Subject, to: str, dialect: str | None = None) -> str:
    return export.written([subject], to, dialect)
