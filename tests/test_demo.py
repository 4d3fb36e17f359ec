"""The generated tasks of the demo, and the demo itself."""

from __future__ import annotations

import dataclasses
import random
import re
from pathlib import Path

import pytest

from maxsynth.cli import main
from maxsynth.commands.demo import percent
from maxsynth.demos import zendo
from maxsynth.demos.generated import flip_labels
from maxsynth.demos.worlds import WORLDS
from maxsynth.logic.programs import parse_program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import violations

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same kind of task, learned in a blink: few examples and one label wrong."""
    monkeypatch.setitem(WORLDS, "zendo", dataclasses.replace(zendo.WORLD, train=80, test=100))


# -- the task -----------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_files() -> None:
    assert zendo.make(seed=3).files() == zendo.make(seed=3).files()
    assert zendo.make(seed=3).files() != zendo.make(seed=4).files()


@pytest.mark.parametrize("noise", [0, 5, 12.5, 20, 50, 100])
def test_exactly_the_share_of_labels_is_wrong(noise: float) -> None:
    made = zendo.make(seed=5, noise=noise, train=200, test=40)
    assert made.flipped == 2 * noise
    assert sum(example.true for example in made.examples) == 100
    assert sum(example.true for example in made.test_examples) == 20
    assert all(example.true == example.given for example in made.test_examples)


def test_more_noise_leaves_the_structures_alone() -> None:
    assert zendo.make(seed=5, noise=0).bk == zendo.make(seed=5, noise=30).bk


def test_wrong_labels_are_anywhere() -> None:
    labels = [True] * 50 + [False] * 50
    drawn = [flip_labels(labels, 10, random.Random(seed)) for seed in range(200)]
    times = [sum(given[i] != labels[i] for given in drawn) for i in range(100)]
    assert sum(times) == 10 * 200
    assert min(times) > 5
    assert max(times) < 45


def test_structures_keep_the_rules_of_the_game() -> None:
    rng = random.Random(0)
    structures = [zendo.random_structure(rng) for _ in range(500)]
    assert {len(structure) for structure in structures} == {1, 2, 3, 4, 5}
    for structure in structures:
        places = {(piece.column, piece.row) for piece in structure}
        assert len(places) == len(structure)
        assert all(1 <= coordinate <= zendo.BOARD for place in places for coordinate in place)
    pieces = [piece for structure in structures for piece in structure]
    assert {piece.colour for piece in pieces} == set(zendo.COLOURS)
    assert {piece.orientation for piece in pieces} == set(zendo.ORIENTATIONS)
    assert {piece.size for piece in pieces} == set(zendo.SIZES)


@pytest.mark.parametrize("name", WORLDS)
def test_the_rule_in_python_is_the_program(tmp_path: Path, name: str) -> None:
    WORLDS[name].make(2, 0).write(tmp_path / "task")
    program = parse_program(WORLDS[name].program)
    for test in (False, True):
        counts = evaluate_program(program, ReadTask.from_folder(tmp_path / "task", test=test)).confusion
        assert (counts.fn, counts.fp) == (0, 0)
        assert min(counts.tp, counts.tn) >= 40


@pytest.mark.parametrize("name", WORLDS)
def test_the_program_is_in_the_space(tmp_path: Path, name: str) -> None:
    WORLDS[name].make(1, 20).write(tmp_path / "task")
    task = ReadTask.from_folder(tmp_path / "task")
    assert violations(parse_program(WORLDS[name].program), task.bias) == []


@pytest.mark.parametrize("name", WORLDS)
def test_check_accepts_the_task(tmp_path: Path, capsys: Capture, name: str) -> None:
    made = WORLDS[name].make(1, 20)
    made.write(tmp_path / "task")
    assert main(["check", str(tmp_path / "task")]) == 0
    out, err = capsys.readouterr()
    given = sum(example.given for example in made.examples)
    assert out.startswith(f"examples    {given} positive, {len(made.examples) - given} negative, of ")
    warnings = [line for line in out.splitlines() if line.startswith("warning")]
    # Wrong labels, and lists that were drawn twice, are what there is to say.
    assert [line for line in warnings if "listed 2 times" not in line and "no rule of the space" not in line] == [
        line for line in warnings if "is wrong on at least" in line or "a positive example" in line
    ]
    assert err == ""


# -- the command --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_demo")
def test_the_demo_finds_the_hidden_rule(capsys: Capture) -> None:
    assert main(["demo", "zendo", "--noise", "5"]) == 0
    out = capsys.readouterr().out
    assert "Given are 80 examples, but 4 of their labels (5%) are wrong." in out
    assert f"hidden rule      {zendo.RULE}\n" in out
    assert f"learned program  {zendo.PROGRAM}\n" in out
    assert re.search(r"cost +11 = size 7 \+ \d false positives \+ \d false negatives\n +proven: no program", out)
    assert out.endswith("The hidden rule was found: accuracy on 100 new examples with no label wrong is 100%.\n")


@pytest.mark.usefixtures("small_demo")
def test_the_demo_says_when_it_did_not_find_it(capsys: Capture) -> None:
    assert main(["demo", "zendo", "--timeout", "0"]) == 0
    out = capsys.readouterr().out
    assert "learned program  % the empty program\n" in out
    assert "the search was cut: a program may cost as little as 2" in out
    assert out.endswith(
        "This is not quite the hidden rule: accuracy on 100 new examples with no label wrong is 50.0%.\n"
    )


@pytest.mark.usefixtures("small_demo")
def test_save(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "new" / "task"
    assert main(["demo", "zendo", "--noise", "5", "--seed", "2", "--save", str(folder)]) == 0
    assert f"maxsynth learn {folder}\n" in capsys.readouterr().out
    found = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.pl")}
    assert found == zendo.make(2, 5, 80, 100).files()


@pytest.mark.usefixtures("small_demo")
def test_nothing_is_overwritten(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for target, complaint in ((tmp_path, "this folder is not empty"), (tmp_path / "notes.txt", "this is a file")):
        assert main(["demo", "zendo", "--save", str(target)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"maxsynth: {target}: {complaint}")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_the_list(capsys: Capture) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.split("\n\n")[0].splitlines()] == list(WORLDS)


@pytest.mark.parametrize("name", [name for name in WORLDS if name != "zendo"])
def test_each_hidden_rule_is_found(name: str, capsys: Capture) -> None:
    assert main(["demo", name]) == 0
    out, err = capsys.readouterr()
    assert "proven: no program of the space costs less" in out
    assert "The hidden rule was found: accuracy on " in out
    assert "cost" in err


def test_bad_values(capsys: Capture) -> None:
    assert main(["demo", "chess"]) == 2
    assert (
        capsys.readouterr().err
        == "maxsynth: there is no demo `chess` (there is: kinship, trains, zendo, game, lists, molecules, last, path)\n"
    )
    for option, value in (("--noise", "101"), ("--noise", "nan"), ("--noise", "x"), ("--seed", "-1"), ("--seed", "²")):
        with pytest.raises(SystemExit):
            main(["demo", option, value])
        assert f"argument {option}: `{value}` is not" in capsys.readouterr().err


def test_percent() -> None:
    assert [percent(share) for share in (1.0, 0.9999, 0.5, 0.0)] == ["100%", "99.9%", "50.0%", "0.0%"]
