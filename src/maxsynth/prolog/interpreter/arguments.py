"""How Python functions become predicates, and the checks of arguments they share.

A built-in takes the machine and the arguments. It returns whether it succeeded, or, if it may succeed more
than once, an iterator of alternatives: pairs of terms for the machine to unify, one pair at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from maxsynth.prolog.clauses import dereference
from maxsynth.prolog.iso_errors import domain_error, instantiation_error, type_error
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var

if TYPE_CHECKING:
    from maxsynth.prolog.interpreter.interpreter import Machine

Alternatives: TypeAlias = Iterator[tuple[Term, Term]]
Builtin: TypeAlias = Callable[["Machine", list[Term]], "bool | Alternatives"]
Table: TypeAlias = dict[tuple[str, int], Builtin]


Defined = TypeVar("Defined", bound=Builtin)


def definer(table: Table) -> Callable[..., Callable[[Defined], Defined]]:
    """A decorator that enters a function in a table of built-ins, under one or more indicators."""

    def define(*indicators: str) -> Callable[[Defined], Defined]:
        def enter(function: Defined) -> Defined:
            for text in indicators:
                name, _, arity = text.rpartition("/")
                table[name, int(arity)] = function
            return function

        return enter

    return define


def spine(machine: Machine, term: Term) -> tuple[list[Term], Term]:
    """The items of a list and what follows its last cell: `[]` for a proper list, a variable for a partial one.

    Walks around a cyclic list until the budget ends.
    """
    items: list[Term] = []
    term = dereference(term)
    while type(term) is Struct and term.name == "[|]" and len(term.args) == 2:
        items.append(term.args[0])
        term = dereference(term.args[1])
        if len(items) & 1023 == 0:
            machine.charge(128)
    machine.spent += (len(items) & 1023) >> 3
    return items, term


def proper_list(machine: Machine, term: Term) -> list[Term]:
    """The items of what must be a list."""
    items, tail = spine(machine, term)
    if type(tail) is Var:
        raise instantiation_error()
    if tail is not NIL:
        raise type_error("list", term)
    return items


def integer(term: Term) -> int:
    term = dereference(term)
    if type(term) is int:
        return term
    raise instantiation_error() if type(term) is Var else type_error("integer", term)


def natural(term: Term) -> int:
    value = integer(term)
    if value < 0:
        raise domain_error("not_less_than_zero", value)
    return value


def integer_or_none(term: Term) -> int | None:
    """An integer, or None for an unbound variable."""
    return None if type(dereference(term)) is Var else integer(term)


def natural_or_none(term: Term) -> int | None:
    return None if type(dereference(term)) is Var else natural(term)


def is_atom(term: Term) -> bool:
    """An atom. The empty list is a constant of its own, as in SWI-Prolog."""
    return type(term) is Atom and term is not NIL


def is_callable(term: Term) -> bool:
    return is_atom(term) or type(term) is Struct


def is_atomic(term: Term) -> bool:
    return type(term) in (Atom, int, float, String)


def variables(machine: Machine, term: Term, only_first: bool = False) -> list[Var]:
    """The distinct unbound variables, from left to right."""
    found: dict[Var, None] = {}
    stack: list[Term] = [term]
    work = 0
    while stack:
        term = dereference(stack.pop())
        if type(term) is Var:
            found[term] = None
            if only_first:
                break
        elif type(term) is Struct:
            stack += term.args[::-1]
            work += 1 + (len(term.args) >> 2)
            if work > 1024:
                machine.charge(work >> 3)
                work = 0
    machine.spent += work >> 3
    return list(found)


def row(*terms: Term) -> Struct:
    """Several terms as one, to be unified with another row."""
    return Struct("", terms)
