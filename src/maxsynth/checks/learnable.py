"""Types whose values could stand in rules as constants or numbers, where the bias does not say so.

Whether that helps is found out, not guessed: a short search with the directive must find a program that is much cheaper
than what a longer one finds without it. Numbers may also be names, such as those of rows, which it makes no sense to
compare, and which often come in the order of the labels. So a type is asked about as numbers only if it is one of
*values*: what is reached through them, from the head on, is reached without them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.bias import Bias
from maxsynth.checks.meeting import can_join, usable
from maxsynth.checks.numbers import are_numbers
from maxsynth.logic.programs import Rule
from maxsynth.search.loop import Search
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.memory import MEGABYTE, resident
from maxsynth.task.task import Examples, ReadTask

MANY_NUMBERS = 5  # different ones: fewer are rather constants
LOOKED_AT = 10_000  # of them
SHARED = 3  # examples for a constant, at least, on average
FEW_CONSTANTS = 50
TRIED = 6
STEPS = 200  # of a short search ...
MORE_STEPS = 3  # ... and times as many for the space as it is, so that a directive is not praised for luck
MOST_EXAMPLES = 2000
ROOM = 200 * MEGABYTE  # for such a search
LEAST_GAIN = 2
GAIN_SHARE = 0.2  # of what the empty program costs
SHOWN = 2


@dataclass(frozen=True)
class Directive:
    """One that the bias does not have."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name}({self.type})"

    def added_to(self, bias: Bias) -> Bias:
        known = bias.learned
        if self.name == "constants":
            known = dataclasses.replace(known, constant_types=(*known.constant_types, self.type))
        else:
            at_least, at_most = (with_type(types, self.type) for types in (known.at_least, known.at_most))
            known = dataclasses.replace(known, at_least=at_least, at_most=at_most)
        return dataclasses.replace(bias, learned=known)


def with_type(types: tuple[str, ...], name: str) -> tuple[str, ...]:
    return types if name in types else (*types, name)


def missing_directives(task: ReadTask) -> Iterator[Directive]:
    """Those that would add literals to the space, by the types of the bias and the values that are known of them."""
    bias, store = task.bias, task.background.store
    if any(predicate not in bias.types for predicate in (bias.head, *bias.body)):
        return
    reached = usable(bias)
    in_bodies = {name for predicate in reached if predicate.arity > 1 for name in bias.types[predicate]}
    few = min(FEW_CONSTANTS, (len(task.positives) + len(task.negatives)) // SHARED)
    for name, values in values_of_types(task).items():
        numeric = name in bias.learned.at_least and name in bias.learned.at_most
        if name not in bias.types[bias.head] and name not in in_bodies:
            continue
        many = len(values) >= MANY_NUMBERS and are_numbers(store, values[:LOOKED_AT]).all()
        if many and not numeric and is_value(bias, name):
            yield Directive("numbers", name)
        elif name in in_bodies and name not in bias.learned.constant_types and 2 <= len(values) <= few:
            yield Directive("constants", name)


def values_of_types(task: ReadTask) -> dict[str, NDArray[np.int32]]:
    """The values that examples and tables have of each type."""
    bias = task.bias
    found: dict[str, list[NDArray[np.int32]]] = {}
    for predicate, rows in (
        (bias.head, np.concatenate([task.positives.rows, task.negatives.rows])),
        *((predicate, task.background.relation(predicate).rows) for predicate in bias.body),
    ):
        for place, name in enumerate(bias.types[predicate]):
            found.setdefault(name, []).extend([] if rows is None else [rows[:, place]])
    return {name: np.unique(np.concatenate([*parts, np.zeros(0, np.int32)])) for name, parts in found.items()}


def is_value(bias: Bias, name: str) -> bool:
    """Whether nothing is reached through values of this type that is not reached without them."""
    plain = dataclasses.replace(bias, directions={})
    heads = set(bias.types[bias.head])
    if name in heads and reached_types(plain, {name}, "") != {name}:
        return False
    return reached_types(plain, heads, "") <= reached_types(plain, heads, name) | {name}


def reached_types(bias: Bias, known: set[str], dead_end: str) -> set[str]:
    """The types that are reached from some, where nothing is reached from one that is a dead end."""
    found = set(known)
    while True:
        more = {
            type_
            for predicate in bias.body
            if can_join(bias, predicate, found - {dead_end})
            for type_ in bias.types[predicate]
        }
        if more <= found:
            return found
        found |= more


# -- whether it helps -----------------------------------------------------------------------------------------


def directive_hints(task: ReadTask) -> list[str]:
    """Directives with which a short search finds a cheaper program, each with a rule that it allows."""
    bias = task.bias
    wanted = [] if bias.recursion or bias.invention or bias.constraints else list(missing_directives(task))
    if not wanted:
        return []
    some = sampled(task)
    task, of_some = some, "" if some is task else f" on {len(some.positives) + len(some.negatives)} of the examples"
    gain = max(LEAST_GAIN, GAIN_SHARE * int(task.positives.weights.sum()))
    now = short_search(task, MORE_STEPS * STEPS)
    if now.confusion is None or now.confusion.fp + now.confusion.fn < gain:
        return []  # what is wrong is little
    found = []
    for directive in wanted[:TRIED]:
        then = short_search(task.with_bias(directive.added_to(bias)))
        if now.cost is None or then.cost is None or then.program is None or now.cost - then.cost < gain:
            continue
        for rule in [rule for rule in then.program.rules if uses(rule, directive)][:1]:
            said = (
                f"{directive}. would allow `{rule}`: a short search{of_some} finds cost {then.cost}, and {now.cost} now"
            )
            found.append((then.cost, said))
    return [text for _, text in sorted(found)[:SHOWN]]


def sampled(task: ReadTask) -> ReadTask:
    """The task with no more examples than a short search can do with; they are taken evenly from both sides."""
    every = -(-(len(task.positives) + len(task.negatives)) // MOST_EXAMPLES)
    if every <= 1:
        return task
    positives, negatives = (
        Examples(side.rows[::every], side.weights[::every], side.lines[::every], side.file)
        for side in (task.positives, task.negatives)
    )
    return dataclasses.replace(task, positives=positives, negatives=negatives)


def short_search(task: ReadTask, steps: int = STEPS) -> SearchResult:
    now = resident()
    return Search(task, Settings(steps=steps, memory=None if now is None else now + ROOM)).run()


def uses(rule: Rule, directive: Directive) -> bool:
    """Whether a rule has a literal that the directive may have allowed."""
    compares = [literal.name in (">=", "=<") for literal in rule.body]
    constants = [any(not isinstance(arg, int) for arg in literal.args) for literal in rule.body]
    if directive.name == "numbers":
        return any(compares)
    return any(has and not compared for has, compared in zip(constants, compares, strict=True))
