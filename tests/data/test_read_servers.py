"""Databases by their URL: a real PostgreSQL server, and DuckDB's files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from data.postgres import PASSWORD, Server, available, running
from maxsynth.data.reading.open_data import open_data
from maxsynth.data.tables import ForeignKey, Kind
from maxsynth.errors import MaxSynthError

needs_server = pytest.mark.skipif(not available(), reason="PostgreSQL is not installed (no `initdb` found)")

SHOP = """
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TABLE lines (region text, number int, opened date, PRIMARY KEY (region, number));
CREATE TABLE "or""der; DROP TABLE lines" (
    "select" bigint PRIMARY KEY,
    "a b" text, region text, line int, price numeric(10, 2), weight real, paid boolean,
    at timestamptz, local timestamp, mood mood, tag uuid, address inet,
    picture bytea, list int[], doc jsonb, took interval, hour time,
    FOREIGN KEY (region, line) REFERENCES lines (region, number)
);
INSERT INTO lines VALUES ('n', 1, '2020-01-31'), ('n', 2, NULL), ('s', 1, '1969-12-31');
INSERT INTO "or""der; DROP TABLE lines" VALUES
    (1, E'a''"\\nü', 'n', 2, 12.50, 0.1, true, '2020-01-31 12:00+02', '2020-01-31 12:00', 'sad',
     '00000000-0000-0000-0000-000000000001', '10.0.0.1', 'x', '{1}', '{}', '1 day', '12:00'),
    (9223372036854775807, '', 'n', 2, 'NaN', 'Infinity', false, NULL, NULL, 'glad', NULL, NULL,
     NULL, NULL, NULL, NULL, NULL);
