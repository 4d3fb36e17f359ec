"""Whether a program that counts is taken: only where it is better by more than what it counts."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import maxsynth
from data.test_counts import trains
from maxsynth.cli import main


def learned(data: dict[str, Any], **how: Any) -> maxsynth.Result:
    task = maxsynth.Database(data).task("trains.direction=east", **how)
    return maxsynth.learn(task, max_vars=3, max_body=2)


def counts_in(result: maxsynth.Result) -> set[str]:
    assert result.program is not None
    names = {literal.predicate.name for rule in result.program.rules for literal in rule.body}
    return {name for name in names if name.endswith("_count")}


def some_trains(seed: int) -> dict[str, Any]:
    """Few trains, some of whose labels are wrong: now counts are worth it, now they are not."""
    data = trains(random.Random(seed).randint(10, 40), seed)
    rng = random.Random(seed)
    labels = data["trains"]["direction"]
    for place in rng.sample(range(len(labels)), len(labels) // 8):
        labels[place] = "east" if labels[place] == "west" else "west"
    if len(set(labels)) == 1:
        labels[0] = "east" if labels[0] == "west" else "west"
    data["cars"]["roof"] = [rng.choice(["flat", "none"]) for _ in data["cars"]["id"]]
    return data


def test_a_count_that_decides_is_used() -> None:
    result = learned(trains())
    assert counts_in(result) == {"cars_len_short_count"}
    assert "counts" not in result._run.settings


def test_counts_are_used_where_they_save_more_than_they_are() -> None:
    taken, left = 0, 0
    for seed in range(40):
        data = some_trains(seed)
        plain = learned(data, counts=False)
        result = learned(data)
        counting = maxsynth.learn(uncompared(data), max_vars=3, max_body=2)
        used = len(counts_in(counting))
        assert plain.cost is not None
        assert counting.cost is not None
        assert counting.cost <= plain.cost
        if used and counting.cost + used < plain.cost:
            taken += 1
            assert (result.cost, str(result.program)) == (counting.cost, str(counting.program))
        else:
            left += bool(used)
            assert result.cost == (plain.cost if used else counting.cost)
            assert not counts_in(result)
            assert result._run.settings.get("counts", True) is not bool(used)
        assert result.status == "optimal"
    assert taken > 5
    assert left > 5


def uncompared(data: dict[str, Any]) -> maxsynth.Task:
    """The task, in which counts are predicates like all others."""
    task = maxsynth.Database(data).task("trains.direction=east")
    task.counts = ()
    return task


@pytest.mark.parametrize("options", [[], ["--max-vars", "3", "--max-body", "2"]])
def test_it_is_said(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "trains.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE trains (id INTEGER PRIMARY KEY, direction TEXT)")
        connection.execute("CREATE TABLE cars (id INTEGER PRIMARY KEY, train_id REFERENCES trains(id), len TEXT)")
        data = trains()
        connection.executemany("INSERT INTO trains VALUES (?, ?)", zip(*data["trains"].values(), strict=True))
        connection.executemany("INSERT INTO cars VALUES (?, ?, ?)", zip(*data["cars"].values(), strict=True))
    connection.close()
    assert main(["learn", str(file), "--target", "trains.direction=east", *options]) == 0
    out, err = capsys.readouterr()
    assert out == "direction_east(A) :- cars_len_short_count(A,B), B >= 2.\n"
    assert "it counts (cars_len_short_count), so it must be better by more than 1 than what is found without" in err


def test_other_limits_leave_the_rest_of_the_bias() -> None:
    """Where the size of rules fits the effort, the bias is read again, and what was said otherwise still holds."""
    rows = {"id": list(range(12)), "good": ["yes", "no"] * 6}
    links = {"id": list(range(12)), "item": list(range(0, 12, 2)) * 2, "other": list(range(12))}
    task = maxsynth.Database({"items": rows, "links": links}, keys={"links.item": "items.id"}).task(
        "items.good=yes", counts=False, keep=["links.other"]
    )
    program = maxsynth.learn(task, forbid_singletons=True).program
    assert program is not None
    for rule in program.rules:
        used = [arg for literal in (rule.head, *rule.body) for arg in literal.args if isinstance(arg, int)]
        assert all(used.count(arg) > 1 for arg in used)
