"""The bias for the kernel, which takes it as numbers and masks; and what it cannot take."""

from __future__ import annotations

import math
from collections.abc import Iterable

from maxsynth.bias.bias import Bias
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.forms.language import KernelBias, KernelPredicate, type_bits
from maxsynth.logic.predicates import Predicate

MOST_LITERALS = 1 << 22  # that bodies are made of, with all names of variables: about a kilobyte each
WORD = 64  # bits, for the types of all head variables where the head has none by declaration


def kernel_bias(bias: Bias) -> KernelBias:
    """What a bias says of rules, for features and for bodies."""
    numbers: dict[str, int] = {}

    def translated(predicate: Predicate, inputs: int) -> KernelPredicate:
        names = bias.types.get(predicate)
        types = [numbers.setdefault(name, len(numbers)) for name in names] if names else [-1] * predicate.arity
        modes = bias.directions.get(predicate)
        if modes is not None:
            inputs = sum(1 << i for i, mode in enumerate(modes) if mode == "in")
        return KernelPredicate(predicate.arity, types, inputs)

    head = translated(bias.head, (1 << bias.head.arity) - 1)
    body = [translated(predicate, 0) for predicate in bias.body]
    # Where more types than variables must have exactly one variable, there is no rule, and some of them say so too.
    one_of_type = [numbers.setdefault(name, len(numbers)) for name in bias.one_of_type[: bias.max_vars + 1]]
    return KernelBias(
        bias.max_vars,
        bias.max_body,
        head,
        body,
        bool(bias.directions),
        not bias.non_datalog or not bias.singletons,  # a head variable that is not in the body is a singleton
        bias.singletons,
        one_of_type,
        len(numbers),
    )


def check_literals(bias: Bias, predicates: Iterable[Predicate]) -> None:
    """Refuses a space with more literals than there is room for: a predicate of ten arguments has millions."""
    ways = {predicate: math.perm(bias.max_vars, predicate.arity) for predicate in predicates}
    if sum(ways.values()) > MOST_LITERALS:
        most = max(ways, key=ways.__getitem__)
        raise MaxSynthError(
            f"with {bias.max_vars} variables, {most} makes {ways[most]:,} literals, all predicates make "
            f"{sum(ways.values()):,}, and `learn` takes at most {MOST_LITERALS:,}",
            remedy="lower max_vars, or split predicates into some with fewer arguments",
        )


def check_types(bias: Bias) -> None:
    """Refuses more types than can be told apart, for the arguments of a head that has none by declaration."""
    count = len({name for names in bias.types.values() for name in names} | set(bias.one_of_type))
    if bias.head not in bias.types and bias.head.arity * type_bits(count) > WORD:
        most = (1 << WORD // bias.head.arity) - 1
        raise MaxSynthError(
            f"{bias.head} has no types, and the bias has {count} of them: then `learn` takes at most {most}",
            remedy=f"declare type({bias.head.name},(...)) in bias.pl, or use --method asp",
        )
