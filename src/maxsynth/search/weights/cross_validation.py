"""Choosing the weights of the cost by cross-validation, on the training examples alone.

The default weights make a program of minimal description length. That is the right prior for noisy labels, but with few
examples, or with rare positives, it prefers a program that is too simple: a rule of six literals must cover seven
positives to pay. Heavier errors let it pay earlier. Which weights predict best is found out as usual: the examples are
dealt into folds, each fold is predicted by programs learned from the others, and the weights whose predictions have the
best balanced accuracy win. Between equals, the earlier in the list wins, and the first are the default weights. Of few
examples, the way they happen to be dealt would decide: so they are dealt several times, and others than the default
weights must be better by more than a standard error (as in the one-standard-error rule of Breiman et al., 1984): the
difference is one of means over the examples, and its error is known from how much it varies among them.

It takes a search for each fold and each candidate: some tens of times as long as one search. They do not need each
other, and may be done in many places at a time (`maxsynth.spread`); what they find is taken in their order. Of a limit
this gets half; the rest is for the search with the weights that were chosen. Steps are shared in advance, each search
getting as many, so that it does not matter who does which, and when. Of time, each gets its share of what is left. When
this half is used up, the weights are chosen among those that were tried.

Where no weights help, the directions of the bias may be what keeps out better rules. So where BK is facts, the weights
that won are tried in the larger space without directions too. What comes out is only said, not chosen: the bias says
which rules are allowed.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxsynth.proofs.evaluation import Evaluation
from maxsynth.proofs.metrics import Confusion, Weights
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.search.weights.folds import HERE, Fold, Folds, Learned, Split, Where, learn_fold
from maxsynth.spread.executor import Executor, Failed, LostError, Stop, Work, in_order
from maxsynth.task.task import ReadTask

SHARE = 0.5  # of the limits that goes into choosing
ENOUGH = 0.5  # seconds of a search: in much less, many find nothing, and then nothing tells the candidates apart
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
        cut = f" ({self.cut} searches cut)" if self.cut else ""
        return f"weights {shown(self.weights)}: balanced accuracy {100 * self.value:.1f}% in cross-validation{cut}"


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
    lost: str | None = None  # how the cluster was lost, if it was: then this is only what is known so far

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

    def __init__(self, settings: Settings, started: float, executor: Executor) -> None:
        self.clock = time.monotonic()
        self.settings = settings.left_after(self.clock - started, 0).part(SHARE)
        self.executor = executor
        self.steps = 0

    def take(self, steps: int) -> None:
        self.steps += steps

    def left(self) -> Settings:
        return self.settings.left_after(self.seconds(), self.steps)

    def seconds(self) -> float:
        return time.monotonic() - self.clock

    def time_is_up(self) -> bool:
        return self.settings.timeout is not None and self.seconds() >= self.settings.timeout

    def steps_of(self, searches: int) -> int | None:
        """For each of so many that are still to be done."""
        return self.left().part(1 / searches).steps

    def seconds_of(self, searches: int) -> float | None:
        """The same in time. A search gets enough: rather fewer are done."""
        fair = self.left().part(max(self.executor.places, 1) / searches).timeout
        return None if fair is None else max(fair, ENOUGH)

    def within(self, settings: Settings) -> Settings:
        """The settings of a search that ends when all of this is used up."""
        left = self.left().timeout
        if left is None or settings.timeout is None:
            return settings
        return dataclasses.replace(settings, timeout=min(settings.timeout, left))


class Predictions:
    """What was predicted of the examples that were held out, while one candidate is tried."""

    def __init__(self, folds: Folds) -> None:
        self.splits = folds.splits
        self.counts = np.zeros(4, np.int64)
        self.right = [np.zeros(len(side)) for side in (folds.task.positives, folds.task.negatives)]
        self.cut = self.steps = 0

    def add(self, split: Split, learned: Learned) -> None:
        (pos, neg), covered = split, learned.evaluation.covered
        held_out = [side[~used] for side, used in zip(covered, (pos, neg), strict=True)]
        (tp, fn), (fp, tn) = ((int(side.sum()), int((~side).sum())) for side in held_out)
        self.counts += (tp, fn, tn, fp)
        self.right[0] += covered[0] & ~pos
        self.right[1] += ~covered[1] & ~neg
        self.cut += learned.cut
        self.steps += learned.steps

    def score(self, weights: Weights) -> Score:
        right = [side / times_held_out(self.splits, number) for number, side in enumerate(self.right)]
        return Score(weights, Confusion(*self.counts.tolist()), self.cut, self.steps, (right[0], right[1]))


class Trial:
    """Tries settings, by a search for each fold, wherever these are done."""

    def __init__(self, folds: Folds, where: Where, share: Share, stop: Stop) -> None:
        self.folds = folds
        self.work = where.work(folds)
        self.executor = where.executor
        self.share = share
        self.stop = stop

    def is_over(self) -> bool:
        return self.stop() or self.share.time_is_up()

    def units(self, tried: Iterable[Settings], count: int, directions: bool) -> Iterator[tuple[Work[Folds], Fold]]:
        """The searches for so many settings, as long as there is something left for the next."""
        left = count * len(self.folds.splits)
        for settings in tried:
            for split in range(len(self.folds.splits)):
                if self.is_over() or settings.steps == 0:
                    return
                settings = dataclasses.replace(settings, jobs=self.executor.jobs_of(left) or settings.jobs)
                left -= 1
                yield self.work, Fold(split, self.share.within(settings), directions)

    def predictions(
        self, tried: Iterable[Settings], count: int, known: Known | None, *, directions: bool = True
    ) -> Iterator[Predictions | Failed]:
        """What comes of each of so many settings, in their order, as far as that goes; what is learned, to `known`."""
        found = in_order(self.executor.run(learn_fold, self.units(tried, count, directions), self.is_over))
        while True:
            predictions, failed, done = Predictions(self.folds), None, 0
            for split, one in zip(self.folds.splits, found, strict=False):  # in this order: no outcome is lost
                done += 1
                if isinstance(one, Failed):
                    failed = one
                    continue
                self.share.take(one.steps)
                if known is not None:
                    known.add(one.evaluation)
                predictions.add(split, one)
            if done < len(self.folds.splits) or self.stop():
                return
            yield failed or predictions


def choose_weights(
    task: ReadTask,
    settings: Settings,
    *,
    started: float | None = None,
    interrupted: Stop | None = None,
    tell: Callable[[str], None] | None = None,
    candidates: Sequence[Weights] = CANDIDATES,
    known: Known | None = None,
    where: Where = HERE,
) -> Choice:
    """The candidate that predicts best. With a limit, half of what is left of it, counted from `started`, is shared by
    the searches, which are done `where` it is said. What they find goes to `known`.
    """
    folds = Folds(task)
    stop, say = interrupted or (lambda: False), tell or (lambda text: None)
    share = Share(settings, time.monotonic() if started is None else started, where.executor)
    trial = Trial(folds, where, share, stop)
    splits, further = len(folds.splits), folds.larger is not None
    steps = share.steps_of(splits * (len(candidates) + further))

    def tried() -> Iterator[Settings]:
        for done, weights in enumerate(candidates):
            timeout = share.seconds_of(splits * (len(candidates) - done + further))
            yield dataclasses.replace(settings, weights=weights, steps=steps, timeout=timeout)

    scores: list[Score] = []
    done, lost = 0, None
    try:
        for weights, found in zip(candidates, trial.predictions(tried(), len(candidates), known), strict=False):
            done += 1
            if isinstance(found, Failed):
                say(f"weights {shown(weights)} are left out: a search cannot be done, {found.why}")
                continue
            scores.append(found.score(weights))
            say(str(scores[-1]))
    except LostError as error:
        lost = str(error)
    if done < len(candidates):
        why = "interrupted" if stop() else "the cluster is lost" if lost else "half of the limit is used up"
        few = "" if done > 1 else ", too few to choose: the default weights are used"
        say(f"{why} after {done} of {len(candidates)} candidates{few}")
    best = max(scores, key=lambda score: score.value, default=None)  # the first of equals
    default = next((score for score in scores if score.weights == candidates[0]), None)  # on a cluster it may fail
    if best is not None and default is not None and not best.is_better(default):
        best = default
    undirected = None
    if best is not None and further and lost is None:
        most = FURTHER * best.steps // splits + AT_LEAST
        fair = share.steps_of(splits)
        larger = dataclasses.replace(
            settings,
            weights=best.weights,
            steps=most if fair is None else min(fair, most),
            timeout=share.seconds_of(splits),
        )
        try:
            for found in trial.predictions([larger], 1, None, directions=False):
                if isinstance(found, Predictions):
                    undirected = found.score(best.weights)
                    say(f"{undirected} without directions")
        except LostError as error:
            lost = str(error)
    chosen = best.weights if best is not None else Weights()
    return Choice(chosen, scores, folds.count, folds.deals, share.seconds(), share.steps, undirected, lost)


def shown(weights: Weights) -> str:
    return ",".join(map(str, dataclasses.astuple(weights)))


def times_held_out(splits: Sequence[Split], side: int) -> Shares:
    """How often each example of a side was predicted."""
    return np.asarray(np.sum([~split[side] for split in splits], axis=0, dtype=np.float64))
