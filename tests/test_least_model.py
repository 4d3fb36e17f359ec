"""The kernel's proofs against the definition: the least model, computed naively, bottom-up.

Random programs with several rules, recursion through cycles, mutual recursion and invented predicates run over random
facts. The oracle here shares nothing with the kernel: it adds every consequence of every rule until nothing is new.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from maxsynth.background.background import Background
from maxsynth.background.engines import make_engine
from maxsynth.kernel.proofs import Machine
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.prolog.consult import consult
from maxsynth.prolog.terms import Atom
from maxsynth.proofs.evaluator import STEPS, Evaluator

Facts = dict[Predicate, set[tuple[str, ...]]]


def matches(body: list[Literal], model: Facts, binding: dict[int, str]) -> Iterator[dict[int, str]]:
    if not body:
        yield binding
        return
    for row in model.get(body[0].predicate, ()):
        extended = dict(binding)
        if all(extended.setdefault(arg, value) == value for arg, value in zip(body[0].args, row, strict=True)):
            yield from matches(body[1:], model, extended)


def least_model(program: Program, facts: Facts) -> Facts:
    model = {predicate: set(rows) for predicate, rows in facts.items()}
    while True:
        new = [
            (rule.head.predicate, tuple(binding[arg] for arg in rule.head.args))
            for rule in program.rules
            for binding in matches(list(rule.body), model, {})
        ]
        before = sum(map(len, model.values()))
        for predicate, row in new:
            model.setdefault(predicate, set()).add(row)
        if sum(map(len, model.values())) == before:
            return model


def random_world(rng: random.Random) -> tuple[list[str], Facts]:
    constants = [f"c{i}" for i in range(rng.randint(1, 5))]
    facts: Facts = {}
    for i in range(rng.randint(1, 3)):
        predicate = Predicate(f"b{i}", rng.randint(1, 3))
        rows = list(itertools.product(constants, repeat=predicate.arity))
        facts[predicate] = set(rng.sample(rows, rng.randint(0, min(len(rows), 8))))
    return constants, facts


def random_program(rng: random.Random, facts: Facts, target: Predicate) -> Program:
    """Rules for the target and up to two invented predicates; every head variable occurs in the body."""
    own = [target, *[Predicate(f"inv{i}", rng.randint(1, 2)) for i in range(rng.randint(0, 2))]]
    rules = []
    for predicate in [*own, *rng.choices(own, k=rng.randint(0, 3))]:
        variables = range(predicate.arity + rng.randint(0, 2))
        while True:
            used = rng.choices([*facts, *own], weights=[3] * len(facts) + [1] * len(own), k=rng.randint(1, 3))
            body = [Literal(p.name, tuple(rng.choice(variables) for _ in range(p.arity))) for p in used]
            held = set().union(*(literal.variables for literal in body))
            if set(range(predicate.arity)) <= held:
                break
        rules.append(Rule(Literal(predicate.name, tuple(range(predicate.arity))), tuple(body)))
    return Program(tuple(rules))


def background_of(facts: Facts) -> Background:
    store = TermStore()
    text = "".join(f"{p.name}({','.join(row)}).\n" for p, rows in facts.items() for row in sorted(rows)) or "z(z)."
    source = consult(text, "bk.pl", store)
    return Background(source, make_engine(source, Path("bk.pl"), [], "builtin"))


def test_proofs_compute_the_least_model(effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(600, 60_000)):
        rng = random.Random(seed)
        constants, facts = random_world(rng)
        target = Predicate("f", rng.randint(1, 3))
        program = random_program(rng, facts, target)
        background = background_of(facts)
        rows = list(itertools.product(constants, repeat=target.arity))
        rng.shuffle(rows)  # which goals are open when a cycle is met depends on the order of the examples
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        prover = Evaluator(background, target).compile(program)
        model = least_model(program, facts).get(target, set())
        expected = [row in model for row in rows]
        together, _, _ = prover.cover(ids, STEPS)
        assert together.tolist() == expected, f"seed {seed}:\n{program}\n{facts}"
        one_by_one, unfinished = np.zeros(len(ids), np.uint8), np.zeros(len(ids), np.uint8)
        Machine(prover.plans).cover(ids, one_by_one, unfinished, STEPS)
        assert not unfinished.any()
        assert one_by_one.astype(bool).tolist() == expected, f"seed {seed}:\n{program}\n{facts}"


def test_a_small_budget_never_proves_what_is_false(effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(120, 5000)):
        rng = random.Random(seed)
        constants, facts = random_world(rng)
        target = Predicate("f", rng.randint(1, 2))
        program = random_program(rng, facts, target)
        background = background_of(facts)
        rows = list(itertools.product(constants, repeat=target.arity))
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        expected = least_model(program, facts).get(target, set())
        result = Evaluator(background, target, steps=rng.randint(1, 30)).coverage(program, ids)
        for row, covered, unfinished in zip(rows, result.covered, result.unfinished, strict=True):
            assert covered == (row in expected) or (unfinished and not covered), f"seed {seed}"
