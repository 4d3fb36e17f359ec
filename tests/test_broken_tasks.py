"""Twenty-five tasks with one mistake each, of the kind that people make, and what they are told.

All begin as the same good task. `check` names the mistake; an error also ends `learn` that meets it, with the same
words.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from maxsynth.cli import main
from maxsynth.prolog.interpreter import interpreter

BIAS = """\
head_pred(east,1).
body_pred(car,2).
body_pred(short,1).
body_pred(load,2).
body_pred(big,1).
type(east,(train,)).
type(car,(train,wagon)).
type(short,(wagon,)).
type(load,(wagon,number)).
type(big,(number,)).
direction(east,(in,)).
direction(car,(in,out)).
direction(short,(in,)).
direction(load,(in,out)).
direction(big,(in,)).
max_vars(4).
max_body(4).
"""
BK = """\
car(t1,c1). car(t2,c2). car(t3,c3). car(t4,c4). car(t5,c5). car(t6,c6). car(t7,c7). car(t8,c8).
short(c1). short(c2). short(c3). short(c4). short(c5). short(c8).
load(c1,7). load(c2,8). load(c3,9). load(c4,6). load(c5,8). load(c6,8). load(c7,1). load(c8,2).
big(N) :- N > 5.
"""
EXS = """\
pos(east(t1)).
pos(east(t2)).
pos(east(t3)).
pos(east(t4)).
pos(east(t5)).
neg(east(t6)).
neg(east(t7)).
neg(east(t8)).
"""


@dataclass(frozen=True)
class Broken:
    """What is changed in which file, and the words that name the mistake; an error, or a warning of `check`."""

    name: str
    file: str
    old: str
    new: str
    said: str
    error: bool = True


BROKEN = [
    Broken("misspelt directive", "bias", "body_pred(big,1)", "bodypred(big,1)",
           "unknown directive bodypred/2; did you mean body_pred/2?", error=False),
    Broken("no full stop", "bias", "max_vars(4).", "max_vars(4)", "bias.pl:17:1: syntax error, unexpected"),
    Broken("two limits", "bias", "max_body(4).", "max_body(4). max_body(5).", "max_body is both 4 and 5"),
    Broken("wrong arity in the bias", "bias", "body_pred(load,2).", "body_pred(load,3).",
           "type of load has 2 argument(s), but load has 3"),
    Broken("no type", "bias", "type(short,(wagon,)).\n", "",
           "no type for short/1: their arguments fit every type", error=False),
    Broken("no type for what computes", "bias", "type(big,(number,)).\n", "",
           "or declare types in bias.pl for big/1 too"),
    Broken("no direction", "bias", "direction(big,(in,)).\n", "", "bias.pl:5: no direction for big/1"),
    Broken("a direction that is none", "bias", "direction(load,(in,out))", "direction(load,(in,inout))",
           "direction of load/2 has inout (an argument is in or out)"),
    Broken("the target in the body", "bias", "body_pred(big,1).", "body_pred(big,1). body_pred(east,1).",
           "east/1 is both head_pred and body_pred"),
    Broken("a type that nothing has", "bias", "type(east,(train,))", "type(east,(trains,))",
           "no rule is possible: argument 1 of east/1 has type trains", error=False),
    Broken("types that do not meet", "bias", "type(big,(number,))", "type(big,(tons,))",
           "big/1 can be in no rule: its `in` arguments need a variable of type tons", error=False),
    Broken("a space too small", "bias", "max_body(4)", "max_body(0)", "max_body(0) is not a positive integer"),
    Broken("a target of another name", "exs", "pos(east(t1))", "pos(eastbound(t1))",
           "exs.pl:1:1: the example `eastbound(t1)` is not of east/1"),
    Broken("an example with a variable", "exs", "pos(east(t1))", "pos(east(T1))", "exs.pl:1:1: a fact with a variable"),
    Broken("no label", "exs", "pos(east(t1))", "east(t1)", "exs.pl:1:1: `east/1` is no example"),
    Broken("a label of its own", "exs", "neg(east(t8))", "no(east(t8))", "exs.pl:8:1: `no/1` is no example"),
    Broken("an unknown thing", "exs", "pos(east(t5))", "pos(east('T5'))",
           "`east('T5')`: nothing is true of `'T5'` (argument 1, of type train)", error=False),
    Broken("both labels", "exs", "neg(east(t8))", "neg(east(t1))",
           "exs.pl:8: `east(t1)` is a negative and (line 1) a positive example", error=False),
    Broken("a quote left open", "bk", "short(c1)", "short('c1)", "this quoted atom has no end"),
    Broken("a bracket left open", "bk", "load(c1,7)", "load(c1,7", "bk.pl:3:"),
    Broken("another name in BK", "bk", "big(N) :-", "large(N) :-",
           "BK does not define big/1, so it is never true", error=False),
    Broken("a comparison with a word", "bk", "load(c4,6)", "load(c4,heavy)", "type error"),
    Broken("a predicate that is not there", "bk", "N > 5", "bigger(N, 5)", "bigger/2"),
    Broken("a test that never holds", "bk", "N > 5", "N > 500", "big/1 is never true", error=False),
    Broken("endless recursion", "bk", "N > 5", "big(N)", "steps"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """BK that does not end is found out soon."""
    monkeypatch.setattr(interpreter, "Interpreter", functools.partial(interpreter.Interpreter, steps=30_000))


@pytest.fixture
def broken(request: pytest.FixtureRequest, make_task: Callable[..., Path]) -> tuple[Broken, Path]:
    one: Broken = request.param
    files = {"bias": BIAS, "bk": BK, "exs": EXS}
    assert one.old in files[one.file]
    files[one.file] = files[one.file].replace(one.old, one.new)
    return one, make_task(**files)


def test_the_task_is_good(make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_task(BIAS, BK, EXS)
    assert main(["check", str(folder)]) == 0
    assert capsys.readouterr().out.endswith("nothing wrong was found\n")
    assert main(["learn", str(folder), "--exact", "--quiet"]) == 0
    assert capsys.readouterr().out == "east(A) :- car(A,B), short(B), load(B,C), big(C).\n"


@pytest.mark.parametrize("broken", BROKEN, indirect=True, ids=[one.name for one in BROKEN])
def test_the_mistake_is_named(broken: tuple[Broken, Path], capsys: pytest.CaptureFixture[str]) -> None:
    one, folder = broken
    status = main(["check", str(folder)])
    out, err = capsys.readouterr()
    if one.error:
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert one.said in err
        assert "Traceback" not in err
        # A program without errors needs all predicates; one of least cost does not, and then nobody asks them.
        assert main(["learn", str(folder), "--exact", "--quiet"]) == 2
        assert one.said in capsys.readouterr().err
    else:
        assert (status, err) == (0, "")
        assert one.said in out
        assert "nothing wrong was found" not in out
        assert main(["learn", str(folder), "--quiet"]) == 0
