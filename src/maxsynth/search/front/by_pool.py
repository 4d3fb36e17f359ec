"""A front from a pool of rules: all that its programs may have, made once, and then chosen from for each size.

**The pool.** Let S be the largest size that is asked for, and let an error weigh more than S literals. Then among
programs of at most s literals, for any s up to S, the cheapest has the fewest errors. The rules are generated for these
weights. What that leaves out, it leaves out by the swap lemma: something no larger takes the place of a rule, and the
cost does not grow. A program that keeps to s literals still does so, and so for each s a best program is made of rules
in the pool. (Nothing is left out here for a known cost: that would be right for one s only.)

**The choice.** Quick dives find good programs of each size. Where the points that they make bend, there are weights of
literals and errors that lead along each edge of that hull; under these, values of the positives (`values`) say how few
errors a program of a size has at least. That settles some sizes, and for the others it leaves few of the rules. All
programs of these that the values allow are gone through (`through`). Where they are too many, an exact choice is made,
size after size, with the weights of `KnownFront.steepest`.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.evaluated import Most
from maxsynth.kernel.choose import dive
from maxsynth.logic.programs import Program, rules_of
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.problem import Problem, make_problem
from maxsynth.search.coverage import Pool
from maxsynth.search.front.known import KnownFront
from maxsynth.search.front.through import Through
from maxsynth.search.front.values import Values, make_values
from maxsynth.search.loop import Search
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory

STARTS = 4  # of a dive for each size
DIVE_RULES = 2000  # that take part in it: of more, the most gainful ones

# Steps towards better values of an edge, and looks at rules for each size of it, before all edges have had their turn.
ROUNDS = ((16, 1 << 15), (48, 1 << 17), (128, 1 << 20))
CUT = 3  # sizes of an edge for which that was not enough: then the others wait for better values
FIRST = 2  # times the steps where there are no other values to begin with

Point = tuple[int, int]  # size, errors
Edge = tuple[Point, Point]


class PoolFront:
    """Makes a front known. `search` generates the rules: it has weights as above, and the limit of sizes.

    `examples` are the same with errors of the weights that are asked for.
    """

    def __init__(self, search: Search, examples: WeighedExamples, known: KnownFront, tell: Callable[[], None]) -> None:
        self.search = search
        self.memory: Memory = search.memory
        self.should_stop = search.should_stop
        self.examples = examples
        self.known = known
        self.tell = tell
        self.values: list[Values] = []

    def find(self) -> bool | None:
        """Whether it came to its end; None where there are too many rules to keep."""
        rules = self.search.parts.rules()
        assert isinstance(rules, RuleGenerator)
        self.rules = self.search.rules = rules
        batches = []
        while not rules.exhausted:
            if rules.is_wide(self.should_stop):
                return None
            batch = rules.next_size(self.should_stop)
            if batch is None:
                return False
            batches.append(batch)
            self.tell()
        self.pool = self.unweighed(batches)
        if not len(self.pool):
            self.known.raise_at_least(self.known.most, self.known.nothing)
            return True
        self.memory.claim(3 * len(self.pool) * len(self.examples.pos))
        self.problem = self.without_outdone(make_problem(self.pool, self.examples))
        self.pool = self.problem.pool
        self.settle_single()
        if not self.look_around() or not self.look_along_edges():
            return False
        fits = Combiner(self.examples, 1, memory=self.memory).fits(self.problem)
        return (not fits or self.bound_all()) and self.choose()

    def unweighed(self, batches: list[Pool]) -> Pool:
        """The rules with the weights that are asked for."""
        pool = Pool.of(batches, len(self.examples.pos))
        weight = outweighing(self.known.most)
        return dataclasses.replace(pool, pos=pool.pos // weight, neg=pool.neg // weight)

    def without_outdone(self, problem: Problem) -> Problem:
        """The rules that no other one matches by the swap lemma: one that is no larger, and covers all of their
        positives and no other negatives. (Where an error outweighs any size, nothing less will do.)"""
        weight = outweighing(self.known.most)
        weighed = dataclasses.replace(problem, weights=problem.weights * weight)
        if not Combiner(self.examples, 1, memory=self.memory).fits(problem):
            return problem
        kept = np.array(weighed.cover(self.memory).unmatched(self.should_stop), np.int64)
        return dataclasses.replace(problem, pool=problem.pool.select(kept), covers=problem.covers[kept])

    def program(self, numbers: list[int]) -> Program:
        written = self.search.spelled.written(rules_of(self.rules.rule(number) for number in numbers))
        return written.executable(self.search.task.bias.directions)

    def take(self, size: int, errors: int, numbers: list[int]) -> None:
        if self.known.is_better(size, errors):
            self.known.take(size, errors, self.program(numbers))
            self.tell()

    # -- programs that are good -----------------------------------------------------------------------------

    def look_around(self) -> bool:
        """A dive for each size that is open, for the fewest errors."""
        return all(self.look_at(size, 1, outweighing(self.known.most)) for size in self.known.open_sizes())

    def look_along_edges(self) -> bool:
        """A dive for each size that is open, where a literal weighs what one is worth between the points around it.

        A rule that saves the most errors may take too much of the room for that.
        """
        return all(
            self.look_at(size, errors - fewer, larger - smaller)
            for (smaller, errors), (larger, fewer) in edges(self.known.errors)
            for size in range(smaller, larger)
            if not self.known.is_proven(size)
        )

    def look_at(self, size: int, size_weight: int, error_weight: int) -> bool:
        """A dive for a size; False when it is to stop."""
        if self.should_stop():
            return False
        gains = error_weight * (self.pool.pos - self.pool.neg) - size_weight * self.pool.sizes
        fitting = np.flatnonzero(self.pool.sizes <= size)
        order = np.argsort(-gains[fitting], kind="stable")[:DIVE_RULES]
        some = self.pool.select(np.sort(fitting[order]))
        if len(some):
            weights = (self.examples.pos - self.examples.neg) * error_weight
            saved, chosen = dive(
                some.bits,
                some.sizes * size_weight,
                weights,
                STARTS,
                most_rules=self.most_rules,
                most_size=size * size_weight,
            )
            used = int(some.sizes[chosen].sum())
            errors = self.known.nothing - (saved + size_weight * used) // error_weight
            self.take(used, errors, sorted(some.numbers[chosen].tolist()))
        return True

    @property
    def most_rules(self) -> int | None:
        return self.search.task.bias.most.rules

    # -- what is proven -------------------------------------------------------------------------------------

    def settle_single(self) -> None:
        """The sizes in which no two rules fit, since none is smaller than the smallest: one rule is the best there."""
        gains = self.pool.pos - self.pool.neg
        smallest = int(self.pool.sizes.min())
        for size in range(smallest, min(2 * smallest - 1, self.known.most) + 1):
            fitting = np.flatnonzero(self.pool.sizes <= size)
            best = fitting[np.argmax(gains[fitting])]
            self.take(int(self.pool.sizes[best]), self.known.nothing - int(gains[best]), [int(self.pool.numbers[best])])
            self.known.raise_at_least(size, self.known.errors[size])

    def bound_all(self) -> bool:
        """What values say of each size, with more effort each time."""
        self.through = Through(self.problem, self.most_rules, self.memory)
        return all(self.bound(steps, looks) for steps, looks in ROUNDS)

    def bound(self, steps: int, looks: int) -> bool:
        """Values along each edge of the hull of what is known, and what they say of each size.

        The shares are used at once, and then only those of the last edge are kept: they can be large.
        """
        last: Values | None = None
        for (size, errors), (larger, fewer) in edges(self.points()):
            sizes = range(size, min(larger, self.known.most) + 1)
            if all(map(self.known.is_proven, sizes)):
                continue
            if self.should_stop():
                return False
            # Under these weights, both ends cost the same.
            size_weight, error_weight = errors - fewer, larger - size
            goal = size_weight * size + error_weight * errors
            more = steps if last is not None else FIRST * steps
            found = make_values(
                self.problem, size_weight, error_weight, goal, more, self.memory, self.should_stop, last
            )
            if found is None:
                continue
            self.values.append(found.without_shares())
            self.known.raise_by_cost(size_weight, error_weight, found.cost)
            if not self.go_through(found, sizes, looks):
                return False
            last = found
        return True

    def points(self) -> list[int]:
        """The errors known for each size. If the last one is open, the next size has one error less: then an edge leads
        beyond it, just below all that a program with fewer errors may cost."""
        errors = self.known.errors
        return errors if self.known.is_proven(self.known.most) else [*errors, errors[-1] - 1]

    def go_through(self, values: Values, sizes: range, looks: int) -> bool:
        """All programs of some sizes that the values allow; False when it was stopped.

        The largest first: where no program of a size has fewer errors than known, none of the smaller ones has, and
        those with as many errors are done. Sizes for which there are too many programs stay open.
        """
        cut = 0
        for size in reversed(sizes):
            if self.known.is_proven(size):
                continue
            errors = self.known.errors[size] - 1
            rules, finished = self.allowed(size, errors), True
            if len(rules):
                chosen, finished = self.through.fewest(values, rules, size, errors, looks, self.should_stop)
                if chosen is not None:
                    found, used = self.problem.combination(chosen), int(self.problem.sizes[chosen].sum())
                    self.take(used, found.cost - used, found.rules)
            if finished:
                self.known.raise_at_least(size, self.known.errors[size])
            cut += not finished
            if self.should_stop():
                return False
            if cut == CUT:
                break
        return True

    def allowed(self, size: int, errors: int) -> NDArray[np.int64]:
        """The rules that a program may have with at most so many literals and errors."""
        allowed = self.pool.sizes <= size
        for values in self.values:
            allowed &= values.allowed(size, errors)
        return np.flatnonzero(allowed)

    def choose(self) -> bool:
        """The exact choice for each size that is open, small ones first: a larger one needs to know them."""
        for size in range(self.known.most + 1):
            if not self.known.is_proven(size) and not self.close(size):
                return False
            self.tell()
        return True

    def close(self, size: int) -> bool:
        """Finds the fewest errors of programs up to a size, where those of all smaller sizes are known."""
        known, target = self.known, self.known.errors[size] - 1
        pool = self.pool.select(self.allowed(size, target))
        if len(pool):
            size_weight, error_weight = known.steepest(size)
            combiner = self.combiner(pool, size, size_weight, error_weight)
            choice = combiner.best(size_weight * size + error_weight * target + 1, self.should_stop)
            if choice.best is not None:
                # Of whatever costs that little, the size is this one.
                errors = (choice.best.cost - size_weight * size) // error_weight
                self.take(size, errors, choice.best.rules)
            if not choice.proven:
                known.raise_at_least(size, -((size_weight * size - choice.lower_bound) // error_weight))
                return False
        known.raise_at_least(size, known.errors[size])
        return True

    def combiner(self, pool: Pool, size: int, size_weight: int, error_weight: int) -> Combiner:
        weight = error_weight
        weighed = dataclasses.replace(self.examples, pos=self.examples.pos * weight, neg=self.examples.neg * weight)
        combiner = Combiner(weighed, size_weight, most=Most(self.most_rules, size), memory=self.memory)
        combiner.add(dataclasses.replace(pool, pos=pool.pos * weight, neg=pool.neg * weight))
        return combiner


def outweighing(most: int) -> int:
    """What an error weighs if it is to outweigh a program of so many literals."""
    return most + 1


def edges(errors: list[int]) -> list[Edge]:
    """The lower hull of what is known, from point to point."""
    hull: list[Point] = []
    for size, fewest in enumerate(errors):
        if hull and fewest >= hull[-1][1]:
            continue
        while len(hull) > 1 and not turns(hull[-2], hull[-1], (size, fewest)):
            hull.pop()
        hull.append((size, fewest))
    return list(itertools.pairwise(hull))


def turns(one: Point, other: Point, last: Point) -> bool:
    """Whether the way over a point lies below the straight one."""
    return (other[1] - one[1]) * (last[0] - one[0]) < (last[1] - one[1]) * (other[0] - one[0])
