"""What a bias file says once it is evaluated, whoever evaluates it: clingo (`maxsynth.bias.reader`), or the reader of
simple files (`maxsynth.bias.simple`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from maxsynth.bias.limits import NO_LIMITS, RuleLimits


class Term(NamedTuple):
    """A ground term of a bias, and what it is: at most one of the others is given. All are None for a constant."""

    text: str
    number: int | None = None
    string: str | None = None
    parts: tuple[Term, ...] | None = None  # of a tuple

    def __str__(self) -> str:
        return self.text


class Atom(NamedTuple):
    """An atom that holds, with the line it comes from."""

    name: str
    arguments: tuple[Term, ...]
    line: int


@dataclass(frozen=True)
class Most:
    """At most so many rules, or literals, in a program; None for no limit."""

    rules: int | None = None
    size: int | None = None

    def both(self, other: Most) -> Most:
        return Most(_lesser(self.rules, other.rules), _lesser(self.size, other.size))


NO_LIMIT = Most()


def _lesser(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else min(one, other)


@dataclass(frozen=True)
class Constraints:
    """Constraints that clingo judges: ASP text over program atoms, each complete with the facts that it needs."""

    text: str = ""  # all of them
    of_rules: str = ""  # those that can be judged rule by rule
    of_programs: str = ""  # the others
    hold_of_less: bool = True  # of a program that meets the others, a part meets them too
    line: int = 0  # of the first
    program_line: int = 0  # of the first of the others


class Left(NamedTuple):
    """A constraint that clingo judges, and how it could be said so that the search does, if each rule is meant."""

    line: int
    text: str
    instead: str = ""


class EvaluatedBias(NamedTuple):
    """A bias file, evaluated: ground facts in the order of the file, then derived atoms in clingo's order."""

    atoms: Sequence[Atom]
    one_of_type: Mapping[str, int]  # type -> line of its constraint
    constraints: Constraints
    warnings: Sequence[tuple[int, str]]
    most: Most = NO_LIMIT
    limits: RuleLimits = NO_LIMITS  # of every rule, that the search understands by itself
    left: tuple[Left, ...] = ()  # what clingo judges, one by one
    limits_text: str = ""  # the same for clingo, complete with the facts it needs
