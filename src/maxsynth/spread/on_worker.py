"""What a worker of a cluster does: units, one after the other, with what they share read once.

What is sent is pickled and known by its hash. A worker keeps the last few, and each of its threads what it made of the
last one, so that the next unit finds it: threads share nothing, since what a search asks of background knowledge is
kept by that. (What Dask itself keeps of it may be dropped at any time, and would then be sent again.)
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import sys
import threading
import time
from typing import Any

import numpy as np

import maxsynth
from maxsynth.errors import MaxSynthError
from maxsynth.spread.executor import Do, Found, Unit

KEPT = 4  # of what was sent
LOOK = 0.2  # seconds between two looks whether a unit is still wanted
GOING_ON = ("executing", "long-running", "resumed")

Versions = tuple[tuple[str, str], ...]

received: dict[str, bytes] = {}  # by its hash, the last at the end
kept = threading.local()


class Missing:
    """The outcome of a unit whose data is not here."""


def versions() -> Versions:
    """What must be the same on all machines, for the same answer."""
    python = ".".join(map(str, sys.version_info[:2]))
    return ("maxsynth", maxsynth.__version__), ("Python", python), ("NumPy", np.__version__)


def threads_here() -> int:
    """The threads of this worker."""
    from distributed import get_worker

    return int(get_worker().state.nthreads)


def difference(theirs: Versions, ours: Versions) -> str | None:
    """What a worker has that is not the same, in words."""
    for (name, has), (_, wanted) in zip(theirs, ours, strict=True):
        if has != wanted:
            return f"has {name} {has}, and here it is {wanted}"
    return None


def keep(data: bytes) -> bytes:
    """What units share, on its way: done again elsewhere when the worker that has it dies."""
    return data


def run_unit(
    expected: Versions, do: Do[Any, Unit, Found], digest: str, data: bytes | None, unit: Unit
) -> Found | Missing:
    """Does a unit. Its data comes with it only where this worker is not known to have it."""
    different = difference(versions(), expected)
    if different is not None:  # a worker that came later than others
        raise MaxSynthError(f"a worker {different}", remedy="install the same there")
    if data is None:
        data = received.get(digest)
        if data is None:
            return Missing()
    receive(digest, data)
    return do(opened(digest, data), unit, Wanted())


def receive(digest: str, data: bytes) -> None:
    received.pop(digest, None)
    received[digest] = data
    for old in list(received)[:-KEPT]:
        received.pop(old, None)  # another thread may have done it


def opened(digest: str, data: bytes) -> Any:
    """What was sent, made again: once for each thread, as long as nothing else comes between."""
    if getattr(kept, "digest", None) != digest:
        forget()
        kept.opened = pickle.loads(data).open()
        kept.digest = digest
    return kept.opened


def forget() -> None:
    before = getattr(kept, "opened", None)
    kept.__dict__.clear()
    if before is not None and hasattr(before, "close"):
        before.close()


class Wanted:
    """Says that a unit is to stop: when nobody waits for it any more, or the worker is about to end."""

    def __init__(self) -> None:
        from distributed import get_worker

        self.worker = get_worker()
        self.key = self.worker.get_current_task()
        self.last, self.stopped = time.monotonic(), False

    def __call__(self) -> bool:
        now = time.monotonic()
        if not self.stopped and now - self.last >= LOOK:
            self.last = now
            task = self.worker.state.tasks.get(self.key)
            running = self.worker.status.name in ("running", "paused")
            self.stopped = not running or task is None or task.state not in GOING_ON
        return self.stopped


def dask_setup(_worker: object) -> None:
    """In a process that `local:4` started: signals are for the command, which ends its workers itself."""
    for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
        with contextlib.suppress(AttributeError, ValueError):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
