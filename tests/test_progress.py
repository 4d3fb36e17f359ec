"""What a person sees while a program is learned: on terminals of all kinds, and however the run ends."""

from __future__ import annotations

import dataclasses
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from maxsynth.commands.progress import Rate, fitting, make_display, search_parts
from maxsynth.demos import zendo
from maxsynth.logic.programs import parse_program
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
import fcntl  # noqa: E402
import termios  # noqa: E402

MakeTask = Callable[..., Path]

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SHOW, HIDE = "\x1b[?25h", "\x1b[?25l"
TRUE_RULE = zendo.PROGRAM + "\n"


@dataclass
class Seen:
    """What a command wrote: its standard output, and what its terminal received; how long it took to obey a signal."""

    status: int
    out: str
    terminal: str
    obeyed: float

    @property
    def frames(self) -> list[str]:
        """The states of the live line, as text."""
        plain = [ESCAPE.sub("", part) for part in re.split(r"\r\x1b\[2K|\r\n|\x1b\[\?25l", self.terminal)]
        return [part for part in plain if re.match(r"[-|/\\] \d", part)]


def terminal_of(columns: int) -> tuple[int, int]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return ours, theirs


def on_terminal(
    *arguments: str | Path,
    columns: int = 80,
    send: int | None = None,
    at: str | re.Pattern[bytes] = "",
    **environment: str,
) -> Seen:
    """Runs the command with standard error on a terminal; sends a signal once that shows `at`, or what matches it."""
    ours, theirs = terminal_of(columns)
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TERM": "xterm", **environment}
    variables = {name: value for name, value in variables.items() if value or name == "PYTHONPATH"}
    process = subprocess.Popen(
        [sys.executable, "-m", "maxsynth", *map(str, arguments)],
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=variables, text=True,
    )  # fmt: skip
    os.close(theirs)
    received, sent, end = b"", 0.0, time.monotonic() + 30
    awaited = at if isinstance(at, re.Pattern) else re.compile(re.escape(at.encode()))
    try:
        while time.monotonic() < end:
            if not select.select([ours], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # how Linux says that nobody has the terminal open any more
                data = b""
            if not data:
                break
            received += data
            if send and not sent and awaited.search(received):
                process.send_signal(send)
                sent = time.monotonic()
        out, _ = process.communicate(timeout=10)
    finally:
        process.kill()
        os.close(ours)
    obeyed = time.monotonic() - sent if sent else 0.0
    return Seen(process.returncode, out, received.decode("ascii"), obeyed)


@pytest.fixture(scope="module")
def long_task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels that are as good as random: a proof takes longer than any test waits."""
    folder = tmp_path_factory.mktemp("long") / "task"
    zendo.make(train=300, noise=50, test=2).write(folder)
    return folder


@pytest.fixture(scope="module")
def short_task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("short") / "task"
    zendo.make(train=60, noise=0, test=2).write(folder)
    return folder


# -- the line -----------------------------------------------------------------------------------------------


def test_the_line_moves_while_the_solver_works(long_task: Path) -> None:
    seen = on_terminal("learn", long_task, "--timeout", "3")
    assert seen.status == 0
    working = [frame for frame in seen.frames if "combining" in frame]
    assert len({re.search(r"[\d.]+ s", frame)[0] for frame in working}) >= 5  # type: ignore[index]
    assert re.fullmatch(r". \d\.\d s  cost \d+  at least \d+  combining  [\d,]+ rules  [\d,]+ tested/s", working[-1])


def test_better_programs_are_printed_above_the_line(short_task: Path) -> None:
    seen = on_terminal("learn", short_task)
    assert (seen.status, seen.out) == (0, TRUE_RULE)
    shown = ESCAPE.sub("", seen.terminal).replace("\r\n", "\n")
    costs = [int(cost) for cost in re.findall(r"\d s  cost (\d+):\n    zendo\(A\) :- ", shown)]
    assert costs == sorted(set(costs), reverse=True)
    assert costs[-1] == 7
    assert shown.endswith("s\n")
    assert "optimal: cost 7 = size 7" in shown


@pytest.mark.parametrize("columns", [1, 10, 40])
def test_narrow_terminals(long_task: Path, columns: int) -> None:
    """Also where COLUMNS says something else, as that of another terminal does."""
    seen = on_terminal("learn", long_task, "--timeout", "4", columns=columns, COLUMNS="80")
    assert seen.status == 0
    drawn = re.findall(r"\x1b\[2K([^\r]*)", seen.terminal[: seen.terminal.rfind(SHOW)])
    shown = [ESCAPE.sub("", text) for text in drawn]
    lengths = [len(text) for text in shown if not re.match(r" +[\d.]+ s  cost \d+:", text)]
    assert lengths
    assert max(lengths) <= columns


@pytest.mark.parametrize(
    "settings",
    [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}],
    ids=["locale", "encoding"],
)
def test_terminals_without_unicode_and_long_programs(make_task: MakeTask, settings: dict[str, str]) -> None:
    name = "a_rather_long_name_" * 10
    facts = "".join(f"{name}({i}).\n" for i in range(9))
    folder = make_task(
        f"head_pred(f,1).\nbody_pred({name},1).\nbody_pred(missing,1).\n",
        facts,
        "".join(f"pos(f({i})).\n" for i in range(9)),
    )
    folder = folder.rename(folder.with_name("größer"))
    seen = on_terminal("learn", folder, columns=30, **settings)
    assert (seen.status, seen.out) == (0, f"f(A) :- {name}(A).\n")
    assert "warning: " in seen.terminal
    assert f"    f(A) :- {name}(A).\r\n" in seen.terminal  # not broken into lines


def test_no_colour(short_task: Path) -> None:
    coloured = re.compile(r"\x1b\[(?:\d+;)*[349][0-7]")
    assert coloured.search(on_terminal("learn", short_task).terminal)
    assert not coloured.search(on_terminal("learn", short_task, NO_COLOR="1").terminal)


@pytest.mark.parametrize("term", ["dumb", "unknown", ""])
def test_terminals_that_cannot_go_back_get_plain_lines(short_task: Path, term: str) -> None:
    seen = on_terminal("learn", short_task, TERM=term)
    assert (seen.status, seen.out) == (0, TRUE_RULE)
    assert "\x1b" not in seen.terminal
    assert "s  size 1  tested" in seen.terminal


def test_quiet(short_task: Path) -> None:
    seen = on_terminal("learn", short_task, "--quiet")
    assert (seen.status, seen.out, seen.terminal) == (0, TRUE_RULE, "")


# -- however it ends ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("columns", [20, 80])
def test_a_signal_ends_it_with_the_best_so_far(long_task: Path, number: int, status: int, columns: int) -> None:
    seen = on_terminal("learn", long_task, send=number, at="zendo(A)", columns=columns)
    assert seen.status == status
    assert seen.obeyed < 1
    assert parse_program(seen.out).rules
    assert "interrupted: cost " in seen.terminal
    assert restored(seen)


@pytest.mark.parametrize("columns", [80, 24])
def test_ctrl_c_ends_the_demo_with_what_was_found(columns: int) -> None:
    seen = on_terminal("demo", "zendo", "--noise", "50", columns=columns, send=signal.SIGINT, at="cost ")
    assert seen.status == 130
    assert "the search was cut: a program may cost as little as " in seen.out
    assert "learned program  " in seen.out
    assert seen.terminal.count(SHOW) >= seen.terminal.count(HIDE) > 0
    assert all(len(frame) <= columns for frame in seen.frames)


def test_a_signal_while_it_reads(make_task: MakeTask) -> None:
    facts = "".join(f"p({i},{i + 1}).\n" for i in range(600_000))
    folder = make_task("head_pred(f,1).\nbody_pred(p,2).\n", facts, "pos(f(1)).\nneg(f(2)).\n")
    seen = on_terminal("learn", folder, send=signal.SIGINT, at=HIDE)
    assert (seen.status, seen.out) == (130, "")
    assert seen.terminal.endswith("maxsynth: interrupted\r\n")
    assert restored(seen)


def test_a_timeout(long_task: Path) -> None:
    seen = on_terminal("learn", long_task, "--timeout", "4")
    assert seen.status == 0
    assert parse_program(seen.out).rules
    assert "timeout: cost " in seen.terminal
    assert restored(seen)


def test_an_error(make_task: MakeTask) -> None:
    bias = "head_pred(f,1).\nbody_pred(p,1).\nmax_vars(40).\n"
    seen = on_terminal("learn", make_task(bias, "p(a).\n", "pos(f(a)).\n"))
    assert (seen.status, seen.out) == (2, "")
    assert seen.terminal.endswith("maxsynth: max_vars is 40, and `learn` takes at most 16 (lower it)\r\n")
    assert restored(seen)


def restored(seen: Seen) -> bool:
    """Whether the cursor is shown, and the last thing on the screen is a whole line of text."""
    return seen.terminal.rfind(SHOW) > seen.terminal.rfind(HIDE) and seen.terminal.endswith("\n")


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_exception_passes_through(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = terminal_of(80)
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with pytest.raises(error), make_display():
            raise error
        received, end = "", time.monotonic() + 10
        while not received.endswith(SHOW) and time.monotonic() < end:  # it may come in several parts
            received += os.read(ours, 1 << 16).decode()
        assert received.startswith(HIDE)
        assert received.endswith(SHOW)
    os.close(ours)


def test_a_terminal_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = terminal_of(80)
    monkeypatch.setenv("TERM", "xterm")
    terminal = os.fdopen(theirs, "w")
    monkeypatch.setattr(sys, "stderr", terminal)
    with make_display() as display:
        display.follow(some_progress)
        os.close(ours)
        time.sleep(0.5)  # the thread redraws into nothing
        display.note(some_progress(program=True))
    with pytest.raises(OSError, match="Input/output error"):
        terminal.close()


def test_standard_error_that_nobody_reads(short_task: Path) -> None:
    """`2>&-`, and a pipe whose reader is gone: the result comes all the same, and nothing else with it."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = f"{sys.executable} -m maxsynth learn {short_task}"
    for script in (f"{command} 2>&-", f"{{ {command} 2>&1 >&3 | true; }} 3>&1"):
        done = subprocess.run(["sh", "-c", script], env=variables, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, TRUE_RULE, "")


def test_standard_error_is_a_file(short_task: Path) -> None:
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "maxsynth", "learn", str(short_task)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, TRUE_RULE)
    assert "\x1b" not in done.stderr
    assert re.search(r"(?m)^ +[\d.]+ s  cost 7:\n    " + re.escape(TRUE_RULE) + r" +[\d.]+ s  size 1  ", done.stderr)


