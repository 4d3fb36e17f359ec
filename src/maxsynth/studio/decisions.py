"""What a person decided about labels, in a file beside the task, whose own files are never written to.

The file is one that `learn --labels` takes (`task/labels.py`), with examples as atoms. It is written anew, complete and
on the disk, before a decision counts, so that whatever ends the process loses none. What it says of examples that the
task does not have stays in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import write_text
from maxsynth.task.labels import Decision, Labels

KEEP, FLIP, LEAVE_OUT = DECISIONS = tuple(decision.value for decision in Decision)
MOST_UNDONE = 10_000  # changes that are remembered


Example = str  # an atom: one that is listed several times is decided once
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
        write_text(Labels.of(made).text(), str(self.file))
        self.made = made


def read_decisions(file: Path) -> dict[Example, str]:
    """What was decided before; nothing where there is no such file.

    A link is refused: it may come with a task of somebody else, and lead to any file of this machine.
    """
    if file.is_symlink():
        raise MaxSynthError("decisions about labels would go where this leads", Position(str(file)), "remove the link")
    if not file.exists():
        return {}
    return {line.example: line.decision.value for line in Labels.from_file(file).lines}


def place_beside(place: str, folder: Path) -> Path:
    """Where decisions about a task are: beside its folder or file; what is no file has them in the given folder."""
    path = Path(place)
    if path.exists():
        real = path.resolve()
        return real.with_name(f"{real.name}.labels")
    name = "".join(letter if letter.isalnum() else "-" for letter in place.partition("?")[0].rpartition("/")[2])
    return folder / f"{name or 'task'}.labels"


def effective(made: Mapping[Example, str]) -> dict[Example, str]:
    """The decisions that change what is learned from."""
    return {example: decision for example, decision in made.items() if decision != KEEP}
