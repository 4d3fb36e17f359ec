"""A program's test on the examples of a task: what it covers, and what that costs."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic.programs import Program
from maxsynth.logic.tested import size_of
from maxsynth.proofs.evaluator import STEPS, Evaluator
from maxsynth.proofs.metrics import Confusion, Weights
from maxsynth.task.task import ReadTask


@dataclass(frozen=True)
class Evaluation:
    """A program's test on a task."""

    program: Program
    confusion: Confusion
    wrong: int  # what the false positives weigh
    missed: int  # what the false negatives weigh
    unfinished: int
    steps: int
    covered: tuple[NDArray[np.bool_], NDArray[np.bool_]] = field(repr=False, compare=False)  # positives, negatives
    size: int  # of the program, as the bias counts it
    weights: Weights = field(default_factory=Weights)

    @property
    def cost(self) -> int:
        weights = self.weights
        return weights.size * self.size + weights.fp * self.wrong + weights.fn * self.missed

    def to_dict(self) -> dict[str, object]:
        counts = self.confusion
        return {
            "program": [str(rule) for rule in self.program.rules],
            "size": self.size,
            "tp": counts.tp,
            "fn": counts.fn,
            "tn": counts.tn,
            "fp": counts.fp,
            "cost": self.cost,
            "weights": list(astuple(self.weights)),
            "accuracy": counts.accuracy,
            "balanced_accuracy": counts.balanced_accuracy,
            "precision": counts.precision,
            "recall": counts.recall,
            "unfinished": self.unfinished,
            "steps": self.steps,
        }


def evaluate_program(program: Program, task: ReadTask, steps: int = STEPS) -> Evaluation:
    """Tests a program on all examples of a task."""
    evaluator = Evaluator(task.background, task.bias.head, steps)
    result = evaluator.coverage(program, np.concatenate([task.positives.rows, task.negatives.rows]))
    pos, neg = np.split(result.covered, [len(task.positives)])
    tp, fp = int(pos.sum()), int(neg.sum())
    return Evaluation(
        program.executable(task.bias.directions),
        Confusion(tp, len(task.positives) - tp, len(task.negatives) - fp, fp),
        int(task.negatives.weights[neg].sum()),
        int(task.positives.weights[~pos].sum()),
        int(result.unfinished.sum()),
        result.steps,
        (pos, neg),
        size_of(program, task.bias.learned.tested),
    )
