"""How many rules the space has, at most.

Name the variables V0, V1, ... as many as `max_vars` allows, and give each a type: that fixes how many literals there
are, `L`. A body is a set of up to `max_body` of them, so there are at most `C(L,1) + ... + C(L,max_body)` bodies. Every
rule has its literals among those of some choice of types, and the order of the variables that are not in the head does
not matter; so the sum over all choices, each taken in one order, is a bound.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product
from math import comb, perm

from maxsynth.bias.bias import Bias

MOST_CHOICES = 100_000  # of types: beyond, types are ignored, which only makes the bound larger


def most_rules(bias: Bias) -> int:
    """A bound on the number of rules without recursion, rules that differ in names of variables counted once."""
    types = sorted({type_ for signature in bias.types.values() for type_ in signature})
    others = bias.max_vars - bias.head.arity
    head = bias.types.get(bias.head)
    choices = comb(len(types) + others - 1, others) * (1 if head else len(types) ** bias.head.arity) if types else 0
    if not types or choices > MOST_CHOICES:
        return bodies(sum(perm(bias.max_vars, predicate.arity) for predicate in bias.body), bias.max_body)
    heads = [head] if head else list(product(types, repeat=bias.head.arity))
    return sum(
        bodies(literals(bias, Counter([*first, *rest])), bias.max_body)
        for first in heads
        for rest in combinations_with_replacement(types, others)
    )


def literals(bias: Bias, variables: Counter[str]) -> int:
    """How many literals there are over so many variables of each type."""
    total = 0
    for predicate in bias.body:
        signature = bias.types.get(predicate)
        if signature is None:
            total += perm(variables.total(), predicate.arity)
            continue
        count = 1
        for type_, places in Counter(signature).items():
            count *= perm(variables[type_], places)
        total += count
    return total


def bodies(literals: int, max_body: int) -> int:
    return sum(comb(literals, size) for size in range(1, max_body + 1))
