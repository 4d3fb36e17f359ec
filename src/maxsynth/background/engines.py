"""Choosing the Prolog engine that runs BK: `builtin`, `swipl`, or `auto`.

`auto` takes the built-in interpreter, which needs nothing installed, unless BK calls what that does not know and
SWI-Prolog is there to run it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth.errors import MaxSynthError, PrologProblem, shortened
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.consult import Consulted
from maxsynth.prolog.engine import Engine
from maxsynth.prolog.reading.operators import LIBRARIES
from maxsynth.prolog.terms import Atom, Struct, Term

if TYPE_CHECKING:
    from maxsynth.prolog.interpreter.interpreter import Interpreter

CHOICES = ("auto", "builtin", "swipl")
WITH_SWIPL = "use SWI-Prolog: install it, and choose --prolog swipl or auto"
CONTROL = {(",", 2), (";", 2), ("->", 2), ("*->", 2), ("\\+", 1)}


def make_engine(source: Consulted, path: Path, needed: Iterable[Predicate], choice: str = "auto") -> Engine:
    """The engine for a consulted BK file of which these predicates will be asked."""
    foreign = [library for library in source.libraries if library in LIBRARIES]
    unknown = unknown_to_builtin(source, needed) if choice == "auto" or foreign else ""
    if choice == "swipl" or (choice == "auto" and unknown):
        from maxsynth.prolog.swipl.swipl import Swipl, find_swipl

        program = find_swipl()
        if program is not None:
            return Swipl(path, program=program, text=source.whole_text())
        if choice == "swipl":
            raise MaxSynthError(
                "SWI-Prolog was asked for, but there is no `swipl` on this machine",
                remedy="install SWI-Prolog, or use --prolog builtin",
            )
    if source.strange:
        position, text = source.strange[0]
        raise PrologProblem(
            f"the directive `:- {text}` is not supported by the built-in Prolog",
            position,
            "remove it, or use --prolog swipl",
        )
    if source.beyond:
        position, what = source.beyond[0]
        raise PrologProblem(f"{what} cannot be run by the built-in Prolog", position, WITH_SWIPL)
    if foreign and unknown:
        raise PrologProblem(
            f"library({foreign[0]}) is not part of the built-in Prolog, which does not know {unknown}",
            source.libraries[foreign[0]],
            WITH_SWIPL,
        )
    return BuiltIn(source)


class BuiltIn:
    """The built-in interpreter, loaded when it is first asked something: BK of facts alone never does."""

    def __init__(self, source: Consulted) -> None:
        self.source = source
        self.should_stop: Callable[[], bool] | None = None

    @property
    def spent(self) -> int:
        return self.interpreter.spent if "interpreter" in self.__dict__ else 0

    @cached_property
    def interpreter(self) -> Interpreter:
        from maxsynth.prolog.interpreter.interpreter import Interpreter

        made = Interpreter(self.source, dynamic=self.source.dynamic)
        made.watch(self.should_stop)
        return made

    def watch(self, should_stop: Callable[[], bool] | None) -> None:
        self.should_stop = should_stop
        if "interpreter" in self.__dict__:
            self.interpreter.watch(should_stop)

    def defines(self, name: str, arity: int) -> bool:
        return self.interpreter.defines(name, arity)

    def solve(
        self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]
    ) -> list[list[tuple[Term, ...]]]:
        return self.interpreter.solve(name, arity, inputs, rows)

    def close(self) -> None:
        """There is nothing to free."""


def unknown_to_builtin(source: Consulted, needed: Iterable[Predicate]) -> str:
    """What of BK the built-in interpreter does not know: a procedure that a needed predicate calls, however indirectly,
    or what BK has beyond clauses. Nothing if it knows all."""
    for _, what in (*source.strange, *source.beyond):
        return what
    builtin = BuiltIn(source)
    seen: set[tuple[str, int]] = set()
    todo = [(predicate.name, predicate.arity) for predicate in needed]
    todo = [key for key in todo if key in source.rules]
    while todo:
        key = todo.pop()
        if key in seen:
            continue
        seen.add(key)
        if not builtin.defines(*key):
            return f"{shortened(key[0])}/{key[1]}"
        todo += [called for _, clause in source.rules.get(key, ()) for called in called_by(clause.body)]
    return ""


def called_by(body: Term) -> list[tuple[str, int]]:
    """The procedures that a body calls, through its control constructs."""
    found, todo = [], [body]
    while todo:
        goal = todo.pop()
        if isinstance(goal, Struct) and (goal.name, len(goal.args)) in CONTROL:
            todo.extend(goal.args)
        elif isinstance(goal, Struct):
            found.append((goal.name, len(goal.args)))
        elif isinstance(goal, Atom) and goal.name != "!":
            found.append((goal.name, 0))
    return found
