"""How far a comparison with a number is from being true: what `explain` says of one that fails."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import islice

from maxsynth.kernel.terms import TermStore
from maxsynth.logic.programs import Constant, Literal
from maxsynth.prolog.writer import term_text
from maxsynth.verification.numbers import GIVEN, exact
from maxsynth.verification.simple_evaluator import Binding

LARGER = {">=", ">"}  # comparisons that a larger value would make true; the others, a smaller one
MOST_WAYS = 10_000  # to make what stands before it true, that are looked at


def is_with_number(literal: Literal) -> bool:
    """Whether a variable is compared with a number: a comparison of variables has no value that comes nearest."""
    return (
        literal.predicate in GIVEN
        and len(literal.args) == 2
        and isinstance(literal.args[0], int)
        and isinstance(literal.args[1], Constant)
    )


def nearest(literal: Literal, ways: Iterable[Binding], store: TermStore, name: str) -> tuple[str, Binding] | None:
    """Which value comes nearest, of the ways to make true what stands before it, and that way; None without any."""
    best: tuple[Fraction, Binding] | None = None
    first: Binding | None = None
    sign = 1 if literal.name in LARGER else -1
    seen = 0
    for way in islice(ways, MOST_WAYS):
        seen += 1
        first = first or way
        value = exact(store.term(way[literal.args[0]]))
        if value is not None and (best is None or sign * value > sign * best[0]):
            best = value, way
    if first is None:
        return None
    if best is None:
        return f"{name} is {term_text(store.term(first[literal.args[0]]))}, which is no number", first
    shown = term_text(store.term(best[1][literal.args[0]]))
    if seen == 1:
        return f"{name} is {shown}", best[1]
    so_far = f" of {MOST_WAYS} values looked at" if seen == MOST_WAYS else ""
    return f"the {'largest' if sign > 0 else 'smallest'} {name}{so_far} is {shown}", best[1]
