"""Which examples a program covers.

An `Evaluator` compiles a program for a `Prover` and runs it on examples. Compiling means choosing, for each
rule and each set of bound head arguments (an *adornment*), the order of its body literals and the index that each
look-up uses. The order is greedy: of the literals that can be asked now, the one with the fewest expected rows.
It changes how fast a proof is found, never what is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Background
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.forms.plans import CALL, LOOKUP, Move, Operation, Plan, PlannedAdornment
from maxsynth.kernel.proofs import Plans
from maxsynth.kernel.terms import Index
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Literal, Program, Rule, all_directions
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.proofs.prover import NOBODY, Prover, Watch

MAX_LITERALS = 64  # of a body, and arguments of a literal: the kernel keeps sets of moves in one machine word
A_CALL = 1e6  # as expected rows: after everything else that can be asked ...
AGAINST_DIRECTION = 1e9  # ... but for looking backwards what BK computes forwards
STEPS = 200_000  # of one example's proof, for a program that calls itself

Adornment = tuple[Predicate, tuple[int, ...]]


@dataclass(frozen=True)
class Coverage:
    """What a test found: for each example whether it is covered, and whether its proof ran out of steps."""

    covered: NDArray[np.bool_]
    unfinished: NDArray[np.bool_]
    steps: int


class Evaluator:
    """Tests programs for one target predicate against one background."""

    def __init__(self, background: Background, target: Predicate, steps: int = STEPS) -> None:
        self.background = background
        self.target = target
        self.steps = steps
        self.known_rules = KnownRules(background, target)

    def coverage(self, program: Program, examples: NDArray[np.int32]) -> Coverage:
        """Which rows of `examples` (the arguments of the target, as term ids) the program covers."""
        return Coverage(*self.compile(program).cover(examples, self.steps))

    def quick_coverage(
        self, program: Program, examples: NDArray[np.int32], steps: int, watch: Watch = NOBODY
    ) -> Coverage:
        """As `coverage`, for a search: a program that calls itself has so many steps an example, on average."""
        if not program.calls_itself:
            return self.coverage(program, examples)
        return Coverage(*Prover(self.plans(program)).cover_within(examples, steps, watch))

    def plans(self, program: Program) -> Plans:
        """The program as the kernel runs it, made of rules that are known, where it can be."""
        if self.known_rules.can_compile(program):
            return self.known_rules.compile(program)
        return Compiler(self.background, program).compile(self.target)

    def compile(self, program: Program) -> Prover:
        """The program in the form that the kernel runs; keep it to test the same program again."""
        return Prover(Compiler(self.background, program).compile(self.target))


class Compiler:
    """Compiles one program."""

    def __init__(self, background: Background, program: Program) -> None:
        self.background = background
        self.directions = all_directions(program, background.directions)
        self.rules: dict[Predicate, list[Rule]] = {}
        for rule in program.rules:
            self.rules.setdefault(rule.head.predicate, []).append(rule)
        self.adornments: dict[Adornment, int] = {}
        self.indexes: list[Index] = []
        self.index_numbers: dict[int, int] = {}

    def compile(self, target: Predicate) -> Plans:
        self.adornment(target, tuple(range(target.arity)))
        compiled: list[PlannedAdornment] = []
        # Compiling a rule may meet new adornments, which are appended while this goes on.
        while len(compiled) < len(self.adornments):
            predicate, bound = list(self.adornments)[len(compiled)]
            plans = [RuleCompiler(self, rule, bound).plan() for rule in self.rules.get(predicate, ())]
            compiled.append(PlannedAdornment(len(bound), predicate.arity - len(bound), plans))
        return Plans(compiled, self.indexes)

    def adornment(self, predicate: Predicate, bound: tuple[int, ...]) -> int:
        return self.adornments.setdefault((predicate, bound), len(self.adornments))

    def index_number(self, index: Index) -> int:
        if id(index) not in self.index_numbers:
            self.index_numbers[id(index)] = len(self.indexes)
            self.indexes.append(index)
        return self.index_numbers[id(index)]


class KnownPlan(NamedTuple):
    """A rule, compiled for an adornment, and the adornments that it calls."""

    rule: Rule  # is kept, so that its id is not another's
    made: Plans
    called: tuple[int, ...]


class KnownRules:
    """Compiles programs that define the target alone, and keeps what their rules become.

    A search tests the same rules in many programs. Where no predicate has directions that follow from the program, the
    plan of a rule depends on no other rule, but for the numbers of indexes and adornments: so these are numbered once
    for all programs.
    """

    def __init__(self, background: Background, target: Predicate) -> None:
        self.target = target
        self.compiler = Compiler(background, Program())
        self.compiler.rules[target] = []
        self.compiler.adornment(target, tuple(range(target.arity)))
        self.declared = not background.directions or target in background.directions
        self.made: dict[tuple[int, int], KnownPlan] = {}  # by the id of a rule, and adornment
        self.orders: list[tuple[Rule, int, list[int]]] = []  # of these, in which order the literals of each come

    def can_compile(self, program: Program) -> bool:
        return self.declared and all(rule.head.predicate == self.target for rule in program.rules)

    def compile(self, program: Program) -> Plans:
        wanted = [0]  # adornments that the program calls; the others have no plans
        made: dict[int, list[Plans]] = {}
        for adornment in wanted:
            known = [self.plan(rule, adornment) for rule in program.rules]
            made[adornment] = [plan.made for plan in known]
            for plan in known:
                wanted += [number for number in plan.called if number not in wanted]
        arity = self.target.arity
        return Plans(
            [
                PlannedAdornment(len(bound), arity - len(bound), made.get(number, ()))
                for number, (_, bound) in enumerate(self.compiler.adornments)
            ],
            self.compiler.indexes,
        )

    def plan(self, rule: Rule, adornment: int) -> KnownPlan:
        key = id(rule), adornment
        if key not in self.made:
            self.make_plan(rule, adornment)
        return self.made[key]

    def make_plan(self, rule: Rule, adornment: int, order: Sequence[int] | None = None) -> None:
        """Compiles a rule; in an order that was chosen before, when less was known of BK, where that is given."""
        _, bound = list(self.compiler.adornments)[adornment]
        compiler = RuleCompiler(self.compiler, rule, bound, order)
        plan = compiler.plan()
        called = dict.fromkeys(move.target for move in plan.moves if move.kind == CALL)
        made = Plans([PlannedAdornment(0, 0, [plan])], self.compiler.indexes)
        self.made[id(rule), adornment] = KnownPlan(rule, made, tuple(called))
        self.orders.append((rule, adornment, compiler.chosen))


class RuleCompiler:
    """Compiles one rule for one adornment into a plan (see `kernel/proofs/plans.pxi`)."""

    def __init__(
        self, compiler: Compiler, rule: Rule, bound: tuple[int, ...], order: Sequence[int] | None = None
    ) -> None:
        self.compiler = compiler
        self.order = order  # of the literals; None to choose one
        self.chosen: list[int] = []
        self.background = compiler.background
        self.rule = rule
        self.bound_positions = bound
        self.registers: dict[int | Constant, int] = {}
        self.init: list[tuple[int, int]] = []
        self.bound_by: dict[int, int] = {}  # register -> the move that binds it, -1 for the head and constants

    def plan(self) -> Plan:
        if len(self.rule.body) > MAX_LITERALS or any(len(lit.args) > MAX_LITERALS for lit in self.rule.literals()):
            raise MaxSynthError(
                f"more than {MAX_LITERALS} literals or arguments in `{self.rule}`",
                remedy="define predicates in BK for parts of it",
            )
        entry = []
        for number, position in enumerate(self.bound_positions):
            register, known = self.register(self.rule.head.args[position])
            entry.append(Operation(number, register, known))
            self.bound_by.setdefault(register, -1)
        moves = self.moves()
        out = [
            self.register(arg)[0]
            for position, arg in enumerate(self.rule.head.args)
            if position not in self.bound_positions
        ]
        if any(register not in self.bound_by for register in out):
            raise MaxSynthError(
                f"`{self.rule}` leaves an argument of its head open where it is called without it",
                remedy="every head variable must occur in the body",
            )
        mask = sum(1 << move for move in {self.bound_by[register] for register in out} if move >= 0)
        return Plan(len(self.registers), tuple(self.init), tuple(entry), tuple(moves), tuple(out), mask)

    def register(self, arg: int | Constant) -> tuple[int, bool]:
        """The register of an argument, and whether it has a value already."""
        new = arg not in self.registers
        register = self.registers.setdefault(arg, len(self.registers))
        if new and isinstance(arg, Constant):
            self.init.append((register, self.background.store.intern(parse_term(arg.text).term)))
            self.bound_by[register] = -1
        return register, register in self.bound_by

    def moves(self) -> list[Move]:
        waiting = list(range(len(self.rule.body)))
        moves: list[Move] = []
        while waiting:
            ranked = [(cost, i) for i in waiting if (cost := self.expected_rows(self.rule.body[i])) is not None]
            if not ranked:
                raise unsafe(self.rule, self.rule.body[waiting[0]])
            number = min(ranked)[1]
            if self.order is not None:
                number = self.order[len(self.chosen)]
                if number not in [i for _, i in ranked]:
                    raise ValueError("an order in which the rule cannot be run")
            waiting.remove(number)
            self.chosen.append(number)
            literal = self.rule.body[number]
            if not self.fold(literal, moves):
                moves.append(self.move(literal, len(moves)))
        return moves

    def fold(self, literal: Literal, moves: list[Move]) -> bool:
        """Makes a test of one variable part of the move that binds it, when that binds nothing else.

        The rows of that move are then tested as they come, by all such tests at once, which is faster than a move
        for each: most of the time of a move goes into guessing wrong whether it will succeed.
        """
        bound = self.bound_arguments(literal)
        if literal.predicate in self.compiler.rules or len(bound) != 1:
            return False
        relation = self.background.relation(literal.predicate)
        others = [arg for i, arg in enumerate(literal.args) if i not in bound]
        if relation.inputs is not None or any(self.occurs_elsewhere(arg, literal) for arg in others):
            return False
        if len(set(others)) < len(others):
            return False
        binder = self.bound_by.get(self.registers.get(literal.args[bound[0]], -1), -1)
        if binder < 0 or moves[binder].kind != LOOKUP or not moves[binder].binds_one:
            return False
        index = relation.index(bound)
        assert index is not None
        filters = (*moves[binder].filters, self.compiler.index_number(index))
        moves[binder] = moves[binder]._replace(filters=filters)
        return True

    def occurs_elsewhere(self, arg: int | Constant, literal: Literal) -> bool:
        return isinstance(arg, Constant) or any(
            arg in other.args for other in self.rule.literals() if other is not literal
        )

    def bound_arguments(self, literal: Literal) -> list[int]:
        return [
            i
            for i, arg in enumerate(literal.args)
            if isinstance(arg, Constant) or self.registers.get(arg, -1) in self.bound_by
        ]

    def expected_rows(self, literal: Literal) -> float | None:
        """How many rows the literal is expected to give now; None when it cannot be asked yet."""
        bound = self.bound_arguments(literal)
        free = len(set(literal.args)) - len({literal.args[i] for i in bound})
        if literal.predicate in self.compiler.rules:
            modes = self.compiler.directions.get(literal.predicate)
            if modes and any(mode == "in" and i not in bound for i, mode in enumerate(modes)):
                return None
            return A_CALL * (1 + free)
        relation = self.background.relation(literal.predicate)
        index = relation.index(bound)
        if index is None:
            return None
        if not set(relation.meant) <= set(bound):
            return AGAINST_DIRECTION + index.fanout()
        return index.fanout() if free else 0.5

    def move(self, literal: Literal, number: int) -> Move:
        bound = self.bound_arguments(literal)
        if literal.predicate in self.compiler.rules:
            kind, keyed = CALL, tuple(bound)
            target = self.compiler.adornment(literal.predicate, keyed)
            # An answer holds the free arguments only.
            columns = {position: i for i, position in enumerate(i for i in range(len(literal.args)) if i not in bound)}
        else:
            index = self.background.relation(literal.predicate).index(bound)
            assert index is not None
            kind, keyed, target = LOOKUP, index.columns, self.compiler.index_number(index)
            columns = {i: i for i in range(len(literal.args))}
        keys = tuple(self.register(literal.args[i])[0] for i in keyed)
        reads = set(keys)
        operations = []
        for position, column in columns.items():
            if position in keyed:
                continue
            register, known = self.register(literal.args[position])
            operations.append(Operation(column, register, known))
            if known:
                reads.add(register)
            else:
                self.bound_by[register] = number
        parents = sum(1 << move for move in {self.bound_by[r] for r in reads} if 0 <= move < number)
        return Move(kind, target, keys, tuple(operations), parents)


def unsafe(rule: Rule, literal: Literal) -> MaxSynthError:
    names: Mapping[int, str] = {v: f"V{v}" for v in literal.variables}
    return MaxSynthError(
        f"no order of the body makes `{literal.text(names)}` callable in `{rule}`: an `in` argument is never bound",
        remedy="check direction/2 in bias.pl, or add a literal that binds it",
    )
