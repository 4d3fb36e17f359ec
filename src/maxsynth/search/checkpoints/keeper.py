"""When a checkpoint is written: every minute, and at every end."""

from __future__ import annotations

import os
import time
from pathlib import Path

from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import check_output, is_device
from maxsynth.search.checkpoints.file import MAGIC, Contents, read, write
from maxsynth.search.checkpoints.identity import Identity, check_same

EVERY = 60.0  # seconds
FOR_TESTS = "MAXSYNTH_CHECKPOINT_SECONDS"  # the same, where a test wants more of them


class Keeper:
    """Writes the checkpoints of one run to a file, and never over anything else."""

    def __init__(self, path: Path, identity: Identity) -> None:
        self.path = path
        self.identity = identity
        self.every = float(os.environ.get(FOR_TESTS, EVERY))
        self.due = time.monotonic() + self.every
        self.problem: MaxSynthError | None = None  # the last one was not written
        self.check()

    def check(self) -> None:
        """An error when there is something else in the place of the file, or it cannot be written."""
        check_output(self.path)
        place = Position(str(self.path))
        if is_device(self.path):
            raise MaxSynthError("this is not a regular file", place, "name a file")
        if self.path.exists():
            with self.path.open("rb") as file:
                known = file.read(len(MAGIC)) == MAGIC
            if not known:
                raise MaxSynthError("this is no checkpoint, and would be overwritten", place, "choose another name")
            try:
                check_same(read(self.path).get("identity"), self.identity, self.path)
            except MaxSynthError as error:
                raise MaxSynthError(
                    f"{error.message}, which would be overwritten", place, "choose another name"
                ) from None

    def write(self, state: Contents) -> None:
        """Writes what there is. A run does not end because that cannot be written: it is said when it is over."""
        try:
            write(self.path, {"identity": self.identity, "state": state})
            self.problem = None
        except OSError as error:
            message = f"the checkpoint cannot be written: {error.strerror}"
            self.problem = MaxSynthError(message, Position(str(self.path)), "make room, or choose another place")
        self.due = time.monotonic() + self.every
