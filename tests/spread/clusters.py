"""Real clusters of processes on this machine, which tests may kill; and units of work for them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from maxsynth.spread.executor import Stop, Work

PATIENCE = 60.0  # seconds for anything that is to happen soon


def environment() -> dict[str, str]:
    """Workers find the functions of tests."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "DASK_LOGGING__DISTRIBUTED": "critical",
    }


class Processes:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.started: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start(
            "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0",
            "--scheduler-file", str(self.file),
        )  # fmt: skip
        wait_until(self.file.exists)
        time.sleep(0.1)
        self.address: str = json.loads(self.file.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        return self.run("-m", module, *arguments)

    def run(self, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, *arguments], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.started.append(process)
        return process

    def add_worker(self, *before: str) -> subprocess.Popen[bytes]:
        """Another worker of one thread; `before` is Python that its process runs first."""
        arguments = [self.address, "--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--no-dashboard"]
        if before:
            code = "\n".join([*before, f"import sys; sys.argv[1:] = {arguments!r}",
                              "from distributed.cli.dask_worker import main; main()"])  # fmt: skip
            self.workers.append(self.run("-c", code))
        else:
            self.workers.append(self.start("distributed.cli.dask_worker", *arguments))
        return self.workers[-1]

    def close(self) -> None:
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()


@contextlib.contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Processes]:
    made = Processes(folder)
    try:
        for _ in range(workers):
            made.add_worker()
        yield made
    finally:
        made.close()


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def children(process: int) -> list[int]:
    """The processes that a process started, and those that these did."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in map(str.split, listed.splitlines())}
    found = [process]
    for one in found:
        found += [pid for pid, parent in parents.items() if parent == one]
    return found[1:]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# -- units ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """What units share here. Its opening leaves a mark in a folder."""

    text: str
    folder: str

    def open(self) -> str:
        (Path(self.folder) / f"opened-{os.getpid()}-{time.time_ns()}").touch()
        return self.text


def work(folder: Path, text: str = "shared") -> Work[str]:
    return Work(lambda: text, lambda: Text(text, str(folder)))


def square(shared: str, unit: int, stop: Stop) -> tuple[str, int]:
    return shared[:6], unit * unit


def square_slowly(shared: str, unit: int, stop: Stop) -> tuple[str, int]:
    """The later the unit, the sooner it is done."""
    time.sleep(0.01 * (8 - unit % 8))
    return square(shared, unit, stop)


def process_of(shared: str, unit: int, stop: Stop) -> int:
    time.sleep(0.05)
    return os.getpid()


def die_at_three(shared: str, unit: int, stop: Stop) -> int:
    if unit == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return unit


def die_once(shared: str, unit: tuple[int, str], stop: Stop) -> int:
    """Kills its worker when it is done for the first time."""
    number, mark = unit
    if number == 3 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_when_done(shared: str, unit: tuple[int, str], stop: Stop) -> int:
    """The worker dies about when it has the outcome of some units, before or after that is fetched."""
    number, mark = unit
    if number % 4 == 3 and not Path(f"{mark}{number}").exists():
        Path(f"{mark}{number}").touch()
        threading.Timer(0.002 * number, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return number


def wait_for_stop(shared: str, unit: str, stop: Stop) -> None:
    """Notes that it began, and that it was told to stop."""
    Path(f"{unit}.began").touch()
    while not stop():
        time.sleep(0.01)
    Path(f"{unit}.stopped").touch()


def complain(shared: str, unit: int, stop: Stop) -> int:
    from maxsynth.errors import MaxSynthError, Position

    if unit == 2:
        raise MaxSynthError("it is wrong", Position("file.pl", 3), "correct it")
    return unit
