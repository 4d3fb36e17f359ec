"""Compiled rules, as the kernel takes them: `maxsynth.proofs.evaluator` makes them, `proofs.Plans` reads them.

A plan is a sequence of moves; a move looks rows up in an index, or calls an adornment of the program, and binds
registers from each row in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from maxsynth.kernel.proofs import Plans

LOOKUP, CALL = 0, 1


class Operation(NamedTuple):
    """Moves a column of a row to a register; or compares them, where the register has a value already."""

    column: int
    register: int
    known: bool


class Move(NamedTuple):
    """A body literal. Sets of moves are bits."""

    kind: int  # LOOKUP or CALL
    target: int  # the number of an index, or of an adornment
    keys: tuple[int, ...]  # the registers that it is asked with
    operations: tuple[Operation, ...]  # on the other columns
    parents: int  # the moves that bind what it reads
    filters: tuple[int, ...] = ()  # indexes that a value it binds must be in

    @property
    def binds_one(self) -> bool:
        """Whether it does nothing with a row but bind one register."""
        return len(self.operations) == 1 and not self.operations[0].known


class Plan(NamedTuple):
    """A rule, for one adornment of its head."""

    registers: int
    constants: tuple[tuple[int, int], ...]  # registers, and the values that they have from the start
    entry: tuple[Operation, ...]  # what becomes of the arguments that are given
    moves: tuple[Move, ...]
    out: tuple[int, ...]  # the registers of the other arguments
    out_moves: int  # the moves that bind these


class PlannedAdornment(NamedTuple):
    """A predicate of the program, called with so many arguments given, and so many open.

    A plan may have been made by itself before, as the only one of a `Plans`.
    """

    bound: int
    free: int
    plans: Sequence[Plan | Plans]
