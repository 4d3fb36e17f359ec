"""The interface of the two Prolog engines: ask a predicate, in batches, for its answers.

`Interpreter` (in `interpreter`) is built in and needs nothing; `Swipl` (in `swipl`) drives a SWI-Prolog
process. Both are made from the same files and give the same answers in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from maxsynth.prolog.terms import Term


class StoppedAskingError(Exception):
    """Whoever waits for the answers wants no more of them."""


class Engine(Protocol):
    """A Prolog that has consulted one BK file."""

    def watch(self, should_stop: Callable[[], bool] | None) -> None:
        """Lets calls be ended from now on, or not any more.

        `should_stop` is asked again and again within a call; when it says so, the call ends with a
        `StoppedAskingError`. It may end a run and nothing else, for when it is asked depends on the clock.
        """

    @property
    def spent(self) -> int:
        """The steps of all calls so far, counted: the same on every machine."""

    def defines(self, name: str, arity: int) -> bool:
        """Whether the BK, or the engine itself (a built-in or library predicate), defines `name/arity`."""

    def solve(
        self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]
    ) -> list[list[tuple[Term, ...]]]:
        """All answers of `name/arity`, once for each row.

        A row holds ground terms for the argument positions in `inputs` (in that order); the other
        arguments are fresh variables. The result has, for each row, the values of those other
        arguments (in position order), one tuple for each answer in the order Prolog gives them,
        duplicates included. Answers are ground; one that is not raises `PrologProblem`, as does a Prolog
        error, naming predicate, call, file and line. A row that takes more steps, memory or answers than one
        call may take raises `EndlessProblem`.

        Where the answers of all rows together would take much room, the result has only those of the first rows,
        at least of one. Whoever asks goes on with the others, when these are put away.
        """

    def close(self) -> None:
        """Frees what the engine holds (a process). Harmless when called twice."""
