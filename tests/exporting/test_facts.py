"""Programs that were learned from Prolog facts: tables of facts, with the rules of BK that can be said in tables."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import maxsynth
from exporting.databases import Database, Stored
from exporting.worlds import constant, written
from maxsynth.data.meaning import Meaning
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.facts import background_of
from maxsynth.exporting.subject import Subject, subject_of_facts
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Literal, Program, Rule, parse_program
from maxsynth.prolog.consult import consult
from maxsynth.prolog.terms import Atom, Term
from maxsynth.prolog.writer import term_text
from maxsynth.search.result import SearchResult

Effort = Callable[[int, int], int]
Facts = dict[str, list[tuple[Any, ...]]]
THINGS = ["a", "b", "it's", "two\nlines", "Capital", "日本"]
RULES = """
linked(X,Y) :- edge(X,Y).
linked(X,Y) :- edge(Y,X).
reach(X,Y) :- edge(X,Y).
reach(X,Y) :- edge(X,Z), reach(Z,Y).
special(X) :- size(X,S), S >= 3.
"""
TYPES = {
    "edge": ("thing", "thing"),
    "node": ("thing",),
    "size": ("thing", "whole"),
    "weight": ("thing", "real"),
    "tag": ("thing", "thing"),
    "Odd name": ("thing", "whole"),
    "linked": ("thing", "thing"),
    "reach": ("thing", "thing"),
    "special": ("thing",),
}


def random_facts(rng: random.Random) -> Facts:
    things = rng.sample(THINGS, rng.randint(3, 6))
    pairs = [rng.sample(things, 2) for _ in range(rng.randint(1, 7))]
    return {
        "edge": sorted({tuple(one for one in things if one in pair) for pair in pairs}),  # without a circle
        "node": [(one,) for one in things],
        "size": [(one, rng.choice([-2, 1, 3, 4, 2**53 + 1])) for one in things],
        "weight": [(one, rng.choice([0.5, -1.25, 1e20, 3.75])) for one in things],
        "tag": [(one, rng.choice(THINGS)) for one in things],
        "Odd name": [(one, rng.choice([1, 3])) for one in things if rng.random() < 0.7] or [(things[0], 1)],
        "special": [(rng.choice(things),)],
    }


def random_program(rng: random.Random, facts: Facts, arity: int) -> Program:
    def rule(calls: bool = False) -> Rule:
        types = dict.fromkeys(range(arity), "thing")
        body = []
        if calls:
            args = list(range(arity))
            args[-1] = arity
            types[arity] = "thing"
            body += [Literal("covered", tuple(args)), Literal(rng.choice(["edge", "linked"]), (arity, arity - 1))]
        for _ in range(rng.randint(1, 3)):
            name = rng.choice(list(TYPES))
            args = []
            for i, type_ in enumerate(TYPES[name]):
                if name in facts and rng.random() < 0.15:
                    args.append(constant(rng.choice(facts[name])[i]))
                    continue
                known = [variable for variable, other in types.items() if other == type_]
                if not known or rng.random() < 0.3:
                    types[len(types)] = type_
                    known = [len(types) - 1]
                args.append(rng.choice(known))
            body.append(Literal(name, tuple(args)))
        used = {arg for literal in body for arg in literal.args if isinstance(arg, int)}
        body += [Literal("node", (variable,)) for variable in range(arity) if variable not in used]
        for variable in sorted(used):
            if types[variable] != "thing" and rng.random() < 0.6:
                value = constant(rng.choice([1, 3, 2.5, -1.25, 10**20 + 1]))
                body.append(Literal(rng.choice([">=", "=<", "<", ">"]), (variable, value)))
                if rng.random() < 0.3:
                    body.append(
                        Literal("+", (variable, constant(1 if types[variable] == "whole" else 0.5), len(types)))
                    )
                    body.append(Literal("=<", (len(types), constant(4))))
                    types[len(types)] = types[variable]
        return Rule(Literal("covered", tuple(range(arity))), tuple(dict.fromkeys(body)))

    rules = [rule() for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.4:
        rules.append(rule(calls=True))
    return Program(tuple(rules))


def fact_text(facts: Facts) -> str:
    atoms = [Literal(name, tuple(map(constant, row))) for name, rows in facts.items() for row in rows]
    return "".join(f"{atom.text({})}.\n" for atom in atoms)


def subject_of(program: Program, bk: str, arity: int) -> Subject:
    source = consult(bk, "bk.pl", TermStore())
    return subject_of_facts(program, Predicate("covered", arity), background_of(program, source))


def covered(program: Program, bk: str, asked: list[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    result = maxsynth.Result(SearchResult("optimal", program, 0, 0, None, {"prolog": "builtin"}), None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdicts = result.predict([("covered", *row) for row in asked], background=bk)
    return {row for row, verdict in zip(asked, verdicts, strict=True) if verdict}


class Case:
    """Facts, rules and a program on them."""

    def __init__(self, seed: str) -> None:
        rng = random.Random(seed)
        self.facts = random_facts(rng)
        self.arity = rng.choice([1, 2])
        self.program = random_program(rng, self.facts, self.arity)
        self.bk = fact_text(self.facts) + RULES
        self.subject = subject_of(self.program, self.bk, self.arity)
        things = [one for (one,) in self.facts["node"]]
        self.asked = list(product(things, repeat=self.arity))
        self.covered = covered(self.program, self.bk, self.asked)

    def rows(self, meaning: Meaning) -> list[tuple[Any, ...]]:
        return self.facts.get(meaning.table, [])

    def tables(self) -> dict[str, Stored]:
        return {
            name: Stored({column.column: column.kind for column in columns}, self.facts.get(name, []))
            for name, columns in self.subject.tables().items()
        }


def test_sql(database: Database, effort: Effort) -> None:
    for number in range(effort(60, 3000)):
        case = Case(f"facts {number}")
        database.load(case.tables())
        query = written(case.subject, "sql", database.dialect)
        rows = database.run(query)
        assert len(rows) == len(set(rows)), query
        assert set(rows) & set(case.asked) == case.covered, f"{case.program}\n{query}"


def test_python(effort: Effort) -> None:
    for number in range(effort(60, 3000)):
        case = Case(f"python {number}")
        text = written(case.subject, "python")
        names: dict[str, Any] = {}
        exec(compile(text, "exported", "exec"), names)
        found = names["covered"]({name: table.rows for name, table in case.tables().items()})
        rows = {row if isinstance(row, tuple) else (row,) for row in found}
        assert rows & set(case.asked) == case.covered, f"{case.program}\n{text}"


def test_python_in_a_process(tmp_path: Path) -> None:
    case = next(case for case in (Case(f"process {i}") for i in range(100)) if case.covered and case.arity == 1)
    (tmp_path / "rules.py").write_text(written(case.subject, "python"))
    (tmp_path / "facts.json").write_text(json.dumps({name: table.rows for name, table in case.tables().items()}))
    done = subprocess.run(
        [sys.executable, "-I", "rules.py", "facts.json"], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert done.stderr == ""
    import csv

    assert {tuple(row) for row in csv.reader(done.stdout.splitlines(keepends=True))} == case.covered


@pytest.mark.swipl
def test_prolog(tmp_path: Path, effort: Effort) -> None:
    """The program as SWI-Prolog reads it, beside bk.pl."""
    for number in range(effort(12, 300)):
        case = Case(f"prolog {number}")
        assert prove(tmp_path, case.bk, written(case.subject, "prolog"), case.asked) == case.covered, case.program


def prove(folder: Path, bk: str, program: str, asked: list[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Which of the atoms of `covered` SWI-Prolog proves; without a warning."""
    (folder / "bk.pl").write_text(f":- style_check(-discontiguous).\n{bk}")
    (folder / "program.pl").write_text(program)
    atoms = [Literal("covered", tuple(map(constant, row))).text({}) for row in asked]
    goals = ",\n".join(f"({atom} -> writeln({i}) ; true)" for i, atom in enumerate(atoms))
    (folder / "ask.pl").write_text(f":- initialization((\n{goals or 'true'}, halt)).\n")
    command = ["swipl", "-q", "bk.pl", "program.pl", "ask.pl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert done.stderr == "", f"{done.stderr}\n{program}"
    return {asked[int(line)] for line in done.stdout.split()}


# -- what cannot be said --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bk", "program", "message"),
    [
        (
            "len([],0).\nlen([_|T],N) :- len(T,M), N is M+1.\n",
            "covered(A) :- len(A,3).",
            "rules that tables cannot follow",
        ),
        ("p(a).\nlone(X) :- p(X), \\+ q(X).\nq(b).\n", "covered(A) :- lone(A).", "rules that tables cannot follow"),
        ("p(a).\nq(X) :- p(X), atom_length(X,1).\n", "covered(A) :- q(A).", "Prolog's own"),
        ("p(a).\nq(X) :- r(X).\nr(X) :- p(X), X \\= b.\n", "covered(A) :- q(A).", "r/1"),
        ("p(a).\n", "covered(A) :- nowhere(A).", "no fact or rule"),
        ("p(a).\nq(X,Y) :- p(X).\n", "covered(A) :- q(A,_).", "leaves an argument open"),
        ("p(a,1).\np(b,1.0).\n", "covered(A) :- p(A,B), p(C,B).", "the same in a table"),
        ('p(a,"x").\np(b,x).\n', "covered(A) :- p(A,B), p(C,B).", "the same in a table"),
    ],
)
def test_background_that_tables_cannot_follow(bk: str, program: str, message: str) -> None:
    subject = subject_of(parse_program(program), bk, 1)
    for form in ("sql", "python", "datalog"):
        with pytest.raises(MaxSynthError, match=message):
            written(subject, form)
    for form in ("prolog", "english", "latex"):
        assert written(subject, form)


