"""MaxSynth from Python: a `Task` in, a `Result` out.

A `Task` here is a description that never changes. Each call of `learn`, and each question to a `Result`, reads it
anew into tables of its own, so nothing is shared between calls: they may run in several threads at once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import html
import os
import time
import warnings as python_warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth.api import options
from maxsynth.api import task_data as data
from maxsynth.api.rows import Source
from maxsynth.background.python_terms import shown
from maxsynth.bias.bias import Bias
from maxsynth.bias.parsing import parse_bias
from maxsynth.checks.advice import advice
from maxsynth.checks.kinds import different_kinds
from maxsynth.errors import MaxSynthError
from maxsynth.files import check_output, read_text, write_json
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.programs import Program, asked_directions
from maxsynth.proofs.evaluation import Evaluation, evaluate_program
from maxsynth.proofs.metrics import Confusion, Weights
from maxsynth.search.loop import Search
from maxsynth.search.progress import Progress
from maxsynth.search.result import OPTIMAL, program_text, summary
from maxsynth.search.result import Result as Run
from maxsynth.search.settings import Settings
from maxsynth.task import task as engine
from maxsynth.task.memory import check_limit, refuse_what_cannot_fit
from maxsynth.task.task import TASK_FILES
from maxsynth.task.undirected import without_directions

if TYPE_CHECKING:
    from maxsynth.checks.report import Report
    from maxsynth.explanation.explain import Explanation

OnProgress = Callable[[Progress], object]

TOLD_EVERY = 0.2  # seconds between two calls of `on_progress`, when nothing else happens


class MaxSynthWarning(UserWarning):
    """Something about a task that is probably not meant."""


def warn(messages: Sequence[str], stacklevel: int = 3) -> None:
    """As Python warns, of the line that called whoever calls this, or of one further up."""
    for message in messages:
        python_warnings.warn(message, MaxSynthWarning, stacklevel=stacklevel)


class Task:
    """What there is to learn from: examples, background knowledge and a bias.

    - `examples`: `{"pos": atoms, "neg": atoms}`, or `{atom: label}`, or pairs of an atom and a label that is True or
      False, or the text of an `exs.pl`. An atom is `("parent", "ann", "bob")` or `"parent(ann,bob)"`; in place of a
      list of atoms, `{"parent": rows}` will do.
    - `background`: `{"parent": rows}`, Prolog text, Python functions made by `predicate`, or a list of such parts. Rows
      are an iterable of tuples (or of single values), a DataFrame or Series of pandas or polars, or a NumPy array.
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
        options.text("name", name)
        parts = data.BackgroundData()
        parts.add(background)
        given = data.read_example_data(examples)
        self._set(name, data.bias_text(bias, given, parts), data.BIAS, parts, given, options.engine(prolog))

    def _set(
        self,
        name: str,
        bias: str,
        bias_file: str,
        parts: data.BackgroundData,
        examples: data.ExampleData,
        prolog: str,
        folder: Path | None = None,
    ) -> None:
        self.name = name
        self.prolog = prolog
        self.folder = folder
        self._parts = parts
        self._examples = examples
        self._files = {"bias.pl": bias_file, "bk.pl": parts.file, "exs.pl": examples.file}
        self._bias: Bias = parse_bias(bias, bias_file)
        read = self.read()
        self._counts = len(read.positives), len(read.negatives)
        self.warnings = (*read.warnings, *different_kinds(read))
        read.background.close_engine()

    @classmethod
    def from_folder(cls, folder: str | os.PathLike[str], *, test: bool = False, prolog: str = "auto") -> Task:
        """The task in a folder with `bias.pl`, `bk.pl` and `exs.pl`; with `test`, on the data in its `test/`."""
        path = options.path("folder", folder)
        test, prolog = options.flag("test", test), options.engine(prolog)
        engine.check_folder(path, TASK_FILES)
        data_folder = path / "test" if test else path
        names = engine.check_folder(data_folder, engine.TEST_FILES) if test else TASK_FILES
        bias, exs = path / "bias.pl", data_folder / "exs.pl"
        bk = (data_folder if "bk.pl" in names else path) / "bk.pl"
        task = cls.__new__(cls)
        parts = data.BackgroundData(read_text(bk), file=str(bk))
        examples = data.ExampleData(read_text(exs), file=str(exs))
        task._set(path.name, read_text(bias), str(bias), parts, examples, prolog, None if test else path)
        return task

    def to_folder(self, folder: str | os.PathLike[str]) -> None:
        """Writes the task to a folder that is new or empty. Python functions cannot be written."""
        from maxsynth.files import write_folder

        path = options.path("folder", folder)
        if self._parts.functions:
            names = ", ".join(map(str, self._parts.functions))
            raise MaxSynthError(f"{names} is a Python function", remedy="only facts and rules can be written")
        write_folder(path, self._texts)

    def check(self) -> Report:
        """Whether the task is well posed, as `maxsynth check` tells it: what there is, warnings, and hints."""
        from maxsynth.checks.report import examine

        read = self.read()
        try:
            return examine(read, self._examples.file, self._examples.unit)
        finally:
            read.background.close_engine()

    @property
    def _texts(self) -> dict[str, str]:
        """The files of a folder with this task."""
        return {"bias.pl": self._bias.text, "bk.pl": self._parts.whole_text(), "exs.pl": self._examples.whole_text()}

    def read(self, memory: int | None = None) -> engine.Task:
        """The task as the search takes it, with tables of its own; refused where these do not fit into `memory`."""
        refuse_what_cannot_fit(memory, (self._parts.size + self._examples.size) // 2)  # the data is there already
        return self._read(self._parts, self._examples)

    def _read(self, parts: data.BackgroundData, examples: data.ExampleData) -> engine.Task:
        return read_task(self.name, self._bias, parts, examples, self.prolog)

    def _read_with(self, atoms: data.ExampleData, background: object) -> engine.Task:
        """The task with these atoms as its examples, in this order, and with more background."""
        parts = self._parts.copy()
        if background is not None:
            parts.add(background)
        if parts.functions.keys() != self._parts.functions.keys():
            raise MaxSynthError("functions cannot be added to a task", remedy="give facts or rules")
        return self._read(parts, atoms)

    def _fingerprints(self) -> dict[str, str]:
        return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self._texts.items()}

    def __repr__(self) -> str:
        positive, negative = self._counts
        return f"<Task {self.name}: {positive} positive and {negative} negative examples of {self._bias.head}>"


