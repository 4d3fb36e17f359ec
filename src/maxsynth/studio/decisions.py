"""What a person decided about labels, in a file beside the task, whose own files are never written to.

The file is a table of comma-separated values: the example as an atom, the label that it has in the task, and what was
decided: `keep` (the label is right), `flip` (it is wrong) or `leave out`. It is written anew, complete and on the disk,
before a decision counts, so that whatever ends the process loses none. What it says of examples that the task does not
have stays in it.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from maxsynth.api.task import Task
from maxsynth.api.task_data import BackgroundData, ExampleData
from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import read_text, write_text
from maxsynth.task import task as engine

KEEP, FLIP, LEAVE_OUT = DECISIONS = ("keep", "flip", "leave out")
COLUMNS = ["example", "label", "decision"]
LABELS = {"pos": True, "neg": False}
MOST_UNDONE = 10_000  # changes that are remembered


class Example(NamedTuple):
    """An example as a task lists it; one that is listed twice is decided once."""

    atom: str
    label: bool


Change = list[tuple[Example, str | None]]  # what was decided before


class Decisions:
    """All decisions, each saved as it is made; the last ones can be undone."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.made: dict[Example, str] = read_decisions(file)
        self.changes: list[Change] = []

    def decide(self, examples: Iterable[Example], decision: str | None) -> None:
        """One decision about some examples; None takes back what was decided."""
        wanted = dict.fromkeys(examples)
        before = [(example, self.made.get(example)) for example in wanted]
        self.put([(example, decision) for example in wanted])
        self.changes = [*self.changes[-MOST_UNDONE:], before]

    def undo(self) -> list[Example]:
        """Takes back the last change; the examples that it was about."""
        if not self.changes:
            return []
        self.put(self.changes[-1])
        return [example for example, _ in self.changes.pop()]

    def put(self, change: Change) -> None:
        """Saves first: what cannot be saved is not decided. What another studio saved meanwhile stays."""
        made = read_decisions(self.file)
        for example, decision in change:
            if decision is None:
                made.pop(example, None)
            else:
                made[example] = decision
        write_text(decisions_text(made), str(self.file))
        self.made = made


def decisions_text(made: Mapping[Example, str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([example.atom, "pos" if example.label else "neg", decision] for example, decision in made.items())
    return out.getvalue()


def read_decisions(file: Path) -> dict[Example, str]:
    """What was decided before; nothing where there is no such file.

    A link is refused: it may come with a task of somebody else, and lead to any file of this machine.
    """
    if file.is_symlink():
        raise MaxSynthError("decisions about labels would go where this leads", Position(str(file)), "remove the link")
    if not file.exists():
        return {}
    found = {}
    rows = csv.reader(io.StringIO(read_text(file, may_be_empty=True)))
    if next(rows, COLUMNS) != COLUMNS:
        raise wrong(file, 1)
    for row in rows:
        if len(row) != len(COLUMNS) or row[1] not in LABELS or row[2] not in DECISIONS:
            raise wrong(file, rows.line_num)
        found[Example(row[0], LABELS[row[1]])] = row[2]
    return found


def wrong(file: Path, line: int) -> MaxSynthError:
    return MaxSynthError(
        "this is no decision about a label",
        Position(str(file), line),
        f"it has the columns {', '.join(COLUMNS)}; pos or neg; and {', '.join(DECISIONS)}",
    )


def place_beside(place: str, folder: Path) -> Path:
    """Where decisions about a task are: beside its folder or file; what is no file has them in the given folder."""
    path = Path(place)
    if path.exists():
        real = path.resolve()
        return real.with_name(f"{real.name}.labels")
    name = "".join(letter if letter.isalnum() else "-" for letter in place.partition("?")[0].rpartition("/")[2])
    return folder / f"{name or 'task'}.labels"


# -- a task with what was decided -----------------------------------------------------------------------------


class Relabelled(Task):
    """A task as it is with some decisions."""

    def __init__(self, task: Task, made: Mapping[Example, str]) -> None:
        self.__dict__.update(task.__getstate__())
        self._made = dict(made)

    def _read(self, parts: BackgroundData, examples: ExampleData) -> engine.ReadTask:
        read = super()._read(parts, examples)
        return relabelled(read, self._made) if examples is self._examples else read


def relabelled(read: engine.ReadTask, made: Mapping[Example, str]) -> engine.ReadTask:
    """Labels flipped, and examples left out. What flips goes behind those that were there."""
    sides = (True, read.positives), (False, read.negatives)
    stays, goes = {}, {}
    for label, side in sides:
        decided = (
            [made.get(Example(read.example_text(row), label)) for row in side.rows] if made else [None] * len(side)
        )
        stays[label] = np.array([one not in (FLIP, LEAVE_OUT) for one in decided], bool)
        goes[label] = np.array([one == FLIP for one in decided], bool)
    changed = []
    for label, side in sides:
        other = read.negatives if label else read.positives
        changed.append(joined(taken(side, stays[label]), taken(other, goes[not label])))
    if not len(changed[0]):
        raise MaxSynthError("no positive example is left", remedy="take back some of the decisions")
    return dataclasses.replace(read, positives=changed[0], negatives=changed[1])


def taken(side: engine.Examples, mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> engine.Examples:
    lines = [line for line, one in zip(side.lines, mask, strict=True) if one]
    return dataclasses.replace(side, rows=side.rows[mask], weights=side.weights[mask], lines=lines)


def joined(one: engine.Examples, other: engine.Examples) -> engine.Examples:
    if not len(other):
        return one
    return dataclasses.replace(
        one,
        rows=np.concatenate([one.rows, other.rows]),
        weights=np.concatenate([one.weights, other.weights]),
        lines=[*one.lines, *other.lines],
    )
