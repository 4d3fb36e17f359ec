"""Which examples a program covers, computed as plainly as possible: the second opinion of `maxsynth verify`.

Nothing here is shared with the prover in the kernel. Relations are sets of Python tuples, a body is a nested loop over
its literals, and a program that calls itself is tabled: every goal that is asked gets a set of answers, and a goal is
computed again whenever an answer it used is new, until no answer is. What is then known is the least model, as far as
the example asked for it. The effort is counted in steps, so the outcome is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from maxsynth.background.background import Background
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Constant, Literal, Program, Rule, all_directions
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.verification import numbers

STEPS = 2_000_000  # rows looked at for one example
MAX_LITERALS = 64  # of a body: the loops nest by recursion

Row = tuple[int, ...]  # arguments, as numbers of interned terms
Goal = tuple[Predicate, tuple[int | None, ...]]  # a call; None for an argument that is not given
Binding = dict[Argument, int]

# How a literal gets its rows: from facts, by arithmetic, from Prolog, from the program itself.
TABLE, COMPUTED, ASKED, CALLED = range(4)


class OutOfSteps(Exception):
    """An example took more steps than it may."""


class SimpleEvaluator:
    """Tests one program against one background."""

    def __init__(self, program: Program, background: Background, target: Predicate, steps: int = STEPS) -> None:
        self.background = background
        self.directions = all_directions(program, background.directions)
        self.target = target
        self.steps = steps
        self.rules: dict[Predicate, list[Rule]] = {}
        self.constants: Binding = {}
        for rule in program.rules:
            if len(rule.body) > MAX_LITERALS:
                raise MaxSynthError(f"a rule has more than {MAX_LITERALS} body literals: `{rule}`", remedy="shorten it")
            self.rules.setdefault(rule.head.predicate, []).append(rule)
            for arg in (arg for literal in rule.literals() for arg in literal.args if isinstance(arg, Constant)):
                self.constants[arg] = background.store.intern(parse_term(arg.text).term)
        self.tables: dict[Predicate, list[Row]] = {}
        self.indexes: dict[tuple[Predicate, tuple[int, ...]], dict[Row, list[Row]]] = {}
        self.replies: dict[tuple[Predicate, Row], list[Row]] = {}
        self.answers: dict[Goal, set[Row]] = {}
        self.complete: set[Goal] = set()

    def covers(self, example: Row) -> bool | None:
        """Whether BK and the program entail the example; None when the steps do not suffice to tell."""
        goal = (self.target, example)
        self.renew()
        try:
            self.settle(goal)
        except OutOfSteps:
            return None
        return example in self.answers[goal]

    # -- goals ----------------------------------------------------------------------------------------------

    def settle(self, goal: Goal) -> None:
        """Computes the answers of a goal, and of all that it asks, to the fixed point; a ground one until it holds."""
        self.begin()
        self.ask(goal, None)
        while self.todo and not self.answered(goal):
            current, _ = self.todo.popitem()
            self.step()
            new = set(self.consequences(current)) - self.answers[current]
            if new:
                self.answers[current] |= new
                self.todo.update(self.asked_by[current])
        if not self.todo:
            self.complete.update(self.asked_by)

    def begin(self) -> None:
        """Begins with a new set of goals. The answers of those that are complete stay."""
        self.todo: dict[Goal, None] = {}  # in order of arrival, the last one first to go: depth first
        self.asked_by: dict[Goal, dict[Goal, None]] = {}  # the goals met in this call, and who uses their answers

    def renew(self) -> None:
        """Gives as many steps again as there are for an example."""
        self.left = self.steps

    def answered(self, goal: Goal) -> bool:
        return None not in goal[1] and bool(self.answers[goal])

    def ask(self, goal: Goal, asker: Goal | None) -> set[Row]:
        """The answers known so far. The asker is computed again when there are more."""
        self.answers.setdefault(goal, set())
        if goal not in self.complete:
            if goal not in self.asked_by:
                self.asked_by[goal] = {}
                self.todo[goal] = None
            if asker is not None:
                self.asked_by[goal][asker] = None
        return self.answers[goal]

    def consequences(self, goal: Goal) -> Iterator[Row]:
        """What the rules for a goal derive from the answers known so far."""
        for rule, found in self.derivations(goal):
            yield tuple(found[arg] for arg in rule.head.args)

    def derivations(self, goal: Goal) -> Iterator[tuple[Rule, Binding]]:
        """The rules for a goal with the values that make their bodies true; one will do for each consequence."""
        predicate, values = goal
        for rule in self.rules.get(predicate, ()):
            given = [(arg, value) for arg, value in zip(rule.head.args, values, strict=True) if value is not None]
            binding = bind(given, self.constants)
            if binding is None:
                continue
            open_variables = set(rule.head.args) - set(binding)
            for found in self.solutions(rule.body, binding, open_variables, goal):
                if any(arg not in found for arg in open_variables):
                    raise MaxSynthError(
                        f"`{rule}` leaves an argument of its head open where it is called without it",
                        remedy="bind it in the body",
                    )
                yield rule, found
                if not open_variables:
                    break

    # -- bodies ---------------------------------------------------------------------------------------------

    def solutions(
        self, literals: Sequence[Literal], binding: Binding, wanted: set[Argument], goal: Goal
    ) -> Iterator[Binding]:
        """The bindings that make all literals true; of those that agree on the wanted variables, at least one."""
        if not literals:
            yield binding
            return
        part, others = self.split(literals, binding, wanted)
        if others:
            for found in self.solutions(part, binding, wanted, goal):
                yield from self.solutions(others, found, wanted, goal)
                if not wanted & free(part, binding):
                    break  # the others share nothing with this part: another solution of it changes nothing for them
            return
        literal = self.next_literal(part, binding)
        rest = [other for other in part if other is not literal]
        for row in self.rows(literal, binding, goal):
            self.step()
            extended = bind(zip(literal.args, row, strict=True), binding)
            if extended is not None:
                yield from self.solutions(rest, extended, wanted, goal)

    def split(
        self, literals: Sequence[Literal], binding: Binding, wanted: set[Argument]
    ) -> tuple[list[Literal], list[Literal]]:
        """The literals that hang together by free variables, the easiest such part first, and all the others."""
        parts: list[list[Literal]] = []
        for literal in literals:
            variables = free([literal], binding)
            joined = [part for part in parts if variables & free(part, binding)]
            parts = [part for part in parts if part not in joined]
            parts.append([*(other for part in joined for other in part), literal])
        easiest = min(
            parts,
            key=lambda part: (
                bool(wanted & free(part, binding)),
                max(self.kind(literal.predicate) for literal in part),
                len(part),
            ),
        )
        return easiest, [literal for part in parts if part is not easiest for literal in part]

    def next_literal(self, literals: Sequence[Literal], binding: Binding) -> Literal:
        """The literal to ask next: a fact that decides, else Prolog, else the fewest facts, else the program."""
        ranked = []
        for number, literal in enumerate(literals):
            kind = self.kind(literal.predicate)
            given = [i for i, arg in enumerate(literal.args) if arg in binding]
            if kind == TABLE:
                count = len(self.facts(literal, binding))
                ranked.append(((0, count, number) if count <= 1 else (2, count, number), literal))
            elif kind == COMPUTED:
                if all(i in given for i in self.inputs(literal.predicate)):
                    ranked.append(((0, 1, number), literal))
            elif all(i in given for i in self.inputs(literal.predicate)):
                ranked.append(
                    ((1, 0, number) if kind == ASKED else (3, len(literal.args) - len(given), number), literal)
                )
        if not ranked:
            names = {variable: f"V{variable}" for variable in literals[0].variables}
            raise MaxSynthError(
                f"an `in` argument of `{literals[0].text(names)}` is never bound", remedy="bind it by another literal"
            )
        return min(ranked, key=lambda pair: pair[0])[1]

    # -- rows -----------------------------------------------------------------------------------------------

    def rows(self, literal: Literal, binding: Binding, goal: Goal) -> Iterable[Row]:
        """The rows of a literal's predicate that may agree with the binding."""
        kind, predicate = self.kind(literal.predicate), literal.predicate
        if kind == TABLE:
            return self.facts(literal, binding)
        if kind == CALLED:
            return self.ask((predicate, tuple(binding.get(arg) for arg in literal.args)), goal)
        inputs = self.inputs(predicate)
        if kind == COMPUTED:
            return self.computed(predicate, tuple(binding[literal.args[i]] for i in inputs))
        row = tuple(binding[literal.args[i]] for i in inputs)
        if (predicate, row) not in self.replies:
            self.step()
            self.replies[predicate, row] = self.background.ask(predicate, inputs, [row])[0]
        return self.replies[predicate, row]

    def computed(self, predicate: Predicate, given: Row) -> list[Row]:
        """The rows of a comparison, or of a sum, with these inputs: one, or none."""
        store = self.background.store
        one, other = (store.term(known) for known in given)
        if predicate.arity == len(given):
            return [given] if numbers.holds(predicate.name, one, other) else []
        total = numbers.total(one, other)
        return [] if total is None else [(*given, store.intern(total))]

    def kind(self, predicate: Predicate) -> int:
        if predicate in self.rules:
            return CALLED
        if predicate in numbers.GIVEN and self.background.is_built_in(predicate):
            return COMPUTED
        if predicate in self.tables or self.background.is_table(predicate):
            return TABLE
        defined = self.background.engine.defines(predicate.name, predicate.arity)
        if defined and predicate in self.background.directions:
            return ASKED
        # Rules without a direction mean what they list; what nothing defines is never true.
        listed = self.background.undirected(predicate).tolist() if defined else []
        self.tables[predicate] = [tuple(row) for row in listed]
        return TABLE

    def inputs(self, predicate: Predicate) -> tuple[int, ...]:
        if self.kind(predicate) == COMPUTED:
            return tuple(range(numbers.GIVEN[predicate]))
        modes = self.directions.get(predicate, ())
        return tuple(i for i, mode in enumerate(modes) if mode == "in")

    def facts(self, literal: Literal, binding: Binding) -> list[Row]:
        """The facts that agree with the binding (but for a free variable that a literal has twice)."""
        predicate = literal.predicate
        given = tuple(i for i, arg in enumerate(literal.args) if arg in binding)
        if (predicate, given) not in self.indexes:
            index: dict[Row, list[Row]] = {}
            for row in self.table(predicate):
                index.setdefault(tuple(row[i] for i in given), []).append(row)
            self.indexes[predicate, given] = index
        return self.indexes[predicate, given].get(tuple(binding[literal.args[i]] for i in given), [])

    def table(self, predicate: Predicate) -> list[Row]:
        if predicate not in self.tables:
            rows = self.background.source.tables[predicate.name, predicate.arity].rows().tolist()
            self.tables[predicate] = list(dict.fromkeys(tuple(row) for row in rows))
        return self.tables[predicate]

    def step(self) -> None:
        if self.left == 0:
            raise OutOfSteps
        self.left -= 1


def bind(pairs: Iterable[tuple[Argument, int]], binding: Binding) -> Binding | None:
    """The binding with these values too; None where they disagree with it or with each other."""
    extended = dict(binding)
    for arg, value in pairs:
        if extended.setdefault(arg, value) != value:
            return None
    return extended


def free(literals: Iterable[Literal], binding: Binding) -> set[Argument]:
    return {arg for literal in literals for arg in literal.args if arg not in binding}
