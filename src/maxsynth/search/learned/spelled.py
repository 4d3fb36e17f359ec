"""What predicates with constants in them mean: the light part of `spelling`, which every search needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maxsynth.bias.bias import Bias
from maxsynth.bias.learned import AT_LEAST, AT_MOST
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Constant, Literal, Program, Rule
from maxsynth.logic.tested import TestWriter
from maxsynth.task.task import ReadTask

OPEN = Constant("_")  # where a number is left open


@dataclass(frozen=True)
class Filled:
    """A predicate, and the constants that stand at some of its places; one on numbers is told apart by their type."""

    base: Predicate
    constants: tuple[Constant | None, ...]
    type: str = ""
    column: Predicate | None = None  # of which the value is compared, and not the argument itself

    @property
    def name(self) -> str:
        args = ",".join("_" if one is None else one.text for one in self.constants)
        of = self.type if self.column is None else str(self.column)
        return f"{self.base.name}({args}){of and ' of ' + of}"

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, self.constants.count(None))

    @property
    def left(self) -> list[int]:
        """The places of variables."""
        return [place for place, one in enumerate(self.constants) if one is None]

    def literal(self, args: Sequence[Argument]) -> Literal:
        given = iter(args)
        return Literal(self.base.name, tuple(next(given) if one is None else one for one in self.constants))


@dataclass(frozen=True)
class Spelled:
    """A task that is spelled out, and what its predicates mean."""

    task: ReadTask
    meaning: dict[Predicate, Filled]

    def written(self, program: Program) -> Program:
        """A program with the literals that are meant."""
        return Program(tuple(self.written_rule(rule) for rule in program.rules)) if self.meaning else program

    def written_rule(self, rule: Rule) -> Rule:
        body: list[Literal] = []
        writer = TestWriter(1 + max(arg for literal in rule.literals() for arg in literal.variables or {-1}))
        for literal in rule.body:
            filled = self.meaning.get(literal.predicate)
            if filled is None:
                body.append(literal)
            elif filled.column is None:
                body.append(filled.literal(literal.args))
            else:
                (thing,), number = literal.args, filled.constants[1]
                assert isinstance(thing, int)
                assert number is not None
                body += writer.literals(filled.column, thing, filled.base.name, number)
        return Rule(rule.head, tuple(body))


def open_tests(bias: Bias) -> dict[Predicate, str]:
    """The predicates that stand for a comparison with an open number, and the operators."""
    types = {name for names in bias.types.values() for name in names}
    found = (Filled(Predicate(operator, 2), (None, OPEN), name) for operator in (AT_LEAST, AT_MOST) for name in types)
    return {filled.predicate: filled.base.name for filled in found if filled.predicate in bias.spelled}


def can_be_open(bias: Bias) -> bool:
    """Whether numbers can be left open in programs that call themselves.

    Such a program has one rule of each kind then (of two with open numbers, none is redundant beside the other), and
    calls are made with all arguments given, so that the instances of a rule do not depend on what calls answer.
    """
    given = bias.directions.get(bias.head, ("out",))
    return bias.most_clauses == 2 and all(mode == "in" for mode in given)
