"""From data to a program to something that runs: the command, Python, and programs that were really learned."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest

import maxsynth
from exporting.databases import Database, Stored
from exporting.worlds import constant, written
from maxsynth.cli import main
from maxsynth.data.meaning import Argument, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.exporting.export import FORMS, SQL_DIALECTS, subject_of_result, subjects_of_file
from maxsynth.exporting.subject import subject_of_meanings
from maxsynth.files import write_text
from maxsynth.logic.programs import parse_program

pytest.importorskip("pyarrow")

Capture = pytest.CaptureFixture[str]
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "kinship"
NODES = ["a", "b", "c", "it's", "E", "f", "g"]  # each with an edge to the next
PATHS = {
    "bias.pl": "head_pred(path,2).\nbody_pred(edge,2).\nbody_pred(linked,2).\nenable_recursion.\n",
    "bk.pl": "".join(f"edge({constant(one)},{constant(other)}).\n" for one, other in pairwise(NODES))
    + "linked(X,Y) :- edge(X,Y).\nlinked(X,Y) :- edge(Y,X).\n",
    "exs.pl": "".join(
        f"{'pos' if i < j else 'neg'}(path({constant(one)},{constant(other)})).\n"
        for (i, one), (j, other) in product(enumerate(NODES), repeat=2)
    ),
}


@pytest.fixture(scope="module")
def path_result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of a run on a folder, which finds a program that calls itself."""
    folder = tmp_path_factory.mktemp("paths")
    for name, text in PATHS.items():
        (folder / name).write_text(text)
    result = folder / "result.json"
    assert main(["learn", str(folder), "--quiet", "--json", str(result)]) == 0
    return result


def shop(path: Path) -> None:
    """Customers and orders, as a small shop has them: amounts as text, dates as text, answers as 0 and 1."""
    rng = random.Random(7)
    database = sqlite3.connect(path)
    database.execute(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT, since TEXT, vip INTEGER, churned BOOLEAN)"
    )
    database.execute(
        'CREATE TABLE orders ("order" INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), amount TEXT,'
        " kind TEXT)"
    )
    number = 0
    for customer in range(80):
        since = f"{rng.choice([2018, 2019, 2021, 2023])}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        late, city, refunded = since >= "2020-06-01", rng.choice(["Bonn", "L'Aquila", "Köln", None]), False
        for _ in range(rng.randint(0, 3)):
            kind, amount = rng.choice(["sale", "refund"]), rng.choice([5.5, 9.0, 10.25, 120.0, 99.5])
            refunded |= kind == "refund" and amount >= 50
            text = rng.choice([str(amount)] * 9 + [""] * (kind == "sale"))
            database.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", (number, customer, text, kind))
            number += 1
        churned = (late and city == "L'Aquila") or refunded
        row = (customer, city, since, rng.choice([0, 1]), churned)
        database.execute("INSERT INTO customers VALUES (?, ?, ?, ?, ?)", row)
    database.commit()
    database.close()


@pytest.fixture(scope="module")
def shop_result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    shop(folder / "shop.db")
    result = folder / "result.json"
    command = ["learn", str(folder / "shop.db"), "--target", "customers.churned", "--quiet", "--json", str(result)]
    assert main([*command, "--timeout", "60"]) == 0
    return result


