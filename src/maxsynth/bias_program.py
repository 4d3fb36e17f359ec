"""What a bias file says once it is evaluated, whoever evaluates it: clingo (`maxsynth.bias_reader`), or the reader of
simple files (`maxsynth.bias_simple`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


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


class Program(NamedTuple):
    """A bias file, evaluated: ground facts in the order of the file, then derived atoms in clingo's order."""

    atoms: Sequence[Atom]
    one_of_type: Mapping[str, int]  # type -> line of its constraint
    constraints: str
    constraint_line: int
    warnings: Sequence[tuple[int, str]]
