"""Generating programs with clingo, size after size: the general path of the paper.

A `ProgramSpace` is a running clingo that lists the programs of one size, and takes what their tests say as rules that
forbid larger ones. `AspRules` generates single rules with it, to be combined, where `features` does not apply: under a
bias with constraints of its own, or when it is asked to. `AspPrograms` generates whole programs that call themselves,
which compete by themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import permutations

import clingo
import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.bias import Bias
from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.search.asp.encoding import Encoding, literal_of, renamed
from maxsynth.search.programs.constraints import Outcome, Pruning, prune_programs, prune_rules
from maxsynth.search.programs.failures import Failures, Idle, Part
from maxsynth.search.programs.tester import Tester
from maxsynth.search.rules.features import RuleBatch
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import Task

Stop = Callable[[], bool]

CONSTRAINT, ATOM = 160, 24  # bytes, about, for a constraint in clingo, with what it solves, and for an atom in it
NOTHING = np.zeros(0, np.bool_)
PROGRAM = 2000  # bytes, about, for a program that was tested, but for what it covers
NAMES = (
    ("body_literal", 4), ("head_literal", 4), ("size", 1), ("__at_least", 1), ("clause", 1), ("body_size", 2),
    ("__caller", 1),
)  # fmt: skip


class ProgramSpace:
    """The programs of a bias, from clingo."""

    def __init__(self, bias: Bias, *, calls: bool, memory: Memory | None = None) -> None:
        self.memory = memory or Memory()
        self.encoding = Encoding(bias, calls)
        self.bias = bias
        self.control = clingo.Control(["-Wnone", "--models=0"], logger=lambda code, message: None)
        self.control.add("base", [], self.encoding.text())
        self.control.ground([("base", [])])
        self.literals: dict[clingo.Symbol, tuple[int, Literal]] = {}
        self.atoms: dict[tuple[object, ...], int] = {}  # (name, rule and literal), or (name, numbers) -> clingo's atom
        for name, arity in NAMES:
            for known in self.control.symbolic_atoms.by_signature(name, arity):
                if arity == 4:
                    self.literals[known.symbol] = literal_of(known.symbol)
                    self.atoms[(name, *self.literals[known.symbol])] = known.literal
                else:
                    self.atoms[(name, *(number.number for number in known.symbol.arguments))] = known.literal
        self.rules: dict[Rule, Rule] = {}  # the same object each time, which is how the evaluator knows a rule again
        self.parts: dict[tuple[Rule, int], int | None] = {}  # (rule, its number) -> the atom that it is a part of it

    def programs(self, size: int, on_program: Callable[[Program], None], should_stop: Stop) -> bool:
        """Calls `on_program` with each program of a size; False when it was stopped."""
        seen: set[frozenset[clingo.Symbol]] = set()
        if self.atom("size", size) is None:
            return True
        chosen = clingo.Function("size", [clingo.Number(size)])
        with self.control.solve(assumptions=[(chosen, True)], yield_=True) as handle:
            for model in handle:
                atoms = frozenset(model.symbols(shown=True))
                # A program comes again for another choice of what is not shown, such as directions.
                if atoms not in seen:
                    seen.add(atoms)
                    on_program(self.program(atoms))
                if should_stop():
                    return False
        return True

    def program(self, atoms: frozenset[clingo.Symbol]) -> Program:
        heads: dict[int, Literal] = {}
        bodies: dict[int, list[Literal]] = {}
        for symbol in sorted(atoms):
            number, literal = self.literals[symbol]
            if symbol.name == "head_literal":
                heads[number] = literal
            else:
                bodies.setdefault(number, []).append(literal)
        rules = (Rule(heads[number], tuple(bodies[number])) for number in sorted(heads))
        return Program(tuple(self.rules.setdefault(rule, rule) for rule in rules))

    # -- constraints ----------------------------------------------------------------------------------------

    def forbid(self, prunings: list[Pruning]) -> None:
        """Leaves out what the prunings say, from now on."""
        with self.control.backend() as backend:
            for pruning in prunings:
                size = self.atom("__at_least", pruning.from_size)
                if size is None:
                    continue  # no program is that large
                count = len(pruning.rules)
                limits = [size]
                if not pruning.more_rules and count < self.encoding.max_clauses:
                    more = self.atom("clause", count)
                    limits += [-more] if more is not None else []
                for places in permutations(range(self.encoding.max_clauses), count):
                    if not pruning.more_rules and max(places) >= count:
                        continue
                    parts = [self.part(backend, rule, place) for rule, place in zip(pruning.rules, places, strict=True)]
                    if pruning.more_rules:  # then the rules are these themselves
                        parts += [
                            self.atom("body_size", place, len(rule.body))
                            for rule, place in zip(pruning.rules, places, strict=True)
                        ]
                    if None not in parts:
                        self.add_constraint(backend, [*limits, *(part for part in parts if part is not None)])

    def forbid_parts(self, parts: list[Part]) -> None:
        """Leaves out every program that has a rule with all literals of a part, under any names of variables."""
        with self.control.backend() as backend:
            for part in parts:
                variables = sorted({variable for literal in part for variable in literal.variables})
                for names in permutations(range(self.bias.max_vars), len(variables)):
                    new = dict(zip(variables, names, strict=True))
                    for number in range(self.encoding.max_clauses):
                        body = [self.literal_atom("body_literal", number, renamed(literal, new)) for literal in part]
                        if None not in body:
                            self.add_constraint(backend, [atom for atom in body if atom is not None])

    def forbid_idle(self, found: list[Idle], *, alone: bool = False) -> None:
        """Leaves out the programs that `Failures` says are not best: with `alone`, whatever else there is in them."""
        every = range(self.encoding.max_clauses)
        with self.control.backend() as backend:
            for idle in found:
                rules = (*idle.rules, *idle.others)
                count = len(rules)
                more = self.atom("clause", count) if idle.others else None
                for places in permutations(range(count) if idle.others else every, count):
                    parts = [self.part(backend, rule, place) for rule, place in zip(rules, places, strict=True)]
                    if None in parts:
                        continue
                    callers = [
                        self.atom("__caller", place) for place in every if place not in places[: len(idle.rules)]
                    ]
                    free = [] if alone else [caller for caller in callers if caller is not None]
                    limits = [*([more] if more is not None else []), *free]
                    self.add_constraint(
                        backend, [*(part for part in parts if part is not None), *(-atom for atom in limits)]
                    )

    def add_constraint(self, backend: clingo.Backend, body: list[int]) -> None:
        """Says that these atoms are not all true."""
        self.memory.take(CONSTRAINT + ATOM * len(body))
        backend.add_rule([], body)

    def atom(self, name: str, *numbers: int) -> int | None:
        return self.atoms.get((name, *numbers))

    def part(self, backend: clingo.Backend, rule: Rule, number: int) -> int | None:
        """An atom that holds when the rule with a number has a rule's head and, under some naming, all its body.

        Different variables keep different names, so this does not find every rule that the given one subsumes.
        """
        if (rule, number) not in self.parts:
            self.parts[rule, number] = self.make_part(backend, rule, number)
        return self.parts[rule, number]

    def make_part(self, backend: clingo.Backend, rule: Rule, number: int) -> int | None:
        head = self.literal_atom("head_literal", number, rule.head)
        arity = len(rule.head.args)
        free = sorted({arg for literal in rule.body for arg in literal.variables} - set(range(arity)))
        if head is None:
            return None
        found: int | None = None
        for names in permutations(range(arity, self.bias.max_vars), len(free)):
            new = dict(zip(free, names, strict=True))
            body = [self.literal_atom("body_literal", number, renamed(literal, new)) for literal in rule.body]
            if None not in body:
                found = backend.add_atom() if found is None else found
                self.memory.take(CONSTRAINT + ATOM * len(body))
                backend.add_rule([found], [head, *(part for part in body if part is not None)])
        return found

    def literal_atom(self, kind: str, number: int, literal: Literal) -> int | None:
        return self.atoms.get((kind, number, literal))


class AspRules:
    """All rules that may be in a best program, by size: as `features.RuleGenerator` does, from clingo.

    Under constraints on whole programs, of which a part of an allowed program may not be allowed, those are all rules.
    """

    def __init__(
        self,
        task: Task,
        examples: WeighedExamples,
        size_weight: int,
        *,
        constraints: bool = True,
        memory: Memory | None = None,
    ) -> None:
        self.memory = memory or Memory()
        self.space = ProgramSpace(task.bias, calls=False, memory=self.memory)
        self.tester = Tester(task, examples, size_weight)
        self.failures = Failures(task, examples, self.memory)
        self.all = not task.bias.hold_of_less
        self.constraints = constraints and not self.all
        self.size_weight = size_weight
        self.most_body = task.bias.most_body
        self.size = 0
        self.found: list[Rule] = []

    @property
    def exhausted(self) -> bool:
        return self.size >= self.most_body

    @property
    def tested(self) -> int:
        return self.tester.tested

    def keep_below(self, bound: int) -> None:
        """From now on, only rules of programs that cost less than this are asked for: nothing is made of that here."""

    def next_size(self, should_stop: Stop | None = None) -> RuleBatch | None:
        """The rules with one more body literal than before; None when it was stopped."""
        size = self.size + 2
        found: list[tuple[Rule, Outcome]] = []

        def test(program: Program) -> None:
            outcome = self.tester.outcome(program)
            if not self.all and outcome.pos <= outcome.size:  # it is of no use itself, and there are many such
                outcome = dataclasses.replace(outcome, covered=NOTHING)
            self.memory.take(PROGRAM + outcome.covered.nbytes)
            found.append((program.rules[0], outcome))

        if not self.space.programs(size, test, should_stop or (lambda: False)):
            return None
        if self.all:
            found = one_of_each(found)
        if self.constraints:
            self.space.forbid([p for rule, outcome in found for p in prune_rules(rule, outcome, self.size_weight)])
            self.explain([rule for rule, outcome in found if outcome.most_pos == 0])
        self.size += 1
        return self.batch(found)

    def explain(self, failed: list[Rule]) -> None:
        """Leaves out all rules that fail for the reason for which these do."""
        self.space.forbid_parts([part for rule in failed for part in self.failures.impossible_parts(rule)])
        self.space.forbid_idle([idle for rule in failed for idle in self.failures.idle_rule(rule)], alone=True)

    def batch(self, found: list[tuple[Rule, Outcome]]) -> RuleBatch:
        useful = [(rule, outcome) for rule, outcome in found if self.all or outcome.pos > outcome.size]
        first = len(self.found)
        self.found += [rule for rule, _ in useful]
        width = -(-len(self.tester.examples.pos) // 64)
        return RuleBatch(
            np.arange(first, len(self.found), dtype=np.int64),
            np.array([packed(outcome.covered, width) for _, outcome in useful], np.uint64).reshape(-1, width),
            np.array([rule.size for rule, _ in useful], np.int64),
            np.array([outcome.pos for _, outcome in useful], np.int64),
            np.array([outcome.neg for _, outcome in useful], np.int64),
        )

    def rule(self, number: int) -> Rule:
        return self.found[number]

    def counts(self) -> dict[str, int]:
        return {"rules_tested": self.tester.tested}


def one_of_each(found: list[tuple[Rule, Outcome]]) -> list[tuple[Rule, Outcome]]:
    """Each rule once, where the same comes under several names of its variables: in a program it is one rule."""
    known: dict[tuple[tuple[str, tuple[object, ...]], ...], tuple[Rule, Outcome]] = {}
    for rule, outcome in found:
        arity = len(rule.head.args)
        own = sorted({variable for literal in rule.body for variable in literal.variables} - set(range(arity)))
        bodies = []
        for names in permutations(own):
            body = (renamed(literal, dict(zip(own, names, strict=True))) for literal in rule.body)
            bodies.append(tuple(sorted((literal.name, literal.args) for literal in body)))
        known.setdefault(min(bodies), (rule, outcome))
    return list(known.values())


def packed(covered: NDArray[np.bool_], width: int) -> NDArray[np.uint64]:
    """A bit for each example, in machine words."""
    bits = np.zeros(width * 64, np.bool_)
    bits[: len(covered)] = covered
    return np.packbits(bits, bitorder="little").view(np.uint64)


class AspPrograms:
    """Programs that call themselves, by size: those with a cost below a bound that falls as better ones are found."""

    def __init__(
        self,
        task: Task,
        examples: WeighedExamples,
        size_weight: int,
        *,
        constraints: bool = True,
        memory: Memory | None = None,
    ) -> None:
        self.memory = memory or Memory()
        self.space = ProgramSpace(task.bias, calls=True, memory=self.memory)
        self.tester = Tester(task, examples, size_weight)
        self.failures = Failures(task, examples, self.memory)
        self.constraints = constraints
        self.size_weight = size_weight
        self.size = 1  # all programs up to this size are done with

    @property
    def tested(self) -> int:
        return self.tester.tested

    @property
    def work(self) -> int:
        return 20 * self.tester.tested

    def lower_bound(self) -> int:
        """What a program that is left costs at least."""
        return self.size_weight * (self.size + 1) if self.size < self.space.encoding.max_size else 1 << 60

    def exhausted(self, bound: int) -> bool:
        """Whether no program that is left can cost less than the bound."""
        return self.lower_bound() >= bound

    def next_size(self, bound: int, take: Callable[[Program, Outcome], int], should_stop: Stop) -> bool:
        """Tests the programs of the next size; `take` gets each better one, and says the bound from then on."""
        found: list[tuple[Program, Outcome]] = []
        now = bound

        def test(program: Program) -> None:
            nonlocal now
            outcome = self.tester.outcome(program, now)
            self.memory.take(PROGRAM + outcome.covered.nbytes)
            found.append((program, outcome))
            if outcome.cost < now:
                now = take(program, outcome)

        if not self.space.programs(self.size + 1, test, should_stop):
            return False
        self.size += 1
        if self.constraints:
            self.space.forbid(
                [p for program, outcome in found for p in prune_programs(program, outcome, now, self.size_weight)]
            )
            self.explain(found)
        return True

    def explain(self, tested: list[tuple[Program, Outcome]]) -> None:
        """Leaves out all programs with rules that are of no use for the reasons for which rules of these are not.

        Under constraints of the bias's own, a program may need a rule that does nothing, to be in the space at all.
        """
        bias = self.space.bias
        if bias.constraints.strip():
            return
        if not (bias.one_of_type and bias.invention):  # see `Failures.impossible_parts`
            rules = dict.fromkeys(rule for program, _ in tested for rule in program.rules)
            self.space.forbid_parts([part for rule in rules for part in self.failures.impossible_parts(rule)])
            if not bias.recursion:
                ends = [rule for rule in rules if rule.head.predicate == bias.head]
                self.space.forbid_idle([idle for rule in ends for idle in self.failures.idle_rule(rule)], alone=True)
        self.space.forbid_idle(
            [i for program, outcome in tested for i in self.failures.idle_program(program, outcome.covered)]
        )

    def counts(self) -> dict[str, int]:
        return {"programs_tested": self.tester.tested, "programs_cut": self.tester.cut}
