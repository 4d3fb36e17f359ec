"""What to look at when a search that came to its end found next to nothing."""

from __future__ import annotations

from maxsynth.checks.report import why_so_little
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.task.task import ReadTask

POOR = 0.8  # of the cost of the empty program


def advice(task: ReadTask, result: SearchResult) -> list[str]:
    """What `maxsynth check` would say, when a search that came to its end found next to nothing."""
    weights = result.settings["weights"]
    assert isinstance(weights, list)
    empty = weights[2] * int(task.positives.weights.sum())
    if result.status != OPTIMAL or (result.cost is not None and result.cost < POOR * empty):
        return []
    if result.confusion is not None and result.confusion.fp == result.confusion.fn == 0:
        return []  # with few examples, a program without errors costs nearly as much as they do
    warnings = why_so_little(task)
    if not warnings:
        return [
            "That is little, but `maxsynth check` finds nothing wrong: perhaps rules need other predicates or limits."
        ]
    return ["That is little. What `maxsynth check` would say:", *(f"  {warning}" for warning in warnings)]
