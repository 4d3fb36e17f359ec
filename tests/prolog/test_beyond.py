"""BK that only SWI-Prolog can run, and text as SWI-Prolog reads it: clpfd, grammar rules, digit groups, `#!`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.cli import main
from maxsynth.errors import SyntaxProblem
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.consult import consult
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import Struct, Term
from maxsynth.task.task import ReadTask

Capture = pytest.CaptureFixture[str]
MakeTask = Callable[..., Path]

ROBOT = """
:- use_module(library(clpfd)).
size(10).
right(w(X1,Y),w(X2,Y)) :- size(Size), X1 #< Size, X2 #= X1 + 1.
inside(w(X,Y)) :- [X,Y] ins 1..10, X #\\= Y #\\/ X #>= Y.
"""
ROBOT_BIAS = """
head_pred(f,2). body_pred(right,2). body_pred(inside,1).
direction(f,(in,out)). direction(right,(in,out)). direction(inside,(in,)).
"""
ROBOT_EXS = "#T1\n" + "".join(f"pos(f(w({i},1),w({i + 2},1))).\nneg(f(w({i},1),w({i + 1},1))).\n" for i in range(1, 8))

GRAMMAR = """
:- set_prolog_flag(double_quotes, codes).
word(X) :- atom_codes(X,Codes), phrase(s,Codes).
s --> "a", s.
s --> "b".
"""
GRAMMAR_BIAS = "head_pred(f,1). body_pred(word,1)."
GRAMMAR_EXS = "pos(f(ab)). pos(f(aab)). pos(f(b)). neg(f(a)). neg(f(ba))."


def test_the_operators_of_clpfd() -> None:
    rules = consult(ROBOT, "bk.pl", TermStore()).rules
    ((_, clause),) = rules["inside", 1]
    assert isinstance(clause.body, Struct)
    ins, either = clause.body.args
    assert [term.name for term in (ins, either) if isinstance(term, Struct)] == ["ins", "#\\/"]
    with pytest.raises(SyntaxProblem, match="'#<' is not an operator"):
        consult("p(X) :- X #< 1.", "bk.pl", TermStore())


@pytest.mark.swipl
def test_clpfd_is_for_swipl(make_task: MakeTask, capsys: Capture) -> None:
    folder = make_task(ROBOT_BIAS, ROBOT, ROBOT_EXS)
    assert main(["check", str(folder)]) == 0
    assert main(["learn", str(folder)]) == 0
    assert capsys.readouterr().out.endswith("f(A,B) :- right(A,C), right(C,B).\n")


@pytest.mark.parametrize("choice", ["auto", "builtin"])
def test_clpfd_without_swipl(
    make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    monkeypatch.setenv("MAXSYNTH_SWIPL", "/no/such/swipl")
    folder = make_task(ROBOT_BIAS, ROBOT, ROBOT_EXS)
    assert main(["learn", str(folder), "--prolog", choice]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"maxsynth: {folder}/bk.pl:2:1: library(clpfd) is not part of the built-in Prolog, ")
    assert said.endswith("(use SWI-Prolog: install it, and choose --prolog swipl or auto)\n")


def test_a_library_that_nothing_needs(make_task: MakeTask) -> None:
    """Facts need no Prolog at all."""
    folder = make_task("head_pred(f,1). body_pred(p,1).", ":- use_module(library(clpfd)).\np(a).", "pos(f(a)).")
    assert ReadTask.from_folder(folder, prolog="builtin").warnings == []


@pytest.mark.swipl
def test_grammar_rules_are_for_swipl(make_task: MakeTask, capsys: Capture) -> None:
    folder = make_task(GRAMMAR_BIAS, GRAMMAR, GRAMMAR_EXS)
    assert main(["learn", str(folder)]) == 0
    assert capsys.readouterr().out == "f(A) :- word(A).\n"


@pytest.mark.swipl
def test_facts_beside_a_grammar_rule(make_task: MakeTask) -> None:
    """Those of s/2 are not all that there is of it."""
    folder = make_task("head_pred(f,1). body_pred(s,2).", "s([a],[]).\ns, [z] --> [b].", "pos(f([b])).")
    task = ReadTask.from_folder(folder)
    assert not task.background.is_table(task.bias.body[0])
    task.background.close_engine()


def test_a_grammar_rule_without_swipl(make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXSYNTH_SWIPL", "/no/such/swipl")
    folder = make_task(GRAMMAR_BIAS, GRAMMAR, GRAMMAR_EXS)
    assert main(["learn", str(folder)]) == 2
    assert f"{folder}/bk.pl:4:1: a grammar rule (`-->`) cannot be run by the built-in Prolog (use SWI-Prolog" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("137 438 953 472", 137438953472),
        ("1 000", 1000),
        ("1 00", 100),
        ("12 345 6", 123456),
        ("1_000_000", 1_000_000),
        ("1_ 000", 1000),
        ("1_\n  000", 1000),
        ("1 000_000 000", 1_000_000_000),
        ("-1 000", -1000),
        ("1 000.5", 1000.5),
        ("1_000.25e2", 100025.0),
        ("0xFF_FF", 0xFFFF),
        ("1e3", 1000.0),
    ],
)
def test_digit_groups(text: str, value: Term) -> None:
    assert parse_term(text).term == value
    source = consult(f"p({text},x).", "bk.pl", TermStore())
    assert source.store.term(int(source.tables["p", 2].rows()[0, 0])) == value


@pytest.mark.parametrize(
    "text", ["1  000", "1\n000", "1_a", "1__0", "0x1 000", "1.5 000", "1 000a", "1_0e3", "1 000 000e3"]
)
def test_what_is_no_digit_group(text: str) -> None:
    with pytest.raises(SyntaxProblem):
        parse_term(text)


@pytest.mark.swipl
def test_digit_groups_are_read_as_swipl_reads_them(make_task: MakeTask) -> None:
    bk = "p(137 438 953 472).\np(1_000).\np(X) :- X = 12 345.\n"
    folder = make_task("head_pred(f,1). body_pred(p,1).", bk, "pos(f(1)).")
    found = []
    for prolog in ("builtin", "swipl"):
        background = ReadTask.from_folder(folder, prolog=prolog).background
        found.append(background.engine.solve("p", 1, (), [()]))
        background.close_engine()
    assert found[0] == found[1] == [[(137438953472,), (1000,), (12345,)]]


@pytest.mark.parametrize("first", ["#!/usr/bin/env swipl", "#T1", "#"])
@pytest.mark.parametrize("prolog", ["builtin", pytest.param("swipl", marks=pytest.mark.swipl)])
def test_a_first_line_for_the_system(make_task: MakeTask, capsys: Capture, first: str, prolog: str) -> None:
    bias = "head_pred(f,1). body_pred(p,1)."
    folder = make_task(bias, f"{first}\np(1).\np(X) :- q(X).\nq(2).", f"{first}\npos(f(1)). pos(f(2)). neg(f(3)).")
    task = ReadTask.from_folder(folder, prolog=prolog)
    assert task.positives.lines == [2, 2]
    rows = task.background.relation(task.bias.body[0]).rows
    assert rows is not None
    assert len(rows) == 2
    task.background.close_engine()
    (folder / "bk.pl").write_text(first)
    with pytest.raises(Exception, match="BK defines none"):
        ReadTask.from_folder(folder, prolog="builtin")
