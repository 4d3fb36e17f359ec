"""A front by one search for each size: for programs that call themselves, and for constraints that clingo judges.

All that `learn` can do, it can do with a limit of literals as well. For the sizes one after the other, a search looks
for a program of at most so many literals that has fewer errors than the best smaller one, with weights under which the
cheapest such program has the fewest (`KnownFront.steepest`), and stays below what these would cost at most. When it
ends without one, there is none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from maxsynth.bias.evaluated import Most
from maxsynth.proofs.metrics import Weights
from maxsynth.search.front.known import KnownFront
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.task.task import ReadTask

Run = Callable[[ReadTask, Weights, int], SearchResult]  # a search with these weights, below a cost


def limited(task: ReadTask, size: int) -> ReadTask:
    """The task in the space of programs that have at most so many literals."""
    bias = task.bias
    return dataclasses.replace(task, bias=dataclasses.replace(bias, most=bias.most.both(Most(None, size))))


def find_by_searches(
    task: ReadTask, weights: Weights, known: KnownFront, run: Run, goes_on: Callable[[], bool]
) -> SearchResult | None:
    """Makes a front known; returns the last search that was cut, if one was. `weights` are those of errors.

    After each size it asks whether it `goes_on`. After a search that was cut, smaller sizes are not proven, and an
    error weighs more than all literals: the cheapest program of so many literals has the fewest errors then, whatever
    smaller ones have.
    """
    cut = None
    for size in range(known.most + 1):
        if known.is_proven(size):
            continue
        fewer = known.errors[size] - 1
        size_weight, error_weight = known.steepest(size) if cut is None else (1, size + 1)
        below = size_weight * size + error_weight * fewer + 1
        weighed = Weights(size_weight, error_weight * weights.fp, error_weight * weights.fn)
        result = run(limited(task, size), weighed, below)
        if result.program is not None and result.cost is not None and result.size is not None:
            errors = (result.cost - size_weight * result.size) // error_weight
            known.take(result.size, errors, result.program)
        if result.status == OPTIMAL:
            known.raise_at_least(size, known.errors[size])
        else:
            known.raise_at_least(size, -((size_weight * size - result.lower_bound) // error_weight))
            cut = result
        if not goes_on():
            break
    return cut


def search_below(search: Search, below: int) -> SearchResult:
    search.look_below(below)
    return search.run()
