"""Choosing with values that stay: no set below the bound is lost, whatever the values are."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

from maxsynth.kernel import choose
from maxsynth.kernel.choose import Cover, WithinGap
from maxsynth.search.choose.problem import lists
from maxsynth.search.threads import Threads
from test_kernel_limits import limited

MANY = 1 << 40


class Problem(NamedTuple):
    covers: np.ndarray  # rule -> example
    sizes: np.ndarray
    gains: np.ndarray
    values: np.ndarray
    shares: np.ndarray
    shift: int
    paid: int

    def cost(self, chosen: tuple[int, ...]) -> int:
        covered = self.covers[list(chosen)].any(axis=0)
        missed = self.gains[(self.gains > 0) & ~covered].sum()
        wrong = -self.gains[(self.gains < 0) & covered].sum()
        return int(self.sizes[list(chosen)].sum() + missed + wrong) + self.paid

    def least(self) -> int:
        rules = range(len(self.sizes))
        return min(self.cost(chosen) for count in range(len(rules) + 1) for chosen in combinations(rules, count))

    def fewest_errors(self, most_rules: int, most_literals: int, literal: int) -> int:
        """Of sets within limits, where each literal weighs so much."""
        rules = range(len(self.sizes))
        return min(
            self.cost(chosen) - int(self.sizes[list(chosen)].sum())
            for count in range(min(most_rules, len(rules)) + 1)
            for chosen in combinations(rules, count)
            if int(self.sizes[list(chosen)].sum()) <= most_literals * literal
        )

    def within_gap(self, bound: int, threads: Threads | None = None, **limits: int) -> WithinGap:
        column, row = np.full(len(self.gains), -1, np.int32), np.full(len(self.gains), -1, np.int32)
        column[self.gains > 0] = np.arange((self.gains > 0).sum())
        row[self.gains < 0] = np.arange((self.gains < 0).sum())
        bits = np.zeros((len(self.sizes), (len(self.gains) + 63) // 64 * 64), np.uint8)
        bits[:, : len(self.gains)] = self.covers
        packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        of_examples = np.zeros(len(self.gains), np.int64)
        of_examples[self.gains > 0] = self.values
        return WithinGap(
            packed,
            self.sizes,
            self.gains,
            of_examples,
            self.shares,
            column,
            row,
            self.shift,
            self.paid,
            bound,
            threads=threads,
            **limits,
        )


def random_problem(rng: random.Random, rules: int, examples: int, literal: int = 1) -> Problem:
    """Rules that cover much the same, with ties and repeated ones; weights equal or not; one side or both."""
    heaviest = rng.choice((1, 1, 3, 100))
    kinds = rng.choice(((1,), (1, -1), (1, 1, -1), (1, -1, 0)))
    gains = np.array([rng.choice(kinds) * rng.randint(1, heaviest) for _ in range(examples)], np.int64)
    dense = rng.choice((0.2, 0.5, 0.8))
    shapes = [[rng.random() < dense for _ in range(examples)] for _ in range(rng.randint(1, rules))]
    covers = np.array([rng.choice(shapes) for _ in range(rules)], bool).reshape(rules, examples)
    for rule in range(rules):
        if rng.random() < 0.7:
            covers[rule, rng.randrange(examples)] ^= True
    sizes = literal * np.array([rng.randint(1, rng.choice((2, 5, 2 * heaviest))) for _ in range(rules)], np.int64)
    positives, negatives = gains > 0, gains < 0
    cover = Cover(
        *lists(covers[:, positives]), *lists(covers[:, negatives]), sizes, gains[positives], -gains[negatives]
    )
    values, shares, shift = cover.shares(int(gains[positives].sum()) + 1, rng.choice((1, 5, 50)))
    if rng.random() < 0.4:  # less is right as well, and without shares there is still something
        values = values * np.array([rng.randint(0, 4) for _ in values], np.int64) // 4
    if rng.random() < 0.2:  # what a positive is worth at most without any share of negatives
        shares = np.zeros_like(shares)
        apiece = min((int(sizes[r]) << shift) // max(1, int(covers[r].sum())) for r in range(rules))
        values = np.minimum(values, apiece)
    return Problem(covers, sizes, gains, values, shares, shift, rng.choice((0, 0, 3)))


@pytest.mark.slow
def test_random_problems(effort: Callable[[int, int], int]) -> None:
    """Against all sets of rules, for bounds above, at and below what the best one costs."""
    better = 0
    for seed in range(effort(1_200, 100_000)):
        rng = random.Random(seed)
        problem = random_problem(rng, rng.randint(1, 8), rng.randint(1, 12))
        least = problem.least()
        bound = least + rng.choice((-1, 0, 1, 1, 2, 5, 1000))
        told: list[int] = []
        rules, finished = problem.within_gap(bound).solve(
            MANY, None, lambda found, told=told, problem=problem: told.append(problem.cost(tuple(found)))
        )
        assert finished, seed
        assert (rules is None) == (least >= bound), seed
        if rules is not None:
            better += 1
            assert problem.cost(tuple(rules)) == least == told[-1], seed
            assert told == sorted(set(told), reverse=True), seed
    assert better > effort(400, 40_000)


@pytest.mark.slow
def test_random_limits(effort: Callable[[int, int], int]) -> None:
    """Of so many rules and literals: the fewest errors, against all such sets."""
    better = 0
    for seed in range(effort(1_200, 100_000)):
        rng = random.Random(2_000_000 + seed)
        literal = rng.choice((1, 1, 2, 5))
        problem = random_problem(rng, rng.randint(1, 8), rng.randint(1, 12), literal)
        literals = rng.choice((rng.randint(0, 4), rng.randint(0, int(problem.sizes.sum()) // literal + 3), 70))
        rules = rng.choice((1, 2, 3, 9, 9, 9))
        least = problem.fewest_errors(rules, literals, literal)
        bound = literal * literals + least + rng.choice((-1, 0, 1, 1, 2, 5, 1000))
        chosen, finished = problem.within_gap(bound, most_rules=rules, most_literals=literals, literal=literal).solve(
            MANY
        )
        assert finished, seed
        assert (chosen is None) == (literal * literals + least >= bound), seed
        if chosen is not None:
            better += 1
            size = int(problem.sizes[chosen].sum())
            assert len(chosen) <= rules, seed
            assert size <= literal * literals, seed
            assert problem.cost(tuple(chosen)) - size == least, seed
    assert better > effort(400, 40_000)


@pytest.mark.slow
def test_as_the_branch_and_bound(effort: Callable[[int, int], int]) -> None:
    """Larger problems, with more than 64 examples on a side, against `Cover`."""
    for seed in range(effort(60, 3_000)):
        rng = random.Random(1_000_000 + seed)
        problem = random_problem(rng, rng.randint(10, 60), rng.choice((30, 90, 200)))
        positives, negatives = problem.gains > 0, problem.gains < 0
        if not positives.any():
            continue
        all_missed = int(problem.gains[positives].sum())
        chosen, finished, lower = Cover(
            *lists(problem.covers[:, positives]),
            *lists(problem.covers[:, negatives]),
            problem.sizes,
            problem.gains[positives],
            -problem.gains[negatives],
        ).solve(all_missed + 1)
        assert finished
        assert chosen is not None
        rules, finished = problem.within_gap(problem.paid + all_missed + 1).solve(200_000)
        if finished:
            assert rules is not None
            assert problem.cost(tuple(rules)) == lower + problem.paid, seed


def test_every_number_of_threads_does_the_same(effort: Callable[[int, int], int]) -> None:
    """Sets, better ones on the way, nodes, looks and steps, also where it is cut; with limits and without."""
    for seed in range(effort(60, 5_000)):
        rng = random.Random(3_000_000 + seed)
        problem = random_problem(rng, rng.randint(1, 60), rng.choice((5, 30, 90)))
        bound = problem.cost(()) + rng.choice((0, 1))
        limits = {} if rng.random() < 0.7 else {"most_rules": rng.randint(1, 5), "most_literals": rng.randint(1, 20)}
        most, steps = rng.choice((50, 3000, MANY)), rng.choice((0, 1, 3, MANY))
        found = []
        for jobs in (1, 2, 3, 8):
            told: list[list[int]] = []
            asked = iter(range(steps))
            with limited(choose, least_together=1), Threads(jobs, 0.0) as crew:
                search = problem.within_gap(bound, crew, **limits)
                # Steps are counted by who asks: as many, at the same places.
                chosen = search.solve(most, lambda asked=asked: next(asked, None) is None, told.append)
            found.append((chosen, told, search.nodes, search.looks))
        assert all(one == found[0] for one in found), seed


def test_it_is_cut_by_looks_and_by_others() -> None:
    rng = random.Random(5)
    problem = random_problem(rng, 40, 80)
    bound = problem.cost(()) + 1
    assert problem.within_gap(bound).solve(10)[1] is False
    assert problem.within_gap(bound).solve(MANY, lambda: True)[1] in (True, False)
    search = problem.within_gap(bound)
    rules, finished = search.solve(MANY)
    assert finished
    again, _ = search.solve(MANY)  # it can be asked again; the bound is then what was found
    assert rules is not None
    assert again is None
