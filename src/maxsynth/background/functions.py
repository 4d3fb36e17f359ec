"""Predicates of BK that are Python functions.

A function has a direction like any predicate: its parameters are the `in` arguments, and what it returns are the `out`
arguments. `WithFunctions` is an engine in front of another one, so that all else treats such a predicate as one that
Prolog computes: it is asked once for an input, ever, and the answers are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from maxsynth.background.python_terms import from_term, shown, to_term
from maxsynth.errors import EndlessProblem, MaxSynthError, PrologProblem, shortened
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.consult import Consulted
from maxsynth.prolog.engine import Engine, StoppedAskingError
from maxsynth.prolog.terms import Term

MAX_ANSWERS = 1_000_000  # of one call: a generator may have no end
ASK = 1024  # answers between two questions whether to stop


@dataclass(frozen=True)
class Function:
    """A Python function as a predicate; see `predicate`."""

    call: Callable[..., object]
    modes: tuple[str, ...]

    @property
    def outputs(self) -> int:
        return self.modes.count("out")

    def __call__(self, *values: object) -> object:
        """The function itself, so that a decorated one can still be called."""
        return self.call(*values)

    def answers(self, values: Sequence[object]) -> Iterator[tuple[object, ...] | None]:
        """The values of the `out` arguments, once for each answer; None where an iterator gave that."""
        returned = self.call(*values)
        if not self.outputs:
            if returned:
                yield ()
            return
        for answer in returned if isinstance(returned, Iterator) else [returned]:
            if answer is None:
                yield None
            elif self.outputs == 1:
                yield (answer,)
            elif isinstance(answer, tuple) and len(answer) == self.outputs:
                yield answer
            else:
                raise MaxSynthError(f"it gave {answer!r}, not a tuple of {self.outputs} values")


def predicate(*modes: str) -> Callable[[Callable[..., object]], Function]:
    """Makes a Python function a predicate, to be used in the background of a task.

    `modes` has "in" or "out" for each argument of the predicate. The function is called with the `in` arguments. With
    no `out` argument it returns whether the predicate holds; with one, its value; with more, a tuple of them; None
    means that there is no answer. A generator, or any other iterator, gives several answers.

        @predicate("in", "out")
        def double(number):
            return 2 * number

    It must answer the same whenever it is called with the same values: each call is made once, and remembered.
    """
    if not modes or any(mode not in ("in", "out") for mode in modes):
        raise MaxSynthError(f"{modes!r} is no direction", remedy='give "in" or "out" for each argument')

    def decorate(function: Callable[..., object]) -> Function:
        if not callable(function):
            raise MaxSynthError(f"{shown(function)} is no function", remedy="give what can be called")
        return Function(function, modes)

    return decorate


class WithFunctions:
    """An engine that calls Python functions, and asks another engine for everything else."""

    def __init__(self, engine: Engine, source: Consulted, functions: Mapping[Predicate, Function]) -> None:
        self.engine = engine
        self.functions = functions
        self.answered = 0  # how many answers functions gave
        self.should_stop: Callable[[], bool] | None = None
        for known in functions:
            if (known.name, known.arity) in source:
                raise MaxSynthError(
                    f"{known} is a Python function, and the background defines it too", remedy="rename one of them"
                )

    def defines(self, name: str, arity: int) -> bool:
        return Predicate(name, arity) in self.functions or self.engine.defines(name, arity)

    def watch(self, should_stop: Callable[[], bool] | None) -> None:
        self.should_stop = should_stop
        self.engine.watch(should_stop)

    @property
    def spent(self) -> int:
        return self.engine.spent + self.answered

    def solve(
        self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]
    ) -> list[list[tuple[Term, ...]]]:
        function = self.functions.get(Predicate(name, arity))
        if function is None:
            return self.engine.solve(name, arity, inputs, rows)
        solved, before = [], self.answered
        for row in rows:
            solved.append(list(self.ask(name, function, row)))
            if self.answered - before > MAX_ANSWERS:
                break
        return solved

    def ask(self, name: str, function: Function, row: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
        call = name
        try:
            values = [from_term(term) for term in row]
            call = shortened(f"{name}({', '.join(map(repr, values))})", 200)
            for number, answer in enumerate(function.answers(values)):
                if number == MAX_ANSWERS:
                    raise EndlessProblem(
                        f"the Python function {call} has more than {MAX_ANSWERS:,} answers", remedy="let it have fewer"
                    )
                if number % ASK == ASK - 1 and self.should_stop is not None and self.should_stop():
                    raise StoppedAskingError
                self.answered += 1
                if answer is not None:
                    yield tuple(to_term(value) for value in answer)
        except (EndlessProblem, StoppedAskingError):
            raise
        except MaxSynthError as problem:
            raise PrologProblem(f"the Python function {call}: {problem.message}", remedy=REMEDY) from problem
        except Exception as problem:  # whatever a user's function raises
            what = f"{type(problem).__name__}: {problem}"
            raise PrologProblem(f"the Python function {call} raised {what}", remedy=REMEDY) from problem

    def close(self) -> None:
        self.engine.close()


REMEDY = "correct it, return None where it has no answer, or declare types so that it is not asked this"
