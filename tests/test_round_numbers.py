"""The number that is shown for a gap: in it, short, and always the same."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maxsynth.logic.round_numbers import Number, round_number
from maxsynth.prolog.writer import term_text


@pytest.mark.parametrize(
    ("outside", "inside", "comparison", "text"),
    [
        (3.4, 3.6, ">=", "3.5"),
        (3.6, 3.4, "=<", "3.5"),
        (3.4999998, 3.5000001, ">=", "3.5"),
        (1999, 2001, ">=", "2000"),
        (1990, 2007, ">=", "2000"),
        (3, 4, ">=", "4"),
        (4, 3, "=<", "3"),
        (3, 5, ">=", "4"),
        (3, 6, ">=", "4"),
        (3, 4.0, ">=", "3.5"),
        (-4, -3, ">=", "-3"),
        (-3.6, -3.4, ">=", "-3.5"),
        (-10, 9, ">=", "0"),
        (-10.0, 9, ">=", "0.0"),
        (0, 10, ">=", "5"),
        (0.0, 10.0, ">=", "5.0"),
        (0.0, 0.001, ">=", "0.0005"),
        (1e-300, 2e-300, ">=", "1.5e-300"),
        (1e300, 3e300, ">=", "2.0e+300"),
        (8.9, 11.3, ">=", "10.0"),
        (3.75, 3.77, ">=", "3.76"),
        (0.1, 0.30000000000000004, ">=", "0.2"),
        (1.0, 1.0000000000000002, ">=", "1.0000000000000002"),
        (1.0000000000000002, 1.0, "=<", "1.0"),
        (2.0**53, 2**53 + 1, ">=", "9007199254740993"),
        (10**400, 10**400 + 3, ">=", str(10**400 + 1)),
        (1.0, 10**400, ">=", str(10**400)),
        (0.0, 5e-324, ">=", "5.0e-324"),
        (-sys.float_info.max, sys.float_info.max, ">=", "0.0"),
        (None, 3.71, ">=", "3.71"),
        (None, 3, "=<", "3"),
        (7, None, ">=", "10"),
        (7, None, "=<", "3"),
        (-7, None, "=<", "-10"),
        (0, None, ">=", "1"),
        (1.5e308, None, ">=", "1.6e+308"),
    ],
)
def test_numbers(outside: Number | None, inside: Number | None, comparison: str, text: str) -> None:
    found = round_number(outside, inside, comparison)
    assert found is not None
    assert term_text(found) == text


def test_beyond_the_last_float() -> None:
    assert round_number(sys.float_info.max, None, ">=") is None


@pytest.mark.parametrize(
    ("outside", "inside", "comparison"),
    [
        (3, 3, ">="), (3, 3.0, "=<"), (4, 3, ">="), (3, 4, "=<"), (None, None, ">="), (math.nan, 3, ">="),
        (1, math.inf, ">="), (1, 2, "<"),
    ],
)  # fmt: skip
def test_what_is_no_gap(outside: Number | None, inside: Number | None, comparison: str) -> None:
    with pytest.raises(ValueError, match=r"is no|no value|no gap"):
        round_number(outside, inside, comparison)


@pytest.mark.parametrize(
    ("bounds", "found"), [((0, 100), 40), ((0, 35), 35), ((45, 90), 45), ((0, 30), None), ((51, 90), None)]
)
def test_bounds(bounds: tuple[int, int], found: int | None) -> None:
    assert round_number(30, 50, ">=", bounds) == found


integers = st.integers(-(10**20), 10**20) | st.integers(-1000, 1000)
floats = st.floats(allow_nan=False, allow_infinity=False)
decimals = st.builds(lambda digits, places: digits / 10**places, st.integers(-(10**6), 10**6), st.integers(0, 6))
numbers = integers | floats | decimals


@given(numbers, numbers, st.booleans())
def test_properties(one: Number, other: Number, at_least: bool) -> None:
    assume(one != other)
    low, high = sorted((one, other))
    outside, inside = (low, high) if at_least else (high, low)
    found = round_number(outside, inside, ">=" if at_least else "=<")
    assert found is not None
    assert low < found <= high if at_least else low <= found < high
    assert type(found) is int or math.isfinite(found)
    if isinstance(low, int) and isinstance(high, int):
        assert type(found) is int
    again = round_number(outside, inside, ">=" if at_least else "=<")
    assert (found, type(found)) == (again, type(again))


@given(numbers, numbers)
def test_it_is_the_same_mirrored(one: Number, other: Number) -> None:
    assume(one != other)
    low, high = sorted((one, other))
    found, mirrored = round_number(low, high, ">="), round_number(-low, -high, "=<")
    assert found is not None
    assert mirrored is not None
    assert digits(found) == digits(mirrored)


@given(decimals | integers, decimals | integers)
def test_nothing_in_the_middle_half_is_shorter(one: Number, other: Number) -> None:
    assume(one != other)
    low, high = sorted((one, other))
    found = round_number(low, high, ">=")
    assert found is not None
    whole = isinstance(low, int) and isinstance(high, int)
    quarter = (Fraction(high) - Fraction(low)) / 4
    first, last = Fraction(low) + quarter, Fraction(high) - quarter
    if whole and math.ceil(first) > math.floor(last):
        assert found == high
        return
    assert first <= Fraction(repr(found)) <= last
    count = digits(found)
    assert count == 0 or not has_shorter(first, last, count, whole)


def digits(number: Number) -> int:
    """Those that count: from the first that is no zero to the last."""
    text = term_text(abs(number)).partition("e")[0]
    return len(text.replace(".", "").strip("0"))


def has_shorter(low: Fraction, high: Fraction, count: int, whole: bool) -> bool:
    """Whether there is a number of fewer digits, looked for at every exponent and sign."""
    for exponent in range(0 if whole else -12, 25):
        power = Fraction(10) ** exponent
        first, last = math.ceil(low / power), math.floor(high / power)
        limit = 10 ** (count - 1)
        if first <= last and (abs(first) < limit or abs(last) < limit or first <= 0 <= last):
            return True
    return False


@given(st.lists(decimals, min_size=2, max_size=8, unique=True))
def test_values_keep_their_sides(values: list[float]) -> None:
    values.sort()
    for below, above in pairwise(values):
        number = round_number(below, above, ">=")
        assert number is not None
        assert [value >= number for value in values] == [value >= above for value in values]
