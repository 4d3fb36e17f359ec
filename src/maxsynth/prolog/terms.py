"""Prolog terms as Python values.

- an atom is an `Atom`, interned, so that two equal atoms are one object;
- an integer is an `int` of any size, a float a `float` (never equal as terms: `1` is not `1.0`);
- a string (`"text"`) is a `String`;
- a compound is a `Struct`: a name and a tuple of arguments; a list cell is `Struct("[|]", (head, tail))`;
- a variable is a `Var`, which the interpreter binds.

Lists are long chains of cells, so nothing here recurses along them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from maxsynth.kernel.forms.terms import Atom, String, Struct, Term, Var

__all__ = ["COMMON", "NIL", "TRUE", "Atom", "String", "Struct", "Term", "Var", "is_cell", "list_items", "make_list"]

NIL = Atom("[]")
TRUE = Atom("true")
COMMON = tuple(Atom(chr(code)) for code in range(128))  # held, because text is taken apart into them again and again


def make_list(items: Iterable[Term], tail: Term = NIL) -> Term:
    """The Prolog list of the items, ending in `tail`."""
    result = tail
    for item in reversed(list(items)):
        result = Struct("[|]", (item, result))
    return result


def is_cell(term: Term) -> bool:
    return type(term) is Struct and term.name == "[|]" and len(term.args) == 2


def list_items(term: Term) -> Iterator[Term]:
    """The items of a ground Prolog list, front to back; stops at whatever is not a cell."""
    while type(term) is Struct and term.name == "[|]" and len(term.args) == 2:
        yield term.args[0]
        term = term.args[1]
