"""What the kernel does past its limits: the same as below them, in parts or by a slower way.

No task of a test is large enough to meet the limits as they are. So they are made small here, and nothing may change.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from maxsynth.bias import Predicate
from maxsynth.cli import main
from maxsynth.evaluate import STEPS, Evaluator
from maxsynth.kernel import batch
from maxsynth.logic import parse_program
from maxsynth.prolog.terms import Atom
from maxsynth.task import Task
from test_least_model import background_of, least_model, random_program, random_world

Capture = pytest.CaptureFixture[str]
Make = Callable[..., Path]


@contextmanager
def limited(module: ModuleType, **limits: int) -> Iterator[None]:
    """Sets limits of a module of the kernel for a while."""
    before = {name: module.set_limit(name, value) for name, value in limits.items()}
    try:
        yield
    finally:
        for name, value in before.items():
            module.set_limit(name, value)


# -- proofs -------------------------------------------------------------------------------------------------


def test_joins_in_parts_of_any_size(effort: Callable[[int, int], int]) -> None:
    """With budgets that never end a proof, the least model comes out all the same."""
    for seed in range(effort(500, 20_000)):
        rng = random.Random(seed)
        constants, facts = random_world(rng)
        target = Predicate("f", rng.randint(1, 3))
        program = random_program(rng, facts, target)
        background = background_of(facts)
        rows = list(itertools.product(constants, repeat=target.arity))
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        model = least_model(program, facts).get(target, set())
        expected = [row in model for row in rows]
        for most in (1, 2, rng.randint(3, 20)):
            with limited(batch, rows=most, scanned=rng.randint(0, 3)):
                covered = np.zeros(len(ids), np.uint8)
                finished, _ = Evaluator(background, target).compile(program).batch.cover(ids, covered, 10**9)
            assert finished
            assert covered.astype(bool).tolist() == expected, f"seed {seed}, {most} rows:\n{program}\n{facts}"


def test_without_room_nothing_wrong_is_proven(effort: Callable[[int, int], int]) -> None:
    """What does not fit is left to proofs one by one, which find the rest."""
    ended = 0
    for seed in range(effort(300, 10_000)):
        rng = random.Random(seed)
        constants, facts = random_world(rng)
        target = Predicate("f", rng.randint(1, 2))
        program = random_program(rng, facts, target)
        background = background_of(facts)
        rows = list(itertools.product(constants, repeat=target.arity))
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        model = least_model(program, facts).get(target, set())
        expected = [row in model for row in rows]
        prover = Evaluator(background, target).compile(program)
        with limited(batch, cells=rng.randint(0, 200)):
            covered = np.zeros(len(ids), np.uint8)
            finished, _ = prover.batch.cover(ids, covered, 10**9)
            ended += not finished
            assert not [row for row, found, true in zip(rows, covered, expected, strict=True) if found and not true]
            assert not finished or covered.astype(bool).tolist() == expected
            assert prover.cover(ids, STEPS)[0].tolist() == expected
    assert ended


def large_join(make_task: Make) -> Path:
    """300,000 pairs of rows agree in C for each b and all a together, if not for the first 50 of them."""
    bk = [f"p(b{b},x{i},c{i % 20}).\n" for b in range(3) for i in range(400)]
    bk += [f"q(a{a},y{i},c{i % 20 if a < 25 else 20 + i % 20},z{i}).\n" for a in range(50) for i in range(400)]
    exs = [f"{'pos' if a < 25 else 'neg'}(f(a{a},b{b})).\n" for a in range(50) for b in range(3)]
    bias = "head_pred(f,2). body_pred(p,3). body_pred(q,4). max_vars(6). max_body(2).\n"
    return make_task(bias, "".join(bk), "".join(exs))


def test_a_join_that_does_not_fit(make_task: Make, tmp_path: Path, capsys: Capture) -> None:
    folder = large_join(make_task)
    (tmp_path / "program.pl").write_text("f(A,B) :- p(B,_,C), q(A,_,C,_).\n")
    assert main(["evaluate", str(tmp_path / "program.pl"), str(folder)]) == 0
    said = capsys.readouterr().out
    assert "accuracy           1.0000" in said
    assert main(["learn", str(folder)]) == 0
    said = capsys.readouterr()
    assert "optimal: cost 3 = size 3 and 0 false positives, 0 false negatives" in said.err


def test_a_hub_in_the_test_of_a_recursive_program(make_task: Make) -> None:
    """Everything is a neighbour of everything: in parts, the test ends as if there were room for all."""
    bk = "".join(f"e(a{i},hub).\n" for i in range(300)) + "s(a7).\n"
    exs = "".join(f"pos(f(a{i})).\n" for i in range(300)) + "neg(f(hub)).\n"
    task = Task.from_folder(make_task("head_pred(f,1). body_pred(e,2). body_pred(s,1). enable_recursion.\n", bk, exs))
    program = parse_program("f(A) :- s(A).\nf(A) :- e(A,B), e(C,B), f(C).")
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    evaluator = Evaluator(task.background, task.bias.head)
    whole = evaluator.quick_coverage(program, rows, 50_000)
    for most in (1, 100, 1000, 40_000):
        with limited(batch, rows=most):
            found = evaluator.quick_coverage(program, rows, 50_000)
        assert found.covered.tolist() == whole.covered.tolist() == [True] * 300 + [False]
        assert not found.unfinished.any()
    with limited(batch, cells=1000):
        found = evaluator.quick_coverage(program, rows, 50_000)
    assert not found.covered[-1]
    assert (found.covered | found.unfinished)[:-1].all()
