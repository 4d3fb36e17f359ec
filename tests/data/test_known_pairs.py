"""Pairs of a relation that rules about it may use: a pair is known or an example, and never counts for itself."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxsynth
from data.pair_worlds import KNOWN, THINGS, Graph, Pair, covered, random_graph, random_program
from data.small_tables import data, table
from maxsynth.cli import main
from maxsynth.data.description import Description
from maxsynth.data.inference.infer import infer
from maxsynth.data.pairs.known import LEAST, parted
from maxsynth.data.pairs.negatives import Pairs
from maxsynth.data.prediction import Learned, predict
from maxsynth.data.tables import Data
from maxsynth.data.task import make_task
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import Program, parse_program
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.task.task import ReadTask

Effort = Callable[[int, int], int]
Capture = pytest.CaptureFixture[str]
COUNTS = ("tp", "fn", "tn", "fp", "cost")


def graph_data(graph: Graph) -> Data:
    tables = (
        table(name, {"subject": [a for a, _ in pairs], "object": [b for _, b in pairs]})
        for name, pairs in graph.items()
    )
    return data(*tables, form="graph")


def pairs_in(task: ReadTask) -> tuple[list[Pair], list[Pair], list[Pair]]:
    """Those that are known, positive and negative, as texts."""
    store = task.background.store
    tables = task.background.source.tables
    known = tables[KNOWN, 2].rows() if (KNOWN, 2) in tables else np.zeros((0, 2), np.int32)
    sides = (known, task.positives.rows, task.negatives.rows)
    return tuple([tuple(store.term(one).name for one in row) for row in side.tolist()] for side in sides)  # type: ignore[return-value, union-attr]


# -- known or an example --------------------------------------------------------------------------------------


def test_each_pair_is_known_or_an_example(effort: Effort) -> None:
    """And none is false. A rule by which known pairs prove themselves covers no example; other rules cover what follows
    from the known pairs alone."""
    tried = 0
    for seed in range(effort(150, 3000)):
        rng = random.Random(seed)
        graph = random_graph(rng)
        world = graph_data(graph)
        description = infer(world, "r", known=rng.choice([0.2, 0.5, 0.8]), seed=seed, negatives=rng.randint(1, 3))
        try:
            task = make_task(world, description).read()
        except MaxSynthError:  # all pairs are known, and none is an example
            continue
        known, positives, negatives = pairs_in(task)
        assert sorted(known + positives) == sorted(graph["r"])
        assert not set(negatives) & set(graph["r"])
        if not known:
            continue
        tried += 1
        own = parse_program(f"r(A,B) :- {KNOWN}(A,B).")
        assert not Evaluator(task.background, task.bias.head).coverage(own, task.positives.rows).covered.any()
        program = random_program(rng)
        examples = positives + negatives
        rows = np.concatenate([task.positives.rows, task.negatives.rows])
        verdicts = Evaluator(task.background, task.bias.head).coverage(program, rows).covered
        found = {pair for pair, verdict in zip(examples, verdicts.tolist(), strict=True) if verdict}
        assert found == covered(program, {**graph, KNOWN: known}, examples), program
    assert tried > 80


@given(st.sets(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2), st.integers(0, 9), st.data())
def test_a_pair_stays_on_its_side(pairs: set[tuple[int, int]], seed: int, chance: st.DataObject) -> None:
    """Whatever other pairs there are, and in whatever order the things come."""
    values = [f"n{number}" for number in range(31)]
    some = chance.draw(st.sets(st.sampled_from(sorted(pairs)), min_size=1))
    order = chance.draw(st.permutations(range(31)))
    place = {number: at for at, number in enumerate(order)}
    shuffled = [values[number] for number in order]
    all_known, _ = parted(Pairs(values, values, np.array(sorted(pairs))), 0.5, seed)
    few = Pairs(shuffled, shuffled, np.array([(place[a], place[b]) for a, b in sorted(some)]))
    few_known, few_examples = parted(few, 0.5, seed)
    wanted = {(values[a], values[b]) for a, b in all_known.codes.tolist()}
    assert {(shuffled[a], shuffled[b]) for a, b in few_known.codes.tolist()} <= wanted
    assert not {(shuffled[a], shuffled[b]) for a, b in few_examples.codes.tolist()} & wanted


def test_the_share_is_about_what_was_asked_for() -> None:
    values = [str(number) for number in range(200)]
    pairs = Pairs(values, values, np.array([(a, b) for a in range(200) for b in range(200)]))
    for share in (0.1, 0.5, 0.9):
        sides = [parted(pairs, share, seed)[0].numbers() for seed in (1, 2)]
        assert all(abs(len(side) / 40_000 - share) < 0.01 for side in sides)
        both = len(np.intersect1d(*sides)) / 40_000
        assert abs(both - share**2) < 0.01  # seeds have nothing to do with each other


def test_when_pairs_are_known_by_themselves() -> None:
    """Where there are enough, and what is not known is not all false."""
    enough = [(f"n{number}", f"n{number + 1}") for number in range(LEAST)]
    other = {"p": enough}
    assert infer(graph_data({"r": enough, **other}), "r").known == 0.5
    assert infer(graph_data({"r": enough[1:], **other}), "r").known == 0
    assert infer(graph_data({"r": enough, **other}), "r", closed_world=True).known == 0
    assert infer(graph_data({"r": enough, **other}), "r", closed_world=True, known=0.25).known == 0.25
    off = infer(graph_data({"r": enough, **other}), "r", known=0)
    assert (off.known, off.target.known) == (0, "")
    assert not any(one.known for one in off.meanings.values())


def test_a_link_of_a_table(tmp_path: Path) -> None:
    """People are in the department of their boss: what is known of one person is said of another."""
    rng = random.Random(3)
    people = list(range(240))
    boss = [rng.randrange(12) for _ in people]
    departments = [rng.randrange(4) for _ in range(12)]
    world = data(
        table("departments", {"id": range(4), "floor": [1, 2, 3, 4]}, ["id"]),
        table(
            "people",
            {"id": people, "boss_id": boss, "department_id": [departments[one] for one in boss]},
            ["id"],
        ),
    )
    description = infer(world, "people.department_id")
    assert (description.known, description.target.known) == (0.5, "known_department")
    task = make_task(world, description)
    program = str(maxsynth.learn(task).program)
    assert program == "department(A,B) :- boss_id(A,C), known_department(D,B), boss_id(D,C)."
    said = {one.key: one.value for one in predict([Learned(parse_program(program), description)], world)}
    assert set(said.values()) == {"yes"}  # each by others with the same boss


# -- asked about new data -------------------------------------------------------------------------------------


def learned(program: Program, description: Description) -> list[Learned]:
    return [Learned(program, description)]


def test_a_pair_does_not_count_for_itself(effort: Effort) -> None:
    """Pairs that are there are judged by the others; pairs that are given are judged by all of them."""
    meant = {name: [("a", "b"), ("b", "c")] for name in ("r", "p", "q")}  # in which all relations lead to each other
    description = infer(graph_data(meant), "r", known=0.5)
    for seed in range(effort(150, 3000)):
        rng = random.Random(f"new {seed}")
        graph, program = random_graph(rng), random_program(rng)
        facts = {**graph, KNOWN: graph["r"]}
        found = {one.key for one in predict(learned(program, description), graph_data(graph)) if one.value == "yes"}
        assert found == covered(program, facts, graph["r"]), program
        pairs = [(a, b) for a in THINGS for b in THINGS]
        asked = predict(learned(program, description), graph_data(graph), graph_data({"r": pairs}))
        assert {one.key for one in asked if one.value == "yes"} == covered(program, facts, pairs), program


# -- the whole way --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def friends(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Friendship, which is mutual but for some; and who lives where, which has nothing to do with it."""
    rng = random.Random(5)
    people = [f"p{number}" for number in range(60)]
    pairs = {tuple(sorted(rng.sample(people, 2))) for _ in range(200)}
    lines = []
    for one, other in sorted(pairs):
        lines.append(f"{one}\tfriend\t{other}\n")
        if rng.random() < 0.95:
            lines.append(f"{other}\tfriend\t{one}\n")
    lines += [f"{one}\tlives_in\tc{rng.randrange(6)}\n" for one in people]
    file = tmp_path_factory.mktemp("friends") / "graph.txt"
    file.write_text("".join(lines))
    return file


