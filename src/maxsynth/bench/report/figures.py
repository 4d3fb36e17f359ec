"""Figures 1 to 4: accuracy against the time limit and against the noise, as SVG."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxsynth.bench.domains.catalogue import FIGURED, Named
from maxsynth.bench.limit import Limit
from maxsynth.bench.report.grouping import Results, balanced_accuracy
from maxsynth.bench.report.statistics import Mean
from maxsynth.bench.results import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIMED = ("alzheimer-toxic", "zendo2-20", "zendo4-20", "iggp-coins-20")  # the first two are the paper's choice
SHOWN = 2
POINTS = 60
NOTHING = 50.0  # the balanced accuracy of the empty program
# Colours that differ for most people, and in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = "osD^vPX"
DASHES = ("-", "--", ":", "-.")  # lines that lie on each other are all seen


@dataclass(frozen=True)
class Figure:
    key: str
    title: str
    svg: str


@dataclass(frozen=True)
class Unit:
    """What a limit is counted in, and where a point of a run's curve has it."""

    limit: str
    label: str
    place: int
    least: float


SECONDS = Unit("time limit", "time limit (seconds)", 0, 0.01)
STEPS = Unit("limit of steps", "limit of steps", 2, 1.0)
ACCURACY = 1  # its place in a point of a run's curve


@dataclass(frozen=True)
class Line:
    system: str
    xs: Sequence[float]
    means: Sequence[Mean]


def figures(results: Results) -> list[Figure]:
    """All figures that there are results for."""
    drawn = [*against_time(results), *against_noise(results)]
    return [draw(number, *parts) for number, parts in enumerate(drawn, 1)]


Drawing = tuple[str, str, str, list[Line], bool]  # key, title, label of the x axis, lines, logarithmic


def against_time(results: Results) -> Iterator[Drawing]:
    tasks = [task for task in TIMED if task in results.tasks]
    tasks += [task for task in results.tasks if task not in tasks]
    for task in tasks[:SHOWN]:
        runs = [run for system in results.systems for run in results.runs(task, system)]
        counted = all(Limit.of(run).steps is not None for run in runs)
        unit = STEPS if counted else SECONDS
        lines = [line for system in results.systems if (line := time_line(results, task, system, unit)) is not None]
        if lines:
            yield f"time-{task}", f"accuracy against the {unit.limit} on {task}", unit.label, lines, True


def time_line(results: Results, task: str, system: str, unit: Unit) -> Line | None:
    """What the runs of a system would have found with shorter limits, from when they found their programs.

    The search does not depend on its limit, so what it has found at a time is what it returns with that limit. Other
    systems show what they returned in runs with different limits.
    """
    runs = results.runs(task, system)
    if not runs:
        return None
    if any("cost" in run for run in runs):
        xs = time_points(runs, unit)
        means = [Mean.of([accuracy_at(run, x, unit) for run in runs]) for x in xs]
    else:
        by_limit: dict[float, list[float]] = {}
        for run in results.good:
            if run["task"] == task and run["system"] == system:
                by_limit.setdefault(run["timeout"], []).append(balanced_accuracy(run) or 0.0)
        xs = sorted(by_limit)
        means = [Mean.of(by_limit[x]) for x in xs]
    return Line(system, xs, [mean for mean in means if mean is not None])


def time_points(runs: Sequence[Record], unit: Unit) -> list[float]:
    """From the first program to the limit, evenly on a logarithmic scale."""
    first = min((found[unit.place] for run in runs for found in run["curve"]), default=10 * unit.least)
    limit = Limit.of(runs[0])
    end = limit.seconds if unit is SECONDS else limit.steps or 0
    start, end = math.log10(max(first / 2, unit.least)), math.log10(max(end, 2 * unit.least))
    return [10 ** (start + (end - start) * number / (POINTS - 1)) for number in range(POINTS)]


def accuracy_at(run: Record, limit: float, unit: Unit) -> float:
    found = [point[ACCURACY] for point in run["curve"] if point[unit.place] <= limit]
    return 100 * found[-1] if found else NOTHING


def against_noise(results: Results) -> Iterator[Drawing]:
    domains = list(dict.fromkeys([*FIGURED, *(Named.of(task).domain for task in results.tasks)]))
    known = [domain for domain in domains if len(results.by_noise(domain)) > 1][: len(FIGURED)]
    for domain in known:
        lines = []
        for system in results.systems:
            points = {
                noise: mean
                for noise, task in sorted(results.by_noise(domain).items())
                if (mean := results.mean(task, system, balanced_accuracy)) is not None
            }
            if points:
                lines.append(Line(system, list(points), list(points.values())))
        if lines:
            yield f"noise-{domain}", f"accuracy against noise on {domain}", "wrong labels (percent)", lines, False


def draw(number: int, key: str, title: str, label: str, lines: list[Line], logarithmic: bool) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    # The same results give the same bytes; text stays text.
    settings: Any = {"svg.hashsalt": key, "svg.fonttype": "none", "font.size": 9}
    with matplotlib.rc_context(settings):
        canvas = Canvas(figsize=(3.8, 2.8), layout="constrained")
        axes = canvas.add_subplot()
        for place, line in enumerate(lines):
            draw_line(axes, line, place, marked=len(line.xs) < POINTS)
        if logarithmic:
            axes.set_xscale("log")
        axes.set(xlabel=label, ylabel="balanced accuracy (percent)", ylim=(45, 102))
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
        out = io.StringIO()
        canvas.savefig(out, format="svg", metadata={"Date": None, "Title": title})
    return Figure(key, f"Figure {number}: {title}", out.getvalue())


def draw_line(axes: Axes, line: Line, place: int, *, marked: bool) -> None:
    colour = COLOURS[place % len(COLOURS)]
    axes.plot(
        line.xs,
        [mean.value for mean in line.means],
        color=colour,
        marker=MARKERS[place % len(MARKERS)] if marked else "",
        markersize=4,
        linestyle=DASHES[place % len(DASHES)],
        linewidth=2.4 if place == 0 else 1.6,
        label=line.system,
    )
    low = [mean.value - mean.error for mean in line.means]
    high = [mean.value + mean.error for mean in line.means]
    axes.fill_between(line.xs, low, high, color=colour, alpha=0.12, linewidth=0)
