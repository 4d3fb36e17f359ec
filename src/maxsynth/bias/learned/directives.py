"""Reading the directives on constants and numbers (see `maxsynth.bias.learned`).

There are two vocabularies for the same thing: our own (`constants`, `numbers`, `compared`), and what the public files
for MagicPopper and NumSynth have (`magic_value_type`, `numerical_pred`, ...), where places are counted from 0 and
comparisons are named like predicates. What of the latter has no counterpart here is left out with a warning, since a
file that was written for another system still says something sensible without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from maxsynth.bias.evaluated import Term
from maxsynth.bias.learned import AT_LEAST, AT_MOST, NOTHING_LEARNED, Learned, Number, Place
from maxsynth.bias.vocabulary import LEARNED
from maxsynth.errors import MaxSynthError, Position, listed
from maxsynth.logic.predicates import Predicate

COMPARISONS = {Predicate("geq", 2): AT_LEAST, Predicate("leq", 2): AT_MOST}
ADD, MULT = Predicate("add", 3), Predicate("mult", 3)
LEARNED_ARGUMENT = 1  # of geq and leq, counted from 0: the number that is learned

Facts = Mapping[str, Sequence[tuple[tuple[Term, ...], int]]]  # directive -> the arguments and lines of its atoms


def read_learned(
    facts: Facts,
    file: str,
    warnings: list[tuple[int, str]],
    body: Iterable[Predicate],
    types: Mapping[Predicate, tuple[str, ...]],
    name_of: Callable[[Term], str],
) -> Learned:
    """What the directives say; more `warnings` where some of it is left out."""
    if facts.keys().isdisjoint(word.name for word in LEARNED):
        return NOTHING_LEARNED
    return _Reader(facts, file, warnings, tuple(body), types, name_of).read()


class _Reader:
    def __init__(
        self,
        facts: Facts,
        file: str,
        warnings: list[tuple[int, str]],
        body: tuple[Predicate, ...],
        types: Mapping[Predicate, tuple[str, ...]],
        name_of: Callable[[Term], str],
    ) -> None:
        self.facts = facts
        self.file = file
        self.warnings = warnings
        self.body = body
        self.types = types
        self.known_types = sorted({name for names in types.values() for name in names})
        self.name_of = name_of

    def error(self, line: int, message: str, remedy: str) -> MaxSynthError:
        return MaxSynthError(message, Position(self.file, line), remedy)

    def read(self) -> Learned:
        numbers = self.own_types("numbers")
        # A file for NumSynth says by the type of geq, leq and add which values are numbers.
        found: dict[str, list[str]] = {AT_LEAST: [*numbers], AT_MOST: [*numbers], "+": []}
        named: set[str] = set()  # of such comparisons, those that the file has
        for predicate, line in self.numerical():
            kind = COMPARISONS.get(predicate, "+" if predicate == ADD else "")
            if not kind:
                self.leave_out(predicate, line)
            elif self.asked_as_meant(predicate, line):
                found[kind].append(self.numerical_type(predicate, line))
                named.add(predicate.name)
        lines = [line for word in LEARNED for _, line in self.facts.get(word.name, ())]
        return Learned(
            constant_types=distinct([*self.own_types("constants"), *self.own_types("magic_value_type")]),
            constant_places=tuple(dict.fromkeys([*self.places("constants", 1), *self.places("magic_value", 0)])),
            at_least=distinct(found[AT_LEAST]),
            at_most=distinct(found[AT_MOST]),
            compared=distinct(self.own_types("compared")),
            sums=distinct(found["+"]),
            tested=self.tested([*found[AT_LEAST], *found[AT_MOST]]),
            bounds=self.bounds(named),
            most_numbers=self.most_numbers(),
            position=Position(self.file, min(lines)),
        )

    # -- types and places -----------------------------------------------------------------------------------------

    def own_types(self, directive: str) -> list[str]:
        """The types that a directive names."""
        found = []
        for arguments, line in self.facts.get(directive, ()):
            if len(arguments) == 1:
                self.check_type(arguments[0].text, f"{directive}({arguments[0]})", line)
                found.append(arguments[0].text)
        return found

    def check_type(self, name: str, said: str, line: int) -> None:
        if name in self.known_types:
            return
        if not self.known_types:
            remedy = f"declare types, such as type(p,(t,{name}))."
        else:
            import difflib  # which only a mistake needs

            near = difflib.get_close_matches(name, self.known_types, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"the types are {listed(self.known_types, 10)}"
        raise self.error(line, f"no declared predicate has the type {name} of {said}", remedy)

    def places(self, directive: str, first: int) -> list[Place]:
        """The arguments that a directive names by predicate and place, the places counted from `first` on."""
        found: list[Place] = []
        for arguments, line in self.facts.get(directive, ()):
            if len(arguments) != 2:
                continue
            name, place = self.name_of(arguments[0]), arguments[1].number
            said = f"{directive}({arguments[0]},{arguments[1]})"
            same_name = [predicate for predicate in self.body if predicate.name == name]
            if not same_name:
                raise self.error(
                    line,
                    f"{said} is about {arguments[0]}, which is no body_pred",
                    f"write {directive}(p,{first}). for a body_pred p",
                )
            having = [one for one in same_name if place is not None and 0 <= place - first < one.arity]
            if place is None or not having:
                most = max(one.arity for one in same_name) - 1 + first
                raise self.error(
                    line,
                    f"{said}: {' and '.join(map(str, same_name))} has no argument {arguments[1]}",
                    f"arguments are counted from {first} on: write a number from {first} to {most}",
                )
            found += [(one, place - first) for one in having]
        return found

    def tested(self, numbers: Sequence[str]) -> tuple[Predicate, ...]:
        """The predicates whose comparisons count as one literal. Their last argument is of a type with numbers."""
        found = []
        for (name, arity), line in self.facts.get("tested", ()):
            said = f"tested({name},{arity})"
            predicate = Predicate(self.name_of(name), arity.number or 0)
            if predicate not in self.body:
                raise self.error(
                    line, f"{said} is about {predicate}, which is no body_pred", "write tested(p,2). for a body_pred p"
                )
            types = self.types.get(predicate)
            if predicate.arity != 2 or types is None or types[1] not in numbers:
                raise self.error(
                    line,
                    f"{said}: the last of two arguments must be compared with numbers",
                    f"write type({name},(t1,t2)). and numbers(t2).",
                )
            found.append(predicate)
        return tuple(dict.fromkeys(found))

    # -- NumSynth -------------------------------------------------------------------------------------------------

    def numerical(self) -> list[tuple[Predicate, int]]:
        found = []
        for (name, arity), line in self.facts.get("numerical_pred", ()):
            if arity.number is None or not self.name_of(name):
                raise self.error(
                    line, f"numerical_pred({name},{arity}) names no predicate", "write numerical_pred(geq,2)."
                )
            found.append((Predicate(self.name_of(name), arity.number), line))
        return found

    def leave_out(self, predicate: Predicate, line: int) -> None:
        said = f"numerical_pred({predicate.name},{predicate.arity}) is left out"
        why = (
            "a learned factor is not in the space"
            if predicate == MULT
            else "numbers are compared (geq/2, leq/2) and added (add/3), and a learned factor is not in the space"
        )
        self.warnings.append((line, f"{said}: {why}"))

    def signature(self, directive: str, predicate: Predicate) -> tuple[str, ...] | None:
        for (name, value), _ in self.facts.get(directive, ()):
            parts = (value,) if value.parts is None else value.parts
            if self.name_of(name) == predicate.name and len(parts) == predicate.arity:
                return tuple(part.text for part in parts)
        return None

    def asked_as_meant(self, predicate: Predicate, line: int) -> bool:
        """Whether its direction is that of a comparison with a learned number, or of a sum of known ones."""
        meant = ("in", "in", "out") if predicate == ADD else ("in", "out")
        given = self.signature("direction", predicate)
        if given is None or given == meant:
            return True
        instead = (
            "only the sum of two known numbers is in the space: direction(add,(in,in,out))."
            if predicate == ADD
            else f"with a learned number it is direction({predicate.name},(in,out)).; for two variables, compared(t)."
        )
        self.warnings.append(
            (line, f"numerical_pred({predicate.name},{predicate.arity}) is left out for its direction: {instead}")
        )
        return False

    def numerical_type(self, predicate: Predicate, line: int) -> str:
        said = f"numerical_pred({predicate.name},{predicate.arity})"
        types = self.signature("type", predicate)
        example = f"write type({predicate.name},({','.join(['t'] * predicate.arity)})). for a type t of numbers"
        if types is None:
            raise self.error(line, f"{said} has no type, which says what it is about", example)
        if len(set(types)) > 1:
            raise self.error(line, f"{said} is about values of one type, but has {', '.join(types)}", example)
        self.check_type(types[0], said, line)
        return types[0]

    def bounds(self, named: set[str]) -> dict[str, tuple[Number, Number]]:
        """The limits on the learned numbers. Those on what is added or left out say nothing."""
        found: dict[str, tuple[Number, Number]] = {}
        for (name_term, place, limits), line in self.facts.get("bounds", ()):
            name = self.name_of(name_term)
            comparison = COMPARISONS.get(Predicate(name, 2))
            said = f"bounds({name_term},{place},{limits})"
            if name in (ADD.name, MULT.name):
                continue
            if comparison is None or name not in named:
                self.warnings.append((line, f"{said} is ignored: {name_term} compares with no learned number"))
                continue
            if place.number != LEARNED_ARGUMENT:
                raise self.error(
                    line, f"{said}: the learned number of {name} is argument 1", f"write bounds({name},1,{limits})."
                )
            ends = [number_of(part) for part in limits.parts or ()]
            if len(ends) != 2 or None in ends:
                raise self.error(
                    line,
                    f"{said} has no two numbers",
                    f'write bounds({name},1,(0,100)). (with a point, as a string: ("0.5","2.5"))',
                )
            low, high = (end for end in ends if end is not None)
            if low > high:
                raise self.error(line, f"{said} leaves no number", f"write bounds({name},1,({high},{low})).")
            if found.setdefault(comparison, (low, high)) != (low, high):
                raise self.error(line, f"{name} has two different bounds", "keep one of them")
        return found

    def most_numbers(self) -> int | None:
        found: set[int] = set()
        for (value,), line in self.facts.get("max_numeric", ()):
            if value.number is None or value.number < 1:
                raise self.error(line, f"max_numeric({value}) is not a positive integer", "write max_numeric(2).")
            found.add(value.number)
            if len(found) > 1:
                both = " and ".join(map(str, sorted(found)))
                raise self.error(line, f"max_numeric is both {both}", "keep one of them")
        return next(iter(found), None)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def number_of(term: Term) -> Number | None:
    """The number that a term stands for: an integer, or a string with any other, which ASP does not have."""
    if term.number is not None or term.string is None:
        return term.number
    try:
        number: Number = int(term.string)
    except ValueError:
        try:
            number = float(term.string)
        except ValueError:
            return None
    return number if isinstance(number, int) or math.isfinite(number) else None
