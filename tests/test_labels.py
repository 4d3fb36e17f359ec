"""Decisions about labels: the task that they make, and what is wrong with them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import maxsynth
from maxsynth.cli import main
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.labels import FIRST_LINE, Labels
from maxsynth.task.task import ReadTask
from oracle.brute_force import optimum
from oracle.random_tasks import random_task
from oracle.small_task import Example, SmallTask

KINSHIP = Path(__file__).parent.parent / "examples" / "kinship"
BANK = Path(__file__).parent.parent / "examples" / "bank"


def decided(task: SmallTask, rng: random.Random) -> tuple[SmallTask, Labels] | None:
    """Decisions at random, and the task that somebody would write who made them by hand."""
    atoms = list(dict.fromkeys(args for args, _ in (*task.positives, *task.negatives)))
    chosen = {args: rng.choice(["keep", "flip", "leave out"]) for args in atoms if rng.random() < 0.5}

    def stay(side: list[Example]) -> list[Example]:
        return [one for one in side if chosen.get(one[0], "keep") == "keep"]

    def flipped(side: list[Example]) -> list[Example]:
        return [one for one in side if chosen.get(one[0]) == "flip"]

    positives = stay(task.positives) + flipped(task.negatives)
    if not positives:
        return None
    labels = Labels.of({f"{task.head[0]}({', '.join(args)})": what for args, what in chosen.items()})
    return replace(task, positives=positives, negatives=stay(task.negatives) + flipped(task.positives)), labels


def test_the_task_is_as_if_written_so(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(80_000, 80_000 + effort(40, 1000)):
        task = replace(random_task(random.Random(seed)), exact=False)
        made = decided(task, random.Random(-seed))
        if made is None:
            continue
        by_hand, labels = made
        task.write(tmp_path)
        read = labels.apply(ReadTask.from_folder(tmp_path, prolog="builtin"))
        result = Search(read, Settings(Weights(*task.weights), jobs=1)).run()
        assert result.cost == optimum(by_hand)[0], f"seed {seed}\n{task.describe()}\n{labels.text()}"


def test_a_file_is_what_was_written() -> None:
    labels = Labels.of({"p(a)": "flip", "p('B c')": "leave out", "3": "keep"})
    again = Labels.from_text(labels.text(), "labels.txt")
    assert again.recorded() == labels.recorded()


def write(tmp_path: Path, *lines: str) -> str:
    file = tmp_path / "labels.txt"
    file.write_text("\n".join([FIRST_LINE, *lines, ""]))
    return str(file)


def suspects(tmp_path: Path) -> list[str]:
    assert main(["learn", str(KINSHIP), "--quiet", "--json", str(tmp_path / "first.json")]) == 0
    assert main(["explain", str(tmp_path / "first.json"), "--suspects", "--csv", str(tmp_path / "s.csv")]) == 0
    lines = (tmp_path / "s.csv").read_text().splitlines()[1:]
    return [line.split('"')[1] for line in lines]


def test_suspects_flipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each suspect that is flipped is an error less; what is learned then is verified, and explained."""
    found = suspects(tmp_path)
    assert len(found) == 5
    file = write(tmp_path, "# by ann", *(f"flip {atom}." for atom in found[:2]), f"leave out   {found[2]}")
    result = str(tmp_path / "second.json")
    capsys.readouterr()
    assert main(["learn", str(KINSHIP), "--labels", file, "--json", result]) == 0
    assert "cost 5 = size 3" in capsys.readouterr().err
    assert json.loads(Path(result).read_text())["settings"]["labels"] == [
        [found[0], "flip"],
        [found[1], "flip"],
        [found[2], "leave out"],
    ]
    assert main(["verify", result]) == 0
    assert main(["explain", result, "--suspects"]) == 0
    assert capsys.readouterr().out.count("treated alike") == 2


def test_from_python(tmp_path: Path) -> None:
    found = suspects(tmp_path)
    task = maxsynth.Task.from_folder(KINSHIP)
    result = maxsynth.learn(task, labels=dict.fromkeys(found, "leave out"))
    assert result.cost == 3
    assert result.confusion().fp == result.confusion().fn == 0
    assert maxsynth.front(task, labels=dict.fromkeys(found, "flip")).points[-1].errors == 0


def test_tables_by_their_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["learn", str(BANK), "--target", "loans.defaulted", "--leave-out", "loans.written_off", "--max-body", "2"]
    assert main([*given, "--json", str(tmp_path / "r.json")]) == 0
    rows = (BANK / "loans.csv").read_text().splitlines()
    key = rows[1].split(",")[0]
    capsys.readouterr()
    assert main([*given, "--labels", write(tmp_path, f"flip {key}"), "--json", str(tmp_path / "r.json")]) == 0
    before = capsys.readouterr()
    assert "cost" in before.err
    assert main(["verify", str(tmp_path / "r.json")]) == 0


@pytest.mark.parametrize(
    ("lines", "line", "complaint"),
    [
        (["flip grandparent(nobody,ann)"], 2, "`grandparent(nobody,ann)` is no example of this task"),
        (["turn grandparent(a,b)"], 2, "`turn grandparent(a,b)` is no decision about a label"),
        (["flip"], 2, "`flip` is no decision about a label"),
        (["", "leave grandparent(a,b)"], 3, "`leave grandparent(a,b)` is no decision about a label"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[str], line: int, complaint: str
) -> None:
    file = write(tmp_path, *lines)
    assert main(["learn", str(KINSHIP), "--labels", file]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"maxsynth: {file}:{line}: {complaint} (")


def test_decisions_that_disagree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    atom = suspects(tmp_path)[0]
    file = write(tmp_path, f"flip {atom}", f"flip {atom}", f"keep {atom}")
    capsys.readouterr()
    assert main(["learn", str(KINSHIP), "--labels", file]) == 2
    said = capsys.readouterr().err
    assert f"{file}:4: `{atom}`: `keep` here, `flip` in line 2 (leave one decision for an example)" in said


def test_other_files_and_nothing_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "labels.txt"
    file.write_text("flip p(a)\n")
    assert main(["learn", str(KINSHIP), "--labels", str(file)]) == 2
    assert f"{file}:1: this is no file of decisions about labels" in capsys.readouterr().err
    read = ReadTask.from_folder(KINSHIP)
    positives = [read.example_text(row) for row in read.positives.rows]
    assert main(["learn", str(KINSHIP), "--labels", write(tmp_path, *(f"flip {atom}" for atom in positives))]) == 2
    assert "these decisions leave no positive example" in capsys.readouterr().err
