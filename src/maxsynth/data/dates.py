"""Programs with dates: in a task these are numbers, and a comment tells which date a number is.

late(A) :- due(A,B), B =< 7305 /* 1990-01-01 */.
"""

from __future__ import annotations

from collections.abc import Mapping

from maxsynth.data.inference.values import shown
from maxsynth.data.meaning import Meaning
from maxsynth.data.tables import Kind
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Literal, Program, Rule, variable_names

DATED = (Kind.DATE, Kind.TIME)
DAY = 86_400  # seconds
FURTHEST = 700_000  # days from 1970 that are surely within the calendar
Meanings = Mapping[Predicate, Meaning]


def program_text(program: Program, meanings: Meanings) -> str:
    return "\n".join(rule_text(rule, meanings) for rule in program.rules)


def rule_text(rule: Rule, meanings: Meanings) -> str:
    """A rule as it prints, with a comment behind each number that is a date or a time."""
    dates = dates_in(rule, meanings)
    if not dates:
        return str(rule)
    names = variable_names(rule)
    parts = [literal.text(names) + (f" /* {dates[literal]} */" if literal in dates else "") for literal in rule.body]
    return f"{rule.head.text(names)} :- {', '.join(parts)}."


def dates_in(rule: Rule, meanings: Meanings) -> dict[Literal, str]:
    """The comparisons with a date or a time, and which one it is."""
    kinds = {
        arg: argument.kind
        for literal in rule.body
        if (meaning := meanings.get(literal.predicate)) is not None
        for arg, argument in zip(literal.args, meaning.arguments, strict=True)
        if argument.kind in DATED and isinstance(arg, int)
    }
    found = {}
    for literal in rule.body:
        if literal.predicate in BUILT_IN and literal.predicate not in meanings and len(literal.args) == 2:
            variable, number = literal.args
            if isinstance(number, Constant) and isinstance(variable, int) and variable in kinds:
                kind, value = kinds[variable], float(number.text)
                if abs(value) <= FURTHEST * (1 if kind is Kind.DATE else DAY):  # else it stays a number
                    found[literal] = shown(value, kind)
    return found
