"""One call that reads whatever is given: a path, a URL, or tables in Python."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from maxsynth.data.reading.databases.condition import Where, none_for_files
from maxsynth.data.reading.databases.duck import read_duckdb
from maxsynth.data.reading.databases.server import read_url
from maxsynth.data.reading.databases.sqlite import read_sqlite
from maxsynth.data.reading.drafts import Draft, finished
from maxsynth.data.reading.extras import arrow
from maxsynth.data.reading.files.folder import read_folder, read_table_file
from maxsynth.data.reading.files.places import form_of, is_folder
from maxsynth.data.reading.frames import ACCEPTED, PLACE, read_frames
from maxsynth.data.reading.graphs.graph import read_graph
from maxsynth.data.reading.graphs.tab_separated import are_triples
from maxsynth.data.reading.keys import Keys, set_keys
from maxsynth.data.tables import Data
from maxsynth.errors import MaxSynthError, Position, shortened

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
FILE_URL = re.compile(r"(?:sqlite|duckdb)(?:\+[a-z]+)?:///")
GRAPHS = (".nt", ".ttl", ".txt")


def open_data(data: object, *, where: Where = None, keys: Keys | None = None, leave_out: Collection[str] = ()) -> Data:
    """Reads data from a path, a database's URL, or a mapping of tables. Nothing is written there.

    `where` has a condition in SQL for a table of a database, `keys` sets keys, and what `leave_out` names (a table, or
    `table.column`) is not read from a database, and forgotten otherwise.
    """
    arrow()
    notes: list[str] = []
    if isinstance(data, Mapping):
        none_for_files(where, PLACE)
        place, form, drafts = PLACE.file, "python", read_frames(data, notes)
    elif isinstance(data, str) and URL.match(data) and not FILE_URL.match(data):
        place, form, drafts = read_url(data, where, leave_out, notes)
    elif isinstance(data, str | os.PathLike):
        path = Path(FILE_URL.sub("", os.fspath(data)) if isinstance(data, str) else data)
        place, (form, drafts) = str(path), read_path(path, where, leave_out, notes)
    else:
        raise MaxSynthError(
            f"{shortened(repr(type(data)))} is no data", PLACE, f"give a path, a URL, or tables: {ACCEPTED}"
        )
    drafts = without(drafts, leave_out)
    position = Position(place)
    if not drafts:
        raise MaxSynthError(
            "there are no tables with columns that can be read", position, "check that it is the right one"
        )
    set_keys(drafts, keys, position)
    return Data(place, form, finished(drafts, notes, position), tuple(notes))


def read_path(path: Path, where: Where, leave_out: Collection[str], notes: list[str]) -> tuple[str, list[Draft]]:
    """The form of what is at a path, and its tables."""
    if is_folder(path):
        none_for_files(where, Position(str(path)))
        return read_folder(path, notes)
    form = form_of(path)
    if form == "sqlite":
        return form, read_sqlite(path, where, leave_out, notes)
    if form == "duckdb":
        return form, read_duckdb(path, where, leave_out, notes)
    none_for_files(where, Position(str(path)))
    if form in GRAPHS or (form == ".tsv" and are_triples(path)):
        return "graph", read_graph(path, form, notes)
    form, draft = read_table_file(path, notes)
    return form, [draft]


def without(drafts: list[Draft], leave_out: Collection[str]) -> list[Draft]:
    """The tables without what is to be left out, if anything remains of them."""
    for draft in drafts:
        draft.columns = [column for column in draft.columns if f"{draft.name}.{column.name}" not in leave_out]
    return [draft for draft in drafts if draft.name not in leave_out and draft.columns]
