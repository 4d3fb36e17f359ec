"""Mistakes that people make with data on the command line: each is one line and status 2, and nothing is written.

What cannot be read at all is in `test_broken_data`; here it is a part of that, as a user meets it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from maxsynth.cli import main

Capture = pytest.CaptureFixture[str]
EVIL = 't"; DROP TABLE pets; --'

PETS = """
CREATE TABLE pets (id INTEGER PRIMARY KEY, owner_id INT REFERENCES owners(id), kind TEXT, age INT, nice BOOLEAN,
    country TEXT, note TEXT);
CREATE TABLE owners (id INTEGER PRIMARY KEY, city TEXT);
CREATE TABLE vets (a, b);
"""
FORMS = ("sql", "python", "prolog", "datalog", "english", "latex")

FILES: dict[str, str | bytes] = {
    "ragged.csv": "id,nice\n1,yes\n2\n",
    "binary.csv": b"id,nice\n\0\1\2",
    "latin.csv": "id,nice\n1,M\u00fcller\n".encode("latin-1"),
    "utf16.csv": "id,nice\n1,yes\n".encode("utf-16"),
    "names.csv": "id,nice\n",
    "one.csv": "id,nice\n1,yes\n2,yes\n",
    "twice.csv": "id,id,nice\n1,1,yes\n",
    "quote.csv": 'id,nice\n1,"yes\n',
    "million.csv": ",".join(map(str, range(10**6))) + "\n",
    "empty.csv": "",
    "fake.db": "this is no database, but it is called so\n" * 30,
    "fake.parquet": "id,nice\n",
    "book.xlsx": b"PK\x03\x04....",
    "graph.ttl": "@prefix : <http://e/> .\n:a :likes ;;\n",
    "graph.nt": "<http://e/a> <http://e/likes>\n",
    "triples.txt": "ann\tlikes\n",
    "folder/pets.csv": "id,age,nice\n" + "".join(f"{n},{n % 7},{'yes' if n % 7 > 3 else 'no'}\n" for n in range(30)),
    "task.toml": 'data = "pets.db"\ntarget = "pets.nice"\n',
    "key.toml": 'data = "pets.db"\ntarget = "pets.nice"\n[tables.pets]\nkey = "kind"\n',
    "role.toml": 'data = "pets.db"\ntarget = "pets.nice"\n[tables.pets.columns]\nkind = "number"\n',
    "word.toml": 'data = "pets.db"\ntarget = "pets.nice"\n[tables.pets.columns]\nkind = "colour"\n',
    "column.toml": 'data = "pets.db"\ntarget = "pets.nice"\n[tables.pets.columns]\nweight = "number"\n',
    "target.toml": 'data = "pets.db"\ntarget = "pets.nice"\n[tables.pets.columns]\nage = "target"\n',
    "broken.toml": "data = ???\n",
    "rules.json": "[1, 2",
    "other.json": '{"name": "not ours"}',
}


class Case(NamedTuple):
    name: str
    command: str  # as a shell takes it
    said: str


CASES = [
    # The target
    Case("no such table", "learn pets.db --target pet.nice", "there is no table pet (did you mean pets?)"),
    Case("no such column", "learn pets.db --target pets.nise", "no column nise (did you mean nice?)"),
    Case("no such value", "learn pets.db --target pets.kind=cow", "pets.kind is never cow"),
    Case("one value", "learn pets.db --target pets.country", "pets.country has only one value, CH"),
    Case("no values", "learn pets.db --target pets.note", "pets.note is empty"),
    Case("no rows", "learn pets.db --target vets.a", "the table vets has no rows"),
    Case("a key", "learn pets.db --target pets.id", "pets.id is the key of its table"),
    Case("names", "learn pets.db --target owners.city", "each value of owners.city is in one row only"),
    Case("a table that is no pairs", "learn pets.db --target pets", "pets is no table of pairs"),
    Case("an empty target", "learn pets.db --target=", "the target is empty"),
    Case("no target", "learn pets.db", "pets.db: tables need a target"),
    Case("no target for a folder", "learn folder", "folder: tables need a target"),
    Case("nothing to describe", "describe pets.db", "pets.db: tables need a target"),
    Case("SQL in a target", f"learn pets.db --target '{EVIL}.nice'", 'there is no table t"; DROP TABLE'),
    # Options
    Case("SQL and more SQL", "learn pets.db --target pets.nice --where '1; DROP TABLE pets'", "no single condition"),
    Case("a wrong condition", "learn pets.db --target pets.nice --where 'age AND AND'", 'near "AND": syntax error'),
    Case("no row is left", "learn pets.db --target pets.nice --where 'age > 99'", "the table pets has no rows"),
    Case("one label is left", "learn pets.db --target pets.nice --where nice", "pets.nice has only one value"),
    Case("a condition on files", "learn folder --target pets.nice --where 'age > 3'", "SQL is for databases"),
    Case("no such column to leave out", "learn pets.db --target pets.nice --leave-out pets.agee", "did you mean age?"),
    Case("leaving out the target", "learn pets.db --target pets.nice --leave-out pets.nice", "what is to be learned"),
    Case("leaving out what is kept", "learn pets.db --target pets.nice --keep pets.age --leave-out pets.age",
         "pets.age is to be left out and to be kept"),
    Case("leaving out everything", "learn pets.db --target pets.nice --leave-out owners --leave-out pets.age "
         "--leave-out pets.kind --leave-out pets.owner_id", "there is nothing that rules could use"),
    Case("negatives of rows", "learn pets.db --target pets.nice --negatives 3", "drawn for pairs only"),
    Case("a closed world of rows", "learn pets.db --target pets.nice --closed-world", "drawn for pairs only"),
    Case("--infer of tables", "learn pets.db --target pets.nice --infer", "--infer is for task folders"),
    Case("steps of a solver", "learn pets.db --target pets.nice --solver clingo --steps 9", "cannot be counted"),
    Case("exact and weights", "learn pets.db --target pets.nice --exact --weights auto", "no use for --weights auto"),
    Case("little memory", "learn pets.db --target pets.nice --memory 1K", "too little for this task"),
    # Data
    Case("no such file", "learn none.db --target pets.nice", "none.db: there is no such file or folder"),
    Case("ragged rows", "learn ragged.csv --target ragged.nice", "ragged.csv:3: 1 field, where the first line has 2"),
    Case("binary file", "learn binary.csv --target binary.nice", "binary.csv:2: this is binary data"),
    Case("wrong encoding", "learn latin.csv --target latin.nice", "latin.csv:2: this is not UTF-8 text"),
    Case("UTF-16", "learn utf16.csv --target utf16.nice", "utf16.csv: this is UTF-16 text"),
    Case("only names", "learn names.csv --target names.nice", "the table names has no rows"),
    Case("one value in a file", "learn one.csv --target one.nice", "one.nice has only one value"),
    Case("a name twice", "learn twice.csv --target twice.nice", "twice.csv:1: several columns have one name: id"),
    Case("open quote", "learn quote.csv --target quote.nice", "quote.csv:2"),
    Case("a million columns", "learn million.csv --target million.1", "there are 1,000,000 columns"),
    Case("empty file", "describe empty.csv --target empty.nice", "empty.csv: the file is empty"),
    Case("no database", "describe fake.db --target pets.nice", "fake.db: this is no database"),
    Case("no Parquet", "describe fake.parquet --target fake.nice", "this is no Parquet file"),
    Case("a workbook", "describe book.xlsx --target book.nice", "an Excel workbook"),
    Case("wrong Turtle", "learn graph.ttl --target likes", "graph.ttl:2"),
    Case("wrong N-Triples", "learn graph.nt --target likes", "graph.nt:1: this is no triple"),
    Case("two columns for three", "learn triples.txt --target likes", "triples.txt:1: this is no triple"),
    Case("mixed types", "learn mixed.db --target t.y", "t.a has"),
    Case("unknown scheme", "learn oracel://me:geheim@host/x --target t.y", "oracel is no kind of database"),
    Case("no server", "learn postgresql://me:geheim@127.0.0.1:1/x --target t.y", "the database cannot be read"),
    # Files to edit
    Case("no TOML", "learn broken.toml", "broken.toml:1:8: this is no TOML"),
    Case("key with duplicates", "learn key.toml", "(kind) is no key: rows 1, 4, 7"),
    Case("a role that cannot be", "learn role.toml", "role.toml: pets.kind is to be number, and is text"),
    Case("an unknown role", "learn word.toml", "word.toml:4: 'colour' is unknown for kind"),
    Case("an unknown column", "learn column.toml", "the table pets has no column weight"),
    Case("two targets", "learn target.toml", "target.toml: pets.age is called the target"),
    # Results
    Case("no result", "predict rules.json pets.db", "rules.json:1"),
    Case("a result of others", "export other.json --to sql", "other.json: this is no result of a run"),
    Case("a database for a result", "explain pets.db", "pets.db:1: this is binary data"),
    Case("a result without its data", "verify moved.json", "gone.db: there is no such file"),
    Case("a result that was cut", "predict cut.json pets.db", "cut.json: the description of the data is not complete"),
    Case("new data without a table", "predict result.json mixed.db", "mixed.db: "),
    Case("an unknown key", "explain result.json --example 99", "no example has the key `99`"),
    Case("an unknown form", "export result.json --to cobol", "there is no form `cobol`"),
    Case("an unknown dialect", "export result.json --to sql --dialect oracle", "there is no dialect `oracle`"),
    Case("a test of tables", "evaluate result.json --test", "--test is for task folders"),
    # What would be overwritten
    Case("learn over the data", "learn pets.db --target pets.nice --json pets.db", "would be overwritten"),
    Case("learn over the data of a task", "learn task.toml --json pets.db", "would be overwritten"),
    Case("learn over a file of a folder", "learn folder --target pets.nice --json folder/pets.csv", "be overwritten"),
    Case("learn over the data by its URL", "learn sqlite:///pets.db --target pets.nice --json pets.db", "overwritten"),
    Case("describe over the data", "describe pets.db --target pets.nice --save pets.db", "would be overwritten"),
    Case("export over the data", "export result.json --to sql --output pets.db", "would be overwritten"),
    Case("predict over the data", "predict result.json pets.db --csv pets.db", "would be overwritten"),
    Case("predict over what was learned from", "predict result.json copy.db --csv pets.db", "would be overwritten"),
    Case("explain over the data", "explain result.json --csv pets.db", "would be overwritten"),
    Case("evaluate over another database", "evaluate result.json --json mixed.db", "would be overwritten"),
]  # fmt: skip


def make_database(path: Path, script: str, rows: dict[str, list[tuple[Any, ...]]]) -> Path:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        for table, values in rows.items():
            marks = ", ".join("?" * len(values[0]))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', values)
        connection.commit()
    return path


def make_pets(path: Path) -> Path:
    pets = [(n, n % 5, ("cat", "dog", "bird")[n % 3], n % 7, n % 7 > 3, "CH", None) for n in range(40)]
    owners = [(n, ("Bonn", "Rome", "Oslo", "Kyoto", "Lima")[n]) for n in range(5)]
    return make_database(path, PETS, {"pets": pets, "owners": owners})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that the cases are about, and a result."""
    place = tmp_path_factory.mktemp("broken")
    for name in ("pets.db", "copy.db"):
        make_pets(place / name)
    make_database(place / "mixed.db", "CREATE TABLE t (a, y BOOLEAN);", {"t": [(1, 0), ("x", 1), (2, 1)]})
    (place / "folder").mkdir()
    for name, content in FILES.items():
        (place / name).write_bytes(content.encode() if isinstance(content, str) else content)
    result = place / "result.json"
    assert main(["learn", str(place / "pets.db"), "--target", "pets.nice", "--json", str(result), "--quiet"]) == 0
    known = json.loads(result.read_text())
    (place / "moved.json").write_text(json.dumps({**known, "data": {**known["data"], "place": "gone.db"}}))
    (place / "cut.json").write_text(json.dumps({**known, "data": {**known["data"], "tables": []}}))
    return place


