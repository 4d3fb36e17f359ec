"""What `maxsynth bench` does: plans runs, makes the tasks, runs what is still to do, and writes the report.

A folder (`--out`) holds one experiment: `settings.json` (what its data is), `tasks/` (the generated ones),
`results.jsonl`, and `report/`. Called again, it goes on where it stopped; with more tasks, trials or systems it does
what is new.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from maxsynth.bench import results
from maxsynth.bench.display import Display
from maxsynth.bench.domains import catalogue
from maxsynth.bench.elsewhere import run_elsewhere
from maxsynth.bench.results import Record, ResultsFile, key_of
from maxsynth.bench.runner import Run, Runner
from maxsynth.bench.systems import DEFAULT, System, parse_system
from maxsynth.commands.progress import say
from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import write_text
from maxsynth.search.threads import cores
from maxsynth.spread.address import parse_address
from maxsynth.spread.cluster import executor_for
from maxsynth.spread.executor import Executor

RESULTS = "results.jsonl"
SETTINGS = "settings.json"
TRIALS, QUICK_TRIALS = 3, 2
QUICK_TEST = 200  # examples
MEMORY = 4 << 30  # bytes of a run


@dataclass(frozen=True)
class Experiment:
    """Where an experiment is and what its data is: what must not change while results are added."""

    out: Path
    seed: int
    quick: bool
    data: Path | None  # tasks to read, as TASK/TRIAL/ folders
    generated: bool = True  # whether the paper's tasks that are not there are generated

    @property
    def settings(self) -> dict[str, object]:
        data = os.path.abspath(self.data) if self.data is not None else None
        return {"seed": self.seed, "quick": self.quick, "data": data}

    def is_read(self, task: str) -> bool:
        """Whether a task is read and not generated."""
        return self.data is not None and (self.data / task).is_dir()

    def folder(self, task: str, trial: int) -> Path:
        place = self.data if self.data is not None and self.is_read(task) else self.out / "tasks"
        return place / task / str(trial)

    def tasks(self, wanted: Sequence[str]) -> list[str]:
        """The names of the tasks: those wanted, or all that there are."""
        known = self.known()
        for name in wanted:
            if name not in known and all(catalogue.Named.of(other).domain != name for other in known):
                raise MaxSynthError(f"there is no task `{name}`", remedy=f"there is: {', '.join(known)}")
        return [name for name in known if not wanted or {name, catalogue.Named.of(name).domain} & set(wanted)]

    def known(self) -> list[str]:
        names = [name for name in catalogue.PAPER_TASKS if self.generated and name not in catalogue.REAL]
        names += [name for name in self.in_folder() if name not in names]
        order = {name: number for number, name in enumerate(catalogue.PAPER_TASKS)}
        return sorted(names, key=lambda name: (order.get(name, len(order)), name))

    def in_folder(self) -> list[str]:
        if self.data is None:
            return []
        try:
            names = [path.name for path in self.data.iterdir() if (path / "0").is_dir()]
        except OSError as error:
            raise MaxSynthError(f"cannot be read: {error.strerror}", Position(str(self.data)), "check --data") from None
        if not names:
            raise MaxSynthError("there are no tasks", Position(str(self.data)), "it must hold TASK/0/, TASK/1/, ...")
        return names

    def prepare(self, task: str, trial: int) -> None:
        """Makes the task's folder. It appears as a whole, so that one that is there is complete."""
        folder = self.folder(task, trial)
        if self.is_read(task) or folder.is_dir():
            return
        part = folder.with_name(f"{trial}.part")
        shutil.rmtree(part, ignore_errors=True)
        made = catalogue.make(task, trial, self.seed, test=QUICK_TEST if self.quick else None)
        made.write(part)
        (part / "program.pl").write_text(f"% {made.rule}\n{made.program}\n")
        part.rename(folder)


