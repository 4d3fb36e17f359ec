"""What benchmarks compare with is right: folds, the joined table, and rules of others counted as ours are."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import maxsynth

pytest.importorskip("pyarrow")
sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

from compared import flipped, ours, rules
from compared.folds import folds
from compared.joined import joined_table

TRAINS = {
    "trains": {"id": [1, 2, 3, 4], "miles": [10.5, 20.5, 30.5, 40.25], "east": [True, False, True, False]},
    "cars": {"id": [10, 11, 12, 13, 14], "train": [1, 1, 2, 3, 4], "roof": ["flat", "open", "open", "flat", "open"]},
    "loads": {"car": [10, 10, 12, 13, 14], "kg": [5.5, 7.5, 1.5, 9.5, 2.25]},
}
KEYS = {"trains": "id", "cars": "id", "cars.train": "trains.id", "loads.car": "cars.id"}


def test_each_row_is_held_out_once_and_classes_are_spread() -> None:
    labels = [True] * 13 + [False] * 29
    masks = list(folds(labels, 10, 1))
    assert (np.sum(masks, axis=0) == 1).all()
    assert {int(mask[:13].sum()) for mask in masks} == {1, 2}
    assert {int(mask[13:].sum()) for mask in masks} == {2, 3}
    assert all((one == other).all() for one, other in zip(masks, folds(labels, 10, 1), strict=True))
    assert any((one != other).any() for one, other in zip(masks, folds(labels, 10, 2), strict=True))


def test_joined_table_counts_and_measures_what_keys_lead_to() -> None:
    database = maxsynth.Database(TRAINS, keys=KEYS)
    description = database.describe("trains.east", keep=["trains.miles", "loads.kg", "cars.roof"])
    found = joined_table(database.data, description, 2)
    columns = dict(zip(found.names, found.values.T.tolist(), strict=True))
    assert columns["miles"] == [10.5, 20.5, 30.5, 40.25]
    assert columns["<cars.train rows"] == [2, 1, 1, 1]
    assert columns["<cars.train roof=flat"] == [1, 0, 1, 0]
    assert columns["<cars.train <loads.car kg greatest"] == [7.5, 1.5, 9.5, 2.25]
    assert columns["<cars.train <loads.car kg mean"] == [6.5, 1.5, 9.5, 2.25]
    assert not any(name.split()[-1].startswith("east") for name in columns), "the target is not in it"
    assert set(joined_table(database.data, description, 0).names) == {"miles"}


def test_what_is_held_out_has_no_label_and_is_predicted() -> None:
    count = 24
    flat = [number % 3 == 0 for number in range(count)]
    tables = {
        "trains": {"id": list(range(count)), "way": ["east" if one else "west" for one in flat]},
        "cars": {"train": list(range(count)), "roof": ["flat" if one else "open" for one in flat]},
    }
    data = maxsynth.Database(tables, keys={"trains": "id", "cars.train": "trains.id"}).data
    labels = np.array(flat)
    held_out = next(folds(flat, 4, 1))
    hidden = ours.without_labels(data, "trains", "way", held_out)
    assert (hidden.tables["trains"].column("way").codes[held_out] == -1).all()
    for options in ({}, {"other": True}, {"weights": (1, 2, 2)}):
        found = ours.predicted(data, ("trains", "way"), (), options, labels, held_out)
        assert (found == labels[held_out]).all(), options


def test_size_of_rules_counts_head_columns_and_limits() -> None:
    rule = rules.narrowed(rules.narrowed({}, 0, above=1.0), 0, above=2.0)  # a later limit takes the place of one
    assert rule == {0: (2.0, np.inf)}
    rule = rules.narrowed(rules.narrowed(rule, 0, at_most=5.0), 3, at_most=1.0)
    assert rules.Rules([rule, {}], None).size == (1 + 1 + 2 + 1 + 1) + 1


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("<12.5", (-np.inf, 12.5)),
        (">0.1", (0.1, np.inf)),
        ("12.5-20.0", (12.5, 20.0)),
        ("3", (3.0, 3.0)),
        ("-1.5", (-1.5, -1.5)),
    ],
)
def test_limits_that_ripper_writes(text: str, limits: tuple[float, float]) -> None:
    assert rules.limits_of(text) == limits


def test_rules_of_trees_cover_what_the_trees_do() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 5))
    labels = (rows[:, 0] > 0.3) & (rows[:, 2] < 0.5) | (rows[:, 4] > 1.2)
    learners = [rules.tree_rules]
    if rules_available("pystreed"):
        learners.append(rules.optimal_tree_rules)
    for learner in learners:
        found = learner(rows, labels, 3)
        covered = np.zeros(len(rows), bool)
        for rule in found.rules:
            tests = [(rows[:, column] > low) & (rows[:, column] <= high) for column, (low, high) in rule.items()]
            covered |= np.logical_and.reduce(tests)
        assert (covered == found.asked(rows)).all()


def rules_available(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def test_flips_of_a_demo_are_the_same_for_tables_and_tasks() -> None:
    """What is one example of the task is one row of the table, with all that its pieces, cars or players are."""
    pytest.importorskip("pandas")
    for name, columns in (("zendo", 50), ("iggp-rps", 20), ("trains demo", 12)):
        case = flipped.Generated.of(name, 3)
        joined = case.joined(1)
        assert joined.values.shape[0] == len(case.labels) == len(case.task.examples)
        assert len(joined.names) >= columns - 5, joined.names
    case = flipped.Generated.of("trains demo", 3)
    cars = [train for train, _ in case.facts()["has_car"]]
    rows = case.joined(1).names.index("<cars.train rows")
    assert case.joined(1).values[:, rows].tolist() == [cars.count(name) for _, name in case.atoms]
    given = case.labels.copy()
    given[[3, 7]] ^= True
    learned = case.learn(given)
    assert set(learned.suspects) == {3, 7}
    assert (learned.covered == case.labels).all()
    assert all(one.doubted for one in learned.suspects.values())


def test_flips_of_a_database(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.csv" for name in TRAINS}
    for name, table in TRAINS.items():
        rows = zip(*table.values(), strict=True)
        files[name].write_text("\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]) + "\n")
    case = flipped.Stored(tmp_path, "trains.east", (), (3, 3))
    given = ~case.labels
    data = case.with_labels(given)
    before, after = (one.tables["trains"].column("east") for one in (case.data, data))
    assert (before.codes != after.codes).all()
    assert (flipped.Stored.with_labels(case, case.labels).tables["trains"].column("east").codes == before.codes).all()
