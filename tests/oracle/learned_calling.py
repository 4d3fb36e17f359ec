"""The optimum of a small task with constants and numbers whose programs may call themselves.

Such a program has two rules: one that calls the target and one that does not. What a rule says is the set of its ground
instances (an atom, and the atoms that it calls), over all terms of the task; two rules with the same instances mean the
same, so the smallest of them is enough. The least model is computed from instances. All tasks here are fully typed.

A number is compared for every goal, so all numbers of the task are tried, their midpoints, and two beyond the ends.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from .brute_force import SpaceTooLargeError, _Atoms
from .learned_rules import (
    HOLDS,
    Coverage,
    LearnedRule,
    Literal,
    all_numbers,
    answer,
    given,
    is_rule,
    is_test,
    literals_of,
    needs,
    terms_of,
    types_of,
    variables,
)
from .learned_task import LearnedTask, value
from .small_task import Atom

Instance = tuple[Atom, frozenset[Atom]]
Instances = frozenset[Instance]


def tests_of(task: LearnedTask) -> list[Literal]:
    """All comparisons with a number, one for each way to part the numbers of the task."""
    numbers = [number for term in terms_of(task) if (number := value(term)) is not None]
    found: list[Literal] = []
    for comparison, holds in HOLDS.items():
        if not task.with_number(comparison):
            continue
        ways: dict[tuple[bool, ...], Fraction] = {}
        for number in all_numbers(numbers, task.bounds.get(comparison)):
            ways.setdefault(tuple(holds(one, number) for one in numbers), number)
        found += [(comparison, (v, number)) for v in range(task.max_vars) for number in ways.values()]
    return found


def rules_of(task: LearnedTask, limit: int | None = None) -> dict[Instances, LearnedRule]:
    """The smallest rule for each set of instances that a rule of the space has; `limit` bounds the bodies looked at."""
    calls = itertools.permutations(range(task.max_vars), task.head[1])
    own: list[Literal] = [(task.head[0], args) for args in calls if not is_loop(task, args)]
    others = [*literals_of(task, task.body), *own, *tests_of(task)]
    arity = task.head[1]
    literals = [one for one in others if all(len(many) < 2 for many in types_of(task, [one]).values())]
    if limit is not None and sum(math.comb(len(literals), size) for size in range(1, task.max_body + 1)) > limit:
        raise SpaceTooLargeError
    coverage = Coverage(task, [])
    found: dict[Instances, LearnedRule] = {}
    for size in range(1, task.max_body + 1):
        for body in itertools.combinations(literals, size):
            if not is_named_in_order(arity, body) or not runs(task, body) or not is_rule(task, body):
                continue
            instances = frozenset(instances_of(coverage, body))
            if instances and instances not in found:  # shorter ones come first
                found[instances] = LearnedRule(arity, body)
    return found


def is_loop(task: LearnedTask, args: Sequence[int]) -> bool:
    """Whether a call has the inputs of the head: all arguments, where none is declared to be `in`."""
    ways = (task.directions or {}).get(task.head[0], ())
    inputs = [i for i, way in enumerate(ways) if way == "in"] or list(range(task.head[1]))
    return all(args[i] == i for i in inputs)


def is_named_in_order(arity: int, body: Sequence[Literal]) -> bool:
    """Whether the variables that are not in the head have the first numbers: in some naming of each rule they do."""
    own = {v for literal in body for v in variables(literal) if v >= arity}
    return own == set(range(arity, arity + len(own)))


def runs(task: LearnedTask, body: Sequence[Literal]) -> bool:
    """Whether the literals can be run in some order.

    Without directions a call may leave arguments open, so that head variables are not bound by the head. Then one that
    is only compared with a number has all values of its type.
    """
    bound = set() if task.directions is None else given(task)
    waiting = [literal for literal in body if task.directions is not None or not is_test(literal)]
    while waiting:
        ready = [literal for literal in waiting if needs(task, literal) <= bound]
        if not ready:
            return False
        bound = bound.union(*map(variables, ready))
        waiting = [literal for literal in waiting if literal not in ready]
    return True


def instances_of(coverage: Coverage, body: Sequence[Literal]) -> Iterator[Instance]:
    """The head and the calls of a body, for all values of its variables that make its other literals true."""
    task = coverage.task
    calls = [args for name, args in body if name == task.head[0]]
    tables = [one for one in body if one[0] in coverage.facts]
    checks = [one for one in body if one[0] in HOLDS]
    rows = {(0, (None,) * task.max_vars)}
    for literal in tables:
        rows = coverage.joined(rows, literal)
    wanted = {*range(task.head[1])}.union(*map(variables, body))
    for _, row in rows:
        missing = [v for v in sorted(wanted) if row[v] is None]
        for values in itertools.product(terms_of(task), repeat=len(missing)):
            whole = dict(enumerate(row)) | dict(zip(missing, values, strict=True))
            if all(check_holds(literal, whole) for literal in checks):
                head = tuple(str(whole[v]) for v in range(task.head[1]))
                yield head, frozenset(tuple(str(whole[v]) for v in args if isinstance(v, int)) for args in calls)


def check_holds(literal: Literal, binding: dict[int, str | None]) -> bool:
    name, (one, other) = literal
    left = value(str(binding[one])) if isinstance(one, int) else None
    right = other if isinstance(other, Fraction) else value(str(binding[other])) if isinstance(other, int) else None
    return left is not None and right is not None and HOLDS[name](left, right)


def least_model(task: LearnedTask, program: Sequence[Instances]) -> set[Atom]:
    known: set[Atom] = set()
    waiting = [instance for instances in program for instance in instances]
    while True:
        new = {head for head, calls in waiting if calls <= known}
        if new <= known:
            return known
        known |= new
        waiting = [instance for instance in waiting if instance[0] not in known]


def covered_bits(task: LearnedTask, atoms: Sequence[Atom], program: Sequence[Instances]) -> int:
    model = least_model(task, program)
    return sum(1 << bit for bit, atom in enumerate(atoms) if atom in model)


def calling_programs(rules: dict[Instances, LearnedRule]) -> Iterator[tuple[Instances, Instances]]:
    """A rule without calls, and one with calls."""
    base = [one for one, rule in rules.items() if not calls_itself(rule)]
    recursive = [one for one, rule in rules.items() if calls_itself(rule)]
    yield from itertools.product(base, recursive)


def calls_itself(rule: LearnedRule) -> bool:
    return any(name == "f" for name, _ in rule.body)


def calling_answer(task: LearnedTask) -> tuple[int | None, tuple[LearnedRule, ...]]:
    """The least cost of any program, calling itself or not (None: there is no exact one), and such a program."""
    plain = answer(task)
    best, chosen = (None, ()) if plain is None else plain
    atoms = _Atoms(task)
    size_weight, fp_weight, fn_weight = task.weights
    rules = rules_of(task)
    for program in calling_programs(rules):
        size = size_weight * sum(rules[one].size for one in program)
        if best is not None and size >= best:
            continue
        covered = covered_bits(task, atoms.args, program)
        fp, fn = atoms.false_positives(covered), atoms.false_negatives(covered)
        cost = size + fp_weight * fp + fn_weight * fn
        if (best is None or cost < best) and not (task.exact and (fp or fn)):
            best, chosen = cost, tuple(rules[one] for one in program)
    return best, chosen


def calling_cost(task: LearnedTask, program: Sequence[LearnedRule]) -> int:
    """The cost of a program by the definition."""
    atoms = _Atoms(task)
    coverage = Coverage(task, [])
    covered = covered_bits(task, atoms.args, [frozenset(instances_of(coverage, rule.body)) for rule in program])
    size_weight, fp_weight, fn_weight = task.weights
    size = sum(rule.size for rule in program)
    return size_weight * size + fp_weight * atoms.false_positives(covered) + fn_weight * atoms.false_negatives(covered)
