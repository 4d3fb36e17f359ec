"""Counts of rows that lead to a thing: which are made, that they are right, and that they go the whole way."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsynth
from data.small_tables import column, data, table
from maxsynth.cli import main
from maxsynth.data.description import CountInfo, Description
from maxsynth.data.inference.infer import infer
from maxsynth.data.rows import facts_of
from maxsynth.data.tables import Column, Data, ForeignKey, Kind, Table
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.export import written
from maxsynth.exporting.subject import subject_of_data
from maxsynth.logic.programs import parse_program

Effort = Callable[[int, int], int]


def trains(count: int = 40, seed: int = 1) -> dict[str, dict[str, list[Any]]]:
    """Trains go east that have two short cars; some have no cars."""
    rng = random.Random(seed)
    cars: list[tuple[int, int, str]] = []
    labels = []
    for train in range(count):
        lengths = [rng.choice(["short", "long", "long"]) for _ in range(rng.randint(0, 4))]
        cars += [(100 + len(cars) + place, train, one) for place, one in enumerate(lengths)]
        labels.append("east" if lengths.count("short") >= 2 else "west")
    ids, trains_of, lengths_of = map(list, zip(*cars, strict=True))
    return {
        "trains": {"id": list(range(count)), "direction": labels},
        "cars": {"id": ids, "train_id": trains_of, "len": lengths_of},
    }


def counts_of(description: Description, name: str) -> dict[str, CountInfo]:
    return {count.predicate: count for count in description.table(name).counts}


def described(**how: Any) -> Description:
    return maxsynth.Database(trains()).describe("trains.direction", **how)


# -- which are made -------------------------------------------------------------------------------------------------


def test_all_rows_and_those_with_a_value() -> None:
    found = counts_of(described(), "trains")
    assert list(found) == ["cars_count", "cars_len_long_count", "cars_len_short_count"]
    short = found["cars_len_short_count"]
    assert (short.table, short.by, short.column, short.equals) == ("cars", "train_id", "len", "short")
    assert short.least == 0 < 2 <= short.most
    assert short.what == "rows of cars by train_id, with len = short"


def test_none_is_made_where_that_is_asked() -> None:
    assert not any(one.counts for one in described(counts=False).tables)
    assert list(counts_of(described(leave_out=["cars.len"]), "trains")) == ["cars_count"]
    assert not counts_of(described(leave_out=["cars.train_id"]), "trains")


def shop(orders: list[tuple[Any, ...]], customers: dict[str, list[Any]]) -> Data:
    return data(
        table("customers", customers, ["id"]),
        table(
            "orders",
            dict(zip(("id", "customer", "kind", "day"), map(list, zip(*orders, strict=True)), strict=True)),
            ["id"],
            [ForeignKey(("customer",), "customers", ("id",))],
        ),
    )


def test_what_says_nothing_is_left_out() -> None:
    customers: dict[str, list[Any]] = {"id": [1, 2, 3, 4], "bought": [2, 2, 1, 3], "left": ["y", "n", "n", "y"]}
    orders = [
        (1, 1, "toy", "a"), (2, 1, "book", "b"), (3, 2, "toy", "a"), (4, 2, "book", "b"), (5, 3, "toy", "a"),
        (6, 4, "toy", "b"), (7, 4, "food", "a"), (8, 4, "food", "b"),
    ]  # fmt: skip
    found = counts_of(infer(shop(orders, customers), "customers.left"), "customers")
    # All orders are what the column `bought` says; of toys each has one; two of food has one customer only.
    assert not found
    more = [*orders, (9, 1, "food", "a"), (10, 1, "food", "a"), (11, 3, "book", "a"), (12, 3, "book", "a")]
    found = counts_of(infer(shop(more, customers), "customers.left"), "customers")
    assert "orders_kind_toy_count" not in found
    assert {"orders_count", "orders_kind_food_count"} <= found.keys()


def test_the_column_that_is_learned_is_not_counted() -> None:
    tables = trains()
    found = maxsynth.Database(tables).describe("cars.len")
    assert list(counts_of(found, "trains")) == ["cars_count"]


def test_links_are_told_apart() -> None:
    games = {
        "id": range(12),
        "home_team": [0, 0, 0, 1, 1, 2] * 2,
        "guest_team": [1, 2, 1, 2, 0, 1] * 2,
        "won": [1, 0] * 6,
    }
    teams = {"id": range(3), "coach": [1, 1, 0], "good": ["y", "n", "n"]}
    links = [ForeignKey((one,), "teams", ("id",)) for one in ("home_team", "guest_team")]
    known = data(
        table("teams", teams, ["id"], [ForeignKey(("coach",), "teams", ("id",))]), table("games", games, ["id"], links)
    )
    found = counts_of(infer(known, "teams.good"), "teams")
    assert {"games_home_team_count", "games_guest_team_count"} <= found.keys()
    assert all(one.table == "games" for one in found.values())  # one coach has two teams, the other one


def test_a_bound_on_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    from maxsynth.data.inference import counts

    monkeypatch.setattr(counts, "MOST_COUNTS", 1)
    assert list(counts_of(described(), "trains")) == ["cars_count"]
    monkeypatch.setattr(counts, "MOST_COUNTS", 40)
    monkeypatch.setattr(counts, "MOST_FACTS", 80)
    assert list(counts_of(described(), "trains")) == ["cars_count", "cars_len_long_count"]


def test_a_count_that_decides_the_target_is_a_leak() -> None:
    leaks = maxsynth.Database(trains(200)).describe("trains.direction").leaks
    assert any(one.startswith("leak? trains: cars_len_short_count: ") for one in leaks), leaks


def test_a_graph_has_none(tmp_path: Path) -> None:
    file = tmp_path / "graph.txt"
    file.write_text("".join(f"n{i}\tknows\tn{i * i % 7}\nn{i}\tlikes\tn{i % 5}\n" for i in range(30)))
    assert not any(one.counts for one in maxsynth.Database(file).describe("likes").tables)


# -- what they are --------------------------------------------------------------------------------------------------


def random_data(rng: random.Random) -> Data:
    texts = rng.random() < 0.5
    keys: list[Any] = rng.sample(
        ["a", "b", "it's", "日本", "c", "d", "e"] if texts else range(-5, 30), rng.randint(2, 7)
    )
    other: list[Any] = [*keys, *(["nowhere"] if texts else [99]), None]
    links = [rng.choice(other) for _ in range(rng.randint(1, 60))]
    words = [rng.choice(["x", "y", "z", None]) for _ in links]
    codes = [rng.choice([1, 2, None]) for _ in links]
    truth = [rng.choice([True, False, None]) for _ in links]
    kind = Kind.TEXT if texts else Kind.INTEGER
    rows: tuple[Column, ...] = (
        column("thing", links, kind), column("word", words, Kind.TEXT), column("code", codes, Kind.INTEGER),
        column("truth", truth, Kind.YES_NO),
    )  # fmt: skip
    things = table("things", {"id": keys, "label": [rng.choice(["y", "n"]) for _ in keys[2:]] + ["y", "n"]}, ["id"])
    foreign = (ForeignKey(("thing",), "things", ("id",)),)
    if rng.random() < 0.5:
        return data(things, Table("rows", rows, (), foreign))
    return data(things, Table("rows", (column("id", range(len(links))), *rows), ("id",), foreign))


def test_counts_are_right(effort: Effort) -> None:
    made = 0
    for number in range(effort(150, 3000)):
        known = random_data(random.Random(f"counts {number}"))
        found = infer(known, "things.label")
        facts = facts_of(found.meanings.values(), known)
        for meaning in found.meanings.values():
            if meaning.counted is None:
                continue
            made += 1
            rows = facts[meaning.predicate]
            stated = {tuple(rows.values[code] for code in row) for row in rows.codes.tolist()}
            links, values = (
                listed(known, "rows", one.column)
                for one in (meaning.counted.by, meaning.counted.column or meaning.counted.by)
            )
            right = set()
            for key in listed(known, "things", "id"):
                wanted = key if meaning.counted.column is None else meaning.counted.equals
                right.add(
                    (key, sum(link == key and value == wanted for link, value in zip(links, values, strict=True)))
                )
            assert stated == right
    assert made > 100


def listed(known: Data, name: str, of: str) -> list[Any]:
    found = known.tables[name].column(of)
    values: list[Any] = found.values.tolist() if isinstance(found.values, np.ndarray) else list(found.values)
    return [None if code < 0 else values[code] for code in found.codes.tolist()]


# -- the whole way --------------------------------------------------------------------------------------------------


def write(path: Path, tables: dict[str, dict[str, list[Any]]]) -> Path:
    database = sqlite3.connect(path)
    for name, columns in tables.items():
        names = [f"{one} REFERENCES trains (id)" if one == "train_id" else one for one in columns]
        database.execute(f"CREATE TABLE {name} ({', '.join(names)}, PRIMARY KEY (id))")
        marks = ", ".join("?" * len(columns))
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", zip(*columns.values(), strict=True))
    database.commit()
    database.close()
    return path


RULE = "direction_east(A) :- cars_len_short_count(A,B), B >= 2."


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, result = str(write(tmp_path / "trains.db", trains())), str(tmp_path / "result.json")
    assert main(["learn", file, "--target", "trains.direction", "--quiet", "--json", result]) == 0
    assert capsys.readouterr().out == f"{RULE}\n"
    assert main(["verify", result]) == 0
    assert main(["evaluate", result]) == 0
    assert "accuracy           1.0000" in capsys.readouterr().out
    east = next(n for n, one in enumerate(trains()["trains"]["direction"]) if one == "east")
    assert main(["explain", result, "--example", str(east)]) == 0
    assert f"trains {east}: 2 rows of cars by train_id, with len = short" in capsys.readouterr().out.replace(
        "3 rows", "2 rows"
    )
    assert main(["export", result, "--to", "english"]) == 0
    assert "if it has at least 2 cars whose len is short." in capsys.readouterr().out
    assert main(["export", result, "--to", "sql"]) == 0
    query = capsys.readouterr().out
    covered = {key for (key,) in sqlite3.connect(file).execute(query)}
    assert covered == {n for n, one in enumerate(trains()["trains"]["direction"]) if one == "east"}
    assert main(["learn", file, "--target", "trains.direction", "--quiet", "--no-counts"]) == 0
    assert "count" not in capsys.readouterr().out


def test_prediction_on_new_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A train without cars has none, whatever other trains have."""
    file, result = str(write(tmp_path / "trains.db", trains())), str(tmp_path / "result.json")
    assert main(["learn", file, "--target", "trains.direction=west", "--quiet", "--json", result]) == 0
    assert capsys.readouterr().out == "direction_west(A) :- cars_len_short_count(A,B), B =< 1.\n"
    new = trains(seed=2)
    expected = new["trains"].pop("direction")
    assert main(["predict", result, str(write(tmp_path / "new.db", new)), "--csv", "-"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split(",")[1] for line in lines] == expected


def test_a_file_leaves_counts_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, task = str(write(tmp_path / "trains.db", trains())), tmp_path / "task.toml"
    assert main(["describe", file, "--target", "trains.direction", "--save", str(task)]) == 0
    assert "rows of cars by train_id, with len = short" in capsys.readouterr().out
    text = task.read_text()
    assert "counts = true" in text
    assert "[tables.trains.counts]" in text
    assert "cars_len_short_count = true" in text
    assert main(["learn", str(task), "--quiet"]) == 0
    assert capsys.readouterr().out == f"{RULE}\n"
    for before, after in (
        ("cars_len_short_count = true", "cars_len_short_count = false"),
        ("counts = true", "counts = false"),
    ):
        task.write_text(text.replace(before, after, 1))
        assert main(["learn", str(task), "--quiet"]) == 0
        assert "cars_len_short_count" not in capsys.readouterr().out
    for before, after, problem in (
        ("cars_len_short_count = true", "cars_len_shrt_count = false", "did you mean cars_len_short_count?"),
        ("cars_len_short_count = true", 'cars_len_short_count = "no"', "write true or false"),
        ("counts = true", "counts = 3", "give true or false"),
    ):
        task.write_text(text.replace(before, after, 1))
        assert main(["learn", str(task), "--quiet"]) == 2
        errors = capsys.readouterr().err
        assert problem in errors
        assert len(errors.splitlines()) == 1


def test_a_wish_goes_before_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from maxsynth.data.inference import counts
    from maxsynth.data.wishes import Wishes

    monkeypatch.setattr(counts, "MOST_COUNTS", 0)
    wishes = Wishes(counts={("trains", "cars_len_short_count"): True})
    found = maxsynth.Database(trains(), wishes=wishes).describe("trains.direction")
    assert list(counts_of(found, "trains")) == ["cars_len_short_count"]


def test_a_description_keeps_its_counts() -> None:
    found = described()
    assert Description.from_dict(found.as_dict()) == found
    assert "cars_len_short_count" in repr(found)


def test_counts_are_no_option_of_a_folder(tmp_path: Path) -> None:
    assert main(["learn", str(tmp_path), "--no-counts"]) == 2
    with pytest.raises(MaxSynthError, match="counts"):
        described(counts="maybe")


def test_a_classifier_counts() -> None:
    """And not the rows of X: what is said of one does not depend on others."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    from maxsynth.sklearn import RuleClassifier

    tables = trains(80)
    labels = tables["trains"].pop("direction")
    rows, cars = pandas.DataFrame(tables["trains"]), pandas.DataFrame(tables["cars"])
    rows["line"] = [number % 3 for number in range(len(rows))]
    keys = {"rows": "id", "cars.train_id": "rows.id"}
    with pytest.warns(maxsynth.MaxSynthWarning, match="cars_len_short_count"):  # which alone decides
        model = RuleClassifier().fit(rows, labels, tables={"cars": cars}, keys=keys)
    assert any("cars_len_short_count" in rule for rule in model.rules_["rule"])
    assert list(model.predict(rows, tables={"cars": cars})) == labels
    assert [model.predict(rows.iloc[[place]], tables={"cars": cars})[0] for place in range(5)] == labels[:5]


# -- sentences ------------------------------------------------------------------------------------------------------


def people() -> dict[str, dict[str, list[Any]]]:
    """Teams that lead others, and have members, some of whom are active."""
    rng = random.Random(3)
    members = [(number, rng.randrange(12), rng.choice([True, False])) for number in range(60)]
    ids, teams, active = map(list, zip(*members, strict=True))
    return {
        "teams": {"id": list(range(12)), "lead": [rng.randrange(4) for _ in range(12)], "good": ["y", "n"] * 6},
        "members": {"id": ids, "team_id": teams, "active": active},
    }


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("members_count(A,B), B >= 3", "it has at least 3 members"),
        ("members_count(A,B), B =< 1", "it has at most 1 member"),
        ("members_count(A,B), B =< 0", "it has no members"),
        ("members_count(A,4)", "it has exactly 4 members"),
        ("members_count(A,B), B >= 2, B =< 5", "it has between 2 and 5 members"),
        ("members_active_yes_count(A,B), B >= 2", "it has at least 2 members that are active"),
        ("members_active_yes_count(A,B), B < 2", "it has less than 2 members that are active"),
        ("members_active_no_count(A,B), B =< 1", "it has at most 1 member that is not active"),
        ("teams_lead_count(A,B), B >= 2", "it is the lead of at least 2 teams"),
        ("lead(A,B), members_count(B,C), C >= 2", "it has a lead that has at least 2 members"),
    ],
)
def test_sentences(body: str, sentence: str) -> None:
    database = maxsynth.Database(people(), keys={"teams.lead": "teams.id", "members.team_id": "teams.id"})
    description = database.describe("teams.good=y")
    program = parse_program(f"good_y(A) :- {body}.", "test")
    told = written([subject_of_data(program, description)], "english")
    assert told.splitlines()[1] == f"  if {sentence}."
