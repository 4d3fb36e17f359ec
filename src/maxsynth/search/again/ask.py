"""Which example, if somebody looked at its label, would tell most between programs that are nearly as good.

**Programs that are nearly as good.** Let the best program cost c, and let it be right about an example e that weighs
w. With the label of e flipped, a program that agrees with it about e costs w more than before, and any other costs w
less. So the best program with that label is one of those that disagree about e, if such a one costs less than c + 2 w,
and the cheapest of them: each flip finds, for one example, the best program that treats it otherwise. These are
collected for some examples, first for those that the fewest rules cover. An atom without a label is given either one:
the best programs with these cover it and do not, if the one that has to costs less than c + w.

**What an example tells.** A program that costs d more than the best counts 2^-d: a literal, or an error, more is half
as likely. An example about which the programs are divided evenly tells most. This orders questions, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.search.again.again import Knowledge, KnownProgram, Labelling


@dataclass(frozen=True)
class Question:
    """An example to look at: what share of the programs that are nearly as good says that it is true."""

    example: str
    share: float  # by what they count
    programs: tuple[int, int]  # how many say that it is true, and that it is not
    label: bool | None = None  # what it is called now; None where it has no label, or two

    @property
    def doubt(self) -> float:
        """From 0, where all programs agree, to 1, where they are divided evenly."""
        return 1 - abs(2 * self.share - 1)

    def __str__(self) -> str:
        called = "unlabelled" if self.label is None else "positive" if self.label else "negative"
        yes, no = self.programs
        return f"{self.doubt:.2f}  {called}  {self.example}  {yes} of {yes + no} programs say that it is true"


def collect(knowledge: Knowledge, labelling: Labelling, tries: int, should_stop: Callable[[], bool]) -> None:
    """Makes programs known that treat some example otherwise than the best one, each the cheapest of its kind."""
    pool = knowledge.pool
    if pool is None:
        return
    _, best = knowledge.best(labelling)
    none = (labelling.missed == 0) & (labelling.covered == 0)
    right = (labelling.missed > labelling.covered) == best.covered
    places = np.flatnonzero(none | (right & (labelling.missed != labelling.covered))).tolist()
    rules, weight = pool.rules_covering, min(knowledge.weights.fn, knowledge.weights.fp)
    # Those without a label come first: who gives them wants to know.
    for place in sorted(places, key=lambda place: (not none[place], int(rules[place]), place))[:tries]:
        if should_stop():
            return
        others = (
            [labelling.labelled(place, label, weight) for label in (True, False)]
            if none[place]
            else [labelling.flipped(place)]
        )
        for other in others:
            cost, _ = knowledge.best(other)
            choice = pool.best(other.missed, other.covered, cost, should_stop)
            if choice.best is not None:
                knowledge.take(pool.program(choice.best.rules))


def near(knowledge: Knowledge, labelling: Labelling, slack: int) -> list[tuple[int, KnownProgram]]:
    """The known programs within so much of the best, each with how much more it costs; of those that cover the same,
    the cheapest."""
    least, _ = knowledge.best(labelling)
    found: dict[bytes, tuple[int, KnownProgram]] = {}
    for known in knowledge.programs:
        more = knowledge.cost(known, labelling) - least
        key = known.covered.tobytes()
        if more <= slack and (key not in found or more < found[key][0]):
            found[key] = more, known
    return list(found.values())


def questions(
    programs: list[tuple[int, KnownProgram]],
    covered: list[NDArray[np.bool_]],
    texts: list[str],
    labels: list[bool | None],
    most: int,
) -> list[Question]:
    """The examples about which the programs are divided, those that tell most first; `covered` is for each program."""
    counts = [0.5**more for more, _ in programs]
    total = sum(counts)
    asked = []
    for place, text in enumerate(texts):
        says = [bool(rows[place]) for rows in covered]
        yes = sum(says)
        if 0 < yes < len(says):
            share = sum(count for count, true in zip(counts, says, strict=True) if true) / total
            asked.append(Question(text, share, (yes, len(says) - yes), labels[place]))
    return sorted(asked, key=lambda question: -question.doubt)[:most]
