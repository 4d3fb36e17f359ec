"""Constraints over whole programs, each in the words of a bias and as a function that judges a program; and the optimum
under them, by trying every set of rules.

A rule here is its body alone: the head says nothing that a constraint of these could tell apart. Where a constraint
speaks of numbers of rules or of names of variables, a program is allowed when some numbering and naming is.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .brute_force import Literal, all_rules, covers
from .calling import calling_programs, least_model, size_of
from .small_task import SmallTask

Bodies = Sequence[Sequence[Literal]]


class ProgramConstraint(NamedTuple):
    text: str
    allows: Callable[[Bodies], bool]  # of a program that has rules


def uses(body: Sequence[Literal], name: str) -> bool:
    return any(known == name for known, _ in body)


def size(program: Bodies) -> int:
    return sum(1 + len(body) for body in program)


def names_of(program: Bodies) -> set[str]:
    return {name for body in program for name, _ in body}


def literals(program: Bodies, name: str) -> int:
    return sum(known == name for body in program for known, _ in body)


def at_most_rules(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    most = rng.choice((1, 1, 1, 2, 2, 3))
    text = rng.choice((
        f":- clause({most}).",
        f":- clause(C), C >= {most}.",
        f":- {most - 1} < C, clause(C).",
        f":- #count{{C : clause(C)}} > {most}.",
        f":- {most + 1} <= #count{{C : clause(C)}}.",
        f"#const n = {most}. :- clause(n).",
        f":- N = #count{{C : clause(C)}}, N > {most}.",
        f":- #count{{C : head_literal(C,_,_,_)}} > {most}.",
    ))  # fmt: skip
    if most == 1 and rng.random() < 0.5:
        text = rng.choice((":- clause(C), clause(D), C < D.", ":- clause(C), C != D, clause(D)."))
    return ProgramConstraint(text, lambda program: len(program) <= most)


def at_most_size(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    most = rng.choice((2, 3, 3, 4, 4, 5, 6))
    text = rng.choice((
        f":- size(N), N > {most}.", f":- size(N), {most + 1} <= N.", f":- N >= {most + 1}, size(N).",
        f":- #sum{{1,C : clause(C); 1,C,P,A,V : body_literal(C,P,A,V)}} > {most}.",
    ))  # fmt: skip
    return ProgramConstraint(text, lambda program: size(program) <= most)


def at_least(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    least = rng.randint(2, 3)
    if rng.random() < 0.5:
        text = rng.choice((
            f":- not clause({least - 1}).", f":- #count{{C : clause(C)}} < {least}.", f":- not {least} {{ clause(C) }}."
        ))  # fmt: skip
        return ProgramConstraint(text, lambda program: len(program) >= least)
    smallest = rng.randint(3, 6)
    return ProgramConstraint(f":- size(N), N < {smallest}.", lambda program: size(program) >= smallest)


def exactly(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    count = rng.randint(1, 3)
    if rng.random() < 0.5:
        return ProgramConstraint(f":- #count{{C : clause(C)}} != {count}.", lambda program: len(program) == count)
    return ProgramConstraint(f":- size(N), N \\ 2 = {count % 2}.", lambda program: size(program) % 2 != count % 2)


def few_rules_with(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    name, most = rng.choice(task.body)[0], rng.randint(0, 1)
    text = f":- #count{{C : body_literal(C,{name},_,_)}} > {most}."
    if most == 1:
        text = rng.choice((
            text,
            f":- body_literal(C,{name},_,_), body_literal(D,{name},_,_), C < D.",
            f":- clause(C), C > 0, body_literal(C,{name},_,_).",
            f"has(C) :- body_literal(C,{name},_,_). :- has(C), has(D), C != D.",
        ))  # fmt: skip
    return ProgramConstraint(text, lambda program: sum(uses(body, name) for body in program) <= most)


def few_literals(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    name, most = rng.choice(task.body)[0], rng.randint(0, 2)
    text = f":- #count{{C,A,V : body_literal(C,{name},A,V)}} > {most}."
    return ProgramConstraint(text, lambda program: literals(program, name) <= most)


def not_together(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    one, other = rng.choice(task.body)[0], rng.choice(task.body)[0]
    text = rng.choice((
        f":- body_literal(_,{one},_,_), body_literal(_,{other},_,_).",
        f"uses(P) :- body_literal(_,P,_,_). :- uses({one}), uses({other}).",
    ))  # fmt: skip
    return ProgramConstraint(text, lambda program: not {one, other} <= names_of(program))


def needs(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    one, other = rng.choice(task.body)[0], rng.choice(task.body)[0]
    if rng.random() < 0.5:
        text = rng.choice((
            f":- not body_literal(_,{one},_,_).",
            f":- clause(0), not body_literal(0,{one},_,_).",
            f"uses(P) :- body_literal(_,P,_,_). :- not uses({one}).",
        ))  # fmt: skip
        return ProgramConstraint(text, lambda program: one in names_of(program))
    text = f":- body_literal(_,{one},_,_), not body_literal(_,{other},_,_)."
    return ProgramConstraint(text, lambda program: one not in names_of(program) or other in names_of(program))


def different_sizes(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    text = rng.choice((":- body_size(C,N), body_size(D,N), C < D.", ":- body_size(C,N), body_size(D,N), C != D."))
    return ProgramConstraint(text, lambda program: len({len(body) for body in program}) == len(program))


def few_predicates(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    most = rng.randint(1, 2)
    text = f"uses(P) :- body_literal(_,P,_,_). :- #count{{P : uses(P)}} > {most}."
    return ProgramConstraint(text, lambda program: len(names_of(program)) <= most)


def in_one_rule(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    """What can be judged rule by rule."""
    one, other = rng.choice(task.body)[0], rng.choice(task.body)[0]
    kind = rng.randrange(3)
    if kind == 0:
        text = f":- body_literal(C,{one},_,_), body_literal(C,{other},_,_)."
        return ProgramConstraint(text, lambda program: not any(uses(b, one) and uses(b, other) for b in program))
    if kind == 1:
        text = f":- clause(C), not body_literal(C,{one},_,_)."
        return ProgramConstraint(text, lambda program: all(uses(body, one) for body in program))
    text = f"has(C) :- body_literal(C,{one},_,_). bad(C) :- has(C), body_size(C,N), N > 1. :- bad(C)."
    return ProgramConstraint(text, lambda program: not any(uses(b, one) and len(b) > 1 for b in program))


def of_a_name(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    """A rule, or the first rule, must not have its first own variable in a predicate: another name may do."""
    name, arity = rng.choice(task.body)
    own = task.head[1]
    place = rng.randrange(arity)
    args = ",".join("V" if i == place else "_" for i in range(arity)) + ("," if arity == 1 else "")
    first = rng.random() < 0.5
    text = f":- body_literal({'0' if first else 'C'},{name},{arity},({args})), V = {own}."

    def avoids(body: Sequence[Literal]) -> bool:
        variables = sorted({v for _, row in body for v in row if v >= own})
        return any(
            all(known != name or new.get(row[place]) != own for known, row in body)
            for names in itertools.permutations(range(own, own + len(variables)))
            for new in [dict(zip(variables, names, strict=True))]
        )

    judge = any if first else all
    return ProgramConstraint(text, lambda program: judge(map(avoids, program)))


def in_order(rng: random.Random, task: SmallTask) -> ProgramConstraint:
    """No rule with one predicate before another rule with the other: put those with only the other one first."""
    one, other = rng.choice(task.body)[0], rng.choice(task.body)[0]
    text = f":- body_literal(C,{one},_,_), body_literal(D,{other},_,_), C < D."
    return ProgramConstraint(text, lambda program: sum(uses(b, one) and uses(b, other) for b in program) <= 1)


KINDS = (
    at_most_rules, at_most_rules, at_most_size, at_most_size, at_least, exactly, few_rules_with, few_literals,
    not_together, needs, different_sizes, few_predicates, in_one_rule, of_a_name, in_order,
)  # fmt: skip


NUMBERED = {few_rules_with, needs, of_a_name, in_order}  # whose meaning may depend on numbers or names


def random_constraints(rng: random.Random, task: SmallTask) -> list[ProgramConstraint]:
    """One or two, whose meanings add up: one numbering must do for both, and derived predicates are not mixed up."""
    kinds = rng.sample(KINDS, rng.choice((1, 1, 2)))
    # Of an invented predicate, other variables are in the head.
    found = [kind(rng, task) for kind in dict.fromkeys(kinds) if kind is not of_a_name or not task.invention]
    names = [name for one in found for name in ("uses(", "has(", "#const") if name in one.text]
    return found if len(set(names)) == len(names) and not NUMBERED.issuperset(kinds) else found[:1]


# -- the optimum --------------------------------------------------------------------------------------------


def best_allowed(task: SmallTask, constraints: Sequence[ProgramConstraint], most_rules: int = 14) -> int | None:
    """The least cost of an allowed program (None: no exact one). Every set of rules is tried, and every program."""
    rules = all_rules(task)
    if len(rules) > most_rules:
        raise ValueError("too many rules")
    atoms = list(dict.fromkeys(args for args, _ in (*task.positives, *task.negatives)))
    size_weight, fp_weight, fn_weight = task.weights
    best = None if task.exact else fn_weight * sum(weight for _, weight in task.positives)

    def consider(program: Bodies, literals: int, covered: set[tuple[str, ...]]) -> None:
        nonlocal best
        fp = sum(weight for args, weight in task.negatives if args in covered)
        fn = sum(weight for args, weight in task.positives if args not in covered)
        cost = size_weight * literals + fp_weight * fp + fn_weight * fn
        if (task.exact and (fp or fn)) or (best is not None and cost >= best):
            return
        if all(constraint.allows(program) for constraint in constraints):
            best = cost

    covering = [(rule, {atom for atom in atoms if covers(task, rule, atom)}) for rule in rules]
    for count in range(1, len(rules) + 1):
        for chosen in itertools.combinations(covering, count):
            covered = set().union(*(part for _, part in chosen))
            consider([rule.body for rule, _ in chosen], sum(rule.size for rule, _ in chosen), covered)
    if task.recursion or task.invention:
        constants = sorted({value for _, row in task.facts for value in row} | {v for args in atoms for v in args})
        for program in calling_programs(task):
            model = least_model(task, program, constants)
            consider([body for _, body in program], size_of(program), model)
    return best
