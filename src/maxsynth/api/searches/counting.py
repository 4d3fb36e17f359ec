"""Whether a program that counts is worth it.

How many rows lead to a thing is nowhere in the data: `cars_count(A,N)` has to be defined, as the number of cars with A,
before a rule can use it, and what is counted is part of the description: one literal for each count that a program
uses, however often. So the best program that counts is taken only where it costs less than the best without, and by
more than that. Without this, each of some dozens of counts is one more chance to be right by accident: on small
data, a count that saves one error does not predict better.

Both programs are the best of their space, if they are proven. The one that is taken is said to be the best of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from maxsynth.bias.bias import Bias
from maxsynth.logic.predicates import Predicate
from maxsynth.search.result import SearchResult
from maxsynth.task.task import ReadTask

DEFINITION = 1  # literal

Found = tuple[SearchResult, ReadTask]  # what was learned, and in which space


def learn_counting(
    task: ReadTask,
    counts: Collection[Predicate],
    learn: Callable[[ReadTask], SearchResult],
    tell: Callable[[str], None] | None = None,
) -> Found:
    """What is learned with these counts, or without them where they are not worth it."""
    counting = learn(task)
    used = counts_used(counting, counts)
    if not used or counting.cost is None:
        return counting, task
    needed = definition_cost(used, counting)
    if tell is not None:
        names = ", ".join(predicate.name for predicate in used)
        tell(f"it counts ({names}), so it must be better by more than {needed} than what is found without counts:")
    without = task.with_bias(without_counts(task.bias, counts))
    plain = learn(without)
    if plain.cost is None or plain.cost > counting.cost + needed:
        return counting, task
    plain.settings["counts"] = False  # which is not what was asked for
    return plain, without


def counts_used(result: SearchResult, counts: Collection[Predicate]) -> list[Predicate]:
    if result.program is None:
        return []
    used = {literal.predicate for rule in result.program.rules for literal in rule.body}
    return [predicate for predicate in counts if predicate in used]


def definition_cost(used: Collection[Predicate], result: SearchResult) -> int:
    weights = result.settings["weights"]
    assert isinstance(weights, list | tuple)
    return DEFINITION * len(used) * int(weights[0])


def without_counts(bias: Bias, counts: Collection[Predicate]) -> Bias:
    """The bias without these predicates, and without the comparisons of numbers that only they have."""
    body = tuple(predicate for predicate in bias.body if predicate not in counts)
    kept = {name for predicate in (bias.head, *body) for name in bias.types.get(predicate, ())}
    learned = dataclasses.replace(
        bias.learned,
        at_least=tuple(name for name in bias.learned.at_least if name in kept),
        at_most=tuple(name for name in bias.learned.at_most if name in kept),
        tested=tuple(column for column in bias.learned.tested if column not in counts),
    )
    return dataclasses.replace(
        bias,
        body=body,
        types={predicate: names for predicate, names in bias.types.items() if predicate not in counts},
        directions={predicate: ways for predicate, ways in bias.directions.items() if predicate not in counts},
        learned=learned,
    )
