"""Which example, if somebody looked at its label, would tell most between programs that are nearly as good.

**Programs that are nearly as good.** Let the best program cost c, and let it be right about an example e that weighs
w. With the label of e flipped, a program that agrees with it about e costs w more than before, and any other costs w
less. So the best program with that label is one of those that disagree about e, if such a one costs less than c + 2 w,
and the cheapest of them: each flip finds, for one example, the best program that treats it otherwise. These are
collected for some examples, those that the fewest rules cover. An atom without a label is given either one:
the best programs with these cover it and do not, if the one that has to costs less than c + w. An example that the best
program has wrong counts three times: then a program that is right about it, and costs less than c + 2 w, is better, as
far as the rules for it are in the pool. There, those that the most rules cover are tried.

**What an example tells.** A program that costs d more than the best counts 2^-d: a literal, or an error, more is half
as likely. An example about which the programs are divided evenly tells most. This orders questions, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from maxsynth.logic.programs import Program
from maxsynth.search.again.again import Knowledge, KnownProgram, Labelling

STRESS = 3  # times that a label counts which the best program contradicts


@dataclass(frozen=True)
class Rival:
    """One of the programs that are nearly as good: what it costs, and whether it says that an example is true."""

    program: Program
    cost: int
    covers: bool


@dataclass(frozen=True)
class Question:
    """An example to look at: what share of the programs that are nearly as good says that it is true."""

    example: str
    share: float  # by what they count
    programs: tuple[int, int]  # how many say that it is true, and that it is not
    label: bool | None = None  # what it is called now; None where it has no label, or two
    rivals: tuple[Rival, ...] = ()  # these programs, the cheapest first
    alike: int = 0  # other examples that divide them in the same way

    @property
    def doubt(self) -> float:
        """From 0, where all programs agree, to 1, where they are divided evenly."""
        return 1 - abs(2 * self.share - 1)

    def __str__(self) -> str:
        called = "unlabelled" if self.label is None else "positive" if self.label else "negative"
        yes, no = self.programs
        return f"{self.doubt:.2f}  {called}  {self.example}  {yes} of {yes + no} programs say that it is true"

    @property
    def sides(self) -> tuple[Rival, Rival]:
        """The cheapest program that says what the best one says, and the cheapest that does not."""
        best = self.rivals[0]
        return best, next(rival for rival in self.rivals if rival.covers != best.covers)

    def as_dict(self) -> dict[str, object]:
        """As JSON takes it."""
        return {
            "example": self.example,
            "label": self.label,
            "doubt": round(self.doubt, 4),
            "says_true": self.programs[0],
            "says_false": self.programs[1],
            "alike": self.alike,
            "programs": [
                {"rules": [str(rule) for rule in rival.program.rules], "cost": rival.cost, "covers": rival.covers}
                for rival in self.rivals
            ],
        }


def collect(
    knowledge: Knowledge,
    labelling: Labelling,
    tries: int,
    should_stop: Callable[[], bool],
    decided: Collection[int] = (),
) -> None:
    """Makes programs known that treat some example otherwise than the best one, each the cheapest of its kind.

    Of what is `decided`, no label is questioned.
    """
    pool = knowledge.pool
    if pool is None:
        return
    _, best = knowledge.best(labelling)
    none = (labelling.missed == 0) & (labelling.covered == 0)
    right = (labelling.missed > labelling.covered) == best.covered
    open_ones = np.flatnonzero(none | (labelling.missed != labelling.covered)).tolist()
    places = [place for place in open_ones if place not in decided]
    rules, weight = pool.rules_covering, min(knowledge.weights.fn, knowledge.weights.fp)
    wrong = [place for place in places if not none[place] and not right[place]]
    wrong.sort(key=lambda place: -int(rules[place]))
    others = [place for place in places if none[place] or right[place]]
    # Those without a label come first: who gives them wants to know.
    others.sort(key=lambda place: (not none[place], int(rules[place])))
    first = sum(bool(none[place]) for place in others)
    for place in [*others[:first], *wrong[: tries // 2], *others[first:]][:tries]:
        if should_stop():
            return
        if none[place]:
            tried = [labelling.labelled(place, label, weight) for label in (True, False)]
        else:
            tried = [labelling.flipped(place) if right[place] else labelling.stressed(place, STRESS)]
        for other in tried:
            cost, _ = knowledge.best(other)
            choice = pool.best_here(other.missed, other.covered, cost, should_stop)
            if choice.best is not None:
                knowledge.take(pool.program(choice.best.rules))


def near(knowledge: Knowledge, labelling: Labelling, slack: int) -> list[tuple[int, KnownProgram]]:
    """The known programs within so much of the best, each with what it costs, the cheapest first; of those that cover
    the same, the cheapest."""
    least, _ = knowledge.best(labelling)
    found: dict[bytes, tuple[int, KnownProgram]] = {}
    for known in knowledge.programs:
        cost = knowledge.cost(known, labelling)
        key = known.covered.tobytes()
        if cost <= least + slack and (key not in found or cost < found[key][0]):
            found[key] = cost, known
    return sorted(found.values(), key=lambda one: (one[0], one[1].size))


def questions(
    programs: list[tuple[int, KnownProgram]], places: list[int], labelling: Labelling, text: Callable[[int], str]
) -> Iterator[Question]:
    """The examples about which the programs are divided, those that tell most first; of those that divide them in the
    same way, which tell the same, the first."""
    if len(programs) < 2 or not places:
        return
    covered = np.array([known.covered[places] for _, known in programs])
    counts = np.array([0.5 ** (cost - programs[0][0]) for cost, _ in programs])
    shares = np.where(covered, counts[:, None], 0.0).sum(axis=0) / counts.sum()
    yes = covered.sum(axis=0)
    divided = np.flatnonzero((yes > 0) & (yes < len(programs)))
    alike: dict[bytes, list[int]] = {}
    for number in divided[np.argsort(np.abs(2 * shares[divided] - 1), kind="stable")].tolist():
        alike.setdefault(covered[:, number].tobytes(), []).append(number)
    for number, *others in alike.values():
        place, votes = places[number], int(yes[number])
        missed, wrong = bool(labelling.missed[place]), bool(labelling.covered[place])
        rivals = tuple(
            Rival(known.program, cost, bool(says))
            for (cost, known), says in zip(programs, covered[:, number], strict=True)
        )
        yield Question(
            text(place),
            float(shares[number]),
            (votes, len(programs) - votes),
            missed if missed != wrong else None,
            rivals,
            len(others),
        )
