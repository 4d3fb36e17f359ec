"""Limits of rules that fit the effort: from small ones on, as far as they can be proven.

Where nobody says how large rules may be, the search goes through a small space first, to its end, and then through
larger ones, as long as the next can be expected to end too. So the answer is a proven one, and it is there soon; a
space that is larger than can be gone through gives neither. The effort is counted in steps, so the answer does not
depend on the machine.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from maxsynth.bias.bias import Bias, Overrides
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings

RUNGS = ((2, 1), (3, 2), (3, 3), (4, 3), (4, 4), (5, 4), (5, 5), (6, 6))  # variables, literals in a body
EFFORT = 160_000  # steps that a space may take by expectation ...
MOST = 100_000  # ... and so many at most: what was expected is often exceeded
GROWTH = 8  # from one space to the next
SMALL = (4, 3)  # a space that can be gone through many times, for weights to be chosen

Run = Callable[[Overrides, int | None], SearchResult]  # with limits of rules, and of steps


def rungs(bias: Bias, *, small: bool = False) -> list[Overrides]:
    """The spaces to go through: a literal has room in each."""
    widest = max(predicate.arity for predicate in (bias.head, *bias.body))
    chosen = [rung for rung in RUNGS if not small or rung <= SMALL]
    found = {(max(variables, widest), literals): None for variables, literals in chosen}
    return [Overrides(variables, literals, None) for variables, literals in found]


def climb(spaces: Sequence[Overrides], run: Run) -> SearchResult:
    """What is found in the largest space that can be gone through; the first is gone through at any rate.

    Of a space that took too long all the same, what was found counts where it is better than all before.
    """
    best: SearchResult | None = None
    for limits in spaces:
        result = run(limits, None if best is None else MOST)
        if best is None or is_better(result, best):
            best = result
        if result.status != OPTIMAL or result.counts.get("steps", 0) * GROWTH > EFFORT:
            break
    assert best is not None
    return best


def is_better(result: SearchResult, known: SearchResult) -> bool:
    """A proven answer in a larger space says more; one that is not proven must be cheaper."""
    cheaper = result.cost is not None and (known.cost is None or result.cost < known.cost)
    return result.status == OPTIMAL or cheaper


def limits_of(result: SearchResult) -> Overrides:
    """The limits of the space that a result is from."""
    return Overrides(*(result.settings[name] for name in Overrides._fields))  # type: ignore[arg-type]


def capped(settings: Settings, most: int | None, taken: int) -> Settings:
    """Settings with at most so many steps from here on, besides those that were taken before."""
    if most is None:
        return settings
    steps = taken + most if settings.steps is None else min(settings.steps, taken + most)
    return dataclasses.replace(settings, steps=steps, memory=settings.search_limit)


def as_asked(result: SearchResult, settings: Settings) -> SearchResult:
    """The result with the limits that the user gave."""
    result.settings.update(steps=settings.steps, memory=settings.memory)
    return result
