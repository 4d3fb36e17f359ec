"""The rules of a game, from watching it: rock, paper, scissors, lizard, spock."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from maxsynth.demos.generated import World

# Each beats the next one, and the one three places on.
GESTURES = ("rock", "scissors", "lizard", "paper", "spock")

BIAS = """\
max_vars(6).
max_body(4).

head_pred(scores,2).
type(scores,(round,player)).

body_pred(shows,3).
type(shows,(round,player,gesture)).

body_pred(beats,2).
type(beats,(gesture,gesture)).

body_pred(next_to,2).
type(next_to,(player,player)).

body_pred(P,1) :- gesture(P).
type(P,(gesture,)) :- gesture(P).
gesture(rock;paper;scissors;lizard;spock).
"""

PROGRAM = "scores(A,B) :- shows(A,B,C), next_to(B,D), shows(A,D,E), beats(C,E)."


@dataclass(frozen=True)
class Round:
    """What each player around the table shows, and which of them is looked at."""

    gestures: tuple[str, ...]
    player: int


def random_round(rng: random.Random) -> Round:
    gestures = tuple(rng.choice(GESTURES) for _ in range(rng.randint(3, 5)))
    return Round(gestures, rng.randrange(len(gestures)))


def beats(one: str, other: str) -> bool:
    return (GESTURES.index(other) - GESTURES.index(one)) % 5 in (1, 3)


def neighbour(game: Round, player: int) -> int:
    return (player + 1) % len(game.gestures)


def follows_rule(game: Round) -> bool:
    return beats(game.gestures[game.player], game.gestures[neighbour(game, game.player)])


def facts(game: Round, name: str) -> Iterator[str]:
    for player, gesture in enumerate(game.gestures):
        yield f"shows({name},{name}_p{player},{name}_{gesture}{player})"
        yield f"{gesture}({name}_{gesture}{player})"
        yield f"next_to({name}_p{player},{name}_p{neighbour(game, player)})"
    for one, first in enumerate(game.gestures):
        for other, second in enumerate(game.gestures):
            if beats(first, second):
                yield f"beats({name}_{first}{one},{name}_{second}{other})"


WORLD = World(
    title="Game rules: who scores in rock, paper, scissors, lizard, spock?",
    story="Three to five players sit around a table, and each shows rock, paper, scissors, lizard or spock.\n"
    "In each round, some of them score.",
    rule="what the player shows beats what the next one shows",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=":- discontiguous([shows/3, next_to/2, beats/2, rock/1, paper/1, scissors/1, lizard/1, spock/1]).\n\n",
    draw=random_round,
    follows_rule=follows_rule,
    facts=facts,
    atom=lambda game, name: f"scores({name},{name}_p{game.player})",
)
