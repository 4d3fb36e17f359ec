"""Generating rules with clingo, size after size, where `features` does not apply: under a bias with constraints of its
own, or when it is asked to."""

from __future__ import annotations

import dataclasses
from itertools import permutations

import numpy as np

from maxsynth.logic.programs import Program, Rule
from maxsynth.search.asp.encoding import renamed
from maxsynth.search.asp.space import PROGRAM, ProgramSpace, Stop
from maxsynth.search.choose.prices import Prices
from maxsynth.search.coverage import Pool, pack
from maxsynth.search.programs.constraints import Outcome, prune_rules
from maxsynth.search.programs.failures import Failures
from maxsynth.search.programs.tester import Tester
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

NOTHING = np.zeros(0, np.bool_)


class AspRules:
    """All rules that may be in a best program, by size: as `features.RuleGenerator` does, from clingo.

    Under constraints on whole programs, of which a part of an allowed program may not be allowed, those are all rules.
    """

    def __init__(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        size_weight: int,
        *,
        constraints: bool = True,
        memory: Memory | None = None,
    ) -> None:
        self.memory = memory or Memory()
        self.space = ProgramSpace(task.bias, calls=False, memory=self.memory, background=task.background)
        self.tester = Tester(task, examples, size_weight)
        self.failures = Failures(task, examples, self.memory)
        self.all = not task.bias.hold_of_less
        self.constraints = constraints and not self.all
        self.size_weight = size_weight
        self.most_body = task.bias.most_body
        self.size = 0
        self.bound: int | None = None  # see `keep_below`
        self.found: list[Rule] = []

    @property
    def exhausted(self) -> bool:
        """Whether there are no more rules, or none that may be in a program below the bound, which costs its size."""
        return self.size >= self.most_body or (
            self.bound is not None and self.size_weight * (self.size + 2) >= self.bound
        )

    @property
    def tested(self) -> int:
        return self.tester.tested

    def keep_below(self, bound: int) -> None:
        """From now on, only rules of programs that cost less than this are asked for."""
        self.bound = bound

    def next_work(self) -> int:
        return 0  # nobody looks around here

    def use_prices(self, prices: Prices, bound: int) -> None:
        """Nothing is made of prices here."""

    def next_size(self, should_stop: Stop | None = None) -> Pool | None:
        """The rules with one more body literal than before; None when it was stopped."""
        size = self.size + 2
        found: list[tuple[Rule, Outcome]] = []

        def test(program: Program) -> None:
            outcome = self.tester.outcome(program)
            if not self.all and outcome.pos <= outcome.size:  # it is of no use itself, and there are many such
                outcome = dataclasses.replace(outcome, covered=NOTHING)
            self.memory.take(PROGRAM + outcome.covered.nbytes)
            found.append((program.rules[0], outcome))

        if not self.space.programs(size, test, should_stop or (lambda: False)):
            return None
        if self.all:
            found = one_of_each(found)
        if self.constraints:
            self.space.forbid([p for rule, outcome in found for p in prune_rules(rule, outcome, self.size_weight)])
            self.explain([rule for rule, outcome in found if outcome.most_pos == 0])
        self.size += 1
        return self.batch(found)

    def explain(self, failed: list[Rule]) -> None:
        """Leaves out all rules that fail for the reason for which these do."""
        self.space.forbid_parts([part for rule in failed for part in self.failures.impossible_parts(rule)])
        self.space.forbid_idle([idle for rule in failed for idle in self.failures.idle_rule(rule)], alone=True)

    def batch(self, found: list[tuple[Rule, Outcome]]) -> Pool:
        useful = [(rule, outcome) for rule, outcome in found if self.all or outcome.pos > outcome.size]
        first = len(self.found)
        self.found += [rule for rule, _ in useful]
        covered = np.zeros((len(useful), len(self.tester.examples.pos)), np.bool_)
        for row, (_, outcome) in zip(covered, useful, strict=True):
            row[: len(outcome.covered)] = outcome.covered
        return Pool(
            np.arange(first, len(self.found), dtype=np.int64),
            pack(covered),
            np.array([rule.size for rule, _ in useful], np.int64),
            np.array([outcome.pos for _, outcome in useful], np.int64),
            np.array([outcome.neg for _, outcome in useful], np.int64),
        )

    def rule(self, number: int) -> Rule:
        return self.found[number]

    def counts(self) -> dict[str, int]:
        return {"rules_tested": self.tester.tested}


def one_of_each(found: list[tuple[Rule, Outcome]]) -> list[tuple[Rule, Outcome]]:
    """Each rule once, where the same comes under several names of its variables: in a program it is one rule."""
    known: dict[tuple[tuple[str, tuple[object, ...]], ...], tuple[Rule, Outcome]] = {}
    for rule, outcome in found:
        arity = len(rule.head.args)
        own = sorted({variable for literal in rule.body for variable in literal.variables} - set(range(arity)))
        bodies = []
        for names in permutations(own):
            body = (renamed(literal, dict(zip(own, names, strict=True))) for literal in rule.body)
            bodies.append(tuple(sorted((literal.name, literal.args) for literal in body)))
        known.setdefault(min(bodies), (rule, outcome))
    return list(known.values())
