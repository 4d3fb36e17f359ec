"""A generated task: its files, and what a learner is not told, the hidden rule and which labels are wrong."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from maxsynth.files import write_folder


@dataclass(frozen=True)
class Example:
    """An example, with its true label and with the one that the learner is given."""

    atom: str
    true: bool
    given: bool

    def __str__(self) -> str:
        return f"{'pos' if self.given else 'neg'}({self.atom})."


@dataclass(frozen=True)
class GeneratedTask:
    """A task to write to a folder; the examples and BK of the test are others than those of the training."""

    story: str  # what the task is about, in a few sentences
    rule: str  # the hidden rule, in words
    program: str  # and as a program
    bias: str
    bk: str
    examples: Sequence[Example]
    test_bk: str
    test_examples: Sequence[Example]

    @property
    def flipped(self) -> int:
        """How many training labels are wrong."""
        return sum(example.true != example.given for example in self.examples)

    def write(self, folder: Path) -> None:
        """Writes the task's files into a folder that is new or empty."""
        write_folder(folder, self.files())

    def files(self) -> dict[str, str]:
        return {
            "bias.pl": self.bias,
            "bk.pl": self.bk,
            "exs.pl": lines(self.examples),
            "test/bk.pl": self.test_bk,
            "test/exs.pl": lines(self.test_examples),
        }


def lines(items: Sequence[object]) -> str:
    return "".join(f"{item}\n" for item in items)


def flip_labels(labels: Sequence[bool], percent: float, rng: random.Random) -> list[bool]:
    """The labels with that share of them, to the nearest example, made wrong."""
    wrong = set(rng.sample(range(len(labels)), round(len(labels) * percent / 100)))
    return [label != (number in wrong) for number, label in enumerate(labels)]
