"""What the constraints of a bias speak of: one rule at a time, or a whole program.

A constraint is about the whole program: `C` runs over all its rules, and `size(N)` is its size. Some can be judged rule
by rule all the same, and the search needs to know which:

- **of a rule** (`of_rules`): every program atom in the statement, and every atom that is derived from program atoms, is
  about the same rule `C`, and `C` stands nowhere else. Then what one rule makes true or false does not depend on the
  others, nor on its number, so a program violates the statement just when one of its rules, as a program of its own,
  does. A predicate that the bias derives is about a rule when each of its defining statements is, and puts `C` into
  the same place of it.
- **most** rules, or literals (`native_most`): `:- clause(2).`, `:- size(N), N > 9.` and other spellings of the same.
  The choice of rules knows these by itself.
- **of programs**: everything else.

Numbers of rules and names of variables are no part of a program, but atoms have them: a program is allowed when some
numbering of its rules, from 0 on, and some naming of the variables of each rule are. The empty program says nothing,
and no constraint forbids it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import clingo
from clingo.ast import AST, AggregateFunction, ASTType, ComparisonOperator, Sign, Transformer, parse_string

from maxsynth.bias.evaluated import Most
from maxsynth.bias.statements import Statement, walk
from maxsynth.bias.vocabulary import PROGRAM_ATOMS
from maxsynth.logic.predicates import Predicate

NAMED = {  # where program atoms have the number of a rule or names of variables
    "head_literal": (0, 3), "body_literal": (0, 3), "clause": (0,), "clause_var": (0, 1), "var_type": (0, 1),
    "body_size": (0,), "size": (), "body_var": (0, 1), "head_var": (0, 1),
    "recursive_clause": (0,), "base_clause": (0,),
}  # fmt: skip
SIZES = frozenset({"size", "body_size"})  # what a smaller program or rule does not have less of, but another of
Places = Mapping[Predicate, set[int]]  # where atoms of a predicate have the number of the rule that they are about


# -- one rule at a time -------------------------------------------------------------------------------------


def of_rules(statements: Sequence[Statement], earlier: Iterable[Predicate]) -> list[bool]:
    """For each statement that depends on the program whether it speaks of one rule at a time.

    `earlier` are the predicates that statements which do not depend on the program define.
    """
    places: dict[Predicate, set[int]] = {atom: {0} if NAMED[atom.name] else set() for atom in PROGRAM_ATOMS}
    known = set(earlier)
    for statement in statements:
        for head in statement.heads:
            places[head] = set() if head in known else set(range(head.arity))
    changed = True
    while changed:
        changed = False
        for statement in statements:
            about = rules_named(statement, places)
            for head in statement.heads:
                good = {place for place in places[head] if head_argument(statement, place) in about}
                changed = changed or good != places[head]
                places[head] = good
    return [
        bool(rules_named(statement, places)) and all(places[head] for head in statement.heads)
        for statement in statements
    ]


def head_argument(statement: Statement, place: int) -> str | None:
    """The variable at a place of a head that is one plain atom."""
    head = statement.node.head
    if head.ast_type != ASTType.Literal or head.sign != Sign.NoSign or head.atom.ast_type != ASTType.SymbolicAtom:
        return None
    argument = head.atom.symbol.arguments[place]
    return argument.name if argument.ast_type == ASTType.Variable else None


def rules_named(statement: Statement, places: Places) -> set[str]:
    """The variables that can be taken for the one rule that all of the statement is about."""
    node = statement.node
    if node.head.ast_type != ASTType.Literal:
        return set()
    found: list[set[str]] = []
    for atom in atoms_in(node):
        if isinstance(atom, Predicate):
            return set()  # several atoms in one, as in `clause(C;D)`
        predicate, arguments = atom
        if predicate in places:
            found.append({arguments[place].name for place in places[predicate] if is_variable(arguments[place])})
    if not found:
        return set()
    if len(found) == 1 and "_" in found[0] and binds(node, "_", places):
        return {"_"}  # in a single atom, it is a variable like any other
    common = set.intersection(*found) - {"_"}
    return {name for name in common if binds(node, name, places) and stands_only_there(node, name, places)}


def atoms_in(node: AST) -> Iterator[tuple[Predicate, Sequence[AST]] | Predicate]:
    """The atoms of a statement; for what is several in one, only a name."""
    for inner in walk(node):
        if inner.ast_type == ASTType.SymbolicAtom:
            symbol = inner.symbol
            if symbol.ast_type != ASTType.Function:
                yield Predicate(str(symbol), 0)
            else:
                yield Predicate(symbol.name, len(symbol.arguments)), symbol.arguments


def is_variable(term: AST) -> bool:
    return bool(term.ast_type == ASTType.Variable)


def binds(rule: AST, name: str, places: Places) -> bool:
    """Whether a positive literal of the body, outside of aggregates, has the variable where it has the rule."""
    for literal in rule.body:
        if literal.ast_type == ASTType.Literal and literal.sign == Sign.NoSign:
            for atom in atoms_in(literal):
                if not isinstance(atom, Predicate) and literal.atom.ast_type == ASTType.SymbolicAtom:
                    predicate, arguments = atom
                    if any(named(arguments[place], name) for place in places.get(predicate, ())):
                        return True
    return False


def named(term: AST, name: str) -> bool:
    return is_variable(term) and bool(term.name == name)


def stands_only_there(rule: AST, name: str, places: Places) -> bool:
    everywhere = sum(named(node, name) for node in walk(rule))
    there = 0
    for atom in atoms_in(rule):
        assert not isinstance(atom, Predicate)
        predicate, arguments = atom
        there += sum(named(arguments[place], name) for place in places.get(predicate, ()))
    return everywhere == there


# -- at most so many ----------------------------------------------------------------------------------------

_ABOVE = {ComparisonOperator.GreaterThan: 0, ComparisonOperator.GreaterEqual: -1}
_BELOW = {ComparisonOperator.LessThan: 0, ComparisonOperator.LessEqual: -1}
_UNEQUAL = (ComparisonOperator.NotEqual, ComparisonOperator.LessThan, ComparisonOperator.GreaterThan)


def native_most(rule: AST) -> Most | None:
    """What a constraint on the number of rules, or on the size, of a program allows; None for any other statement.

    Rules are numbered from 0 on: there is a rule 2, or one with a higher number, just when there are three rules.
    """
    if str(rule.head) != "#false" or any(literal.ast_type != ASTType.Literal for literal in rule.body):
        return None
    literals = list(rule.body)
    if any(literal.sign != Sign.NoSign for literal in literals):
        return None
    atoms = [literal.atom for literal in literals if literal.atom.ast_type == ASTType.SymbolicAtom]
    others = [literal.atom for literal in literals if literal.atom.ast_type != ASTType.SymbolicAtom]
    texts = [str(atom) for atom in atoms]
    if len(literals) == 1:
        if atoms:
            number = number_of(atoms[0].symbol.arguments[0]) if is_atom(atoms[0], "clause") else None
            return None if number is None or number < 0 else Most(rules=number)
        return counted(others[0])
    if len(others) != 1 or others[0].ast_type != ASTType.Comparison:
        return None
    if len(atoms) == 2:
        return Most(rules=1) if are_two_rules(texts, others[0]) else None
    if len(atoms) != 1:
        return None
    for name in ("clause", "size"):
        if is_atom(atoms[0], name) and is_variable(atoms[0].symbol.arguments[0]):
            above = above_what(others[0], atoms[0].symbol.arguments[0].name)
            if above is not None:
                return Most(rules=max(above + 1, 0)) if name == "clause" else Most(size=max(above, 0))
    return None


def is_atom(atom: AST, name: str) -> bool:
    return bool(
        atom.symbol.ast_type == ASTType.Function and atom.symbol.name == name and len(atom.symbol.arguments) == 1
    )


def number_of(term: AST) -> int | None:
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == clingo.SymbolType.Number:
        return int(term.symbol.number)
    return None


def above_what(comparison: AST, name: str) -> int | None:
    """`n` for `N > n` in any of its spellings, where `name` is `N`."""
    if len(comparison.guards) != 1:
        return None
    left, guard = comparison.term, comparison.guards[0]
    if named(left, name) and guard.comparison in _ABOVE:
        number, less = number_of(guard.term), _ABOVE[guard.comparison]
    elif named(guard.term, name) and guard.comparison in _BELOW:
        number, less = number_of(left), _BELOW[guard.comparison]
    else:
        return None
    return None if number is None else number + less


def counted(aggregate: AST) -> Most | None:
    """What `#count{C : clause(C)} > n` allows, in any of its spellings."""
    if aggregate.ast_type != ASTType.BodyAggregate or aggregate.function != AggregateFunction.Count:
        return None
    if len(aggregate.elements) != 1 or aggregate.right_guard is not None or aggregate.left_guard is None:
        return None
    element, guard = aggregate.elements[0], aggregate.left_guard
    terms, conditions = [str(term) for term in element.terms], [str(literal) for literal in element.condition]
    if len(terms) != 1 or not is_variable(element.terms[0]) or conditions != [f"clause({terms[0]})"]:
        return None
    number = number_of(guard.term)
    if number is None or guard.comparison not in _BELOW:  # clingo puts every guard to the left: n < #count
        return None
    return Most(rules=max(number + _BELOW[guard.comparison], 0))


def are_two_rules(atoms: Sequence[str], comparison: AST) -> bool:
    """Whether two atoms `clause(C)`, `clause(D)` are there, and `C < D` or the like."""
    if len(comparison.guards) != 1 or comparison.guards[0].comparison not in _UNEQUAL:
        return False
    ends = [comparison.term, comparison.guards[0].term]
    if not all(is_variable(end) for end in ends) or ends[0].name == ends[1].name:
        return False
    return "_" not in (ends[0].name, ends[1].name) and sorted(atoms) == sorted(f"clause({end})" for end in ends)


# -- constraints that treat names alike ---------------------------------------------------------------------


def parsed(constraints: str) -> list[AST]:
    """The rules of a text that was read before."""
    statements: list[AST] = []
    if constraints.strip():
        parse_string(constraints, statements.append, logger=lambda code, message: None)
    return [statement for statement in statements if statement.ast_type == ASTType.Rule]


def treats_names_alike(constraints: str) -> bool:
    """Whether ASP text cannot tell the numbers of rules, or the names of variables, from each other.

    Then it allows all programs of a class of equal ones, or none, and one of each class is enough. That is so when
    numbers and names only ever stand for themselves, as variables in their places of program atoms, that are compared
    at most with each other and for being equal or not, or counted. Where this does not say yes, all are generated.
    """
    return all(_treats_names_alike(rule) for rule in parsed(constraints))


def _treats_names_alike(rule: AST) -> bool:
    places: list[AST] = []  # variables that stand for a number or a name, once for each place
    for node in walk(rule):
        if node.ast_type == ASTType.SymbolicAtom and node.symbol.ast_type == ASTType.Function:
            for position in NAMED.get(node.symbol.name, ()):
                if position < len(node.symbol.arguments):
                    places += _parts(node.symbol.arguments[position])
    if any(place.ast_type != ASTType.Variable for place in places):
        return False
    names = {place.name for place in places} - {"_"}
    good = [place.name for place in places]
    for node in walk(rule):
        if node.ast_type == ASTType.Comparison:
            good += _compared(node, names)
        elif node.ast_type == ASTType.BodyAggregate and node.function == AggregateFunction.Count:
            good += [term.name for e in node.elements for term in e.terms if term.ast_type == ASTType.Variable]
    everywhere = [node.name for node in walk(rule) if node.ast_type == ASTType.Variable]
    return all(everywhere.count(name) == good.count(name) for name in names)


def _parts(term: AST) -> list[AST]:
    """A variable, or the parts of a tuple."""
    return list(term.arguments) if term.ast_type == ASTType.Function and not term.name else [term]


def _compared(comparison: AST, names: set[str]) -> list[str]:
    terms = [comparison.term, *(guard.term for guard in comparison.guards)]
    fair = all(
        guard.comparison in (ComparisonOperator.Equal, ComparisonOperator.NotEqual) for guard in comparison.guards
    )
    bare = all(term.ast_type == ASTType.Variable and term.name in names for term in terms)
    return [term.name for term in terms] if fair and bare else []


def even_handed(rule: AST) -> AST:
    """The statement in a form that treats numbers of rules alike, where that is easily had.

    There is a rule 2 just when there are more than two rules, so `clause(2)` becomes `#count{C : clause(C)} > 2`.
    """
    rule = _ordered_alike(rule)
    return rule.update(body=[_counted_rules(literal) for literal in rule.body])


def _counted_rules(literal: AST) -> AST:
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.SymbolicAtom:
        return literal
    number = number_of(literal.atom.symbol.arguments[0]) if is_atom(literal.atom, "clause") else None
    if number is None or number < 0:
        return literal
    counts: list[AST] = []
    parse_string(f":- {number} < #count {{ C : clause(C) }}.", counts.append)
    count: AST = counts[-1].body[0].update(sign=literal.sign)
    return count


def _ordered_alike(rule: AST) -> AST:
    """A statement with `C != D` for `C < D`, where it says the same of `C` as of `D`.

    Of two different rules one has the lower number, and either may be taken for `C`: so both say the same.
    """
    orders = [
        (place, literal)
        for place, literal in enumerate(rule.body)
        if literal.ast_type == ASTType.Literal
        and literal.atom.ast_type == ASTType.Comparison
        and len(literal.atom.guards) == 1
        and literal.atom.guards[0].comparison in (ComparisonOperator.LessThan, ComparisonOperator.GreaterThan)
    ]
    if len(orders) != 1 or str(rule.head) != "#false" or orders[0][1].sign != Sign.NoSign:
        return rule
    place, literal = orders[0]
    one, other = literal.atom.term, literal.atom.guards[0].term
    if not (is_variable(one) and is_variable(other)) or one.name == other.name or "_" in (one.name, other.name):
        return rule
    rest = [part for at, part in enumerate(rule.body) if at != place]
    if any(part.ast_type != ASTType.Literal or part.atom.ast_type != ASTType.SymbolicAtom for part in rest):
        return rule
    if sorted(map(str, rest)) != sorted(str(_swapped(part, one.name, other.name)) for part in rest):
        return rule
    guard = literal.atom.guards[0].update(comparison=ComparisonOperator.NotEqual)
    unequal = literal.update(atom=literal.atom.update(guards=[guard]))
    return rule.update(body=[*rest, unequal])


def _swapped(literal: AST, one: str, other: str) -> AST:
    class Swap(Transformer):
        def visit_Variable(self, node: AST) -> AST:
            return node.update(name={one: other, other: one}.get(node.name, node.name))

    swapped: AST = Swap()(literal)
    return swapped


# -- constraints that a smaller program meets too -----------------------------------------------------------


def holds_of_less(statements: Sequence[AST]) -> bool:
    """Whether a program that meets these constraints meets them without some rules, or some literals of a rule, too.

    That is so when they treat names alike, and program atoms, which are only ever fewer then, occur where more of them
    can only violate more: positively, or counted from below. A smaller size is another size, so that is left out.
    """
    return all(
        _treats_names_alike(rule) and not any(_may_help(node) for node in walk(rule)) and _plain_head(rule)
        for rule in statements
    )


def _plain_head(rule: AST) -> bool:
    return bool(rule.head.ast_type == ASTType.Literal and rule.head.sign == Sign.NoSign)


def _may_help(node: AST) -> bool:
    """Whether more atoms, here, could make a statement true that was violated."""
    if node.ast_type == ASTType.Literal:
        return bool(node.sign != Sign.NoSign)
    if node.ast_type == ASTType.SymbolicAtom:
        return bool(node.symbol.ast_type != ASTType.Function or node.symbol.name in SIZES)
    if node.ast_type == ASTType.BodyAggregate:
        guards = [guard for guard in (node.left_guard, node.right_guard) if guard is not None]
        return node.function != AggregateFunction.Count or len(guards) != 1 or guards[0].comparison not in _BELOW
    return node.ast_type in (ASTType.ConditionalLiteral, ASTType.Aggregate, ASTType.TheoryAtom)
