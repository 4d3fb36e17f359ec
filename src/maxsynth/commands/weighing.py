"""How `maxsynth explain --weigh` tells mistakes from exceptions: in the space, and with the settings, of the result."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence

from maxsynth.api.searches.counting import without_counts
from maxsynth.api.weighing import Weighing
from maxsynth.commands.given import Given, learned_from, learned_from_data
from maxsynth.commands.progress import LiveDisplay, make_display, say
from maxsynth.commands.signals import Interrupt
from maxsynth.data.description import Description
from maxsynth.errors import MaxSynthError, Position
from maxsynth.explanation.suspects import Suspect
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.result import OPTIMAL
from maxsynth.search.settings import AUTO, METHODS, Settings
from maxsynth.task.task import ReadTask
from maxsynth.task.undirected import without_directions
from maxsynth.verification.verify import Recorded

TOLD_EVERY = 10.0  # seconds between two lines, where nobody looks at a terminal


def recorded_in(given: Given) -> Recorded:
    """The result that labels are weighed by; an error for what is none, or cannot have any in doubt."""
    place, recorded = Position(given.file), given.recorded
    if recorded is None:
        raise MaxSynthError(
            "--weigh needs to know how the program was learned", place, "give the JSON of a run, not a file of rules"
        )
    if recorded.exact:
        raise MaxSynthError(
            "--weigh has no use for a result of --exact, which contradicts no label", place, "learn without --exact"
        )
    return recorded


def searched_task(given: Given, prolog: str) -> ReadTask:
    """The task of a result, with the space that was searched: this is where other programs are looked for."""
    recorded = recorded_in(given)
    if given.data is not None:
        task = learned_from_data(recorded, given.data, given.file)
        if recorded.tallies["settings"].get("counts") is False:  # they were not worth it
            task = task.with_bias(without_counts(task.bias, Description.from_dict(given.data).counts))
    else:
        task = learned_from(recorded, given.folder, given.file, recorded.prolog if prolog == "auto" else prolog)
    if not recorded.singletons:
        task = task.with_bias(dataclasses.replace(task.bias, singletons=False))
    return task if recorded.directions else without_directions(task)


def settings_of(recorded: Recorded, given: Given, timeout: float | None) -> Settings:
    """Those of the run, but for its limits. A command that was its solver is not run: the answer is the same."""
    said = recorded.tallies["settings"]
    memory, method = said.get("memory"), said.get("method")
    return Settings(
        given.weights,
        timeout=timeout,
        memory=memory if isinstance(memory, int) and memory > 0 else None,
        constraints=said.get("constraints") is not False,
        method=method if method in METHODS else AUTO,
    )


def weigh_suspects(
    suspects: Sequence[Suspect], given: Given, task: ReadTask, timeout: float | None, interrupt: Interrupt
) -> list[Suspect]:
    """The same with how much speaks against each, as far as there is time."""
    if not suspects:
        return []
    recorded = recorded_in(given)
    cost = dataclasses.replace(evaluate_program(given.program, task), weights=given.weights).cost
    if cost != recorded.cost:
        raise MaxSynthError(
            f"the program costs {cost} here, and {recorded.cost} where it was learned",
            Position(given.file),
            "learn again: this is other data",
        )
    settings, started = settings_of(recorded, given, timeout), time.monotonic()
    weighing = Weighing(task, cost, min(recorded.lower_bound, cost), settings)
    labels = [(one.example.row, one.example.label) for one in suspects]
    found: list[Suspect] = []
    with make_display() as display:
        told = Told(len(suspects), started, isinstance(display, LiveDisplay))

        def stopped() -> bool:
            told.now(len(found))
            return interrupt.came()

        def search(heavier: ReadTask, within: Settings) -> Search:
            searching = Search(heavier, within, None, stopped, started)
            display.follow(lambda: told.progress(searching.now(), len(found)))
            return searching

        weights = weighing.weights(labels, search, started, interrupt.came)
        for suspect, weight in zip(suspects, weights, strict=True):
            found.append(dataclasses.replace(suspect, evidence=weight.evidence, exactly=weight.exactly))
    return sorted(found, key=lambda one: -(one.evidence or 0))


class Told:
    """What is said of many labels that are weighed: on a terminal in the line that moves, elsewhere now and then."""

    def __init__(self, many: int, started: float, moves: bool) -> None:
        self.many = many
        self.started = self.last = started
        self.moves = moves

    def now(self, done: int) -> None:
        time_now = time.monotonic()
        if not self.moves and time_now - self.last >= TOLD_EVERY:
            self.last = time_now
            say(f"{time_now - self.started:8.2f} s  weighed {done} of {self.many} labels")

    def progress(self, of_search: Progress | None, done: int) -> Progress | None:
        label = min(done + 1, self.many)
        return None if of_search is None else dataclasses.replace(of_search, stage=f"label {label} of {self.many}")


def weighed_lines(suspects: Sequence[Suspect], recorded: Recorded) -> Iterator[str]:
    """The suspects in parts: what speaks against a label, and what does not."""
    parts = {
        "doubted: programs that agree with these labels are clearly worse": [one for one in suspects if one.doubted],
        "probably exceptions: a program that agrees is about as good": [one for one in suspects if one.exception],
        "not weighed to the end: more may speak against these labels": [
            one for one in suspects if not one.doubted and not one.exception
        ],
    }
    for title, some in parts.items():
        if some:
            yield f"{title} (suspicion, label, example, what the program does):"
            yield from (f"  {suspect}" for suspect in some)
            yield ""
    doubted, exceptions, others = map(len, parts.values())
    yield f"{doubted} doubted, {exceptions} probably exceptions" + (f", {others} not weighed" if others else "")
    if recorded.status != OPTIMAL:
        yield (
            f"this program is not proven to be the best (cost {recorded.cost}, at least {recorded.lower_bound}): "
            "the best one contradicts what is doubted too, but may agree with other labels"
        )
