"""A column of two values: rules for the one that they describe better, whichever that is."""

from __future__ import annotations

import json
import pickle
import random
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsynth
from data.test_counting import some_trains
from maxsynth.api.searches.either import described_by
from maxsynth.background.distinct import distinct, distinct_but
from maxsynth.cli import main
from maxsynth.commands import learn as learning
from maxsynth.commands.signals import Asked
from maxsynth.search.result import SearchResult

# Bad films are bad in many ways, good ones have something in common.
FILMS = {
    "films": {
        "id": list(range(30)),
        "genre": ["drama"] * 16 + ["horror", "family", "war", "sport", "crime", "music", "western"] * 2,
        "quality": ["good"] * 16 + ["bad"] * 14,
    }
}


def random_films(rng: random.Random) -> dict[str, Any]:
    count = rng.randint(4, 40)
    kinds = [rng.choice("abc") for _ in range(count)]
    lengths = [rng.randint(1, 9) for _ in range(count)]
    chosen = rng.choice("abc")
    good = [
        (kind == chosen or length > 6) != (rng.random() < 0.15) for kind, length in zip(kinds, lengths, strict=True)
    ]
    if len(set(good)) == 1:
        good[0] = not good[0]
    data: dict[str, Any] = {
        "films": {
            "id": list(range(count)),
            "kind": kinds,
            "length": lengths,
            "quality": ["good" if one else "bad" for one in good],
        }
    }
    if rng.random() < 0.5:
        seen = [film for film in range(count) for _ in range(rng.randint(0, 3))] or [0]
        data["shows"] = {
            "id": list(range(len(seen))),
            "films_id": seen,
            "place": [rng.choice(["town", "hall"]) for _ in seen],
        }
    return data


def test_the_better_of_two_is_taken(effort: Callable[[int, int], int]) -> None:
    """Beside two runs that are each about one value, and know nothing of the other."""
    taken = {False: 0, True: 0}
    for seed in range(effort(20, 1000)):
        rng = random.Random(seed)
        trains = rng.random() < 0.3
        database = maxsynth.Database(some_trains(seed) if trains else random_films(rng))
        target = "trains.direction" if trains else "films.quality"
        how: dict[str, Any] = {"max_vars": 3, "max_body": 2} if rng.random() < 0.7 else {"steps": 3000}
        if rng.random() < 0.3:
            how["weights"] = rng.choice([(1, 2, 2), (2, 1, 1), (1, 1, 3)])
        aims = database.describe(target).target.all_aims
        alone = [maxsynth.learn(database.task(f"{target}={aim.equals}"), **how) for aim in aims]
        task = database.task(target)
        priced = [described_by(one._run, task.counts) for one in alone]
        result = maxsynth.learn(task, **how)
        assert None not in priced
        if any(one.status != "optimal" for one in alone) or result.status != "optimal":
            continue  # what is cut by its steps may have found less, with a bound or without
        best = priced.index(min(cost for cost in priced if cost is not None))
        assert described_by(result._run, task.counts) == priced[best], seed
        assert result._origin["target"]["aims"][0]["equals"] == aims[best].equals, seed  # type: ignore[index]
        taken[best == 1] += 1
    assert taken[True] > 2
    assert taken[False] > 2


def test_rules_for_what_has_something_in_common() -> None:
    database = maxsynth.Database(FILMS)
    result = maxsynth.learn(database.task("films.quality"))
    assert str(result.program) == "quality_good(A) :- genre(A,drama)."
    assert (result.cost, result.status) == (2, "optimal")
    rarer = maxsynth.learn(database.task("films.quality=bad"))
    assert rarer.cost == 14
    assert result.predict({"quality_good": [0, 20]}) == [True, False]


def test_a_task_is_the_same_when_it_was_pickled() -> None:
    task = pickle.loads(pickle.dumps(maxsynth.Database(FILMS).task("films.quality")))
    assert str(maxsynth.learn(task).program) == "quality_good(A) :- genre(A,drama)."
    assert task.without_rival().rival is None
    assert task.rival is not None


def test_decisions_and_weights_of_its_own_are_about_one_value() -> None:
    task = maxsynth.Database(FILMS).task("films.quality")
    with_labels = maxsynth.learn(task, labels={"quality_bad(3)": "flip"})
    assert with_labels.task is task
    auto = maxsynth.learn(task, weights="auto", max_vars=2, max_body=1)
    assert auto.task is task


