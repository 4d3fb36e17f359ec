"""Learning from Python: a `Task` in, a `Result` out."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext

from maxsynth.api import options
from maxsynth.api.result import Result
from maxsynth.api.searches.climbing import limits_of
from maxsynth.api.searches.counting import learn_counting
from maxsynth.api.searches.effort import Effort
from maxsynth.api.searches.either import described_by, is_better, may_be_better
from maxsynth.api.task import Task, checked_task
from maxsynth.api.warnings import warn
from maxsynth.bias.parsing import overridden
from maxsynth.checks.advice import advice
from maxsynth.errors import MaxSynthError
from maxsynth.proofs.metrics import Weights
from maxsynth.search.checkpoints.asked import AskedToLast
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import Settings
from maxsynth.search.weights.folds import HERE, Where
from maxsynth.spread.executor import Executor, Serial
from maxsynth.task import task as engine
from maxsynth.task.memory import check_limit
from maxsynth.task.undirected import without_directions

OnProgress = Callable[[Progress], object]

TOLD_EVERY = 0.2  # seconds between two calls of `on_progress`, when nothing else happens


class Watch:
    """Tells a callback of a run, several times a second, and notes when that wants to stop."""

    def __init__(self, callback: OnProgress | None) -> None:
        self.callback = callback
        self.now: Callable[[], Progress | None] = lambda: None
        self.last = time.monotonic()
        self.stopped = False

    def follow(self, now: Callable[[], Progress | None], meanwhile: str | None = None) -> None:
        """Lets `now` say from here on where the run stands; as long as that says nothing, `meanwhile` is what is done,
        so that the callback can end it."""
        started = time.monotonic()

        def said() -> Progress | None:
            told = now()
            if told is None and meanwhile is not None:
                return Progress(meanwhile, time.monotonic() - started, 0, 0, 0, None, 0)
            return told

        self.now = said

    def note(self, progress: Progress) -> None:
        if self.callback is not None and not self.stopped:
            self.last = time.monotonic()
            self.stopped = self.callback(progress) is False

    def should_stop(self) -> bool:
        """Asked often by the search."""
        if self.callback is not None and time.monotonic() - self.last >= TOLD_EVERY:
            progress = self.now()
            if progress is not None:
                self.note(progress)
        return self.stopped


def learn(
    task: Task,
    *,
    timeout: float | None = None,
    steps: int | None = None,
    exact: bool = False,
    weights: Sequence[int] | str = (1, 1, 1),
    forbid_singletons: bool = False,
    ignore_directions: bool = False,
    max_vars: int | None = None,
    max_body: int | None = None,
    max_clauses: int | None = None,
    memory: int | str | None = None,
    jobs: int | None = None,
    labels: str | os.PathLike[str] | Mapping[str, str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
    cluster: object = None,
) -> Result:
    """Learns a program of least cost: the weighted sum of its size, its false positives and its false negatives.

    - `timeout`: end after so many seconds with the best so far;
    - `steps`: end after so many steps of the search, with the same program on every machine; where two values
      are tried, so many for each;
    - `exact`: the smallest program without any error, or none;
    - `weights`: what a literal, a false positive and a false negative cost; "auto" chooses by cross-validation;
    - `forbid_singletons`: no variable may occur only once in a rule;
    - `ignore_directions`: rules may use facts in every direction;
    - `max_vars`, `max_body`, `max_clauses`: limits that take the place of those of the bias;
    - `memory`: what this process may have, with all that it has already, in bytes or as a size such as "500M" (default:
      850 MB more than the task takes); a task that cannot fit is an error, and a search that passes it ends with the
      best so far and the status "memory";
    - `jobs`: how many threads work on it, all cores by default; the answer is the same;
    - `labels`: what is decided about examples, as a file or as {example: "keep", "flip" or "leave out"};
    - `checkpoint`: a file in which what is needed to go on is saved, every minute and at the end;
    - `resume`: such a file, of the same task and settings, to go on from; `steps` then counts from the very beginning,
      and `timeout` from now;
    - `on_progress`: called with a `Progress` several times a second, and with each better program (`progress.program`)
      as it is found. When it returns False, the run ends with the best so far and the status "interrupted";
    - `cluster`: who has a part in a search, and does those of `weights="auto"`: "local:4" for processes of this
      machine, the address of a Dask scheduler, or a `distributed.Client`. The answer is the same.

    What is strange about the task is said by `warnings`, as a `MaxSynthWarning`.
    """
    checked_task(task)
    chosen = options.weights(weights)
    settings = Settings(
        chosen or Weights(),
        options.flag("exact", exact),
        options.seconds("timeout", timeout),
        options.count("steps", steps),
        memory=options.memory(memory),
        directions=not options.flag("ignore_directions", ignore_directions),
        prolog=task.prolog,
        jobs=options.count("jobs", jobs),
        labels=(decisions := options.labels(labels)).recorded(),
    )
    watch = Watch(options.callback(on_progress))
    forbid_singletons = options.flag("forbid_singletons", forbid_singletons)
    overrides = options.overrides(max_vars, max_body, max_clauses)
    cluster = options.cluster(cluster)
    lasting = AskedToLast(options.file("checkpoint", checkpoint), options.file("resume", resume))
    if decisions.lines and cluster is not None:
        raise MaxSynthError("a cluster reads the task as it is, without labels=", remedy="leave out one of them")
    if chosen is None:
        lasting.refuse('weights="auto" makes many', "give three numbers")
    warn(task.warnings)
    check_limit(settings.memory)
    climbs = task.climbs and not overrides and not settings.exact
    if climbs:
        lasting.refuse("there is one for each size of rules", "give max_vars and max_body")
    if task.counts:
        lasting.refuse("there may be one without counts", "leave out the counts of the data")
    # With weights of its own for each value, what they cost could not be compared; decisions are about one value.
    rival = task.rival if chosen and not decisions.lines else None
    if rival is not None:
        lasting.refuse("there is one for each value of the target", 'name one: "TABLE.COLUMN=VALUE"')
    with ExitStack() as ending:
        executor = ending.enter_context(executor_at(cluster))
        start = time.monotonic()

        def learned(
            task: Task, settings: Settings, below: int | None = None
        ) -> tuple[SearchResult | None, engine.ReadTask, Where]:
            """What is found with the weights that were given, or in the space that fits; and that space."""
            read = decisions.apply(task.read(settings.memory_limit, overrides))
            ending.callback(read.background.close_engine)
            if forbid_singletons:
                read = read.with_bias(dataclasses.replace(read.bias, singletons=False))
            if ignore_directions:
                read = without_directions(read)
            where = Where(executor, task.without_rival())

            def search(space: engine.ReadTask, within: Settings, taken: int) -> SearchResult:
                given = {"steps": taken, **lasting.for_search(space, within)}
                with where.helpers(within, lambda text: warn([text])) as helpers:
                    searching = Search(space, within, watch.note, watch.should_stop, start, helpers=helpers, **given)
                    if below is not None:
                        searching.look_below(below)
                    watch.follow(searching.now)
                    return searching.run()

            if not (chosen or climbs):
                return None, read, where
            effort = Effort(settings, search, climbs=climbs, small=not chosen)
            return *learn_counting(read, task.counts, effort.search), where

        run, space, where = learned(task, settings.shared(0.0, 2) if rival else settings)
        if run is not None and rival is not None and not watch.stopped and may_be_better(run, task.counts):
            other = rival()
            better, its_space, _ = learned(other, settings, described_by(run, task.counts))
            if better is not None and is_better(better, run, task.counts):
                task, run, space = other, better, its_space
        if lasting.problem is not None:
            warn([str(lasting.problem)])
        if chosen:
            assert run is not None
            run.settings["timeout"] = settings.timeout
            return Result(run, task, warnings=task.warnings, advice=advice(space, run))
        if run is not None:
            space = space.with_bias(overridden(space.bias, limits_of(run)))
        run, said = search_with_best_weights(space, settings, watch, where)
        return Result(run, task, warnings=task.warnings, advice=said)


def executor_at(cluster: object) -> AbstractContextManager[Executor]:
    """Who does the searches of `weights="auto"`, and helps with one."""
    if cluster is None:
        return nullcontext(Serial())
    from maxsynth.spread.cluster import executor_for  # with what most do without

    return executor_for(cluster, lambda text: None)


def search_with_best_weights(
    task: engine.ReadTask, settings: Settings, watch: Watch, where: Where
) -> tuple[SearchResult, list[str]]:
    """The same with weights that are chosen by cross-validation first; the limits count for both together."""
    from maxsynth.search.weights.cross_validation import Known, choose_weights

    if settings.exact:
        raise MaxSynthError('a program without errors has no use for weights="auto"', remedy="leave out one of them")
    start, known = time.monotonic(), Known()
    watch.follow(lambda: Progress("weights", time.monotonic() - start, 0, 0, 0, None, 0))
    choice = choose_weights(task, settings, started=start, interrupted=watch.should_stop, known=known, where=where)
    if choice.lost is not None:
        warn([choice.lost])
    chosen = dataclasses.replace(settings, weights=choice.weights, weights_auto=choice.how())
    stop = watch.should_stop if choice.lost is None else lambda: True
    with (where if choice.lost is None else HERE).helpers(chosen, lambda text: warn([text])) as helpers:
        searching = Search(task, chosen, watch.note, stop, start, choice.steps, helpers=helpers)
        watch.follow(searching.now)
        run = known.or_better(searching.run(), choice.weights)
    run.seconds["weights"] = round(choice.seconds, 4)
    said = advice(task, run)
    if choice.better_undirected:
        said.append("The directions in the bias seem to forbid better rules: ignore_directions=True allows them.")
    return run, said
