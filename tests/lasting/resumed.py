"""Runs that are stopped again and again, each time saved to a file, and gone on with by new objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from maxsynth.search.checkpoints.identity import identity_of
from maxsynth.search.checkpoints.keeper import Keeper
from maxsynth.search.checkpoints.rest import Checkpoint
from maxsynth.search.loop import Search
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

Read = Callable[[], ReadTask]


def told(result: SearchResult) -> dict[str, Any]:
    """All that a run says, but for seconds and limits."""
    found = result.as_dict("", {})
    found["trace"] = [entry[1:] for entry in result.trace]
    found["settings"] = {name: value for name, value in result.settings.items() if name not in ("timeout", "steps")}
    del found["seconds"]
    return found


def run(read: Read, settings: Settings, path: Path | None = None, *, resume: bool = False) -> SearchResult:
    """One run, in new objects; with a path, it writes its checkpoints there, and may begin with one."""
    task = read()
    identity = identity_of(task, settings)
    checkpoint = Checkpoint.read(path, identity) if path is not None and resume else None
    search = Search(
        task,
        settings,
        keeper=None if path is None else Keeper(path, identity),
        checkpoint=checkpoint,
        steps=0 if checkpoint is None else checkpoint.steps,
        before=0.0 if checkpoint is None else checkpoint.seconds,
    )
    result = search.run()
    task.background.close_engine()
    return result


def in_parts(read: Read, settings: Settings, path: Path, ends: Iterator[int]) -> SearchResult:
    """The same run, which is stopped after so many steps, and gone on with."""
    path.unlink(missing_ok=True)
    resume = False
    for end in ends:
        last = settings.steps is not None and end >= settings.steps
        result = run(read, settings if last else dataclasses.replace(settings, steps=end), path, resume=resume)
        resume = True
        if last or result.counts["steps"] < end:  # what is proven with no step left may have been cut
            return result
    raise AssertionError("there is an end to every run")
