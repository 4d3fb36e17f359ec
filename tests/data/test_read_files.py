"""CSV and Parquet files, and folders of them: above all, what kind each column is."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxsynth.data.reading.open_data import open_data
from maxsynth.data.tables import Column, Kind
from maxsynth.errors import MaxSynthError


def rows(column: Column) -> list[object]:
    values = list(column.values)
    return [None if code < 0 else values[code] for code in column.codes.tolist()]


def column_of(folder: Path, *fields: str) -> Column:
    """A column with these fields, as they stand in the file."""
    path = folder / "t.csv"
    path.write_text("id,x\n" + "".join(f"{row},{field}\n" for row, field in enumerate(fields)), encoding="utf-8")
    return open_data(path).tables["t"].column("x")


@pytest.mark.parametrize(
    ("fields", "kind", "values"),
    [
        (("1", "-2", "0"), Kind.INTEGER, [1, -2, 0]),
        ((" 1", "2 ", ""), Kind.INTEGER, [1, 2, None]),
        (("1", "2.5", ".5", "1e3"), Kind.REAL, [1.0, 2.5, 0.5, 1000.0]),
        (("1.10", "1.1"), Kind.REAL, [1.1, 1.1]),
        (("1.0", "", "-3.0"), Kind.INTEGER, [1, None, -3]),
        (("1.0", "3.0"), Kind.REAL, [1.0, 3.0]),
        (("1.0", "", "2"), Kind.REAL, [1.0, None, 2.0]),
        (("-0.0", "0.0"), Kind.REAL, [0.0, 0.0]),
        (("007", "8"), Kind.TEXT, ["007", "8"]),
        (("+49", "8"), Kind.TEXT, ["+49", "8"]),
        (("-0", "8"), Kind.REAL, [0.0, 8.0]),
        (("1e999", "8"), Kind.TEXT, ["1e999", "8"]),
        (("1 000", "8"), Kind.TEXT, ["1 000", "8"]),
        (("18446744073709551616", "1"), Kind.INTEGER, [2**64, 1]),
        (("0", "1"), Kind.INTEGER, [0, 1]),
        (("true", "False", ""), Kind.YES_NO, [True, False, None]),
        (("Yes", "NO", "yes"), Kind.YES_NO, [True, False, True]),
        (("t", "f"), Kind.YES_NO, [True, False]),
        (("t", "t"), Kind.TEXT, ["t", "t"]),
        (("yes", "f"), Kind.TEXT, ["yes", "f"]),
        (("NA", "1", "?"), Kind.INTEGER, [None, 1, None]),
        (("NA", "DE"), Kind.TEXT, ["NA", "DE"]),
        (("NA", "null"), Kind.TEXT, ["NA", "null"]),
        (("2020-02-29", "1969-12-31"), Kind.DATE, [18321, -1]),
        (("2021-02-29", "1969-12-31"), Kind.TEXT, ["2021-02-29", "1969-12-31"]),
        (("2020-01-01", "2020-01-01 00:01"), Kind.TIME, [1577836800.0, 1577836860.0]),
        (("2020-01-01T00:00:00Z", "2020-01-01T00:00:00-01:30"), Kind.TIME, [1577836800.0, 1577842200.0]),
        (("2020-01-01 00:00:00.5 +0000",), Kind.TIME, [1577836800.5]),
        (("2020-01-01 25:00",), Kind.TEXT, ["2020-01-01 25:00"]),
        (('"a,""b""\n c"', '""'), Kind.TEXT, ['a,"b"\n c', None]),
        ((" a", "b "), Kind.TEXT, [" a", "b "]),
        (("", ""), Kind.TEXT, [None, None]),
    ],
)
def test_kinds(tmp_path: Path, fields: tuple[str, ...], kind: Kind, values: list[object]) -> None:
    column = column_of(tmp_path, *fields)
    assert (column.kind, rows(column)) == (kind, values)


def expected(fields: list[str]) -> Kind:
    """What a column is, decided in another way: value by value, with Python's own readers."""
    present = [field for field in fields if field]
    if not present:
        return Kind.TEXT

    def all_are(reader: object, pattern: str) -> bool:
        for field in present:
            try:
                reader(field)  # type: ignore[operator]
            except ValueError:
                return False
            if not re.fullmatch(pattern, field, re.ASCII):
                return False
        return True

    if all_are(int, r"0|-?[1-9]\d*"):
        return Kind.INTEGER
    if len(present) < len(fields) and all_are(float, r"(0|-?[1-9]\d*)\.0"):  # as pandas writes integers with gaps
        return Kind.INTEGER
    if all_are(float, r"-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?") and max(map(abs, map(float, present))) < 1e308:
        return Kind.REAL
    if all_are(datetime.date.fromisoformat, r"\d{4}-\d\d-\d\d"):
        return Kind.DATE
    if all_are(datetime.datetime.fromisoformat, r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?"):
        return Kind.TIME
    return Kind.TEXT


NUMBERISH = st.from_regex(r"-?[0-9]{0,3}\.?[0-9]{0,2}(e[0-9])?", fullmatch=True)
DATES = st.dates(min_value=datetime.date(1, 1, 1)).map(str)
TIMES = st.datetimes().map(str)
FIELDS = st.one_of(
    st.lists(NUMBERISH, max_size=4),
    st.lists(st.integers().map(str), max_size=4),
    st.lists(st.one_of(DATES, TIMES), max_size=4),
    st.lists(st.one_of(DATES, NUMBERISH), max_size=3),
    st.lists(st.from_regex(r"20[0-9]{2}-[01][0-9]-[0-3][0-9]", fullmatch=True), max_size=3),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FIELDS)
def test_kinds_as_another_reader_finds_them(tmp_path: Path, fields: list[str]) -> None:
    fields = ["" if field in (".", "-") else field for field in fields]  # words for what is missing
    assert column_of(tmp_path, *fields).kind is expected(fields)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text(st.characters(exclude_characters="\0\r", codec="utf-8")), min_size=2, max_size=2)))
