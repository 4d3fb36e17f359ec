"""Which examples a compiled program covers, by its least model.

All examples are proven together (`kernel/proofs/batch.pxi`), in blocks, each within a counted effort that nearly every
program stays far below. What a block does not finish is proven one example after the other
(`kernel/proofs/machine.pxi`), each within the budget that the caller gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import EndlessProblem, PrologProblem
from maxsynth.kernel.forms.plans import PlannedAdornment
from maxsynth.kernel.proofs import Batch, Machine, Plans
from maxsynth.kernel.terms import Index

BLOCK = 4096  # examples proven together
FIRST = 4  # examples that a search tries before all others
ASKING = 9  # more steps for a look-up where BK may have to be asked
BATCH_STEPS = 1000  # for each of them, on average


@dataclass(frozen=True)
class Watch:
    """Who wants to look at the coverage of the first examples, and says whether that is enough."""

    looks: tuple[int, ...] = ()  # after so many examples
    enough: Callable[[NDArray[np.bool_]], bool] = lambda covered: False


NOBODY = Watch()


class Prover:
    """One compiled program (see `evaluator`)."""

    def __init__(self, adornments: list[PlannedAdornment], indexes: list[Index]) -> None:
        self.plans = Plans(adornments, indexes)
        self.batch = Batch(self.plans)
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
        total = 0
        for part in parts(FIRST, *watch.looks, len(examples)):
            if part.start and watch.enough(covered[: part.start].view(np.bool_)):
                unfinished[part.start :] = 1
                break
            rows = examples[part]
            try:
                finished, count = self.batch.cover(rows, covered[part], steps * part.stop - total, ASKING)
            except PrologProblem:
                self.machine = self.machine or Machine(self.plans)
                try:
                    finished, count = True, self.machine.cover(rows, covered[part], unfinished[part], steps)
                except EndlessProblem:  # a recursion that makes ever larger terms asks what takes ever longer
                    finished, count = False, 0
            total += count
            if not finished:
                unfinished[part.start :] = 1 - covered[part.start :]
                break
        return covered.view(np.bool_), unfinished.view(np.bool_), total

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


def parts(*ends: int) -> Iterator[slice]:
    """The parts of a list that end there."""
    start = 0
    for end in sorted(ends):
        if start < end <= ends[-1]:
            yield slice(start, end)
            start = end
