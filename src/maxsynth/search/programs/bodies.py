"""The rules of a space whose bodies may call the target, made as they are asked for, each with what it covers at most.

There are two *kinds* of rules here: those that call the target, and base rules, which do not. A rule is a *parent* of
another of its kind that has one literal more. A search begins with the rules that have no parents, and asks for the
children of those that are worth it: a space may have millions of rules of which it looks at a few hundred.

Bodies grow in an order in which they can run: with directions, a literal is added when its inputs are safe; without,
when it shares a variable with the head or the body. A new variable takes the next free number, and a body is known by a
name that does not depend on those of its variables, so each is one, however it was reached.

**Children.** If a rule with a literal l is one without it too, l can be added last: the others run without it, so that
all variables but those that l alone has are safe then, and these are not among its inputs. So every rule with a parent
is reached from each of its parents by one literal.

**Rules without parents** are reached by literals, too, but the bodies on the way need not be rules. Such a body is
grown while it is *lean*. It is not when it has a literal l that every rule M around it can do without:
- all variables of l are in other literals of the body (where singletons are forbidden: twice; where the variables of
  a type are limited: with the types that l gives them), and l is not its only call, nor the only literal of a kind
  that must be there;
- the variables of l are linked to each other without it, and with directions the other literals run without it.
Then M without l is a rule of the same kind: its other literals run, since the variables of l are safe without it; they
are linked to the head, since what l links is linked; every head variable that is in M is there without l.
Without directions there is more. Call a literal of a lean body an *end* if the body is linked to the head without it,
and it is neither the only call nor the only one with some head variable. Let M be a rule without parents around the
body. Without an end, some literals of M are no longer linked to the head; of these, take one that is farthest from the
head: without it the rest of M is linked, so since M has no parents it is the only call of M or the only literal
with some head variable, and the body has none of that yet. Of two ends each has literals of its own: what hangs on one
of them hangs on it without the other, since the body is linked without either. So a body with more ends than there are
head variables missing, and a call, is part of no rule without parents. (Where neither singletons nor limits ask for
literals.)

What the bias limits from above (`kernel/features/limits.pxi`) a rule with less keeps as well.

What a body can cover is found on the examples, as a table of bindings that each literal extends. A call of the target
is taken to succeed with any result: variables that only a call binds are *open*, and literals on open variables are
taken to hold. So a body covers at most the examples that its table has, and one without calls covers just these.

This module says what the space is; `kernel/bodies/bodies.pxi` grows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Background
from maxsynth.bias.bias import Bias
from maxsynth.kernel.bodies import BodyGrower
from maxsynth.kernel.terms import Index
from maxsynth.logic.programs import Literal, Rule
from maxsynth.search.kernel_bias import check_literals, kernel_bias
from maxsynth.search.learned.spelled import open_tests
from maxsynth.task.memory import Memory

OfUse = Callable[[int, int], bool]  # what a calling rule may cover, and its size -> whether it may be of use

FOUND = 1500  # bytes for a rule, about, but for what it covers


@dataclass
class FoundRule:
    """A rule of the space, by its number. What it covers is a whole number with a bit for each example."""

    bodies: Bodies
    number: int

    def __post_init__(self) -> None:
        self.body, self.calls = self.bodies.grower.body(self.number)
        self.size = 1 + len(self.body)

    @cached_property
    def covers(self) -> tuple[int, bool]:
        return self.bodies.grower.covers(self.number)

    @property
    def most(self) -> int:
        """The examples that it covers, or, if it calls the target, may cover."""
        return self.covers[0]

    @property
    def least(self) -> int:
        """Examples that it covers whatever else there is in a program."""
        return self.covers[0] if self.covers[1] and not self.is_open else 0

    @cached_property
    def is_open(self) -> bool:
        """Whether it has a number that is left open: then it covers less, as that may be."""
        return any(self.bodies.literals[literal].predicate in self.bodies.open for literal in self.body)

    @cached_property
    def rule(self) -> Rule:
        return Rule(self.bodies.head, tuple(self.bodies.literals[literal] for literal in self.body))

    @cached_property
    def children(self) -> list[int]:
        return self.bodies.grower.children(self.number)

    @cached_property
    def parents(self) -> list[int]:
        return self.bodies.grower.parents(self.number)

    @cached_property
    def part_of_it(self) -> frozenset[int]:
        """Its parents, their parents and so on: rules of its kind whose bodies are part of its own."""
        return frozenset(self.parents).union(*(self.bodies[parent].part_of_it for parent in self.parents))


class Bodies:
    """The rules of a space, by their numbers; of those that call the target, where it is said, only what is of use."""

    def __init__(
        self,
        bias: Bias,
        background: Background,
        examples: NDArray[np.int32],
        memory: Memory | None = None,
        is_of_use: OfUse | None = None,
    ) -> None:
        self.bias = bias
        self.background = background
        self.memory = memory or Memory()
        self.predicates = [*bias.body, bias.head]
        check_literals(bias, self.predicates)
        self.is_of_use = is_of_use
        self.open = open_tests(bias)
        self.size = 1  # all rules without parents up to this size are known
        self.first: dict[tuple[bool, int], list[int]] = {}  # (calls?, size) -> rules without parents
        self.found: dict[int, FoundRule] = {}
        self.on_rest: Callable[[], None] | None = None  # is called where all can be saved
        self.bytes = FOUND + len(examples) // 4
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
            [self.predicates.index(predicate) for predicate in bias.number_tests],
        )

    def index(self, predicate: int, bound: tuple[int, ...]) -> Index | None:
        relation = self.background.relation(self.predicates[predicate])
        if relation.rows is not None and bound not in relation.indexes:
            self.memory.claim(relation.index_bytes(bound))
        return relation.index(bound)

    @property
    def grown(self) -> int:
        """Bodies met so far."""
        return self.grower.grown

    def grow(self, size: int, should_stop: Callable[[], bool]) -> bool:
        """Finds all rules without parents up to a size; False when it was stopped."""
        while self.size < min(size, 1 + self.bias.max_body):
            if self.grower.size < self.size and not self.grower.least(should_stop, self.may_grow, self.on_rest):
                return False
            self.size += 1
            for number in self.grower.found:
                self.first.setdefault((self[number].calls > 0, self.size), []).append(number)
        return True

    def may_grow(self, number: int, size: int) -> bool:
        """Whether a calling rule that has the literals of a body may be of use."""
        return self.is_of_use is None or self.is_of_use(self.grower.covers(number)[0], size)

    def __getitem__(self, number: int) -> FoundRule:
        found = self.found.get(number)
        if found is None:
            self.memory.take(self.bytes)
            found = self.found[number] = FoundRule(self, number)
        return found
