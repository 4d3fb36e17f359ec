"""Explanations of failures: what they say of a program holds for all programs that they forbid, by brute force."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np

from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.proofs.metrics import Weights
from maxsynth.search.programs.asp import AspPrograms
from maxsynth.search.programs.failures import Failures, Idle, Part, canonical
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask
from oracle.calling import CallingProgram, CallingRule, calling_programs, least_model, text
from oracle.calling_tasks import random_calling_task
from oracle.small_task import SmallTask
from programs import as_program, as_rule

LOOKED_AT, COMPARED = 40, 400  # programs of a task that are explained, and that the explanations are compared with


def failures(task: SmallTask, folder: Path) -> Failures:
    task.write(folder)
    read = ReadTask.from_folder(folder, prolog="builtin")
    return Failures(read, WeighedExamples.of(read, Weights()))


def explanations(explain: Failures, program: Program) -> list[Idle]:
    covered = explain.evaluator.coverage(program, explain.positives).covered
    everywhere = np.zeros(len(explain.is_positive), np.bool_)
    everywhere[explain.is_positive] = covered
    return explain.idle_program(program, everywhere)


# -- which programs an explanation forbids ------------------------------------------------------------------


def has_part(rule: CallingRule, part: Sequence[Literal], fixed: int) -> bool:
    """Whether a rule has the literals of a part under some other names for variables that are not fixed."""
    body = set(rule[1])
    old = sorted({arg for literal in part for arg in literal.variables if arg >= fixed})
    for names in permutations(range(fixed, 6), len(old)):
        new = {**{v: v for v in range(fixed)}, **dict(zip(old, names, strict=True))}
        if all((literal.name, tuple(new[arg] for arg in literal.args)) in body for literal in part):
            return True
    return False


def idle_rules(program: CallingProgram, idle: Idle, target: tuple[str, int]) -> Iterator[set[CallingRule]]:
    """The rules of a program that an explanation says to be idle: once for each way to understand it."""
    parts = [*idle.rules, *idle.others]
    defined = {head for head, _ in program}
    if idle.others and len(program) != len(parts):
        return
    for rules in permutations(program, len(parts)):
        fits = all(
            rule[0] == (part.head.name, len(part.head.args)) and has_part(rule, part.body, rule[0][1])
            for rule, part in zip(rules, parts, strict=True)
        )
        chosen = set(rules[: len(idle.rules)])
        callers = {
            rule for rule in program if rule[0] == target and any((n, len(args)) in defined for n, args in rule[1])
        }
        if fits and callers <= chosen:
            yield chosen


# -- properties ---------------------------------------------------------------------------------------------


def test_no_proof_of_a_positive_needs_an_idle_rule(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    explained = compared = 0
    for seed in range(effort(6, 2000)):
        rng = random.Random(seed)
        invention = rng.random() < 0.4
        task = random_calling_task(rng, invention=invention, most_programs=20_000)
        explain = failures(task, tmp_path)
        programs = list(calling_programs(task))
        constants = sorted({value for _, row in task.facts for value in row})
        positives = {atom for atom, _ in task.positives}
        sample = rng.sample(programs, min(len(programs), COMPARED))
        for looked_at in sample[:LOOKED_AT]:
            for idle in explanations(explain, as_program(looked_at)):
                explained += 1
                for program in [looked_at, *sample]:
                    for chosen in idle_rules(program, idle, task.head):
                        compared += program != looked_at
                        rest = tuple(rule for rule in program if rule not in chosen and rule[0] == task.head)
                        covered = least_model(task, program, constants) & positives
                        alone = least_model(task, rest, constants) & positives if rest else set()
                        assert covered == alone, f"seed {seed}: {text(program)}; {idle}\n{task.describe()}"
    assert explained > 50
    assert compared > 50


def test_a_rule_with_an_impossible_part_derives_nothing(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    found = 0
    for seed in range(effort(6, 2000)):
        rng = random.Random(seed)
        task = random_calling_task(rng, invention=True, most_programs=20_000)
        explain = failures(task, tmp_path)
        programs = list(calling_programs(task))
        constants = sorted({value for _, row in task.facts for value in row})
        sample = rng.sample(programs, min(len(programs), COMPARED))
        parts: list[Part] = [
            part for p in sample[:LOOKED_AT] for rule in p for part in explain.impossible_parts(as_rule(rule))
        ]
        for program in sample:
            dead = [rule for rule in program if any(has_part(rule, part, 0) for part in parts)]
            if dead:
                found += 1
                rest = tuple(rule for rule in program if rule not in dead)
                derived = least_model(task, rest, constants) if any(rule[0] == task.head for rule in rest) else set()
                assert least_model(task, program, constants) == derived, f"seed {seed}: {text(program)}"
    assert found > 50


# -- explanations that a person would give ------------------------------------------------------------------

PEOPLE = SmallTask(
    head=("f", 2),
    body=[("mother", 2), ("father", 2), ("old", 1), ("robot", 1)],
    max_vars=3,
    max_body=3,
    facts=[
        ("mother", ("a", "b")), ("mother", ("c", "d")), ("father", ("b", "c")), ("father", ("d", "e")),
        ("old", ("a",)), ("old", ("b",)),
    ],
    positives=[(("a", "c"), 1), (("b", "d"), 1), (("c", "e"), 1)],
    negatives=[(("a", "b"), 1)],
    recursion=True,
    invention=True,
    max_clauses=3,
)  # fmt: skip


def rule(head: str, *body: tuple[str, str]) -> Rule:
    literals = [Literal(name, tuple("ABC".index(v) for v in args)) for name, args in body]
    return Rule(Literal(head, (0, 1)), tuple(literals))


def test_the_smallest_impossible_part(tmp_path: Path) -> None:
    explain = failures(PEOPLE, tmp_path)
    both = rule("inv1", ("mother", "AC"), ("old", "A"), ("father", "AB"))
    assert explain.impossible_parts(both) == [(Literal("mother", (0, 2)), Literal("father", (0, 1)))]
    assert explain.impossible_parts(both) == []  # it was said before
    assert explain.impossible_parts(rule("f", ("mother", "AB"), ("robot", "A"))) == [(Literal("robot", (0,)),)]


def test_a_call_is_no_part_of_it(tmp_path: Path) -> None:
    explain = failures(PEOPLE, tmp_path)
    assert explain.impossible_parts(rule("f", ("mother", "AC"), ("f", "CB"))) == []


def test_a_rule_that_is_idle_whatever_its_calls_give(tmp_path: Path) -> None:
    explain = failures(PEOPLE, tmp_path)
    program = Program((rule("f", ("mother", "AB")), rule("f", ("old", "B"), ("father", "AC"), ("f", "CB"))))
    assert explanations(explain, program) == [Idle((rule("f", ("old", "B")),))]


def test_a_rule_that_is_idle_because_of_the_base_rule(tmp_path: Path) -> None:
    """No grandmother's daughter is old; with another base rule the same rule would do something."""
    explain = failures(PEOPLE, tmp_path)
    calling = rule("f", ("father", "AC"), ("f", "CB"))
    assert explanations(explain, Program((rule("f", ("father", "AB"), ("old", "A")), calling))) == [
        Idle((calling,), (rule("f", ("father", "AB")),))
    ]
    assert explanations(explain, Program((rule("f", ("mother", "AB")), calling))) == []


def test_parts_have_one_name() -> None:
    first = (Literal("q", (4, 2)), Literal("p", (2,)))
    assert canonical(first) == canonical((Literal("p", (0,)), Literal("q", (1, 0))))


def test_explanations_leave_out_programs(tmp_path: Path) -> None:
    PEOPLE.write(tmp_path)
    read = ReadTask.from_folder(tmp_path, prolog="builtin")
    tested = []
    for explains in (False, True):
        programs = AspPrograms(read, WeighedExamples.of(read, Weights()), 1)
        if not explains:
            programs.explain = lambda programs: None  # type: ignore[method-assign]
        while programs.size < 5:
            programs.next_size(1000, lambda program, outcome: 1000, lambda: False)
        tested.append(programs.tested)
    assert tested[1] < 0.7 * tested[0]
