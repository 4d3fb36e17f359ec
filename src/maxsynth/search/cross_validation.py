"""Choosing the weights of the cost by cross-validation, on the training examples alone.

The default weights make a program of minimal description length. That is the right prior for noisy labels, but with few
examples, or with rare positives, it prefers a program that is too simple: a rule of six literals must cover seven
positives to pay. Heavier errors let it pay earlier. Which weights predict best is found out as usual: the examples are
dealt into folds, each fold is predicted by programs learned from the others, and the weights whose predictions have the
best balanced accuracy win. Between equals, the earlier in the list wins, and the first are the default weights. Of few
examples, the way they happen to be dealt would decide: so they are dealt several times, and others than the default
weights must be better by more than a standard error (as in the one-standard-error rule of Breiman et al., 1984): the
difference is one of means over the examples, and its error is known from how much it varies among them.

It takes a search for each fold and each candidate: some tens of times as long as one search. Of a limit it gets half;
the rest is for the search with the weights that were chosen. When its half is used up, the weights are chosen among
those that were tried.

Where no weights help, the directions of the bias may be what keeps out better rules. So where BK is facts, the weights
that won are tried in the larger space without directions too. What comes out is only said, not chosen: the bias says
which rules are allowed.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluation import Evaluation, evaluate_program
from maxsynth.proofs.metrics import Confusion, Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.task import Examples, ReadTask
from maxsynth.task.undirected import task_without_directions

FOLDS = 5
SHARE = 0.5  # of the limits that goes into choosing
ENOUGH = 0.5  # seconds of a search: in much less, many find nothing, and then nothing tells the candidates apart
SEED = 1
FEW = 60  # examples of a side: when there are fewer, all are dealt so often that about as many are predicted, ...
MOST_DEALS = 5  # ... but not more often than this
FURTHER, AT_LEAST = 10, 1000  # searches in the larger space may take so many times the steps, and so many in any case
CANDIDATES = (
    Weights(1, 1, 1),
    Weights(1, 2, 2),
    Weights(1, 4, 4),
    Weights(1, 8, 8),
    Weights(1, 1, 2),
    Weights(1, 1, 4),
    Weights(1, 2, 1),
    Weights(1, 4, 1),
)

Split = tuple[NDArray[np.bool_], NDArray[np.bool_]]
Shares = NDArray[np.float64]  # of the predictions of each example that were right
NO_SHARES: tuple[Shares, Shares] = (np.zeros(0), np.zeros(0))


@dataclass(frozen=True)
class Score:
    """How weights did: what was predicted of examples that were not learned from, all folds together."""

    weights: Weights
    confusion: Confusion
    cut: int  # searches that a limit ended
    steps: int  # of all searches
    right: tuple[Shares, Shares] = field(default=NO_SHARES, compare=False, repr=False)  # of each positive and negative

    @property
    def value(self) -> float:
        return self.confusion.balanced_accuracy or 0.0

    def is_better(self, other: Score) -> bool:
        """Whether this is better than another by more than a standard error of their difference."""
        gains = [own - theirs for own, theirs in zip(self.right, other.right, strict=True) if len(own)]
        error = math.sqrt(sum(float(np.var(gain)) / len(gain) for gain in gains)) / len(gains)
        return self.value - other.value > error

    def __str__(self) -> str:
        w = self.weights
        cut = f" ({self.cut} searches cut)" if self.cut else ""
        return f"weights {w.size},{w.fp},{w.fn}: balanced accuracy {100 * self.value:.1f}% in cross-validation{cut}"


@dataclass(frozen=True)
class Choice:
    """The weights that won, and how all did."""

    weights: Weights
    scores: list[Score]
    folds: int
    deals: int
    seconds: float
    steps: int
    undirected: Score | None = None  # how the weights that won did without the directions of the bias

    @property
    def better_undirected(self) -> bool:
        """Whether the directions seem to keep out better rules, by more than chance would have it."""
        if self.undirected is None:
            return False
        found, best = self.undirected.value, max(score.value for score in self.scores)
        examples = sum(dataclasses.astuple(self.undirected.confusion)) / self.deals
        return found - best > 2 * math.sqrt(found * (1 - found) / examples)

    def to_dict(self) -> dict[str, object]:
        return {"weights": list(dataclasses.astuple(self.weights)), "weights_auto": self.how()}

    def how(self) -> dict[str, object]:
        return {
            "folds": self.folds,
            "deals": self.deals,
            "seconds": round(self.seconds, 4),
            "steps": self.steps,
            "tried": [
                {"weights": list(dataclasses.astuple(s.weights)), "balanced_accuracy": s.value, "cut": s.cut}
                for s in self.scores
            ],
            "without_directions": None if self.undirected is None else self.undirected.value,
        }


class Known:
    """The programs that were learned from some of the examples, and how they do on all of them."""

    def __init__(self) -> None:
        self.evaluations: list[Evaluation] = []

    def add(self, evaluation: Evaluation) -> None:
        if not evaluation.unfinished:
            self.evaluations.append(evaluation)

    def best(self, weights: Weights) -> Evaluation | None:
        """The one that costs least with these weights."""
        weighed = (dataclasses.replace(known, weights=weights) for known in self.evaluations)
        return min(weighed, key=lambda known: known.cost, default=None)

    def or_better(self, result: SearchResult, weights: Weights) -> SearchResult:
        """A result or, when its search was cut, that with a program which was known before and costs less."""
        best = self.best(weights)
        if best is None or result.status == OPTIMAL or result.cost is None or best.cost >= result.cost:
            return result
        bound = min(result.lower_bound, best.cost)
        return dataclasses.replace(
            result,
            program=best.program,
            size=best.size,
            cost=best.cost,
            lower_bound=bound,
            confusion=best.confusion,
            trace=[*result.trace, (round(result.seconds["total"], 4), best.cost, bound)],
        )


class Share:
    """What choosing may take of the limits, and what it took."""

    def __init__(self, settings: Settings, started: float) -> None:
        self.clock = time.monotonic()
        self.settings = settings.left_after(self.clock - started, 0).part(SHARE)
        self.steps = 0

    def take(self, steps: int) -> None:
        self.steps += steps

    def left(self) -> Settings:
        return self.settings.left_after(self.seconds(), self.steps)

    def seconds(self) -> float:
        return time.monotonic() - self.clock

    def used_up(self) -> bool:
        left = self.left()
        return left.timeout == 0 or left.steps == 0

    def one_of(self, searches: int) -> Settings:
        """For a search when there are so many to do. It gets enough time: rather fewer are done."""
        fair = self.left().part(1 / searches)
        return fair if fair.timeout is None else dataclasses.replace(fair, timeout=max(fair.timeout, ENOUGH))

    def within(self, settings: Settings) -> Settings:
        """The settings of a search that ends when all of this is used up."""
        left = self.left().timeout
        if left is None or settings.timeout is None:
            return settings
        return dataclasses.replace(settings, timeout=min(settings.timeout, left))


def choose_weights(
    task: ReadTask,
    settings: Settings,
    *,
    started: float | None = None,
    interrupted: Callable[[], bool] | None = None,
    tell: Callable[[str], None] | None = None,
    candidates: Sequence[Weights] = CANDIDATES,
    known: Known | None = None,
) -> Choice:
    """The candidate that predicts best. With a limit, half of what is left of it, counted from `started`, is shared by
    the searches. What they find goes to `known`."""
    folds = min(FOLDS, len(task.positives), max(len(task.negatives), 2))
    if folds < 2:
        raise MaxSynthError("too few examples to choose weights from", remedy="give --weights SIZE,FP,FN")
    fewer = min(len(task.positives), len(task.negatives)) or len(task.positives)
    deals = min(-(-FEW // fewer), MOST_DEALS)
    splits = [split for number in range(deals) for split in deal(task, folds, SEED + number)]
    stop = interrupted or (lambda: False)
    say = tell or (lambda text: None)
    share = Share(settings, time.monotonic() if started is None else started)
    larger = task_without_directions(task)
    scores: list[Score] = []
    for done, weights in enumerate(candidates):
        to_do = len(candidates) - done + (larger is not None)
        tried = dataclasses.replace(share.one_of(len(splits) * to_do), weights=weights)
        score = validate(task, tried, splits, share, stop, known)
        if score is None:
            why = "interrupted" if stop() else "half of the limit is used up"
            few = "" if done > 1 else ", too few to choose: the default weights are used"
            say(f"{why} after {done} of {len(candidates)} candidates{few}")
            break
        scores.append(score)
        say(str(score))
    best = max(scores, key=lambda score: score.value, default=None)  # the first of equals
    if best is not None and not best.is_better(scores[0]):
        best = scores[0]
    undirected = None
    if best is not None and larger is not None:
        tried, most = share.one_of(len(splits)), FURTHER * best.steps // len(splits) + AT_LEAST
        steps = most if tried.steps is None else min(tried.steps, most)
        tried = dataclasses.replace(tried, weights=best.weights, steps=steps)
        undirected = validate(larger, tried, splits, share, stop, None)
        if undirected is not None:
            say(f"{undirected} without directions")
    chosen = best.weights if best is not None else Weights()
    return Choice(chosen, scores, folds, deals, share.seconds(), share.steps, undirected)


def deal(task: ReadTask, folds: int, seed: int) -> list[Split]:
    """Which positives and which negatives are learned from, when each fold in turn is held out."""
    pos, neg = (fold_of_each(len(side), folds, seed) for side in (task.positives, task.negatives))
    return [(pos != fold, neg != fold) for fold in range(folds)]


def fold_of_each(count: int, folds: int, seed: int) -> NDArray[np.int64]:
    """As many in each, in a random order that is always the same."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
    return np.asarray(order % folds, dtype=np.int64)


