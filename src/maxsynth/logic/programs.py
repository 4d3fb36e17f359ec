"""Hypotheses: literals, rules, programs, and how they print and parse.

A variable is a small integer, V0, V1, ...; a constant in a literal is a `Constant`. A program prints the way
people write Prolog: variables are named A, B, C, ... in the order they appear, one that occurs once is `_`, and
body literals come in an order that Prolog can execute (`executable`). Literals on numbers are written as such,
`D >= 9.4` (`maxsynth.logic.comparisons`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import product
from typing import TypeGuard

from maxsynth.errors import MaxSynthError, Position
from maxsynth.logic.comparisons import BUILT_IN, SUM, infix
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.reading.reader import read_terms
from maxsynth.prolog.terms import Atom, Struct, Term, Var
from maxsynth.prolog.writer import atom_text, term_text

CONTROL = {";", "->", "*->", "\\+", "!", ":", ":-"}  # what Prolog has in bodies beyond literals
NO_HEADS = {",", "-->", "?-", *CONTROL}

Directions = Mapping[Predicate, tuple[str, ...]]


@dataclass(frozen=True)
class Constant:
    """A ground term in a literal, known by its text."""

    text: str

    def __str__(self) -> str:
        return self.text


Argument = int | Constant


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate on variables (and, where a program was written by hand, constants)."""

    name: str
    args: tuple[Argument, ...]

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.args))

    @property
    def variables(self) -> set[int]:
        return {arg for arg in self.args if isinstance(arg, int)}

    def text(self, names: Mapping[int, str]) -> str:
        args = [names[arg] if isinstance(arg, int) else arg.text for arg in self.args]
        if (written := infix(self.predicate, args)) is not None:
            return written
        return f"{atom_text(self.name)}({','.join(args)})" if args else atom_text(self.name)


@dataclass(frozen=True, slots=True)
class Rule:
    """head :- body."""

    head: Literal
    body: tuple[Literal, ...]

    @property
    def size(self) -> int:
        """Literals, the head counted."""
        return 1 + len(self.body)

    def literals(self) -> Iterator[Literal]:
        yield self.head
        yield from self.body

    def __str__(self) -> str:
        names = variable_names(self)
        head = self.head.text(names)
        if not self.body:
            return f"{head}."
        return f"{head} :- {', '.join(literal.text(names) for literal in self.body)}."


@dataclass(frozen=True, slots=True)
class Program:
    """A set of rules, in the order they print."""

    rules: tuple[Rule, ...] = ()

    @property
    def size(self) -> int:
        return sum(rule.size for rule in self.rules)

    @property
    def defined(self) -> set[Predicate]:
        """The predicates that the program defines: the target, and invented ones."""
        return {rule.head.predicate for rule in self.rules}

    @property
    def calls_itself(self) -> bool:
        """Whether a body calls a predicate of the program: recursion or invention."""
        defined = self.defined
        return any(literal.predicate in defined for rule in self.rules for literal in rule.body)

    def executable(self, directions: Directions) -> Program:
        """The same program with the literals of each body in an order that Prolog can execute."""
        modes = all_directions(self, directions)
        return Program(tuple(executable(rule, modes) for rule in self.rules))

    def __str__(self) -> str:
        return "\n".join(str(rule) for rule in self.rules)


def variable_names(rule: Rule) -> dict[int, str]:
    """A name for each variable: letters by first appearance, `_` for one that occurs once."""
    counts = Counter(arg for literal in rule.literals() for arg in literal.args if isinstance(arg, int))
    names: dict[int, str] = {}
    letters = (f"{chr(65 + i % 26)}{i // 26 or ''}" for i in range(10**9))
    for variable, count in counts.items():
        names[variable] = next(letters) if count > 1 else "_"
    return names


