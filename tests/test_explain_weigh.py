"""`maxsynth explain --weigh`: mistakes and exceptions, in the space that a result was learned in."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import maxsynth
from data.test_counting import some_trains
from maxsynth.cli import main
from maxsynth.commands import weighing
from maxsynth.demos import zendo
from oracle.brute_force import optimum
from oracle.random_tasks import random_task
from test_explain import MORE
from test_progress import on_terminal
from test_weigh import heavier

Capture = pytest.CaptureFixture[str]

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nbody_pred(r,1).\nmax_vars(1).\nmax_body(2).\n"
BK = (
    "".join(f"p(a{n}).\n" for n in range(30)) + "".join(f"r(b{n}).\n" for n in range(30))
    + "p(wrong).\nq(x0).\nq(x1).\n"
)  # fmt: skip
# A rule for x0 and x1 costs what it saves; that the others have no `wrong` is plain.
EXS = (
    "".join(f"pos(f(a{n})).\n" for n in range(30)) + "pos(f(x0)).\npos(f(x1)).\nneg(f(wrong)).\n"
    + "".join(f"neg(f(b{n})).\n" for n in range(30))
)  # fmt: skip
PARTED = """\
rule 1: f(A) :- p(A).

doubted: programs that agree with these labels are clearly worse (suspicion, label, example, what the program does):
  0.97  negative  f(wrong)  covered by rule 1; 30 of 30 others treated alike are positive; a program that agrees costs \
at least 3 more

probably exceptions: a program that agrees is about as good (suspicion, label, example, what the program does):
  0.94  positive  f(x0)  rule 1 fails at p(A); 30 of 31 others treated alike are negative; a program that agrees is \
as good
  0.94  positive  f(x1)  rule 1 fails at p(A); 30 of 31 others treated alike are negative; a program that agrees is \
as good

