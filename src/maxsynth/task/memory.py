"""A bound on the memory of the process, and what keeps it.

What is bounded is the *resident* memory of this process: Python, NumPy and the kernel with all that they hold, as the
system counts it. (Not that of other processes: SWI-Prolog has a limit of its own, and a MaxSAT solver that is given as
a command has none.) It is kept in three ways:

- before the files of a task are read, it is estimated from their sizes what they need at least: what cannot fit is
  refused at once (`refuse_what_cannot_fit`), and what turns out not to fit while it is read is refused then;
- a search looks now and then (`is_full`), and ends with the best program so far when the limit is passed;
- whoever is about to take much at once, or has taken much since it last asked, asks first (`claim`): where that would
  pass the limit, a `MemoryError` ends the search in the same way.

Linux tells the resident memory at any time; elsewhere there is only its peak, which never falls, so that what was given
back counts as well. Where not even that is known (Windows), nothing can be kept, and a limit is refused.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from maxsynth.errors import MaxSynthError, Position

MEGABYTE = 1 << 20
START = 10 * MEGABYTE  # what the parts of a search take that are loaded when they are needed
READING = 2  # bytes for a byte of BK or examples, at least: the text, and the tables made of it
CELL = 24  # bytes for a value in a fact, about, with the indexes that a search makes
SMALL = 1 << 16  # what takes less need not be asked for, ...
ASKED_EVERY = 1 << 21  # ... but when it adds up to this
LOOKED_EVERY = 0.005  # seconds between two looks at the memory, which take some microseconds themselves
A_PART = 4  # one part in so many of a limit is what a step may take of which the search could do without
FOR_TABLES = 2  # one part in so many, of what a task leaves, is for the tables of a search


def resident() -> int | None:
    """The memory that this process has, in bytes; None where the system does not say."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)  # this is asked often, and a file object takes longer
        try:
            return int(os.read(file, 100).split()[1]) * os.sysconf("SC_PAGE_SIZE")
        finally:
            os.close(file)
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def half_the_memory() -> int:
    """Half of the machine's memory, in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not every system says
        return 1 << 30


class Memory:
    """A limit in bytes; None for none."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = None if limit is None or resident() is None else limit
        self.full = False  # whether somebody was told that there is no more
        self.taken = 0  # bytes, since it was last asked
        self.looked = 0.0  # when it was last looked at

    def is_full(self, now: float | None = None) -> bool:
        """Whether the limit is passed, or was, as far as that was seen; `now` is a time that is known already."""
        if self.limit is not None and not self.full:
            now = time.monotonic() if now is None else now
            if now - self.looked >= LOOKED_EVERY:
                self.looked = now
                self.full = (resident() or 0) > self.limit
        return self.full

    def fill(self) -> None:
        """Somebody found out that there is no more."""
        self.full = True

    def claim(self, size: int) -> None:
        """To be asked before so many bytes are taken: a `MemoryError` when they would pass the limit."""
        if self.limit is not None and size >= SMALL and (resident() or 0) + size > self.limit:
            self.full = True
            raise MemoryError(f"{megabytes(size)} more would pass the limit of {megabytes(self.limit)}")

    def take(self, size: int) -> None:
        """`claim` for what is little but comes often: it is asked for when it adds up."""
        self.taken += size
        if self.taken >= ASKED_EVERY:
            size, self.taken = self.taken, 0
            self.claim(size)

    def allows(self, size: int) -> bool:
        """Whether so many bytes are a small part of the limit: they may not be there all the same."""
        return self.limit is None or size <= self.limit // A_PART

    def for_tables(self, cells: int) -> int | None:
        """Bytes for the tables of a search, when BK has so many values in its facts; None for no limit.

        This depends on the limit and the task alone, for tables that do not fit are split, and that takes other steps.
        """
        if self.limit is None:
            return None
        left = self.limit - 3 * START - CELL * cells
        return max(left // FOR_TABLES, self.limit // 8)


def megabytes(size: int) -> str:
    return f"{-(-size // MEGABYTE):,} MB"


def check_limit(limit: int | None) -> None:
    """An error when a limit that a user gives cannot be kept on this system."""
    if limit is not None and resident() is None:
        raise MaxSynthError(
            "this system does not say how much memory a process has, so that it cannot be bounded",
            remedy="leave out the limit of memory",
        )


def file_sizes(paths: Iterable[Path]) -> int:
    """Bytes of files, as far as that can be told: what is wrong with one is said by whoever reads it."""
    total = 0
    for path in paths:
        with contextlib.suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def refuse_what_cannot_fit(limit: int | None, size: int, place: Position | None = None) -> None:
    """An error when files of so many bytes cannot be read and learned from within a limit."""
    if limit is not None:
        refuse_beyond(limit, (resident() or 0) + START + READING * size, place)


def refuse_beyond(limit: int, needed: int, place: Position | None = None) -> None:
    if needed > limit:
        raise MaxSynthError(
            f"{megabytes(limit)} of memory are too little for this task: at least about {megabytes(needed)} are needed",
            place,
            "allow more with --memory SIZE, in Python memory=BYTES, or learn from fewer facts and examples",
        )
