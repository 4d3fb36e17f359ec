"""Going through all programs of a size that values allow, for the fewest errors.

The values bound what programs cost, for weights a of a literal and b of an error. A program with at most s literals and
at most t errors costs at most a s + b t: it is within the gap between that and what any program costs. All sets of
rules within a gap are gone through by `kernel/choose/within_gap.pxi`. It has the proof, also of how it uses that there
is room for s literals only. Where both ends of an edge of the hull cost the same, the gap is small for all sizes in
between.

Nothing is made anew for a set. So this takes milliseconds where the branch and bound, which makes new values for each
of its nodes, takes hundreds of them: its bound knows little of the room, and so it has many nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.choose import WithinGap
from maxsynth.search.choose.problem import Problem
from maxsynth.search.coverage import pack
from maxsynth.search.front.values import Values
from maxsynth.task.memory import Memory

MOST_CELLS = 1 << 25  # rules times positives
CELL = 8  # bytes
MOST_BITS = 60  # of a sum


class Through:
    """The sets of rules of a problem, with sizes in literals and errors of weight one."""

    def __init__(self, problem: Problem, most_rules: int | None, memory: Memory) -> None:
        self.problem = problem
        self.most_rules = most_rules
        self.memory = memory
        self.bits = pack(problem.covers)
        positives, negatives = problem.weights > 0, problem.weights < 0
        self.positives = positives
        self.column = np.full(len(problem.weights), -1, np.int32)
        self.row = np.full(len(problem.weights), -1, np.int32)
        self.column[positives] = np.arange(np.count_nonzero(positives))
        self.row[negatives] = np.arange(np.count_nonzero(negatives))

    def fits(self, values: Values, rules: int, size: int, errors: int) -> bool:
        """Whether there is room for so many rules, and all sums are small enough."""
        cells = rules * int(np.count_nonzero(self.positives))
        largest = (values.size_weight * size + values.error_weight * errors) * values.one
        return cells <= MOST_CELLS and self.memory.allows(CELL * cells) and largest < 1 << MOST_BITS

    def fewest(
        self,
        values: Values,
        rules: NDArray[np.int64],
        size: int,
        errors: int,
        most_looks: int,
        should_stop: Callable[[], bool],
    ) -> tuple[list[int] | None, bool]:
        """Some of these rules that have the fewest errors, if so many literals and errors will do; and whether that is
        proven. If not, they are the best that were found."""
        if not self.fits(values, len(rules), size, errors):
            return None, False
        weights = self.problem.weights * values.error_weight
        of_examples = np.zeros(len(weights), np.int64)
        of_examples[self.positives] = values.of_positives
        search = WithinGap(
            self.bits[rules],
            self.problem.sizes[rules] * values.size_weight,
            weights,
            of_examples,
            values.shares,
            self.column,
            self.row,
            values.shift,
            self.problem.base * values.error_weight,
            values.size_weight * size + values.error_weight * errors + 1,
            self.memory.claim,
            most_rules=self.most_rules,
            most_literals=size,
            literal=values.size_weight,
        )
        chosen, finished = search.solve(most_looks, should_stop)
        return None if chosen is None else rules[chosen].tolist(), finished
