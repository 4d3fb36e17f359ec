"""What `maxsynth learn` does and prints."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Collection, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from maxsynth.api.searches.climbing import limits_of
from maxsynth.api.searches.counting import learn_counting
from maxsynth.api.searches.effort import Effort
from maxsynth.bias.parsing import overridden
from maxsynth.commands.learn_options import LearnOptions
from maxsynth.commands.output import complain, save_elsewhere, warn
from maxsynth.commands.progress import make_display, say
from maxsynth.commands.signals import Interrupt
from maxsynth.errors import MaxSynthError
from maxsynth.files import check_output, write_text
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluation import Evaluation
from maxsynth.search.checkpoints.asked import AskedToLast
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.result import EMPTY, OPTIMAL, SearchResult, fingerprints, program_text, summary
from maxsynth.search.settings import Settings
from maxsynth.search.threads import cores
from maxsynth.search.weights.folds import HERE, Where
from maxsynth.spread.executor import Executor, Serial
from maxsynth.task.meanwhile import Meanwhile
from maxsynth.task.source import FolderSource
from maxsynth.task.task import ReadTask

MOST_NOTES = 3  # on constraints
NONE, CUT = 1, 3  # exit statuses of `--exact` without a program: there is none, or there may be one


def learn_command(folder: Path, asked: LearnOptions, *, infer: bool = False, meanwhile: Meanwhile | None = None) -> int:
    """`meanwhile` has begun to read the folder."""
    settings = asked.settings()
    check_output(asked.json_file, folder)
    with asked.executor(tell_unless(asked.quiet)) as executor:
        return learn_folder(folder, asked, settings, executor, infer, meanwhile)


def learn_folder(
    folder: Path,
    asked: LearnOptions,
    settings: Settings,
    executor: Executor,
    infer: bool,
    meanwhile: Meanwhile | None = None,
) -> int:
    quiet, json_file = asked.quiet, asked.json_file
    many = asked.weights is None and not isinstance(executor, Serial)
    source = FolderSource.of(folder, asked.prolog) if many else None
    with make_display(quiet):
        task = ReadTask.from_folder(
            folder,
            prolog=asked.prolog,
            memory=settings.memory_limit,
            overrides=asked.overrides,
            jobs=settings.jobs or cores(),
            meanwhile=meanwhile,
        )
    lines: tuple[str, ...] = ()
    if infer:
        task, lines = with_what_is_inferred(task, asked.prolog, quiet)
    files = {} if json_file is None else fingerprints(folder)  # as they are now, whatever becomes of them meanwhile
    task = asked.as_asked(task)
    climbs = infer and {"max_vars", "max_body"} <= set(task.bias.by_default) and not asked.exact
    files_of_run = asked.lasting(climbs=climbs)
    check_output(files_of_run.save, folder)
    try:
        with Interrupt() as interrupt:
            result = learn_asked(
                task, settings, interrupt, asked, Where(executor, source), climbs=climbs, lasting=files_of_run
            )
            if infer:
                result.settings["inferred"] = list(lines)  # which `verify` needs to know
            interrupt.wait_for_writing()
            show(result, os.path.abspath(folder), files, json_file, quiet=quiet)
            interrupt.all_is_written()
            if not quiet:
                from maxsynth.checks.advice import advice, advice_when_cut

                for line in (*advice(task, result), *advice_when_cut(task, result)):
                    say(line)
        if files_of_run.problem is not None:
            raise files_of_run.problem
    finally:
        task.background.close_engine()
    return status_for([result], interrupt)


def learn_asked(
    task: ReadTask,
    settings: Settings,
    interrupt: Interrupt,
    asked: LearnOptions,
    where: Where,
    *,
    climbs: bool,
    counts: Collection[Predicate] = (),
    lasting: AskedToLast | None = None,
    only_below: int | None = None,
) -> SearchResult:
    """Learns with the weights that were given, or with the best; in the space of the bias, or in one that fits.

    `counts`: predicates that a program may use where they are worth it; `only_below`: what a program must cost less
    than to be of interest.
    """
    how: Any = {"started": asked.started, "quiet": asked.quiet, "only_below": only_below}
    chosen, below = asked.weights is not None, only_below

    def search(space: ReadTask, within: Settings, taken: int) -> SearchResult:
        nonlocal below
        result = learn(space, within, interrupt, steps=taken, below=below, lasting=lasting, where=where, **how)
        if result.cost is not None:
            below = result.cost if below is None else min(below, result.cost)
        return result

    if chosen or climbs:
        effort = Effort(settings, search, climbs=climbs, small=not chosen)
        best, task = learn_counting(task, counts, effort.search, None if asked.quiet else say)
    if climbs and best.program is not None:
        bounds = limits_of(best)
        task = task.with_bias(overridden(task.bias, bounds))
        if not asked.quiet:
            size = f"{bounds.max_vars} variables and {bounds.max_body} literals"
            say(f"rules of up to {size}, as fits the effort (--max-vars, --max-body)")
    if chosen:
        return best
    return learn_with_best_weights(task, settings, interrupt, where, started=asked.started, quiet=asked.quiet)


def tell_unless(quiet: bool) -> Callable[[str], None]:
    return (lambda text: None) if quiet else say


def status_for(results: Sequence[SearchResult], interrupt: Interrupt) -> int:
    without = [result for result in results if result.program is None]
    proven = all(result.status == OPTIMAL for result in without)
    return interrupt.status(0 if not without else NONE if proven else CUT)


def with_what_is_inferred(task: ReadTask, prolog: str, quiet: bool) -> tuple[ReadTask, tuple[str, ...]]:
    """The task with what its bias leaves open and BK tells, which is said."""
    from maxsynth.data.infer_folder import infer_folder, with_inferred

    found = infer_folder(task)
    if not quiet:
        for line in found.said or ("the bias says it all: nothing is inferred",):
            say(f"inferred {line}" if found.said else line)
    return (with_inferred(task, found.lines, prolog) if found.lines else task), found.lines


def show(result: SearchResult, task: str, files: dict[str, str], json_file: str | None, *, quiet: bool) -> None:
    """Prints and writes what was found, the program first. What cannot be written is an error, once all is said."""
    problem = None
    if json_file != "-":
        print(program_text(result), flush=True)
    if json_file is not None:
        problem = write_kept(json.dumps(result.as_dict(task, files), indent=1) + "\n", json_file)
    if not quiet:
        say(summary(result))
    if problem is not None:
        raise problem


def write_kept(text: str, json_file: str) -> MaxSynthError | None:
    """Writes the JSON of a run, elsewhere if it must be: that is the error that is to come once all else is said."""
    try:
        write_text(text, json_file)
    except MaxSynthError as error:
        elsewhere = save_elsewhere(text, ".json")
        remedy = f"it is in {elsewhere} instead" if elsewhere else "the program was printed all the same"
        return MaxSynthError(error.message, error.position, remedy)
    return None


def show_at_once(cost: int, program: Program) -> None:
    """Prints the best so far of a run that has no time or memory to come to an end, or met an error on its way."""
    print(str(program) or EMPTY, flush=True)
    say(f"ended at once: cost {cost}, the best so far; nothing more is known of it, and no JSON is written")


def learn(
    task: ReadTask,
    settings: Settings,
    interrupt: Interrupt,
    *,
    started: float,
    steps: int = 0,
    known: Evaluation | None = None,
    below: int | None = None,
    quiet: bool = False,
    ended: bool = False,
    lasting: AskedToLast | None = None,
    where: Where = HERE,
    only_below: int | None = None,
) -> SearchResult:
    """Runs a search in front of a person. The limits count from `started` on, with the steps that were taken before.

    When it is torn away, the best so far is printed: of this search, or what was `known` before. Programs are shown
    that cost less than `below`; where that is given, all that there is to warn of was said before. Where the run has
    `ended` already, nothing is searched: what is known is all. `lasting` says where it is saved, and what it goes on
    from. A cluster, if that is `where` searches are done, has a part in it. Only programs are looked for that cost less
    than `only_below`, if that is given.
    """
    given: dict[str, Any] = {"steps": steps, **(lasting.for_search(task, settings) if lasting else {})}
    if not quiet and below is None:
        warn(task.warnings)
        for text in task.bias.clingo_notes()[:MOST_NOTES]:
            say(f"note: {text}")
        if settings.timeout and time.monotonic() - started >= settings.timeout:
            say("All of the time went into what comes before the search.")
    found = [] if known is None else [(known.cost, known.program)]

    def note(progress: Progress) -> None:
        if progress.program is not None and progress.cost is not None:
            found.append((progress.cost, progress.program))
        if progress.program is None or progress.cost is None or below is None or progress.cost < below:
            display.note(progress)

    try:
        with make_display(quiet) as display, where.helpers(settings, complain) as helpers:
            search = Search(task, settings, note, lambda: ended or interrupt.came(), started, helpers=helpers, **given)
            if lasting and not quiet:
                tell_of_checkpoints(search, lasting)
            if only_below is not None:
                search.look_below(only_below)
            display.follow(search.now)
            return search.run()
    except (KeyboardInterrupt, MemoryError, MaxSynthError):
        if found:
            show_at_once(*min(found, key=itemgetter(0)))
        raise


def tell_of_checkpoints(search: Search, lasting: AskedToLast) -> None:
    """What a run goes on from, and whether another one can go on from it."""
    if lasting.checkpoint is not None:
        say(f"goes on after {lasting.checkpoint.steps:,} steps, {lasting.checkpoint.seconds:.0f} s")
    if lasting.save is not None and not search.goes_on:
        say("note: of such a task only the end is saved: who resumes it before that begins again")


def learn_with_best_weights(
    task: ReadTask, settings: Settings, interrupt: Interrupt, where: Where, *, started: float, quiet: bool
) -> SearchResult:
    """Chooses the weights by cross-validation first; the limits count for both together."""
    from maxsynth.search.weights.cross_validation import Known, choose_weights

    known = Known()
    try:
        tell = tell_unless(quiet)
        choice = choose_weights(
            task, settings, started=started, interrupted=interrupt.came, tell=tell, known=known, where=where
        )
    except (KeyboardInterrupt, MemoryError, MaxSynthError):
        best = known.best(settings.weights)
        if best is not None:
            show_at_once(best.cost, best.program)
        raise
    if choice.lost is not None:
        complain(choice.lost)
    if not quiet:
        say(f"chosen in {choice.seconds:.2f} s: {','.join(map(str, dataclasses.astuple(choice.weights)))}")
        if choice.better_undirected:
            say("The directions in bias.pl seem to forbid better rules: --ignore-directions allows them.")
    chosen = dataclasses.replace(settings, weights=choice.weights, weights_auto=choice.how())
    best = known.best(choice.weights)
    ended = choice.lost is not None
    given: dict[str, Any] = {"known": best, "ended": ended, "where": HERE if ended else where}
    result = learn(task, chosen, interrupt, started=started, steps=choice.steps, quiet=quiet, **given)
    result.seconds["weights"] = round(choice.seconds, 4)
    return known.or_better(result, choice.weights)
