"""The second opinion: all that can be checked about the JSON of a run.

The program is judged anew, by code that the search does not use: `simple_evaluator` (or SWI-Prolog itself, by
`swipl_proof`) says which examples it covers, `space` whether the bias allows it. From that and from the files of the
task follow size, counts and cost. That no cheaper program exists cannot be seen from a result; it stays the claim
of the search.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Protocol

from maxsynth.bias.bias import Overrides
from maxsynth.bias.parsing import overridden
from maxsynth.errors import MaxSynthError, Position
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.programs import Argument, Constant, Literal, Program, Rule, parse_program
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.result import OPTIMAL, STATUSES, SearchResult, fingerprints
from maxsynth.task.labels import Labels
from maxsynth.task.task import TASK_FILES, Examples, ReadTask, check_folder
from maxsynth.verification.learned_literals import program_size
from maxsynth.verification.simple_evaluator import MAX_LITERALS, SimpleEvaluator
from maxsynth.verification.space import renumbered, violations

COUNTS = ("tp", "fn", "tn", "fp")
OK, WRONG, UNSURE = "ok", "WRONG", "UNSURE"

Verdicts = list[bool | None]  # for each example whether it is covered; None when that could not be found out


@dataclass(frozen=True)
class Check:
    """One line of the report. UNSURE: neither confirmed nor refuted, within the effort allowed."""

    name: str
    verdict: str
    text: str


class Judge(Protocol):
    def covers(self, example: tuple[int, ...]) -> bool | None:
        """Whether the program covers an example; None when that could not be found out."""


def check_unchanged(recorded: Recorded, folder: Path, file: str) -> None:
    """An error when the task is not there, or not the one that was learned from."""
    if not folder.exists():
        raise MaxSynthError(
            f"the task folder {folder} is not there", Position(file), "say where it is now with --task FOLDER"
        )
    check_folder(folder, tuple(recorded.files))
    now = fingerprints(folder)
    for name, known in recorded.files.items():
        if now.get(name) != known:
            raise MaxSynthError(
                f"{folder / name} is not the file that this result was learned from",
                Position(file),
                "learn again, or give the folder as it was with --task FOLDER",
            )


# -- the checks ---------------------------------------------------------------------------------------------


def all_checks(recorded: Recorded, task: ReadTask, prolog: str | None, steps: int) -> Iterator[Check]:
    # --forbid-singletons makes the space smaller than the bias says; only --ignore-directions makes it larger.
    allowed = recorded.singletons and task.bias.singletons
    yield compare("singletons", recorded.singletons, allowed)
    unknown = f"{recorded.status} is none of {', '.join(STATUSES)}"
    yield claim("status", recorded.status in STATUSES, recorded.status, unknown)
    if recorded.program is None or recorded.rules is None:
        yield from check_no_program(recorded)
        return
    bias = dataclasses.replace(overridden(task.bias, recorded.overrides), singletons=recorded.singletons)
    if not recorded.directions:
        bias = dataclasses.replace(bias, directions={})
    task = task.with_bias(bias)
    yield check_text(recorded.program, recorded.rules)
    yield compare("size", recorded.size, program_size(recorded.rules, bias))
    yield from check_coverage(recorded, recorded.rules, task, prolog, steps)
    yield check_lower_bound(recorded)
    yield check_trace(recorded, recorded.rules)
    outside = violations(recorded.rules, bias)
    yield claim("space", not outside, "the bias allows the program", "; ".join(outside))


def claim(name: str, holds: bool, text: str, otherwise: str) -> Check:
    return Check(name, OK, text) if holds else Check(name, WRONG, otherwise)


def compare(name: str, recorded: object, found: object) -> Check:
    return claim(name, recorded == found, shown(recorded), f"recorded {shown(recorded)}, found {shown(found)}")


def shown(value: object) -> str:
    words = {"None": "none", "True": "allowed", "False": "forbidden"}
    return words.get(str(value), str(value))


def check_no_program(recorded: Recorded) -> Iterator[Check]:
    """Only in exact mode a run may end without a program, and then there is nothing to count."""
    yield claim("program", recorded.exact, "none without errors", "none, but without --exact there is always one")
    if recorded.program is not None or recorded.rules is not None:
        yield Check("text", WRONG, "there is a program as text or as data, but not as both")
    for name, value in {"size": recorded.size, "cost": recorded.cost, **recorded.counts}.items():
        yield compare(name, value, None)
    yield claim("trace", not recorded.trace, "none", "there is no program, but the trace has one")


def check_text(texts: list[str], structure: Program) -> Check:
    """The rules as text and as data must be the same, up to the names of variables."""
    read = parse_program("\n".join(texts), "the program in the result")
    for one, other in zip_longest(read.rules, structure.rules):
        if one is None or other is None or renumbered(one) != renumbered(other):
            return Check("text", WRONG, f"as text `{one or ''}`, as data `{other or ''}`")
    return Check("text", OK, f"text and data agree, rules: {len(read.rules)}")


def check_coverage(
    recorded: Recorded, program: Program, task: ReadTask, prolog: str | None, steps: int
) -> Iterator[Check]:
    """Counts and cost. Examples that could not be decided make the counts they would change unsure, if not wrong."""
    try:
        pos, neg, problem = cover(program, task, prolog, steps)
    except MaxSynthError as error:
        yield Check("coverage", WRONG, f"cannot be computed: {error}")
        return
    for name, side, outcome in (("tp", pos, True), ("fn", pos, False), ("tn", neg, False), ("fp", neg, True)):
        count, least, unknown = recorded.counts[name], side.count(outcome), side.count(None)
        if unknown and count is not None and least <= count <= least + unknown:
            yield Check(name, UNSURE, f"recorded {count}, found {least} to {least + unknown}: {problem}")
        else:
            yield compare(name, count, least)
    if None in pos or None in neg:
        yield Check("cost", UNSURE, f"recorded {shown(recorded.cost)}: not every example could be decided")
        return
    yield compare("cost", recorded.cost, cost(recorded, program, task, pos, neg))
    if recorded.exact:
        yield claim("exact", all(pos) and not any(neg), "no errors", "there are errors")


def cost(recorded: Recorded, program: Program, task: ReadTask, pos: Verdicts, neg: Verdicts) -> int:
    size, fp, fn = recorded.weights
    missed = sum(int(weight) for weight, covered in zip(task.positives.weights, pos, strict=True) if not covered)
    wrong = sum(int(weight) for weight, covered in zip(task.negatives.weights, neg, strict=True) if covered)
    return size * program_size(program, task.bias) + fp * wrong + fn * missed


def cover(program: Program, task: ReadTask, prolog: str | None, steps: int) -> tuple[Verdicts, Verdicts, str]:
    """For each positive and each negative whether it is covered, and why some of that may not be known."""
    if prolog == "swipl":
        from maxsynth.verification.swipl_proof import SwiplProof

        proof = SwiplProof(program.executable(task.bias.directions), task)
        try:
            pos, neg = decide(proof, task.positives), decide(proof, task.negatives)
        finally:
            proof.close()
        return pos, neg, proof.problems[0] if proof.problems else ""
    simple = SimpleEvaluator(program, task.background, task.bias.head, steps)
    pos, neg = decide(simple, task.positives), decide(simple, task.negatives)
    return pos, neg, f"{steps} steps do not suffice for every example (see --steps)"


def decide(judge: Judge, examples: Examples) -> Verdicts:
    """An example that is listed twice is decided once."""
    rows = [tuple(row) for row in examples.rows.tolist()]
    known = {row: judge.covers(row) for row in dict.fromkeys(rows)}
    return [known[row] for row in rows]


def check_lower_bound(recorded: Recorded) -> Check:
    """No cost is below it, so that of an optimum is equal to it."""
    bound, cost = recorded.lower_bound, recorded.cost
    if cost is None:
        return Check("lower bound", WRONG, "there is no cost to compare it with")
    if recorded.status == OPTIMAL:
        return claim(
            "lower bound", bound == cost, f"{bound}, the cost", f"{bound}, but the cost of an optimum is {cost}"
        )
    return claim("lower bound", bound <= cost, f"{bound}, at most the cost", f"{bound}, more than the cost {cost}")


def check_trace(recorded: Recorded, program: Program) -> Check:
    """What the run recorded on its way: ever cheaper programs, the last one being the result."""
    costs = [cost for _, cost, _ in recorded.trace]
    falling = all(before > after for before, after in pairwise(costs))
    bounded = all(bound <= cost for _, cost, bound in recorded.trace)
    # A run begins with the empty program, which is no improvement.
    ends = costs[-1:] == ([recorded.cost] if program.rules else [])
    text = f"improvements: {len(costs)}"
    return claim("trace", falling and bounded and ends, text, f"costs {costs} do not fall to {shown(recorded.cost)}")


# -- reading ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recorded:
    """The parts of a result that can be checked, as they stand in the file."""

    task: str
    files: dict[str, str]
    weights: tuple[int, int, int]
    exact: bool
    singletons: bool
    directions: bool
    overrides: Overrides
    prolog: str
    status: str
    cost: int | None
    lower_bound: int
    size: int | None
    counts: dict[str, int | None]
    program: list[str] | None
    rules: Program | None
    trace: list[tuple[float, int, int]]
    tallies: dict[str, dict[str, Any]]  # what was counted and timed, of which nothing can be checked
    data: dict[str, Any] | None = None  # the description of the data that it was learned from, if it was

    def labels(self, file: str) -> Labels:
        """What was decided about labels before it was learned."""
        said = self.tallies["settings"].get("labels", [])
        pairs = [one for one in said if texts_in(one, 2)] if isinstance(said, list) else None
        if pairs is None or len(pairs) != len(said):
            raise no_result(file, "`settings.labels` is not a list of examples and decisions")
        return Labels.of([(pair[0], pair[1]) for pair in pairs], file)

    def inferred(self, file: str) -> list[str]:
        """The lines that were inferred for the bias before it was learned."""
        said: list[str] = self.tallies["settings"].get("inferred", [])
        if not texts_in(said):
            raise no_result(file, "`settings.inferred` is not a list of lines")
        return said

    def run(self) -> SearchResult:
        """The result as the run returned it."""
        tp, fn, tn, fp = (self.counts[name] for name in COUNTS)
        known = None if tp is None or fn is None or tn is None or fp is None else Confusion(tp, fn, tn, fp)
        return SearchResult(
            status=self.status,
            program=self.rules,
            cost=self.cost,
            lower_bound=self.lower_bound,
            confusion=known,
            settings=dict(self.tallies["settings"]),
            size=self.size,
            trace=self.trace,
            counts=dict(self.tallies["counts"]),
            seconds=dict(self.tallies["seconds"]),
        )


def texts_in(value: object, many: int | None = None) -> bool:
    """Whether it is a list of texts, and of so many if that is said."""
    return isinstance(value, list) and many in (None, len(value)) and all(isinstance(one, str) for one in value)


def read_result(text: str, file: str) -> Recorded:
    """A result from its JSON; a `MaxSynthError` when it is none, or several."""
    found = read_results(text, file)
    if len(found) != 1:
        raise MaxSynthError(
            f"this holds {len(found)} programs, one for each value",
            Position(file),
            "learn one value, with --target TABLE.COLUMN=VALUE",
        )
    return found[0]


def read_results(text: str, file: str) -> list[Recorded]:
    """All results in a JSON: those for each value of a column are together in one."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise no_result(file, "it nests too deeply") from None
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        raise MaxSynthError("this is not JSON", Position(file, line), remedy()) from None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise no_result(file, "it has half of a character (a lone surrogate)") from None
    if isinstance(value, dict) and isinstance(value.get("results"), list) and value["results"]:
        return [read_recorded(Fields(part, file), file) for part in value["results"]]
    return [read_recorded(Fields(value, file), file)]