def executable(rule: Rule, directions: Directions) -> Rule:
    """Orders the body so that each `in` argument is bound when its literal is called.

    The first literal that can be called goes next, so a body that is in order stays as it is. Without a
    direction a literal can be called once it shares a variable with what is bound. Where no order is safe,
    the rest stays as it stands.
    """
    head_modes = directions.get(rule.head.predicate)
    bound = {
        arg
        for position, arg in enumerate(rule.head.args)
        if isinstance(arg, int) and (head_modes is None or head_modes[position] == "in")
    }
    waiting, ordered = list(rule.body), []
    while waiting:
        chosen = next((literal for literal in waiting if callable_now(literal, bound, directions)), None)
        if chosen is None:  # numbers cannot be compared before they are known, whatever comes first
            chosen = next((literal for literal in waiting if literal.predicate not in BUILT_IN), waiting[0])
        waiting.remove(chosen)
        ordered.append(chosen)
        bound |= chosen.variables
    return Rule(rule.head, tuple(ordered))


def all_directions(program: Program, directions: Directions) -> Directions:
    """The declared directions, and for the invented predicates of a program some under which its rules are safe.

    Where the bias has directions, a program of the space has such ones; a program written by hand may not, and then
    its invented predicates stay without.
    """
    invented = sorted(program.defined - directions.keys()) if directions else []
    if not invented:
        return directions
    for modes in product(*(product(("in", "out"), repeat=predicate.arity) for predicate in invented)):
        extended = {**directions, **dict(zip(invented, modes, strict=True))}
        if all(
            is_executable(executable(rule, extended), extended, answers=rule.head.predicate in invented)
            for rule in program.rules
        ):
            return extended
    return directions


def asked_directions(program: Program, target: Predicate) -> dict[Predicate, tuple[str, ...]]:
    """How the program asks for each predicate when the target is asked for with all arguments: `in` is what is known
    at each of its calls, with the literals in the order they stand in."""
    given = {target: set(range(target.arity))}
    known: dict[Predicate, set[int]] = {}
    while known != given:
        known = {predicate: set(places) for predicate, places in given.items()}
        for rule in program.rules:
            if rule.head.predicate not in given:
                continue  # nobody asks for it, or not yet
            bound = {rule.head.args[place] for place in given[rule.head.predicate]}
            for literal in rule.body:
                places = {i for i, arg in enumerate(literal.args) if arg in bound or isinstance(arg, Constant)}
                given[literal.predicate] = given.get(literal.predicate, places) & places
                bound |= set(literal.args)
    return {
        predicate: tuple("in" if place in places else "out" for place in range(predicate.arity))
        for predicate, places in given.items()
    }


def is_executable(rule: Rule, directions: Directions, *, answers: bool = False) -> bool:
    """Whether each literal can be called in the order they stand in and, with `answers`, all of the head is then known.

    With `non_datalog`, a head variable may be missing from a body: then a call has to give it.
    """
    modes = directions.get(rule.head.predicate, ())
    bound = {arg for arg, mode in zip(rule.head.args, modes, strict=False) if mode == "in" and isinstance(arg, int)}
    for literal in rule.body:
        if not callable_now(literal, bound, directions):
            return False
        bound |= literal.variables
    return not answers or rule.head.variables <= bound


def callable_now(literal: Literal, bound: Set[int], directions: Directions) -> bool:
    modes = directions.get(literal.predicate) or BUILT_IN.get(literal.predicate)
    if modes is None:
        return not literal.variables or not bound or bool(literal.variables & bound)
    return all(
        arg in bound for arg, mode in zip(literal.args, modes, strict=True) if mode == "in" and isinstance(arg, int)
    )


# -- reading ------------------------------------------------------------------------------------------------


def parse_program(text: str, file: str = "<program>") -> Program:
    """Reads rules as they print. Raises `MaxSynthError` with the place of what is no rule of a hypothesis."""
    return Program(tuple(parse_rule(read.term, read.position) for read in read_terms(text, file)))


