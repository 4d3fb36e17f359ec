"""The built-in systems on a small task."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.small import write_tasks
from maxsynth.bench.domains.catalogue import make
from maxsynth.bench.limit import Limit
from maxsynth.bench.systems import BUILT_IN
from maxsynth.bench.variants import learn

MEMORY = 4 << 30  # what the process of the tests has by then counts, too
MINUTE = Limit(60)


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_finds_the_rule(name: str, tmp_path: Path) -> None:
    folder = write_tasks(tmp_path, ["t"]) / "t" / "0"
    learned = learn(name, folder, MINUTE, MEMORY)
    assert (learned.status, str(learned.program)) == ("optimal", "f(A) :- p(A), q(A).")
    assert [str(better.program) for better in learned.better][-1] == str(learned.program)
    assert {"cost", "lower_bound", "tested", "steps"} <= set(learned.details)
    assert ("weights_auto" in learned.details) == (name == "auto-weights")


@pytest.mark.parametrize("name", BUILT_IN)
def test_steps_end_each_at_the_same_point(name: str, tmp_path: Path) -> None:
    make("iggp-rps-20", 0, 1, test=20).write(tmp_path / "task")
    one, other = (learn(name, tmp_path / "task", Limit.of_steps(150), MEMORY) for _ in range(2))
    assert one.status == "out-of-steps"
    assert one.details["steps"] == 150
    choice = one.details.pop("weights_auto", None), other.details.pop("weights_auto", None)
    assert (choice == (None, None)) == (name != "auto-weights")
    assert (one.status, str(one.program), one.details) == (other.status, str(other.program), other.details)
    assert [better[1:] for better in one.better] == [better[1:] for better in other.better]


def test_with_a_wrong_label(tmp_path: Path) -> None:
    """A negative that looks like the positives: exact has nothing, and consistent takes what is left."""
    folder = write_tasks(tmp_path, ["t"]) / "t" / "0"
    with (folder / "exs.pl").open("a") as file:
        file.write("neg(f(s0)).\n")
    with (folder / "bk.pl").open("a") as file:
        file.write("".join(f"r(s{i}).\n" for i in (1, 2)))
    (folder / "bias.pl").write_text((folder / "bias.pl").read_text() + "body_pred(r,1).\n")
    found = {name: learn(name, folder, MINUTE, MEMORY).program for name in ("maxsynth", "exact", "consistent")}
    assert str(found["maxsynth"]) == "f(A) :- p(A), q(A)."
    assert found["exact"] is None
    assert str(found["consistent"]) == "f(A) :- r(A)."


def test_of_programs_that_cost_the_same_one_with_the_fewest_errors(tmp_path: Path) -> None:
    """One literal with an error, two with none, and the empty program: each costs 3."""
    folder = write_tasks(tmp_path, ["t"]) / "t" / "0"
    holds = {"p": "ab", "q": "abcd", "r": "abce"}
    (folder / "bk.pl").write_text("".join(f"{name}({x}).\n" for name, many in holds.items() for x in many))
    (folder / "exs.pl").write_text("".join(f"{'pos' if x in 'abc' else 'neg'}(f({x})).\n" for x in "abcde"))
    bias = "".join(f"body_pred({name},1).\n" for name in holds)
    (folder / "bias.pl").write_text(f"head_pred(f,1).\n{bias}max_vars(1).\nmax_body(2).\n")
    found = {name: learn(name, folder, MINUTE, MEMORY) for name in ("maxsynth", "fewer-errors")}
    assert str(found["fewer-errors"].program) == "f(A) :- q(A), r(A)."
    assert {(run.details["cost"], run.details["lower_bound"]) for run in found.values()} == {(3, 3)}


def test_singletons_are_allowed_where_the_bias_says_so(tmp_path: Path) -> None:
    folder = write_tasks(tmp_path, ["t"]) / "t" / "0"
    bk = "".join(f"edge(s{i},x).\n" for i in range(6)) + "p(x).\n"
    (folder / "bk.pl").write_text(bk)
    bias = "head_pred(f,1).\nbody_pred(edge,2).\nmax_vars(2).\nmax_body(1).\n"
    texts = {}
    for more in ("", "% allow_singletons.\n", "allow_singletons.\n"):
        (folder / "bias.pl").write_text(bias + more)
        texts[more] = str(learn("maxsynth", folder, MINUTE, MEMORY).program)
    assert list(texts.values()) == ["", "", "f(A) :- edge(A,_)."]
    assert str(learn("singletons", folder, MINUTE, MEMORY).program) == "f(A) :- edge(A,_)."
