"""Explanations in the words of the data: `drugs 5: logp = 0.98` rather than `logp(5,0.98)`."""

from __future__ import annotations

from maxsynth.data.description import Description
from maxsynth.data.inference.values import shown
from maxsynth.data.meaning import ROW_NUMBER, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.errors import one_line
from maxsynth.explanation.explain import Explainer
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Program
from maxsynth.prolog.terms import Atom, Term
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import ReadTask


class TableExplainer(Explainer):
    """Explains a program that was learned from tables."""

    def __init__(self, program: Program, task: ReadTask, description: Description, steps: int) -> None:
        super().__init__(program, task, steps)
        self.target = description.target_meaning()
        own = Predicate(self.target.predicate, self.target.arity)
        self.meanings = {**description.meanings, own: self.target}

    def text(self, name: str, row: tuple[int, ...]) -> str:
        meaning = self.meanings.get(Predicate(name, len(row)))
        if meaning is None:  # a comparison
            return super().text(name, row)
        store = self.task.background.store
        kinds = [argument.kind for argument in meaning.arguments]
        values = [value_text(store.term(one), kind) for one, kind in zip(row, kinds, strict=True)]
        return one_line(told(meaning, values))

    def example_text(self, row: tuple[int, ...]) -> str:
        """A thing by its name alone: whether the target is true of it is the label."""
        if self.target.form is not Form.FLAG:
            return super().example_text(row)
        names = [argument.column for argument in self.target.arguments]
        return one_line(named(self.target, names, [value_text(self.task.background.store.term(one)) for one in row]))

    def key(self, row: tuple[int, ...]) -> str:
        """An example as a person names it."""
        return ",".join(value_text(self.task.background.store.term(one)) for one in row)


def value_text(term: Term, kind: Kind = Kind.TEXT) -> str:
    """A value as the data has it."""
    if isinstance(term, Atom):
        return term.name
    return shown(term, kind) if kind in (Kind.DATE, Kind.TIME) else term_text(term)


def told(meaning: Meaning, values: list[str]) -> str:
    names = [argument.column for argument in meaning.arguments]
    if meaning.form is Form.RELATION:
        return f"{meaning.table}: {', '.join(f'{name} = {value}' for name, value in zip(names, values, strict=True))}"
    if meaning.form is Form.FLAG:
        thing, column = named(meaning, names, values), meaning.column
        return f"{thing}: {column} = {'' if meaning.equals is None else shown(meaning.equals, meaning.kind)}"
    thing = named(meaning, names[:-1], values[:-1])
    if meaning.counted is not None:
        return f"{thing}: {values[-1]} {meaning.counted.what}"
    return f"{thing}: {names[-1]} = {values[-1]}"


def named(meaning: Meaning, names: list[str], values: list[str]) -> str:
    """A thing of a table, by its key."""
    if names == [ROW_NUMBER]:
        return f"{meaning.table}, row {values[0]}"
    return f"{meaning.table} {', '.join(values)}"
