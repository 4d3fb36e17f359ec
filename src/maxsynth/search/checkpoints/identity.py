"""What a checkpoint is of: a version, a task, a bias and settings. All but the limits of a run must be the same."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from maxsynth import __version__
from maxsynth.bias.bias import Bias
from maxsynth.errors import MaxSynthError, Position, shortened
from maxsynth.kernel.terms import term_digest
from maxsynth.search.checkpoints.file import ANEW
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

FORM = 1  # of what is saved
NOT_OF_THE_SPACE = (
    "text",
    "file",
    "warnings",
    "left",
    "constraint_position",
    "program_constraint_position",
    "by_default",
)

Identity = dict[str, Any]


def identity_of(task: ReadTask, settings: Settings) -> Identity:
    """To be asked before the search begins, and makes terms of its own."""
    return {
        "version": f"{__version__} ({FORM})",
        "task": task_digest(task),
        "bias": digest_of(bias_parts(task.bias)),
        "settings": settings_parts(settings),
    }


def check_same(saved: object, wanted: Identity, path: Path) -> None:
    """An error where a checkpoint is not of this run."""
    place = Position(str(path))
    if not isinstance(saved, dict):
        raise MaxSynthError("this checkpoint is damaged, or not whole", place, ANEW)
    if saved.get("version") != wanted["version"]:
        written = shortened(str(saved.get("version")))
        remedy = f"use that version, or {ANEW}"
        raise MaxSynthError(f"a checkpoint of version {written}, and this is {wanted['version']}", place, remedy)
    for what in ("task", "bias"):
        if saved.get(what) != wanted[what]:
            raise MaxSynthError(f"a checkpoint of another {what}", place, f"give the {what} that it is of, or {ANEW}")
    before, now = saved.get("settings"), wanted["settings"]
    if before != now:
        before = before if isinstance(before, dict) else {}
        name = next((name for name in now if before.get(name) != now[name]), "settings")
        values = shortened(f"{name} {json.dumps(before.get(name))}, and now it is {json.dumps(now.get(name))}")
        raise MaxSynthError(f"a checkpoint of a run with {values}", place, f"give the same, or {ANEW}")


def settings_parts(settings: Settings) -> dict[str, Any]:
    """What the answer depends on, but for limits, as JSON gives it back."""
    return {
        "weights": list(dataclasses.astuple(settings.weights)),
        "exact": settings.exact,
        "solver": settings.solver.text if settings.solver else None,
        "constraints": settings.constraints,
        "method": settings.method,
        "without": sorted(settings.without),
        "tables": settings.tables,
        "prolog": settings.prolog,
    }


def task_digest(task: ReadTask) -> str:
    """Of the examples and BK, as they were read: where they are is of no concern."""
    import hashlib

    background, digest = task.background, hashlib.sha256()
    store, source = background.store, background.source
    term_digest(store, digest.update, len(store) if background.first_made is None else background.first_made)
    for examples in (task.positives, task.negatives):
        for array in (examples.rows, examples.weights):
            digest.update(repr(array.shape).encode())
            digest.update(array.tobytes())
    digest.update(source.text.encode("utf-8", "surrogatepass"))
    for key, table in source.tables.items():
        rows = table.rows()
        digest.update(repr((key, rows.shape)).encode("utf-8", "surrogatepass"))
        digest.update(rows.tobytes())
    return digest.hexdigest()


def bias_parts(bias: Bias) -> Any:
    fields = [field.name for field in dataclasses.fields(bias) if field.name not in NOT_OF_THE_SPACE]
    return plain([(name, getattr(bias, name)) for name in fields])


def plain(value: Any) -> Any:
    """A value of values as JSON takes it, the same on every run: sets have no order of their own."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(plain(getattr(value, field.name)) for field in dataclasses.fields(value))]
    if isinstance(value, Mapping):
        return [[plain(key), plain(part)] for key, part in value.items()]
    if isinstance(value, set | frozenset):
        return sorted((plain(part) for part in value), key=repr)
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return value.name if isinstance(value, Enum) else repr(value)


def digest_of(value: Any) -> str:
    import hashlib

    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
