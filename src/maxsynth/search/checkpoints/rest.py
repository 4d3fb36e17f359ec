"""What a search is at a *rest*: a moment at which all of it is simple, and from which another one can go on.

There are two kinds. The search enters one phase after the other (`phases`), and at each of these borders it rests. And
within the generation of rules it rests between two nodes of the tree, and between some states of conjunctions
(`kernel/features/saved.pxi`). To rest is to take note of how much there is of everything; the search then goes on.
What is written is always what there was at the last rest, wherever the search is by now: so it can be written at any
time, and a run that is stopped within a phase goes on from its last rest, with the steps that it had then.

A rest that was made after somebody was told to stop would not be one of the run without a stop: there is none. And
what happens then is no longer what would have happened: so it is saved at the moment when it is first said.

On the way back, the task is read and BK is closed as at the beginning, which takes no steps now. Then come the terms
that BK made since then, with the same ids, and what it answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxsynth.background.answers import Lazy, Marks, answers_state, mark_answers, restore_answers
from maxsynth.background.background import Background
from maxsynth.errors import MaxSynthError, Position
from maxsynth.kernel.terms import take_terms, terms_to_save
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.programs import Constant, Literal, Program, Rule
from maxsynth.search.best import Best
from maxsynth.search.checkpoints.file import ANEW, Contents, read
from maxsynth.search.checkpoints.identity import Identity, check_same
from maxsynth.search.checkpoints.phases import Phase
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.coverage import Pool
from maxsynth.search.rules.features import Look, RuleGenerator

if TYPE_CHECKING:
    from maxsynth.search.programs.constraints import Outcome
    from maxsynth.search.programs.saved import ProgramsRest
    from maxsynth.task.task import ReadTask

LARGEST = 1 << 60  # cost
# What comes of contents that nobody saved, here or later.
WRONG = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class Checkpoint:
    """What was read from a file, of this task."""

    path: Path
    state: Contents

    @classmethod
    def read(cls, path: Path, identity: Identity) -> Checkpoint:
        contents = read(path)
        check_same(contents.get("identity"), identity, path)
        checkpoint = cls(path, contents.get("state", {}))
        try:
            checkpoint.phase, checkpoint.steps, checkpoint.seconds  # noqa: B018 - are they there?
        except WRONG:
            raise checkpoint.damaged() from None
        return checkpoint

    def damaged(self) -> MaxSynthError:
        return MaxSynthError("this checkpoint is damaged, or not whole", Position(str(self.path)), ANEW)

    @property
    def phase(self) -> Phase:
        return Phase(self.state["phase"])

    @property
    def steps(self) -> int:
        return int(self.state["steps"])

    @property
    def seconds(self) -> float:
        return float(self.state["seconds"])


@dataclass(frozen=True)
class Side:
    """Rules and what is combined of them: of the search itself, or of a dive."""

    rules: RuleGenerator
    promising: Combiner
    batches: tuple[Pool, ...]
    counts: tuple[int, int, int]
    nothing_in: tuple[int, ...] | None

    @classmethod
    def of(cls, rules: RuleGenerator, promising: Combiner) -> Side:
        rules.mark()
        counted = promising.nodes, promising.steps, promising.calls
        return cls(rules, promising, tuple(promising.batches), counted, promising.nothing_in)

    def state(self) -> Contents:
        return {
            "rules": self.rules.state(),
            "batches": [batch.numbers for batch in self.batches],
            "counts": list(self.counts),
            "nothing_in": list(self.nothing_in or ()),
        }


def restore_side(rules: RuleGenerator, promising: Combiner, state: Contents) -> None:
    rules.restore(state["rules"])
    promising.batches = [rules.rules_of(numbers) for numbers in state["batches"]]
    promising.nodes, promising.steps, promising.calls = state["counts"]
    promising.nothing_in = tuple(state["nothing_in"]) or None


@dataclass(frozen=True)
class BestSoFar:
    """The best program at a rest."""

    bound: int
    found: bool
    lower_bound: int
    program: Program
    outcome: Outcome | None
    entries: int  # of the trace

    @classmethod
    def of(cls, best: Best) -> BestSoFar:
        return cls(best.bound, best.found, best.lower_bound, best.program, best.outcome, len(best.trace))

    def state(self, best: Best) -> Contents:
        outcome = self.outcome
        return {
            "bound": self.bound,
            "found": self.found,
            "lower_bound": self.lower_bound,
            "program": [[literal_state(literal) for literal in rule.literals()] for rule in self.program.rules],
            "outcome": None if outcome is None else dict(vars(outcome)),
            "trace": best.trace[: self.entries],
        }


def restore_best(best: Best, state: Contents, task: ReadTask) -> None:
    best.bound, best.found, best.lower_bound = int(state["bound"]), bool(state["found"]), int(state["lower_bound"])
    if not 0 <= best.lower_bound <= best.bound < LARGEST:
        raise ValueError("another cost")
    rules = [[read_literal(literal) for literal in rule] for rule in state["program"]]
    allowed, invented = {task.bias.head, *task.bias.body, *BUILT_IN}, set(task.bias.invented_names)
    for literal in (literal for rule in rules for literal in rule):
        if literal.predicate not in allowed and literal.name not in invented:
            raise ValueError("a program of another task")
    best.program = Program(tuple(Rule(head, tuple(body)) for head, *body in rules))
    if state["outcome"] is not None:
        from maxsynth.search.programs.constraints import Outcome

        best.outcome = Outcome(**state["outcome"])
    best.trace = [(float(seconds), int(cost), int(bound)) for seconds, cost, bound in state["trace"]]


def literal_state(literal: Literal) -> list[Any]:
    return [literal.name, [arg if isinstance(arg, int) else [arg.text] for arg in literal.args]]


def read_literal(state: Any) -> Literal:
    name, args = state
    return Literal(str(name), tuple(arg if isinstance(arg, int) else Constant(str(arg[0])) for arg in args))


@dataclass(frozen=True)
class Known:
    """What BK made and answered."""

    backgrounds: tuple[Background, ...]
    first: int  # the terms that are made anew in any case
    terms: int
    answers: tuple[Marks, ...]

    @classmethod
    def of(cls, backgrounds: tuple[Background, ...], first: int, lazy: Iterable[Lazy]) -> Known:
        return cls(backgrounds, first, len(backgrounds[0].store), tuple(map(mark_answers, lazy)))

    def state(self) -> Contents:
        return {
            "terms": terms_to_save(self.backgrounds[0].store, self.first, self.terms),
            "answers": [answers_state(marks) for marks in self.answers],
        }


def restore_known(backgrounds: tuple[Background, ...], state: Contents) -> None:
    take_terms(backgrounds[0].store, state["terms"])
    for background, answers in zip(backgrounds, state["answers"], strict=True):
        restore_answers(background, answers)


@dataclass(frozen=True)
class Rest:
    """All of a search at a rest."""

    phase: Phase
    steps: int
    seconds: float
    spent: Mapping[str, float]
    best: BestSoFar
    look: Look | None
    diving: Look | None
    main: Side | None = None
    dive: Side | None = None
    programs: ProgramsRest | None = None
    known: Known | None = None
    counts: Mapping[str, int] | None = None  # at the end

    def go_on(self) -> None:
        """It is written: the search is as it was before."""
        for side in (self.main, self.dive):
            if side is not None:
                side.rules.go_on()

    def state(self, best: Best) -> Contents:
        return {
            "phase": self.phase.value,
            "steps": self.steps,
            "seconds": self.seconds,
            "spent": dict(self.spent),
            "best": self.best.state(best),
            "look": look_state(self.look),
            "diving": look_state(self.diving),
            "main": None if self.main is None else self.main.state(),
            "dive": None if self.dive is None else self.dive.state(),
            "programs": None if self.programs is None else self.programs.state(),
            "known": None if self.known is None else self.known.state(),
            "counts": None if self.counts is None else dict(self.counts),
        }


def look_state(look: Look | None) -> list[int] | None:
    return None if look is None else [look.beam, look.work, look.rows, look.fanout]


def read_look(state: Any) -> Look | None:
    if state is None:
        return None
    if not all(isinstance(number, int) and 0 < number < np.iinfo(np.int32).max << 16 for number in state):
        raise ValueError("another look")
    return Look(*state)
