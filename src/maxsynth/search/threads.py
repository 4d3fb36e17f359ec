"""The threads of a run.

What they work on is in the kernel, which lets go of the interpreter meanwhile, and nothing of what they find out
depends on how many they are (`kernel/children/children.pxi`). They begin when a run has lasted for a moment: most runs
end before, and should not pay for what they do not need.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

ALONE = 0.1  # seconds from the start of a run in which it has one thread
LOOKS = 0.05  # seconds between two looks whether to stop, while others work


def cores() -> int:
    """How many threads can work at the same time, for this process.

    One, where its address space is limited: when there is no more, a new thread ends the process before anybody can
    do something about it.
    """
    if is_limited():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_limited() -> bool:
    try:
        import resource
    except ImportError:  # not every system has it
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


@dataclass
class Ahead:
    """What others do of what comes later. Whether they do it, and how far they come, must make no difference."""

    work: Callable[[int], object]
    hold: Callable[[bool], None]  # has those at work leave it, or allows to go on with it
    drop: Callable[[], None]  # ends it, for nobody needs it any more, and then is to `settle` it
    parts: list[Future[object]]  # of each of the others


class Threads:
    """So many, with the one that asks; they are there from the first work on, until the run ends."""

    def __init__(self, jobs: int, started: float) -> None:
        self.jobs = jobs
        self.started = started
        self.pool: ThreadPoolExecutor | None = None
        self.ahead: Ahead | None = None

    def ready(self, *, large: bool = False) -> bool:
        """Whether several are to work: on what is known to be `large`, from the start of a run on."""
        return self.jobs > 1 and (large or time.monotonic() - self.started >= ALONE)

    def run(self, work: Callable[[int], object], idle: Callable[[], object]) -> None:
        """Has each of them do its part of the work, by number; while this one waits for the others, it is `idle`.

        A part that nobody does is done by the others.
        """
        self.finish(self.start(work), work, idle)

    def finish(self, others: list[Future[object]], work: Callable[[int], object], idle: Callable[[], object]) -> None:
        """Does the own part of what was started, and waits for the others; not for who has not even begun by then."""
        try:
            work(0)
        finally:
            begun = [other for other in others if not other.cancel()]
            while wait(begun, LOOKS).not_done:
                idle()
            if self.ahead is not None:
                self.let_go_on(self.ahead)
        for other in begun:
            other.result()

    def for_each(self, works: Sequence[Callable[[], object]]) -> None:
        """Has all of this done, each thread taking the next that nobody has begun with."""
        left = iter(works)
        self.run(lambda number: [work() for work in left], lambda: None)

    def start(self, work: Callable[[int], object]) -> list[Future[object]]:
        """Starts the parts of all others, who leave what they do ahead for that."""
        if self.ahead is not None:
            self.ahead.hold(True)
        return self.submit(work)

    def submit(self, work: Callable[[int], object]) -> list[Future[object]]:
        """Starts the parts of all others."""
        if self.pool is None and self.jobs > 1:
            self.pool = ThreadPoolExecutor(self.jobs - 1, "maxsynth")
        others: list[Future[object]] = []
        if self.pool is None:
            return others
        try:
            for number in range(1, self.jobs):
                others.append(self.pool.submit(work, number))
        except RuntimeError:
            self.give_up(self.pool, others)
        return others

    def give_up(self, pool: ThreadPoolExecutor, begun: list[Future[object]]) -> None:
        """The system gives no more threads: one does it all from now on, when these have ended."""
        self.jobs = 1
        wait(begun)
        pool.shutdown(cancel_futures=True)

    # -- ahead ----------------------------------------------------------------------------------------------

    def go_ahead(
        self, work: Callable[[int], object], hold: Callable[[bool], None], drop: Callable[[], None]
    ) -> list[Future[object]]:
        """Has the others do what comes later, while this one does something else, until somebody needs them."""
        self.ahead = Ahead(work, hold, drop, self.submit(work))
        return self.ahead.parts

    def let_go_on(self, ahead: Ahead) -> None:
        """Has those go on with what they do ahead who left it; no part of it is ever done twice at the same time."""
        ahead.hold(False)
        if self.pool is None or self.jobs == 1:
            return
        try:
            for place, part in enumerate(ahead.parts):
                if part.done() and part.exception() is None:
                    ahead.parts[place] = self.pool.submit(ahead.work, place + 1)
        except RuntimeError:
            ahead.hold(True)
            self.give_up(self.pool, ahead.parts)
            ahead.hold(False)

    def catch_up(self, idle: Callable[[], object]) -> None:
        """Does what is left of what the others do ahead, together with them."""
        ahead, self.ahead = self.ahead, None
        if ahead is not None:
            self.let_go_on(ahead)
            self.finish(ahead.parts, ahead.work, idle)

    def settle(self) -> None:
        """Waits for those who work ahead; what they find, or meet, is of no interest any more."""
        ahead, self.ahead = self.ahead, None
        if ahead is not None:
            wait([part for part in ahead.parts if not part.cancel()])

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *error: object) -> None:
        if self.ahead is not None:
            self.ahead.drop()
        if self.pool is not None:
            self.pool.shutdown()
            self.pool = None
