"""Comparisons and sums of numbers, for the second opinion: read anew, from what the documents say of them.

Numbers are compared as fractions, which are exact, so that nothing depends on how Python compares its own numbers.
"""

from __future__ import annotations

from fractions import Fraction

from maxsynth.prolog.terms import Term

# One number is before another (-1), equal to it, or after it (1).
TRUE_WHEN = {"<": {-1}, "=<": {-1, 0}, ">": {1}, ">=": {0, 1}}
GIVEN = {
    ("<", 2): 2,
    ("=<", 2): 2,
    (">", 2): 2,
    (">=", 2): 2,
    ("+", 3): 2,
}  # so many arguments are given, from the first


def exact(term: Term) -> Fraction | None:
    """The value of a number; None for what is none, and for infinities and NaN."""
    if isinstance(term, bool) or not isinstance(term, int | float):
        return None
    try:
        return Fraction(term)
    except (ValueError, OverflowError):
        return None


def holds(comparison: str, one: Term, other: Term) -> bool:
    left, right = exact(one), exact(other)
    if left is None or right is None:
        return False
    return (left > right) - (left < right) in TRUE_WHEN[comparison]


def total(one: Term, other: Term) -> int | float | None:
    """The sum of two numbers: an integer of integers, otherwise the float nearest to it; None if there is none."""
    left, right = exact(one), exact(other)
    if left is None or right is None:
        return None
    if isinstance(one, int) and isinstance(other, int):
        return int(left + right)
    try:
        # Of an integer, the float nearest to it is added, as arithmetic in Prolog does.
        found = float(Fraction(float(left)) + Fraction(float(right)))
    except OverflowError:
        return None
    return found if exact(found) is not None else None
