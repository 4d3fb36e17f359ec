"""What a run returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from maxsynth import __version__
from maxsynth.logic.programs import Argument, Program
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.limits import StopReason
from maxsynth.task.task import TASK_FILES

OPTIMAL = "optimal"
TIMEOUT, OUT_OF_STEPS, MEMORY, INTERRUPTED = (reason.value for reason in StopReason)
STATUSES = (OPTIMAL, TIMEOUT, OUT_OF_STEPS, MEMORY, INTERRUPTED)
EMPTY = "% the empty program"


@dataclass
class SearchResult:
    """The best program found, and whether it is proven that none is better.

    `program` is None only in exact mode, where no program without errors was found; with the status `optimal` there is
    none in the space.
    """

    status: str
    program: Program | None
    cost: int | None
    lower_bound: int
    confusion: Confusion | None
    settings: dict[str, object]
    size: int | None = None  # of the program, as the bias counts it
    trace: list[tuple[float, int, int]] = field(default_factory=list)  # seconds, cost, lower bound
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.size is None and self.program is not None:
            self.size = self.program.size

    def as_dict(self, task: str, files: dict[str, str]) -> dict[str, object]:
        """As JSON takes it, with what `maxsynth verify` needs to find the task and to know it again: where it is, if it
        is in a folder, and a fingerprint of each of its files."""
        program, counts = self.program, self.confusion
        return {
            "task": task,
            "files": files,
            "settings": self.settings,
            "status": self.status,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "size": self.size,
            "tp": counts.tp if counts else None,
            "fn": counts.fn if counts else None,
            "tn": counts.tn if counts else None,
            "fp": counts.fp if counts else None,
            "program": [str(rule) for rule in program.rules] if program is not None else None,
            "rules": [[literal_dict(lit.name, lit.args) for lit in rule.literals()] for rule in program.rules]
            if program is not None
            else None,
            "trace": [list(entry) for entry in self.trace],
            "counts": self.counts,
            "seconds": self.seconds,
            "version": __version__,
        }


def literal_dict(name: str, args: tuple[Argument, ...]) -> dict[str, object]:
    return {"predicate": name, "args": [arg if isinstance(arg, int) else arg.text for arg in args]}


def fingerprints(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file of a task."""
    import hashlib  # with OpenSSL, which takes its time to load

    paths = [folder / name for name in TASK_FILES]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path.is_file()}


def program_text(result: SearchResult) -> str:
    if result.program is None:
        exists = result.status != OPTIMAL
        return f"% no program without errors {'was found: there may be one' if exists else 'exists in this space'}"
    return str(result.program) or EMPTY


def summary(result: SearchResult) -> str:
    if result.program is None or result.confusion is None:
        return f"{result.status}: {program_text(result)[2:]}"
    counts = result.confusion
    cut = result.counts.get("programs_cut", 0)
    note = f"; {cut} program{'s' * (cut > 1)} ran out of steps in the test, and count as far as that got" if cut else ""
    if result.status == MEMORY:
        note += "; --memory SIZE allows more"
    proven = "" if result.status == OPTIMAL or not result.lower_bound else f", at least {result.lower_bound}"
    if result.status != OPTIMAL and result.settings.get("exact"):
        note = f"; there may be a smaller one{note}"
    return (
        f"{result.status}: cost {result.cost}{proven} = size {result.size} and "
        f"{counts.fp} false positives, {counts.fn} false negatives, in {result.seconds['total']:.2f} s{note}"
    )
