"""SQLite files: what is in them, however it is called, and that they stay as they are."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxsynth.data.reading.databases import sqlite
from maxsynth.data.reading.open_data import open_data
from maxsynth.data.tables import Column, Data, ForeignKey, Kind
from maxsynth.errors import MaxSynthError


def made(path: Path, script: str) -> Path:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        connection.commit()
    return path


def rows(column: Column) -> list[object]:
    """The values, row by row."""
    values = list(column.values)
    return [None if code < 0 else values[code] for code in column.codes.tolist()]


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: hashlib.sha256(path.read_bytes()).digest() for path in sorted(folder.iterdir())}


def test_tables_and_keys(tmp_path: Path) -> None:
    path = made(
        tmp_path / "no suffix",
        """
        CREATE TABLE lines (region TEXT, number INTEGER, PRIMARY KEY (region, number));
        CREATE TABLE rides (id INTEGER PRIMARY KEY, r TEXT, n INTEGER, before INTEGER REFERENCES RIDES,
            FOREIGN KEY (r, n) REFERENCES Lines (REGION, Number));
        INSERT INTO lines VALUES ('n', 1), ('n', 2);
        INSERT INTO rides VALUES (1, 'n', 2, NULL), (2, 'n', 1, 1);
        """,
    )
    data = open_data(path)
    assert (data.place, data.form, data.notes) == (str(path), "sqlite", ())
    assert list(data.tables) == ["lines", "rides"]
    assert data.tables["lines"].key == ("region", "number")
    assert data.tables["rides"].key == ("id",)
    assert set(data.tables["rides"].foreign_keys) == {
        ForeignKey(("r", "n"), "lines", ("region", "number")),
        ForeignKey(("before",), "rides", ("id",)),
    }
    assert rows(data.tables["rides"].column("before")) == [None, 1]
    assert open_data(f"sqlite:///{path}").tables.keys() == data.tables.keys()


def test_kinds_come_from_the_values(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        """
        CREATE TABLE t (whole, mixed, year VARCHAR, code TEXT, day TEXT, at TEXT, flag BOOLEAN, late TEXT, gap INTEGER);
        INSERT INTO t VALUES
            (1, 1, '1994', '007', '2020-01-31', '2020-01-31 12:00:00', 1, '2020-02-30', ''),
            (2, 2.5, '-50', '008', '1969-12-31', '2020-01-31T14:00:00+02:00', 0, '2020-01-30', 7),
            (NULL, 9223372036854775807, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        """,
    )
    table = open_data(path).tables["t"]
    assert {column.name: (column.kind, column.stored_as_text) for column in table.columns} == {
        "whole": (Kind.INTEGER, False),
        "mixed": (Kind.REAL, False),
        "year": (Kind.INTEGER, True),
        "code": (Kind.TEXT, False),
        "day": (Kind.DATE, True),
        "at": (Kind.TIME, True),
        "flag": (Kind.YES_NO, False),
        "late": (Kind.TEXT, False),  # there is no 30 February
        "gap": (Kind.INTEGER, False),
    }
    assert rows(table.column("year")) == [1994, -50, None]
    assert rows(table.column("day")) == [18292, -1, None]
    assert rows(table.column("at")) == [1580472000.0, 1580472000.0, None]
    assert rows(table.column("gap")) == [None, 7, None]


def test_linked_columns_have_one_kind(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        """
        CREATE TABLE sites (code TEXT PRIMARY KEY);
        CREATE TABLE visits (site TEXT REFERENCES sites, number TEXT);
        INSERT INTO sites VALUES ('A1'), ('17');
        INSERT INTO visits VALUES ('17', '17');
        """,
    )
    visits = open_data(path).tables["visits"]
    assert visits.column("site").values == ["17"]
    assert visits.column("number").values.tolist() == [17]
    assert len(visits.foreign_keys) == 1


def test_mixed_types_name_their_rows(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER);"
        "INSERT INTO t (n) VALUES (1), ('two'), (3), ('x'), (5), (6);",
    )
    with pytest.raises(MaxSynthError) as error:
        open_data(path)
    assert "t.n has numbers, but also text (row 2: 'two', row 4: 'x')" in str(error.value)
    assert "--leave-out t.n" in str(error.value)
    assert [column.name for column in open_data(path, leave_out=["t.n"]).tables["t"].columns] == ["id"]


def test_mixed_types_in_batches_far_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BATCH", 2)
    path = made(tmp_path / "a.db", "CREATE TABLE t (n); INSERT INTO t VALUES (1), (2), (3), (4), ('x');")
    with pytest.raises(MaxSynthError, match=r"t.n has numbers, but also text \(row 5: 'x'\)"):
        open_data(path)
    path = made(tmp_path / "b.db", "CREATE TABLE t (n); INSERT INTO t VALUES (1), (2), (NULL), (NULL), (2), (0.5);")
    assert rows(open_data(path).tables["t"].column("n")) == [1.0, 2.0, None, None, 2.0, 0.5]


def test_binary_columns_and_views(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, picture BLOB, other);
        INSERT INTO t VALUES (1, x'ff00', x'00'), (2, NULL, x'01');
        CREATE TABLE only_blobs (b BLOB); INSERT INTO only_blobs VALUES (x'00');
        CREATE VIEW v AS SELECT id, id * 2 AS twice FROM t;
        """,
    )
    data = open_data(path)
    assert [column.name for column in data.tables["t"].columns] == ["id"]
    assert list(data.tables) == ["t", "v"]
    assert rows(data.tables["v"].column("twice")) == [2, 4]
    assert data.notes == (
        "t.picture is left out: binary values",
        "t.other is left out: binary values",
        "only_blobs.b is left out: binary values",
        "only_blobs is left out: it has no columns that can be read",
        "v is a view, which is read as a table",
    )


