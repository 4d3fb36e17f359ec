"""Background knowledge that attacks: each attempt must fail, touch nothing, and leave the engine usable.

Each line of defence is tried alone. The first part goes through `Swipl` without confinement, where only
`swipl_server.pl` stands in the way. The last part gives SWI-Prolog the hostile goal directly, inside `confine`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maxsynth.errors import MaxSynthError
from maxsynth.prolog.swipl import swipl
from maxsynth.prolog.swipl.confine import Plan, command, confinement
from maxsynth.prolog.swipl.swipl import Swipl, _installation, find_swipl
from maxsynth.prolog.terms import Atom, Struct, Term

pytestmark = [
    pytest.mark.swipl,
    pytest.mark.skipif(find_swipl() is None, reason="SWI-Prolog is not installed"),
]

# Goals for the body of a clause. MARK is a file that must not come into being, SECRET one that must not be read,
# OTHER a Prolog file that must not be loaded.
GOALS = [
    # commands
    "shell('touch MARK')",
    "shell('touch MARK', _)",
    "shell",
    "system('touch MARK')",
    "process_create(path(touch), ['MARK'], [])",
    "use_module(library(process)), process_create(path(touch), ['MARK'], [])",
    "open(pipe('touch MARK'), write, S), close(S)",
    "exec('touch MARK')",
    "fork(_)",
    "unix(system('touch MARK'))",
    "win_exec('touch MARK', show)",
    # the same, hidden
    "X =.. [shell, 'touch MARK'], call(X)",
    "X =.. [shell, 'touch MARK'], X",
    "atom_concat(she, ll, N), G =.. [N, 'touch MARK'], once(G)",
    "term_to_atom(G, 'shell(''touch MARK'')'), call(G)",
    "term_string(G, \"shell('touch MARK')\"), \\+ \\+ G",
    "atom_to_term('shell(''touch MARK'')', G, _), findall(x, G, _)",
    "call(shell, 'touch MARK')",
    "call(call, shell, 'touch MARK')",
    "call(call(call, shell), 'touch MARK')",
    "maplist(shell, ['touch MARK'])",
    "P = shell, maplist(P, ['touch MARK'])",
    "foldl([X, A, A]>>shell(X), ['touch MARK'], 0, _)",
    "P = [X]>>shell(X), call(P, 'touch MARK')",
    "G = shell('touch MARK'), call([]>>G)",
    "call([X]>>([Y]>>call(Y, X)), 'touch MARK', shell)",
    "call({}/[X]>>shell(X), 'touch MARK')",
    "call(\\X^shell(X), 'touch MARK')",
    "call([X|_]>>shell(X), 'touch MARK')",
    "(fail ; true), (true -> shell('touch MARK') ; true)",
    "forall(true, shell('touch MARK'))",
    "setof(X, X^shell('touch MARK'), _)",
    "bagof(x, shell('touch MARK'), _)",
    "G = shell('touch MARK'), setof(x, X^G, X)",
    "aggregate_all(count, shell('touch MARK'), _)",
    "catch(throw(shell('touch MARK')), G, G)",
    "catch(throw(a), a, shell('touch MARK'))",
    "setup_call_cleanup(true, true, shell('touch MARK'))",
    "call_cleanup(true, shell('touch MARK'))",
    "freeze(X, shell('touch MARK')), X = 1",
    "when(nonvar(X), shell('touch MARK')), X = 1",
    "G = shell('touch MARK'), freeze(X, G), X = 1",
    "put_attr(X, freeze, '$and'(system:shell('touch MARK'), true)), X = 1",
    "put_attr(X, freeze, user:shell('touch MARK')), X = 1",
    "ignore(shell('touch MARK'))",
    "phrase(shell, 'touch MARK', _)",
    "phrase({shell('touch MARK')}, [])",
    "phrase(call(shell), 'touch MARK', _)",
    "G = {shell('touch MARK')}, phrase(G, [], _)",
    "limit(1, shell('touch MARK'))",
    "order_by([asc(x)], shell('touch MARK'))",
    "predsort([_, X, _]>>shell(X), ['touch MARK', b], _)",
    "apply(shell, ['touch MARK'])",
    "not(not(shell('touch MARK')))",
    "with_output_to(string(_), shell('touch MARK'))",
    "reset(shell('touch MARK'), _, _)",
    "call_continuation([shell('touch MARK')])",
    "call_with_depth_limit(shell('touch MARK'), 10, _)",
    "call_with_time_limit(1, shell('touch MARK'))",
    "findnsols(1, x, shell('touch MARK'), _)",
    "rb_new(T0), rb_insert(T0, a, 'touch MARK', T), rb_map(T, shell)",
    "foreach(member(X, ['touch MARK']), shell(X))",
    "assertion(shell('touch MARK'))",
    "tnot(shell('touch MARK'))",
    "clause(h, B), call(B)",
    # through modules
    "system:shell('touch MARK')",
    "user:shell('touch MARK')",
    "bk:shell('touch MARK')",
    "M = system, M:shell('touch MARK')",
    "call(system:shell, 'touch MARK')",
    "lists:shell('touch MARK')",
    "apply:maplist(shell, ['touch MARK'])",
    "system:call(shell('touch MARK'))",
    "system:(true, shell('touch MARK'))",
    "@(shell('touch MARK'), system)",
    "user:bk:system:shell('touch MARK')",
    "maxsynth:run(shell('touch MARK'))",
    "maxsynth:recover(e, e, shell('touch MARK'))",
    "maxsynth:quietly(shell('touch MARK'))",
    "maxsynth:(run(shell('touch MARK')))",
    "maxsynth:run_dcg({shell('touch MARK')}, [], [])",
    "G = maxsynth:bounded(x, system:shell('touch MARK'), 1000, _, _), G",
    "assertz(maxsynth:safe(shell, 1)), shell('touch MARK')",
    "assertz(maxsynth:own(shell, 1)), shell('touch MARK')",
    "retractall(maxsynth:kind(_, _, _)), shell('touch MARK')",
    "set_module(base(user)), shell('touch MARK')",
    "module(user), shell('touch MARK')",
    "add_import_module(bk, process, start)",
    "import(process:process_create/3)",
    "'$set_source_module'(_, system)",
    # through the database
    "assertz((h2 :- shell('touch MARK'))), h2",
    "B = shell('touch MARK'), assertz((h2 :- B)), h2",
    "assertz((h2(G) :- G)), h2(shell('touch MARK'))",
    "assertz((h2 :- a, (b ; shell('touch MARK')))), assertz(a), h2",
    "assertz(system:h2), fail",
    "assertz((user:portray(_) :- shell('touch MARK'))), print(x)",
    "assertz((portray(_) :- shell('touch MARK'))), print(x)",
    "assertz((user:prolog_exception_hook(_, _, _, _) :- shell('touch MARK'))), atom_length(_, _)",
    "assertz((prolog_exception_hook(_, _, _, _) :- shell('touch MARK'))), atom_length(_, _)",
    "assertz((user:term_expansion(_, _) :- shell('touch MARK')))",
    "assertz((lists:append(_, _) :- shell('touch MARK')))",
    "assertz((append(_, _, _) :- shell('touch MARK'))), append([], [], _)",
    "assertz((shell(X) :- system:shell(X))), shell('touch MARK')",
    "assertz((h2 => shell('touch MARK'))), h2",
    "assertz((h2, true => shell('touch MARK'))), h2",
    "assertz((?=>(h2, shell('touch MARK')))), h2",
    "assertz((h2 --> {shell('touch MARK')})), phrase(h2, [])",
    "assertz((:- shell('touch MARK')))",
    "assertz((h2 :- true), R), erase(R)",
    "asserta(user:(message_hook(_, _, _) :- shell('touch MARK'))), print_message(error, x)",
    "dynamic(system:foo/1)",
    "abolish(ok/1)",
    "redefine_system_predicate(shell(_))",
    "compile_predicates([ok/1])",
    "compile_aux_clauses([(h2 :- shell('touch MARK'))])",
    "recorda(k, v)",
    "wrap_predicate(ok(_), w, W, (shell('touch MARK'), W))",
    "set_prolog_flag(unknown, fail)",
    "set_prolog_flag(autoload, true), set_prolog_flag(access_level, system)",
    "op(1200, xfx, user:(:-))",
    "op(0, xfx, system:(:-))",
    "nb_setval('$term', x)",
    "thread_create(shell('touch MARK'), _)",
    "first_solution(x, [shell('touch MARK')], [])",
    "concurrent(1, [shell('touch MARK')], [])",
    "concurrent_maplist(shell, ['touch MARK'])",
    "engine_create(x, shell('touch MARK'), E), engine_next(E, _)",
    "prolog_alert_signal(_, usr1), on_signal(int, _, h)",
    "at_halt(shell('touch MARK'))",
    "prolog_cut_to(_)",
    # through printing
    "format('~@', [shell('touch MARK')])",
    "format(atom(_), '~10@', [shell('touch MARK')])",
    "format(atom(_), '~`x@', [shell('touch MARK')])",
    "format(atom(_), '~*@', [3, shell('touch MARK')])",
    "format(atom(_), '~W', [x, [portray_goal(bk:shell)]])",
    "atom_codes(F, [0'~, 0'@]), format(F, [shell('touch MARK')])",
    "format([0'~, 0'@], [shell('touch MARK')])",
    "write_term('touch MARK', [portray_goal(system:shell)])",
    "write_term('touch MARK', [portray_goal=system:shell])",
    "O = [portray_goal(system:shell)], write_term('touch MARK', O)",
    "print_message(error, format('~@', [shell('touch MARK')]))",
    "print_message_lines(user_error, x, ['~@'-[shell('touch MARK')]])",
    "message_to_codes(x, y, z)",
    "throw(format('~@', [shell('touch MARK')]))",
    "throw(error(format('~@', [shell('touch MARK')]), _))",
    "debug(x), debug(x, '~@', [shell('touch MARK')])",
    "format_predicate(x, shell(_))",
    "sformat(_, '~@', [shell('touch MARK')])",
    "listing(ok)",
    "portray_clause(x)",
    # files
    "open('SECRET', read, S), read_string(S, _, X), throw(X)",
    "open('MARK', write, S), close(S)",
    "open('MARK', append, S, []), close(S)",
    "see('SECRET'), read(X), throw(X)",
    "tell('MARK'), write(x), told",
    "append('MARK'), told",
    "consult('OTHER')",
    "['OTHER']",
    "load_files('OTHER', [])",
    "ensure_loaded('OTHER')",
    "use_module('OTHER')",
    "include('OTHER')",
    "make",
    "qcompile('OTHER')",
    "use_foreign_library('OTHER')",
    "load_foreign_library('OTHER')",
    "open_shared_object('OTHER', _)",
    "read_file_to_terms('SECRET', X, []), throw(X)",
    "read_file_to_string('SECRET', X, []), throw(X)",
    "read_term_from_stream('SECRET', X), throw(X)",
    "csv_read_file('SECRET', X), throw(X)",
    "exists_file('SECRET')",
    "size_file('SECRET', X), throw(X)",
    "directory_files('/', X), throw(X)",
    "delete_file('SECRET')",
    "rename_file('SECRET', 'MARK')",
    "make_directory('MARK')",
    "tmp_file(x, X), throw(X)",
    "tmp_file_stream(text, F, S), close(S)",
    "absolute_file_name('.', X), throw(X)",
    "working_directory(_, '/')",
    "expand_file_name('/*', X), throw(X)",
    "qsave_program('MARK')",
    "protocol('MARK'), write(x), noprotocol",
    "set_stream(user_output, file_name('MARK'))",
    "copy_file('SECRET', 'MARK')",
    "db_attach('MARK', [])",
    "prolog_load_context(directory, X), throw(X)",
    "source_file(X), throw(X)",
    "phrase_from_file([], 'SECRET')",
    "open_null_stream(_)",
    "set_output(x)",
    "stream_property(S, file_no(1)), write(S, ' .')",
    "current_output(S), close(S)",
    "write('$stream'(1), x)",
    # the protocol, the process, the environment
    "read(_)",
    "read(user_input, _)",
    "read_term(X, []), throw(X)",
    "get_char(_)",
    "peek_char(_)",
    "current_input(S), read(S, X), throw(X)",
    "write(user_output, ' .'), nl(user_output), flush_output(user_output)",
    "halt",
    "halt(0)",
    "G = halt, G",
    "abort",
    "throw('$aborted')",
    "throw(unwind(abort))",
    "throw(unwind(halt(0)))",
    "throw(inference_limit_exceeded)",
    "prolog",
    "break",
    "trace, ok(_)",
    "spy(ok/1)",
    "getenv('PATH', X), throw(X)",
    "setenv(x, y)",
    "current_prolog_flag(pid, P), kill(P, 9)",
    "current_prolog_flag(pid, P), process_kill(P)",
    "tcp_socket(_)",
    "tcp_connect(localhost:PORT, _, [])",
    "http_open('http://localhost:PORT/', _, [])",
    "udp_socket(_)",
    "sleep(100)",
    "thread_send_message(main, x)",
    "mutex_create(_)",
    "garbage_collect, statistics(runtime, _), fail",
    "prolog_stack_property(_, _)",
    "prolog_current_frame(F), prolog_frame_attribute(F, parent, _)",
    "set_prolog_stack(global, limit(100000000000))",
    "set_prolog_flag(stack_limit, 100000000000)",
    "set_random(seed(random))",
    "setlocale(all, _, x)",
    "call_with_inference_limit(true, 1000000000000, _)",
    "prolog_skip_level(_, 1)",
    "b_setval(x, 1), setarg(1, f(x), y)",
]


def attack(tmp_path: Path, text: str, **limits: float) -> str:
    """Loads the BK and calls t/1. Returns the message, or the answers; fails if anything happened outside."""
    names = {"MARK": tmp_path / "mark", "SECRET": tmp_path / "secret", "OTHER": tmp_path / "other.pl"}
    names["SECRET"].write_text("swordfish.\n")
    names["OTHER"].write_text(f":- open('{names['MARK']}', write, S), close(S).\nother(swordfish).\n")
    for name, path in names.items():
        text = text.replace(name, str(path))
    bk = tmp_path / "bk.pl"
    bk.write_text("ok(1).\n" + text + "\n")
    before = sorted(tmp_path.iterdir())
    settings: dict[str, float] = {"seconds": 10.0, "steps": 1_000_000, "memory": 256 << 20, **limits}
    try:
        engine = Swipl(bk, **settings)  # type: ignore[arg-type]
    except MaxSynthError as error:
        outcome = str(error)
    else:
        outcome = _call(engine)
    assert sorted(tmp_path.iterdir()) == before
    assert "swordfish" not in outcome
    assert "\n" not in outcome
    return outcome


def _call(engine: Swipl) -> str:
    try:
        outcome = str(engine.solve("t", 1, (), [()]))
    except MaxSynthError as error:
        outcome = str(error)
    assert engine.solve("ok", 1, (), [(), ()]) == [[(1,)], [(1,)]]
    engine.close()
    return outcome


@pytest.fixture
def unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the operating system's part away, so that SWI-Prolog's part shows what it holds alone."""

    def bare(plan: Plan) -> list[str]:
        return ["/bin/sh", "-c", 'echo "{}"; exec "$@"', "sh", plan.path, *plan.arguments[1:]]

    monkeypatch.setattr(swipl, "command", bare)


