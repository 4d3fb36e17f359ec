"""Runs on the workers of a cluster: each in the same process, with the same limits, as a run on this machine.

The task's folder goes to a worker as data, and is written there for the time of a run. The file of results is in the
order of the runs, whoever was first; when something ends them early, what has arrived by then is kept as well.
"""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from maxsynth.bench.results import Record, ResultsFile
from maxsynth.bench.runner import Processes, Run
from maxsynth.errors import MaxSynthError
from maxsynth.spread.executor import Executor, Failed, LostError, Stop, Work

LOOK = 0.2  # seconds between two looks whether to stop


class Written:
    """A task's folder on a worker."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="maxsynth-"))
        for name, content in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


@dataclass(frozen=True)
class SentFolder:
    files: dict[str, bytes]

    @classmethod
    def of(cls, folder: Path) -> SentFolder:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return cls({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})

    def open(self) -> SentFolder:
        return self


@dataclass(frozen=True)
class Unit:
    run: Run
    memory: int


def do_run(folder: SentFolder, unit: Unit, stop: Stop) -> Record | None:
    """The record of a run; None when it was stopped."""
    run, processes, written = unit.run, Processes(unit.memory), Written(folder.files)
    try:
        with ended_by(stop, processes.stop):
            record = processes.do(dataclasses.replace(run, folder=written.path))
    finally:
        written.close()
    if record is not None and "error" in record:
        record["error"] = str(record["error"]).replace(str(written.path), str(run.folder))
    return record


@contextmanager
def ended_by(stop: Stop, end: Callable[[], None]) -> Iterator[None]:
    """Looks again and again whether to end what is done here."""
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK):
            if stop():
                end()
                return

    watching = threading.Thread(target=look, daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()


def run_elsewhere(
    executor: Executor, runs: Sequence[Run], memory: int, results: ResultsFile, on_done: Callable[[Record], None]
) -> None:
    """All runs; when this is interrupted, those under way end without a record."""
    works = {run.folder: work_for(run.folder) for run in runs}
    units = ((works[run.folder], Unit(run, memory)) for run in runs)
    arrived: dict[int, Record] = {}
    written = 0
    try:
        for number, outcome in executor.run(do_run, units, lambda: False):
            if outcome is None:
                continue
            if isinstance(outcome, Failed):
                record = runs[number].record({"status": "error", "error": outcome.why})
            else:
                record = outcome
            arrived[number] = record
            on_done(record)
            while written in arrived:
                results.append(arrived.pop(written))
                written += 1
    except LostError as error:
        remedy = "what was done so far is kept: run the same command again"
        raise MaxSynthError(error.message, remedy=remedy) from None
    finally:
        for number in sorted(arrived):
            results.append(arrived[number])


def work_for(folder: Path) -> Work[SentFolder]:
    return Work(lambda: SentFolder.of(folder), lambda: SentFolder.of(folder))
