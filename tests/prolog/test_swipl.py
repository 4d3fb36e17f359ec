"""The SWI-Prolog engine as a user of it sees it: answers, terms, errors, limits, crashes.

What background knowledge must not be able to do is in `test_escape_swipl`.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxsynth.errors import MaxSynthError, PrologProblem, SyntaxProblem
from maxsynth.prolog.swipl.swipl import Swipl, find_swipl
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, list_items, make_list

pytestmark = [
    pytest.mark.swipl,
    pytest.mark.skipif(find_swipl() is None, reason="SWI-Prolog is not installed"),
]

Make = Callable[..., Swipl]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes engines from the text of a BK, and closes them all."""
    engines: list[Swipl] = []

    def build(text: str, **limits: float) -> Swipl:
        file = tmp_path / f"bk{len(engines)}.pl"
        file.write_text(text, encoding="utf-8")
        engines.append(Swipl(file, **limits))  # type: ignore[arg-type]
        return engines[-1]

    yield build
    for engine in engines:
        engine.close()


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swipl]:
    file = tmp_path_factory.mktemp("echo") / "bk.pl"
    file.write_text("same(X, X).\n")
    engine = Swipl(file)
    yield engine
    engine.close()


def ask(engine: Swipl, name: str, *given: Term | None) -> list[tuple[Term, ...]]:
    """The answers of one call; None stands for a variable."""
    inputs = tuple(i for i, term in enumerate(given) if term is not None)
    row = tuple(term for term in given if term is not None)
    return engine.solve(name, len(given), inputs, [row])[0]


def plain(term: Term) -> object:
    """A term as something that `==` compares, with the type of each part."""
    if isinstance(term, Struct):
        if term.name == "[|]" and len(term.args) == 2:
            items = [plain(item) for item in list_items(term)]
            rest: Term = term
            while isinstance(rest, Struct) and rest.name == "[|]" and len(rest.args) == 2:
                rest = rest.args[1]
            return ("list", items, plain(rest))
        return (term.name, [plain(argument) for argument in term.args])
    if isinstance(term, float):
        return ("float", "nan" if math.isnan(term) else term.hex())
    return (type(term).__name__, term)


# --- answers -----------------------------------------------------------------------------------------------


def test_answers_keep_order_and_duplicates(make: Make) -> None:
    engine = make("p(a, 2). p(a, 1). p(b, 3). p(a, 2).\nq(X, X). q(_, c).\n")
    rows = [(Atom("a"),), (Atom("c"),), (Atom("b"),)]
    assert engine.solve("p", 2, (0,), rows) == [[(2,), (1,), (2,)], [], [(3,)]]
    assert ask(engine, "p", None, 2) == [(Atom("a"),), (Atom("a"),)]
    assert ask(engine, "p", None, None) == [(Atom("a"), 2), (Atom("a"), 1), (Atom("b"), 3), (Atom("a"), 2)]
    assert ask(engine, "q", Atom("c"), Atom("c")) == [(), ()]
    assert ask(engine, "q", Atom("b"), Atom("a")) == []


def test_no_rows_and_no_arguments(make: Make) -> None:
    engine = make("yes. no :- fail.\n")
    assert engine.solve("yes", 0, (), []) == []
    assert engine.solve("yes", 0, (), [(), ()]) == [[()], [()]]
    assert engine.solve("no", 0, (), [()]) == [[]]


def test_inputs_may_come_in_any_order(make: Make) -> None:
    engine = make("t(X, Y, Z) :- Z = X-Y.\n")
    [[(answer,)]] = engine.solve("t", 3, (1, 0), [(Atom("second"), Atom("first"))])
    assert plain(answer) == ("-", [("Atom", Atom("first")), ("Atom", Atom("second"))])


def test_defines(make: Make) -> None:
    engine = make(":- dynamic empty/2.\np(a).\nr(X) :- p(X).\n")
    for name, arity in [("p", 1), ("r", 1), ("empty", 2), ("append", 3), ("length", 2), ("call", 2), ("=", 2)]:
        assert engine.defines(name, arity), name
    for name, arity in [("p", 2), ("nowhere", 1), ("empty", 1), ("shell", 1), ("open", 3)]:
        assert not engine.defines(name, arity), name
    assert ask(engine, "empty", None, None) == []


