"""Background knowledge that attacks through the built-in engine: nothing is touched, and every call ends.

An attack is the body of a rule. It must end in an error of one line or in an answer, in bounded time and memory, leave
no trace on the machine, and leave the engine as it was.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.errors import MaxSynthError
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.consult import consult
from maxsynth.prolog.interpreter import builtins
from maxsynth.prolog.interpreter.interpreter import Interpreter
from maxsynth.prolog.terms import Atom, String, Struct, Term, Var, make_list

STEPS = 30_000
SECONDS = 15.0  # generous: the machine may be busy
MEMORY = 400_000_000

# Helpers for the attacks: doubling texts, sharing terms, recursing, and terms of any depth.
TOOLS = r"""
double(0, A, A) :- !.
double(N, A, B) :- atom_concat(A, A, C), M is N-1, double(M, C, B).
double_string(0, A, A) :- !.
double_string(N, A, B) :- string_concat(A, A, C), M is N-1, double_string(M, C, B).
share(0, T, T) :- !.
share(N, A, T) :- M is N-1, share(M, g(A,A), T).
sum(0, T, T) :- !.
sum(N, A, T) :- M is N-1, sum(M, A+A, T).
deep(N) :- M is N+1, deep(M), true.
wide(N) :- wide(s(N,N)), wide(N).
choices(N) :- M is N+1, choices(M).
choices(_).
caught :- catch(caught, _, caught).
factorial(0, 1) :- !.
factorial(N, F) :- M is N-1, factorial(M, G), F is N*G.
quoted(0, a) :- !.
quoted(N, A) :- M is N-1, quoted(M, B), term_to_atom(f(B,B), A).
nested(0, _, T, T) :- !.
nested(N, F, A, T) :- M is N-1, B =.. [F,A], nested(M, F, B, T).
brackets(N, A) :- length(L, N), all_open(L), atom_codes(A, L).
all_open([]).
all_open([0'(|T]) :- all_open(T).
"""

# MARK is a file that must not come into being, SECRET one that must not be read.
TOUCHING = [
    "shell('touch MARK')",
    "shell('touch MARK', 0)",
    "system('touch MARK')",
    "process_create(path(touch), ['MARK'], [])",
    "open('MARK', write, S), close(S)",
    "open('SECRET', read, S), read(S, X), throw(X)",
    "open(pipe('touch MARK'), write, S), close(S)",
    "tell('MARK'), write(x), told",
    "append('MARK'), write(x), told",
    "see('SECRET'), read(X), seen, throw(X)",
    "read_term(X, []), throw(X)",
    "read_term(user_input, X, []), throw(X)",
    "read_file_to_terms('SECRET', X, []), throw(X)",
    "read_file_to_string('SECRET', X, []), throw(X)",
    "csv_read_file('SECRET', X), throw(X)",
    "consult('SECRET'), secret(X), throw(X)",
    "['SECRET'], secret(X), throw(X)",
    "load_files('SECRET', []), secret(X), throw(X)",
    "ensure_loaded('SECRET'), secret(X), throw(X)",
    "use_module('SECRET'), secret(X), throw(X)",
    "exists_file('SECRET'), throw('hidden 42')",
    "absolute_file_name('SECRET', X), throw(X)",
    "directory_files('/', X), throw(X)",
    "delete_file('SECRET')",
    "make_directory('MARK')",
    "tmp_file(x, X), throw(X)",
    "working_directory(X, X), throw(X)",
    "getenv('HOME', X), throw(X)",
    "setenv(maxsynth_escaped, 1)",
    "tcp_connect(localhost:80, S, [])",
    "http_open('http://localhost', S, [])",
    "thread_create(true, _)",
    "use_foreign_library('SECRET')",
    "save_program('MARK')",
    "qsave_program('MARK')",
    "py_call(os:system('touch MARK'))",
    # the same goals, made at run time
    "G =.. [shell, 'touch MARK'], call(G)",
    "G =.. [shell, 'touch MARK'], G",
    "atom_concat(she, ll, N), G =.. [N, 'touch MARK'], once(G)",
    "atom_codes(N, \"shell\"), call(N, 'touch MARK')",
    "term_to_atom(G, 'shell(''touch MARK'')'), call(G)",
    "term_string(G, \"shell('touch MARK')\"), \\+ \\+ G",
    "atom_to_term('shell(''touch MARK'')', G, _), findall(x, G, _)",
    "sformat(S, '~w', [x]), call(S)",
    "functor(G, shell, 1), arg(1, G, 'touch MARK'), forall(true, G)",
    "copy_term(shell('touch MARK'), G), ignore(G)",
    "maplist(shell, ['touch MARK'])",
    "foldl([X,A,A]>>shell(X), ['touch MARK'], 0, _)",
    "call([X]>>shell(X), 'touch MARK')",
    "findall(x, shell('touch MARK'), _)",
    "bagof(x, shell('touch MARK'), _)",
    "aggregate_all(count, shell('touch MARK'), _)",
    "catch(throw(shell('touch MARK')), G, G)",
    "catch(throw(x), _, shell('touch MARK'))",
    "setup_call_cleanup(true, true, shell('touch MARK'))",
    "apply(shell, ['touch MARK'])",
    "phrase(shell, 'touch MARK', _)",
    "call(call, call, shell, 'touch MARK')",
    # through modules
    "system:shell('touch MARK')",
    "user:shell('touch MARK')",
    "M = system, M:shell('touch MARK')",
    "call(system:shell, 'touch MARK')",
    "lists:append([a], [b], _), system:(true, shell('touch MARK'))",
    "@(shell('touch MARK'), system)",
    "module(system), shell('touch MARK')",
    # through the clause store, flags, operators, global state
    "assertz((shell(X) :- throw(X))), shell('hidden 42')",
    "asserta(t(hacked))",
    "retract(kept(1))",
    "retractall(kept(_))",
    "abolish(kept/1)",
    "erase(x)",
    "assertz(member(x, y))",
    "assertz(term_expansion(kept(1), kept(2)))",
    "op(700, xfx, is)",
    "op(0, xfx, :-)",
    "set_prolog_flag(unknown, fail)",
    "set_prolog_flag(double_quotes, codes)",
    "nb_setval(x, 1)",
    "b_setval(x, 1)",
    "recordz(x, y)",
    "flag(x, _, 1)",
    "set_stream(user_output, alias(x))",
    "halt",
    "halt(1)",
    "catch(halt, _, halt)",
    "prolog_cut_to(0)",
    "abort",
    "garbage_collect",
    "set_prolog_stack(global, limit(1))",
    # into the engine itself
    "'$groups'(x, _)",
    "'$free_variables'(_, _, _, _)",
    "'$bagof'(_, _, halt, _)",
    "call('$groups', [1], _)",
    "'$skip_list'(_, _)",
]

# Attacks on time and memory.
CONSUMING = [
    "numlist(1, 1000000000, _)",
    "length(_, 1000000000)",
    "length(L, N), N < 0",
    "findall(X, between(1, inf, X), _)",
    "findall(X, repeat, _)",
    "aggregate_all(count, between(1, inf, _), _)",
    "forall(between(1, inf, X), X > 0)",
    "functor(_, f, 1000000000)",
    "functor(_, f, 100000000000000000000000)",
    "length(L, 90000), G =.. [f|L], copy_term(G, _), fail",
    "repeat, fail",
    "deep(0)",
    "wide(0)",
    "choices(0)",
    "caught",
    "catch(deep(0), _, true)",
    "catch((repeat, fail), _, true)",
    "catch(choices(0), _, (repeat, fail))",
    # numbers
    "_ is 2**(10**10)",
    "_ is 10**(10**10)",
    "_ is 1 << (1 << 40)",
    "_ is 7**(7**7)",
    "_ is (2**900000) ** 3",
    "X is 3**600000, _ is X*X*X*X",
    "X is 3**600000, atom_length(X, _)",
    "X is 3**600000, Y is 7**300000, _ is X mod Y, _ is gcd(X, Y)",
    "X is 3**600000, repeat, _ is X*3, fail",
    "_ is powm(3, 2**9999, 7**9999)",
    "factorial(100000, _)",
    # texts
    "double(60, a, _)",
    'double_string(60, "a", _)',
    "double(22, a, A), atom_chars(A, _)",
    "double(20, a, A), sub_atom(A, _, _, _, b)",
    "double(20, a, A), atom_concat(X, _, A), X == b",
    "double(15, a, A), findall(B, sub_atom(A, _, _, _, B), _)",
    "double(20, 'a,', A), atomic_list_concat(_, ',', A)",
    "numlist(1, 300000, L), atomic_list_concat(L, _)",
    "quoted(20, _)",
    "brackets(30000, A), term_to_atom(_, A)",
    # shared and deep terms
    *[
        f"share(60, a, T), {goal}"
        for goal in (
            "copy_term(T, _)", "share(60, a, U), T == U", "share(60, a, U), T = U", "share(60, a, U), U \\= T",
            "ground(T)", "term_variables(T, _)", "T =@= T", "term_to_atom(T, _)", "throw(T)", "findall(T, true, _)",
            "sort([T, T], _)", "atom_length(T, _)", "subsumes_term(T, T)", "catch(throw(T), _, true)", "call(T)",
        )
    ],
    "sum(60, 1, T), _ is T",
    "nested(30000, f, a, T), copy_term(T, U), T == U, ground(T), term_to_atom(T, _)",
    "nested(10000, call, true, G), call(G)",
    "nested(10000, f, a, T), throw(T)",
    "numlist(1, 100000, L), permutation(L, P), P == x",
    "numlist(1, 3000, L), findall(X-Y, (member(X, L), member(Y, L)), _)",
    "numlist(1, 20000, L), list_to_set(L, _), subtract(L, L, _)",
    # cyclic terms
    *[
        f"X = f(X), {goal}"
        for goal in (
            "copy_term(X, _)", "Y = f(Y), X == Y", "Y = f(Y), X = Y", "ground(X)", "term_variables(X, _)", "throw(X)",
            "term_to_atom(X, _)", "findall(X, true, _)", "call(X)", "atom_length(X, _)", "Y = f(Y), X @< Y",
        )
    ],
    *[
        f"X = [a|X], {goal}"
        for goal in ("length(X, _)", "msort(X, _)", "member(b, X)", "last(X, _)", "_ =.. X", "atom_length(X, _)")
    ],
    "X = 1+X, _ is X",
    *[
        f"X = ({goal}), call(X)"
        for goal in ("X, X", "X ; X", "true, X", "m:X", "once(X)", "call(X)", "findall(a, X, _)", "catch(X, _, true)")
    ],
]  # fmt: skip

# Control constructs inside each other, in the file or made at run time.
NESTED = [
    *[
        f"X = ({goal}), call(X)"
        for goal in ("\\+ X", "not(X)", "forall(true, X)", "X -> true ; true", "true -> X ; true", "X *-> true ; true")
    ],
    "nested(1000, \\+, true, G), call(G)",
    "nested(1000, once, true, G), call(G)",
    "\\+ " * 5000 + "true",
    "once(" * 5000 + "true" + ")" * 5000,
    "(" * 5000 + "true" + " -> true ; true)" * 5000,
    "(" * 5000 + "true" + " ; true)" * 5000,
]


def engine_for(attack: str) -> Interpreter:
    text = f"{TOOLS}\nkept(1).\nt(X) :- {attack}, X = done.\n"
    source = consult(text, "bk.pl", TermStore())
    assert not source.strange
    return Interpreter(source, steps=STEPS, dynamic=source.dynamic)


def attack_with(goal: str) -> str:
    """Runs an attack; gives the message, or the answers. Then the engine must be as good as new."""
    engine = engine_for(goal)
    start = time.monotonic()
    try:
        result = str(engine.solve("t", 1, (), [()]))
    except MaxSynthError as error:
        result = str(error)
        assert "\n" not in result
        assert len(result) < 1000
    assert time.monotonic() - start < SECONDS
    assert engine.solve("kept", 1, (), [()]) == [[(1,)]]
    return result


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.parametrize("goal", TOUCHING)
def test_nothing_is_touched(goal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret, mark = tmp_path / "secret.pl", tmp_path / "mark"
    secret.write_text("secret('hidden 42').\n")
    monkeypatch.chdir(tmp_path)
    result = attack_with(goal.replace("MARK", str(mark)).replace("SECRET", str(secret)))
    assert os.listdir(tmp_path) == ["secret.pl"]
    assert secret.read_text() == "secret('hidden 42').\n"
    assert "hidden 42" not in result
    assert "hacked" not in result
    assert "maxsynth_escaped" not in os.environ


@pytest.mark.parametrize("goal", CONSUMING)
def test_every_call_ends(goal: str) -> None:
    before = peak_memory()
    attack_with(goal)
    assert peak_memory() - before < MEMORY


@pytest.mark.parametrize("goal", NESTED, ids=lambda goal: goal[:40])
def test_nested_control(goal: str) -> None:
    attack_with(goal)


def some_terms() -> list[Term]:
    cells = [make_list([1]), make_list([Atom("a"), Var()]), make_list([1], Var()), make_list([Struct("-", (1, 2))])]
    compounds = [Struct("f", (Var(),)), Struct("-", (1, 2)), Struct("f", ()), Struct("{}", (1,)), *cells]
    numbers: list[Term] = [1, -1, 0, 1.5, float("inf"), 2**70]
    return [Var(), Atom("a"), Atom("[]"), Atom(""), Atom("\ud800"), String("s"), String(""), *numbers, *compounds]


def test_built_ins_take_anything(effort: Callable[[int, int], int]) -> None:
    """Whatever a built-in or library predicate is called with, the outcome is one of Prolog."""
    source = consult("kept(1).\n", "bk.pl", TermStore())
    rng = random.Random(7)
    for name, arity in [*builtins.FUNCTIONS, *builtins.CONTROLS, *builtins.library()]:
        for _ in range(effort(15, 1000)):
            args = tuple(rng.choice(some_terms()) for _ in range(arity))
            goal = Struct(name, args) if arity else Atom(name)
            with contextlib.suppress(MaxSynthError):
                list(Interpreter(source, steps=2000).query(goal, limit=5))


def test_the_budget_cannot_be_caught() -> None:
    """catch/3 stops errors, but not the end of the budget."""
    for goal in ("catch(deep(0), _, true)", "catch((repeat, fail), _, true)", "catch(caught, _, true)"):
        assert "ran for more than 30000 inference steps" in attack_with(goal)


def test_each_row_has_a_budget_of_its_own() -> None:
    source = consult("p(N, done) :- length(L, N), length(L, N).\n", "bk.pl", TermStore())
    engine = Interpreter(source, steps=STEPS)
    rows: list[tuple[Term, ...]] = [(5_000,)] * 20
    assert engine.solve("p", 2, (0,), rows) == [[(Atom("done"),)]] * 20


def test_many_answers_fit_in_the_budget() -> None:
    source = consult("p(X) :- between(1, 10000, X).\n", "bk.pl", TermStore())
    assert len(Interpreter(source, steps=STEPS).solve("p", 1, (), [()])[0]) == 10_000


@pytest.mark.parametrize(
    "directive",
    [
        "initialization(shell('touch MARK'))",
        "shell('touch MARK')",
        "consult('SECRET')",
        "include('SECRET')",
        "['SECRET']",
        "open('MARK', write, S), close(S)",
        "assertz(kept(2))",
        "halt",
        "use_module('SECRET')",
        "ensure_loaded('SECRET')",
        "set_prolog_flag(x, y), shell('touch MARK')",
        "table(p/1), halt",
    ],
)
def test_directives_are_never_run(directive: str, tmp_path: Path) -> None:
    secret, mark = tmp_path / "secret.pl", tmp_path / "mark"
    secret.write_text("kept(secret).\n")
    text = directive.replace("MARK", str(mark)).replace("SECRET", str(secret))
    bk = f":- {text}.\nkept(1).\n"
    if directive.startswith(("use_module", "ensure_loaded")):
        with pytest.raises(MaxSynthError, match="would load another file"):
            consult(bk, "bk.pl", TermStore())
    else:
        source = consult(bk, "bk.pl", TermStore())
        assert source.strange
        assert Interpreter(source).solve("kept", 1, (), [()]) == [[(1,)]]
    assert os.listdir(tmp_path) == ["secret.pl"]


def test_rows_are_data_not_goals() -> None:
    """A term in an example is called only if BK calls it, and then it is a goal like any other."""
    source = consult("t(X) :- call(X).\ns(X, X).\n", "bk.pl", TermStore())
    engine = Interpreter(source, steps=STEPS)
    goal: Term = Struct("shell", (Atom("true"),))
    for name in ("t", "call", "once"):
        with pytest.raises(MaxSynthError):
            engine.solve(name, 1, (0,), [(goal,)])
    assert len(engine.solve("s", 2, (0,), [(goal,)])[0]) == 1


def test_no_built_in_reaches_the_machine() -> None:
    """The modules of the interpreter import nothing that could."""
    allowed = {"__future__", "bisect", "collections", "dataclasses", "functools", "importlib", "itertools", "maxsynth"}
    allowed |= {
        "math",
        "re",
        "sys",
        "typing",
        "unicodedata",
        "numpy",
        "operator",
        "fractions",
        "decimal",
        "string",
        "array",
        "threading",  # for a lock around the table of atoms, which are held weakly
        "weakref",
    }
    script = (
        "import ast, pathlib, sys\nfrom maxsynth.prolog import interpreter\n"
        "names = [m.__file__ for n, m in sys.modules.items() if n.startswith('maxsynth.prolog.')]\n"
        "found = set()\n"
        "for name in names:\n"
        "    for node in ast.walk(ast.parse(pathlib.Path(name).read_text())):\n"
        "        if isinstance(node, ast.Import):\n            found |= {a.name.split('.')[0] for a in node.names}\n"
        "        elif isinstance(node, ast.ImportFrom):\n            found.add((node.module or '').split('.')[0])\n"
        "        elif isinstance(node, ast.Name) and node.id in ('eval', 'exec', 'open', '__import__'):\n"
        "            found.add(node.id)\n"
        "print(*sorted(found))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert set(done.stdout.split()) <= allowed
