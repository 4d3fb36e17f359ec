"""What is counted of a program on examples, and the measures made from the counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Confusion:
    """The four counts. A measure whose denominator is zero is None: there is nothing to measure."""

    tp: int
    fn: int
    tn: int
    fp: int

    @property
    def accuracy(self) -> float | None:
        return ratio(self.tp + self.tn, self.tp + self.fn + self.tn + self.fp)

    @property
    def recall(self) -> float | None:
        return ratio(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> float | None:
        return ratio(self.tn, self.tn + self.fp)

    @property
    def precision(self) -> float | None:
        return ratio(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of the shares of positives and of negatives that are right; of one side when only that is there."""
        sides = [side for side in (self.recall, self.specificity) if side is not None]
        return sum(sides) / len(sides) if sides else None


def ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class Weights:
    """What a literal, a false positive and a false negative cost."""

    size: int = 1
    fp: int = 1
    fn: int = 1
