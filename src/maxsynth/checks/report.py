"""What `maxsynth check` says of a task, and what `maxsynth learn` says when it ends with little.

A *warning* is something that is probably not meant; a *hint* is a way to make the space smaller that loses nothing, or
to say what makes the search slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from maxsynth.bias.bias import Bias
from maxsynth.bias.learned import AT_LEAST, AT_MOST
from maxsynth.checks.background import ask_a_little, never_true, same_predicates, unused_predicates
from maxsynth.checks.cuts import cut_doubts
from maxsynth.checks.effort import estimate
from maxsynth.checks.examples import SHOWN, example_doubts, forced_errors, shown, too_few
from maxsynth.checks.hubs import direction_hint
from maxsynth.checks.kinds import different_kinds
from maxsynth.checks.learnable import directive_hints
from maxsynth.checks.meeting import columns, lonely_columns, suggested_types, type_doubts
from maxsynth.checks.numbers import no_numbers
from maxsynth.checks.reach import Reach, find_unreached
from maxsynth.checks.space_size import most_rules
from maxsynth.errors import brief, listed
from maxsynth.search.settings import MAX_BODY, MAX_VARS
from maxsynth.task.task import ReadTask


@dataclass
class Report:
    """All that is said of a task."""

    facts: list[tuple[str, str]] = field(default_factory=list)  # what there is, a name and a text each
    warnings: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        count = len(self.warnings)
        verdict = f"{count} warning{'' if count == 1 else 's'}" if count else "nothing wrong was found"
        return [
            *(f"{name:11} {text}" for name, text in self.facts),
            *(f"warning: {readable(text)}" for text in self.warnings),
            *(f"hint: {readable(text)}" for text in self.hints),
            verdict,
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_dict(self) -> dict[str, object]:
        said = {"warnings": self.warnings, "hints": self.hints}
        return {**dict(self.facts), **{kind: list(map(readable, texts)) for kind, texts in said.items()}}


def readable(text: str) -> str:
    """A warning may have several lines, and quote anything."""
    return "\n".join(map(brief, text.split("\n")))


def examine(task: ReadTask, examples_file: str, unit: str = "line") -> Report:
    """Everything that can be said about a task without learning from it. Examples are counted by line, or by row."""
    report = Report(warnings=[*task.warnings, *different_kinds(task), *example_doubts(task, examples_file, unit)])
    report.warnings += [*no_numbers(task), *ask_a_little(task)]
    task.background.close(task.bias.body)
    report.warnings += cut_doubts(task)
    describe(task, report)
    few = too_few(task)
    report.warnings += [few] if few else []
    report.warnings += [*never_true(task), *type_doubts(task.bias)]
    known = columns(task)
    if known is not None:
        report.warnings += lonely_columns(task.bias, known)
    if can_be_searched(task):
        report.warnings += reach_doubts(task)
        report.facts.append(("effort", effort_text(task)))
    report.hints += task.bias.clingo_notes()
    directions = direction_hint(task)
    report.hints += [directions] if directions else []
    report.hints += hints(task, suggested_types(task.bias, known) if known is not None else [])
    report.hints += directive_hints(task) if can_be_searched(task) else []
    return report


def effort_text(task: ReadTask) -> str:
    """How long generating the rules may take, as far as that can be said."""
    if not task.bias.constraints:
        return str(estimate(task))
    return f"not known: clingo generates the rules, a few thousand a second; without its constraints {estimate(task)}"


def can_be_searched(task: ReadTask) -> bool:
    """Whether rules alone say which examples can be covered, and the kernel has room for them."""
    bias = task.bias
    return not (bias.recursion or bias.invention or bias.max_vars > MAX_VARS or bias.max_body > MAX_BODY)


def describe(task: ReadTask, report: Report) -> None:
    bias = task.bias
    facts = sum(len(table) for table in task.background.source.tables.values())
    rules = sum(len(clauses) for clauses in task.background.source.rules.values())
    extras = [name for name, on in (("recursion", bias.recursion), ("predicate invention", bias.invention)) if on]
    with_extras = f", {' and '.join(extras)} with at most {bias.max_clauses} rules" if extras else ""
    unlearned = f"{' and' if extras else ' without'} learned constants and numbers" if bias.learned else ""
    limits = f"at most {bias.max_vars} variables and {bias.max_body} body literals"
    report.facts += [
        ("examples", f"{len(task.positives)} positive, {len(task.negatives)} negative, of {bias.head}"),
        ("background", f"{facts} facts, {rules} rules"),
        ("bias", f"{len(bias.body)} predicates, {limits}{with_extras}"),
        ("space", f"at most {number_text(most_rules(bias))} rules{' without recursion' if extras else ''}{unlearned}"),
    ]
    report.facts += [("learned", "; ".join(learned(bias)))] if bias.learned else []
    said = list(constraints(bias))
    report.facts += [("constraints", "; ".join(said))] if said else []


def learned(bias: Bias) -> Iterator[str]:
    """What literals may have besides variables, and how numbers are used."""
    asked = bias.learned
    places = [f"argument {place + 1} of {predicate}" for predicate, place in asked.constant_places]
    if asked.constant_types or places:
        yield f"constants of {listed([*asked.constant_types, *places], 10)}"
    for comparison, types in ((AT_LEAST, asked.at_least), (AT_MOST, asked.at_most)):
        if types:
            low_high = asked.bounds.get(comparison)
            limits = f" from {low_high[0]} to {low_high[1]}" if low_high else ""
            yield f"X {comparison} number{limits} for {listed(types, 10)}"
    if asked.most_numbers is not None:
        yield f"at most {asked.most_numbers} such number{'s' * (asked.most_numbers != 1)} in a rule"
    if asked.compared:
        yield f"X < Y and X =< Y for {listed(asked.compared, 10)}"
    if asked.sums:
        yield f"Z is X+Y for {listed(asked.sums, 10)}"


def constraints(bias: Bias) -> Iterator[str]:
    """What the constraints of a bias are about, and who judges them."""
    if bias.one_of_type:
        yield f"one variable of type {', '.join(bias.one_of_type)} in a rule"
    if bias.limits:
        yield f"in a rule {listed(bias.limits.texts(), 10)}"
    if bias.most.rules is not None:
        yield f"at most {bias.most.rules} rule{'s' * (bias.most.rules != 1)} in a program"
    if bias.most.size is not None:
        yield f"at most {bias.most.size} literals in a program"
    if bias.rule_constraints:
        yield "of a rule: clingo generates the rules, which is much slower than the search by itself"
    if bias.program_constraints:
        yield "of whole programs: clingo generates the rules and chooses among them, which is slow"


def number_text(number: int) -> str:
    """In full, or to two digits, rounded up: a bound stays one."""
    text = str(number)
    if len(text) <= 6:
        return f"{number:,}"
    first = int(text[:2]) + 1
    exponent = len(text) - 1
    if first == 100:
        first, exponent = 10, exponent + 1
    return f"{first // 10}.{first % 10}e{exponent}"


def reach_doubts(task: ReadTask) -> list[str]:
    reach = find_unreached(task)
    doubts = [*unreached_doubts(task, reach)]
    if reach.undecided:
        doubts.append(
            f"for {len(reach.undecided)} positive examples, such as `{shown(task, reach.undecided[0])}`, no rule was "
            "found that covers them, within the effort allowed for this check"
        )
    errors = forced_errors(task, set(reach.unreached))
    if errors:
        many = "1 example" if errors == 1 else f"{errors} examples"
        doubts.append(f"every program of the space is wrong on at least {many}")
    return doubts


def unreached_doubts(task: ReadTask, reach: Reach) -> list[str]:
    if not reach.unreached:
        return []
    count, total = len(reach.unreached), len(set(map(tuple, task.positives.rows.tolist())))
    doubts = [f"no rule of the space covers {count} of the {total} positive examples:"]
    explained = [(row, reason) for row, reason in reach.unreached.items() if reason][:SHOWN]
    doubts += [f"  `{shown(task, row)}`: {reason}" for row, reason in explained]
    if count > len(explained):
        doubts.append(f"  and {count - len(explained)} more")
    return ["\n".join(doubts)]


def hints(task: ReadTask, types: list[str]) -> list[str]:
    bias, weight = task.bias, int(task.positives.weights.sum())
    found = [*same_predicates(task), *unused_predicates(task)]
    if types:
        found.append(f"these types keep apart what never meets, and lose nothing: {' '.join(types)}")
    if 3 <= weight < bias.max_body + 2 and not (bias.recursion or bias.invention):
        found.append(
            f"max_body({weight - 2}) loses nothing: a larger rule costs as much as the {weight} positive examples it "
            "could cover (but for --exact and --weights)"
        )
    return found


# -- after learning -----------------------------------------------------------------------------------------------


def why_so_little(task: ReadTask) -> list[str]:
    """What `check` would warn of, after a run that ended with the empty program, a poor one, or none."""
    few = too_few(task)
    found = [*different_kinds(task), *([few] if few else []), *never_true(task), *type_doubts(task.bias)]
    known = columns(task)
    found += lonely_columns(task.bias, known) if known is not None else []
    found += [*reach_doubts(task), *directive_hints(task)] if can_be_searched(task) else []
    return found
