"""What was found is never lost: whatever becomes of standard output, of a file to write, or of the process."""

from __future__ import annotations

import array
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from maxsynth.bench.results import ResultsFile
from maxsynth.cli import main
from maxsynth.commands import learn as learning
from maxsynth.commands.signals import Asked, Interrupt
from maxsynth.demos import zendo
from maxsynth.errors import MaxSynthError
from maxsynth.files import check_output, write_folder
from maxsynth.logic.programs import parse_program

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
import fcntl  # noqa: E402
import termios  # noqa: E402

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")

EXAMPLE = Path(__file__).parent.parent / "examples" / "kinship"
LEARNED = "grandparent(A,B) :- parent(A,C), parent(C,B).\n"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
MakeTask = Callable[..., Path]
Capture = pytest.CaptureFixture[str]

VARIABLES = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
COMMAND = [sys.executable, "-m", "maxsynth"]


def in_shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs `$M ...` in a folder of its own."""
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**VARIABLES, "M": " ".join(COMMAND)}, capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip


STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """What a test starts ends with it, also where the test fails."""
    yield
    while STARTED:
        STARTED.pop().kill()


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], env=VARIABLES, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        **options,
    )  # fmt: skip
    STARTED.append(process)
    return process


def wait_for(text: str, stream: IO[str] | None) -> None:
    """Reads lines until one has this text."""
    assert stream is not None
    for line in stream:
        if text in line:
            return
    raise AssertionError(f"it ended without saying {text}")


@pytest.fixture(scope="module")
def long_task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels that are as good as random: a proof takes longer than any test waits."""
    folder = tmp_path_factory.mktemp("long") / "task"
    zendo.make(train=300, noise=50, test=2).write(folder)
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program.pl").write_text(LEARNED)
    return tmp_path / "program.pl"


