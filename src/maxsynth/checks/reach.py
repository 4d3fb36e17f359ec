"""Which positive examples some rule of the space covers, and what keeps the others out.

**How it is decided.** Take the task without its negatives, and let a missed positive cost more than the largest rule.
A best program then covers every positive that any rule of the space covers: if it left one out, adding that rule would
make it cheaper. The rules that the search keeps include those of a best program, so the positives that no kept rule
covers are exactly those that no rule of the space covers. With no negatives every rule is closed (see
`docs/how-it-works.md`), so nothing is specialised that is a rule already, and this takes next to no time.

Positives of which nothing at all is true are sorted out first: with a head variable that no true literal can have, a
rule cannot cover them (unless the bias is `non_datalog`).

Constants that the bias leaves to be learned are spelled out, as for a search. A comparison with a learned number only
takes examples away, but may be what a rule needs to have a head variable in its body; so the search knows these too.

ASP constraints, recursion and invention are left aside. Constraints only make the space smaller, so what is said of
unreachable positives holds with them too. A recursive or inventing program may cover more, and so nothing is said then.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.bias import Bias
from maxsynth.bias.limits import NO_LIMITS
from maxsynth.checks.learnable import Directive, missing_directives
from maxsynth.errors import MaxSynthError, shortened
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Rule
from maxsynth.prolog.writer import term_text
from maxsynth.search.coverage import Pool, unpack
from maxsynth.search.learned.spelled import Spelled
from maxsynth.search.learned.spelling import Numbered, spell_out
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.settings import MAX_BODY, MAX_VARS
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

BUDGET = 60_000  # tests of features and conjunctions for one question
RELAXED_BUDGET = 10_000
EXPLAINED = 20  # positives for which it is worked out what keeps them out
MORE = 2  # literals or variables that a larger limit is tried with

Row = tuple[int, ...]


@dataclass
class Reach:
    """The distinct positives that no rule covers (with the reason), and those of which that is not known."""

    unreached: dict[Row, str] = field(default_factory=dict)
    undecided: list[Row] = field(default_factory=list)


def find_unreached(task: ReadTask) -> Reach:
    """Judges all positives of a task whose bias has neither recursion nor invention."""
    rows = list(dict.fromkeys(tuple(row) for row in task.positives.rows.tolist()))
    bias = dataclasses.replace(task.bias, constraints="", recursion=False, invention=False)
    task = task.with_bias(bias)
    task.background.close(bias.body)
    spelled = spell_out(task, Numbered.LEFT)
    untouched = NothingTrue.of(task)
    reach = Reach({row: reason for row in rows if (reason := untouched.reason(row))})
    left = [row for row in rows if row not in reach.unreached]
    # Nearly always small rules reach nearly everything; only what is left is worth a search to the end.
    left = uncovered(spelled, left, min(2, bias.max_body)).rows
    ended = uncovered(spelled, left, bias.max_body)
    if not ended.decided:
        reach.undecided = ended.rows
        return reach
    spaces = [(what, spell_out(task.with_bias(bias), Numbered.LEFT)) for what, bias in relaxed(task) if ended.rows]
    for number, row in enumerate(ended.rows):
        reach.unreached[row] = what_keeps_out(spaces, row) if number < EXPLAINED else ""
    return reach


@dataclass
class Uncovered:
    """The rows that no rule up to a size covers; `decided` is whether the search for such rules came to its end."""

    rows: list[Row]
    decided: bool
    rule: Rule | None = None  # the first one found, if any


def uncovered(spelled: Spelled, rows: list[Row], max_body: int, budget: int = BUDGET) -> Uncovered:
    if not rows:
        return Uncovered([], True)
    task = dataclasses.replace(spelled.task, bias=dataclasses.replace(spelled.task.bias, max_body=max_body))
    # More than the largest rule, so that covering one more positive always pays.
    pos = np.full(len(rows), max_body + 2, dtype=np.int64)
    examples = WeighedExamples(np.array(rows, dtype=np.int32), pos, np.zeros_like(pos))
    generator = RuleGenerator(task, examples, 1)
    covered = np.zeros(len(rows), dtype=np.bool_)
    rule: Rule | None = None
    while not generator.exhausted and not covered.all():
        batch = generator.next_size(lambda: generator.tested > budget)
        if batch is None:
            break
        if len(batch.numbers):
            covered |= covered_by(batch, len(rows))
            rule = rule or spelled.written_rule(generator.rule(int(batch.numbers[0])))
    left = [row for row, done in zip(rows, covered.tolist(), strict=True) if not done]
    return Uncovered(left, generator.exhausted or not left, rule)


def covered_by(batch: Pool, count: int) -> NDArray[np.bool_]:
    """Which examples some rule of a batch covers."""
    words = np.bitwise_or.reduce(batch.bits, axis=0)
    covered: NDArray[np.bool_] = unpack(words[None], count)[0]
    return covered


# -- nothing is true of a value -------------------------------------------------------------------------------


@dataclass
class NothingTrue:
    """For each argument of the target, the values that a true literal can have; None: nothing is known of that."""

    task: ReadTask
    values: list[NDArray[np.int32] | None]
    takers: list[list[Predicate]]
    missing: list[Directive]

    @classmethod
    def of(cls, task: ReadTask) -> NothingTrue:
        bias = task.bias
        head_types = bias.types.get(bias.head)
        values: list[NDArray[np.int32] | None] = []
        takers: list[list[Predicate]] = []
        for place in range(bias.head.arity):
            fitting = [
                (predicate, i)
                for predicate in bias.body
                for i in range(predicate.arity)
                if may_meet(head_types[place] if head_types else None, bias, predicate, i)
            ]
            takers.append(list(dict.fromkeys(predicate for predicate, _ in fitting)))
            tables = [(task.background.relation(predicate).rows, i) for predicate, i in fitting]
            compared = head_types is not None and head_types[place] in bias.learned.number_types
            if bias.non_datalog or compared or any(rows is None for rows, _ in tables):
                values.append(None)
            else:
                columns = [rows[:, i] for rows, i in tables if rows is not None]
                values.append(np.unique(np.concatenate([*columns, np.zeros(0, np.int32)])))
        return cls(task, values, takers, list(missing_directives(task)))

    def reason(self, row: Row) -> str:
        """Why no rule covers an example; nothing when this is no reason."""
        for place, (known, value) in enumerate(zip(self.values, row, strict=True)):
            if known is not None and not is_among(value, known):
                return self.text(place, value)
        return ""

    def text(self, place: int, value: int) -> str:
        shown = shortened(term_text(self.task.background.store.term(value)))
        kind = self.task.bias.types.get(self.task.bias.head)
        what = f", of type {kind[place]}" if kind else ""
        names = [str(predicate) for predicate in self.takers[place]]
        needed = f"a literal of {' or '.join(names[:4])} that is true of it" if names else "a predicate that takes it"
        return (
            f"nothing is true of `{shown}` (argument {place + 1}{what}): {needed} would be needed{self.number(place)}"
        )

    def number(self, place: int) -> str:
        """What would do as well, where the argument is a number."""
        types = self.task.bias.types.get(self.task.bias.head)
        if types is None or Directive("numbers", types[place]) not in self.missing:
            return ""
        return f", or {Directive('numbers', types[place])}., which allows `{chr(65 + place)} >= number`"


def is_among(value: int, known: NDArray[np.int32]) -> bool:
    at = int(np.searchsorted(known, value))
    return at < len(known) and int(known[at]) == value


def may_meet(type_: str | None, bias: Bias, predicate: Predicate, place: int) -> bool:
    """Whether a variable of a type (None: any) may be at a place of a predicate."""
    types = bias.types.get(predicate)
    return type_ is None or types is None or types[place] == type_


# -- what keeps an example out --------------------------------------------------------------------------------


def what_keeps_out(spaces: list[tuple[str, Spelled]], row: Row) -> str:
    """The least change of the bias that was found to let a rule in, with that rule; or that none was found."""
    for what, spelled in spaces:
        try:
            found = uncovered(spelled, [row], spelled.task.bias.max_body, RELAXED_BUDGET)
        except MaxSynthError:
            continue  # it has more literals than there is room for
        if not found.rows and found.rule is not None:
            return f"{what}, `{found.rule}` would cover it"
    return f"no rule was found either with up to {MORE} more literals and variables"


def relaxed(task: ReadTask) -> Iterator[tuple[str, Bias]]:
    """Larger spaces, each with the change that makes it so, that `learn` can do too."""
    for what, bias in larger_spaces(task):
        if bias.max_vars <= MAX_VARS and bias.max_body <= MAX_BODY:
            yield what, bias


def larger_spaces(task: ReadTask) -> Iterator[tuple[str, Bias]]:
    bias = task.bias
    directives = [(f"with {directive}", directive.added_to(bias)) for directive in missing_directives(task)]
    if not bias.singletons:
        yield from directives  # a constant is no variable that occurs once, and one with a number occurs twice
        yield "without no_singletons", dataclasses.replace(bias, singletons=True)
    if bias.one_of_type:
        yield "without the constraint on the number of variables", dataclasses.replace(bias, one_of_type=())
    if bias.limits:
        yield "without the constraints on rules", dataclasses.replace(bias, limits=NO_LIMITS)
    for more in range(1, MORE + 1):
        yield f"with max_body({bias.max_body + more})", dataclasses.replace(bias, max_body=bias.max_body + more)
        yield f"with max_vars({bias.max_vars + more})", dataclasses.replace(bias, max_vars=bias.max_vars + more)
    if bias.types and not bias.learned:  # whose directives name them
        yield "without types", dataclasses.replace(bias, types={})
    body, variables = bias.max_body + MORE, bias.max_vars + MORE
    larger = dataclasses.replace(bias, max_body=body, max_vars=variables)
    limits = f"max_body({body}) and max_vars({variables})"
    yield f"with {limits}", larger
    if bias.directions and all(task.background.relation(predicate).rows is not None for predicate in bias.body):
        yield "without directions", dataclasses.replace(bias, directions={})
        yield f"without directions, with {limits}", dataclasses.replace(larger, directions={})
    yield from directives if bias.singletons else ()
