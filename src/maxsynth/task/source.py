"""Where a task comes from, as data that can be sent to another machine, where none of the user's files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from maxsynth.bias.bias import Bias
from maxsynth.files import read_text
from maxsynth.task.task import ReadTask


class Source(Protocol):
    """It can be pickled."""

    def read_again(self, bias: Bias) -> ReadTask:
        """The task in the space of this bias."""


@dataclass(frozen=True)
class FolderSource:
    """The texts of a task folder, with the names that they have in messages."""

    name: str
    bk: tuple[str, str]
    exs: tuple[str, str]
    prolog: str

    @classmethod
    def of(cls, folder: Path, prolog: str) -> FolderSource:
        bk, exs = folder / "bk.pl", folder / "exs.pl"
        return cls(folder.name, (read_text(bk, may_be_empty=True), str(bk)), (read_text(exs), str(exs)), prolog)

    def read_again(self, bias: Bias) -> ReadTask:
        return ReadTask.from_texts(self.name, bias, self.bk, self.exs, prolog=self.prolog)
