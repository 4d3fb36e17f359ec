"""Programs on lists of numbers, which are recursive: drop k elements, all even, reverse, sorted."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from maxsynth.demos.generated import World

MAX_LENGTH = 50
MAX_NUMBER = 100

BIAS = """
max_vars(5).
max_body(5).
max_clauses(3).
enable_recursion.

body_pred(head,2).
type(head,(list,element)).
direction(head,(in,out)).

body_pred(tail,2).
type(tail,(list,list)).
direction(tail,(in,out)).

body_pred(empty,1).
type(empty,(list,)).
direction(empty,(in,)).

body_pred(geq,2).
type(geq,(element,element)).
direction(geq,(in,in)).

body_pred(decrement,2).
type(decrement,(element,element)).
direction(decrement,(in,out)).

body_pred(zero,1).
type(zero,(element,)).
direction(zero,(out,)).

body_pred(P,1) :- test(P).
type(P,(element,)) :- test(P).
direction(P,(in,)) :- test(P).
test(even;odd;one).
"""
BUILDING_BIAS = """
body_pred(empty_out,1).
type(empty_out,(list,)).
direction(empty_out,(out,)).

body_pred(add_last,3).
type(add_last,(list,element,list)).
direction(add_last,(in,in,out)).
"""
BK_RULES = """\
head([H|_], H).
tail([_|T], T).
empty([]).
empty_out([]).
add_last(L, X, R) :- append(L, [X], R).
geq(A, B) :- A >= B.
decrement(A, B) :- A > 0, B is A - 1.
zero(0).
one(1).
even(N) :- 0 is N mod 2.
odd(N) :- 1 is N mod 2.
"""


@dataclass(frozen=True)
class Call:
    """The arguments of an example, and whether it is true."""

    arguments: tuple[int | tuple[int, ...], ...]
    true: bool


def random_list(rng: random.Random, shortest: int = 1) -> tuple[int, ...]:
    return tuple(rng.randint(1, MAX_NUMBER) for _ in range(rng.randint(shortest, MAX_LENGTH)))


def drop(rng: random.Random) -> Call:
    """The wrong answers drop another number of elements."""
    numbers = random_list(rng, 2)
    asked = rng.randint(1, len(numbers))
    dropped = asked if rng.random() < 0.5 else rng.randint(0, len(numbers))
    return Call((numbers, asked, numbers[dropped:]), dropped == asked)


def evens(rng: random.Random) -> Call:
    numbers = random_list(rng)
    if rng.random() < 0.5:
        numbers = tuple(number + number % 2 for number in numbers)
    return Call((numbers,), all(number % 2 == 0 for number in numbers))


def reverse(rng: random.Random) -> Call:
    """The wrong answers are the same numbers in another order."""
    numbers = random_list(rng, 2)
    answer = numbers[::-1] if rng.random() < 0.5 else tuple(rng.sample(numbers, len(numbers)))
    return Call((numbers, answer), answer == numbers[::-1])


def in_order(rng: random.Random) -> Call:
    numbers = random_list(rng)
    if rng.random() < 0.5:
        numbers = tuple(sorted(numbers))
    return Call((numbers,), numbers == tuple(sorted(numbers)))


def text(argument: int | tuple[int, ...]) -> str:
    return str(argument) if isinstance(argument, int) else f"[{','.join(map(str, argument))}]"


def world(rule: str, draw: Callable[[random.Random], Call], head: str, program: str) -> World[Call]:
    return World(
        title=rule,
        story="Lists of numbers, and a recursive program.",
        rule=rule,
        program=program,
        bias=head + BIAS + (BUILDING_BIAS if "add_last" in program else ""),
        bk_rules=BK_RULES,
        draw=draw,
        follows_rule=lambda call: call.true,
        facts=lambda call, name: (),
        atom=lambda call, name: f"f({','.join(map(text, call.arguments))})",
        train=200,
        test=2000,
    )


DROPK = world(
    "C is A without its first B elements",
    drop,
    "head_pred(f,3).\ntype(f,(list,element,list)).\ndirection(f,(in,in,out)).\n",
    "f(A,B,C) :- one(B), tail(A,C).\nf(A,B,C) :- decrement(B,D), tail(A,E), f(E,D,C).",
)
EVENS = world(
    "all elements are even",
    evens,
    "head_pred(f,1).\ntype(f,(list,)).\ndirection(f,(in,)).\n",
    "f(A) :- empty(A).\nf(A) :- head(A,B), even(B), tail(A,C), f(C).",
)
REVERSE = world(
    "B is A reversed",
    reverse,
    "head_pred(f,2).\ntype(f,(list,list)).\ndirection(f,(in,out)).\n",
    "f(A,B) :- empty(A), empty_out(B).\nf(A,B) :- head(A,C), tail(A,D), f(D,E), add_last(E,C,B).",
)
SORTED = world(
    "the elements are in order",
    in_order,
    "head_pred(f,1).\ntype(f,(list,)).\ndirection(f,(in,)).\n",
    "f(A) :- tail(A,B), empty(B).\nf(A) :- head(A,B), tail(A,C), head(C,D), geq(D,B), f(C).",
)
