"""What `maxsynth front` does and prints: for every size the program with the fewest errors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from pathlib import Path

from maxsynth.api.front import search_front
from maxsynth.commands.learn import write_kept
from maxsynth.commands.learn_options import LearnOptions
from maxsynth.commands.output import warn
from maxsynth.commands.progress import make_display, say
from maxsynth.commands.signals import Interrupt
from maxsynth.commands.tables.options import DataOptions
from maxsynth.errors import MaxSynthError
from maxsynth.files import check_output
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Program
from maxsynth.search.front.result import Front
from maxsynth.search.progress import Progress
from maxsynth.search.result import fingerprints
from maxsynth.task.task import ReadTask


def front_command(folder: Path, asked: LearnOptions, size: int | None) -> int:
    """The front of a task folder."""
    settings = asked.settings()
    check_output(asked.json_file, folder)
    with make_display(asked.quiet):
        task = ReadTask.from_folder(
            folder, prolog=asked.prolog, memory=settings.memory_limit, overrides=asked.overrides
        )
    files = {} if asked.json_file is None else fingerprints(folder)
    task = asked.as_asked(task)
    try:
        with Interrupt() as interrupt:
            front = find(task, asked, size, interrupt)
            interrupt.wait_for_writing()
            show(front, asked, str, lambda: front.as_dict(os.path.abspath(folder), files))
            interrupt.all_is_written()
    finally:
        task.background.close_engine()
    return interrupt.status(0)


def front_data_command(source: str, data: DataOptions, asked: LearnOptions, size: int | None) -> int:
    """The front of a target in tables."""
    from maxsynth.commands.tables.learn import climbs, make_aim, place
    from maxsynth.commands.tables.options import read_data_task, tell
    from maxsynth.data.dates import program_text

    settings = asked.settings()
    check_output(asked.json_file, source)
    with make_display(asked.quiet):
        made = read_data_task(source, data)
        aims = made.description.target.aims
        if len(aims) > 1:
            raise MaxSynthError(
                f"{made.description.target} has {len(aims)} values, and a front is of one",
                remedy="give one value: --target TABLE.COLUMN=VALUE",
            )
        _, task = make_aim(made, aims[0], settings, asked)
    check_output(asked.json_file, made.description.place)
    if not asked.quiet:
        tell(made)
    description = made.description
    try:
        with Interrupt() as interrupt:
            front = find(task, asked, size, interrupt, climbs=climbs(made, asked), counts=description.counts)
            interrupt.wait_for_writing()

            def written() -> dict[str, object]:
                return {**front.as_dict("", {}), "data": {**description.only(aims[0]).as_dict(), "place": place(made)}}

            show(front, asked, lambda program: program_text(program, description.meanings), written)
            interrupt.all_is_written()
    finally:
        task.background.close_engine()
    return interrupt.status(0)


def find(
    task: ReadTask,
    asked: LearnOptions,
    size: int | None,
    interrupt: Interrupt,
    *,
    climbs: bool = False,
    counts: Collection[Predicate] = (),
) -> Front:
    if not asked.quiet:
        warn(task.warnings)
    with make_display(asked.quiet) as display:

        def note(progress: Progress) -> None:
            if progress.program is None:  # of the many programs, the points are shown at the end
                display.note(progress)

        return search_front(
            task, asked.settings(), size, note, interrupt.came, asked.started, display.follow,
            climbs=climbs, counts=counts,
        )  # fmt: skip


def show(
    front: Front,
    asked: LearnOptions,
    program_text: Callable[[Program], str],
    as_dict: Callable[[], dict[str, object]],
) -> None:
    """Prints and writes what was found. What cannot be written is an error, once all is said."""
    problem = None
    if asked.json_file != "-":
        print(front.text(program_text), flush=True)
    if asked.json_file is not None:
        problem = write_kept(json.dumps(as_dict(), indent=1) + "\n", asked.json_file)
    if not asked.quiet:
        say(front.summary())
    if problem is not None:
        raise problem
