"""Which of the numbers that mean the same is shown: 3.5 rather than 3.4999999, 2000 rather than 1999.

A learned comparison `X >= c` or `X =< c` parts the values that satisfy it from those that do not. Every `c` in the gap
between the last value outside and the first one inside parts them alike, and on data that was not seen one in the
middle is the best guess. So it is the number with the fewest digits in the middle half of the gap, and of several that
which is nearest to the middle. Where both ends are integers, it is an integer; otherwise a float. All of it is computed
with fractions, which are exact.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction

Number = int | float


def round_number(
    outside: Number | None, inside: Number | None, comparison: str = ">=", bounds: tuple[Number, Number] | None = None
) -> Number | None:
    """The number to compare with, for the comparison `>=` or `=<`.

    `outside` is the last value that must not satisfy it, `inside` the first that must; one of them may be missing.
    Without `outside`, the value inside is taken as it is, for nothing says how far off a rounder one could be.
    None when there is no number in the gap that is within the bounds.
    """
    check(outside, inside, comparison)
    found = in_gap(outside, inside, comparison)
    if found is None or bounds is None or bounds[0] <= found <= bounds[1]:
        return found
    limit = bounds[0] if found < bounds[0] else bounds[1]
    return limit if parts(limit, outside, inside, comparison) else None


def check(outside: Number | None, inside: Number | None, comparison: str) -> None:
    if comparison not in (">=", "=<"):
        raise ValueError(f"{comparison} is no comparison with a learned number")
    if outside is None and inside is None:
        raise ValueError("there is no value on either side")
    if any(isinstance(end, float) and not math.isfinite(end) for end in (outside, inside)):
        raise ValueError("an infinity or NaN is no value")
    if outside is not None and inside is not None and not parts(inside, outside, inside, comparison):
        raise ValueError(f"there is no gap between {outside} outside and {inside} inside of {comparison}")


def parts(number: Number, outside: Number | None, inside: Number | None, comparison: str) -> bool:
    """Whether the comparison with this number holds of the value inside, and not of that outside."""
    if comparison == ">=":
        return (outside is None or outside < number) and (inside is None or number <= inside)
    return (outside is None or number < outside) and (inside is None or inside <= number)


def in_gap(outside: Number | None, inside: Number | None, comparison: str) -> Number | None:
    if outside is None:
        return inside
    end = inside
    if end is None:  # any number beyond will do: one that is about as large
        step = max(1, abs(outside)) if comparison == ">=" else -max(1, abs(outside))
        end = outside + step
        if isinstance(end, float) and not math.isfinite(end):
            end = math.copysign(sys.float_info.max, end)
        if end == outside:
            return None
    low, high = sorted((Fraction(outside), Fraction(end)))
    whole = isinstance(outside, int) and isinstance(end, int)
    quarter = (high - low) / 4
    short = fewest_digits(low + quarter, high - quarter, whole)
    if short is not None:
        try:
            number: Number = int(short) if whole else float(short)
        except OverflowError:  # between integers that no float is near to
            return end
        if parts(number, outside, end, comparison):
            return number
    # Between neighbours, such as 3 and 4 or two floats that nothing lies between, there is only this one.
    return end


def fewest_digits(low: Fraction, high: Fraction, whole: bool) -> Fraction | None:
    """The number with the fewest digits from low to high, the nearest to the middle; of whole ones, there may be none.

    It is a multiple of the largest power of ten that has multiples there: if the numbers there are of different
    lengths, a power of ten itself is among them, and otherwise fewer digits are more zeros at the end.
    """
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        found = fewest_digits(-high, -low, whole)
        return None if found is None else -found
    # A little more than the logarithm of high, from the lengths of its parts in bits.
    exponent = math.floor((high.numerator.bit_length() - high.denominator.bit_length() + 1) * math.log10(2)) + 1
    while exponent >= 0 or not whole:
        power = Fraction(10) ** exponent
        first, last = math.ceil(low / power), math.floor(high / power)
        if first <= last:
            middle = (low + high) / 2 / power
            return power * min(max(math.ceil(middle - Fraction(1, 2)), first), last)
        exponent -= 1
    return None
