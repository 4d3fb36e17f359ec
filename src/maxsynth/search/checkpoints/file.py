"""The file of a checkpoint: a line that says what it is, contents as JSON, arrays as they are in memory, a checksum.

Nothing in it is ever run: there are numbers, texts, lists and arrays of numbers, and who takes them checks what they
are good for. So a file of a stranger can do no harm. It is written beside its place, to the disk, and then put there:
at any moment, there is the old one or the new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import open_regular

MAGIC = b"maxsynth checkpoint\n"
NUMBER = 8  # bytes that say how long the JSON is
CHECKSUM = 32
KINDS = ("|u1", "<i4", "<i8", "<u8", "|b1")  # of arrays
ARRAY = "\0array"  # in the place of an array: its number
ANEW = "begin anew without --resume"
PART = 1 << 22  # bytes that are hashed and written at once

Contents = dict[str, Any]


def write(path: Path, contents: Contents) -> None:
    """Writes a checkpoint as a whole, or leaves what was there."""
    import hashlib  # with OpenSSL, which takes its time to load

    arrays: list[NDArray[Any]] = []
    text = json.dumps(
        {"contents": without_arrays(contents, arrays), "arrays": [(a.dtype.str, a.shape) for a in arrays]},
        separators=(",", ":"),
    ).encode()
    checksum = hashlib.sha256()
    place = Path(os.path.realpath(path))
    beside = place.with_name(f".maxsynth-{os.urandom(8).hex()}.part")
    try:
        with beside.open("xb") as file:
            for part in all_parts(text, arrays):
                checksum.update(part)
                file.write(part)
            file.write(checksum.digest())
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            beside.chmod(place.stat().st_mode & 0o7777)
        beside.replace(place)
        sync_folder(place.parent)
    finally:
        beside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Lets the disk know of the new name; not every system can."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(number)
    except OSError:
        pass
    finally:
        os.close(number)


def all_parts(text: bytes, arrays: list[NDArray[Any]]) -> Iterator[bytes | memoryview]:
    """What is in the file before the checksum, some at a time: nothing of the arrays is copied."""
    yield MAGIC
    yield len(text).to_bytes(NUMBER, "little")
    yield text
    for array in arrays:
        if array.nbytes:
            flat = memoryview(np.ascontiguousarray(array).reshape(-1).data).cast("B")
            yield from (flat[at : at + PART] for at in range(0, len(flat), PART))


def without_arrays(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """A value as JSON takes it; its arrays are put into a list."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {ARRAY: len(arrays) - 1}
    if isinstance(value, dict):
        return {key: without_arrays(part, arrays) for key, part in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(part, dict | list | tuple | np.ndarray) for part in value):
        return [without_arrays(part, arrays) for part in value]
    return value


def with_arrays(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        if ARRAY in value:
            return arrays[value[ARRAY]]
        return {key: with_arrays(part, arrays) for key, part in value.items()}
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        return [with_arrays(part, arrays) for part in value]
    return value


def read(path: Path) -> Contents:
    """The contents of a checkpoint; an error where it is none, or is not whole."""
    place = Position(str(path))
    try:
        with open_regular(path, place) as file:
            return read_from(file, place)
    except FileNotFoundError:
        raise MaxSynthError("there is no such checkpoint", place, f"check the path, or {ANEW}") from None
    except PermissionError:
        raise MaxSynthError("no permission to read it", place, "check who may read the file") from None
    except OSError as error:
        raise MaxSynthError(f"cannot be read: {error.strerror}", place, "check the path") from None


def read_from(file: BinaryIO, place: Position) -> Contents:
    import hashlib

    if file.read(len(MAGIC)) != MAGIC:
        raise MaxSynthError("this is no checkpoint", place, "give the file that --checkpoint wrote")
    checksum = hashlib.sha256(MAGIC)

    def take(count: int) -> bytearray:
        if not 0 <= count <= left:
            raise ValueError("the file ends too early")
        data = bytearray(file.read(count))
        if len(data) < count:
            raise ValueError("the file ends too early")
        checksum.update(data)
        return data

    try:
        left = os.fstat(file.fileno()).st_size
        header = json.loads(take(int.from_bytes(take(NUMBER), "little")))
        arrays = []
        for kind, shape in header["arrays"]:
            if kind not in KINDS or not all(isinstance(one, int) and 0 <= one <= left for one in shape):
                raise ValueError("an array of another kind")
            count = int(np.prod([1, *shape], dtype=object))
            arrays.append(np.frombuffer(take(count * np.dtype(kind).itemsize), kind, count).reshape(shape))
        if file.read(CHECKSUM) != checksum.digest() or file.read(1):
            raise ValueError("the checksum is another")
        contents = with_arrays(header["contents"], arrays)
        if not isinstance(contents, dict):
            raise ValueError("it holds something else")
        return contents
    except (ValueError, KeyError, IndexError, TypeError, RecursionError, OverflowError):
        raise MaxSynthError("this checkpoint is damaged, or not whole", place, ANEW) from None
