"""Reading the files of a task by a thread, while the rest of the program is loaded.

To load all that a search needs takes Python a tenth of a second, in one thread. Files and facts are read nearly without
Python; so a large task is read in the meantime, as far as that goes, and all threads read the rest. What is read is the
same.

Whatever goes wrong here is of no concern: then the files are read once more, in order, by whoever wants to learn from
them, and that is who says what is wrong.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth.files import read_text
from maxsynth.task.memory import file_sizes, half_the_memory, refuse_what_cannot_fit

if TYPE_CHECKING:
    from maxsynth.prolog.ahead import Later
    from maxsynth.prolog.consult import Consulted


class Meanwhile(threading.Thread):
    """Reads BK and examples of a folder, within a limit of memory, until somebody takes what was read, or drops it."""

    def __init__(self, folder: Path, memory: int | None) -> None:
        super().__init__(name="maxsynth-meanwhile", daemon=True)
        self.files = folder / "bk.pl", folder / "exs.pl"
        self.memory = memory or half_the_memory()
        self.loaded = threading.Event()
        self.later: Later | None = None
        self.read: tuple[Consulted, Consulted] | None = None

    def begin(self) -> None:
        """Begins with the files, while what reads clauses is loaded here; both together go on from there."""
        self.start()
        from maxsynth.prolog.ahead import Later

        self.later = Later()
        self.loaded.set()

    def run(self) -> None:
        try:
            self.look(file_sizes(self.files))
            texts = [read_text(file) for file in self.files]
            self.loaded.wait()
            if self.later is not None:
                self.read = self.consult(texts, self.later)
        except BaseException:  # whatever it is, it is met again
            self.read = None

    def consult(self, texts: list[str], later: Later) -> tuple[Consulted, Consulted]:
        from maxsynth.kernel.terms import TermStore
        from maxsynth.prolog.consult import consult

        store = TermStore()
        names = map(str, self.files)
        bk, exs = (consult(text, name, store, self.look, later=later) for text, name in zip(texts, names, strict=True))
        return bk, exs

    def look(self, size: int = 0) -> None:
        refuse_what_cannot_fit(self.memory, size)

    def take(self, jobs: int) -> tuple[Consulted, Consulted] | None:
        """What was read, once all of it is, now that so many threads can help; None where something went wrong."""
        if self.later is not None:
            self.later.come(jobs)
        self.join()
        return self.read

    def drop(self) -> None:
        """Ends it, if nobody has taken what was read."""
        if self.later is not None:
            self.later.drop()
        self.loaded.set()
