"""Counts in forms that define them: the facts that they are made of, and what is counted.

Of a count, the data has the things and the rows that lead to them. Prolog and Datalog get these as facts, and define
the count by them.
"""

from __future__ import annotations

from dataclasses import dataclass

from maxsynth.data.meaning import Argument, Counted, Form, Meaning
from maxsynth.exporting.names import Names, identifier
from maxsynth.exporting.subject import Subject
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.terms import Atom, Term


@dataclass(frozen=True)
class Definition:
    """A count, with the facts that define it: that there is a thing, and rows with their names first."""

    predicate: Predicate
    counted: Counted
    things: Meaning
    rows: Meaning

    def place_of(self, column: Argument) -> int:
        return [argument.column for argument in self.rows.arguments].index(column.column)

    @property
    def key(self) -> int:
        """Where the thing is in a row."""
        return self.place_of(self.counted.by)

    @property
    def value(self) -> tuple[int, Term] | None:
        """Where a row must have a value, and which."""
        if self.counted.column is None:
            return None
        value = self.counted.equals
        assert value is not None
        text = {True: "true", False: "false"}[value] if isinstance(value, bool) else value
        return self.place_of(self.counted.column), Atom(text) if isinstance(text, str) else text


def definitions(subject: Subject) -> list[Definition]:
    """All counts that the program calls; those of the same rows share their facts."""
    names = Names((predicate.name for predicate in (*subject.meanings, *subject.program.defined)), fold=False)
    known: dict[tuple[str, tuple[str, ...]], Meaning] = {}

    def facts(table: str, arguments: tuple[Argument, ...], wish: str) -> Meaning:
        place = table, tuple(argument.column for argument in arguments)
        if place not in known:
            known[place] = Meaning(names.free(identifier(wish, "rows").lower()), Form.RELATION, table, arguments)
        return known[place]

    found = []
    for predicate in subject.counts:
        meaning = subject.meanings[predicate]
        counted = meaning.counted
        assert counted is not None
        columns = {argument.column: argument for argument in (*counted.row, *counted.columns)}
        things = facts(meaning.table, meaning.arguments[:1], f"all_{meaning.table}")
        wish = "_".join(["row_of", counted.table, *(one.column for one in counted.columns)])
        found.append(Definition(predicate, counted, things, facts(counted.table, tuple(columns.values()), wish)))
    return found


def needed(subject: Subject) -> list[Meaning]:
    """The facts that Prolog and Datalog need, in the order in which rules call them."""
    found = [subject.meanings[predicate] for predicate in subject.given if predicate not in subject.counts]
    for one in definitions(subject):
        found += [one.things, one.rows]
    return list(dict.fromkeys(found))