@pytest.mark.usefixtures("unconfined")
@pytest.mark.parametrize("goal", GOALS)
def test_goal(tmp_path: Path, goal: str) -> None:
    attack(tmp_path, f"h :- shell('touch MARK').\nt(1) :- {goal.replace('PORT', '1')}.")


def test_refusals_name_the_predicate_and_the_line(tmp_path: Path) -> None:
    message = attack(tmp_path, "t(1) :-\n  X =.. [shell, 'touch MARK'],\n  call(X).")
    assert "bk.pl:2: shell/1 is out of reach for background knowledge" in message


DIRECTIVES = [
    ":- shell('touch MARK').",
    "?- shell('touch MARK').",
    ":- initialization(shell('touch MARK')).",
    ":- initialization(main, main).\nmain :- shell('touch MARK').",
    ":- dynamic(foo/1), shell('touch MARK').",
    ":- consult('OTHER').",
    ":- ['OTHER'].",
    ":- include('OTHER').",
    ":- use_module('OTHER').",
    ":- use_module('OTHER', []).",
    ":- ensure_loaded('OTHER').",
    ":- load_files('OTHER', []).",
    ":- use_module(library(process)).",
    ":- use_module(library(filesex)).",
    ":- use_module(library('../../../../OTHER')).",
    ":- use_module(library(X)).",
    ":- use_foreign_library('OTHER').",
    ":- write(hello).",
    ":- halt.",
    ":- read(X).",
    ":- set_prolog_flag(access_level, system).",
    ":- set_prolog_flag(double_quotes, x).",
    ":- set_stream(user_input, encoding(x)).",
    ":- if(shell('touch MARK')).\n:- endif.",
    ":- assertz(foo).",
    ":- op(1200, xfx, system:(:-)).",
    ":- dynamic system:foo/1.",
    ":- table a/shell.",
    ":- table p(_, lattice(shell/3)).",
    ":- table p(_, po(shell/2)).",
    ":- module_transparent t/1.",
    ":- redefine_system_predicate(shell(_)).",
    ":- X.",
    ":- 3.",
    "system:foo(1).",
    "system:foo(1) :- true.",
    "maxsynth:safe(shell, 1).",
    "maxsynth:own(shell, 1).",
    "lists:append(a, b).",
    "user:portray(X) :- foo(X), lists:h(X), system:true. prolog:message(_) --> [].",
    "atom_length(_, _) :- shell('touch MARK').",
    "call(_) :- true.",
    "t(1) => shell('touch MARK').",
    "?=>(t(1), shell('touch MARK')).",
    "(M:t(1)) :- true.",
    "term_expansion(_, _) :- shell('touch MARK').",
    "user:term_expansion(_, _) :- shell('touch MARK').",
    "goal_expansion(_, _) :- shell('touch MARK').\nu :- ok(_).",
    "term_expansion((:- table(_)), (:- initialization(shell('touch MARK'), now))).\n:- table p/1.\np(1).",
    "'$toplevel'(_) :- shell('touch MARK').",
    "'$tabled'(_, _).",
    ":- dynamic term_expansion/2.",
    ":- table term_expansion/2.",
]


