"""The classes of Prolog terms, which the kernel reads and makes; `maxsynth.prolog.terms` says what they are.

They are here because the kernel imports nothing of what is built on it.
"""

from __future__ import annotations

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
