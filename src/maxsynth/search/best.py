"""The best program so far, and what any other costs at least."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

if TYPE_CHECKING:
    from maxsynth.search.programs.constraints import Outcome


class Best:
    """The paper's `best_solution` and `max_mdl`, with a proven lower bound and what led to it.

    `bound` is what a better program must stay below: the cost of the empty program at first, which is the best as long
    as none is found; in exact mode the cost of one error, and then none is `found` yet.
    """

    def __init__(self, task: ReadTask, bound: int, *, found: bool) -> None:
        self.task = task
        self.bound = bound
        self.found = found
        self.lower_bound = 0
        self.program = Program()
        self.outcome: Outcome | None = None  # of the program's test, if it calls itself
        self.trace: list[tuple[float, int, int]] = []  # seconds, cost, lower bound

    @property
    def cost(self) -> int | None:
        return self.bound if self.found else None

    def keep(self, program: Program, cost: int, seconds: float, outcome: Outcome | None = None) -> None:
        """Makes a better program the best."""
        self.bound, self.found, self.outcome = cost, True, outcome
        self.program = program.executable(self.task.bias.directions)
        self.trace.append((round(seconds, 4), self.bound, self.lower_bound))

    def raise_lower_bound(self, lower_bound: int) -> None:
        self.lower_bound = max(self.lower_bound, lower_bound)

    def conclude(self, proven: bool, least: int) -> None:
        """Says what is known at the end of a search; any program costs at least `least`, but for the empty one."""
        self.lower_bound = self.bound if proven else min(self.bound, max(self.lower_bound, least))

    def confusion(self, examples: WeighedExamples) -> Confusion | None:
        """The four counts of the program, if there is one."""
        if not self.found:
            return None
        if self.outcome is None:
            return evaluate_program(self.program, self.task).confusion
        # The test of a program that calls itself may have run out of steps: then what it derived is what counts.
        covered = {tuple(row) for row in examples.rows[self.outcome.covered].tolist()}
        pos, neg = (
            [tuple(row) in covered for row in side.rows.tolist()] for side in (self.task.positives, self.task.negatives)
        )
        return Confusion(sum(pos), len(pos) - sum(pos), len(neg) - sum(neg), sum(neg))
