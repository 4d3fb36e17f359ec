"""Reading facts ahead: threads read the later parts of a long text while the first one is read.

Where a part begins is a guess: after a line that ends with a full stop. It is right if whoever reads the parts before
comes to just that place; otherwise (it was in the middle of a comment, say) the part is dropped and read as usual. So
what comes out, and the numbers of all terms, are what one thread would have made of it (`kernel/terms/facts.pxi`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise

from maxsynth.kernel.terms import FactScanner, TermStore

LEAST = 1 << 20  # characters of a part: to read fewer is done before a thread has begun
LOOKS = 0.05  # seconds between two looks, while a part is waited for
HEAD_START = 0.25  # of a part: so much more has the first, for to take over the others is work too
PIECE = 1 << 20  # characters between two looks whether it is still wanted


class Part(threading.Thread):
    """Reads the facts from `start` on, the first of which begins there, up to what is none or to `until`."""

    def __init__(self, scanner: FactScanner, start: int, until: int) -> None:
        super().__init__(name="maxsynth-ahead", daemon=True)
        self.scanner = scanner
        self.start_at, self.end, self.until = start, start, until
        self.wanted = True
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while self.wanted and self.end < self.until:
                piece = min(self.end + PIECE, self.until)
                self.end = self.scanner.run(self.end, piece)
                if self.end < piece:
                    break
        except BaseException as error:  # is raised by whoever waits for it
            self.error = error

    def wait(self, look: Callable[[], None] | None) -> None:
        while self.is_alive():
            self.join(LOOKS)
            if look is not None:
                look()
        if self.error is not None:
            raise self.error


class Later:
    """Threads that have something else to do when somebody begins to read, and come later.

    They `come` from another thread: whoever reads sees how many they are, or is made to look.
    """

    def __init__(self) -> None:
        self.jobs = 1
        self.unwanted = False
        self.scanner: FactScanner | None = None

    def come(self, jobs: int) -> None:
        self.jobs = jobs
        if self.scanner is not None:
            self.scanner.leave()

    def drop(self) -> None:
        """Nobody wants any more what is read."""
        self.unwanted = True
        if self.scanner is not None:
            self.scanner.leave()


class UnwantedError(Exception):
    """Ends the reading of what nobody wants."""


class Ahead:
    """The parts of a text that are read ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: dict[int, Part] = {}
        self.end = len(text) + 1
        self.jobs = 1

    def begin(self, offset: int, jobs: int) -> None:
        """Has so many threads, less the one that reads on from there, begin with later parts; once."""
        if self.jobs >= jobs:
            return
        self.jobs, text = jobs, self.text
        starts = find_starts(text, offset, min(jobs, (len(text) - offset) // max(1, LEAST)))
        for start, until in pairwise([*starts, len(text)]):
            scanner = FactScanner(TermStore(), text, True)
            part = Part(scanner, scanner.begin(start), until)
            try:
                part.start()
            except RuntimeError:  # the system gives no more threads
                break
            self.parts[part.start_at] = part

    def next_start(self, offset: int) -> int:
        """Where the next part begins, from there on; the end of the text where there is none, or beyond."""
        return min((start for start in self.parts if start >= offset), default=self.end)

    def take(self, scanner: FactScanner, offset: int, look: Callable[[], None] | None) -> int:
        """Adds the part that begins there, if one does, to what the scanner has read; says where to read on."""
        part = self.parts.get(offset)
        if part is None:
            return offset
        part.wait(look)
        del self.parts[offset]
        scanner.adopt(part.scanner)
        return part.end

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *error: object) -> None:
        for part in self.parts.values():
            part.wanted = False
        for part in self.parts.values():
            part.join()


def find_starts(text: str, offset: int, parts: int) -> list[int]:
    """Where all parts but the first begin, about equal ones."""
    found: list[int] = []
    for number in range(1, parts):
        at = text.find(".\n", offset + int((len(text) - offset) * (number + HEAD_START) / (parts + HEAD_START)))
        if at < 0 or at + 2 >= len(text):
            break
        if at + 2 not in found:
            found.append(at + 2)
    return found