@pytest.mark.usefixtures("unconfined")
@pytest.mark.parametrize("text", DIRECTIVES)
def test_directive(tmp_path: Path, text: str) -> None:
    outcome = attack(tmp_path, "t(1).\n" + text)
    if text != "?=>(t(1), shell('touch MARK')).":
        assert "bk.pl:3" in outcome


# What other Prologs would act upon while they load: here these are predicates like any other.
HOOKS = [
    "portray(_) :- shell('touch MARK').\nu :- print(x).",
    "message_hook(_, _, _) :- shell('touch MARK').",
    "prolog_load_file(_, _) :- shell('touch MARK').",
    "exception(_, _, _) :- shell('touch MARK').\nu :- nowhere.",
    "prolog_exception_hook(_, _, _, _) :- shell('touch MARK').",
    "file_search_path(library, '/').\nlibrary_directory('/').",
    "attr_unify_hook(_, _) :- shell('touch MARK').",
    "print_message(_, _) :- shell('touch MARK').",
    "dcg_translate_rule(_, _) :- shell('touch MARK').\nx --> [].",
    "safe(shell, 1).\nown(shell, 1).\nkind(shell, 1, safe).",
    "run(X) :- system:run(X).",
    "u --> {shell('touch MARK')}.",
    "{}(_) :- shell('touch MARK').",
    "t(X) :- X = point{x: 1}.x.",
    # declared but without clauses: the system's predicate of that name must not show through
    ":- table shell/1.\nu :- shell('touch MARK').",
    ":- table shell(_).\nu :- call(shell, 'touch MARK').",
    ":- dynamic shell/1.\nu :- shell('touch MARK').",
    ":- discontiguous shell/1.\nu :- shell('touch MARK').",
    ":- multifile shell/1.\nu :- shell('touch MARK').",
    "u :- retractall(shell(_)), shell('touch MARK').",
    "u :- assertz(shell(x)), retract(shell(x)), shell('touch MARK').",
    "u :- dynamic(shell/1), shell('touch MARK').",
    # the server must not trip over predicates of the BK that have the names of its tools
    "import(_).\ntable(_).\ncompile_predicates(_).\ncall_it(_).\nformat(_, _) :- shell('touch MARK').\n"
    "u :- append([], [], _), format(x, []).",
]


