"""Buttons and lights: one button switches the first of three lights, the others swap two of them; seven steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from maxsynth.bench.domains.games import Game

LIGHTS = "pqr"
BUTTONS = "abc"
STEPS = range(1, 8)
PROPOSITIONS = (*LIGHTS, *map(str, STEPS))

BIAS = """\
head_pred(next,2).
type(next,(ex,prop)).

body_pred(holds,2).
type(holds,(ex,prop)).

body_pred(fails,2).
type(fails,(ex,prop)).

body_pred(does,3).
type(does,(ex,agent,action)).

body_pred(may,2).
type(may,(agent,action)).

body_pred(role,1).
type(role,(agent,)).

body_pred(follows,2).
type(follows,(prop,prop)).

body_pred(P,1) :- constant(P,_).
type(P,(T,)) :- constant(P,T).
constant(is_p,prop). constant(is_q,prop). constant(is_r,prop).
constant(is_a,action). constant(is_b,action). constant(is_c,action).
"""
BK_RULES = """\
:- discontiguous([holds/2, fails/2, does/3]).

is_p(p). is_q(q). is_r(r).
is_a(a). is_b(b). is_c(c).
role(robot).
may(robot,a). may(robot,b). may(robot,c).
follows(2,1). follows(3,2). follows(4,3). follows(5,4). follows(6,5). follows(7,6).

"""
PROGRAM = """\
next(A,B) :- is_p(B), fails(A,B), does(A,C,D), role(C), is_a(D).
next(A,B) :- is_q(B), holds(A,B), does(A,C,D), role(C), is_a(D).
next(A,B) :- is_r(B), holds(A,B), does(A,C,D), role(C), is_a(D).
next(A,B) :- is_p(B), holds(A,C), is_q(C), does(A,D,E), role(D), is_b(E).
next(A,B) :- is_q(B), holds(A,C), is_p(C), does(A,D,E), role(D), is_b(E).
next(A,B) :- is_r(B), holds(A,B), does(A,C,D), role(C), is_b(D).
next(A,B) :- is_p(B), holds(A,B), does(A,C,D), role(C), is_c(D).
next(A,B) :- is_q(B), holds(A,C), is_r(C), does(A,D,E), role(D), is_c(E).
next(A,B) :- is_r(B), holds(A,C), is_q(C), does(A,D,E), role(D), is_c(E).
next(A,B) :- holds(A,C), follows(B,C)."""


@dataclass(frozen=True)
class Lights:
    """Which lights are on, and the step of the game."""

    p: bool = False
    q: bool = False
    r: bool = False
    step: int = 1

    def propositions(self) -> list[str]:
        on = [name for name, lit in zip(LIGHTS, (self.p, self.q, self.r), strict=True) if lit]
        return [*on, str(self.step)]


def moves(state: Lights) -> str:
    """All buttons, until the lights are all on or time is up."""
    over = (state.p and state.q and state.r) or state.step == STEPS[-1]
    return "" if over else BUTTONS


def after(state: Lights, button: str) -> Lights:
    p, q, r = state.p, state.q, state.r
    if button == "a":
        p = not p
    elif button == "b":
        p, q = q, p
    else:
        q, r = r, q
    return Lights(p, q, r, state.step + 1)


def facts(state: Lights, button: str, name: str) -> Iterator[str]:
    true = state.propositions()
    for proposition in PROPOSITIONS:
        yield f"{'holds' if proposition in true else 'fails'}({name},{proposition})"
    yield f"does({name},robot,{button})"


GAME: Game[Lights, str] = Game(
    story="Three lights and three buttons.",
    rule="a switches the first light, b swaps the first two, c the last two",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    start=Lights(),
    moves=moves,
    after=after,
    facts=facts,
    candidates=lambda name: (f"next({name},{proposition})" for proposition in PROPOSITIONS),
    holds=lambda state, name: [f"next({name},{proposition})" for proposition in state.propositions()],
    train=53,
    test=14,
)
