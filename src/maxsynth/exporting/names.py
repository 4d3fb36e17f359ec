"""Names that are free: for tables of facts, aliases, Python variables, relations of Datalog."""

from __future__ import annotations

import re
from collections.abc import Iterable


class Names:
    """Each name is given once. Databases take `P` and `p` for the same, so that counts as one, unless not `fold`."""

    def __init__(self, taken: Iterable[str] = (), *, fold: bool = True) -> None:
        self.fold = fold
        self.taken = {self.folded(name) for name in taken}

    def folded(self, name: str) -> str:
        return name.casefold() if self.fold else name

    def free(self, *wishes: str) -> str:
        """The first of the wishes that is free, or the last one with a number."""
        found = next((wish for wish in wishes if self.folded(wish) not in self.taken), None)
        number = 2
        while found is None:
            if self.folded(f"{wishes[-1]}{number}") not in self.taken:
                found = f"{wishes[-1]}{number}"
            number += 1
        self.taken.add(self.folded(found))
        return found


def identifier(name: str, otherwise: str) -> str:
    """The name as ASCII letters, digits and underscores, beginning with a letter."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    if not plain:
        return otherwise
    return plain if plain[0].isalpha() else f"{otherwise}_{plain}"
