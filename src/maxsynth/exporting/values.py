"""Constants of rules as values of a column, and numbers to compare it with.

Rules compare exact values, an integer with a float too. Databases turn one into the other first, which may round. So
what a column of whole numbers is compared with becomes a whole number here, and what a column of floats is compared
with a float, such that the same values pass.
"""

from __future__ import annotations

import datetime
import math
import sys
from typing import TypeGuard

from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import Constant
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import Atom, String, Term
from maxsynth.prolog.writer import term_text

Value = str | int | float | bool | datetime.date | datetime.datetime

EPOCH = datetime.datetime(1970, 1, 1)
WHOLE = (Kind.INTEGER, Kind.DATE)
LARGEST = 2**127 - 1  # the largest integer that one of the databases has
NUMERIC = (Kind.INTEGER, Kind.REAL, Kind.DATE, Kind.TIME)


def term_of(constant: Constant) -> Term:
    return parse_term(constant.text).term


def text_of(term: Term) -> str:
    """A term in a column of texts."""
    if isinstance(term, Atom):
        return term.name
    return term.text if isinstance(term, String) else term_text(term)


def is_number(term: object) -> TypeGuard[int | float]:
    return isinstance(term, int) or (isinstance(term, float) and math.isfinite(term))


def value_of(constant: Constant, kind: Kind, *, mixed: bool = False) -> Value | None:
    """The constant as a value of a column; None where no value of this kind is equal to it.

    `mixed`: the column has whole numbers and others.
    """
    term = term_of(constant)
    if kind is Kind.TEXT:
        return text_of(term)
    if kind is Kind.YES_NO:
        return {"true": True, "false": False}.get(text_of(term))
    if type(term) is int and (kind in WHOLE or mixed):
        return as_date(term) if kind is Kind.DATE else term
    if kind is Kind.TIME:
        return as_time(term) if isinstance(term, int | float) else None
    return term if type(term) is float and kind is Kind.REAL else None


def bound_of(constant: Constant, comparison: str, kind: Kind) -> tuple[str, Value] | None:
    """What a column of this kind has to be compared with, and how; None where the constant is no number."""
    number = term_of(constant)
    if not is_number(number):
        return None
    upwards = comparison in (">=", "<")  # then the next value above a number will do for it
    most = LARGEST if kind in WHOLE else sys.float_info.max
    if abs(number) > most:  # as none of the values is
        beyond = {">=": ">", "<": "=<"} if number > 0 else {">": ">=", "=<": "<"}
        comparison, number = beyond.get(comparison, comparison), most if number > 0 else -most
    if kind in WHOLE:
        whole = math.ceil(number) if upwards else math.floor(number)
        return comparison, as_date(whole) if kind is Kind.DATE else whole
    near = nearest(number, upwards)
    return comparison, as_time(near) if kind is Kind.TIME else near


def nearest(number: int | float, upwards: bool) -> int | float:
    """The float that takes the place of a number; a whole number stays one where there is such a float."""
    near = float(number)
    if near == number:
        return number
    if upwards:
        return near if near > number else math.nextafter(near, math.inf)
    return near if near < number else math.nextafter(near, -math.inf)


def as_date(days: int) -> datetime.date:
    try:
        return (EPOCH + datetime.timedelta(days=days)).date()
    except OverflowError:
        raise MaxSynthError(
            f"{days} days from 1970-01-01 is no date of the calendar", remedy="export it to prolog"
        ) from None


def as_time(seconds: int | float) -> datetime.datetime:
    try:
        return EPOCH + datetime.timedelta(seconds=seconds)
    except OverflowError:
        raise MaxSynthError(
            f"{seconds} seconds from 1970-01-01 is no time of the calendar", remedy="export it to prolog"
        ) from None
