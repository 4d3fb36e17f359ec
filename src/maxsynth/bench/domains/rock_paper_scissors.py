"""Rock, paper, scissors: two players, three rounds, a point for whoever beats the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maxsynth.bench.domains.games import Game

GESTURES = ("rock", "paper", "scissors")  # each beats the one before it, in a circle
PLAYERS = ("p1", "p2")
ROUNDS = 3

BIAS = """\
max_vars(7).
max_body(6).

head_pred(next_score,3).
type(next_score,(ex,player,int)).

body_pred(score,3).
type(score,(ex,player,int)).

body_pred(does,3).
type(does,(ex,player,gesture)).

body_pred(beats,2).
type(beats,(gesture,gesture)).

body_pred(follows,2).
type(follows,(int,int)).

body_pred(different,2).
type(different,(player,player)).

body_pred(player,1).
type(player,(player,)).
"""
BK_RULES = """\
:- discontiguous([score/3, does/3]).

beats(paper,rock). beats(scissors,paper). beats(rock,scissors).
follows(1,0). follows(2,1). follows(3,2).
different(p1,p2). different(p2,p1).
player(p1). player(p2).

"""
PROGRAM = """\
next_score(A,B,C) :- score(A,B,D), follows(C,D), does(A,B,E), does(A,F,G), different(B,F), beats(E,G).
next_score(A,B,C) :- score(A,B,C), does(A,B,D), does(A,E,F), different(B,E), beats(F,D).
next_score(A,B,C) :- score(A,B,C), does(A,B,D), does(A,E,D), different(B,E)."""


@dataclass(frozen=True)
class Score:
    """The points of each player, and how many rounds were played."""

    points: tuple[int, int] = (0, 0)
    rounds: int = 0


Shown = tuple[str, str]


def moves(score: Score) -> Sequence[Shown]:
    return [] if score.rounds == ROUNDS else [(one, other) for one in GESTURES for other in GESTURES]


def beats(one: str, other: str) -> bool:
    return (GESTURES.index(one) - GESTURES.index(other)) % 3 == 1


def after(score: Score, shown: Shown) -> Score:
    one, other = score.points
    return Score((one + beats(*shown), other + beats(*shown[::-1])), score.rounds + 1)


def facts(score: Score, shown: Shown, name: str) -> Iterator[str]:
    for player, points, gesture in zip(PLAYERS, score.points, shown, strict=True):
        yield f"score({name},{player},{points})"
        yield f"does({name},{player},{gesture})"


GAME: Game[Score, Shown] = Game(
    story="Two players show rock, paper or scissors, three times.",
    rule="who beats the other has one more point; otherwise the points stay",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    start=Score(),
    moves=moves,
    after=after,
    facts=facts,
    candidates=lambda name: (
        f"next_score({name},{player},{points})" for player in PLAYERS for points in range(ROUNDS + 1)
    ),
    holds=lambda score, name: [
        f"next_score({name},{player},{points})" for player, points in zip(PLAYERS, score.points, strict=True)
    ],
    train=58,
    test=16,
)