@pytest.mark.usefixtures("unconfined")
@pytest.mark.parametrize("text", HOOKS)
def test_hook(tmp_path: Path, text: str) -> None:
    outcome = attack(tmp_path, f"{text}\nt(X) :- catch(u, _, true), X = 1.\nt(X) :- X = 2.\n:- dynamic u/0.")
    assert outcome.startswith("[[(") or "t/1" in outcome or ".pl" in outcome


EXHAUSTION = {
    "infinite loop": "t(X) :- t(X).",
    "loop without inferences": "t(X) :- repeat, X == 1.",
    "infinite recursion": "t(X) :- t([X|X]), true.",
    "growing term": "t(X) :- grow(a, X).\ngrow(X, Y) :- grow(f(X, X), Y).",
    "huge list": "t(X) :- numlist(1, 1000000000, X).",
    "huge length": "t(X) :- length(X, 1000000000).",
    "endless findall": "t(X) :- findall(Y, (repeat, Y = f(a)), X).",
    "huge number": "t(X) :- X is 2 ** (10 ** 10).",
    "huge shift": "t(X) :- X is 1 << 100000000000.",
    "power tower": "t(X) :- Y is 7 ** 7 ** 7 ** 7, X is Y.",
    "factorials": "t(X) :- f(1, X).\nf(A, X) :- B is A * A + 3, f(B, X).",
    "huge atom": "t(X) :- grow(abcdefgh, X).\ngrow(A, X) :- atom_concat(A, A, B), grow(B, X).",
    "huge string": 't(X) :- grow("abcdefgh", X).\ngrow(A, X) :- string_concat(A, A, B), grow(B, X).',
    "many atoms": "t(X) :- grow(0, X).\n"
    "grow(N, X) :- atom_concat(abcdefghijklmnop, N, A), assertz(seen(A)), M is N + 1, grow(M, X).",
    "many clauses": "t(X) :- grow(0, X).\ngrow(N, X) :- numlist(1, 1000, L), assertz(z(N, L)), M is N + 1, grow(M, X).",
    "global variable": "t(X) :- nb_setval(k, []), repeat, nb_getval(k, V), length(L, 10000), nb_setval(k, [L|V]),\n"
    "    X == 1.",
    "caught overflow": "t(X) :- catch(deep(1), _, true), t(X).\ndeep(X) :- deep([X|X]), true.",
    "cleanup": "t(X) :- setup_call_cleanup(true, t(X), t(X)).",
    "printing": "t(X) :- tab(10000000000), X = 1.",
    "format column": "t(X) :- format(atom(X), '~t~w~10000000000|', [a]).",
    "table": ":- table n/1.\nn(0).\nn(X) :- n(Y), X is Y + 1.\nt(X) :- n(X), X < 0.",
    "deep text": "t(X) :- length(L, 3000000), maplist(=(0'(), L), atom_codes(A, L), term_to_atom(X, A).",
    "permutation": "t(X) :- numlist(1, 50, L), permutation(L, X), X = [].",
}  # fmt: skip


