"""Minimal decay: a value goes down by one in each step, unless the player presses a button, which makes it five."""

from __future__ import annotations

from collections.abc import Iterator

from maxsynth.bench.domains.games import Game

TOP = 5
BIAS = """\
max_vars(7).
max_body(6).

head_pred(next_value,2).
type(next_value,(ex,int)).

body_pred(value,2).
type(value,(ex,int)).

body_pred(does,3).
type(does,(ex,agent,action)).

body_pred(follows,2).
type(follows,(int,int)).

body_pred(P,1) :- constant(P,_).
type(P,(T,)) :- constant(P,T).
constant(c0,int). constant(c1,int). constant(c2,int). constant(c3,int). constant(c4,int). constant(c5,int).
constant(is_player,agent).
constant(is_wait,action). constant(is_press,action).
"""
BK_RULES = """\
:- discontiguous([value/2, does/3]).

c0(0). c1(1). c2(2). c3(3). c4(4). c5(5).
is_player(player).
is_wait(wait).
is_press(press).
follows(0,1). follows(1,2). follows(2,3). follows(3,4). follows(4,5).

"""
PROGRAM = """\
next_value(A,B) :- does(A,C,D), is_player(C), is_press(D), c5(B).
next_value(A,B) :- value(A,C), follows(B,C), does(A,D,E), is_player(D), is_wait(E)."""

Value = int | None  # None: it has decayed away


def after(value: Value, move: str) -> Value:
    if move == "press":
        return TOP
    return None if value in (None, 0) else value - 1


def facts(value: Value, move: str, name: str) -> Iterator[str]:
    if value is not None:
        yield f"value({name},{value})"
    yield f"does({name},player,{move})"


GAME: Game[Value, str] = Game(
    story="A value decays step by step, unless a button is pressed.",
    rule="pressing makes it five, waiting makes it one less",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    start=0,
    moves=lambda value: ("wait", "press"),
    after=after,
    facts=facts,
    candidates=lambda name: (f"next_value({name},{value})" for value in range(TOP + 1)),
    holds=lambda value, name: [] if value is None else [f"next_value({name},{value})"],
    train=9,
    test=30,
    distinct=False,  # there are only 14 situations
)
