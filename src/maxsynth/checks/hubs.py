"""Hubs: values that lead to many others, in a bias without directions.

Without directions a rule may use every predicate from each of its sides. From a weight to all that weigh as much, from
a part of speech to all words of it: such rules are in the space, most of them say little, and there are a great many.
Often this decides how long a search takes, and nothing else tells so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxsynth.logic.predicates import Predicate
from maxsynth.task.task import ReadTask

MANY = 8  # rows for a value, on average over all rows
TIMES = 4  # as many as from the other side
SHOWN = 3


@dataclass(frozen=True)
class Hub:
    """A predicate that has this many rows, on average over its rows, for the value of one of its arguments."""

    predicate: Predicate
    argument: int
    rows: float

    def direction(self) -> str:
        """The one with which no rule goes through it from that side alone."""
        modes = ",".join("out" if place == self.argument else "in" for place in range(self.predicate.arity))
        return f"direction({self.predicate.name},({modes}))."


def find_hubs(task: ReadTask) -> Iterator[Hub]:
    """For each predicate the side from which it leads to many, if it leads to few from the other."""
    for predicate in task.bias.body:
        table = task.background.relation(predicate).rows
        if predicate.arity != 2 or table is None or not len(table):
            continue
        rows = [spread(table[:, place]) for place in range(2)]
        most = int(np.argmax(rows))
        if rows[most] >= MANY and rows[most] >= TIMES * rows[1 - most]:
            yield Hub(predicate, most, rows[most])


def spread(values: np.ndarray[tuple[int], np.dtype[np.int32]]) -> float:
    """How many rows have the same value as a row, on average."""
    counts = np.bincount(values).astype(np.float64)
    return float((counts * counts).sum() / len(values))


def direction_hint(task: ReadTask) -> str | None:
    """What directions would leave out, where the bias has none."""
    if task.bias.directions:
        return None
    hubs = sorted(find_hubs(task), key=lambda hub: -hub.rows)
    if not hubs:
        return None
    shown = ", ".join(
        f"{hub.predicate} ({hub.rows:.0f} for a value of argument {hub.argument + 1})" for hub in hubs[:SHOWN]
    )
    more = f" and {len(hubs) - SHOWN} more" if len(hubs) > SHOWN else ""
    head = task.bias.head
    modes = ",".join(["in"] * head.arity) + ("," if head.arity == 1 else "")
    return (
        f"the bias has no directions, so rules may go through {shown}{more} from the side on which they lead to many; "
        f"directions would leave such rules out, and often make learning many times faster: "
        f"direction({head.name},({modes})). {' '.join(hub.direction() for hub in hubs[:SHOWN])} and so on, for all "
        "predicates"
    )
