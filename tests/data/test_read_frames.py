"""Tables that Python has: every library's frames come out as the same columns."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsynth.data.reading.open_data import open_data
from maxsynth.data.tables import Column, ForeignKey, Kind, Table
from maxsynth.errors import MaxSynthError

DAY = datetime.datetime(2020, 1, 31, 12, 30)
COLUMNS: dict[str, list[object]] = {
    "id": [3, 1, 2],
    "name": ["b", None, "a"],
    "mass": [1.5, -2.25, 1.5],
    "flag": [True, False, True],
    "at": [DAY, DAY, datetime.datetime(1969, 12, 31)],
}


class Stream:
    """What any other library's frame can do."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def rows(column: Column) -> list[object]:
    values = list(column.values)
    return [None if code < 0 else values[code] for code in column.codes.tolist()]


def contents(table: Table) -> dict[str, tuple[Kind, list[object]]]:
    return {column.name: (column.kind, rows(column)) for column in table.columns}


@pytest.mark.parametrize(
    "make",
    [
        dict,
        pd.DataFrame,
        lambda columns: pd.DataFrame(columns).astype({"name": object}),
        lambda columns: pd.DataFrame(columns).convert_dtypes(),
        lambda columns: pd.DataFrame(columns).astype({"name": "category"}),
        lambda columns: pd.DataFrame(columns).set_index("id"),
        pl.DataFrame,
        lambda columns: pl.DataFrame(columns).with_columns(pl.col("name").cast(pl.Categorical)),
        pa.table,
        pa.record_batch,
        lambda columns: pa.concat_tables([pa.table(columns).slice(0, 1), pa.table(columns).slice(1)]),
        lambda columns: Stream(pa.table(columns)),
        lambda columns: {name: pd.Series(values) for name, values in columns.items()},
        lambda columns: {name: pl.Series(values) for name, values in columns.items()},
        lambda columns: {name: pa.array(values) for name, values in columns.items()},
    ],
)
def test_all_frames_are_the_same(make: Callable[[dict[str, list[object]]], object]) -> None:
    data = open_data({"things": make(COLUMNS)})
    assert (data.place, data.form, data.notes) == ("<tables>", "python", ())
    assert contents(data.tables["things"]) == {
        "id": (Kind.INTEGER, [3, 1, 2]),
        "name": (Kind.TEXT, ["b", None, "a"]),
        "mass": (Kind.REAL, [1.5, -2.25, 1.5]),
        "flag": (Kind.YES_NO, [True, False, True]),
        "at": (Kind.TIME, [1580473800.0, 1580473800.0, -86400.0]),
    }


def test_numpy() -> None:
    fields = np.array([(1, "a"), (2, "b")], dtype=[("id", ">i4"), ("name", "U3")])
    plain = np.array([[1.0, 2.0], [3.0, np.nan]])
    data = open_data({"fields": fields, "plain": plain, "named": (plain, ["x", "y"])})
    assert contents(data.tables["fields"]) == {"id": (Kind.INTEGER, [1, 2]), "name": (Kind.TEXT, ["a", "b"])}
    assert contents(data.tables["plain"]) == {"x0": (Kind.REAL, [1.0, 3.0]), "x1": (Kind.REAL, [2.0, None])}
    assert list(contents(data.tables["named"])) == ["x", "y"]


def test_pandas_makes_integers_floats() -> None:
    frame = pd.DataFrame({"drug": [1, None, 3], "mass": [1.0, 2.0, 3.0], "charge": [0.5, None, 1.0]})
    table = open_data({"atoms": frame}).tables["atoms"]
    assert [table.column(name).kind for name in ("drug", "mass", "charge")] == [Kind.INTEGER, Kind.REAL, Kind.REAL]


def test_integers_of_any_size() -> None:
    column = open_data({"t": {"x": [2**70, None, 1]}}).tables["t"].column("x")
    assert (column.kind, rows(column)) == (Kind.INTEGER, [2**70, None, 1])


def test_types_of_other_libraries_are_left_out() -> None:
    frame = pd.DataFrame({"id": [1], "month": pd.PeriodIndex(["2020-01"], freq="M")})
    data = open_data({"t": frame})
    assert list(contents(data.tables["t"])) == ["id"]
    assert "t.month is left out" in data.notes[0]


def test_rows_that_were_filtered_keep_no_index() -> None:
    frame = pd.DataFrame({"id": [1, 2, 3]})
    assert list(contents(open_data({"t": frame[frame.id > 1]}).tables["t"])) == ["id"]


