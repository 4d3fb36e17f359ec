"""Constraints of a bias that the search understands by itself, however they are spelled.

clingo gives the syntax tree of a statement. What is looked for (`RuleLimits` says what it becomes):

    :- clause(C), #count{V : var_type(C,V,t)} > 2.                        variables of a type
    :- clause(C), #count{Vars : body_literal(C,p,_,Vars)} > 1.            literals of a predicate
    :- body_literal(C,p,_,V), body_literal(C,p,_,W), V != W.              the same
    :- only_once(P), clause(C), #count{Vars : body_literal(C,P,_,Vars)} > 1.      for each `only_once(p).` of the file
    :- body_literal(C,p,_,_), body_literal(C,q,_,_).                      two predicates not together
    :- body_literal(C,p,2,(1,_)).                                         a predicate, or a head variable at a place
    :- clause(C), not body_literal(C,p,_,_).                              one that must be there
    :- head_literal(C,_,_,(V,_)), not body_literal(C,p,_,(V,_)).          the same, at a place
    :- clause(C), not body_var(C,1).                                      a head variable that must
    :- body_size(C,N), N > 4.                                             at most so many literals

All of a statement must be about one rule `C`, and what stands in it besides must be known from facts of the file: these
are put in for their variables first, one way after the other. Anything else is left to clingo (None).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import perm
from typing import Any

import clingo
from clingo.ast import (
    AST,
    AggregateFunction,
    ASTType,
    ComparisonOperator,
    Sign,
    SymbolicTerm,
    Transformer,
    Variable,
    parse_string,
)

from maxsynth.bias.constraints import NAMED
from maxsynth.bias.limits import OTHER, Kind, LiteralLimit, Pattern, RuleLimits, TypeLimit
from maxsynth.bias.popper import BODY_VAR
from maxsynth.bias.statements import walk
from maxsynth.logic.predicates import Predicate

MOST_WAYS = 2_000  # of putting facts in
MOST_COUNTED = 64  # more than a rule has of anything

Rows = Sequence[tuple[clingo.Symbol, ...]]
Values = Mapping[str, clingo.Symbol]

_COMPARE: Mapping[int, Callable[[Any, Any], bool]] = {
    ComparisonOperator.Equal: lambda a, b: a == b,
    ComparisonOperator.NotEqual: lambda a, b: a != b,
    ComparisonOperator.LessThan: lambda a, b: a < b,
    ComparisonOperator.LessEqual: lambda a, b: a <= b,
    ComparisonOperator.GreaterThan: lambda a, b: a > b,
    ComparisonOperator.GreaterEqual: lambda a, b: a >= b,
}
_UNEQUAL = (ComparisonOperator.NotEqual, ComparisonOperator.LessThan, ComparisonOperator.GreaterThan)


class NotNative(Exception):
    """The statement is one for clingo: no error, but a way out."""


@dataclass(frozen=True)
class Known:
    """What is known of a bias before its constraints are read: its facts, by predicate, and what rules are like."""

    facts: Mapping[Predicate, Rows]
    early: Set[Predicate]  # the predicates of which these are all facts, whatever the program is
    head: Predicate
    head_types: Sequence[str]
    max_vars: int
    datalog: bool  # whether every head variable is in the body anyway


def native_limits(rule: AST, known: Known) -> RuleLimits | None:
    """What a statement limits in every rule; None where clingo has to judge it."""
    if str(rule.head) != "#false":
        return None
    try:
        body = with_head(rule.body, known)
        listed = listed_literals(body, known)
        if listed is not None:
            return RuleLimits(literals=(LiteralLimit(listed, most=0),))
        limits = RuleLimits()
        for ways, values in enumerate(ways_to_fill(body, known)):
            if ways >= MOST_WAYS:
                return None
            limits = limits.both(Instance([put(part, values) for part in body], known).limits())
    except NotNative:
        return None
    return limits


def with_head(body: Sequence[AST], known: Known) -> list[AST]:
    """The body with `clause(C)` for `head_literal(C,P,A,Vars)`, and what that says of the head put in everywhere.

    All rules have the same head. A body that speaks of another one is true of no rule.
    """
    (name, _), arity = known.facts[Predicate("head_pred", 2)][0], known.head.arity
    head = name, clingo.Number(arity), clingo.Tuple_([clingo.Number(place) for place in range(arity)])
    values: dict[str, clingo.Symbol] = {}
    changed: list[AST] = []
    for literal in body:
        atom = atom_of(literal)
        if atom is None or atom[0] != Predicate("head_literal", 4) or literal.sign != Sign.NoSign:
            changed.append(literal)
            continue
        if not all(_matches(term, value, values) for term, value in zip(atom[1][1:], head, strict=True)):
            return [_literal("#false")]
        changed.append(_literal(f"clause({atom[1][0]})"))
    return [put(literal, values) for literal in changed]


def _literal(text: str) -> AST:
    made: list[AST] = []
    parse_string(f":- {text}.", made.append)
    literal: AST = made[-1].body[0]
    return literal


# -- a rule that is not named ---------------------------------------------------------------------------------


def of_each_rule(rule: AST) -> AST:
    """`:- clause(C), not body_var(C,1).` for `:- not body_var(_,1).`; any other statement as it is.

    Without recursion and invention Popper makes one rule after the other and asks this of each of them.
    """
    if str(rule.head) != "#false" or len(rule.body) != 1 or rule.body[0].ast_type != ASTType.Literal:
        return rule
    atom = atom_of(rule.body[0])
    if atom is None or atom[0] != BODY_VAR or rule.body[0].sign != Sign.Negation or str(atom[1][0]) != "_":
        return rule
    return about_one_rule(rule)


def respelled(rule: AST, known: Known) -> str:
    """The statement said of each rule, where the search then understands it by itself; nothing otherwise."""
    if str(rule.head) != "#false" or any(literal.ast_type != ASTType.Literal for literal in rule.body):
        return ""
    said = about_one_rule(rule)
    return shown(said) if native_limits(said, known) is not None else ""


def shown(rule: AST) -> str:
    """The statement as people write it."""
    text = str(rule).replace("#false :- ", ":- ")
    return text if "{" in text or "; " not in text else text.replace("; ", ", ")


class _OneRule(Transformer):
    """Puts a variable where program atoms have a number, or anything, for a rule."""

    def visit_SymbolicAtom(self, node: AST) -> AST:
        symbol = node.symbol
        if symbol.ast_type != ASTType.Function or symbol.name not in NAMED or not symbol.arguments:
            return node
        if NAMED[symbol.name][:1] != (0,) or symbol.arguments[0].ast_type == ASTType.Function:
            return node
        arguments = [Variable(symbol.location, RULE), *list(symbol.arguments)[1:]]
        return node.update(symbol=symbol.update(arguments=arguments))


RULE = "C"


def about_one_rule(rule: AST) -> AST:
    """The statement with all of its atoms about the same rule."""
    body = [_OneRule()(literal) for literal in rule.body]
    if not any(literal.sign == Sign.NoSign and atom_of(literal) for literal in body):
        body = [_literal(f"clause({RULE})"), *body]
    named: AST = rule.update(body=body)
    return named


# -- facts ----------------------------------------------------------------------------------------------------


class _Put(Transformer):
    def __init__(self, values: Values) -> None:
        self.values = values

    def visit_Variable(self, node: AST) -> AST:
        value = self.values.get(node.name)
        return node if value is None else SymbolicTerm(node.location, value)


def put(node: AST, values: Values) -> AST:
    """The node with values for variables."""
    made: AST = _Put(values)(node) if values else node
    return made


def atom_of(literal: AST) -> tuple[Predicate, list[AST]] | None:
    """The predicate and arguments of a literal that is a plain atom, whatever its sign."""
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.SymbolicAtom:
        return None
    symbol = literal.atom.symbol
    if symbol.ast_type != ASTType.Function:
        return None
    return Predicate(symbol.name, len(symbol.arguments)), list(symbol.arguments)


def is_early(literal: AST, known: Known) -> bool:
    atom = atom_of(literal)
    return atom is not None and literal.sign == Sign.NoSign and atom[0] in known.early


def ways_to_fill(body: Sequence[AST], known: Known) -> Iterator[Values]:
    """The values of variables with which all atoms of the body that are facts hold."""
    atoms = [atom for literal in body if is_early(literal, known) and (atom := atom_of(literal))]
    yield from _filled(atoms, {}, known)


def _filled(
    atoms: Sequence[tuple[Predicate, list[AST]]], values: dict[str, clingo.Symbol], known: Known
) -> Iterator[Values]:
    if not atoms:
        yield values
        return
    (predicate, arguments), rest = atoms[0], atoms[1:]
    for row in known.facts.get(predicate, ()):
        more = dict(values)
        if all(_matches(argument, value, more) for argument, value in zip(arguments, row, strict=True)):
            yield from _filled(rest, more, known)


def _matches(term: AST, value: clingo.Symbol, values: dict[str, clingo.Symbol]) -> bool:
    if term.ast_type == ASTType.Variable:
        return term.name == "_" or values.setdefault(term.name, value) == value
    if term.ast_type == ASTType.SymbolicTerm:
        return bool(term.symbol == value)
    if term.ast_type == ASTType.Function and not term.external:
        if value.type != clingo.SymbolType.Function or value.name != term.name:
            return False
        parts = list(zip(term.arguments, value.arguments, strict=False))
        return len(term.arguments) == len(value.arguments) and all(_matches(a, b, values) for a, b in parts)
    raise NotNative


def listed_literals(body: Sequence[AST], known: Known) -> Kind | None:
    """The literals of `:- body_literal(C,P,_,Vars), bad_body(P,Vars).`, where facts list them one by one.

    With a literal, all must be listed that differ from it only in the names of variables that are not in the head: a
    rule does not have these. Otherwise it is for clingo to see under which names a rule is allowed.
    """
    atoms = [atom_of(literal) for literal in body]
    if len(body) != 2 or None in atoms or any(literal.sign != Sign.NoSign for literal in body):
        return None
    first, second = sorted([atom for atom in atoms if atom], key=lambda atom: atom[0].name != "body_literal")
    if first[0] != Predicate("body_literal", 4) or second[0] not in known.early:
        return None
    names = [term.name if term.ast_type == ASTType.Variable else "" for term in first[1]]
    wanted = [term.name if term.ast_type == ASTType.Variable else "" for term in second[1]]
    if wanted not in ([names[1], names[3]], [names[1], names[2], names[3]]) or "" in wanted or "_" in wanted:
        return None
    if len(set(wanted)) < len(wanted) or names[0] in wanted or names[2] in (wanted[0], wanted[-1]):
        return None
    arity = known.head.arity
    found: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for row in known.facts.get(second[0], ()):
        name, variables = name_of(row[0]), row[-1]
        if variables.type != clingo.SymbolType.Function or variables.name or name is None:
            continue  # this is no tuple of variables, so no literal has it
        if len(row) == 3 and row[1] != clingo.Number(len(variables.arguments)):
            continue
        if any(part.type != clingo.SymbolType.Number for part in variables.arguments):
            continue
        args = [part.number for part in variables.arguments]
        if len(set(args)) == len(args) and all(0 <= arg < known.max_vars for arg in args):
            found[name, tuple(arg if arg < arity else OTHER for arg in args)] += 1
    for (_, places), count in found.items():
        if count != perm(known.max_vars - arity, places.count(OTHER)):
            raise NotNative
    return Kind(literals=frozenset(found), head=arity)


def name_of(symbol: clingo.Symbol) -> str | None:
    """The name of a predicate, or of a type, that a constant or a string stands for."""
    if symbol.type == clingo.SymbolType.String:
        return str(symbol.string)
    return str(symbol.name) if symbol.type == clingo.SymbolType.Function and not symbol.arguments else None


# -- one statement, facts put in ------------------------------------------------------------------------------


@dataclass
class Instance:
    """A statement in which the values that facts give are put in."""

    body: Sequence[AST]
    known: Known
    positive: list[tuple[Predicate, list[AST]]] = field(default_factory=list)
    negative: list[tuple[Predicate, list[AST]]] = field(default_factory=list)
    comparisons: list[AST] = field(default_factory=list)
    aggregates: list[AST] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)  # of variables

    def limits(self) -> RuleLimits:
        if not self.sort():
            return RuleLimits()
        self.uses = Counter(
            node.name for literal in self.rest() for node in walk(literal) if node.ast_type == ASTType.Variable
        )
        self.check_rule()
        clauses = [atom for atom in self.positive if atom[0] == Predicate("clause", 1)]
        literals = [arguments for predicate, arguments in self.positive if predicate == Predicate("body_literal", 4)]
        sizes = [arguments for predicate, arguments in self.positive if predicate == Predicate("body_size", 2)]
        if len(clauses) + len(literals) + len(sizes) < len(self.positive):
            raise NotNative
        kinds = (bool(literals), bool(sizes), bool(self.negative), bool(self.aggregates))
        if kinds == (True, False, False, False):
            return self.literals_together(literals)
        if kinds == (False, True, False, False) and len(sizes) == 1:
            return self.body_size(sizes[0][1])
        if self.comparisons or len(self.negative) + len(self.aggregates) != 1 or literals or sizes or not clauses:
            raise NotNative
        return self.required() if self.negative else self.counted(self.aggregates[0])

    def rest(self) -> Iterator[AST]:
        """The literals that facts say nothing of."""
        return (literal for literal in self.body if not is_early(literal, self.known))

    def sort(self) -> bool:
        """Sorts the literals that facts say nothing of; False when one of the others does not hold."""
        for literal in self.rest():
            if literal.ast_type != ASTType.Literal:
                raise NotNative
            atom, kind = atom_of(literal), literal.atom.ast_type
            if atom is not None and literal.sign == Sign.NoSign:
                self.positive.append(atom)
            elif atom is not None and literal.sign == Sign.Negation:
                if atom[0] in self.known.early:
                    if self.is_fact(atom):
                        return False
                else:
                    self.negative.append(atom)
            elif kind == ASTType.Comparison and literal.sign == Sign.NoSign:
                holds = compared(literal.atom)
                if holds is False:
                    return False
                if holds is None:
                    self.comparisons.append(literal.atom)
            elif kind == ASTType.BooleanConstant and literal.sign == Sign.NoSign and not literal.atom.value:
                return False
            elif kind == ASTType.BodyAggregate:
                self.aggregates.append(literal)
            else:
                raise NotNative
        return True

    def is_fact(self, atom: tuple[Predicate, list[AST]]) -> bool:
        if any(node.ast_type == ASTType.Variable and node.name != "_" for term in atom[1] for node in walk(term)):
            raise NotNative
        return any(
            all(_matches(argument, value, {}) for argument, value in zip(atom[1], row, strict=True))
            for row in self.known.facts.get(atom[0], ())
        )

    def check_rule(self) -> None:
        """All atoms must be about the same rule, which is a variable, and stands for nothing else."""
        rules = [arguments[0] for _, arguments in (*self.positive, *self.negative) if arguments]
        for aggregate in self.aggregates:
            for element in aggregate.atom.elements:
                for condition in element.condition:
                    atom = atom_of(condition)
                    if atom is not None and atom[0] not in self.known.early and atom[1]:
                        rules.append(atom[1][0])
        if not rules or any(rule.ast_type != ASTType.Variable for rule in rules):
            raise NotNative
        names = {rule.name for rule in rules}
        if names == {"_"} and len(rules) == 1:
            return  # in a single atom, it is a variable like any other
        if len(names) > 1 or "_" in names or self.uses[next(iter(names))] != len(rules):
            raise NotNative

    def is_free(self, term: AST) -> bool:
        """Whether a term is a variable that stands for anything."""
        return bool(term.ast_type == ASTType.Variable and (term.name == "_" or self.uses[term.name] == 1))

    # -- kinds of literals --------------------------------------------------------------------------------------

    def pattern(self, arguments: Sequence[AST], free: Set[str] = frozenset()) -> Pattern:
        """What `body_literal(C,P,A,Vars)` fits; the variables in `free` stand for anything as well."""

        def anything(term: AST) -> bool:
            return self.is_free(term) or (term.ast_type == ASTType.Variable and term.name in free)

        _, name, arity, variables = arguments
        return Pattern(
            None if anything(name) else predicate_name(name),
            None if anything(arity) else number_in(arity),
            None if anything(variables) else self.places(variables, anything),
        )

    def places(self, variables: AST, anything: Callable[[AST], bool]) -> tuple[int | None, ...]:
        if variables.ast_type == ASTType.SymbolicTerm and variables.symbol.type == clingo.SymbolType.Function:
            terms = [SymbolicTerm(variables.location, part) for part in variables.symbol.arguments]
            name = variables.symbol.name
        elif variables.ast_type == ASTType.Function:
            terms, name = list(variables.arguments), variables.name
        else:
            raise NotNative
        if name:
            raise NotNative
        places = [None if anything(term) else number_in(term) for term in terms]
        if any(place is not None and not 0 <= place < self.known.head.arity for place in places):
            raise NotNative  # names of variables that are not in the head are no part of a rule
        return tuple(places)

    # -- what statements say --------------------------------------------------------------------------------------

    def literals_together(self, literals: Sequence[Sequence[AST]]) -> RuleLimits:
        if self.comparisons:
            return self.not_twice(literals)
        kinds = tuple(Kind((self.pattern(arguments),)) for arguments in literals)
        if len(kinds) == 1:
            return RuleLimits(literals=(LiteralLimit(kinds[0], most=0),))
        return RuleLimits(apart=(kinds,))

    def not_twice(self, literals: Sequence[Sequence[AST]]) -> RuleLimits:
        """`body_literal(C,p,_,V), body_literal(C,p,_,W), V != W`: of two different tuples, one is the lesser."""
        if len(literals) != 2 or len(self.comparisons) != 1 or len(self.comparisons[0].guards) != 1:
            raise NotNative
        guard = self.comparisons[0].guards[0]
        ends = [self.comparisons[0].term, guard.term]
        tuples = [arguments[3] for arguments in literals]
        if guard.comparison not in _UNEQUAL or any(end.ast_type != ASTType.Variable for end in (*ends, *tuples)):
            raise NotNative
        names = {end.name for end in ends}
        if names != {term.name for term in tuples} or len(names) != 2 or any(self.uses[name] != 2 for name in names):
            raise NotNative
        one, other = (self.pattern(arguments, names) for arguments in literals)
        if one != other or one.name is None:
            raise NotNative
        return RuleLimits(literals=(LiteralLimit(Kind((one,)), most=1),))

    def required(self) -> RuleLimits:
        predicate, arguments = self.negative[0]
        if predicate == Predicate("body_literal", 4):
            return RuleLimits(literals=(LiteralLimit(Kind((self.pattern(arguments),)), least=1),))
        if predicate != BODY_VAR:
            raise NotNative
        variable = number_in(arguments[1])
        if not 0 <= variable < self.known.head.arity:
            raise NotNative
        if self.known.datalog:
            return RuleLimits()
        return RuleLimits(literals=(LiteralLimit(Kind((Pattern(mentions=variable),)), least=1),))

    def body_size(self, size: AST) -> RuleLimits:
        if size.ast_type != ASTType.Variable or len(self.comparisons) != 1 or self.uses[size.name] != 2:
            raise NotNative
        guards = [(self.comparisons[0].term, guard.comparison, guard.term) for guard in self.comparisons[0].guards]
        if len(guards) != 1:
            raise NotNative
        left, compare, right = guards[0]
        if left.ast_type == ASTType.Variable and left.name == size.name:
            least, most = allowed(lambda n: _COMPARE[compare](n, number_in(right)))
        elif right.ast_type == ASTType.Variable and right.name == size.name:
            least, most = allowed(lambda n: _COMPARE[compare](number_in(left), n))
        else:
            raise NotNative
        return literal_limits(Kind((Pattern(),)), least, most)

    def counted(self, literal: AST) -> RuleLimits:
        aggregate = literal.atom
        if aggregate.function != AggregateFunction.Count or len(aggregate.elements) != 1:
            raise NotNative
        guards = [(True, aggregate.left_guard), (False, aggregate.right_guard)]
        sides = [(left, guard.comparison, number_in(guard.term)) for left, guard in guards if guard is not None]

        def forbidden(n: int) -> bool:
            holds = all(
                _COMPARE[compare](number, n) if left else _COMPARE[compare](n, number)
                for left, compare, number in sides
            )
            return bool(holds != (literal.sign == Sign.Negation))

        if not sides or literal.sign == Sign.DoubleNegation:
            raise NotNative
        least, most = allowed(forbidden)
        element = aggregate.elements[0]
        if any(part.ast_type != ASTType.Literal or part.sign != Sign.NoSign for part in element.condition):
            raise NotNative
        type_ = self.counted_type(element)
        if type_ is not None:
            # Of two variables of a type besides the head's, the search might lose one (`kernel/features/limits.pxi`).
            if least > list(self.known.head_types).count(type_) + 1:
                raise NotNative
            return RuleLimits(types=(TypeLimit(type_, least, most),))
        return literal_limits(self.counted_literals(element), least, most)

    def counted_type(self, element: AST) -> str | None:
        """`t` for `V : var_type(C,V,t)`, with or without `clause_var(C,V)`."""
        atoms = [atom_of(condition) for condition in element.condition]
        typed = [atom for atom in atoms if atom and atom[0] == Predicate("var_type", 3)]
        others = [atom for atom in atoms if atom is None or atom[0] != Predicate("var_type", 3)]
        if len(typed) != 1:
            return None
        _, variable, type_ = typed[0][1]
        if len(element.terms) != 1 or variable.ast_type != ASTType.Variable or str(element.terms[0]) != variable.name:
            raise NotNative
        for atom in others:
            if atom is None or atom[0] != Predicate("clause_var", 2) or str(atom[1][1]) != variable.name:
                raise NotNative
        if self.uses[variable.name] != 2 + len(others) or type_.ast_type != ASTType.SymbolicTerm:
            raise NotNative
        return str(type_)

    def counted_literals(self, element: AST) -> Kind:
        """The literals of `Vars : body_literal(C,p,_,Vars)`, or of `P,Vars : body_literal(C,P,A,Vars), some(P,A)`."""
        facts = [condition for condition in element.condition if is_early(condition, self.known)]
        others = [atom_of(condition) for condition in element.condition if not is_early(condition, self.known)]
        if len(others) != 1 or others[0] is None or others[0][0] != Predicate("body_literal", 4):
            raise NotNative
        terms = [term.name if term.ast_type == ASTType.Variable else "" for term in element.terms]
        name, arity, variables = others[0][1][1:]
        counted = [term.name for term in (name, arity, variables) if term.ast_type == ASTType.Variable]
        # Each literal must count once: by its tuple, and by its predicate where there may be several.
        if variables.ast_type != ASTType.Variable or terms.count(variables.name) != 1 or not set(terms) <= set(counted):
            raise NotNative
        if name.ast_type == ASTType.Variable and name.name not in terms:
            raise NotNative
        if "_" in terms or len(set(terms)) < len(terms):
            raise NotNative
        inside = Counter(node.name for node in walk(element) if node.ast_type == ASTType.Variable)
        if any(inside[local] != self.uses[local] for local in counted if local != "_"):
            raise NotNative  # it has a meaning outside
        if variables.name != "_" and inside[variables.name] != 2:
            raise NotNative
        patterns: list[Pattern] = []
        for ways, values in enumerate(ways_to_fill(facts, self.known)):
            if ways >= MOST_WAYS:
                raise NotNative
            filled = [put(term, values) for term in others[0][1]]
            patterns.append(self.pattern(filled, set(counted)))
        return Kind(tuple(dict.fromkeys(patterns)))


def literal_limits(kind: Kind, least: int, most: int | None) -> RuleLimits:
    if least > 1:
        raise NotNative  # see `LiteralLimit`
    return RuleLimits(literals=(LiteralLimit(kind, least, most),))


def allowed(forbidden: Callable[[int], bool]) -> tuple[int, int | None]:
    """The least and the most of the numbers that are not forbidden, if these are all in between."""
    numbers = [n for n in range(MOST_COUNTED) if not forbidden(n)]
    if not numbers or numbers != list(range(numbers[0], numbers[-1] + 1)):
        raise NotNative
    return numbers[0], None if numbers[-1] == MOST_COUNTED - 1 else numbers[-1]


def number_in(term: AST) -> int:
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == clingo.SymbolType.Number:
        return int(term.symbol.number)
    raise NotNative


def predicate_name(term: AST) -> str:
    name = name_of(term.symbol) if term.ast_type == ASTType.SymbolicTerm else None
    if name is None:
        raise NotNative
    return name


def compared(comparison: AST) -> bool | None:
    """Whether a comparison of values holds; None where it has variables."""
    terms = [comparison.term, *(guard.term for guard in comparison.guards)]
    if any(term.ast_type != ASTType.SymbolicTerm for term in terms):
        return None
    pairs = zip(terms, comparison.guards, strict=False)
    return all(_COMPARE[guard.comparison](term.symbol, guard.term.symbol) for term, guard in pairs)
