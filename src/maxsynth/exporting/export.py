"""Learned programs in other forms: the entry for Python and for the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth.errors import MaxSynthError, Position
from maxsynth.exporting.subject import Background, Subject, called, subject_of_data, subject_of_facts
from maxsynth.files import read_text
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Program
from maxsynth.verification.verify import Recorded, read_results

if TYPE_CHECKING:
    from maxsynth.api.result import Result

FORMS = ("sql", "prolog", "datalog", "python", "english", "latex")
SQL_DIALECTS = ("sqlite", "postgresql", "duckdb")


def export(result: Result, to: str, *, dialect: str | None = None) -> str:
    """The program of a result in another form: "sql", "prolog", "datalog", "python", "english" or "latex".

    SQL is for "sqlite", "postgresql" or "duckdb": the `dialect`; if none is given, that of the database that was
    learned from, or "sqlite".
    """
    from maxsynth.api import options
    from maxsynth.api.result import Result

    if not isinstance(result, Result):
        raise options.wrong("result", result, "a maxsynth.Result; Result.load(file) reads one")
    check_form(to, dialect)
    return written([subject_of_result(result)], to, dialect)


def check_form(to: object, dialect: object) -> None:
    if to not in FORMS:
        raise MaxSynthError(f"there is no form `{to}` to export to", remedy=f"choose one of {', '.join(FORMS)}")
    if dialect is not None and to != "sql":
        raise MaxSynthError("only SQL has dialects", remedy="leave the dialect out")
    if dialect is not None and dialect not in SQL_DIALECTS:
        raise MaxSynthError(f"there is no dialect `{dialect}`", remedy=f"choose one of {', '.join(SQL_DIALECTS)}")


def written(subjects: Sequence[Subject], to: str, dialect: str | None = None) -> str:
    """The programs in a form: one, or those for each value of a column. The form is imported when it is asked for."""
    if to == "sql":
        from maxsynth.exporting.forms.sql import sql

        form = subjects[0].form
        return sql(*subjects, dialect=dialect or (form if form in SQL_DIALECTS else SQL_DIALECTS[0]))
    write: Callable[..., str] = getattr(import_module(f"maxsynth.exporting.forms.{to}"), to)
    return write(*subjects)


# -- what is exported ---------------------------------------------------------------------------------------------


def subject_of_result(result: Result) -> Subject:
    """The program of a result in Python, with the data or the background of its task."""
    from maxsynth.api.stored import Numbering
    from maxsynth.kernel.terms import TermStore

    program = result._program()
    if result._origin:
        return subject_of_description(program, result._origin)
    if result.task is None:
        return subject_of_facts(program, target_of(program), Background())
    from maxsynth.exporting.facts import background_of

    source = result.task._parts.source(Numbering(TermStore()))
    background = background_of(program, source, result.task._parts.functions)
    return subject_of_facts(program, result.task._bias.head, background, result.task.name)


def subjects_of_file(text: str, file: str) -> list[Subject]:
    """The programs in the JSON of a run. Where the task is a folder that is still there, its facts are looked at."""
    return [subject_of_recorded(recorded, file) for recorded in read_results(text, file)]


def subject_of_recorded(recorded: Recorded, file: str) -> Subject:
    if recorded.rules is None:
        raise MaxSynthError("there is no program in this result", Position(file), "there is nothing to export")
    if recorded.data:
        return subject_of_description(recorded.rules, recorded.data)
    return subject_of_folder(recorded)


def subject_of_description(program: Program, description: Mapping[str, object]) -> Subject:
    from maxsynth.data.description import Description

    return subject_of_data(program, Description.from_dict(description))


def subject_of_folder(recorded: Recorded) -> Subject:
    from maxsynth.bias.parsing import read_bias
    from maxsynth.exporting.facts import background_of
    from maxsynth.kernel.terms import TermStore
    from maxsynth.prolog.consult import consult

    assert recorded.rules is not None
    program, folder = recorded.rules, Path(recorded.task)
    bias, bk = folder / "bias.pl", folder / "bk.pl"
    if not recorded.task or not bias.is_file() or not bk.is_file():
        return subject_of_facts(program, target_of(program), Background())
    source = consult(read_text(bk, may_be_empty=True), str(bk), TermStore())
    return subject_of_facts(program, read_bias(bias).head, background_of(program, source), recorded.task)


def target_of(program: Program) -> Predicate:
    """The target, where only the program is known: what it defines and does not call, or else what it defines first."""
    if not program.rules:
        raise MaxSynthError(
            "the program is empty, and its task is not there to say what it is about",
            remedy="learn again, or put the task back where it was",
        )
    heads = [rule.head.predicate for rule in program.rules]
    return next((predicate for predicate in heads if predicate not in called(program)), heads[0])
