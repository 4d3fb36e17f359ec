"""Tasks in the larger space without directions: everyone who asks BK has to know."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from maxsynth.cli import main
from maxsynth.task.task import ReadTask
from maxsynth.task.undirected import without_directions

CHAIN = [f"c{number}" for number in range(13)]
BIAS = (
    "head_pred(f,1).\nbody_pred(next,2).\nbody_pred(zero,1).\nmax_vars(3).\nmax_body(3).\nenable_recursion.\n"
    "direction(f,(in,)).\ndirection(next,(in,out)).\ndirection(zero,(out,)).\n"
)
BK = "zero(c0).\n" + "".join(f"next({one},{other}).\n" for one, other in pairwise(CHAIN))
EXS = "".join(f"{'neg' if number % 2 else 'pos'}(f({c})).\n" for number, c in enumerate(CHAIN))


@pytest.fixture
def backwards(make_task: Callable[..., Path]) -> Path:
    """Even numbers, which only a recursion against the declared direction of `next` can tell."""
    return make_task(BIAS, BK, EXS)


def test_a_recursive_program_against_the_directions(
    backwards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = tmp_path / "result.json"
    options = ["--ignore-directions", "--quiet", "--json", str(result)]
    assert main(["learn", str(backwards), *options]) == 0
    assert capsys.readouterr().out.splitlines() == ["f(A) :- zero(A).", "f(A) :- next(B,A), next(C,B), f(C)."]
    assert main(["verify", str(result)]) == 0


def test_weights_are_chosen_where_the_larger_space_has_recursive_programs(
    backwards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(backwards), "--weights", "auto", "--steps", "3000"]) == 0
    assert "without directions" in capsys.readouterr().err


def test_a_task_never_changes(backwards: Path) -> None:
    task = ReadTask.from_folder(backwards)
    other = without_directions(task)
    assert (task.bias.directions == task.background.directions) is True
    assert (other.bias.directions, other.background.directions) == ({}, {})
    assert task.bias.directions
    with pytest.raises(dataclasses.FrozenInstanceError):
        task.bias = other.bias  # type: ignore[misc]
