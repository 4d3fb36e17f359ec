"""A small task whose bias leaves constants and numbers to be learned."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from .small_task import SmallTask

# What the literals are called in a program, and in a file for NumSynth.
NUMSYNTH = {">=": "geq", "=<": "leq", "+": "add"}
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+(e[-+]?[0-9]+)?)?")


@dataclass
class LearnedTask(SmallTask):
    """A task with directives on constants and numbers. All terms are written in one way only: equal texts, equal terms.

    `numbers` are the types with both comparisons, `only` has those that are named as NumSynth does: for >=, =< and +,
    each with one type. Only such comparisons can have bounds. Places are counted from 1. `other_names` writes the
    directives on constants as MagicPopper does.
    """

    constant_types: tuple[str, ...] = ()
    constant_places: tuple[tuple[str, int], ...] = ()
    numbers: tuple[str, ...] = ()
    only: dict[str, str] = field(default_factory=dict)
    compared: tuple[str, ...] = ()
    bounds: dict[str, tuple[str, str]] = field(default_factory=dict)
    most_numbers: int | None = None
    other_names: bool = False

    def with_number(self, comparison: str) -> set[str]:
        """The types of variables that are compared so with a learned number."""
        return {*self.numbers, *([self.only[comparison]] if comparison in self.only else [])}

    def _bias(self) -> str:
        lines = [super()._bias().rstrip("\n")]
        lines += [
            f"{'magic_value_type' if self.other_names else 'constants'}({type_})." for type_ in self.constant_types
        ]
        for name, place in self.constant_places:
            lines.append(f"magic_value({name},{place - 1})." if self.other_names else f"constants({name},{place}).")
        lines += [f"numbers({type_})." for type_ in self.numbers]
        lines += [f"compared({type_})." for type_ in self.compared]
        for literal, type_ in self.only.items():
            name, arity = NUMSYNTH[literal], 3 if literal == "+" else 2
            lines.append(f"numerical_pred({name},{arity}). type({name},({','.join([type_] * arity)})).")
            if self.directions is not None:
                lines.append(f"direction({name},({'in,in,out' if literal == '+' else 'in,out'})).")
        for comparison, (low, high) in self.bounds.items():
            lines.append(f"bounds({NUMSYNTH[comparison]},1,({_in_asp(low)},{_in_asp(high)})).")
        if self.most_numbers is not None:
            lines.append(f"max_numeric({self.most_numbers}).")
        return "\n".join([*lines, ""])


def _in_asp(number: str) -> str:
    """ASP has integers of 32 bits, and no other numbers: those are strings."""
    return number if "." not in number and abs(int(number)) < 2**31 else f'"{number}"'


@cache
def value(term: str) -> Fraction | None:
    """The number that a term is; None for what is none."""
    return Fraction(term) if NUMBER.fullmatch(term) else None


def total(one: str, other: str) -> str | None:
    """The sum of two terms: an integer of integers, else a float; None of what has none."""
    if not (NUMBER.fullmatch(one) and NUMBER.fullmatch(other)):
        return None
    if "." not in one + other:
        return str(int(one) + int(other))
    return repr(float(one) + float(other))
