"""Names that are free: for tables of facts, aliases, Python variables, relations of Datalog."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from maxsynth.logic.programs import Argument, Rule, variable_names


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


def named_for(rule: Rule, differences: Sequence[Sequence[tuple[Argument, Argument]]]) -> dict[int, str]:
    """The names of a rule's variables, in which those that are compared have one although they occur once."""
    names = variable_names(rule)
    compared = dict.fromkeys(arg for sides in differences for side in sides for arg in side)
    taken = set(names.values())
    letters = (f"{chr(65 + i % 26)}{i // 26 or ''}" for i in range(10**9))
    for arg in compared:
        if isinstance(arg, int) and names[arg] == "_":
            names[arg] = next(letter for letter in letters if letter not in taken)
    return names