# -- standard output ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("where", "why"), [(">&-", "it is closed"), ("> /dev/full", "No space left on device")])
def test_output_that_cannot_be_written_goes_to_standard_error(where: str, why: str, tmp_path: Path) -> None:
    done = in_shell(f"$M learn {EXAMPLE} --quiet {where}", tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"maxsynth: standard output: {why} (what was printed follows)\n{LEARNED}"
    done = in_shell(f"$M learn {EXAMPLE} --quiet --json - {where}", tmp_path)
    assert json.loads(done.stderr.partition("\n")[2])["status"] == "optimal"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "found"), [(f"learn {EXAMPLE} --quiet", LEARNED), ("demo kinship", "The hidden rule was found: ")]
)
def test_a_reader_that_is_gone_does_not_take_the_result_with_it(command: str, found: str, tmp_path: Path) -> None:
    done = in_shell(f"$M {command} | true; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert done.returncode == 2
    assert "maxsynth: standard output: Broken pipe (what was printed follows)\n" in done.stderr
    assert found in done.stderr


@pytest.mark.parametrize("where", [">&- 2>&-", "> /dev/full 2> /dev/full", ">&- 2> /dev/null", "2>&1 | true"])
def test_where_nobody_can_read_at_all_it_goes_to_a_new_file(where: str, tmp_path: Path) -> None:
    done = in_shell(f"$M learn {EXAMPLE} --quiet {where}", tmp_path)
    assert (done.stdout, done.stderr) == ("", "")
    assert [path.read_text() for path in tmp_path.iterdir()] == [LEARNED]


@pytest.mark.parametrize(
    "command",
    ["--help", "demo", "check TASK", "evaluate PROGRAM TASK", "explain PROGRAM TASK", "evaluate PROGRAM TASK --json -"],
)
def test_all_commands(command: str, tmp_path: Path, program: Path) -> None:
    script = command.replace("TASK", str(EXAMPLE)).replace("PROGRAM", str(program))
    expected = in_shell(f"$M {script}", tmp_path)
    assert expected.returncode == 0
    for where in (">&-", "> /dev/full"):
        done = in_shell(f"$M {script} {where}", tmp_path)
        assert done.stderr.endswith(expected.stdout)
        assert "Traceback" not in done.stderr
        assert done.returncode == 2


def test_a_full_standard_error_ends_nothing(make_task: MakeTask, tmp_path: Path) -> None:
    task = make_task("head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\n", "p(a).\np(b).\np(c).\n",
                     "pos(f(a)).\npos(f(b)).\npos(f(c)).\n")  # fmt: skip
    for where in ("2> /dev/full", "2>&-"):
        done = in_shell(f"$M learn {task} {where}", tmp_path)  # with a warning: nothing defines q
        assert (done.returncode, done.stdout) == (0, "f(A) :- p(A).\n")


# -- files --------------------------------------------------------------------------------------------------


def test_a_json_that_cannot_be_written_does_not_take_the_result_with_it(tmp_path: Path) -> None:
    done = in_shell(f"$M learn {EXAMPLE} --quiet --json /dev/full", tmp_path)
    assert (done.returncode, done.stdout) == (2, LEARNED)
    (saved,) = tmp_path.iterdir()
    message = f"maxsynth: /dev/full: cannot be written: No space left on device (it is in {saved} instead)\n"
    assert done.stderr == message
    assert json.loads(saved.read_text())["program"] == [LEARNED.strip()]
    assert main(["verify", str(saved)]) == 0


def test_a_folder_that_is_gone_when_the_run_ends(long_task: Path, tmp_path: Path) -> None:
    gone, here = tmp_path / "gone", tmp_path / "here"
    gone.mkdir()
    here.mkdir()
    process = start("learn", long_task, "--json", gone / "result.json", cwd=here)
    wait_for("zendo(A)", process.stderr)
    gone.rmdir()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert parse_program(out).rules
    assert "interrupted: cost " in err
    (saved,) = here.iterdir()
    assert err.endswith(f"cannot be written: No such file or directory (it is in {saved} instead)\n")


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("learn TASK --quiet --json FILE", LEARNED),
        ("evaluate PROGRAM TASK --json FILE", LEARNED),
        ("check TASK --json FILE", "examples "),
        ("explain PROGRAM TASK --csv FILE", "rule 1: "),
    ],
)
def test_a_file_that_was_there_stays_whole(command: str, printed: str, tmp_path: Path, program: Path) -> None:
    """A limit on the size of files: the new one fails when part of it is written."""
    file = tmp_path / "file"
    file.write_text("mine")
    arguments = [
        {"TASK": str(EXAMPLE), "PROGRAM": str(program), "FILE": str(file)}.get(word, word) for word in command.split()
    ]
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50));"
    run = f"import sys; from maxsynth.cli import main; sys.exit(main({arguments!r}))"
    done = subprocess.run(
        [sys.executable, "-c", limit + run], cwd=tmp_path, env=VARIABLES, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stdout.startswith(printed)
    assert done.stderr.startswith(f"maxsynth: {file}: cannot be written: File too large (")
    assert file.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "program.pl"]


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    for name, mode in (("private", 0o600), ("shared", 0o664)):
        (tmp_path / name).write_text("{}")
        (tmp_path / name).chmod(mode)
        assert main(["check", str(EXAMPLE), "--json", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_mode & 0o777 == mode
    assert main(["check", str(EXAMPLE), "--json", str(tmp_path / "new")]) == 0
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode


def test_pipes_and_what_standard_output_is(tmp_path: Path) -> None:
    done = in_shell(f"$M learn {EXAMPLE} --quiet --json >(cat > copy; echo done > flag) && sleep 0.5", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, LEARNED, "")
    done = in_shell(f"$M learn {EXAMPLE} --quiet --json /dev/stdout > both", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    program, rest = (tmp_path / "both").read_text().split("\n", 1)
    assert f"{program}\n" == LEARNED
    assert json.loads(rest)["status"] == "optimal"


def test_what_cannot_be_written_is_said_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "missing" / "file")
    with pytest.raises(MaxSynthError, match="there is no such folder to write to"):
        check_output(tmp_path / "link")
    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    with pytest.raises(MaxSynthError, match="no permission to write to its folder"):
        check_output(tmp_path / "file")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) == tmp_path)
    with pytest.raises(MaxSynthError, match="no permission to write it"):
        check_output(tmp_path / "file")
    check_output(tmp_path / "new")


