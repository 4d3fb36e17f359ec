"""Small random tasks with recursion, and with constants and numbers in rules."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from .brute_force import SpaceTooLargeError
from .learned_calling import Instances, calling_programs, calls_itself, covered_bits, rules_of
from .learned_rules import LearnedRule
from .learned_task import LearnedTask
from .small_task import Atom, Example

VALUES = (
    ("0", "1", "2", "3"),
    ("-1", "0", "1", "2"),
    ("0.5", "1", "1.0", "2"),
    ("9007199254740993", "9007199254740992", "3"),
)


def random_learned_calling_task(
    rng: random.Random, *, most_bodies: int = 12_000, most_programs: int = 12_000
) -> LearnedTask:
    """A task of the generator `rng`, and of nothing else."""
    while True:
        task = _numbers_in_a_row(rng) if rng.random() < 0.35 else _things_with_numbers(rng)
        try:
            rules = rules_of(task, most_bodies)
        except SpaceTooLargeError:
            continue
        programs = list(calling_programs(rules))
        if 5 <= len(programs) <= most_programs:
            return _labelled(rng, task, rules, programs)


def _numbers_in_a_row(rng: random.Random) -> LearnedTask:
    """A successor relation on numbers: the things are numbers themselves."""
    count = rng.randint(4, 6)
    numbers = [str(i) for i in range(count)] if rng.random() < 0.6 else [f"{i}.5" for i in range(count)]
    facts = [("next", pair) for pair in pairwise(numbers) if rng.random() < 0.95]
    body = [("next", 2)]
    if rng.random() < 0.4:
        body.append(("mark", 1))
        facts += [("mark", (one,)) for one in numbers if rng.random() < 0.5] or [("mark", (numbers[0],))]
    if not any(name == "next" for name, _ in facts):
        facts.append(("next", (numbers[0], numbers[1])))
    head = ("f", rng.choice((1, 1, 2)))
    task = _task(rng, head, body, facts, {name: ("n",) * arity for name, arity in (head, *body)})
    task.positives = (
        [((one,), 1) for one in numbers] if head[1] == 1 else [((a, b), 1) for a in numbers for b in numbers]
    )
    if rng.random() < 0.8:
        task.numbers = ("n",)
    if not task.numbers or rng.random() < 0.3:
        task.constant_types = ("n",)
    if rng.random() < 0.2:
        task.compared = ("n",)
    return task


def _things_with_numbers(rng: random.Random) -> LearnedTask:
    """A graph whose nodes have values."""
    things = [f"e{i}" for i in range(rng.randint(4, 6))]
    values = list(rng.choice(VALUES))
    if rng.random() < 0.1:
        values.append("none")
    pairs = list(pairwise(things)) if rng.random() < 0.6 else [(a, rng.choice(things)) for a in things]
    facts: list[tuple[str, Atom]] = [("next", pair) for pair in pairs]
    facts += [("val", (one, rng.choice(values))) for one in things if rng.random() < 0.9]
    if not any(name == "val" for name, _ in facts):
        facts.append(("val", (things[0], values[0])))
    body = [("next", 2), ("val", 2)]
    head = ("f", rng.choice((1, 1, 1, 2)))
    last = rng.choice(("e", "n"))
    types = {"f": ("e", last)[: head[1]], "next": ("e", "e"), "val": ("e", "n")}
    task = _task(rng, head, body, facts, types)
    seconds = things if last == "e" else values
    task.positives = [((a,), 1) for a in things] if head[1] == 1 else [((a, b), 1) for a in things for b in seconds]
    if rng.random() < 0.7:
        task.numbers = ("n",)
    if not task.numbers or rng.random() < 0.3:
        task.constant_places = (rng.choice((("val", 2), ("next", 2), ("next", 1))),)
    if rng.random() < 0.15:
        task.compared = ("n",)
    return task


def _task(
    rng: random.Random,
    head: tuple[str, int],
    body: list[tuple[str, int]],
    facts: list[tuple[str, Atom]],
    types: dict[str, tuple[str, ...]],
) -> LearnedTask:
    directions: dict[str, tuple[str, ...]] | None = None
    if rng.random() < 0.6:
        directions = {"f": ("in",) if head[1] == 1 else rng.choice((("in", "out"), ("in", "in")))}
        directions |= {name: ("in", "out")[:arity] for name, arity in body}
    return LearnedTask(
        head=head,
        body=body,
        max_vars=rng.choice((2, 3)) if head[1] == 1 else 3,
        max_body=rng.choice((2, 2, 3)),
        facts=facts,
        positives=[],
        types=types,
        directions=directions,
        singletons=rng.random() < 0.6,
        weights=(1, 1, 1) if rng.random() < 0.7 else (rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)),
        exact=rng.random() < 0.2,
        recursion=True,
        max_clauses=2,
        most_numbers=1 if rng.random() < 0.2 else None,
    )


def _labelled(
    rng: random.Random,
    task: LearnedTask,
    rules: Mapping[Instances, LearnedRule],
    programs: Sequence[tuple[Instances, Instances]],
) -> LearnedTask:
    """Positives are mostly what a program covers that calls itself, where no single rule covers just that."""
    atoms = [atom for atom, _ in task.positives]
    atoms = rng.sample(atoms, min(len(atoms), 16))
    covered, worth = rng.getrandbits(len(atoms)), 4
    chosen = 0
    plain = {covered_bits(task, atoms, [one]) for one, rule in rules.items() if not calls_itself(rule)}
    for program in rng.sample(programs, min(len(programs), 40)):
        bits, size = covered_bits(task, atoms, program), sum(rules[one].size for one in program)
        if bits not in plain and abs(bits.bit_count() - len(atoms) / 2) < abs(chosen.bit_count() - len(atoms) / 2):
            covered, chosen, worth = bits, bits, size
    positives = [atom for number, atom in enumerate(atoms) if covered >> number & 1] or [atoms[0]]
    negatives = [atom for number, atom in enumerate(atoms) if not covered >> number & 1]
    if not task.exact and negatives and rng.random() < 0.3:
        positives.append(negatives.pop(rng.randrange(len(negatives))))
    weights = [1] * len(positives)
    for _ in range(max(0, (worth * task.weights[0] + rng.randint(-1, 10)) // task.weights[2] - len(positives))):
        weights[rng.randrange(len(weights))] += 1
    examples: list[Example] = list(zip(positives, weights, strict=True))
    return replace(task, positives=examples, negatives=[(atom, rng.randint(1, 3)) for atom in negatives])
