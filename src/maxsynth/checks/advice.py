"""What to look at when a search found next to nothing, or did not come to its end."""

from __future__ import annotations

from maxsynth.bias.bias import Bias
from maxsynth.search.result import INTERRUPTED, OPTIMAL, SearchResult
from maxsynth.task.task import ReadTask

POOR = 0.8  # of the cost of the empty program
SHOWN = 10  # warnings


def advice(task: ReadTask, result: SearchResult) -> list[str]:
    """What `maxsynth check` would say, when a search that came to its end found next to nothing."""
    weights = result.settings["weights"]
    assert isinstance(weights, list)
    empty = weights[2] * int(task.positives.weights.sum())
    if result.status != OPTIMAL or (result.cost is not None and result.cost < POOR * empty):
        return []
    if result.confusion is not None and result.confusion.fp == result.confusion.fn == 0:
        return []  # with few examples, a program without errors costs nearly as much as they do
    from maxsynth.checks.report import why_so_little  # with all that `maxsynth check` needs, which is much

    said = space_text(task.bias) if result.program is None else []
    warnings = why_so_little(task)
    if not warnings:
        return said or [
            "That is little, but `maxsynth check` finds nothing wrong: perhaps rules need other predicates or limits."
        ]
    more = [f"  and {len(warnings) - SHOWN} more"] if len(warnings) > SHOWN else []
    listed = [f"  {warning}" for warning in warnings[:SHOWN]]
    return ["That is little. What `maxsynth check` would say:", *listed, *more, *said]


def advice_when_cut(task: ReadTask, result: SearchResult) -> list[str]:
    """What may make a search faster that did not come to its end."""
    if result.status in (OPTIMAL, INTERRUPTED) or task.bias.recursion or task.bias.invention:
        return []
    from maxsynth.checks.hubs import direction_hint  # likewise

    hint = direction_hint(task)
    return [f"hint: {hint}"] if hint else []


def space_text(bias: Bias) -> list[str]:
    """Which space has no program without errors, and how to have a larger one."""
    calls = bias.recursion or bias.invention
    names = ["max_body", "max_vars", *(["max_clauses"] if calls else [])]
    limits = [f"{name} {getattr(bias, name)}{' by default' if name in bias.by_default else ''}" for name in names]
    option = f"--max-body {bias.max_body + 2}"
    return [
        f"That holds for this space: {', '.join(limits)}. Rules may need more: try {option}, or --max-vars"
        f"{' or --max-clauses' if calls else ''} likewise."
    ]
