"""The demos by name, and their list."""

from __future__ import annotations

from typing import Any

from maxsynth.demos import game, kinship, lists, molecules, trains, zendo
from maxsynth.demos.generated import World

WORLDS: dict[str, World[Any]] = {
    "kinship": kinship.WORLD,
    "trains": trains.WORLD,
    "zendo": zendo.WORLD,
    "game": game.WORLD,
    "lists": lists.WORLD,
    "molecules": molecules.WORLD,
}


def list_command() -> int:
    """What there is, and how to run it."""
    width = max(map(len, WORLDS))
    for name, world in WORLDS.items():
        print(f"{name:{width}}  {world.title}")
    print("\nRun one by its name:  maxsynth demo kinship")
    return 0
