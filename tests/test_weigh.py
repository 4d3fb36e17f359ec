"""How much speaks against a label: what brute force says of the programs that agree with it."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxsynth
from maxsynth.demos import trains
from maxsynth.demos.generated import flip_labels
from maxsynth.explanation.explain import Explainer
from maxsynth.explanation.suspects import DOUBTED, all_examples, find_suspects
from maxsynth.proofs.metrics import Weights
from maxsynth.search.again.weigh import weigh
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from oracle.brute_force import optimum
from oracle.random_tasks import random_task
from oracle.small_task import Example, SmallTask
from test_labels import KINSHIP

HEAVY = 1000  # more than any program of a small task costs


def test_how_much_more_a_program_costs_that_agrees(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    weighed = set()
    for seed in range(60_000, 60_000 + effort(25, 1500)):
        task = replace(random_task(random.Random(seed)), exact=False)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        weights, most = Weights(*task.weights), random.Random(-seed).randint(1, 4)
        result = Search(read, Settings(weights, jobs=1)).run()
        assert result.program is not None
        assert result.cost is not None

        def search(heavier: ReadTask, weights: Weights = weights) -> Search:
            return Search(heavier, Settings(weights, jobs=1))

        for suspect in find_suspects(list(all_examples(Explainer(result.program, read), read)))[:4]:
            atom, label = suspect.example.explanation.example, suspect.example.label
            side = read.positives if label else read.negatives
            row = next(tuple(row) for row in side.rows.tolist() if read.example_text(np.array(row, np.int32)) == atom)
            found = weigh(read, row, label, result.cost, weights, most, search)
            more = optimum(heavier(task, atom, label))[0] - result.cost
            assert found == (min(more, most), more < most), f"seed {seed}, {atom}\n{task.describe()}"
            weighed.add(found.evidence)
    assert weighed == {0, 1, 2, 3, 4}


def heavier(task: SmallTask, atom: str, label: bool) -> SmallTask:
    """The task in which an error at this example costs more than all others."""
    name = task.head[0]

    def counted(examples: list[Example]) -> list[Example]:
        return [(args, HEAVY if f"{name}({','.join(args)})" == atom else weight) for args, weight in examples]

    if label:
        return replace(task, positives=counted(task.positives))
    return replace(task, negatives=counted(task.negatives))


def test_mistakes_are_doubted_and_exceptions_are_not() -> None:
    """Where a rule for them is hardly worse, examples that the program has wrong may be exceptions."""
    exceptions = [f"f(x{number})" for number in range(2)]
    task = maxsynth.Task(
        {
            "pos": [f"f(a{number})" for number in range(30)] + exceptions,
            "neg": [f"f(b{number})" for number in range(30)],
        },
        {"p": [f"a{number}" for number in range(30)], "q": ["x0", "x1"], "r": [f"b{number}" for number in range(30)]},
        {"max_vars": 1, "max_body": 2},
    )
    with maxsynth.Session(task, jobs=1) as session:
        found = {one.example.explanation.example: one for one in session.suspects({"f(b3)": "flip", "f(a4)": "flip"})}
        assert set(found) == {*exceptions, "f(b3)", "f(a4)"}
        assert [found[atom].evidence for atom in exceptions] == [0, 0]
        assert all(found[atom].doubted and found[atom].evidence == 3 for atom in ("f(b3)", "f(a4)"))
        assert not any(found[atom].doubted for atom in exceptions)
        assert found["f(b3)"].probability == pytest.approx(8 / 9)
        assert set(list(found)[:2]) == {"f(b3)", "f(a4)"}  # these first


def test_flipped_labels_are_doubted() -> None:
    made = trains.WORLD.make(seed=1, noise=0, train=120, test=10)
    given = flip_labels([one.true for one in made.examples], 10, random.Random(1))
    lines = [str(replace(one, given=label)) for one, label in zip(made.examples, given, strict=True)]
    wrong = {one.atom for one, label in zip(made.examples, given, strict=True) if label != one.true}
    with maxsynth.Session(maxsynth.Task("\n".join(lines), made.bk, made.bias), jobs=1) as session:
        found = session.suspects(most=DOUBTED)
    assert {one.example.explanation.example for one in found if one.doubted} == wrong


def test_decisions_that_agree_with_the_program_leave_the_evidence(
    tmp_path: Path, effort: Callable[[int, int], int]
) -> None:
    """After these, as much speaks against each other label, or more."""
    compared = 0
    for seed in range(62_000, 62_000 + effort(80, 1500)):
        rng = random.Random(seed)
        task = replace(random_task(rng), exact=False)
        task.write(tmp_path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session = maxsynth.Session(maxsynth.Task.from_folder(tmp_path), weights=task.weights, jobs=1)
        before = {one.example.explanation.example: one for one in session.suspects()}
        right = {args for args, _ in task.positives} & {args for args, _ in task.negatives}
        names = [atom for atom in before if atom not in {f"{task.head[0]}({','.join(args)})" for args in right}]
        decided = {atom: rng.choice(["flip", "leave out"]) for atom in names if rng.random() < 0.4}
        try:
            after = {one.example.explanation.example: one for one in session.suspects(decided)}
        except maxsynth.MaxSynthError:  # no positive example is left
            continue
        finally:
            session.close()
        for atom in set(names) - set(decided):
            was, now = before[atom].evidence, after[atom].evidence
            assert was is not None
            assert now is not None
            assert now >= was, f"seed {seed}, {atom}, {decided}\n{task.describe()}"
            compared += was > 0
    assert compared > 10


def test_without_time_nothing_is_doubted() -> None:
    with maxsynth.Session(maxsynth.Task.from_folder(KINSHIP), jobs=1) as session:
        session.learn()
        found = session.suspects(timeout=1e-9)
    assert [one.doubted for one in found] == [False] * 5
    assert all("a program that agrees costs 0 more" not in str(one) for one in found)
