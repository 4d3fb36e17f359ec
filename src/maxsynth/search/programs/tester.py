"""Testing programs on the examples, for a search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluator import Coverage, Evaluator
from maxsynth.proofs.prover import NOBODY, Watch
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

STEPS = 5000  # for an example, on average, in the test of a program that calls itself
MANY_STEPS = 100_000  # the same where much depends on it
AT_A_TIME = 16  # examples


class Tester:
    """Tests programs on the examples, and counts."""

    def __init__(self, task: ReadTask, examples: WeighedExamples, size_weight: int) -> None:
        self.evaluator = Evaluator(task.background, task.bias.head)
        self.examples = examples
        self.size_weight = size_weight
        self.positives, self.all = int(np.count_nonzero(examples.pos)), int(examples.pos.sum())
        self.weight_up_to = np.cumsum(examples.pos)  # the positives come first
        self.tested = 0
        self.cut = 0  # programs that ran out of steps on an example

    def outcome(self, program: Program, bound: int | None = None, *, early: bool = False) -> Outcome:
        """Tests a program. With a bound, one that seems to cost less only because it was cut is tested again.

        `early`: what a program covers is not all found out when the positives that it misses cost the bound already.
        """
        self.tested += 1
        size = self.size_weight * program.size
        watch = Watch(self.looks(bound - size), self.misses(bound - size)) if bound is not None and early else NOBODY
        coverage = self.evaluator.quick_coverage(program, self.examples.rows, STEPS, watch)
        outcome = self.of(size, coverage)
        # When it was enough to look at the first examples, there is nothing to be told by the others.
        if coverage.unfinished.any() and (bound is None or size + outcome.missed - outcome.most_pos < bound):
            self.cut += 1
            if bound is not None and outcome.cost < bound:
                outcome = self.of(size, self.again(program, bound - size))
        return outcome

    def of(self, size: int, coverage: Coverage) -> Outcome:
        pos, neg = self.examples.pos, self.examples.neg
        may_cover = coverage.covered | coverage.unfinished
        return Outcome(
            covered=coverage.covered,
            may_cover=may_cover,
            size=size,
            pos=int(pos[coverage.covered].sum()),
            neg=int(neg[coverage.covered].sum()),
            most_pos=int(pos[may_cover].sum()),
            missed=self.all,
        )

    # -- looking early --------------------------------------------------------------------------------------

    def looks(self, room: int) -> tuple[int, ...]:
        """After how many examples to look: some more positives than may be missed, and all of them."""
        return int(self.weight_up_to.searchsorted(1.5 * room)) + 1, self.positives

    def misses(self, room: int) -> Callable[[NDArray[np.bool_]], bool]:
        return lambda covered: int(self.examples.pos[: len(covered)][~covered].sum()) >= room

    # -- looking again --------------------------------------------------------------------------------------

    def again(self, program: Program, room: int) -> Coverage:
        """Tests with many more steps, a few examples at a time, until the errors cost `room`."""
        pos, neg = self.examples.pos, self.examples.neg
        covered = np.zeros(len(pos), np.bool_)
        unfinished = np.ones(len(pos), np.bool_)
        errors = steps = 0
        for start in range(0, len(pos), AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            found = self.evaluator.quick_coverage(program, self.examples.rows[part], MANY_STEPS)
            covered[part], unfinished[part] = found.covered, found.unfinished
            errors += int(neg[part][found.covered].sum()) + int(pos[part][~found.covered].sum())
            steps += found.steps
            if errors >= room:
                break
        return Coverage(covered, unfinished, steps)
