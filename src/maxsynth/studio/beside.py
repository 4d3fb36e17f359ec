"""What is done beside the page once a search is over: learning again is prepared, a front or questions are looked for,
or suspected labels are weighed.

One of these is done at a time, in a thread of its own, and ends at once when something else is to begin. What is known
by then stays.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from maxsynth.errors import MaxSynthError
from maxsynth.search.again.ask import Question
from maxsynth.search.again.weigh import NOT_WEIGHED, Weight
from maxsynth.search.front.result import Front
from maxsynth.search.progress import Progress
from maxsynth.studio.engine import ENDING, LabelledText, Learner, Made, said_of

PREPARE, FRONT, ASK, WEIGH = "prepare", "front", "ask", "weigh"
PATIENCE = 30.0  # seconds that may go into preparing at any rate ...
SHARE = 4.0  # ... or so many times those of the longest run


@dataclass
class Job:
    what: str
    ends: bool = False
    done: threading.Event = field(default_factory=threading.Event)

    def note(self, _: Progress) -> bool:
        """Told where the work stands; whether it goes on."""
        return not self.ends

    def end(self, seconds: float = ENDING) -> bool:
        """Whether it ended in time."""
        self.ends = True
        return self.done.wait(seconds)


class Beside:
    """The one thing that is done now, and what was found. Who starts or ends something holds the session's lock; what
    is found is only ever put in the place of what was there."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.stopped = False  # preparing, by the person
        self.gave_up = False  # preparing, since it takes too long
        self.forget()

    def forget(self) -> None:
        """Other labels, or another task: what was found was about the last ones."""
        self.front: Front | None = None
        self.questions: tuple[Question, ...] | None = None
        self.asked_with: Made = {}
        self.suspects: Mapping[int, LabelledText] = {}  # that are weighed, by their numbers
        self.weights: Mapping[int, Weight] = {}
        self.problems: dict[str, str] = {}  # of the last job of each kind, if it failed

    @property
    def doing(self) -> str:
        return "" if self.job is None or self.job.done.is_set() else self.job.what

    def end(self, seconds: float = ENDING) -> None:
        if self.job is not None and not self.job.end(seconds):
            raise MaxSynthError("what is done beside does not end yet", remedy="try again in a moment")

    def start(self, what: str, work: Callable[[Job], None], then: Callable[[], object]) -> None:
        """Begins something, in the place of what was done before; `then` follows in the same thread."""
        self.end()
        self.job = job = Job(what)
        self.problems.pop(what, None)

        def run() -> None:
            try:
                work(job)
            except Exception as error:
                self.problems[what] = said_of(error)
            finally:
                job.done.set()
            then()

        threading.Thread(target=run, name=what, daemon=True).start()

    # -- the three things -------------------------------------------------------------------------------------

    def prepare(self, learner: Learner, longest: float, then: Callable[[], object]) -> None:
        """Makes learning again quick, where that can be, unless it was stopped or took too long before."""
        if not learner.can_prepare or self.stopped or self.gave_up:
            return

        def work(job: Job) -> None:
            learner.prepare(job.note, max(PATIENCE, SHARE * longest))
            # Who was ended may try again; who ran out of time would do so again.
            self.gave_up = learner.can_prepare and not job.ends

        self.start(PREPARE, work, then)

    def find_front(
        self, learner: Learner, made: Made, size: int | None, then: Callable[[], object], *, apart: bool
    ) -> None:
        def take(found: Front) -> None:
            self.front = found

        self.start(FRONT, lambda job: take(learner.front(made, job.note, take, size, apart=apart)), then)

    def ask(self, learner: Learner, made: Made, then: Callable[[], object]) -> None:
        def work(job: Job) -> None:
            self.questions, self.asked_with = tuple(learner.ask(made, job.note)), made

        self.questions = None
        self.start(ASK, work, then)

    def weigh(
        self, learner: Learner, suspects: Mapping[int, LabelledText], made: Made, then: Callable[[], object]
    ) -> None:
        """Weighs labels in this order; what is known of each counts as soon as it is."""
        numbers = list(suspects)

        def take(place: int, weight: Weight) -> None:
            if weight != NOT_WEIGHED:
                self.weights = {**self.weights, numbers[place]: weight}

        self.end()
        self.suspects, self.weights = suspects, {}
        self.start(WEIGH, lambda job: learner.weigh(list(suspects.values()), made, job.note, take), then)
