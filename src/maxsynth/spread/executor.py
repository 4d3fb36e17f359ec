"""Units of work that do not need each other, and who does them.

A unit is a whole run: a search of the cross-validation, say. What many units share (a task with its background
knowledge) is a `Work`: here it is used as it is, elsewhere it is made again from data that is sent there once. A
function does one unit and returns what it found. It must return the same wherever it runs, and whatever ran before it
there: then it does not matter how many do the units, nor who does which.

Outcomes come with the number of their unit, as they arrive. Whatever depends on their order takes them `in_order`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from maxsynth.errors import MaxSynthError

Opened = TypeVar("Opened")
AnyOpened = TypeVar("AnyOpened", covariant=True)
Unit = TypeVar("Unit")
Found = TypeVar("Found")

Stop = Callable[[], bool]


class Sent(Protocol[AnyOpened]):
    """What goes to another process, once for all units there. It can be pickled."""

    def open(self) -> AnyOpened: ...


@dataclass(frozen=True, eq=False)
class Work(Generic[Opened]):
    """What units share: as it is here, and as it is sent. Each is made when it is first needed."""

    here: Callable[[], Opened]
    sent: Callable[[], Sent[Opened]]


@dataclass(frozen=True)
class Failed:
    """The outcome of a unit that nobody could do, and why."""

    why: str


class Addressed:
    """A unit of which it depends on the worker what is sent."""

    def addressed_to(self, worker: str | None, again: bool) -> object:
        """What goes to a worker, None for any; `again`: what it should have already was missing there."""
        raise NotImplementedError


class LostError(MaxSynthError):
    """Those who did the work are gone, with all that they were at."""


Do = Callable[[Opened, Unit, Stop], Found]
Units = Iterable[tuple[Work[Opened], Unit]]
Arrivals = Iterator[tuple[int, Found | Failed]]


class Executor(Protocol):
    """Does units. They are taken from the iterable as there is room for them, so what a unit is may depend on when."""

    @property
    def places(self) -> int:
        """How many units are done at a time."""

    def jobs_of(self, left: int) -> int | None:
        """The threads that a unit may have there, when so many are left with it; None: as many as it is told."""

    def run(self, do: Do[Opened, Unit, Found], units: Units[Opened, Unit], stop: Stop) -> Arrivals[Found]:
        """The outcomes as they arrive, each with the number of its unit. It ends early when `stop` says so."""


class Serial:
    """One unit after the other, in this process."""

    places = 1

    def jobs_of(self, left: int) -> int | None:
        return None

    def run(self, do: Do[Opened, Unit, Found], units: Units[Opened, Unit], stop: Stop) -> Arrivals[Found]:
        for number, (work, unit) in enumerate(units):
            if stop():
                return
            yield number, do(work.here(), unit, stop)


def in_order(arrivals: Arrivals[Found]) -> Iterator[Found | Failed]:
    """The outcomes in the order of the units. What arrives early waits."""
    waiting: dict[int, Found | Failed] = {}
    next_one = 0
    for number, outcome in arrivals:
        waiting[number] = outcome
        while next_one in waiting:
            yield waiting.pop(next_one)
            next_one += 1
