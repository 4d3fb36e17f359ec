"""The built-in predicates that are Python: here control, arithmetic and lists.

Those about terms are in `term_builtins`, those about text in `text`, and those that read best in Prolog are in
`library.pl`. There is nothing that touches files, processes, the clock, chance, the clause store or flags: an
answer depends on the program alone, and a program can do no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from maxsynth.errors import Position
from maxsynth.prolog.clauses import CONTROL, HOOK, Clause, Node, dereference
from maxsynth.prolog.interpreter import arithmetic, term_builtins, text
from maxsynth.prolog.interpreter.arguments import (
    Alternatives,
    Builtin,
    Table,
    definer,
    integer,
    integer_or_none,
    natural_or_none,
    proper_list,
    row,
    spine,
    variables,
)
from maxsynth.prolog.interpreter.compare import compare, sort_terms
from maxsynth.prolog.interpreter.term_builtins import is_variant
from maxsynth.prolog.iso_errors import (
    PrologError,
    domain_error,
    instantiation_error,
    type_error,
)
from maxsynth.prolog.reading.reader import read_terms
from maxsynth.prolog.terms import NIL, TRUE, Atom, Struct, Term, Var, make_list

if TYPE_CHECKING:
    from maxsynth.prolog.interpreter.interpreter import Continuation, Machine

Control = Callable[["Machine", list[Term], "Continuation", "Position | None"], "Continuation"]

FUNCTIONS: Table = {**text.FUNCTIONS, **term_builtins.FUNCTIONS}
CONTROLS: dict[tuple[str, int], Control] = {}
define = definer(FUNCTIONS)

# Control constructs, which are compiled away.
COMPILED_TEXT = "!/0 ,/2 ;/2 ->/2 *->/2 :/2 \\+/1 not/1 once/1 ignore/1 forall/2 true/0 fail/0 false/0"
COMPILED = frozenset(COMPILED_TEXT.split())


def has(name: str, arity: int) -> bool:
    """Whether this predicate is a control construct or a built-in in Python."""
    key = name, arity
    return key in FUNCTIONS or key in CONTROLS or f"{name}/{arity}" in COMPILED


@cache
def library() -> dict[tuple[str, int], list[Clause]]:
    """The clauses of library.pl, read once; they are never changed."""
    from importlib.resources import files  # which takes its time to load, and few BKs need the library

    source = files("maxsynth.prolog.interpreter").joinpath("library.pl").read_text(encoding="utf-8")
    found: dict[tuple[str, int], list[Clause]] = {}
    for read in read_terms(source, "library.pl"):
        head, body = read.term, TRUE
        if isinstance(head, Struct) and head.name == ":-":
            head, body = head.args  # type: ignore[assignment]
        assert isinstance(head, (Atom, Struct))
        key = head.name, len(head.args) if isinstance(head, Struct) else 0
        found.setdefault(key, []).append(Clause(head, body, read.position))
    return found


# Control. These decide how the machine goes on: with a goal, and then with the continuation they were given.


def call_goal(machine: Machine, args: list[Term], after: Continuation, where: Position | None) -> Continuation:
    """call/N: the first argument with the others added to it."""
    goal = dereference(args[0])
    if len(args) > 1:
        while type(goal) is Struct and goal.name == ":" and len(goal.args) == 2:
            goal = dereference(goal.args[1])
        if type(goal) is Atom:
            goal = Struct(goal.name, tuple(args[1:]))
        elif type(goal) is Struct:
            goal = Struct(goal.name, goal.args + tuple(args[1:]))
    return machine.enter(goal, after, where)


for _arity in range(1, 9):
    CONTROLS["call", _arity] = call_goal


def apply_goal(machine: Machine, args: list[Term], after: Continuation, where: Position | None) -> Continuation:
    """apply(Goal, List)."""
    return call_goal(machine, [args[0], *proper_list(machine, args[1])], after, where)


CONTROLS["apply", 2] = apply_goal


def collect(machine: Machine, env: list[Any]) -> bool:
    """One more answer of findall/3; then fails, to get the next."""
    template, results = env
    results.append(machine.copy(template))
    machine.charge(1)
    return False


def collected(machine: Machine, env: list[Any]) -> bool:
    """There are no more answers; findall/3 is done."""
    results, result, tail = env
    return machine.unify(result, make_list(results, tail))


COLLECT = Node(HOOK, target=collect)
COLLECTED = Node(HOOK, target=collected)


def findall(machine: Machine, args: list[Term], after: Continuation, where: Position | None) -> Continuation:
    """findall/3 and findall/4. The choice point below the goal is reached when it has no more answers."""
    template, goal, result, *rest = args
    results: list[Term] = []
    machine.choose(COLLECTED, [results, result, rest[0] if rest else NIL], after)
    return machine.enter(goal, (COLLECT, [template, results], 0, after), where)


CONTROLS["findall", 3] = CONTROLS["findall", 4] = findall


def leave_catch(machine: Machine, env: list[Any]) -> bool:
    """The goal of catch/3 succeeded. If it left no choice points, its own is not needed any more."""
    if len(machine.choices) == env[0] + 1:
        machine.choices.pop()
    return True


CATCH_END = Node(HOOK, target=leave_catch)


def catch(machine: Machine, args: list[Term], after: Continuation, where: Position | None) -> Continuation:
    goal, catcher, recovery = args
    frame: Continuation = (CATCH_END, [len(machine.choices)], 0, after)
    machine.guard(catcher, recovery, frame, after)
    return Node(CONTROL, args=(goal,), target=call_goal, where=where), [], 0, frame


CONTROLS["catch", 3] = catch


@define("throw/1")
def throw(machine: Machine, args: list[Term]) -> bool:
    if type(dereference(args[0])) is Var:
        raise instantiation_error()
    raise PrologError(machine.copy(args[0]), is_ball=True)


@define("halt/0", "halt/1")
def halt(machine: Machine, args: list[Term]) -> bool:
    raise PrologError(Struct("permission_error", (Atom("run"), Atom("procedure"), Atom("halt"))))


@define("repeat/0")
def repeat(machine: Machine, args: list[Term]) -> Alternatives:
    while True:
        machine.charge(1)
        yield TRUE, TRUE


@define("between/3")
def between(machine: Machine, args: list[Term]) -> bool | Alternatives:
    low = integer(args[0])
    high_term = dereference(args[1])
    endless = type(high_term) is Atom and high_term.name in ("inf", "infinite")
    high = low if endless else integer(high_term)
    value = integer_or_none(args[2])
    if value is not None:
        return low <= value and (endless or value <= high)
    return count_up(args[2], low, None if endless else high)


def count_up(variable: Term, low: int, high: int | None) -> Alternatives:
    while high is None or low <= high:
        yield variable, low
        low += 1


# Arithmetic


@define("is/2")
def evaluate(machine: Machine, args: list[Term]) -> bool:
    return machine.unify(args[0], arithmetic.evaluate(machine, args[1]))


def by_value(test: Callable[[Any, Any], bool]) -> Builtin:
    return lambda machine, args: test(*arithmetic.compare_values(machine, args[0], args[1]))


define("=:=/2")(by_value(lambda x, y: bool(x == y)))
define("=\\=/2")(by_value(lambda x, y: bool(x != y)))
define("</2")(by_value(lambda x, y: bool(x < y)))
define(">/2")(by_value(lambda x, y: bool(x > y)))
define("=</2")(by_value(lambda x, y: bool(x <= y)))
define(">=/2")(by_value(lambda x, y: bool(x >= y)))


@define("succ/2")
def succ(machine: Machine, args: list[Term]) -> bool:
    low, high = integer_or_none(args[0]), integer_or_none(args[1])
    if low is None and high is None:
        raise instantiation_error()
    for value in (low, high):
        if value is not None and value < 0:
            raise domain_error("not_less_than_zero", value)
    if low is not None:
        return machine.unify(args[1], low + 1)
    return high != 0 and machine.unify(args[0], high - 1)  # type: ignore[operator]


@define("plus/3")
def plus(machine: Machine, args: list[Term]) -> bool:
    x, y, z = map(integer_or_none, args)
    if x is None and y is not None and z is not None:
        return machine.unify(args[0], z - y)
    if y is None and x is not None and z is not None:
        return machine.unify(args[1], z - x)
    if x is None or y is None:
        raise instantiation_error()
    return machine.unify(args[2], x + y)


@define("divmod/4")
def divide_with_rest(machine: Machine, args: list[Term]) -> bool:
    x, y = integer(args[0]), integer(args[1])
    if y == 0:
        raise PrologError(Struct("evaluation_error", (Atom("zero_divisor"),)))
    return machine.unify(row(args[2], args[3]), row(x // y, x % y))


@define("$free_variables/4")
def free_variables(machine: Machine, args: list[Term]) -> bool:
    """For bagof/3: the goal without its `V^` prefixes, and the variables its answers are grouped by."""
    template, goal = args[0], dereference(args[1])
    bound: list[Term] = [template]
    while type(goal) is Struct and len(goal.args) == 2 and goal.name in ("^", ":"):
        if goal.name == "^":
            bound.append(goal.args[0])
        goal = dereference(goal.args[1])
    hidden = set(variables(machine, make_list(bound)))
    free = [var for var in variables(machine, goal) if var not in hidden]
    return machine.unify(row(args[2], args[3]), row(goal, make_list(free)))


@define("$groups/2")
def groups(machine: Machine, args: list[Term]) -> bool:
    """For bagof/3: sorted `Key-Item` pairs as `Key-Items` pairs. Keys that are variants become the same."""
    found: list[tuple[Term, list[Term]]] = []
    for pair in proper_list(machine, args[0]):
        pair = dereference(pair)
        if type(pair) is not Struct or len(pair.args) != 2:
            raise type_error("pair", pair)
        key, item = pair.args
        for known, items in reversed(found):
            if is_variant(machine, known, key):
                machine.unify(known, key)
                items.append(item)
                break
            if not variables(machine, key, only_first=True):
                found.append((key, [item]))
                break
        else:
            found.append((key, [item]))
    return machine.unify(args[1], make_list([Struct("-", (key, make_list(items))) for key, items in found]))


# Lists


@define("length/2")
def length(machine: Machine, args: list[Term]) -> bool | Alternatives:
    items, tail = spine(machine, args[0])
    wanted = natural_or_none(args[1])
    if tail is NIL:
        return machine.unify(args[1], len(items))
    if type(tail) is not Var:
        raise type_error("list", args[0])
    if wanted is None:
        return dereference(args[1]) is not tail and longer_lists(machine, tail, len(items), args[1])
    if wanted < len(items):
        return False
    machine.charge(wanted - len(items))
    return machine.unify(tail, make_list([Var() for _ in range(wanted - len(items))]))


def longer_lists(machine: Machine, tail: Term, count: int, size: Term) -> Iterator[tuple[Term, Term]]:
    more = 0
    while True:
        machine.charge(more)
        yield row(tail, size), row(make_list([Var() for _ in range(more)]), count + more)
        more += 1


@define("msort/2")
def msort(machine: Machine, args: list[Term]) -> bool:
    return machine.unify(args[1], make_list(sort_terms(machine, proper_list(machine, args[0]))))


@define("sort/2", "list_to_ord_set/2")
def sort(machine: Machine, args: list[Term]) -> bool:
    return machine.unify(args[1], make_list(sort_terms(machine, proper_list(machine, args[0]), unique=True)))


@define("sort/4")
def sort_by(machine: Machine, args: list[Term]) -> bool:
    position, order = integer(args[0]), dereference(args[1])
    if type(order) is Var:
        raise instantiation_error()
    if position < 0:
        raise domain_error("not_less_than_one", position)
    if type(order) is not Atom or order.name not in ("@<", "@>", "@=<", "@>="):
        raise domain_error("order", order)
    items = proper_list(machine, args[2])

    def key(item: Term) -> Term:
        item = dereference(item)
        if type(item) is not Struct:
            raise instantiation_error() if type(item) is Var else type_error("compound", item)
        if position > len(item.args):
            raise PrologError(Struct("existence_error", (Atom("argument"), position, item)))
        return item.args[position - 1]

    name = order.name
    result = sort_terms(machine, items, key if position else None, name in ("@>", "@>="), name in ("@<", "@>"))
    return machine.unify(args[3], make_list(result))


@define("keysort/2")
def keysort(machine: Machine, args: list[Term]) -> bool:
    def key(item: Term) -> Term:
        item = dereference(item)
        if type(item) is Struct and item.name == "-" and len(item.args) == 2:
            return item.args[0]
        raise instantiation_error() if type(item) is Var else type_error("pair", item)

    return machine.unify(args[1], make_list(sort_terms(machine, proper_list(machine, args[0]), key)))


@define("$list_to_set/2")
def list_to_set(machine: Machine, args: list[Term]) -> bool:
    """Keeps the first of each run of identical items in sorted order, then puts them back in their own."""
    items = proper_list(machine, args[0])
    numbered: list[Term] = [Struct("-", (item, number)) for number, item in enumerate(items)]
    kept = sort_terms(machine, numbered, lambda pair: pair.args[0], unique=True)  # type: ignore[union-attr]
    kept.sort(key=lambda pair: pair.args[1])  # type: ignore[union-attr, arg-type, return-value]
    return machine.unify(args[1], make_list([pair.args[0] for pair in kept]))  # type: ignore[union-attr]


@define("$identical_member/2")
def identical_member(machine: Machine, args: list[Term]) -> bool:
    return any(compare(machine, args[0], item) == 0 for item in spine(machine, args[1])[0])


@define("$skip_list/2")
def skip_list(machine: Machine, args: list[Term]) -> bool:
    return machine.unify(args[1], spine(machine, args[0])[1])
