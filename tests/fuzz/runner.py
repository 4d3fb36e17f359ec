"""An input (files and a command), how it is run, and what must hold of it however bad it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Endless as far as a test can wait, in seconds of the processor, which do not depend on what else the machine does; ...
PROCESSOR = 20
WALL = 120  # ... and asleep for so long
MEMORY = 3 << 30  # of the address space; what is really used must stay below ...
MOST_USED = 1500 << 20
BK_STEPS = 30_000  # for a call of BK, instead of a million: what does not end is found out soon


# -- inputs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Folder:
    """In the place of a file."""


@dataclass(frozen=True)
class Link:
    target: str


@dataclass(frozen=True)
class Fifo:
    """A pipe that nobody writes to."""


@dataclass(frozen=True)
class Forbidden:
    """A file, or a folder with what is in it, that may not be read."""

    content: bytes | None


Content = bytes | Folder | Link | Fifo | Forbidden


@dataclass(frozen=True)
class Input:
    """Files by their paths, and the arguments of a command that runs where they are."""

    name: str
    files: dict[str, Content]
    arguments: tuple[str, ...]
    stdin: bytes = b""
    bk_steps: int | None = BK_STEPS
    statuses: tuple[int, ...] = (0, 1, 2, 3)

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        locked = []
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Folder) or (isinstance(content, Forbidden) and content.content is None):
                path.mkdir(exist_ok=True)
            elif isinstance(content, Link):
                path.symlink_to(content.target)
            elif isinstance(content, Fifo):
                os.mkfifo(path)
            else:
                path.write_bytes(content.content or b"" if isinstance(content, Forbidden) else content)
            if isinstance(content, Forbidden):
                locked.append(path)
        for path in locked:
            path.chmod(0)

    @property
    def as_nobody(self) -> bool:
        """Whether it is about permission, which root always has."""
        return any(isinstance(content, Forbidden) for content in self.files.values())

    def save(self, folder: Path) -> None:
        """For a look at what failed: the files, and how to run them."""
        self.write(folder / "files")
        (folder / "stdin").write_bytes(self.stdin)
        (folder / "input.txt").write_text(f"{self.name}\n{list(self.arguments)}\n", errors="backslashreplace")


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its status (negative for a signal), what it used, what it said."""

    status: int
    hung: bool
    seconds: float
    processor: float
    memory: int
    out: str
    err: str


# -- what must hold -----------------------------------------------------------------------------------------

# Tracebacks of Python and of its extensions, and what libraries print before they abort.
CRASHES = re.compile(
    r"Traceback \(most recent|Exception ignored|Fatal Python|terminate called|Assertion .*failed|SystemError"
)


def problems(given: Input, found: Outcome) -> list[str]:
    """What is wrong with how a command ended; nothing when all is well."""
    return list(every_problem(given, found))


def every_problem(given: Input, found: Outcome) -> Iterator[str]:
    if found.hung:
        yield f"it did not end within {WALL} s"
        return
    if found.status < 0:
        yield f"it was killed by signal {-found.status}, after {found.processor:.1f} s of the processor"
        return
    if found.status not in given.statuses:
        yield f"its status is {found.status}"
    if CRASHES.search(found.err) or CRASHES.search(found.out):
        yield "it shows how it failed inside"
    if found.memory > MOST_USED:
        yield f"it used {found.memory >> 20} MB"
    if found.status == 2:
        yield from bad_complaints(found.err)
    if found.status == 1 and given.arguments[:1] not in (("learn",), ("verify",)):
        yield "only learn and verify end with 1"
    if found.status == 3 and given.arguments[:1] != ("learn",):
        yield "only learn ends with 3"


def bad_complaints(err: str) -> Iterator[str]:
    """One line says what is wrong, the last one; argparse shows the usage before it."""
    lines = err.splitlines()
    said = [line for line in lines if re.match(r"maxsynth( \w+)?: (?!warning: )", line)]
    if len(said) != 1 or lines[-1] != said[0]:
        yield f"it says what is wrong in {len(said)} lines, not in one at the end"
    elif len(said[0]) > 1500:
        yield f"what it says has {len(said[0])} characters"
    elif any(not char.isprintable() for char in said[0]):
        yield "what it says cannot be printed"
    elif "error: " not in said[0] and not re.search(r"\(.+\)$", said[0]):
        yield "it does not say what to do"


# -- running ------------------------------------------------------------------------------------------------


class Runner:
    """Runs inputs in forks of a server, or as processes of their own."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.count = 0
        self.server = subprocess.Popen(
            [sys.executable, "-m", "fuzz.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            text=True,
        )

    def close(self) -> None:
        assert self.server.stdin is not None
        self.server.stdin.close()
        self.server.wait()

    def run(self, given: Input, *, process: bool = False, keep: bool = False) -> Outcome:
        self.count += 1
        base = self.work / str(self.count)
        given.write(base / "here")
        (base / "stdin").write_bytes(given.stdin)
        base.chmod(0o755)
        outcome = self.as_process(given, base) if process else self.as_fork(given, base)
        if not keep:
            shutil.rmtree(base, ignore_errors=True)
        return outcome

    def as_fork(self, given: Input, base: Path) -> Outcome:
        request: dict[str, Any] = {
            "arguments": given.arguments,
            "folder": str(base / "here"),
            "scratch": str(base),
            "seconds": WALL,
            "processor": PROCESSOR,
            "memory": MEMORY,
            "bk_steps": given.bk_steps,
            "as_nobody": given.as_nobody,
        }
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(f"{json.dumps(request)}\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline()
        assert answer, f"the server of the tests died at {given.name}"
        return Outcome(**json.loads(answer))

    def as_process(self, given: Input, base: Path) -> Outcome:
        """As a user runs it: with the start of Python, and its end."""
        clock = time.monotonic()
        with (base / "stdin").open("rb") as stdin:
            command = [sys.executable, "-m", "maxsynth", *given.arguments]
            try:
                done = subprocess.run(
                    command, cwd=base / "here", stdin=stdin, capture_output=True, env=environment(), timeout=WALL
                )
            except subprocess.TimeoutExpired:
                return Outcome(-9, True, WALL, WALL, 0, "", "")
        seconds = time.monotonic() - clock
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        return Outcome(done.returncode, False, seconds, seconds, 0, out, err)


def environment() -> dict[str, str]:
    threads = {"OPENBLAS_NUM_THREADS": "1"}  # a process that forks had better have one
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@contextmanager
def running() -> Iterator[Runner]:
    """A runner with a folder that everybody may enter, for inputs about permission."""
    with tempfile.TemporaryDirectory(prefix="maxsynth-fuzz-", ignore_cleanup_errors=True) as base:
        work = Path(base)
        work.chmod(0o755)
        runner = Runner(work)
        try:
            yield runner
        finally:
            runner.close()


def check(runner: Runner, given: Input, *, process: bool = False) -> list[str]:
    """What is wrong with one input, with all that is needed to see it again."""
    found = runner.run(given, process=process)
    wrong = problems(given, found)
    if not wrong:
        return []
    kept = Path(tempfile.mkdtemp(prefix="maxsynth-failed-"))
    shutil.rmtree(kept)
    given.save(kept)
    arguments = " ".join(given.arguments)[:300]
    return [
        f"{given.name}: {'; '.join(wrong)}\n  maxsynth {arguments}\n  in {kept}/files\n"
        f"  standard error ends with:\n{found.err[-1500:]}"
    ]
