"""How a program treats all examples of a task, at once: what `explain` says of one, as far as it can be counted.

A rule that does not cover an example fails at a literal: the first one of its body that cannot be true together with
those before it. So it is enough to know how many literals of each rule hold, and that is asked of the kernel for all
examples together: each beginning of a body is a rule too. Of 100,000 examples this takes a moment, where an explanation
of each would take minutes.

A rule that calls what the program defines is asked beside the whole program, under another name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.task.task import ReadTask

ASKED = "asked of one rule"  # no predicate has such a name

Rows = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Treatment:
    """Of each rule for the target and each example, how many literals of the body hold; and which are covered."""

    rules: tuple[Rule, ...]
    held: NDArray[np.int16]  # a row for each rule
    covered: Flags
    unfinished: Flags

    def covers(self, number: int) -> Flags:
        """Which examples a rule covers."""
        return np.asarray(self.held[number] == len(self.rules[number].body))


def treat(program: Program, task: ReadTask, rows: Rows) -> Treatment:
    program = program.executable(task.bias.directions)
    target = task.bias.head
    whole = Evaluator(task.background, target).coverage(program, rows)
    rules = tuple(rule for rule in program.rules if rule.head.predicate == target)
    held = np.zeros((len(rules), len(rows)), np.int16)
    for number, rule in enumerate(rules):
        held[number] = literals_held(rule, program, task, rows)
    return Treatment(rules, held, whole.covered, whole.unfinished)


def literals_held(rule: Rule, program: Program, task: ReadTask, rows: Rows) -> NDArray[np.int16]:
    """How many literals of the body hold together, from the first on, for each example."""
    held = np.full(len(rows), len(rule.body), np.int16)
    left = np.flatnonzero(~holds(rule, rule.body, program, task, rows))
    held[left] = 0
    for count in range(1, len(rule.body)):
        if not len(left):
            break
        left = left[holds(rule, rule.body[:count], program, task, rows[left])]
        held[left] = count
    return held


def holds(rule: Rule, body: Sequence[Literal], program: Program, task: ReadTask, rows: Rows) -> Flags:
    asked = Rule(Literal(ASKED, rule.head.args), tuple(body))
    calls = any(literal.predicate in program.defined for literal in body)
    beside = program.rules if calls else ()
    target = Predicate(ASKED, len(rule.head.args))
    return Evaluator(task.background, target).coverage(Program((*beside, asked)), rows).covered
