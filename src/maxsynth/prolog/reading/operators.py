"""Which atoms may be written between, before or behind their arguments.

An operator has a priority (1 binds tightest, 1200 loosest) and a type. The letters of the type say what may
stand beside it: `x` a term of lower priority than the operator's own, `y` one of at most its own. So `yfx`
groups to the left, `xfy` to the right, and `xfx` does not chain.

The reader and the writer need only the numbers, so that is how a table stores them: an operator's priority,
and the highest priority that each of its arguments may have. Every table is its own; `op/3` changes just one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MAX_PRIORITY = 1200
ARGUMENT_PRIORITY = 999
COMMA_PRIORITY = 1000

OPERATOR_TYPES = ("xfx", "xfy", "yfx", "fy", "fx", "xf", "yf")

# The tables of ISO 13211-1 and of SWI-Prolog 9, as the latter's current_op/3 tells them, without its `.` for
# dictionaries: here a full stop only ends a clause.
DEFAULTS: tuple[tuple[int, str, str], ...] = (
    (1200, "xfx", ":- --> =>"),
    (1200, "fx", ":- ?-"),
    (1150, "fx", "discontiguous dynamic initialization meta_predicate module_transparent multifile public"),
    (1150, "fx", "table thread_initialization thread_local volatile"),
    (1105, "xfy", "|"),
    (1100, "xfy", ";"),
    (1050, "xfy", "-> *->"),
    (1000, "xfy", ","),
    (900, "fy", "\\+"),
    (800, "xfx", ":="),
    (700, "xfx", "< = =.. =@= =:= =< == =\\= > >= @< @=< @> @>= \\= \\=@= \\== as is >:< :<"),
    (600, "xfy", ":"),
    (500, "yfx", "+ - /\\ \\/"),
    (400, "yfx", "* / // << >> div mod rdiv rem xor"),
    (200, "xfx", "**"),
    (200, "xfy", "^"),
    (200, "fy", "- + \\"),
    (1, "fx", "$"),
)


# Libraries with a syntax of their own, as their modules in SWI-Prolog export it; their predicates are there alone.
LIBRARIES: dict[str, tuple[tuple[int, str, str], ...]] = {
    "clpfd": (
        (760, "yfx", "#<==>"),
        (750, "xfy", "#==>"),
        (750, "yfx", "#<=="),
        (740, "yfx", "#\\/"),
        (730, "yfx", "#\\"),
        (720, "yfx", "#/\\"),
        (710, "fy", "#\\"),
        (700, "xfx", "#> #< #>= #=< #= #\\= in ins in_set"),
        (450, "xfx", ".."),
    ),
    "clpb": ((300, "fy", "~"), (500, "yfx", "#")),
    "bounds": (
        (760, "yfx", "#<=>"),
        (750, "xfy", "#=>"),
        (750, "yfx", "#<="),
        (740, "yfx", "#\\/"),
        (730, "yfx", "#\\"),
        (720, "yfx", "#/\\"),
        (710, "fy", "#\\"),
        (700, "xfx", "#> #< #>= #=< #= #\\= in"),
        (550, "xfx", ".."),
    ),
    "chr": (
        (1200, "xfx", "@"),
        (1190, "xfx", "pragma"),
        (1180, "xfx", "==> <=>"),
        (1150, "fx", "constraints chr_constraint chr_preprocessor handler rules chr_type chr_declaration ?"),
        (1130, "xfx", "--->"),
        (1100, "xfx", "\\"),
        (500, "yfx", "#"),
    ),
    "clpq": (),
    "clpr": (),
    "coinduction": ((1150, "fx", "coinductive"),),
    "persistency": ((1150, "fx", "persistent"),),
    "record": ((1150, "fx", "record"),),
    "rewrite_term": ((1200, "xfx", "::="),),
    "tables": ((900, "fy", "tnot"),),
    "wfs": ((900, "fy", "tnot"),),
}


class Prefix(NamedTuple):
    """A prefix operator: its own priority and the highest of its argument."""

    priority: int
    right: int


class Infix(NamedTuple):
    """An infix operator: its own priority and the highest of its two arguments."""

    priority: int
    left: int
    right: int


class Postfix(NamedTuple):
    """A postfix operator: its own priority and the highest of its argument."""

    priority: int
    left: int


class Operators:
    """A table of operators. Look them up in `prefix`, `infix` and `postfix`; change them with `add`."""

    __slots__ = ("infix", "postfix", "prefix")

    def __init__(self, start: Operators | None = None) -> None:
        start = _STANDARD if start is None else start
        self.prefix: dict[str, Prefix] = start.prefix.copy()
        self.infix: dict[str, Infix] = start.infix.copy()
        self.postfix: dict[str, Postfix] = start.postfix.copy()

    def copy(self) -> Operators:
        """A table that starts with the same operators and then goes its own way."""
        return Operators(self)

    def add(self, priority: int, kind: str, name: str) -> None:
        """Make `name` an operator; priority 0 takes it away. `ValueError` if Prolog does not allow it."""
        if not 0 <= priority <= MAX_PRIORITY:
            raise ValueError(f"the priority of an operator is 0 to {MAX_PRIORITY}, not {priority}")
        if kind not in OPERATOR_TYPES:
            raise ValueError(f"the type of an operator is one of {', '.join(OPERATOR_TYPES)}, not {kind}")
        # These have a syntax of their own, which would stop working.
        if name in (",", "[]", "{}"):
            raise ValueError(f"'{name}' cannot be made or changed as an operator")
        if name == "|" and (len(kind) != 3 or 0 < priority <= COMMA_PRIORITY):
            raise ValueError(f"'|' can only be an infix operator of a priority above {COMMA_PRIORITY}")
        self._set(priority, kind, name)

    def _set(self, priority: int, kind: str, name: str) -> None:
        # An argument marked `y` may be as loose as the operator, one marked `x` must be tighter.
        left = priority - (kind[0] == "x")
        right = priority - (kind[-1] == "x")
        if kind[0] == "f":
            if priority:
                self.prefix[name] = Prefix(priority, right)
            else:
                self.prefix.pop(name, None)
        elif kind[-1] == "f":
            if priority:
                self.postfix[name] = Postfix(priority, left)
            else:
                self.postfix.pop(name, None)
        elif priority:
            self.infix[name] = Infix(priority, left, right)
        else:
            self.infix.pop(name, None)

    def __contains__(self, name: str) -> bool:
        return name in self.infix or name in self.prefix or name in self.postfix

    def __iter__(self) -> Iterator[tuple[int, str, str]]:
        """Every operator as `(priority, type, name)`, the way `current_op/3` gives them."""
        for name, (priority, right) in self.prefix.items():
            yield priority, "fy" if right == priority else "fx", name
        for name, (priority, left, right) in self.infix.items():
            yield priority, ("y" if left == priority else "x") + "f" + ("y" if right == priority else "x"), name
        for name, (priority, left) in self.postfix.items():
            yield priority, "yf" if left == priority else "xf", name


def _standard() -> Operators:
    """The table that others start from. Nobody else gets hold of it, so it stays as it is."""
    table = Operators.__new__(Operators)
    table.prefix, table.infix, table.postfix = {}, {}, {}
    for priority, kind, names in DEFAULTS:
        for name in names.split():
            table._set(priority, kind, name)
    return table


_STANDARD = _standard()
