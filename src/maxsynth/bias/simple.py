"""Bias files that need no clingo, which takes longer to load than such a file to read.

Nearly all files are made of four kinds of statements:

    body_pred(p,2).  type(p,(t1,t2)).                                   facts of constants, numbers and flat tuples
    :- clause(C), #count{V : clause_var(C,V), var_type(C,V,t)} != 1.    the constraint that every search understands,
                                                                        also without clause_var(C,V)
    body_pred(P,1) :- constant(P,_).                                    rules with one literal, of facts
    colour(red;green).                                                  several facts of one argument, for such rules

`read_simple` evaluates those. It answers None for every file with anything else in it, and for every file that deserves
an error or a warning: what it has an answer for means the same to clingo (the tests compare the two).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from maxsynth.bias.evaluated import Atom, Constraints, EvaluatedBias, Term
from maxsynth.bias.vocabulary import DIRECTIVES, MAY_BE_OWN, PROGRAM_ATOMS
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.reading.late import late

MOST_INSTANCES = 10_000  # of rules: for more, clingo is the one to ask

_BLANKS = " \t\n"
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|-?[0-9]+|:-|!=|#count|[(),.:;{}]")

# The statements, with a blank between any two tokens.
_NAME = r"(?!not\b)[a-z][A-Za-z0-9_]*"
_VARIABLE = r"[A-Z][A-Za-z0-9_]*"
_TERM = rf"(?:{_NAME}|{_VARIABLE}|_|0|-?[1-9][0-9]{{0,8}})"
_TUPLE = rf"\( {_TERM} ,(?: {_TERM}(?: , {_TERM})*)? \)"  # `(t)` is none
_ARGUMENT = rf"(?:{_TERM}|{_TUPLE})"
_LITERAL = rf"{_NAME}(?: \( {_ARGUMENT}(?: , {_ARGUMENT})* \))?"
_FORM = late(_LITERAL)
_POOL = late(rf"(?P<name>{_NAME}) \( (?P<terms>{_TERM}(?: ; {_TERM})+) \) \.")
_ONE_OF_TYPE = late(
    rf":- clause \( (?P<clause>{_VARIABLE}) \) , #count {{ (?P<variable>{_VARIABLE}) : "
    r"(?:clause_var \( (?P=clause) , (?P=variable) \) , )?"
    rf"var_type \( (?P=clause) , (?P=variable) , (?P<type>{_NAME}) \) }} != 1 \."
)
_PARTS = re.compile(r"\(([^()]*)\)|([^(), ]+)")

Argument = str | tuple["Argument", ...]  # a name, a number or a variable, or several in a tuple


class _Literal(NamedTuple):
    predicate: Predicate
    arguments: tuple[Argument, ...]


class _Rule(NamedTuple):
    head: _Literal
    body: _Literal
    line: int


def read_simple(text: str) -> EvaluatedBias | None:
    """What the text of a bias file says, without comments; None where it is not simple."""
    if _TOKEN.sub("", text).strip(_BLANKS):
        return None
    facts: dict[_Literal, int] = {}
    rules: list[_Rule] = []
    types: dict[str, int] = {}
    for statement, line in _statements(text):
        head, neck, body = statement.removesuffix(" .").partition(" :- ")
        if statement.endswith(" .") and _FORM.fullmatch(head) and (not neck or _FORM.fullmatch(body)):
            if neck:
                rules.append(_Rule(_split(head), _split(body), line))
            else:
                facts.setdefault(_split(head), line)
        elif (pool := _POOL.fullmatch(statement)) and (predicate := Predicate(pool["name"], 1)) not in DIRECTIVES:
            for term in pool["terms"].split(" ; "):
                facts.setdefault(_Literal(predicate, (term,)), line)
        elif (one := _ONE_OF_TYPE.fullmatch(statement)) and one["clause"] != one["variable"]:
            types.setdefault(one["type"], line)
        else:
            return None
    if not _are_simple(facts, rules):
        return None
    atoms = facts | _derived(facts, rules)
    own = MAY_BE_OWN & {rule.body.predicate for rule in rules}
    directives = [
        _atom(literal, line)
        for literal, line in atoms.items()
        if literal.predicate in DIRECTIVES and literal.predicate not in own
    ]
    return EvaluatedBias(directives, types, Constraints(), ())


def _statements(text: str) -> Iterator[tuple[str, int]]:
    """The statements, with one blank between tokens, each with its line."""
    words: list[str] = []
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        if not words:
            line += text.count("\n", counted, token.start())
            counted = token.start()
        words.append(token[0])
        if token[0] == ".":
            yield " ".join(words), line
            words = []
    if words:
        yield " ".join(words), line


def _split(literal: str) -> _Literal:
    name, _, rest = literal.partition(" (")
    arguments = tuple(
        found[2] if found[1] is None else tuple(re.findall(r"[^, ]+", found[1])) for found in _PARTS.finditer(rest[:-1])
    )
    return _Literal(Predicate(name, len(arguments)), arguments)


def _are_simple(facts: dict[_Literal, int], rules: Sequence[_Rule]) -> bool:
    """Whether the facts are ground, the rules go from facts to directives, and nothing is left to complain about."""
    defined = {fact.predicate for fact in facts}
    used = {rule.body.predicate for rule in rules}
    return (
        not any(_variables(fact) for fact in facts)
        and (defined <= used | DIRECTIVES.keys())
        and not defined & PROGRAM_ATOMS
        and used <= defined
        and not used & {rule.head.predicate for rule in rules}
        and all(rule.head.predicate in DIRECTIVES for rule in rules)
        and all(_variables(rule.head) <= _variables(rule.body) - {"_"} for rule in rules)
        and len(facts) * len(rules) <= MOST_INSTANCES
    )


def _variables(literal: _Literal) -> set[str]:
    return {word for word in _words(literal.arguments) if word[0].isupper() or word == "_"}


def _words(arguments: tuple[Argument, ...]) -> Iterator[str]:
    for argument in arguments:
        yield from (argument,) if isinstance(argument, str) else _words(argument)


def _derived(facts: dict[_Literal, int], rules: Sequence[_Rule]) -> dict[_Literal, int]:
    """What the rules make of the facts, in clingo's order; each with the first line that defines its predicate."""
    lines: dict[Predicate, int] = {}
    found: set[_Literal] = set()
    for rule in rules:
        lines.setdefault(rule.head.predicate, rule.line)
        for fact in facts:
            bound = _match(rule.body, fact)
            if bound is not None:
                found.add(_put(bound, rule.head))
    return {literal: lines[literal.predicate] for literal in sorted(found - facts.keys(), key=_place)}