@pytest.mark.parametrize("name", EXHAUSTION)
def test_exhaustion(tmp_path: Path, name: str) -> None:
    begin = time.monotonic()
    outcome = attack(tmp_path, EXHAUSTION[name], seconds=2.0, steps=1 << 40)
    assert not outcome.startswith("[[(") or name == "printing"
    assert time.monotonic() - begin < 25


def test_loading_is_bounded_too(tmp_path: Path) -> None:
    (tmp_path / "bk.pl").write_text("t(" + "(" * 5_000_000)
    with pytest.raises(MaxSynthError):
        Swipl(tmp_path / "bk.pl", seconds=10.0, memory=256 << 20)


# --- the operating system's part alone ---------------------------------------------------------------------


def confined(goal: str) -> subprocess.CompletedProcess[str]:
    """Runs SWI-Prolog on the goal, as free as it normally is, but confined."""
    program = find_swipl()
    assert program is not None
    binary, read, execute = _installation(program)
    arguments = [program, "-q", "-f", "none", "-g", goal, "-t", "halt"]
    plan = Plan(binary, arguments, 1 << 30, 60, list(read), list(execute), {"PATH": "/usr/bin:/bin"})
    return subprocess.run(
        command(plan),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
        start_new_session=True,
    )


def needs(*layers: str) -> pytest.MarkDecorator:
    """Skips where the machine has none of the layers."""
    there = sys.platform != "win32" and any(confinement().get(layer) == "active" for layer in layers)
    return pytest.mark.skipif(not there, reason=f"this machine has no {' or '.join(layers)}")


