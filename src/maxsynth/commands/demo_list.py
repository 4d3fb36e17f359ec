"""What `maxsynth demo` prints without a name. It needs nothing that takes long to load."""

from __future__ import annotations

from maxsynth.demos.worlds import WORLDS


def list_command() -> int:
    """What there is, and how to run it."""
    width = max(map(len, WORLDS))
    for name, world in WORLDS.items():
        print(f"{name:{width}}  {world.title}")
    print("\nRun one by its name:  maxsynth demo kinship")
    return 0
