"""CSV files (and with tabs, TSV): the first line names the columns, each further one is a row.

Everything is read as text, in C++ and each distinct value once; what the columns are is then found from these values
(`texts`), so that identifiers such as `007` stay what they are. An empty field is a missing value, in quotes or not.
Fields may be quoted with `"` and hold line breaks. Between fields stands what the first line has most of: a comma, a
semicolon, a tab or a bar.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

from maxsynth.data.reading.columns import text_column
from maxsynth.data.reading.drafts import Draft, drafted
from maxsynth.data.reading.extras import arrow, needed
from maxsynth.data.reading.files.places import not_utf8, problems_of
from maxsynth.errors import MaxSynthError, Position, listed

MAX_COLUMNS = 10_000
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
BLOCK = 16 << 20
FIRST = 1 << 20  # bytes in which the names of the columns are
LONGEST_FIELD = 1 << 27  # characters


def read_csv_table(path: Path, name: str, notes: list[str]) -> Draft:
    pa = arrow()
    place = Position(str(path))
    with problems_of(path):
        blank, header, separator = first_line(path, place)
        names = column_names(header, notes, name, place)
        if separator != (expected := "\t" if path.suffix.lower() in (".tsv", ".tab") else ","):
            if len(names) > 1:
                notes.append(f"{name}: fields are separated by {SEPARATORS[separator]}")
            else:
                separator = expected
        try:
            table = read(path, blank, len(names), separator)
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            raise broken(path, separator, len(names), str(error)) from None
        check_quotes(path, separator)
    columns = [text_column(one, table.column(at), words=True) for at, one in enumerate(names)]
    return drafted(name, columns, notes)


def read(path: Path, blank: int, columns: int, separator: str) -> Any:
    """All fields as text, each distinct one once in a block."""
    pa, csv_reader = arrow(), needed("pyarrow.csv")
    places = [str(at) for at in range(columns)]
    text = pa.dictionary(pa.int32(), pa.string())
    return csv_reader.read_csv(
        path,
        read_options=csv_reader.ReadOptions(
            column_names=places, skip_rows=blank, skip_rows_after_names=1, block_size=BLOCK
        ),
        parse_options=csv_reader.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=csv_reader.ConvertOptions(column_types=dict.fromkeys(places, text), strings_can_be_null=False),
    )


def first_line(path: Path, place: Position) -> tuple[int, list[str], str]:
    """How many blank lines there are before the names of the columns, these, and what separates fields."""
    with path.open("rb") as file:
        start = file.read(FIRST).removeprefix(codecs.BOM_UTF8)
        used = start.lstrip()
        blank = start[: len(start) - len(used)].count(b"\n")
        start = start.split(b"\n", blank)[-1]
        line = start.split(b"\n", 1)[0]
        if b"\n" not in start:
            line += file.readline(LONGEST_FIELD)
    bare = re.sub(rb'"(?:[^"]|"")*"', b"", line)
    counts = {separator: bare.count(separator.encode()) for separator in SEPARATORS}
    separator = max(counts, key=lambda one: counts[one])
    if counts[separator] >= MAX_COLUMNS:
        raise too_many(counts[separator] + 1, place)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(start)  # which may end in the middle of a character
    except UnicodeDecodeError:
        raise not_utf8(path) or MaxSynthError("this is not UTF-8 text", place) from None
    csv.field_size_limit(LONGEST_FIELD)
    try:
        header = next((row for row in csv.reader(text.splitlines(keepends=True), delimiter=separator) if row), [])
    except csv.Error as error:
        raise MaxSynthError(f"the first line cannot be read: {error}", Position(place.file, 1), "correct it") from None
    return blank, header, separator


def too_many(columns: int, place: Position) -> MaxSynthError:
    return MaxSynthError(
        f"there are {columns:,} columns, and at most {MAX_COLUMNS:,} can be read", place, "choose the ones that matter"
    )


def column_names(header: list[str], notes: list[str], table: str, place: Position) -> list[str]:
    """Names without spaces around them; a column without a name, as some programs write for row numbers, gets one."""
    names = [name.strip() for name in header]
    if not any(names):
        raise MaxSynthError("the first line names no columns", Position(place.file, 1), "give each column a name there")
    for at, name in enumerate(names):
        if not name:
            names[at] = f"column_{at + 1}"
            notes.append(f"{table}: column {at + 1} has no name, and is called {names[at]}")
    again = [name for name, count in Counter(names).items() if count > 1]
    if again:
        raise MaxSynthError(f"several columns have one name: {listed(again)}", Position(place.file, 1), "rename them")
    if all(re.fullmatch(r"[-+.0-9eE]+", name) for name in names):
        notes.append(f"{table}: the first line is taken as names of columns, though these look like numbers")
    return names


def check_quotes(path: Path, separator: str) -> None:
    """A quote that is never closed would make all that follows one field, and nobody would know."""
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            quotes += block.count(b'"')
    if quotes % 2 == 0:
        return
    start = 1
    with path.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            for _ in reader:
                start = reader.line_num + 1
        except csv.Error as error:
            if "end of data" in str(error):
                raise MaxSynthError("a quote is never closed", Position(str(path), start), "close it") from None


def broken(path: Path, separator: str, columns: int, said: str) -> MaxSynthError:
    """The error for a file that Arrow cannot read, with its line: read once more, slowly."""
    if wrong := not_utf8(path):
        return wrong
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator, strict=True)
        start = 1
        try:
            for row in reader:
                if row and len(row) != columns:
                    return MaxSynthError(
                        f"{len(row)} field{'s' * (len(row) != 1)}, where the first line has {columns}",
                        Position(str(path), start),
                        "give each row as many fields as there are columns; quote those with separators in them",
                    )
                start = reader.line_num + 1
        except csv.Error as error:
            return MaxSynthError(f"cannot be read: {error}", Position(str(path), start), "check the quotes there")
    return MaxSynthError(f"cannot be read: {said}", Position(str(path)), "check the file")