def test_confinement_is_reported(tmp_path: Path) -> None:
    (tmp_path / "bk.pl").write_text("t(1).\n")
    engine = Swipl(tmp_path / "bk.pl")
    assert engine.confinement == confinement()
    assert set(confinement()) == {"limits", "orphan", "network", "landlock", "seccomp"}
    assert confinement()["limits"].startswith("active")
    engine.close()


def test_a_harmless_goal_runs() -> None:
    assert confined("X is 6 * 7, print(X), nl").stdout.endswith("\n42\n")


@needs("landlock")
@pytest.mark.parametrize("what", ["/etc/passwd", "/proc/self/environ", "/usr/bin/env", __file__])
def test_other_files_cannot_be_read(what: str) -> None:
    done = confined(f"catch((open('{what}', read, S), get_char(S, _)), E, true), (var(E) -> print(bad) ; print(good))")
    assert done.stdout.endswith("good")


@needs("landlock")
def test_folders_cannot_be_listed(tmp_path: Path) -> None:
    done = confined(f"catch(directory_files('{tmp_path}', _), E, true), (var(E) -> print(bad) ; print(good))")
    assert done.stdout.endswith("good")


WRITING = [
    "open('MARK', write, S), close(S)",
    "open('MARK', append, S), close(S)",
    "make_directory('MARK')",
    "tmp_file_stream(text, _, S), close(S)",
    "delete_file('KEEP')",
    "rename_file('KEEP', 'MARK')",
    "open('KEEP', update, S), close(S)",
    "use_module(library(filesex)), link_file('KEEP', 'MARK', symbolic)",
    "qsave_program('MARK')",
]


