"""The best numbers for a program that calls itself, on its ground instances, against all numbers there are."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from maxsynth.bias.parsing import parse_bias
from maxsynth.kernel.proofs import GroundProgram
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

INF = float("inf")
Instance = tuple[int, list[int], list[float]]  # its goal, the goals that it calls, a value for each test


class Ground:
    """A small ground program at random: goals, instances, examples."""

    def __init__(self, rng: random.Random) -> None:
        self.goals, self.tests = rng.randint(1, 6), rng.randint(1, 3)
        values = [float(value) for value in range(rng.randint(1, 4))]
        # Each test is in one rule: the instances of the other have no value for it.
        of_rule = [rng.randrange(2) for _ in range(self.tests)]
        self.instances: list[Instance] = []
        for _ in range(rng.randint(1, 10)):
            rule = rng.randrange(2)
            calls = [rng.randrange(self.goals) for _ in range(rng.randint(1, 2) if rule else 0)]
            own = [rng.choice(values) if of_rule[test] == rule else INF for test in range(self.tests)]
            self.instances.append((rng.randrange(self.goals), calls, own))
        self.examples = [rng.randrange(self.goals) for _ in range(rng.randint(1, 6))]
        self.pos = [rng.randint(0, 3) for _ in self.examples]
        self.neg = [rng.randint(0, 3) for _ in self.examples]
        self.bounds = [
            (rng.choice([-INF, 0.5, 1.0]), rng.choice([INF, 1.5, 2.0])) if rng.random() < 0.3 else (-INF, INF)
            for _ in range(self.tests)
        ]

    def kernel(self) -> GroundProgram:
        calls = [called for _, called, _ in self.instances]
        return GroundProgram(
            self.goals,
            np.array([goal for goal, _, _ in self.instances], np.int32),
            np.cumsum([0, *map(len, calls)]).astype(np.int32),
            np.array([goal for called in calls for goal in called], np.int32),
            np.array([[values[test] for _, _, values in self.instances] for test in range(self.tests)]),
            np.array([least for least, _ in self.bounds]),
            np.array([greatest for _, greatest in self.bounds]),
            np.array(self.examples, np.int32),
            np.array(self.pos, np.int64),
            np.array(self.neg, np.int64),
        )

    def covered(self, cuts: tuple[float, ...]) -> list[bool]:
        passing = [one for one in self.instances if all(map(passes, one[2], cuts, self.has(one)))]
        derived: set[int] = set()
        while more := {goal for goal, calls, _ in passing if set(calls) <= derived} - derived:
            derived |= more
        return [goal in derived for goal in self.examples]

    def has(self, instance: Instance) -> list[bool]:
        """Whether the rule of an instance has each test."""
        return [value < INF for value in instance[2]]

    def errors(self, cuts: tuple[float, ...]) -> int:
        covered = self.covered(cuts)
        return sum(neg if yes else pos for yes, pos, neg in zip(covered, self.pos, self.neg, strict=True))

    def all_cuts(self, *, with_none: bool = False) -> list[tuple[float, ...]]:
        """Numbers at and between all values that some instance passes; or with a test that none does."""
        several = []
        for test, (least, greatest) in enumerate(self.bounds):
            values = sorted({one[2][test] for one in self.instances} - {INF})
            numbers = {-1.0, *values, *(value - 0.25 for value in values), least, greatest}
            most = max(values, default=-INF)
            several.append([number for number in numbers if least <= number <= greatest and -INF < number <= most])
        if with_none:
            return [cuts for cuts in product(*([*numbers, INF] for numbers in several)) if INF in cuts]
        return list(product(*several))


def passes(value: float, cut: float, has: bool) -> bool:
    return not has or value >= cut


@pytest.mark.slow
def test_best_numbers(effort: Callable[[int, int], int]) -> None:
    better = 0
    for seed in range(effort(600, 50_000)):
        ground = Ground(random.Random(seed))
        kernel = ground.kernel()
        nothing = sum(ground.pos)
        least = min(map(ground.errors, ground.all_cuts()), default=nothing)
        # With a number that nothing passes, the rule does nothing: without it, the program is smaller.
        smaller = min(map(ground.errors, ground.all_cuts(with_none=True)), default=nothing)
        cuts = kernel.best_cuts_below(nothing)
        if cuts is None:
            assert least >= min(nothing, smaller), seed
            continue
        better += 1
        assert min(ground.errors(tuple(cuts)), smaller) == min(least, smaller), seed
        assert ground.errors(tuple(cuts)) < nothing, seed
        assert kernel.covered(cuts) == ground.covered(tuple(cuts)), seed
        for test in range(ground.tests):
            outside, inside = kernel.gap(test, cuts)
            for number in (inside, *(() if outside is None else ((outside + inside) / 2,))):
                changed = (*cuts[:test], number, *cuts[test + 1 :])
                assert ground.covered(changed) == ground.covered(tuple(cuts)), seed
    assert better > effort(60, 6_000)


LISTS = """head_pred(f,1). type(f,(list,)). direction(f,(in,)).
body_pred(head,2). type(head,(list,element)). direction(head,(in,out)).
body_pred(tail,2). type(tail,(list,list)). direction(tail,(in,out)).
max_vars(3). max_body(3). enable_recursion. numbers(element).
"""
BK = "head([H|_],H).\ntail([_|T],T).\n"


def of_lists(labelled: Callable[[list[int]], bool]) -> ReadTask:
    rng = random.Random(3)
    lists = [[rng.randint(0, 20) for _ in range(rng.randint(1, 8))] for _ in range(60)]
    exs = "".join(f"{'pos' if labelled(some) else 'neg'}(f({some})).\n" for some in lists)
    return ReadTask.from_texts("lists", parse_bias(LISTS, "bias.pl"), (BK, "bk.pl"), (exs, "exs.pl"))


def test_a_number_between_in_a_list() -> None:
    """Some element is from 4 to 6: that takes two numbers and recursion."""
    result = Search(of_lists(lambda some: any(4 <= one <= 6 for one in some)), Settings()).run()
    assert (result.status, result.cost) == ("optimal", 7)
    assert str(result.program) == "f(A) :- head(A,B), B >= 4, B =< 6.\nf(A) :- tail(A,B), f(B)."


def test_steps_decide() -> None:
    rng = random.Random(5)
    task = of_lists(lambda _: rng.random() < 0.5)
    for steps in (1, 30, 300):
        one, other = (Search(task, Settings(steps=steps)).run() for _ in range(2))
        assert (one.cost, str(one.program)) == (other.cost, str(other.program))