1 doubted, 2 probably exceptions
"""


@pytest.fixture
def learned(tmp_path: Path) -> Path:
    """The result of a task with a mistake and two exceptions."""
    return learn(write(tmp_path / "task"), tmp_path / "result.json")


def write(folder: Path, bias: str = BIAS, bk: str = BK, exs: str = EXS) -> Path:
    folder.mkdir()
    for name, text in {"bias.pl": bias, "bk.pl": bk, "exs.pl": exs}.items():
        (folder / name).write_text(text)
    return folder


def learn(folder: Path, result: Path, *options: str) -> Path:
    assert main(["learn", str(folder), "--quiet", "--json", str(result), *options]) == 0
    return result


def weighed(capsys: Capture, *arguments: str | Path) -> str:
    capsys.readouterr()
    assert main(["explain", *map(str, arguments), "--suspects", "--weigh"]) == 0
    out, err = capsys.readouterr()
    assert all(line.startswith("maxsynth: warning: ") for line in err.splitlines())
    text: str = out
    return text


def rows_of(capsys: Capture, *arguments: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(weighed(capsys, *arguments, "--csv", "-"))))


def evidence(capsys: Capture, *arguments: str | Path) -> dict[str, tuple[int, str]]:
    return {row["example"]: (int(row["evidence"]), row["doubted"]) for row in rows_of(capsys, *arguments)}


def test_mistakes_and_exceptions(learned: Path, capsys: Capture) -> None:
    assert weighed(capsys, learned) == PARTED
    assert evidence(capsys, learned) == {"f(wrong)": (3, "yes"), "f(x0)": (0, "no"), "f(x1)": (0, "no")}


def test_with_all_examples(learned: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert main(["explain", str(learned), "--weigh"]) == 0
    out = capsys.readouterr().out
    assert "\npositive f(x0) is not covered:\n" in out
    assert out.endswith("\n1 doubted, 2 probably exceptions\n")


def test_without_it_the_list_says_that_there_is_more(learned: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert main(["explain", str(learned), "--suspects"]) == 0
    out, err = capsys.readouterr()
    assert "doubted" not in out
    assert err == MORE


def test_no_suspects(tmp_path: Path, capsys: Capture) -> None:
    result = learn(write(tmp_path / "task", exs="pos(f(a0)).\npos(f(a1)).\npos(f(a2)).\nneg(f(b0)).\n"), tmp_path / "r")
    assert weighed(capsys, result).endswith("\n\nthe program contradicts no label\n")
    assert weighed(capsys, result, "--csv", "-").endswith(",evidence,doubted\n")


def test_without_time_nothing_is_weighed(learned: Path, capsys: Capture) -> None:
    out = weighed(capsys, learned, "--timeout", "1e-9")
    assert "\nnot weighed to the end: more may speak against these labels (" in out
    assert out.count("; a program that agrees may be as good\n") == 3
    assert out.endswith("\n0 doubted, 0 probably exceptions, 3 not weighed\n")
    assert set(evidence(capsys, learned, "--timeout", "1e-9").values()) == {(0, "")}


def test_a_result_that_is_not_proven(tmp_path: Path, capsys: Capture) -> None:
    made = zendo.make(seed=3, noise=10, train=50, test=10)
    made.write(tmp_path / "task")
    result = learn(tmp_path / "task", tmp_path / "result.json", "--steps", "60")
    known = json.loads(result.read_text())
    assert known["status"] == "out-of-steps"
    out = weighed(capsys, result, "--timeout", "20")
    assert out.endswith(
        f"this program is not proven to be the best (cost {known['cost']}, at least {known['lower_bound']}): "
        "the best one contradicts what is doubted too, but may agree with other labels\n"
    )
    # Whatever is found by it holds for the best program.
    best = learn(tmp_path / "task", tmp_path / "best.json")
    assert json.loads(best.read_text())["cost"] < known["cost"]
    doubted = {atom for atom, found in evidence(capsys, result).items() if found[0]}
    assert doubted <= evidence(capsys, best).keys()


def test_an_unproven_program_and_the_best(tmp_path: Path, capsys: Capture) -> None:
    """By a program that could be better, evidence is a bound for that by the best one."""
    result = learn(write(tmp_path / "task"), tmp_path / "result.json")
    best = evidence(capsys, result)
    told = json.loads(result.read_text())
    rule = [{"predicate": "f", "args": [0]}, {"predicate": "q", "args": [0]}]
    told |= {"program": [*told["program"], "f(A) :- q(A)."], "rules": [*told["rules"], rule]}
    told |= {"status": "timeout", "lower_bound": 3, "cost": 5, "size": 4, "tp": 32, "fn": 0}
    result.write_text(json.dumps(told))
    assert evidence(capsys, result) == {"f(wrong)": best["f(wrong)"]}
    told |= {"program": [], "rules": [], "cost": 32, "size": 0, "tp": 0, "fn": 32, "tn": 31, "fp": 0}
    result.write_text(json.dumps(told))
    found = evidence(capsys, result)
    assert len(found) == 32
    assert {more for more, _ in found.values()} == {0}


def test_a_task_that_was_moved_keeps_its_labels_and_limits(tmp_path: Path, capsys: Capture) -> None:
    labels = tmp_path / "labels"
    labels.write_text("# maxsynth labels 1\nflip f(wrong)\nflip f(a3)\n")
    options = ("--labels", str(labels), "--max-body", "1", "--forbid-singletons", "--weights", "2,3,1")
    result = learn(write(tmp_path / "task"), tmp_path / "result.json", *options)
    expected = evidence(capsys, result)
    assert expected["f(x0)"] == (2, "yes")  # a rule for these costs four, and saves two errors
    assert expected["f(a3)"] == (3, "yes")
    assert "f(wrong)" not in expected
    shutil.move(tmp_path / "task", tmp_path / "elsewhere")
    assert evidence(capsys, result, tmp_path / "elsewhere") == expected


def test_the_progress_of_long_ones(learned: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "TOLD_EVERY", 0.0)
    capsys.readouterr()
    assert main(["explain", str(learned), "--suspects", "--weigh"]) == 0
    out, err = capsys.readouterr()
    assert out == PARTED
    assert " s  weighed 0 of 3 labels\n" in err
    assert " s  weighed 2 of 3 labels\n" in err


def test_ctrl_c_ends_it_with_what_is_known(tmp_path: Path) -> None:
    zendo.make(seed=3, noise=20, train=200, test=10).write(tmp_path / "task")
    result = learn(tmp_path / "task", tmp_path / "result.json")
    # The line moves some times a second, and not every label is shown.
    some = re.compile(b"label ([2-9]|[12].) of 40")
    seen = on_terminal("explain", result, "--suspects", "--weigh", send=signal.SIGINT, at=some)
    assert seen.status == 130
    left = re.search(r", (\d+) not weighed\n", seen.out)
    assert left is not None
    assert 0 < int(left[1]) < 40
    assert "\ndoubted: " in seen.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--timeout", "3"], "--timeout is for --weigh, which alone takes long (give --weigh too)"),
        (
            ["--weigh", "--example", "f(a0)"],
            "--weigh is about all suspects, not about one atom (leave out --example)",
        ),
        (["--weigh", "--test"], "--weigh is about the labels that were learned from (leave out --test)"),
    ],
)
def test_misuse(options: list[str], message: str, learned: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert main(["explain", str(learned), *options]) == 2
    assert capsys.readouterr() == ("", f"maxsynth: {message}\n")


def test_what_cannot_be_weighed(learned: Path, tmp_path: Path, capsys: Capture) -> None:
    def complaint(*arguments: Path) -> str:
        capsys.readouterr()
        assert main(["explain", *map(str, arguments), "--weigh"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        text: str = err
        return text

    rules = tmp_path / "program.pl"
    rules.write_text("f(A) :- p(A).\n")
    assert complaint(rules, tmp_path / "task") == (
        f"maxsynth: {rules}: --weigh needs to know how the program was learned (give the JSON of a run, not a file of "
        "rules)\n"
    )
    exact = learn(write(tmp_path / "exact", exs="pos(f(a0)).\nneg(f(b0)).\n"), tmp_path / "exact.json", "--exact")
    assert "--weigh has no use for a result of --exact" in complaint(exact)
    told = json.loads(learned.read_text())
    learned.write_text(json.dumps({**told, "cost": 4, "lower_bound": 4}))
    assert complaint(learned) == (
        f"maxsynth: {learned}: the program costs 5 here, and 4 where it was learned (learn again: this is other data)\n"
    )
    (tmp_path / "task" / "exs.pl").write_text(EXS.replace("neg(f(b3)).\n", ""))
    assert "is not the file that this result was learned from" in complaint(learned)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"labels": 5}, "`settings.labels` is not a list of examples and decisions"),
        ({"labels": [["flip"]]}, "`settings.labels` is not a list of examples and decisions"),
        ({"inferred": 5}, "`settings.inferred` is not a list of lines"),
        ({"inferred": [5]}, "`settings.inferred` is not a list of lines"),
        ({"max_vars": 10**9}, "max_vars is 1000000000, and `learn` takes at most 16"),
    ],
)
def test_strange_settings_in_a_result(said: dict[str, object], message: str, learned: Path, capsys: Capture) -> None:
    told = json.loads(learned.read_text())
    learned.write_text(json.dumps({**told, "settings": {**told["settings"], **said}}))
    capsys.readouterr()
    assert main(["explain", str(learned), "--weigh"]) == 2
    assert message in capsys.readouterr().err


def test_what_a_result_says_of_a_solver_is_not_run(learned: Path, tmp_path: Path, capsys: Capture) -> None:
    told = json.loads(learned.read_text())
    settings = {**told["settings"], "solver": f"touch {tmp_path / 'ran'}", "method": ["x"], "memory": -1}
    learned.write_text(json.dumps({**told, "settings": settings}))
    assert weighed(capsys, learned) == PARTED
    assert not (tmp_path / "ran").exists()


def test_evidence_is_that_of_brute_force(tmp_path: Path, capsys: Capture, effort: Callable[[int, int], int]) -> None:
    seen = set()
    for seed in range(61_000, 61_000 + effort(20, 1000)):
        task = replace(random_task(random.Random(seed)), exact=False)
        task.write(tmp_path / "task")
        weights = ",".join(map(str, task.weights))
        result = learn(tmp_path / "task", tmp_path / "result.json", "--weights", weights, "--jobs", "1")
        cost = json.loads(result.read_text())["cost"]
        for row in rows_of(capsys, result):
            atom, found = row["example"], int(row["evidence"])
            more = optimum(heavier(task, atom, row["label"] == "pos"))[0] - cost
            assert found == min(more, 3), f"seed {seed}, {atom}\n{task.describe()}"
            assert row["doubted"] == ("yes" if more >= 2 else "no")
            seen.add(found)
    assert seen == {0, 1, 2, 3}


def test_tables_are_weighed_in_the_space_that_was_chosen(tmp_path: Path, capsys: Capture) -> None:
    """As a session weighs them, whether counts were worth it or not."""
    counted = set()
    for seed in range(12):
        data = some_trains(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        for name, columns in data.items():
            with (folder / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
        result = folder / "result.json"
        target = ("--target", "trains.direction=east", "--max-vars", "3", "--max-body", "2")
        learn(folder, result, *target)
        told = json.loads(result.read_text())["settings"]
        counted.add(told.get("counts", True))
        found = evidence(capsys, result)
        task = maxsynth.Database(str(folder)).task("trains.direction=east")
        with maxsynth.Session(task, max_vars=3, max_body=2, jobs=1) as session:
            expected = {
                one.example.explanation.example.removeprefix("direction_east(").removesuffix(")"): one.evidence
                for one in session.suspects()
            }
        assert {name.split()[-1]: more for name, (more, _) in found.items()} == expected
    assert counted == {True, False}
