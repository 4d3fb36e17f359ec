"""Constants and numbers in rules: the search against brute force over all rules with all constants and all numbers.

The last part is about the tasks: candidates for numbers that are wrong in ways that one could think of change the least
cost of some of them, so that a search with such a mistake would be found out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from maxsynth.cli import main
from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import METHODS, Settings
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import renumbered, violations
from oracle import learned_rules
from oracle.brute_force import _Atoms
from oracle.learned_calling import calling_answer, calling_cost
from oracle.learned_calling_tasks import random_learned_calling_task
from oracle.learned_rules import HOLDS, Coverage, LearnedRule, Row, answer, cost, variables
from oracle.learned_task import LearnedTask, value
from oracle.learned_tasks import random_learned_task

AUTO, FEATURES, ASP = METHODS
PRUNINGS = ("dead", "closed", "equal", "order", "stand_in", "matched", "ties", "partners", "outdone", "prices", "wide")


def learn(task: LearnedTask, folder: Path, method: str = AUTO, **settings: object) -> SearchResult:
    task.write(folder)
    chosen = Settings(Weights(*task.weights), exact=task.exact, method=method, **settings)  # type: ignore[arg-type]
    return Search(ReadTask.from_folder(folder, prolog="builtin"), chosen).run()


def check(
    task: LearnedTask,
    result: SearchResult,
    folder: Path,
    least: int | None,
    cost_of: Callable[[LearnedTask, list[LearnedRule]], int],
    said: str,
) -> None:
    """The cost is the least, the program has it, and the space has the program."""
    said = f"{said}: {result.cost} {result.program}\nthe least is {least}\n{task.describe()}"
    assert (result.status, result.cost) == (OPTIMAL, least), said
    if result.program is not None:
        assert violations(result.program, ReadTask.from_folder(folder, prolog="builtin").bias) == [], said
        assert cost_of(task, read(result.program)) == least, said


def read(program: Program) -> list[LearnedRule]:
    return [read_rule(renumbered(rule)) for rule in program.rules]


def read_rule(rule: Rule) -> LearnedRule:
    return LearnedRule(len(rule.head.args), tuple(read_literal(literal) for literal in rule.body))


def read_literal(literal: Literal) -> learned_rules.Literal:
    args: list[learned_rules.Argument] = []
    for arg in literal.args:
        if isinstance(arg, int):
            args.append(arg)
        elif literal.name in HOLDS:
            args.append(Fraction(arg.text))
        else:  # a float has one text there
            args.append(repr(float(arg.text)) if value(arg.text) is not None and "." in arg.text else arg.text)
    return literal.name, tuple(args)


def least_of(task: LearnedTask, kind: type[Coverage] = Coverage) -> int | None:
    found = answer(task, kind=kind)
    return None if found is None else found[0]


# -- against brute force ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "usual", "large"), [(AUTO, 60, 5000), (FEATURES, 15, 1000), (ASP, 12, 1500)])
def test_the_cost_is_the_least(
    tmp_path: Path, effort: Callable[[int, int], int], method: str, usual: int, large: int
) -> None:
    first = METHODS.index(method) * 1_000_000
    for seed in range(first, first + effort(usual, large)):
        task, least = task_of(seed)
        check(task, learn(task, tmp_path, method), tmp_path, least, cost, f"seed {seed}")


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_no_pruning_changes_the_answer(tmp_path: Path, effort: Callable[[int, int], int], pruning: str) -> None:
    for seed in range(4_000_000, 4_000_000 + effort(5, 500)):
        task = random_learned_task(random.Random(seed))
        check(task, learn(task, tmp_path, without=(pruning,)), tmp_path, least_of(task), cost, f"seed {seed}")


def test_tables_in_blocks_and_rules_in_bk_find_the_same(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(5_000_000, 5_000_000 + effort(15, 1000)):
        rng = random.Random(seed)
        task = random_learned_task(rng)
        # Of what is asked with inputs, only values that are known from elsewhere can be constants.
        if task.directions is None or not (task.constant_types or task.constant_places):
            task.by_rules = frozenset(name for name, _ in task.body if rng.random() < 0.6)
        result = learn(task, tmp_path, tables=rng.choice((1, 200, None)))
        check(task, result, tmp_path, least_of(task), cost, f"seed {seed}")


@pytest.mark.parametrize(("method", "usual", "large"), [(AUTO, 15, 1000), (ASP, 5, 200)])
def test_the_cost_is_the_least_with_recursion(
    tmp_path: Path, effort: Callable[[int, int], int], method: str, usual: int, large: int
) -> None:
    first = METHODS.index(method) * 1_000_000
    for seed in range(first, first + effort(usual, large)):
        task = random_learned_calling_task(random.Random(seed))
        least, _ = calling_answer(task)
        check(task, learn(task, tmp_path, method), tmp_path, least, calling_cost, f"seed {seed}")


def test_results_are_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(6_000_000, 6_000_020):
        task = random_learned_task(random.Random(seed))
        task.write(tmp_path / "task")
        options = ["--weights", ",".join(map(str, task.weights)), *(["--exact"] if task.exact else [])]
        main(["learn", str(tmp_path / "task"), "--quiet", "--json", str(tmp_path / "r.json"), *options])
        capsys.readouterr()
        wrong = main(["verify", str(tmp_path / "r.json")])
        assert not wrong, f"seed {seed}\n{capsys.readouterr().out}\n{task.describe()}"


# -- the oracle ---------------------------------------------------------------------------------------------


def test_the_least_cost_is_that_of_the_program() -> None:
    for seed in range(7_000_000, 7_000_040):
        task = random_learned_task(random.Random(seed))
        found = answer(task)
        if found is not None:
            assert cost(task, found[1]) == found[0], task.describe()


def test_the_tasks_have_all_there_is() -> None:
    tasks = [task_of(seed)[0] for seed in range(150)]
    programs = [found[1] if (found := answer(task)) else () for task in tasks]
    literals = [literal for program in programs for rule in program for literal in rule.body]
    tests = [literal for literal in literals if isinstance(literal[1][-1], Fraction)]
    constants = [literal for literal in literals if any(isinstance(arg, str) for arg in literal[1])]
    assert sum(not program for program in programs) < len(tasks) / 3
    assert sum(len(program) > 1 for program in programs) > 5
    assert {name for name, _ in tests} == {">=", "=<"}
    assert len(tests) > 50
    assert len(constants) > 15
    assert any(name == "+" for name, _ in literals)
    assert any(name in HOLDS and len(variables((name, args))) == 2 for name, args in literals)
    assert any(sum(map(learned_rules.is_test, rule.body)) > 1 for program in programs for rule in program)


# -- mistakes that would be found out -----------------------------------------------------------------------

Choice = Callable[[list[Fraction], list[Fraction]], list[Fraction]]


def with_numbers(choose: Choice) -> type[Coverage]:
    """An oracle that tries fewer numbers.

    `choose` gets all values of a variable in the rows of positive examples, and in those of negative ones, each in the
    order in which a comparison lets them in. The bounds of the bias are tried as well.
    """

    class Fewer(Coverage):
        def numbers_for(self, comparison: str, numbers: list[Fraction], rows: list[Row], v: int) -> list[Fraction]:
            atoms, sides = _Atoms(self.task), []
            for side in (atoms.positives, atoms.negatives):
                known = {value(str(row[v])) for number, row in rows if side >> number & 1} - {None}
                sides.append(sorted(known, reverse=comparison == ">="))
            chosen = {*choose(*sides), *map(Fraction, self.task.bounds.get(comparison, ()))}
            return [number for number in super().numbers_for(comparison, numbers, rows, v) if number in chosen]

    return Fewer


class Strict(Coverage):
    """`X > c` and `X < c`, with c as it should be."""

    def numbers_for(self, comparison: str, numbers: list[Fraction], rows: list[Row], v: int) -> list[Fraction]:
        return [number for number in super().numbers_for(comparison, numbers, rows, v) if number in set(numbers)]

    def passing(self, comparison: str, v: int, number: Fraction, rows: list[Row]) -> list[Row]:
        return [row for row in super().passing(comparison, v, number, rows) if value(str(row[1][v])) != number]


MISTAKES = {
    "the last boundary left out": with_numbers(lambda positives, negatives: positives[:-1]),
    "the first boundary left out": with_numbers(lambda positives, negatives: positives[1:]),
    "one in the middle left out": with_numbers(
        lambda positives, negatives: [*positives[: len(positives) // 2], *positives[len(positives) // 2 + 1 :]]
    ),
    "of negatives, not of positives": with_numbers(lambda positives, negatives: negatives),
    "only the first and the last": with_numbers(lambda positives, negatives: [*positives[:1], *positives[-1:]]),
    "strict comparisons": Strict,
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_tasks_tell_mistakes(mistake: str) -> None:
    """Among as many tasks as every run of these tests looks at."""
    assert sum(is_worse(seed, MISTAKES[mistake]) for seed in range(150)) > 2


def test_the_values_of_positives_suffice(effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(40, 2000)):
        assert not is_worse(seed, with_numbers(lambda positives, negatives: positives)), f"seed {seed}"


def is_worse(seed: int, kind: type[Coverage]) -> bool:
    task, least = task_of(seed)
    return least_of(task, kind) != least


@cache
def task_of(seed: int) -> tuple[LearnedTask, int | None]:
    task = random_learned_task(random.Random(seed))
    return task, least_of(task)
