"""Zendo: structures of a few pieces on a table, and a secret rule that some of them follow.

In the game, one player thinks of a rule about structures of coloured pieces, such as "some piece is red". The others
see structures that follow the rule and structures that do not, and have to guess it. Here a structure has up to five
pieces, each with a colour, a size, an orientation and a place on a board; pieces on neighbouring places touch. To make
it harder, some of the given labels are wrong.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from maxsynth.demos.generated import World

COLOURS = ("red", "green", "blue")
ORIENTATIONS = ("upright", "leaning_left", "leaning_right", "lying")
SIZES = range(1, 10)  # up to 3 is small, up to 6 medium, from 7 on large
BOARD = 10  # places in each direction
MAX_PIECES = 5
TOUCHING = 0.6  # how often a piece is put next to one that is there already

BIAS = """\
max_vars(5).
max_body(6).

head_pred(zendo,1).
type(zendo,(structure,)).
direction(zendo,(in,)).

body_pred(piece,2).
type(piece,(structure,piece)).
direction(piece,(in,out)).

body_pred(contact,2).
type(contact,(piece,piece)).
direction(contact,(in,out)).

body_pred(size,2).
type(size,(piece,number)).
direction(size,(in,out)).

body_pred(column,2).
type(column,(piece,number)).
direction(column,(in,out)).

body_pred(row,2).
type(row,(piece,number)).
direction(row,(in,out)).

body_pred(P,1) :- colour(P).
body_pred(P,1) :- orientation(P).
type(P,(piece,)) :- colour(P).
type(P,(piece,)) :- orientation(P).
direction(P,(in,)) :- colour(P).
direction(P,(in,)) :- orientation(P).
colour(red;green;blue).
orientation(upright;leaning_left;leaning_right;lying).

body_pred(P,1) :- extent(P).
type(P,(number,)) :- extent(P).
direction(P,(in,)) :- extent(P).
extent(small;medium;large).
"""

BK_RULES = """\
:- discontiguous([piece/2, contact/2, size/2, column/2, row/2, red/1, green/1, blue/1]).
:- discontiguous([upright/1, leaning_left/1, leaning_right/1, lying/1]).

small(N) :- N =< 3.
medium(N) :- N > 3, N =< 6.
large(N) :- N > 6.

"""

STORY = (
    "A structure has up to five pieces, each with a colour, a size, an orientation and a place on a board.\n"
    "Some structures follow a secret rule, others do not."
)
RULE = "a blue piece touches a large red one"
PROGRAM = "zendo(A) :- piece(A,B), blue(B), contact(B,C), red(C), size(C,D), large(D)."


@dataclass(frozen=True)
class Piece:
    colour: str
    size: int
    orientation: str
    column: int
    row: int

    def touches(self, other: Piece) -> bool:
        return abs(self.column - other.column) + abs(self.row - other.row) == 1


Structure = tuple[Piece, ...]


def follows_rule(structure: Structure) -> bool:
    """`RULE`, said in Python: what `PROGRAM` says in logic."""
    return any(
        piece.colour == "blue" and piece.touches(other) and other.colour == "red" and other.size > 6
        for piece in structure
        for other in structure
    )


# -- structures ---------------------------------------------------------------------------------------------


def random_structure(rng: random.Random) -> Structure:
    pieces: list[Piece] = []
    for _ in range(rng.randint(1, MAX_PIECES)):
        column, row = free_place(rng, pieces)
        pieces.append(Piece(rng.choice(COLOURS), rng.choice(SIZES), rng.choice(ORIENTATIONS), column, row))
    return tuple(pieces)


def free_place(rng: random.Random, pieces: list[Piece]) -> tuple[int, int]:
    """A place that no piece takes: often next to another piece, otherwise anywhere."""
    taken = {(piece.column, piece.row) for piece in pieces}
    while True:
        if pieces and rng.random() < TOUCHING:
            beside = rng.choice(pieces)
            step_column, step_row = rng.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
            place = beside.column + step_column, beside.row + step_row
        else:
            place = rng.randint(1, BOARD), rng.randint(1, BOARD)
        if place not in taken and all(1 <= coordinate <= BOARD for coordinate in place):
            return place


def facts(structure: Structure, name: str) -> Iterator[str]:
    names = [f"{name}_{number}" for number in range(len(structure))]
    for piece, own in zip(structure, names, strict=True):
        yield f"piece({name},{own})"
        yield f"{piece.colour}({own})"
        yield f"{piece.orientation}({own})"
        yield f"size({own},{piece.size})"
        yield f"column({own},{piece.column})"
        yield f"row({own},{piece.row})"
    for piece, own in zip(structure, names, strict=True):
        for other, theirs in zip(structure, names, strict=True):
            if piece.touches(other):
                yield f"contact({own},{theirs})"


WORLD = World(
    title="Zendo: which structures of coloured pieces follow the secret rule?",
    story=STORY,
    rule=RULE,
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    draw=random_structure,
    follows_rule=follows_rule,
    facts=facts,
    atom=lambda structure, name: f"zendo({name})",
)
make = WORLD.make