@needs("landlock", "seccomp")
@pytest.mark.parametrize("goal", WRITING)
def test_nothing_can_be_written(tmp_path: Path, goal: str) -> None:
    keep = tmp_path / "keep"
    keep.write_text("kept")
    goal = goal.replace("MARK", str(tmp_path / "mark")).replace("KEEP", str(keep))
    confined(goal)
    assert os.listdir(tmp_path) == ["keep"]
    assert keep.read_text() == "kept"


@needs("landlock", "seccomp")
@pytest.mark.parametrize(
    "goal",
    [
        "shell('echo escaped')",
        "shell('/bin/echo escaped', S), print(S)",
        "use_module(library(process)), process_create('/bin/echo', [escaped], [])",
        "use_module(library(unix)), exec('/bin/echo'(escaped))",
        "open(pipe('echo escaped'), read, S), read_string(S, _, X), print(X)",
        "use_module(library(unix)), fork(P), (P == child -> print(escaped) ; true)",
    ],
)
def test_no_command_runs(goal: str) -> None:
    assert "escaped" not in confined(goal).stdout


@needs("network", "seccomp")
def test_no_connection_leaves() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        confined(f"use_module(library(socket)), tcp_connect(localhost:{server.getsockname()[1]}, _, [])")
        confined(f"use_module(library(socket)), tcp_connect(ip(127,0,0,1):{server.getsockname()[1]}, _, [])")
        with pytest.raises(TimeoutError):
            server.accept()


@needs("seccomp")
def test_no_signal_reaches_another_process() -> None:
    victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        confined(f"use_module(library(process)), process_kill({victim.pid}, 9)")
        time.sleep(0.2)
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()


@needs("orphan")
def test_the_process_dies_with_its_parent(tmp_path: Path) -> None:
    (tmp_path / "bk.pl").write_text("loop :- repeat, fail.\n")
    script = (
        "import sys, threading, os, time\nfrom pathlib import Path\nfrom maxsynth.prolog.swipl.swipl import Swipl\n"
        "engine = Swipl(Path(sys.argv[1]), steps=1 << 60)\nprint(engine.pid, flush=True)\n"
        "threading.Timer(0.5, os._exit, (0,)).start()\nengine.solve('loop', 0, (), [()])\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "bk.pl")],
        capture_output=True,
        text=True,
        timeout=30,
        env=environment,
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 5
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_rows_are_data_not_goals(tmp_path: Path) -> None:
    """A term in an example is never called unless the BK calls it, and then only if it is harmless."""
    (tmp_path / "bk.pl").write_text("t(X) :- call(X).\ns(X, X).\n")
    mark = tmp_path / "mark"
    engine = Swipl(tmp_path / "bk.pl")
    goal: Term = Struct("shell", (Atom(f"touch {mark}"),))
    for name, arity in [("t", 1), ("call", 1), ("once", 1), ("shell", 1)]:
        with pytest.raises(MaxSynthError):
            engine.solve(name, arity, (0,), [(goal,)])
    assert len(engine.solve("s", 2, (0,), [(goal,)])[0]) == 1
    engine.close()
    assert not mark.exists()
