"""What rules cover, by examples: columns of bits, which of them are equal, and what is made of them in the kernel.

The small pools of other tests have fewer rules than a word has bits. Here there are more.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from maxsynth.kernel.choose import Matching, columns_of, dive, equal_columns
from maxsynth.search.choose.problem import matrix_of
from maxsynth.search.coverage import pack

Matrix = NDArray[np.bool_]


def random_matrix(rng: random.Random) -> Matrix:
    """Rules x examples; some examples are alike."""
    rules, kinds = rng.choice((1, 5, 63, 64, 65, 130)), rng.choice((1, 7, 64, 100))
    density = rng.choice((0.05, 0.5, 0.95))
    columns = np.array([[rng.random() < density for _ in range(kinds)] for _ in range(rules)], np.bool_)
    return columns[:, [rng.randrange(kinds) for _ in range(rng.choice((1, 63, 64, 200)))]]


def test_columns(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(1)
    for _ in range(effort(60, 2000)):
        covers = random_matrix(rng)
        columns = columns_of(pack(covers), covers.shape[1])
        assert (matrix_of(columns, len(covers)) == covers).all()
        first, which = equal_columns(columns)
        known, firsts, numbers = np.unique(covers.T, axis=0, return_index=True, return_inverse=True)
        assert first.tolist() == firsts.tolist()
        assert which.tolist() == numbers.ravel().tolist()
        assert (covers.T[first] == known).all()


def test_columns_of_nothing() -> None:
    assert columns_of(np.zeros((0, 2), np.uint64), 70).shape == (70, 0)
    assert columns_of(np.zeros((3, 0), np.uint64), 0).shape == (0, 1)
    first, which = equal_columns(np.zeros((4, 0), np.uint64))
    assert (first.tolist(), which.tolist()) == ([0], [0] * 4)
    first, which = equal_columns(np.zeros((0, 2), np.uint64))
    assert (first.tolist(), which.tolist()) == ([], [])
    with pytest.raises(ValueError, match="2 words for 5 examples"):
        columns_of(np.zeros((1, 2), np.uint64), 5)


def carried(
    positives: Matrix, wanted: list[int], negatives: Matrix, left: list[int], slack: list[int]
) -> tuple[int, int]:
    """What `Matching` does, said as plainly as can be; rows of the matrices are examples."""
    rules = [np.flatnonzero(row).tolist() for row in positives]
    choices = [[n for n in range(len(left)) if negatives[n][own].all()] for own in rules]
    demand = [sum(wanted[p] for p, choice in enumerate(choices) if n in choice) for n in range(len(left))]
    room = [sum(left[n] for n in choice) for choice in choices]
    by_negatives = by_sizes = 0
    for p in sorted(range(len(rules)), key=lambda p: (room[p], -wanted[p], p)):
        for n in sorted((n for n in choices[p] if left[n]), key=lambda n: (demand[n], n)):
            amount = min(left[n], wanted[p])
            left[n] -= amount
            wanted[p] -= amount
            by_negatives += amount
    for p in sorted(range(len(rules)), key=lambda p: (len(rules[p]), -wanted[p], p)):
        amount = min([wanted[p], *(slack[r] for r in rules[p])])
        wanted[p] -= amount
        by_sizes += amount
        for r in rules[p]:
            slack[r] -= amount
    return by_negatives, by_sizes


def test_matching(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(2)
    some = 0
    for case in range(effort(80, 2000)):
        covers = random_matrix(rng).T
        covers = covers[covers.any(axis=1)]
        at = rng.randrange(len(covers) + 1)
        positives, negatives = covers[:at], covers[at:]
        wanted, left = ([rng.randrange(1, 9) for _ in side] for side in (positives, negatives))
        slack = [rng.randrange(1, 30) for _ in range(covers.shape[1])]
        matching = Matching(
            pack(positives), np.array(wanted, np.int64), pack(negatives), np.array(left, np.int64), covers.shape[1]
        )
        sizes = np.array(slack, np.int64)
        matching.find_choices()
        found = matching.carry_negatives(), matching.carry_sizes(sizes)
        assert found == carried(positives, wanted, negatives, left, slack), case
        assert (matching.wanted.tolist(), matching.left.tolist(), sizes.tolist()) == (wanted, left, slack), case
        matching.charge(sizes)
        assert sizes.tolist() == (np.array(slack) + np.array(left, np.int64) @ negatives).tolist(), case
        some += found[0] > 0
    assert some > 10


def test_matching_that_is_stopped() -> None:
    """What was not looked at carries nothing; the rest is as it was."""
    covers = np.ones((200, 3), np.bool_)
    asked = iter([False, True])
    weights = np.ones(200, np.int64)
    matching = Matching(pack(covers), weights.copy(), pack(covers), weights.copy(), 3)
    matching.find_choices(lambda: next(asked))
    assert matching.carry_negatives() == 64
    assert next(asked, None) is None


def gain_of(rules: list[int], covers: Matrix, sizes: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
    return int(weights[covers[rules].any(axis=0)].sum() - sizes[rules].sum())


def dived(covers: Matrix, sizes: NDArray[np.int64], weights: NDArray[np.int64], starts: int) -> tuple[int, list[int]]:
    """What `dive` does, with all examples by themselves."""
    every = range(len(covers))
    most, best = 0, list[int]()
    for start in sorted(every, key=lambda r: -gain_of([r], covers, sizes, weights))[:starts]:
        chosen = [start]
        while True:
            now = gain_of(chosen, covers, sizes, weights)
            gains = [gain_of([*chosen, r], covers, sizes, weights) - now for r in every]
            if max(gains) <= 0:
                break
            chosen.append(gains.index(max(gains)))
            for r in list(chosen):
                rest = [other for other in chosen if other != r]
                if gain_of(rest, covers, sizes, weights) > gain_of(chosen, covers, sizes, weights):
                    chosen = rest
        if gain_of(chosen, covers, sizes, weights) > most:
            most, best = gain_of(chosen, covers, sizes, weights), chosen
    return most, best


def test_dives(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(3)
    several = 0
    for case in range(effort(40, 1000)):
        covers = random_matrix(rng)
        sizes = np.array([rng.randrange(1, 9) for _ in covers], np.int64)
        weights = np.array([rng.randrange(-4, 6) for _ in range(covers.shape[1])], np.int64)
        found = dive(pack(covers), sizes, weights, 3)
        assert found == dived(covers, sizes, weights, 3), case
        several += len(found[1]) > 1
    assert several > 5
