"""What the built-in systems are: MaxSynth with other settings. Runs one and says what it found."""

from __future__ import annotations

import dataclasses
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from maxsynth.bench.limit import Limit
from maxsynth.files import read_text
from maxsynth.logic.programs import Program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from maxsynth.task.undirected import without_directions

OWN_MEMORY = 0.75  # of what the process may have, which counts what is reserved and not used as well
ALLOWS_SINGLETONS = re.compile(r"(?m)^[^%\n]*\ballow_singletons\b")


class Better(NamedTuple):
    """A program that was the best for a while, and when it was found."""

    seconds: float
    steps: int
    program: Program


@dataclass
class Learned:
    """What a system learned from a task. `better` are the programs on the way."""

    status: str
    program: Program | None
    seconds: float
    better: list[Better] = field(default_factory=list)
    details: dict[str, object] = field(default_factory=dict)


def learn(name: str, folder: Path, limit: Limit, memory: int) -> Learned:
    """Runs a built-in system. The time is that of reading the task and learning.

    Its own limit of memory is below that of the process, so that it ends with what it has.
    """
    clock = time.monotonic()
    memory = int(memory * OWN_MEMORY)
    task = ReadTask.from_folder(folder, memory=memory)
    better: list[Better] = []
    used = 0  # steps before the search itself

    def note(progress: Progress) -> None:
        if progress.program is not None:
            found = round(time.monotonic() - clock, 4)
            better.append(Better(found, used + progress.steps, progress.program))

    try:
        task = task.with_bias(dataclasses.replace(task.bias, singletons=singletons(name, task, folder)))
        if name == "ignore-directions":
            task = without_directions(task)
        limited = Settings(timeout=limit.seconds, steps=limit.steps, memory=memory, jobs=1)
        settings, used, details = settings_of(name, task, limited)
        result = Search(task, settings.left_after(time.monotonic() - clock, used), note).run()
    finally:
        task.background.close_engine()
    counts = result.counts
    details |= {
        "cost": None if result.cost is None else result.cost // scale(name, task),
        "lower_bound": result.lower_bound // scale(name, task),
        "steps": used + counts["steps"],
        "tested": sum(count for what, count in counts.items() if what.endswith("tested")),
    }
    return Learned(result.status, result.program, time.monotonic() - clock, better, details)


def singletons(name: str, task: ReadTask, folder: Path) -> bool:
    """Whether a variable may occur once in a rule: in the paper's space, only where the bias says so."""
    if name == "singletons":
        return task.bias.singletons
    return ALLOWS_SINGLETONS.search(read_text(folder / "bias.pl")) is not None


def settings_of(name: str, task: ReadTask, limited: Settings) -> tuple[Settings, int, dict[str, object]]:
    """The settings of a built-in system, the steps that it took to find them, and what there is to say about them."""
    if name == "auto-weights":
        from maxsynth.search.weights.cross_validation import choose_weights

        choice = choose_weights(task, limited)
        return dataclasses.replace(limited, weights=choice.weights), choice.steps, choice.to_dict()
    settings = dataclasses.replace(
        limited,
        weights=fixed_weights(name, task),
        exact=name == "exact",
        constraints=name != "no-constraints",
    )
    return settings, 0, {}


def fixed_weights(name: str, task: ReadTask) -> Weights:
    if name == "consistent":
        return consistent(task)
    return fewer_errors(task) if name == "fewer-errors" else Weights()


def scale(name: str, task: ReadTask) -> int:
    """How often a system's cost has in it what MaxSynth calls the cost."""
    return fewer_errors(task).size if name == "fewer-errors" else 1


def fewer_errors(task: ReadTask) -> Weights:
    """Weights under which the best programs are those that cost least and, of these, have the fewest errors.

    With more than all errors weigh as scale, scale * (size + errors) + errors orders by the cost first.
    """
    more = int(task.positives.weights.sum() + task.negatives.weights.sum()) + 1
    return Weights(more, more + 1, more + 1)


def consistent(task: ReadTask) -> Weights:
    """Weights under which a rule pays for one positive, and never for a negative."""
    positive = task.bias.max_body + 2  # one more than the largest rule
    return Weights(1, positive * int(task.positives.weights.sum()) + 1, positive)
