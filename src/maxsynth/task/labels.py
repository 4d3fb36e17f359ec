"""Decisions of a person about labels, applied to a task without touching its files.

A file of decisions has a line for each example: what to do, and with which.

    # maxsynth labels 1
    flip       zendo(17)
    leave out  zendo(23)
    keep       zendo(4)

`flip` makes a positive example a negative one, and the other way round; `leave out` learns without it; `keep` changes
nothing, and says that somebody has looked at it. An example is written as in exs.pl, or by its key as the data has it.
One that is listed several times has one decision for all of these; each keeps its weight. The first line says which
version of this it is; others that begin with `#`, and empty ones, say nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError, Position, shortened
from maxsynth.files import read_text
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import Atom, Struct
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import Examples, ReadTask

FIRST_LINE = "# maxsynth labels 1"
FORM = "write `keep`, `flip` or `leave out`, and an example as in exs.pl"


class Decision(Enum):
    KEEP = "keep"
    FLIP = "flip"
    LEAVE_OUT = "leave out"


@dataclass(frozen=True)
class Line:
    """What to do with an example, as it is written, and where that is said."""

    decision: Decision
    example: str
    place: Position


@dataclass(frozen=True)
class Labels:
    """All decisions, in their order."""

    lines: tuple[Line, ...]

    @classmethod
    def from_file(cls, path: Path) -> Labels:
        return cls.from_text(read_text(path), str(path))

    @classmethod
    def from_text(cls, text: str, file: str) -> Labels:
        first, *others = text.splitlines() or [""]
        if first.strip() != FIRST_LINE:
            raise MaxSynthError(
                "this is no file of decisions about labels", Position(file, 1), f"its first line must be `{FIRST_LINE}`"
            )
        said = ((Position(file, number), line.strip()) for number, line in enumerate(others, 2))
        return cls(tuple(line_of(text, place) for place, text in said if text and not text.startswith("#")))

    @classmethod
    def of(cls, decisions: Mapping[str, str] | Iterable[tuple[str, str]], what: str = "labels") -> Labels:
        """From pairs of an example and what to do with it."""
        pairs = decisions.items() if isinstance(decisions, Mapping) else decisions
        return cls(tuple(line_of(f"{decision} {example}", Position(what)) for example, decision in pairs))

    def recorded(self) -> list[list[str]]:
        """As a result has them, so that others know what was learned from."""
        return [[line.example, line.decision.value] for line in self.lines]

    def text(self) -> str:
        """As a file has them."""
        return "\n".join([FIRST_LINE, *(f"{line.decision.value:9}  {line.example}" for line in self.lines), ""])

    def decided(self, task: ReadTask) -> dict[tuple[int, ...], Line]:
        """The decision for each example; an error for what is none, and where two lines disagree."""
        names = dict(names_of(task))
        found: dict[tuple[int, ...], Line] = {}
        for line in self.lines:
            row = names.get(line.example) or names.get(as_written(line.example))
            if row is None:
                example = next(iter(names))
                raise MaxSynthError(
                    f"`{shortened(line.example)}` is no example of this task",
                    line.place,
                    f"name one as the task has it, such as `{shortened(example)}`",
                )
            before = found.setdefault(row, line)
            if before.decision is not line.decision:
                said = f" in line {before.place.line}" if before.place.line else ""
                raise MaxSynthError(
                    f"`{shortened(line.example)}`: `{line.decision.value}` here, `{before.decision.value}`{said}",
                    line.place,
                    "leave one decision for an example",
                )
        return found

    def apply(self, task: ReadTask) -> ReadTask:
        """The task with these decisions."""
        if not self.lines:
            return task
        decided = {row: line.decision for row, line in self.decided(task).items()}
        stays = [side_without(side, decided) for side in (task.positives, task.negatives)]
        flipped = [side_of(side, decided, Decision.FLIP) for side in (task.positives, task.negatives)]
        positives, negatives = joined(stays[0], flipped[1]), joined(stays[1], flipped[0])
        if not len(positives):
            place = self.lines[0].place if self.lines else None
            raise MaxSynthError("these decisions leave no positive example", place, "keep or flip some")
        return dataclasses.replace(task, positives=positives, negatives=negatives)


NO_LABELS = Labels(())


def line_of(text: str, place: Position) -> Line:
    for decision in Decision:
        word, rest = decision.value, " ".join(text.split(maxsplit=len(decision.value.split())))
        if rest.startswith(f"{word} "):
            return Line(decision, text.split(maxsplit=len(word.split()))[-1].removesuffix("."), place)
    raise MaxSynthError(f"`{shortened(text)}` is no decision about a label", place, FORM)


def names_of(task: ReadTask) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What the examples are called: as atoms, and by their keys as data has them."""
    store = task.background.store
    for side in (task.positives, task.negatives):
        for row in map(tuple, side.rows.tolist()):
            terms = [store.term(one) for one in row]
            yield task.example_text(np.array(row, np.int32)), row
            yield ",".join(term.name if isinstance(term, Atom) else term_text(term) for term in terms), row


def as_written(text: str) -> str:
    """An atom as examples are written; the text itself where it is none."""
    try:
        term = parse_term(text).term
        return term_text(term) if isinstance(term, Struct) else text
    except MaxSynthError:
        return text


def side_without(side: Examples, decided: Mapping[tuple[int, ...], Decision]) -> Examples:
    """The examples of one side that stay there."""
    return part(side, [decided.get(row, Decision.KEEP) is Decision.KEEP for row in map(tuple, side.rows.tolist())])


def side_of(side: Examples, decided: Mapping[tuple[int, ...], Decision], decision: Decision) -> Examples:
    return part(side, [decided.get(row) is decision for row in map(tuple, side.rows.tolist())])


def part(side: Examples, chosen: list[bool]) -> Examples:
    which: NDArray[np.int64] = np.flatnonzero(chosen)
    return Examples(side.rows[which], side.weights[which], [side.lines[one] for one in which], side.file)


def joined(side: Examples, other: Examples) -> Examples:
    """Both, with those of the other side at the end."""
    return Examples(
        np.concatenate([side.rows, other.rows]),
        np.concatenate([side.weights, other.weights]),
        [*side.lines, *other.lines],
        side.file or other.file,
    )
