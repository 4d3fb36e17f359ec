"""How much clingo would have to ground for a bias, estimated before it is asked to.

Grounding cannot be stopped, and takes all the memory it wants. So what is too much is refused: too many atoms that a
program is made of, or a constraint of the bias that joins too many of them. `maxsynth.bias.bounds` does the same for
directives, and cannot do it for constraints: how many atoms there are depends on the whole bias.

The instances of a constraint are at most the product, literal by literal, of the values that the new variables of each
can take. Rules that help constraints may be recursive; for their atoms the variables are taken to range over as many
values as a rule has variables, which may be too few. A guess that is too low lets clingo try.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from math import perm, prod

from clingo.ast import AST, ASTType, Sign

from maxsynth.bias.bias import Bias
from maxsynth.bias.constraints import parsed
from maxsynth.bias.statements import walk
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate

MAX_CLAUSES = 16
MAX_ATOMS = 40_000
MAX_INSTANCES = 5_000_000


def check_clauses(bias: Bias) -> None:
    if bias.most_clauses > MAX_CLAUSES:
        raise MaxSynthError(
            f"max_clauses is {bias.max_clauses}, and programs that clingo generates have at most {MAX_CLAUSES} rules",
            bias.constraint_position,
            "lower it",
        )


def check_grounding(
    bias: Bias, constraints: str, heads: list[Predicate], called: list[Predicate], max_clauses: int
) -> None:
    """Raises an error when programs with these heads and calls, under these constraints, are too much for clingo."""
    atoms = max_clauses * (len(heads) + sum(perm(bias.max_vars, predicate.arity) for predicate in called))
    if atoms > MAX_ATOMS:
        raise MaxSynthError(
            f"a program may have {atoms:,} different literals, and clingo, which generates them, takes {MAX_ATOMS:,}",
            bias.constraint_position,
            "lower max_vars or max_clauses, or declare fewer predicates",
        )
    space = Space(bias, constraints, heads, called, max_clauses)
    total = 0
    for rule in parsed(constraints):
        total += space.instances(rule)
        if total > MAX_INSTANCES:
            raise MaxSynthError(
                f"a constraint of the bias has more than {MAX_INSTANCES:,} instances in this space: `{rule}`",
                bias.constraint_position,
                "join fewer literals in it, or lower max_vars or max_clauses",
            )


@dataclass
class Space:
    """How many values there are at each place of a program atom."""

    bias: Bias
    constraints: str
    heads: list[Predicate]
    called: list[Predicate]
    max_clauses: int
    facts: Counter[str] = field(init=False)  # that the bias derives, by name

    def __post_init__(self) -> None:
        self.facts = Counter(
            rule.head.atom.symbol.name
            for rule in parsed(self.constraints)
            if not rule.body
            and rule.head.ast_type == ASTType.Literal
            and rule.head.atom.ast_type == ASTType.SymbolicAtom
        )

    def instances(self, rule: AST) -> int:
        """About how many instances a rule has, at most; those of the elements of its aggregates included."""
        bound: set[str] = set()
        outer = self.joined(rule.body, bound)
        inner = 0
        for node in walk(rule):
            if node.ast_type in (ASTType.BodyAggregateElement, ASTType.ConditionalLiteral):
                inner += self.joined(node.condition, set(bound))
        widths = prod(width(node) for node in walk(rule) if node.ast_type == ASTType.Interval)
        return outer * widths * (1 + inner)

    def joined(self, literals: Iterable[AST], bound: set[str]) -> int:
        """What the literals can bind together; their variables become bound."""
        count = 1
        for literal in literals:
            positive = literal.ast_type == ASTType.Literal and literal.sign == Sign.NoSign
            symbol = literal.atom.symbol if positive and literal.atom.ast_type == ASTType.SymbolicAtom else None
            if symbol is not None and symbol.ast_type == ASTType.Function:
                count *= self.answers(symbol, bound)
        return count

    def answers(self, atom: AST, bound: set[str]) -> int:
        """How many values the variables of an atom can have that nothing before it binds."""
        arguments = list(atom.arguments)
        places = self.places(atom.name, arguments)
        values = 1
        for argument, many in zip(arguments, places, strict=True):
            new = {node.name for node in walk(argument) if node.ast_type == ASTType.Variable} - bound - {"_"}
            bound |= new
            if argument.ast_type == ASTType.Variable:
                values *= many if new else 1
            else:  # a tuple of variables
                values *= self.bias.max_vars ** len(new)
        return max(1, min(values, self.extension(atom.name, arguments)))

    def places(self, name: str, arguments: list[AST]) -> list[int]:
        bias, rules = self.bias, self.max_clauses
        literals = self.heads if name == "head_literal" else self.called
        tuples = sum(perm(bias.max_vars, arity) for arity in {predicate.arity for predicate in literals})
        known = {
            "head_literal": [rules, len(literals), len(literals), tuples],
            "body_literal": [rules, len(literals), len(literals), tuples],
            "clause": [rules],
            "clause_var": [rules, bias.max_vars],
            "var_type": [rules, bias.max_vars, len(set(chain(*bias.types.values())))],
            "body_size": [rules, bias.max_body],
            "size": [rules * (1 + bias.max_body)],
        }.get(name, [])
        return known if len(known) == len(arguments) else [max(rules, bias.max_vars)] * len(arguments)

    def extension(self, name: str, arguments: list[AST]) -> int:
        """How many atoms of this name fit the constants among the arguments."""
        if name not in ("head_literal", "body_literal") or len(arguments) != 4:
            many = prod(self.places(name, arguments))
            return min(self.facts[name], many) if self.facts[name] else many
        literals = self.heads if name == "head_literal" else self.called
        fit = [
            predicate
            for predicate in literals
            if fits(arguments[1], predicate.name) and fits(arguments[2], str(predicate.arity))
        ]
        tuples = 1 if name == "head_literal" else sum(perm(self.bias.max_vars, predicate.arity) for predicate in fit)
        return self.max_clauses * max(1, tuples)


def fits(argument: AST, value: str) -> bool:
    return argument.ast_type != ASTType.SymbolicTerm or str(argument).strip('"') == value


def width(interval: AST) -> int:
    """Of a range of plain numbers."""
    try:
        return max(1, int(str(interval.right)) - int(str(interval.left)) + 1)
    except ValueError:
        return 1
