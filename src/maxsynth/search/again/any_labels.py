"""A pool of rules that holds for every labelling of the examples, made once; with other labels only the choice is left.

**The pool.** Let every example be listed on both sides, as a positive and as a negative one, with the most that it may
cost on either. The rules are generated for these weights P' and N'. A rule r is left out there only by the swap lemma,

    S(D) + N'(neg'(D) \\ neg'(r)) + P'(pos'(r) \\ pos'(D)) <= S(r),

for some D that is smaller, or as large and earlier in a fixed order. With any labels, fewer examples are positive and
fewer negative, and none costs more: P and N are at most P' and N' on every set of examples, and the same inequality
holds. So take, for these labels, a best program that is smallest, and of those the first: none of its rules was left
out. It is in the pool. (Rules are not left out here because of a cost that is known: that would be for one labelling.)

Constants are those that enough positives meet, and here all examples are positives. A number in a test is chosen such
that no other one covers the same: where each example is a positive and a negative one, any two numbers that part the
examples in different ways are both kept, and so nothing is lost with other labels.

Nearly all that prunes rules are their sizes and what they cover altogether, so that the pool is hardly larger than for
one labelling: on the paper's tasks by some tens of per cent, in the same time.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import StoppedAskingError
from maxsynth.logic.programs import Program, rules_of
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.problem import Choice, Stop
from maxsynth.search.coverage import Pool, unpack
from maxsynth.search.loop import Search
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.weighing import MOST_WEIGHT, WeighedExamples

AT_A_TIME = 4096  # rules whose examples are weighed at once


class AnyLabels:
    """The rules of a task with any labels. `rows` are the atoms, and `most` what each may cost at most."""

    def __init__(self, search: Search, rows: NDArray[np.int32], most: NDArray[np.int64]) -> None:
        self.search = search
        self.examples = WeighedExamples(rows, most, most.copy())
        self.pool: Pool | None = None

    @staticmethod
    def can(search: Search) -> bool:
        """Whether all programs are sets of rules that features make, and the choice among these is all."""
        parts, task = search.parts, search.task
        judged = task.bias.program_constraints.strip() or search.settings.solver is not None or search.settings.exact
        return parts.by_features and not parts.calls_allowed and not judged

    def fits(self) -> bool:
        """Whether the kernel has room for sums of these weights (`weighing`)."""
        largest = self.search.weights.size * (self.search.task.bias.max_body + 1)
        return 2 * int(self.examples.pos.sum(dtype=object)) + largest <= MOST_WEIGHT

    def make(self) -> bool:
        """Generates the rules; False when it was stopped, or there are too many."""
        search = self.search
        with search.threads, search.task.background.watched_by(search.limits.reached):
            try:
                return self.generate()
            except (StoppedAskingError, MemoryError):
                return False

    def generate(self) -> bool:
        search = self.search
        search.examples = self.examples  # which constants there are depends on them, too
        search.parts = dataclasses.replace(search.parts, examples=self.examples)
        search.make_ready()
        self.rules = rules = search.parts.features(examples=self.examples)
        assert isinstance(rules, RuleGenerator)
        batches = []
        while not rules.exhausted:
            if rules.is_wide(search.should_stop):
                return False
            batch = rules.next_size(search.should_stop)
            if batch is None:
                return False
            batches.append(batch)
        self.pool = Pool.of(batches, len(self.examples.pos))
        return True

    def best(self, missed: NDArray[np.int64], covered: NDArray[np.int64], bound: int, should_stop: Stop) -> Choice:
        """The best program below the bound, where it costs so much to miss an example and to cover it."""
        assert (missed <= self.examples.pos).all()
        assert (covered <= self.examples.neg).all()
        return self.best_here(missed, covered, bound, should_stop)

    def best_here(self, missed: NDArray[np.int64], covered: NDArray[np.int64], bound: int, should_stop: Stop) -> Choice:
        """The same with any weights: then it is the best of the rules that are here, of which some may be missing."""
        assert self.pool is not None
        bias, weight = self.search.task.bias, self.search.weights.size
        pos, neg = self.weighed(missed), self.weighed(covered)
        pool = Pool(self.pool.numbers, self.pool.bits, self.pool.sizes, pos, neg)
        # By the swap lemma, with nothing in the place of a rule.
        pool = pool.select(np.flatnonzero(pos > weight * self.pool.sizes))
        examples = WeighedExamples(self.examples.rows, missed, covered)
        combiner = Combiner(examples, weight, most=bias.most, memory=self.search.memory)
        combiner.add(pool)
        return combiner.best(bound, should_stop)

    def weighed(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """What each rule covers by these weights."""
        assert self.pool is not None
        parts = [
            np.where(unpack(self.pool.bits[at : at + AT_A_TIME], len(weights)), weights, 0).sum(axis=1)
            for at in range(0, len(self.pool), AT_A_TIME)
        ]
        return np.concatenate([np.zeros(0, np.int64), *parts])

    @property
    def rules_covering(self) -> NDArray[np.int64]:
        """How many rules cover each atom."""
        assert self.pool is not None
        count = np.zeros(len(self.examples.pos), np.int64)
        for at in range(0, len(self.pool), AT_A_TIME):
            count += unpack(self.pool.bits[at : at + AT_A_TIME], len(count)).sum(axis=0)
        return count

    def program(self, numbers: list[int]) -> Program:
        written = self.search.spelled.written(rules_of(self.rules.rule(number) for number in numbers))
        return written.executable(self.search.task.bias.directions)
