"""What the page shows and changes: a task, decisions about its labels, searches, and the program that is looked at.

Requests come from many threads. What changes is guarded by one lock, which is never held for long; the tables of the
task that programs are judged by have another one, since asking them may change them. A search has tables of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from maxsynth.api.result import Result
from maxsynth.api.task import Task
from maxsynth.data.description import Description
from maxsynth.data.toml import description_text
from maxsynth.data.wishes import NO_WISHES, Wishes
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.export import check_form, subject_of_result, written
from maxsynth.logic.programs import Program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.result import SearchResult
from maxsynth.studio.asking import DECIDED, MOST_ROWS, Question, found
from maxsynth.studio.decisions import DECISIONS, Decisions, Example, Relabelled
from maxsynth.studio.desk import Desk, Listing
from maxsynth.studio.engine import HELD, Learn, Run, learn
from maxsynth.studio.front import RATIOS, Front, Point
from maxsynth.studio.tables import data_view, wished
from maxsynth.studio.treatment import Flags
from maxsynth.studio.views import Json, example_view, explanation_view, in_forms, kind_view, program_view

NEIGHBOURS = 12  # that are treated alike, with one example


@dataclass(frozen=True)
class Opened:
    """A task as it was found: `make` makes it, for tables with what a person wishes of them."""

    name: str
    place: str
    make: Callable[[Wishes], tuple[Task, Description | None]]


class Session:
    def __init__(self, opened: Opened, decisions: Decisions, how: Mapping[str, Any], learner: Learn = learn) -> None:
        self.opened = opened
        self.decisions = decisions
        self.how = dict(how)
        self.learner = learner
        self.lock = threading.RLock()
        self.tables = threading.RLock()
        self.runs: list[Run] = []
        self.taken: Program | None = None  # in the place of what the last run found
        self.changes = 0  # of what is looked at, by the person
        self.wishes = NO_WISHES
        self.next: tuple[Task, Description | None] | None = None  # what the next search learns from, if it is another
        self.choices: Front | None = None
        self.desks: tuple[tuple[object, ...], Desk] | None = None
        self.told: tuple[tuple[object, ...], Json] | None = None
        self.read_task(*opened.make(NO_WISHES))

    def read_task(self, task: Task, description: Description | None) -> None:
        self.task, self.description = task, description
        self.listing = Listing(task.read(), description)

    @property
    def weights(self) -> Weights:
        return Weights(*self.how.get("weights", (1, 1, 1)))

    # -- searches ---------------------------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        return self.runs[-1]

    def learn(self) -> None:
        """Starts a search with all that is decided; one that still runs ends before."""
        with self.lock:
            if self.runs and not self.run.over and not self.run.end():
                raise MaxSynthError("the search does not end yet", remedy="try again in a moment")
            if self.next is not None:
                self.read_task(*self.next)
                self.next = None
            made = dict(self.decisions.made)
            task = Relabelled(self.task, made) if made else self.task
            self.taken = None
            if self.choices is not None:
                self.choices.end()
                self.choices = None
            self.runs.append(Run(len(self.runs) + 1, task, made, self.how, self.learner))
            self.run.start()

    def hold(self) -> None:
        self.run.hold()

    def go_on(self) -> None:
        self.run.go_on()

    def close(self) -> None:
        """Ends what still runs."""
        for run in self.runs:
            run.end(0.0)
        if self.choices is not None:
            self.choices.end()
        if self.runs:
            self.run.done.wait(2.0)
        self.listing.task.background.close_engine()

    # -- other programs ---------------------------------------------------------------------------------------

    def find_front(self) -> None:
        """Searches for programs of other sizes, of the task as the last search had it."""
        with self.lock:
            if not self.run.over and self.run.status.state != HELD:
                raise MaxSynthError("the search still runs", remedy="wait for its end, or stop it")
            if self.choices is None or self.choices.done.is_set():
                tested = self.listing.task.bias.learned.tested
                self.choices = Front(self.run.task, tested, self.how, self.learner)
                self.choices.start()

    def front(self) -> Json:
        with self.lock:
            choices = self.choices
            points = [] if choices is None else choices.points
            return {
                "points": [
                    {"size": one.size, "errors": one.errors, "proven": one.proven, "program": str(one.program)}
                    for one in points
                ],
                "taken": self.taken_place(points),
                "running": choices is not None and not choices.done.is_set(),
                "searched": 0 if choices is None else choices.searched,
                "searches": len(RATIOS),
                "problem": "" if choices is None else choices.problem,
            }

    def taken_place(self, points: Sequence[Point]) -> int | None:
        """Which of the points is looked at."""
        shown = self.taken if self.taken is not None else self.run.program
        return next((place for place, one in enumerate(points) if one.program == shown), None)

    def take(self, size: int, errors: int) -> Json:
        """Looks at a program of the front, by what it is: the front may have grown meanwhile."""
        with self.lock:
            points = [] if self.choices is None else self.choices.points
            found = [one for one in points if (one.size, one.errors) == (size, errors)]
            if not found:
                raise MaxSynthError("this program is no longer among the best", remedy="choose another one")
            self.taken = found[0].program
            self.changes += 1
            return self.front()

    # -- data -------------------------------------------------------------------------------------------------

    def data(self) -> Json:
        with self.lock:
            description = self.description if self.next is None else self.next[1]
            if description is None:
                raise MaxSynthError("this task was not made from tables")
            told = data_view(description, self.wishes)
            return {**told, "new": self.next is not None, "file": description_text(description, self.opened.name, None)}

    def wish(self, table: str, column: str, role: str | None) -> Json:
        """What a column is to be; None for what was inferred. The next search learns from that."""
        with self.lock:
            wishes = wished(self.wishes, table, column, role)
            self.next = self.opened.make(wishes)
            self.wishes = wishes
            return self.data()

    # -- what is shown ----------------------------------------------------------------------------------------

    @property
    def shown(self) -> tuple[object, ...]:
        """What the page shows now; when this changes, all of it does."""
        return (self.run.number, self.run.found, self.changes)

    def state(self, known: int = 0, since: int = 0) -> Json:
        """Where the search stands, with the points of its curve: from a number on, of a run that is known already."""
        with self.lock:
            run = self.run
            with run.lock:
                points = run.points[max(since, 0) if run.number == known else 0 :]
                status, program = asdict(run.status), run.program
            return {
                "task": self.task_view(),
                "run": {"number": run.number, **status, "decisions": len(run.made)},
                "points": points,
                "program": [] if program is None else [str(rule) for rule in program.rules],
                "shown": "-".join(map(str, self.shown)) if program is not None else None,
                "taken": self.taken is not None,
                "decisions": self.decision_counts(),
                "runs": [run_view(one) for one in self.runs],
            }

    def task_view(self) -> Json:
        return {
            "name": self.opened.name,
            "place": self.opened.place,
            "target": str(self.listing.task.bias.head),
            "positives": int(self.listing.labels.sum()),
            "negatives": int((~self.listing.labels).sum()),
            "data": self.description is not None,
            "warnings": list(self.task.warnings),
            "labels_file": self.decisions.file.name,
        }

    def desk(self) -> Desk:
        """The program that is looked at, on all examples; made anew only when it is another one."""
        with self.tables:
            with self.lock:
                key, run, listing = self.shown, self.run, self.listing
                program = self.taken if self.taken is not None else run.program
            if program is None:
                raise MaxSynthError("there is no program yet")
            if self.desks is None or self.desks[0] != key:
                self.desks = (key, Desk(program, listing, run.made, self.weights))
            return self.desks[1]

    def program(self) -> Json:
        with self.tables:
            desk = self.desk()
            key = self.desks[0] if self.desks else ()
            if self.told is None or self.told[0] != key:
                forms = in_forms(subject_of_result(self.result(desk.program)), len(desk.treatment.rules))
                self.told = (key, {**program_view(desk), "forms": forms})
            return self.told[1]

    def result(self, program: Program) -> Result:
        return Result(SearchResult("interrupted", program, None, 0, None, {}), self.task)

    def export(self, to: str, dialect: str | None) -> Json:
        check_form(to, dialect)
        with self.tables:
            return {"text": written([subject_of_result(self.result(self.desk().program))], to, dialect)}

    # -- examples ---------------------------------------------------------------------------------------------

    def examples(self, question: Question) -> Json:
        with self.tables:
            desk = self.desk()
            numbers = found(desk, question, self.decided() if question.show == DECIDED else desk.wrong)
            page = numbers[question.offset : question.offset + question.limit].tolist()
            kinds = {int(desk.kind_of[number]) for number in page}
            return {
                "total": len(numbers),
                "offset": question.offset,
                "rows": [example_view(desk, number, self.decision(number)) for number in page],
                "kinds": {str(kind): kind_view(desk, desk.kinds[kind]) for kind in kinds},
            }

    def example(self, number: int) -> Json:
        """One example with its explanation, and some that are treated alike."""
        with self.tables:
            desk = self.desk()
            if not 0 <= number < len(self.listing):
                raise MaxSynthError("there is no such example")
            kind = int(desk.kind_of[number])
            alike = np.flatnonzero(desk.kind_of == kind)
            some = [one for one in alike[: NEIGHBOURS + 1].tolist() if one != number][:NEIGHBOURS]
            rules = [str(rule) for rule in desk.treatment.rules]
            return {
                **example_view(desk, number, self.decision(number)),
                "line": self.listing.lines[number] if number < len(self.listing.lines) else 0,
                "explanation": explanation_view(desk.explain(number), rules),
                "alike": kind_view(desk, desk.kinds[kind]),
                "neighbours": [example_view(desk, one, self.decision(one)) for one in some],
            }

    # -- decisions --------------------------------------------------------------------------------------------

    def decision(self, number: int) -> str | None:
        made = self.decisions.made
        return made.get(self.listing.example(number)) if made else None

    def decided(self) -> Flags:
        made = self.decisions.made
        if not made:
            return np.zeros(len(self.listing), bool)
        return np.fromiter((self.listing.example(one) in made for one in range(len(self.listing))), bool)

    def decide(self, numbers: Sequence[int], decision: str | None) -> Json:
        if decision is not None and decision not in DECISIONS:
            raise MaxSynthError("there is no such decision", remedy=f"it is one of {', '.join(DECISIONS)}")
        if len(numbers) > MOST_ROWS or not all(0 <= number < len(self.listing) for number in numbers):
            raise MaxSynthError("there is no such example")
        with self.lock:
            self.decisions.decide([self.listing.example(number) for number in numbers], decision)
            return self.decision_counts()

    def undo(self) -> Json:
        """Takes back the last decision; `numbers` are the examples that it was about."""
        with self.lock:
            examples = set(self.decisions.undo())
            numbers = [one for one in range(len(self.listing)) if examples and self.listing.example(one) in examples]
            return {**self.decision_counts(), "numbers": numbers[:MOST_ROWS]}

    def decision_counts(self) -> Json:
        made = self.decisions.made
        counts: Json = {decision: sum(one == decision for one in made.values()) for decision in DECISIONS}
        changes = effective(made) != effective(self.run.made)
        return {**counts, "undo": len(self.decisions.changes), "new": changes}


def effective(made: Mapping[Example, str]) -> dict[Example, str]:
    """The decisions that change what is learned from."""
    return {example: decision for example, decision in made.items() if decision != DECISIONS[0]}


def run_view(run: Run) -> Json:
    result = run.result
    counts = None if result is None else result._run.confusion
    return {
        "number": run.number,
        "state": run.status.state,
        "cost": run.status.cost,
        "lower_bound": run.status.lower_bound,
        "size": None if result is None else result.size,
        "errors": None if counts is None else counts.fp + counts.fn,
        "seconds": round(run.status.seconds, 2),
        "decisions": len(effective(run.made)),
    }
