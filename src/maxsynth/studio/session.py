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
from maxsynth.explanation.suspects import IS_DOUBTED, IS_EXCEPTION, verdict
from maxsynth.exporting.export import check_form, subject_of_result, written
from maxsynth.logic.programs import Program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.again.weigh import Weight
from maxsynth.search.front.result import Point
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.studio.asking import DECIDED, MOST_ROWS, Question, found
from maxsynth.studio.beside import ASK, FRONT, PREPARE, WEIGH, Beside
from maxsynth.studio.decisions import DECISIONS, Decisions, Example, effective
from maxsynth.studio.desk import Desk, Listing
from maxsynth.studio.engine import HELD, Learner, Made, Run
from maxsynth.studio.tables import data_view, wished
from maxsynth.studio.treatment import Flags
from maxsynth.studio.views import (
    Json,
    doubt_view,
    example_view,
    explanation_view,
    in_forms,
    kind_view,
    point_view,
    program_view,
    run_view,
)

NEIGHBOURS = 12  # that are treated alike, with one example


@dataclass(frozen=True)
class Opened:
    """A task as it was found: `make` makes it, for tables with what a person wishes of them."""

    name: str
    place: str
    make: Callable[[Wishes], tuple[Task, Description | None]]


class Session:
    def __init__(self, opened: Opened, decisions: Decisions, how: Mapping[str, Any]) -> None:
        self.opened = opened
        self.decisions = decisions
        self.how = dict(how)
        self.lock = threading.RLock()
        self.tables = threading.RLock()
        self.runs: list[Run] = []
        self.taken: Program | None = None  # in the place of what the last run found
        self.changes = 0  # of what is looked at, by the person
        self.wishes = NO_WISHES
        self.next: tuple[Task, Description | None] | None = None  # what the next search learns from, if it is another
        self.beside = Beside()
        self.agreeing: set[Example] = set()  # to decide about these, once labels were weighed, agrees with the program
        self.closed = False
        self.desks: tuple[tuple[object, ...], Desk] | None = None
        self.told: tuple[tuple[object, ...], Json] | None = None
        self.read_task(*opened.make(NO_WISHES))

    def read_task(self, task: Task, description: Description | None) -> None:
        self.task, self.description = task, description
        self.listing = Listing(task.read(), description)
        self.learner = Learner(task, self.how)

    @property
    def weights(self) -> Weights:
        return Weights(*self.how.get("weights", (1, 1, 1)))

    # -- searches ---------------------------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        return self.runs[-1]

    def learn(self, *, anew: bool = False) -> None:
        """Starts to learn with all that is decided, from what is known or `anew`; what still runs ends before."""
        with self.lock:
            if self.runs and not self.run.over and not self.run.end():
                raise MaxSynthError("the search does not end yet", remedy="try again in a moment")
            self.beside.end()
            if self.next is not None:
                self.learner.close()
                self.read_task(*self.next)
                self.next = None
            if anew or not self.learner.knows:
                self.beside.gave_up = False
            self.beside.stopped = False
            self.beside.forget()
            self.taken = None
            run = Run(len(self.runs) + 1, self.learner, self.made(), anew, lambda: self.after(run))
            self.runs.append(run)
            self.run.start()

    def made(self) -> Made:
        """What is decided about examples that the task has."""
        known = self.listing.numbers if self.decisions.made else {}
        return {example: decision for example, decision in self.decisions.made.items() if example in known}

    def after(self, run: Run) -> None:
        """A run is over: learning again is prepared, until something else is to be done."""
        with self.lock:
            if run is self.run and run.status.state == OPTIMAL:
                self.prepare()

    def prepare(self) -> None:
        with self.lock:
            if not self.closed and self.run.over and not self.beside.doing:
                longest = max(run.status.seconds for run in self.runs)
                self.beside.prepare(self.learner, longest, lambda: None)

    def stop(self) -> None:
        """Ends what is done beside; what is known by then stays."""
        with self.lock:
            self.beside.stopped = self.beside.doing == PREPARE
            self.beside.end()

    def hold(self) -> None:
        self.run.hold()

    def go_on(self) -> None:
        self.run.go_on()

    def close(self) -> None:
        """Ends what still runs."""
        self.closed = True
        for run in self.runs:
            run.end(0.0)
        if self.beside.job is not None:
            self.beside.job.end(2.0)
        if self.runs:
            self.run.done.wait(2.0)
        self.learner.close()
        self.listing.task.background.close_engine()

    # -- other programs ---------------------------------------------------------------------------------------

    def find_front(self, size: int | None = None) -> None:
        """Looks for the programs of other sizes, with the labels that the last run had."""
        with self.lock:
            apart = self.run.status.state == HELD
            if not self.run.over and not apart:
                raise MaxSynthError("the search still runs", remedy="wait for its end, or stop it")
            self.beside.find_front(self.learner, self.run.made, size, self.prepare, apart=apart)

    def front(self) -> Json:
        with self.lock:
            front = self.beside.front
            points = () if front is None else front.points
            return {
                "points": [point_view(point, self.listing) for point in points],
                "at_least": [] if front is None else list(front.at_least),
                "taken": self.taken_place(points),
                "running": self.beside.doing == FRONT,
                "status": "" if front is None else front.status,
                "size": None if front is None else front.size,
                "larger": None if front is None or front.larger is None else list(front.larger),
                "problem": self.beside.problems.get(FRONT, ""),
            }

    def taken_place(self, points: Sequence[Point]) -> int | None:
        """Which of the points is looked at: this program, or one that is as large and as good."""
        run, taken = self.run, self.taken
        shown = taken if taken is not None else run.program
        result = run.learned.result if taken is None and run.learned is not None else None
        for place, point in enumerate(points):
            if point.program == shown:
                return place
            if result is not None and result.cost is not None and result.size == point.size:
                return place if result.cost == self.weights.size * point.size + point.errors else None
        return None

    # -- which label to ask for -------------------------------------------------------------------------------

    def ask(self) -> None:
        """Looks for the examples whose labels would tell most, with all that is decided."""
        with self.lock:
            if not self.run.over:
                raise MaxSynthError("the search still runs", remedy="wait for its end")
            self.beside.ask(self.learner, self.made(), self.prepare)

    def doubts(self) -> Json:
        with self.lock:
            asked, listing = self.beside.questions, self.listing
            told = {
                "asked": asked is not None,
                "running": self.beside.doing == ASK,
                "old": asked is not None and dict(self.beside.asked_with) != self.made(),
                "problem": self.beside.problems.get(ASK, ""),
            }
        if not asked:
            return {**told, "questions": []}
        with self.tables:
            numbers = [listing.numbers[question.example] for question in asked]
            return {
                **told,
                "questions": [
                    doubt_view(question, number, listing, self.decisions.made.get(question.example))
                    for question, number in zip(asked, numbers, strict=True)
                ],
            }

    # -- mistakes and exceptions ------------------------------------------------------------------------------

    def weigh(self) -> None:
        """Looks how much speaks against each label that the program contradicts, of those that it was learned from."""
        desk = self.desk()
        suspects = {one: (desk.listing.example(one), bool(desk.labels[one])) for one in desk.suspects.tolist()}
        right = {desk.listing.example(one) for one in np.flatnonzero(desk.counted & ~desk.wrong).tolist()}
        agreeing = {example for example, _ in suspects.values()} - right  # without what is listed with both labels
        with self.lock:
            if not self.run.over or desk.made is not self.run.made:
                raise MaxSynthError("the search still runs", remedy="wait for its end")
            if self.run.status.state != OPTIMAL:
                raise MaxSynthError("no program is proven yet", remedy="let a search come to its end")
            if self.looks_at_another:
                raise MaxSynthError("labels are weighed by the program that was learned", remedy="learn again")
            if not self.decided_since() <= agreeing:
                raise MaxSynthError("you changed labels that the program agrees with", remedy="learn again first")
            self.agreeing = agreeing
            self.beside.weigh(self.learner, suspects, self.run.made, self.prepare)

    def evidence(self) -> Mapping[int, Weight]:
        """How much speaks against labels, as far as that holds now.

        It holds for labels as they were learned from, and after decisions that agree with the program too: then as much
        speaks against all other labels, or more (`maxsynth.search.again.weigh`).
        """
        holds = not self.looks_at_another and self.decided_since() <= self.agreeing
        return self.beside.weights if holds else {}

    @property
    def looks_at_another(self) -> bool:
        """Whether the program that is looked at is not the one that was learned."""
        return self.taken is not None and self.taken != self.run.program

    def decided_since(self) -> set[Example]:
        """The examples that are not labelled as they were when the program was learned."""
        before, now = effective(self.run.made), effective(self.made())
        return {example for example in {**before, **now} if before.get(example) != now.get(example)}

    def weighing(self) -> Json:
        weights = self.evidence()
        verdicts = [verdict(*weight) for weight in weights.values()]
        return {
            "running": self.beside.doing == WEIGH,
            "suspects": len(self.beside.suspects),
            "weighed": len(weights),
            IS_DOUBTED: verdicts.count(IS_DOUBTED),
            IS_EXCEPTION: verdicts.count(IS_EXCEPTION),
            "old": bool(weights) and bool(self.decided_since()),
            "dropped": bool(self.beside.weights) and not self.decided_since() <= self.agreeing,
            "another": self.looks_at_another,
            "problem": self.beside.problems.get(WEIGH, ""),
        }

    def take(self, size: int, errors: int) -> Json:
        """Looks at a program of the front, by what it is: the front may have grown meanwhile."""
        with self.lock:
            points = () if self.beside.front is None else self.beside.front.points
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
                "beside": {
                    "doing": self.beside.doing,
                    "prepared": self.learner.prepared,
                    "can": self.learner.can_prepare,
                    "knows": self.learner.knows,
                    "chose": self.learner.chose_space,
                },
                "weighing": self.weighing(),
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
            with self.lock:
                weights, running = self.evidence(), self.beside.doing == WEIGH
            decided = self.decided() if question.show == DECIDED else desk.wrong
            numbers = found(desk, question, decided, weights, in_order=not running)
            page = numbers[question.offset : question.offset + question.limit].tolist()
            kinds = {int(desk.kind_of[number]) for number in page}
            return {
                "total": len(numbers),
                "offset": question.offset,
                "rows": [example_view(desk, number, self.decision(number), weights.get(number)) for number in page],
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
            with self.lock:
                weight = self.evidence().get(number)
            return {
                **example_view(desk, number, self.decision(number), weight),
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
