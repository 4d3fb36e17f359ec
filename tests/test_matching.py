"""Bounds by matching, and prices, against brute force over all sets of small random pools."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest

from maxsynth.search.choose import combine
from maxsynth.search.choose.matching import reduce_by_matching
from maxsynth.search.choose.prices import make_prices
from maxsynth.search.coverage import unpack
from maxsynth.task.memory import Memory
from test_combine import cost_of, least_cost, make_combiner, random_pool


def test_what_is_dropped_is_in_no_better_set(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(11)
    dropped = proven = 0
    for case in range(effort(240, 20_000)):
        pool = random_pool(rng)
        combiner = make_combiner(*pool)
        least = least_cost(*pool)
        bound = rng.choice([least, least + 1, least + 3, int(pool[2].sum()) + 1])
        rules = combiner.pool(1 << 60)
        reduced = reduce_by_matching(rules, combiner.examples, bound, Memory())
        assert reduced.lower_bound <= max(bound, least), case
        assert reduced.lower_bound <= least or least >= bound, case
        kept = np.isin(rules.numbers, reduced.pool.numbers)
        left = least_cost(pool[0][kept], pool[1][kept], pool[2], pool[3])
        assert left == least or least >= bound, case
        dropped += int((~kept).sum())
        proven += reduced.lower_bound >= bound
    assert dropped > 500
    assert proven > 50


def test_choosing_after_it(effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combine, "MANY_CELLS", 0)
    rng = random.Random(12)
    for case in range(effort(120, 10_000)):
        pool = random_pool(rng)
        combiner = make_combiner(*pool)
        least = least_cost(*pool)
        proof = combiner.best(int(pool[2].sum()) + 1)
        assert proof.proven
        assert proof.best is not None
        assert proof.best.cost == least == cost_of(proof.best.rules, combiner), case
        assert combiner.at_least(int(pool[2].sum()) + 1) <= least, case


@pytest.mark.parametrize("planted", [False, True])
def test_prices(effort: Callable[[int, int], int], planted: bool) -> None:
    """Any further rule, with any set of these, costs its size and the prices of what it does not cover, at least."""
    rng = random.Random(13)
    wrong = 0
    for case in range(effort(120, 10_000)):
        covers, sizes, pos, neg = random_pool(rng)
        combiner = make_combiner(covers, sizes, pos, neg)
        bound = int(pos.sum()) + int(neg.sum()) + int(sizes.sum()) + 1
        prices = make_prices(combiner.pool(bound), combiner.examples, bound, Memory())
        assert prices is not None
        values = prices.values / 2**prices.shift
        if planted:
            values = np.where(pos > neg, np.maximum(values, 1), 0)
        own = np.array([rng.random() < 0.5 for _ in pos])
        rows = unpack(combiner.pool(bound).bits, len(pos))
        for count in range(min(4, len(sizes) + 1)):
            for chosen in itertools.combinations(range(len(sizes)), count):
                covered = own | rows[list(chosen)].any(axis=0)
                # All but what the further rule costs itself: its size, and the negatives that it covers.
                cost = (
                    sizes[list(chosen)].sum()
                    + neg[covered & ~own].sum()
                    + pos[~covered].sum()
                    + neg[own & rows[list(chosen)].any(axis=0)].sum()
                )
                least = prices.others + values[~own].sum() - np.minimum(pos, neg)[own].sum()
                wrong += least > cost + 1e-6
                assert planted or least <= cost + 1e-6, case
    assert bool(wrong) == planted
