"""Built-ins that look at terms, compare them, take them apart and put them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from maxsynth.prolog.clauses import dereference
from maxsynth.prolog.interpreter.arguments import (
    Alternatives,
    Builtin,
    Table,
    definer,
    integer,
    is_atom,
    is_atomic,
    is_callable,
    natural,
    natural_or_none,
    proper_list,
    row,
    spine,
    variables,
)
from maxsynth.prolog.interpreter.compare import compare
from maxsynth.prolog.iso_errors import (
    PrologError,
    domain_error,
    existence_error,
    instantiation_error,
    resource_error,
    type_error,
)
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var, make_list

if TYPE_CHECKING:
    from maxsynth.prolog.interpreter.interpreter import Machine

MOST_ARITY = 100_000

FUNCTIONS: Table = {}
define = definer(FUNCTIONS)


# Unification and comparison


@define("=/2")
def unify(machine: Machine, args: list[Term]) -> bool:
    return machine.unify(args[0], args[1])


@define("\\=/2")
def not_unifiable(machine: Machine, args: list[Term]) -> bool:
    mark = len(machine.trail)
    unifiable = machine.unify(args[0], args[1])
    machine.undo(mark)
    return not unifiable


@define("unify_with_occurs_check/2")
def unify_with_occurs_check(machine: Machine, args: list[Term]) -> bool:
    """Unifies and looks whether one of the variables just bound is inside its own value."""
    mark = len(machine.trail)
    if not machine.unify(args[0], args[1]):
        return False
    return not has_cycle(machine, [var.value for var in machine.trail[mark:] if var.value is not None])


def has_cycle(machine: Machine, terms: list[Term]) -> bool:
    """Depth first, with the compounds on the way down marked as open."""
    open_or_done: dict[int, bool] = {}
    stack: list[Any] = list(terms)
    while stack:
        term = stack.pop()
        if type(term) is tuple:
            open_or_done[term[0]] = False
            continue
        term = dereference(term)
        if type(term) is Struct:
            machine.charge(1)
            state = open_or_done.get(id(term))
            if state:
                return True
            if state is None:
                open_or_done[id(term)] = True
                stack.append((id(term),))
                stack.extend(term.args)
    return False


@define("acyclic_term/1")
def acyclic_term(machine: Machine, args: list[Term]) -> bool:
    return not has_cycle(machine, args)


@define("cyclic_term/1")
def cyclic_term(machine: Machine, args: list[Term]) -> bool:
    return has_cycle(machine, args)


@define("?=/2")
def decided(machine: Machine, args: list[Term]) -> bool:
    """Whether `==` will always give the answer it gives now."""
    return compare(machine, args[0], args[1]) == 0 or not_unifiable(machine, args)


def by_order(test: Callable[[int], bool]) -> Builtin:
    return lambda machine, args: test(compare(machine, args[0], args[1]))


define("==/2")(by_order(lambda order: order == 0))
define("\\==/2")(by_order(lambda order: order != 0))
define("@</2")(by_order(lambda order: order < 0))
define("@>/2")(by_order(lambda order: order > 0))
define("@=</2")(by_order(lambda order: order <= 0))
define("@>=/2")(by_order(lambda order: order >= 0))


@define("compare/3")
def compare_terms(machine: Machine, args: list[Term]) -> bool:
    wanted = dereference(args[0])
    if type(wanted) is not Var:
        if type(wanted) is not Atom:
            raise type_error("atom", wanted)
        if wanted.name not in ("<", "=", ">"):
            raise domain_error("order", wanted)
    order = compare(machine, args[1], args[2])
    return machine.unify(wanted, Atom("<" if order < 0 else ">" if order else "="))


def is_variant(machine: Machine, a: Term, b: Term) -> bool:
    """Equal up to the names of variables."""
    there: dict[Var, Var] = {}
    back: dict[Var, Var] = {}
    stack = [(a, b)]
    while stack:
        x, y = map(dereference, stack.pop())
        if type(x) is Var or type(y) is Var:
            if type(x) is not Var or type(y) is not Var:
                return False
            if there.setdefault(x, y) is not y or back.setdefault(y, x) is not x:
                return False
        elif type(x) is Struct and type(y) is Struct:
            if x.name != y.name or len(x.args) != len(y.args):
                return False
            machine.charge(1 + (len(x.args) >> 2))
            stack.extend(zip(x.args, y.args, strict=True))
        elif compare(machine, x, y) != 0:
            return False
    return True


@define("=@=/2")
def variant(machine: Machine, args: list[Term]) -> bool:
    return is_variant(machine, args[0], args[1])


@define("\\=@=/2")
def not_variant(machine: Machine, args: list[Term]) -> bool:
    return not is_variant(machine, args[0], args[1])


@define("subsumes_term/2")
def subsumes_term(machine: Machine, args: list[Term]) -> bool:
    """Whether unifying leaves the specific term as it was."""
    mark = len(machine.trail)
    before = variables(machine, args[1])
    subsumes = machine.unify(args[0], args[1])
    after = {dereference(var) for var in before}
    subsumes = subsumes and len(after) == len(before) and all(type(term) is Var for term in after)
    machine.undo(mark)
    return subsumes


# Types


def by_type(test: Callable[[Term], bool]) -> Builtin:
    return lambda machine, args: test(dereference(args[0]))


define("var/1")(by_type(lambda term: type(term) is Var))
define("nonvar/1")(by_type(lambda term: type(term) is not Var))
define("atom/1")(by_type(is_atom))
define("integer/1")(by_type(lambda term: type(term) is int))
define("rational/1")(by_type(lambda term: type(term) is int))
define("float/1")(by_type(lambda term: type(term) is float))
define("number/1")(by_type(lambda term: type(term) in (int, float)))
define("string/1")(by_type(lambda term: type(term) is String))
define("atomic/1")(by_type(is_atomic))
define("compound/1")(by_type(lambda term: type(term) is Struct))
define("callable/1")(by_type(is_callable))


@define("is_list/1")
def is_list(machine: Machine, args: list[Term]) -> bool:
    return spine(machine, args[0])[1] is NIL


@define("ground/1")
def ground(machine: Machine, args: list[Term]) -> bool:
    return not variables(machine, args[0], only_first=True)


# Terms


@define("term_variables/2")
def term_variables(machine: Machine, args: list[Term]) -> bool:
    return machine.unify(args[1], make_list(variables(machine, args[0])))


@define("copy_term/2")
def copy_term(machine: Machine, args: list[Term]) -> bool:
    return machine.unify(args[1], machine.copy(args[0]))


@define("functor/3")
def functor(machine: Machine, args: list[Term]) -> bool:
    term = dereference(args[0])
    if type(term) is Struct:
        return machine.unify(row(args[1], args[2]), row(Atom(term.name), len(term.args)))
    if type(term) is not Var:
        return machine.unify(row(args[1], args[2]), row(term, 0))
    name, arity = dereference(args[1]), dereference(args[2])
    if type(name) is Var or type(arity) is Var:
        raise instantiation_error()
    if type(name) is Struct:
        raise type_error("atomic", name)
    count = natural(arity)
    if count == 0:
        return machine.unify(term, name)
    if type(name) is not Atom:
        raise type_error("atom", name)
    return machine.unify(term, Struct(name.name, fresh_variables(machine, count)))


def fresh_variables(machine: Machine, count: int) -> tuple[Var, ...]:
    if count > MOST_ARITY:
        raise resource_error("memory")
    machine.charge(count >> 1)
    return tuple(Var() for _ in range(count))


@define("arg/3")
def argument(machine: Machine, args: list[Term]) -> bool | Alternatives:
    term = dereference(args[1])
    if type(term) is not Struct:
        raise instantiation_error() if type(term) is Var else type_error("compound", term)
    position = natural_or_none(args[0])
    if position is None:
        numbered = enumerate(term.args, 1)
        return ((row(args[0], args[2]), row(number, arg)) for number, arg in numbered)
    return 0 < position <= len(term.args) and machine.unify(args[2], term.args[position - 1])


@define("=../2")
def univ(machine: Machine, args: list[Term]) -> bool:
    term = dereference(args[0])
    tail = spine(machine, args[1])[1]
    if tail is not NIL and type(tail) is not Var:
        raise type_error("list", args[1])
    if type(term) is Struct:
        return machine.unify(args[1], make_list([Atom(term.name), *term.args]))
    if type(term) is not Var:
        return machine.unify(args[1], make_list([term]))
    items = proper_list(machine, args[1])
    if not items:
        raise domain_error("non_empty_list", NIL)
    name = dereference(items[0])
    if type(name) is Var:
        raise instantiation_error()
    if len(items) == 1:
        if type(name) is Struct:
            raise type_error("atomic", name)
        return machine.unify(term, name)
    if type(name) is not Atom:
        raise type_error("atom", name)
    return machine.unify(term, Struct(name.name, tuple(items[1:])))


@define("numbervars/3")
def number_variables(machine: Machine, args: list[Term]) -> bool:
    number = integer(args[1])
    for var in variables(machine, args[0]):
        machine.unify(var, Struct("$VAR", (number,)))
        number += 1
    return machine.unify(args[2], number)


# Type checks that raise errors


def is_boolean(term: Term) -> bool:
    return type(term) is Atom and term.name in ("true", "false")


# The types of must_be/2 that are a matter of one test.
CHECKS: dict[str, Callable[[Term], bool]] = {
    "any": lambda term: True,
    "nonvar": lambda term: type(term) is not Var,
    "atom": is_atom,
    "symbol": is_atom,
    "atomic": is_atomic,
    "callable": is_callable,
    "char": lambda term: type(term) is Atom and len(term.name) == 1,
    "code": lambda term: type(term) is int and 0 <= term <= 0x10FFFF,
    "compound": lambda term: type(term) is Struct,
    "constant": is_atomic,
    "float": lambda term: type(term) is float,
    "integer": lambda term: type(term) is int,
    "nonneg": lambda term: type(term) is int and term >= 0,
    "positive_integer": lambda term: type(term) is int and term > 0,
    "number": lambda term: type(term) in (int, float),
    "rational": lambda term: type(term) is int,
    "string": lambda term: type(term) is String,
    "text": lambda term: type(term) is Atom or type(term) is String,
    "boolean": is_boolean,
    "bool": is_boolean,
}


@define("must_be/2")
def must_be(machine: Machine, args: list[Term]) -> bool:
    check_type(machine, dereference(args[0]), dereference(args[1]))
    return True


@define("is_of_type/2")
def is_of_type(machine: Machine, args: list[Term]) -> bool:
    try:
        return must_be(machine, args)
    except PrologError as error:
        if type(error.term) is Struct and error.term.name == "existence_error":
            raise
        return False


def check_type(machine: Machine, kind: Term, term: Term) -> None:
    if type(kind) is Var:
        raise instantiation_error()
    if type(kind) is Struct:
        check_parameterised(machine, kind, term)
    elif type(kind) is not Atom:
        raise existence_error("type", kind)
    elif kind.name in ("list", "proper_list", "chars", "codes"):
        items, tail = spine(machine, term)
        if tail is not NIL:
            raise instantiation_error() if type(tail) is Var else type_error(kind.name, term)
        if kind.name in ("chars", "codes"):
            for item in items:
                check_type(machine, Atom(kind.name[:-1]), dereference(item))
    elif kind.name == "var":
        if type(term) is not Var:
            raise PrologError(Struct("uninstantiation_error", (term,)))
    elif kind.name == "ground":
        if variables(machine, term, only_first=True):
            raise instantiation_error()
    elif kind.name not in CHECKS:
        raise existence_error("type", kind)
    elif not CHECKS[kind.name](term):
        raise instantiation_error() if type(term) is Var else type_error(kind.name, term)


def check_parameterised(machine: Machine, kind: Struct, term: Term) -> None:
    """`list(Type)`, `oneof(List)` and `between(Low, High)`."""
    if kind.name == "list" and len(kind.args) == 1:
        check_type(machine, Atom("list"), term)
        for item in proper_list(machine, term):
            check_type(machine, dereference(kind.args[0]), dereference(item))
        return
    if kind.name == "oneof" and len(kind.args) == 1:
        fits = any(compare(machine, item, term) == 0 for item in proper_list(machine, kind.args[0]))
    elif kind.name == "between" and len(kind.args) == 2:
        low, high = map(dereference, kind.args)
        numbers = isinstance(low, (int, float)) and isinstance(high, (int, float))
        whole = type(low) is int and type(high) is int
        right_type = type(term) is int or (type(term) is float and not whole)
        fits = numbers and right_type and low <= term <= high  # type: ignore[operator]
    else:
        raise existence_error("type", kind)
    if not fits:
        raise instantiation_error() if type(term) is Var else PrologError(Struct("type_error", (kind, term)))
