"""Of rules that do as well in the best program, those that cover more positives.

Where numbers and constants can be chosen, many programs have the least cost, and what they say of data that was not
seen differs much. A rule that covers more positives has more behind it. So when the search is over, each rule of the
best program is replaced by one that is not larger, covers the positives that only this rule covers and no negative
that the program does not cover, and covers the most positives of all that a look around finds. The cost stays what it
is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic.programs import Program, Rule
from maxsynth.logic.tested import size_of
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.search.coverage import pack, unpack
from maxsynth.search.learned.spelled import Spelled
from maxsynth.search.parts import Parts
from maxsynth.search.rules.features import Look
from maxsynth.search.weighing import WeighedExamples

LOOK = Look(beam=40, work=4_000_000, rows=10_000, fanout=8)

Covered = NDArray[np.bool_]


class Widener:
    """Replaces the rules of a program that does not call itself."""

    def __init__(self, parts: Parts, spelled: Spelled, evaluator: Evaluator, should_stop: Callable[[], bool]) -> None:
        self.parts = parts
        self.spelled = spelled
        self.evaluator = evaluator
        self.should_stop = should_stop
        self.examples = parts.examples
        self.positive, self.negative = self.examples.pos > 0, self.examples.neg > 0

    def widened(self, program: Program) -> Program:
        """The program with wider rules."""
        rules = list(program.rules)
        covered = [self.coverage(rule) for rule in rules]
        for place, rule in enumerate(rules):
            others = np.zeros(len(self.positive), np.bool_)
            for other in (*covered[:place], *covered[place + 1 :]):
                others |= other
            best = self.weight(covered[place])
            for wider, covers in self.candidates(rule, covered[place], others):
                if self.weight(covers) > best:
                    best, rules[place], covered[place] = self.weight(covers), wider, covers
        return Program(tuple(rules))

    def weight(self, covers: Covered) -> int:
        return int(self.examples.pos[covers].sum())

    def coverage(self, rule: Rule) -> Covered:
        return self.evaluator.coverage(Program((rule,)), self.examples.rows).covered

    def candidates(self, rule: Rule, own: Covered, others: Covered) -> Iterator[tuple[Rule, Covered]]:
        """Rules that can take the place of one, each covering more than those before it."""
        needed = self.positive & own & ~others
        forbidden = self.negative & ~own & ~others
        # One positive of those that are needed, or one negative of those that are not allowed, is more than all else.
        much = np.int64(len(self.positive) + rule.size + 1)
        weighed = WeighedExamples(
            self.examples.rows, np.where(needed, much, 1) * self.positive, np.where(forbidden, much, 0).astype(np.int64)
        )
        rules = self.parts.features(LOOK, examples=weighed, size_weight=1)
        best = self.weight(own)
        body = size_of(Program((rule,)), self.parts.task.bias.learned.tested) - 1
        never, always = pack(np.stack([forbidden, needed]))
        while rules.size < body and (pool := rules.next_size(self.should_stop)) is not None:
            # There may be very many, so that what they cover stays packed.
            fits = ~(pool.bits & never).any(axis=1) & ~(~pool.bits & always).any(axis=1)
            for number in np.flatnonzero(fits).tolist():
                covers = unpack(pool.bits[number : number + 1], len(self.positive))[0]
                if (now := self.weight(covers)) > best:
                    best = now
                    yield self.spelled.written_rule(rules.rule(pool.numbers[number])), covers