def test_programs_that_sql_cannot_say() -> None:
    bk = "edge(a,b).\nnode(a).\n"
    twice = parse_program("covered(A,B) :- edge(A,B).\ncovered(A,B) :- covered(A,C), covered(C,B).")
    circle = parse_program(
        "covered(A,B) :- edge(A,B).\ncovered(A,B) :- edge(A,C), odd(C,B).\nodd(A,B) :- edge(A,C), covered(C,B)."
    )
    everything = parse_program("covered(A,B) :- node(A).")
    cases = ((twice, "calls itself twice"), (circle, "call each other in a circle"), (everything, "holds for"))
    for program, message in cases:
        with pytest.raises(MaxSynthError, match=message):
            written(subject_of(program, bk, 2), "sql")
    for program in (twice, circle):
        names: dict[str, Any] = {}
        exec(written(subject_of(program, bk, 2), "python"), names)
        assert names["covered"]({"edge": [("a", "b"), ("b", "c"), ("c", "d")]}) >= {("a", "b"), ("b", "c")}


def test_a_program_without_its_task() -> None:
    """Of which only the rules are known: numbers are told from how they are used."""
    program = parse_program("covered(A) :- size(A,B), B >= 3, rank(A,7), tag(A,red).")
    result = maxsynth.Result(SearchResult("optimal", program, 0, 0, None, {}), None)
    text = result.export("sql", dialect="postgresql")
    assert '"size" ("a1" TEXT, "a2" DOUBLE PRECISION)' in text
    assert '"tag" ("a1" TEXT, "a2" TEXT)' in text
    assert "\"a2\" = 'red'" in text


def test_values_as_terms() -> None:
    terms: list[Term] = [Atom("x"), 3, 2.5]
    assert [constant(value).text for value in ("x", 3, 2.5)] == [term_text(term) for term in terms]
    assert isinstance(constant("X"), Constant)
