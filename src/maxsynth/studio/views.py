"""What a desk says, as the page gets it: JSON of a program, of examples, and of one example's explanation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from maxsynth.errors import MaxSynthError
from maxsynth.explanation.explain import Explanation, Proof
from maxsynth.explanation.suspects import NEITHER, agreeing, verdict
from maxsynth.exporting.export import written
from maxsynth.exporting.subject import Subject
from maxsynth.logic.programs import variable_names
from maxsynth.search.again.ask import Question
from maxsynth.search.again.weigh import Weight
from maxsynth.search.front.result import Point
from maxsynth.studio.decisions import effective
from maxsynth.studio.desk import Desk, Kind, Listing
from maxsynth.studio.engine import Run

MOST_GROUPS = 40  # of examples that the same rules cover, in the chart
MOST_NODES = 2_000  # of a proof
MOST_RIVALS = 6  # programs that are shown with a question
SHOWN_FORMS = ("prolog", "english", "sql")

Json = dict[str, Any]


def program_view(desk: Desk) -> Json:
    """The rules with what each covers, and all examples by the rules that cover them."""
    sides = desk.count(desk.covered), desk.count(~desk.covered)
    return {
        "rules": [rule_view(desk, number, text) for number, text in enumerate(desk.rule_texts())],
        "invented": desk.other_texts(),
        "size": desk.size,
        "cost": desk.cost,
        "weights": [desk.weights.size, desk.weights.fp, desk.weights.fn],
        "tp": sides[0][0],
        "fp": sides[0][1],
        "fn": sides[1][0],
        "tn": sides[1][1],
        "left_out": int((~desk.counted).sum()),
        "unknown": int(desk.treatment.unfinished.sum()),
        "groups": groups(desk),
        "suspects": len(desk.suspects),
    }


def rule_view(desk: Desk, number: int, text: str) -> Json:
    positives, negatives = desk.count(desk.treatment.covers(number))
    only_positives, only_negatives = desk.count(desk.alone(number))
    rule = desk.treatment.rules[number]
    names = variable_names(rule)
    return {
        "text": text,
        "body": [literal.text(names) for literal in rule.body],
        "positives": positives,
        "negatives": negatives,
        "only_positives": only_positives,
        "only_negatives": only_negatives,
    }


def groups(desk: Desk) -> list[Json]:
    """Examples by the rules that cover them, the largest group first; those that no rule covers at the end."""
    positives: Counter[tuple[int, ...]] = Counter()
    negatives: Counter[tuple[int, ...]] = Counter()
    for kind in desk.kinds:
        positives[kind.rules] += kind.positives
        negatives[kind.rules] += kind.negatives
    found = sorted({*positives, *negatives}, key=lambda rules: (not rules, -positives[rules] - negatives[rules], rules))
    told = [{"rules": list(one), "positives": positives[one], "negatives": negatives[one]} for one in found]
    if len(told) <= MOST_GROUPS:
        return told
    covered, none = (told[:-1], told[-1:]) if not found[-1] else (told, [])
    return [*covered[: MOST_GROUPS - 1], *none]


def in_forms(subject: Subject, rules: int) -> Json:
    """The program in the forms that the page shows; of English, a sentence for each rule where that is how it is."""
    forms: Json = {}
    for form in SHOWN_FORMS:
        try:
            forms[form] = {"text": written([subject], form)}
        except MaxSynthError as error:
            forms[form] = {"problem": str(error)}
    lines = forms["english"].get("text", "").splitlines()
    if rules and len(lines) >= rules + 1 and len(subject.program.rules) == rules:
        forms["english"]["opening"] = lines[0]
        forms["english"]["rules"] = [line.strip() for line in lines[1 : rules + 1]]
    return forms


# -- runs, and other programs ---------------------------------------------------------------------------------


def run_view(run: Run) -> Json:
    learned = run.learned
    result = None if learned is None else learned.result
    counts = None if result is None else result._run.confusion
    return {
        "number": run.number,
        "state": run.status.state,
        "cost": run.status.cost,
        "lower_bound": run.status.lower_bound,
        "size": None if result is None else result.size,
        "errors": None if counts is None else counts.fp + counts.fn,
        "seconds": round(run.status.seconds, 2),
        "decisions": len(effective(run.made)),
        "way": "" if learned is None else learned.way,
        "why": "" if learned is None else learned.why,
    }


def point_view(point: Point, listing: Listing) -> Json:
    """A program of the front: `at_least` so many errors has every program that is no larger."""
    return {
        "size": point.size,
        "errors": point.errors,
        "at_least": point.at_least,
        "proven": point.proven,
        "fp": point.confusion.fp,
        "fn": point.confusion.fn,
        "program": listing.rule_texts(point.program.rules),
    }


def doubt_view(question: Question, number: int, listing: Listing, decision: str | None) -> Json:
    """An example whose label would tell, with programs that are divided about it: some of both sides."""
    sides = [[rival for rival in question.rivals if rival.covers is says] for says in (True, False)]
    room = [MOST_RIVALS - min(len(other), MOST_RIVALS // 2) for other in reversed(sides)]
    return {
        "number": number,
        "text": listing.texts[number],
        "label": question.label,
        "doubt": round(question.doubt, 4),
        "says": list(question.programs),
        "alike": question.alike,
        "decision": decision,
        "rivals": [
            {"rules": listing.rule_texts(rival.program.rules), "cost": rival.cost, "covers": rival.covers}
            for side, most in zip(sides, room, strict=True)
            for rival in side[:most]
        ],
    }


# -- examples -------------------------------------------------------------------------------------------------


def example_view(desk: Desk, number: int, decision: str | None = None, weight: Weight | None = None) -> Json:
    kind = desk.kinds[int(desk.kind_of[number])]
    return {
        "number": number,
        "text": desk.listing.texts[number],
        "given": bool(desk.listing.labels[number]),
        "label": bool(desk.labels[number]),
        "counted": bool(desk.counted[number]),
        "covered": kind.covered,
        "wrong": bool(desk.wrong[number]),
        "rules": list(kind.rules),
        "suspicion": round(float(desk.suspicion[number]), 4),
        "kind": int(desk.kind_of[number]),
        "decision": decision,
        "verdict": NEITHER if weight is None else verdict(*weight),
        "weighed": "" if weight is None else agreeing(*weight),
    }


def kind_view(desk: Desk, kind: Kind) -> Json:
    """Examples that are treated alike, with what makes them so."""
    return {
        "covered": kind.covered,
        "rules": list(kind.rules),
        "fails": [failing_literal(desk, number, held) for number, held in enumerate(kind.held)],
        "positives": kind.positives,
        "negatives": kind.negatives,
    }


def failing_literal(desk: Desk, number: int, held: int) -> str:
    rule = desk.treatment.rules[number]
    return rule.body[held].text(variable_names(rule)) if 0 <= held < len(rule.body) else ""


def explanation_view(explanation: Explanation, rules: Sequence[str]) -> Json:
    """A proof as a tree, or for each rule the literal at which it fails."""
    return {
        "text": explanation.example,
        "covered": explanation.covered,
        "proof": None if explanation.proof is None else proof_view(explanation.proof, rules, [MOST_NODES]),
        "failures": [
            {"rule": number, "literal": one.literal, "held": list(one.held), "nearest": one.nearest}
            for number, one in enumerate(explanation.failures)
        ],
    }


def proof_view(proof: Proof, rules: Sequence[str], room: list[int]) -> Json:
    """`room` is how many more atoms may be told; the rest of a long proof is left out."""
    room[0] -= 1
    told: Json = {"atom": proof.atom}
    if proof.rule is None:
        return told
    told["rule"] = rules.index(proof.rule) if proof.rule in rules else None
    told["by"] = proof.rule
    told["values"] = dict(proof.binding)
    told["parts"] = []
    for part in proof.parts:
        if room[0] <= 0:
            told["more"] = True
            break
        told["parts"].append(proof_view(part, rules, room))
    return told