def test_full_text_tables(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('some text');")
    assert list(open_data(path).tables) == ["f"]


def test_a_key_with_nulls_is_none(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "CREATE TABLE t (a TEXT PRIMARY KEY, b); INSERT INTO t VALUES (NULL, 1), ('x', 2);")
    data = open_data(path)
    assert data.tables["t"].key == ()
    assert data.notes == ("t: (a) is no key: row 1 has no value",)


def test_circular_and_broken_links(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        """
        CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b (id), gone INTEGER REFERENCES nowhere (id));
        CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id));
        INSERT INTO a VALUES (1, 1, 1); INSERT INTO b VALUES (1, 1);
        """,
    )
    data = open_data(path)
    assert data.tables["a"].foreign_keys == (ForeignKey(("b",), "b", ("id",)),)
    assert data.tables["b"].foreign_keys == (ForeignKey(("a",), "a", ("id",)),)
    assert "there is no table nowhere" in data.notes[0]


class TestCondition:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return made(tmp_path / "a.db", "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y;)'), (3, 'z');")

    def test_rows(self, path: Path) -> None:
        assert rows(open_data(path, where="a > 1").tables["t"].column("a")) == [2, 3]
        assert rows(open_data(path, where={"t": "b = 'y;)' -- a comment"}).tables["t"].column("a")) == [2]

    @pytest.mark.parametrize(
        "condition",
        [
            "1; DELETE FROM t",
            "1) OR (1",
            "a = 'x",
            "1) UNION SELECT * FROM t WHERE (1",
            "",
            "/* 1",
            "(1",
            "nothing = 1",
        ],
    )
    def test_what_is_no_condition(self, path: Path, condition: str) -> None:
        before = state(path.parent)
        with pytest.raises(MaxSynthError):
            open_data(path, where={"t": condition})
        assert state(path.parent) == before


# -- names and values -----------------------------------------------------------------------------------------

NAMES = ["select", 'a"b', "a b", "a.b", "%s", ":x", "?", "[x]", "`x`", "x'; DROP TABLE t; --", "ü\n", "", "日本", "A\\"]


def test_names_can_be_anything(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for name in NAMES:
            columns = ", ".join(sqlite.quoted(other) for other in NAMES)
            connection.execute(f"CREATE TABLE {sqlite.quoted(name)} ({columns})")
            connection.execute(f"INSERT INTO {sqlite.quoted(name)} VALUES ({', '.join('?' * len(NAMES))})", NAMES)
        connection.commit()
    data = open_data(path)
    assert list(data.tables) == NAMES
    for table in data.tables.values():
        assert [column.name for column in table.columns] == NAMES
        assert [rows(column)[0] or "" for column in table.columns] == NAMES


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.none(), st.text()), min_size=1, max_size=30))
def test_texts_come_back_unchanged(tmp_path: Path, texts: list[str | None]) -> None:
    path = tmp_path / "a.db"
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        # One that is no number, so that all are text.
        connection.executemany("INSERT INTO t (a) VALUES (?)", [("~",), *((text,) for text in texts)])
        connection.commit()
    column = open_data(path).tables["t"].column("a")
    assert rows(column) == ["~", *(text or None for text in texts)]
    assert len(set(column.values)) == len(column.values)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db", "CREATE TABLE t (a, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, CAST(x'ff41' AS TEXT));"
    )
    with pytest.raises(MaxSynthError, match=r"t\.b has text that is not UTF-8, in row 2"):
        open_data(path)


