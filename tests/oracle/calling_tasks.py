"""Small random tasks with recursion or invention, labelled so that a program that calls itself often pays."""

from __future__ import annotations

import random
from itertools import pairwise

from .calling import CallingProgram, TooManyProgramsError, calling_programs, least_model, rules_of, size_of
from .small_task import Atom, Example, SmallTask


def random_calling_task(rng: random.Random, *, invention: bool = False, most_programs: int = 4000) -> SmallTask:
    """A task of the generator `rng`, and of nothing else. `most_programs` bounds its space."""
    while True:
        task = _inventing_world(rng) if invention else _world(rng)
        try:
            programs = list(calling_programs(task, most_programs))
        except TooManyProgramsError:
            continue
        if len(programs) >= 5 or rng.random() < 0.05:
            return _labelled(rng, task, programs)


def _inventing_world(rng: random.Random) -> SmallTask:
    """Two literals a rule, and few variables: what needs more of either needs a helper."""
    task = _world(rng)
    arity = task.head[1]
    short = rng.random() < 0.7
    task.max_vars = 3 if arity == 2 or (short and rng.random() < 0.4) else 2
    task.max_body = 2
    task.max_clauses = 2 if short else 3
    task.singletons = task.singletons and task.max_vars == 2 and short
    if not short or arity == 2:  # the space grows fast with them
        kept = [task.body[0], *task.body[1 : rng.choice((1, 2))]]
        task.body = kept
        task.facts = [fact for fact in task.facts if fact[0] in dict(kept)]
    task.invention, task.recursion = True, rng.random() < 0.4
    return task


def _world(rng: random.Random) -> SmallTask:
    head = ("f", rng.choice((1, 1, 2)))
    even = head[1] == 1 and rng.random() < 0.5  # room for rules such as f(A) :- next(A,B), next(B,C), f(C)
    shape = "chain" if even else rng.choice(("chain", "graph", "tree"))
    count = 8 if even else rng.randint(4, 7)
    constants = [f"c{i}" for i in range(count)]
    binary = [("next", 2)] if even or rng.random() < 0.7 else [("next", 2), ("link", 2)]
    body = [*binary, *[("zero", 1), ("mark", 1)][: 1 if even else rng.choice((1, 1, 2))]]
    facts = _edges(rng, "next", constants, shape)
    if ("link", 2) in body:
        facts += [("link", pair) for pair in rng.sample([(a, b) for a in constants for b in constants], 4)]
    facts += [("zero", (constants[-1],))]
    if ("mark", 1) in body:
        facts += [("mark", (c,)) for c in constants if rng.random() < 0.5]
    types = None
    if rng.random() < 0.4:
        types = {name: ("t",) * arity for name, arity in (head, *body)}
        if rng.random() < 0.3:
            types["link" if ("link", 2) in body else "mark"] = ("t", "u")[: dict(body).get("link", 1)]
    directions: dict[str, tuple[str, ...]] | None = None
    if rng.random() < 0.5:
        directions = {
            "f": rng.choice((("in",), ("in",), ("out",))) if head[1] == 1 else rng.choice((("in", "out"), ("in", "in")))
        }
        directions |= {name: ("in", "out") if arity == 2 else (rng.choice(("in", "out")),) for name, arity in body}
    return SmallTask(
        head=head,
        body=body,
        max_vars=3 if head[1] == 2 or even else rng.choice((2, 2, 3)),
        max_body=3 if even else rng.choice((1, 2, 2, 3)),
        facts=facts,
        positives=[],
        types=types,
        directions=directions,
        singletons=rng.random() < 0.5,
        non_datalog=rng.random() < 0.15,
        one_of_type=("u",) if types and any("u" in row for row in types.values()) and rng.random() < 0.2 else (),
        weights=(1, 1, 1) if rng.random() < 0.7 else (rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)),
        exact=rng.random() < 0.25,
        recursion=True,
        max_clauses=2 if even else rng.choice((2, 2, 3)),
    )  # fmt: skip


def _edges(rng: random.Random, name: str, constants: list[str], shape: str) -> list[tuple[str, Atom]]:
    if shape == "chain":
        pairs = list(pairwise(constants))
    elif shape == "tree":
        pairs = [(c, rng.choice(constants[i + 1 :])) for i, c in enumerate(constants[:-1])]
    else:
        everything = [(a, b) for a in constants for b in constants if a != b]
        pairs = rng.sample(everything, min(len(everything), rng.randint(3, 8)))
    return [(name, pair) for pair in pairs]


def _labelled(rng: random.Random, task: SmallTask, programs: list[CallingProgram]) -> SmallTask:
    constants = sorted({value for _, row in task.facts for value in row})
    atoms: list[Atom] = (
        [(c,) for c in constants] if task.head[1] == 1 else [(a, b) for a in constants for b in constants]
    )
    hidden, model = None, {atom for atom in atoms if rng.random() < 0.5}
    for program in rng.sample(programs, min(len(programs), 40 if task.invention else 12)):
        other = least_model(task, program, constants)
        if task.invention and is_plain(task, other, constants):
            continue
        if hidden is None or abs(len(other) - len(atoms) / 2) < abs(len(model) - len(atoms) / 2):
            hidden, model = program, other  # what covers about half is not easily said in another way
    positives = [atom for atom in atoms if atom in model]
    negatives = [atom for atom in atoms if atom not in model]
    if not task.exact or rng.random() < 0.2:
        for source, target in ((positives, negatives), (negatives, positives)):
            for atom in [atom for atom in source if rng.random() < 0.1]:
                source.remove(atom)
                target.append(atom)
    positives = rng.sample(positives, min(len(positives), 8)) or [rng.choice(atoms)]
    negatives = rng.sample(negatives, min(len(negatives), 8))
    worth = (size_of(hidden) if hidden else 4) * task.weights[0] + rng.randint(-2, 12)
    return _weighed(rng, task, positives, negatives, worth)


def is_plain(task: SmallTask, model: set[Atom], constants: list[str]) -> bool:
    """Whether rules without calls cover just this, however many it takes."""
    plain = [least_model(task, (rule,), constants) for rule in rules_of(task, task.head, task.body)]
    return set().union(*(covered for covered in plain if covered <= model)) == model


def _weighed(
    rng: random.Random, task: SmallTask, positives: list[Atom], negatives: list[Atom], worth: int
) -> SmallTask:
    weights = [1] * len(positives)
    for _ in range(max(0, worth // task.weights[2] - len(positives))):
        weights[rng.randrange(len(weights))] += 1
    task.positives = list(zip(positives, weights, strict=True))
    examples: list[Example] = [(atom, rng.randint(1, 3)) for atom in negatives]
    task.negatives = examples
    return task
