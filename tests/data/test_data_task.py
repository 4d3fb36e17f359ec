"""Tasks from tables: facts, examples, negatives, bias; and what is learned from them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxsynth
from data.small_tables import column, data, make_shop, table
from maxsynth.api.searches.climbing import climb, rungs
from maxsynth.bias.bias import Overrides
from maxsynth.data.dates import program_text
from maxsynth.data.inference.infer import infer
from maxsynth.data.meaning import Argument, Form, Meaning
from maxsynth.data.pairs.negatives import Pairs, all_others, drawn
from maxsynth.data.rows import rows_of
from maxsynth.data.tables import Data, Kind, Table
from maxsynth.data.task import make_task
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import parse_program
from maxsynth.search.result import OPTIMAL, OUT_OF_STEPS, SearchResult

# -- facts ----------------------------------------------------------------------------------------------------

CELLS = st.one_of(st.none(), st.text(max_size=4))


@given(st.lists(st.tuples(CELLS, CELLS), max_size=12))
def test_facts_are_the_rows_without_what_is_missing(rows: list[tuple[str | None, str | None]]) -> None:
    """Whatever text there is comes back as it was."""
    world = data(Table("t", (column("a", [a for a, _ in rows]), column("b", [b for _, b in rows]))))
    meaning = Meaning("p", Form.RELATION, "t", (Argument("a", Kind.TEXT), Argument("b", Kind.TEXT)))
    found = rows_of(meaning, world)
    pairs = [tuple(found.values[code] for code in codes) for codes in found.codes.tolist()]
    assert pairs == list(dict.fromkeys(row for row in rows if None not in row))


def test_values_as_terms() -> None:
    days = column("d", [7305, None, 3], Kind.DATE)
    seconds = column("s", [1.0, 2.0, 2.5], Kind.TIME)
    yes = column("y", [True, False, None])
    world = data(Table("t", (column("id", [1, 2, 3]), days, seconds, yes), ("id",)))

    def values(name: str, kind: Kind) -> list[object]:
        key = Argument("id", Kind.INTEGER)
        found = rows_of(Meaning("p", Form.COLUMN, "t", (key, Argument(name, kind))), world)
        return [found.values[code] for _, code in found.codes.tolist()]

    assert values("d", Kind.DATE) == [7305, 3]
    assert values("s", Kind.TIME) == [1.0, 2.0, 2.5]
    assert values("y", Kind.YES_NO) == ["true", "false"]


# -- learning -------------------------------------------------------------------------------------------------


def test_a_shop(tmp_path: Path) -> None:
    """The reason is found across three tables, dates are numbers, and the leak is said and left out."""
    database = maxsynth.Database(make_shop(tmp_path / "shop.sqlite3"))
    described = database.describe("customers.churned")
    leaks = [column.name for column in described.table("customers").columns if column.leak]
    assert leaks == ["left_on"]
    assert "left_on: number (LEAK? whether it is empty decides the target" in repr(described)
    assert "leak? customers.left_on" in database.task("customers.churned").warnings[-1]
    task = database.task("customers.churned", leave_out=["customers.left_on"])
    result = maxsynth.learn(task)
    assert result.status == OPTIMAL
    assert str(result.program) == "churned(A) :- not_member(A), orders(A,B,_), category(B,toys)."
    result.save(tmp_path / "result.json")
    assert '"data"' in (tmp_path / "result.json").read_text()


def test_frames_are_data_too() -> None:
    trains = pd.DataFrame({"id": range(8), "east": [True, False] * 4})
    cars = pd.DataFrame(
        {"id": range(16), "train": [*range(8)] * 2, "load": ["x", "y"] * 8, "len": [1.5, 2.5, 3.5, 4.5] * 4}
    )
    database = maxsynth.Database({"trains": trains, "cars": cars})
    assert list(database.tables) == ["trains", "cars"]
    result = maxsynth.learn(database.task("trains.east"))
    assert str(result.program) == "east(A) :- cars(A,x,_)."


def test_several_values() -> None:
    flowers = {"kind": ["a", "b", "c"] * 6, "width": [number % 3 + 0.5 for number in range(18)]}
    database = maxsynth.Database({"flowers": pd.DataFrame(flowers)})
    with pytest.raises(MaxSynthError, match=r"flowers\.kind has 3 values.*tasks\(\)"):
        database.task("flowers.kind")
    tasks = database.tasks("flowers.kind")
    found = {value: str(maxsynth.learn(task).program) for value, task in tasks.items()}
    assert found["a"] == "kind_a(A) :- width(A,B), B =< 1.0."
    assert list(found) == ["a", "b", "c"]


def test_links_and_relations_are_learned_as_pairs() -> None:
    pairs = [(one, other) for one in range(10) for other in range(10) if other == one + 2]
    next_one = {"a": range(9), "b": range(1, 10)}
    world = data(
        table("skips", {"a": [f"n{a}" for a, _ in pairs], "b": [f"n{b}" for _, b in pairs]}),
        table("next", {name: [f"n{one}" for one in values] for name, values in next_one.items()}),
    )
    described = infer(Data("<graph>", "graph", world.tables), "skips", negatives=3)
    task = make_task(world, described)
    assert (
        str(maxsynth.learn(task, exact=True, max_vars=3, max_body=2).program) == "skips(A,B) :- next(A,C), next(C,B)."
    )


def test_a_link_is_learned_as_pairs() -> None:
    makers = table("makers", {"id": range(4), "city": ["x", "y", "z", "w"]}, ["id"])
    towns = ["x", "y", "z", "w"] * 4
    cars = table("cars", {"id": range(16), "maker_id": [0, 1, 2, 3] * 4, "town": towns}, ["id"])
    world = data(makers, cars)
    described = infer(world, "cars.maker_id", closed_world=True, keep=["makers.city", "cars.town"])
    task = make_task(world, described)
    assert repr(task) == "<Task cars.maker_id: 16 positive and 48 negative examples of maker/2>"
    assert str(maxsynth.learn(task).program) == "maker(A,B) :- town(A,C), city(B,C)."


def test_nothing_that_rules_could_use() -> None:
    world = data(table("t", {"id": range(6), "y": [0, 1] * 3}, ["id"]))
    with pytest.raises(MaxSynthError, match="all columns are left out"):
        make_task(world, infer(world, "t.y"))


def test_dates_are_shown_as_dates() -> None:
    meanings = {
        ("born", 2): Meaning("born", Form.COLUMN, "t", (Argument("id", Kind.INTEGER), Argument("born", Kind.DATE))),
        ("seen", 2): Meaning("seen", Form.COLUMN, "t", (Argument("id", Kind.INTEGER), Argument("seen", Kind.TIME))),
    }
    program = parse_program("old(A) :- born(A,B), B >= 7305, seen(A,C), C =< 86400.5.")
    text = program_text(program, meanings)
    assert text == (
        "old(A) :- born(A,B), B >= 7305 /* 1990-01-01 */, seen(A,C), C =< 86400.5 /* 1970-01-02 00:00:00.500 */."
    )
    assert parse_program(text) == program


# -- negatives ------------------------------------------------------------------------------------------------


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 3), st.integers(0, 99), st.data())
def test_negatives(first: int, second: int, each: int, seed: int, chance: st.DataObject) -> None:
    """Never true, never twice, each with a side of a positive; the same for the same seed."""
    numbers = chance.draw(st.sets(st.integers(0, first * second - 1), min_size=1))
    known = Pairs([*range(first)], [*range(second)], np.array([divmod(one, second) for one in sorted(numbers)]))
    positives = known.at(np.array(chance.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))))
    found = drawn(positives, known, each, seed)
    true, false = {tuple(pair) for pair in known.codes.tolist()}, [tuple(pair) for pair in found.codes.tolist()]
    assert not true & set(false)
    assert len(set(false)) == len(false) <= each * len(positives.codes)
    assert all(any(a == c or b == d for c, d in positives.codes.tolist()) for a, b in false)
    assert drawn(positives, known, each, seed).codes.tolist() == found.codes.tolist()
    everything = {tuple(pair) for pair in all_others(known).codes.tolist()}
    assert everything | true == {(a, b) for a in range(first) for b in range(second)}
    assert set(false) <= everything


def test_a_closed_world_that_is_too_large() -> None:
    known = Pairs([*range(10_000)], [*range(10_000)], np.array([[0, 1]]))
    with pytest.raises(MaxSynthError, match="in a closed world there are 100,000,000 pairs"):
        all_others(known)


# -- limits that fit the effort -------------------------------------------------------------------------------


def outcome(status: str, cost: int, steps: int) -> SearchResult:
    return SearchResult(status, None, cost, 0, None, {}, counts={"steps": steps})


def test_climbing_ends_where_the_effort_does() -> None:
    asked: list[tuple[Overrides, int | None]] = []
    spaces = [Overrides(2, 1, None), Overrides(3, 2, None), Overrides(4, 3, None)]

    def run(results: list[SearchResult]) -> SearchResult:
        asked.clear()
        waiting = iter(results)

        def step(limits: Overrides, most: int | None) -> SearchResult:
            asked.append((limits, most))
            return next(waiting)

        return climb(spaces, step)

    assert run([outcome(OPTIMAL, 9, 10), outcome(OPTIMAL, 7, 100), outcome(OPTIMAL, 7, 1000)]).counts["steps"] == 1000
    assert [most is None for _, most in asked] == [True, False, False]
    assert run([outcome(OPTIMAL, 9, 10), outcome(OPTIMAL, 7, 100_000)]).cost == 7  # the next would take too long
    assert run([outcome(OPTIMAL, 9, 10), outcome(OUT_OF_STEPS, 9, 99)]).status == OPTIMAL
    assert run([outcome(OPTIMAL, 9, 10), outcome(OUT_OF_STEPS, 8, 99)]).cost == 8


def test_every_space_has_room_for_every_literal() -> None:
    task = maxsynth.Task({"pos": [("f", 1)], "neg": [("f", 2)]}, {"p": [(1, 2, 3, 4, 5)]})
    assert min(limits.max_vars or 0 for limits in rungs(task._bias)) == 5
