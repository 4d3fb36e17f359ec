"""What was learned, to be asked, shown, saved and loaded from Python."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth.api import options
from maxsynth.api import task_data as data
from maxsynth.api.rows import Source
from maxsynth.background.python_terms import shown
from maxsynth.bias.bias import Bias
from maxsynth.errors import MaxSynthError
from maxsynth.files import check_output, read_text, write_json
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.programs import Program, asked_directions
from maxsynth.proofs.evaluation import Evaluation, evaluate_program
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.result import SearchResult, program_text, summary
from maxsynth.task import task as engine
from maxsynth.task.labels import NO_LABELS, Labels

if TYPE_CHECKING:
    from maxsynth.explanation.explain import Explanation

from maxsynth.api.task import Task, checked_task, read_task
from maxsynth.api.warnings import warn


class Result:
    """What was learned: the program, its cost, and whether it is proven that none costs less.

    `status` is "optimal" (proven), "timeout", "out-of-steps", "memory" or "interrupted"; no program of the space costs
    less than `lower_bound`.
    `program` and `cost` are None only in exact mode, when no program without errors was found.
    """

    def __init__(
        self, run: SearchResult, task: Task | None, *, warnings: Sequence[str] = (), advice: Sequence[str] = ()
    ) -> None:
        self._run = run
        self.task = task
        self._origin = None if task is None else task.origin  # the description of the data, if it was learned from some
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
        """The literals of the program, as the bias counts them."""
        return self._run.size

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

    def export(self, to: str, *, dialect: str | None = None) -> str:
        """The program in another form: "sql", "prolog", "datalog", "python", "english" or "latex".

        SQL is for the `dialect` "sqlite", "postgresql" or "duckdb".
        """
        import maxsynth

        return maxsynth.export(self, to, dialect=dialect)  # which is above this layer

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

    def _read_with(self, asked: data.ExampleData, background: object) -> tuple[Program, engine.ReadTask]:
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
        if task is not None:
            return self._evaluation(checked_task(task)).confusion
        return self._evaluation(self._task(), Labels.of(self._run.settings.get("labels", ()))).confusion  # type: ignore[arg-type]

    def _evaluation(self, task: Task, labels: Labels = NO_LABELS) -> Evaluation:
        read = labels.apply(task.read())
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
        used = [*task._files.values(), *([] if task.origin is None else [str(task.origin["place"])])]
        check_output(path, *used)
        name = "" if task.folder is None else str(task.folder.absolute())
        origin = {} if task.origin is None else {"data": task.origin}
        write_json({**self._run.as_dict(name, task._fingerprints()), **origin}, str(path))

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
        result = cls(recorded.run(), task)
        result._origin = result._origin or recorded.data
        return result

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


def read_for_program(program: Program, asked: data.ExampleData, background: object, prolog: str) -> engine.ReadTask:
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
    asked_so = asked_directions(program, head)
    bias = Bias(
        head,
        tuple(predicate for predicate in called if predicate not in program.defined and predicate not in BUILT_IN),
        directions={predicate: way for predicate, way in asked_so.items() if predicate not in BUILT_IN} | modes,
    )
    return read_task("task", bias, parts, asked, prolog)


def confusion_html(counts: Confusion) -> str:
    rows = (("positive", counts.tp, counts.fn), ("negative", counts.fp, counts.tn))
    body = "".join(f"<tr><th>{label}</th><td>{yes}</td><td>{no}</td></tr>" for label, yes, no in rows)
    return f"<table><tr><th></th><th>covered</th><th>not covered</th></tr>{body}</table>"
