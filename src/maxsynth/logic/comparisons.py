"""Literals on numbers that need no definition in BK: how they are named, written, and which arguments they are given.

    Literal(">=", (D, 9.4))    D >= 9.4        likewise =<, < and >
    Literal("+", (B, C, D))    D is B+C

In a program they are literals like others; what they mean is in `maxsynth.background.comparisons`. What BK or the bias
declares by such a name is what it says, and not one of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from maxsynth.logic.predicates import Predicate

COMPARISONS = (">=", "=<", "<", ">")
SUM = Predicate("+", 3)

# The arguments that must be known, as directions.
BUILT_IN: Mapping[Predicate, tuple[str, ...]] = {
    **{Predicate(name, 2): ("in", "in") for name in COMPARISONS},
    SUM: ("in", "in", "out"),
}

_PLAIN = re.compile(r"[A-Za-z_]\w*|[0-9][\w.+]*(?:e-[0-9]+)?")  # what needs no brackets beside an operator

_SUMMAND = re.compile(r"[A-Z_]\w*|-?[0-9][\w.]*(?:e[-+][0-9]+)?")  # a variable or a number


def infix(predicate: Predicate, args: Sequence[str]) -> str | None:
    """Such a literal as people write it, on the texts of its arguments; None for any other literal."""
    if predicate == SUM:
        if not all(_SUMMAND.fullmatch(arg) for arg in args[:2]):
            return None  # it would be read as the value of a term
        return f"{_operand(args[2], '-')} is {_operand(args[0])}+{_operand(args[1])}"
    if predicate in BUILT_IN:
        return f"{_operand(args[0], '-')} {predicate.name} {_operand(args[1], '-')}"
    return None


def _operand(text: str, sign: str = "") -> str:
    """In brackets where the operator would otherwise take it apart."""
    return text if _PLAIN.fullmatch(text.removeprefix(sign)) else f"({text})"
