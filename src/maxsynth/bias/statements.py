"""The statements of a bias file as clingo's parser gives them, and what can be told from each one alone.

That is: which predicates it defines and which it uses, its value if it is a ground fact, how many instances its
ranges and pools give it, and whether it has parts that a bias may not have.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import clingo
from clingo.ast import AST, ASTSequence, ASTType, BinaryOperator, Sign

from maxsynth.errors import MaxSynthError, Position
from maxsynth.logic.predicates import Predicate

MAX_RANGE = 100_000

PARTS_REFUSED = {
    ASTType.Minimize: "optimisation",
    ASTType.External: "#external",
    ASTType.Edge: "#edge",
    ASTType.Heuristic: "#heuristic",
    ASTType.ProjectAtom: "#project",
    ASTType.ProjectSignature: "#project",
    ASTType.Script: "#script",
    ASTType.TheoryDefinition: "#theory",
    ASTType.TheoryAtom: "a theory atom",
}
_CHOICES = {ASTType.Aggregate, ASTType.HeadAggregate, ASTType.Disjunction}
_ARITHMETIC: Mapping[int, Callable[[int, int], int]] = {
    BinaryOperator.Plus: operator.add,
    BinaryOperator.Minus: operator.sub,
    BinaryOperator.Multiplication: operator.mul,
}
_OPERATIONS = {ASTType.UnaryOperation, ASTType.BinaryOperation, ASTType.Interval}


@dataclass
class Statement:
    """A rule of the file, with the predicates that it defines and those that it uses."""

    node: AST
    line: int
    fact: clingo.Symbol | None = None  # a ground fact, whole
    heads: list[Predicate] = field(default_factory=list)
    body: list[Predicate] = field(default_factory=list)
    chooses: bool = False
    instances: int = 1  # from ranges and pools alone
    positive: list[Predicate] = field(default_factory=list)


def walk(node: AST) -> Iterator[AST]:
    """A node and all below it, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        for key in reversed(current.child_keys):
            child = getattr(current, key)
            if isinstance(child, AST):
                pending.append(child)
            elif isinstance(child, ASTSequence):
                pending.extend(reversed(child))


_NATIVE_COUNT = re.compile(r"(?:1 != |not 1 = )#count \{ (?P<var>_*[A-Z][\w']*): (?P<conditions>[^{}]*) \}")
_NATIVE_CLAUSE = re.compile(r"clause\((?P<clause>_*[A-Z][\w']*)\)")
_NATIVE_TYPE = re.compile(r"var_type\(\w+,\w+,(?P<type>_*[a-z][\w']*)\)")


def native_type(rule: AST) -> str | None:
    """`t` for `:- clause(C), #count{V : clause_var(C,V), var_type(C,V,t)} != 1.` in any of its spellings.

    What has a type is a variable of the rule, so `clause_var(C,V)` may as well be left out, as most people do. clingo
    prints every spelling of a guard in one way, so the parts can be compared as text.
    """
    body = sorted(str(literal) for literal in rule.body)
    if str(rule.head) != "#false" or len(body) != 2:
        return None
    count, clause = (_NATIVE_COUNT.fullmatch(body[0]), _NATIVE_CLAUSE.fullmatch(body[1]))
    if clause is None:
        count, clause = (_NATIVE_COUNT.fullmatch(body[1]), _NATIVE_CLAUSE.fullmatch(body[0]))
    if count is None or clause is None or clause["clause"] == count["var"]:
        return None
    pair = f"({clause['clause']},{count['var']}"
    conditions = set(count["conditions"].split(", ")) - {f"clause_var{pair})"}
    if len(conditions) != 1:
        return None
    typed = conditions.pop()
    match = _NATIVE_TYPE.fullmatch(typed)
    return match["type"] if match and typed.startswith(f"var_type{pair},") else None


def _head_parts(head: AST) -> tuple[list[AST], list[AST]]:
    """The literals that a head can make true, and those that it only asks for."""
    if head.ast_type == ASTType.Literal:
        return [head], []
    elements = [element.condition if head.ast_type == ASTType.HeadAggregate else element for element in head.elements]
    return [element.literal for element in elements], [part for element in elements for part in element.condition]


def variables_in(node: AST) -> int:
    """How many variables occur in it, each as often as it does."""
    return sum(inner.ast_type == ASTType.Variable for inner in walk(node))


def compounds(rule: AST) -> list[AST]:
    """The terms around variables that a rule builds, rather than takes apart, in its head or its equations."""
    head_arguments = [
        argument
        for node in walk(rule.head)
        if node.ast_type == ASTType.SymbolicAtom
        for argument in node.symbol.arguments
    ]
    equations = [node for node in walk(rule) if node.ast_type == ASTType.Comparison]
    functions = [f for n in (*head_arguments, *equations) for f in walk(n) if f.ast_type == ASTType.Function]
    return [function for function in functions if variables_in(function)]


