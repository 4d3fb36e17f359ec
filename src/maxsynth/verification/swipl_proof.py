"""SWI-Prolog as the judge of a program: it consults BK and program together and proves each example itself.

The program's predicates get names of their own, so that nothing in BK is taken for part of it. A directed predicate is
called as the task means it, with its `in` arguments alone: `p(a,b)` holds when `b` is among the answers of `p(a,X)`.
A program that calls itself is tabled, which makes SWI-Prolog compute its least model.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from maxsynth.errors import MaxSynthError, PrologProblem
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Literal, Program, Rule
from maxsynth.prolog.swipl.swipl import Swipl, find_swipl
from maxsynth.prolog.writer import atom_text
from maxsynth.task.task import ReadTask
from maxsynth.verification.numbers import GIVEN

JUDGE = "covered by the program"


class SwiplProof:
    """One program on one task, in a SWI-Prolog process."""

    def __init__(self, program: Program, task: ReadTask) -> None:
        swipl = find_swipl()
        if swipl is None:
            raise MaxSynthError(
                "SWI-Prolog was asked for, but there is no `swipl` on this machine",
                remedy="install SWI-Prolog, or use --prolog builtin",
            )
        self.task = task
        self.problems: list[str] = []
        self.target = task.bias.head
        with tempfile.TemporaryDirectory(prefix="maxsynth-") as folder:
            path = Path(folder) / "bk_and_program.pl"
            path.write_text(f"{task.background.source.whole_text()}\n{self.program_text(program)}")
            self.engine = Swipl(path, program=swipl)

    def covers(self, example: tuple[int, ...]) -> bool | None:
        """Whether the example is proven; None when SWI-Prolog cannot tell, for which `problems` has the reason."""
        terms = tuple(self.task.background.store.term(known) for known in example)
        try:
            answers = self.engine.solve(JUDGE, len(terms), tuple(range(len(terms))), [terms])
        except PrologProblem as problem:
            self.problems.append(problem.message)
            return None
        return bool(answers[0])

    def close(self) -> None:
        self.engine.close()

    # -- the program as SWI-Prolog gets it ------------------------------------------------------------------

    def program_text(self, program: Program) -> str:
        known = {*program.defined, self.target}
        called = dict.fromkeys(literal.predicate for rule in program.rules for literal in rule.body)
        lines = [  # what nothing defines is never true, rather than an error
            f":- dynamic {atom_text(predicate.name)}/{predicate.arity}."
            for predicate in called
            if predicate not in known and not self.task.background.defines(predicate)
        ]
        directive = "table" if program.calls_itself else "dynamic"
        lines += [f":- {directive} {atom_text(own_name(p.name))}/{p.arity}." for p in sorted(known)]
        variables = ",".join(f"V{i}" for i in range(self.target.arity))
        goal = f"{atom_text(own_name(self.target.name))}({variables})"
        lines.append(f"{atom_text(JUDGE)}({variables}) :- once({goal}).")
        lines += [self.rule_text(rule, known) for rule in program.rules]
        return "".join(f"{line}\n" for line in lines)

    def rule_text(self, rule: Rule, known: set[Predicate]) -> str:
        goals = []
        for number, literal in enumerate(rule.body):
            if literal.predicate in known:
                goals.append(literal_text(own_name(literal.name), [argument_text(arg) for arg in literal.args]))
            else:
                goals += self.background_goals(literal, number)
        head = literal_text(own_name(rule.head.name), [argument_text(arg) for arg in rule.head.args])
        return f"{head} :- {', '.join(goals) or 'true'}."

    def background_goals(self, literal: Literal, number: int) -> list[str]:
        arguments = [argument_text(arg) for arg in literal.args]
        if literal.predicate in GIVEN and self.task.background.is_built_in(literal.predicate):
            return number_goals(literal, arguments, number)
        modes = self.task.bias.directions.get(literal.predicate)
        if modes is None or self.task.background.is_table(literal.predicate):
            return [literal_text(literal.name, arguments)]
        outputs = {i: f"Out{number}_{i}" for i, mode in enumerate(modes) if mode == "out"}
        call = literal_text(literal.name, [outputs.get(i, text) for i, text in enumerate(arguments)])
        return [call, *(f"{output} = {arguments[i]}" for i, output in outputs.items())]


def number_goals(literal: Literal, arguments: list[str], number: int) -> list[str]:
    """A comparison or a sum, which is an error in Prolog where it is just not true in a program."""
    one, other = arguments[:2]
    tests = [f"number({one})", f"number({other})"]
    if len(arguments) == 2:
        return [*tests, f"{one} {literal.name} {other}"]
    return [*tests, f"catch(Sum{number} is {one} + {other}, _, fail)", f"Sum{number} = {arguments[2]}"]


def own_name(name: str) -> str:
    return f"{name} of the program"


def argument_text(arg: Argument) -> str:
    return f"V{arg}" if isinstance(arg, int) else f"({arg.text})"


def literal_text(name: str, arguments: list[str]) -> str:
    return f"{atom_text(name)}({','.join(arguments)})" if arguments else atom_text(name)
