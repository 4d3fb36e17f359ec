"""What a bias limits in every rule, in a form that each search understands by itself.

These are the constraints of a bias that are found in nearly all public files, however they are spelled (`native` reads
them): at most so many literals of a kind, one of a kind at least, kinds that are not together in one rule, and how many
variables of a type there are. A *kind* of literals says which predicates, and which head variables at which places; the
names of other variables are no part of a rule, so no kind speaks of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maxsynth.logic.predicates import Predicate


@dataclass(frozen=True)
class Pattern:
    """Literals by their predicate and head variables; None stands for anything."""

    name: str | None = None
    arity: int | None = None
    places: tuple[int | None, ...] | None = None  # the head variables at the places of its arguments
    mentions: int | None = None  # a head variable that is at some place

    def fits(self, predicate: Predicate, args: Sequence[int]) -> bool:
        return (
            self.name in (None, predicate.name)
            and self.arity in (None, predicate.arity)
            and (self.mentions is None or self.mentions in args)
            and (self.places is None or (len(args) == len(self.places) and all(map(_agree, self.places, args))))
        )

    def __str__(self) -> str:
        if self.mentions is not None:
            return f"with head variable {self.mentions}"
        if self.places is None:
            return f"of {self.name or 'any predicate'}{'' if self.arity is None else f'/{self.arity}'}"
        return f"{self.name or '_'}({','.join('_' if place is None else str(place) for place in self.places)})"


OTHER = -1  # a variable that is not in the head


def _agree(place: int | None, arg: int) -> bool:
    return place is None or place == arg


@dataclass(frozen=True)
class Kind:
    """Literals that fit one of some patterns, or are among those that are listed.

    Listed are a name and the head variables among the arguments, `OTHER` for all that are not among the `head` first.
    """

    patterns: tuple[Pattern, ...] = ()
    literals: frozenset[tuple[str, tuple[int, ...]]] = frozenset()
    head: int = 0

    def has(self, predicate: Predicate, args: Sequence[int]) -> bool:
        if self.literals and (predicate.name, self.listed(args)) in self.literals:
            return True
        return any(pattern.fits(predicate, args) for pattern in self.patterns)

    def listed(self, args: Sequence[int]) -> tuple[int, ...]:
        return tuple(arg if arg < self.head else OTHER for arg in args)

    def __str__(self) -> str:
        return " or ".join(map(str, self.patterns)) or "of bad_body"


@dataclass(frozen=True)
class LiteralLimit:
    """A rule has so many literals of a kind; `most` is None where nothing is said of that."""

    kind: Kind
    least: int = 0  # 0 or 1: of at least two, the search might lose one (`kernel/features/limits.pxi`)
    most: int | None = None

    def __str__(self) -> str:
        return f"{amount(self.least, self.most, 'literal')} {self.kind}"


@dataclass(frozen=True)
class TypeLimit:
    """A rule has so many variables of a type, those of the head counted."""

    type: str
    least: int = 0
    most: int | None = None

    def __str__(self) -> str:
        return f"{amount(self.least, self.most, 'variable')} of type {self.type}"


@dataclass(frozen=True)
class RuleLimits:
    """All that is limited in every rule."""

    literals: tuple[LiteralLimit, ...] = ()
    types: tuple[TypeLimit, ...] = ()
    apart: tuple[tuple[Kind, ...], ...] = ()  # kinds that are not all in one rule

    def __bool__(self) -> bool:
        return bool(self.literals or self.types or self.apart)

    def both(self, other: RuleLimits) -> RuleLimits:
        return RuleLimits(self.literals + other.literals, self.types + other.types, self.apart + other.apart)

    def fit(self) -> bool:
        """Whether they fit into the words that the kernel has for them (`search.kernel_bias`)."""
        bits = sum(limit.most.bit_length() + 1 for limit in self.literals if limit.most)
        kinds = {kind for group in self.apart for kind in group}
        kinds |= {limit.kind for limit in self.literals if limit.least}
        return bits <= WORD and len(kinds) <= WORD and len(self.types) <= MOST_TYPES

    def texts(self) -> list[str]:
        together = [" and ".join(f"a literal {kind}" for kind in group) for group in self.apart]
        return [*map(str, self.literals), *map(str, self.types), *(f"not {text}" for text in together)]


NO_LIMITS = RuleLimits()
WORD = 64  # bits
MOST_TYPES = 5  # besides those with exactly one variable: up to 17 of these take 34 bits, each of the others 6


def amount(least: int, most: int | None, what: str) -> str:
    """`at least one variable`, `exactly 2 variables`, `no literal`."""
    if most == 0:
        return f"no {what}"
    numbers = f"exactly {most}" if least == most else f"at most {most}" if not least else f"at least {least}"
    if least and most is not None and least != most:
        numbers = f"{least} to {most}"
    plural = "" if (most if most is not None else least) == 1 else "s"
    return f"{numbers} {what}{plural}"
