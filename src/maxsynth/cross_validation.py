"""Choosing the weights of the cost by cross-validation, on the training examples alone.

The default weights make a program of minimal description length. That is the right prior for noisy labels, but with few
examples, or with rare positives, it prefers a program that is too simple: a rule of six literals must cover seven
positives to pay. Heavier errors let it pay earlier. Which weights predict best is found out as usual: the examples are
dealt into folds, each fold is predicted by programs learned from the others, and the weights whose predictions have the
best balanced accuracy win. Between equals, the earlier in the list wins, and the first are the default weights. Of few
examples, the way they happen to be dealt would decide: so they are dealt several times.

It takes a search for each fold and each candidate: some tens of times as long as one search.

Where no weights help, the directions of the bias may be what keeps out better rules. So where BK is facts, the weights
that won are tried in the larger space without directions too. What comes out is only said, not chosen: the bias says
which rules are allowed.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError
from maxsynth.logic import Program
from maxsynth.metrics import Confusion
from maxsynth.report import evaluate_program
from maxsynth.result import OPTIMAL
from maxsynth.search.loop import Search, Settings
from maxsynth.search.weighing import Weights
from maxsynth.task import Examples, Task
from maxsynth.undirected import task_without_directions

FOLDS = 5
SHARE = 0.5  # of the limits that goes into choosing
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


@dataclass(frozen=True)
class Score:
    """How weights did: what was predicted of examples that were not learned from, all folds together."""

    weights: Weights
    confusion: Confusion
    cut: int  # searches that a limit ended
    steps: int  # of all searches

    @property
    def value(self) -> float:
        return self.confusion.balanced_accuracy or 0.0

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
    undirected: Score | None = None  # how the weights that won did without the directions of the bias

    @property
    def steps(self) -> int:
        return sum(score.steps for score in self.scores) + (self.undirected.steps if self.undirected else 0)

    @property
    def better_undirected(self) -> bool:
        """Whether the directions seem to keep out better rules, by more than chance would have it."""
        if self.undirected is None:
            return False
        found, best = self.undirected.value, max(score.value for score in self.scores)
        examples = sum(dataclasses.astuple(self.undirected.confusion)) / self.deals
        return found - best > 2 * math.sqrt(found * (1 - found) / examples)

    def to_dict(self) -> dict[str, object]:
        return {
            "weights": list(dataclasses.astuple(self.weights)),
            "weights_auto": {
                "folds": self.folds,
                "deals": self.deals,
                "seconds": round(self.seconds, 4),
                "steps": self.steps,
                "tried": [
                    {"weights": list(dataclasses.astuple(s.weights)), "balanced_accuracy": s.value, "cut": s.cut}
                    for s in self.scores
                ],
                "without_directions": None if self.undirected is None else self.undirected.value,
            },
        }


def choose_weights(
    task: Task,
    settings: Settings,
    *,
    interrupted: Callable[[], bool] | None = None,
    tell: Callable[[str], None] | None = None,
    candidates: Sequence[Weights] = CANDIDATES,
) -> Choice:
    """The candidate that predicts best. With a limit, half of it is shared by the searches."""
    clock = time.monotonic()
    folds = min(FOLDS, len(task.positives), max(len(task.negatives), 2))
    if folds < 2:
        raise MaxSynthError("too few examples to choose weights from", remedy="give --weights SIZE,FP,FN")
    fewer = min(len(task.positives), len(task.negatives)) or len(task.positives)
    deals = min(-(-FEW // fewer), MOST_DEALS)
    splits = [split for number in range(deals) for split in deal(task, folds, SEED + number)]
    stop = interrupted or (lambda: False)
    say = tell or (lambda text: None)
    larger = task_without_directions(task)
    scores: list[Score] = []

    def limited(to_do: int) -> Settings:
        left = settings.part(SHARE).left_after(time.monotonic() - clock, sum(score.steps for score in scores))
        return left.part(1 / (len(splits) * to_do))

    for done, weights in enumerate(candidates):
        if stop():
            break
        tried = dataclasses.replace(limited(len(candidates) - done + (larger is not None)), weights=weights)
        scores.append(validate(task, tried, splits, stop))
        say(str(scores[-1]))
    best = max(scores, key=lambda score: score.value, default=None)  # the first of equals
    undirected = None
    if best is not None and larger is not None and not stop():
        tried, most = limited(1), FURTHER * best.steps // len(splits) + AT_LEAST
        steps = most if tried.steps is None else min(tried.steps, most)
        undirected = validate(larger, dataclasses.replace(tried, weights=best.weights, steps=steps), splits, stop)
        say(f"{undirected} without directions")
    chosen = best.weights if best is not None else Weights()
    return Choice(chosen, scores, folds, deals, time.monotonic() - clock, undirected)


def deal(task: Task, folds: int, seed: int) -> list[Split]:
    """Which positives and which negatives are learned from, when each fold in turn is held out."""
    pos, neg = (fold_of_each(len(side), folds, seed) for side in (task.positives, task.negatives))
    return [(pos != fold, neg != fold) for fold in range(folds)]


def fold_of_each(count: int, folds: int, seed: int) -> NDArray[np.int64]:
    """As many in each, in a random order that is always the same."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
    return np.asarray(order % folds, dtype=np.int64)


def validate(task: Task, settings: Settings, splits: Sequence[Split], stop: Callable[[], bool]) -> Score:
    counts, cut, steps = np.zeros(4, np.int64), 0, 0
    for pos, neg in splits:
        learning = dataclasses.replace(task, positives=some(task.positives, pos), negatives=some(task.negatives, neg))
        held_out = dataclasses.replace(task, positives=some(task.positives, ~pos), negatives=some(task.negatives, ~neg))
        result = Search(learning, settings, None, stop).run()
        cut += result.status != OPTIMAL
        steps += result.counts["steps"]
        counts += dataclasses.astuple(evaluate_program(result.program or Program(), held_out).confusion)
    return Score(settings.weights, Confusion(*counts.tolist()), cut, steps)


def some(examples: Examples, chosen: NDArray[np.bool_]) -> Examples:
    lines = [line for line, keep in zip(examples.lines, chosen.tolist(), strict=True) if keep]
    return Examples(examples.rows[chosen], examples.weights[chosen], lines)
