"""What a person gets for bad input: exit status 2 and one line with the place and what to do, never a traceback."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import maxsynth
from maxsynth import files
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.files import read_text
from maxsynth.prolog.interpreter import interpreter
from maxsynth.prolog.interpreter.interpreter import Interpreter

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,2).\n"
GIVEN = BIAS + "direction(f,(in,)).\ndirection(p,(in,)).\ndirection(q,(in,out)).\n"
GOOD: dict[str, str | bytes | None] = {
    "bias.pl": BIAS,
    "bk.pl": "p(a).\nq(a,b).\n",
    "exs.pl": "pos(f(a)).\nneg(f(b)).\n",
    "program.pl": "f(A) :- p(A).\n",
}
NO_SUCH_FILE = r"there is no such file \(.+\)"


@dataclass(frozen=True)
class Case:
    """A task that differs from the good one in these files (None: not there), and the message about it.

    `at` is the place the message starts with; `message` is what follows, as a regular expression.
    """

    name: str
    files: dict[str, str | bytes | None]
    at: str
    message: str


def case(name: str, at: str, message: str, **files: str | bytes | None) -> Case:
    return Case(name, {f"{stem}.pl": text for stem, text in files.items()}, at, message)


# Mistakes in the files of a task, for `check` and `evaluate` alike.
TASKS = [
    case("no bias", "bias.pl", NO_SUCH_FILE, bias=None),
    case("no bk", "bk.pl", NO_SUCH_FILE, bk=None),
    case("no examples", "exs.pl", NO_SUCH_FILE, exs=None),
    case("empty bias", "bias.pl", r"the file is empty \(.*head_pred", bias=""),
    case("empty bk", "bk.pl", r"the file is empty \(.*facts and rules", bk=" \n\n"),
    case("empty examples", "exs.pl", r"the file is empty \(.*pos\(", exs=""),
    case("bias of comments", "bias.pl", r"no head_pred \(.+\)", bias="% nothing\n"),
    case("bk of comments", "bk.pl", r"BK defines none of .*p/1, q/2.* \(check the names", bk="% nothing\n"),
    case("examples of comments", "exs.pl", r"there is no positive example \(add pos\(f\(", exs="% nothing\n"),
    # syntax
    case("bias syntax", "bias.pl:2:13", 'syntax error, unexpected ","', bias="head_pred(f,1).\nbody_pred(p,,1).\n"),
    case("bias without end", "bias.pl:2", r"ends within a statement \(is a \. missing", bias="head_pred(f,1).\nx(p)"),
    case("bk syntax", "bk.pl:2:4", r"end of the clause .* '\(' of line 2, column 2", bk="p(a).\nq(b.\n"),
    case("bk without end", "bk.pl:2:5", r"has no end \(end it with a '\.'\)", bk="p(a).\nq(b)"),
    case("bk quote", "bk.pl:2:3", r"quoted atom has no end \(close it", bk="p(a).\np('b).\n"),
    case("bk comment", "bk.pl:1:7", r"comment has no end \(close it", bk="p(a). /* and so on"),
    case("exs syntax", "exs.pl:2:9", "end of the clause", exs="pos(f(a)).\nneg(f(b).\n"),
    case("exs comma", "exs.pl:2:9", r"'b' .* \(is a ',' missing\?\)", exs="pos(f(a)).\nneg(f(a b)).\n"),
    # what is no text
    *[
        case(f"{what} in {stem}", f"{stem}.pl:{line}", message, **{stem: data})
        for stem in ("bias", "bk", "exs")
        for what, data, line, message in [
            ("binary data", b"\x7fELF\x01\x00\x00", 1, r"binary data, not text \(.+\)"),
            ("a late zero", b"p(a).\np(b).\n\x00", 3, r"binary data, not text \(.+\)"),
            ("Latin-1", "p(a).\np('é').\n".encode("latin-1"), 2, r"not UTF-8 text \(save the file as UTF-8\)"),
        ]
    ],
    # examples
    case("another predicate", "exs.pl:2:1", r"`g\(a\)` is not of f/1 \(.*head_pred", exs="pos(f(a)).\npos(g(a)).\n"),
    case("another arity", "exs.pl:2:1", r"`f\(a,b\)` is not of f/1", exs="pos(f(a)).\nneg(f(a,b)).\n"),
    case("a number", "exs.pl:1:1", r"`1` is not of f/1", exs="pos(1).\n"),
    case("a name", "exs.pl:2:1", r"\(FRA in `neg\(f\(FRA\)\)`\) .* quote it: 'FRA'", exs="pos(f(a)).\nneg(f(FRA))."),
    case("an unnamed variable", "exs.pl:1:1", r"a fact with a variable \(_ in `pos\(f\(_\)\)`\)", exs="pos(f(_)).\n"),
    case("nothing but a variable", "exs.pl:1:1", "a fact with a variable", exs="pos(X).\n"),
    case("a rule", "exs.pl:2:1", r"a rule .* is no example \(", exs="pos(f(a)).\npos(f(X)) :- p(X).\n"),
    case("another rule", "exs.pl:2:1", "`h/1` is no example", exs="pos(f(a)).\nh(X) :- p(X).\n"),
    case("bare atoms", "exs.pl:1:1", r"`f/1` is no example \(exs\.pl holds facts pos", exs="f(a).\nf(b).\n"),
    case("three arguments", "exs.pl:2:1", "`pos/3` is no example", exs="pos(f(a)).\npos(f(b),1,2).\n"),
    case("a directive", "exs.pl:1:1", "the directive `foo` is no example", exs=":- foo.\npos(f(a)).\n"),
    case("only negatives", "exs.pl", r"no positive example \(add pos\(f", exs="neg(f(a)).\n"),
    *[
        case(f"weight {weight}", "exs.pl:2:1", rf"weight `{weight}` .* from 1 to 2147483647 \(write", exs=text)
        for weight in ("0", "-1", "1.5", "x", '"2"', "2147483648", "1" + "0" * 30)
        for text in [f"pos(f(a)).\npos(f(b),{weight}).\n"]
    ],
    case("variable weight", "exs.pl:1:1", "a fact with a variable", exs="pos(f(a),W).\n"),
    # bias; tests/test_bias.py has all of these
    case("no head", "bias.pl", r"no head_pred \(name", bias="body_pred(p,1).\n"),
    case("no body", "bias.pl", r"no body_pred \(name", bias="head_pred(f,1).\n"),
    case("two heads", "bias.pl:4", r"two head predicates.* \(keep one", bias=BIAS + "head_pred(g,1).\n"),
    case("head and body", "bias.pl:4", r"both head_pred and body_pred \(", bias=BIAS + "body_pred(f,1)."),
    case("wrong type", "bias.pl:4", r"type of p has 2 .* p has 1 \(write", bias=BIAS + "type(p,(a,b))."),
    case("two limits", "bias.pl:5", r"max_vars is both 3 and 4 \(", bias=BIAS + "max_vars(3).\nmax_vars(4).\n"),
    # background knowledge
    case("nothing defined", "bk.pl", r"BK defines none of .*p/1, q/2.* \(check the names", bk="r(a).\n"),
    case("another arity in bk", "bk.pl", "BK defines none", bk="p(a,b).\nq(a).\n"),
    case("another file", "bk.pl:1:1", r"would load another file.* \(copy", bk=":- use_module(other).\np(a).\n"),
    case("part of Prolog", "bk.pl:2:1", r"length/2 is part of Prolog .* \(rename", bk="p(a).\nlength(_,0).\n"),
    case("a grammar", "bk.pl:1:1", r"a grammar rule .* cannot be run by the built-in .* \(use SWI", bk="p --> q.\n"),
    case("a query", "bk.pl:1:1", r"`\?-` are not supported \(", bk="?- p(a).\n"),
    case("a number as a clause", "bk.pl:1:1", "a clause cannot begin with `3`", bk="3.\n"),
    case("a directive in bk", "bk.pl:1:1", r"initialization.* \(remove", bk=":- initialization(m).\np(a)."),
    case("raises, listed", "bk.pl:2:1", r"type error: .*`a/0`.* in `p\(a\)` \(", bk="q(a,b).\np(X) :- X > 2.\n"),
    case("raises, asked", "bk.pl:2:1", r"`evaluable` expected", bias=GIVEN, bk="q(a,b).\np(X) :- Y is X+1, Y > 2.\n"),
    case("throws", "bk.pl:2:1", r"uncaught exception `oops`.* \(", bias=GIVEN, bk="q(a,b).\np(_) :- throw(oops).\n"),
    case("not ground", "bk.pl:1:1", r"q/2 is not ground.* \(bind it", bias=GIVEN, bk="q(_,_) :- true.\np(a).\n"),
    case("unknown to Prolog", "bk.pl:2:1", r"defines `nosuch/1`.* \(", bias=GIVEN, bk="q(a,b).\np(X) :- nosuch(X).\n"),
]  # fmt: skip

# BK that does not end. The program and the probes of `check` both reach it.
LOOPS = [
    ("recursion", "p(X) :- p(X).\n"),
    ("growing recursion", "p(X) :- p(s(X)).\n"),
    ("left recursion", "p(X) :- p(Y), e(X,Y).\ne(a,a).\n"),
    ("mutual recursion", "p(X) :- r(X).\nr(X) :- p(X).\n"),
    ("counting", "p(X) :- between(1, inf, Y), Y < 0, X = Y.\n"),
    ("endless list", "p(_) :- length(L, _), L == a.\n"),
    ("repeat", "p(_) :- repeat, fail.\n"),
    ("backtracking", "p(X) :- member(X, L), length(L, 2), fail.\np(X) :- p(X).\n"),
]

# Mistakes in programs, for `evaluate`.
PROGRAMS = [
    case("no program", "program.pl", NO_SUCH_FILE, program=None),
    case("binary", "program.pl:1", r"binary data, not text \(", program=b"\x00\x01"),
    case("Latin-1", "program.pl:1", r"not UTF-8 text \(", program=b"f('\xe9').\n"),
    case("syntax", "program.pl:2:13", "", program="f(A) :- p(A).\nf(A) :- p(A,).\n"),
    case("no end", "program.pl:1:13", r"has no end \(", program="f(A) :- p(A)"),
    case("another target", "program.pl", r"defines g/1, h/2 but not f/1.* \(check", program="g(a).\nh(a,b)."),
    case("another arity", "program.pl", r"defines f/2 but not f/1.* \(check", program="f(A,B) :- q(A,B).\n"),
    case("negation", "program.pl:1:1", r"`\\\+` has no place in it \(define", program="f(A) :- \\+ p(A).\n"),
    case("cut", "program.pl:1:1", r"`!` has no place in it \(", program="f(A) :- p(A), !.\n"),
    case("disjunction", "program.pl:1:1", r"`;` has no place in it \(", program="f(A) :- (p(A) ; q(A,_)).\n"),
    case("condition", "program.pl:1:1", r"`->` has no place in it \(", program="f(A) :- (p(A) -> q(A,_)).\n"),
    case("module", "program.pl:1:1", r"`:` has no place in it \(", program="f(A) :- m:p(A).\n"),
    case("structure", "program.pl:2:1", r"mixes variables and structure.* \(", program="f(a).\nf(A) :- q(A,g(B)).\n"),
    case("list", "program.pl:1:1", r"mixes variables and structure.* \(", program="f([A|B]) :- q(A,B).\n"),
    case("directive", "program.pl:1:1", r"a directive has no place in a program \(remove", program=":- p(a).\n"),
    case("query", "program.pl:1:1", r"must begin with one head literal \(", program="?- p(A).\n"),
    case("grammar", "program.pl:1:1", r"must begin with one head literal \(", program="f --> p.\n"),
    case("two heads", "program.pl:1:1", r"must begin with one head literal \(", program="f(A), p(A) :- p(A).\n"),
    case("variable head", "program.pl:1:1", r"must begin with one head literal \(", program="F :- p(a).\n"),
    case("variable goal", "program.pl:1:1", r"is not a literal \(", program="f(A) :- A.\n"),
    case("number goal", "program.pl:1:1", r"`3` is not a literal \(", program="f(A) :- p(A), 3.\n"),
    case("open head", "program.pl", r"`i\(_\)\.` leaves an argument .*open.* \(", program="f(A) :- p(A), i(_).\ni(_)."),
    case("unbound input", "program.pl", "no order of", bias=GIVEN, bk="p(_). q(a,b).", program="f(_) :- p(_)."),
    case("too long", "program.pl", "more than 64 literals", program=f"f(A) :- {', '.join(['p(A)'] * 65)}.\n"),
    case("deep to the left", "program.pl", "more than 64 ", program=f"f(A) :- {'(' * 5000}p(A){',p(A))' * 5000}."),
]  # fmt: skip


def write_task(folder: Path, files: dict[str, str | bytes | None]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in {**GOOD, **files}.items():
        if content is not None:
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def arguments(command: str, folder: Path, *options: str) -> list[str]:
    return [command, *([str(folder / "program.pl")] if command == "evaluate" else []), str(folder), *options]


def complaint(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """The one line on standard error of a command that must fail, without `maxsynth: `."""
    status = main(arguments)
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert err.endswith("\n")
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert len(err) < 1200
    assert lines[0].startswith("maxsynth: ")
    return lines[0].removeprefix("maxsynth: ")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "maxsynth", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """BK may take few steps only, so that one that loops is found out soon."""
    monkeypatch.setattr(interpreter, "Interpreter", functools.partial(Interpreter, steps=30_000))


@pytest.mark.parametrize("command", ["check", "evaluate"])
@pytest.mark.parametrize("bad", TASKS, ids=lambda bad: bad.name)
def test_a_bad_task(bad: Case, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", bad.files)
    program = folder / "program.pl"
    program.write_text("f(A) :- p(A), q(A,B).\n")
    message = complaint(capsys, arguments(command, folder, "--prolog", "builtin"))
    place, _, rest = message.removeprefix(f"{folder}{os.sep}").partition(": ")
    assert place == bad.at, message
    assert re.search(bad.message, rest), message


@pytest.mark.parametrize("bad", PROGRAMS, ids=lambda bad: bad.name)
def test_a_bad_program(bad: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", bad.files)
    message = complaint(capsys, arguments("evaluate", folder, "--prolog", "builtin"))
    place, _, rest = message.removeprefix(f"{folder}{os.sep}").partition(": ")
    assert place == bad.at, message
    assert re.search(bad.message, rest), message


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("command", ["check", "evaluate"])
@pytest.mark.parametrize("bias", [BIAS, GIVEN], ids=["listed", "asked"])
@pytest.mark.parametrize(("name", "rules"), LOOPS, ids=[name for name, _ in LOOPS])
def test_bk_that_does_not_end(
    name: str, rules: str, bias: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_task(tmp_path / "task", {"bias.pl": bias, "bk.pl": f"q(a,b).\n{rules}"})
    message = complaint(capsys, arguments(command, folder, "--prolog", "builtin"))
    assert re.match(rf"{re.escape(str(folder / 'bk.pl'))}:2:1: .*`p\(.*may not terminate.* \(.+\)$", message), message


def test_bk_that_fails_late_is_met_by_evaluate_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The value that p/1 cannot take appears when a program joins q/2 and p/1, which `check` does not do."""
    bk = "q(2,b).\nq(X,Y) :- X == 1, Y = b.\np(X) :- X > 0.\n"
    files: dict[str, str | bytes | None] = {
        "bias.pl": GIVEN, "bk.pl": bk, "exs.pl": "pos(f(1)).\n", "program.pl": "f(A) :- q(A,B), p(B).\n",
    }  # fmt: skip
    folder = write_task(tmp_path / "task", files)
    (folder / "bias.pl").write_text(GIVEN + "type(f,(n,)). type(p,(n,)). type(q,(n,m)).\n")
    assert main(arguments("check", folder)) == 0
    capsys.readouterr()
    message = complaint(capsys, arguments("evaluate", folder))
    assert message.startswith(f"{folder / 'bk.pl'}:3:1: type error: `evaluable` expected, found `b/0`, in `p(b)`")


