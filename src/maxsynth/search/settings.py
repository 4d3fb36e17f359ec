"""How to learn: what a user asks for, whether that can be done, and what it means for the examples."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from maxsynth.bias.bias import Bias
from maxsynth.errors import MaxSynthError
from maxsynth.proofs.metrics import Weights
from maxsynth.search.choose.problem import MakeSolver
from maxsynth.task.memory import MEGABYTE, half_the_memory, resident
from maxsynth.task.task import ReadTask

MAX_VARS, MAX_BODY = 16, 24  # what the kernel has room for
AUTO, FEATURES, ASP = METHODS = ("auto", "features", "asp")
ROOM = 850 * MEGABYTE  # for a search, where nothing is said
MOST_STEPS = 1 << 60  # more than any search takes, and still a number that can be shared
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
    memory: int | None = None  # bytes of the process; None: see `memory_limit` and `search_limit`
    constraints: bool = True
    method: str = AUTO
    without: Collection[str] = ()
    tables: int | None = None  # bytes for tables, for tests; None: as the memory allows
    jobs: int | None = None  # threads; None: as many as there are cores. The answer does not depend on it
    # What was decided before the search, and is only recorded here.
    directions: bool = True  # False: those of the bias were left out
    prolog: str = "auto"  # what BK was read with
    weights_auto: Mapping[str, object] | None = None  # how the weights were chosen, if they were
    labels: Sequence[Sequence[str]] = ()  # decisions about labels (`task.labels`): examples, and what is done with them

    @property
    def memory_limit(self) -> int | None:
        """What a task may take: half of the machine's memory, unless something is said; with `steps`, what it needs."""
        return self.memory or (half_the_memory() if self.steps is None else None)

    @property
    def search_limit(self) -> int | None:
        """What the process may have in a search: some more than it has now, so that other work goes on beside it."""
        if self.memory is not None or self.steps is not None:
            return self.memory
        return min(half_the_memory(), (resident() or 0) + ROOM)

    @property
    def left_out(self) -> tuple[str, ...]:
        return (*self.without, *(() if self.constraints else NOISY_CONSTRAINTS))

    def recorded(self, bias: Bias) -> dict[str, object]:
        """All that the answer depends on, besides the task, as it stands in a result."""
        return {
            "weights": list(dataclasses.astuple(self.weights)),
            **({} if self.weights_auto is None else {"weights_auto": dict(self.weights_auto)}),
            "exact": self.exact,
            "timeout": self.timeout,
            "steps": self.steps,
            "memory": self.memory,
            "singletons": bias.singletons,
            "directions": self.directions,
            **bias.overrides._asdict(),
            "solver": self.solver.text if self.solver else None,
            "constraints": self.constraints,
            "method": self.method,
            "prolog": self.prolog,
            **({"labels": [list(one) for one in self.labels]} if self.labels else {}),
        }

    def part(self, share: float) -> Settings:
        """The same with a share of the limits."""
        return dataclasses.replace(
            self,
            timeout=None if self.timeout is None else share * self.timeout,
            steps=None if self.steps is None else int(share * min(self.steps, MOST_STEPS)),
        )

    def shared(self, used: float, left: int) -> Settings:
        """For one of the things that are left to do, after some seconds: an equal share of the time that is left."""
        if self.timeout is None:
            return self
        return dataclasses.replace(self, timeout=used + max(self.timeout - used, 0.0) / left)

    def left_after(self, seconds: float, steps: int) -> Settings:
        """The same with what is left of the limits after so much."""
        return dataclasses.replace(
            self,
            timeout=None if self.timeout is None else max(self.timeout - seconds, 0.0),
            steps=None if self.steps is None else max(self.steps - steps, 0),
        )


def error_free(task: ReadTask, weights: Weights) -> Weights:
    """Weights under which one error costs more than any program worth having.

    Such a program has one rule for each positive, or calls itself and has `max_clauses` rules; unless a constraint on
    whole programs may ask for more rules than it would need.
    """
    rules = max(len(task.positives), task.bias.max_clauses)
    error = weights.size * (task.bias.max_body + 1) * ((rules if task.bias.hold_of_less else MANY_RULES) + 1)
    return Weights(weights.size, error, error)


def counted_once(task: ReadTask) -> ReadTask:
    """The task with examples of weight one: where one error is too many, it does not matter how many it counts for."""
    positives, negatives = (
        dataclasses.replace(side, weights=np.ones_like(side.weights)) for side in (task.positives, task.negatives)
    )
    return dataclasses.replace(task, positives=positives, negatives=negatives)


def check_supported(task: ReadTask, settings: Settings) -> None:
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
