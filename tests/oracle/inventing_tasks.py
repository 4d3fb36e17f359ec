"""Small random tasks with invention and without recursion, most of them labelled by a program that invents.

They have more rules, literals and predicates than brute force could go through: clingo is what an answer is held
against, or brute force where there is little of everything.
"""

from __future__ import annotations

import math
import random

from .calling import CallingProgram, CallingRule, is_calling_program, is_well_formed, least_model, size_of
from .calling_tasks import is_plain
from .small_task import Atom, SmallTask

TRIES = 300  # for a program that labels a task
FEW_BODIES = 700  # without calls, so that it can be tried whether rules without calls say the same


def random_inventing_task(rng: random.Random) -> SmallTask:
    """A task of the generator `rng`, and of nothing else."""
    head = ("f", rng.choice((1, 1, 2, 2, 3)))
    body = [(name, rng.choice((1, 2, 2, 2, 3 if head[1] > 1 else 2))) for name in "pqr"[: rng.choice((1, 2, 2, 3))]]
    constants = [f"c{number}" for number in range(rng.randint(3, 6))]
    facts: list[tuple[str, Atom]] = []
    for name, arity in body:
        rows = {tuple(rng.choice(constants) for _ in range(arity)) for _ in range(rng.randint(1, 8))}
        facts += [(name, row) for row in sorted(rows)]
    types = None
    if rng.random() < 0.4:
        names = "tu"[: rng.choice((1, 2, 2))]
        types = {name: tuple(rng.choice(names) for _ in range(arity)) for name, arity in (head, *body)}
        if rng.random() < 0.1:
            del types[head[0]]
    directions = None
    if rng.random() < 0.4:
        directions = {name: tuple(rng.choice(("in", "out", "out")) for _ in range(arity)) for name, arity in body}
        directions["f"] = tuple(rng.choice(("in", "in", "out")) for _ in range(head[1]))
    task = SmallTask(
        head=head,
        body=body,
        max_vars=max(*(arity for _, arity in (head, *body)), rng.choice((2, 3, 3, 4))),
        max_body=rng.choice((1, 2, 2, 2, 2, 3)),
        facts=facts,
        positives=[],
        types=types,
        directions=directions,
        singletons=rng.random() < 0.95,
        weights=(1, 1, 1) if rng.random() < 0.6 else (rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)),
        exact=rng.random() < 0.4,
        invention=True,
        max_clauses=rng.choice((2, 3, 3, 4)),
    )
    return _labelled(rng, task, constants)


def random_program(rng: random.Random, task: SmallTask) -> CallingProgram | None:
    """A program of the space that invents, if one is soon found."""
    most = max(arity for _, arity in (task.head, *task.body))
    for _ in range(TRIES):
        count = max(rng.randint(2, task.max_clauses), rng.randint(2, task.max_clauses))
        heads = [task.head, *((f"inv{i}", rng.randint(1, most)) for i in range(1, rng.randint(2, count)))]
        chosen = [*heads, *(rng.choice(heads) for _ in range(count - len(heads)))]
        program = tuple({_random_rule(rng, task, head, heads): None for head in chosen})
        if all(is_well_formed(task, *rule) for rule in program) and is_calling_program(task, program):
            return program
    return None


def _random_rule(
    rng: random.Random, task: SmallTask, head: tuple[str, int], heads: list[tuple[str, int]]
) -> CallingRule:
    called = [*task.body, *2 * heads[heads.index(head) + 1 :]]
    body = {}
    for _ in range(rng.randint(1, task.max_body)):
        name, arity = rng.choice([one for one in called if one[1] <= task.max_vars] or called)
        body[name, tuple(rng.sample(range(max(task.max_vars, arity)), arity))] = None
    return head, tuple(sorted(body))


def bodies(task: SmallTask) -> int:
    """How many bodies there are, linked or not, without calls."""
    literals = sum(math.perm(task.max_vars, arity) for _, arity in task.body)
    return sum(math.comb(literals, size) for size in range(1, task.max_body + 1))


def _labelled(rng: random.Random, task: SmallTask, constants: list[str]) -> SmallTask:
    atoms: list[Atom] = [()]
    for _ in range(task.head[1]):
        atoms = [(*atom, constant) for atom in atoms for constant in constants]
    program, model = None, {atom for atom in atoms if rng.random() < 0.5}
    small = bodies(task) <= FEW_BODIES
    for _ in range(8):
        other = random_program(rng, task)
        covered = least_model(task, other, constants) if other else set()
        if not covered or (small and is_plain(task, covered, constants)):
            continue
        if program is None or abs(2 * len(covered) - len(atoms)) < abs(2 * len(model) - len(atoms)):
            program, model = other, covered
    positives = [atom for atom in atoms if atom in model]
    negatives = [atom for atom in atoms if atom not in model]
    if rng.random() < (0.2 if task.exact else 0.6):
        for source, target in ((positives, negatives), (negatives, positives)):
            for atom in [atom for atom in source if rng.random() < 0.1]:
                source.remove(atom)
                target.append(atom)
    positives = rng.sample(positives, min(len(positives), 10)) or [rng.choice(atoms)]
    negatives = rng.sample(negatives, min(len(negatives), 10))
    worth = ((size_of(program) if program else 4) * task.weights[0] + rng.choice((2, 8, 20))) // task.weights[2]
    weights = [1] * len(positives)
    for _ in range(max(0, worth - len(positives))):
        weights[rng.randrange(len(weights))] += 1
    task.positives = list(zip(positives, weights, strict=True))
    task.negatives = [(atom, rng.randint(1, 3)) for atom in negatives]
    return task