def test_a_task_that_cannot_be_saved_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full after two files."""
    written = []

    def write_text(path: Path, text: str, encoding: str) -> int:
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(path)
        return path.write_bytes(text.encode(encoding))

    monkeypatch.setattr(Path, "write_text", write_text)
    with pytest.raises(MaxSynthError, match="cannot be written: No space left on device"):
        write_folder(tmp_path / "task", {"bias.pl": "a", "test/bk.pl": "b", "exs.pl": "c", "test/exs.pl": "d"})
    assert len(written) == 2
    assert list((tmp_path / "task").iterdir()) == []


def test_a_result_of_the_bench_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with ResultsFile(tmp_path / "results.jsonl") as file:
        file.append({"task": "one"})
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(MaxSynthError) as stopped:
            file.append({"task": "two"})
        monkeypatch.undo()
    assert str(stopped.value).startswith(f"{tmp_path / 'results.jsonl'}: cannot be written: No space left on device (")
    assert (tmp_path / "results.jsonl").read_text() == '{"task": "one"}\n'


def test_a_result_names_the_files_as_they_were_read(long_task: Path, tmp_path: Path) -> None:
    """Whoever edits the task while it is learned from has a result of the task before."""
    zendo.make(train=300, noise=50, test=2).write(tmp_path / "task")
    process = start("learn", tmp_path / "task", "--json", tmp_path / "result.json")
    wait_for("zendo(A)", process.stderr)
    with (tmp_path / "task" / "exs.pl").open("a") as file:
        file.write("% edited\n")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert main(["verify", str(tmp_path / "result.json")]) == 2
    assert main(["verify", str(tmp_path / "result.json"), "--task", str(long_task)]) == 0


# -- signals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_the_search(number: signal.Signals, long_task: Path, tmp_path: Path, capsys: Capture) -> None:
    process = start("learn", long_task, "--json", tmp_path / "result.json")
    wait_for("zendo(A)", process.stderr)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "interrupted: cost " in err
    result = json.loads((tmp_path / "result.json").read_text())
    assert (result["status"], "".join(f"{rule}\n" for rule in result["program"])) == ("interrupted", out)
    assert parse_program(out).rules
    assert main(["verify", str(tmp_path / "result.json")]) == 0


def test_a_terminal_that_is_closed(long_task: Path, tmp_path: Path) -> None:
    """It says goodbye by SIGHUP, and takes nothing more: the result is in the folder where the command was typed."""
    ours, theirs = pty.openpty()

    def be_the_shell() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [*COMMAND, "learn", str(long_task), "--json", "result.json"], cwd=tmp_path, env=VARIABLES,
        preexec_fn=be_the_shell, stdin=theirs, stdout=theirs, stderr=theirs, text=True,
    )  # fmt: skip
    STARTED.append(process)
    os.close(theirs)
    received = b""
    while b"zendo(A)" not in received:
        received += os.read(ours, 1 << 16)
    os.close(ours)
    assert process.wait(30) == 2
    (saved,) = tmp_path.glob("maxsynth-*.txt")
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["status"] == "interrupted"
    assert "".join(f"{rule}\n" for rule in result["program"]) == saved.read_text()


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="needs /dev/stdin")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_reading(number: signal.Signals) -> None:
    """The program comes through a pipe that nobody ends."""
    process = start("evaluate", "/dev/stdin", EXAMPLE, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write("f(A) :- ")
    process.stdin.flush()
    while unread(process.stdin):  # what was written is gone from the pipe once it is read
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(30) == 128 + number
    assert process.stderr is not None
    assert process.stderr.read() == "maxsynth: interrupted\n"
    process.stdin.close()


def unread(pipe: IO[str]) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, count)
    return count[0]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_the_result_is_written(number: signal.Signals, tmp_path: Path) -> None:
    """The JSON goes into a pipe that is not read yet. A first signal lets it be written."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = start("learn", EXAMPLE, "--quiet", "--json", pipe)
    wait_for(LEARNED, process.stdout)
    process.send_signal(number)
    assert json.loads(pipe.read_text())["status"] == "optimal"
    process.communicate(timeout=30)
    assert process.returncode == 128 + number


def test_two_signals_while_the_result_is_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = start("learn", EXAMPLE, "--quiet", "--json", pipe)
    wait_for(LEARNED, process.stdout)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode in (128 + signal.SIGINT, 128 + signal.SIGTERM)
    assert err == "maxsynth: interrupted\n"


def test_a_signal_that_is_ignored_stays_so(long_task: Path) -> None:
    """As `nohup` has it."""
    process = start(
        "learn", long_task, "--timeout", "2", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    wait_for("zendo(A)", process.stderr)
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, parse_program(out).rules != ()) == (0, True)
    assert "timeout: cost " in err


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_the_demo(number: signal.Signals) -> None:
    process = start("demo", "zendo", "--noise", "50")
    wait_for("zendo(A)", process.stderr)
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "learned program  zendo(A) :- " in out


def test_the_command_in_a_thread(capsys: Capture) -> None:
    """Where there are no signals."""
    status: list[int] = []
    thread = threading.Thread(target=lambda: status.append(main(["learn", str(EXAMPLE), "--quiet"])))
    thread.start()
    thread.join()
    assert (status, capsys.readouterr().out) == ([0], LEARNED)


def test_a_second_signal_ends_at_once() -> None:
    interrupt = Interrupt()
    interrupt.note(signal.SIGTERM, None)
    assert interrupt.came()
    with pytest.raises(Asked) as stopped:
        interrupt.note(signal.SIGINT, None)
    assert stopped.value.number == signal.SIGINT
    assert interrupt.status(0) == 143
    interrupt.wait_for_writing()
    interrupt.note(signal.SIGINT, None)
    assert interrupt.status(0) == 143


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [(Asked(signal.SIGINT), 130, "ended at once: cost "), (MemoryError(), 0, "memory: cost ")],
)
def test_even_then_the_best_so_far_is_printed(
    error: BaseException, status: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """A search that is torn away when it has found something."""

    class Torn(learning.Search):
        def take(self, *found: Any) -> None:
            super().take(*found)
            if self.best.program.rules:
                raise error

    monkeypatch.setattr(learning, "Search", Torn)
    assert main(["learn", str(EXAMPLE)]) == status
    out, err = capsys.readouterr()
    assert parse_program(out).rules
    assert said in err
