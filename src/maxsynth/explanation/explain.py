"""Why a program covers an example, or why it does not.

A covered example has a *proof*: a rule, values for its variables, and for each body literal either a fact of BK or,
when the program itself defines the predicate, another proof. An uncovered one has, for each rule, the literal at which
it fails: the first one, in the order of the body, that cannot be true together with those before it.

Proofs come from the simple evaluator of `maxsynth verify`: it computes the least model step by step, and here each atom
that it derives is noted with the rule and the values that first gave it. What these used was derived before, so a
proof never rests on itself, however the program recurs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from maxsynth.explanation.comparisons import is_with_number, nearest
from maxsynth.logic.comparisons import infix
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Literal, Program, Rule, variable_names
from maxsynth.prolog.terms import Atom, Struct
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import ReadTask
from maxsynth.verification.simple_evaluator import (
    COMPUTED,
    STEPS,
    Binding,
    Goal,
    OutOfSteps,
    Row,
    SimpleEvaluator,
    bind,
)

MAX_DEPTH = 200  # of a proof that is shown: what lies deeper is left out

Fact = tuple[Predicate, Row]


@dataclass(frozen=True)
class Proof:
    """An atom that holds; with the rule that gives it and how that is used, or without a rule for a fact of BK."""

    atom: str
    rule: str | None = None
    binding: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[Proof, ...] = ()

    def lines(self, indent: str = "") -> Iterator[str]:
        if self.rule is None:
            yield f"{indent}{self.atom}"
            return
        values = ", ".join(f"{name} = {value}" for name, value in self.binding.items())
        yield f"{indent}{self.atom}  by  {self.rule}" + (f"  with {values}" if values else "")
        for part in self.parts:
            yield from part.lines(f"{indent}  ")


@dataclass(frozen=True)
class Failure:
    """A rule that does not cover an example: the literal at which it fails, and how far it gets before."""

    rule: str
    literal: str | None  # None: the head does not match
    held: tuple[str, ...] = ()  # the literals before it, for one way to make them true
    nearest: str = ""  # of a comparison with a number: the value that comes nearest, in that way

    def lines(self, indent: str = "") -> Iterator[str]:
        yield f"{indent}{self.rule}"
        if self.literal is None:
            yield f"{indent}  its head does not match"
            return
        held = f"{', '.join(self.held)} hold{'s' if len(self.held) == 1 else ''}" if self.held else ""
        if self.nearest:
            yield f"{indent}  fails at {self.literal}: {self.nearest}{f', where {held}' if held else ''}"
            return
        yield f"{indent}  fails at {self.literal}: {f'{held}, but ' if held else ''}no values make it true"


@dataclass(frozen=True)
class Explanation:
    """Whether an example is covered (None: not found out within the steps), with its proof or with all failures."""

    example: str
    covered: bool | None
    proof: Proof | None = None
    failures: tuple[Failure, ...] = ()
    rules: tuple[int, ...] = ()  # the numbers of all rules that cover it

    def __str__(self) -> str:
        if self.covered is None:
            return f"{self.example}: it was not found out whether it is covered (see --steps)"
        if self.proof is not None:
            return "\n".join([f"{self.example} is covered:", *self.proof.lines("  ")])
        if not self.failures:
            return f"{self.example} is not covered: there is no rule"
        return "\n".join(
            [f"{self.example} is not covered:", *(line for one in self.failures for line in one.lines("  "))]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"

    @property
    def treatment(self) -> tuple[object, ...]:
        """How the program treats the example: by which rules it is covered, or at which literal each rule fails."""
        return self.rules if self.covered else tuple((one.rule, one.literal) for one in self.failures)


class Reasons(SimpleEvaluator):
    """The simple evaluator, taking note of what first gave each atom."""

    def __init__(self, program: Program, task: ReadTask, steps: int) -> None:
        super().__init__(program, task.background, task.bias.head, steps)
        self.reasons: dict[Fact, tuple[Rule, Binding]] = {}

    def consequences(self, goal: Goal) -> Iterator[Row]:
        for rule, found in self.derivations(goal):
            row = tuple(found[arg] for arg in rule.head.args)
            self.reasons.setdefault((goal[0], row), (rule, found))
            yield row


class Explainer:
    """Explains what one program does on one task."""

    def __init__(self, program: Program, task: ReadTask, steps: int = STEPS) -> None:
        self.program = program.executable(task.bias.directions)
        self.task = task
        self.steps = steps
        self.evaluator = Reasons(self.program, task, steps)

    def explain(self, example: Row) -> Explanation:
        target = self.task.bias.head
        text = self.example_text(example)
        try:
            covered = self.evaluator.covers(example)
            if covered is None:
                return Explanation(text, None)
            self.evaluator.renew()
            rules = [rule for rule in self.program.rules if rule.head.predicate == target]
            outcomes = [self.failure(rule, example) for rule in rules]
        except OutOfSteps:
            return Explanation(text, None)
        if covered:
            used = tuple(number for number, outcome in enumerate(outcomes) if outcome is None)
            return Explanation(text, True, self.proof((target, example), {}), (), used)
        return Explanation(text, False, None, tuple(outcome for outcome in outcomes if outcome is not None))

    # -- proofs -----------------------------------------------------------------------------------------------

    def proof(self, fact: Fact, done: dict[Fact, Proof], depth: int = 0) -> Proof:
        predicate, row = fact
        if predicate not in self.evaluator.rules or depth > MAX_DEPTH:
            return Proof(self.text(predicate.name, row))
        if fact not in done:
            rule, binding = self.evaluator.reasons[fact]
            names = variable_names(rule)
            values = {names[arg]: self.value(binding[arg]) for arg in names if names[arg] != "_"}
            parts = tuple(self.proof(self.fact(literal, binding), done, depth + 1) for literal in rule.body)
            done[fact] = Proof(self.text(predicate.name, row), str(rule), values, parts)
        return done[fact]

    def fact(self, literal: Literal, binding: Binding) -> Fact:
        return literal.predicate, tuple(binding[arg] for arg in literal.args)

    # -- failures ---------------------------------------------------------------------------------------------

    def failure(self, rule: Rule, example: Row) -> Failure | None:
        """Where a rule fails on an example; None when it covers it."""
        binding = bind(zip(rule.head.args, example, strict=True), self.evaluator.constants)
        if binding is None:
            return Failure(str(rule), None)
        names = variable_names(rule)
        before = binding
        for count, literal in enumerate(rule.body):
            found = self.solution(rule.body[: count + 1], binding, example)
            if found is None:
                near = self.nearest(rule, count, binding, example)
                said, way = near or ("", before)
                held = tuple(self.ground(earlier, way) for earlier in rule.body[:count])
                return Failure(str(rule), literal.text(names), held, said)
            before = found
        return None

    def solution(self, body: tuple[Literal, ...], binding: Binding, example: Row) -> Binding | None:
        """Values that make a part of a body true, where all that it asks of the program itself is computed first."""
        while True:
            goal = (self.task.bias.head, example)
            self.evaluator.begin()
            found = next(self.evaluator.solutions(body, binding, set(), goal), None)
            new = [asked for asked in self.evaluator.asked_by if not self.evaluator.answered(asked)]
            if found is not None or not new:
                return found
            for asked in new:
                self.evaluator.settle(asked)

    def nearest(self, rule: Rule, count: int, binding: Binding, example: Row) -> tuple[str, Binding] | None:
        """For a comparison with a number, the value that comes nearest, and how what stands before it has that."""
        literal = rule.body[count]
        if not is_with_number(literal) or self.evaluator.kind(literal.predicate) != COMPUTED:
            return None
        goal, name = (self.task.bias.head, example), variable_names(rule)[literal.variables.pop()]
        while True:
            self.evaluator.begin()
            ways = self.evaluator.solutions(rule.body[:count], binding, {literal.args[0]}, goal)
            found = nearest(literal, ways, self.task.background.store, name)
            new = [asked for asked in self.evaluator.asked_by if not self.evaluator.answered(asked)]
            if not new:
                return found
            for asked in new:
                self.evaluator.settle(asked)

    # -- text -------------------------------------------------------------------------------------------------

    def ground(self, literal: Literal, binding: Mapping[Argument, int]) -> str:
        return self.text(literal.name, tuple(binding[arg] for arg in literal.args))

    def example_text(self, row: Row) -> str:
        """An example as it is named."""
        return self.text(self.task.bias.head.name, row)

    def text(self, name: str, row: Row) -> str:
        store = self.task.background.store
        if (written := infix(Predicate(name, len(row)), [self.value(known) for known in row])) is not None:
            return written
        return term_text(Struct(name, tuple(store.term(value) for value in row)) if row else Atom(name))

    def value(self, known: int) -> str:
        return term_text(self.task.background.store.term(known))
