"""Means, standard errors, and the t-test against closed forms and an integral."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsynth.bench.report.statistics import Mean, incomplete_beta, paired_t_test


def test_mean_and_standard_error() -> None:
    mean = Mean.of([1.0, 2.0, 3.0, 4.0])
    assert mean is not None
    assert (mean.value, mean.count) == (2.5, 4)
    assert mean.error == pytest.approx(math.sqrt(5 / 3) / 2)
    assert Mean.of([0.1] * 10) == Mean(0.1, 0.0, 10)
    assert Mean.of([]) is None


def test_pairs_that_leave_nothing_to_chance() -> None:
    assert paired_t_test([1.0, 2.0], [1.0, 2.0]) == 1
    assert paired_t_test([2.0, 3.0], [1.0, 2.0]) == 0
    assert paired_t_test([1.0], [2.0]) is None
    assert paired_t_test([], []) is None


def tail(t: float, freedom: int) -> float:
    """The two-sided tail of Student's distribution, by adding up its density (Simpson's rule)."""
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    steps = 2000
    values = [scale * (1 + (t * i / steps) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
    inside = t / steps / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))
    return 1 - 2 * inside


@given(st.floats(0.001, 30), st.integers(1, 40))
def test_the_tail_of_the_distribution(t: float, freedom: int) -> None:
    found = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))
    assert found == pytest.approx(tail(t, freedom), abs=1e-8)
    if freedom == 1:
        assert found == pytest.approx(1 - 2 * math.atan(t) / math.pi, abs=1e-9)
    if freedom == 2:
        assert found == pytest.approx(1 - t / math.sqrt(2 + t * t), abs=1e-9)


def test_a_known_case() -> None:
    """Differences 1, 2, 3: t is 2 sqrt(3), with two degrees of freedom."""
    t = 2 * math.sqrt(3)
    assert paired_t_test([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]) == pytest.approx(1 - t / math.sqrt(2 + t * t))
