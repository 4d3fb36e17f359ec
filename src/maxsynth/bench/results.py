"""The file of results: a line of JSON for each finished run, written as it comes.

A line is there as a whole or not at all. When a runner is killed while it writes, the part of a line that it leaves is
removed by the next one, which runs that again. A lock keeps two runners from writing to the same file.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from maxsynth.bench.limit import Limit
from maxsynth.errors import MaxSynthError, Position

Record = dict[str, Any]
Key = tuple[str, int, str, Limit]


def key_of(record: Record) -> Key:
    """What a run is known by."""
    return record["task"], record["trial"], record["system"], Limit.of(record)


def read(path: Path) -> list[Record]:
    """The results so far, of each run the last one."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        raise MaxSynthError("there are no results", Position(str(path)), "run the experiments first") from None
    return latest(parse(line, path, number) for number, line in enumerate(lines, 1))


def parse(line: bytes, path: Path, number: int) -> Record:
    try:
        record: Record = json.loads(line)
        key_of(record)
    except (ValueError, KeyError, TypeError):
        raise MaxSynthError(
            "this line is no result", Position(str(path), number), "remove the line, and the run is done again"
        ) from None
    return record


def latest(records: Iterable[Record]) -> list[Record]:
    return list({key_of(record): record for record in records}.values())


class ResultsFile:
    """The file, open for one runner."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.descriptor)
            raise MaxSynthError(
                "another run writes to it now", Position(str(path)), "wait for it, or choose another --out"
            ) from None
        self.drop_broken_line()

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def drop_broken_line(self) -> None:
        data = self.path.read_bytes()
        os.ftruncate(self.descriptor, data.rfind(b"\n") + 1)

    def append(self, record: Record) -> None:
        rest = memoryview(json.dumps(record).encode() + b"\n")
        try:
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
            os.fsync(self.descriptor)
        except OSError as error:
            raise MaxSynthError(
                f"cannot be written: {error.strerror}",
                Position(str(self.path)),
                "the results before this one are there: make room, and run the same command again",
            ) from None