def test_builtins_can_be_asked_directly(make: Make) -> None:
    engine = make("double(X, Y) :- Y is 2 * X.\n")
    assert ask(engine, "length", make_list([1, 2]), None) == [(2,)]
    [(result,)] = ask(engine, "maplist", Atom("double"), make_list([1, 2]), None)
    assert list(list_items(result)) == [2, 4]


PROGRAMS = {
    "lambda": ("t(L) :- maplist([X, Y]>>(Y is X + 1), [1, 2], L).", [[2, 3]]),
    "lambda with free variable": ("t(L) :- N = 5, maplist({N}/[X, Y]>>(Y is X * N), [1, 2], L).", [[5, 10]]),
    "lambda as a value": ("t(L) :- P = [X, Y]>>(Y is X * X), maplist(P, [2, 3], L).", [[4, 9]]),
    "fold": ("t(S) :- foldl([X, A, B]>>(B is A + X), [1, 2, 3], 0, S).", [6]),
    "constructed goal": ("t(X) :- G =.. [member, X, [1, 2]], call(G).", [1, 2]),
    "variable goal": ("t(X) :- G = (member(X, [1, 2, 3]), X > 1), G.", [2, 3]),
    "own higher order": (
        "map(_, [], []).\nmap(P, [X|Xs], [Y|Ys]) :- call(P, X, Y), map(P, Xs, Ys).\n"
        "inc(X, Y) :- Y is X + 1.\nt(L) :- map(inc, [1, 2], L).",
        [[2, 3]],
    ),
    "closure with arguments": ("t(L) :- maplist(plus(10), [1, 2], L).", [[11, 12]]),
    "nested closure": ("t(S) :- maplist(maplist(succ), [[1], [2]], L), flatten(L, S).", [[2, 3]]),
    "collecting": ("t(L) :- setof(X, Y^member(X-Y, [2-a, 1-b, 2-c]), L).", [[1, 2]]),
    "counting": ("t(N) :- aggregate_all(count, member(_, [a, b]), N).", [2]),
    "grammar": ("t(N) :- phrase(as(N), `aaa`).\nas(N) --> `a`, as(M), { N is M + 1 }.\nas(0) --> [].", [3]),
    "dynamic": (":- dynamic f/1.\nt(X) :- retractall(f(_)), assertz(f(1)), asserta((f(X) :- X = 0)), f(X).", [0, 1]),
    "undeclared dynamic": ("t(X) :- assertz(g(3)), g(X).", [3]),
    "meta-interpreter": (
        "s(true) :- !.\ns((A, B)) :- !, s(A), s(B).\ns(H) :- clause(H, B), s(B).\n"
        "k(1).\nk(2) :- k(1).\nt(X) :- s(k(X)).",
        [1, 2],
    ),
    "tabling": (":- table p/2.\ne(1, 2). e(2, 1).\np(X, Y) :- p(X, Z), e(Z, Y).\np(X, Y) :- e(X, Y).\n"
                "t(L) :- findall(Y, p(1, Y), L0), msort(L0, L).", [[1, 2]]),
    "constraints": (":- use_module(library(clpfd)).\nt(X) :- X in 1..9, X * X #= 49, label([X]).", [7]),
    "catching": ("t(X) :- catch(atom_length(_, _), error(E, _), true), X = E.", [Atom("instantiation_error")]),
    "not catching": ("t(X) :- catch(catch(throw(a), b, X = 1), a, X = 2).", [2]),
    "coroutine": ("t(X) :- freeze(Y, X = Y), Y = 1.", [1]),
    "local cut": ("t(X) :- member(X, [1, 2, 3]), \\+ \\+ (member(_, [a]), !), call((true, !)), X > 1.", [2, 3]),
    "if then else": ("t(X) :- member(Y, [1, 2]), (Y =:= 1 -> X = one ; X = other).", [Atom("one"), Atom("other")]),
    "operator": (":- op(700, xfx, ===>).\nr(1 ===> 2).\nt(X) :- r(1 ===> X).", [2]),
    "codes": (':- set_prolog_flag(double_quotes, codes).\nt(X) :- "a" = [X].', [97]),
    "string": ('t(X) :- X = "a".', [String("a")]),
    "formatting": ('t(X) :- format(atom(X), "~w-~a~t~8|.", [1, b]).', [Atom("1-b     .")]),
    "override library": ("t(X) :- last([1, 2], X).\nlast([X|_], X).", [1]),
    "override built-in": ("is_list(never).\nt(1) :- \\+ is_list([]).", [1]),
    "discontiguous": ("t(1).\ns(a).\nt(2).\ns(b).\nt(3) :- s(b).\nt(4).", [1, 2, 3, 4]),
    "qualified": ("t(X) :- user:u(X), lists:append([1], [2], [X|_]).\nuser:u(1).", [1]),
    "assertion": ("t(1) :- assertion(true), must_be(integer, 3).", [1]),
    "module header": (":- module(m, [t/1]).\n:- encoding(utf8).\n:- use_module(library(lists)).\nt(1).", [1]),
    "global variable": ("t(X) :- b_setval(v, 1), b_getval(v, X).", [1]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(make: Make, name: str) -> None:
    text, expected = PROGRAMS[name]
    answers = [list(list_items(t)) if isinstance(t, Struct) else t for (t,) in ask(make(text + "\n"), "t", None)]
    assert answers == expected


def test_output_goes_nowhere(make: Make) -> None:
    engine = make("t(1) :- write(hello), nl, print(x), writeln(user_output, y), format('~w~n', [z]), tab(3).\n")
    assert ask(engine, "t", None) == [(1,)]
    assert ask(engine, "t", None) == [(1,)]


def test_scripts_and_byte_order_marks(make: Make) -> None:
    assert ask(make("#!/usr/bin/env swipl\nt(1).\n"), "t", None) == [(1,)]
    assert ask(make("\ufefft(1).\r\nt('é').\r\n"), "t", None) == [(1,), (Atom("é"),)]


# --- terms -------------------------------------------------------------------------------------------------

ATOMS = ["", " ", "a", "A", "_", "hello world", "it's", 'say "x"', "back\\slash", "a\nb", "\t\r\x07\x1b\x7f", "[]x",
         "{}", "é", "¹", "日本", "😀", "\u2028", "\xa0", "\u200b", "-", "- 1", "1", "1.5", ":-", "|", ",", ";",
         "!", "dynamic", "is", "end_of_file", " .", " !", "\\n", "''", ".", "$VAR", "\ufeff", "0'a", "/*", "%",
         "\x00", "inf", "nan"]  # fmt: skip


@pytest.mark.parametrize("text", ATOMS)
def test_atoms_and_strings_survive(echo: Swipl, text: str) -> None:
    for term in (Atom(text), String(text), Struct(text, (Atom(text), String(text)))):
        [(answer,)] = ask(echo, "same", term, None)
        assert plain(answer) == plain(term)


NUMBERS = [0, -1, 2**63, -(2**63), 2**63 - 1, -(2**63) - 1, 10**5000, -(7**3000), 0.0, -0.0, 1.0, 0.1, 1e16,
           1e22, 1e300, 5e-324, -1.7976931348623157e308, 1 / 3, 123456789.123456789, math.inf, -math.inf,
           math.nan]  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS, ids=[str(index) for index in range(len(NUMBERS))])
def test_numbers_survive(echo: Swipl, number: Term) -> None:
    [(answer,)] = ask(echo, "same", number, None)
    assert plain(answer) == plain(number)


def _terms() -> st.SearchStrategy[Term]:
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    constants = st.one_of(text.map(Atom), text.map(String), st.integers(), st.floats(), st.just(NIL))

    def grow(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        compounds = st.builds(
            lambda name, args: Struct(name, tuple(args)), text, st.lists(inner, min_size=1, max_size=3)
        )
        return compounds | st.builds(make_list, st.lists(inner, max_size=4), st.just(NIL) | inner)

    return st.recursive(constants, grow, max_leaves=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_terms(), min_size=1, max_size=5))
def test_any_term_survives(echo: Swipl, terms: list[Term]) -> None:
    answers = echo.solve("same", 2, (1,), [(term,) for term in terms])
    assert [[plain(t) for (t,) in row] for row in answers] == [[plain(term)] for term in terms]


def test_long_lists_and_deep_terms_survive(echo: Swipl) -> None:
    [(answer,)] = ask(echo, "same", make_list([*range(300_000), Atom("a b")], Atom("tail")), None)
    items = list(list_items(answer))
    assert items == [*range(300_000), Atom("a b")]
    deep: Term = Atom("z")
    for _ in range(50_000):
        deep = Struct("s", (deep,))
    [(answer,)] = ask(echo, "same", deep, None)
    depth = 0
    while isinstance(answer, Struct):
        answer = answer.args[0]
        depth += 1
    assert depth == 50_000


def test_what_has_no_counterpart(make: Make) -> None:
    engine = make("r(X) :- X is 1 rdiv 3.\nc(X) :- X = f(X).\nok(1).\n")
    for name in ("r", "c"):
        with pytest.raises(PrologProblem):
            ask(engine, name, None)
    with pytest.raises(MaxSynthError, match="surrogate"):
        ask(engine, "ok", Atom("\ud800"))
    assert ask(engine, "ok", None) == [(1,)]


# --- errors ------------------------------------------------------------------------------------------------

ERRORS = {
    "type": ("\n\nt(X) :- Y is foo + 1,\n    X = Y.", 3, r"found foo/0 \(in \(is\)/2\), in the call t\(_\)"),
    "last call": ("t(X) :- u(X).\nu(X) :-\n    atom_length(X, _).", 2, "an argument is not bound"),
    "undefined": ("t(X) :- member(X, [1]), nowhere(X).", 1, "unknown predicate nowhere/1"),
    "second clause": ("t(X) :- fail, X = 1.\nt(X) :- X is a.", 2, "found a/0"),
    "thrown": ("t(_) :- u.\nu :- throw(my(ball, _)).", 2, r"uncaught exception my\(ball,_\)"),
    "passed on": ("t(_) :- catch(u, nothing, true).\nu :- atom_length(f(x), _).", 2, r"found f\(x\)"),
    "division": ("t(X) :- X is 1 / 0.", 1, "zero_div"),
    "no instance": ("t(1) :- call(_).", 1, "not bound"),
    "called number": ("t(1) :- X = 3, call(X).", 1, "expected callable, found 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_name_call_and_line(make: Make, name: str) -> None:
    text, line, message = ERRORS[name]
    engine = make(text + "\nok(1).\n")
    with pytest.raises(PrologProblem, match=message) as caught:
        ask(engine, "t", None)
    position = caught.value.position
    assert position is not None
    assert position.line == line
    assert position.file.endswith(".pl")
    assert ask(engine, "ok", None) == [(1,)]


def test_the_failing_row_is_named(make: Make) -> None:
    engine = make("t(X, Y) :- Y is 10 / X.\n")
    with pytest.raises(PrologProblem, match=r"in the call t\(0, _\)"):
        engine.solve("t", 2, (0,), [(1,), (0,), (2,)])


def test_a_long_call_is_cut_short(make: Make) -> None:
    engine = make("t(_) :- throw(no).\n")
    with pytest.raises(PrologProblem) as caught:
        ask(engine, "t", make_list(range(100_000)))
    assert len(str(caught.value)) < 600


def test_unknown_predicate(make: Make) -> None:
    with pytest.raises(PrologProblem, match="unknown predicate nowhere/2"):
        ask(make("t(1).\n"), "nowhere", 1, None)


def test_answers_must_be_ground(make: Make) -> None:
    engine = make("\nt(1, f(_)).\nt(_, 2).\n")
    with pytest.raises(PrologProblem, match=r"t/2 leaves argument 2 unbound in an answer to t\(_, _\)") as caught:
        ask(engine, "t", None, None)
    assert caught.value.position is not None
    assert caught.value.position.line == 2


BROKEN = {
    "operator": ("\nt(1).\nt(2) :- a b.\n", 3, SyntaxProblem),
    "bracket": ("t(1).\nt(f(.\n", 2, SyntaxProblem),
    "quote": ("t(1).\n\nt('abc).\n", 3, SyntaxProblem),
    "end": ("t(1)", 1, SyntaxProblem),
    "control": ("t(1).\n(a, b) :- c.\n", 2, PrologProblem),
    "ISO built-in": ("t(1).\n\natom_length(a, b).\n", 3, PrologProblem),
    "number as head": ("3 :- a.\n", 1, PrologProblem),
    "variable as head": ("t(1).\nX :- t(X).\n", 2, PrologProblem),
    "number as goal": ("t(1).\nt(X) :- X = 1, 3.\n", 2, PrologProblem),
    "declaration": ("t(1).\n:- dynamic foo.\n", 2, PrologProblem),
    "single-sided rule": ("t(1).\nt(X) => u(X).\n", 2, PrologProblem),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_loaded_is_reported_with_its_line(make: Make, name: str) -> None:
    text, line, kind = BROKEN[name]
    with pytest.raises(kind) as caught:
        make(text)
    assert caught.value.position is not None
    assert caught.value.position.line == line
    assert "\n" not in str(caught.value)


def test_warnings_are_silent(make: Make) -> None:
    assert ask(make("t(X, Y) :- u(X).\nu(1).\nt(2, 2).\n"), "u", None) == [(1,)]


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(MaxSynthError, match="cannot read"):
        Swipl(tmp_path / "missing.pl")
    (tmp_path / "latin.pl").write_bytes(b"a.\nb('\xe9').\n")
    with pytest.raises(MaxSynthError, match="UTF-8") as caught:
        Swipl(tmp_path / "latin.pl")
    assert caught.value.position is not None
    assert caught.value.position.line == 2
    with pytest.raises(MaxSynthError, match="not installed"):
        Swipl(tmp_path / "latin.pl", program="no-such-swipl")


def test_swipl_may_be_a_script(tmp_path: Path) -> None:
    script = tmp_path / "swipl"
    script.write_text(f'#!/bin/sh\nexec {find_swipl()} "$@"\n')
    script.chmod(0o755)
    (tmp_path / "bk.pl").write_text("t(1).\n")
    engine = Swipl(tmp_path / "bk.pl", program=str(script))
    assert ask(engine, "t", None) == [(1,)]
    engine.close()


def test_find_swipl_honours_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXSYNTH_SWIPL", "/no/such/swipl")
    assert find_swipl() is None
    monkeypatch.delenv("MAXSYNTH_SWIPL")
    found = find_swipl()
    assert found is not None
    monkeypatch.setenv("MAXSYNTH_SWIPL", found)
    assert find_swipl() == found


# --- limits ------------------------------------------------------------------------------------------------


def test_budget_is_per_row_and_deterministic(make: Make) -> None:
    text = (
        "count(N, N).\ncount(N, X) :- N < 1000, M is N + 1, count(M, X).\n"
        "last(X) :- count(0, X), X >= 1000.\nloop(X) :- loop(X).\n"
    )
    engine = make(text, steps=20_000)
    rows: list[tuple[Term, ...]] = [()] * 100
    assert engine.solve("last", 1, (), rows) == [[(1000,)]] * 100
    with pytest.raises(PrologProblem, match=r"loop/1 took more than 20000 steps on loop\(_\)") as caught:
        ask(engine, "loop", None)
    assert caught.value.position is not None
    assert caught.value.position.line == 4
    assert ask(engine, "last", None) == [(1000,)]


def test_the_budget_cannot_be_caught(make: Make) -> None:
    engine = make("t(1) :- catch(loop, _, true), catch(loop, _, true).\nloop :- loop.\n", steps=10_000)
    with pytest.raises(PrologProblem, match="10000 steps"):
        ask(engine, "t", None)


def test_wall_clock(make: Make) -> None:
    engine = make("loop :- repeat, fail.\nok(1).\n", seconds=1.0, steps=1 << 60)
    begin = time.monotonic()
    with pytest.raises(PrologProblem, match="loop/0 on loop: no result within 1 seconds"):
        ask(engine, "loop")
    assert time.monotonic() - begin < 5
    assert ask(engine, "ok", None) == [(1,)]


def test_stack_overflow(make: Make) -> None:
    engine = make("\ndeep(X) :- deep([X|X]), true.\nok(1).\n", memory=128 << 20)
    with pytest.raises(PrologProblem, match=r"deep/1 ran out of memory .* on deep\(1\)") as caught:
        ask(engine, "deep", 1)
    assert caught.value.remedy
    assert caught.value.position is not None
    assert caught.value.position.line == 2
    assert ask(engine, "ok", None) == [(1,)]


# --- the process -------------------------------------------------------------------------------------------


def test_restart_after_a_kill_between_calls(make: Make) -> None:
    engine = make("t(1).\n")
    first = engine.pid
    os.kill(first, signal.SIGKILL)
    _wait_until_gone(engine, first)
    assert ask(engine, "t", None) == [(1,)]
    assert engine.pid != first


def _wait_until_gone(engine: Swipl, pid: int) -> None:
    deadline = time.monotonic() + 5
    while engine.pid == pid and time.monotonic() < deadline:
        time.sleep(0.01)


def test_kill_during_a_call(make: Make) -> None:
    engine = make("loop :- repeat, fail.\nok(1).\n", steps=1 << 60)
    killer = threading.Timer(0.3, os.kill, (engine.pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(PrologProblem, match=r"loop/0 on loop: the SWI-Prolog process died .*SIGKILL"):
        ask(engine, "loop")
    killer.join()
    assert ask(engine, "ok", None) == [(1,)]


def test_two_engines_side_by_side(make: Make) -> None:
    engines = [make(f"t(X, Y) :- Y is X + {k}.\n") for k in (1, 2)]
    results: dict[int, list[list[tuple[Term, ...]]]] = {}

    def work(k: int) -> None:
        results[k] = [row for _ in range(20) for row in engines[k].solve("t", 2, (0,), [(i,) for i in range(50)])]

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in (0, 1):
        assert results[k] == [[(i + k + 1,)] for i in range(50)] * 20


def test_one_engine_from_several_threads(make: Make) -> None:
    engine = make("t(X, Y) :- Y is X + 1.\n")
    wrong: list[int] = []

    def work() -> None:
        wrong.extend(i for i in range(200) if ask(engine, "t", i, None) != [(i + 1,)])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_close_leaves_nothing_behind(make: Make) -> None:
    engine = make("t(1).\n")
    pid = engine.pid
    folder = Path(engine._process._folder)  # type: ignore[union-attr]
    assert folder.exists()
    engine.close()
    engine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not folder.exists()


def test_a_forgotten_engine_is_cleaned_up(tmp_path: Path) -> None:
    (tmp_path / "bk.pl").write_text("t(1).\n")
    pid = Swipl(tmp_path / "bk.pl").pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_gets_its_own_process(make: Make) -> None:
    engine = make("t(1).\n")
    first = engine.pid
    child = os.fork()
    if child == 0:
        try:
            fine = ask(engine, "t", None) == [(1,)] and engine.pid != first
            engine.close()
            os._exit(0 if fine else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert ask(engine, "t", None) == [(1,)]
    assert engine.pid == first


def test_batches_are_fast(echo: Swipl) -> None:
    rows: list[tuple[Term, ...]] = [(i,) for i in range(10_000)]
    begin = time.monotonic()
    assert echo.solve("same", 2, (0,), rows) == [[row] for row in rows]
    assert time.monotonic() - begin < 2  # 0.06 seconds on an idle machine
