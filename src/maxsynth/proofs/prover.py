"""Which examples a compiled program covers, by its least model.

All examples are proven together (`kernel/proofs/batch.pxi`), in blocks, each within a counted effort that nearly every
program stays far below. What a block does not finish is proven one example after the other
(`kernel/proofs/machine.pxi`), each within the budget that the caller gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import EndlessProblem, PrologProblem
from maxsynth.kernel.proofs import Batch, Machine, Plans

BLOCK = 4096  # examples proven together
FIRST = 4  # examples that a search tries before all others
ASKING = 9  # more steps for a look-up where BK may have to be asked
BATCH_STEPS = 1000  # for each of them, on average


@dataclass(frozen=True)
class Watch:
    """Who wants to look at the first examples: it is enough when those that are missed weigh so much."""

    looks: tuple[int, ...] = ()  # after so many examples
    weights: NDArray[np.int64] | None = None
    enough: int = 1


NOBODY = Watch()


class Prover:
    """One compiled program (see `evaluator`)."""

    def __init__(self, plans: Plans) -> None:
        self.plans = plans
        self.batch = Batch(plans)
        self.machine: Machine | None = None

    def cover(self, examples: NDArray[np.int32], budget: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]:
        """(covered, unfinished, steps): which rows of `examples` are proven, and which were cut, as bools.

        Goals are shared by the examples of a block and forgotten after it, so that the steps do not depend on what was
        tested before.
        """
        covered = np.zeros(len(examples), dtype=np.uint8)
        unfinished = np.zeros(len(examples), dtype=np.uint8)
        if len(examples) <= BLOCK:
            total = self.block(examples, covered, unfinished, budget)
            return covered.view(np.bool_), unfinished.view(np.bool_), total
        total = 0
        for start in range(0, len(examples), BLOCK):
            part = slice(start, start + BLOCK)
            total += self.block(examples[part], covered[part], unfinished[part], budget)
        return covered.view(np.bool_), unfinished.view(np.bool_), total

    def cover_within(
        self, examples: NDArray[np.int32], steps: int, watch: Watch = NOBODY
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]:
        """As `cover`, but with so many steps for an example on average, in a first few and in all the others.

        When these do not suffice, or who watches has seen enough, the test ends: what it did not derive until then is
        unfinished.
        """
        covered = np.zeros(len(examples), dtype=np.uint8)
        unfinished = np.zeros(len(examples), dtype=np.uint8)
        ends = np.array(ends_of_parts(len(examples), watch.looks), np.int32)
        weights = np.zeros(len(examples), np.int64) if watch.weights is None else watch.weights
        part = steps_taken = 0
        while part < len(ends):
            try:
                self.batch.cover_within(
                    examples, covered, unfinished, ends, weights, watch.enough, steps, ASKING, part, steps_taken
                )
                part, steps_taken = self.batch.part, self.batch.steps
            except PrologProblem:
                part, steps_taken = self.batch.part, self.batch.steps
                start = int(ends[part - 1]) if part else 0
                rows = slice(start, int(ends[part]))
                self.machine = self.machine or Machine(self.plans)
                try:
                    steps_taken += self.machine.cover(examples[rows], covered[rows], unfinished[rows], steps)
                    part += 1
                except EndlessProblem:  # a recursion that makes ever larger terms asks what takes ever longer
                    unfinished[start:] = 1 - covered[start:]
                    break
        return covered.view(np.bool_), unfinished.view(np.bool_), steps_taken

    def block(
        self, rows: NDArray[np.int32], covered: NDArray[np.uint8], unfinished: NDArray[np.uint8], budget: int
    ) -> int:
        """Proves some examples together; returns the steps it took."""
        try:
            finished, steps = self.batch.cover(rows, covered, min(budget, BATCH_STEPS) * len(rows))
        except PrologProblem:
            # A call to BK failed that may not be needed for any proof: then only those that are needed are made.
            finished, steps = False, 0
        if finished:
            return steps
        self.machine = self.machine or Machine(self.plans)
        return steps + self.machine.cover(rows, covered, unfinished, budget)


def ends_of_parts(examples: int, looks: tuple[int, ...]) -> list[int]:
    """Where the parts of the examples end that are tested one after the other."""
    return [end for end in sorted({FIRST, *looks, examples}) if 0 < end <= examples]