def hashes(place: Path) -> dict[str, str]:
    files = sorted(path for path in place.rglob("*") if path.is_file())
    return {str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_mistake_is_one_line(case: Case, folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    before = hashes(folder)
    capsys.readouterr()
    assert main(shlex.split(case.command)) == 2
    out, err = capsys.readouterr()
    assert case.said in err
    assert err.startswith("maxsynth: ")
    assert err.count("\n") == 1
    assert out == ""
    assert "geheim" not in err
    assert hashes(folder) == before


# -- nothing is written ---------------------------------------------------------------------------------------


def sqlite_file(place: Path) -> Path:
    return make_pets(place / "pets.db")


def sqlite_with_a_log(place: Path) -> Path:
    path = make_pets(place / "pets.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def duckdb_file(place: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(place / "pets.duckdb")) as connection:
        connection.execute("CREATE TABLE pets (id INTEGER PRIMARY KEY, kind TEXT, age INT, nice BOOLEAN)")
        connection.executemany(
            "INSERT INTO pets VALUES (?, ?, ?, ?)",
            [(n, ("cat", "dog", "bird")[n % 3], n % 7, n % 7 > 3) for n in range(40)],
        )
    return place / "pets.duckdb"


def folder_of_files(place: Path) -> Path:
    (place / "pets.csv").write_bytes(str(FILES["folder/pets.csv"]).encode())
    return place


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    before = Path.cwd()
    (tmp_path / "elsewhere").mkdir()
    os.chdir(tmp_path / "elsewhere")
    yield tmp_path / "elsewhere"
    os.chdir(before)


@pytest.mark.parametrize("make", [sqlite_file, sqlite_with_a_log, duckdb_file, folder_of_files])
def test_no_command_writes_to_data(
    make: Callable[[Path], Path], tmp_path: Path, elsewhere: Path, capsys: Capture
) -> None:
    place = tmp_path / "data"
    place.mkdir()
    data = str(make(place))
    before, times = hashes(place), {path: path.stat().st_mtime_ns for path in place.iterdir()}
    target = ["--target", "pets.nice"]
    commands = [
        ["describe", data, *target, "--save", "task.toml"],
        ["learn", "task.toml", "--quiet"],
        ["learn", data, *target, "--json", "result.json"],
        ["predict", "result.json", data, "--csv", "predicted.csv"],
        *(["export", "result.json", "--to", form] for form in FORMS),
        ["explain", "result.json", "--csv", "suspects.csv"],
        ["verify", "result.json"],
        ["evaluate", "result.json", "--json", "evaluated.json"],
    ]
    for command in commands:
        assert main(command) == 0, command
        assert hashes(place) == before, command
    assert {path: path.stat().st_mtime_ns for path in place.iterdir()} == times
    assert "nice(A) :- age(A,B), B >= 4." in capsys.readouterr().out


def test_names_that_are_words_of_sql(tmp_path: Path, capsys: Capture) -> None:
    """Reserved words, and a name that would end a statement: learned from, exported, and run as they are."""
    path = make_database(
        tmp_path / "words.db",
        'CREATE TABLE "select" ("from" INTEGER PRIMARY KEY, "order" INT, "group;--" TEXT, "where" BOOLEAN);',
        {"select": [(n, n % 9, EVIL if n % 2 else "it's", n % 9 > 4 and n % 2) for n in range(60)]},
    )
    result = tmp_path / "result.json"
    assert main(["learn", str(path), "--target", "select.where", "--json", str(result), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["export", str(result), "--to", "sql"]) == 0
    with contextlib.closing(sqlite3.connect(path)) as connection:
        covered = {key for (key,) in connection.execute(capsys.readouterr().out)}
    assert covered == {n for n in range(60) if n % 9 > 4 and n % 2}


def test_links_in_a_circle(tmp_path: Path, capsys: Capture) -> None:
    """Tables that lead to each other, and one that leads to itself."""
    path = make_database(
        tmp_path / "circle.db",
        "CREATE TABLE people (id INTEGER PRIMARY KEY, boss_id INT REFERENCES people(id), "
        "team_id INT REFERENCES teams(id), pay INT, happy BOOLEAN);"
        "CREATE TABLE teams (id INTEGER PRIMARY KEY, head_id INT REFERENCES people(id));",
        {
            "people": [(n, n // 3 if n else None, n % 6, n * 7 % 11, n // 3 * 7 % 11 > 5) for n in range(60)],
            "teams": [(n, n + 1) for n in range(6)],
        },
    )
    assert main(["learn", str(path), "--target", "people.happy", "--quiet"]) == 0
    assert capsys.readouterr().out == "happy(A) :- boss(A,B), pay(B,C), C >= 6.\n"
