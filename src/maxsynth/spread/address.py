"""Where a cluster is, as a user writes it: `local:4` for processes of this machine, or the address of a scheduler."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from maxsynth.errors import MaxSynthError, shortened

REMEDY = "write local:4 for four processes of this machine, or HOST:PORT of a Dask scheduler"
MOST = 256  # processes of one machine: more are a slip of the pen
SCHEDULER = re.compile(r"([a-z]+://)?[^\s:/]+:\d{1,5}|([a-z]+://)?\[[0-9a-fA-F:.%\w]+\]:\d{1,5}")


class Address(NamedTuple):
    """A number of processes to start here, or a scheduler that is there."""

    workers: int | None
    scheduler: str | None


def parse_address(text: str) -> Address:
    if text == "local" or text.startswith("local:"):
        number = text.removeprefix("local").removeprefix(":")
        if not (number.isascii() and number.isdecimal() and 0 < int(number) <= max(MOST, os.cpu_count() or 1)):
            raise MaxSynthError(f"`{shortened(text)}` is no number of processes", remedy=REMEDY)
        return Address(int(number), None)
    if SCHEDULER.fullmatch(text) is None:
        raise MaxSynthError(f"`{shortened(text)}` is no address of a cluster", remedy=REMEDY)
    return Address(None, text)
