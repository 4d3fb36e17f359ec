"""What `maxsynth ask` does and prints: which examples to look at, and the programs that are divided about them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from maxsynth import __version__
from maxsynth.api.session import Session
from maxsynth.commands.learn import write_kept
from maxsynth.commands.output import warn
from maxsynth.commands.progress import make_display
from maxsynth.commands.signals import Interrupt
from maxsynth.commands.tables.options import DataOptions
from maxsynth.commands.viewing.opening import open_data, open_folder
from maxsynth.data.dates import Meanings, program_text
from maxsynth.data.wishes import NO_WISHES
from maxsynth.files import check_output, read_text
from maxsynth.search.again.ask import Question
from maxsynth.search.progress import Progress
from maxsynth.search.result import EMPTY
from maxsynth.studio.engine import quietly


def ask_command(
    given: str,
    data: DataOptions | None,
    *,
    how: Mapping[str, Any],
    labels: str | None,
    atoms: str | None,
    slack: int,
    most: int,
    timeout: float | None,
    json_file: str | None,
    quiet: bool,
    prolog: str,
) -> int:
    check_output(json_file, given)
    with make_display(quiet):
        opened = open_folder(Path(given), prolog) if data is None else open_data(given, data)
        task, description = opened.make(NO_WISHES)
    check_output(json_file, opened.place)
    if not quiet:
        warn(list(task.warnings))
    last: list[Progress] = []
    with Interrupt() as interrupt:

        def note(progress: Progress) -> bool:
            last[:] = [progress]
            return not interrupt.came()

        with quietly(), Session(task, atoms=atoms_in(atoms), **how) as session, make_display(quiet) as display:
            display.follow(lambda: last[0] if last else None)
            asked = session.ask(labels, slack=slack, most=most, timeout=timeout, on_progress=note)
        interrupt.wait_for_writing()
        if json_file != "-":
            meanings = {} if description is None else description.meanings
            print("\n".join(lines(asked, slack, meanings)), flush=True)
        if json_file is not None:
            place = os.path.abspath(opened.place) if os.path.exists(opened.place) else opened.place
            told = {"task": place, "slack": slack, "questions": [one.as_dict() for one in asked]}
            problem = write_kept(json.dumps({**told, "version": __version__}, indent=1) + "\n", json_file)
            if problem is not None:
                raise problem
        interrupt.all_is_written()
    return interrupt.status(0)


def atoms_in(file: str | None) -> list[str]:
    """What has no label, as a file has it: an atom in each line."""
    if file is None:
        return []
    found = (line.strip() for line in read_text(Path(file)).splitlines())
    return [line for line in found if line and not line.startswith(("%", "#"))]


def lines(asked: list[Question], slack: int, meanings: Meanings) -> Iterator[str]:
    if not asked:
        yield f"programs that cost up to {slack} more than the best agree about all of these, as far as they were found"
    for question in asked:
        count = question.alike
        same = f"; {count} other{'s' * (count > 1)} would tell the same" if count else ""
        yield f"{question}{same}"
        for rival in question.sides:
            yield f"  {'true' if rival.covers else 'false'} by a program of cost {rival.cost}:"
            yield from (f"    {rule}" for rule in (program_text(rival.program, meanings) or EMPTY).splitlines())
