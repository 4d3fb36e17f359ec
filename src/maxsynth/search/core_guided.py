"""Combine by core-guided MaxSAT in clingo: a check of the branch and bound by a method that shares nothing with it.

The encoding is the paper's, one-sided: a positive is free to count as missed and must when no rule covers it; a
negative is free to count as covered and must when a rule covers it.

clingo is asked from within whether to go on: every so many of its decisions, which depend on the problem alone. So a
limit of steps ends it at the same point on every machine, as it does everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxsynth.search.combine import Combination, Problem, Stop

if TYPE_CHECKING:
    import clingo

DECISIONS = 64  # between two looks whether to stop: a fraction of a millisecond


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
        best: Combination | None = None
        looks = Looks(should_stop)

        def note(model: clingo.Model) -> None:
            nonlocal best
            found = self.problem.combination([i for i, atom in enumerate(self.rules) if model.is_true(atom)])
            if found.cost < (best.cost if best else bound):
                best = found

        if should_stop():
            return None, False
        self.control.register_propagator(looks)  # type: ignore[arg-type]  # which has what it needs
        result = self.control.solve(on_model=note)
        return best, bool(result.exhausted) and not looks.stopped


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
