"""What the values of options may be: each function takes a text, and complains of one that is no such value."""

from __future__ import annotations

import argparse

from maxsynth.api.option_values import MOST_SECONDS, MOST_WEIGHT, memory_size


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds")
    return number


def weights(text: str) -> tuple[int, int, int] | None:
    """Three numbers, or None for `auto`."""
    if text == "auto":
        return None
    parts = text.split(",")
    if len(parts) != 3 or not all(part.isdecimal() and 0 < int(part) < MOST_WEIGHT for part in parts):
        raise argparse.ArgumentTypeError(f"`{text}` is not three positive integers SIZE,FP,FN, nor auto")
    size, fp, fn = map(int, parts)
    return size, fp, fn


def memory(text: str) -> int:
    size = memory_size(text)
    if size is None:
        raise argparse.ArgumentTypeError(f"`{text}` is not a size of memory, such as 500M or 2G")
    return size


def positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive integer")
    return number


def natural(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number from 0 on")
    return int(text)


def share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a share from 0 to less than 1")
    return number


def percentage(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"`{text}` is not a percentage from 0 to 100")
    return number
