"""Python values as terms, and back.

| Python | Prolog |
|---|---|
| `"ann"` | the atom `ann` (quoted where Prolog needs it: `"Ann"` is `'Ann'`) |
| `3`, `1.5` | numbers |
| `True`, `False` | the atoms `true` and `false` |
| `["a", 1]`, `("a", 1)` | the list `[a,1]` |
| `Compound("f", ("a", 1))` | the compound `f(a,1)` |
| `Text("some text")` | the string `"some text"` |

Lists come back as lists, `true` and `false` as strings; all else comes back as it went.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

from maxsynth.errors import MaxSynthError
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, is_cell, list_items, make_list

MAX_DEPTH = 500  # of lists in lists


@dataclass(frozen=True)
class Compound:
    """A compound term: `Compound("f", ("a", 1))` is `f(a,1)`."""

    name: str
    args: tuple[object, ...]


class Text(str):
    """A Prolog string. A plain `str` is an atom."""

    __slots__ = ()


def to_term(value: object, depth: int = 0) -> Term:
    """The term that a Python value stands for."""
    if depth > MAX_DEPTH:
        raise MaxSynthError(f"a value nests more than {MAX_DEPTH} deep", remedy="flatten it")
    match value:
        case bool():
            return Atom("true" if value else "false")
        case Text():
            return String(str(value))
        case str():
            return Atom(value)
        case int():
            return int(value)
        case float() if math.isfinite(value):
            return float(value)
        case list() | tuple():
            return make_list([to_term(item, depth + 1) for item in value])
        case Compound(name, args) if args:
            return Struct(name, tuple(to_term(arg, depth + 1) for arg in args))
    try:
        return operator.index(value)  # type: ignore[arg-type]  # an integer of another library
    except TypeError:
        raise MaxSynthError(
            f"{value!r} ({type(value).__name__}) cannot be a term",
            remedy="use a string, a finite number, a list, or maxsynth.Compound",
        ) from None


def from_term(term: Term) -> object:
    """The Python value of a ground term."""
    if isinstance(term, Atom):
        return [] if term is NIL else term.name
    if isinstance(term, String):
        return Text(term.text)
    if is_cell(term):
        end: Term = term
        while isinstance(end, Struct) and is_cell(end):
            end = end.args[1]
        if end is NIL:
            return [from_term(item) for item in list_items(term)]
    if isinstance(term, Struct):
        return Compound(term.name, tuple(from_term(arg) for arg in term.args))
    return term
