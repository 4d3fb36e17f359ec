"""What ends a search before its end: seconds, steps, memory, or somebody.

A search asks again and again whether to go on: for every few nodes of a tree, for every program that it tests, for
every turn of a proof. Where it asks depends on the task and the settings alone, so the number of these steps is the
same on every machine and under every load. That makes it a limit whose answer can be had again, which no number of
seconds is. A step takes about a tenth of a millisecond, in some tasks some times as long as in others: in the search
for rules it is a number of rows that are gone through (`kernel/children/children.pxi`).

The memory is looked at now and then, where it has a limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from maxsynth.task.memory import Memory

INFINITE = float("inf")


class StopReason(Enum):
    """Why a search ended before its end. The value is its status in a result."""

    TIMEOUT = "timeout"
    STEPS = "out-of-steps"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"


class Limits:
    """Counts the steps of a search, and knows when to end it.

    What was done for this search before it began counts too: since when (`started`), and in how many steps (`taken`).
    Of a run that it goes on with, the seconds (`before`) are counted, but have no part in the limit.
    """

    def __init__(
        self,
        timeout: float | None = None,
        steps: int | None = None,
        interrupted: Callable[[], bool] | None = None,
        memory: Memory | None = None,
        started: float | None = None,
        taken: int = 0,
        before: float = 0.0,
    ) -> None:
        self.timeout = timeout
        self.most_steps = steps
        self.interrupted = interrupted or (lambda: False)
        self.memory = memory or Memory()
        self.started = time.monotonic() if started is None else started
        self.steps = taken
        self.before = before
        self.stopped = False  # whether somebody was told to stop
        self.due = INFINITE  # when `on_due` is to be called, wherever the search is
        self.on_due: Callable[[], None] = lambda: None
        self.on_stop: Callable[[], None] = lambda: None  # is called when somebody is first told to stop

    def __call__(self) -> bool:
        """Takes a step; whether to stop instead."""
        if self.reached():
            return True
        self.steps += 1
        return False

    def take(self, steps: int) -> bool:
        """Takes so many steps; whether to stop instead of one of them. They are the same as one by one."""
        if self.most_steps is not None and self.steps + steps > self.most_steps:
            return any(self() for _ in range(steps))
        if self.reached():
            return True
        self.steps += steps
        return False

    def skip(self, steps: int) -> None:
        """So many steps were taken in another run."""
        self.steps += steps

    def reached(self) -> bool:
        """Whether to stop, asked without taking a step: by whoever waits for work that is not counted."""
        if not self.stopped and (self.out_of_steps() or self.is_cut()):
            self.stop()
        return self.stopped

    def cut(self) -> bool:
        """The same, whatever steps are left: for work that is done ahead, of which the steps are taken later."""
        if not self.stopped and self.is_cut():
            self.stop()
        return self.stopped

    def stop(self) -> None:
        self.stopped = True
        self.on_stop()

    def is_cut(self) -> bool:
        if self.interrupted():
            return True
        now = time.monotonic()
        if now >= self.due:
            self.on_due()
        return self.memory.is_full(now) or (self.timeout is not None and now - self.started >= self.timeout)

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self.due

    def out_of_steps(self) -> bool:
        return self.most_steps is not None and self.steps >= self.most_steps

    def seconds(self) -> float:
        return self.before + time.monotonic() - self.started

    def reason(self) -> StopReason:
        """Why a search was stopped."""
        if self.memory.full:
            return StopReason.MEMORY
        if self.out_of_steps():
            return StopReason.STEPS
        return StopReason.INTERRUPTED if self.interrupted() else StopReason.TIMEOUT
