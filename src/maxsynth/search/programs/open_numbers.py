"""Testing programs that call themselves and have open numbers: with the best numbers there are.

A rule with `X >= _` stands for all rules with a number in that place. What the program derives with the least numbers
is the most that it can derive, and so are the bounds that the search has of it. Its cost is that of the best choice:
its rules are made ground, for the goals that come up when the examples are asked for, and the kernel goes through all
numbers that make a difference (`kernel/proofs/cuts.pxi`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Background
from maxsynth.bias.learned import AT_LEAST
from maxsynth.errors import PrologProblem
from maxsynth.kernel.proofs import GroundProgram
from maxsynth.kernel.terms import Index
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule, executable
from maxsynth.logic.round_numbers import round_number
from maxsynth.search.learned.numbers import Number, Order, written
from maxsynth.search.learned.spelled import open_tests
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

MOST_GOALS = 20_000  # that are looked at for one program; what is beyond is not derived

Goal = tuple[int, ...]


class Instance(NamedTuple):
    """A rule for one goal: what its tests are on, as it is ordered, and the goals that it calls."""

    tested: tuple[float, ...]
    calls: tuple[Goal, ...]


class Step(NamedTuple):
    """A literal, by the variables that are known when it comes: how it is looked up, and what its rows say."""

    lookup: Index
    key: tuple[int, ...]  # variables
    known: tuple[tuple[int, int], ...]  # places of others that are known, with these
    new: tuple[tuple[int, int], ...]


class GroundRule:
    """The instances of one rule, as they are asked for."""

    def __init__(
        self,
        rule: Rule,
        background: Background,
        target: Predicate,
        tests: Mapping[Predicate, str],
        place: Callable[[int], float],
    ) -> None:
        self.rule = rule
        self.place = place
        self.tests = [literal for literal in rule.body if literal.predicate in tests]
        self.signs = [1 if tests[literal.predicate] == AT_LEAST else -1 for literal in self.tests]
        self.tested = [next(iter(literal.variables)) for literal in self.tests]
        self.calls = [ints(literal) for literal in rule.body if literal.predicate == target]
        self.width = 1 + max(variable for literal in rule.literals() for variable in literal.variables)
        self.known: dict[Goal, list[Instance]] = {}
        bound = set(rule.head.variables)
        self.steps: list[Step] = []
        for literal in executable(rule, background.directions).body:
            if literal.predicate != target and literal.predicate not in tests:
                self.steps.append(step(literal, bound, background))
                bound |= literal.variables

    def instances(self, goal: Goal) -> list[Instance]:
        if goal not in self.known:
            values = [*goal, *[0] * (self.width - len(goal))]
            found: dict[Instance, None] = {}
            self.join(values, 0, found)
            self.known[goal] = list(found)
        return self.known[goal]

    def join(self, values: list[int], at: int, found: dict[Instance, None]) -> None:
        """Goes through all values of the variables, once those of the literals before `at` have some."""
        if at == len(self.steps):
            tested = tuple([sign * self.place(values[one]) for sign, one in zip(self.signs, self.tested, strict=True)])
            if not any(map(math.isnan, tested)):  # what is no number passes no test
                calls = tuple([tuple([values[variable] for variable in call]) for call in self.calls])
                found[Instance(tested, calls)] = None
            return
        now = self.steps[at]
        try:
            rows = now.lookup.rows(tuple([values[variable] for variable in now.key]))
        except PrologProblem:
            return  # what BK cannot say is not derived
        for row in rows:
            if all(row[place] == values[variable] for place, variable in now.known):
                for place, variable in now.new:
                    values[variable] = row[place]
                self.join(values, at + 1, found)


def ints(literal: Literal) -> tuple[int, ...]:
    """The arguments of a literal that has no constants."""
    return tuple(arg for arg in literal.args if isinstance(arg, int))


def step(literal: Literal, bound: set[int], background: Background) -> Step:
    args = ints(literal)
    index = background.relation(literal.predicate).index([place for place, arg in enumerate(args) if arg in bound])
    assert index is not None
    others = [(place, arg) for place, arg in enumerate(args) if place not in index.columns]
    return Step(
        index,
        tuple(args[place] for place in index.columns),
        tuple((place, arg) for place, arg in others if arg in bound),
        tuple((place, arg) for place, arg in others if arg not in bound),
    )


class OpenTester:
    """Tests programs with open numbers on the examples."""

    def __init__(self, task: ReadTask, examples: WeighedExamples, size_weight: int) -> None:
        self.bias, self.background = task.bias, task.background
        self.tests = open_tests(task.bias)
        self.examples = examples
        self.size_weight = size_weight
        self.order = Order.of_task(task)
        self.ground: dict[int, tuple[Rule, GroundRule]] = {}  # by the id of a rule, which is kept
        self.goals: list[Goal] = [tuple(row) for row in examples.rows.tolist()]
        self.all = int(examples.pos.sum())
        self.cut = 0  # programs with more goals than are looked at

    def is_open(self, program: Program) -> bool:
        return any(literal.predicate in self.tests for rule in program.rules for literal in rule.body)

    def outcome(
        self, program: Program, bound: int, may_cover: NDArray[np.bool_], should_stop: Callable[[], bool]
    ) -> tuple[Program, Outcome]:
        """The program with the best numbers that cost less than the bound, and its test; without such, as it is.

        `may_cover` is what it can cover with any numbers.
        """
        size = self.size_weight * program.size
        rules = [self.ground_rule(rule) for rule in program.rules]
        tests = [(rule, literal) for rule in rules for literal in rule.tests]
        operators = [self.tests[literal.predicate] for _, literal in tests]
        made = self.make(rules, operators)
        cuts = made.best_cuts_below(max(bound - size, 0), should_stop)
        if cuts is None:
            return program, self.judged(size, np.zeros(len(may_cover), np.bool_), may_cover)
        covered = np.array(made.covered(cuts), np.bool_)
        shown = iter(self.shown(made, operators, cuts))
        chosen = Program(tuple(self.with_numbers(rule.rule, shown) for rule in rules))
        return chosen, self.judged(size, covered, may_cover)

    def judged(self, size: int, covered: NDArray[np.bool_], may_cover: NDArray[np.bool_]) -> Outcome:
        pos, neg = self.examples.pos, self.examples.neg
        return Outcome(
            covered=covered,
            may_cover=may_cover,
            size=size,
            pos=int(pos[covered].sum()),
            neg=int(neg[covered].sum()),
            most_pos=int(pos[may_cover].sum()),
            missed=self.all,
        )

    def ground_rule(self, rule: Rule) -> GroundRule:
        if id(rule) not in self.ground:
            made = GroundRule(rule, self.background, self.bias.head, self.tests, self.order.of)
            self.ground[id(rule)] = rule, made
        return self.ground[id(rule)][1]

    def make(self, rules: list[GroundRule], operators: list[str]) -> GroundProgram:
        """All instances for the goals that the examples lead to."""
        numbers = {goal: number for number, goal in enumerate(dict.fromkeys(self.goals))}
        examples = [numbers[goal] for goal in self.goals]
        waiting = list(numbers)
        is_cut = False
        goals: list[int] = []
        calls_from, calls = [0], []
        values: list[list[float]] = [[] for _ in operators]
        for goal in waiting:  # which grows meanwhile
            first = 0
            for rule in rules:
                for instance in rule.instances(goal):
                    if any(called not in numbers for called in instance.calls):
                        if len(numbers) >= MOST_GOALS:
                            is_cut = True
                            continue
                        for called in instance.calls:
                            if called not in numbers:
                                numbers[called] = len(numbers)
                                waiting.append(called)
                    goals.append(numbers[goal])
                    calls += [numbers[called] for called in instance.calls]
                    calls_from.append(len(calls))
                    for place, column in enumerate(values):
                        own = place - first
                        column.append(instance.tested[own] if 0 <= own < len(instance.tested) else np.inf)
                first += len(rule.tests)
        self.cut += is_cut
        limits = [self.limits(operator) for operator in operators]
        return GroundProgram(
            len(numbers),
            np.array(goals, np.int32),
            np.array(calls_from, np.int32),
            np.array(calls, np.int32),
            np.array(values, np.float64).reshape(len(operators), len(goals)),
            np.array([least for least, _ in limits], np.float64),
            np.array([greatest for _, greatest in limits], np.float64),
            np.array(examples, np.int32),
            self.examples.pos.astype(np.int64),
            self.examples.neg.astype(np.int64),
        )

    def limits(self, operator: str) -> tuple[float, float]:
        """The bounds of a number, turned as its values are."""
        if operator not in self.bias.learned.bounds:
            return -np.inf, np.inf
        least, greatest = (self.order.place(bound) for bound in self.bias.learned.bounds[operator])
        return (least, greatest) if operator == AT_LEAST else (-greatest, -least)

    def shown(self, made: GroundProgram, operators: list[str], cuts: list[float]) -> list[Number]:
        """The roundest numbers with which the same is covered, one after the other; the rest is what it is by then."""
        now, shown = list(cuts), []
        for place, operator in enumerate(operators):
            below, above = made.gap(place, now)
            sign = 1 if operator == AT_LEAST else -1
            inside = self.order.number(sign * above)
            outside = None if below is None else self.order.number(sign * below)
            found = round_number(outside, inside, operator, self.bias.learned.bounds.get(operator))
            shown.append(inside if found is None else found)
            now[place] = sign * self.order.place(shown[-1])
        return shown

    def with_numbers(self, rule: Rule, shown: Iterator[Number]) -> Rule:
        body = [
            Literal(self.tests[literal.predicate], (*literal.args, written(next(shown))))
            if literal.predicate in self.tests
            else literal
            for literal in rule.body
        ]
        return Rule(rule.head, tuple(body))
