"""Random options for random tasks, and constraints of a bias's own of which the brute force knows the meaning."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .brute_force import Literal, SpaceTooLargeError, _Atoms, all_rules
from .calling import (
    CallingProgram,
    CallingRule,
    TooManyProgramsError,
    best_program,
    calling_programs,
    least_model,
    size_of,
)
from .calling_tasks import random_calling_task
from .program_constraints import ProgramConstraint, best_allowed, random_constraints
from .random_tasks import random_task
from .small_task import SmallTask

MOST_BODIES, MOST_PROGRAMS = 500, 1500  # of a task
MOST_SETS = 10  # rules of which all sets are tried
PRUNINGS = ("dead", "closed", "equal", "order", "stand_in", "matched", "ties", "partners")


# -- constraints --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleConstraint:
    """A constraint as ASP, and whether a rule with its variables named as they are meets it."""

    text: str
    holds: Callable[[CallingRule], bool]


def random_constraint(rng: random.Random, task: SmallTask) -> RuleConstraint:
    """Each speaks of one rule alone."""
    name, arity = rng.choice(task.body)
    other, other_arity = rng.choice(task.body)
    number = rng.randint(1, 3)
    choices = [
        RuleConstraint(
            f":- body_size(C,N), N > {number}.",
            lambda rule: len(rule[1]) <= number,
        ),
        RuleConstraint(
            f":- body_size(C,N), N < {min(number, 2)}.",
            lambda rule: len(rule[1]) >= min(number, 2),
        ),
        RuleConstraint(
            f":- clause(C), not body_literal(C,{name},{arity},_).",
            lambda rule: has(rule, name),
        ),
        RuleConstraint(
            f":- body_literal(C,{name},{arity},_).",
            lambda rule: not has(rule, name),
        ),
        RuleConstraint(
            f":- clause(C), #count{{V : body_literal(C,{name},{arity},V)}} > 1.",
            lambda rule: sum(called == name for called, _ in rule[1]) <= 1,
        ),
        RuleConstraint(
            f":- clause(C), #count{{V : clause_var(C,V)}} != {number}.",
            lambda rule: len(variables(rule)) == number,
        ),
        RuleConstraint(
            f":- body_literal(C,{name},{arity},V), #count{{W : body_literal(C,{name},{arity},W), W < V}} > 0.",
            lambda rule: sum(called == name for called, _ in rule[1]) <= 1,
        ),
        RuleConstraint(
            f":- body_literal(C,{name},{arity},V), V = ({'0,' + ','.join('_' * (arity - 1))}).",
            lambda rule: not any(called == name and args[0] == 0 for called, args in rule[1]),
        ),
    ]
    if name != other:
        choices.append(
            RuleConstraint(
                f":- body_literal(C,{name},{arity},_), body_literal(C,{other},{other_arity},_).",
                lambda rule: not (has(rule, name) and has(rule, other)),
            )
        )
    if arity == 2:
        choices += [
            RuleConstraint(
                f":- body_literal(C,{name},2,(A,B)), body_literal(C,{name},2,(B,A)).",
                lambda rule: not any(called == name and (name, args[::-1]) in rule[1] for called, args in rule[1]),
            ),
            RuleConstraint(  # some names of the other variables may meet it, and others not
                f":- body_literal(C,{name},2,(A,B)), A > B.",
                lambda rule: not any(called == name and args[0] > args[1] for called, args in rule[1]),
            ),
        ]
    return rng.choice(choices)


def has(rule: CallingRule, name: str) -> bool:
    return any(called == name for called, _ in rule[1])


def variables(rule: CallingRule) -> set[int]:
    (_, arity), body = rule
    return {*range(arity), *(variable for _, args in body for variable in args)}


def allowed(constraints: Sequence[RuleConstraint], rule: CallingRule) -> bool:
    """Whether some names of the variables that are not in the head meet all constraints."""
    (_, arity), body = rule
    others = sorted(variables(rule) - set(range(arity)))
    for names in itertools.permutations(range(arity, arity + len(others))):
        new = {**{v: v for v in range(arity)}, **dict(zip(others, names, strict=True))}
        renamed: list[Literal] = [(name, tuple(new[v] for v in args)) for name, args in body]
        if all(constraint.holds((rule[0], tuple(renamed))) for constraint in constraints):
            return True
    return False


# -- options ------------------------------------------------------------------------------------------------

AS_COMMAND, FROM_PYTHON, AS_SEARCH = ENTRANCES = ("command", "python", "search")


@dataclass(frozen=True)
class Options:
    """How to learn. What an entrance does not take keeps its default."""

    entrance: str
    weights: tuple[int, int, int] | None = (1, 1, 1)  # None: auto
    exact: bool = False
    forbid_singletons: bool = False
    ignore_directions: bool = False
    method: str = "auto"
    solver: str | None = None
    memory: int | None = None  # in bytes
    tables: int | None = None  # of these, for tables
    steps: int | None = None
    timeout: float | None = None
    stop_after: int | None = None  # so many times that it asks whether it is interrupted
    constraints: bool = True
    without: tuple[str, ...] = ()
    prolog: str = "builtin"

    @property
    def may_be_cut(self) -> bool:
        return self.steps is not None or self.timeout == 0 or self.stop_after is not None


@dataclass(frozen=True)
class Case:
    """A task, its constraints with their meaning, and options."""

    task: SmallTask
    constraints: tuple[RuleConstraint, ...]
    options: Options
    program_constraints: tuple[ProgramConstraint, ...] = ()  # then there are no others

    def asked(self, weights: tuple[int, int, int]) -> SmallTask:
        """The task that the options make of it, when these weights count."""
        options, task = self.options, self.task
        return replace(
            task,
            weights=weights,
            exact=options.exact,
            singletons=task.singletons and not options.forbid_singletons,
            directions=None if options.ignore_directions else task.directions,
        )

    def least_cost(self, weights: tuple[int, int, int]) -> int | None:
        """By brute force; None where no program has no errors, in exact mode."""
        if self.program_constraints:
            return best_allowed(self.asked(weights), self.program_constraints, MOST_SETS)
        return best_program(self.asked(weights), None, lambda rule: allowed(self.constraints, rule))[0]

    def describe(self) -> str:
        return f"{self.options}\n{self.task.describe()}"


def random_case(rng: random.Random) -> Case:
    kind = rng.choices(("plain", "recursive", "inventing"), (6, 3, 1))[0]
    if kind == "plain":
        task = random_task(rng, most_bodies=MOST_BODIES)
    else:
        task = random_calling_task(rng, invention=kind == "inventing", most_programs=MOST_PROGRAMS)
    if rng.random() < 0.3:
        task.by_rules = frozenset(name for name, _ in task.body if rng.random() < 0.6)
    constraints = tuple(random_constraint(rng, task) for _ in range(rng.choice((0, 0, 0, 0, 1, 1, 2))))
    task.constraints = tuple(constraint.text for constraint in constraints)
    options = random_options(rng, task, plain=kind == "plain")
    case = Case(replace(task, weights=options.weights or (1, 1, 1), exact=options.exact), constraints, options)
    if not constraints and len(all_rules(case.asked((1, 1, 1)))) <= MOST_SETS and rng.random() < 0.5:
        return with_program_constraints(rng, case)
    return case


def with_program_constraints(rng: random.Random, case: Case) -> Case:
    """Another solver, and rules by features, do not go with all of these."""
    constraints = tuple(random_constraints(rng, case.task))
    task = replace(case.task, constraints=tuple(constraint.text for constraint in constraints))
    options = replace(case.options, solver=None, method="asp" if case.options.method == "asp" else "auto")
    return Case(task, (), options, constraints)


def random_options(rng: random.Random, task: SmallTask, *, plain: bool) -> Options:
    entrance = rng.choices(ENTRANCES, (5, 2, 4))[0]
    options = Options(
        entrance,
        weights=random_weights(rng, task, plain and entrance != FROM_PYTHON),
        forbid_singletons=rng.random() < 0.2,
        ignore_directions=can_ignore_directions(task) and rng.random() < 0.5,
        memory=rng.choice((1 << 33, 1 << 35)) if rng.random() < 0.4 else None,
        prolog=rng.choices(("builtin", "auto", "swipl"), (12, 12, 1))[0],
    )
    options = replace(options, exact=options.weights is not None and rng.random() < 0.2)
    if entrance != FROM_PYTHON:
        by_features = plain and not task.constraints
        options = replace(
            options,
            method=rng.choice(("auto", "auto", "asp", *(["features"] if by_features else []))),
            solver="clingo" if rng.random() < 0.25 else None,
            constraints=rng.random() < 0.8,
        )
    if entrance == AS_SEARCH and rng.random() < 0.5:
        options = replace(options, tables=rng.choice((1, 100, 1000, 1 << 14, 1 << 20)))
    if entrance == AS_SEARCH and rng.random() < 0.4:
        options = replace(options, without=tuple(rng.sample(PRUNINGS, rng.randint(1, len(PRUNINGS)))))
    return with_limits(rng, options)


def random_weights(rng: random.Random, task: SmallTask, auto: bool) -> tuple[int, int, int] | None:
    """Those that the examples were made for, or small ones, or large ones; auto takes its time."""
    kind = rng.choices(("own", "small", "scaled", "large", "auto"), (8, 6, 3, 4, 2))[0]
    if kind == "auto" and auto and len(task.positives) > 1:
        return None
    if kind == "small":
        return rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 5)
    if kind == "scaled":  # the least cost is so many times as large, and what is a tie stays one
        size, fp, fn = task.weights
        factor = rng.choice((7, 100, 4096))
        return factor * size, factor * fp, factor * fn
    if kind == "large":
        size, fp, fn = (round(math.exp(rng.uniform(0, math.log(5000)))) for _ in range(3))
        return size, fp, fn
    return task.weights


def can_ignore_directions(task: SmallTask) -> bool:
    """Where BK is facts, and the larger space is still small."""
    known = {name for name, _ in task.facts}
    if task.directions is None or task.by_rules or not all(name in known for name, _ in task.body):
        return task.directions is None
    wider = replace(task, directions=None)
    try:
        all_rules(wider, MOST_BODIES)
        list(calling_programs(wider, MOST_PROGRAMS))
    except (SpaceTooLargeError, TooManyProgramsError):
        return False
    return True


def with_limits(rng: random.Random, options: Options) -> Options:
    """Some runs are cut, at any point: by steps, at once, or by somebody."""
    kind = rng.choices((None, "steps", "timeout", "none", "stop"), (5, 4, 0.5, 1, 1))[0]
    few = round(math.exp(rng.uniform(0, math.log(300))))
    if kind == "steps" and options.solver is None:
        return replace(options, steps=few)
    if kind == "timeout" and options.weights is not None:
        return replace(options, timeout=0.0)
    if kind == "none":
        return replace(options, timeout=1e6)
    if kind == "stop" and options.entrance != AS_COMMAND:
        return replace(options, stop_after=few)
    return options


# -- what a program costs -----------------------------------------------------------------------------------


def true_cost(task: SmallTask, program: CallingProgram) -> tuple[int, int, int]:
    """The cost of a program, and the weights of its false positives and false negatives, by its least model."""
    atoms = _Atoms(task)
    constants = sorted({value for _, row in task.facts for value in row} | {v for args in atoms.args for v in args})
    model = least_model(task, program, constants) if program else set()
    covered = sum(1 << bit for bit, args in enumerate(atoms.args) if args in model)
    fp, fn = atoms.false_positives(covered), atoms.false_negatives(covered)
    size_weight, fp_weight, fn_weight = task.weights
    return size_weight * size_of(program) + fp_weight * fp + fn_weight * fn, fp, fn
