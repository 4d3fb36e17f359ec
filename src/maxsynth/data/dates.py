"""Programs with dates: in a task these are numbers, and a comment tells which date a number is.

late(A) :- due(A,B), B =< 7305 /* 1990-01-01 */.
"""

from __future__ import annotations

from collections.abc import Mapping

from maxsynth.data.inference.values import shown
from maxsynth.data.meaning import Meaning
from maxsynth.data.tables import Kind
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.programs import Constant, Program, Rule, variable_names

DATED = (Kind.DATE, Kind.TIME)
Meanings = Mapping[tuple[str, int], Meaning]


def program_text(program: Program, meanings: Meanings) -> str:
    return "\n".join(rule_text(rule, meanings) for rule in program.rules)


def rule_text(rule: Rule, meanings: Meanings) -> str:
    """A rule as it prints, with a comment behind each number that is a date or a time."""
    dated = {
        arg: argument.kind
        for literal in rule.body
        if (meaning := meanings.get((literal.name, len(literal.args)))) is not None
        for arg, argument in zip(literal.args, meaning.arguments, strict=True)
        if argument.kind in DATED and isinstance(arg, int)
    }
    if not dated:
        return str(rule)
    names = variable_names(rule)
    parts = []
    for literal in rule.body:
        text = literal.text(names)
        variable, number = literal.args if literal.predicate in BUILT_IN and len(literal.args) == 2 else (None, None)
        if isinstance(number, Constant) and isinstance(variable, int) and variable in dated:
            text += f" /* {shown(float(number.text), dated[variable])} */"
        parts.append(text)
    return f"{rule.head.text(names)} :- {', '.join(parts)}."
