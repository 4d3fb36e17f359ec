"""A running clingo that lists the programs of a bias, size after size: the general path of the paper.

It takes what their tests say as rules that forbid larger ones.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import clingo

from maxsynth.background.background import Background, StoppedAskingError
from maxsynth.bias.bias import Bias
from maxsynth.logic.programs import Literal, Program, Rule
from maxsynth.search.asp.encoding import Encoding, literal_of, renamed
from maxsynth.search.programs.constraints import Pruning
from maxsynth.search.programs.failures import Idle, Part
from maxsynth.task.memory import Memory

Stop = Callable[[], bool]

CONSTRAINT, ATOM = 160, 24  # bytes, about, for a constraint in clingo, with what it solves, and for an atom in it
OPTIONS = ["-Wnone", "--models=0", "--configuration=handy", "--project=show,1"]  # each choice of what is shown once
PATIENCE = 0.1  # seconds between two looks whether to go on waiting
PROGRAM = 2000  # bytes, about, for a program that was tested, but for what it covers
NAMES = (
    ("body_literal", 4), ("head_literal", 4), ("size", 1), ("__at_least", 1), ("clause", 1), ("body_size", 2),
    ("__caller", 1),
)  # fmt: skip


class ProgramSpace:
    """The programs of a bias, from clingo."""

    def __init__(
        self, bias: Bias, *, calls: bool, memory: Memory | None = None, background: Background | None = None
    ) -> None:
        self.memory = memory or Memory()
        self.background = background  # whose calls end when a search does: so does what is done here
        self.encoding = Encoding(bias, calls)
        self.bias = bias
        self.control = clingo.Control(OPTIONS, logger=lambda code, message: None)
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

    def programs(
        self, size: int, on_program: Callable[[Program], None], should_stop: Stop, is_enough: Stop = lambda: False
    ) -> bool:
        """Calls `on_program` with each program of a size, or until it is enough; False when it was stopped."""
        seen: set[frozenset[clingo.Symbol]] = set()
        if self.atom("size", size) is None:
            return True
        chosen = clingo.Function("size", [clingo.Number(size)])
        with self.control.solve(assumptions=[(chosen, True)], yield_=True, async_=True) as handle:
            while (model := self.next_model(handle)) is not None:
                atoms = frozenset(model.symbols(shown=True))
                # A program comes again for another choice of what is not shown, such as directions.
                if atoms not in seen:
                    seen.add(atoms)
                    on_program(self.program(atoms))
                if should_stop():
                    return False
                if is_enough():
                    break
        return True

    def next_model(self, handle: clingo.SolveHandle) -> clingo.Model | None:
        """The next answer; None after the last. It may take minutes, so it is waited for, a little at a time."""
        handle.resume()
        while not handle.wait(PATIENCE):
            self.look()
        return handle.model()

    def look(self) -> None:
        """Ends the search if it is to end. That is asked for by the clock: it takes no step."""
        reached = self.background.reached if self.background else None
        if reached is not None and reached():
            raise StoppedAskingError

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
                self.look()
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
                self.look()
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
                self.look()
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
