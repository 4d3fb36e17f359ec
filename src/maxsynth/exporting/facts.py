"""The Prolog that a program was learned with, as far as it can be told in tables.

Facts are tables. Rules of BK go along with the program where they are as simple as learned ones: `parent(X,Y) :-
mother(X,Y).` Rules that take terms apart, that negate or that call Prolog's own predicates cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.subject import Background, Place, called
from maxsynth.exporting.values import is_number, text_of
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule, parse_rule
from maxsynth.prolog.consult import Consulted
from maxsynth.prolog.terms import TRUE, Struct, Term
from maxsynth.prolog.writer import term_text

Values = dict[Place, list[Term]]


def background_of(program: Program, source: Consulted, functions: Collection[Predicate] = ()) -> Background:
    """What the program needs of BK."""
    rules: list[Rule] = []
    unsayable: dict[Predicate, str] = {}
    tables: dict[Predicate, str] = {}
    values: Values = {}
    waiting, seen = called(program), set(program.defined)
    for predicate in waiting:
        if predicate in seen or (predicate in BUILT_IN and predicate not in source):
            continue
        seen.add(predicate)
        if predicate in functions:
            unsayable[predicate] = "a Python function"
        elif predicate not in source and predicate not in source.dynamic:
            unsayable[predicate] = "no fact or rule of the background knowledge"
        elif predicate not in source.rules:
            values |= values_of(predicate, predicate, source)
        else:
            try:
                found = rules_for(predicate, source)
            except MaxSynthError as problem:
                unsayable[predicate] = f"defined by rules that tables cannot follow ({problem.message})"
                continue
            if predicate in source.tables:
                listed = Predicate(f"{predicate.name} as listed", predicate.arity)
                tables[listed] = predicate.name
                values |= values_of(listed, predicate, source)
                variables = tuple(range(predicate.arity))
                found.append(Rule(Literal(predicate.name, variables), (Literal(listed.name, variables),)))
                seen.add(listed)
            rules += found
            waiting += called(Program(tuple(found)))
    unsayable |= blame(program, rules, unsayable)
    kinds = {place: kind_of(terms) for place, terms in values.items() if terms}
    mixed = frozenset(place for place in kinds if is_mixed(values[place]))
    return Background(kinds, mixed, tuple(rules), tables, unsayable, equal_values(values, kinds, mixed))


def blame(program: Program, rules: Iterable[Rule], unsayable: dict[Predicate, str]) -> dict[Predicate, str]:
    """The predicates that the program calls, and whose rules call what cannot be said."""
    found = dict(unsayable)
    before = -1
    while len(found) > before:
        before = len(found)
        for rule in rules:
            for literal in rule.body:
                if literal.predicate in found and rule.head.predicate not in program.defined:
                    found.setdefault(rule.head.predicate, f"defined by {literal.predicate}, {found[literal.predicate]}")
    return found


def values_of(named: Predicate, predicate: Predicate, source: Consulted) -> Values:
    """The distinct terms of each argument of a predicate's facts."""
    if predicate not in source.tables:
        return {(named, i): [] for i in range(predicate.arity)}
    rows = source.tables[predicate].rows()
    return {
        (named, i): [source.store.term(known) for known in np.unique(rows[:, i]).tolist()]
        for i in range(predicate.arity)
    }


def rules_for(predicate: Predicate, source: Consulted) -> list[Rule]:
    """The rules of BK for a predicate; a `MaxSynthError` says what is too much in them."""
    found = []
    for _, clause in source.rules[predicate]:
        term = clause.head if clause.body == TRUE else Struct(":-", (clause.head, clause.body))
        rule = parse_rule(term, clause.position)
        bound = {arg for literal in rule.body if literal.predicate not in BUILT_IN for arg in literal.args}
        open_ = rule.head.variables - bound
        if open_:
            raise MaxSynthError(f"`{rule}` leaves an argument open")
        unknown = [
            literal
            for literal in rule.body
            if literal.predicate not in source
            and literal.predicate not in source.dynamic
            and literal.predicate not in BUILT_IN
        ]
        if unknown:
            raise MaxSynthError(f"`{unknown[0].predicate}` is Prolog's own")
        found.append(rule)
    return found


def kind_of(terms: Iterable[Term]) -> Kind:
    types = {type(term) for term in terms}
    if types == {int}:
        return Kind.INTEGER
    return Kind.REAL if types <= {int, float} and all(map(is_number, terms)) else Kind.TEXT


def is_mixed(terms: Iterable[Term]) -> bool:
    """Whether there are numbers of two kinds, or numbers among others, or texts of two kinds."""
    return len({type(term) for term in terms}) > 1


def equal_values(values: Values, kinds: dict[Place, Kind], mixed: Collection[Place]) -> str:
    """Two terms that would be one value in a column, or in two that may meet, as a message names them; or nothing.

    Columns with one type of terms do not meet columns with another, so only mixed ones matter, and all of their kind.
    """
    numbers = {place for place, kind in kinds.items() if kind in (Kind.INTEGER, Kind.REAL)}
    for places in (numbers, kinds.keys() - numbers):
        if not places & set(mixed) and len({type(values[place][0]) for place in places - numbers}) < 2:
            continue
        seen: dict[object, Term] = {}
        for term in (term for place in sorted(places) for term in values[place]):
            value = term if places is numbers else text_of(term)
            if type(seen.setdefault(value, term)) is not type(term):
                return f"`{term_text(seen[value])}` and `{term_text(term)}`"
    return ""