@pytest.fixture(scope="module")
def result(friends: Path) -> Path:
    found = friends.with_name("result.json")
    assert main(["learn", str(friends), "--target", "friend", "--quiet", "--max-vars", "3", "--json", str(found)]) == 0
    return found


def test_learned_verified_evaluated_explained(result: Path, friends: Path, capsys: Capture) -> None:
    kept = json.loads(result.read_text())
    assert kept["program"] == ["friend(A,B) :- known_friend(B,A)."]
    assert kept["data"]["known"] == 0.5
    assert main(["verify", str(result)]) == 0
    assert "all 13 checks hold" in capsys.readouterr().out
    assert main(["evaluate", str(result), "--json", "-"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert {name: counted[name] for name in COUNTS} == {name: kept[name] for name in COUNTS}
    assert main(["explain", str(result)]) == 0
    assert "friend: subject = " in capsys.readouterr().out


def test_predicted(result: Path, friends: Path, tmp_path: Path, capsys: Capture) -> None:
    pairs = [line.split("\t") for line in friends.read_text().splitlines()]
    known = {(a, b) for a, name, b in pairs if name == "friend"}
    assert main(["predict", str(result), str(friends), "--csv", "-"]) == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))[1:]
    assert {(a, b) for a, b, said, _ in rows if said == "yes"} == {(a, b) for a, b in known if (b, a) in known}
    one, other = min((b, a) for a, b in known if (b, a) not in known)
    (tmp_path / "asked.txt").write_text(f"{one}\tfriend\t{other}\n{one}\tfriend\t{one}\n")
    assert main(["predict", str(result), str(friends), "--pairs", str(tmp_path / "asked.txt"), "--csv", "-"]) == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))[1:]
    assert [row[2] for row in rows] == ["yes", "no"]


