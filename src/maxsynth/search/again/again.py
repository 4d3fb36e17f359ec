"""Learning again after decisions about labels, with what is known from before.

Nothing but the labels changes: not the space, nor what a program covers. So all that was proven of programs before says
something of them now.

**What any program costs at least.** Let a program h cost c(h) with one labelling, where it costs p(e) to miss an
example e and q(e) to cover it, and c'(h) with another one, of p'(e) and q'(e). Its size is the same, and each example
changes its cost by p'(e) - p(e) if it misses e, and by q'(e) - q(e) if it covers it. So

    c'(h)  >=  c(h)  +  sum over all e of min(p'(e) - p(e), q'(e) - q(e)),

for every program h, and a lower bound for all programs becomes one for the other labelling. (p or q is zero where an
example is not listed on that side, and both are where it is left out.)

**When that is enough.** An example that the best program has wrong, and that is flipped or left out, makes this program
cheaper by as much as it can make any program cheaper. So after decisions that all agree with a proven program it is
still the best, and that is proven at once: its cost is the bound. Decisions that are taken back lead to a labelling
whose best program is known. All labellings that were done before are kept, and the best bound counts.

Otherwise the best program is chosen from a pool of rules that holds for all labels (`any_labels`), once that is made.
Where there is no such pool, a search is needed, but one that looks only for what is cheaper than the known programs are
now, and does not dive for a first one.

A program that calls itself is judged by what its test derived within its steps. Where tests were cut, a bound is not
taken over: what a test derives may depend on the examples that it is for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic.programs import Program
from maxsynth.logic.tested import size_of
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.proofs.metrics import Weights
from maxsynth.search.again.any_labels import AnyLabels
from maxsynth.search.choose.problem import Choice
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.task.task import Examples, ReadTask

MOST_PROGRAMS = 200  # that are kept: the last ones


class Way(Enum):
    """How an answer was come by."""

    NOTHING = "from nothing"  # a search that knew nothing
    KNOWN = "known"  # a program that is known, proven by what is known
    CHOSEN = "chosen"  # by a choice among the rules that were prepared
    BELOW = "below"  # a search for what is cheaper than the programs that are known


@dataclass(frozen=True)
class Labelling:
    """What it costs to miss each atom, and to cover it."""

    missed: NDArray[np.int64]
    covered: NDArray[np.int64]

    def least_change(self, other: Labelling) -> int:
        """By how much the cost of a program changes at least, from this labelling to the other."""
        return int(np.minimum(other.missed - self.missed, other.covered - self.covered).sum())

    def labelled(self, place: int, label: bool, weight: int) -> Labelling:
        """With a label for an atom that has none."""
        missed, covered = self.missed.copy(), self.covered.copy()
        (missed if label else covered)[place] = weight
        return Labelling(missed, covered)

    def flipped(self, place: int) -> Labelling:
        """With one label the other way round: what it cost to miss an atom, it costs to cover it."""
        missed, covered = self.missed.copy(), self.covered.copy()
        missed[place], covered[place] = self.covered[place], self.missed[place]
        return Labelling(missed, covered)

    def stressed(self, place: int, times: int) -> Labelling:
        """With one label that weighs so many times as much."""
        missed, covered = self.missed.copy(), self.covered.copy()
        missed[place] *= times
        covered[place] *= times
        return Labelling(missed, covered)

    def errors(self, covered: NDArray[np.bool_]) -> int:
        return int(self.missed[~covered].sum() + self.covered[covered].sum())


@dataclass(frozen=True)
class KnownProgram:
    program: Program
    size: int
    covered: NDArray[np.bool_]  # which atoms


class Knowledge:
    """What was found out about one space, with any labels of the examples of a task; and of other atoms, which may have
    one in time."""

    def __init__(self, task: ReadTask, weights: Weights, others: NDArray[np.int32] | None = None) -> None:
        self.task = task
        self.weights = weights
        rows = [tuple(row) for side in (task.positives, task.negatives) for row in side.rows.tolist()]
        rows += [] if others is None else [tuple(row) for row in others.tolist()]
        self.place = {row: number for number, row in enumerate(dict.fromkeys(rows))}
        self.rows = np.array(list(self.place), np.int32)
        # What an example may cost, as it is or flipped; another atom counts once.
        self.most = self.weighed(task.positives, 1) + self.weighed(task.negatives, 1)
        self.most = np.maximum(self.most, 1) * max(weights.fn, weights.fp)
        self.pool: AnyLabels | None = None
        self.no_pool = False  # none can be made
        self.bounds: list[tuple[Labelling, int]] = []
        self.way = Way.NOTHING  # of the last answer
        self.programs: list[KnownProgram] = [KnownProgram(Program(), 0, np.zeros(len(self.rows), np.bool_))]

    def labelling(self, task: ReadTask) -> Labelling:
        """Of the same task with other labels."""
        return Labelling(
            self.weighed(task.positives, self.weights.fn),
            self.weighed(task.negatives, self.weights.fp),
        )

    def weighed(self, side: Examples, weight: int) -> NDArray[np.int64]:
        cost = np.zeros(len(self.rows), np.int64)
        places = [self.place[tuple(row)] for row in side.rows.tolist()]
        np.add.at(cost, places, side.weights * weight)
        return cost

    def prepare(self, search: Search) -> bool:
        """Makes the pool for all labels, where there can be one; `search` is of this task."""
        if self.pool is None and not self.no_pool:
            pool = AnyLabels(search, self.rows, self.most)
            if AnyLabels.can(search) and pool.fits() and pool.make():
                self.pool = pool
            else:
                self.no_pool = not search.limits.stopped  # whoever was stopped may try again
        return self.pool is not None

    def learn_from(self, result: SearchResult, labelling: Labelling) -> None:
        """Takes what a search found and proved with some labels."""
        if not result.counts.get("programs_cut"):
            self.bounds.append((labelling, result.lower_bound))
        if result.program is not None and all(known.program != result.program for known in self.programs):
            self.take(result.program)

    def take(self, program: Program) -> None:
        """Keeps a program, unless the proofs of some atoms take too long."""
        found = Evaluator(self.task.background, self.task.bias.head).coverage(program, self.rows)
        if found.unfinished.any():
            return
        covered = np.asarray(found.covered, np.bool_)
        self.programs.append(KnownProgram(program, size_of(program, self.task.bias.learned.tested), covered))
        del self.programs[1 : max(1, len(self.programs) - MOST_PROGRAMS)]

    def lower_bound(self, labelling: Labelling) -> int:
        """What any program costs at least with these labels."""
        return max((bound + before.least_change(labelling) for before, bound in self.bounds), default=0)

    def cost(self, known: KnownProgram, labelling: Labelling) -> int:
        return self.weights.size * known.size + labelling.errors(known.covered)

    def best(self, labelling: Labelling) -> tuple[int, KnownProgram]:
        """The cheapest known program with these labels: of equal ones the smallest, and of these the first."""
        ranked = [(self.cost(known, labelling), known.size, number) for number, known in enumerate(self.programs)]
        cost, _, number = min(ranked)
        return cost, self.programs[number]


def learn_again(task: ReadTask, knowledge: Knowledge, make_search: Callable[[], Search]) -> SearchResult:
    """The best program with the labels of a task, by what is known or by a search."""
    labelling = knowledge.labelling(task)
    cost, known = knowledge.best(labelling)
    least = knowledge.lower_bound(labelling)
    search = make_search()
    knowledge.way = way = way_to(knowledge, labelling)
    if way is Way.KNOWN:
        result = with_program(ended(search, OPTIMAL, cost), known, cost, task)
    elif way is Way.CHOSEN and knowledge.pool is not None:
        result = chosen(knowledge, knowledge.pool, labelling, search)
    else:
        if way is Way.BELOW:
            search.look_below(cost)
            search.best.raise_lower_bound(least)
        result = search.run()
        if result.program is None:
            result = with_program(result, known, cost, task)
    knowledge.learn_from(result, labelling)
    return result


def way_to(knowledge: Knowledge, labelling: Labelling) -> Way:
    """What it takes to learn with these labels."""
    if knowledge.lower_bound(labelling) >= knowledge.best(labelling)[0]:
        return Way.KNOWN
    if knowledge.pool is not None:
        return Way.CHOSEN
    return Way.BELOW if knowledge.bounds else Way.NOTHING


def chosen(knowledge: Knowledge, pool: AnyLabels, labelling: Labelling, search: Search) -> SearchResult:
    """The best program of the pool, or a known one that is as good."""
    cost, known = knowledge.best(labelling)
    least = knowledge.lower_bound(labelling)
    try:
        choice = pool.best(labelling.missed, labelling.covered, cost, search.should_stop)
    except MemoryError:
        search.memory.fill()
        choice = Choice(None, False, least)
    if choice.best is not None:
        knowledge.take(pool.program(choice.best.rules))
        cost, known = knowledge.best(labelling)
    status = OPTIMAL if choice.proven else search.limits.reason().value
    lower_bound = cost if choice.proven else min(cost, max(least, choice.lower_bound))
    return with_program(ended(search, status, lower_bound), known, cost, search.task)


def ended(search: Search, status: str, lower_bound: int) -> SearchResult:
    """What is known without a search, but for the program."""
    seconds = {"total": round(search.limits.seconds(), 4)}
    settings, counts = search.settings.recorded(search.task.bias), {"steps": search.limits.steps}
    return SearchResult(status, None, None, lower_bound, None, settings, counts=counts, seconds=seconds)


def with_program(result: SearchResult, known: KnownProgram, cost: int, task: ReadTask) -> SearchResult:
    """The same with a known program, which nothing is cheaper than, as far as that is known."""
    confusion = evaluate_program(known.program, task).confusion
    return dataclasses.replace(result, program=known.program, cost=cost, size=known.size, confusion=confusion)