def validate(
    task: ReadTask,
    settings: Settings,
    splits: Sequence[Split],
    share: Share,
    stop: Callable[[], bool],
    known: Known | None,
) -> Score | None:
    """How these settings do; None when that was stopped, or took more than there was for it."""
    counts, cut, steps = np.zeros(4, np.int64), 0, 0
    right = [np.zeros(len(side)) for side in (task.positives, task.negatives)]
    for pos, neg in splits:
        if stop() or share.used_up():
            return None
        learning = dataclasses.replace(task, positives=some(task.positives, pos), negatives=some(task.negatives, neg))
        result = Search(learning, share.within(settings), None, stop).run()
        cut += result.status != OPTIMAL
        steps += result.counts["steps"]
        share.take(result.counts["steps"])
        found = evaluate_program(result.program or Program(), task)
        if known is not None:
            known.add(found)
        held_out = [covered[~used] for covered, used in zip(found.covered, (pos, neg), strict=True)]
        (tp, fn), (fp, tn) = ((int(side.sum()), int((~side).sum())) for side in held_out)
        counts += (tp, fn, tn, fp)
        right[0] += found.covered[0] & ~pos
        right[1] += ~found.covered[1] & ~neg
    if stop():
        return None
    shares = (right[0] / times_held_out(splits, 0), right[1] / times_held_out(splits, 1))
    return Score(settings.weights, Confusion(*counts.tolist()), cut, steps, shares)


def times_held_out(splits: Sequence[Split], side: int) -> Shares:
    """How often each example of a side was predicted."""
    return np.asarray(np.sum([~split[side] for split in splits], axis=0, dtype=np.float64))


def some(examples: Examples, chosen: NDArray[np.bool_]) -> Examples:
    lines = [line for line, keep in zip(examples.lines, chosen.tolist(), strict=True) if keep]
    return Examples(examples.rows[chosen], examples.weights[chosen], lines)
