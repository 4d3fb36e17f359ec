"""Where a run stands: what is told of it while it runs, and where its time goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from maxsynth.logic.programs import Program


@dataclass(frozen=True)
class Progress:
    """Where a run stands: `program` is there when a better one was just found."""

    # "dive" (a first look), "generate" (the next rules), "combine", "recursion", "invention" or both; of what is no
    # search of its own "front", "prepare", "ask" and "weigh", of which no more is told
    stage: str
    seconds: float
    size: int
    tested: int
    pool: int
    cost: int | None
    lower_bound: int
    program: Program | None = None
    steps: int = 0


class Stages:
    """What a run does now, and how many seconds went into each kind of work."""

    def __init__(self) -> None:
        self.now = "generate"
        self.seconds: dict[str, float] = {}

    @contextmanager
    def spent_on(self, work: str, stage: str | None = None) -> Iterator[None]:
        """Counts the time for a kind of work; `stage` is what the run says that it does."""
        self.now = stage or self.now
        clock = time.monotonic()
        try:
            yield
        finally:
            self.seconds[work] = self.seconds.get(work, 0.0) + time.monotonic() - clock
