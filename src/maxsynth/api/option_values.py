"""What the values of options can be, for the command and for Python."""

from __future__ import annotations

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
MOST_SECONDS = 1e9  # a limit below this, which no clock reaches
MOST_WEIGHT = 1 << 20


def memory_size(text: str) -> int | None:
    """The bytes of a size such as `500M`; None when it is none."""
    number, unit = text[:-1], text[-1:].upper()
    if unit not in UNITS or not number.isdecimal() or not 0 < int(number) < 1 << 30:
        return None
    return int(number) * UNITS[unit]
