"""What is strange about the examples: listed twice, on both sides, or too few to pay for a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from maxsynth import errors
from maxsynth.task.task import Examples, ReadTask

SHOWN = 5  # of a kind, before the others are only counted

Row = tuple[int, ...]


def example_doubts(task: ReadTask, file: str, unit: str = "line") -> list[str]:
    """Examples that are listed twice, or on both sides. Both count as listed, so neither is an error."""
    at_line = f"{file}:" if unit == "line" else f"{file}, {unit} "
    lines = {"positive": lines_of(task.positives), "negative": lines_of(task.negatives)}
    twice = [
        f"{at_line}{at[1]}: the {label} example `{shown(task, row)}` is listed {len(at)} times"
        for label, side in lines.items()
        for row, at in side.items()
        if len(at) > 1
    ]
    both = [
        f"{at_line}{lines['negative'][row][0]}: `{shown(task, row)}` is a negative and ({unit} {at[0]}) a positive "
        "example"
        for row, at in lines["positive"].items()
        if row in lines["negative"]
    ]
    return [*shortened(twice, "examples listed more than once"), *shortened(both, "examples on both sides")]


def shortened(doubts: list[str], what: str) -> Iterator[str]:
    yield from doubts[:SHOWN]
    if len(doubts) > SHOWN:
        yield f"and {len(doubts) - SHOWN} more {what}"


def lines_of(side: Examples) -> dict[Row, list[int]]:
    lines: dict[Row, list[int]] = {}
    for row, line in zip(side.rows.tolist(), side.lines, strict=True):
        lines.setdefault(tuple(row), []).append(line)
    return lines


def too_few(task: ReadTask) -> str | None:
    """A rule has two literals at least, so it must cover three positives to cost less than it saves."""
    weight = int(task.positives.weights.sum())
    if weight > 2:
        return None
    many = "one positive example" if weight == 1 else "two positive examples"
    return (
        f"with {many} no program costs less than the empty one, since a rule has two literals at least "
        "(give more, or use --exact, or --weights)"
    )


def forced_errors(task: ReadTask, unreached: set[Row]) -> int:
    """How many examples every program of the space gets wrong, but for recursion and invention.

    A positive that no rule covers is missed. One that is a negative too is wrong on one side or the other.
    """
    pos, neg = (Counter(map(tuple, side.rows.tolist())) for side in (task.positives, task.negatives))
    return sum(count if row in unreached else min(count, neg[row]) for row, count in pos.items())


def shown(task: ReadTask, row: Row) -> str:
    return errors.shortened(task.example_text(np.array(row, dtype=np.int32)))
