"""Which of two values is learned: the one that rules describe better.

Who asks for a column of two values, and names none of them, asks what tells them apart. Rules for either value do that,
and which has the shorter description is told by the data alone: good films may have something in common where bad ones
have not. So both are learned, the rarer value first, and the other one is taken where its program costs less. What a
program counts is part of its description here too (`counting`).

The second search looks only for programs that cost less than the first one's: that is all that it has to know.
"""

from __future__ import annotations

from collections.abc import Collection

from maxsynth.api.searches.counting import counts_used, definition_cost
from maxsynth.logic.predicates import Predicate
from maxsynth.search.result import SearchResult

LEAST = 2  # literals of a program that is not empty: none can cost less than these, with what they weigh


def described_by(result: SearchResult, counts: Collection[Predicate]) -> int | None:
    """What a program costs with what it counts; None where there is none."""
    if result.cost is None:
        return None
    return result.cost + definition_cost(counts_used(result, counts), result)


def may_be_better(result: SearchResult, counts: Collection[Predicate]) -> bool:
    """Whether a program for the other value could cost less."""
    bound, weights = described_by(result, counts), result.settings["weights"]
    assert isinstance(weights, list | tuple)
    return bound is None or bound > LEAST * int(weights[0])


def is_better(other: SearchResult, known: SearchResult, counts: Collection[Predicate]) -> bool:
    """Whether the program for the other value is the one to take."""
    new, old = described_by(other, counts), described_by(known, counts)
    return new is not None and (old is None or new < old)