def read_recorded(fields: Fields, file: str) -> Recorded:
    settings = Fields(fields.get("settings", dict), file, "settings.")
    weights = settings.numbers("weights")
    if len(weights) != 3 or min(weights) < 1:
        raise no_result(file, "`settings.weights` is not three positive integers")
    files = fields.strings("files")
    data = fields.get("data", dict) if "data" in fields.value else None
    if set(files) != set(TASK_FILES) and not (data is not None and not files):
        raise no_result(file, f"`files` is not of {', '.join(TASK_FILES)}")
    rules = fields.get("rules", list, None)
    return Recorded(
        task=fields.get("task", str),
        files=files,
        weights=(weights[0], weights[1], weights[2]),
        exact=settings.get("exact", bool),
        singletons=settings.get("singletons", bool),
        directions=settings.get("directions", bool),
        overrides=Overrides(*(settings.get(name, int, None) for name in Overrides._fields)),
        prolog=settings.choice("prolog", ("auto", "builtin", "swipl")),
        status=fields.get("status", str),
        cost=fields.get("cost", int, None),
        lower_bound=fields.get("lower_bound", int),
        size=fields.get("size", int, None),
        counts={name: fields.get(name, int, None) for name in COUNTS},
        program=fields.texts("program"),
        rules=None if rules is None else Program(tuple(read_rule(rule, file) for rule in rules)),
        trace=[read_trace(entry, file) for entry in fields.get("trace", list)],
        tallies={name: fields.get(name, dict) for name in ("settings", "counts", "seconds")},
        data=data,
    )


