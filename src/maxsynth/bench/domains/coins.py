"""Eight coins in a row: a coin jumps over two coins, to the left or to the right, onto a single one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maxsynth.bench.domains.games import Game

PLACES = range(1, 9)
COUNTS = ("zero", "one", "two")

BIAS = """\
max_body(5).

head_pred(next_cell,3).
type(next_cell,(ex,place,coins)).

body_pred(cell,3).
type(cell,(ex,place,coins)).

body_pred(jump,4).
type(jump,(ex,agent,place,place)).

body_pred(role,1).
type(role,(agent,)).

body_pred(place,1).
type(place,(place,)).

body_pred(follows,2).
type(follows,(place,place)).

body_pred(different,2).
type(different,(place,place)).

body_pred(P,1) :- count(P).
type(P,(coins,)) :- count(P).
count(is_zero;is_one;is_two).
"""
BK_RULES = (
    """\
:- discontiguous([cell/3, jump/4]).

role(you).
is_zero(zero). is_one(one). is_two(two).
"""
    + "".join(f"place({place}).\n" for place in PLACES)
    + "".join(f"follows({place + 1},{place}).\n" for place in PLACES[:-1])
    + "".join(f"different({one},{other}).\n" for one in PLACES for other in PLACES if one != other)
    + "\n"
)
PROGRAM = """\
next_cell(A,B,C) :- cell(A,B,C), jump(A,D,E,F), role(D), different(B,E), different(B,F).
next_cell(A,B,C) :- jump(A,D,B,E), role(D), place(E), is_zero(C).
next_cell(A,B,C) :- jump(A,D,E,B), role(D), place(E), is_two(C)."""

Row = tuple[int, ...]  # how many coins are on each place
Jump = tuple[int, int]


def moves(row: Row) -> Sequence[Jump]:
    """Jumps from a single coin to a single coin with two coins between them."""
    singles = [place for place in PLACES if row[place - 1] == 1]
    return [
        (start, end)
        for start in singles
        for end in singles
        if start != end and sum(row[min(start, end) : max(start, end) - 1]) == 2
    ]


def after(row: Row, jump: Jump) -> Row:
    changed = {jump[0]: 0, jump[1]: 2}
    return tuple(changed.get(place, row[place - 1]) for place in PLACES)


def cells(row: Row, name: str, predicate: str) -> list[str]:
    return [f"{predicate}({name},{place},{COUNTS[row[place - 1]]})" for place in PLACES]


def facts(row: Row, jump: Jump, name: str) -> Iterator[str]:
    yield from cells(row, name, "cell")
    yield f"jump({name},you,{jump[0]},{jump[1]})"


GAME: Game[Row, Jump] = Game(
    story="Eight coins lie in a row, and are to be made four pairs.",
    rule="a jump leaves nothing behind and makes a pair; all other coins stay",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    start=(1,) * len(PLACES),
    moves=moves,
    after=after,
    facts=facts,
    candidates=lambda name: (f"next_cell({name},{place},{count})" for place in PLACES for count in COUNTS),
    holds=lambda row, name: cells(row, name, "next_cell"),
    train=106,
    test=27,
    distinct=False,  # there are not that many
)
