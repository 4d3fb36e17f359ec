"""The bodies of rules that may call the target: all of the space, each once, with what they cover at most."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from maxsynth.kernel.bodies import BodyGrower
from maxsynth.kernel.forms.language import KernelBias, KernelPredicate
from maxsynth.kernel.terms import Index
from maxsynth.logic.programs import Literal, Program, Rule, executable, is_executable
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.proofs.metrics import Weights
from maxsynth.search.programs.bodies import Bodies, FoundRule
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask
from oracle.calling import canonical_body, rules_of
from oracle.calling_tasks import random_calling_task


def grow_all(read: ReadTask) -> tuple[Bodies, list[FoundRule]]:
    bodies = Bodies(read.bias, read.background, WeighedExamples.of(read, Weights()).rows)
    found: list[FoundRule] = []
    for _ in range(read.bias.max_body):
        rules = bodies.grow(lambda: False)
        assert rules is not None
        found += rules
    return bodies, found


def is_safe(body: tuple[tuple[str, tuple[int, ...]], ...], head: tuple[str, int], read: ReadTask) -> bool:
    """Whether the literals can run in some order."""
    rule = Rule(Literal(head[0], tuple(range(head[1]))), tuple(Literal(name, args) for name, args in body))
    directions = read.bias.directions
    return not directions or is_executable(executable(rule, directions), directions)


def test_all_rules_are_grown_once(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Against all sets of literals, told apart by trying all names."""
    for seed in range(effort(60, 2000)):
        task = random_calling_task(random.Random(seed), invention=False, most_programs=800)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        bodies, found = grow_all(read)
        arity = read.bias.head.arity
        names = {}
        for rule in found:
            literals = [(literal.name, literal.args) for literal in bodies.rule(rule).body]
            names[rule.body] = canonical_body(arity, literals)  # type: ignore[arg-type]
        expected = {
            body for _, body in rules_of(task, task.head, [*task.body, task.head]) if is_safe(body, task.head, read)
        }
        assert len(set(names.values())) == len(found), seed
        assert set(names.values()) == expected, f"seed {seed}\n{task.describe()}"
        for rule in found:
            shorter = {
                canonical_body(arity, [*names[rule.body][:i], *names[rule.body][i + 1 :]])
                for i in range(len(rule.body))
            }
            parents = {names[parent] for parent in bodies.parents(rule.body) if parent in names}
            assert parents == shorter & expected, seed


def test_exact_rules_cover_what_they_say(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(20, 500)):
        task = random_calling_task(random.Random(seed), invention=False, most_programs=800)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        rows = WeighedExamples.of(read, Weights()).rows
        evaluator = Evaluator(read.background, read.bias.head)
        bodies, found = grow_all(read)
        for rule in found:
            if rule.calls:
                assert not rule.exact
                continue
            covered = evaluator.coverage(Program((bodies.rule(rule),)), rows).covered
            assert (covered == rule.covers).all() if rule.exact else (covered <= rule.covers).all(), seed


def test_a_name_has_room_for_every_predicate() -> None:
    """f(A,B) :- p(B) and f(A,B) :- q(A) are two bodies, whatever the numbers of their predicates."""
    index = Index(1, (0,), np.array([[0]], np.int32))
    for q in (1, 1 << 16, 1 << 24):
        kinds = [(0, (1,), [-1]), (q, (0,), [-1]), (q + 1, (0, 1), [-1, -1])]
        literals = [(*kind, 0, True, 0, 0) for kind in kinds]
        bias = KernelBias(2, 2, KernelPredicate(2, [-1, -1], 3), [], False, False, True, None, 0)
        grower = BodyGrower(bias, literals, 3, np.zeros((1, 2), np.int32), lambda *_: index)
        found = grower.grow(False, lambda: False)
        assert found is not None
        assert [body for body, *_ in found] == [(0,), (1,), (2,)], q
