"""Data that cannot be read, of the kinds that people have, and what they are told: one line each."""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from maxsynth.data.reading.open_data import open_data
from maxsynth.errors import MaxSynthError, one_line

SECRET = "hunter2hunter2"


@dataclass(frozen=True)
class Broken:
    """What is given, made in a folder, and the words that name the mistake."""

    name: str
    make: Callable[[Path], object]
    said: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def file(name: str, content: str | bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def database(script: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        with contextlib.closing(sqlite3.connect(folder / "a.db")) as connection:
            connection.executescript(script)
        return folder / "a.db"

    return make


def table(**columns: object) -> Callable[[Path], object]:
    return lambda _: {"t": columns}


def url(text: str) -> Callable[[Path], str]:
    return lambda _: text


def corrupt_sqlite(folder: Path) -> Path:
    rows = "".join(f"INSERT INTO t VALUES ('{'x' * 500}');" for _ in range(100))
    path = database(f"CREATE TABLE t (a TEXT); BEGIN; {rows} COMMIT;")(folder)
    data = bytearray(path.read_bytes())
    data[4096:12288] = b"\xff" * 8192
    path.write_bytes(data)
    return path


def crashed_write(folder: Path) -> Path:
    """A journal that is to be rolled back, as a process leaves it that ended while it wrote."""
    path = database("CREATE TABLE t (a); INSERT INTO t VALUES (1);")(folder)
    pages = path.stat().st_size // 4096
    head = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">IIIII", 0xFFFFFFFF, 0, pages, 512, 4096)
    path.with_name("a.db-journal").write_bytes(head.ljust(512, b"\0") + b"\0" * 4104)
    return path


def locked(folder: Path) -> Path:
    path = database("CREATE TABLE t (a);")(folder)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    KEPT.append(connection)
    return path


KEPT: list[sqlite3.Connection] = []


def corrupt_parquet(folder: Path) -> Path:
    path = folder / "t.parquet"
    pa.parquet.write_table(pa.table({"a": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:-20])
    return path


def damaged_pages(folder: Path) -> Path:
    path = folder / "t.parquet"
    pa.parquet.write_table(pa.table({"a": [f"text {n}" for n in range(1000)]}), path)
    data = bytearray(path.read_bytes())
    data[4:400] = b"\xff" * 396
    path.write_bytes(data)
    return path


def wide_parquet(folder: Path) -> Path:
    path = folder / "t.parquet"
    pa.parquet.write_table(pa.table({f"c{n}": [1] for n in range(10_001)}), path)
    return path


def loop(folder: Path) -> Path:
    (folder / "a.csv").symlink_to(folder / "b.csv")
    (folder / "b.csv").symlink_to(folder / "a.csv")
    return folder / "a.csv"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "a.csv")
    return folder / "a.csv"


def unix_socket(folder: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as one:  # the test is in that folder: a whole path may be too long
        one.bind("a.db")
    return folder / "a.db"


def forbidden(folder: Path) -> Path:
    path = file("a.csv", "a\n1\n")(folder)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    return path


def same_names(folder: Path) -> Path:
    for name in ("t.csv", "t.tsv"):
        (folder / name).write_text("a\n1\n")
    return folder


def unused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


TURTLE = "@prefix : <http://e/> .\n:a :p :b .\n"
TWO = database("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2); CREATE TABLE u (a);")

BROKEN = [
    # Paths
    Broken("no such file", lambda folder: folder / "none.csv", "none.csv: there is no such file or folder"),
    Broken("no such folder", lambda folder: str(folder / "no" / "a.csv"), "there is no such file or folder"),
    Broken("a path through a file", lambda folder: file("a", "x")(folder) / "b.csv", "cannot be read: Not a directory"),
    Broken("null in a path", url("a\0b.csv"), "a path cannot have a null character"),
    Broken("a long path", url("x" * 5000), "cannot be read: File name too long"),
    Broken("loop of links", loop, "a loop of symbolic links"),
    Broken("a pipe", pipe, "this is not a regular file"),
    Broken("a socket", unix_socket, "this is not a regular file"),
    Broken("endless zeros", url("/dev/zero"), "this is not a regular file"),
    Broken("nothing", url("/dev/null"), "this is not a regular file"),
    Broken("no permission", forbidden, "no permission to read it"),
    Broken("empty text", url(""), "this folder has no data files"),
    # Folders
    Broken("empty folder", lambda folder: folder, "this folder has no data files"),
    Broken("folder of other files", lambda folder: file("a.txt", "a\tb\tc\n")(folder).parent,
           "a graph is given by its file"),
    Broken("two files for one table", same_names, "several files would be the table t"),
    Broken("folder with a broken file", lambda folder: file("b.csv", "a,b\n1\n")(folder).parent, "b.csv:2: 1 field"),
    # Files of unknown content
    Broken("empty file", file("a.csv", ""), "the file is empty"),
    Broken("file of blanks", file("a.csv", "\n \n"), "the file is empty"),
    Broken("binary file", file("a.csv", b"a,b\n1,\0\x01\x02\n"), "a.csv:2: this is binary data, not text"),
    Broken("unknown suffix", file("a.docx", "text"), "the form of this file is not known by its name"),
    Broken("gzip", file("a.csv.gz", b"\x1f\x8b\x08\0"), "this is compressed with gzip"),
    Broken("workbook", file("a.xlsx", b"PK\x03\x04...."), "an Excel workbook"),
    Broken("UTF-16", file("a.csv", "a,b\n1,2\n".encode("utf-16")), "this is UTF-16 text"),
    # CSV
    Broken("Latin-1", file("a.csv", "a,b\n1,x\n2,M\u00fcller\n".encode("latin-1")),
           "a.csv:3: this is not UTF-8 text: byte 11 (0xfc)"),
    Broken("Latin-1 in the names", file("a.csv", "gr\u00f6\u00dfe\n1\n".encode("latin-1")),
           "a.csv:1: this is not UTF-8"),
    Broken("too few fields", file("a.csv", 'a,b\n"x\ny",2\n3\n'), "a.csv:4: 1 field, where the first line has 2"),
    Broken("too many fields", file("a.csv", "a,b\n1,2\n3,4,5\n"), "a.csv:3: 3 fields, where the first line has 2"),
    Broken("a name twice", file("a.csv", "a,b, a\n1,2,3\n"), "a.csv:1: several columns have one name: a"),
    Broken("no names", file("a.csv", ",,\n1,2,3\n"), "a.csv:1: the first line names no columns"),
    Broken("a million columns", file("a.csv", ",".join(map(str, range(10**6))) + "\n"), "there are 1,000,000 columns"),
    Broken("open quote", file("a.csv", 'a,b\n1,"x\n'), "a.csv:2: a quote is never closed"),
    Broken("condition on a file", file("a.csv", "a\n1\n"), "a condition in SQL is for databases", {"where": "a = 1"}),
    # Parquet
    Broken("cut Parquet", corrupt_parquet, "the Parquet file is damaged"),
    Broken("damaged Parquet", damaged_pages, "the Parquet file is damaged"),
    Broken("text called Parquet", file("a.parquet", "a,b\n"), "this is no Parquet file"),
    Broken("wide Parquet", wide_parquet, "there are 10,001 columns, and at most 10,000"),
    # SQLite
    Broken("corrupt SQLite", corrupt_sqlite, "malformed"),
    Broken("encrypted SQLite", file("a.db", bytes(range(1, 256)) * 20), "or an encrypted one"),
    Broken("encrypted but for its head", file("a.db", b"SQLite format 3\0" + b"\x99" * 5000), "encrypted or damaged"),
    Broken("cut SQLite", file("a.db", b"SQLite format 3\0"), "cannot be read"),
    Broken("no tables", database("PRAGMA user_version = 1;"), "there are no tables"),
    Broken("locked", locked, "database is locked (another process writes to it"),
    Broken("crashed write", crashed_write, "a write was cut off"),
    Broken("mixed types", database("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), ('x');"), "text (row 3: 'x')"),
    Broken("broken view", database("CREATE VIEW v AS SELECT * FROM nowhere;"), "no such table: main.nowhere"),
    Broken("condition on no table", TWO, "a condition is for the table x", {"where": {"x": "a = 1"}}),
    Broken("condition on some table", TWO, "which of the 2 tables", {"where": "a = 1"}),
    Broken("two statements", TWO, "no single condition", {"where": {"t": "1; DROP TABLE t"}}),
    Broken("condition with an error", TWO, "near \"AND\": syntax error", {"where": {"t": "a AND AND"}}),
    Broken("key with duplicates", database("CREATE TABLE t (a); INSERT INTO t VALUES (1), (1);"),
           "rows 1, 2 have the value 1", {"keys": {"t": "a"}}),
    Broken("key of no table", TWO, "there is no table x", {"keys": {"x": "a"}}),
    Broken("link to no column", TWO, "t has no column c", {"keys": {"u.a": "t.c"}}),
    # URLs
    Broken("unknown scheme", url(f"oracel://me:{SECRET}@host/x"), "oracel is no kind of database that is known"),
    Broken("a web page", url("https://example.org/data.csv"), "https is no kind of database that is known"),
    Broken("no driver", url(f"mysql+mysqlconnector://me:{SECRET}@host/x"), "pip install 'mysql"),
    Broken("no dialect's driver", url(f"mssql+pymssql://me:{SECRET}@host/x"), "pip install 'pymssql'"),
    Broken("no server", lambda _: f"postgresql://me:{SECRET}@127.0.0.1:{unused_port()}/x",
           "the database cannot be read"),
    Broken("no host", url(f"postgresql://me:{SECRET}@no-such-host.invalid/x"), "the database cannot be read"),
    Broken("a URL with a wrong port", url(f"postgresql://me:{SECRET}@host:port/x"), "the URL cannot be understood"),
    Broken("password as an option", lambda _: f"postgresql://me@127.0.0.1:{unused_port()}/x?password={SECRET}",
           "cannot be read"),
    Broken("no such SQLite file", lambda folder: f"sqlite:///{folder}/none.db", "there is no such file"),
    # Graphs
    Broken("Turtle with an error", file("g.ttl", TURTLE + ":a :p ;;\n"), "g.ttl:3"),
    Broken("Turtle without a prefix", file("g.ttl", TURTLE + "x:a :p :b .\n"), "g.ttl:3"),
    Broken("Turtle in Latin-1", file("g.ttl", (TURTLE + ':a :p "\u00fc" .').encode("latin-1")),
           "g.ttl:3: this is not UTF-8"),
    Broken("N-Triples with an error", file("g.nt", "<a:a> <a:p> <a:b> .\n<a:a> <a:p>\n"), "g.nt:2: this is no triple"),
    Broken("N-Triples in Latin-1", file("g.nt", "# x\n<a:a> <a:p> \"\u00fc\" .\n".encode("latin-1")),
           "g.nt:2: this is not UTF-8"),
    Broken("half of a pair", file("g.nt", '<a:a> <a:p> "\\uD83D" .\n'), "an escape stands for no character"),
    Broken("a graph of comments", file("g.nt", "# nothing\n"), "there are no triples"),
    Broken("two columns", file("g.txt", "a\tp\tb\na\tp\n"), "g.txt:2: this is no triple: 2 fields"),
    Broken("an empty part", file("g.txt", "a\tp\tb\na\t\tb\n"), "g.txt:2: this is no triple: an empty field"),
    Broken("text that is no graph", file("g.txt", "Once upon a time\n"), "g.txt:1: this is no triple: 1 field"),
    Broken("triples in another order", file("g.txt", "".join(f"p\te{n}\te0\n" for n in range(10_001))),
           "10,001 relations"),
    # Python
    Broken("a number", lambda _: 5, "is no data"),
    Broken("a frame without a name", lambda _: pd.DataFrame({"a": [1]}), "give a path, a URL, or tables"),
    Broken("no tables in Python", lambda _: {}, "there are no tables"),
    Broken("a list", lambda _: {"t": [1, 2]}, "t: list is no table"),
    Broken("columns without a table", lambda _: {"a": [1], "b": [2]}, "a: list is no table"),
    Broken("a name that is no text", lambda _: {1: {"a": [1]}}, "the name of a table is text, not 1"),
    Broken("columns of two lengths", table(a=[1, 2], b=[1]), "columns of several lengths (a: 2, b: 1)"),
    Broken("a column that is none", table(a=5), "t.a: 5 is no column"),
    Broken("mixed values", table(a=[1, 2, "x"]), "t.a has values of the type int, but also str (rows 3)"),
    Broken("half of a pair in Python", table(a=["\ud83d"]), "t.a: row 1 has text that is not Unicode"),
    Broken("objects", table(a=[object()]), "t.a cannot be read"),
    Broken("names that become one", lambda _: {"t": pd.DataFrame([[1, 2]], columns=[1, "1"])},
           "several columns have one name: 1"),
    Broken("an array of three dimensions", lambda _: {"t": np.zeros((2, 2, 2))}, "the shape (2, 2, 2) is no table"),
    Broken("a million columns in Python", lambda _: {"t": np.zeros((1, 10**6))}, "there are 1,000,000 columns"),
    Broken("no columns", lambda _: {"t": pd.DataFrame(index=[1, 2])}, "there are no tables with columns"),
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_what_is_said(broken: Broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **{"timeout": 0.1, **options}))
    given = broken.make(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and os.access(path, os.R_OK)}
    with pytest.raises(MaxSynthError) as error:
        open_data(given, **broken.options)
    said = one_line(str(error.value))
    assert broken.said in said
    assert SECRET not in str(error.value)
    assert len(said) < 1200
    while KEPT:
        KEPT.pop().close()
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and os.access(path, os.R_OK)}
    assert after == before


def test_a_missing_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    path = file("a.csv", "a\n1\n")(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        MaxSynthError, match=r"reading this needs the package pyarrow \(pip install 'maxsynth\[data\]'\)"
    ):
        open_data(path)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MaxSynthError, match=r"pip install 'maxsynth\[data\]'"):
        open_data("postgresql://localhost/x")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MaxSynthError, match="pip install duckdb"):
        open_data(file("a.duckdb", b"........DUCK")(tmp_path))
