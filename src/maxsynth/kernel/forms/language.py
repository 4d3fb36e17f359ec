"""The bias as the kernel takes it: types as numbers, directions as masks. Features and bodies are made from the same.

`maxsynth.search.kernel_bias` translates a bias into this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class KernelPredicate(NamedTuple):
    """A predicate: the types of its arguments (-1: none), and which of these must be given, as bits."""

    arity: int
    types: list[int]
    inputs: int

    def given(self, args: Sequence[int]) -> int:
        """The variables among these arguments that must be given, as bits."""
        return sum(1 << arg for place, arg in enumerate(args) if self.inputs >> place & 1)


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
    one_of_type: list[int]
    ntypes: int

    @property
    def type_bits(self) -> int:
        """Of a field for one of the types, or none."""
        return type_bits(self.ntypes)


def type_bits(count: int) -> int:
    """Of a field for one of so many types, or none."""
    return max(1, count.bit_length())
