"""The bodies of rules that may call the target: all of the space, each once, with what they cover at most."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

from maxsynth.kernel.bodies import BodyGrower
from maxsynth.kernel.forms.language import KernelBias, KernelPredicate
from maxsynth.kernel.terms import Index
from maxsynth.logic.programs import Literal, Program, Rule, executable, is_executable
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.proofs.metrics import Weights
from maxsynth.search.programs.bodies import Bodies, FoundRule
from maxsynth.search.programs.recursion import bits
from maxsynth.search.programs.rule_sets import RuleSets
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask
from oracle.calling import canonical_body, rules_of
from oracle.calling_tasks import random_calling_task
from oracle.small_task import SmallTask


def grow_all(read: ReadTask) -> tuple[Bodies, list[FoundRule]]:
    """All rules: those without parents, and their children, and so on."""
    bodies = Bodies(read.bias, read.background, WeighedExamples.of(read, Weights()).rows)
    assert bodies.grow(1 + read.bias.max_body, lambda: False)
    numbers = dict.fromkeys(number for first in bodies.first.values() for number in first)
    waiting = list(numbers)
    for number in waiting:
        new = [child for child in bodies[number].children if child not in numbers]
        numbers.update(dict.fromkeys(new))
        waiting += new
    return bodies, [bodies[number] for number in numbers]


def is_safe(body: tuple[tuple[str, tuple[int, ...]], ...], head: tuple[str, int], read: ReadTask) -> bool:
    """Whether the literals can run in some order."""
    rule = Rule(Literal(head[0], tuple(range(head[1]))), tuple(Literal(name, args) for name, args in body))
    directions = read.bias.directions
    return not directions or is_executable(executable(rule, directions), directions)


def test_all_rules_are_grown_once(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Against all sets of literals, told apart by trying all names."""
    for seed in range(effort(25, 2000)):
        task = random_calling_task(random.Random(seed), invention=False, most_programs=800)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        bodies, found = grow_all(read)
        arity = read.bias.head.arity
        names = {}
        for rule in found:
            literals = [(literal.name, literal.args) for literal in rule.rule.body]
            names[rule.number] = canonical_body(arity, literals)  # type: ignore[arg-type]
        expected = {
            body for _, body in rules_of(task, task.head, [*task.body, task.head]) if is_safe(body, task.head, read)
        }
        assert len(set(names.values())) == len(found), seed
        assert set(names.values()) == expected, f"seed {seed}\n{task.describe()}"
        for rule in found:
            own = names[rule.number]
            shorter = {canonical_body(arity, [*own[:i], *own[i + 1 :]]) for i in range(len(own))}
            same_kind = {body for body in shorter & expected if calls_target(body, task) == (rule.calls > 0)}
            assert {names[parent] for parent in rule.parents} == same_kind, seed
            for child in rule.children:
                assert rule.number in bodies[child].parents, seed
        first = {number for numbers in bodies.first.values() for number in numbers}
        assert first == {rule.number for rule in found if not rule.parents}, seed


def calls_target(body: tuple[tuple[str, tuple[int, ...]], ...], task: SmallTask) -> bool:
    return any((name, len(args)) == task.head for name, args in body)


def test_all_sets_of_rules_are_reached(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Those in which no body is part of another: from sets of rules without parents, by children and splits."""
    for seed in range(effort(15, 500)):
        task = random_calling_task(random.Random(seed), invention=False, most_programs=300)
        task.write(tmp_path)
        bodies, found = grow_all(ReadTask.from_folder(tmp_path, prolog="builtin"))
        for calls in (False, True):
            sets = RuleSets(bodies, calls=calls)
            numbers = sorted(rule.number for rule in found if (rule.calls > 0) == calls)[:30]
            kept = set(numbers)
            expected = {
                rules
                for count in (1, 2, 3)
                for rules in combinations(numbers, count)
                if not any(rules[i] in bodies[other].part_of_it for i in range(count) for other in rules)
            }
            shapes = {sets.shape(rules) for rules in expected}
            reached = {rules for shape in shapes for rules in sets.first(shape)}
            waiting = list(reached)
            for rules in waiting:
                assert all(set(parent) <= {rule.number for rule in found} for parent in sets.parents(rules))
                more = [*sets.children(rules), *(new for shape in shapes for new in sets.splits(rules, shape))]
                new = {rules for rules in more if set(rules) <= kept and len(rules) <= 3} - reached
                reached |= new
                waiting += sorted(new)
            if len(numbers) == sum((rule.calls > 0) == calls for rule in found):
                assert reached == expected, f"seed {seed}\n{task.describe()}"
            for rules in expected:
                for parent in sets.parents(rules):
                    assert sets.shape(parent) < sets.shape(rules) or sets.shape(parent)[1] < sets.shape(rules)[1]


def test_exact_rules_cover_what_they_say(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(10, 500)):
        task = random_calling_task(random.Random(seed), invention=False, most_programs=800)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        rows = WeighedExamples.of(read, Weights()).rows
        evaluator = Evaluator(read.background, read.bias.head)
        for rule in grow_all(read)[1]:
            if rule.calls:
                assert not rule.covers[1]
                continue
            covered = bits(evaluator.coverage(Program((rule.rule,)), rows).covered)
            most, exact = rule.covers
            assert covered == most if exact else covered & ~most == 0, seed


def test_a_name_has_room_for_every_predicate() -> None:
    """f(A,B) :- p(B) and f(A,B) :- q(A) are two bodies, whatever the numbers of their predicates."""
    index = Index(1, (0,), np.array([[0]], np.int32))
    for q in (1, 1 << 16, 1 << 24):
        kinds = [(0, (1,), [-1]), (q, (0,), [-1]), (q + 1, (0, 1), [-1, -1])]
        literals = [(*kind, 0, True, 0, 0) for kind in kinds]
        bias = KernelBias(2, 2, KernelPredicate(2, [-1, -1], 3), [], False, False, True, None, 0)
        grower = BodyGrower(bias, literals, 3, np.zeros((1, 2), np.int32), lambda *_: index)
        assert grower.least(lambda: False, lambda number, size: True)
        found = grower.found
        assert found is not None
        assert [grower.body(number) for number in found] == [((0,), 0), ((1,), 0), ((2,), 1)], q