def test_a_predicate_that_bk_does_not_define_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", {"bk.pl": "p(a).\n"})
    assert main(arguments("evaluate", folder)) == 0
    warning = capsys.readouterr().err
    assert warning == (
        f"maxsynth: warning: {folder / 'bk.pl'}: BK does not define q/2, so it is never true "
        "(check body_pred in bias.pl)\n"
    )


# -- paths --------------------------------------------------------------------------------------------------


def test_paths_that_are_not_what_they_should_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", {})
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "odd").mkdir()
    write_task(tmp_path / "odd", {"bk.pl": None})
    (tmp_path / "odd" / "bk.pl").mkdir()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    program = str(folder / "program.pl")
    table: list[tuple[list[str], Path, str]] = [
        (["check"], tmp_path / "absent", r"there is no such folder \(.*bias\.pl, bk\.pl and exs\.pl\)"),
        (["check"], folder / "bk.pl", r"this is a file \(give the folder"),
        (["check"], folder / "bk.pl" / "x", r"this is a file \(give the folder"),
        (["check"], empty, r"this is no task folder \(it must hold"),
        (["check"], loop, r"cannot be read: .+ \(check the path\)"),
        (["check"], tmp_path / ("x" * 300), r"cannot be read: .+ \(check the path\)"),
        (["evaluate", program], tmp_path / "absent", r"there is no such folder \("),
    ]
    for command, path, message in table:
        assert re.match(f"{re.escape(str(path))}: {message}", complaint(capsys, [*command, str(path)]))
    for path, message in [
        (empty, r"this is a folder, not a file \("),
        (tmp_path / "absent", r"there is no such file \("),
        (folder / "bk.pl" / "x", r"cannot be read: Not a directory \("),
        (loop, r"cannot be read: .+ \("),
    ]:
        said = complaint(capsys, ["evaluate", str(path), str(folder)])
        assert re.match(f"{re.escape(str(path))}: {message}", said)
    said = complaint(capsys, ["check", str(tmp_path / "odd")])
    assert said.startswith(f"{tmp_path / 'odd' / 'bk.pl'}: this is a folder, not a file (")


