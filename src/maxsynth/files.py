"""Reading and writing a user's files, with an error for each way in which that can fail."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from maxsynth.errors import MaxSynthError, Position

MAX_BYTES = 2 << 30
MAX_BIAS_BYTES = 4 << 20  # clingo takes its time

HOLDS = {
    "bias.pl": "it declares the predicates: head_pred(f,2). body_pred(p,2).",
    "bk.pl": "it holds facts and rules about the things in the examples",
    "exs.pl": "it holds the examples: pos(f(a,b)). neg(f(b,a)).",
}
TABLE_FILES = (".csv", ".tsv", ".tab", ".parquet", ".pq")
INPUTS = ("*.pl", "test/*.pl", *(f"*{suffix}" for suffix in TABLE_FILES))  # of a folder with a task or with data


def read_text(path: Path, *, may_be_empty: bool = False) -> str:
    """The text of a file; a `MaxSynthError` where it cannot be had or is no text."""
    place = Position(str(path))
    most = MAX_BIAS_BYTES if path.name == "bias.pl" else MAX_BYTES
    try:
        with open_regular(path, place) as file:
            return decode(read_all(file, place, most), str(path), may_be_empty=may_be_empty)
    except FileNotFoundError:
        raise MaxSynthError("there is no such file", place, missing_remedy(path)) from None
    except PermissionError:
        raise MaxSynthError("no permission to read it", place, "check who may read the file and its folder") from None
    except OSError as error:
        raise MaxSynthError(f"cannot be read: {error.strerror}", place, "check the path") from None


def open_regular(path: Path, place: Position) -> BinaryIO:
    """Opens a file for reading. A pipe or a device would make us wait, perhaps for ever.

    What the process was given as an open file is taken as it is: `/dev/stdin`, or `/dev/fd/63` for the `<(command)` of
    a shell.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise MaxSynthError("this is a folder, not a file", place, "give a file")
    given = str(path) == "/dev/stdin" or str(path.parent) in ("/dev/fd", "/proc/self/fd")
    if not stat.S_ISREG(mode) and not given:
        raise MaxSynthError("this is not a regular file", place, "give a file, not a pipe, a device or a socket")
    return path.open("rb")


def read_input(path: Path, what: str) -> tuple[str, str]:
    """The text of a file, or of standard input for `-`, which may be empty; and its name in messages."""
    if str(path) != "-":
        return read_text(path, may_be_empty=True), str(path)
    if sys.stdin is None:
        raise MaxSynthError("standard input is closed", Position("<stdin>"), f"give the {what} as a file")
    return decode(read_all(sys.stdin.buffer, Position("<stdin>")), "<stdin>", may_be_empty=True), "<stdin>"


def read_all(file: BinaryIO, place: Position, most: int = MAX_BYTES) -> bytes:
    """All bytes of a file, which may be a pipe or a device without an end; an error when they are too many."""
    parts, size, next_part = [], 0, 1 << 20
    with contextlib.suppress(OSError, ValueError):  # not everything that can be read is a file, or has a size
        next_part = max(next_part, min(os.fstat(file.fileno()).st_size, most) + 1)  # all at once, if it is true
    while part := file.read(next_part):
        parts.append(part)
        next_part = 1 << 20
        size += len(part)
        if size > most:
            limit = f"{most >> 30} GB" if most >> 30 else f"{most >> 20} MB"
            raise MaxSynthError(
                f"the file has more than {limit}", place, "check that it is the right one, or shorten it"
            )
    return b"".join(parts)


