"""What a predicate is known by."""

from __future__ import annotations

from typing import NamedTuple


class Predicate(NamedTuple):
    """A predicate, of the task or of a bias file. Its name need not be an identifier: a bias can quote it."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"
