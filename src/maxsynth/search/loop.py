"""The search for a program of least cost: Algorithm 1 of the paper, with rules generated a size at a time.

The paper's loop generates one program, tests it, combines what is promising, and constrains the rest. Here one turn
does that for all rules of a size at once: generating and testing are joins and bit operations (`features`), the
constraints are the prunings by the swap lemma inside them, and what is left after the last size is combined
exactly (`combine`). A quick look for better programs comes after each size, so that good ones are known early.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from maxsynth.background.background import StoppedAskingError
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import Program, Rule, rules_of
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Confusion, Weights
from maxsynth.search.choose.combine import FEW_STARTS, STARTS, Combiner
from maxsynth.search.choose.problem import Combination, MakeSolver
from maxsynth.search.limits import Limits
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.result import INTERRUPTED, MEMORY, OPTIMAL, OUT_OF_STEPS, TIMEOUT, Result
from maxsynth.search.rules.features import RuleBatch, RuleGenerator
from maxsynth.search.weighing import WeighedExamples, check_total
from maxsynth.task.memory import Memory, half_the_memory
from maxsynth.task.task import Task

MAX_VARS = MAX_BODY = 16  # what the kernel has room for
BEAM = 40  # features, and conjunctions, of each size that the first look goes on from
AUTO, FEATURES, ASP = METHODS = ("auto", "features", "asp")
MOST_STEPS = 1 << 60  # more than any search takes, and still a number that can be shared
PROGRAMS_SHARE = 50  # of the work, against one for rules
MANY_RULES = 1 << 20  # more than there are to choose from
NOISY_CONSTRAINTS = ("dead", "closed")  # what the kernel calls the paper's propositions on specialisations


@dataclass(frozen=True)
class Settings:
    """How to learn. `without` names prunings to leave out, for tests.

    `constraints=False` leaves out the paper's noisy constraints, and only those, for the experiment that measures them:
    a rule that covers no more positives than it has literals, and one that is larger than one of its generalisations
    with the false positives of that, are then kept and specialised.

    `method` says how rules are generated: by features, or by clingo (asp), which every bias allows. `auto` chooses.

    `memory` bounds the process (see `maxsynth.task.memory`). With `steps`, nothing may depend on the machine: so there
    is no bound then unless one is given, and a run either ends by it, with the status `memory`, or is the same
    everywhere.
    """

    weights: Weights = field(default_factory=Weights)
    exact: bool = False
    timeout: float | None = None
    steps: int | None = None  # as `Limits` counts them
    solver: MakeSolver | None = None  # another exact method for the last step
    memory: int | None = None  # bytes of the process; None: half of the machine's, or with `steps` as it needs
    constraints: bool = True
    method: str = AUTO
    without: Collection[str] = ()
    tables: int | None = None  # bytes for tables, for tests; None: as the memory allows
    # What was decided before the search, and is only recorded here.
    directions: bool = True  # False: those of the bias were left out
    prolog: str = "auto"  # what BK was read with
    weights_auto: Mapping[str, object] | None = None  # how the weights were chosen, if they were

    @property
    def memory_limit(self) -> int | None:
        return self.memory or (half_the_memory() if self.steps is None else None)

    @property
    def left_out(self) -> tuple[str, ...]:
        return (*self.without, *(() if self.constraints else NOISY_CONSTRAINTS))

    def recorded(self, *, singletons: bool) -> dict[str, object]:
        """All that the answer depends on, besides the task, as it stands in a result."""
        return {
            "weights": list(dataclasses.astuple(self.weights)),
            **({} if self.weights_auto is None else {"weights_auto": dict(self.weights_auto)}),
            "exact": self.exact,
            "timeout": self.timeout,
            "steps": self.steps,
            "memory": self.memory,
            "singletons": singletons,
            "directions": self.directions,
            "solver": self.solver.text if self.solver else None,
            "constraints": self.constraints,
            "method": self.method,
            "prolog": self.prolog,
        }

    def part(self, share: float) -> Settings:
        """The same with a share of the limits."""
        return dataclasses.replace(
            self,
            timeout=None if self.timeout is None else share * self.timeout,
            steps=None if self.steps is None else int(share * min(self.steps, MOST_STEPS)),
        )

    def left_after(self, seconds: float, steps: int) -> Settings:
        """The same with what is left of the limits after so much."""
        return dataclasses.replace(
            self,
            timeout=None if self.timeout is None else max(self.timeout - seconds, 0.0),
            steps=None if self.steps is None else max(self.steps - steps, 0),
        )


@dataclass(frozen=True)
class Progress:
    """Where a run stands: `program` is there when a better one was just found."""

    stage: str  # "dive" (a first look), "generate" (the next rules), "combine", "recursion", "invention" or both
    seconds: float
    size: int
    tested: int
    pool: int
    cost: int | None
    lower_bound: int
    program: Program | None = None
    steps: int = 0


class Rules(Protocol):
    """What generates and tests rules, size after size."""

    size: int  # of the bodies of the rules done with

    @property
    def exhausted(self) -> bool: ...

    @property
    def tested(self) -> int: ...

    def keep_below(self, bound: int) -> None: ...

    def next_size(self, should_stop: Callable[[], bool] | None = None) -> RuleBatch | None: ...

    def rule(self, number: int) -> Rule: ...

    def counts(self) -> dict[str, int]: ...


class Programs(Protocol):
    """What generates and tests programs that call themselves, size after size."""

    @property
    def tested(self) -> int: ...

    @property
    def work(self) -> int:
        """What was done so far, counted; a rule tested is about one."""

    def lower_bound(self) -> int: ...

    def exhausted(self, bound: int) -> bool: ...

    def next_size(
        self, bound: int, take: Callable[[Program, Outcome], int], should_stop: Callable[[], bool]
    ) -> bool: ...

    def counts(self) -> dict[str, int]: ...


class Search:
    """One run on one task."""

    def __init__(
        self,
        task: Task,
        settings: Settings,
        on_progress: Callable[[Progress], None] | None = None,
        interrupted: Callable[[], bool] | None = None,
    ) -> None:
        check_supported(task, settings)
        self.task = task
        self.settings = settings
        self.on_progress = on_progress or (lambda progress: None)
        self.memory = Memory(settings.memory_limit)
        self.limits = Limits(settings.timeout, settings.steps, interrupted or (lambda: False), self.memory)
        self.should_stop = self.limits.step
        self.weights = error_free(task, settings.weights) if settings.exact else settings.weights
        weighed = counted_once(task) if settings.exact else task
        self.examples = WeighedExamples.of(weighed, self.weights)
        if settings.solver is not None:
            check_total(weighed, self.weights, settings.solver.most_weight, f"--solver {settings.solver.text}")
        # What a better program must stay below: the cost of the empty one, or in exact mode that of one error.
        self.bound = self.weights.fn if settings.exact else int(self.examples.pos.sum())
        self.found = not settings.exact
        self.lower_bound = 0
        self.program = Program()
        self.outcome: Outcome | None = None  # of the best program's test, if it calls itself
        self.trace: list[tuple[float, int, int]] = []
        self.seconds: dict[str, float] = {}
        self.stage = "generate"
        self.generator: Rules | None = None
        self.programs: Programs | None = None
        self.combiner: Combiner | None = None

    def run(self) -> Result:
        """Searches to the end, or until somebody stops it, even within a call to BK, or there is no more memory."""
        with self.task.background.watched_by(self.limits.reached):
            try:
                proven = self.search()
            except StoppedAskingError:
                proven = False
            except MemoryError:
                proven, self.memory.full = False, True
        # Here what the search held on to is given back.
        return self.result(proven)

    def search(self) -> bool:
        """Whether the best program is proven to be one."""
        clock = time.monotonic()
        if self.by_features and not self.calls_allowed:
            # Recursive programs ask for less than all, where closing may never end.
            self.task.background.close(self.task.bias.body, should_stop=self.should_stop)
            self.add_seconds("background", clock)
            self.dive()
        generator = self.generator = self.make_rules()
        combiner = self.combiner = self.make_combiner(generator)
        self.programs = self.make_programs()
        proven = False
        while not self.exhausted(generator):
            turn = self.next_programs if self.programs_are_next(generator) else self.next_rules
            if not turn(generator, combiner):
                break
            self.raise_lower_bound(generator, combiner)
            self.report(generator, combiner)
            if not self.settings.exact and self.lower_bound >= self.bound:
                proven = True
                break
        else:
            clock, self.stage = time.monotonic(), "combine"
            should_stop = self.should_stop if self.settings.solver is None else self.limits.reached
            proof = combiner.best(self.bound, should_stop, lambda better: self.take(better, generator))
            proven, self.lower_bound = proof.proven, max(self.lower_bound, proof.lower_bound)
            self.take(proof.best, generator)
            self.add_seconds("combine", clock)
        return proven

    def dive(self) -> None:
        """A first look: rules of all sizes from the most promising parts only, and a quick choice among them."""
        clock, self.stage = time.monotonic(), "dive"
        generator = self.generator = self.make_features(BEAM)
        combiner = self.combiner = self.make_combiner(generator)
        while not generator.exhausted and (batch := generator.next_size(self.should_stop)) is not None:
            combiner.add(batch)
            starts = STARTS if generator.exhausted else FEW_STARTS
            self.take(combiner.improve(self.bound, self.should_stop, starts), generator)
        self.add_seconds("dive", clock)

    @property
    def by_features(self) -> bool:
        """Whether rules are generated by features."""
        return self.settings.method != ASP and not self.task.bias.constraints.strip()

    def make_combiner(self, generator: Rules | None = None) -> Combiner:
        bias, size_weight = self.task.bias, self.weights.size
        if bias.program_constraints.strip() and generator is not None:
            from maxsynth.search.choose.whole_programs import WholePrograms  # clingo takes its time to load

            return WholePrograms(
                self.examples, size_weight, most=bias.most, memory=self.memory, bias=bias, rule=generator.rule
            )
        return Combiner(self.examples, size_weight, self.settings.solver, bias.most, self.memory)

    def make_rules(self) -> Rules:
        if self.by_features:
            return self.make_features()
        from maxsynth.search.programs.asp import AspRules  # clingo takes its time to load

        return AspRules(
            self.task, self.examples, self.weights.size, constraints=self.settings.constraints, memory=self.memory
        )

    def make_features(self, beam: int = 0) -> RuleGenerator:
        return RuleGenerator(
            self.task,
            self.examples,
            self.weights.size,
            without=self.settings.left_out,
            memory=self.memory,
            tables=self.settings.tables,
            beam=beam,
            ties=self.generator.ties if isinstance(self.generator, RuleGenerator) else None,
        )

    @property
    def calls_allowed(self) -> bool:
        """Whether the bias allows programs that call themselves."""
        return (self.task.bias.recursion or self.task.bias.invention) and self.task.bias.most_clauses > 1

    def make_programs(self) -> Programs | None:
        """What generates programs that call themselves, where the bias allows such."""
        bias = self.task.bias
        if not self.calls_allowed:
            return None
        if self.settings.method == AUTO and not bias.invention and not bias.constraints.strip():
            from maxsynth.search.programs.recursion import RecursivePrograms  # what a task does not need is not loaded

            make: Callable[..., Programs] = RecursivePrograms
        else:
            from maxsynth.search.programs.asp import AspPrograms  # clingo takes its time to load

            make = AspPrograms
        return make(
            self.task, self.examples, self.weights.size, constraints=self.settings.constraints, memory=self.memory
        )

    def exhausted(self, generator: Rules) -> bool:
        return generator.exhausted and (self.programs is None or self.programs.exhausted(self.bound))

    def next_rules(self, generator: Rules, combiner: Combiner) -> bool:
        """Generates and tests the rules of the next size, and looks for better sets of rules; False when stopped."""
        clock, self.stage = time.monotonic(), "generate"
        if self.programs is not None:
            generator.keep_below(self.bound)
        batch = generator.next_size(self.should_stop)
        self.add_seconds("generate", clock)
        if batch is None:
            return False
        clock, self.stage = time.monotonic(), "combine"
        combiner.add(batch)
        self.take(combiner.improve(self.bound, self.should_stop), generator)
        self.add_seconds("combine", clock)
        return True

    def programs_are_next(self, generator: Rules) -> bool:
        """Whether it is the turn of programs that call themselves, rather than of the next rules.

        Each side bounds the other: the best set of rules bounds what a program may cost, and a good program leaves few
        of the larger rules. So they take turns, by the work that each had so far.
        """
        if self.programs is None or self.programs.exhausted(self.bound):
            return False
        return generator.exhausted or self.programs.work <= PROGRAMS_SHARE * generator.tested

    def next_programs(self, generator: Rules, combiner: Combiner) -> bool:
        """Goes on with programs that call themselves; False when stopped."""
        assert self.programs is not None
        bias = self.task.bias
        both = (("recursion", bias.recursion), ("invention", bias.invention))
        clock, self.stage = time.monotonic(), " and ".join(name for name, on in both if on)
        waiting, background = self.limits.reached, self.task.background
        background.should_stop = self.should_stop  # one test may ask BK many thousand times
        try:
            return self.programs.next_size(self.bound, self.take_program, self.should_stop)
        except StoppedAskingError:
            return False
        finally:
            background.should_stop = waiting
            self.add_seconds("programs", clock)

    def raise_lower_bound(self, generator: Rules, combiner: Combiner) -> None:
        """What any program costs at least, now that all rules up to a size are known.

        A better program has a larger rule, which costs its size, or is made of the rules in the pool, or calls itself
        and was not tested.
        """
        if self.settings.solver is not None or self.exhausted(generator):
            return  # the proof comes next, and with it the bound
        clock = time.monotonic()
        unknown = self.bound if generator.exhausted else self.weights.size * (generator.size + 2)
        if self.programs is not None:
            unknown = min(unknown, self.programs.lower_bound())
        if not self.settings.exact and unknown > self.lower_bound:
            self.lower_bound = max(self.lower_bound, min(unknown, combiner.at_least(self.bound)))
        self.add_seconds("combine", clock)

    def add_seconds(self, stage: str, clock: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - clock

    def take(self, combination: Combination | None, generator: Rules) -> None:
        """Makes a better combination the best."""
        if combination is None or combination.cost >= self.bound:
            return
        program = rules_of(generator.rule(number) for number in combination.rules)
        self.keep(program, combination.cost)
        self.on_progress(self.progress(generator, len(combination.rules), self.program))

    def take_program(self, program: Program, outcome: Outcome) -> int:
        """Makes a better program that calls itself the best; returns what a better one must stay below."""
        self.keep(program, outcome.cost, outcome)
        if self.generator is not None and self.combiner is not None:
            self.on_progress(self.progress(self.generator, len(self.combiner), self.program))
        return self.bound

    def keep(self, program: Program, cost: int, outcome: Outcome | None = None) -> None:
        self.bound, self.found, self.outcome = cost, True, outcome
        self.program = program.executable(self.task.bias.directions)
        self.trace.append((round(self.limits.seconds(), 4), self.bound, self.lower_bound))

    def now(self) -> Progress | None:
        """Where the run stands, for a display to ask at any time, from a thread of its own: this only reads."""
        if self.generator is None or self.combiner is None:
            return None
        return self.progress(self.generator, len(self.combiner))

    def report(self, generator: Rules, combiner: Combiner) -> None:
        self.on_progress(self.progress(generator, len(combiner)))

    def progress(self, generator: Rules, pool: int, program: Program | None = None) -> Progress:
        return Progress(
            self.stage,
            self.limits.seconds(),
            generator.size,
            generator.tested + (self.programs.tested if self.programs else 0),
            pool,
            self.bound if self.found else None,
            self.lower_bound,
            program,
            self.limits.steps,
        )

    def result(self, proven: bool) -> Result:
        combiner = self.combiner or self.make_combiner()
        if proven:
            self.lower_bound = self.bound
        elif not self.settings.exact:
            # A program that is not empty has a rule, and a rule has two literals.
            self.lower_bound = min(self.bound, max(self.lower_bound, 2 * self.weights.size))
        self.seconds["total"] = self.limits.seconds()
        counts = (self.generator.counts() if self.generator else {}) | (self.programs.counts() if self.programs else {})
        if self.memory.full and isinstance(self.generator, RuleGenerator):
            self.generator.release()  # the program is tested once more
        counts |= {
            "steps": self.limits.steps,
            "pool": len(combiner),
            "branch_nodes": combiner.nodes,
            "bound_steps": combiner.steps,
            "solver_calls": combiner.calls,
        }
        return Result(
            status=OPTIMAL if proven else self.why_stopped(),
            program=self.program if self.found else None,
            cost=self.bound if self.found else None,
            lower_bound=self.lower_bound,
            confusion=self.confusion() if self.found else None,
            settings=self.settings.recorded(singletons=self.task.bias.singletons),
            trace=self.trace,
            counts=counts,
            seconds={stage: round(seconds, 4) for stage, seconds in self.seconds.items()},
        )

    def why_stopped(self) -> str:
        if self.memory.full:
            return MEMORY
        if self.limits.out_of_steps():
            return OUT_OF_STEPS
        return INTERRUPTED if self.limits.interrupted() else TIMEOUT

    def confusion(self) -> Confusion:
        if self.outcome is None:
            return evaluate_program(self.program, self.task).confusion
        # The test of a program that calls itself may have run out of steps: then what it derived is what counts.
        covered = {tuple(row) for row in self.examples.rows[self.outcome.covered].tolist()}
        pos, neg = (
            [tuple(row) in covered for row in side.rows.tolist()] for side in (self.task.positives, self.task.negatives)
        )
        return Confusion(sum(pos), len(pos) - sum(pos), len(neg) - sum(neg), sum(neg))


def error_free(task: Task, weights: Weights) -> Weights:
    """Weights under which one error costs more than any program worth having.

    Such a program has one rule for each positive, or calls itself and has `max_clauses` rules; unless a constraint on
    whole programs may ask for more rules than it would need.
    """
    rules = max(len(task.positives), task.bias.max_clauses)
    error = weights.size * (task.bias.max_body + 1) * ((rules if task.bias.hold_of_less else MANY_RULES) + 1)
    return Weights(weights.size, error, error)


def counted_once(task: Task) -> Task:
    """The task with examples of weight one: where one error is too many, it does not matter how many it counts for."""
    positives, negatives = (
        dataclasses.replace(side, weights=np.ones_like(side.weights)) for side in (task.positives, task.negatives)
    )
    return dataclasses.replace(task, positives=positives, negatives=negatives)


def check_supported(task: Task, settings: Settings) -> None:
    bias = task.bias
    if bias.program_constraints and settings.solver is not None:
        raise MaxSynthError(
            f"a constraint over whole programs is judged by clingo, not by the solver `{settings.solver.text}`",
            bias.program_constraint_position,
            "leave out --solver",
        )
    if bias.max_vars > MAX_VARS:
        raise MaxSynthError(f"max_vars is {bias.max_vars}, and `learn` takes at most {MAX_VARS}", remedy="lower it")
    if bias.max_body > MAX_BODY:
        raise MaxSynthError(f"max_body is {bias.max_body}, and `learn` takes at most {MAX_BODY}", remedy="lower it")
    for on, what in (
        (bias.recursion, "recursion (enable_recursion)"),
        (bias.invention, "predicate invention (enable_pi)"),
        (bool(bias.constraints.strip()), "ASP constraints of its own"),
    ):
        if on and settings.method == FEATURES:
            raise MaxSynthError(
                f"the bias of this task asks for {what}, which the method `features` does not do",
                bias.constraint_position if what.startswith("ASP") else None,
                "use --method auto, or remove it from bias.pl",
            )
