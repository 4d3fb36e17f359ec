"""Clauses, and the form in which the machine runs them.

A clause is compiled once. Its variables become `Slot`s, positions in the list of values (the environment) of
one activation; its compound terms become `Shape`s, except ground ones, which all activations share. A body
becomes a graph of `Node`s: each knows what to do and what follows, and control constructs are no more than
jumps. `( C -> T ; E ), Rest`, for example, is

    MARK k (else: E) --> C --> COMMIT k --> T --> Rest        E --> Rest

where slot `k` of the environment remembers the height of the choice stack. A goal that `call/N` meets at run
time is compiled in the same way, except that its variables are live ones and stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from maxsynth.errors import Position
from maxsynth.prolog.iso_errors import resource_error, type_error
from maxsynth.prolog.terms import TRUE, Atom, Struct, Term, Var


@dataclass(slots=True, frozen=True)
class Clause:
    """`head :- body`, as read; a fact has the body `true`."""

    head: Term
    body: Term
    position: Position


class Slot:
    """A variable of a compiled clause: an index into the environment."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Shape:
    """A compound of a compiled clause that has variables in it."""

    __slots__ = ("args", "arity", "depth", "name")

    def __init__(self, name: str, args: tuple[Pattern, ...], depth: int) -> None:
        self.name = name
        self.args = args
        self.arity = len(args)
        self.depth = depth


Pattern: TypeAlias = "Term | Slot | Shape"

# What a node does. CALL runs the clauses of a procedure, PYTHON a function of terms, CONTROL a function that
# decides where the machine goes on, HOOK a function of the environment (the ends of findall/3 and catch/3).
CALL, PYTHON, CONTROL, CUT, MARK, COMMIT, SOFT, OR, TRUTH, FAIL, HOOK, STOP = range(12)

CLAUSE_CUT = -1  # the slot of a cut that belongs to the clause rather than to a condition inside it

# Names of goals that are compiled rather than called.
CONTROL_NAMES = frozenset([",", "!", ";", "->", "*->", "\\+", ":", "true", "fail", "false",
                           "not", "once", "ignore", "forall"])  # fmt: skip

# Patterns nested deeper are taken apart into `V = pattern` goals, so that the machine may recurse along them.
DEEPEST_PATTERN = 100
DEEPEST_CONTROL = 80  # the compiler recurses along these, five calls a level, well below the limit of Python