def test_no_test_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", {})
    said = complaint(capsys, arguments("evaluate", folder, "--test"))
    assert said == f"{folder / 'test'}: there is no such folder (it must hold bk.pl and exs.pl)"
    (folder / "test").mkdir()
    said = complaint(capsys, arguments("evaluate", folder, "--test"))
    assert said == f"{folder / 'test'}: this is no task folder (it must hold bk.pl and exs.pl)"
    (folder / "test" / "bk.pl").write_text("p(a).\n")
    said = complaint(capsys, arguments("evaluate", folder, "--test"))
    assert said.startswith(f"{folder / 'test' / 'exs.pl'}: there is no such file (")


# Run as root, this becomes a user who may read nothing once two runs have loaded all that is needed.
AS_NOBODY = """
import contextlib, io, json, os, sys
from maxsynth.cli import main
runs = json.load(sys.stdin)
with contextlib.redirect_stdout(io.StringIO()):
    assert [main(run) for run in runs[:2]] == [0, 0]
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    print([main(run) for run in runs[2:]], file=sys.__stdout__)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs POSIX permissions")
def test_no_permission() -> None:
    with tempfile.TemporaryDirectory() as base:  # unlike tmp_path, not below a folder that others cannot enter
        root = Path(base)
        root.chmod(0o755)
        good = write_task(root / "good", {})
        program = str(good / "program.pl")
        old = root / "old.json"
        old.write_text("old")
        old.chmod(0o444)
        runs = [["evaluate", program, str(good)], ["check", str(good)]]
        messages = []
        for name in ("bias.pl", "bk.pl", "exs.pl", "program.pl"):
            folder = write_task(root / name, {})
            (folder / name).chmod(0)
            runs.append(arguments("evaluate", folder))
            messages.append(f"{folder / name}: no permission to read it (check who may read the file and its folder)")
        for mode, place in [(0o000, ""), (0o111, ""), (0o444, "/bias.pl")]:
            folder = write_task(root / oct(mode), {})
            folder.chmod(mode)
            runs.append(["check", str(folder)])
            messages.append(f"{folder}{place}: no permission to read {'it' if place else 'this folder'} (")
        for path in (old, root / "new.json"):
            runs.append(["evaluate", program, str(good), "--json", str(path)])
            messages.append(f"{path}: no permission to write it (choose another place)")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY],
            input=json.dumps(runs), env=environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.stdout == f"{[2] * len(messages)}\n", done.stderr
        for line, message in zip(done.stderr.splitlines(), messages, strict=True):
            assert line.startswith(f"maxsynth: {message}")
        assert old.read_text() == "old"
        for path in root.iterdir():
            path.chmod(0o755)


# -- options ------------------------------------------------------------------------------------------------


def test_json_to_where_it_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", {})
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for path, message in [
        (folder, "this is a folder, not a file (name a file in it)"),
        (tmp_path / "absent" / "x.json", f"there is no such folder to write to (make {tmp_path / 'absent'} first)"),
        (folder / "bk.pl" / "x.json", f"there is no such folder to write to (make {folder / 'bk.pl'} first)"),
        (folder / "program.pl", "this is an input and would be overwritten (choose another name)"),
        (folder / "exs.pl", "this is an input and would be overwritten (choose another name)"),
    ]:
        assert complaint(capsys, arguments("evaluate", folder, "--json", str(path))) == f"{path}: {message}"
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_result_is_shown_even_if_its_json_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full: what was in the file stays there, nothing is left next to it, the figures are on the screen."""
    folder = write_task(tmp_path / "task", {})
    old = tmp_path / "old.json"
    old.write_text("old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    assert main(arguments("evaluate", folder, "--json", str(old))) == 2
    out, err = capsys.readouterr()
    assert "accuracy           1.0000" in out
    assert err == f"maxsynth: {old}: cannot be written: No space left on device (choose another place)\n"
    assert old.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.json", "task"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["learn-nothing"], "invalid choice: 'learn-nothing'"),
        (["check"], "the following arguments are required: TASK_FOLDER"),
        (["check", "task", "--nonsense"], "unrecognized arguments: --nonsense"),
        (["check", "task", "--prolog", "yap"], "invalid choice: 'yap'"),
        (["evaluate"], "the following arguments are required: PROGRAM"),
        (["evaluate", "program.pl", "task", "--json"], "expected one argument"),
        *[(["evaluate", "p", "t", "--steps", n], f"`{n}` is not a positive integer") for n in ("0", "-3", "1.5", "x")],
    ],
)  # fmt: skip
def test_bad_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(options)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert message in err.splitlines()[-1]


