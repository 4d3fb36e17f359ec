"""Background knowledge without an end: every call ends, with an error that says where, and within bounded memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import maxsynth
from maxsynth.background import background as background_module
from maxsynth.background.background import Background
from maxsynth.cli import main
from maxsynth.errors import EndlessProblem, PrologProblem
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.prolog.consult import consult
from maxsynth.prolog.engine import StoppedAskingError
from maxsynth.prolog.interpreter import interpreter
from maxsynth.prolog.interpreter.interpreter import Interpreter
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.swipl import swipl
from maxsynth.prolog.terms import Atom
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.search.result import TIMEOUT

Capture = pytest.CaptureFixture[str]
STEPS = 20_000

ENDLESS = {
    "numbers": "q(X) :- between(0,inf,X).",
    "naturals": "q(z). q(s(X)) :- q(X).",
    "itself": "q(X) :- q(X).",
    "itself first": "q(X) :- q(Y), X = Y.",
    "doubled terms": "q(X) :- d(60,a,X). d(0,X,X) :- !. d(N,X,Y) :- M is N-1, d(M,f(X,X),Y).",
    "deep terms": "q(X) :- d(1000000000,a,X). d(0,X,X) :- !. d(N,X,Y) :- M is N-1, d(M,s(X),Y).",
    "doubled text": "q(X) :- l(a,X). l(A,X) :- atom_concat(A,A,B), l(B,X).",
    "codes": "q(X) :- l(a,X). l(A,X) :- ( atom_codes(A,X) ; atom_concat(A,A,B), l(B,X) ).",
    "large power": "q(X) :- X is 2**(10**9).",
    "very large power": "q(X) :- X is 10**(10**10).",
    "squares": "q(X) :- l(2,X). l(A,X) :- B is A*A, l(B,X).",
    "powers": "q(X) :- between(1,inf,N), X is 7**(30000+N).",
    "powers modulo": "q(X) :- between(1,inf,N), X is powm(3,7**3000+N,7**3000).",
    "all of repeat": "q(X) :- findall(y,repeat,X).",
    "all numbers": "q(X) :- findall(Y,between(1,inf,Y),X).",
    "set of pairs": "q(X) :- setof(Y-Z,(between(1,inf,Y),between(1,inf,Z)),X).",
    "lengths": "q(1) :- length(L,_), L = x.",
    "long list": "q(X) :- length(X,1000000000).",
    "numlist": "q(X) :- numlist(1,1000000000,X).",
    "repeat": "q(1) :- repeat.",
    "repeat and fail": "q(1) :- repeat, fail.",
    "caught": "q(X) :- catch(throw(a),_,q(X)).",
    "thrown": "q(1) :- repeat, catch(throw(x),_,fail).",
    "negation": "q(1) :- \\+ \\+ (repeat, fail).",
    "product of facts": "".join(f"p({i}). " for i in range(300)) + "q(1) :- p(_), p(_), p(_), fail.",
    "wide terms": (
        "q(1) :- t(A), t(B), A = B. t(T) :- functor(Z,g,2000), Z=..[_|L], al(L,a), w(3,Z,T). w(0,T,T) :- !. "
        "w(N,Z,T) :- M is N-1, functor(Y,f,2000), Y=..[_|L], al(L,Z), w(M,Y,T). al([],_). al([X|L],X) :- al(L,X)."
    ),
}


def engine(bk: str, steps: int = STEPS) -> Interpreter:
    return Interpreter(consult(bk, "bk.pl", TermStore()), steps)


def background(bk: str, directions: dict[Predicate, tuple[str, ...]] | None = None, steps: int = STEPS) -> Background:
    source = consult(bk, "bk.pl", TermStore())
    return Background(source, Interpreter(source, steps, source.dynamic), directions=directions)


# -- one call -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENDLESS)
def test_every_call_ends(name: str) -> None:
    with pytest.raises(EndlessProblem, match="may not terminate"):
        engine(ENDLESS[name]).solve("q", 1, (), [()])


def test_a_length_that_is_its_own_list() -> None:
    assert engine("q(1) :- length(L,L).").solve("q", 1, (), [()]) == [[]]


@pytest.mark.parametrize("term", ["f(X)", "[1|X]", "g(a,h(X,X))"])
def test_a_term_that_contains_itself(term: str) -> None:
    with pytest.raises(PrologProblem, match=r"argument 1 of an answer of q/1 is a term that contains itself"):
        engine(f"q(X) :- X = {term}.").solve("q", 1, (), [()])


@pytest.mark.parametrize("name", ["numbers", "itself", "all of repeat", "repeat and fail", "caught"])
def test_whether_to_stop_is_asked_within_a_call(name: str) -> None:
    asked = itertools.count()
    known = engine(ENDLESS[name], steps=10**12)
    known.watch(lambda: next(asked) == 3)
    with pytest.raises(StoppedAskingError):
        known.solve("q", 1, (), [()])
    assert next(asked) == 4


def test_who_asks_does_not_change_the_steps() -> None:
    known, watched = engine(ENDLESS["deep terms"], 10_000), engine(ENDLESS["deep terms"], 10_000)
    watched.watch(lambda: False)
    messages = []
    for one in (known, watched):
        with pytest.raises(EndlessProblem) as caught:
            one.solve("q", 1, (), [()])
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


# -- many answers ---------------------------------------------------------------------------------------------------

NEXT = Predicate("next", 2)
MANY = "next(X,Y) :- Z is X+20, between(X,Z,Y)."


def test_rows_that_are_answered_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "ROOM", 3000)
    known = background(MANY, {NEXT: ("in", "out")})
    rows = [(known.store.intern(i),) for i in range(30)]
    terms = [(i,) for i in range(30)]
    assert 0 < len(known.engine.solve("next", 2, (0,), terms)) < 30
    assert [len(tuples) for tuples in known.ask(NEXT, (0,), rows)] == [21] * 30


def test_all_answers_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_module, "MOST_VALUES", 100)
    known = background(MANY, {NEXT: ("in", "out")})
    rows = [(known.store.intern(i),) for i in range(30)]
    with pytest.raises(EndlessProblem, match=r"^bk\.pl:1:1: BK gave more answers .* the last ones of next/2 \(let"):
        known.ask(NEXT, (0,), rows)


def test_all_terms_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that is doubled, by a predicate that needs no engine."""
    monkeypatch.setattr(background_module, "MOST_TERMS", 1000)
    twice = Predicate("twice", 2)
    known = background("twice(X,Y) :- append(X,X,Y).\nlist([a,b]).", {twice: ("in", "out")})
    known.learn_facts()
    assert known.close([twice]) == set()  # closing stops long before the room is used up
    assert known.terms_made < 1000
    with pytest.raises(EndlessProblem, match="BK gave more terms"):
        double_for_ever(known, twice)


