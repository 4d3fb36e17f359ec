"""Testing programs on the examples, for a search.

Programs of the same size can be tested together, by several threads. A test depends on its program, the examples and
the bound that is known when they are compiled, and on no other test; so what they say is the same for any number of
threads. BK is not asked meanwhile, since its answers change what threads read: a test that has to is made once more,
when all others are done. So whoever asks BK while there may be tests under way lets these come to an end (`alone`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.proofs import ManyTests
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluator import Coverage, Evaluator
from maxsynth.proofs.prover import ASKING, NOBODY, Prover, Watch, ends_of_parts
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

STEPS = 5000  # for an example, on average, in the test of a program that calls itself
MANY_STEPS = 100_000  # the same where much depends on it
AT_A_TIME = 16  # examples
WORTH = 4  # programs: for fewer, one thread is enough


class Tests(NamedTuple):
    """Tests of programs, one after the other, and their rows once more as a whole."""

    outcomes: list[Outcome]
    covered: NDArray[np.bool_]
    may_cover: NDArray[np.bool_]


class Group:
    """Programs of one size that call themselves, compiled to be tested together, by the bound that is known now."""

    def __init__(self, tester: Tester, programs: Sequence[Program], bound: int) -> None:
        self.size = tester.size_weight * programs[0].size
        self.watch = tester.watch(bound - self.size)
        self.compiled = [tester.evaluator.plans(program) for program in programs]
        shape = len(programs), len(tester.examples.rows)
        self.covered, self.unfinished = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        self.lacking = np.zeros(len(programs), np.uint8)  # whether a test had to ask BK


class Tester:
    """Tests programs on the examples, and counts."""

    def __init__(
        self, task: ReadTask, examples: WeighedExamples, size_weight: int, threads: Threads | None = None
    ) -> None:
        self.evaluator = Evaluator(task.background, task.bias.head)
        self.examples = examples
        self.threads = threads
        self.many = ManyTests(examples.rows, examples.pos)
        self.under_way = False  # whether there are tests of a group
        self.others: list[Future[object]] = []  # who makes them
        self.size_weight = size_weight
        self.positives, self.all = int(np.count_nonzero(examples.pos)), int(examples.pos.sum())
        self.weight_up_to = np.cumsum(examples.pos)  # the positives come first
        self.tested = 0
        self.cut = 0  # programs that ran out of steps on an example

    def outcome(self, program: Program, bound: int | None = None, *, early: bool = False) -> Outcome:
        """Tests a program. With a bound, one that seems to cost less only because it was cut is tested again.

        `early`: what a program covers is not all found out when the positives that it misses cost the bound already.
        """
        size = self.size_weight * program.size
        watch = self.watch(bound - size) if bound is not None and early else NOBODY
        coverage = self.evaluator.quick_coverage(program, self.examples.rows, STEPS, watch)
        return self.believed(program, self.of(size, coverage), bound)

    def believed(self, program: Program, outcome: Outcome, bound: int | None) -> Outcome:
        """Counts a test, and makes it again where a program seems to cost less than the bound because it was cut."""
        self.tested += 1
        # When it was enough to look at the first examples, there is nothing to be told by the others.
        told = bound is None or outcome.size + outcome.missed - outcome.most_pos < bound
        if outcome.is_cut and told:
            self.cut += 1
            if bound is not None and outcome.cost < bound:
                return self.of(outcome.size, self.again(program, bound - outcome.size))
        return outcome

    def of(self, size: int, coverage: Coverage) -> Outcome:
        return self.tests(size, coverage.covered[None], coverage.unfinished[None]).outcomes[0]

    def tests(self, size: int, covered: NDArray[np.bool_], unfinished: NDArray[np.bool_]) -> Tests:
        """What the tests of programs of one size say."""
        may_cover = covered | unfinished
        weighed = ((covered, self.examples.pos), (covered, self.examples.neg), (may_cover, self.examples.pos))
        sums = (np.where(rows, weights, 0).sum(axis=1).tolist() for rows, weights in weighed)
        outcomes = [
            Outcome(covers, may, size, pos, neg, most_pos, self.all)
            for covers, may, pos, neg, most_pos in zip(covered, may_cover, *sums, strict=True)
        ]
        return Tests(outcomes, covered, may_cover)

    # -- many programs --------------------------------------------------------------------------------------

    def begin(self, group: Group, peek: Callable[[], bool] | None) -> None:
        """Begins to test the programs of a group. When it is time to stop, by `peek`, no other test is begun."""
        self.alone()
        threads = self.threads if self.threads is not None and self.threads.ready() else None
        if not group.covered.size:
            return
        ends = ends_of_parts(group.covered.shape[1], group.watch.looks)
        arrays = group.covered, group.unfinished, group.lacking
        jobs = 1 if threads is None else threads.jobs
        self.many.begin(group.compiled, *arrays, ends, group.watch.enough, STEPS, ASKING, jobs, peek)
        self.under_way = True
        if threads is not None and len(group.compiled) >= WORTH:
            self.others = threads.start(self.many.work_off)

    def alone(self) -> None:
        """Has the tests that are under way come to an end."""
        if not self.under_way:
            return
        self.under_way, others, self.others = False, self.others, []
        if others:
            assert self.threads is not None
            self.threads.finish(others, self.many.work_off, self.many.pass_on)
        else:
            self.many.work_off(0)

    def leave(self) -> None:
        """Nobody wants to know any more what is under way."""
        self.many.stop()
        self.alone()

    def of_group(self, group: Group, peek: Callable[[], bool] | None) -> Tests:
        """What the tests of a group say, which are done by now; none of them is `believed` yet.

        Those that had to ask BK are made again. When it is time to stop, what this says means nothing.
        """
        for number in np.flatnonzero(group.lacking).tolist():
            self.alone()
            if peek is None or not peek():
                found = Prover(group.compiled[number]).cover_within(self.examples.rows, STEPS, group.watch)
                group.covered[number], group.unfinished[number], _ = found
        return self.tests(group.size, group.covered.view(np.bool_), group.unfinished.view(np.bool_))

    # -- looking early --------------------------------------------------------------------------------------

    def looks(self, room: int) -> tuple[int, ...]:
        """After how many examples to look: some more positives than may be missed, and all of them."""
        return int(self.weight_up_to.searchsorted(1.5 * room)) + 1, self.positives

    def watch(self, room: int) -> Watch:
        """Looks whether the positives that are missed cost all that errors may cost."""
        return Watch(self.looks(room), self.examples.pos, room)

    # -- looking again --------------------------------------------------------------------------------------

    def again(self, program: Program, room: int) -> Coverage:
        """Tests with many more steps, a few examples at a time, until the errors cost `room`."""
        self.alone()
        pos, neg = self.examples.pos, self.examples.neg
        covered = np.zeros(len(pos), np.bool_)
        unfinished = np.ones(len(pos), np.bool_)
        errors = steps = 0
        for start in range(0, len(pos), AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            found = self.evaluator.quick_coverage(program, self.examples.rows[part], MANY_STEPS)
            covered[part], unfinished[part] = found.covered, found.unfinished
            errors += int(neg[part][found.covered].sum()) + int(pos[part][~found.covered].sum())
            steps += found.steps
            if errors >= room:
                break
        return Coverage(covered, unfinished, steps)
