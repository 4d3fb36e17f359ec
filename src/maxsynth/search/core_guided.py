"""Combine by core-guided MaxSAT in clingo: a check of the branch and bound by a method that shares nothing with it.

The encoding is the paper's, one-sided: a positive is free to count as missed and must when no rule covers it; a
negative is free to count as covered and must when a rule covers it.

clingo's weights have 32 bits. So all weights are divided by what divides them all, and what weighs more than `PIECE` is
said several times, by atoms that each have a part of the weight: what forces one of them forces all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxsynth.search.combine import Combination, Problem, Stop

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
    """One problem in clingo."""

    def __init__(self, problem: Problem) -> None:
        import clingo

        self.problem = problem
        self.control = clingo.Control(["--opt-strategy=usc,oll", "--opt-usc-shrink=min", "-Wnone"])
        self.rules: list[int] = []
        objective: list[tuple[int, int]] = []
        sizes, weights = problem.sizes.tolist(), problem.weights.tolist()
        unit = math.gcd(*sizes, *weights) or 1
        self.fits = sum(abs(weight) // unit // PIECE for weight in (*sizes, *weights)) <= MOST_PIECES
        if not self.fits:
            return
        with self.control.backend() as backend:

            def paid(weight: int) -> Iterator[int]:
                """Atoms that are free to be true, and together cost so much then."""
                for piece in pieces(weight // unit):
                    atom = backend.add_atom()
                    backend.add_rule([atom], choice=True)
                    objective.append((atom, piece))
                    yield atom

            self.rules = [backend.add_atom() for _ in sizes]
            backend.add_rule(self.rules, choice=True)
            for rule, size in zip(self.rules, sizes, strict=True):
                first, *others = pieces(size // unit)
                objective.append((rule, first))
                for chosen in paid(sum(others) * unit):
                    backend.add_rule([], [rule, -chosen])
            for example, weight in enumerate(weights):
                covering = [self.rules[rule] for rule in np.flatnonzero(problem.covers[:, example])]
                for missed in paid(max(weight, 0)):
                    backend.add_rule([], [-missed, *(-rule for rule in covering)])
                for covered in paid(max(-weight, 0)):
                    for rule in covering:
                        backend.add_rule([], [rule, -covered])
            backend.add_minimize(0, objective)

    def solve(self, bound: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """As `combine.Solver` says."""
        import clingo

        if not self.fits:
            return None, False
        best: Combination | None = None

        def note(model: clingo.Model) -> None:
            nonlocal best
            found = self.problem.combination([i for i, atom in enumerate(self.rules) if model.is_true(atom)])
            if found.cost < (best.cost if best else bound):
                best = found

        with self.control.solve(async_=True, on_model=note) as handle:
            while not handle.wait(0.05):
                if should_stop():
                    handle.cancel()
            result = handle.get()
        return best, bool(result.exhausted)


def pieces(weight: int) -> list[int]:
    """Parts of a weight that clingo has room for."""
    return [PIECE] * (weight // PIECE) + ([weight % PIECE] if weight % PIECE else [])