def parse_rule(term: Term, position: Position) -> Rule:
    variables: dict[int, int] = {}  # id of a Var -> its number; the Vars live as long as `term` does
    head: Term = term
    body: tuple[Term, ...] = ()
    if isinstance(term, Struct) and term.name == ":-":
        if len(term.args) == 1:
            raise MaxSynthError("a directive has no place in a program", position, "remove it")
        head, body = term.args[0], tuple(conjuncts(term.args[1]))
    if isinstance(head, Var) or (isinstance(head, Struct | Atom) and head.name in NO_HEADS):
        raise MaxSynthError("a rule must begin with one head literal", position, "write it as head :- body.")
    literals = [parse_literal(part, variables, position) for part in (head, *body)]
    return Rule(literals[0], tuple(literal for literal in literals[1:] if literal != Literal("true", ())))


def conjuncts(body: Term) -> Iterator[Term]:
    todo = [body]
    while todo:
        part = todo.pop()
        if isinstance(part, Struct) and part.name == "," and len(part.args) == 2:
            todo += reversed(part.args)
        else:
            yield part


def parse_literal(term: Term, variables: dict[int, int], position: Position) -> Literal:
    if not isinstance(term, Struct | Atom):
        raise MaxSynthError(f"`{term_text(term)}` is not a literal", position, "write a predicate, such as p(A,B)")
    if term.name in CONTROL:
        raise MaxSynthError(
            f"a hypothesis is a set of definite rules: `{term.name}` has no place in it",
            position,
            "define a predicate for it in bk.pl",
        )
    if isinstance(term, Atom):
        return Literal(term.name, ())
    if term.name == "is" and len(term.args) == 2 and is_sum(term.args[1]):
        term = Struct(SUM.name, (*term.args[1].args, term.args[0]))
    return Literal(term.name, tuple(parse_argument(arg, variables, position) for arg in term.args))


def is_sum(term: Term) -> TypeGuard[Struct]:
    """Whether this adds two numbers, or variables for such."""
    return (
        isinstance(term, Struct)
        and term.name == SUM.name
        and len(term.args) == 2
        and all(isinstance(arg, Var | int | float) for arg in term.args)
    )


def parse_argument(arg: Term, variables: dict[int, int], position: Position) -> Argument:
    if isinstance(arg, Var):
        return variables.setdefault(id(arg), len(variables))
    if not is_ground(arg):
        raise MaxSynthError(
            f"`{term_text(arg)}` mixes variables and structure in an argument",
            position,
            "arguments are variables or ground terms; use a predicate such as head/2 and tail/2",
        )
    # Written as an argument: (a,b) keeps its brackets.
    return Constant(term_text(Struct("p", (arg,))).removeprefix("p(").removesuffix(")"))


def is_ground(term: Term) -> bool:
    todo = [term]
    while todo:
        part = todo.pop()
        if isinstance(part, Var):
            return False
        if isinstance(part, Struct):
            todo.extend(part.args)
    return True


def rules_of(parts: Iterable[Rule]) -> Program:
    """A program of these rules, printed smallest first and then by their text, so that equal sets print alike."""
    return Program(tuple(sorted(map(readable, set(parts)), key=lambda rule: (rule.size, str(rule)))))


def readable(rule: Rule) -> Rule:
    """The body as a person would tell it: what is said of a known variable comes before a new one is introduced.

    Among literals of a kind, those on earlier variables go first. Numbers are compared and added once they are known.
    """
    order = {arg: number for number, arg in enumerate(rule.head.args) if isinstance(arg, int)}
    waiting, told = list(rule.body), []

    def rank(literal: Literal) -> tuple[bool, bool, int, str, tuple[int, ...], str]:
        variables = [arg for arg in literal.args if isinstance(arg, int)]
        known = [order[arg] for arg in variables if arg in order]
        places = tuple(order.get(arg, len(order)) for arg in variables)
        constants = ",".join(arg.text for arg in literal.args if isinstance(arg, Constant))
        late = not known or (literal.predicate in BUILT_IN and not callable_now(literal, order.keys(), {}))
        return late, len(known) < len(variables), min(known, default=0), literal.name, places, constants

    while waiting:
        chosen = min(waiting, key=rank)
        waiting.remove(chosen)
        told.append(chosen)
        for arg in chosen.args:
            if isinstance(arg, int):
                order.setdefault(arg, len(order))
    return Rule(rule.head, tuple(told))
