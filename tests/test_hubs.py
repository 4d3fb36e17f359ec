"""What is said of a bias without directions, where values lead to many others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.checks.hubs import direction_hint, find_hubs
from maxsynth.cli import main
from maxsynth.task.task import ReadTask

Make = Callable[..., Path]

BK = "".join(f"kind(a{i},k{i % 3}). next(a{i},a{i + 1}).\n" for i in range(60))
EXS = "".join(f"{'pos' if i % 3 else 'neg'}(f(a{i})).\n" for i in range(60))
BIAS = "head_pred(f,1). body_pred(kind,2). body_pred(next,2).\n"


def test_a_hub_is_found(make_task: Make) -> None:
    task = ReadTask.from_folder(make_task(BIAS, BK, EXS))
    (hub,) = find_hubs(task)
    assert (str(hub.predicate), hub.argument, hub.rows) == ("kind/2", 1, 20.0)
    hint = direction_hint(task)
    assert hint is not None
    assert "kind/2 (20 for a value of argument 2)" in hint
    assert "direction(f,(in,)). direction(kind,(in,out))." in hint


def test_with_directions_nothing_is_said(make_task: Make) -> None:
    task = ReadTask.from_folder(
        make_task(BIAS + "direction(f,(in,)). direction(kind,(in,out)). direction(next,(in,out)).\n", BK, EXS)
    )
    assert direction_hint(task) is None


def test_check_says_it(make_task: Make, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(make_task(BIAS, BK, EXS))]) == 0
    assert "hint: the bias has no directions" in capsys.readouterr().out


def test_a_run_that_is_cut_says_it(make_task: Make, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_task(BIAS + "max_vars(8). max_body(8).\n", BK, EXS)
    main(["learn", str(folder), "--steps", "1"])
    assert "hint: the bias has no directions" in capsys.readouterr().err
    main(["learn", str(folder), "--steps", "1", "--quiet"])
    assert "hint" not in capsys.readouterr().err
