"""MaxSynth from Python: a `Task` in, a `Result` out.

A `Task` here is a description that never changes. Each call of `learn`, and each question to a `Result`, reads it
anew into tables of its own, so nothing is shared between calls: they may run in several threads at once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import html
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth import python_task as data
from maxsynth import task as engine
from maxsynth.bias import Bias, parse_bias
from maxsynth.errors import MaxSynthError
from maxsynth.files import read_text
from maxsynth.learning import program_text, summary
from maxsynth.logic import Program
from maxsynth.memory import check_limit, refuse_what_cannot_fit
from maxsynth.metrics import Confusion
from maxsynth.prolog.terms import Struct
from maxsynth.prolog.writer import term_text
from maxsynth.report import Evaluation, check_output, evaluate_program, write_json
from maxsynth.result import OPTIMAL
from maxsynth.result import Result as Run
from maxsynth.search.loop import Progress, Search, Settings
from maxsynth.search.weighing import Weights
from maxsynth.task import TASK_FILES
from maxsynth.undirected import without_directions

if TYPE_CHECKING:
    from maxsynth.explain import Explanation

OnProgress = Callable[[Progress], object]

TOLD_EVERY = 0.2  # seconds between two calls of `on_progress`, when nothing else happens


class Task:
    """What there is to learn from: examples, background knowledge and a bias.

    - `examples`: `{"pos": atoms, "neg": atoms}`, or `{atom: label}`, or pairs of an atom and a label that is True or
      False, or the text of an `exs.pl`. An atom is `("parent", "ann", "bob")` or `"parent(ann,bob)"`.
    - `background`: `{"parent": rows}` with an iterable of tuples (or of single values), Prolog text, Python functions
      made by `predicate`, or a list of such parts.
    - `bias`: the text of a `bias.pl`, or a mapping such as `{"max_vars": 4, "type": {"parent": ("person", "person")}}`.
      Left out, rules may use all that the background defines.
    - `prolog`: what runs the rules of the background: "builtin", "swipl", or "auto".
    """

    def __init__(
        self,
        examples: object,
        background: object,
        bias: object = None,
        *,
        name: str = "task",
        prolog: str = "auto",
    ) -> None:
        parts = data.BackgroundData()
        parts.add(background)
        exs = data.examples_text(examples)
        texts = {"bias.pl": data.bias_text(bias, exs, parts), "bk.pl": parts.text, "exs.pl": exs}
        files = {"bias.pl": data.BIAS, "bk.pl": data.BACKGROUND, "exs.pl": data.EXAMPLES}
        self._set(name, texts, files, prolog, parts)

    def _set(
        self, name: str, texts: dict[str, str], files: dict[str, str], prolog: str, parts: data.BackgroundData
    ) -> None:
        if prolog not in ("auto", "builtin", "swipl"):
            raise MaxSynthError(f"prolog={prolog!r}", remedy='choose "auto", "builtin" or "swipl"')
        self.name = name
        self.prolog = prolog
        self.folder: Path | None = None
        self._texts = texts
        self._files = files
        self._functions = parts.functions
        self._bias: Bias = parse_bias(texts["bias.pl"], files["bias.pl"])
        read = self.read()
        self._counts = len(read.positives), len(read.negatives)
        self.warnings = tuple(read.warnings)
        read.background.close_engine()

    @classmethod
    def from_folder(cls, folder: str | Path, *, test: bool = False, prolog: str = "auto") -> Task:
        """The task in a folder with `bias.pl`, `bk.pl` and `exs.pl`; with `test`, on the data in its `test/`."""
        path = Path(folder)
        engine.check_folder(path, TASK_FILES)
        data_folder = path / "test" if test else path
        names = engine.check_folder(data_folder, engine.TEST_FILES) if test else TASK_FILES
        paths = {
            "bias.pl": path / "bias.pl",
            "bk.pl": (data_folder if "bk.pl" in names else path) / "bk.pl",
            "exs.pl": data_folder / "exs.pl",
        }
        task = cls.__new__(cls)
        texts = {name: read_text(file) for name, file in paths.items()}
        files = {name: str(file) for name, file in paths.items()}
        task._set(path.name, texts, files, prolog, data.BackgroundData())
        task.folder = None if test else path
        return task

    def to_folder(self, folder: str | Path) -> None:
        """Writes the task to a folder that is new or empty. Python functions cannot be written."""
        from maxsynth.files import write_folder

        if self._functions:
            names = ", ".join(map(str, self._functions))
            raise MaxSynthError(f"{names} is a Python function", remedy="only facts and rules can be written")
        write_folder(Path(folder), self._texts)

    def read(self, memory: int | None = None) -> engine.Task:
        """The task as the search takes it, with tables of its own; refused where these do not fit into `memory`."""
        bk, exs = self._texts["bk.pl"], self._texts["exs.pl"]
        refuse_what_cannot_fit(memory, (len(bk) + len(exs)) // 2)  # the texts are there already
        return self._read(bk, exs, self._files["exs.pl"], memory)

    def _read(self, bk: str, exs: str, exs_file: str, memory: int | None = None) -> engine.Task:
        return engine.Task.from_texts(
            self.name,
            self._bias,
            (bk, self._files["bk.pl"]),
            (exs, exs_file),
            prolog=self.prolog,
            functions=self._functions,
            memory=memory,
        )

    def _read_with(self, atoms: list[object], background: object) -> engine.Task:
        """The task with these atoms as its examples, in this order, and with more background."""
        more = data.BackgroundData()
        more.add(background if background is not None else ())
        if more.functions:
            raise MaxSynthError("functions cannot be added to a task", remedy="give facts or rules")
        exs = "".join(f"{term_text(Struct('pos', (data.atom_term(atom),)))}.\n" for atom in atoms)
        return self._read(f"{self._texts['bk.pl']}\n{more.text}", exs, "<atoms>")

    def _fingerprints(self) -> dict[str, str]:
        return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self._texts.items()}

    def __repr__(self) -> str:
        positive, negative = self._counts
        return f"<Task {self.name}: {positive} positive and {negative} negative examples of {self._bias.head}>"


class Result:
    """What was learned: the program, its cost, and whether it is proven that none costs less.

    `status` is "optimal" (proven), "timeout", "out-of-steps", "memory" or "interrupted"; no program of the space costs
    less than `lower_bound`.
    `program` and `cost` are None only in exact mode, when no program without errors was found.
    """

    def __init__(self, run: Run, task: Task | None) -> None:
        self._run = run
        self.task = task

    @property
    def program(self) -> Program | None:
        return self._run.program

    @property
    def cost(self) -> int | None:
        return self._run.cost

    @property
    def status(self) -> str:
        return self._run.status

    @property
    def lower_bound(self) -> int:
        return self._run.lower_bound

    @property
    def size(self) -> int | None:
        return None if self.program is None else self.program.size

    @property
    def seconds(self) -> dict[str, float]:
        """How long each stage took, and all of them together (`total`)."""
        return dict(self._run.seconds)

    # -- asking ---------------------------------------------------------------------------------------------

    def predict(self, atoms: Iterable[object], *, background: object = None) -> list[bool]:
        """For each atom, in order, whether the program and the task's background entail it.

        `background` adds facts or rules about things that the task does not know, in any form that a `Task` takes.
        Each call reads the background anew: ask for many atoms at once.
        """
        asked = list(atoms)
        if not asked:
            return []
        read = self._task()._read_with(asked, background)
        try:
            from maxsynth.evaluate import Evaluator

            evaluator = Evaluator(read.background, read.bias.head)
            covered: list[bool] = evaluator.coverage(self._program(), read.positives.rows).covered.tolist()
            return covered
        finally:
            read.background.close_engine()

    def explain(self, atom: object, *, background: object = None) -> Explanation:
        """Why the program covers an atom, as a proof, or at which literal each of its rules fails."""
        from maxsynth.explain import Explainer

        read = self._task()._read_with([atom], background)
        try:
            return Explainer(self._program(), read).explain(tuple(read.positives.rows[0].tolist()))
        finally:
            read.background.close_engine()

    def confusion(self, task: Task | None = None) -> Confusion:
        """The four counts on the examples of a task; without one, on those that were learned from."""
        return self._evaluation(task or self._task()).confusion

    def _evaluation(self, task: Task) -> Evaluation:
        read = task.read()
        try:
            return evaluate_program(self._program(), read)
        finally:
            read.background.close_engine()

    def _task(self) -> Task:
        if self.task is None:
            raise MaxSynthError("the task of this result is not known", remedy="give it to Result.load(file, task)")
        return self.task

    def _program(self) -> Program:
        if self.program is None:
            raise MaxSynthError("there is no program in this result")
        return self.program

    # -- keeping --------------------------------------------------------------------------------------------

    def save(self, file: str | Path) -> None:
        """Writes the result as JSON, as `maxsynth learn --json` does: `verify` and `explain` read it too."""
        task = self._task()
        check_output(Path(file), [Path(name) for name in task._files.values()])
        name = "" if task.folder is None else str(task.folder.absolute())
        self._run.settings["prolog"] = task.prolog
        write_json(self._run.as_dict(name, task._fingerprints()), str(file))

    @classmethod
    def load(cls, file: str | Path, task: Task | None = None) -> Result:
        """A saved result. Its task is found again where it was a folder; otherwise give it, to ask for more."""
        from maxsynth.verify import read_result

        recorded = read_result(read_text(Path(file)), str(file))
        if task is None and recorded.task and Path(recorded.task).is_dir():
            task = Task.from_folder(recorded.task, prolog=recorded.prolog)
        return cls(recorded.run(), task)

    # -- showing --------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """One line: status, cost and what it is made of."""
        return summary(self._run)

    def __repr__(self) -> str:
        return f"<Result {self.summary()}>\n{program_text(self._run)}"

    def _repr_html_(self) -> str:
        counts = self._run.confusion
        table = "" if counts is None else confusion_html(counts)
        return (
            f"<div><pre>{html.escape(program_text(self._run))}</pre><p>{html.escape(self.summary())}</p>{table}</div>"
        )


def confusion_html(counts: Confusion) -> str:
    rows = (("positive", counts.tp, counts.fn), ("negative", counts.fp, counts.tn))
    body = "".join(f"<tr><th>{label}</th><td>{yes}</td><td>{no}</td></tr>" for label, yes, no in rows)
    return f"<table><tr><th></th><th>covered</th><th>not covered</th></tr>{body}</table>"


class Watch:
    """Tells a callback of a run, several times a second, and notes when that wants to stop."""

    def __init__(self, callback: OnProgress | None) -> None:
        self.callback = callback
        self.now: Callable[[], Progress | None] = lambda: None
        self.last = time.monotonic()
        self.stopped = False

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
    weights: tuple[int, int, int] = (1, 1, 1),
    forbid_singletons: bool = False,
    ignore_directions: bool = False,
    memory: int | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Learns a program of least cost: the weighted sum of its size, its false positives and its false negatives.

    - `timeout`: end after so many seconds with the best so far;
    - `steps`: end after so many steps of the search, with the same program on every machine;
    - `exact`: the smallest program without any error, or none;
    - `weights`: what a literal, a false positive and a false negative cost;
    - `forbid_singletons`: no variable may occur only once in a rule;
    - `ignore_directions`: rules may use facts in every direction;
    - `memory`: bytes that this process may have, with all that it has already (default: half of the machine's); a task
      that cannot fit is an error, and a search that passes it ends with the best so far and the status "memory";
    - `on_progress`: called with a `Progress` several times a second, and with each better program (`progress.program`)
      as it is found. When it returns False, the run ends with the best so far and the status "interrupted".
    """
    if len(weights) != 3 or any(type(weight) is not int or weight < 1 for weight in weights):
        raise MaxSynthError(f"weights={weights!r}", remedy="give three positive integers: size, fp, fn")
    if steps is not None and (type(steps) is not int or steps < 1):
        raise MaxSynthError(f"steps={steps!r}", remedy="give a positive integer")
    if memory is not None and (type(memory) is not int or memory < 1):
        raise MaxSynthError(f"memory={memory!r}", remedy="give a number of bytes, such as 500_000_000")
    check_limit(memory)
    settings = Settings(Weights(*weights), exact, timeout, steps, memory=memory)
    read = task.read(settings.memory_limit)
    if forbid_singletons:
        read.bias = dataclasses.replace(read.bias, singletons=False)
    if ignore_directions:
        read.bias = without_directions(read)
    watch = Watch(on_progress)
    try:
        search = Search(read, settings, watch.note, watch.should_stop)
        watch.now = search.now
        run = search.run()
        run.settings["directions"] = not ignore_directions
        return Result(run, task)
    finally:
        read.background.close_engine()


__all__ = ["OPTIMAL", "Progress", "Result", "Task", "learn"]
