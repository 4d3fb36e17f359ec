"""Variables that were probably meant to be data: `borders(FRA,DEU).` says that everything borders everything.

A name that starts with a capital letter is a variable. In a fact whose variables all occur once it is most likely data
without its quotes; in a rule, or beside variables that occur twice, a variable that occurs once may also be a slip of
the pen. Who means it writes `_` or `_Name`, and is not told anything; nor is a file with `style_check(-singleton)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from maxsynth.errors import Position, shortened
from maxsynth.prolog.reading.reader import ReadTerm
from maxsynth.prolog.terms import Atom, Struct, Term

SHOWN = 3  # facts that are named one by one


@dataclass
class Singletons:
    """What one file has of them."""

    facts: list[tuple[Position, str, Sequence[str]]] = field(default_factory=list)  # place, text and variables
    rules: list[tuple[Position, Sequence[str]]] = field(default_factory=list)
    silent: bool = False  # on request

    def note(self, read: ReadTerm, text: str) -> None:
        """Looks at a clause, which has this text, and variables that occur once."""
        is_rule = isinstance(read.term, Struct) and read.term.name in (":-", "-->")
        others = [name for name in read.variables if name[0] != "_" and name not in read.singletons]
        if not is_rule and not others:
            self.facts.append((read.position, shortened(" ".join(text.split()).removesuffix(".")), read.singletons))
        else:
            self.rules.append((read.position, read.singletons))

    def obey(self, directive: Term) -> None:
        """Takes note of `:- style_check(-singleton)`."""
        if isinstance(directive, Struct) and directive.name == "style_check":
            option = directive.args[0]
            if isinstance(option, Struct) and option.args == (Atom("singleton"),):
                self.silent = option.name == "-"

    def warnings(self) -> Iterator[str]:
        for position, text, names in self.facts[:SHOWN]:
            yield (
                f"{line(position)}: {' and '.join(map(shortened, names[:3]))} in `{text}` "
                f"{'is a variable' if len(names) == 1 else 'are variables'}, so that it holds of everything there "
                f"({quote_it(names[0])})"
            )
        if len(self.facts) > SHOWN:
            yield f"{self.facts[0][0].file}: {len(self.facts) - SHOWN} more facts have variables that occur only once"
        if self.rules and not self.silent:
            position, names = self.rules[0]
            lines = ", ".join(str(place.line) for place, _ in self.rules[1:4])
            more = (
                f", as in {len(self.rules) - 1} more (line {lines}{', ...' * (len(self.rules) > 4)})" if lines else ""
            )
            yield (
                f"{line(position)}: the variable {shortened(names[0])} occurs only once in this clause{more} "
                f"({quote_it(names[0])})"
            )


def line(position: Position) -> str:
    return f"{position.file}:{position.line}"


def quote_it(name: str) -> str:
    return f"if it is data, quote it: '{shortened(name)}'; if any value is meant, write _{shortened(name)}"
