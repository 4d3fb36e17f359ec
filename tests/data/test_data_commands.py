"""The commands on tables: describe, learn, explain, verify, predict; and what they say of mistakes."""

import contextlib
import csv
import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from data.small_tables import make_shop
from maxsynth.cli import main

Capture = pytest.CaptureFixture[str]
TARGET = ["--target", "customers.churned"]
RULE = "churned(A) :- not_member(A), orders(A,B,_), category(B,toys)."


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.sqlite3")


class Learned(NamedTuple):
    shop: Path
    result: Path
    out: str
    err: str


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    """What the command made of a shop, and said: the search takes some seconds, so it is done once."""
    folder = tmp_path_factory.mktemp("learned")
    shop, result = make_shop(folder / "shop.sqlite3"), folder / "result.json"
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        assert main(["learn", str(shop), *TARGET, "--leave-out", "customers.left_on", "--json", str(result)]) == 0
    return Learned(shop, result, out.getvalue(), err.getvalue())


def test_describe(shop: Path, capsys: Capture) -> None:
    assert main(["describe", str(shop), *TARGET]) == 0
    out, err = capsys.readouterr()
    assert "target customers.churned: yes/no: when is it 1?, as churned/1 (= 1)" in out
    assert "link customer_id -> customers.id: declared" in out
    assert "always CH" in out
    assert "leak? customers.left_on: whether it is empty decides the target" in err


def test_learn_to_predict(learned: Learned, tmp_path: Path, capsys: Capture) -> None:
    _, result, out, err = learned
    assert out == f"{RULE}\n"
    assert "left out: customers.name, customers.country, customers.left_on, orders.id" in err
    assert main(["verify", str(result)]) == 0
    assert "all 13 checks hold" in capsys.readouterr().out
    assert main(["evaluate", str(result)]) == 0
    capsys.readouterr()

    new = make_shop(tmp_path / "new.sqlite3", 10, seed=2)
    database = sqlite3.connect(new)
    truth = dict(database.execute("SELECT id, churned FROM customers").fetchall())
    database.execute("ALTER TABLE customers DROP COLUMN churned")  # nobody knows it yet
    database.commit()
    database.close()
    predicted = tmp_path / "predicted.csv"
    assert main(["predict", str(result), str(new), "--csv", str(predicted)]) == 0
    rows = list(csv.DictReader(predicted.open()))
    assert list(rows[0]) == ["id", "churned", "rule"]
    wrong = [row for row in rows if int(row["churned"]) != truth[int(row["id"])]]
    assert len(wrong) <= 1
    assert all((row["rule"] == RULE) == (row["churned"] == "1") for row in rows)
    assert capsys.readouterr().out.splitlines()[0].split() == ["id", "churned", "rule"]


def test_explain_speaks_of_tables(learned: Learned, capsys: Capture) -> None:
    shop, result, _, _ = learned
    covered = next(row for row in predictions(result, shop, capsys) if row[-1] == "1")
    assert main(["explain", str(result), "--example", covered[0]]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"customers {covered[0]} is covered:\n  customers {covered[0]}: churned = 1  by  ")
    assert f"    customers {covered[0]}: member = 0\n" in out
    assert "category = toys" in out
    assert main(["explain", str(result), "--suspects"]) == 0


def predictions(result: Path, source: Path, capsys: Capture) -> list[list[str]]:
    capsys.readouterr()
    assert main(["predict", str(result), str(source)]) == 0
    return [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:]]


def test_a_file_to_edit(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "task.toml"
    assert main(["describe", str(shop), *TARGET, "--save", str(file)]) == 0
    text = file.read_text()
    assert 'data = "shop.sqlite3"' in text
    assert 'left_on = "number"  # LEAK?' in text
    file.write_text(
        text.replace('left_on = "number"', 'left_on = "left out"').replace("# max_vars = 4", "max_vars = 3")
    )
    assert main(["learn", str(file), "--quiet"]) == 0
    assert capsys.readouterr().out.endswith(f"{RULE}\n")
    file.write_text(text.replace("left_on =", "lefton ="))
    assert main(["learn", str(file)]) == 2
    assert "the table customers has no column lefton (did you mean left_on?)" in capsys.readouterr().err


def test_several_values_give_several_programs(tmp_path: Path, capsys: Capture) -> None:
    file, result = tmp_path / "flowers.csv", tmp_path / "result.json"
    rows = [f"{'abc'[number % 3]},{number % 3 + 0.5},{number * 7 % 5}" for number in range(24)]
    file.write_text("\n".join(["kind,width,noise", *rows]))
    assert main(["learn", str(file), "--target", "kind", "--json", str(result), "--quiet"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "kind_a(A) :- width(A,B), B =< 1.0."
    assert len(out) == 3
    assert [one["data"]["target"]["aims"][0]["equals"] for one in json.loads(result.read_text())["results"]] == [*"abc"]
    new = tmp_path / "others.csv"
    new.write_text("width,noise\n0.4,1\n1.5,2\n9,3\n")
    assert main(["predict", str(result), str(new)]) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["row", "kind"], ["1", "a"], ["2", "b"], ["3", "c"],
    ]  # fmt: skip
    assert main(["explain", str(result)]) == 2
    assert "this holds 3 programs" in capsys.readouterr().err


def test_where(shop: Path, capsys: Capture) -> None:
    assert main(["describe", str(shop), *TARGET, "--where", "age > 40", "--json", "-"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert described["where"] == "age > 40"
    assert described["tables"][0]["rows"] < 60


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["learn", "{}", "--target", "customer.churned"], "there is no table customer (did you mean customers?)"),
        (["learn", "{}", "--target", "customers.chrned"], "has no column chrned (did you mean churned?)"),
        (["learn", "{}", "--target", "customers.country"], "customers.country has only one value, CH"),
        (["learn", "{}", *TARGET, "--leave-out", "customers.agee"], "no column agee (did you mean age?)"),
        (["learn", "{}", *TARGET, "--infer"], "--infer is for task folders"),
        (["describe", "{}"], "tables need a target"),
        (["learn", "{}.absent", *TARGET], "shop.sqlite3.absent"),
        (["predict", "{}", "{}"], "this is"),
        (["learn", "{}", "--target", "orders.customer_id", "--closed-world", "--keep", "x.y"], "there is no table x"),
    ],
)
def test_mistakes_are_one_line(shop: Path, arguments: list[str], complaint: str, capsys: Capture) -> None:
    before = shop.read_bytes()
    assert main([argument.replace("{}", str(shop)) for argument in arguments]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.startswith("maxsynth: ")
    assert err.count("\n") == 1
    assert shop.read_bytes() == before


def test_options_for_tables_need_a_target(make_task: Callable[..., Path], capsys: Capture) -> None:
    folder = make_task("head_pred(f,1). body_pred(p,1).", "p(a).", "pos(f(a)).")
    assert main(["learn", str(folder), "--closed-world"]) == 2
    assert capsys.readouterr().err == "maxsynth: --closed-world is for tables (give --target TABLE.COLUMN too)\n"


def test_new_data_must_have_what_the_program_needs(shop: Path, learned: Learned, capsys: Capture) -> None:
    database = sqlite3.connect(shop)
    database.execute("DROP TABLE orders")
    database.commit()
    database.close()
    assert main(["predict", str(learned.result), str(shop)]) == 2
    assert "there is no table orders, which the program needs" in capsys.readouterr().err