def double_for_ever(known: Background, twice: Predicate) -> None:
    row = known.domain(twice, 0)[-1]
    while True:
        row = known.ask(twice, (0,), [(row,)])[0][0][1]


def test_closing_has_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = "slow(X,Y) :- count(500), Y = X. count(0) :- !. count(N) :- M is N-1, count(M).\nv(1). v(2). v(3).\n"
    closed = {}
    for steps in (100_000, 2000):
        monkeypatch.setattr(background_module, "CLOSING_STEPS", steps)
        known = background(slow, {Predicate("slow", 2): ("in", "out")})
        closed[steps] = known.close([Predicate("slow", 2)])
    assert closed == {100_000: {Predicate("slow", 2)}, 2000: set()}


def test_stopped_in_the_midst_of_many_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_module, "MANY", 50)
    known = background(MANY, {NEXT: ("in", "out")})
    rows = [(known.store.intern(i),) for i in range(30)]
    asked = itertools.count()
    with known.watched_by(lambda: next(asked) == 2), pytest.raises(StoppedAskingError):
        known.ask(NEXT, (0,), rows)
    assert known.should_stop is None
    assert known.reached is None


def test_atoms_are_forgotten() -> None:
    known = engine("q :- between(1,400,N), atom_concat('only here ',N,A), atom_length(A,0).", steps=100_000)
    assert known.solve("q", 0, (), [()]) == [[]]
    assert not any(name.startswith("only here 1") for name in Atom._known)
    assert Atom("ann") is Atom("ann")


