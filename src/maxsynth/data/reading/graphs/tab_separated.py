"""Tab-separated triples: subject, relation and object in each line, as the data sets of knowledge graphs have them.

A file .txt is always this. A file .tsv is a table with names in its first line, unless it has three columns and the
middle field of the first line occurs again below it: a relation does, the name of a column does not.
"""

from __future__ import annotations

from pathlib import Path

from maxsynth.data.reading.extras import arrow, needed
from maxsynth.data.reading.files.places import not_utf8
from maxsynth.data.reading.graphs.relations import Triples
from maxsynth.errors import MaxSynthError, Position

START = 1 << 20  # bytes in which a relation is met again
BLOCK = 16 << 20
COLUMNS = ("subject", "relation", "object")
HEADERS = {
    ("head", "relation", "tail"),
    ("subject", "predicate", "object"),
    ("subject", "relation", "object"),
    ("source", "relation", "target"),
}


def are_triples(path: Path) -> bool:
    """Whether a file .tsv has triples and not a table."""
    with path.open("rb") as file:
        lines = [line.rstrip(b"\r").split(b"\t") for line in file.read(START).split(b"\n")]
    return len(lines[0]) == 3 and any(len(line) == 3 and line[1] == lines[0][1] for line in lines[1:])


def read_tab_separated(path: Path, notes: list[str]) -> Triples:
    pa, csv = arrow(), needed("pyarrow.csv")
    with path.open("rb") as file:
        first = file.readline(1 << 16).decode("utf-8-sig", "replace").strip().split("\t")
    header = tuple(field.lower() for field in first) in HEADERS
    if header:
        notes.append(f"the first line names the columns: {', '.join(first)}")
    text = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(column_names=COLUMNS, skip_rows_after_names=int(header), block_size=BLOCK),
            parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, text)),
        )
    except pa.ArrowInvalid as error:
        raise broken(path, str(error)) from None
    triples = Triples(rdf=False)
    for subjects, relations, objects in zip(*(table.column(name).chunks for name in COLUMNS), strict=True):
        triples.add(subjects, relations, objects)
    check_empty(path, triples)
    return triples


def check_empty(path: Path, triples: Triples) -> None:
    """A triple has three parts."""
    for parts in (triples.subjects, triples.relations, triples.objects):
        if any(part.dictionary.index("").as_py() >= 0 for part in parts):
            raise broken(path, "a part of a triple is empty")


def broken(path: Path, said: str) -> MaxSynthError:
    """The error for the first line that is no triple."""
    if wrong := not_utf8(path):
        return wrong
    remedy = "each line is a subject, a relation and an object, with tabs between them"
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\r\n").split("\t")
            if line.strip() and (len(fields) != 3 or not all(fields)):
                count = f"{len(fields)} field{'s' * (len(fields) != 1)}" if len(fields) != 3 else "an empty field"
                return MaxSynthError(f"this is no triple: {count}", Position(str(path), number), remedy)
    return MaxSynthError(f"cannot be read: {said}", Position(str(path)), remedy)
