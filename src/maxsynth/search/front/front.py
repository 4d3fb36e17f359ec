"""Finding a front: for every size the program with the fewest errors, up to the size that is worth it.

The first search is the one of `learn`, with the weights that are asked for. It says how far to go: a program that is
larger than its own has so few errors less that, by these weights, it is not worth it. And its proof bounds the errors
of all larger ones, which are not looked for. Whoever wants more of the front asks for a size.

It also says what is a fair effort. Some spaces are gone through only because the cost of a good program is known, and
few rules are left for that; to have the fewest errors of all programs of a size is much harder then. So, unless the
user gives a limit, the rest may take some times the steps of that search, and what is not proven by then is said.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from maxsynth.background.background import StoppedAskingError
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Confusion, Weights
from maxsynth.search.front.by_pool import PoolFront, outweighing
from maxsynth.search.front.by_searches import find_by_searches, limited, search_below
from maxsynth.search.front.known import KnownFront
from maxsynth.search.front.result import Front, Point
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.result import OPTIMAL, OUT_OF_STEPS, SearchResult
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.settings import Settings
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

EFFORT = 4  # times the steps of `learn`, for all that comes after it ...
AT_LEAST = 20_000  # ... or so many, which are seconds
TOLD_EVERY = 0.3  # seconds, the points that are known
RUNNING = "running"  # the status of a front that is not done yet


class FrontSearch:
    """Looks for a front. The limits of the settings count for all that it does, from `started` on."""

    def __init__(
        self,
        task: ReadTask,
        settings: Settings,
        on_progress: Callable[[Progress], None] | None = None,
        interrupted: Callable[[], bool] | None = None,
        started: float | None = None,
        steps: int = 0,
        *,
        follow: Callable[[Callable[[], Progress | None]], None] | None = None,
        on_points: Callable[[Front], object] | None = None,
        by_searches: bool = False,
    ) -> None:
        self.task = task
        self.settings = settings
        self.on_progress = on_progress or (lambda progress: None)
        self.interrupted = interrupted
        self.started = time.monotonic() if started is None else started
        self.follow = follow or (lambda now: None)
        self.on_points = on_points
        self.told = 0.0  # when the points were told last
        self.judged: dict[Program, Confusion] = {}
        self.only_searches = by_searches  # for tests
        self.examples = WeighedExamples.of(task, settings.weights)
        self.steps = steps  # that were taken before, and then all together
        self.seconds: dict[str, float] = {}
        self.most_each = AT_LEAST
        self.is_over = False
        self.tell: Callable[[], None] = lambda: None

    # -- searches -------------------------------------------------------------------------------------------

    def search(self, task: ReadTask, weights: Weights, most: int | None = None) -> Search:
        """A search, of so many steps at most, where the user gives no limit."""
        settings = dataclasses.replace(self.settings, weights=weights)
        if most is not None and self.settings.timeout is None and self.settings.steps is None:
            settings = dataclasses.replace(settings, steps=self.steps + most, memory=settings.search_limit)
        search = Search(task, settings, self.on_progress, self.interrupted, self.started, self.steps)
        self.follow(search.now)
        return search

    def learn(self, taken: SearchResult | None = None) -> SearchResult:
        """The best program by the weights."""
        first = taken
        if first is None:
            first = self.search(self.task, self.settings.weights).run()
            self.steps = first.counts["steps"]
        self.seconds["learn"] = first.seconds["total"]
        return first

    def run(self, size: int | None = None, taken: SearchResult | None = None) -> Front:
        """The front up to a size, or as far as is worth it. `taken`: what `learn` found, where that is known."""
        first = self.learn(taken) if size is None or taken else None
        most = size if size is not None else (first.size or 0) if first is not None else 0
        limit = self.task.bias.most.size
        known = KnownFront(most if limit is None else min(most, limit), int(self.examples.pos.sum()))
        if first is not None:
            self.take_first(first, known)
        self.tell = lambda: self.tell_points(known, first)
        self.tell()
        status = OPTIMAL if known.proven else self.find(known)
        return self.front(OPTIMAL if known.proven else status, known, first)

    def take_first(self, first: SearchResult, known: KnownFront) -> None:
        weight = self.settings.weights.size
        if first.program is not None and first.cost is not None and first.size is not None:
            known.take(first.size, first.cost - weight * first.size, first.program)
        known.raise_by_cost(weight, 1, first.lower_bound)

    def find(self, known: KnownFront) -> str:
        """Makes the front known; why it ended."""
        weights, more, most = self.settings.weights, outweighing(known.most), max(EFFORT * self.steps, AT_LEAST)
        heavy = Weights(1, more * weights.fp, more * weights.fn)
        search = self.search(limited(self.task, known.most), heavy, most)
        parts = search.parts
        if not self.only_searches and parts.by_features and not parts.calls_allowed and not self.judged_by_clingo:
            ended = self.find_by_pool(search, known)
            self.steps = search.limits.steps
            if ended is not None:
                return OPTIMAL if ended else search.limits.reason().value
        self.most_each = max(1, most // max(1, len(known.open_sizes())))
        cut = find_by_searches(self.task, weights, known, self.run_below, self.goes_on)
        return OPTIMAL if cut is None else cut.status

    @property
    def judged_by_clingo(self) -> bool:
        return bool(self.task.bias.program_constraints.strip()) or self.settings.solver is not None

    def find_by_pool(self, search: Search, known: KnownFront) -> bool | None:
        """Whether it came to its end; None where there are too many rules for a pool."""
        with search.threads, self.task.background.watched_by(search.limits.reached):
            try:
                search.make_ready()
                found = PoolFront(search, self.examples, known, self.tell)
                return found.find()
            except StoppedAskingError:
                return False
            except MemoryError:
                search.memory.fill()
                return False
            finally:
                if isinstance(search.rules, RuleGenerator):
                    search.rules.release()

    def run_below(self, task: ReadTask, weights: Weights, below: int) -> SearchResult:
        search = self.search(task, weights, self.most_each)
        result = search_below(search, below)
        self.steps = result.counts["steps"]
        # One that has had its share is not the end, where the user gave no limit.
        given = self.settings.timeout is not None or self.settings.steps is not None
        self.is_over = result.status != OPTIMAL and (given or result.status != OUT_OF_STEPS)
        return result

    def goes_on(self) -> bool:
        """Asked after each size."""
        self.tell()
        return not self.is_over

    # -- what comes out -------------------------------------------------------------------------------------

    def front(self, status: str, known: KnownFront, first: SearchResult | None) -> Front:
        points = [
            self.point(size, known)
            for size in range(known.most + 1)
            if size == 0 or known.errors[size] < known.errors[size - 1]
        ]
        self.seconds["total"] = time.monotonic() - self.started
        larger = None if first is None else (self.settings.weights.size, first.lower_bound)
        return Front(
            status,
            known.most,
            tuple(points),
            tuple(known.errors),
            tuple(known.at_least),
            larger,
            self.settings.recorded(self.task.bias),
            {work: round(spent, 4) for work, spent in self.seconds.items()},
            self.steps,
        )

    def tell_points(self, known: KnownFront, first: SearchResult | None) -> None:
        """Tells what is known so far, now and then."""
        if self.on_points is not None and time.monotonic() - self.told >= TOLD_EVERY:
            self.on_points(self.front(RUNNING, known, first))
            self.told = time.monotonic()

    def point(self, size: int, known: KnownFront) -> Point:
        program = known.programs[known.errors[size]]
        if program not in self.judged:
            self.judged[program] = evaluate_program(program, self.task).confusion
        return Point(size, known.errors[size], known.at_least[size], program, self.judged[program])