def computes(rule: AST) -> bool:
    """Whether it does arithmetic with variables."""
    return any(node.ast_type in _OPERATIONS and variables_in(node) for node in walk(rule))


class StatementReader:
    """Reads statements of one file. `constants` are the values of its `#const`, once they are known."""

    def __init__(self, file: str, constants: Mapping[str, clingo.Symbol]) -> None:
        self.file = file
        self.constants = constants

    def error(self, line: int, message: str, remedy: str) -> MaxSynthError:
        return MaxSynthError(message, Position(self.file, line), remedy)

    def read(self, rule: AST) -> Statement:
        line = rule.location.begin.line
        statement = Statement(rule, line)
        head, body = rule.head, rule.body
        plain_head = head.ast_type == ASTType.Literal and head.sign == Sign.NoSign
        if plain_head and not body and head.atom.ast_type == ASTType.SymbolicAtom:
            fact = self._value(head.atom.symbol)
            if fact is not None and fact.type == clingo.SymbolType.Function:
                statement.fact = fact
                statement.heads.append(Predicate(fact.name, len(fact.arguments)))
                return statement
        self.check_allowed(rule)
        statement.chooses = head.ast_type in _CHOICES
        made, conditions = _head_parts(head)
        for literal in made:
            if literal.sign == Sign.NoSign and literal.atom.ast_type == ASTType.SymbolicAtom:
                statement.heads.extend(self._signatures(literal.atom.symbol))
            else:
                conditions.append(literal)  # `not a :- b.` makes nothing true: it is a constraint
        for node in (inner for part in (*conditions, *body) for inner in walk(part)):
            if node.ast_type == ASTType.Literal and node.atom.ast_type == ASTType.SymbolicAtom:
                signatures = self._signatures(node.atom.symbol)
                statement.body.extend(signatures)
                if node.sign == Sign.NoSign:
                    statement.positive.extend(signatures)
        for node in walk(rule):
            if node.ast_type == ASTType.Pool:
                statement.instances *= max(1, len(node.arguments))
            elif node.ast_type == ASTType.Interval:
                statement.instances *= self._width(node)
        return statement

    def check_allowed(self, statement: AST) -> None:
        for node in walk(statement):
            line = statement.location.begin.line
            if node.ast_type == ASTType.Function and node.external:
                raise self.error(line, f"external function @{node.name} is not allowed in a bias", "remove it")
            if node.ast_type in PARTS_REFUSED:
                raise self.error(line, f"{PARTS_REFUSED[node.ast_type]} is not allowed in a bias", "remove it")

    def _signatures(self, symbol: AST) -> list[Predicate]:
        if symbol.ast_type == ASTType.Pool:
            return [signature for argument in symbol.arguments for signature in self._signatures(argument)]
        if symbol.ast_type != ASTType.Function:
            line = symbol.location.begin.line
            raise self.error(line, f"classical negation ({symbol}) is not allowed in a bias", "use not")
        return [Predicate(symbol.name, len(symbol.arguments))]

    def _value(self, term: AST) -> clingo.Symbol | None:
        """The value of a ground term without pools and ranges. None where clingo has to find out."""
        if term.ast_type == ASTType.SymbolicTerm:
            symbol: clingo.Symbol = term.symbol
            return self.constants.get(str(symbol), symbol) if self.constants else symbol
        if term.ast_type == ASTType.Function:
            arguments = [self._value(argument) for argument in term.arguments]
            known = [argument for argument in arguments if argument is not None]
            if term.external or len(known) < len(arguments):
                return None
            return clingo.Function(term.name, known)
        number = self._number(term)
        return None if number is None else clingo.Number(number)

    def _number(self, term: AST) -> int | None:
        """The value of a sum, difference or product of numbers, unless it leaves clingo's 32 bits."""
        result: int | None = None
        if term.ast_type == ASTType.SymbolicTerm:
            value = self._value(term)
            return value.number if value is not None and value.type == clingo.SymbolType.Number else None
        if term.ast_type == ASTType.UnaryOperation and str(term).startswith("-"):
            argument = self._number(term.argument)
            result = None if argument is None else -argument
        elif term.ast_type == ASTType.BinaryOperation and term.operator_type in _ARITHMETIC:
            left, right = self._number(term.left), self._number(term.right)
            if left is not None and right is not None:
                result = _ARITHMETIC[term.operator_type](left, right)
        return result if result is not None and -(2**31) <= result < 2**31 else None

    def _width(self, interval: AST) -> int:
        line = interval.location.begin.line
        left, right = self._number(interval.left), self._number(interval.right)
        if left is None or right is None:
            raise self.error(line, f"range {interval} has bounds that are not plain numbers", "write the numbers")
        if right - left >= MAX_RANGE:
            raise self.error(line, f"range {interval} is wider than {MAX_RANGE:,}", "narrow it")
        return max(1, right - left + 1)
