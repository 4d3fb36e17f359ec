"""The interface of the two Prolog engines: ask a predicate, in batches, for its answers.

`Interpreter` (in `interpreter`) is built in and needs nothing; `Swipl` (in `swipl`) drives a SWI-Prolog
process. Both are made from the same files and give the same answers in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from maxsynth.prolog.terms import Term


class Engine(Protocol):
    """A Prolog that has consulted one BK file."""

    def defines(self, name: str, arity: int) -> bool:
        """Whether the BK, or the engine itself (a built-in or library predicate), defines `name/arity`."""

    def solve(
        self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]
    ) -> list[list[tuple[Term, ...]]]:
        """All answers of `name/arity`, once for each row.

        A row holds ground terms for the argument positions in `inputs` (in that order); the other
        arguments are fresh variables. The result has, for each row, the values of those other
        arguments (in position order), one tuple for each answer in the order Prolog gives them,
        duplicates included. Answers are ground; one that is not raises `PrologProblem`, as do a Prolog
        error and an exhausted budget, naming predicate, call, file and line.
        """

    def close(self) -> None:
        """Frees what the engine holds (a process). Harmless when called twice."""
