"""What a user asks for: where a run is saved, and what it goes on from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maxsynth.errors import MaxSynthError
from maxsynth.search.checkpoints.identity import identity_of
from maxsynth.search.checkpoints.keeper import Keeper
from maxsynth.search.checkpoints.rest import Checkpoint
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask


@dataclass
class AskedToLast:
    """The files of one run; either may be missing."""

    save: Path | None = None
    resume: Path | None = None
    keeper: Keeper | None = None
    checkpoint: Checkpoint | None = None

    def __bool__(self) -> bool:
        return self.save is not None or self.resume is not None

    def refuse(self, what: str, remedy: str) -> None:
        """An error where a run cannot be saved, since it is more than one search."""
        if self:
            name = "--checkpoint" if self.save is not None else "--resume"
            raise MaxSynthError(f"{name} is for one search, and {what}", remedy=remedy)

    def for_search(self, task: ReadTask, settings: Settings) -> dict[str, Any]:
        """What a `Search` is to be given besides; an error where a file is not of this run."""
        if not self:
            return {}
        identity = identity_of(task, settings)
        if self.resume is not None:
            self.checkpoint = Checkpoint.read(self.resume, identity)
        if self.save is not None:
            self.keeper = Keeper(self.save, identity)
        given: dict[str, Any] = {"keeper": self.keeper, "checkpoint": self.checkpoint}
        if self.checkpoint is not None:
            given |= {"steps": self.checkpoint.steps, "before": self.checkpoint.seconds}
        return given

    @property
    def problem(self) -> MaxSynthError | None:
        """Why the last checkpoint was not written, if it was not."""
        return None if self.keeper is None else self.keeper.problem
