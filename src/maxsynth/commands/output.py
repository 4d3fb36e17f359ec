"""Standard output and standard error, of which a command does not notice when they cannot be written to.

What was found must not be lost because a pipe was closed, a disk is full or a terminal is gone. So what is printed is
kept as well, and what standard output did not take goes to standard error, or else to a new file, once the command is
done.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from maxsynth.errors import one_line

CLOSED = OSError(errno.EBADF, "it is closed")


class Stream:
    """A text stream that never fails: it notes what went wrong."""

    def __init__(self, file: TextIO | None) -> None:
        self.file = file
        self.problem: OSError | None = CLOSED if file is None else None

    def write(self, text: str) -> int:
        self.attempt(lambda file: file.write(text))
        return len(text)

    def flush(self) -> None:
        self.attempt(lambda file: file.flush())

    def attempt(self, action: Callable[[TextIO], object]) -> None:
        if self.file is None:
            return
        try:
            action(self.file)
        except OSError as error:
            self.problem = error

    def takes(self, text: str) -> bool:
        """Writes a text; whether somebody could read it now."""
        self.problem = CLOSED if self.file is None else None
        self.write(text)
        self.flush()
        return self.problem is None and not self.goes_nowhere()

    def goes_nowhere(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self.fileno()), os.stat(os.devnull))
        except OSError:  # no file at all: somebody looks at the text in this process
            return False

    def isatty(self) -> bool:
        return self.file is not None and self.file.isatty()

    def fileno(self) -> int:
        if self.file is None:
            raise CLOSED
        return self.file.fileno()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


class KeptStream(Stream):
    """Standard output: after a first failure, nothing more is written, since it is all to be had elsewhere."""

    def __init__(self, file: TextIO | None) -> None:
        super().__init__(file)
        self.kept: list[str] = []

    def write(self, text: str) -> int:
        self.kept.append(text)
        return super().write(text)

    def attempt(self, action: Callable[[TextIO], object]) -> None:
        if self.problem is None:
            super().attempt(action)

    @property
    def text(self) -> str:
        return "".join(self.kept)

    def drop(self) -> None:
        """What is still to be written goes nowhere, so that closing the file at exit does not fail, or wait, again."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
        except OSError:
            pass


def deliver(output: KeptStream, errors: Stream, *, at_any_rate: bool) -> bool:
    """Makes sure that what was printed can be read somewhere; whether standard output took it all.

    Where the reader of a pipe is gone (`maxsynth ... | head`), it had enough, and only what took long to find is
    printed elsewhere (`at_any_rate`).
    """
    output.flush()
    if output.problem is None:
        return True
    output.drop()
    enough = isinstance(output.problem, BrokenPipeError) and not at_any_rate
    if output.text and not enough:
        why = f"maxsynth: standard output: {output.problem.strerror}"
        if not errors.takes(f"{why} (what was printed follows)\n{output.text}"):
            file = save_elsewhere(output.text, ".txt")
            errors.takes(f"{why} (what was printed is in {file})\n" if file else f"{why}\n")
    return not output.text


def save_elsewhere(text: str, suffix: str) -> Path | None:
    """Writes a new file in the current folder, or in that for temporary files; None when neither has room."""
    import tempfile  # with what it imports, it takes its time to load

    for folder in (os.curdir, None):
        try:
            handle, name = tempfile.mkstemp(prefix="maxsynth-", suffix=suffix, dir=folder)
        except OSError:
            continue
        try:
            with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
            return Path(name).absolute()
        except OSError:
            os.unlink(name)
    return None


def occupy_closed() -> None:
    """Opens what was closed of the three standard files to nowhere: no other file may get their numbers."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def complain(text: str) -> None:
    print(f"maxsynth: {text}", file=sys.stderr)


def warn(messages: list[str]) -> None:
    for message in messages:
        print(f"maxsynth: warning: {one_line(message)}", file=sys.stderr)
