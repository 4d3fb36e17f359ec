"""Learning again with other labels: always what a fresh run proves, with whatever is known from before."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxsynth
from maxsynth.errors import MaxSynthError
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.again.again import Knowledge, Labelling, learn_again
from maxsynth.search.again.ask import collect
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.labels import Labels
from maxsynth.task.task import ReadTask
from oracle.brute_force import _Atoms, _coverages, all_rules, optimum
from oracle.calling import best_program
from oracle.calling_tasks import random_calling_task
from oracle.fronts import smallest_unions
from oracle.learned_rules import answer
from oracle.learned_tasks import random_learned_task
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask
from test_labels import KINSHIP, decided, suspects

Least = Callable[[SmallTask], int | None]


def check(task: SmallTask, folder: Path, seed: int, least: Least) -> None:
    """Some rounds of decisions, each against brute force, with a pool for all labels or without."""
    rng = random.Random(-seed)
    task.write(folder)
    read = ReadTask.from_folder(folder, prolog="builtin")
    weights = Weights(*task.weights)
    knowledge = Knowledge(read, weights)
    prepared = rng.random() < 0.6
    before: list[tuple[SmallTask, Labels]] = [(task, Labels(()))]
    for number in range(4):
        made = (task, Labels(())) if not number else rng.choice(before) if rng.random() < 0.2 else decided(task, rng)
        if made is None:
            continue
        before.append(made)
        by_hand, labels = made
        now = labels.apply(read)
        if number and prepared:
            knowledge.prepare(Search(read, Settings(weights, jobs=1)))

        def search(now: ReadTask = now) -> Search:
            return Search(now, Settings(weights, jobs=1))

        result = learn_again(now, knowledge, search)
        told = f"seed {seed}, round {number}\n{task.describe()}\n{labels.text()}"
        assert result.status == OPTIMAL, told
        assert result.cost == result.lower_bound == least(by_hand), told
        check_result(result, now, weights)


def check_result(result: SearchResult, task: ReadTask, weights: Weights) -> None:
    assert result.program is not None
    judged = replace(evaluate_program(result.program, task), weights=weights)
    assert judged.cost == result.cost
    assert judged.confusion == result.confusion
    assert judged.size == result.size


def test_always_what_a_fresh_run_proves(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(90_000, 90_000 + effort(120, 2000)):
        task = replace(random_task(random.Random(seed)), exact=False)
        check(task, tmp_path, seed, lambda task: optimum(task)[0])


def test_the_same_with_constants_and_numbers(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(95_000, 95_000 + effort(40, 600)):
        task = replace(random_learned_task(random.Random(seed)), exact=False)
        check(task, tmp_path, seed, lambda task: answer(task)[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("invention", [False, True])
def test_the_same_with_programs_that_call_themselves(
    tmp_path: Path, effort: Callable[[int, int], int], invention: bool
) -> None:
    for seed in range(97_000, 97_000 + effort(8, 100)):
        task = random_calling_task(random.Random(seed), invention=invention, most_programs=300)
        check(replace(task, exact=False), tmp_path, seed, lambda task: best_program(task)[0])


def test_by_how_much_a_cost_changes_at_least(effort: Callable[[int, int], int]) -> None:
    """For whatever a program covers."""
    for seed in range(effort(300, 10_000)):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(1, 8))
        one, other = (Labelling(*rng.integers(0, 4, (2, count))) for _ in range(2))
        changes = [
            other.errors(covered) - one.errors(covered)
            for bits in range(1 << count)
            for covered in [np.array([bits >> place & 1 for place in range(count)], np.bool_)]
        ]
        assert min(changes) == one.least_change(other)


# -- from Python ----------------------------------------------------------------------------------------------


def test_decisions_that_agree_need_no_search(tmp_path: Path) -> None:
    found = suspects(tmp_path)
    with maxsynth.Session(maxsynth.Task.from_folder(KINSHIP)) as session:
        first = session.learn()
        assert (first.status, first.cost) == (OPTIMAL, 8)
        again = session.learn(dict.fromkeys(found[:3], "flip"))
        assert (again.status, again.cost, str(again.program)) == (OPTIMAL, 5, str(first.program))
        assert again._run.counts["steps"] == 0
        assert session.learn().cost == 8
        assert session.prepare()
        other = {"grandparent(nobody,ann)": "flip"}
        with pytest.raises(MaxSynthError, match="is no example of this task"):
            session.learn(other)


def test_others_are_chosen_from_what_is_known() -> None:
    task = maxsynth.Task.from_folder(KINSHIP)
    read = ReadTask.from_folder(KINSHIP)
    right = [read.example_text(row) for row in read.positives.rows][:6]
    labels = dict.fromkeys(right, "flip")
    with maxsynth.Session(task) as session:
        session.learn()
        assert session.prepare()
        again = session.learn(labels)
        assert again.status == OPTIMAL
        assert again.cost == maxsynth.learn(task, labels=labels).cost


def test_a_limit_ends_it_with_what_is_known() -> None:
    with maxsynth.Session(maxsynth.Task.from_folder(KINSHIP)) as session:
        cut = session.learn(steps=1)
        assert cut.status == "out-of-steps"
        assert cut.lower_bound <= 8 <= (cut.cost or 8)
        assert session.learn().cost == 8


# -- asking ---------------------------------------------------------------------------------------------------


def test_a_flip_finds_the_best_that_disagrees(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """For each example that the best program has right: if another treats it otherwise for less than twice its weight
    more, the cheapest such program is known then."""
    for seed in range(110_000, 110_000 + effort(60, 1000)):
        task = replace(random_task(random.Random(seed)), exact=False, weights=(1, 1, 1))
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        knowledge = Knowledge(read, Weights())
        learn_again(read, knowledge, lambda read=read: Search(read, Settings(jobs=1)))  # type: ignore[misc]
        assert knowledge.prepare(Search(read, Settings(jobs=1)))
        labelling = knowledge.labelling(read)
        least, best = knowledge.best(labelling)
        collect(knowledge, labelling, 1000, lambda: False)
        for place in range(len(knowledge.rows)):
            missed, covered = int(labelling.missed[place]), int(labelling.covered[place])
            if missed == covered or (missed > covered) != best.covered[place]:
                continue
            true = cheapest(task, place, not best.covered[place])
            known = [
                knowledge.cost(one, labelling)
                for one in knowledge.programs
                if one.covered[place] != best.covered[place]
            ]
            if true < least + 2 * abs(missed - covered):
                assert min(known) == true, f"seed {seed}, example {place}\n{task.describe()}"


def cheapest(task: SmallTask, place: int, wanted: bool) -> int:
    """What the best program costs that covers an example, or does not."""
    atoms = _Atoms(task)
    rules = [(bits, rule.size) for bits, rule in _coverages(task, atoms, all_rules(task)).items()]
    return min(
        (
            size + atoms.false_positives(bits) + atoms.false_negatives(bits)
            for bits, size in smallest_unions(rules, 10**6)
            if bool(bits >> place & 1) == wanted
        ),
        default=10**6,
    )


def test_questions_from_python() -> None:
    task = maxsynth.Task(
        examples={"pos": [("f", name) for name in "abcdef"], "neg": [("f", name) for name in "uvwxyz"]},
        background={"p": [*"abcdefm"], "q": [*"abcdefn"]},
        bias={"max_vars": 1, "max_body": 1},
    )
    with maxsynth.Session(task) as session:
        session.learn()
        assert session.ask() == []  # p and q are the same for all that has a label
    with maxsynth.Session(task, atoms=["f(m)", "f(n)", "f(a)"]) as session:
        asked = session.ask()
        assert [(question.example, question.doubt, question.label) for question in asked] == [
            ("f(m)", 1.0, None),
            ("f(n)", 1.0, None),
        ]
    with pytest.raises(MaxSynthError, match="is not of f/1"):
        maxsynth.Session(task, atoms=["g(a)"])
