"""Combine by core-guided MaxSAT in clingo: a check of the branch and bound by a method that shares nothing with it.

The encoding is the paper's, one-sided: a positive is free to count as missed and must when no rule covers it; a
negative is free to count as covered and must when a rule covers it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxsynth.search.combine import Combination, Problem, Stop


@dataclass(frozen=True)
class Clingo:
    """The choice of this method."""

    text: str = "clingo"

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
        with self.control.backend() as backend:
            self.rules = [backend.add_atom() for _ in problem.sizes]
            backend.add_rule(self.rules, choice=True)
            objective += [(atom, int(size)) for atom, size in zip(self.rules, problem.sizes, strict=True)]
            for example in range(problem.covers.shape[1]):
                covering = [self.rules[rule] for rule in np.flatnonzero(problem.covers[:, example])]
                if problem.missed[example]:
                    missed = backend.add_atom()
                    backend.add_rule([missed], choice=True)
                    backend.add_rule([], [-missed, *(-rule for rule in covering)])
                    objective.append((missed, int(problem.missed[example])))
                if problem.covered[example]:
                    covered = backend.add_atom()
                    backend.add_rule([covered], choice=True)
                    for rule in covering:
                        backend.add_rule([], [rule, -covered])
                    objective.append((covered, int(problem.covered[example])))
            backend.add_minimize(0, objective)

    def solve(self, bound: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """As `combine.Solver` says."""
        import clingo

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
