"""What a search does, one thing after the other: the places in Algorithm 1 at which it can be saved, and go on."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """What comes next."""

    BEGIN = "begin"
    LOOK_AROUND = "look around"  # a first look, which is a dive
    DIVE = "dive"  # the next size of a dive ...
    DIVED = "dived"  # ... and what it found
    SET_UP = "set up"  # what generates and combines
    TURN = "turn"  # whose turn it is
    PROGRAMS = "programs"  # that call themselves, of the next size
    LOOK_FURTHER = "look further"
    PRICE = "price"  # the known rules
    LAST_RULES = "last rules"  # by what they can save
    RULES = "rules"  # of the next size ...
    PROMISING = "promising"  # ... and what they make with the others
    BOUND = "bound"  # what any program costs at least
    FEWER = "fewer"  # rules, by what they can save, where there are too many
    COMBINE = "combine"
    WIDEN = "widen"  # the rules of what is proven
    PROVEN = "proven"
