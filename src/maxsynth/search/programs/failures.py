"""Why programs fail: the smallest parts of their rules that fail already, and so do all rules that have these parts.

A part *fails* in one of two ways.
- It is *impossible*: no values at all make its literals true. A rule with such a body derives nothing, whatever its
  head is and whatever the rest of the program.
- It is *idle*: a rule for the target is the last step in the proof of no positive example. That may be because of the
  rule alone, with its calls taken to succeed, or because of what the other rules of the program derive.

`impossible_parts`, `idle_rule` and `idle_program` say why programs with such parts are never best. Only literals of
predicates whose tables are complete are left out or looked at: what a lazy predicate answers on values that no rule has
reached is not known, and asking may fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.proofs.evaluator import Coverage, Evaluator
from maxsynth.search.programs.tester import STEPS
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

LAST_STEP = "__last_step"  # a predicate that no bias has, for what the idle rules derive
Part = tuple[Literal, ...]


@dataclass(frozen=True)
class Idle:
    """Rules for the target, reduced to parts, that are the last step in no proof of a positive example.

    `others` are the rules of the program that this depends on, reduced too: with none, it is so in every program.
    """

    rules: tuple[Rule, ...]
    others: tuple[Rule, ...] = ()


class Failures:
    """Explains why rules and programs of one task fail."""

    def __init__(self, task: ReadTask, examples: WeighedExamples, memory: Memory | None = None) -> None:
        self.memory = memory or Memory()
        self.bias = task.bias
        self.target = task.bias.head
        self.background = task.background
        self.evaluator = Evaluator(task.background, self.target)
        self.last_step = Evaluator(task.background, Predicate(LAST_STEP, self.target.arity))
        self.is_positive: NDArray[np.bool_] = examples.pos > 0
        self.positives: NDArray[np.int32] = examples.rows[self.is_positive]
        self.possible: dict[Part, bool] = {}  # by a name of the part that does not depend on those of its variables
        self.known: dict[Rule, NDArray[np.bool_]] = {}  # which positives rules without calls cover
        self.given: set[object] = set()  # explanations, each given once

    # -- rules that derive nothing --------------------------------------------------------------------------

    def impossible_parts(self, rule: Rule) -> list[Part]:
        """The smallest impossible parts of a rule's body that were not given before.

        A program h with such a rule is not best, where its bias has no constraints of its own. Leave the rule out, then
        all rules with calls of what is no longer defined, then what the target no longer needs, and so on. Nothing that
        is left out took part in a proof of the target, so what remains covers the same; it is smaller; and it is in the
        space, since every condition on a program that has to do with several rules is met by such a remainder: its
        predicates are founded, since a predicate without founded rules is gone, and needed; types and directions of
        invented predicates have fewer rules to agree with. (But for a type that is to have one variable: a variable
        may lose its type. Who asks sees to that.) No rule may remain: the empty program is in the space too.
        """
        tables = [literal for literal in rule.body if self.is_complete(literal)]
        parts = smallest(tables, lambda part: not self.is_possible(part))
        return [part for part in parts if self.is_new(canonical(part))]

    def is_complete(self, literal: Literal) -> bool:
        predicate = literal.predicate
        if predicate not in self.bias.body or predicate == self.target:
            return False
        return self.background.relation(predicate).inputs is None

    def is_possible(self, part: Part) -> bool:
        """Whether some values make a part true. The rows of its smallest table are tried."""
        name = canonical(part)
        if name not in self.possible:
            first = min(part, key=lambda literal: (len(self.rows_of(literal)), part.index(literal)))
            others = tuple(literal for literal in part if literal != first)
            rows = self.rows_of(first)
            if others and len(rows):
                head = Literal(LAST_STEP, first.args)
                evaluator = Evaluator(self.background, head.predicate)
                self.possible[name] = bool(may_cover(evaluator.coverage(Program((Rule(head, others),)), rows)).any())
            else:
                self.possible[name] = len(rows) > 0
        return self.possible[name]

    def rows_of(self, literal: Literal) -> NDArray[np.int32]:
        rows = self.background.relation(literal.predicate).rows
        assert rows is not None
        return rows

    # -- rules that end no proof ----------------------------------------------------------------------------

    def idle_rule(self, rule: Rule) -> list[Idle]:
        """The smallest parts of a rule for the target that cover no positive example, with its calls left out.

        A single rule with such a part covers no positive example either, and is in no best set of rules. And a program
        in which nothing calls the target is better without such a rule, by the argument of `impossible_parts`.
        """
        found = [Idle((Rule(rule.head, part),)) for part in self.idle_parts(rule)]
        return [idle for idle in found if self.is_new(idle)]

    def idle_parts(self, rule: Rule) -> list[Part]:
        tables = [literal for literal in rule.body if self.is_complete(literal)]
        return smallest(tables, lambda part: not self.covered(Rule(rule.head, part)).any(), set(rule.head.args))

    def idle_program(self, program: Program, covered: NDArray[np.bool_]) -> list[Idle]:
        """Explains why the rules of a program for the target that call something are the last step in no proof.

        `covered`: the examples that the program is known to cover.

        Let R be these rules of a program h1, all idle. Then no program h2 is best that has a rule for each of h1's with
        all its literals, and maybe more, and that has no further rules, if its other rules for the target call nothing.
        The last step of a proof in h2 of a positive example is not by a rule of R: with the literals that h1 has not,
        and the proofs of their calls, left out everywhere, it would be a proof in h1, and its last step by that rule of
        R. So it is by another rule for the target, and that calls nothing. Hence these other rules alone cover the same
        positives, and no negatives that h2 does not; they are fewer, and as rules without calls they are in the space,
        where the bias has no constraints of its own.
        Where the rules of R end no proof whatever their calls give, h2 may have any further rules, as long as those for
        the target call nothing.
        """
        calling = [rule for rule in program.rules if rule.head.predicate == self.target and calls(rule, program)]
        others = [rule for rule in program.rules if rule not in calling]
        unexplained = covered[self.is_positive]
        for rule in others:
            if rule.head.predicate == self.target:
                unexplained = unexplained & ~self.covered(rule)
        if unexplained.any():
            return []
        alone = [self.idle_parts(rule) for rule in calling]
        if all(alone):
            found = [Idle(tuple(map(Rule, [rule.head for rule in calling], parts))) for parts in product(*alone)]
        elif self.end_proofs(calling, others):
            found = []
        else:
            found = [self.reduced(calling, others)]
        return [idle for idle in found if self.is_new(idle)]

    def covered(self, rule: Rule) -> NDArray[np.bool_]:
        """Which positive examples a rule without calls covers, or may cover."""
        if rule not in self.known:
            self.memory.take(len(self.positives))
            self.known[rule] = may_cover(self.evaluator.coverage(Program((rule,)), self.positives))
        return self.known[rule]

    def end_proofs(self, rules: Sequence[Rule], others: Sequence[Rule]) -> bool:
        """Whether one of the rules is the last step in the proof of a positive example, or that cannot be told."""
        last = [Rule(Literal(LAST_STEP, rule.head.args), rule.body) for rule in rules]
        try:
            found = self.last_step.quick_coverage(Program((*last, *rules, *others)), self.positives, STEPS)
        except MaxSynthError:  # a reduced rule need not be one that can be asked
            return True
        return bool(may_cover(found).any())

    def reduced(self, rules: list[Rule], others: list[Rule]) -> Idle:
        """Leaves out literals, one after the other, where the rules stay idle without them."""
        kept = [*rules, *others]
        for number, rule in enumerate(kept):
            for literal in rule.body:
                body = tuple(other for other in kept[number].body if other != literal)
                if not body or not self.is_complete(literal):
                    continue
                if not rule.head.variables <= {variable for other in body for variable in other.variables}:
                    continue
                fewer = [*kept[:number], Rule(rule.head, body), *kept[number + 1 :]]
                if not self.end_proofs(fewer[: len(rules)], fewer[len(rules) :]):
                    kept = fewer
        return Idle(tuple(kept[: len(rules)]), tuple(kept[len(rules) :]))

    def is_new(self, explanation: object) -> bool:
        new = explanation not in self.given
        self.given.add(explanation)
        return new


def may_cover(coverage: Coverage) -> NDArray[np.bool_]:
    """What is covered, or would perhaps be with more steps."""
    return coverage.covered | coverage.unfinished


def calls(rule: Rule, program: Program) -> bool:
    return any(literal.predicate in program.defined for literal in rule.body)


# -- parts --------------------------------------------------------------------------------------------------


def smallest(
    literals: Sequence[Literal], fails: Callable[[Part], bool], start: set[object] | None = None
) -> list[Part]:
    """The parts that fail and have the fewest literals.

    Only connected ones are tried, or those in which every literal is connected to a variable of `start`: of several
    pieces that share no variable, one would fail alone.
    """
    for size in range(1, len(literals) + 1):
        found = [part for part in combinations(literals, size) if is_connected(part, start) and fails(part)]
        if found:
            return found
    return []


def is_connected(part: Part, start: set[object] | None) -> bool:
    reached = set(part[0].args) if start is None else set(start)
    waiting = list(part)
    while waiting:
        touching = [literal for literal in waiting if reached.intersection(literal.args)]
        if not touching:
            return False
        reached.update(arg for literal in touching for arg in literal.args)
        waiting = [literal for literal in waiting if literal not in touching]
    return True


def canonical(part: Part) -> Part:
    """The part with its variables numbered by where they first stand; equal parts may still have several names."""
    numbers: dict[object, int] = {}
    return tuple(
        Literal(literal.name, tuple(numbers.setdefault(arg, len(numbers)) for arg in literal.args))
        for literal in sorted(part, key=lambda literal: (literal.name, str(literal.args)))
    )