# -- nothing is written ---------------------------------------------------------------------------------------


def all_of(data: Data) -> dict[str, list[list[object]]]:
    return {name: [rows(column) for column in table.columns] for name, table in data.tables.items()}


def test_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    before, times = state(tmp_path), path.stat().st_mtime_ns
    open_data(path)
    assert (state(tmp_path), path.stat().st_mtime_ns) == (before, times)
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert all_of(open_data(path)) == {"t": [[1]]}
    finally:
        tmp_path.chmod(0o755)


def test_the_connection_cannot_write(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    with sqlite.connected(path, "mode=ro") as connection:
        for statement in ("DELETE FROM t", "CREATE TABLE u (a)", "PRAGMA user_version = 3"):
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                connection.execute(statement)


@pytest.fixture
def written_ahead(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A database whose last row is only in its log."""
    path = tmp_path / "wal.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO t VALUES (2)")
    yield path, connection
    connection.close()


def test_a_log_that_another_process_writes(written_ahead: tuple[Path, sqlite3.Connection]) -> None:
    path, connection = written_ahead
    before = path.read_bytes()
    assert all_of(open_data(path)) == {"t": [[1, 2]]}
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO t VALUES (3)")
    assert all_of(open_data(path)) == {"t": [[1, 2]]}
    connection.execute("COMMIT")
    assert all_of(open_data(path)) == {"t": [[1, 2, 3]]}
    assert path.read_bytes() == before


def test_a_log_that_a_crash_left(written_ahead: tuple[Path, sqlite3.Connection], tmp_path: Path) -> None:
    path, _ = written_ahead
    other = tmp_path / "left"
    other.mkdir()
    for one in (path, path.with_name("wal.db-wal")):
        (other / one.name).write_bytes(one.read_bytes())
    before = state(other)
    assert all_of(open_data(other / "wal.db")) == {"t": [[1, 2]]}
    assert state(other) == before


def test_an_empty_log(written_ahead: tuple[Path, sqlite3.Connection]) -> None:
    path, connection = written_ahead
    connection.close()
    before = state(path.parent)
    assert list(before) == ["wal.db"]
    assert all_of(open_data(path)) == {"t": [[1, 2]]}
    assert state(path.parent) == before


def test_a_writer_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables are from one moment, or it is an error: never a part of each."""
    path = made(
        tmp_path / "a.db", "CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);"
    )
    before = sqlite.read_table
    refused: list[str] = []

    def write() -> None:
        with contextlib.closing(sqlite3.connect(path, timeout=0.1)) as connection:
            try:
                connection.executescript("BEGIN; INSERT INTO a VALUES (2); INSERT INTO b VALUES (2); COMMIT;")
            except sqlite3.OperationalError as error:
                refused.append(str(error))

    def slowly(*args: object) -> object:
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        return before(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlite, "read_table", slowly)
    assert all_of(open_data(path)) == {"a": [[1]], "b": [[1]]}
    assert refused == ["database is locked"] * 2
