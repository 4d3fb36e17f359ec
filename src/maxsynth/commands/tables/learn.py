"""What `maxsynth learn` does with tables: a program for the target, or one for each of its values."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from pathlib import Path

from maxsynth.api.climbing import limits_of
from maxsynth.bias.bias import Overrides
from maxsynth.bias.parsing import overridden
from maxsynth.commands.learn import (
    CUT,
    NONE,
    choose_solver,
    learn,
    learn_climbing,
    learn_with_best_weights,
)
from maxsynth.commands.output import save_elsewhere
from maxsynth.commands.progress import make_display, say
from maxsynth.commands.signals import Interrupt
from maxsynth.commands.tables.options import DataOptions, DataTask, read_data_task, tell
from maxsynth.data.dates import program_text as dated_text
from maxsynth.data.description import Aim
from maxsynth.data.inference.values import shown
from maxsynth.data.task import make_task
from maxsynth.errors import MaxSynthError
from maxsynth.files import check_output, write_text
from maxsynth.proofs.metrics import Weights
from maxsynth.search.result import OPTIMAL, SearchResult, program_text, summary
from maxsynth.search.settings import Settings
from maxsynth.task.memory import check_limit
from maxsynth.task.undirected import without_directions


def learn_data_command(
    source: str,
    asked: DataOptions,
    *,
    started: float,
    timeout: float | None,
    steps: int | None,
    exact: bool,
    weights: tuple[int, int, int] | None,
    forbid_singletons: bool,
    ignore_directions: bool,
    overrides: Overrides,
    json_file: str | None,
    quiet: bool,
    prolog: str,
    solver: str | None,
    solver_format: str,
    memory: int | None,
    constraints: bool,
    method: str,
) -> int:
    check_limit(memory)
    if json_file not in (None, "-"):
        check_output(Path(json_file), [Path(source)] if "://" not in source else [])
    settings = Settings(
        Weights(*(weights or ())),
        exact,
        timeout,
        steps,
        solver=choose_solver(solver, solver_format),
        memory=memory,
        constraints=constraints,
        method=method,
        directions=not ignore_directions,
        prolog=prolog,
    )
    with make_display(quiet):
        task = read_data_task(source, asked)
    if not quiet:
        tell(task)
    searching = Searching(task, settings, overrides, weights is None, forbid_singletons, ignore_directions, quiet)
    results = []
    with Interrupt() as interrupt:
        aims = task.description.target.aims
        for number, aim in enumerate(aims):
            results.append(searching.learn(aim, interrupt, started, len(aims) - number))
            if interrupt.came():
                break
        interrupt.wait_for_writing()
        show(task, results, json_file, quiet=quiet)
        interrupt.all_is_written()
    without = [result for _, result in results if result.program is None]
    if without:
        return interrupt.status(NONE if all(result.status == OPTIMAL for result in without) else CUT)
    return interrupt.status(0)


@dataclasses.dataclass(frozen=True)
class Searching:
    """How to learn each of the things that are to be learned."""

    task: DataTask
    settings: Settings
    overrides: Overrides
    best_weights: bool
    forbid_singletons: bool
    ignore_directions: bool
    quiet: bool

    def learn(self, aim: Aim, interrupt: Interrupt, started: float, left: int) -> tuple[Aim, SearchResult]:
        """Learns one thing of those that are left, with its share of the limits that are left."""
        settings = self.settings
        if settings.timeout is not None:
            used = time.monotonic() - started
            settings = dataclasses.replace(settings, timeout=used + max(settings.timeout - used, 0.0) / left)
        made = make_task(self.task.database.data, self.task.description, aim)
        task = made.read(self.settings.memory_limit, self.overrides)
        if self.forbid_singletons:
            task = task.with_bias(dataclasses.replace(task.bias, singletons=False))
        if self.ignore_directions:
            task = without_directions(task)
        run = learn_with_best_weights if self.best_weights else learn_climbing if self.climbs else learn
        if self.climbs and self.best_weights:
            best = learn_climbing(task, settings, interrupt, started=started, quiet=self.quiet, small=True)
            task = task.with_bias(overridden(task.bias, limits_of(best)))
        if not self.quiet and len(self.task.description.target.aims) > 1:
            say(f"\n{self.task.description.target} = {self.value(aim)}")
        result = run(task, settings, interrupt, started=started, quiet=self.quiet)
        if not self.quiet:
            say(summary(result))
        result.settings["timeout"] = self.settings.timeout
        return aim, result

    @property
    def climbs(self) -> bool:
        description = self.task.description
        return not (self.overrides or description.max_vars or description.max_body or self.settings.exact)

    def value(self, aim: Aim) -> str:
        target = self.task.description.target
        kind = self.task.description.table(target.table).column(target.column).kind
        return shown(aim.equals, kind)


def show(task: DataTask, results: list[tuple[Aim, SearchResult]], json_file: str | None, *, quiet: bool) -> None:
    """Prints and writes what was found, the programs first. What cannot be written is an error, once all is said."""
    meanings = task.description.meanings
    if json_file != "-":
        for aim, result in results:
            if not result.program or not result.program.rules:
                about = f" for {aim.predicate}" if len(results) > 1 else ""
                print(f"{program_text(result)}{about}", flush=True)
            else:
                print(dated_text(result.program, meanings), flush=True)
    if json_file is None:
        return
    written = [
        {**result.as_dict("", {}), "data": {**task.description.only(aim).as_dict(), "place": place(task)}}
        for aim, result in results
    ]
    text = json.dumps(written[0] if len(written) == 1 else {"results": written}, indent=1) + "\n"
    try:
        write_text(text, json_file)
    except MaxSynthError as error:
        elsewhere = save_elsewhere(text, ".json")
        remedy = f"it is in {elsewhere} instead" if elsewhere else "the program was printed all the same"
        raise MaxSynthError(error.message, error.position, remedy) from None


def place(task: DataTask) -> str:
    """Where the data is, from everywhere."""
    found = task.description.place
    return os.path.abspath(found) if os.path.exists(found) else found
