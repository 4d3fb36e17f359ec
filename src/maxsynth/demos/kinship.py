"""Kinship: families of three generations, and who is whose aunt."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from maxsynth.demos.generated import World

BIAS = """\
max_vars(4).
max_body(4).

head_pred(aunt,2).
type(aunt,(person,person)).

body_pred(mother,2).
body_pred(father,2).
body_pred(parent,2).
body_pred(sister,2).
body_pred(brother,2).
type(mother,(person,person)).
type(father,(person,person)).
type(parent,(person,person)).
type(sister,(person,person)).
type(brother,(person,person)).
"""

BK_RULES = """\
:- discontiguous([mother/2, father/2, sister/2, brother/2]).

parent(X,Y) :- mother(X,Y).
parent(X,Y) :- father(X,Y).

"""

PROGRAM = "aunt(A,B) :- sister(A,C), parent(C,B)."


@dataclass(frozen=True)
class Family:
    """Two grandparents, their children (whether each is a woman), and the children of each with somebody from outside.

    `asked` are the two people of the example: (generation, number) each.
    """

    women: tuple[bool, ...]
    grandchildren: tuple[tuple[bool, ...], ...]
    asked: tuple[tuple[int, int], tuple[int, int]]

    def parent_of(self, grandchild: int) -> int:
        for parent, children in enumerate(self.grandchildren):
            if grandchild < len(children):
                return parent
            grandchild -= len(children)
        raise IndexError(grandchild)


def random_family(rng: random.Random) -> Family:
    women = tuple(rng.random() < 0.5 for _ in range(rng.randint(2, 4)))
    grandchildren = tuple(tuple(rng.random() < 0.5 for _ in range(rng.randint(1, 2))) for _ in women)
    people = [(0, i) for i in range(2)] + [(1, i) for i in range(len(women))]
    people += [(2, i) for i in range(sum(map(len, grandchildren)))]
    older, younger = rng.sample(people, 2)
    if rng.random() < 0.5:  # often enough an aunt or an uncle, or a parent
        older, younger = (1, rng.randrange(len(women))), (2, rng.randrange(sum(map(len, grandchildren))))
    return Family(women, grandchildren, (older, younger))


def follows_rule(family: Family) -> bool:
    (older, number), (younger, child) = family.asked
    return (older, younger) == (1, 2) and family.women[number] and family.parent_of(child) != number


def name_of(person: tuple[int, int], family: str) -> str:
    return f"{family}_{'gcx'[person[0]]}{person[1]}"


def facts(family: Family, name: str) -> Iterator[str]:
    children = [name_of((1, i), name) for i in range(len(family.women))]
    for child in children:
        yield f"mother({name_of((0, 0), name)},{child})"
        yield f"father({name_of((0, 1), name)},{child})"
    yield from siblings(children, family.women)
    number = 0
    for child, woman, grandchildren in zip(children, family.women, family.grandchildren, strict=True):
        named = [name_of((2, number + i), name) for i in range(len(grandchildren))]
        number += len(named)
        for grandchild in named:
            yield f"{'mother' if woman else 'father'}({child},{grandchild})"
            yield f"{'father' if woman else 'mother'}({child}_partner,{grandchild})"
        yield from siblings(named, grandchildren)


def siblings(names: list[str], women: tuple[bool, ...]) -> Iterator[str]:
    for one, woman in zip(names, women, strict=True):
        yield from (f"{'sister' if woman else 'brother'}({one},{other})" for other in names if other != one)


WORLD = World(
    title="Kinship: who is whose aunt?",
    story="There are families of three generations: mothers, fathers, sisters and brothers.\n"
    "Of some pairs of people it is said whether one is the aunt of the other.",
    rule="A is a sister of a parent of B",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    draw=random_family,
    follows_rule=follows_rule,
    facts=facts,
    atom=lambda family, name: f"aunt({name_of(family.asked[0], name)},{name_of(family.asked[1], name)})",
    train=100,
    test=200,
)
