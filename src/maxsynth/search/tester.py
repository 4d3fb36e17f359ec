"""Testing programs on the examples, for a search."""

from __future__ import annotations

from maxsynth.evaluate import Evaluator
from maxsynth.logic import Program
from maxsynth.search.constraints import Outcome
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task import Task

STEPS = 5000  # for an example, on average, in the test of a program that calls itself


class Tester:
    """Tests programs on the examples, and counts."""

    def __init__(self, task: Task, examples: WeighedExamples, size_weight: int) -> None:
        self.evaluator = Evaluator(task.background, task.bias.head)
        self.examples = examples
        self.size_weight = size_weight
        self.tested = 0
        self.cut = 0  # programs that ran out of steps on an example

    def outcome(self, program: Program) -> Outcome:
        self.tested += 1
        coverage = self.evaluator.quick_coverage(program, self.examples.rows, STEPS)
        self.cut += bool(coverage.unfinished.any())
        pos, neg = self.examples.pos, self.examples.neg
        return Outcome(
            covered=coverage.covered,
            size=self.size_weight * program.size,
            pos=int(pos[coverage.covered].sum()),
            neg=int(neg[coverage.covered].sum()),
            most_pos=int(pos[coverage.covered | coverage.unfinished].sum()),
            missed=int(pos.sum()),
        )
