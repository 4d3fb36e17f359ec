"""Systems from elsewhere, run by a command, with the learned rules read from what it prints.

In the command, `{task}` stands for the task's folder, `{bias}`, `{bk}` and `{exs}` for its files, and `{timeout}` for
the seconds it has. The rules are the last ones that it prints: clauses on consecutive lines, of which at least one is
for the target. Whatever else is printed between does not matter, as long as it is not a clause.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from maxsynth.bench.variants import Learned
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.logic.programs import Program, parse_program
from maxsynth.search.result import TIMEOUT

GRACE = 5.0  # seconds for a system to stop by itself
DONE = "done"  # whether a program of another system is optimal, is not known

CLAUSE = re.compile(r"\s*[a-z]\w*\(.*\)\s*(:-.*)?\.\s*")
CONTINUED = re.compile(r"(:-|,)\s*\n\s*")
BETWEEN = re.compile(r"\s*(\[Rule .*\].*)?")  # may stand between the rules of one program

running: set[int] = set()  # process groups to end with this process


def learn(template: str, folder: Path, timeout: float, target: str) -> Learned:
    """Runs a command on a task, within its time."""
    arguments = fill(template, folder, timeout)
    patience = timeout + GRACE if "{timeout}" in template else timeout
    clock = time.monotonic()
    with scratch_file() as output, scratch_file() as errors:
        try:
            status = run(arguments, output.fileno(), errors.fileno(), patience)
        except OSError as error:
            problem = f"`{arguments[0]}` cannot be run: {error.strerror}"
            raise MaxSynthError(problem, remedy="check the command") from None
        seconds = time.monotonic() - clock
        printed, complained = content(output), content(errors)
    program = last_program(printed, target)
    if status not in (0, None) and program is None:
        said = (complained.strip() or printed.strip()).splitlines()[-1:] or ["it says nothing"]
        raise MaxSynthError(f"`{arguments[0]}` ended with the status {status}: {one_line(said[0])}")
    late = status is None or seconds >= timeout
    return Learned(TIMEOUT if late else DONE, program, seconds)


def scratch_file() -> IO[str]:
    return tempfile.TemporaryFile("w+", errors="replace")


def content(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def fill(template: str, folder: Path, timeout: float) -> list[str]:
    """The arguments of a command, each whole, whatever is in the names of folders."""
    values = {
        "{task}": str(folder),
        "{bias}": str(folder / "bias.pl"),
        "{bk}": str(folder / "bk.pl"),
        "{exs}": str(folder / "exs.pl"),
        "{timeout}": f"{timeout:g}",
    }
    try:
        arguments = shlex.split(template)
    except ValueError as error:
        raise MaxSynthError(f"`{template}` is no command: {error}", remedy="check its quotes") from None
    return [re.sub(r"\{\w+\}", lambda match: values.get(match[0], match[0]), argument) for argument in arguments]


def run(arguments: list[str], output: int, errors: int, patience: float) -> int | None:
    """Runs a command and all that it starts; its exit status, or None when its time was up."""
    process = subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
    )
    running.add(process.pid)
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        return None
    finally:
        end_group(process.pid)
        process.wait()
        running.discard(process.pid)


def end_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def end_all() -> None:
    for group in list(running):
        end_group(group)


def last_program(text: str, target: str) -> Program | None:
    """The last program for the target in the output of a system."""
    for block in reversed(list(blocks(CONTINUED.sub(r"\1 ", text)))):
        if any(line.lstrip().startswith(f"{target}(") for line in block):
            return parse_program("\n".join(block), "its output")
    return None


def blocks(text: str) -> Iterator[list[str]]:
    """Clauses that follow each other."""
    block: list[str] = []
    for line in [*text.splitlines(), "end"]:
        if CLAUSE.fullmatch(line):
            block.append(line)
        elif block and not BETWEEN.fullmatch(line):
            yield block
            block = []
