"""What a person sees while experiments run: a bar with an estimate on a terminal, a line for each run elsewhere."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from maxsynth.bench.results import Record, key_of
from maxsynth.bench.runner import Run
from maxsynth.commands.progress import is_terminal, say
from maxsynth.proofs.metrics import Confusion

if TYPE_CHECKING:
    from rich.progress import Progress

OVERHEAD = 2.0  # seconds that a run takes besides learning


class Display:
    """Follows runs as they end."""

    def __init__(self, waiting: Sequence[Run], before: Sequence[Record], jobs: int) -> None:
        self.waiting = {run.key: run for run in waiting}
        self.total = len(waiting)
        self.records = list(before)
        self.jobs = jobs
        self.errors = 0
        self.bar: Progress | None = None

    def __enter__(self) -> Display:
        self.clock = time.monotonic()
        if self.total and is_terminal():
            self.bar = make_bar()
            self.bar.start()
            self.line = self.bar.add_task("", total=self.total, left=self.estimate())
        elif self.total:
            say(f"{self.total} runs, {self.estimate()}")
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        if self.errors:
            say(f"{self.errors} runs ended with an error, which the report lists")

    def done(self, record: Record) -> None:
        self.records.append(record)
        del self.waiting[key_of(record)]
        failed = record["status"] == "error"
        self.errors += failed
        text = f"{record['task']} trial {record['trial']} {record['system']}: {outcome(record)}"
        count = self.total - len(self.waiting)
        if self.bar is None:
            say(f"[{count}/{self.total}] {text}")
            return
        if failed:
            self.bar.console.print(text, markup=False, highlight=False, style="yellow")
        self.bar.update(self.line, completed=count, description=text, left=self.estimate())

    def estimate(self) -> str:
        """About how long the rest takes: for each run what runs like it took."""
        seconds = sum(self.expected(run) + OVERHEAD for run in self.waiting.values()) / self.jobs
        return f"about {duration(seconds)} left"

    def expected(self, run: Run) -> float:
        """As long as runs on the same task, or of the same system, took so far; at first, half of the limit."""
        for same in ("task", "system"):
            wanted = {"system": run.system.name, "task": run.task} if same == "task" else {"system": run.system.name}
            took = [
                float(record["seconds"])
                for record in self.records
                if "seconds" in record and all(record[name] == value for name, value in wanted.items())
            ]
            if took:
                return min(statistics.fmean(took), run.system.limit.seconds)
        return run.system.limit.likely_seconds / 2


def make_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    return Progress(
        BarColumn(10, table_column=Column(min_width=10)),
        MofNCompleteColumn(table_column=Column(no_wrap=True, min_width=7)),
        TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=7)),
        TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True, min_width=22)),
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        console=Console(stderr=True),
        expand=True,
        transient=True,
    )


def outcome(record: Record) -> str:
    if record["status"] == "error":
        return f"error: {record['error']}"
    accuracy = Confusion(**record["test"]).balanced_accuracy
    return f"{record['status']}, balanced accuracy {100 * (accuracy or 0):.1f}% in {record['seconds']:.1f} s"


def duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"
