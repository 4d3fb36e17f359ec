"""Learning the rules of a game from watching it, as in inductive general game playing (IGGP).

A game is played at random, and what is seen are *observations*: a state and the move that is made in it. The examples
are all atoms that could hold in the next state; those that do are positive, by the closed world all others are
negative. Observations are distinct, so that the test has others than the training, but for games with too few of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from maxsynth.demos.generated import Example, GeneratedTask, flip_labels
from maxsynth.errors import MaxSynthError

State = TypeVar("State")
Move = TypeVar("Move")

MAX_PLAYS = 2_000

# The examples are about many games at once: a rule must not mix them.
ONE_STATE = """
:- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} != 1.
"""


@dataclass(frozen=True)
class Game(Generic[State, Move]):
    """A game: its rules in Python and as the program to be learned, and what is told about a state and a move."""

    story: str
    rule: str
    program: str
    bias: str
    bk_rules: str
    start: State
    moves: Callable[[State], Sequence[Move]]  # the legal ones; none when the game is over
    after: Callable[[State, Move], State]
    facts: Callable[[State, Move, str], Iterable[str]]  # about a state, by its name, and the move made in it
    candidates: Callable[[str], Iterable[str]]  # the atoms that could hold after a named state ...
    holds: Callable[[State, str], Iterable[str]]  # ... and those that do, given what the next state is
    train: int  # observations
    test: int
    length: int = 20  # moves of a play at most
    distinct: bool = True  # whether an observation counts once

    def make(self, seed: int = 1, noise: float = 0, train: int | None = None, test: int | None = None) -> GeneratedTask:
        """A task with `noise` percent of the training labels wrong; `train` and `test` count observations."""
        rng = random.Random(seed)
        train, test = train or self.train, test or self.test
        seen = self.observe(rng, train + test)
        training, testing = seen[:train], seen[train:]
        labelled, clean = self.labelled(training, "s", rng), self.labelled(testing, "t", rng)
        given = flip_labels([label for _, label in labelled], noise, rng)
        return GeneratedTask(
            story=self.story,
            rule=self.rule,
            program=self.program,
            bias=self.bias + ONE_STATE,
            bk=self.bk_rules + self.background(training, "s"),
            examples=[Example(atom, true, label) for (atom, true), label in zip(labelled, given, strict=True)],
            test_bk=self.bk_rules + self.background(testing, "t"),
            test_examples=[Example(atom, true, true) for atom, true in clean],
        )

    def observe(self, rng: random.Random, count: int) -> list[tuple[State, Move]]:
        """Observations from random plays, in random order."""
        seen: list[tuple[State, Move]] = []
        for _ in range(MAX_PLAYS):
            seen += self.play(rng)
            if self.distinct:
                seen = list(dict.fromkeys(seen))
            if len(seen) >= count:
                rng.shuffle(seen)
                return seen[:count]
        raise MaxSynthError(f"this game has no {count} different situations", remedy="ask for fewer")

    def play(self, rng: random.Random) -> Iterator[tuple[State, Move]]:
        state = self.start
        for _ in range(self.length):
            moves = self.moves(state)
            if not moves:
                return
            move = rng.choice(moves)
            yield state, move
            state = self.after(state, move)

    def labelled(self, seen: Sequence[tuple[State, Move]], prefix: str, rng: random.Random) -> list[tuple[str, bool]]:
        """All atoms about the next states, and whether they hold, in random order."""
        atoms = []
        for number, (state, move) in enumerate(seen):
            name = f"{prefix}{number}"
            true = set(self.holds(self.after(state, move), name))
            atoms += [(atom, atom in true) for atom in self.candidates(name)]
        rng.shuffle(atoms)
        return atoms

    def background(self, seen: Sequence[tuple[State, Move]], prefix: str) -> str:
        named = ((f"{prefix}{number}", state, move) for number, (state, move) in enumerate(seen))
        return "".join(f"{fact}.\n" for name, state, move in named for fact in self.facts(state, move, name))
