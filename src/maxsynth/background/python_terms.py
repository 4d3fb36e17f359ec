"""Python values as terms, and back.

| Python | Prolog |
|---|---|
| `"ann"` | the atom `ann` (quoted where Prolog needs it: `"Ann"` is `'Ann'`) |
| `3`, `1.5` | numbers |
| `True`, `False` | the atoms `true` and `false` |
| a scalar of NumPy | the same as the Python value it stands for |
| `["a", 1]`, `("a", 1)` | the list `[a,1]` |
| `Compound("f", ("a", 1))` | the compound `f(a,1)` |
| `Text("some text")` | the string `"some text"` |

Lists come back as lists, `true` and `false` as strings; all else comes back as it went. A missing value (None, NaN,
NaT, pandas' NA) is no value: a rule could not tell whether two of them are the same.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np

from maxsynth.errors import MaxSynthError
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, is_cell, list_items, make_list

MAX_DEPTH = 200  # of lists in lists; each takes some of the stack
MISSING = {"NoneType", "NAType", "NaTType", "MaskedConstant"}  # types with one value, of Python, pandas and NumPy
SHOWN = 80  # characters of a value in a message


@dataclass(frozen=True)
class Compound:
    """A compound term: `Compound("f", ("a", 1))` is `f(a,1)`."""

    name: str
    args: tuple[object, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise MaxSynthError(f"Compound({shown(self.name)}, ...)", remedy="give its name as a string")
        if not isinstance(self.args, tuple | list) or not self.args:
            raise MaxSynthError(
                f"Compound({self.name!r}, {shown(self.args)})", remedy='give its arguments as a tuple, such as ("a", 1)'
            )
        object.__setattr__(self, "args", tuple(self.args))


class Text(str):
    """A Prolog string. A plain `str` is an atom."""

    __slots__ = ()


def to_term(value: object, depth: int = 0) -> Term:
    """The term that a Python value stands for."""
    if depth > MAX_DEPTH:
        raise MaxSynthError(f"a value nests more than {MAX_DEPTH} deep", remedy="flatten it")
    match value:
        case bool() | np.bool_():
            return Atom("true" if value else "false")
        case Text():
            return String(str.__str__(value))
        case str():
            return Atom(str.__str__(value))  # a str, where it was one of NumPy's
        case int():
            return int(value)
        case float() if math.isfinite(value):
            return float(value)
        case list() | tuple():
            return make_list([to_term(item, depth + 1) for item in value])
        case Compound(name, args):
            return Struct(name, tuple(to_term(arg, depth + 1) for arg in args))
        case Atom() | String() | Struct():
            return value
    if is_missing(value):
        raise MaxSynthError(
            f"{value!r} is a missing value",
            remedy="leave its row out (dropna() in pandas, drop_nulls() in polars), or write what it means, such as "
            '"unknown"',
        )
    if isinstance(value, np.floating) and math.isfinite(value):
        return float(value)
    try:
        if isinstance(value, np.timedelta64):  # which counts as an integer, of units that it does not say
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]  # an integer of another library
    except TypeError:
        raise MaxSynthError(
            f"{shown(value)} ({type(value).__name__}) cannot be a term",
            remedy="use a string, a finite number, a list, or maxsynth.Compound",
        ) from None


def is_missing(value: object) -> bool:
    """Whether a value says that there is none. Of all others, only NaN and NaT are not equal to themselves."""
    return type(value).__name__ in MISSING or (isinstance(value, float | np.generic) and bool(value != value))


def shown(value: object) -> str:
    """A value in a message, in one line; of a table only what it is."""
    text = repr(value)
    if "\n" in text:
        return f"<{type(value).__name__}>"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 20]} ... {text[-15:]}"


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