def decode(data: bytes, file: str, *, may_be_empty: bool = False) -> str:
    """Bytes as text. Binary data and broken UTF-8 are reported with their line."""
    if not may_be_empty and (not data or data.isspace()):
        raise MaxSynthError("the file is empty", Position(file), HOLDS.get(Path(file).name, ""))
    zero = data.find(b"\0")
    if zero >= 0:
        line = data.count(b"\n", 0, zero) + 1
        raise MaxSynthError("this is binary data, not text", Position(file, line), "check that it is the right file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MaxSynthError("this is not UTF-8 text", Position(file, line), "save the file as UTF-8") from None


def missing_remedy(path: Path) -> str:
    """What a user may have meant by a path that is not there."""
    if path.name in HOLDS:
        return "a task folder holds bias.pl, bk.pl and exs.pl"
    return "check the path"


def write_folder(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes files, by their names, into a folder that is new or empty."""
    place = Position(str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise MaxSynthError("this folder is not empty", place, "name a new one: nothing is overwritten")
        write_files(folder, texts)
    except (FileExistsError, NotADirectoryError):
        raise MaxSynthError("this is a file, not a folder", place, "name a new folder") from None
    except OSError as error:
        raise MaxSynthError(f"cannot be written: {error.strerror}", place, "choose another place") from None


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes files into an empty folder; when that fails, leaves it empty."""
    try:
        for name, text in texts.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except BaseException:
        for path in (folder / name for name in texts):
            with contextlib.suppress(OSError):  # what was not written, and folders that are not empty yet
                path.unlink()
                if path.parent != folder:
                    path.parent.rmdir()
        raise


# -- results ----------------------------------------------------------------------------------------------


def check_output(file: str | Path | None, *used: str | Path) -> None:
    """Raises an error, before any work is done, when a result cannot or should not be written to a file.

    `used` is what is read: files, and folders or addresses of tasks and data. None of it may be overwritten.
    """
    if file is None or str(file) == "-":
        return
    path, inputs = Path(file), [one for place in used for one in input_files(place)]
    place = Position(str(path))
    if path.is_dir():
        raise MaxSynthError("this is a folder, not a file", place, "name a file in it")
    real = path if is_device(path) else Path(os.path.realpath(path))
    if not real.parent.is_dir():
        raise MaxSynthError("there is no such folder to write to", place, f"make {real.parent} first")
    if not os.access(real if real.exists() else real.parent, os.W_OK):
        raise MaxSynthError("no permission to write it", place, "choose another place")
    if not is_device(real) and not os.access(real.parent, os.W_OK):  # where a new file is made, to take its place
        raise MaxSynthError("no permission to write to its folder", place, "choose another place")
    if path.exists() and any(path.samefile(used) for used in inputs if used.exists()):
        raise MaxSynthError("this is an input and would be overwritten", place, "choose another name")
    if is_database(real):
        raise MaxSynthError("this is a database and would be overwritten", place, "choose another name")


def is_database(path: Path) -> bool:
    """Whether it is a file of SQLite, DuckDB or Parquet, by its first bytes: no result ever takes the place of one."""
    if not path.is_file() or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as file:
        head = file.read(16)
    return head.startswith((b"SQLite format 3\0", b"PAR1")) or head[8:12] == b"DUCK"


def input_files(place: str | Path) -> list[Path]:
    """The files that a task or data is read from, which no result may overwrite. What is no path has none."""
    path = Path(place)
    if not path.is_dir():
        return [path]
    return [file for pattern in INPUTS for file in path.glob(pattern)]


def is_device(path: Path) -> bool:
    """Whether it is something that is written to and not replaced: a device or a pipe."""
    return path.exists() and not path.is_file()


def write_json(value: dict[str, object], file: str) -> None:
    write_text(json.dumps(value, indent=1) + "\n", file)


def write_text(text: str, file: str) -> None:
    """Writes a file as a whole or, when that fails, not at all: what was there before stays."""
    path = Path(file)
    try:
        if file == "-" or is_standard_output(path):
            sys.stdout.write(text)
        elif is_device(path):
            path.write_text(text, encoding="utf-8")
        else:
            put_in_place(Path(os.path.realpath(path)), text)
    except OSError as error:
        raise MaxSynthError(f"cannot be written: {error.strerror}", Position(file), "choose another place") from None


def is_standard_output(path: Path) -> bool:
    """Whether a path leads to the file that standard output goes to, as /dev/stdout does: that must not be replaced."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def put_in_place(path: Path, text: str) -> None:
    """Makes a new file beside the old one, complete and on the disk, and then puts it in its place."""
    part = path.with_name(f".maxsynth-{os.urandom(8).hex()}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(path.stat().st_mode & 0o7777)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
