"""Which tables a report has, and what is said below them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from maxsynth.bench.domains.catalogue import Named
from maxsynth.bench.report.grouping import MEASURES, Measure, Results, balanced_accuracy, seconds, tested
from maxsynth.bench.report.statistics import SIGNIFICANT, Mean
from maxsynth.bench.report.tables import NONE, Cell, Table
from maxsynth.search.result import MEMORY, OUT_OF_STEPS, TIMEOUT

OURS, ABLATION, EXACT = "maxsynth", "no-constraints", "exact"
CUT = {TIMEOUT: "†", OUT_OF_STEPS: "‡", MEMORY: "§"}
CUT_NOTES = {
    TIMEOUT: "† a run was ended by its time limit: a faster machine may get another result.",
    OUT_OF_STEPS: "‡ a run was ended by its limit of steps, which is the same on every machine.",
    MEMORY: "§ a run was ended by its limit of memory: with more, it may get another result.",
}
TIME_NOTE = "Seconds to read the task and learn, as mean and standard error."
# What the paper states for its table 1: significantly better than Popper, similar, worse.
STATED = {EXACT: "25, 13 and 4 of 42 tasks in the paper, against Popper 2.0"}


def tables(results: Results) -> Iterator[Table]:
    """The tables of the paper, as far as there are results for them."""
    yield accuracies(results)
    if {OURS, ABLATION} <= set(results.systems):
        yield from constraints(results)
    if {OURS, EXACT} <= set(results.systems):
        yield noiseless(results)
    yield times(results)
    for system in results.systems:
        yield measures(results, system)
    if results.errors:
        yield errors(results)


def accuracies(results: Results) -> Table:
    rows = []
    for task in results.tasks:
        means = [results.mean(task, system, balanced_accuracy) for system in results.systems]
        best = max((mean.value for mean in means if mean is not None), default=0.0)
        cells = [
            Cell.of(mean, bold=same(mean, best), mark=cut_mark(results, task, system))
            for mean, system in zip(means, results.systems, strict=True)
        ]
        rows.append([Cell(task), *cells])
    notes = ["Percent of balanced accuracy on the test examples: the mean of the shares of positives and of negatives "
             "that are right. Best in bold.", *cut_notes(results), *comparisons(results)]  # fmt: skip
    return Table("accuracies", "Table 1: predictive accuracy", ["task", *results.systems], rows, notes)


def cut_mark(results: Results, task: str, system: str) -> str:
    return "".join(CUT[limit] for limit in sorted(results.cut(task, system)))


def cut_notes(results: Results) -> list[str]:
    found = {record["status"] for record in results.good}
    return [note for limit, note in CUT_NOTES.items() if limit in found]


def same(mean: Mean | None, best: float) -> bool:
    return mean is not None and abs(mean.value - best) < 1e-9


def comparisons(results: Results) -> Iterator[str]:
    for other in results.systems:
        if other == OURS or OURS not in results.systems:
            continue
        counts = results.compare(OURS, other, balanced_accuracy, SIGNIFICANT)
        if not counts.tasks:  # it takes two trials
            continue
        stated = f" ({STATED[other]})" if other in STATED else ""
        yield (
            f"Paired t-test (p < {SIGNIFICANT}), {OURS} against {other}: significantly better on {counts.better}, "
            f"similar on {counts.similar}, worse on {counts.worse} of {counts.tasks} tasks{stated}."
        )


def constraints(results: Results) -> Iterator[Table]:
    """Table 2 and its appendix: what the noisy constraints save, in time and in programs."""
    for key, title, measure, digits in (
        ("constraints-time", "Table 2: learning time without and with noisy constraints", seconds, None),
        ("constraints-programs", "Programs tested without and with noisy constraints", tested, 0),
    ):
        rows = [row for task in results.tasks if (row := difference(results, task, measure, digits)) is not None]
        notes = [
            f"The difference is in bold where a paired t-test finds it significant (p < {SIGNIFICANT}).",
            *cut_notes(results),
        ]
        if measure is seconds:
            notes = [TIME_NOTE, "The difference counts times up to the shorter of both limits.", *notes, total(results)]
        yield Table(key, title, ["task", "without", "with", "difference"], rows, notes)


def difference(results: Results, task: str, measure: Measure, digits: int | None) -> list[Cell] | None:
    without, with_ = (results.mean(task, system, measure) for system in (ABLATION, OURS))
    if without is None or with_ is None:
        return None
    fair = within_limit(results, task) if measure is seconds else measure
    p, changed = results.significance(task, ABLATION, OURS, fair), change(results, task, fair)
    marks = [cut_mark(results, task, system) for system in (ABLATION, OURS)]
    return [
        Cell(task),
        Cell.of(without, digits=digits, mark=marks[0]),
        Cell.of(with_, digits=digits, mark=marks[1]),
        Cell(changed, bold=p is not None and p < SIGNIFICANT and changed != NONE),
    ]


def within_limit(results: Results, task: str) -> Measure:
    """Times up to the shorter limit of both systems: beyond it, there is nothing to compare with."""
    limit = results.limit(task, ABLATION, OURS)
    return lambda record: min(float(record["seconds"]), limit)


def change(results: Results, task: str, measure: Measure) -> str:
    without, with_ = (results.mean(task, system, measure) for system in (ABLATION, OURS))
    if without is None or with_ is None or not without.value or results.all_cut(task, ABLATION, OURS):
        return NONE
    return f"{100 * (with_.value / without.value - 1):+.0f}%"


def total(results: Results) -> str:
    sums, faster, tasks = [0.0, 0.0], 0, 0
    for task in results.tasks:
        if results.runs(task, ABLATION) and results.runs(task, OURS):
            measure = within_limit(results, task)
            means = [results.mean(task, system, measure) for system in (ABLATION, OURS)]
            values = [mean.value if mean is not None else 0.0 for mean in means]
            sums = [before + value for before, value in zip(sums, values, strict=True)]
            faster += values[1] < values[0]
            tasks += 1
    return f"Over all tasks {sums[0]:,.0f} s without and {sums[1]:,.0f} s with; faster with on {faster} of {tasks}."


def noiseless(results: Results) -> Table:
    tasks = [task for task in results.tasks if Named.of(task).noise == 0]
    return time_table(results, "noiseless", "Table 3: learning times on tasks without noise", tasks, [OURS, EXACT])


def times(results: Results) -> Table:
    return time_table(results, "times", "Learning times", results.tasks, results.systems)


def time_table(results: Results, key: str, title: str, tasks: list[str], systems: list[str]) -> Table:
    rows = []
    for task in tasks:
        means = [results.mean(task, system, seconds) for system in systems]
        best = min((mean.value for mean in means if mean is not None), default=0.0)
        rows.append([Cell(task)] + [
            Cell.of(mean, bold=same(mean, best), digits=None, mark=cut_mark(results, task, system))
            for mean, system in zip(means, systems, strict=True)
        ])  # fmt: skip
    return Table(key, title, ["task", *systems], rows, [TIME_NOTE, *cut_notes(results)])


def measures(results: Results, system: str) -> Table:
    rows = [
        [Cell(task)] + [Cell.of(results.mean(task, system, measure)) for measure in MEASURES.values()]
        for task in results.tasks
        if results.runs(task, system)
    ]
    return Table(f"measures-{system}", f"All measures on the test examples: {system}", ["task", *MEASURES], rows)


def errors(results: Results) -> Table:
    counts = Counter((record["system"], record["task"], record["error"]) for record in results.errors)
    rows = [
        [Cell(task), Cell(system), Cell(str(count)), Cell(error)] for (system, task, error), count in counts.items()
    ]
    return Table("errors", "Runs that ended with an error", ["task", "system", "runs", "error"], rows)
