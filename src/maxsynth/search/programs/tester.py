"""Testing programs on the examples, for a search.

Programs of the same size can be tested together, by several threads. A test depends on its program, the examples and
the bound that is known when they begin, and on no other test; so what they say is the same for any number of threads.
One that has to ask BK is made once more by one thread, after all others: what BK answers changes what threads read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


class Tester:
    """Tests programs on the examples, and counts."""

    def __init__(
        self, task: ReadTask, examples: WeighedExamples, size_weight: int, threads: Threads | None = None
    ) -> None:
        self.evaluator = Evaluator(task.background, task.bias.head)
        self.examples = examples
        self.threads = threads
        self.many = ManyTests(examples.rows, examples.pos)
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

    def together(self, programs: Sequence[Program], bound: int, peek: Callable[[], bool] | None) -> Tests:
        """The tests of programs of one size that call themselves, which end early; none of them is `believed` yet.

        When it is time to stop, by `peek`, the tests that are left are not done; what is returned means nothing then.
        """
        shape = len(programs), len(self.examples.rows)
        covered, unfinished = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        lacking = np.zeros(len(programs), np.uint8)
        size = self.size_weight * programs[0].size
        watch = self.watch(bound - size)
        compiled = [self.evaluator.plans(program) for program in programs]
        threads = self.threads if self.threads is not None and self.threads.ready() else None
        threads = threads if len(programs) >= WORTH else None
        if covered.size:
            ends = ends_of_parts(shape[1], watch.looks)
            jobs = 1 if threads is None else threads.jobs
            self.many.begin(compiled, covered, unfinished, lacking, ends, watch.enough, STEPS, ASKING, jobs, peek)
            if threads is None:
                self.many.work_off(0)
            else:
                threads.run(self.many.work_off, self.many.pass_on)
        for number in np.flatnonzero(lacking).tolist():
            if peek is None or not peek():
                prover = Prover(compiled[number])
                covered[number], unfinished[number], _ = prover.cover_within(self.examples.rows, STEPS, watch)
        return self.tests(size, covered.view(np.bool_), unfinished.view(np.bool_))

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