# -- tasks ----------------------------------------------------------------------------------------------------------

EXS = "pos(f(1)). pos(f(2)). pos(f(3)). neg(f(4))."
BIAS = "head_pred(f,1). body_pred(a,1). body_pred(q,1)."
DIRECTED = "head_pred(f,1). body_pred(q,2). direction(f,(in,)). direction(q,(in,out))."


@pytest.mark.parametrize("command", ["learn", "check", "evaluate", "explain"])
@pytest.mark.parametrize("prolog", ["builtin", pytest.param("swipl", marks=pytest.mark.swipl)])
def test_listing_without_an_end(
    make_task: Callable[..., Path], tmp_path: Path, capsys: Capture, command: str, prolog: str
) -> None:
    folder = make_task(BIAS, f"a(1). a(2). a(3).\n{ENDLESS['repeat and fail']}", EXS)
    (tmp_path / "program.pl").write_text("f(A) :- q(A).")
    program = [str(tmp_path / "program.pl")] if command in ("evaluate", "explain") else []
    assert main([command, *program, str(folder), "--prolog", prolog]) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert err.startswith(f"maxsynth: {folder}/bk.pl:2")
    assert ": q/1 has no direction, and there is no end to listing its answers: " in err
    assert "(bound them, or say in bias.pl which arguments are given, such as direction(q,(in,)).)" in err


@pytest.mark.parametrize("prolog", ["builtin", pytest.param("swipl", marks=pytest.mark.swipl)])
def test_a_timeout_ends_a_call(make_task: Callable[..., Path], capsys: Capture, prolog: str) -> None:
    folder = make_task(DIRECTED, "q(X,Y) :- between(X,inf,Y).", EXS)
    assert main(["learn", str(folder), "--timeout", "0.05", "--prolog", prolog]) == 0
    out, err = capsys.readouterr()
    assert out == "% the empty program\n"
    assert "timeout: cost 3, at least 2" in err


def test_more_rows_than_are_tested_at_once(make_task: Callable[..., Path], tmp_path: Path, capsys: Capture) -> None:
    """The examples are then proven one by one."""
    folder = make_task(DIRECTED, "q(X,Y) :- between(1,140000,Y).", EXS)
    (tmp_path / "program.pl").write_text("f(A) :- q(A,B).")
    assert main(["evaluate", str(tmp_path / "program.pl"), str(folder)]) == 0
    assert "precision          0.7500" in capsys.readouterr().out


@pytest.mark.parametrize(
    "bk", ["a(1). q(1).\n:- repeat, fail.", "a(1). q(1).\n:- initialization(main).\nmain :- main."]
)
def test_a_directive_is_not_run(make_task: Callable[..., Path], capsys: Capture, bk: str) -> None:
    folder = make_task(BIAS, bk, EXS)
    for command in ("learn", "check"):
        assert main([command, str(folder), "--prolog", "builtin"]) == 2
        assert f"{folder}/bk.pl:2:1: the directive `:- " in capsys.readouterr().err


# -- Python functions -------------------------------------------------------------------------------------------------


@maxsynth.predicate("in", "out")
def larger(number: int) -> Iterator[int]:
    return itertools.count(number)


@maxsynth.predicate("in", "out")
def nothing(number: int) -> Iterator[None]:
    return itertools.repeat(None)


