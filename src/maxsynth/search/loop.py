"""The search for a program of least cost: Algorithm 1 of the paper, with rules generated a size at a time.

The paper's loop generates one program, tests it, combines what is promising, and constrains the rest. Here one turn
does that for all rules of a size at once: generating and testing are joins and bit operations (`features`), the
constraints are the prunings by the swap lemma inside them, and what is left after the last size is combined
exactly (`combine`). A quick look for better programs comes after each size, so that good ones are known early.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from maxsynth.errors import MaxSynthError
from maxsynth.logic import Program, rules_of
from maxsynth.metrics import Confusion
from maxsynth.report import evaluate_program
from maxsynth.result import INTERRUPTED, OPTIMAL, TIMEOUT, Result
from maxsynth.search.combine import Combination, Combiner, MakeSolver
from maxsynth.search.features import RuleGenerator
from maxsynth.search.weighing import WeighedExamples, Weights
from maxsynth.task import Task

MAX_VARS = MAX_BODY = 16  # what the kernel has room for
BEAM = 40  # features, and conjunctions, of each size that the first look goes on from
NOISY_CONSTRAINTS = ("dead", "closed")  # what the kernel calls the paper's propositions on specialisations


@dataclass(frozen=True)
class Settings:
    """How to learn. `without` names prunings to leave out, for tests.

    `constraints=False` leaves out the paper's noisy constraints, and only those, for the experiment that measures them:
    a rule that covers no more positives than it has literals, and one that is larger than one of its generalisations
    with the false positives of that, are then kept and specialised.
    """

    weights: Weights = field(default_factory=Weights)
    exact: bool = False
    timeout: float | None = None
    solver: MakeSolver | None = None  # another exact method for the last step
    memory: int | None = None  # bytes for tables; None: half of the machine's
    constraints: bool = True
    without: Collection[str] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        return (*self.without, *(() if self.constraints else NOISY_CONSTRAINTS))


@dataclass(frozen=True)
class Progress:
    """Where a run stands: `program` is there when a better one was just found."""

    stage: str  # what it is at: "dive" (a first look), "generate" (rules of the next size), or "combine"
    seconds: float
    size: int
    tested: int
    pool: int
    cost: int | None
    lower_bound: int
    program: Program | None = None


class Search:
    """One run on one task."""

    def __init__(
        self,
        task: Task,
        settings: Settings,
        on_progress: Callable[[Progress], None] | None = None,
        interrupted: Callable[[], bool] | None = None,
    ) -> None:
        check_supported(task)
        self.task = task
        self.settings = settings
        self.on_progress = on_progress or (lambda progress: None)
        self.interrupted = interrupted or (lambda: False)
        self.start = time.monotonic()
        self.weights = error_free(task, settings.weights) if settings.exact else settings.weights
        self.examples = WeighedExamples.of(task, self.weights)
        # What a better program must stay below: the cost of the empty one, or in exact mode that of one error.
        self.bound = self.weights.fn if settings.exact else int(self.examples.pos.sum())
        self.found = not settings.exact
        self.lower_bound = 0
        self.program = Program()
        self.trace: list[tuple[float, int, int]] = []
        self.seconds: dict[str, float] = {}
        self.stage = "generate"
        self.generator: RuleGenerator | None = None
        self.combiner: Combiner | None = None

    def run(self) -> Result:
        clock = time.monotonic()
        self.task.background.close(self.task.bias.body, should_stop=self.should_stop)
        self.seconds["background"] = time.monotonic() - clock
        self.dive()
        generator, combiner = self.make_generator(), self.make_combiner()
        self.generator, self.combiner = generator, combiner
        proven = False
        while not generator.exhausted:
            clock, self.stage = time.monotonic(), "generate"
            batch = generator.next_size(self.should_stop)
            self.add_seconds("generate", clock)
            if batch is None:
                break
            clock, self.stage = time.monotonic(), "combine"
            combiner.add(batch)
            self.take(combiner.improve(self.bound, self.should_stop), generator)
            self.raise_lower_bound(generator, combiner)
            self.add_seconds("combine", clock)
            self.report(generator, combiner)
        else:
            clock = time.monotonic()
            proof = combiner.best(self.bound, self.should_stop, lambda better: self.take(better, generator))
            proven, self.lower_bound = proof.proven, max(self.lower_bound, proof.lower_bound)
            self.take(proof.best, generator)
            self.add_seconds("combine", clock)
        return self.result(proven, generator, combiner)

    def make_generator(self, beam: int = 0) -> RuleGenerator:
        return RuleGenerator(
            self.task,
            self.examples,
            self.weights.size,
            without=self.settings.left_out,
            memory=self.settings.memory or half_the_memory(),
            beam=beam,
        )

    def make_combiner(self) -> Combiner:
        return Combiner(self.examples, self.weights.size, self.settings.solver)

    def dive(self) -> None:
        """A first look: rules of all sizes from the most promising parts only, and a quick choice among them."""
        clock, self.stage = time.monotonic(), "dive"
        generator, combiner = self.make_generator(BEAM), self.make_combiner()
        self.generator, self.combiner = generator, combiner
        while not generator.exhausted and (batch := generator.next_size(self.should_stop)) is not None:
            combiner.add(batch)
        self.take(combiner.improve(self.bound, self.should_stop), generator)
        self.add_seconds("dive", clock)

    def raise_lower_bound(self, generator: RuleGenerator, combiner: Combiner) -> None:
        """What any program costs at least, now that all rules up to a size are known.

        A better program has a larger rule, which costs its size, or is made of the rules in the pool.
        """
        next_rule = self.weights.size * (generator.size + 2)
        if not self.settings.exact and next_rule > self.lower_bound:
            self.lower_bound = max(self.lower_bound, min(next_rule, combiner.at_least(self.bound)))

    def should_stop(self) -> bool:
        return self.interrupted() or self.out_of_time()

    def out_of_time(self) -> bool:
        return self.settings.timeout is not None and time.monotonic() - self.start >= self.settings.timeout

    def add_seconds(self, stage: str, clock: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - clock

    def take(self, combination: Combination | None, generator: RuleGenerator) -> None:
        """Makes a better combination the best."""
        if combination is None or combination.cost >= self.bound:
            return
        self.bound, self.found = combination.cost, True
        program = rules_of(generator.rule(number) for number in combination.rules)
        self.program = program.executable(self.task.bias.directions)
        self.trace.append((round(time.monotonic() - self.start, 4), self.bound, self.lower_bound))
        self.on_progress(self.progress(generator, len(combination.rules), self.program))

    def now(self) -> Progress | None:
        """Where the run stands, for a display to ask at any time, from a thread of its own: this only reads."""
        if self.generator is None or self.combiner is None:
            return None
        return self.progress(self.generator, len(self.combiner))

    def report(self, generator: RuleGenerator, combiner: Combiner) -> None:
        self.on_progress(self.progress(generator, len(combiner)))

    def progress(self, generator: RuleGenerator, pool: int, program: Program | None = None) -> Progress:
        return Progress(
            self.stage,
            time.monotonic() - self.start,
            generator.size,
            generator.tested,
            pool,
            self.bound if self.found else None,
            self.lower_bound,
            program,
        )

    def result(self, proven: bool, generator: RuleGenerator, combiner: Combiner) -> Result:
        if proven:
            self.lower_bound = self.bound
        elif not self.settings.exact:
            # A program that is not empty has a rule, and a rule has two literals.
            self.lower_bound = min(self.bound, max(self.lower_bound, 2 * self.weights.size))
        status = OPTIMAL if proven else INTERRUPTED if self.interrupted() else TIMEOUT
        self.seconds["total"] = time.monotonic() - self.start
        counts = generator.counts() | {
            "pool": len(combiner),
            "branch_nodes": combiner.nodes,
            "bound_steps": combiner.steps,
            "solver_calls": combiner.calls,
        }
        return Result(
            status=status,
            program=self.program if self.found else None,
            cost=self.bound if self.found else None,
            lower_bound=self.lower_bound,
            confusion=self.confusion() if self.found else None,
            settings={
                "weights": [self.settings.weights.size, self.settings.weights.fp, self.settings.weights.fn],
                "exact": self.settings.exact,
                "timeout": self.settings.timeout,
                "singletons": self.task.bias.singletons,
                "solver": self.settings.solver.text if self.settings.solver else None,
                "constraints": self.settings.constraints,
            },
            trace=self.trace,
            counts=counts,
            seconds={stage: round(seconds, 4) for stage, seconds in self.seconds.items()},
        )

    def confusion(self) -> Confusion:
        return evaluate_program(self.program, self.task).confusion


def half_the_memory() -> int:
    """Half of the machine's memory, in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not every system says
        return 1 << 30


def error_free(task: Task, weights: Weights) -> Weights:
    """Weights under which one error costs more than any program worth having: one rule for each positive."""
    error = weights.size * (task.bias.max_body + 1) * (len(task.positives) + 1)
    return Weights(weights.size, error, error)


def check_supported(task: Task) -> None:
    bias = task.bias
    if bias.max_vars > MAX_VARS:
        raise MaxSynthError(f"max_vars is {bias.max_vars}, and `learn` takes at most {MAX_VARS}", remedy="lower it")
    if bias.max_body > MAX_BODY:
        raise MaxSynthError(f"max_body is {bias.max_body}, and `learn` takes at most {MAX_BODY}", remedy="lower it")
    for on, what in (
        (bias.recursion, "recursion (enable_recursion)"),
        (bias.invention, "predicate invention (enable_pi)"),
        (bool(bias.constraints.strip()), "ASP constraints of its own"),
    ):
        if on:
            raise MaxSynthError(
                f"the bias of this task asks for {what}, which `learn` does not do yet",
                bias.constraint_position if what.startswith("ASP") else None,
                "remove it from bias.pl to learn without it",
            )
