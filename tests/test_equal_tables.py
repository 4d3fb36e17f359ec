"""Features count as equal when their tables are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.result import OPTIMAL, Result
from maxsynth.search.loop import Search, Settings
from maxsynth.task import Task

MakeTask = Callable[..., Path]
MEMORY = (None, 1)  # tables in one piece, and key by key


def learn(folder: Path, settings: Settings) -> Result:
    return Search(Task.from_folder(folder, prolog="builtin"), settings).run()


@pytest.mark.parametrize("memory", MEMORY)
def test_tables_of_which_not_all_was_asked_for(make_task: MakeTask, memory: int | None) -> None:
    """Each thing has two pairs. The first is even and low, so the second, which matters, was not asked about.

    That is enough to know what is covered, and was taken for the whole table. There are too many pairs of numbers to
    ask for all beforehand.
    """
    bias = (
        "head_pred(f,1).\nbody_pred(pair,3).\nbody_pred(even,2).\nbody_pred(low,2).\nbody_pred(marked,2).\n"
        "type(f,(thing,)).\ntype(pair,(thing,int,int)).\ntype(even,(int,int)).\ntype(low,(int,int)).\n"
        "type(marked,(int,int)).\ndirection(f,(in,)).\ndirection(pair,(in,out,out)).\ndirection(even,(in,in)).\n"
        "direction(low,(in,in)).\ndirection(marked,(in,in)).\nmax_vars(3).\nmax_body(3).\n"
    )
    rules = "even(X,Y) :- 0 is (X + Y) mod 2.\nlow(X,Y) :- X < Y.\n"
    pairs, marked, examples = [], [], []
    for i in range(0, 600, 10):
        pairs += [f"pair(p{i},{i},{i + 2}).", f"pair(p{i},{i + 1},{i + 4})."]
        pairs += [f"pair(n{i},{i + 5},{i + 7}).", f"pair(n{i},{i + 9},{i + 6})."]
        marked += [f"marked({i + 1},{i + 4}).", f"marked({i + 9},{i + 6})."]
        examples += [f"pos(f(p{i})).", f"neg(f(n{i}))."]
    folder = make_task(bias, rules + "\n".join([*pairs, *marked]) + "\n", "\n".join(examples) + "\n")
    result = learn(folder, Settings(memory=memory))
    assert (result.status, result.cost) == (OPTIMAL, 4)
    assert str(result.program) == "f(A) :- pair(A,B,C), low(B,C), marked(B,C)."
