"""The errors that Prolog itself can catch: a ball on its way to a `catch/3`.

Built-ins raise `PrologError` with the formal part only (`type_error(integer, a)`); the machine adds the
context when it wraps it as `error(Formal, Context)`. `OutOfSteps` is not one of them: no `catch/3` stops it.
"""

from __future__ import annotations

from maxsynth.prolog.terms import Atom, Struct, Term


class PrologError(Exception):
    """A thrown term. `is_ball` tells a term given to `throw/1` from the formal part of a system error."""

    def __init__(self, term: Term, is_ball: bool = False) -> None:
        super().__init__()
        self.term = term
        self.is_ball = is_ball


class OutOfSteps(Exception):
    """The inference budget is used up."""


def indicator(name: str, arity: int) -> Struct:
    return Struct("/", (Atom(name), arity))


def type_error(expected: str, culprit: Term) -> PrologError:
    return PrologError(Struct("type_error", (Atom(expected), culprit)))


def domain_error(domain: str, culprit: Term) -> PrologError:
    return PrologError(Struct("domain_error", (Atom(domain), culprit)))


def instantiation_error() -> PrologError:
    return PrologError(Atom("instantiation_error"))


def existence_error(kind: str, what: Term) -> PrologError:
    return PrologError(Struct("existence_error", (Atom(kind), what)))


def evaluation_error(what: str) -> PrologError:
    return PrologError(Struct("evaluation_error", (Atom(what),)))


def representation_error(what: str) -> PrologError:
    return PrologError(Struct("representation_error", (Atom(what),)))


def resource_error(what: str) -> PrologError:
    return PrologError(Struct("resource_error", (Atom(what),)))


def syntax_error(what: str) -> PrologError:
    return PrologError(Struct("syntax_error", (Atom(what),)))