def _match(pattern: _Literal, fact: _Literal) -> dict[str, Argument] | None:
    """The values of the variables with which the pattern is the fact."""
    if pattern.predicate != fact.predicate:
        return None
    bound: dict[str, Argument] = {}

    def matches(part: Argument, value: Argument) -> bool:
        if isinstance(part, tuple):
            return isinstance(value, tuple) and len(part) == len(value) and all(map(matches, part, value))
        if part == "_":
            return True
        return (bound.setdefault(part, value) if part[0].isupper() else part) == value

    return bound if all(map(matches, pattern.arguments, fact.arguments)) else None


def _put(bound: dict[str, Argument], literal: _Literal) -> _Literal:
    """The literal with values in place of its variables."""

    def put(part: Argument) -> Argument:
        return tuple(map(put, part)) if isinstance(part, tuple) else bound.get(part, part)

    return _Literal(literal.predicate, tuple(map(put, literal.arguments)))


def _place(literal: _Literal) -> tuple[object, ...]:
    """The place of an atom in clingo's order: functions by arity, name and arguments."""
    return literal.predicate.arity, literal.predicate.name, [_term_place(argument) for argument in literal.arguments]


def _term_place(term: Argument) -> tuple[object, ...]:
    """The place of a term: numbers come first, then constants, then tuples, shorter ones first."""
    if isinstance(term, tuple):
        return 2, len(term), [_term_place(part) for part in term]
    return (0, int(term)) if _is_number(term) else (1, term)


def _atom(literal: _Literal, line: int) -> Atom:
    return Atom(literal.predicate.name, tuple(map(_term, literal.arguments)), line)


def _term(argument: Argument) -> Term:
    if isinstance(argument, tuple):
        parts = tuple(map(_term, argument))
        inside = ",".join(part.text for part in parts)
        return Term(f"({inside}{',' if len(parts) == 1 else ''})", parts=parts)
    return Term(argument, number=int(argument)) if _is_number(argument) else Term(argument)


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word[0] == "-"
