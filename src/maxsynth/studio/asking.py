"""Which examples are asked for: filters, a search in their texts, an order, and a page of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError
from maxsynth.explanation.suspects import IS_DOUBTED, IS_EXCEPTION, NEITHER, verdict
from maxsynth.search.again.weigh import Weight
from maxsynth.studio.desk import SUSPECTED, Desk
from maxsynth.studio.treatment import Flags

MOST_ROWS = 200  # of one page
DECIDED = "decided"
SHOW = ("all", "right", "wrong", "suspected", DECIDED, IS_DOUBTED, IS_EXCEPTION)
NOT_KNOWN = 1.5  # in the order of evidence: after what is doubted, and before exceptions
LABELS = ("", "pos", "neg")
NO_WEIGHTS: Mapping[int, Weight] = {}
MOST_LETTERS = 500  # that are searched for


@dataclass(frozen=True)
class Question:
    show: str = "all"
    label: str = ""
    rule: int | None = None  # covered by this one; -1: by none
    rules: tuple[int, ...] | None = None  # covered by exactly these
    kind: int | None = None
    search: str = ""
    suspicious_first: bool = False
    offset: int = 0
    limit: int = 50

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Question:
        """As it stands in an address; an error for what is no question."""
        show, label = given.get("show", "all"), given.get("label", "")
        if show not in SHOW or label not in LABELS:
            raise MaxSynthError("there is no such filter")
        rules = given.get("rules")
        return cls(
            show,
            label,
            number(given, "rule"),
            None if rules is None else tuple(whole(part) for part in rules.split(",") if part),
            number(given, "kind"),
            given.get("search", "")[:MOST_LETTERS],
            given.get("order") == "suspicion",
            max(number(given, "offset") or 0, 0),
            min(max(number(given, "limit") or 50, 1), MOST_ROWS),
        )


def number(given: Mapping[str, str], name: str) -> int | None:
    return whole(given[name]) if given.get(name) else None


def whole(text: str) -> int:
    try:
        return int(text) if len(text) < 12 else int("")
    except ValueError:
        raise MaxSynthError("this is no whole number") from None


def found(
    desk: Desk, question: Question, decided: Flags, weights: Mapping[int, Weight] = NO_WEIGHTS, *, in_order: bool = True
) -> NDArray[np.int64]:
    """The numbers of all examples that fit a question; `decided` matters where those are asked for.

    Where labels were weighed, the doubted ones come first, unless their order is to stay as it is.
    """
    chosen = by_outcome(desk, question.show, decided, weights)
    if question.label:
        chosen = chosen & (desk.labels if question.label == "pos" else ~desk.labels)
    if question.rule is not None:
        chosen = chosen & covered_by(desk, question.rule)
    if question.rules is not None:
        for one in range(len(desk.treatment.rules)):
            covers = desk.treatment.covers(one)
            chosen = chosen & (covers if one in question.rules else ~covers)
    if question.kind is not None:
        chosen = chosen & (desk.kind_of == question.kind)
    numbers = np.flatnonzero(chosen)
    if question.search.strip():
        wanted = question.search.strip().casefold()
        folded = desk.listing.folded
        numbers = np.array([one for one in numbers.tolist() if wanted in folded[one]], np.int64)
    if question.suspicious_first:
        evidence = by_evidence(desk, weights if in_order else NO_WEIGHTS)
        numbers = numbers[np.lexsort((-desk.suspicion[numbers], -evidence[numbers]))]
    return numbers


def by_evidence(desk: Desk, weights: Mapping[int, Weight]) -> NDArray[np.float64]:
    """For each example, what speaks against its label, as far as that is known; nothing where the program agrees."""
    evidence = np.where(desk.wrong, NOT_KNOWN, -1.0)
    for number, weight in weights.items():
        if verdict(*weight) != NEITHER:
            evidence[number] = weight.evidence
    return evidence


def by_outcome(desk: Desk, show: str, decided: Flags, weights: Mapping[int, Weight]) -> Flags:
    if show == "right":
        return np.asarray(desk.counted & (desk.covered == desk.labels))
    if show == "wrong":
        return desk.wrong
    if show == "suspected":
        return np.asarray(desk.suspicion > SUSPECTED)
    if show == DECIDED:
        return decided
    if show in (IS_DOUBTED, IS_EXCEPTION):
        flags = np.zeros(len(desk.listing), bool)
        flags[[number for number, weight in weights.items() if verdict(*weight) == show]] = True
        return flags & desk.wrong
    return np.ones(len(desk.listing), bool)


def covered_by(desk: Desk, rule: int) -> Flags:
    if rule == -1:
        return ~desk.covered
    if not 0 <= rule < len(desk.treatment.rules):
        return np.zeros(len(desk.listing), bool)
    return desk.treatment.covers(rule)
