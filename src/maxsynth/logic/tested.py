"""Columns whose values are compared with numbers: what of a rule is not counted.

Where a predicate p(X,B) gives each X one number, `p(X,B), B >= 4.2` is one thing to say of X. A bias may say so
(`tested(p,2).`): then a literal p(X,B) does not count, and nor does B, if B occurs in comparisons with numbers besides,
and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection

from maxsynth.logic.comparisons import COMPARISONS
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Literal, Program, Rule


def uncounted(rule: Rule, tested: Collection[Predicate]) -> list[Literal]:
    """The body literals of a rule that do not count."""
    return [literal for literal in rule.body if literal.predicate in tested and only_tests(rule, literal)]


def only_tests(rule: Rule, literal: Literal) -> bool:
    """Whether the last argument of a literal occurs in comparisons with numbers besides, and nowhere else."""
    value = literal.args[-1]
    if not isinstance(value, int) or literal.args.count(value) > 1:
        return False
    others = [one for one in rule.literals() if one is not literal and value in one.args]
    return bool(others) and all(
        one.name in COMPARISONS and one.args[0] == value and isinstance(one.args[1], Constant) for one in others
    )


def size_of(program: Program, tested: Collection[Predicate]) -> int:
    """The literals of a program that count, heads included."""
    return program.size - sum(len(uncounted(rule, tested)) for rule in program.rules) if tested else program.size


class TestWriter:
    """Writes tests of columns as literals: one for the column and the thing, and one for each comparison."""

    def __init__(self, first: int) -> None:
        self.next = first  # a variable that occurs nowhere else
        self.values: dict[tuple[int, Predicate], int] = {}

    def literals(self, column: Predicate, thing: int, operator: str, number: Constant) -> list[Literal]:
        known = (thing, column) in self.values
        if not known:
            self.values[thing, column] = self.next
            self.next += 1
        value = self.values[thing, column]
        test = Literal(operator, (value, number))
        return [test] if known else [Literal(column.name, (thing, value)), test]
