"""The demos by name."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Protocol

from maxsynth.demos import game, kinship, lists, molecules, textbook, trains, zendo
from maxsynth.demos.generated import GeneratedTask


class Demo(Protocol):
    """A kind of tasks with a hidden program."""

    @property
    def title(self) -> str:
        """What is to be found, in a line."""

    @property
    def program(self) -> str:
        """The hidden program."""

    def make(self, seed: int, noise: float) -> GeneratedTask: ...


@dataclass(frozen=True)
class Recursive:
    """One of the textbook tasks whose program calls itself."""

    title: str
    story: str
    book: textbook.Textbook

    @property
    def program(self) -> str:
        return self.book.program

    def make(self, seed: int, noise: float) -> GeneratedTask:
        return dataclasses.replace(self.book.make(seed, noise), story=self.story)


WORLDS: dict[str, Demo] = {
    "kinship": kinship.WORLD,
    "trains": trains.WORLD,
    "zendo": zendo.WORLD,
    "game": game.WORLD,
    "lists": lists.WORLD,
    "molecules": molecules.WORLD,
    "last": Recursive(
        "List programs: which element is it, however long the list? (recursion)",
        "There are lists of numbers, of all lengths, each with an element.\n"
        "A program may only look at the first element, and at the rest of the list.",
        textbook.TASKS["last"],
    ),
    "path": Recursive(
        "Graphs: which pairs of nodes? (recursion)",
        "There is a graph, and there are pairs of its nodes.",
        textbook.TASKS["path"],
    ),
}