def test_only_yes_or_no_says_what_is_meant() -> None:
    films = {"films": {**FILMS["films"], "quality": [one == "bad" for one in FILMS["films"]["quality"]]}}
    target = maxsynth.Database(films).describe("films.quality").target
    assert target.rival is None
    assert target.aims[0].equals is True


def test_a_checkpoint_is_of_one_search(tmp_path: Path) -> None:
    task = maxsynth.Database(FILMS).task("films.quality", counts=False)
    with pytest.raises(maxsynth.MaxSynthError, match="one for each value"):
        maxsynth.learn(task, max_vars=2, max_body=1, checkpoint=tmp_path / "run")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "films.sqlite3"
    columns = FILMS["films"]
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE films (id INTEGER PRIMARY KEY, genre TEXT, quality TEXT)")
        rows = zip(columns["id"], columns["genre"], columns["quality"], strict=True)
        database.executemany("INSERT INTO films VALUES (?, ?, ?)", rows)
    database.close()
    return path


def test_the_command_does_the_same(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "result.json"
    assert main(["learn", str(file), "--target", "films.quality", "--json", str(report)]) == 0
    out, err = capsys.readouterr()
    assert out == "quality_good(A) :- genre(A,drama).\n"
    assert "films.quality = good, if its rules cost less:" in err
    saved = json.loads(report.read_text())
    assert saved["data"]["target"]["aims"] == [{"predicate": "quality_good", "equals": "good", "otherwise": "bad"}]
    assert "rival" not in saved["data"]["target"]
    assert main(["predict", str(report), str(file)]) == 0
    assert main(["verify", str(report)]) == 0
    capsys.readouterr()
    assert main(["learn", str(file), "--target", "films.quality=bad", "--quiet"]) == 0
    assert "quality_good" not in capsys.readouterr().out
    assert main(["describe", str(file), "--target", "films.quality"]) == 0
    assert "quality_bad/1 (= bad) or quality_good/1 (= good)" in capsys.readouterr().out


def test_the_command_keeps_the_rarer_value_where_the_other_costs_as_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "cars.csv"
    rows = [f"{number},{'long' if number < 8 else 'short'},{'east' if number < 8 else 'west'}" for number in range(20)]
    table.write_text("\n".join(["id,size,way", *rows]) + "\n")
    assert main(["learn", str(table), "--target", "cars.way", "--keep", "cars.size"]) == 0
    out, err = capsys.readouterr()
    assert out == "way_east(A) :- size(A,long).\n"
    assert "if its rules cost less" not in err  # nothing costs less than two literals


def test_a_checkpoint_of_the_command_is_of_one_search(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--no-counts", "--max-vars", "2", "--max-body", "1", "--checkpoint", str(file.parent / "run")]
    assert main(["learn", str(file), "--target", "films.quality", *options]) == 2
    assert "one for each value of the target" in capsys.readouterr().err
    assert main(["learn", str(file), "--target", "films.quality=good", *options]) == 0


def test_what_was_found_for_a_value_is_not_lost_when_the_next_one_is_torn_away(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Torn(learning.Search):
        def run(self) -> SearchResult:
            if self.task.bias.head.name != "quality_bad":
                raise Asked(signal.SIGINT)
            return super().run()

    monkeypatch.setattr(learning, "Search", Torn)
    report = tmp_path / "result.json"
    assert main(["learn", str(file), "--target", "films.quality", "--json", str(report)]) == 130
    out, err = capsys.readouterr()
    assert "found before: quality_bad" in err
    assert json.loads(report.read_text())["data"]["target"]["aims"][0]["predicate"] == "quality_bad"
    assert out  # the empty program, which is what it has


def test_distinct_numbers_are_those_of_numpy() -> None:
    rng = np.random.default_rng(1)
    for size in (0, 1, 2, 5, 100):
        for most in (1, 3, 1000):
            numbers, known = (rng.integers(-most, most, size).astype(np.int64) for _ in range(2))
            assert distinct(numbers).tolist() == np.unique(numbers).tolist()
            assert distinct_but(numbers, known).tolist() == np.setdiff1d(numbers, known).tolist()
            assert distinct_but(numbers, known[:0]).tolist() == np.unique(numbers).tolist()