def test_infinite_numbers() -> None:
    data = open_data({"t": {"x": [1.0, float("inf"), float("-inf"), float("nan")]}})
    assert rows(data.tables["t"].column("x")) == [1.0, None, None, None]
    assert data.notes == ("t.x: 2 infinite numbers are read as missing",)


def test_no_rows() -> None:
    for empty in (
        {"a": []},
        pd.DataFrame({"a": []}),
        pl.DataFrame({"a": []}),
        pa.table({"a": pa.array([], pa.string())}),
    ):
        assert len(open_data({"t": empty}).tables["t"]) == 0


@settings(max_examples=200)
@given(st.lists(st.one_of(st.none(), st.text(st.characters())), min_size=1))
def test_texts_come_back_unchanged(texts: list[str | None]) -> None:
    table = {"t": {"x": ["~", *texts]}}
    if any("\ud800" <= char <= "\udfff" for text in texts for char in text or ""):  # half of a pair is no character
        with pytest.raises(MaxSynthError, match="not Unicode"):
            open_data(table)
        return
    data = open_data(table)
    assert rows(data.tables["t"].column("x")) == ["~", *(text or None for text in texts)]


@settings(max_examples=200)
@given(st.lists(st.one_of(st.none(), st.floats())))
def test_reals_come_back_unchanged(numbers: list[float | None]) -> None:
    column = open_data({"t": {"x": [0.5, *numbers]}}).tables["t"].column("x")
    wanted = [None if number is None or not np.isfinite(number) else number for number in numbers]
    assert rows(column) == [0.5, *wanted]
    assert len(set(column.values.tolist())) == len(column.values)


# -- keys -----------------------------------------------------------------------------------------------------


def test_keys() -> None:
    data = open_data(
        {
            "drugs": {"id": [1, 2]},
            "atoms": pd.DataFrame({"drug": [1.0, 2.0, 2.0], "number": [1, 1, 2]}),
            "a.b": {"c.d": [1], "e": [2]},
            "bonds": {"drug": [2], "number": [2]},
        },
        keys={
            "drugs": "id",
            "atoms": ("drug", "number"),
            "atoms.drug": "drugs.id",
            "a.b.c.d": "drugs.id",
            ("bonds.drug", "bonds.number"): ("atoms.drug", "atoms.number"),
        },
    )
    assert data.tables["drugs"].key == ("id",)
    assert data.tables["atoms"].key == ("drug", "number")
    assert data.tables["atoms"].foreign_keys == (ForeignKey(("drug",), "drugs", ("id",)),)
    assert data.tables["atoms"].column("drug").kind is Kind.INTEGER  # as the key is
    assert data.tables["a.b"].foreign_keys == (ForeignKey(("c.d",), "drugs", ("id",)),)
    assert data.tables["bonds"].foreign_keys == (ForeignKey(("drug", "number"), "atoms", ("drug", "number")),)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"drugs": "kind"}, r"drugs: \(kind\) is no key: rows 1, 3 have the value x"),
        ({"drugs": "gap"}, r"drugs: \(gap\) is no key: row 2 has no value"),
        ({"drugs": ("kind", "same")}, r"rows 1, 3 have the value x, 1"),
        ({"drugs": "idd"}, "drugs has no column idd"),
        ({"drug": "id"}, "there is no table drug"),
        ({"atoms.drug": "drug.id"}, "there is no table drug"),
        ({"atoms.drug": "drugs.idd"}, "drugs has no column idd"),
        ({"atoms.dru": "drugs.id"}, "atoms has no column dru"),
        ({"atoms.drug": "drugs.kind"}, "drug is integer and drugs.kind is text"),
        ({("atoms.drug", "atoms.n"): "drugs.id"}, "leads not from one table to as many columns"),
        ({"atoms.drug": 3}, "a key is a name or several names, not 3"),
        ("drugs.id", "keys are no mapping"),
    ],
)
def test_wrong_keys(keys: object, said: str) -> None:
    tables = {
        "drugs": {"id": [1, 2, 3], "kind": ["x", "y", "x"], "gap": [1, None, 3], "same": [1, 1, 1]},
        "atoms": {"drug": [1, 1], "n": [1, 2]},
    }
    with pytest.raises(MaxSynthError, match=said):
        open_data(tables, keys=keys)  # type: ignore[arg-type]
