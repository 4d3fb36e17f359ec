"""Combine: the set of rules of least cost, exactly.

While rules come in, quick dives (`kernel/choose/dive.pxi`) look for better sets. When all are there, a branch and bound
(`kernel/choose/cover.pxi`, with the lower bound of `kernel/choose/shares.pxi`) finds the best set and proves it. Both
net the examples: one that costs p to miss and q to cover costs the lesser of the two in any case, and beyond that it is
a positive of weight p - q or a negative of weight q - p. Nothing here looks at a clock, so the answer does not depend
on the machine.

Weighted MaxSAT, the paper's way, can have the last word instead: in clingo (`core_guided`) or in any other solver
(`maxsat`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from maxsynth.bias.evaluated import NO_LIMIT, Most
from maxsynth.kernel.choose import CoverLog, dive
from maxsynth.search.choose.matching import Reduced, reduce_by_matching
from maxsynth.search.choose.prices import Prices, make_prices
from maxsynth.search.choose.problem import (
    COVERED,
    Choice,
    Combination,
    MakeSolver,
    Problem,
    Stop,
    make_problem,
    steps_within,
)
from maxsynth.search.coverage import Pool, covered_by
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

Note = Callable[["Combination"], None]

STARTS = 50  # rules that a dive begins with, one after the other
FEW_STARTS = 5  # the same, while more rules are to come soon
MOST_SHARES = 1 << 25  # 512 MB, as each is there twice: now, and a step ago, ...
SHARE = 64  # ... and one, at most, for so many bytes of the limit
MOST_ENTRIES = (1 << 31) - 1  # examples that rules cover, all together: the kernel counts them with 32 bits
DIVE_ENTRIES = 1 << 28  # the same, in a dive: 2 GB
QUICK = 30  # steps towards a better lower bound, where a first one is enough, ...
QUICK_WORK = 1 << 27  # ... if they do not go through more shares than these together
MOST_COVERED = 10_000_000  # the same, for the exact choice, where rules can be left out by what they save
MANY_CELLS = 1 << 22  # rules times examples, from which on it is worth while to drop rules beforehand
DIVE_RULES = 4000  # rules that take part in dives: of more, the most gainful ones


@dataclass
class Combiner:
    """The pool of rules met so far."""

    examples: WeighedExamples
    size_weight: int
    solver: MakeSolver | None = None  # has the last word instead of the branch and bound
    most: Most = NO_LIMIT  # rules and literals in a set
    memory: Memory = field(default_factory=Memory)
    threads: Threads | None = None
    batches: list[Pool] = field(default_factory=list)
    nodes: int = 0
    steps: int = 0
    calls: int = 0  # of the solver
    log: CoverLog | None = None  # of the branch and bound, where it is to be saved
    nothing_in: tuple[int, ...] | None = None  # a dive that found nothing: rules, bound and starts
    known_reduced: tuple[int, int, Reduced] | None = None  # what is left of so many rules, below a bound

    def add(self, batch: Pool) -> None:
        if len(batch.numbers):
            self.batches.append(batch)

    def replace(self, pool: Pool) -> None:
        """Has this in the place of all rules."""
        self.batches, self.nothing_in, self.known_reduced = [pool], None, None

    def __len__(self) -> int:
        return sum(len(batch.numbers) for batch in self.batches)

    def improve(self, bound: int, should_stop: Stop | None = None, starts: int = STARTS) -> Combination | None:
        """A combination below the bound, if a quick dive finds one."""
        if self.nothing_in == (len(self), bound, starts):
            return None  # it would find the same
        pool = self.pool(bound)
        if not len(pool):
            return None
        most = self.most_in_a_dive(pool)
        if len(pool) > most:
            gains = pool.pos - pool.neg - pool.sizes
            pool = pool.select(np.sort(np.argsort(-gains, kind="stable")[:most]))
        weights, limits = self.examples.pos - self.examples.neg, self.most_by_weight()
        saved, rules = dive(
            pool.bits,
            pool.sizes,
            weights,
            starts,
            should_stop,
            most_rules=limits.rules,
            most_size=limits.size,
            threads=self.threads,
        )
        cost = int(self.examples.pos.sum()) - saved
        if cost >= bound:
            self.nothing_in = len(self), bound, starts
            return None
        return Combination(cost, sorted(pool.numbers[rules].tolist()))

    def best(self, bound: int, should_stop: Stop | None = None, on_better: Note | None = None) -> Choice:
        """The best combination below the bound; better ones are given to `on_better` as they are found."""
        note = on_better or (lambda combination: None)
        found = self.improve(bound, should_stop)
        if found:
            bound = found.cost
            note(found)
        reduced = self.take_reduced(bound) or self.reduced(self.pool(bound), bound, should_stop)
        if reduced.lower_bound >= bound:
            return Choice(found, True, bound)
        problem = self.problem(reduced.pool)
        solver = self.solver or (None if self.fits(problem) else clingo())
        if solver is not None and len(problem.pool):
            self.memory.claim(COVERED * int(problem.covers.sum()))
            self.calls += 1
            better, proven = solver(problem).solve(bound, should_stop or (lambda: False))
            found = better or found
            least = found.cost if found else bound
            return Choice(found, proven, least if proven else min(problem.base, least))
        cover = problem.cover(self.memory, self.threads)
        rules, proven, lower = cover.solve(
            bound - problem.base, should_stop, lambda chosen: note(problem.combination(chosen)), self.log
        )
        if cover.full:
            self.memory.fill()
        self.nodes += cover.nodes
        self.steps += cover.steps
        if rules is not None:
            found = problem.combination(rules)
        return Choice(found, proven, lower + problem.base)

    def at_least(self, bound: int, stopped: Stop = lambda: False) -> int:
        """A quick lower bound on what sets of these rules cost, not above the bound; less of one when it is stopped."""
        nothing = min(bound, int(self.examples.pos.sum()))  # what the empty set costs
        two_literals = min(nothing, 2 * self.size_weight)  # a rule has no fewer
        pool = self.pool(bound)
        if len(pool) > DIVE_RULES:
            return two_literals
        reduced = self.reduced(pool, bound, stopped)
        pool, least = reduced.pool, reduced.lower_bound
        if not len(pool):
            return max(least, nothing)
        if not self.memory.allows(self.unpacked(pool)):
            return max(least, two_literals)
        problem = self.problem(pool)
        if not self.fits(problem) or not self.memory.allows(COVERED * int(problem.covers.sum())):
            return max(least, two_literals)
        sides = (problem.covers[:, problem.weights > 0], problem.covers[:, problem.weights < 0])
        looks = iter(range(min(QUICK, steps_within(QUICK_WORK, *sides))))
        _, _, lower = problem.cover(self.memory, self.threads).solve(
            bound - problem.base, lambda: next(looks, None) is None or stopped()
        )
        return max(least, lower + problem.base)

    def prices(self, bound: int, should_stop: Stop | None = None) -> Prices | None:
        """What sets of these rules cost at least for each positive, as long as they cost less than the bound."""
        return make_prices(self.pool(bound), self.examples, bound, self.memory, should_stop, self.threads)

    def most_in_a_dive(self, pool: Pool) -> int:
        """So many of the rules may be in a dive, which lists the examples of each twice."""
        most = min(DIVE_RULES, DIVE_ENTRIES // len(self.examples.pos) or 1)
        while most > 1 and not self.memory.allows(8 * min(most, len(pool)) * len(self.examples.pos)):
            most //= 2
        return most

    def is_too_much(self, bound: int, should_stop: Stop | None = None) -> bool:
        """Whether the rules are too many to choose among, also without those that are easily seen to be out."""
        if len(self) * len(self.examples.pos) <= MOST_COVERED:
            return False
        pool = self.pool(bound)
        if covered_by(pool.bits) <= MOST_COVERED:
            return False
        reduced = self.reduced(pool, bound, should_stop)
        self.known_reduced = len(self), bound, reduced
        return covered_by(reduced.pool.bits) > MOST_COVERED

    def take_reduced(self, bound: int) -> Reduced | None:
        """What was found before, if that was for the same rules and bound."""
        known, self.known_reduced = self.known_reduced, None
        return known[2] if known is not None and known[:2] == (len(self), bound) else None

    def reduced(self, pool: Pool, bound: int, should_stop: Stop | None) -> Reduced:
        """The rules that may be in a set below the bound, where there are many."""
        if len(pool) * len(self.examples.pos) < MANY_CELLS:
            return Reduced(pool, 0)
        return reduce_by_matching(pool, self.examples, bound, self.memory, should_stop)

    def problem(self, pool: Pool) -> Problem:
        self.memory.claim(self.unpacked(pool))
        return make_problem(pool, self.examples, self.most_by_weight())

    def unpacked(self, pool: Pool) -> int:
        """Bytes that it takes to make a problem of a pool: for each rule and example one, three times over."""
        return 3 * len(pool) * len(self.examples.pos)

    def fits(self, problem: Problem) -> bool:
        """Whether there is room for the shares of the lower bound, some of which are there several times."""
        most = MOST_SHARES if self.memory.limit is None else min(MOST_SHARES, self.memory.limit // SHARE)
        return problem.shares <= most and int(np.count_nonzero(problem.covers)) <= MOST_ENTRIES

    def most_by_weight(self) -> Most:
        """What a set may have at most, as sizes are counted here."""
        return Most(self.most.rules, None if self.most.size is None else self.most.size * self.size_weight)

    def pool(self, bound: int) -> Pool:
        """All rules that do not reach the bound alone, with what their sizes weigh."""
        self.memory.claim(2 * sum(batch.bits.nbytes for batch in self.batches))
        some = []
        for batch in self.batches:
            below = batch.sizes * self.size_weight + batch.neg < bound
            some.append(batch if below.all() else batch.select(np.flatnonzero(below)))
        pool = Pool.of(some, len(self.examples.pos))
        return dataclasses.replace(pool, sizes=pool.sizes * self.size_weight)


def clingo() -> MakeSolver:
    from maxsynth.search.choose.core_guided import Clingo  # which needs clingo, and few tasks need it

    return Clingo()
