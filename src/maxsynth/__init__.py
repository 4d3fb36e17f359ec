"""MaxSynth learns logic programs of minimal description length from noisy examples.

    import maxsynth

    task = maxsynth.Task(
        examples={"pos": [("grandparent", "ann", "cleo")], "neg": [("grandparent", "ann", "bob")]},
        background={"parent": [("ann", "bob"), ("bob", "cleo")]},
    )
    print(maxsynth.learn(task, exact=True).program)

The names below are imported when they are first used, so that `import maxsynth` takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Task": "maxsynth.api.task",
    "Database": "maxsynth.data.database",
    "Result": "maxsynth.api.result",
    "learn": "maxsynth.api.learn",
    "front": "maxsynth.api.front",
    "Session": "maxsynth.api.session",
    "Front": "maxsynth.search.front.result",
    "check": "maxsynth.api.task",
    "export": "maxsynth.exporting.export",
    "Report": "maxsynth.checks.report",
    "Progress": "maxsynth.search.progress",
    "Program": "maxsynth.logic.programs",
    "Confusion": "maxsynth.proofs.metrics",
    "predicate": "maxsynth.background.functions",
    "Compound": "maxsynth.background.python_terms",
    "Text": "maxsynth.background.python_terms",
    "MaxSynthError": "maxsynth.errors",
    "MaxSynthWarning": "maxsynth.api.warnings",
}

__all__ = [
    "Compound",
    "Confusion",
    "Database",
    "Front",
    "MaxSynthError",
    "MaxSynthWarning",
    "Program",
    "Progress",
    "Report",
    "Result",
    "Session",
    "Task",
    "Text",
    "check",
    "export",
    "front",
    "learn",
    "predicate",
]

if TYPE_CHECKING:
    from maxsynth.api.front import front
    from maxsynth.api.learn import learn
    from maxsynth.api.result import Result
    from maxsynth.api.session import Session
    from maxsynth.api.task import Task, check
    from maxsynth.api.warnings import MaxSynthWarning
    from maxsynth.background.functions import predicate
    from maxsynth.background.python_terms import Compound, Text
    from maxsynth.checks.report import Report
    from maxsynth.data.database import Database
    from maxsynth.errors import MaxSynthError
    from maxsynth.exporting.export import export
    from maxsynth.logic.programs import Program
    from maxsynth.proofs.metrics import Confusion
    from maxsynth.search.front.result import Front
    from maxsynth.search.progress import Progress


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `maxsynth` has no `{name}`")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value  # found at once the next time
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
