"""The rules of a space whose bodies may call the target, size after size, each with what it can cover at most.

Bodies grow by one literal at a time, in an order in which they can run: with directions, a literal is added when its
inputs are safe; without, when it shares a variable with the head or the body. Every body of the space has such an
order, and every part of it up to some literal is reached before. A new variable takes the next free number, and a body
is remembered under a name that does not depend on those of its variables, so each comes once.

What a body can cover is found on the examples, as a table of bindings that each literal extends. A call of the target
is taken to succeed with any result: variables that only a call binds are *open*, and literals on open variables are
taken to hold. So a body covers at most the examples that its table has, and one without calls covers just these.

This module says what the space is; `kernel/bodies/bodies.pxi` grows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Background
from maxsynth.bias.bias import Bias
from maxsynth.kernel.bodies import BodyGrower
from maxsynth.kernel.terms import Index
from maxsynth.logic.programs import Literal, Rule
from maxsynth.search.kernel_bias import check_literals, kernel_bias
from maxsynth.task.memory import Memory, index_bytes


@dataclass
class FoundRule:
    """A rule of the space. `covers`: examples that it covers, or, if it calls the target, may cover."""

    body: tuple[int, ...]  # the numbers of its literals
    calls: int
    covers: NDArray[np.bool_]
    exact: bool


class Bodies:
    """Grows bodies, and gives those that make rules."""

    def __init__(
        self, bias: Bias, background: Background, examples: NDArray[np.int32], memory: Memory | None = None
    ) -> None:
        self.bias = bias
        self.background = background
        self.memory = memory or Memory()
        self.predicates = [*bias.body, bias.head]
        check_literals(bias, self.predicates)
        self.size = 0  # all bodies with so many literals were grown
        language = kernel_bias(bias)
        # In a call of the target, only what is declared must be given.
        called = language.head if bias.head in bias.directions else language.head._replace(inputs=0)
        described = [*language.body, called]
        kinds = [
            (number, predicate, args)
            for number, predicate in enumerate(self.predicates)
            for args in permutations(range(bias.max_vars), predicate.arity)
        ]
        self.literals = [Literal(predicate.name, args) for _, predicate, args in kinds]
        arity = bias.head.arity
        self.head = Literal(bias.head.name, tuple(range(arity)))
        self.grower = BodyGrower(
            language,
            [
                (
                    number,
                    args,
                    described[number].types,
                    described[number].given(args),
                    allowed and not bias.is_loop(predicate, args),
                    counts,
                    marks,
                )
                for number, predicate, args in kinds
                for allowed, counts, marks in (language.marked(number, args),)
            ],
            called.inputs if bias.non_datalog else 0,  # only an `in` argument may be missing from the body
            examples,
            self.index,
            self.memory.claim,
        )

    def index(self, predicate: int, bound: tuple[int, ...]) -> Index | None:
        relation = self.background.relation(self.predicates[predicate])
        if relation.rows is not None and bound not in relation.indexes:
            self.memory.claim(index_bytes(relation.rows))
        return relation.index(bound)

    @property
    def grown(self) -> int:
        """Bodies tried so far."""
        return self.grower.grown

    def grow(self, should_stop: Callable[[], bool]) -> list[FoundRule] | None:
        """The rules with one more literal; None when it was stopped."""
        found = self.grower.grow(self.size + 1 >= self.bias.max_body, should_stop)
        if found is None:
            return None
        self.size += 1
        return [FoundRule(*rule) for rule in found]

    def parents(self, body: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The bodies with one literal less, as they were found. (Not all of them need be bodies of the space.)"""
        return self.grower.parents(body)

    def rule(self, found: FoundRule) -> Rule:
        return Rule(self.head, tuple(self.literals[number] for number in found.body))