class Fields:
    """A JSON object, read with a check of every type."""

    def __init__(self, value: object, file: str, where: str = "") -> None:
        self.file = file
        self.where = where
        if not isinstance(value, dict):
            raise no_result(file, "it is not an object")
        self.value: dict[str, object] = value

    def get(self, name: str, *kinds: type | None) -> Any:
        """The value of a field that has one of these types (None: it may be null)."""
        if name not in self.value:
            raise no_result(self.file, f"there is no `{self.where}{name}`")
        value = self.value[name]
        if not any(value is None if kind is None else type(value) is kind for kind in kinds):
            raise no_result(self.file, f"`{self.where}{name}` is not what a result has there")
        return value

    def choice(self, name: str, known: tuple[str, ...]) -> str:
        value: str = self.get(name, str)
        if value not in known:
            raise no_result(self.file, f"`{self.where}{name}` is none of {', '.join(known)}")
        return value

    def numbers(self, name: str) -> list[int]:
        return [Fields({name: part}, self.file, self.where).get(name, int) for part in self.get(name, list)]

    def texts(self, name: str) -> list[str] | None:
        parts = self.get(name, list, None)
        return None if parts is None else [Fields({name: part}, self.file, self.where).get(name, str) for part in parts]

    def strings(self, name: str) -> dict[str, str]:
        inner = Fields(self.get(name, dict), self.file, f"{name}.")
        return {key: inner.get(key, str) for key in inner.value}