# -- the parts ----------------------------------------------------------------------------------------------


def some_progress(seconds: float = 1.0, tested: int = 100, program: bool = False) -> Progress:
    found = parse_program("f(A) :- p(A).") if program else None
    return Progress("generate", seconds, 2, tested, 5, 40, 7, found)


def test_parts_that_have_no_room_are_left_out() -> None:
    parts = search_parts(some_progress(), 1234.5, "|")
    whole = "".join(text for text, _ in fitting(parts, 100))
    assert whole == "| 1.0 s  cost 40  at least 7  size 3  5 rules  1,234 tested/s"
    assert fitting(parts, len(whole)) == parts
    assert fitting(parts, len(whole) - 1) == parts[:-1]
    assert fitting(parts, 0) == parts[:1]


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("dive", "a first look"),
        ("generate", "size 3"),
        ("combine", "combining"),
        ("recursion", "recursion"),
        ("recursion and invention", "recursion and invention"),
    ],
)
def test_each_stage_has_a_name_of_its_own(stage: str, said: str) -> None:
    parts = search_parts(dataclasses.replace(some_progress(), stage=stage), 0.0, "|")
    assert parts[3][0].strip() == said


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("enable_recursion.", "recursion"),
        ("enable_pi.", "invention"),
        ("enable_recursion.\nenable_pi.", "recursion and invention"),
    ],
)
def test_programs_are_called_what_the_bias_asks_for(make_task: MakeTask, asked: str, name: str) -> None:
    bias = f"head_pred(path,2).\nbody_pred(edge,2).\nmax_vars(3).\nmax_body(2).\n{asked}\n"
    pos = "".join(f"pos(path({i},{j})).\n" for i in range(4) for j in range(i + 1, 5))
    folder = make_task(bias, "".join(f"edge({i},{i + 1}).\n" for i in range(4)), pos + "neg(path(1,0)).\n")
    stages: list[str] = []
    Search(ReadTask.from_folder(folder), Settings(steps=500), lambda progress: stages.append(progress.stage)).run()
    assert name in stages
    assert set(stages) <= {"generate", "combine", name}


def test_the_first_look_is_said_to_be_one(short_task: Path) -> None:
    stages: list[str] = []
    Search(ReadTask.from_folder(short_task), Settings(), lambda progress: stages.append(progress.stage)).run()
    assert stages[0] == "dive"


def test_the_rate_is_that_of_the_last_second() -> None:
    rate = Rate()
    assert rate.of(some_progress(0.5, 100)) == 200
    assert rate.of(some_progress(1.0, 1000)) == 1000
    assert rate.of(some_progress(1.5, 1050)) == 100
    assert rate.of(some_progress(9.0, 1050)) == 100  # nothing is tested: what it was when something was
    assert rate.of(some_progress(10.0, 1150)) == 100