def read_task(
    name: str, bias: Bias, parts: data.BackgroundData, examples: data.ExampleData, prolog: str
) -> engine.Task:
    store = TermStore()
    source = parts.source(store)
    read = engine.Task.from_source(
        name, bias, source, examples.read(store, bias.head), prolog=prolog, functions=parts.functions
    )
    return dataclasses.replace(read, warnings=[*read.warnings, *parts.warnings])


def check(task: Task) -> Report:
    """Whether a task is well posed, as `maxsynth check` tells it: what there is, warnings, and hints."""
    return checked_task(task).check()


def checked_task(task: object) -> Task:
    if not isinstance(task, Task):
        raise options.wrong("task", task, "a maxsynth.Task; Task.from_folder(path) reads one from a folder")
    return task


class Result:
    """What was learned: the program, its cost, and whether it is proven that none costs less.

    `status` is "optimal" (proven), "timeout", "out-of-steps", "memory" or "interrupted"; no program of the space costs
    less than `lower_bound`.
    `program` and `cost` are None only in exact mode, when no program without errors was found.
    """

    def __init__(
        self, run: Run, task: Task | None, *, warnings: Sequence[str] = (), advice: Sequence[str] = ()
    ) -> None:
        self._run = run
        self.task = task
        self.warnings = tuple(warnings)  # what is strange about the task
        self.advice = tuple(advice)  # what to look at, when little was found

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

    def predict(self, atoms: object, *, background: object = None) -> list[bool]:
        """For each atom, in order, whether the program and the background entail it.

        `atoms` is an iterable of them, or `{name: rows}`. The background is that of the task; `background` adds facts
        or rules about things that the task does not know, in any form that a `Task` takes. A loaded result without
        a task has nothing but `background`. Each call reads the background anew: ask for many atoms at once.
        """
        from maxsynth.proofs.evaluator import Evaluator

        asked = self._asked(atoms)
        if asked is None:
            return []
        program, read = self._read_with(asked, background)
        try:
            evaluator = Evaluator(read.background, read.bias.head)
            covered: list[bool] = evaluator.coverage(program, read.positives.rows).covered.tolist()
            return covered
        finally:
            read.background.close_engine()

    def explain(self, atom: object, *, background: object = None) -> Explanation:
        """Why the program covers an atom, as a proof, or at which literal each of its rules fails."""
        from maxsynth.explanation.explain import Explainer

        asked = data.ExampleData(sides={"pos": data.atom_relations([atom], Source("atoms"))})
        program, read = self._read_with(asked, background)
        try:
            return Explainer(program, read).explain(tuple(read.positives.rows[0].tolist()))
        finally:
            read.background.close_engine()

    def _asked(self, atoms: object) -> data.ExampleData | None:
        """The atoms of a question as examples; None when there are none."""
        if isinstance(atoms, tuple) and atoms and isinstance(atoms[0], str) and atoms[0] in self._targets():
            raise MaxSynthError(f"{shown(atoms)} is one atom", remedy="give a list of atoms")
        relations = [relation for relation in data.asked_atoms(atoms, "atoms") if len(relation.rows)]
        return data.ExampleData(sides={"pos": relations}) if relations else None

    def _targets(self) -> set[str]:
        if self.task is not None:
            return {self.task._bias.head.name}
        return {predicate.name for predicate in self._program().defined}

    def _read_with(self, asked: data.ExampleData, background: object) -> tuple[Program, engine.Task]:
        program = self._program()
        if self.task is not None:
            return program, self.task._read_with(asked, background)
        if background is None:
            raise MaxSynthError(
                "the task of this result is not known",
                remedy="give it to Result.load(file, task), or all that is needed of it as background=...",
            )
        read = read_for_program(program, asked, background, str(self._run.settings.get("prolog", "auto")))
        warn(read.warnings, stacklevel=4)
        return program, read

    def confusion(self, task: Task | None = None) -> Confusion:
        """The four counts on the examples of a task; without one, on those that were learned from."""
        return self._evaluation(self._task() if task is None else checked_task(task)).confusion

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

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the result as JSON, as `maxsynth learn --json` does: `verify` and `explain` read it too."""
        path = options.path("file", file)
        task = self._task()
        check_output(path, [Path(name) for name in task._files.values()])
        name = "" if task.folder is None else str(task.folder.absolute())
        write_json(self._run.as_dict(name, task._fingerprints()), str(path))

    @classmethod
    def load(cls, file: str | os.PathLike[str], task: Task | None = None) -> Result:
        """A saved result. Its task is found again where it was a folder.

        Without a task, `predict` and `explain` work with the background that they are given.
        """
        from maxsynth.verification.verify import read_result

        path = options.path("file", file)
        recorded = read_result(read_text(path), str(path))
        if task is not None:
            checked_task(task)
        elif recorded.task and Path(recorded.task).is_dir():
            task = Task.from_folder(recorded.task, prolog=recorded.prolog)
        return cls(recorded.run(), task)

    # -- showing --------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """One line: status, cost and what it is made of."""
        return summary(self._run)

    def __repr__(self) -> str:
        return "\n".join([f"<Result {self.summary()}>", program_text(self._run), *self.advice])

    def _repr_html_(self) -> str:
        counts = self._run.confusion
        table = "" if counts is None else confusion_html(counts)
        said = "".join(f"<p>{html.escape(line)}</p>" for line in (self.summary(), *self.advice))
        return f"<div><pre>{html.escape(program_text(self._run))}</pre>{said}{table}</div>"


def read_for_program(program: Program, asked: data.ExampleData, background: object, prolog: str) -> engine.Task:
    """A task for questions to a program, of which nothing else is known: it says which predicates there are.

    What Prolog rules or Python functions define is asked in the way that the program asks for it.
    """
    parts = data.BackgroundData()
    parts.add(background)
    called = dict.fromkeys(literal.predicate for rule in program.rules for literal in rule.body)
    head = asked.first_predicate()
    if program.rules and head not in program.defined:  # then the atom is refused, for it is not of this one
        heads = [rule.head.predicate for rule in program.rules]
        head = next((predicate for predicate in heads if predicate not in called), heads[0])
    modes = {predicate: function.modes for predicate, function in parts.functions.items()}
    bias = Bias(
        head,
        tuple(predicate for predicate in called if predicate not in program.defined),
        directions=asked_directions(program, head) | modes,
    )
    return read_task("task", bias, parts, asked, prolog)


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

    def follow(self, now: Callable[[], Progress | None]) -> None:
        """Lets `now` say from here on where the run stands."""
        self.now = now

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
    memory: int | str | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Learns a program of least cost: the weighted sum of its size, its false positives and its false negatives.

    - `timeout`: end after so many seconds with the best so far;
    - `steps`: end after so many steps of the search, with the same program on every machine;
    - `exact`: the smallest program without any error, or none;
    - `weights`: what a literal, a false positive and a false negative cost; "auto" chooses by cross-validation;
    - `forbid_singletons`: no variable may occur only once in a rule;
    - `ignore_directions`: rules may use facts in every direction;
    - `memory`: what this process may have, with all that it has already, in bytes or as a size such as "500M" (default:
      half of the machine's); a task that cannot fit is an error, and a search that passes it ends with the best so far
      and the status "memory";
    - `on_progress`: called with a `Progress` several times a second, and with each better program (`progress.program`)
      as it is found. When it returns False, the run ends with the best so far and the status "interrupted".

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
    )
    watch = Watch(options.callback(on_progress))
    forbid_singletons = options.flag("forbid_singletons", forbid_singletons)
    warn(task.warnings)
    check_limit(settings.memory)
    read = task.read(settings.memory_limit)
    if forbid_singletons:
        read = read.with_bias(dataclasses.replace(read.bias, singletons=False))
    if ignore_directions:
        read = without_directions(read)
    try:
        run, said = search(read, settings, watch) if chosen else search_with_best_weights(read, settings, watch)
        return Result(run, task, warnings=task.warnings, advice=said)
    finally:
        read.background.close_engine()


def search(task: engine.Task, settings: Settings, watch: Watch) -> tuple[Run, list[str]]:
    """What a run found, and what to say when that is little."""
    searching = Search(task, settings, watch.note, watch.should_stop)
    watch.follow(searching.now)
    run = searching.run()
    return run, advice(task, run)


def search_with_best_weights(task: engine.Task, settings: Settings, watch: Watch) -> tuple[Run, list[str]]:
    """The same with weights that are chosen by cross-validation first; the limits count for both together."""
    from maxsynth.search.cross_validation import Known, choose_weights

    if settings.exact:
        raise MaxSynthError('a program without errors has no use for weights="auto"', remedy="leave out one of them")
    start, known = time.monotonic(), Known()
    watch.follow(lambda: Progress("weights", time.monotonic() - start, 0, 0, 0, None, 0))
    choice = choose_weights(task, settings, started=start, interrupted=watch.should_stop, known=known)
    chosen = dataclasses.replace(settings, weights=choice.weights, weights_auto=choice.how())
    searching = Search(task, chosen, watch.note, watch.should_stop, start, choice.steps)
    watch.follow(searching.now)
    run = known.or_better(searching.run(), choice.weights)
    run.seconds["weights"] = round(choice.seconds, 4)
    said = advice(task, run)
    if choice.better_undirected:
        said.append("The directions in the bias seem to forbid better rules: ignore_directions=True allows them.")
    return run, said


__all__ = ["OPTIMAL", "MaxSynthWarning", "Progress", "Result", "Task", "check", "learn"]