@pytest.mark.parametrize("function", [larger, nothing])
def test_a_generator_without_an_end(function: maxsynth.Function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxsynth.background.functions.MAX_ANSWERS", 5000)
    task = maxsynth.Task({"pos": ["f(1)", "f(2)", "f(3)"], "neg": ["f(4)"]}, {"q": function})
    with pytest.raises(EndlessProblem, match=r"the Python function q\(1\) has more than 5,000 answers \(let it"):
        maxsynth.learn(task)


@pytest.mark.parametrize("function", [larger, nothing])
def test_a_timeout_ends_a_generator(function: maxsynth.Function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxsynth.background.functions.MAX_ANSWERS", 10**12)
    task = maxsynth.Task({"pos": ["f(1)", "f(2)", "f(3)"], "neg": ["f(4)"]}, {"q": function})
    assert maxsynth.learn(task, timeout=0.05).status == TIMEOUT


def test_a_deep_term_for_a_function() -> None:
    @maxsynth.predicate("in")
    def holds(term: object) -> bool:
        return True

    deep = f"f({'s(' * 5000}z{')' * 5000})"
    task = maxsynth.Task({"pos": [deep, "f(a)", "f(b)"], "neg": ["f(c)"]}, {"q": holds})
    with pytest.raises(PrologProblem, match="the Python function q raised RecursionError"):
        maxsynth.learn(task)


# -- SWI-Prolog -------------------------------------------------------------------------------------------------------


@pytest.mark.swipl
@pytest.mark.parametrize("name", ["doubled terms", "naturals", "itself first", "all of repeat", "large power"])
def test_swipl_ends_every_call(name: str, tmp_path: Path) -> None:
    known = swipl.Swipl(tmp_path / "bk.pl", steps=200_000, memory=128 << 20, text=ENDLESS[name])
    with pytest.raises(EndlessProblem):
        known.solve("q", 1, (), [()])
    known.close()


@pytest.mark.swipl
def test_a_long_reply_comes_in_parts(tmp_path: Path) -> None:
    text = "q(X,Y) :- numlist(1,100000,L), member(_,[a,b,c]), Y = X-L."
    known = swipl.Swipl(tmp_path / "bk.pl", text=text)
    assert len(known.solve("q", 2, (0,), [(i,) for i in range(10)])) in range(1, 10)
    assert known.spent > 0
    known.close()


@pytest.mark.swipl
def test_a_reply_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swipl, "MOST_REPLY", 1 << 20)
    known = swipl.Swipl(tmp_path / "bk.pl", text="q(X) :- numlist(1,300000,X).")
    with pytest.raises(EndlessProblem, match=r"q/1 on q\(_\): the answers take more than 1 MB"):
        known.solve("q", 1, (), [()])
    known.close()


@pytest.mark.swipl
def test_swipl_is_stopped(tmp_path: Path) -> None:
    known = swipl.Swipl(tmp_path / "bk.pl", steps=10**12, text="q(1) :- repeat, fail.")
    asked = itertools.count()
    known.watch(lambda: next(asked) == 1)
    with pytest.raises(StoppedAskingError):
        known.solve("q", 1, (), [()])
    assert known.defines("q", 1)  # by another process
    known.close()


def test_a_recursion_that_makes_ever_larger_terms_runs_out_of_steps() -> None:
    """Each call doubles a list: what takes too long is the program, and not BK."""
    target, twice, empty = Predicate("f", 2), Predicate("twice", 2), Predicate("empty", 1)
    bk = "twice(A,B) :- findall(X,(member(X,A) ; member(X,A)),B).\nempty([])."
    known = background(bk, {target: ("in", "out"), twice: ("in", "out"), empty: ("in",)})
    calls, base = (
        Rule(Literal("f", (0, 1)), body)
        for body in (
            (Literal("twice", (0, 2)), Literal("f", (2, 1))),
            (Literal("twice", (0, 1)), Literal("empty", (0,))),
        )
    )
    rows = np.array([[known.store.intern(parse_term(text).term) for text in ("[a]", "[]")]], np.int32)
    found = Evaluator(known, target).quick_coverage(Program((base, calls)), rows, 5000)
    assert not found.covered.any()
    assert found.unfinished.all()
