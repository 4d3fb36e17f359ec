"""Molecules, in the manner of chemistry: which ones are toxic? Two independent causes, so two rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from maxsynth.demos.generated import World

ELEMENTS = ("carbon", "carbon", "nitrogen", "nitrogen", "oxygen", "oxygen", "chlorine", "sulphur")
BONDS = ("single", "double", "double", "aromatic")

BIAS = """\
max_vars(4).
max_body(5).

head_pred(toxic,1).
type(toxic,(molecule,)).
direction(toxic,(in,)).

body_pred(atom_of,2).
type(atom_of,(molecule,atom)).
direction(atom_of,(in,out)).

body_pred(P,2) :- bond(P).
type(P,(atom,atom)) :- bond(P).
direction(P,(in,out)) :- bond(P).
bond(single;double;aromatic).

body_pred(P,1) :- element(P).
type(P,(atom,)) :- element(P).
direction(P,(in,)) :- element(P).
element(carbon;nitrogen;oxygen;chlorine;sulphur).

body_pred(charged,1).
type(charged,(atom,)).
direction(charged,(in,)).
"""

BK_RULES = """\
:- discontiguous([atom_of/2, single/2, double/2, aromatic/2, charged/1]).
:- discontiguous([carbon/1, nitrogen/1, oxygen/1, chlorine/1, sulphur/1]).

"""

PROGRAM = """\
toxic(A) :- atom_of(A,B), nitrogen(B), double(B,C), oxygen(C).
toxic(A) :- atom_of(A,B), chlorine(B), aromatic(B,_)."""


@dataclass(frozen=True)
class Molecule:
    """The element and the charge of each atom, and bonds between two atoms."""

    elements: tuple[str, ...]
    charged: tuple[bool, ...]
    bonds: tuple[tuple[int, int, str], ...]


def random_molecule(rng: random.Random) -> Molecule:
    count = rng.randint(3, 8)
    # A tree, so that all of it hangs together, and sometimes a ring.
    bonds = [(rng.randrange(i), i, rng.choice(BONDS)) for i in range(1, count)]
    if rng.random() < 0.4:
        bonds.append((0, count - 1, rng.choice(BONDS)))
    return Molecule(
        tuple(rng.choice(ELEMENTS) for _ in range(count)),
        tuple(rng.random() < 0.2 for _ in range(count)),
        tuple(bonds),
    )


def follows_rule(molecule: Molecule) -> bool:
    for one, other, kind in molecule.bonds:
        ends = {molecule.elements[one], molecule.elements[other]}
        if (kind == "double" and ends == {"nitrogen", "oxygen"}) or (kind == "aromatic" and "chlorine" in ends):
            return True
    return False


def facts(molecule: Molecule, name: str) -> Iterator[str]:
    names = [f"{name}_{number}" for number in range(len(molecule.elements))]
    for own, element, charged in zip(names, molecule.elements, molecule.charged, strict=True):
        yield f"atom_of({name},{own})"
        yield f"{element}({own})"
        if charged:
            yield f"charged({own})"
    for one, other, kind in molecule.bonds:
        yield f"{kind}({names[one]},{names[other]})"
        yield f"{kind}({names[other]},{names[one]})"


WORLD = World(
    title="Molecules: which ones are toxic? (two rules)",
    story="A molecule has atoms of several elements, some of them charged, with bonds of three kinds.\n"
    "Some molecules are toxic.",
    rule="a nitrogen has a double bond to an oxygen, or a chlorine has an aromatic bond",
    program=PROGRAM,
    bias=BIAS,
    bk_rules=BK_RULES,
    draw=random_molecule,
    follows_rule=follows_rule,
    facts=facts,
    atom=lambda molecule, name: f"toxic({name})",
)
