"""What is at a path: whether it can be read at all, and by its first bytes and its name what form it has.

Only regular files are opened: a pipe or a device would make us wait, or never end.
"""

from __future__ import annotations

import contextlib
import errno
import stat
from collections.abc import Iterator
from pathlib import Path

from maxsynth.data.reading.databases.duck import MAGIC as DUCKDB
from maxsynth.data.reading.databases.sqlite import MAGIC as SQLITE
from maxsynth.errors import MaxSynthError, Position

PARQUET = b"PAR1"
HEAD = 1 << 16
KNOWN = "a SQLite or DuckDB file, .csv, .tsv, .parquet, .nt, .ttl, or .txt with tab-separated triples"
OTHERS = {
    b"\x1f\x8b": ("compressed with gzip", "decompress it first: gunzip"),
    b"PK\x03\x04": ("a ZIP archive or an Excel workbook", "unpack it, or save it as CSV"),
    b"\xd0\xcf\x11\xe0": ("an Excel workbook", "save it as CSV"),
    b"ARROW1": ("an Arrow file", "read it with pyarrow, and give the table in Python; or save it as Parquet"),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", "decompress it first: unzstd"),
    b"%PDF": ("a PDF", f"give {KNOWN}"),
}


@contextlib.contextmanager
def problems_of(path: Path) -> Iterator[None]:
    """Errors of the system as those of MaxSynth."""
    place = Position(str(path))
    try:
        yield
    except FileNotFoundError:
        raise MaxSynthError("there is no such file or folder", place, "check the path") from None
    except PermissionError:
        raise MaxSynthError("no permission to read it", place, "check who may read it and its folder") from None
    except OSError as error:
        if error.errno is None:
            raise
        said = "a loop of symbolic links" if error.errno == errno.ELOOP else error.strerror
        raise MaxSynthError(f"cannot be read: {said}", place, "check the path") from None
    except ValueError as error:
        if "embedded null" not in str(error):
            raise
        raise MaxSynthError("a path cannot have a null character", place, "check the path") from None


def is_folder(path: Path) -> bool:
    """Whether it is a folder; an error where it is neither that nor a regular file."""
    with problems_of(path):
        mode = path.stat().st_mode
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise MaxSynthError(
                "this is not a regular file", Position(str(path)), "give a file, not a pipe, a device or a socket"
            )
        return stat.S_ISDIR(mode)


def form_of(path: Path) -> str:
    """`sqlite`, `duckdb`, `parquet`, or the suffix of a file of text."""
    with problems_of(path), path.open("rb") as file:
        head = file.read(HEAD)
    place = Position(str(path))
    if not head.strip():
        raise MaxSynthError("the file is empty", place, "check that it is the right one")
    if head.startswith(SQLITE):
        return "sqlite"
    if head.startswith(PARQUET):
        return "parquet"
    if head[8:12] == DUCKDB:
        return "duckdb"
    for magic, (what, remedy) in OTHERS.items():
        if head.startswith(magic):
            raise MaxSynthError(f"this is {what}", place, remedy)
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".pq"):
        raise MaxSynthError("this is no Parquet file, or a damaged one", place, "write it again")
    if suffix in (".sqlite", ".sqlite3", ".db", ".duckdb"):
        raise MaxSynthError(
            "this is no database of SQLite or DuckDB, or an encrypted one",
            place,
            "decrypt it first, or check that it is the right file",
        )
    check_text(head, place)
    if suffix not in (".csv", ".tsv", ".tab", ".nt", ".ttl", ".txt"):
        raise MaxSynthError(f"the form of this file is not known by its name ({path.name})", place, f"give {KNOWN}")
    return suffix


def check_text(head: bytes, place: Position) -> None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise MaxSynthError("this is UTF-16 text", place, f"save it as UTF-8: iconv -f UTF-16 -t UTF-8 {place.file}")
    if b"\0" in head:
        line = head.count(b"\n", 0, head.find(b"\0")) + 1
        raise MaxSynthError("this is binary data, not text", Position(place.file, line), f"give {KNOWN}")


def not_utf8(path: Path) -> MaxSynthError | None:
    """The error for a file that is not UTF-8, with the place of the first byte that is wrong, if there is one."""
    offset, line = 0, 1
    with path.open("rb") as file:
        for text in file:
            try:
                text.decode()
            except UnicodeDecodeError as error:
                at = offset + error.start
                return MaxSynthError(
                    f"this is not UTF-8 text: byte {at} (0x{text[error.start]:02x})",
                    Position(str(path), line),
                    f"if it is Latin-1, convert it: iconv -f LATIN1 -t UTF-8 {path.name}",
                )
            offset += len(text)
            line += 1
    return None
