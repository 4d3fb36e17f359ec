"""Random graphs in which one relation is learned, rules that use its known pairs, and what these rules cover."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping

from maxsynth.logic.programs import Literal, Program, Rule

Pair = tuple[str, str]
Graph = dict[str, list[Pair]]
THINGS = ["a", "b", "c", "it's", "e e", "f"]
KNOWN = "known_r"


def random_graph(rng: random.Random) -> Graph:
    """The relation `r` and two others, with pairs of a thing and itself among them."""
    pairs = [(one, other) for one in THINGS for other in THINGS]
    return {name: rng.sample(pairs, rng.randint(1, 14)) for name in ("r", "p", "q")}


def random_program(rng: random.Random) -> Program:
    return Program(tuple(random_rule(rng) for _ in range(rng.randint(1, 3))))


def random_rule(rng: random.Random) -> Rule:
    """With at least one known pair, and with both variables of the head in the body."""
    while True:
        names = [KNOWN, *rng.choices([KNOWN, "p", "q"], k=rng.randint(0, 2))]
        body = tuple(dict.fromkeys(Literal(name, (rng.randrange(4), rng.randrange(4))) for name in names))
        if {0, 1} <= {arg for literal in body for arg in literal.args}:
            return Rule(Literal("r", (0, 1)), body)


def covered(program: Program, facts: Mapping[str, Iterable[Pair]], asked: Iterable[Pair]) -> set[Pair]:
    """Which pairs follow, by trying all facts for each literal; what is known of a pair does not count for it."""
    return {pair for pair in asked if any(any(proofs(rule, facts, pair)) for rule in program.rules)}


def proofs(rule: Rule, facts: Mapping[str, Iterable[Pair]], pair: Pair) -> Iterator[bool]:
    bindings: list[dict[object, str]] = [dict(zip(rule.head.args, pair, strict=True))]
    for literal in rule.body:
        rows = [row for row in facts[literal.name] if literal.name != KNOWN or row != pair]
        bindings = [
            new
            for binding in bindings
            for row in rows
            if (new := binding | dict(zip(literal.args, row, strict=True)))
            and all(new[arg] == value for arg, value in zip(literal.args, row, strict=True))
            and all(new[arg] == value for arg, value in binding.items())
        ]
    yield from (True for _ in bindings)
