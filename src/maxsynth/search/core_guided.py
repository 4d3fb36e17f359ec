"""Combine by core-guided MaxSAT in clingo: a check of the branch and bound by a method that shares nothing with it.

The encoding is the paper's, one-sided: a positive is free to count as missed and must when no rule covers it; a
negative is free to count as covered and must when a rule covers it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxsynth.search.combine import Combination, Problem, Stop

if TYPE_CHECKING:
    import clingo

OPTIONS = ["--opt-strategy=usc,oll", "--opt-usc-shrink=min", "-Wnone"]


@dataclass(frozen=True)
class Clingo:
    """The choice of this method."""

    text: str = "clingo"

    def __call__(self, problem: Problem) -> CoreGuided:
        return CoreGuided(problem)


class CoreGuided:
    """One problem in clingo.

    `given` is a control that says more about which rules may be chosen, with its atoms for them; `conflicts` ends a
    search early.
    """

    def __init__(
        self,
        problem: Problem,
        given: tuple[clingo.Control, list[int]] | None = None,
        conflicts: int | None = None,
    ) -> None:
        import clingo

        self.problem = problem
        self.control = given[0] if given else clingo.Control(OPTIONS)
        self.rules = given[1] if given else []
        if conflicts is not None:
            self.control.configuration.solve.solve_limit = f"{conflicts},umax"  # type: ignore[union-attr]

    def solve(self, bound: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """As `combine.Solver` says."""

        self.encode(bound - self.problem.base)
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

    def encode(self, bound: int) -> None:
        """States the problem; an error that costs as much as the bound by itself is not allowed at all."""
        problem = self.problem
        objective: list[tuple[int, int]] = []
        with self.control.backend() as backend:
            if not self.rules:
                self.rules = [backend.add_atom() for _ in problem.sizes]
                backend.add_rule(self.rules, choice=True)
            objective += [(atom, int(size)) for atom, size in zip(self.rules, problem.sizes, strict=True)]
            for example in range(problem.covers.shape[1]):
                covering = [self.rules[rule] for rule in np.flatnonzero(problem.covers[:, example])]
                missed, covered = int(problem.missed[example]), int(problem.covered[example])
                if missed >= bound:
                    backend.add_rule([], [-rule for rule in covering])
                elif missed:
                    atom = backend.add_atom()
                    backend.add_rule([atom], choice=True)
                    backend.add_rule([], [-atom, *(-rule for rule in covering)])
                    objective.append((atom, missed))
                if covered:
                    atom = backend.add_atom()
                    if covered < bound:
                        backend.add_rule([atom], choice=True)
                        objective.append((atom, covered))
                    for rule in covering:
                        backend.add_rule([], [rule, -atom])
            for limit, amounts in problem.limited_sums():
                backend.add_weight_rule([], limit + 1, list(zip(self.rules, amounts, strict=True)))
            backend.add_minimize(0, objective)