@pytest.mark.parametrize("command", ["check", "evaluate"])
@pytest.mark.parametrize(("name", "value"), [("PATH", ""), ("MAXSYNTH_SWIPL", "/no/such/swipl")])
def test_swipl_that_is_not_there(
    name: str,
    value: str,
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(name, value)
    folder = write_task(tmp_path / "task", {})
    said = complaint(capsys, arguments(command, folder, "--prolog", "swipl"))
    assert said == (
        "SWI-Prolog was asked for, but there is no `swipl` on this machine "
        "(install SWI-Prolog, or use --prolog builtin)"
    )


# -- as a process -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"exs.pl": None}, "exs.pl: there is no such file ("),
        ({"bk.pl": "p(a).\nq(b.\n"}, "bk.pl:2:4: the end of the clause"),
        ({"bias.pl": b"\x00"}, "bias.pl:1: this is binary data"),
        ({"program.pl": "f(A) :- \\+ p(A).\n"}, "program.pl:1:1: a hypothesis is"),
    ],
)
def test_as_a_process(files: dict[str, str | bytes | None], message: str, tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task", files)
    done = run(*arguments("evaluate", folder))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith(f"maxsynth: {folder}{os.sep}{message}")


def test_a_message_is_one_printable_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of files and terms in them may hold anything; a terminal must not be fooled by it."""
    folder = tmp_path / "a\nb\x1b[31mc"
    said = complaint(capsys, ["check", str(folder)])
    assert said.endswith("a b\\x1b[31mc: there is no such folder (it must hold bias.pl, bk.pl and exs.pl)")
    write_task(folder, {"exs.pl": f"pos(g('{'x' * 100_000}')).\n"})
    assert "g(xxxxxxxxxxxxxxxxxxxx" in complaint(capsys, ["check", str(folder)])


def test_deep_terms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    depth = 20_000
    deep = "s(" * depth + "z" + ")" * depth
    folder = write_task(tmp_path / "task", {"bk.pl": f"p({deep}).\nq(a,b).\n", "exs.pl": f"pos(f({deep})).\n"})
    assert main(arguments("evaluate", folder)) == 0
    assert main(arguments("check", folder)) == 0
    capsys.readouterr()
    (folder / "exs.pl").write_text(f"pos(g({deep})).\n")
    assert "is not of f/1" in complaint(capsys, arguments("check", folder))


# -- very large files ---------------------------------------------------------------------------------------

SIZE = 200_000_000
GARBAGE: list[tuple[str, bytes, str]] = [
    ("words", b"garbage without end\n", r":1:9: 'without' follows a term"),
    ("one line", b"x", r":1:.*"),
    ("open brackets", b"(", r":1:\d+: .*nested too deeply.* \(is a bracket missing\?\)"),
    ("digits", b"9", r":1:1: this number is longer than"),
    ("noise", bytes(range(256)), r":1: this is binary data"),
    ("high noise", bytes(range(128, 256)), r":1: this is not UTF-8 text"),
]


def fill(path: Path, unit: bytes, size: int) -> None:
    block = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    with path.open("wb") as file:
        for _ in range(size // len(block)):
            file.write(block)


def measured(arguments: list[str]) -> tuple[int, str, float]:
    """Exit status, standard error and peak memory (in bytes) of a run of the command."""
    script = (
        "import resource, sys\nfrom pathlib import Path\nfrom maxsynth.cli import main\nstatus = main(sys.argv[1:])\n"
        # What `resource` says of a new process is at least what its parent had.
        "told = Path('/proc/self/status')\n"
        "peak = told.read_text().partition('VmHWM:')[2].split()[0] if told.exists() else None\n"
        "print(peak or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\nsys.exit(status)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr, int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "unit", "message"), GARBAGE, ids=[name for name, *_ in GARBAGE])
def test_large_files_of_garbage(
    name: str, unit: bytes, message: str, tmp_path: Path, effort: Callable[[int, int], int]
) -> None:
    """Every run tries `bk.pl` with 80 MB; with --slow it has 200 MB, and the other files have their turn, too."""
    size = effort(80_000_000, SIZE)
    for file in ("bk.pl", "exs.pl", "program.pl")[: effort(1, 3)]:
        folder = write_task(tmp_path / "task", {})
        fill(folder / file, unit, size)
        status, error, memory = measured(arguments("evaluate", folder))
        (folder / file).unlink()
        assert (status, error.count("\n")) == (2, 1), error[:2000]
        assert re.match(f"maxsynth: {re.escape(str(folder / file))}{message}", error), error
        assert memory < 7.5 * size


def test_a_large_bias(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", {})
    with (folder / "bias.pl").open("wb") as file:
        file.truncate(SIZE)  # sparse
    said = complaint(capsys, ["check", str(folder)])
    assert said == f"{folder / 'bias.pl'}: the file has more than 4 MB (check that it is the right one, or shorten it)"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_file_without_an_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", {"bias.pl": None})
    (folder / "bias.pl").symlink_to("/dev/zero")
    assert "this is not a regular file (" in complaint(capsys, ["check", str(folder)])
    (folder / "bias.pl").unlink()
    (folder / "bias.pl").write_bytes(b"%" * (5 << 20))
    assert "bias.pl: the file has more than 4 MB (" in complaint(capsys, ["check", str(folder)])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["bias.pl", "bk.pl", "exs.pl", "program.pl", "result.json"])
def test_a_pipe_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Nobody writes to it: reading would wait for ever."""
    folder = write_task(tmp_path / "task", {name: None})
    pipe = folder / name
    os.mkfifo(pipe)
    said = f"{pipe}: this is not a regular file (give a file, not a pipe, a device or a socket)"
    if name == "result.json":
        assert complaint(capsys, ["verify", str(pipe)]) == said
        assert complaint(capsys, ["explain", str(pipe), str(folder)]) == said
    elif name == "program.pl":
        assert complaint(capsys, ["evaluate", str(pipe), str(folder)]) == said
    else:
        for command in ("learn", "check"):
            assert complaint(capsys, [command, str(folder)]) == said
        with pytest.raises(MaxSynthError, match="this is not a regular file"):
            maxsynth.Task.from_folder(folder)


def test_a_socket_is_no_file(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        path = Path(os.path.relpath(tmp_path / "s"))
        listening.bind(str(path))
        with pytest.raises(MaxSynthError, match="this is not a regular file"):
            read_text(path)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_an_open_pipe_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a shell gives it for `<(command)`."""
    folder = write_task(tmp_path / "task", {})
    reading, writing = os.pipe()
    os.write(writing, b"f(A) :- p(A).")
    os.close(writing)
    try:
        assert main(["evaluate", f"/dev/fd/{reading}", str(folder)]) == 0
    finally:
        os.close(reading)
    assert "f(A) :- p(A)." in capsys.readouterr().out


LONG = "x" * 1_000_000


@pytest.mark.parametrize(
    "files",
    [
        {"exs.pl": f"pos(f('{LONG}')).\npos(f('{LONG}')).\nneg(f('{LONG}')).\n"},
        {"exs.pl": f"pos(f(a),'{LONG}').\n"},
        {"exs.pl": f"pos({LONG}(a)).\n"},
        {"bk.pl": f":- {LONG}.\n"},
        {"bk.pl": f"p(X) :- {LONG}(X).\n"},
        {"bk.pl": f"p(X) :- throw({LONG}).\n"},
        {"bk.pl": f"p(X) :- X < {LONG}.\n"},
        {"bk.pl": f"p(X{LONG}).\n"},
        {"bk.pl": f"p(X) :- X{LONG} = 1.\n"},
        {"bk.pl": f"p(a).\n{LONG}(a).\n"},
        {"bk.pl": f"p(a) {LONG}.\n"},
        {"bias.pl": f"head_pred(f,1).\nbody_pred({LONG},1).\n"},
        {"bias.pl": f"head_pred(f,1).\nbody_pred(p,1).\n{LONG}(a).\n"},
        {"bias.pl": "head_pred(f,1).\n" + "".join(f"body_pred(a_long_name_{i},1).\n" for i in range(5000))},
    ],
    ids=lambda files: next(iter(files)) + next(iter(files.values()))[:30],
)
def test_what_is_long_is_not_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str]
) -> None:
    folder = write_task(tmp_path / "task", files)
    for command in (["check", str(folder)], ["learn", str(folder), "--timeout", "20"]):
        main([*command, "--prolog", "builtin"])
        out, err = capsys.readouterr()
        assert all(len(line) < 1200 for line in (out + err).splitlines())
        assert "Traceback" not in err
    with contextlib.suppress(MaxSynthError):
        task = maxsynth.Task.from_folder(folder, prolog="builtin")
        assert all(len(warning) < 1200 for warning in task.warnings)
