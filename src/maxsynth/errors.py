"""What MaxSynth says when its input is wrong.

Every mistake a user can make ends in one `MaxSynthError`: where it is (file, line), what is wrong, and what
to do about it. The command line prints it as a single line and exits with status 2.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A place in a file. Lines and columns count from 1; line 0 stands for the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)


class MaxSynthError(Exception):
    """A mistake in what the user gave, with its place and its remedy."""

    def __init__(self, message: str, position: Position | None = None, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position else ""
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{place}{self.message}{remedy}"


class SyntaxProblem(MaxSynthError):
    """Text that cannot be read as Prolog."""


class PrologProblem(MaxSynthError):
    """Background knowledge that raised an error, ran out of its budget, or asks for what no engine has."""
