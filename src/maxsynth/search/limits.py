"""What ends a search before its end: seconds, steps, memory, or somebody.

A search asks again and again whether to go on: for every few nodes of a tree, for every program that it tests, for
every turn of a proof. Where it asks depends on the task and the settings alone, so the number of these steps is the
same on every machine and under every load. That makes it a limit whose answer can be had again, which no number of
seconds is. A step takes a fraction of a millisecond, in some tasks some ten times as long as in others.

The memory is looked at now and then, where it has a limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from maxsynth.task.memory import Memory


class Limits:
    """Counts the steps of a search, and knows when to end it."""

    def __init__(
        self,
        timeout: float | None,
        steps: int | None,
        interrupted: Callable[[], bool],
        memory: Memory | None = None,
    ) -> None:
        self.timeout = timeout
        self.most_steps = steps
        self.interrupted = interrupted
        self.memory = memory or Memory()
        self.start = time.monotonic()
        self.steps = 0

    def count_from(self, start: float, steps: int) -> None:
        """What was done for this search before it began counts too: since when, and in how many steps."""
        self.start, self.steps = start, steps

    def step(self) -> bool:
        """Takes a step; whether to stop instead."""
        if self.reached():
            return True
        self.steps += 1
        return False

    def reached(self) -> bool:
        """Whether to stop, asked without taking a step: by whoever waits for work that is not counted."""
        return self.memory.is_full() or self.out_of_steps() or self.interrupted() or self.out_of_time()

    def out_of_steps(self) -> bool:
        return self.most_steps is not None and self.steps >= self.most_steps

    def out_of_time(self) -> bool:
        return self.timeout is not None and self.seconds() >= self.timeout

    def seconds(self) -> float:
        return time.monotonic() - self.start
