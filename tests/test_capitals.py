"""Data with a capital letter, which Prolog takes for variables: it is said where, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import maxsynth
from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.errors import SyntaxProblem
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.consult import consult

Capture = pytest.CaptureFixture[str]
MakeTask = Callable[..., Path]


def warnings(bk: str) -> list[str]:
    return list(consult(bk, "bk.pl", TermStore()).singletons.warnings())


def test_a_fact_about_variables() -> None:
    assert warnings("size(3).\nborders(FRA,DEU).\n") == [
        "bk.pl:2: FRA and DEU in `borders(FRA,DEU)` are variables, so that it holds of everything there "
        "(if it is data, quote it: 'FRA'; if any value is meant, write _FRA)"
    ]
    assert warnings("city(\n  paris,\n  FRA).\n") == [
        "bk.pl:1: FRA in `city( paris, FRA)` is a variable, so that it holds of everything there "
        "(if it is data, quote it: 'FRA'; if any value is meant, write _FRA)"
    ]


def test_many_of_them_are_counted() -> None:
    said = warnings("".join(f"country(C{i}).\n" for i in range(50)))
    assert len(said) == 4
    assert said[2].startswith("bk.pl:3: C2 in `country(C2)` is a variable")
    assert said[3] == "bk.pl: 47 more facts have variables that occur only once"


@pytest.mark.parametrize(
    "bk",
    [
        "eq(X,X).",
        "member(X,[X|_]).",
        "head([H|_],H).\ntail([_|T],T).",
        "any(_).",
        "any(_Thing).",
        "p(X) :- q(X).",
        "p(X) :- q(X,_), r(_Y).",
        "borders('FRA','DEU').",
        'name("FRA").',
        ":- use_module(library(lists)).\n:- dynamic p/1.\n",
        ":- style_check(-singleton).\np(X) :- q(Y), r(X).",
    ],
)
def test_nothing_to_say(bk: str) -> None:
    assert warnings(bk) == []


def test_singletons_in_rules_are_one_line() -> None:
    bk = "p(X) :- q(Y), r(X).\nhead([H|T],H).\np(FRA) :- q(1).\np(X) :- q(Y,Z), r(X).\np(X) :- s(A), r(X).\n"
    assert warnings(bk) == [
        "bk.pl:1: the variable Y occurs only once in this clause, as in 4 more (line 2, 3, 4, ...) "
        "(if it is data, quote it: 'Y'; if any value is meant, write _Y)"
    ]
    assert warnings("p(X) :- q(Y), r(X).") == [
        "bk.pl:1: the variable Y occurs only once in this clause "
        "(if it is data, quote it: 'Y'; if any value is meant, write _Y)"
    ]


def test_check_and_learn_say_it(make_task: MakeTask, capsys: Capture) -> None:
    bias = "head_pred(f,2). body_pred(borders,2)."
    folder = make_task(bias, "borders(fra,deu).\nborders(FRA,DEU) :- fail.\nsize(FRA).\n", "pos(f(fra,deu)).")
    said = [f"{folder}/bk.pl:3: FRA in `size(FRA)`", f"{folder}/bk.pl:2: the variable FRA occurs only once"]
    assert main(["check", str(folder)]) == 0
    out = capsys.readouterr().out
    assert all(f"warning: {text}" in out for text in said)
    assert main(["learn", str(folder)]) == 0
    err = capsys.readouterr().err
    assert all(f"maxsynth: warning: {text}" in err for text in said)
    task = maxsynth.Task.from_folder(folder)
    assert [warning.startswith(text) for warning, text in zip(task.warnings, said, strict=True)] == [True, True]


@pytest.mark.parametrize("name", ["Parent", "parent", "is parent of"])
def test_single_quotes_in_a_bias(name: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse_bias(f"head_pred(f,2).\nbody_pred('{name}',2).\n", "bias.pl")
    assert str(caught.value) == f"bias.pl:2:11: '{name}' has single quotes (use double quotes: \"{name}\")"


def test_double_quotes_in_a_bias() -> None:
    bias = parse_bias("head_pred(f,2). % it's 'f'\nbody_pred(\"Parent\",2).\nbody_pred(\"it's 'p'\",1).\n", "bias.pl")
    assert bias.body == (Predicate("Parent", 2), Predicate("it's 'p'", 1))