def bench_command(
    *,
    what: str,
    out: Path,
    quick: bool,
    data: Path | None,
    recorded: Path | None,
    tasks: Sequence[str],
    systems: Sequence[str],
    trials: int | None,
    jobs: int | None,
    memory: int | None,
    seed: int,
    retry: bool,
    cluster: str | None,
) -> int:
    if cluster is not None:
        parse_address(cluster)
    if cluster is not None and jobs is not None:
        raise MaxSynthError("--jobs is for runs on this machine", remedy="leave out one of --jobs and --cluster")
    if what == "report":
        return report(out, recorded or beside(load_settings(out).get("data")))
    if what == "own" and data is None:
        raise MaxSynthError("there are no tasks of one's own", remedy="say where they are: --data FOLDER")
    experiment = Experiment(out, seed, quick, data, generated=what != "own")
    names = experiment.tasks(tasks)
    numbers = range(trials or (QUICK_TRIALS if quick else TRIALS))
    chosen = [parse_system(text, quick=quick) for text in systems or DEFAULT]
    keep_settings(experiment)
    if what == "data":
        for name in names:
            for trial in numbers:
                experiment.prepare(name, trial)
        made = [name for name in names if not experiment.is_read(name)]
        print(f"{len(made)} tasks, {len(numbers)} trials each, in {out / 'tasks'}")
        return 0
    runs = plan(experiment, names, numbers, chosen)
    with executor_for(cluster, say) as executor:
        run(experiment, runs, jobs or cores(), memory or MEMORY, retry, None if cluster is None else executor)
    return report(out, recorded or beside(data))


def plan(experiment: Experiment, names: Sequence[str], trials: Sequence[int], systems: Sequence[System]) -> list[Run]:
    """All runs, a trial after the other, so that a report can be made early."""
    twice = {system.name for system in systems if [other.name for other in systems].count(system.name) > 1}
    if len(set(systems)) < len(systems) or any(system.command for system in systems if system.name in twice):
        raise MaxSynthError(f"the system `{min(twice)}` is given twice", remedy="give each another name")
    return [
        Run(name, trial, system, experiment.folder(name, trial))
        for trial in trials
        for name in names
        for system in systems
        if not experiment.is_read(name) or experiment.folder(name, trial).is_dir()
    ]


def run(
    experiment: Experiment, runs: Sequence[Run], jobs: int, memory: int, retry: bool, executor: Executor | None = None
) -> None:
    """What is still to do, in processes of this machine, or by an executor."""
    with ResultsFile(experiment.out / RESULTS) as file:
        before = results.read(file.path)
        done = {key_of(record) for record in before if not (retry and record["status"] == "error")}
        waiting = [run for run in runs if run.key not in done]
        if len(waiting) < len(runs):
            say(f"{len(runs) - len(waiting)} of {len(runs)} runs were done before")
        for task, trial in dict.fromkeys((run.task, run.trial) for run in waiting):
            experiment.prepare(task, trial)
        with Display(waiting, before, jobs if executor is None else max(executor.places, 1)) as display:
            if executor is None:
                Runner(file, jobs=jobs, memory=memory, on_done=display.done).run(waiting)
            else:
                run_elsewhere(executor, waiting, memory, file, display.done)


def report(out: Path, recorded: Path | None) -> int:
    from maxsynth.bench.report.write import write_report

    records: list[Record] = results.read(out / RESULTS)
    print(write_report(records, out / "report", load_settings(out), recorded))
    return 0


# -- settings -----------------------------------------------------------------------------------------------


def keep_settings(experiment: Experiment) -> None:
    """Notes what the data of this folder is; an error when it is something else."""
    path = experiment.out / SETTINGS
    try:
        experiment.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        place = Position(str(experiment.out))
        raise MaxSynthError(f"cannot be made: {error.strerror}", place, "choose another --out") from None
    if not path.exists():
        write_text(json.dumps(experiment.settings) + "\n", str(path))
        return
    before = load_settings(experiment.out)
    for name, value in experiment.settings.items():
        if before.get(name) != value:
            raise MaxSynthError(
                f"the results there are with {name} = {before.get(name)}, not {value}",
                Position(str(path)),
                "choose another --out, or the same data as before",
            )


def load_settings(out: Path) -> dict[str, object]:
    path = out / SETTINGS
    try:
        settings: dict[str, object] = json.loads(path.read_text())
    except FileNotFoundError:
        raise MaxSynthError("there is no experiment", Position(str(out)), "run `maxsynth bench paper` first") from None
    except ValueError:
        raise MaxSynthError("this is no JSON", Position(str(path)), "remove it, or choose another --out") from None
    return settings


def beside(data: object) -> Path | None:
    """Recorded results that lie beside the data."""
    if data is None:
        return None
    path = Path(str(data)).parent / f"{Path(str(data)).name}-results.json"
    return path if path.is_file() else None
