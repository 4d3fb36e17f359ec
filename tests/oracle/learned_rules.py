"""The optimum of a small task with constants and numbers in its rules, by listing all rules, with all of these.

A rule is what `brute_force` says, and in a body there may also be:
- constants in the place of arguments where the bias says so, but not of all arguments of a literal. All constants of
  the task are tried at each such place;
- `X >= c` and `X =< c` for a variable X of a type that the bias names, or of none, which is bound by the head or by
  another literal. Tried are all numbers that X can be, all midpoints of these, one beyond each end, and the bounds
  of c;
- `X < Y` and `X =< Y` for two bound variables of one type that the bias names (either may have none);
- `Z is X+Y` for two bound variables. All three have the same type if any has one, and the bias names it.

Bound are head variables (where there are directions, those that are `in`), and what other literals bind.

Of two literals X >= c and X >= d in one rule the weaker says nothing, so there is at most one. All else is tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .brute_force import SpaceTooLargeError, _Atoms, best_exact_union, best_union
from .learned_task import LearnedTask, total, value
from .small_task import Atom

Argument = int | str | Fraction  # a variable by its number, a constant, the number of a comparison
Literal = tuple[str, tuple[Argument, ...]]
Row = tuple[int, tuple[str | None, ...]]  # which atom it is about, and the values of variables that are known

HOLDS = {
    ">=": lambda one, other: one >= other,
    "=<": lambda one, other: one <= other,
    "<": lambda one, other: one < other,
}
SUM = ("+", 3)


class LearnedRule(NamedTuple):
    arity: int
    body: tuple[Literal, ...]

    @property
    def size(self) -> int:
        return 1 + len(self.body)

    def __str__(self) -> str:
        return f"f({','.join('ABCDEFGH'[: self.arity])}) :- {', '.join(map(literal_text, self.body))}."


def literal_text(literal: Literal) -> str:
    name, args = literal
    shown = ["ABCDEFGH"[arg] if isinstance(arg, int) else str(arg) for arg in args]
    if name == "+":
        return f"{shown[2]} is {shown[0]}+{shown[1]}"
    return f"{shown[0]} {name} {shown[1]}" if name in HOLDS else f"{name}({','.join(shown)})"


def variables(literal: Literal) -> set[int]:
    return {arg for arg in literal[1] if isinstance(arg, int)}


def is_test(literal: Literal) -> bool:
    return isinstance(literal[1][-1], Fraction)


def terms_of(task: LearnedTask) -> list[str]:
    rows = [*(row for _, row in task.facts), *(args for args, _ in (*task.positives, *task.negatives))]
    return list(dict.fromkeys(term for row in rows for term in row))


# -- the literals -------------------------------------------------------------------------------------------


def literals_of(task: LearnedTask, predicates: Iterable[tuple[str, int]]) -> list[Literal]:
    """All literals but comparisons with a number."""
    names = list(range(task.max_vars))
    found: list[Literal] = []
    for predicate, arity in predicates:
        choices = [[*names, *(terms_of(task) if may_be_constant(task, predicate, i) else [])] for i in range(arity)]
        for args in itertools.product(*choices):
            own = [arg for arg in args if isinstance(arg, int)]
            if own and len(set(own)) == len(own):
                found.append((predicate, args))
    if task.compared:
        found += [(name, args) for name in ("<", "=<") for args in itertools.permutations(names, 2)]
    if "+" in task.only:
        found += [("+", args) for args in itertools.permutations(names, 3)]
    return found


def may_be_constant(task: LearnedTask, predicate: str, place: int) -> bool:
    types = (task.types or {}).get(predicate)
    return (predicate, place + 1) in task.constant_places or (types is not None and types[place] in task.constant_types)


# -- the space ----------------------------------------------------------------------------------------------


def needs(task: LearnedTask, literal: Literal) -> set[int]:
    """The variables that must be bound before a literal."""
    name, args = literal
    if name in HOLDS:
        return variables(literal)
    if (name, len(args)) == SUM:
        return variables((name, args[:2]))
    ways = (task.directions or {}).get(name, ())
    return {arg for arg, way in zip(args, ways, strict=False) if way == "in" and isinstance(arg, int)}


def given(task: LearnedTask) -> set[int]:
    ways = (task.directions or {}).get(task.head[0])
    return {v for v in range(task.head[1]) if ways is None or ways[v] == "in"}


def types_of(task: LearnedTask, body: Sequence[Literal]) -> dict[int, set[str]]:
    """The types of variables, which a sum shares."""
    declared = task.types or {}
    found: dict[int, set[str]] = {v: set() for v in range(task.max_vars)}
    for name, args in ((task.head[0], tuple(range(task.head[1]))), *body):
        for arg, type_ in zip(args, declared.get(name, ()), strict=False):
            if isinstance(arg, int):
                found[arg].add(type_)
    for _ in body:
        for name, args in body:
            if (name, len(args)) == SUM:
                together = set().union(*(found[arg] for arg in variables((name, args))))
                for arg in variables((name, args)):
                    found[arg] |= together
    return found


def is_rule(task: LearnedTask, body: Sequence[Literal]) -> bool:
    """Whether a body, whose literals can be run in some order, makes a rule."""
    head = set(range(task.head[1]))
    used = set().union(*map(variables, body))
    reached = set(head)
    for _ in body:
        for literal in body:
            if reached & variables(literal):
                reached |= variables(literal)
    places = [*head, *(v for literal in body for v in variables(literal))]
    types = types_of(task, body)
    return (
        bool(body)
        and len(head | used) <= task.max_vars
        and (task.non_datalog or head <= used)
        and used <= reached
        and (task.singletons or all(places.count(v) > 1 for v in places))
        and all(len(many) < 2 for many in types.values())
        and all(sum(types[v] == {type_} for v in head | used) == 1 for type_ in task.one_of_type)
        and all(numbers_allowed(task, literal, types) for literal in body)
        and (task.most_numbers is None or sum(map(is_test, body)) <= task.most_numbers)
    )


def numbers_allowed(task: LearnedTask, literal: Literal, types: Mapping[int, set[str]]) -> bool:
    name, args = literal
    if name not in HOLDS and (name, len(args)) != SUM:
        return True
    known = set().union(*(types[v] for v in variables(literal)))
    with_variables = set(task.compared) if name in HOLDS else {task.only["+"]}
    named = task.with_number(name) if is_test(literal) else with_variables
    return len(known) < 2 and known <= named and bool(named)


# -- what is covered ----------------------------------------------------------------------------------------


class Coverage:
    """The coverage, as bits, of all rules of a task on some atoms: for each the smallest rule.

    `limit` bounds the bodies looked at, rules or not. `numbers_for` says which numbers a comparison is tried with.
    """

    def __init__(self, task: LearnedTask, atoms: Sequence[Atom], limit: int | None = None) -> None:
        self.task = task
        self.atoms = atoms
        self.limit = limit
        self.facts: dict[str, set[tuple[str, ...]]] = {}
        for name, row in task.facts:
            self.facts.setdefault(name, set()).add(row)
        self.smallest: dict[int, LearnedRule] = {}

    def list_all(self) -> dict[int, LearnedRule]:
        for body, rows in self.bodies():
            self.add(body, (), rows, len(body))
            self.add_tests(body, rows)
        return self.smallest

    def add(self, body: tuple[Literal, ...], tests: tuple[Literal, ...], rows: Iterable[Row], size: int) -> None:
        covered = 0
        for number, _ in rows:
            covered |= 1 << number
        known = self.smallest.get(covered)
        if (known is None or size + 1 < known.size) and is_rule(self.task, (*body, *tests)):
            self.smallest[covered] = LearnedRule(self.task.head[1], (*body, *tests))

    def start(self) -> set[Row]:
        """A row for each atom."""
        others = (None,) * (self.task.max_vars - self.task.head[1])
        return {(number, (*atom, *others)) for number, atom in enumerate(self.atoms)}

    def bodies(self) -> Iterator[tuple[tuple[Literal, ...], set[Row]]]:
        """All bodies without tests, from none on, one for all names of variables, that are true of some atom."""
        arity = self.task.head[1]
        literals = [one for one in literals_of(self.task, self.task.body) if self.matches_something(one)]
        number = {literal: i for i, literal in enumerate(literals)}
        renamings = []
        for names in itertools.permutations(range(arity, self.task.max_vars)):
            new = (*range(arity), *names)
            renamings.append(
                [number[name, tuple(new[a] if isinstance(a, int) else a for a in args)] for name, args in literals]
            )
        level: list[tuple[tuple[int, ...], set[Row]]] = [((), self.start())]
        yield (), level[0][1]
        seen: set[frozenset[int]] = set()
        count = 0
        for _ in range(self.task.max_body):
            longer = []
            for body, rows in level:
                bound = given(self.task).union(*(variables(literals[i]) for i in body))
                for i, literal in enumerate(literals):
                    extended = frozenset((*body, i))
                    if i in body or extended in seen or not needs(self.task, literal) <= bound:
                        continue
                    count += 1
                    if self.limit is not None and count > self.limit:
                        raise SpaceTooLargeError
                    seen.update(frozenset(renaming[part] for part in extended) for renaming in renamings)
                    more = self.joined(rows, literal)
                    if not more:
                        continue
                    longer.append(((*body, i), more))
                    yield tuple(literals[part] for part in longer[-1][0]), more
            level = longer

    def matches_something(self, literal: Literal) -> bool:
        name, args = literal
        return (
            name in HOLDS
            or (name, len(args)) == SUM
            or any(
                all(isinstance(arg, int) or arg == known for arg, known in zip(args, row, strict=True))
                for row in self.facts.get(name, ())
            )
        )

    def joined(self, rows: Iterable[Row], literal: Literal) -> set[Row]:
        """The rows extended by a literal. All rows have values for the same variables."""
        rows = list(rows)
        name, args = literal
        if not rows:
            return set()
        if name in HOLDS or (name, len(args)) == SUM:
            return {extended for row in rows if (extended := computed(row, literal)) is not None}
        known = [i for i, arg in enumerate(args) if not isinstance(arg, int) or rows[0][1][arg] is not None]
        matching: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for fact in self.facts.get(name, ()):
            matching.setdefault(tuple(fact[i] for i in known), []).append(fact)
        found = set()
        for number, binding in rows:
            key = tuple(str(binding[arg] if isinstance(arg, int) else arg) for arg in (args[i] for i in known))
            for fact in matching.get(key, ()):
                new = list(binding)
                for arg, one in zip(args, fact, strict=True):
                    if isinstance(arg, int):
                        new[arg] = one
                found.add((number, tuple(new)))
        return found

    # -- numbers --------------------------------------------------------------------------------------------

    def add_tests(self, body: tuple[Literal, ...], rows: set[Row]) -> None:
        """All rules that are a body and comparisons with numbers."""
        types = types_of(self.task, body)
        bound = given(self.task).union(*map(variables, body))
        possible = [
            (comparison, v)
            for comparison in (">=", "=<")
            for v in sorted(bound)
            if (named := self.task.with_number(comparison)) and types[v] <= named
        ]
        most = self.task.max_body - len(body)
        if self.task.most_numbers is not None:
            most = min(most, self.task.most_numbers)
        for count in range(1, most + 1):
            for tests in itertools.combinations(possible, count):
                # Whether it is a rule does not depend on the numbers.
                if is_rule(self.task, (*body, *((comparison, (v, Fraction(0))) for comparison, v in tests))):
                    self.fill(body, (), tests, list(rows))

    def fill(
        self, body: tuple[Literal, ...], done: tuple[Literal, ...], tests: Sequence[tuple[str, int]], rows: list[Row]
    ) -> None:
        """Tries all numbers for the tests that are left."""
        if not tests:
            self.add(body, done, rows, len(body) + len(done))
            return
        comparison, v = tests[0]
        numbers = [known for row in rows if (known := value(str(row[1][v]))) is not None]
        before = -1
        for number in self.numbers_for(comparison, numbers, rows, v):
            passing = self.passing(comparison, v, number, rows)
            # As numbers go up or down, what passes changes where its count does.
            if passing and len(passing) != before:
                self.fill(body, (*done, (comparison, (v, number))), tests[1:], passing)
            before = len(passing)

    def passing(self, comparison: str, v: int, number: Fraction, rows: list[Row]) -> list[Row]:
        holds = HOLDS[comparison]
        return [row for row in rows if (known := value(str(row[1][v]))) is not None and holds(known, number)]

    def numbers_for(self, comparison: str, numbers: list[Fraction], rows: list[Row], v: int) -> list[Fraction]:
        return all_numbers(numbers, self.task.bounds.get(comparison))


def all_numbers(numbers: Iterable[Fraction], bounds: tuple[str, str] | None) -> list[Fraction]:
    """In order: the numbers, their midpoints, two beyond the ends, and the bounds; as far as these allow them."""
    inner = sorted(set(numbers))
    if not inner:
        return []
    middles = [(one + other) / 2 for one, other in itertools.pairwise(inner)]
    tried = {inner[0] - 1, *inner, *middles, inner[-1] + 1}
    if bounds is not None:
        low, high = map(Fraction, bounds)
        tried = {number for number in (*tried, low, high) if low <= number <= high}
    return sorted(tried)


def computed(row: Row, literal: Literal) -> Row | None:
    """The row with what a comparison or a sum of variables adds to it; None where it does not hold."""
    number, binding = row
    name, args = literal
    one, other = (str(binding[arg]) for arg in args[:2] if isinstance(arg, int))
    if name in HOLDS:
        left, right = value(one), value(other)
        return row if left is not None and right is not None and HOLDS[name](left, right) else None
    result, last = total(one, other), args[2]
    assert isinstance(last, int)
    if result is None or binding[last] not in (None, result):
        return None
    return number, (*binding[:last], result, *binding[last + 1 :])


# -- the optimum --------------------------------------------------------------------------------------------


def answer(
    task: LearnedTask, limit: int | None = None, kind: type[Coverage] = Coverage
) -> tuple[int, tuple[LearnedRule, ...]] | None:
    """The least cost of any program, and such a program; None where there is no exact one."""
    atoms = _Atoms(task)
    smallest = kind(task, atoms.args, limit).list_all()
    return best_exact_union(task, atoms, smallest) if task.exact else best_union(task, atoms, smallest)


def cost(task: LearnedTask, rules: Iterable[LearnedRule]) -> int:
    """The cost of a program by the definition."""
    atoms = _Atoms(task)
    coverage = Coverage(task, atoms.args)
    size_weight, fp_weight, fn_weight = task.weights
    covered = size = 0
    for rule in rules:
        size += rule.size
        for number, _ in true_of(coverage, rule.body):
            covered |= 1 << number
    return size_weight * size + fp_weight * atoms.false_positives(covered) + fn_weight * atoms.false_negatives(covered)


def true_of(coverage: Coverage, body: Sequence[Literal]) -> list[Row]:
    """The rows of a body, whose literals are run as soon as what they need is bound."""
    width = max([coverage.task.max_vars - 1, *(v for literal in body for v in variables(literal))]) + 1
    rows: list[Row] = [(number, (*row, *[None] * (width - len(row)))) for number, row in coverage.start()]
    bound = given(coverage.task)
    waiting = list(body)
    while waiting:
        ready = next(literal for literal in waiting if needs(coverage.task, literal) <= bound)
        waiting.remove(ready)
        bound |= variables(ready)
        if is_test(ready):
            v, number = ready[1]
            assert isinstance(v, int)
            assert isinstance(number, Fraction)
            rows = coverage.passing(ready[0], v, number, rows)
        else:
            rows = list(coverage.joined(rows, ready))
    return rows
