"""Searches beside the page: started, held, let go on and ended from other threads, and asked at any time.

`Learner` is all that the studio asks of learning. A search that is held waits where it told of itself last, and keeps
all that it has.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from maxsynth.api.front import OnPoints, front
from maxsynth.api.result import Result
from maxsynth.api.session import Session
from maxsynth.api.task import Task
from maxsynth.api.warnings import MaxSynthWarning
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.logic.programs import Program
from maxsynth.search.again.ask import Question
from maxsynth.search.again.weigh import Weight
from maxsynth.search.front.result import Front
from maxsynth.search.progress import Progress
from maxsynth.search.result import OPTIMAL

READING, RUNNING, HELD, FAILED = "reading", "running", "held", "failed"
MOST_POINTS = 20_000  # of a curve
ENDING = 10.0  # seconds that a search has to come to its end

Point = tuple[float, int | None, int, int]  # seconds, cost, lower bound, and the number of the search


Note = Callable[[Progress], bool]  # told where work stands; False when it is to end
Made = Mapping[str, str]  # what is decided about examples of the task
LabelledText = tuple[str, bool]  # an example, and whether it is a positive one


@dataclass(frozen=True)
class Learned:
    """A result, and how it was come by; `why` is said where it was from nothing although there was a run before."""

    result: Result
    way: str
    why: str = ""


class Learner:
    """Learns from one task again and again, with what is known from before. It does one thing at a time.

    A run that is not proven says little of others, and on tables its space may be one that is too large: after such a
    run the next one begins from nothing.
    """

    def __init__(self, task: Task, how: Mapping[str, Any]) -> None:
        self.task = task
        self.how = {name: value for name, value in how.items() if name != "timeout"}
        self.timeout: float | None = how.get("timeout")
        self.session: Session | None = None
        self.knows = False  # whether a run of this session was proven

    def learn(self, made: Made, note: Note, *, anew: bool = False) -> Learned:
        before, why = self.session, ""
        if before is not None and (anew or not self.knows):
            why = "as you asked" if anew else "the run before was not proven"
        with quietly():
            if before is None or why:
                self.close()
                self.session = Session(self.task, **self.how)
            assert self.session is not None
            result = self.session.learn(made, timeout=self.timeout, on_progress=note)
        self.knows = self.knows or result.status == OPTIMAL
        return Learned(result, self.session.way.value, why)

    @property
    def prepared(self) -> bool:
        return self.session is not None and self.session.prepared

    @property
    def can_prepare(self) -> bool:
        return self.knows and self.session is not None and self.session.can_prepare

    @property
    def chose_space(self) -> bool:
        """Whether the first run chose how large rules may be, or whether they count, for all that follow."""
        given = any(self.how.get(name) for name in ("max_vars", "max_body", "max_clauses"))
        return bool(self.task.counts) or (self.task.climbs and not given)

    def prepare(self, note: Note, seconds: float) -> None:
        if self.session is not None:
            self.session.prepare(timeout=seconds, on_progress=note)

    def ask(self, made: Made, note: Note) -> list[Question]:
        if self.session is None or not self.knows:
            raise MaxSynthError("no program is proven yet", remedy="let a search come to its end")
        with quietly():
            return self.session.ask(made, timeout=self.timeout, on_progress=note)

    def weigh(
        self, examples: Sequence[LabelledText], made: Made, note: Note, tell: Callable[[int, Weight], object]
    ) -> None:
        """How much speaks against each of these labels, told by its place as soon as it is known."""
        if self.session is None or not self.knows:
            raise MaxSynthError("no program is proven yet", remedy="let a search come to its end")
        with quietly():
            for place, weight in enumerate(self.session.weigh(examples, made, timeout=self.timeout, on_progress=note)):
                tell(place, weight)

    def front(self, made: Made, note: Note, on_points: OnPoints, size: int | None, *, apart: bool) -> Front:
        """The front; `apart` from what is known, where a search is held that has it in use."""
        told: dict[str, Any] = {"size": size, "timeout": self.timeout, "on_progress": note, "on_points": on_points}
        with quietly():
            if apart or self.session is None or not self.knows:
                return front(self.task, labels=made, **self.how, **told)
            return self.session.front(made, **told)

    def close(self) -> None:
        if self.session is not None:
            self.session.close()
        self.session, self.knows = None, False


@contextmanager
def quietly() -> Iterator[None]:
    """The page shows what there is to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MaxSynthWarning)
        yield


def said_of(error: Exception) -> str:
    """What is said of work that failed in a thread, where nobody else would tell of it."""
    if isinstance(error, MaxSynthError):
        return one_line(str(error))
    if isinstance(error, MemoryError):
        return "there is not enough memory for this task (make it smaller)"
    return one_line(f"{type(error).__name__}: {error}")


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
    """One run with its curve. `made` are the decisions that it learns with.

    Where nobody says how large rules may be, a run is several searches, each in a larger space. What is told is the
    best of all, with the lower bound of the space that is searched now.
    """

    number: int
    learner: Learner
    made: Made
    anew: bool = False
    then: Callable[[], object] = lambda: None  # what follows, in the same thread
    status: Status = field(default_factory=Status)
    points: list[Point] = field(default_factory=list)
    program: Program | None = None
    found: int = 0  # programs, one better than the other
    learned: Learned | None = None

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
            learned = self.learner.learn(self.made, self.note, anew=self.anew)
            with self.lock:
                self.learned = learned
                self.finish(learned.result)
        except Exception as error:
            with self.lock:
                self.status.state, self.status.problem = FAILED, said_of(error)
        finally:
            self.done.set()
        self.then()

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
        if result.program != self.program:
            self.program = result.program
            self.found += 1
        self.add_point()
