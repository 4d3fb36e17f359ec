"""A short cut for flat facts, `edge(a,b).`, which are most of all background knowledge.

One expression reads such a fact in one bite. Whatever it does not match is left to the parser, which would read
flat facts just the same, only slower.
"""

from __future__ import annotations

import re

from maxsynth.prolog.reading.tokens import MAX_DIGITS
from maxsynth.prolog.terms import Atom, Struct

# Every repetition is bounded, for the reason that `maxsynth.prolog.reading.tokens` gives.
CONSTANT = rf"(?:[a-z]\w{{0,200}}|-?[0-9]{{1,{MAX_DIGITS}}}(?:\.[0-9]{{1,{MAX_DIGITS}}})?)"
FLAT_FACT = re.compile(
    rf"\s{{0,1000}}([a-z]\w{{0,200}})\(({CONSTANT}(?:,[ \t]{{0,200}}{CONSTANT}){{0,1000}})\)\.(?=[\s%]|\Z)"
)


class FlatFacts:
    """Reads the flat facts of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._constants = _Constants()

    def read(self, offset: int) -> tuple[Struct, int, int] | None:
        """The fact that comes next, where it starts and where it ends; None if it is not a flat one."""
        fact = FLAT_FACT.match(self.text, offset)
        if fact is None:
            return None
        arguments = tuple(map(self._constants.__getitem__, fact[2].split(",")))
        return Struct(fact[1], arguments), fact.start(1), fact.end()


class _Constants(dict[str, "Atom | int | float"]):
    """Constants by their text: the same few come again and again."""

    def __missing__(self, text: str) -> Atom | int | float:
        word = text.strip()
        value: Atom | int | float
        if word[0].isalpha():
            value = Atom(word)
        elif "." in word:
            value = float(word)
        else:
            value = int(word)
        self[text] = value
        return value
