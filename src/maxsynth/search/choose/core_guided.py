"""Combine by core-guided MaxSAT in clingo: a check of the branch and bound by a method that shares nothing with it.

The encoding is the paper's, one-sided: a positive is free to count as missed and must when no rule covers it; a
negative is free to count as covered and must when a rule covers it. An error that costs as much as the bound by itself
is not allowed at all. clingo's weights have 32 bits: all are divided by what they have in common, and one that is still
too large is said several times, by atoms that each pay a part of it.

clingo is asked from within whether to go on: every so many of its decisions, which depend on the problem alone. So a
limit of steps ends it at the same point on every machine, as it does everything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxsynth.search.choose.problem import Combination, Problem, Stop

if TYPE_CHECKING:
    import clingo

OPTIONS = ["--opt-strategy=usc,oll", "--opt-usc-shrink=min", "-Wnone"]
DECISIONS = 64  # between two looks whether to stop: a fraction of a millisecond
PIECE = 1 << 30  # the most that an atom weighs
MOST_PIECES = 1 << 10  # beyond one for each weight: with many more, it would not come to an end


@dataclass(frozen=True)
class Clingo:
    """The choice of this method."""

    text: str = "clingo"
    most_weight: int = 10**12  # less than MOST_PIECES pieces

    def __call__(self, problem: Problem) -> CoreGuided:
        return CoreGuided(problem)


class CoreGuided:
    """One problem in clingo. `given` is a control that says more about which rules may be chosen, with its atoms."""

    def __init__(self, problem: Problem, given: tuple[clingo.Control, list[int]] | None = None) -> None:
        import clingo

        self.problem = problem
        self.control, self.rules = given or (clingo.Control(OPTIONS), [])
        self.objective: list[tuple[int, int]] = []

    def solve(self, bound: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """As `combine.Solver` says."""
        best: Combination | None = None
        looks = Looks(should_stop)

        def note(model: clingo.Model) -> None:
            nonlocal best
            found = self.problem.combination([i for i, atom in enumerate(self.rules) if model.is_true(atom)])
            if found.cost < (best.cost if best else bound):
                best = found

        if should_stop() or not self.encode(bound - self.problem.base):
            return None, False
        self.control.register_propagator(looks)  # type: ignore[arg-type]  # which has what it needs
        result = self.control.solve(on_model=note)
        return best, bool(result.exhausted) and not looks.stopped

    def encode(self, bound: int) -> bool:
        """States the problem; False where its weights are too large for that."""
        sizes, weights = self.problem.sizes.tolist(), self.problem.weights.tolist()
        allowed = [weight if abs(weight) < bound else 0 for weight in weights]
        unit = math.gcd(*sizes, *allowed) or 1
        if sum(abs(weight) // unit // PIECE for weight in (*sizes, *allowed)) > MOST_PIECES:
            return False
        with self.control.backend() as backend:
            if not self.rules:
                self.rules = [backend.add_atom() for _ in sizes]
                backend.add_rule(self.rules, choice=True)
            for rule, size in zip(self.rules, sizes, strict=True):
                first, *others = pieces(size // unit)
                self.objective.append((rule, first))
                for chosen in self.paid(backend, others):
                    backend.add_rule([], [rule, -chosen])
            for example, weight in enumerate(weights):
                covering = [self.rules[rule] for rule in np.flatnonzero(self.problem.covers[:, example])]
                paid = [[-atom] for atom in self.paid(backend, pieces(abs(allowed[example]) // unit))]
                for unless in paid or [[]]:
                    if weight > 0:
                        backend.add_rule([], [*unless, *(-rule for rule in covering)])
                    for rule in covering if weight < 0 else ():
                        backend.add_rule([], [*unless, rule])
            for limit, amounts in self.problem.limited_sums():
                backend.add_weight_rule([], limit + 1, list(zip(self.rules, amounts, strict=True)))
            backend.add_minimize(0, self.objective)
        return True

    def paid(self, backend: clingo.Backend, weights: list[int]) -> Iterator[int]:
        """Atoms that are free to be true, and cost so much then."""
        for weight in weights:
            atom = backend.add_atom()
            backend.add_rule([atom], choice=True)
            self.objective.append((atom, weight))
            yield atom


def pieces(weight: int) -> list[int]:
    """Parts of a weight that clingo has room for."""
    return [PIECE] * (weight // PIECE) + ([weight % PIECE] if weight % PIECE else [])


class Looks:
    """Looks from within clingo whether to stop, and ends the search by saying that nothing is a solution any more."""

    def __init__(self, should_stop: Stop) -> None:
        self.should_stop = should_stop
        self.decisions = 0
        self.stopped = False

    def init(self, init: clingo.PropagateInit) -> None:
        import clingo

        init.check_mode = clingo.PropagatorCheckMode.Fixpoint

    def check(self, control: clingo.PropagateControl) -> None:
        """Called by clingo after each decision and all that follows from it."""
        self.decisions += 1
        if not self.stopped and self.decisions % DECISIONS == 0:
            self.stopped = self.should_stop()
        if self.stopped:
            control.add_clause([])
