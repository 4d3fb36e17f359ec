"""A task from Python.

A `Task` here is a description that never changes. Each call of `learn`, and each question to a `Result`, reads it
anew into tables of its own, so nothing is shared between calls: they may run in several threads at once.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth.api import options
from maxsynth.api import task_data as data
from maxsynth.api.stored import Numbering
from maxsynth.bias.bias import NO_OVERRIDES, Bias, Overrides
from maxsynth.bias.parsing import overridden, parse_bias
from maxsynth.checks.kinds import different_kinds
from maxsynth.errors import MaxSynthError
from maxsynth.files import read_text
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.task import task as engine
from maxsynth.task.memory import refuse_what_cannot_fit
from maxsynth.task.task import TASK_FILES

if TYPE_CHECKING:
    from maxsynth.checks.report import Report


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
        self.climbs = False  # whether limits of rules are to fit the effort (see `maxsynth.api.searches.climbing`)
        self.counts: tuple[Predicate, ...] = ()  # predicates that count rows (see `maxsynth.api.searches.counting`)
        self.origin: Mapping[str, object] | None = None  # the description of the data that it was made from
        self.rival: Callable[[], Task] | None = None  # makes the task of the other value (see `searches.either`)
        self._parts = parts
        self._examples = examples
        self._files = {"bias.pl": bias_file, "bk.pl": parts.file, "exs.pl": examples.file}
        self._bias: Bias = parse_bias(bias, bias_file)
        read = self.read()
        self._counts = len(read.positives), len(read.negatives)
        self.warnings = (*read.warnings, *different_kinds(read))
        read.background.close_engine()
        if not parts.text and not parts.functions:  # all of it is tables, which the first search can have as they are
            self._first: engine.ReadTask = read

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_first"}

    def without_rival(self) -> Task:
        """The same, to be sent elsewhere: who makes the other task has all of the data once more."""
        found = copy.copy(self)
        found.rival = None
        return found

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

    def read(self, memory: int | None = None, overrides: Overrides = NO_OVERRIDES) -> engine.ReadTask:
        """The task as the search takes it, with tables of its own; refused where these do not fit into `memory`.

        `overrides` are limits that take the place of those of the bias.
        """
        refuse_what_cannot_fit(memory, (self._parts.size + self._examples.size) // 2)  # the data is there already
        first: engine.ReadTask | None = self.__dict__.pop("_first", None)  # at once, whatever other threads do
        read = self._read(self._parts, self._examples) if first is None else first
        return read.with_bias(overridden(read.bias, overrides)) if overrides else read

    def read_again(self, bias: Bias) -> engine.ReadTask:
        """The same in another space (see `maxsynth.task.source`)."""
        return read_task(self.name, bias, self._parts, self._examples, self.prolog)

    def _read(self, parts: data.BackgroundData, examples: data.ExampleData) -> engine.ReadTask:
        return read_task(self.name, self._bias, parts, examples, self.prolog)

    def _read_with(self, atoms: data.ExampleData, background: object) -> engine.ReadTask:
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
) -> engine.ReadTask:
    numbering = Numbering(TermStore())
    source = parts.source(numbering)
    read = engine.ReadTask.from_source(
        name, bias, source, examples.read(numbering, bias.head), prolog=prolog, functions=parts.functions
    )
    return dataclasses.replace(read, warnings=[*read.warnings, *parts.warnings])


def check(task: Task) -> Report:
    """Whether a task is well posed, as `maxsynth check` tells it: what there is, warnings, and hints."""
    return checked_task(task).check()


def checked_task(task: object) -> Task:
    if not isinstance(task, Task):
        raise options.wrong("task", task, "a maxsynth.Task; Task.from_folder(path) reads one from a folder")
    return task
