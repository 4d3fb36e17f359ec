"""Combine: the set of rules of least cost, exactly.

The pool of rules goes through two exact methods in turn, each for a counted effort that grows until one of them ends: a
branch and bound on bitsets (`kernel.cover`), which is quick where a few rules with many false positives decide, and
core-guided MaxSAT in clingo, which is quick where many rules are in the answer. Effort is counted in nodes and
conflicts, never in seconds, so the answer does not depend on the machine.

The MaxSAT encoding is the paper's, one-sided: a positive is free to count as missed and must when no rule covers it; a
negative is free to count as covered and must when a rule covers it. Examples covered by the same rules are merged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.cover import Cover
from maxsynth.search.features import RuleBatch
from maxsynth.search.weighing import WeighedExamples

Stop = Callable[[], bool]

NODES, CONFLICTS, GROWTH = 2_000, 5_000, 8  # the first efforts, and the factor from one round to the next
STARTS, MORE_STARTS = 50, 1000  # rules that a dive begins with: while rules come in, and before the proof


@dataclass
class Combination:
    """A set of rules, by their numbers, and its cost."""

    cost: int
    rules: list[int]


@dataclass
class Combiner:
    """The pool of rules met so far."""

    examples: WeighedExamples
    size_weight: int
    external: Callable[[Problem], Solver] | None = None  # makes a solver that alone has the last word
    batches: list[RuleBatch] = field(default_factory=list)
    calls: int = 0
    nodes: int = 0
    conflicts: int = 0

    def add(self, batch: RuleBatch) -> None:
        if len(batch.numbers):
            self.batches.append(batch)

    def __len__(self) -> int:
        return sum(len(batch.numbers) for batch in self.batches)

    def improve(self, bound: int) -> Combination | None:
        """A combination below the bound, if a quick dive finds one."""
        problem = self.problem(bound)
        return self.dive(problem, bound, STARTS) if problem else None

    def dive(self, problem: Problem, bound: int, starts: int) -> Combination | None:
        cover = Cover(problem.pos, problem.neg, problem.sizes, problem.pos_weight, problem.neg_weight)
        chosen = cover.dive(bound - problem.base, starts)
        return problem.combination(chosen) if chosen is not None else None

    def best(self, bound: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """The best combination below the bound, or None when there is none; and whether that is proven."""
        problem = self.problem(bound)
        if problem is None:
            return None, True
        found = self.dive(problem, bound, MORE_STARTS)
        if found:
            bound = found.cost
        if self.external is not None:
            better, proven = self.external(problem).solve(bound, CONFLICTS, should_stop)
            self.calls += 1
            return better or found, proven
        nodes, conflicts = NODES, CONFLICTS
        core_guided = CoreGuided(problem)
        while True:
            better, proven = self.branch(problem, bound, nodes, should_stop)
            if not better and not proven and not should_stop():
                better, proven = core_guided.solve(bound, conflicts, should_stop)
                self.calls += 1
            if better:
                found, bound = better, better.cost
            if proven or should_stop():
                return found, proven
            nodes, conflicts = nodes * GROWTH, conflicts * GROWTH

    def branch(self, problem: Problem, bound: int, nodes: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        cover = Cover(problem.pos, problem.neg, problem.sizes, problem.pos_weight, problem.neg_weight)
        chosen, finished = cover.solve(bound - problem.base, nodes, should_stop)
        self.nodes += cover.nodes
        return (problem.combination(chosen) if chosen is not None else None), finished

    def problem(self, bound: int) -> Problem | None:
        """The pool without rules that alone reach the bound; None when nothing is left."""
        if not self.batches:
            return None
        sizes = np.concatenate([batch.sizes for batch in self.batches]) * self.size_weight
        keep = sizes + np.concatenate([batch.neg for batch in self.batches]) < bound
        if not keep.any():
            return None
        bits = np.concatenate([batch.bits for batch in self.batches])[keep]
        numbers = np.concatenate([batch.numbers for batch in self.batches])[keep]
        return make_problem(numbers, bits, sizes[keep], self.examples)


@dataclass
class Problem:
    """Rules over merged examples. `base` is the weight of the positives that no rule covers."""

    numbers: NDArray[np.int64]
    sizes: NDArray[np.int64]
    covers: NDArray[np.bool_]  # rule x merged example
    example_pos: NDArray[np.int64]
    example_neg: NDArray[np.int64]
    base: int
    pos: NDArray[np.uint64]
    neg: NDArray[np.uint64]
    pos_weight: NDArray[np.int64]
    neg_weight: NDArray[np.int64]

    def combination(self, chosen: list[int]) -> Combination:
        covered = self.covers[chosen].any(axis=0)
        cost = int(self.sizes[chosen].sum() + self.example_neg[covered].sum() + self.example_pos[~covered].sum())
        return Combination(cost + self.base, [int(self.numbers[rule]) for rule in sorted(chosen)])


def make_problem(
    numbers: NDArray[np.int64], bits: NDArray[np.uint64], sizes: NDArray[np.int64], examples: WeighedExamples
) -> Problem:
    matrix = unpack(bits, len(examples.pos))
    # Examples with equal columns are covered by the same rules: one of them stands for all.
    columns, which = np.unique(matrix, axis=1, return_inverse=True)
    pos = np.bincount(which.ravel(), weights=examples.pos, minlength=columns.shape[1]).astype(np.int64)
    neg = np.bincount(which.ravel(), weights=examples.neg, minlength=columns.shape[1]).astype(np.int64)
    reached = columns.any(axis=0)
    base = int(pos[~reached].sum())
    columns, pos, neg = columns[:, reached], pos[reached], neg[reached]
    return Problem(
        numbers, sizes, columns, pos, neg, base,
        pack(columns[:, pos > 0]), pack(columns[:, neg > 0]), pos[pos > 0], neg[neg > 0],
    )  # fmt: skip


def unpack(bits: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    flat = np.unpackbits(np.ascontiguousarray(bits).view(np.uint8), axis=1, bitorder="little")
    return flat[:, :count].astype(np.bool_)


def pack(matrix: NDArray[np.bool_]) -> NDArray[np.uint64]:
    width = max(1, -(-matrix.shape[1] // 64))
    bits = np.zeros((len(matrix), width * 8), dtype=np.uint8)
    packed = np.packbits(matrix, axis=1, bitorder="little")
    bits[:, : packed.shape[1]] = packed
    return bits.view(np.uint64)


class Solver(Protocol):
    """An exact method for one problem."""

    def solve(self, bound: int, conflicts: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """As `Combiner.best`, for at most so many conflicts where they can be counted."""


class CoreGuided:
    """The problem in clingo, which keeps what it learned from one call to the next."""

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
                if problem.example_pos[example]:
                    missed = backend.add_atom()
                    backend.add_rule([missed], choice=True)
                    backend.add_rule([], [-missed, *(-rule for rule in covering)])
                    objective.append((missed, int(problem.example_pos[example])))
                if problem.example_neg[example]:
                    covered = backend.add_atom()
                    backend.add_rule([covered], choice=True)
                    for rule in covering:
                        backend.add_rule([], [rule, -covered])
                    objective.append((covered, int(problem.example_neg[example])))
            backend.add_minimize(0, objective)

    def solve(self, bound: int, conflicts: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """As `Combiner.best`, for at most so many conflicts."""
        import clingo

        best: Combination | None = None

        def note(model: clingo.Model) -> None:
            nonlocal best
            found = self.problem.combination([i for i, atom in enumerate(self.rules) if model.is_true(atom)])
            if found.cost < (best.cost if best else bound):
                best = found

        configuration = self.control.configuration
        configuration.solve.solve_limit = f"{conflicts},umax"  # type: ignore[union-attr]
        with self.control.solve(async_=True, on_model=note) as handle:
            while not handle.wait(0.05):
                if should_stop():
                    handle.cancel()
            result = handle.get()
        return best, bool(result.exhausted)
