"""What a program says of new data: for each key the value that it predicts, and the rule that fired."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api import task_data
from maxsynth.api.result import read_for_program
from maxsynth.api.rows import Rows, Source
from maxsynth.data.conform import conform
from maxsynth.data.description import Description, Value
from maxsynth.data.inference.values import shown
from maxsynth.data.meaning import ROW_NUMBER, Argument, Meaning
from maxsynth.data.pairs.others import numbered, of_others
from maxsynth.data.rows import coded, facts_of, together
from maxsynth.data.tables import Data
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Program, Rule
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.task.task import ReadTask


@dataclass(frozen=True)
class Learned:
    """A program with the description of its data, and how often its rules were right on that."""

    program: Program
    description: Description
    precision: float = 1.0

    @property
    def target(self) -> Meaning:
        return self.description.target_meaning()

    def used(self) -> list[Meaning]:
        """What the program asks of the data."""
        called = {(one.name, len(one.args)): None for rule in self.program.rules for one in rule.body}
        meanings = self.description.meanings
        return [meanings[key] for key in called if key in meanings]


@dataclass(frozen=True)
class Prediction:
    key: tuple[str, ...]
    value: str  # what is predicted; empty where no program says anything
    rule: Rule | None  # that fired


def needed(learned: Sequence[Learned], *, keys: bool = True) -> dict[str, set[str]]:
    """The columns that must be there, by table: those that name what is asked about, unless not `keys`, and those that
    the programs use."""
    found: dict[str, set[str]] = {}
    for one in learned:
        asked: list[tuple[str, Iterable[Argument]]] = [(one.target.table, one.target.arguments)] if keys else []
        for table, arguments in chain(asked, *(meaning.columns.items() for meaning in one.used())):
            columns = found.setdefault(table, set())
            columns |= {argument.column for argument in arguments if argument.column != ROW_NUMBER}
    return found


def predict(learned: Sequence[Learned], data: Data, asked: Data | None = None) -> Iterator[Prediction]:
    """For each key of the target's table, there or in the data that has what is `asked` about, what the programs say.

    Where several say something, the one that was more often right before is believed.
    """
    ordered = sorted(range(len(learned)), key=lambda number: -learned[number].precision)
    first = learned[0]
    data = conform(data, first.description, needed(learned, keys=asked is None))
    if asked is None:
        table = data.tables[first.target.table]
    else:
        columns = {argument.column for argument in first.target.arguments}
        table = conform(asked, first.description, {first.target.table: columns}).tables[first.target.table]
    keys = together([coded(table, argument) for argument in first.target.arguments])
    fired = [fired_rules(one, data, keys) for one in learned]
    texts = key_texts(first.target, keys)
    for row, key in enumerate(texts):
        number = next((one for one in ordered if fired[one][row] >= 0), None)
        if number is None:
            yield Prediction(key, otherwise(learned), None)
        else:
            rule = learned[number].program.rules[int(fired[number][row])]
            yield Prediction(key, says(learned[number]), rule)


def key_texts(target: Meaning, keys: Rows) -> list[tuple[str, ...]]:
    kinds = [argument.kind for argument in target.arguments]
    values: list[Any] = list(keys.values)
    return [
        tuple(full(values[code], kind) for code, kind in zip(codes, kinds, strict=True))
        for codes in keys.codes.tolist()
    ]


def full(value: Any, kind: Any) -> str:
    return value if isinstance(value, str) else shown(value, kind)


def says(one: Learned) -> str:
    """What it means that a rule fires."""
    aim = one.description.target.aims[0]
    return "yes" if aim.equals is None else text_of(aim.equals, one)


def otherwise(learned: Sequence[Learned]) -> str:
    """What it means that none does."""
    if len(learned) > 1:
        return ""
    aim = learned[0].description.target.aims[0]
    if aim.equals is None:
        return "no"
    return f"not {says(learned[0])}" if aim.otherwise is None else text_of(aim.otherwise, learned[0])


def text_of(value: Value, one: Learned) -> str:
    return value if isinstance(value, str) else shown(value, one.target.kind)


def fired_rules(one: Learned, data: Data, keys: Rows) -> NDArray[np.int64]:
    """For each key the number of the first rule that covers it, or -1."""
    covered = rule_coverage(one, data, keys)
    return np.where(covered.any(axis=0), covered.argmax(axis=0), -1) if len(covered) else np.full(len(keys), -1)


def rule_coverage(one: Learned, data: Data, keys: Rows) -> NDArray[np.bool_]:
    """For each rule whether it covers each key."""
    variants = [[rule] for rule in one.program.rules]
    facts = facts_of(one.used(), data)
    for meaning in one.used():
        if meaning.known:
            facts[meaning.predicate], keys = numbered(facts[meaning.predicate], keys)
            known = Predicate(meaning.predicate, meaning.arity)
            variants = [of_others(rule, known) for rule in one.program.rules]
    found = np.zeros((len(variants), len(keys)), bool)
    read = asked_of(Program(tuple(rule for rules in variants for rule in rules)), one.target, facts, keys)
    if read is not None:
        evaluator = Evaluator(read.background, read.bias.head)
        for number, rules in enumerate(variants):
            for rule in rules:
                found[number] |= evaluator.coverage(Program((rule,)), read.positives.rows).covered
    return found


def question(one: Learned, data: Data, keys: Rows) -> ReadTask | None:
    """The task to tell which keys a program covers; None where it can cover none, for what it asks of is not there."""
    return asked_of(one.program, one.target, facts_of(one.used(), data), keys)


def asked_of(program: Program, target: Meaning, facts: dict[str, Rows], keys: Rows) -> ReadTask | None:
    there = {name: rows for name, rows in facts.items() if len(rows)}
    if not len(keys) or not there:
        return None
    asked = task_data.ExampleData(sides={"pos": [task_data.Relation(target.predicate, keys, Source("keys"))]})
    return read_for_program(program, asked, there, "builtin")
