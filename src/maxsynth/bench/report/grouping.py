"""Results by task and system, and the measures of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from maxsynth.bench.domains.catalogue import PAPER_TASKS, Named
from maxsynth.bench.limit import Limit
from maxsynth.bench.report.statistics import Mean, paired_t_test
from maxsynth.bench.results import Record
from maxsynth.bench.systems import BUILT_IN
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.result import MEMORY, OUT_OF_STEPS, TIMEOUT

Measure = Callable[[Record], float | None]


def percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def balanced_accuracy(record: Record) -> float | None:
    return percent(Confusion(**record["test"]).balanced_accuracy)


def seconds(record: Record) -> float | None:
    return float(record["seconds"])


def tested(record: Record) -> float | None:
    return record.get("tested")


def cost(record: Record) -> float | None:
    return record.get("cost")


MEASURES: dict[str, Measure] = {
    "balanced accuracy": balanced_accuracy,
    "accuracy": lambda record: percent(Confusion(**record["test"]).accuracy),
    "precision": lambda record: percent(Confusion(**record["test"]).precision),
    "recall": lambda record: percent(Confusion(**record["test"]).recall),
    "F1": lambda record: percent(Confusion(**record["test"]).f1),
}


@dataclass(frozen=True)
class Comparison:
    """On how many tasks one system is significantly better than another, about the same, or worse."""

    better: int
    similar: int
    worse: int

    @property
    def tasks(self) -> int:
        return self.better + self.similar + self.worse


class Results:
    """All results of an experiment. Of runs with several limits, tables take those with the largest."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self.errors = [record for record in records if record["status"] == "error"]
        self.good = [record for record in records if record["status"] != "error"]
        order = {name: number for number, name in enumerate(PAPER_TASKS)}
        names = {record["task"] for record in records}
        self.tasks = sorted(names, key=lambda name: (order.get(name, len(order)), name))
        first = list(BUILT_IN)
        found = {record["system"] for record in records}
        self.systems = sorted(found, key=lambda name: (first.index(name) if name in first else len(first), name))

    def runs(self, task: str, system: str) -> list[Record]:
        """The runs of a system on a task, by trial."""
        found = [record for record in self.good if record["task"] == task and record["system"] == system]
        longest = max((Limit.of(record).order for record in found), default=None)
        return sorted((r for r in found if Limit.of(r).order == longest), key=lambda record: record["trial"])

    def mean(self, task: str, system: str, measure: Measure) -> Mean | None:
        return Mean.of([value for record in self.runs(task, system) if (value := measure(record)) is not None])

    def cut(self, task: str, system: str) -> set[str]:
        """Which limits ended runs: time, so that another machine may get another result, steps, or memory."""
        return {record["status"] for record in self.runs(task, system)} & {TIMEOUT, OUT_OF_STEPS, MEMORY}

    def all_cut(self, task: str, *systems: str) -> bool:
        """Whether every run of these systems was ended by its limit."""
        runs = [record for system in systems for record in self.runs(task, system)]
        return all(record["status"] in (TIMEOUT, OUT_OF_STEPS, MEMORY) for record in runs)

    def significance(self, task: str, one: str, other: str, measure: Measure) -> float | None:
        """The probability of the paired t-test on the trials that both systems have."""
        values = [{r["trial"]: measure(r) for r in self.runs(task, system)} for system in (one, other)]
        trials = [t for t in values[0] if values[0][t] is not None and values[1].get(t) is not None]
        return paired_t_test(*([float(side[trial] or 0) for trial in trials] for side in values))

    def compare(self, one: str, other: str, measure: Measure, level: float) -> Comparison:
        better = similar = worse = 0
        for task in self.tasks:
            p = self.significance(task, one, other, measure)
            if p is None:
                continue
            first, second = self.mean(task, one, measure), self.mean(task, other, measure)
            assert first is not None
            assert second is not None
            better += p < level and first.value > second.value
            worse += p < level and first.value < second.value
            similar += p >= level or first.value == second.value
        return Comparison(better, similar, worse)

    def limit(self, task: str, *systems: str) -> float:
        """The shortest time limit that systems had on a task."""
        return min(float(record["timeout"]) for system in systems for record in self.runs(task, system))

    def largest_limit(self, system: str) -> Limit:
        limits = (Limit.of(record) for record in self.records if record["system"] == system)
        return max(limits, key=lambda limit: limit.order)

    def by_noise(self, domain: str) -> dict[int, str]:
        """The tasks of a domain by their noise."""
        named = {task: Named.of(task) for task in self.tasks}
        return {
            named[task].noise or 0: task
            for task in self.tasks
            if named[task].domain == domain and named[task].noise is not None
        }
