"""Searches beside the page: started, held, let go on and ended from other threads, and asked at any time.

This is all that the studio asks of learning: `Learn` is `maxsynth.learn`, or whatever learns the same and sooner.
A search that is held waits where it told of itself last, and keeps all that it has.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from maxsynth.api.result import Result
from maxsynth.api.task import Task
from maxsynth.api.warnings import MaxSynthWarning
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.logic.programs import Program
from maxsynth.search.progress import Progress

READING, RUNNING, HELD, FAILED = "reading", "running", "held", "failed"
MOST_POINTS = 20_000  # of a curve
ENDING = 10.0  # seconds that a search has to come to its end

Point = tuple[float, int | None, int, int]  # seconds, cost, lower bound, and the number of the search


class Learn(Protocol):
    def __call__(self, task: Task, *, on_progress: Callable[[Progress], object], **how: Any) -> Result: ...


def learn(task: Task, *, on_progress: Callable[[Progress], object], **how: Any) -> Result:
    """A search from the beginning."""
    from maxsynth.api.learn import learn as learn_now

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MaxSynthWarning)  # the page shows what there is to warn of
        return learn_now(task, on_progress=on_progress, **how)


@dataclass
class Status:
    """Where a search stands, as it was last told."""

    state: str = READING
    stage: str = ""
    seconds: float = 0.0
    size: int = 0
    tested: int = 0
    pool: int = 0
    cost: int | None = None
    lower_bound: int = 0
    problem: str = ""


@dataclass
class Run:
    """One run with its curve. `task` has the decisions in it already; `made` are these.

    Where nobody says how large rules may be, a run is several searches, each in a larger space. What is told is the
    best of all, with the lower bound of the space that is searched now.
    """

    number: int
    task: Task
    made: Mapping[Any, str]
    how: Mapping[str, Any]
    learn: Learn = learn
    status: Status = field(default_factory=Status)
    points: list[Point] = field(default_factory=list)
    program: Program | None = None
    found: int = 0  # programs, one better than the other
    result: Result | None = None

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.may_go = threading.Event()
        self.may_go.set()
        self.ends = False
        self.waited = 0.0
        self.searches = 1
        self.tested = 0  # in this search
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.work, name=f"search {self.number}", daemon=True)

    # -- from outside -----------------------------------------------------------------------------------------

    def start(self) -> None:
        self.thread.start()

    @property
    def over(self) -> bool:
        return self.done.is_set()

    def hold(self) -> None:
        with self.lock:
            if not self.over:
                self.may_go.clear()
                self.status.state = HELD

    def go_on(self) -> None:
        with self.lock:
            if not self.over and self.status.state == HELD:
                self.status.state = RUNNING
                self.may_go.set()

    def end(self, seconds: float = ENDING) -> bool:
        """Ends with the best so far; whether it did so in time."""
        self.ends = True
        self.may_go.set()
        return self.done.wait(seconds)

    # -- in its thread ----------------------------------------------------------------------------------------

    def work(self) -> None:
        try:
            result = self.learn(self.task, on_progress=self.note, **self.how)
            with self.lock:
                self.finish(result)
        except MaxSynthError as error:
            self.fail(str(error))
        except MemoryError:
            self.fail("there is not enough memory for this task (make it smaller)")
        except Exception as error:  # in a thread nobody else would tell of it
            self.fail(f"{type(error).__name__}: {error}")
        finally:
            self.done.set()

    def note(self, progress: Progress) -> bool:
        """What the search says of itself; False when it is to end. Waits here as long as it is held."""
        with self.lock:
            self.take(progress)
        if not self.may_go.is_set():
            since = time.monotonic()
            self.may_go.wait()
            self.waited += time.monotonic() - since
        return not self.ends

    def take(self, progress: Progress) -> None:
        status = self.status
        if progress.tested < self.tested:
            self.searches += 1
        self.tested = progress.tested
        status.state = RUNNING if self.may_go.is_set() else HELD
        status.stage, status.size, status.pool = progress.stage, progress.size, progress.pool
        status.seconds = progress.seconds - self.waited
        status.tested = max(status.tested, progress.tested)
        status.lower_bound = progress.lower_bound
        if progress.cost is not None and (status.cost is None or progress.cost <= status.cost):
            better = status.cost is None or progress.cost < status.cost
            status.cost = progress.cost
            if progress.program is not None and (better or self.program is None):
                self.program = progress.program
                self.found += 1
        self.add_point()

    def add_point(self) -> None:
        """A new point where something changed; otherwise the last one is all there is to know."""
        now = (self.status.cost, self.status.lower_bound, self.searches)
        if (not self.points or self.points[-1][1:] != now) and len(self.points) < MOST_POINTS:
            self.points.append((round(self.status.seconds, 3), *now))

    def finish(self, result: Result) -> None:
        status = self.status
        status.state, status.cost, status.lower_bound = result.status, result.cost, result.lower_bound
        status.seconds = max(result.seconds.get("total", status.seconds) - self.waited, 0.0)
        self.result = result
        if result.program != self.program:
            self.program = result.program
            self.found += 1
        self.add_point()

    def fail(self, why: str) -> None:
        with self.lock:
            self.status.state, self.status.problem = FAILED, one_line(why)
