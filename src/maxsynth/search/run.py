"""One run on one task: what it is given, the best so far, what it tells, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from maxsynth.logic.programs import Program, rules_of
from maxsynth.logic.tested import size_of
from maxsynth.search.best import Best
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.problem import Combination
from maxsynth.search.learned.spelled import Spelled, can_be_open
from maxsynth.search.limits import Limits
from maxsynth.search.parts import Parts, Programs, Rules
from maxsynth.search.progress import Progress, Stages
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.settings import Settings, check_supported, counted_once, error_free
from maxsynth.search.threads import Threads, cores
from maxsynth.search.weighing import WeighedExamples, check_total
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

if TYPE_CHECKING:
    from maxsynth.search.programs.constraints import Outcome
    from maxsynth.search.rules.elsewhere import Helpers


class Run:
    """What a search has at hand (`loop.Search` is what it does).

    What was done for it since it was `started`, in so many `steps`, before it was made, counts too; so many seconds
    `before` that are told, and are in no limit. `helpers` have a part in it.
    """

    def __init__(
        self,
        task: ReadTask,
        settings: Settings,
        on_progress: Callable[[Progress], None] | None = None,
        interrupted: Callable[[], bool] | None = None,
        started: float | None = None,
        steps: int = 0,
        before: float = 0.0,
        helpers: Helpers | None = None,
    ) -> None:
        check_supported(task, settings)
        self.task = task
        self.settings = settings
        self.on_progress = on_progress or (lambda progress: None)
        self.memory = Memory(settings.search_limit)
        self.limits = Limits(settings.timeout, settings.steps, interrupted, self.memory, started, steps, before)
        self.should_stop: Callable[[], bool] = self.limits
        self.threads = Threads(settings.jobs or cores(), self.limits.started)
        self.weights = error_free(task, settings.weights) if settings.exact else settings.weights
        weighed = counted_once(task) if settings.exact else task
        self.examples = WeighedExamples.of(weighed, self.weights)
        if settings.solver is not None:
            check_total(weighed, self.weights, settings.solver.most_weight, f"--solver {settings.solver.text}")
        self.spelled = self.spelled_programs = Spelled(task, {})
        self.parts = Parts(task, task, settings, self.examples, self.weights, self.memory, self.threads, helpers)
        self.stages = Stages()
        empty = self.weights.fn if settings.exact else int(self.examples.pos.sum())  # in exact mode, one error
        self.best = Best(task, empty, found=not settings.exact)
        self.informed = False  # whether it knows what a good program costs before it begins
        self.rules: Rules | None = None
        self.programs: Programs | None = None
        self.promising: Combiner | None = None

    def spell_out(self) -> None:
        """Makes predicates of what the bias leaves to be learned inside of literals, where there is such."""
        if not self.task.bias.learned:
            return
        # What a task does not need is not loaded.
        from maxsynth.search.learned.spelling import Numbered, spell_out
        from maxsynth.search.learned.support import Support

        self.task.background.close(self.task.bias.body, should_stop=self.should_stop)
        numbered = Numbered.LEFT if self.parts.by_features else Numbered.SPELLED
        dead = "dead" not in self.settings.left_out
        support = Support(self.task.bias, self.task.background, self.examples, self.weights.size) if dead else None
        self.spelled = self.spelled_programs = spell_out(self.task, numbered, support)
        if self.parts.calls_allowed and self.parts.by_features:
            open_ones = self.parts.by_recursion and can_be_open(self.task.bias)
            self.spelled_programs = spell_out(self.task, Numbered.OPEN if open_ones else Numbered.SPELLED)
        self.parts = replace(self.parts, task=self.spelled.task, program_task=self.spelled_programs.task)

    def look_below(self, bound: int) -> None:
        """Looks only for programs that cost less than this: another one is known, and the result may have none.

        `best.bound` is what a better program must stay below, whoever found the one that it is from. So all that the
        search leaves out for it is left out as before.
        """
        if bound <= self.best.bound:
            self.best.bound, self.best.found, self.informed = bound, False, True

    def take(self, combination: Combination | None, rules: Rules) -> None:
        """Makes a better combination the best."""
        if combination is not None and combination.cost < self.best.bound:
            program = self.spelled.written(rules_of(rules.rule(number) for number in combination.rules))
            self.best.keep(program, combination.cost, self.limits.seconds())
            self.tell(rules, len(combination.rules), self.best.program)

    def take_program(self, program: Program, outcome: Outcome) -> int:
        """Makes a better program that calls itself the best; returns what a better one must stay below."""
        self.best.keep(self.spelled_programs.written(program), outcome.cost, self.limits.seconds(), outcome)
        if self.rules is not None and self.promising is not None:
            self.tell(self.rules, len(self.promising), self.best.program)
        return self.best.bound

    def tell(self, rules: Rules, pool: int, program: Program | None = None) -> None:
        self.on_progress(self.progress(rules, pool, program))

    def now(self) -> Progress | None:
        """Where the run stands, for a display to ask at any time, from a thread of its own: this only reads."""
        rules, promising = self.rules, self.promising
        return None if rules is None or promising is None else self.progress(rules, len(promising))

    def progress(self, rules: Rules, pool: int, program: Program | None = None) -> Progress:
        tested = rules.tested + (self.programs.tested if self.programs else 0)
        best, seconds = self.best, self.limits.seconds()
        return Progress(
            self.stages.now, seconds, rules.size, tested, pool, best.cost, best.lower_bound, program, self.limits.steps
        )

    def result(self, proven: bool) -> SearchResult:
        best, limits = self.best, self.limits
        # A program that is not empty has a rule, and a rule has two literals; in exact mode, the empty one may do.
        best.conclude(proven, 0 if self.settings.exact else 2 * self.weights.size)
        seconds = {**self.stages.seconds, "total": limits.seconds()}
        counts = self.counts()
        if self.memory.full and isinstance(self.rules, RuleGenerator):
            self.rules.release()  # the program is tested once more
        return SearchResult(
            status=OPTIMAL if proven else limits.reason().value,
            program=best.program if best.found else None,
            cost=best.cost,
            lower_bound=best.lower_bound,
            confusion=best.confusion(self.examples),
            settings=self.settings.recorded(self.task.bias),
            size=size_of(best.program, self.task.bias.learned.tested) if best.found else None,
            trace=best.trace,
            counts=counts,
            seconds={work: round(spent, 4) for work, spent in seconds.items()},
        )

    def counts(self) -> dict[str, int]:
        """What was done, counted."""
        promising = self.promising or self.parts.combiner()
        return {
            **(self.rules.counts() if self.rules else {}),
            **(self.programs.counts() if self.programs else {}),
            "steps": self.limits.steps,
            "pool": len(promising),
            "branch_nodes": promising.nodes,
            "bound_steps": promising.steps,
            "solver_calls": promising.calls,
        }
