"""The front from Python: for every size the program with the fewest errors."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from maxsynth.api import options
from maxsynth.api.learn import OnProgress, Watch
from maxsynth.api.searches.climbing import limits_of
from maxsynth.api.searches.counting import learn_counting
from maxsynth.api.searches.effort import Effort
from maxsynth.api.task import Task, checked_task
from maxsynth.api.warnings import warn
from maxsynth.bias.parsing import overridden
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.search.front.front import FrontSearch
from maxsynth.search.front.result import Front
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.memory import check_limit
from maxsynth.task.task import ReadTask
from maxsynth.task.undirected import without_directions

OnPoints = Callable[[Front], object]


def front(
    task: Task,
    *,
    size: int | None = None,
    timeout: float | None = None,
    steps: int | None = None,
    weights: Sequence[int] = (1, 1, 1),
    forbid_singletons: bool = False,
    ignore_directions: bool = False,
    max_vars: int | None = None,
    max_body: int | None = None,
    max_clauses: int | None = None,
    memory: int | str | None = None,
    jobs: int | None = None,
    labels: str | os.PathLike[str] | Mapping[str, str] | None = None,
    on_progress: OnProgress | None = None,
    on_points: OnPoints | None = None,
) -> Front:
    """For every size the program with the fewest errors, in the space that `learn` has.

    - `size`: how many literals the largest programs have; without it as many as the program that `learn` finds;
    - `weights`: what a false positive and a false negative count, as errors; what a literal weighs beside them says
      how far the front goes where no `size` is given;
    - `on_points`: called now and then with the front as it is known, of which the status is "running".

    All else is as in `learn`. Where a limit ends the search, each point has what is known of it.
    """
    checked_task(task)
    chosen = options.weights(weights)
    if chosen is None:
        raise MaxSynthError('a front has no use for weights="auto"', remedy="give three numbers")
    settings = Settings(
        chosen,
        timeout=options.seconds("timeout", timeout),
        steps=options.count("steps", steps),
        memory=options.memory(memory),
        directions=not options.flag("ignore_directions", ignore_directions),
        prolog=task.prolog,
        jobs=options.count("jobs", jobs),
        labels=(decisions := options.labels(labels)).recorded(),
    )
    size = options.count("size", size)
    watch = Watch(options.callback(on_progress))
    overrides = options.overrides(max_vars, max_body, max_clauses)
    warn(task.warnings)
    check_limit(settings.memory)
    started = time.monotonic()
    read = decisions.apply(task.read(settings.memory_limit, overrides))
    if options.flag("forbid_singletons", forbid_singletons):
        read = read.with_bias(dataclasses.replace(read.bias, singletons=False))
    if ignore_directions:
        read = without_directions(read)
    try:
        return search_front(
            read, settings, size, watch.note, watch.should_stop, started, lambda now: watch.follow(now, "front"),
            climbs=task.climbs and not overrides, counts=task.counts,
            on_points=options.callback(on_points, "on_points"),
        )  # fmt: skip
    finally:
        read.background.close_engine()


def search_front(
    task: ReadTask,
    settings: Settings,
    size: int | None,
    on_progress: Callable[[Progress], None],
    interrupted: Callable[[], bool],
    started: float,
    follow: Callable[[Callable[[], Progress | None]], None],
    *,
    climbs: bool = False,
    counts: Collection[Predicate] = (),
    on_points: OnPoints | None = None,
) -> Front:
    """The front of a task; of tables, in the space that `learn` comes to: limits that fit, and counts that pay."""

    def search(space: ReadTask, within: Settings, taken: int) -> SearchResult:
        searching = Search(space, within, on_progress, interrupted, started, taken)
        follow(searching.now)
        return searching.run()

    first, taken = None, 0
    if climbs or counts:
        effort = Effort(settings, search, climbs=climbs, small=False)
        first, task = learn_counting(task, counts, effort.search)
        taken = effort.taken
        if climbs:
            task = task.with_bias(overridden(task.bias, limits_of(first)))
    given = settings, on_progress, interrupted, started, taken
    return FrontSearch(task, *given, follow=follow, on_points=on_points).run(size, first)
