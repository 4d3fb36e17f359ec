"""Runs tasks x systems x trials, each in a process of its own, several at a time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from maxsynth import __version__
from maxsynth.bench.commands import content, scratch_file
from maxsynth.bench.results import Key, Record, ResultsFile
from maxsynth.bench.systems import System
from maxsynth.errors import one_line

# Reading a task and testing a program come on top of the time to learn. A run that takes longer than this hangs.
SPARE = 180.0


@dataclass(frozen=True)
class Run:
    """One thing to do."""

    task: str
    trial: int
    system: System
    folder: Path

    @property
    def key(self) -> Key:
        return self.task, self.trial, self.system.name, self.system.limit

    def record(self, found: Record) -> Record:
        task, trial, system, limit = self.key
        known = {"task": task, "trial": trial, "system": system, **limit.recorded}
        return {**known, **found, "version": __version__}


class Processes:
    """Does runs, each in a process with so much memory, and ends all of them at once when they are stopped."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.stopped = False
        self.workers: set[subprocess.Popen[str]] = set()
        self.lock = threading.Lock()

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            for worker in self.workers:
                kill(worker)

    def do(self, run: Run) -> Record | None:
        """The record of a run; None when it was stopped."""
        with scratch_file() as errors:
            with self.lock:
                if self.stopped:
                    return None
                worker = subprocess.Popen(
                    [sys.executable, "-m", "maxsynth.bench.worker"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True,
                )  # fmt: skip
                self.workers.add(worker)
            overdue = threading.Timer(2 * run.system.limit.seconds + SPARE, kill, [worker])
            overdue.start()
            try:
                answer = self.converse(worker, run)
            finally:
                overdue.cancel()
                with self.lock:
                    self.workers.discard(worker)
            if self.stopped:
                return None
            return run.record(answer or failure(worker.returncode, errors))

    def converse(self, worker: subprocess.Popen[str], run: Run) -> Record | None:
        """Gives the job and waits for the answer. The worker's input stays open as long as somebody waits."""
        job = {
            "folder": os.path.abspath(run.folder),
            "system": run.system.name,
            "command": run.system.command,
            **run.system.limit.recorded,
            "memory": self.memory,
        }
        assert worker.stdin is not None
        assert worker.stdout is not None
        with worker.stdin, worker.stdout, contextlib.suppress(BrokenPipeError, ValueError):
            worker.stdin.write(json.dumps(job) + "\n")
            worker.stdin.flush()
            text = worker.stdout.read()
            worker.wait()
            record: Record = json.loads(text)
            return record
        worker.wait()
        return None


class Runner(Processes):
    """Does runs and hands their records to the file of results as they end."""

    def __init__(self, results: ResultsFile, *, jobs: int, memory: int, on_done: Callable[[Record], None]) -> None:
        super().__init__(memory)
        self.results = results
        self.jobs = jobs
        self.on_done = on_done

    def run(self, runs: Sequence[Run]) -> None:
        """All runs; when this is interrupted, those under way end without a record."""
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = {pool.submit(self.do, run): run for run in runs}
            try:
                for done in as_completed(waiting):
                    record = done.result()
                    if record is not None:
                        self.results.append(record)
                        self.on_done(record)
            finally:
                self.stop()
                pool.shutdown(wait=True, cancel_futures=True)


def kill(worker: subprocess.Popen[str]) -> None:
    """Closing its input lets a worker end what it started; the signal is for one that does not listen."""
    if worker.stdin is not None:
        with contextlib.suppress(OSError, ValueError):
            worker.stdin.close()
    try:
        worker.wait(2)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)


def failure(status: int, errors: IO[str]) -> Record:
    """The record of a worker that ended without an answer."""
    said = content(errors).strip().splitlines()[-1:]
    how = f"was killed by signal {-status}" if status < 0 else f"ended with the status {status}"
    return {"status": "error", "error": one_line(f"the run {how}" + (f": {said[0]}" if said else ""))}
