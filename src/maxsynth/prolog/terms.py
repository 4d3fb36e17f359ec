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
from threading import RLock
from typing import ClassVar, TypeAlias
from weakref import ref


class Atom:
    """A constant. `Atom(name)` always gives the same object for the same name, as long as anybody holds it.

    BK may make atoms without end, so one that nobody holds any more is forgotten.
    """

    __slots__ = ("__weakref__", "name")
    name: str
    _known: ClassVar[dict[str, _AtomReference]] = {}
    _lock: ClassVar[RLock] = RLock()

    def __new__(cls, name: str) -> Atom:
        reference = cls._known.get(name)
        if reference is not None:
            known = reference()
            if known is not None:
                return known
        return cls._make(name)

    @classmethod
    def _make(cls, name: str) -> Atom:
        with cls._lock:
            reference = cls._known.get(name)
            known = None if reference is None else reference()
            if known is None:
                known = object.__new__(cls)
                known.name = name
                reference = _AtomReference(known, cls._forget)
                reference.name = name
                cls._known[name] = reference
            return known

    @classmethod
    def _forget(cls, reference: _AtomReference) -> None:
        with cls._lock:
            if cls._known.get(reference.name) is reference:
                del cls._known[reference.name]

    def __reduce__(self) -> tuple[type[Atom], tuple[str]]:
        return Atom, (self.name,)

    def __repr__(self) -> str:
        return f"Atom({self.name!r})"


class _AtomReference(ref[Atom]):
    __slots__ = ("name",)
    name: str


class String:
    """A string object, `"text"` in Prolog."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, String) and self.text == other.text

    def __hash__(self) -> int:
        return hash(("string", self.text))

    def __repr__(self) -> str:
        return f"String({self.text!r})"


class Var:
    """A variable; `value` is None until it is bound."""

    __slots__ = ("name", "value")

    def __init__(self, name: str = "_") -> None:
        self.name = name
        self.value: Term | None = None

    def __repr__(self) -> str:
        return f"Var({self.name!r})"


class Struct:
    """A compound term. Compare two with `compare` or by interning: `==` is identity, on purpose."""

    __slots__ = ("args", "name")

    def __init__(self, name: str, args: tuple[Term, ...]) -> None:
        self.name = name
        self.args = args

    def __repr__(self) -> str:
        return f"Struct({self.name!r}, <{len(self.args)}>)"


Term: TypeAlias = "Atom | int | float | String | Var | Struct"

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
