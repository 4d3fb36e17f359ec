"""Leaks are reported, and honest features are not."""

import random

import numpy as np
import pytest

from data.small_tables import column
from maxsynth.data.inference.leaks import leak
from maxsynth.data.inference.pair_leaks import Pairs, Wanted, pair_leak
from maxsynth.data.inference.values import Values


def evidence(values: list[object], labels: list[int]) -> str:
    return leak(Values("t", column("x", values)), np.array(labels, np.int32))


def test_a_cut_measurement() -> None:
    chance = random.Random(1)
    values = [round(chance.gauss(0, 2), 2) for _ in range(60)]
    assert "one cut" in evidence(values, [int(value >= 0.5) for value in values])
    flipped = [int(value >= 0.5) for value in values]
    flipped[values.index(max(values))] ^= 1
    assert evidence(values, flipped) == ""  # an error in sixty


def test_two_kinds_that_lie_apart() -> None:
    """As the petals of setosa and of other irises do."""
    chance = random.Random(1)
    values = [round(chance.uniform(1.0, 1.9), 1) for _ in range(50)] + [
        round(chance.uniform(3.0, 6.9), 1) for _ in range(100)
    ]
    assert evidence(values, [1] * 50 + [0] * 100) == ""


def test_categories() -> None:
    labels = [0, 0, 1, 1, 0, 1] * 10
    words = ["north", "west", "south", "east", "north", "south"] * 10
    assert evidence(words, labels) == "its value alone decides the target, without an error in 60 rows"
    assert evidence([*words[:57], "south", "north", "west"], labels) == ""
    assert evidence([f"n{number}" for number in range(60)], labels) == ""  # each value has one row


def test_whether_it_is_empty() -> None:
    labels = [0, 1, 1] * 10
    assert "empty" in evidence([None if label else f"d{row}" for row, label in enumerate(labels)], labels)


@pytest.mark.parametrize("seed", range(5))
def test_small_data_tells_nothing(seed: int) -> None:
    chance = random.Random(seed)
    labels = [0, 1] * 9
    assert evidence([label + chance.random() / 10 for label in labels], labels) == ""


@pytest.mark.parametrize("seed", range(20))
def test_strong_features_with_noise_are_no_leaks(seed: int) -> None:
    chance = random.Random(seed)
    labels = [chance.randint(0, 1) for _ in range(200)]
    values = [chance.gauss(3.0 * label, 1.0) for label in labels]
    assert evidence(values, labels) == ""


def pairs(listed: list[tuple[str, str]]) -> Pairs:
    return Pairs(column("a", [first for first, _ in listed]), column("b", [second for _, second in listed]))


def test_relations_with_the_same_pairs() -> None:
    known = [(f"p{number}", f"c{number}") for number in range(40)]
    turned = [(second, first) for first, second in reversed(known)]
    assert pair_leak(Wanted(pairs(known)), pairs(turned)) == "it has the same pairs in the other order, 40 of 40"
    assert pair_leak(Wanted(pairs(known)), pairs(known[:39])) == "it has the same pairs, 39 of 40"
    assert pair_leak(Wanted(pairs(known)), pairs(known[:20])) == ""
    assert pair_leak(Wanted(pairs(known)), pairs(known + [(f"x{number}", "y") for number in range(40)])) == ""
    assert pair_leak(Wanted(pairs(known)), pairs([(first, "c") for first, _ in known])) == ""