def read_rule(value: object, file: str) -> Rule:
    if not isinstance(value, list) or not 0 < len(value) <= 1 + MAX_LITERALS:
        raise no_result(file, "`rules` has what is no rule")
    literals = []
    for part in value:
        fields = Fields(part, file, "rules.")
        args = tuple(read_argument(arg, file) for arg in fields.get("args", list))
        literals.append(Literal(fields.get("predicate", str), args))
    return Rule(literals[0], tuple(literals[1:]))


def read_argument(value: object, file: str) -> Argument:
    """A variable by its number, or the text of a ground term."""
    if type(value) is int and value >= 0:
        return value
    try:
        if isinstance(value, str):
            TermStore().intern(parse_term(value).term)
            return Constant(value)
    except (MaxSynthError, ValueError):  # which is no term, or one with a variable
        pass
    raise no_result(file, "an argument in `rules` is neither a variable nor a constant")


def read_trace(value: object, file: str) -> tuple[float, int, int]:
    if isinstance(value, list) and len(value) == 3 and [type(part) for part in value[1:]] == [int, int]:
        return value[0], value[1], value[2]
    raise no_result(file, "`trace` is not a list of seconds, cost and lower bound")


def no_result(file: str, why: str) -> MaxSynthError:
    return MaxSynthError(f"this is no result of a run: {why}", Position(file), remedy())


def remedy() -> str:
    return "give a file that `maxsynth learn --json` wrote"
