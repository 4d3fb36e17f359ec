"""Files of tables: one, or all in a folder, a table each with the name of its file."""

from __future__ import annotations

from pathlib import Path

from maxsynth.data.reading.drafts import Draft
from maxsynth.data.reading.files.csv_tables import read_csv_table
from maxsynth.data.reading.files.parquet import read_parquet_table
from maxsynth.data.reading.files.places import form_of, is_folder, problems_of
from maxsynth.errors import MaxSynthError, Position, listed
from maxsynth.files import TABLE_FILES


def read_table_file(path: Path, notes: list[str]) -> tuple[str, Draft]:
    """The form of a file, `csv` or `parquet`, and its table."""
    form = form_of(path)
    if form == "parquet":
        return form, read_parquet_table(path, path.stem, notes)
    return "csv", read_csv_table(path, path.stem, notes)


def read_folder(folder: Path, notes: list[str]) -> tuple[str, list[Draft]]:
    """All tables in a folder, by the order of their names, and the form that they have (`files` if several)."""
    place = Position(str(folder))
    with problems_of(folder):
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    chosen = [path for path in paths if path.suffix.lower() in TABLE_FILES and not is_folder(path)]
    if not chosen:
        raise MaxSynthError(
            "this folder has no data files",
            place,
            f"tables are files with one of {', '.join(TABLE_FILES)}; a graph is given by its file",
        )
    others = [path.name for path in paths if path not in chosen]
    if others:
        notes.append(f"files in the folder that are no tables: {listed(others)}")
    stems = [path.stem for path in chosen]
    if again := sorted({stem for stem in stems if stems.count(stem) > 1}):
        raise MaxSynthError(f"several files would be the table {again[0]}", place, "rename one of them")
    read = [read_table_file(path, notes) for path in chosen]
    forms = {form for form, _ in read}
    return forms.pop() if len(forms) == 1 else "files", [draft for _, draft in read]
