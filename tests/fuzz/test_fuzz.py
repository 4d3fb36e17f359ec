"""Whatever is given, a command ends in time, with a documented status, and says in one line what is wrong.

A failure names a folder with the files of the input. `python -m fuzz.test_fuzz NAME ...` in the folder of the tests
runs mutated inputs (by their numbers) or hostile ones (by their names) again.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator

import pytest

from .hostile import corpus
from .mutate import random_input
from .runner import Runner, check, problems, running
from .seeds import SEEDS, with_results

AS_PROCESSES = 20  # every so many inputs one runs as a process of its own

# What failed once, and is run every time.
FAILED_ONCE = (
    "bias grounding: twelve literals joined",
    "bias statement: a long body",
    "bias statement: a long list of conditions",
    "bias statement: constants of each other",
    "bias: very many invented rules",
    "bias: many rules with a constraint",
    "bias, asp: many rules",
    "bias, with recursion: six literals joined",
    "bk, listed: an answer without end",
    "bk, listed: a term that doubles, as an answer",
    "bk: dynamic of what is none",
    "bk: a number as a head",
    "result, rules: constants that are variables",
    "result, explained: constants that are variables",
    "result, rules: very many literals",
    "result, rules: very many rules",
    "result, rules: many that call each other",
    "options: auto with --steps 310 digits",
    "options: --weights 5000 digits",
    "options: --timeout 1\n2",
    "options: --example 'g(a)'",
    "options: --example 'f(a'",
    "program, explained: an open head that is called",
    "program, explained: 65 literals",
)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with running() as started:
        yield started


def test_good_inputs_are_good(runner: Runner) -> None:
    results = with_results(runner)
    assert set(results) == {seed.name for seed in SEEDS}


def test_mutated_inputs(runner: Runner, effort: Callable[[int, int], int]) -> None:
    results = with_results(runner)
    failed = []
    for number in range(effort(200, 5000)):
        failed += check(runner, random_input(number, results), process=number % AS_PROCESSES == 7)
    assert not failed, "\n\n".join(failed)


def test_hostile_inputs(runner: Runner, effort: Callable[[int, int], int]) -> None:
    every = corpus()
    assert len(every) >= 631
    assert len({one.name for one in every}) == len(every)
    count = effort(60, len(every))
    chosen = every if count >= len(every) else random.Random(1).sample(every, count)
    failed = [line for one in chosen for line in check(runner, one)]
    assert not failed, "\n\n".join(failed)


def test_inputs_that_failed_once(runner: Runner) -> None:
    every = {one.name: one for one in corpus()}
    failed = [line for name in FAILED_ONCE for line in check(runner, every[name])]
    assert not failed, "\n\n".join(failed)


if __name__ == "__main__":
    with running() as again:
        known, made = {one.name: one for one in corpus()}, with_results(again)
        for name in sys.argv[1:]:
            one = random_input(int(name), made) if name.isdecimal() else known[name]
            outcome = again.run(one)
            print(name, problems(one, outcome), outcome.status, f"{outcome.seconds:.2f} s\n{outcome.out}{outcome.err}")
