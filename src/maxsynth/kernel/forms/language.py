"""The bias as the kernel takes it: types as numbers, directions as masks. Features and bodies are made from the same.

`maxsynth.search.kernel_bias` translates a bias into this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class KernelPredicate(NamedTuple):
    """A predicate: the types of its arguments (-1: none), and which of these must be given, as bits."""

    arity: int
    types: list[int]
    inputs: int

    def given(self, args: Sequence[int]) -> int:
        """The variables among these arguments that must be given, as bits."""
        return sum(1 << arg for place, arg in enumerate(args) if self.inputs >> place & 1)


class KernelTypeLimit(NamedTuple):
    """How many variables of a type a rule has; `declared` of them are the head's, whatever the body is."""

    type: int
    least: int
    most: int
    declared: int
    at: int  # where its field begins, ...
    width: int  # ... how wide it is ...
    slack: int  # ... and what makes its highest bit 1 when added to too many


class KernelKind(NamedTuple):
    """A kind of literals, what one of them adds to the counts, its marks, and whether it may be in a body at all."""

    has: Callable[[int, tuple[int, ...]], bool]  # predicate and arguments
    counts: int = 0
    marks: int = 0
    allowed: bool = True


class KernelTest(NamedTuple):
    """`X >= c`, or `X =< c`, for variables of a type, with bounds of c.

    With a `column`, what is compared is the value that the column with this number has for X.
    """

    type: int
    at_least: bool
    least: float
    greatest: float
    column: int = -1


class KernelColumn(NamedTuple):
    """A column that is tested: terms from `first` on -> the terms of their values, -1 for none."""

    first: int
    values: NDArray[np.int32]


@dataclass(frozen=True)
class KernelLimits:
    """What a bias limits in a rule, as words of 64 bits (`kernel/features/limits.pxi`)."""

    kinds: list[KernelKind]
    slack: int  # of all counts
    guards: int
    required: int  # marks that a rule must have
    apart: list[int]  # marks that it must not have all
    types: list[KernelTypeLimit]
    needed: int  # head variables that must occur in the body

    def marked(self, predicate: int, args: tuple[int, ...]) -> tuple[bool, int, int]:
        """Whether a literal may be in a body, what it adds to the counts, and its marks."""
        counts = marks = 0
        for kind in self.kinds:
            if kind.has(predicate, args):
                if not kind.allowed:
                    return False, 0, 0
                counts += kind.counts
                marks |= kind.marks
        return True, counts, marks


@dataclass(frozen=True)
class KernelBias:
    """What a bias says of rules."""

    max_vars: int
    max_body: int
    head: KernelPredicate  # all of its arguments are given, where the bias does not say which
    body: list[KernelPredicate]
    directed: bool
    datalog: bool  # whether every head variable must occur in the body
    singletons: bool
    limits: KernelLimits | None
    ntypes: int
    tests: tuple[KernelTest, ...] = ()  # numbered as predicates, after those of the body
    columns: tuple[KernelColumn, ...] = ()  # that are tested

    @property
    def needed(self) -> int:
        """The head variables that must occur in the body, as bits."""
        return (1 << self.head.arity) - 1 if self.datalog else self.limits.needed if self.limits else 0

    def marked(self, predicate: int, args: tuple[int, ...]) -> tuple[bool, int, int]:
        """Whether a literal may be in a body, what it adds to the counts, and its marks."""
        return self.limits.marked(predicate, args) if self.limits else (True, 0, 0)

    @property
    def reading(self) -> bool:
        """Whether some literal has arguments that must be given: without directions, comparisons and sums have."""
        return self.directed or any(predicate.inputs for predicate in self.body)

    def ordered_by(self, place: Callable[[float], float]) -> KernelBias:
        """The same with the bounds of tests as what numbers are ordered by."""
        tests = (test._replace(least=place(test.least), greatest=place(test.greatest)) for test in self.tests)
        return replace(self, tests=tuple(tests))

    def with_columns(self, columns: Sequence[KernelColumn]) -> KernelBias:
        return replace(self, columns=tuple(columns))

    @property
    def type_bits(self) -> int:
        """Of a field for one of the types, or none."""
        return type_bits(self.ntypes)


def type_bits(count: int) -> int:
    """Of a field for one of so many types, or none."""
    return max(1, count.bit_length())
