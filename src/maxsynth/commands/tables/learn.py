"""What `maxsynth learn` does with tables: a program for the target, or one for each of its values."""

from __future__ import annotations

import json
import os
import time

from maxsynth.api.searches.either import described_by, is_better, may_be_better
from maxsynth.api.task import Task
from maxsynth.commands.learn import learn_asked, status_for, tell_unless, write_kept
from maxsynth.commands.learn_options import LearnOptions
from maxsynth.commands.progress import make_display, say
from maxsynth.commands.signals import Interrupt
from maxsynth.commands.tables.options import DataOptions, DataTask, read_data_task, tell
from maxsynth.data.dates import program_text as dated_text
from maxsynth.data.description import Aim
from maxsynth.data.inference.values import shown
from maxsynth.data.task import make_task
from maxsynth.errors import MaxSynthError
from maxsynth.files import check_output
from maxsynth.search.checkpoints.asked import AskedToLast
from maxsynth.search.result import SearchResult, program_text, summary
from maxsynth.search.settings import Settings
from maxsynth.search.weights.folds import Where
from maxsynth.spread.executor import Executor
from maxsynth.task.task import ReadTask


def learn_data_command(source: str, data: DataOptions, asked: LearnOptions) -> int:
    settings = asked.settings()
    check_output(asked.json_file, source)
    with asked.executor(tell_unless(asked.quiet)) as executor:
        return learn_tables(source, data, asked, settings, executor)


def learn_tables(source: str, data: DataOptions, asked: LearnOptions, settings: Settings, executor: Executor) -> int:
    json_file = asked.json_file
    with make_display(asked.quiet):
        task = read_data_task(source, data)
        aims, rival = task.description.target.aims, task.description.target.rival
        if asked.weights is None or asked.labels is not None:
            rival = None  # what they cost could not be compared; and decisions are about one value
        first = make_aim(task, aims[0], settings, asked)
    counts = bool(task.description.counts)
    lasting = asked.lasting(climbs=climbs(task, asked), several=len(aims) > 1 or rival is not None, counts=counts)
    for file in (json_file, lasting.save):
        check_output(file, task.description.place)
    if not asked.quiet:
        tell(task)
    results: list[tuple[Aim, SearchResult]] = []
    with Interrupt() as interrupt:
        try:
            for number, aim in enumerate(aims):
                left = 2 if rival is not None else len(aims) - number
                part = settings.shared(time.monotonic() - asked.started, left)
                made, read = make_aim(task, aim, settings, asked) if number else first
                where = Where(executor, made.without_rival())
                results.append((aim, learn_aim(task, aim, read, part, interrupt, asked, where, lasting)))
                results[-1][1].settings["timeout"] = settings.timeout
                if interrupt.came():
                    break
            if rival is not None and not interrupt.came() and may_be_better(results[0][1], task.description.counts):
                results = [better_of(task, results[0], rival, settings, interrupt, asked, executor)]
        except (KeyboardInterrupt, MemoryError, MaxSynthError):
            if results:  # of the values before, whose searches had come to their ends
                say(f"found before: {', '.join(aim.predicate for aim, _ in results)}")
                show(task, results, json_file)
            raise
        interrupt.wait_for_writing()
        show(task, results, json_file)
        interrupt.all_is_written()
    if lasting.problem is not None:
        raise lasting.problem
    return status_for([result for _, result in results], interrupt)


def better_of(
    data: DataTask,
    known: tuple[Aim, SearchResult],
    rival: Aim,
    settings: Settings,
    interrupt: Interrupt,
    asked: LearnOptions,
    executor: Executor,
) -> tuple[Aim, SearchResult]:
    """What is known, or what is learned of the other one of two values, where that costs less (`searches.either`)."""
    description = data.description
    below = described_by(known[1], description.counts)
    if not asked.quiet:
        kind = description.table(description.target.table).column(description.target.column).kind
        say(f"\n{description.target} = {shown(rival.equals, kind)}, if its rules cost less:")
    made, read = make_aim(data, rival, settings, asked)
    result = learn_asked(
        read,
        settings,
        interrupt,
        asked,
        Where(executor, made.without_rival()),
        climbs=climbs(data, asked),
        counts=description.counts,
        only_below=below,
    )
    better = is_better(result, known[1], description.counts)
    if not asked.quiet:
        say(summary(result) if better else "they do not")
    return (rival, result) if better else known


def make_aim(data: DataTask, aim: Aim, settings: Settings, asked: LearnOptions) -> tuple[Task, ReadTask]:
    """The task to learn one thing, and the same as it is searched."""
    made = make_task(data.database.data, data.description, aim)
    return made, asked.as_asked(made.read(settings.memory_limit, asked.overrides))


def learn_aim(
    data: DataTask,
    aim: Aim,
    task: ReadTask,
    settings: Settings,
    interrupt: Interrupt,
    asked: LearnOptions,
    where: Where,
    lasting: AskedToLast,
) -> SearchResult:
    """Learns one thing, and says so where there are several."""
    description = data.description
    if not asked.quiet and len(description.target.aims) > 1:
        kind = description.table(description.target.table).column(description.target.column).kind
        say(f"\n{description.target} = {shown(aim.equals, kind)}")
    result = learn_asked(
        task, settings, interrupt, asked, where, climbs=climbs(data, asked), counts=description.counts, lasting=lasting
    )
    if not asked.quiet:
        say(summary(result))
    return result


def climbs(data: DataTask, asked: LearnOptions) -> bool:
    """Whether nobody says how large rules may be."""
    return not (asked.overrides or data.description.max_vars or data.description.max_body or asked.exact)


def show(task: DataTask, results: list[tuple[Aim, SearchResult]], json_file: str | None) -> None:
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
    problem = write_kept(text, json_file)
    if problem is not None:
        raise problem


def place(task: DataTask) -> str:
    """Where the data is, from everywhere."""
    found = task.description.place
    return os.path.abspath(found) if os.path.exists(found) else found