def test_described_and_kept(friends: Path, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "task.toml"
    assert main(["describe", str(friends), "--target", "friend", "--known", "0.3", "--save", str(file)]) == 0
    said = (
        "30% of the pairs are known, as known_friend/2; the others are positive examples; negative: 1 for each of these"
    )
    assert said in capsys.readouterr().out
    assert "known = 0.3  # the share of the pairs that rules may use, as known_friend; the others are examples" in (
        file.read_text()
    )
    assert main(["describe", str(file), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["known"] == 0.3
    assert main(["describe", str(file), "--known", "0", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["known"] == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("known = 1", "`known` is 1 (give a share, from 0 to less than 1)"),
        ("known = -0.5", "`known` is -0.5 (give a share, from 0 to less than 1)"),
        ("known = true", "`known` is True (give a share, from 0 to less than 1)"),
        ('known = "half"', "`known` is 'half' (give a share, from 0 to less than 1)"),
    ],
)
def test_a_share_that_is_none(friends: Path, tmp_path: Path, capsys: Capture, line: str, said: str) -> None:
    file = tmp_path / "task.toml"
    file.write_text(f'data = "{friends}"\ntarget = "friend"\n{line}\n')
    assert main(["describe", str(file)]) == 2
    assert said in capsys.readouterr().err


def test_what_is_no_share(friends: Path, capsys: Capture) -> None:
    for share in ("1", "-1", "half", "nan"):
        with pytest.raises(SystemExit, match="2"):
            main(["learn", str(friends), "--target", "friend", "--known", share])
        assert "is not a share from 0 to less than 1" in capsys.readouterr().err
    database = maxsynth.Database(str(friends))
    for value in (1, -0.1, "x", True, float("nan")):
        with pytest.raises(MaxSynthError, match="a share of the pairs, from 0 to less than 1"):
            database.describe("friend", known=value)  # type: ignore[arg-type]


def test_a_column_has_no_pairs(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("id,x,y\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(20)))
    assert main(["learn", str(file), "--target", "t.y", "--known", "0.5"]) == 2
    assert "--known is for pairs" in capsys.readouterr().err
    result = tmp_path / "r.json"
    assert main(["learn", str(file), "--target", "t.y", "--quiet", "--json", str(result)]) == 0
    assert main(["predict", str(result), str(file), "--pairs", str(file)]) == 2
    assert "t.y has no pairs" in capsys.readouterr().err


def test_all_pairs_are_known() -> None:
    world = graph_data({"r": [("a", "b")], "p": [("a", "b")]})
    with pytest.raises(MaxSynthError, match="all pairs of r are known, and none is an example"):
        make_task(world, infer(world, "r", known=0.999))
