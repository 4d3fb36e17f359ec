"""Rules as text for comments: numbers that stand for dates and times are told as such."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.exporting.kinds import Sorts, variable_sorts
from maxsynth.exporting.values import as_date, as_time, term_of
from maxsynth.logic.programs import Constant, Literal, Rule


def told(rule: Rule, sorts: Sorts) -> str:
    """The rule on one line, and which dates its numbers are."""
    return one_line(" ".join([str(rule), *(f"({text} is {shown})" for text, shown in dates_in(rule, sorts).items())]))


def dates_in(rule: Rule, sorts: Sorts) -> dict[str, str]:
    """The constants of a rule that are dates or times, and what they look like as such."""
    found = {}
    for literal in rule.body:
        for constant, kind in typed_constants(rule, literal, sorts):
            term = term_of(constant)
            if kind in (Kind.DATE, Kind.TIME) and isinstance(term, int | float):
                try:
                    found[constant.text] = shown(as_date(int(term)) if kind is Kind.DATE else as_time(term))
                except MaxSynthError:  # beyond the calendar: it stays a number
                    continue
    return found


def typed_constants(rule: Rule, literal: Literal, sorts: Sorts) -> Iterator[tuple[Constant, Kind]]:
    """The constants of a literal, with the kind of the column that they are in or are compared with."""
    variables = variable_sorts(rule, sorts)
    beside = [variables[arg].kind for arg in literal.args if isinstance(arg, int) and arg in variables]
    for i, arg in enumerate(literal.args):
        if isinstance(arg, Constant):
            sort = sorts.get((literal.predicate, i))
            yield arg, sort.kind if sort is not None else beside[0] if beside else Kind.TEXT


def shown(value: datetime.date | datetime.datetime) -> str:
    return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
