"""Which rules of a pool a program may have that is no larger, and has fewer errors, than is known to be possible.

Let literals weigh a and errors b, for any a and b. A program of at most s literals with at most t errors costs at most
a s + b t. So a rule is out, for such a program, if every set of rules that has it costs more.

**What sets cost at least.** Let S(r) be the size of a rule by weight, w the weights of examples. Take any values
y(e) >= 0 of the positives, none above w(e), and any shares m(e,n) >= 0 of the negatives n, of which those of one n add
up to at most w(n). Let V(r) be the sum of max(0, y(e) - sum of m(e,n) over the negatives n of r) over the positives e
of r. Where no V(r) is above S(r), a set X of rules costs at least

    all y(e)  +  S(r) - V(r) for each r in X  +  what is not shared of each negative that X covers.

Proof. A positive that X misses costs w(e), which is at least y(e). For one that X covers, take a rule r of X that does:
y(e) is at most e's part in V(r) and the sum of m(e,n) over the negatives of r, all of which X covers. Add that up over
all positives: all y(e) are at most the weight of what is missed, all V(r) for r in X, and all shares of the negatives
that X covers. The cost is the weight of what is missed, all S(r), and the whole weights of these negatives: the
difference is what is above.

Good values come from the bound that chooses rules (`kernel/choose/shares.pxi`). Nothing is taken on trust: the
conditions are checked here, and where they do not hold, nothing is said. All numbers are whole ones below 2^53, so that
sums of them in floating point are exact.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.search.choose.problem import Problem
from maxsynth.task.memory import Memory


@dataclass(frozen=True)
class Values:
    """For weights of literals and errors: what any set of rules costs at least, and a set with a rule, times `one`."""

    size_weight: int
    error_weight: int
    one: int
    least: int
    with_rule: NDArray[np.int64]  # beyond that
    of_positives: NDArray[np.int64]
    shares: NDArray[np.int64]  # negative x positive
    shift: int  # `one` is two to the power of this

    def allowed(self, size: int, errors: int) -> NDArray[np.bool_]:
        """The rules that a program may have with at most so many literals and errors."""
        gap = (self.size_weight * size + self.error_weight * errors) * self.one - self.least
        return np.asarray(self.with_rule <= gap)

    def allows(self, size: int, errors: int) -> bool:
        """Whether there may be a program with at most so many literals and errors."""
        return self.least <= (self.size_weight * size + self.error_weight * errors) * self.one

    def without_shares(self) -> Values:
        return dataclasses.replace(self, shares=self.shares[:0])

    def for_errors(self, error_weight: int, shift: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Values and shares as they would be if errors weighed this, in units of two to the power of -shift.

        Only something to begin with: whoever takes them makes them fit.
        """
        factor = error_weight * (1 << shift) / (self.error_weight * self.one)
        return (self.of_positives * factor).astype(np.int64), (self.shares * factor).astype(np.int64)

    @property
    def cost(self) -> int:
        """What any set costs at least, rounded up: costs are whole numbers."""
        return -(-self.least // self.one)


def make_values(
    problem: Problem,
    size_weight: int,
    error_weight: int,
    goal: int,
    steps: int,
    memory: Memory,
    should_stop: Callable[[], bool],
    before: Values | None = None,
) -> Values | None:
    """Values for a problem with sizes in literals and with errors of weight one, as good as so many steps make them.

    `goal`: what a set is known to cost. `before`: values for other weights, to begin with. None where the conditions
    above do not hold.
    """
    base = error_weight * problem.base
    weighed = dataclasses.replace(
        problem,
        pool=dataclasses.replace(problem.pool, sizes=problem.pool.sizes * size_weight),
        weights=problem.weights * error_weight,
        base=base,
    )
    cover = weighed.cover(memory)
    known = None if before is None else before.for_errors(error_weight, cover.shift)
    values, shares, shift = cover.shares(goal - base + 1, steps, should_stop, known)
    one = 1 << shift
    positives, negatives = problem.covers[:, problem.weights > 0], problem.covers[:, problem.weights < 0]
    missed, covered = weighed.missed[weighed.weights > 0] * one, weighed.covered[weighed.weights < 0] * one
    unshared = covered - shares.sum(axis=1)
    memory.claim(16 * positives.size + 8 * negatives.size)
    paid = np.array([shares[covers].sum(axis=0) for covers in negatives]).reshape(positives.shape)
    parts = np.maximum(values - paid, 0) * positives
    slack = weighed.sizes * one - parts.sum(axis=1)
    if (values < 0).any() or (values > missed).any() or (shares < 0).any() or (unshared < 0).any() or (slack < 0).any():
        return None
    least = int(values.sum()) + base * one
    more = np.array([unshared[covers].sum() for covers in negatives], np.int64)
    return Values(size_weight, error_weight, one, least, slack + more, values, shares, shift)
