"""The optimum of a small task, by listing all of its rules and weighing all of their unions.

What a rule is, in the words of the definition:
- the head is the target predicate on distinct variables V0..Vn-1; the body is a set of one to `max_body` literals;
- the arguments of one literal are distinct variables, and a rule has at most `max_vars` variables, head counted;
- every head variable occurs in the body, unless the task is `non_datalog`;
- every body variable is connected to a head variable through shared variables;
- a variable has one type; predicates without a declared type say nothing about their variables;
- an `in` argument is safe: a head variable that is `in` for the head, or an output of a literal whose own `in`
  arguments are safe;
- without singletons, every variable occurs at least twice in the rule, head counted;
- for each type in `one_of_type`, exactly one variable of the rule, head variables included, has that type.

The space is written down twice: `all_rules` grows it, `in_space` judges one rule. So is the optimum: `optimum` adds
up reachable unions, `optimum_of_few_rules` tries sets of rules one by one. The tests hold each against the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from .small_task import Atom, SmallTask

Literal = tuple[str, tuple[int, ...]]  # a predicate's name, and variables by number


class Rule(NamedTuple):
    """`head(V0,..,Vn-1) :- body`. The body has no literal twice; `canonical` fixes its order and variables."""

    head: str
    arity: int
    body: tuple[Literal, ...]

    @property
    def size(self) -> int:
        return 1 + len(self.body)


Program = tuple[Rule, ...]


class Sized(Protocol):
    """What can be weighed: a rule of any kind."""

    @property
    def size(self) -> int: ...


SomeRule = TypeVar("SomeRule", bound=Sized)


class SpaceTooLargeError(Exception):
    """The space has more bodies than the caller wants to see."""


def rule_text(rule: Rule) -> str:
    body = ",".join(_literal_text(name, args) for name, args in rule.body)
    return f"{_literal_text(rule.head, range(rule.arity))}:-{body}."


def _literal_text(name: str, args: Iterable[int]) -> str:
    return f"{name}({','.join(chr(ord('A') + variable) for variable in args)})"


def canonical(rule: Rule) -> Rule:
    """The same rule for all orders of the body and all names of its non-head variables."""
    others = sorted({variable for _, args in rule.body for variable in args if variable >= rule.arity})
    bodies = []
    for names in itertools.permutations(range(rule.arity, rule.arity + len(others))):
        new = {**dict(enumerate(range(rule.arity))), **dict(zip(others, names, strict=True))}
        bodies.append(tuple(sorted((name, tuple(new[variable] for variable in args)) for name, args in rule.body)))
    return rule._replace(body=min(bodies))


# The space, grown literal by literal


def all_rules(task: SmallTask, limit: int | None = None) -> list[Rule]:
    """Every rule of the space, once for all names of its non-head variables, small rules first.

    `limit` bounds the bodies looked at, rules or not; beyond it `SpaceTooLargeError` is raised.
    """
    name, arity = task.head
    rules = [Rule(name, arity, body) for body in _connected_bodies(task, limit) if _is_rule(task, body)]
    return sorted((canonical(rule) for rule in rules), key=lambda rule: (rule.size, rule))


def _connected_bodies(task: SmallTask, limit: int | None) -> Iterator[tuple[Literal, ...]]:
    """Bodies that are connected, consistently typed and within the limits, each under one of its names.

    The literals of a connected body can be put in an order in which each shares a variable with the head or with an
    earlier one. Every prefix of that order is connected too, and consistently typed if the whole is. So it is enough
    to extend connected bodies by literals that touch them. A new body is remembered under all names that its
    non-head variables can have, which makes its renamings old.
    """
    arity = task.head[1]
    literals = [
        (name, args) for name, places in task.body for args in itertools.permutations(range(task.max_vars), places)
    ]
    number = {literal: index for index, literal in enumerate(literals)}
    renamings = []
    for names in itertools.permutations(range(arity, task.max_vars)):
        all_names = (*range(arity), *names)
        renamings.append([number[name, tuple(all_names[variable] for variable in args)] for name, args in literals])

    head_types = dict(enumerate((task.types or {}).get(task.head[0], ())))
    level: list[tuple[tuple[int, ...], dict[int, str]]] = [((), head_types)]
    seen: set[frozenset[int]] = set()
    count = 0
    for _ in range(task.max_body):
        longer = []
        for body, types in level:
            touched = {*range(arity), *(variable for index in body for variable in literals[index][1])}
            for index, literal in enumerate(literals):
                if index in body or touched.isdisjoint(literal[1]) or (extended := frozenset((*body, index))) in seen:
                    continue
                more_types = _with_types(task, literal, types)
                if more_types is None:
                    continue
                seen.update(frozenset(renaming[part] for part in extended) for renaming in renamings)
                count += 1
                if limit is not None and count > limit:
                    raise SpaceTooLargeError
                longer.append(((*body, index), more_types))
                yield tuple(literals[part] for part in longer[-1][0])
        level = longer


def _with_types(task: SmallTask, literal: Literal, types: Mapping[int, str]) -> dict[int, str] | None:
    """The types of variables once a literal is added; None if it disagrees."""
    name, args = literal
    extended = dict(types)
    for variable, type_ in zip(args, (task.types or {}).get(name, ()), strict=False):
        if extended.setdefault(variable, type_) != type_:
            return None
    return extended


def _is_rule(task: SmallTask, body: Sequence[Literal]) -> bool:
    """The conditions that a longer body may meet where a shorter one does not, or the other way round."""
    head_variables = range(task.head[1])
    places = [variable for _, args in body for variable in args]
    if not task.non_datalog and any(variable not in places for variable in head_variables):
        return False
    if not task.singletons:
        places += head_variables
        if any(places.count(variable) == 1 for variable in places):
            return False
    if task.one_of_type:
        types = dict(enumerate((task.types or {}).get(task.head[0], ())))
        for name, args in body:
            types.update(zip(args, (task.types or {}).get(name, ()), strict=False))
        if any(list(types.values()).count(type_) != 1 for type_ in task.one_of_type):
            return False
    return task.directions is None or _runs(task.head[0], task.directions, body)


def _runs(head: str, directions: Mapping[str, tuple[str, ...]], body: Sequence[Literal]) -> bool:
    """Whether literals, run as soon as their inputs are safe, all run."""
    safe = {variable for variable, way in enumerate(directions[head]) if way == "in"}
    waiting = list(body)
    while waiting:
        blocked = []
        for name, args in waiting:
            if all(way == "out" or variable in safe for variable, way in zip(args, directions[name], strict=True)):
                safe.update(args)  # its inputs were safe before, its outputs are safe now
            else:
                blocked.append((name, args))
        if len(blocked) == len(waiting):
            return False
        waiting = blocked
    return True


# The space, as a judgement on one rule


def in_space(task: SmallTask, rule: Rule) -> bool:
    """Whether a rule, with any names of its non-head variables, is in the space: the definition, line by line."""
    if (rule.head, rule.arity) != task.head or len(set(rule.body)) != len(rule.body):
        return False
    if not 1 <= len(rule.body) <= task.max_body:
        return False
    if any((name, len(args)) not in task.body or len(set(args)) != len(args) for name, args in rule.body):
        return False
    head = set(range(rule.arity))
    used = {variable for _, args in rule.body for variable in args}
    return (
        len(head | used) <= task.max_vars
        and (task.non_datalog or head <= used)
        and used <= _reachable(head, rule)
        and (task.singletons or all(occurrences >= 2 for occurrences in _occurrences(rule).values()))
        and _types_agree(task, rule)
        and (task.directions is None or _some_order_is_safe(task.directions, rule))
    )


def _reachable(start: set[int], rule: Rule) -> set[int]:
    reached = set(start)
    for _ in rule.body:  # each round reaches a new literal or changes nothing
        for _, args in rule.body:
            if reached & set(args):
                reached |= set(args)
    return reached


def _occurrences(rule: Rule) -> dict[int, int]:
    places = [*range(rule.arity), *(variable for _, args in rule.body for variable in args)]
    return {variable: places.count(variable) for variable in places}


def _types_agree(task: SmallTask, rule: Rule) -> bool:
    declared = task.types or {}
    types_of: dict[int, set[str]] = {}
    for name, args in [(rule.head, tuple(range(rule.arity))), *rule.body]:
        if name in declared:
            for variable, type_ in zip(args, declared[name], strict=True):
                types_of.setdefault(variable, set()).add(type_)
    if any(len(types) > 1 for types in types_of.values()):
        return False
    return all(sum(types == {type_} for types in types_of.values()) == 1 for type_ in task.one_of_type)


def _some_order_is_safe(directions: Mapping[str, tuple[str, ...]], rule: Rule) -> bool:
    """A variable that is safe for a reason is safe for a shortest one: then there is an order of execution."""
    given = {variable for variable in range(rule.arity) if directions[rule.head][variable] == "in"}
    for order in itertools.permutations(rule.body):
        safe = set(given)
        for name, args in order:
            inputs = {variable for variable, way in zip(args, directions[name], strict=True) if way == "in"}
            if not inputs <= safe:
                break
            safe |= set(args) - inputs
        else:
            return True
    return False


# Coverage

Facts = dict[str, list[tuple[str, ...]]]


def covers(task: SmallTask, rule: Rule, example_args: Atom) -> bool:
    """Whether BK and the rule entail an example."""
    return _holds(_facts(task), rule.body, dict(enumerate(example_args)))


def _facts(task: SmallTask) -> Facts:
    facts: Facts = {}
    for name, row in dict.fromkeys(task.facts):
        facts.setdefault(name, []).append(row)
    return facts


def _holds(facts: Facts, body: Sequence[Literal], binding: dict[int, str]) -> bool:
    if not body:
        return True
    name, args = body[0]
    for row in facts.get(name, ()):
        for variable, value in zip(args, row, strict=True):
            if binding.get(variable, value) != value:
                break
        else:
            if _holds(facts, body[1:], {**binding, **dict(zip(args, row, strict=True))}):
                return True
    return False


def program_covers(task: SmallTask, program: Iterable[Rule], example_args: Atom) -> bool:
    return any(covers(task, rule, example_args) for rule in program)


def cost(task: SmallTask, program: Iterable[Rule]) -> int:
    """The cost of a program by the definition. Examples count as listed."""
    rules = list(program)
    size_weight, fp_weight, fn_weight = task.weights
    size = sum(rule.size for rule in rules)
    fp = sum(weight for args, weight in task.negatives if program_covers(task, rules, args))
    fn = sum(weight for args, weight in task.positives if not program_covers(task, rules, args))
    return size_weight * size + fp_weight * fp + fn_weight * fn


def solves(task: SmallTask, program: Iterable[Rule]) -> bool:
    """Whether a program covers all positive and no negative examples."""
    rules = list(program)
    return all(program_covers(task, rules, args) for args, _ in task.positives) and not any(
        program_covers(task, rules, args) for args, _ in task.negatives
    )


# The optimum


class _Atoms:
    """The distinct atoms among the examples, one bit each, with the weights listed for them on either side."""

    def __init__(self, task: SmallTask) -> None:
        self.args = list(dict.fromkeys(args for args, _ in (*task.positives, *task.negatives)))
        self.positive, self.positives = self._side(task.positives)
        self.negative, self.negatives = self._side(task.negatives)

    def _side(self, examples: list[tuple[Atom, int]]) -> tuple[list[int], int]:
        weights = [sum(weight for args, weight in examples if args == atom) for atom in self.args]
        return weights, sum(1 << bit for bit, weight in enumerate(weights) if weight)

    def false_positives(self, covered: int) -> int:
        return sum(weight for bit, weight in enumerate(self.negative) if covered >> bit & 1)

    def false_negatives(self, covered: int) -> int:
        return sum(weight for bit, weight in enumerate(self.positive) if not covered >> bit & 1)


def _coverages(task: SmallTask, atoms: _Atoms, rules: Iterable[Rule]) -> dict[int, Rule]:
    """For each set of atoms that some rule covers, the smallest rule that covers just it."""
    facts = _facts(task)
    bindings = [(1 << bit, dict(enumerate(args))) for bit, args in enumerate(atoms.args)]
    smallest: dict[int, Rule] = {}
    for rule in rules:
        covered = sum(bit for bit, binding in bindings if _holds(facts, rule.body, binding))
        if covered not in smallest or rule.size < smallest[covered].size:
            smallest[covered] = rule
    return smallest


def _undominated(atoms: _Atoms, smallest: Mapping[int, SomeRule]) -> list[tuple[int, SomeRule]]:
    """Drop a rule for one that is no larger, covers its positives and no further negatives.

    The swap never raises the cost of a program. A rule that covers no positive is of no use either.
    """

    def order(item: tuple[int, SomeRule]) -> tuple[int, int, int]:
        """No rule is dominated by a later one."""
        covered, rule = item
        return (rule.size, (covered & atoms.negatives).bit_count(), -(covered & atoms.positives).bit_count())

    kept: list[tuple[int, SomeRule]] = []
    for covered, rule in sorted(smallest.items(), key=order):
        if covered & atoms.positives and not any(
            not covered & atoms.positives & ~better and not better & atoms.negatives & ~covered for better, _ in kept
        ):
            kept.append((covered, rule))
    return kept


def optimum(task: SmallTask, rules: Sequence[Rule] | None = None) -> tuple[int, Program]:
    """The least cost of any set of rules (of all the space, unless given), the empty one included, and such a set."""
    atoms = _Atoms(task)
    return best_union(task, atoms, _coverages(task, atoms, all_rules(task) if rules is None else rules))


def best_union(task: SmallTask, atoms: _Atoms, smallest: Mapping[int, SomeRule]) -> tuple[int, tuple[SomeRule, ...]]:
    """The same, where for each coverage the smallest rule is known.

    `reached` holds the least size, and a program, for every union of coverages. Only unions whose size and false
    positives already cost as much as a known program are left out, since both only grow.
    """
    size_weight, fp_weight, fn_weight = task.weights
    best: tuple[int, tuple[SomeRule, ...]] = (fn_weight * atoms.false_negatives(0), ())
    reached: dict[int, tuple[int, tuple[SomeRule, ...]]] = {0: (0, ())}
    for covered, rule in _undominated(atoms, smallest):
        for before, (size, program) in list(reached.items()):
            union, new_size = before | covered, size + rule.size
            paid = size_weight * new_size + fp_weight * atoms.false_positives(union)
            if paid >= best[0] or (union in reached and reached[union][0] <= new_size):
                continue
            reached[union] = (new_size, (*program, rule))
            total = paid + fn_weight * atoms.false_negatives(union)
            if total < best[0]:
                best = (total, reached[union][1])
    return best


def optimum_exact(task: SmallTask, rules: Sequence[Rule] | None = None) -> tuple[int, Program] | None:
    """The least size, times its weight, of a program that covers all positives and no negatives; None without one."""
    atoms = _Atoms(task)
    return best_exact_union(task, atoms, _coverages(task, atoms, all_rules(task) if rules is None else rules))


def best_exact_union(
    task: SmallTask, atoms: _Atoms, smallest: Mapping[int, SomeRule]
) -> tuple[int, tuple[SomeRule, ...]] | None:
    """The same, where for each coverage the smallest rule is known."""
    reached: dict[int, tuple[int, tuple[SomeRule, ...]]] = {0: (0, ())}
    for covered, rule in smallest.items():
        if covered & atoms.negatives:
            continue
        for before, (size, program) in list(reached.items()):
            union, new_size = before | covered, size + rule.size
            if union not in reached or new_size < reached[union][0]:
                reached[union] = (new_size, (*program, rule))
    if atoms.positives not in reached:
        return None
    size, program = reached[atoms.positives]
    return task.weights[0] * size, program


def optimum_of_few_rules(task: SmallTask, most: int) -> tuple[int, Program]:
    """The least cost of a program with at most so many rules: every such set of rules is tried."""
    return min(((cost(task, program), program) for program in _programs(task, most)), key=lambda found: found[0])


def optimum_exact_of_few_rules(task: SmallTask, most: int) -> tuple[int, Program] | None:
    sizes = [
        (task.weights[0] * sum(rule.size for rule in program), program)
        for program in _programs(task, most)
        if solves(task, program)
    ]
    return min(sizes, key=lambda found: found[0], default=None)


def _programs(task: SmallTask, most: int) -> Iterator[Program]:
    rules = all_rules(task)
    for count in range(most + 1):
        yield from itertools.combinations(rules, count)