class Node:
    """One step of a body. `next` is None at its end, which is where the last call is optimised."""

    __slots__ = ("alt", "args", "arity", "kind", "name", "next", "slot", "target", "where")

    def __init__(
        self, kind: int, next: Node | None = None, *, name: str = "", args: tuple[Pattern, ...] = (),
        target: Any = None, alt: Node | None = None, slot: int = CLAUSE_CUT, where: Position | None = None,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.next = next
        self.name = name
        self.args = args
        self.arity = len(args)
        self.target = target
        self.alt = alt
        self.slot = slot
        self.where = where


@dataclass(slots=True, frozen=True)
class Compiled:
    """A clause ready to run: head patterns, first node of the body (None for a fact), environment size."""

    head: tuple[Pattern, ...]
    body: Node | None
    size: int


SCAN = 8  # clauses that may be left to try before a further argument is used to select


def index_key(term: Any) -> Any:
    """Terms that unify have equal keys. None for a variable; the name alone for a compound."""
    kind = type(term)
    if kind is Struct or kind is Shape:
        return term.name
    if kind is float:
        return float, repr(term)  # not the float itself, because Python has 1 == 1.0
    return None if kind is Slot else term


class Procedure:
    """The clauses of one predicate, compiled on the first call and indexed by argument as calls ask for it."""

    __slots__ = ("arity", "clauses", "in_library", "name", "positions", "tables")

    def __init__(self, name: str, arity: int, in_library: bool) -> None:
        self.name = name
        self.arity = arity
        self.in_library = in_library
        self.clauses: list[Compiled] | None = None
        self.positions: list[int] = []
        self.tables: dict[int, tuple[dict[Any, list[Compiled]], list[Compiled]]] = {}

    def fill(self, clauses: list[Compiled]) -> None:
        self.clauses = clauses
        if len(clauses) > 1:
            for position in range(self.arity):
                keyed = sum(type(clause.head[position]) is not Slot for clause in clauses)
                if keyed * 2 >= len(clauses):
                    self.positions.append(position)

    def table(self, position: int) -> tuple[dict[Any, list[Compiled]], list[Compiled]]:
        """Clauses by the key of one argument, and those for any other key: the ones with a variable there."""
        assert self.clauses is not None
        buckets: dict[Any, list[Compiled]] = {}
        others: list[Compiled] = []
        for clause in self.clauses:
            key = index_key(clause.head[position])
            if key is None:
                for bucket in buckets.values():
                    bucket.append(clause)
                others.append(clause)
            else:
                if key not in buckets:
                    buckets[key] = others.copy()
                buckets[key].append(clause)
        self.tables[position] = buckets, others
        return buckets, others

    def candidates(self, args: list[Term]) -> list[Compiled]:
        """The clauses whose heads may unify, by the first bound argument that leaves few of them."""
        best = self.clauses
        assert best is not None
        for position in self.positions:
            arg = args[position]
            while type(arg) is Var:
                value = arg.value
                if value is None:
                    break
                arg = value
            else:
                buckets, others = self.tables.get(position) or self.table(position)
                kind = type(arg)
                key = arg if kind is Atom else arg.name if kind is Struct else index_key(arg)  # type: ignore[union-attr]
                found = buckets.get(key, others)
                if len(found) < len(best):
                    best = found
                if len(best) <= SCAN:
                    break
        return best


# Finds what a goal of this name and arity runs: its kind (CALL, PYTHON or CONTROL), the target, and whether
# the target is defined in the library.
Resolve: TypeAlias = Callable[[str, int], tuple[int, Any, bool]]


def dereference(term: Term) -> Term:
    while type(term) is Var:
        value = term.value
        if value is None:
            return term
        term = value
    return term


def free_of_charge(work: int) -> None:
    pass


class Compiler:
    """Compiles one clause, or one goal met at run time (`live`)."""

    def __init__(
        self, resolve: Resolve, overridden: Callable[[str, int], bool], where: Position | None = None,
        live: Term | None = None, charge: Callable[[int], None] = free_of_charge,
    ) -> None:  # fmt: skip
        self.resolve = resolve
        self.overridden = overridden
        self.where = where
        self.live = live  # the goal that call/N was given
        self.charge = charge  # its size is paid for, since it may be huge, or cyclic
        self.size = 0
        self.slots: dict[Var, Slot] = {}
        self.splits: list[tuple[Slot, Shape]] = []

    def clause(self, clause: Clause) -> Compiled:
        head = self.patterns(clause.head.args) if isinstance(clause.head, Struct) else ()
        splits, self.splits = self.splits, []
        if clause.body is TRUE and not splits:
            return Compiled(head, None, self.size)
        body = self.unifications(splits, self.body(clause.body, None, CLAUSE_CUT))
        return Compiled(head, body, self.size)

    # Terms

    def new_slot(self) -> Slot:
        self.size += 1
        return Slot(self.size - 1)

    def patterns(self, terms: Sequence[Term]) -> tuple[Pattern, ...]:
        return tuple(terms) if self.live is not None else tuple(self.pattern(term) for term in terms)

    def pattern(self, term: Term) -> Pattern:
        if type(term) is not Struct:
            return self.leaf(term)
        frames: list[tuple[Struct, Any, list[Pattern]]] = [(term, iter(term.args), [])]
        while True:
            struct, pending, parts = frames[-1]
            for arg in pending:
                if type(arg) is Struct:
                    frames.append((arg, iter(arg.args), []))
                    break
                parts.append(self.leaf(arg))
            else:
                frames.pop()
                whole = self.join(struct, parts)
                if not frames:
                    return whole
                frames[-1][2].append(whole)

    def leaf(self, term: Term) -> Pattern:
        if type(term) is not Var:
            return term
        slot = self.slots.get(term)
        if slot is None:
            slot = self.slots[term] = self.new_slot()
        return slot

    def join(self, struct: Struct, parts: list[Pattern]) -> Pattern:
        depths = [part.depth if type(part) is Shape else 0 for part in parts if type(part) in (Slot, Shape)]
        if not depths:
            return struct
        shape = Shape(struct.name, tuple(parts), 1 + max(depths))
        if shape.depth <= DEEPEST_PATTERN:
            return shape
        slot = self.new_slot()
        self.splits.append((slot, shape))
        return slot

    def unifications(self, splits: list[tuple[Slot, Shape]], next: Node) -> Node:
        kind, target, _ = self.resolve("=", 2)
        for split in splits:
            next = Node(kind, next, name="=", args=split, target=target, where=self.where)
        return next

    # Bodies. `next` is what follows the compiled part and `cut` the slot its cuts refer to.

    def body(self, term: Term, next: Node | None, cut: int, depth: int = 0) -> Node:
        if depth > DEEPEST_CONTROL:
            raise resource_error("nesting_of_control_constructs")
        goals: list[Term] = []
        pending = [term]
        while pending:
            goal = dereference(pending.pop())
            self.charge(1)
            if type(goal) is Struct and goal.name == "," and len(goal.args) == 2:
                pending += (goal.args[1], goal.args[0])
            else:
                goals.append(goal)
        for goal in reversed(goals):
            next = self.goal(goal, next, cut, depth + 1)
        assert next is not None
        return next

    def goal(self, goal: Term, next: Node | None, cut: int, depth: int) -> Node:
        if type(goal) is Atom:
            if goal.name == "!":
                return Node(CUT, next, slot=cut, where=self.where)
            if goal is TRUE:
                return next or Node(TRUTH, where=self.where)
            if goal.name in ("fail", "false"):
                return Node(FAIL)
            return self.call(goal.name, (), next)
        if type(goal) is Struct:
            return self.control(goal, next, cut, depth) or self.call(goal.name, goal.args, next)
        if self.live is not None and type(goal) is not Var:
            raise type_error("callable", self.live)
        return self.call("call", (goal,), next)

    def control(self, goal: Struct, next: Node | None, cut: int, depth: int) -> Node | None:
        """The nodes of a control construct; None for any other goal."""
        name, args = goal.name, goal.args
        if len(args) == 2:
            left, right = args
            if name == ";":
                return self.choice(goal, next, cut, depth)
            if name in ("->", "*->"):
                return self.condition(left, right, Node(FAIL), next, cut, depth, soft=name == "*->")
            if name == ":" and type(dereference(left)) is Atom:
                return self.body(right, next, cut, depth)
            if name == "forall" and not self.overridden("forall", 2):
                return self.negation(Struct(",", (left, Struct("\\+", (right,)))), next, depth)
        elif len(args) == 1:
            if name == "\\+" or (name == "not" and not self.overridden("not", 1)):
                return self.negation(args[0], next, depth)
            if name == "once":
                return self.condition(args[0], TRUE, Node(FAIL), next, cut, depth)
            if name == "ignore" and not self.overridden("ignore", 1):
                otherwise = next or Node(TRUTH, where=self.where)
                return self.condition(args[0], TRUE, otherwise, next, cut, depth)
        return None

    def choice(self, goal: Struct, next: Node | None, cut: int, depth: int) -> Node:
        """`L ; R`. Runs along the right spine, because long disjunctions are written that way."""
        lefts: list[Term] = []
        rest: Term = goal
        while type(rest) is Struct and rest.name == ";" and len(rest.args) == 2:
            self.charge(1)
            lefts.append(dereference(rest.args[0]))
            rest = dereference(rest.args[1])
        node = self.body(rest, next, cut, depth)
        for left in reversed(lefts):
            if type(left) is Struct and left.name in ("->", "*->") and len(left.args) == 2:
                test, then = left.args
                node = self.condition(test, then, node, next, cut, depth, soft=left.name == "*->")
            else:
                node = Node(OR, self.body(left, next, cut, depth), alt=node, where=self.where)
        return node

    def condition(
        self, test: Term, then: Term, otherwise: Node, next: Node | None, cut: int, depth: int, soft: bool = False
    ) -> Node:
        slot = self.new_slot().index
        after = self.body(then, next, cut, depth)
        commit = Node(SOFT if soft else COMMIT, after, slot=slot, where=self.where)
        return Node(MARK, self.body(test, commit, slot, depth), alt=otherwise, slot=slot, where=self.where)

    def negation(self, test: Term, next: Node | None, depth: int) -> Node:
        otherwise = next or Node(TRUTH, where=self.where)
        return self.condition(test, Atom("fail"), otherwise, None, CLAUSE_CUT, depth)

    def call(self, name: str, args: tuple[Term, ...], next: Node | None) -> Node:
        kind, target, in_library = self.resolve(name, len(args))
        patterns = self.patterns(args)
        splits, self.splits = self.splits, []
        if in_library and next is None and self.where is not None:
            # A last call into the library would lose the place to blame for what the library finds wrong.
            next = Node(TRUTH, where=self.where)
        node = Node(kind, next, name=name, args=patterns, target=target, where=self.where)
        return self.unifications(splits, node)
