"""A generated task: its files, and what a learner is not told, the hidden rule and which labels are wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from maxsynth.files import write_folder

Thing = TypeVar("Thing")


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


def balanced(
    rng: random.Random, count: int, draw: Callable[[random.Random], Thing], rule: Callable[[Thing], bool]
) -> list[Thing]:
    """Random things, in random order, half of which follow the rule (of an odd count, one more does not)."""
    wanted = {True: count // 2, False: count - count // 2}
    found: list[Thing] = []
    while len(found) < count:
        thing = draw(rng)
        side = rule(thing)
        if wanted[side]:
            wanted[side] -= 1
            found.append(thing)
    rng.shuffle(found)  # at the end, only one side was still wanted
    return found


@dataclass(frozen=True)
class World(Generic[Thing]):
    """A kind of tasks: how to draw a thing, what the hidden rule says of it, and the facts about it under a name."""

    title: str  # what is to be found, in a line
    story: str
    rule: str
    program: str
    bias: str
    bk_rules: str  # BK that is not about one thing
    draw: Callable[[random.Random], Thing]
    follows_rule: Callable[[Thing], bool]
    facts: Callable[[Thing, str], Iterable[str]]
    atom: Callable[[Thing, str], str]
    train: int = 200
    test: int = 500

    def make(
        self, seed: int = 1, noise: float = 20, train: int | None = None, test: int | None = None
    ) -> GeneratedTask:
        """A task with half the things on either side of the rule, and `noise` percent of the training labels wrong."""
        rng = random.Random(seed)
        training = balanced(rng, train or self.train, self.draw, self.follows_rule)
        testing = balanced(rng, test or self.test, self.draw, self.follows_rule)
        given = flip_labels([self.follows_rule(thing) for thing in training], noise, rng)
        return GeneratedTask(
            story=self.story,
            rule=self.rule,
            program=self.program,
            bias=self.bias,
            bk=self.bk_rules + self.background(training, "s"),
            examples=self.examples(training, "s", given),
            test_bk=self.bk_rules + self.background(testing, "t"),
            test_examples=self.examples(testing, "t", [self.follows_rule(thing) for thing in testing]),
        )

    def background(self, things: Sequence[Thing], prefix: str) -> str:
        """The facts about things that are named by the prefix and their numbers."""
        facts = (fact for number, thing in enumerate(things) for fact in self.facts(thing, f"{prefix}{number}"))
        return "".join(f"{fact}.\n" for fact in facts)

    def examples(self, things: Sequence[Thing], prefix: str, given: Sequence[bool]) -> list[Example]:
        return [
            Example(self.atom(thing, f"{prefix}{number}"), self.follows_rule(thing), label)
            for number, (thing, label) in enumerate(zip(things, given, strict=True))
        ]
