"""Trains: Michalski's old puzzle. Some trains go east, the others west; what do those going east have in common?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from maxsynth.demos.generated import World

LENGTHS = ("short", "long")
ROOFS = ("open", "closed", "jagged")
LOADS = ("circle", "triangle", "rectangle", "nothing")

BIAS = """\
max_vars(5).
max_body(6).

head_pred(eastbound,1).
type(eastbound,(train,)).
direction(eastbound,(in,)).

body_pred(has_car,2).
type(has_car,(train,car)).
direction(has_car,(in,out)).

body_pred(before,2).
type(before,(car,car)).
direction(before,(in,out)).

body_pred(wheels,2).
type(wheels,(car,number)).
direction(wheels,(in,out)).

body_pred(two,1).
body_pred(three,1).
type(two,(number,)).
type(three,(number,)).
direction(two,(in,)).
direction(three,(in,)).

body_pred(P,1) :- property(P).
type(P,(car,)) :- property(P).
direction(P,(in,)) :- property(P).
property(short;long;open;closed;jagged;circle;triangle;rectangle).
"""

BK_RULES = """\
:- discontiguous([has_car/2, before/2, wheels/2, short/1, long/1, open/1, closed/1, jagged/1]).
:- discontiguous([circle/1, triangle/1, rectangle/1]).

two(2).
three(3).

"""

PROGRAM = "eastbound(A) :- has_car(A,B), short(B), closed(B), before(B,C), triangle(C)."


@dataclass(frozen=True)
class Car:
    length: str
    roof: str
    load: str
    wheels: int


Train = tuple[Car, ...]


def random_train(rng: random.Random) -> Train:
    return tuple(
        Car(rng.choice(LENGTHS), rng.choice(ROOFS), rng.choice(LOADS), rng.choice((2, 3)))
        for _ in range(rng.randint(2, 6))
    )


def follows_rule(train: Train) -> bool:
    return any(
        car.length == "short" and car.roof == "closed" and behind.load == "triangle" for car, behind in pairwise(train)
    )


def facts(train: Train, name: str) -> Iterator[str]:
    for number, car in enumerate(train):
        own = f"{name}_{number}"
        yield f"has_car({name},{own})"
        yield f"{car.length}({own})"
        yield f"{car.roof}({own})"
        yield f"wheels({own},{car.wheels})"
        if car.load != "nothing":
            yield f"{car.load}({own})"
        if number:
            yield f"before({name}_{number - 1},{own})"


WORLD = World(
    title="Trains: which ones go east?",
    story="A train has two to six cars, each with a length, a roof, wheels and a load.\n"
    "Some trains go east, the others west.",
    rule="a short closed car comes right before one that carries triangles",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    draw=random_train,
    follows_rule=follows_rule,
    facts=facts,
    atom=lambda train, name: f"eastbound({name})",
)
