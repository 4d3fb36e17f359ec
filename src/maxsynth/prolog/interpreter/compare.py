"""The standard order of terms: Var < Number < String < Atom < Compound; and sorting by it.

Numbers compare by value, and a float comes before an integer of the same value. Variables have no natural
order that is the same in every run, so the machine numbers them as they are first compared. Compounds compare
by arity, then name, then arguments from left to right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import TYPE_CHECKING

from maxsynth.prolog.clauses import dereference
from maxsynth.prolog.interpreter.arguments import variables
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var, make_list

if TYPE_CHECKING:
    from maxsynth.prolog.interpreter.interpreter import Machine

RANK: dict[type, int] = {Var: 0, int: 1, float: 1, String: 2, Atom: 3, Struct: 4}


def compare(machine: Machine, a: Term, b: Term) -> int:
    """-1, 0 or 1, as `a` comes before, is identical to, or comes after `b`."""
    stack: list[tuple[Term, Term]] = []
    work = 0
    while True:
        a, b = dereference(a), dereference(b)
        if a is not b:
            if type(a) is Struct and type(b) is Struct:
                order = len(a.args) - len(b.args) or (a.name > b.name) - (a.name < b.name)
                if order:
                    return 1 if order > 0 else -1
                work += 1 + (len(a.args) >> 2)
                if work > 1024:
                    machine.charge(work >> 3)
                    work = 0
                if a.args:
                    stack.extend(zip(a.args[:0:-1], b.args[:0:-1], strict=True))
                    a, b = a.args[0], b.args[0]
                    continue
            else:
                order = compare_simple(machine, a, b)
                if order:
                    return order
        if not stack:
            machine.spent += work >> 3
            return 0
        a, b = stack.pop()


def compare_simple(machine: Machine, a: Term, b: Term) -> int:
    """Two terms of which at most one is a compound."""
    if RANK[type(a)] != RANK[type(b)]:
        return -1 if RANK[type(a)] < RANK[type(b)] else 1
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return compare_numbers(a, b)
    if type(a) is Atom and type(b) is Atom:
        # `[]` is no ordinary atom and precedes them all.
        return (a.name > b.name) - (a.name < b.name) if a is not NIL and b is not NIL else 1 if b is NIL else -1
    if type(a) is String and type(b) is String:
        return (a.text > b.text) - (a.text < b.text)
    assert type(a) is Var
    assert type(b) is Var
    ages = machine.ages
    x, y = ages.setdefault(a, len(ages)), ages.setdefault(b, len(ages))
    return (x > y) - (x < y)


def compare_numbers(a: int | float, b: int | float) -> int:
    if a < b:
        return -1
    if a > b:
        return 1
    # Equal by value, or NaN, which precedes all other numbers.
    if a == b:
        if type(a) is not type(b):
            return -1 if type(a) is float else 1
        return int(math.copysign(1, a) > math.copysign(1, b)) - int(math.copysign(1, a) < math.copysign(1, b))
    return (b == b) * -1 + (a == a)


def is_identical(machine: Machine, a: Term, b: Term) -> bool:
    return compare(machine, a, b) == 0


def sort_terms(machine: Machine, items: Sequence[Term], key: Callable[[Term], Term] | None = None,
               descending: bool = False, unique: bool = False) -> list[Term]:  # fmt: skip
    """A stable sort by the standard order of the items, or of their keys."""
    machine.charge(len(items) * len(items).bit_length() >> 3)
    pairs: list[tuple[Term, Term]] = [(dereference(key(item) if key else item), item) for item in items]
    kinds = {type(part) for part, _ in pairs}
    if Struct in kinds or Var in kinds:
        # Older variables first, as far as that can be told.
        for var in variables(machine, make_list([part for part, _ in pairs])):
            machine.ages.setdefault(var, len(machine.ages))

    def order(x: tuple[Term, Term], y: tuple[Term, Term]) -> int:
        return compare(machine, x[0], y[0])

    if kinds == {int}:
        pairs.sort(key=lambda pair: pair[0], reverse=descending)  # type: ignore[arg-type, return-value]
    else:
        pairs.sort(key=cmp_to_key(order), reverse=descending)
    if not unique:
        return [item for _, item in pairs]
    kept: list[tuple[Term, Term]] = []
    for pair in pairs:
        if not kept or compare(machine, kept[-1][0], pair[0]) != 0:
            kept.append(pair)
    return [item for _, item in kept]
