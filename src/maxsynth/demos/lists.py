"""List programs: which element of a list is it? The background computes with lists, in Prolog."""

from __future__ import annotations

import random
from dataclasses import dataclass

from maxsynth.demos.generated import World

BIAS = """\
max_vars(5).
max_body(4).

head_pred(pick,2).
type(pick,(list,element)).
direction(pick,(in,out)).

body_pred(first,2).
type(first,(list,element)).
direction(first,(in,out)).

body_pred(last,2).
type(last,(list,element)).
direction(last,(in,out)).

body_pred(rest,2).
type(rest,(list,list)).
direction(rest,(in,out)).

body_pred(reversed,2).
type(reversed,(list,list)).
direction(reversed,(in,out)).

body_pred(even,1).
type(even,(element,)).
direction(even,(in,)).
"""

BK_RULES = """\
first([X|_], X).
rest([_|R], R).
last(L, X) :- append(_, [X], L).
reversed(L, R) :- reverse(L, R).
even(N) :- 0 is N mod 2.
"""

PROGRAM = "pick(A,B) :- reversed(A,C), rest(C,D), rest(D,E), first(E,B)."


@dataclass(frozen=True)
class Pick:
    numbers: tuple[int, ...]
    element: int


def random_pick(rng: random.Random) -> Pick:
    numbers = tuple(rng.randint(1, 20) for _ in range(rng.randint(3, 8)))
    right = rng.random() < 0.5
    return Pick(numbers, numbers[-3] if right else rng.choice(numbers))


def follows_rule(pick: Pick) -> bool:
    return pick.numbers[-3] == pick.element


WORLD = World(
    title="List programs: which element of the list is it?",
    story="There are lists of numbers, each with one of its elements.\n"
    "Of some elements it is said that they are the right ones.",
    rule="it is the third from the end",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    draw=random_pick,
    follows_rule=follows_rule,
    facts=lambda pick, name: (),
    atom=lambda pick, name: f"pick([{','.join(map(str, pick.numbers))}],{pick.element})",
    train=120,
)