def test_texts_come_back_unchanged(tmp_path: Path, table: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["a", "b"], ["~", "~"], *table])
    (tmp_path / "t.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    found = open_data(tmp_path / "t.csv").tables["t"]
    assert rows(found.column("a")) == ["~", *(row[0] or None for row in table)]
    assert rows(found.column("b")) == ["~", *(row[1] or None for row in table)]


def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values have the order of first sight, however a file is cut."""
    from maxsynth.data.reading.files import csv_tables

    texts = [f"v{(7 * row) % 50}" for row in range(500)]
    (tmp_path / "t.csv").write_text("id,x\n" + "".join(f'{row},"{text}\n"\n' for row, text in enumerate(texts)))
    whole = open_data(tmp_path / "t.csv").tables["t"].column("x")
    monkeypatch.setattr(csv_tables, "BLOCK", 64)
    parts = open_data(tmp_path / "t.csv").tables["t"].column("x")
    assert rows(whole) == rows(parts) == [f"{text}\n" for text in texts]
    assert whole.values == parts.values == list(dict.fromkeys(f"{text}\n" for text in texts))


@pytest.mark.parametrize(
    ("text", "columns", "note"),
    [
        ("a;b\n1,5;x\n", ["a", "b"], "t: fields are separated by semicolons"),
        ("a\tb\n1\tx\n", ["a", "b"], "t: fields are separated by tabs"),
        (",b\n0,x\n", ["column_1", "b"], "t: column 1 has no name, and is called column_1"),
        ("1,2\n3,4\n", ["1", "2"], "t: the first line is taken as names of columns, though these look like numbers"),
        ("\ufeff a , b\r\n1,x\r\n", ["a", "b"], None),
        ("\n \r\n\na,b\n\n1,x\n", ["a", "b"], None),
        ('"a\nb",c\n1,x\n', ["a\nb", "c"], None),
        ('"a,b"\n1\n', ["a,b"], None),
        ("a,b\n", ["a", "b"], None),
    ],
)
def test_the_first_line(tmp_path: Path, text: str, columns: list[str], note: str | None) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode())
    data = open_data(tmp_path / "t.csv")
    assert [column.name for column in data.tables["t"].columns] == columns
    assert list(data.notes) == ([note] if note else [])
    assert len(data.tables["t"]) == (text != "a,b\n")


def test_a_slip_among_numbers_is_noted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x\n" + "".join(f"{n}\n" for n in range(50)) + "5O\n")
    assert open_data(tmp_path / "t.csv").notes == (
        "t.x: read as text, since 1 of its values are no plain numbers (row 51 has '5O')",
    )


def test_missing_words_are_noted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,a\nNA,b\n3,c\n")
    assert open_data(tmp_path / "t.csv").notes == (
        "t.x: 1 values are read as missing, since they are 'NA' among others of one kind",
    )


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "drugs.csv").write_text("id,name\n1,a\n2,b\n")
    (tmp_path / "Atoms.TSV").write_text("drug\tmass\n1\t1.5\n")
    pa.parquet.write_table(pa.table({"x": [1]}), tmp_path / "more.parquet")
    (tmp_path / "README.md").write_text("not a table")
    (tmp_path / ".hidden.csv").write_text("x\n1\n")
    data = open_data(tmp_path, keys={"drugs": "id", "Atoms.drug": "drugs.id"})
    assert list(data.tables) == ["Atoms", "drugs", "more"]
    assert data.form == "files"
    assert data.notes == ("files in the folder that are no tables: README.md",)
    assert data.tables["drugs"].key == ("id",)
    with pytest.raises(MaxSynthError, match="SQL is for databases"):
        open_data(tmp_path, where={"drugs": "id = 1"})


def test_parquet(tmp_path: Path) -> None:
    moment = datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    table = pa.table(
        {
            "text": pa.array(["1", "2", None]),
            "category": pa.array(["b", "a", "b"]).dictionary_encode(),
            "float": pa.array([0.1, float("nan"), None], pa.float32()),
            "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("1.50")]),
            "large": pa.array([2**64 - 1, 1, 2], pa.uint64()),
            "day": pa.array([datetime.date(1970, 1, 2)] * 3),
            "at": pa.array([moment] * 3, pa.timestamp("ns", "Europe/Berlin")),
            "flag": pa.array([True, None, False]),
            "none": pa.nulls(3),
            "list": pa.array([[1], [2], None]),
            "struct": pa.array([{"a": 1}] * 3),
            "bytes": pa.array([b"x"] * 3),
        }
    )
    pa.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=1)
    data = open_data(tmp_path / "t.parquet")
    found = {column.name: (column.kind, rows(column)) for column in data.tables["t"].columns}
    assert found == {
        "text": (Kind.TEXT, ["1", "2", None]),
        "category": (Kind.TEXT, ["b", "a", "b"]),
        "float": (Kind.REAL, [0.1, None, None]),
        "decimal": (Kind.REAL, [1.5, None, 1.5]),
        "large": (Kind.INTEGER, [2**64 - 1, 1, 2]),
        "day": (Kind.DATE, [1, 1, 1]),
        "at": (Kind.TIME, [1577872800.0] * 3),
        "flag": (Kind.YES_NO, [True, None, False]),
        "none": (Kind.TEXT, [None] * 3),
    }
    assert data.form == "parquet"
    assert [note.partition(":")[0] for note in data.notes] == [
        f"t.{name} is left out" for name in ("list", "struct", "bytes")
    ]


@pytest.mark.parametrize(
    "values", [["1,5", "2,25"], ["$1,200", "$30"], ["12%", "7.5%"], ["31.1.2020", "1.2.2021"], ["1 000", "12 500,50"]]
)
def test_numbers_as_people_write_them_are_text_and_noted(values: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a;b", *(f"{value};x" for value in values)]))
    data = open_data(path)
    assert data.tables["t"].column("a").values == values
    assert data.notes[1:] == (
        f"t.a: read as text, such as {values[0]!r}; plain numbers are 1234.5, and dates 2020-01-31",
    )


@pytest.mark.parametrize("values", [["007", "008"], ["+49", "+41"], ["1.2.3", "1.2.4"], ["A1", "B2"]])
def test_names_with_digits_are_text_and_not_noted(values: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a;b", *(f"{value};x" for value in values)]))
    data = open_data(path)
    assert data.tables["t"].column("a").values == values
    assert data.notes == ("t: fields are separated by semicolons",)
