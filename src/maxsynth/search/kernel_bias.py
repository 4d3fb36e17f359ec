"""The bias for the kernel, which takes it as numbers and masks; and what it cannot take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.bias import Bias
from maxsynth.bias.learned import AT_LEAST, AT_MOST
from maxsynth.bias.limits import OTHER, Kind, LiteralLimit, Pattern, TypeLimit
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.forms.language import (
    KernelBias,
    KernelColumn,
    KernelKind,
    KernelLimits,
    KernelPredicate,
    KernelTest,
    KernelTypeLimit,
    type_bits,
)
from maxsynth.logic.comparisons import BUILT_IN
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
    body = [translated(predicate, built_in_inputs(bias, predicate)) for predicate in bias.body]
    tests = kernel_tests(bias, numbers)
    limits = kernel_limits(bias, head, numbers)
    return KernelBias(
        bias.max_vars,
        bias.max_body,
        head,
        body,
        bool(bias.directions),
        not bias.non_datalog or not bias.singletons,  # a head variable that is not in the body is a singleton
        bias.singletons,
        limits,
        len(numbers),
        tuple(tests),
    )


def built_in_inputs(bias: Bias, predicate: Predicate) -> int:
    """The arguments of a comparison or sum of variables that must be given, as bits."""
    modes = BUILT_IN[bias.spelled[predicate][0]] if predicate in bias.between else ()
    return sum(1 << i for i, mode in enumerate(modes) if mode == "in")


def kernel_tests(bias: Bias, numbers: dict[str, int]) -> list[KernelTest]:
    """The comparisons with a learned number that a rule may have."""
    tests = []
    for operator, name, column in number_tests(bias):
        least, greatest = bias.learned.bounds.get(operator, (-math.inf, math.inf))
        number = -1 if column is None else bias.learned.tested.index(column)
        tests.append(KernelTest(numbers.setdefault(name, len(numbers)), operator == AT_LEAST, least, greatest, number))
    return tests


class NumberTest(NamedTuple):
    """A comparison with a learned number: of a variable of this type, or of what a column has for it."""

    operator: str
    type: str
    column: Predicate | None = None


def number_tests(bias: Bias) -> list[NumberTest]:
    """These comparisons, as they are numbered after the predicates of the body."""
    learned = bias.learned
    return [
        *(NumberTest(AT_LEAST, name) for name in learned.at_least if bias.numbers_alone(name)),
        *(NumberTest(AT_MOST, name) for name in learned.at_most if bias.numbers_alone(name)),
        *(
            NumberTest(operator, bias.types[column][0], column)
            for operator in (AT_LEAST, AT_MOST)
            for column in learned.tested_with(operator, bias.types)
        ),
    ]


def kernel_column(rows: NDArray[np.int32] | None) -> KernelColumn:
    """A column that has one value for each term that it has (`learned.spelling` sees to that)."""
    assert rows is not None
    if not len(rows):
        return KernelColumn(0, np.zeros(0, np.int32))
    first = int(rows[:, 0].min())
    values = np.full(int(rows[:, 0].max()) - first + 1, -1, np.int32)
    values[rows[:, 0] - first] = rows[:, 1]
    return KernelColumn(first, values)


def kernel_limits(bias: Bias, head: KernelPredicate, numbers: dict[str, int]) -> KernelLimits | None:
    """What is limited in a rule, in fields and bits; `numbers` are those of the types."""
    # Where more types than variables must have exactly one variable, there is no rule, and some of them say so too.
    one_of_type = [TypeLimit(name, 1, 1) for name in bias.one_of_type[: bias.max_vars + 1]]
    literals = list(bias.limits.literals)
    if bias.learned.most_numbers is not None:
        compared = Kind(tuple(Pattern(operator, 2, (None, OTHER)) for operator in (AT_LEAST, AT_MOST)))
        literals.append(LiteralLimit(compared, most=bias.learned.most_numbers))
    if not bias.limits and not one_of_type and not literals:
        return None
    kinds: list[KernelKind] = []
    slack = guards = required = needed = at = 0
    for limit in literals:
        if limit.most == 0:
            kinds.append(KernelKind(is_of(bias, limit.kind), allowed=False))
        elif limit.most is not None and limit.most < bias.max_body:
            top = limit.most.bit_length()
            kinds.append(KernelKind(is_of(bias, limit.kind), counts=1 << at))
            guards |= 1 << at + top
            slack |= (1 << top) - 1 - limit.most << at
            at += top + 1
    groups = [(limit.kind,) for limit in bias.limits.literals if limit.least]
    marks = {kind: 1 << i for i, kind in enumerate(dict.fromkeys(k for g in (*groups, *bias.limits.apart) for k in g))}
    kinds += [KernelKind(is_of(bias, kind), marks=mark) for kind, mark in marks.items()]
    for (kind,) in groups:
        required |= marks[kind]
        needed |= head_variable(kind)
    return KernelLimits(
        kinds, slack, guards, required, [sum(marks[kind] for kind in set(group)) for group in bias.limits.apart],
        kernel_types([*one_of_type, *bias.limits.types], bias, head, numbers), needed,
    )  # fmt: skip


def kernel_types(
    limits: Iterable[TypeLimit], bias: Bias, head: KernelPredicate, numbers: dict[str, int]
) -> list[KernelTypeLimit]:
    made: list[KernelTypeLimit] = []
    at = 0
    for limit in limits:
        number = numbers.setdefault(limit.type, len(numbers))
        most = bias.max_vars if limit.most is None else min(limit.most, bias.max_vars)
        declared, top = head.types.count(number), most.bit_length()
        slack = (1 << top) - 1 - max(most - declared, 0)  # the field has the variables besides the head's
        made.append(KernelTypeLimit(number, limit.least, most, declared, at, top + 1, slack))
        at += top + 1
    return made


def is_of(bias: Bias, kind: Kind) -> Callable[[int, tuple[int, ...]], bool]:
    # The target comes last, where bodies may call it; or else the comparisons with a learned number.
    meant = [bias.spelled.get(one, (one, tuple(range(one.arity)))) for one in (*bias.body, bias.head)]
    if tests := number_tests(bias):
        # Which thing a column is tested of is no argument of the comparison.
        meant[-1:] = [(Predicate(test.operator, 2), (0,) if test.column is None else ()) for test in tests]

    def has(predicate: int, args: tuple[int, ...]) -> bool:
        base, places = meant[predicate]
        given = dict(zip(places, args, strict=False))
        return kind.has(base, [given.get(place, OTHER) for place in range(base.arity)])

    return has


def head_variable(kind: Kind) -> int:
    """The head variable that a literal of this kind has, as a bit, where that is all there is to it."""
    variables = [pattern.mentions for pattern in kind.patterns if pattern == Pattern(mentions=pattern.mentions)]
    return 1 << variables[0] if len(kind.patterns) == 1 and variables and variables[0] is not None else 0


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
    limited = {*bias.one_of_type, *(limit.type for limit in bias.limits.types)}
    count = len({name for names in bias.types.values() for name in names} | limited)
    if bias.head not in bias.types and bias.head.arity * type_bits(count) > WORD:
        most = (1 << WORD // bias.head.arity) - 1
        raise MaxSynthError(
            f"{bias.head} has no types, and the bias has {count} of them: then `learn` takes at most {most}",
            remedy=f"declare type({bias.head.name},(...)) in bias.pl, or use --method asp",
        )
