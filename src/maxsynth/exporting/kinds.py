"""What kind of values each argument and each variable has, and which rules can never hold because kinds do not meet.

A whole number is never equal to a float in a rule, nor to a text. In SQL it may be, or it is an error to ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maxsynth.data.tables import Kind
from maxsynth.exporting.subject import Place, Subject, called
from maxsynth.exporting.values import is_number, term_of, value_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.programs import Constant, Literal, Rule

NUMBERS = (Kind.INTEGER, Kind.REAL)


@dataclass(frozen=True)
class Sort:
    """A kind; and whether there are others as well: whole numbers among floats, numbers among texts."""

    kind: Kind
    mixed: bool = False

    def meets(self, other: Sort) -> bool:
        """Whether a value of one may be equal to one of the other."""
        if self.kind is other.kind:
            return True
        numbers = self.kind in NUMBERS and other.kind in NUMBERS and (self.mixed or other.mixed)
        return numbers or any(one.kind is Kind.TEXT and one.mixed for one in (self, other))


Sorts = Mapping[Place, Sort]


def sorts_of(subject: Subject, *, whole: bool = True) -> dict[Place, Sort]:
    """Of the arguments of all predicates; for those that the program defines, as its rules make them.

    Not `whole`: without the rules of BK, which need not be such that all of them have sorts.
    """
    found: dict[Place, Sort] = {}
    given = subject.given if whole else [p for p in called(subject.program) if p in subject.meanings]
    for predicate in [*given, *([subject.target] if subject.from_data else [])]:
        meaning = subject.meanings[predicate]
        for i, argument in enumerate(meaning.arguments):
            mixed = (meaning.table, argument.column) in subject.mixed
            found[predicate, i] = Sort(argument.kind, mixed)
    before = -1
    while len(found) > before:
        before = len(found)
        for rule in (subject.whole if whole else subject.program).rules:
            known = variable_sorts(rule, found)
            for i, arg in enumerate(rule.head.args):
                sort = constant_sort(arg) if isinstance(arg, Constant) else known.get(arg)
                if sort is not None:
                    found.setdefault((rule.head.predicate, i), sort)
    return found


def variable_sorts(rule: Rule, sorts: Sorts) -> dict[int, Sort]:
    found: dict[int, Sort] = {}
    for literal in sorted(rule.body, key=lambda literal: literal.predicate == SUM):
        for i, arg in enumerate(literal.args):
            if isinstance(arg, int) and (literal.predicate, i) in sorts:
                found.setdefault(arg, sorts[literal.predicate, i])
        if literal.predicate == SUM and isinstance(literal.args[2], int) and (SUM, 0) not in sorts:
            found.setdefault(literal.args[2], sum_sort(literal, found))
    return found


def sum_sort(literal: Literal, known: Mapping[int, Sort]) -> Sort:
    parts = [constant_sort(arg) if isinstance(arg, Constant) else known.get(arg) for arg in literal.args[:2]]
    whole = all(part is not None and part.kind is Kind.INTEGER for part in parts)
    return Sort(Kind.INTEGER) if whole else Sort(Kind.REAL, any(part is None or part.mixed for part in parts))


def constant_sort(constant: Constant) -> Sort:
    kinds = {int: Kind.INTEGER, float: Kind.REAL}
    return Sort(kinds.get(type(term_of(constant)), Kind.TEXT))


def can_hold(rule: Rule, sorts: Sorts) -> bool:
    """Whether the kinds of values that meet in a rule may be equal, and what it compares may be numbers."""
    met: dict[int, Sort] = dict(variable_sorts(rule, sorts))
    for literal in rule.literals():
        for i, arg in enumerate(literal.args):
            sort = sorts.get((literal.predicate, i))
            if sort is None:  # of a literal on numbers
                if not may_be_number(arg, met):
                    return False
            elif isinstance(arg, Constant):
                if value_of(arg, sort.kind, mixed=sort.mixed) is None:
                    return False
            elif arg in met and not met[arg].meets(sort):
                return False
    return True


def may_be_number(arg: int | Constant, sorts: Mapping[int, Sort]) -> bool:
    if isinstance(arg, Constant):
        return is_number(term_of(arg))
    return arg not in sorts or sorts[arg].mixed or sorts[arg].kind not in (Kind.TEXT, Kind.YES_NO)
