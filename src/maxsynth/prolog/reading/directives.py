"""Directives that change how the rest of a text reads: `op/3`, also in `module/2`, the flag `double_quotes`, and
libraries that bring operators.

They are the only part of a program that has to take effect while it is still being read.
"""

from __future__ import annotations

from maxsynth.errors import Position, SyntaxProblem
from maxsynth.prolog.reading.operators import LIBRARIES, Operators
from maxsynth.prolog.terms import Atom, Struct, Term, list_items

DOUBLE_QUOTES = ("codes", "chars", "atom", "string")


def obey(term: Term, position: Position, operators: Operators) -> str | None:
    """Apply the directive, if this is one, to the table of operators; return what it sets `double_quotes` to."""
    double_quotes: str | None = None
    if type(term) is not Struct or term.name != ":-" or len(term.args) != 1:
        return None
    goals = [term.args[0]]
    while goals:
        goal = goals.pop()
        if type(goal) is not Struct:
            continue
        shape = (goal.name, len(goal.args))
        if shape == (",", 2):
            goals += reversed(goal.args)
        elif shape == ("module", 2):
            goals += (item for item in list_items(goal.args[1]) if type(item) is Struct and item.name == "op")
        elif shape == ("op", 3):
            _define_operators(goal, position, operators)
        elif shape == ("set_prolog_flag", 2) and goal.args[0] is Atom("double_quotes"):
            double_quotes = _double_quotes(goal.args[1], position)
        elif (library := library_name(goal)) is not None:
            for priority, kind, names in LIBRARIES.get(library, ()):
                for name in names.split():
                    operators.add(priority, kind, name)
    return double_quotes


def library_name(directive: Term) -> str | None:
    """The name of the library that a directive loads; None for any other directive."""
    if type(directive) is Struct and directive.name in ("use_module", "ensure_loaded", "autoload"):
        source = directive.args[0]
        if type(source) is Struct and source.name == "library" and len(source.args) == 1:
            name = source.args[0]
            while type(name) is Struct and name.name == "/" and len(name.args) == 2:
                name = name.args[1]  # it is in a folder of the library
            return name.name if type(name) is Atom else ""
    return None


def _define_operators(goal: Struct, position: Position, operators: Operators) -> None:
    priority, kind, names = goal.args
    for name in list_items(names) if type(names) is Struct and names.name == "[|]" else (names,):
        if type(name) is Struct and name.name == ":" and len(name.args) == 2:
            name = name.args[1]  # modules share one table
        if not (type(priority) is int and type(kind) is Atom and type(name) is Atom):
            raise SyntaxProblem("op/3 needs a priority, a type and an atom", position, "as in :- op(700, xfx, like).")
        try:
            operators.add(priority, kind.name, name.name)
        except ValueError as error:
            raise SyntaxProblem(str(error), position) from None


def _double_quotes(value: Term, position: Position) -> str:
    if type(value) is not Atom or value.name not in DOUBLE_QUOTES:
        known = ", ".join(DOUBLE_QUOTES)
        raise SyntaxProblem("unknown value of the flag double_quotes", position, f"it is one of {known}")
    return value.name
