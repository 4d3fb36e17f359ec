"""Reading a bias file.

`parse_bias` reads the directives of a bias file into a `Bias`, checks that they make sense together, and says
in the user's terms what does not. The file is an answer set program: `maxsynth.bias.reader` evaluates it. That
module needs clingo, which takes its time to load; `maxsynth.bias.simple` does without for most files.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from maxsynth.bias.bias import NO_OVERRIDES, Bias, Overrides
from maxsynth.bias.evaluated import EvaluatedBias, Term
from maxsynth.bias.guard import checked_text
from maxsynth.bias.learned.directives import read_learned
from maxsynth.bias.simple import read_simple
from maxsynth.bias.vocabulary import LIMITS
from maxsynth.errors import MaxSynthError, Position, listed
from maxsynth.files import read_text
from maxsynth.logic.predicates import Predicate


def read_bias(path: Path, overrides: Overrides = NO_OVERRIDES) -> Bias:
    """The bias in a file, with other limits where these are given."""
    return parse_bias(read_text(path), str(path), overrides)


def parse_bias(text: str, file: str, overrides: Overrides = NO_OVERRIDES) -> Bias:
    """The bias in a text. `file` is its name in messages."""
    program = read_simple(checked_text(text, file))
    if program is None:
        from maxsynth.bias.reader import read_program  # with clingo, which takes its time to load

        program = read_program(text, file, overrides.max_vars)
    return _Directives(program, file, overrides).bias(text)


def overridden(bias: Bias, overrides: Overrides) -> Bias:
    """The same bias with other limits, as if it was read with them; what else was changed since then stays so."""
    if overrides == bias.overrides:
        return bias
    return dataclasses.replace(
        parse_bias(bias.text, bias.file, overrides),
        body=bias.body,
        types=bias.types,
        directions=bias.directions,
        singletons=bias.singletons,
        learned=bias.learned,
    )


class _Directives:
    """The atoms of an evaluated bias file, by directive, each with the line it comes from."""

    def __init__(self, program: EvaluatedBias, file: str, overrides: Overrides) -> None:
        self.program = program
        self.overrides = overrides
        self.file = file
        self.warnings = list(program.warnings)
        self.atoms: dict[str, list[tuple[tuple[Term, ...], int]]] = {}
        for atom in program.atoms:
            self.atoms.setdefault(atom.name, []).append((atom.arguments, atom.line))

    def error(self, line: int, message: str, remedy: str) -> MaxSynthError:
        return MaxSynthError(message, Position(self.file, line), remedy)

    def bias(self, text: str) -> Bias:
        heads = self._predicates("head_pred")
        bodies = self._predicates("body_pred")
        self._check_declarations(heads, bodies)
        lines = {**bodies, **heads}
        max_vars, max_body, max_clauses = (self._limit(name) for name in Overrides._fields)
        self._check_arities(lines, max_vars)
        types = self._signatures("type", lines, self._type_name)
        directions = self._signatures("direction", lines, self._direction)
        self._check_directions(directions, lines)
        self._check_types(types, lines)
        learned = read_learned(self.atoms, self.file, self.warnings, bodies, types, _name)
        if not bodies and not learned.numeric:
            raise self._no_body()
        allow, forbid = self._flag("allow_singletons"), self._flag("no_singletons")
        if allow and forbid:
            raise self.error(
                max(allow, forbid), "allow_singletons and no_singletons contradict each other", "remove one of them"
            )
        program = self.program
        return Bias(
            head=next(iter(heads)),
            body=tuple(bodies),
            types=types,
            directions=directions,
            max_vars=max_vars,
            max_body=max_body,
            max_clauses=max_clauses,
            recursion=bool(self._flag("enable_recursion")),
            invention=bool(self._flag("enable_pi")),
            singletons=not forbid,
            non_datalog=bool(self._flag("non_datalog")),
            learned=learned,
            one_of_type=tuple(sorted(program.one_of_type)),
            limits=program.limits,
            limits_text=program.limits_text,
            left=tuple((Position(self.file, line), text, instead) for line, text, instead in program.left),
            most=program.most,
            constraints=program.constraints.text,
            rule_constraints=program.constraints.of_rules,
            program_constraints=program.constraints.of_programs,
            hold_of_less=program.constraints.hold_of_less,
            warnings=tuple(f"{Position(self.file, line)}: {text}" for line, text in sorted(self.warnings)),
            text=text,
            file=self.file,
            overrides=self.overrides,
            by_default=tuple(
                name for name in LIMITS if name not in self.atoms and getattr(self.overrides, name) is None
            ),
            constraint_position=self._place(program.constraints.text, program.constraints.line),
            program_constraint_position=self._place(program.constraints.of_programs, program.constraints.program_line),
        )

    def _place(self, text: str, line: int) -> Position | None:
        """Where constraints are, if there are any."""
        return Position(self.file, line) if text else None

    def _flag(self, name: str) -> int:
        """The line of a directive without arguments; 0 if it does not hold."""
        return self.atoms[name][0][1] if name in self.atoms else 0

    def _limit(self, name: str) -> int:
        default, given = LIMITS[name], getattr(self.overrides, name)
        values: dict[int, int] = {}
        for (value,), line in self.atoms.get(name, ()):
            number = value.number
            if number is None or number < 1:
                raise self.error(line, f"{name}({value}) is not a positive integer", f"write {name}({default}).")
            values.setdefault(number, line)
        if len(values) > 1:
            first, second = list(values)[:2]
            raise self.error(values[second], f"{name} is both {first} and {second}", "keep one of them")
        return next(iter(values), default) if given is None else given

    def _predicates(self, directive: str) -> dict[Predicate, int]:
        """What a directive declares, in order, with lines."""
        declared: dict[Predicate, int] = {}
        for (name_term, arity_term), line in self.atoms.get(directive, ()):
            name = _name(name_term)
            shown = f"{directive}({name_term},{arity_term})"
            if not name:
                raise self.error(
                    line,
                    f"{name_term} in {shown} is not a predicate name",
                    'write a name that starts with a lower-case letter, or quote it: "name"',
                )
            arity = arity_term.number
            if arity is None or arity < 0:
                raise self.error(
                    line, f"{arity_term} in {shown} is not a number of arguments", f"write {directive}({name},2)."
                )
            predicate = Predicate(name, arity)
            if arity == 0:
                raise self.error(
                    line,
                    f"{predicate} has no arguments, so no variable could connect it to the rest of a rule",
                    "give it an argument" if directive == "head_pred" else "remove it or give it an argument",
                )
            declared.setdefault(predicate, line)
        return declared

    def _check_declarations(self, heads: Mapping[Predicate, int], bodies: Mapping[Predicate, int]) -> None:
        if not heads:
            raise self.error(0, "no head_pred", "name the predicate to learn, for example head_pred(f,2).")
        if len(heads) > 1:
            first, second = list(heads)[:2]
            raise self.error(
                heads[second], f"two head predicates, {first} and {second}", "keep one: a task learns one predicate"
            )
        if not bodies and self.atoms.keys().isdisjoint({"numbers", "compared", "numerical_pred"}):
            raise self._no_body()
        head = next(iter(heads))
        if head in bodies:
            raise self.error(
                bodies[head],
                f"{head} is both head_pred and body_pred",
                "remove the body_pred; for recursive rules write enable_recursion.",
            )

    def _no_body(self) -> MaxSynthError:
        return self.error(0, "no body_pred", "name the predicates that rules may use: body_pred(p,2).")

    def _check_arities(self, lines: Mapping[Predicate, int], max_vars: int) -> None:
        for predicate, line in lines.items():
            if predicate.arity > max_vars:
                raise self.error(
                    line,
                    f"{predicate} has more arguments than a rule has variables: max_vars is {max_vars}",
                    f"write max_vars({predicate.arity}). or remove {predicate}",
                )

    def _signatures(
        self, directive: str, lines: Mapping[Predicate, int], read: Callable[[Predicate, Term, int], str]
    ) -> dict[Predicate, tuple[str, ...]]:
        """The types or directions of declared predicates; files often list those of others too."""
        found: dict[Predicate, tuple[str, ...]] = {}
        declared: dict[str, list[int]] = {}
        for predicate in sorted(lines):
            declared.setdefault(predicate.name, []).append(predicate.arity)
        for (name_term, value), line in self.atoms.get(directive, ()):
            name = _name(name_term)
            arities = declared.get(name)
            if not arities:
                continue
            arguments = _tuple(value)
            predicate = Predicate(name, len(arguments))
            if predicate not in lines:
                many = " or ".join(map(str, arities))
                raise self.error(
                    line,
                    f"{directive} of {name} has {len(arguments)} argument(s), but {name} has {many}",
                    f"write {directive}({name},{_example(directive, arities[0])}).",
                )
            values = tuple(read(predicate, argument, line) for argument in arguments)
            if found.setdefault(predicate, values) != values:
                both = " and ".join(f"({','.join(known)})" for known in (found[predicate], values))
                raise self.error(line, f"{predicate} has two different {directive}s: {both}", "keep one of them")
        return {predicate: found[predicate] for predicate in sorted(found)}

    def _type_name(self, predicate: Predicate, term: Term, line: int) -> str:
        return term.text

    def _direction(self, predicate: Predicate, term: Term, line: int) -> str:
        if term.text not in ("in", "out"):
            raise self.error(line, f"direction of {predicate} has {term}", "an argument is in or out")
        return term.text

    def _check_directions(self, directions: Mapping[Predicate, object], lines: Mapping[Predicate, int]) -> None:
        missing = [predicate for predicate in lines if predicate not in directions]
        if directions and missing:
            raise self.error(
                min(lines[predicate] for predicate in missing),
                f"no direction for {_listed(missing)}",
                "give all declared predicates a direction, or none",
            )

    def _check_types(self, types: Mapping[Predicate, tuple[str, ...]], lines: Mapping[Predicate, int]) -> None:
        missing = [predicate for predicate in lines if predicate not in types]
        if types and missing:
            line = min(lines[predicate] for predicate in missing)
            self.warnings.append((line, f"no type for {_listed(missing)}: their arguments fit every type"))
        known = {type_ for names in types.values() for type_ in names}
        for type_, line in self.program.one_of_type.items():
            if type_ not in known:
                self.warnings.append((line, f"no predicate has type {type_}: no rule satisfies this constraint"))


def _listed(predicates: Iterable[Predicate]) -> str:
    return listed((str(predicate) for predicate in sorted(predicates)), 10)


def _example(directive: str, arity: int) -> str:
    part = "in" if directive == "direction" else "t"
    return f"({','.join([part] * arity)}{',' if arity == 1 else ''})"


def _name(term: Term) -> str:
    """The name that a constant or a string stands for; empty for all else.

    A constant such as `_p` is none: Prolog would read it as a variable.
    """
    if term.string is not None:
        return term.string
    return term.text if re.fullmatch(r"[a-z]\w*", term.text) else ""


def _tuple(term: Term) -> tuple[Term, ...]:
    """The arguments of a tuple. clingo reads `(t)` as `t`: any other term stands for a tuple of one."""
    return (term,) if term.parts is None else term.parts
