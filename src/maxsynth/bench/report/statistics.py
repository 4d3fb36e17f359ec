"""Means, standard errors and the paired t-test of the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SIGNIFICANT = 0.01


@dataclass(frozen=True)
class Mean:
    """A mean with its standard error (0 for a single value) and the number of values."""

    value: float
    error: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean | None:
        if not values:
            return None
        mean = math.fsum(values) / len(values)
        return cls(mean, standard_deviation(values) / math.sqrt(len(values)), len(values))


def standard_deviation(values: Sequence[float]) -> float:
    """Of a sample; equal values give exactly zero."""
    if len(values) < 2 or min(values) == max(values):
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def paired_t_test(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The two-sided probability that paired values differ so much by chance; None for fewer than two pairs."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    if len(differences) < 2:
        return None
    mean, deviation = math.fsum(differences) / len(differences), standard_deviation(differences)
    if deviation == 0:
        return 1.0 if mean == 0 else 0.0
    freedom = len(differences) - 1
    t = mean / (deviation / math.sqrt(len(differences)))
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function: the two-sided tail of Student's distribution is a value of it."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, its mirror image converges fast
        return 1 - incomplete_beta(b, a, 1 - x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(scale) / (a * beta_fraction(a, b, x))


def beta_fraction(a: float, b: float, x: float, terms: int = 300) -> float:
    """The continued fraction 1 + d1/(1 + d2/(1 + ...)) of the incomplete beta function, from its end."""
    value = 1.0
    for term in range(terms, 0, -1):
        half = term // 2
        if term % 2:
            d = -(a + half) * (a + b + half) / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            d = half * (b - half) / ((a + 2 * half - 1) * (a + 2 * half))
        value = 1 + d * x / value
    return value
