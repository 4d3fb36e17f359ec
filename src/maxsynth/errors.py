"""What MaxSynth says when its input is wrong.

Every mistake a user can make ends in one `MaxSynthError`: where it is (file, line), what is wrong, and what
to do about it. The command line prints it as a single line and exits with status 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

LONG_WORD = 500  # characters: no name that anybody reads, nor a path
LONG = re.compile(rf"\S{{{LONG_WORD + 1},}}")


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

    default_remedy = ""

    def __init__(self, message: str, position: Position | None = None, remedy: str = "") -> None:
        super().__init__(brief(message))
        self.message = brief(message)
        self.position = position
        self.remedy = brief(remedy)

    def at(self, position: Position | None, remedy: str = "") -> None:
        """Gives it a place and a remedy, where it has none."""
        self.position = self.position or position
        self.remedy = self.remedy or brief(remedy)

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position else ""
        remedy = self.remedy or self.default_remedy
        return f"{place}{self.message} ({remedy})" if remedy else f"{place}{self.message}"


def shortened(text: str, most: int = 80) -> str:
    """A text that was given to us, as a message may quote it: of a long one its beginning and its end."""
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end - 3]}...{text[-end:]}"


def listed(names: Iterable[str], most: int = 5) -> str:
    """Some names as a message may list them: the first ones, and how many more there are."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(shortened(name) for name in known[:most]) + more


def brief(message: str) -> str:
    """A message of a length that can be read, whatever it quotes."""
    if len(message) <= LONG_WORD:
        return message
    return shortened(LONG.sub(lambda word: shortened(word[0]), message), 1000)


def one_line(message: str) -> str:
    """Messages may quote input; they stay one printable line, of a length that can be read."""
    flat = brief(" ".join(message.split()))
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in flat)


class SyntaxProblem(MaxSynthError):
    """Text that cannot be read as Prolog, or as ASP."""

    default_remedy = "correct the text there"


class PrologProblem(MaxSynthError):
    """Background knowledge that raised an error, ran out of its budget, or asks for what no engine has."""

    default_remedy = "correct the background knowledge there"


class EndlessProblem(PrologProblem):
    """Background knowledge that took more steps, memory or answers than one call may take."""

    default_remedy = "make it end on such arguments, or bound it"
