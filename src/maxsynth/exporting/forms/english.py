"""A program as sentences.

Of data, sentences speak of its tables and columns (`telling`). Of Prolog facts and graphs there are only the names of
predicates: `A is a grandparent of B if A is a parent of some C and C is a parent of B.`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from maxsynth.data.tables import Kind
from maxsynth.exporting.forms.openings import opening
from maxsynth.exporting.forms.telling import tell
from maxsynth.exporting.forms.words import listed, predicate_phrase, property_phrase, said, words
from maxsynth.exporting.kinds import Sorts, sorts_of, variable_sorts
from maxsynth.exporting.subject import Subject
from maxsynth.exporting.values import is_number, term_of, text_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Constant, Literal, Rule, variable_names

COMPARED = {">=": "at least", "=<": "at most", "<": "less than", ">": "more than"}


def english(*subjects: Subject) -> str:
    return "".join(f"{line}\n" for subject in subjects for line in sentences(subject))


def sentences(subject: Subject) -> Iterator[str]:
    """A sentence for the target, and one for each predicate that was invented."""
    of_tables = subject.from_data and subject.form != "graph"
    sorts = sorts_of(subject, whole=False)
    for predicate in dict.fromkeys([subject.target, *(rule.head.predicate for rule in subject.program.rules)]):
        rules = [rule for rule in subject.program.rules if rule.head.predicate == predicate]
        if of_tables and predicate == subject.target:
            yield opening(subject, rules)
            yield from ends([tell(subject, rule, sorts) for rule in rules])
        else:
            yield opening_of_facts(predicate, bool(rules), invented=predicate != subject.target)
            yield from ends([FactTeller(rule, sorts, subject).body() for rule in rules])
    if subject.uses_known():
        yield "What is known of a pair itself does not count for it."


def ends(bodies: list[str]) -> Iterator[str]:
    """What follows the opening: one line a rule."""
    for number, body in enumerate(bodies):
        begin = "  or if" if number else "  if"
        yield f"{begin} {body}{'.' if number == len(bodies) - 1 else ''}"


def opening_of_facts(predicate: Predicate, some: bool, *, invented: bool) -> str:
    names = [letter(i) for i in range(predicate.arity)]
    if some:
        return ("Here, " if invented else "") + atom_phrase(predicate.name, names)
    if predicate.arity == 1:
        return f"Nothing {property_phrase(predicate.name)}."
    return f"There is no case of {words(predicate.name)}: the program has no rules."


def atom_phrase(name: str, args: list[str]) -> str:
    if not args:
        return f"{words(name)} holds"
    if len(args) == 1:
        return f"{args[0]} {property_phrase(name)}"
    if len(args) == 2:
        return predicate_phrase(name, *args)
    return f"{words(name)} holds for {listed(args)}"


def letter(number: int) -> str:
    return chr(65 + number) if number < 26 else f"A{number}"


class FactTeller:
    """A rule about things that have no names but letters."""

    def __init__(self, rule: Rule, sorts: Sorts, subject: Subject) -> None:
        self.rule, self.subject = rule, subject
        self.sorts = variable_sorts(rule, sorts)
        self.names = dict(variable_names(rule))
        for i, arg in enumerate(rule.head.args):  # as the opening calls them
            if isinstance(arg, int):
                self.names[arg] = letter(i)
        others = [v for v in self.names if v not in rule.head.variables and self.names[v] != "_"]
        for number, variable in enumerate(others, len(rule.head.args)):
            self.names[variable] = letter(number)
        self.known = set(rule.head.variables)
        self.counts = Counter(arg for literal in rule.literals() for arg in literal.args if isinstance(arg, int))

    def body(self) -> str:
        fixed = [(i, arg) for i, arg in enumerate(self.rule.head.args) if isinstance(arg, Constant)]
        parts = [f"{letter(i)} is {said(value_shown(arg))}" for i, arg in fixed]
        self.left = list(self.rule.body)
        while self.left:
            parts.append(self.literal(self.left.pop(0)))
        return listed(parts) or "anything is so"

    def literal(self, literal: Literal) -> str:
        args = literal.args
        if self.subject.is_built_in(literal.predicate):
            if literal.predicate == SUM:
                return f"{self.argument(args[2])} is {self.argument(args[0])} plus {self.argument(args[1])}"
            return f"{self.argument(args[0])} is {COMPARED[literal.name]} {self.argument(args[1])}"
        if len(args) == 2 and self.is_value(args[1]) and literal.predicate not in self.subject.program.defined:
            of = self.argument(args[0])
            return f"the {words(literal.name)} of {of} is {self.bounds(args[1]) or self.argument(args[1], value=True)}"
        return atom_phrase(literal.name, [self.argument(arg) for arg in args])

    def bounds(self, arg: Argument) -> str:
        """What a number is compared with, where nothing else is said of it."""
        tests = [literal for literal in self.left if arg in literal.args]
        plain = all(
            literal.name in COMPARED and literal.args[0] == arg and isinstance(literal.args[1], Constant)
            for literal in tests
        )
        if isinstance(arg, Constant) or arg in self.known or not plain or self.counts[arg] != len(tests) + 1:
            return ""
        self.left = [literal for literal in self.left if literal not in tests]
        return " and ".join(f"{COMPARED[literal.name]} {self.argument(literal.args[1])}" for literal in tests)

    def is_value(self, arg: Argument) -> bool:
        """Whether it is a value of something rather than a thing: a constant, or a number."""
        if isinstance(arg, Constant):
            return True
        return arg in self.sorts and self.sorts[arg].kind in (Kind.INTEGER, Kind.REAL)

    def argument(self, arg: Argument, *, value: bool = False) -> str:
        if isinstance(arg, Constant):
            return said(value_shown(arg))
        if self.names[arg] == "_" or (self.counts[arg] == 1 and arg not in self.rule.head.variables):
            return "something"
        if arg in self.known:
            return self.names[arg]
        self.known.add(arg)
        return self.names[arg] if value else f"some {self.names[arg]}"


def value_shown(constant: Constant) -> object:
    term = term_of(constant)
    return term if is_number(term) else text_of(term)