def exported(capsys: Capture, result: Path, *options: str) -> str:
    assert main(["export", str(result), *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


# -- from data ------------------------------------------------------------------------------------------------------


def shop_tables(path: Path) -> dict[str, Stored]:
    database = sqlite3.connect(path)
    found = {}
    for table in ("customers", "orders"):
        cursor = database.execute(f"SELECT * FROM {table}")
        columns = [column[0] for column in cursor.description]
        rows = [tuple(row) for row in cursor]
        kinds = {"city": Kind.TEXT, "kind": Kind.TEXT, "since": Kind.DATE, "amount": Kind.REAL, "churned": Kind.YES_NO}
        rows = [tuple(None if value == "" else value for value in row) for row in rows]
        if table == "customers":
            rows = [(*row[:-1], bool(row[-1])) for row in rows]
        found[table] = Stored({name: kinds.get(name, Kind.INTEGER) for name in columns}, rows)
    return found


def test_a_shop(shop_result: Path, database: Database, capsys: Capture) -> None:
    """Learned from SQLite, and run there as it is; and where the same tables have other types."""
    result = json.loads(shop_result.read_text())
    query = exported(capsys, shop_result, "--to", "sql", "--dialect", database.dialect)
    found = {key for (key,) in run_on(database, shop_result, query)}
    truth = {key for (key,) in sqlite3.connect(shop_result.parent / "shop.db").execute(
        "SELECT id FROM customers WHERE (city = 'L''Aquila' AND since >= '2020-06-01') OR id IN"
        " (SELECT customer_id FROM orders WHERE kind = 'refund' AND CAST(amount AS REAL) >= 50)"
    )}  # fmt: skip
    assert len(found) == result["tp"] + result["fp"]
    assert len(found & truth) == result["tp"]


def run_on(database: Database, result: Path, query: str) -> list[tuple[Any, ...]]:
    if database.dialect == "sqlite":
        return list(sqlite3.connect(result.parent / "shop.db").execute(query))
    database.load(shop_tables(result.parent / "shop.db"))
    return database.run(query)


def test_a_shop_in_python(shop_result: Path, capsys: Capture, tmp_path: Path) -> None:
    query = exported(capsys, shop_result, "--to", "sql")
    database = sqlite3.connect(shop_result.parent / "shop.db")
    wanted = {str(key) for (key,) in database.execute(query)}
    for table in ("customers", "orders"):
        cursor = database.execute(f"SELECT * FROM {table}")
        with (tmp_path / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(column[0] for column in cursor.description)
            writer.writerows(cursor)
    exported(capsys, shop_result, "--to", "python", "--output", str(tmp_path / "rules.py"))
    command = [sys.executable, "-I", "rules.py", "orders.csv", "customers.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, encoding="utf-8")
    assert {key for (key,) in csv.reader(io.StringIO(done.stdout))} == wanted
    broken = subprocess.run([sys.executable, "rules.py"], cwd=tmp_path, capture_output=True, text=True)
    assert broken.returncode == 2
    assert "is missing" in broken.stderr


def test_a_shop_in_words(shop_result: Path, capsys: Capture) -> None:
    text = exported(capsys, shop_result, "--to", "english")
    assert text.startswith("A customer is churned\n  if ")
    assert "it has an order" in text
    assert "“L'Aquila”" in text


def test_from_python(shop_result: Path) -> None:
    task = maxsynth.Database(str(shop_result.parent / "shop.db")).task(target="customers.churned")
    result = maxsynth.learn(task, timeout=60)
    assert result.export("sql") == maxsynth.export(result, "sql", dialect="sqlite")
    assert subject_of_result(result).meanings == subjects_of_file(shop_result.read_text(), "r")[0].meanings
    for form in FORMS:
        assert result.export(form)
    assert "customers" in maxsynth.Result.load(shop_result).export("sql")


def test_one_program_for_each_value(tmp_path: Path, capsys: Capture) -> None:
    """A file without a key, so that rows are known by their numbers; numbers are text, with words for missing ones."""
    rng = random.Random(3)
    rows = [(rng.choice(["NA", f"{rng.uniform(1, 7):.1f}"]), f"{rng.uniform(0, 3):.1f}") for _ in range(90)]
    kinds = ["tiny" if a != "NA" and float(a) < 2.5 else "wide" if float(b) > 1.6 else "plain" for a, b in rows]
    with (tmp_path / "leaves.csv").open("w") as file:
        file.writelines(
            ["length,width,kind\n", *(f"{a},{b},{kind}\n" for (a, b), kind in zip(rows, kinds, strict=True))]
        )
    result = tmp_path / "result.json"
    source = str(tmp_path / "leaves.csv")
    assert main(["learn", source, "--target", "kind", "--quiet", "--timeout", "60", "--json", str(result)]) == 0
    capsys.readouterr()
    counts = [part["tp"] + part["fp"] for part in json.loads(result.read_text())["results"]]
    text = exported(capsys, result, "--to", "english")
    assert [line for line in text.split("\n") if line.startswith("The")] == [
        "The kind of a leaf is plain", "The kind of a leaf is tiny", "The kind of a leaf is wide",
    ]  # fmt: skip
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE leaves (length TEXT, width TEXT, kind TEXT)")
    database.executemany("INSERT INTO leaves VALUES (?, ?, '')", rows)
    queries = exported(capsys, result, "--to", "sql").split("\n\n")
    assert [len(list(database.execute(query))) for query in queries] == counts
    (tmp_path / "rules.py").write_text(exported(capsys, result, "--to", "python"))
    command = [sys.executable, "-I", str(tmp_path / "rules.py"), source]
    lines = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()
    assert [sum(line.endswith(f",{kind}") for line in lines) for kind in ("plain", "tiny", "wide")] == counts
    for form in ("datalog", "prolog", "latex"):
        assert "kind_tiny" in exported(capsys, result, "--to", form).replace("\\", "")


def test_what_holds_for_every_thing() -> None:
    """A rule that says nothing of one side of a pair: then it is each thing of its table."""
    drug = Argument("id", Kind.INTEGER, "drugs")
    target = Meaning("rival", Form.LINK, "drugs", (drug, Argument("rival", Kind.INTEGER, "drugs")))
    meanings = [Meaning("strong", Form.FLAG, "drugs", (drug,), "strong", 1)]
    program = parse_program("rival(A,B) :- strong(A).")
    subject = subject_of_meanings(program, target, meanings, {"drugs": ("id",)})
    rows = [(1, 1), (2, 0), (3, None)]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE drugs (id, strong)")
    database.executemany("INSERT INTO drugs VALUES (?, ?)", rows)
    assert set(database.execute(written(subject, "sql"))) == {(1, 1), (1, 2), (1, 3)}
    names: dict[str, Any] = {}
    exec(written(subject, "python"), names)
    assert names["TABLES"] == ["drugs"]
    found = names["covered"]({"drugs": [{"id": key, "strong": strong} for key, strong in rows]})
    assert found == {(1, 1), (1, 2), (1, 3)}


# -- from folders ---------------------------------------------------------------------------------------------------


def test_a_program_that_calls_itself(path_result: Path, database: Database, capsys: Capture) -> None:
    result = json.loads(path_result.read_text())
    assert any("path(" in rule.split(":-")[1] for rule in result["program"])
    query = exported(capsys, path_result, "--to", "sql", "--dialect", database.dialect)
    database.load({"edge": Stored({"a1": Kind.TEXT, "a2": Kind.TEXT}, list(pairwise(NODES)))})
    assert sorted(database.run(query)) == sorted(combinations(NODES, 2))


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_a_folder(path_result: Path, form: str, capsys: Capture) -> None:
    assert "path" in exported(capsys, path_result, "--to", form)


def test_kinship(tmp_path: Path, capsys: Capture) -> None:
    """The example of the README, whose background has rules."""
    result = tmp_path / "result.json"
    assert main(["learn", str(EXAMPLE), "--quiet", "--json", str(result)]) == 0
    capsys.readouterr()
    for dialect in SQL_DIALECTS:
        assert "SELECT" in exported(capsys, result, "--to", "sql", "--dialect", dialect)
    assert " if " in exported(capsys, result, "--to", "english")


# -- the command ----------------------------------------------------------------------------------------------------


def refused(capsys: Capture, *arguments: str | Path) -> str:
    """The one line that a command complains in."""
    assert main(["export", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_what_is_refused(path_result: Path, tmp_path: Path, capsys: Capture) -> None:
    assert "no form `cobol`" in refused(capsys, path_result, "--to", "cobol")
    assert "no dialect `oracle`" in refused(capsys, path_result, "--to", "sql", "--dialect", "oracle")
    assert "only SQL has dialects" in refused(capsys, path_result, "--to", "english", "--dialect", "sqlite")
    assert "no such file" in refused(capsys, tmp_path / "none.json", "--to", "sql")
    assert "would be overwritten" in refused(capsys, path_result, "--to", "sql", "--output", path_result)
    assert "folder" in refused(capsys, path_result, "--to", "sql", "--output", tmp_path)
    (tmp_path / "rules.pl").write_text("f(A) :- p(A).\n")
    assert "not JSON" in refused(capsys, tmp_path / "rules.pl", "--to", "sql")
    nothing = json.loads(path_result.read_text()) | {"program": None, "rules": None}
    (tmp_path / "nothing.json").write_text(json.dumps(nothing))
    assert "no program in this result" in refused(capsys, tmp_path / "nothing.json", "--to", "sql")
    lost = json.loads(path_result.read_text()) | {"program": [], "rules": [], "task": str(tmp_path / "gone")}
    (tmp_path / "lost.json").write_text(json.dumps(lost))
    assert "the program is empty" in refused(capsys, tmp_path / "lost.json", "--to", "sql")
    broken = json.loads(path_result.read_text()) | {"data": {"place": "x"}}
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    assert "description of the data" in refused(capsys, tmp_path / "broken.json", "--to", "sql")


def test_the_output_file(path_result: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "query.sql"
    write_text("what was there", str(output))
    assert exported(capsys, path_result, "--to", "sql", "--output", str(output)) == ""
    assert output.read_text() == exported(capsys, path_result, "--to", "sql", "--output", "-")
    if os.geteuid() != 0:
        output.parent.chmod(0o555)
        refused(capsys, path_result, "--to", "sql", "--output", output)


def test_from_standard_input(path_result: Path) -> None:
    command = [sys.executable, "-m", "maxsynth", "export", "-", "--to", "latex"]
    done = subprocess.run(command, input=path_result.read_bytes(), capture_output=True, check=True)
    assert b"\\leftarrow" in done.stdout


def test_what_python_refuses() -> None:
    with pytest.raises(maxsynth.MaxSynthError, match="Result"):
        maxsynth.export("result.json", "sql")  # type: ignore[arg-type]
    task = maxsynth.Task({"pos": [("f", "a")], "neg": [("f", "b")]}, {"p": [("a",)]})
    result = maxsynth.learn(task)
    with pytest.raises(maxsynth.MaxSynthError, match="no form"):
        result.export("cobol")


def test_python_functions_cannot_leave() -> None:
    @maxsynth.predicate("in", "out")
    def half(value: int) -> int:
        return value // 2

    examples = {"pos": [("f", 4), ("f", 5), ("f", 44), ("f", 45)], "neg": [("f", 1), ("f", 9), ("f", 3), ("f", 6)]}
    background = [{"even": [(2,), (22,)]}, half]
    result = maxsynth.learn(maxsynth.Task(examples, background))
    assert result.program is not None
    assert "half" in str(result.program)
    with pytest.raises(maxsynth.MaxSynthError, match="half/2 is a Python function"):
        result.export("sql")
    assert "half" in result.export("prolog")
