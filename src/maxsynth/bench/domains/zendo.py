"""Zendo with the four rules of the paper, of growing size, on the structures of the demo."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from maxsynth.demos import zendo
from maxsynth.demos.generated import World
from maxsynth.demos.zendo import Piece, Structure

SMALL, LARGE = 3, 7  # the largest small size, and the smallest large one


def pairs(structure: Structure) -> Iterator[tuple[Piece, Piece]]:
    """All pairs of pieces, those of a piece with itself included, as the variables of a rule may take them."""
    return ((one, other) for one in structure for other in structure)


def first(structure: Structure) -> bool:
    return any(
        one.colour == "blue" and one.size <= SMALL and one.touches(other) and other.colour == "red"
        for one, other in pairs(structure)
    )


def second(structure: Structure) -> bool:
    return {piece.colour for piece in structure} == set(zendo.COLOURS) or any(
        one.colour == "green" and other.orientation == "leaning_left" and one.column == other.column
        for one, other in pairs(structure)
    )


def third(structure: Structure) -> bool:
    return any(
        (one.colour == "blue" and other.colour == "red" and one.column == other.column)
        or (one.touches(other) and other.size >= LARGE and one.orientation == "leaning_right")
        or (one.touches(other) and other.size >= LARGE and one.orientation == "upright" and other.colour == "blue")
        for one, other in pairs(structure)
    )


def fourth(structure: Structure) -> bool:
    return any(
        (one.touches(other) and one.orientation == "upright" and other.orientation == "lying")
        or (one.touches(other) and one.row == other.row)
        or (one.touches(other) and one.colour == "red" and SMALL < other.size < LARGE)
        or (one.colour == "blue" and one.orientation == "leaning_left" and other.size <= SMALL)
        for one, other in pairs(structure)
    )


def world(rule: str, follows_rule: Callable[[Structure], bool], program: str) -> World[Structure]:
    return dataclasses.replace(zendo.WORLD, rule=rule, follows_rule=follows_rule, program=program, train=200, test=2000)


ZENDO1 = world(
    "a small blue piece touches a red one",
    first,
    "zendo(A) :- piece(A,B), blue(B), size(B,C), small(C), contact(B,D), red(D).",
)
ZENDO2 = world(
    "there are pieces of all colours, or a green piece and one leaning left in the same column",
    second,
    """\
zendo(A) :- piece(A,B), red(B), piece(A,C), green(C), piece(A,D), blue(D).
zendo(A) :- piece(A,B), green(B), column(B,C), piece(A,D), leaning_left(D), column(D,C).""",
)
ZENDO3 = world(
    "a blue and a red piece are in the same column, or a piece that leans right touches a large one, "
    "or an upright piece touches a large blue one",
    third,
    """\
zendo(A) :- piece(A,B), blue(B), column(B,C), piece(A,D), red(D), column(D,C).
zendo(A) :- piece(A,B), leaning_right(B), contact(B,C), size(C,D), large(D).
zendo(A) :- piece(A,B), upright(B), contact(B,C), blue(C), size(C,D), large(D).""",
)
ZENDO4 = world(
    "an upright piece touches a lying one, or two pieces touch in a row, or a red piece touches a medium one, "
    "or there are a blue piece that leans left and a small one",
    fourth,
    """\
zendo(A) :- piece(A,B), upright(B), contact(B,C), lying(C).
zendo(A) :- piece(A,B), contact(B,C), row(B,D), row(C,D).
zendo(A) :- piece(A,B), red(B), contact(B,C), size(C,D), medium(D).
zendo(A) :- piece(A,B), blue(B), leaning_left(B), piece(A,C), size(C,D), small(D).""",
)