CREATE VIEW cheap AS SELECT "select" FROM "or""der; DROP TABLE lines" WHERE price < 20;
CREATE TABLE places (at point);
INSERT INTO places VALUES ('(1,2)');
CREATE TABLE parted (day date) PARTITION BY RANGE (day);
CREATE TABLE parted_2020 PARTITION OF parted FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
INSERT INTO parted VALUES ('2020-05-05');
CREATE TABLE log (said text);
CREATE FUNCTION writes() RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO log VALUES ('written'); RETURN true; END $$;
CREATE ROLE reader LOGIN;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
"""
ORDERS = 'or"der; DROP TABLE lines'


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        found.run(SHOP)
        yield found


@needs_server
class TestPostgreSQL:
    def test_types(self, server: Server) -> None:
        data = open_data(server.url())
        assert data.form == "postgresql"
        orders = data.tables[ORDERS]
        kinds = {column.name: column.kind for column in orders.columns}
        assert kinds == {
            "select": Kind.INTEGER,
            "a b": Kind.TEXT,
            "region": Kind.TEXT,
            "line": Kind.INTEGER,
            "price": Kind.REAL,
            "weight": Kind.REAL,
            "paid": Kind.YES_NO,
            "at": Kind.TIME,
            "local": Kind.TIME,
            "mood": Kind.TEXT,
            "tag": Kind.TEXT,
            "address": Kind.TEXT,
        }
        assert orders.column("a b").values == ["a'\"\nü"]
        assert orders.column("select").values[1] == 2**63 - 1
        assert orders.column("price").codes.tolist() == [0, -1]  # NaN
        assert orders.column("at").values.tolist() == [1580464800.0]
        assert orders.column("local").values.tolist() == [1580472000.0]
        assert data.tables["lines"].column("opened").values.tolist() == [18292, -1]
        assert data.tables["lines"].column("opened").codes.tolist() == [0, -1, 1]
        notes = "\n".join(data.notes)
        for left in ("picture", "list", "doc", "took", "hour"):
            assert f"{ORDERS}.{left} is left out" in notes
        assert f"{ORDERS}.weight: 1 infinite numbers are read as missing" in data.notes

    def test_a_type_that_is_not_known(self, server: Server, recwarn: pytest.WarningsRecorder) -> None:
        assert open_data(server.url()).tables["places"].column("at").values == ["(1,2)"]
        assert not recwarn.list

    def test_keys(self, server: Server) -> None:
        data = open_data(server.url())
        assert data.tables["lines"].key == ("region", "number")
        assert data.tables[ORDERS].key == ("select",)
        assert data.tables[ORDERS].foreign_keys == (ForeignKey(("region", "line"), "lines", ("region", "number")),)

    def test_views_and_partitions(self, server: Server) -> None:
        data = open_data(server.url())
        assert "cheap is a view, which is read as a table" in data.notes
        assert len(data.tables["cheap"]) == 1
        assert len(data.tables["parted"]) == 1
        assert "parted_2020" not in data.tables

    @pytest.mark.parametrize(
        ("condition", "rows"),
        [
            ("number = 1", 2),
            ("region LIKE 'n%'", 2),
            ("region = ':n' OR number::text = '2' -- two", 1),
            ("length('\\:x ::') = 6", 3),
        ],
    )
    def test_condition(self, server: Server, condition: str, rows: int) -> None:
        assert len(open_data(server.url(), where={"lines": condition}).tables["lines"]) == rows

    def test_a_role_that_may_only_read_will_do(self, server: Server) -> None:
        assert open_data(server.url("reader")).tables.keys() == open_data(server.url()).tables.keys()

    def test_nothing_can_be_written(self, server: Server) -> None:
        with pytest.raises(MaxSynthError, match="read-only transaction"):
            open_data(server.url(), where={"lines": "writes()"})
        with pytest.raises(MaxSynthError, match="no single condition"):
            open_data(server.url(), where={"lines": "true); DELETE FROM lines; SELECT (1"})
        with pytest.raises(MaxSynthError, match="condition for lines is wrong"):
            open_data(server.url(), where={"lines": "no_such_column = 1"})
        assert server.run("SELECT count(*) FROM log") == [(0,)]
        assert server.run("SELECT count(*) FROM lines") == [(3,)]

    def test_the_password_is_said_nowhere(self, server: Server) -> None:
        data = open_data(server.loopback(PASSWORD))
        assert PASSWORD not in data.place
        assert data.place == f"postgresql://owner@127.0.0.1:{server.port}/postgres"
        with pytest.raises(MaxSynthError, match="authentication failed") as error:
            open_data(server.loopback("hunter2hunter2"))
        assert "hunter2" not in str(error.value)

    def test_a_writer_does_not_change_what_is_read(self, server: Server) -> None:
        """All tables are from one moment, though another connection writes between them."""
        import psycopg

        from maxsynth.data.reading.databases import server as reading

        before = reading.read_table
        try:
            with psycopg.connect(server.url(), autocommit=True) as writer:

                def slowly(*args: object) -> object:
                    writer.execute("INSERT INTO log VALUES ('while it is read')")
                    return before(*args)  # type: ignore[arg-type]

                reading.read_table = slowly  # type: ignore[assignment]
                assert len(open_data(server.url()).tables["log"]) <= 1
        finally:
            reading.read_table = before
            server.run("TRUNCATE log")


def test_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE drugs (id INTEGER PRIMARY KEY, "select" VARCHAR, big HUGEINT, t TIMESTAMP)')
        connection.execute("CREATE TABLE atoms (drug INTEGER REFERENCES drugs (id), mass DOUBLE, on_ BOOLEAN)")
        connection.execute(
            "INSERT INTO drugs VALUES (1, 'it''s', 170141183460469231731687303715884105727, '2020-01-01')"
        )
        connection.execute("INSERT INTO atoms VALUES (1, 1.5, true), (NULL, NULL, NULL)")
    before = hashlib.sha256(path.read_bytes()).digest()
    data = open_data(f"duckdb:///{path}", where={"atoms": "mass > 1 OR mass IS NULL"})
    assert (data.place, data.form) == (str(path), "duckdb")
    assert data.tables["drugs"].column("select").values == ["it's"]
    assert data.tables["drugs"].column("big").values == [2**127 - 1]
    assert data.tables["atoms"].column("mass").codes.tolist() == [0, -1]
    assert data.tables["atoms"].column("on_").values.tolist() == [True]
    np.testing.assert_array_equal(data.tables["drugs"].column("t").values, [1577836800.0])
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert data.tables["drugs"].key == ("id",)
    assert data.tables["atoms"].foreign_keys == (ForeignKey(("drug",), "drugs", ("id",)),)
    with pytest.raises(MaxSynthError, match="condition for atoms is wrong"):
        open_data(path, where={"atoms": "masss > 1"})
