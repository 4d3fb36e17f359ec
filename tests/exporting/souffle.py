"""What Souffle would do with an exported program, for machines without it: declarations, types, rules, a fixed point.

It reads the part of Souffle's language that exports use, strictly: anything else is an error, as are a relation without
a declaration, a value of another type than its column's, and a variable of two types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\["\\ntr])*")|(?P<float>-?\d+\.\d+)|(?P<number>-?\d+)|(?P<name>[A-Za-z_]\w*)'
    r"|(?P<sign>:-|>=|<=|!=|[<>=+(),:{}]))"
)
DECLARED = re.compile(r"\.decl ([A-Za-z_]\w*)\((.*)\)")
ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
COUNT = [("sign", "="), ("name", "count"), ("sign", ":"), ("sign", "{")]
Atom = tuple[str, list[Any]]  # a name and arguments; of a comparison, an operator and two expressions


class Variable(str):
    """A variable, as a value that is no text."""


def run(text: str, facts: Mapping[str, list[tuple[Any, ...]]]) -> set[tuple[Any, ...]]:
    """The rows of the relation that is put out."""
    types: dict[str, list[str]] = {}
    output = ""
    rules = []
    for line in text.split("\n"):
        if declared := DECLARED.fullmatch(line):
            types[declared[1]] = [part.split(": ")[1] for part in declared[2].split(", ") if part]
        elif line.startswith(".output "):
            output = line.removeprefix(".output ")
        elif line.startswith(".input "):
            assert line.removeprefix(".input ").split("(")[0] in types
        elif line and not line.startswith("//"):
            rules.append(rule(line))
    defined = {name for (name, _), _ in rules}
    for head, body in rules:
        check_types([head, *body], types)
        assert not any(name == "count" and args[1][0] in defined for name, args in body), "not stratified"
    known = {name: set(facts.get(name, [])) for name in types}
    for name, rows in known.items():
        assert all(len(row) == len(types[name]) for row in rows)
    growing = True
    while growing:
        growing = False
        for (name, args), body in rules:
            found = {tuple(binding.get(arg, arg) for arg in args) for binding in solutions(body, {}, known)}
            assert not any(isinstance(value, Variable) for row in found for value in row), "a variable is not grounded"
            growing |= not found <= known[name]
            known[name] |= found
    return known[output]


def rule(line: str) -> tuple[Atom, list[Atom]]:
    tokens = list(tokenize(line.removesuffix(".")))
    head, at = atom(tokens, 0)
    body = []
    while at < len(tokens):
        assert tokens[at] == ("sign", ":-" if not body else ","), line
        part, at = atom(tokens, at + 1)
        body.append(part)
    return head, body


def tokenize(line: str) -> Iterator[tuple[str, Any]]:
    at = 0
    while at < len(line):
        found = TOKEN.match(line, at)
        assert found is not None, f"{line[at:]!r} in {line!r}"
        kind = found.lastgroup or ""
        value = found[kind]
        if kind == "text":
            yield kind, re.sub(r"\\(.)", lambda escape: ESCAPES[escape[1]], value[1:-1])
        else:
            yield kind, float(value) if kind == "float" else int(value) if kind == "number" else value
        at = found.end()


def atom(tokens: list[tuple[str, Any]], at: int) -> tuple[Atom, int]:
    kind, name = tokens[at]
    if kind == "name" and name != "to_float" and tokens[at + 1 : at + 2] == [("sign", "(")]:
        args = []
        at += 1
        while tokens[at] != ("sign", ")"):
            value, at = expression(tokens, at + 1)
            args.append(value)
        return (name, args), at + 1
    if tokens[at + 1 : at + 5] == COUNT:
        inner, end = atom(tokens, at + 5)
        assert tokens[end] == ("sign", "}")
        return ("count", [Variable(name), inner]), end + 1
    left, at = expression(tokens, at)
    operator = tokens[at][1]
    right, at = expression(tokens, at + 1)
    return (operator, [left, right]), at


def expression(tokens: list[tuple[str, Any]], at: int) -> tuple[Any, int]:
    kind, value = tokens[at]
    if value == "to_float":
        inner, at = expression(tokens, at + 2)
        left, at = ("to_float", inner), at + 1
    else:
        left, at = Variable(value) if kind == "name" else value, at + 1
    if tokens[at : at + 1] == [("sign", "+")]:
        right, at = expression(tokens, at + 1)
        return ("+", left, right), at
    return left, at


def check_types(atoms: list[Atom], types: Mapping[str, list[str]]) -> None:
    known: dict[str, str] = {}

    def check(value: Any, wanted: str) -> None:
        if isinstance(value, Variable):
            if value != "_":
                assert known.setdefault(value, wanted) == wanted, f"{value} is {known[value]} and {wanted}"
        elif isinstance(value, tuple):
            for part in value[1:]:
                check(part, "number" if value[0] == "to_float" else wanted)
            assert value[0] == "+" or wanted == "float"
        else:
            assert {str: "symbol", int: "number", float: "float"}[type(value)] == wanted, (value, wanted)

    for name, args in atoms:
        if name in types:
            assert len(args) == len(types[name])
            for value, wanted in zip(args, types[name], strict=True):
                check(value, wanted)
    for name, args in atoms:
        if name == "count":
            check(args[0], "number")
            check_types([*(one for one in atoms if one[0] in types), args[1]], types)
        elif name not in types:
            wanted = type_of(args[1], known) or type_of(args[0], known)
            assert wanted is not None
            for value in args:
                check(value, wanted)


def type_of(value: Any, known: Mapping[str, str]) -> str | None:
    if isinstance(value, Variable):
        return known.get(value)
    if isinstance(value, tuple):
        return "float" if value[0] == "to_float" else type_of(value[1], known)
    return {str: "symbol", int: "number", float: "float"}[type(value)]


def solutions(
    body: list[Atom], binding: dict[Any, Any], known: Mapping[str, set[tuple[Any, ...]]]
) -> Iterator[dict[Any, Any]]:
    if not body:
        yield binding
        return
    ready = next(part for part in body if part[0] in known or is_ready(part, binding))
    rest = [part for part in body if part is not ready]
    name, args = ready
    if name in known:
        for row in known[name]:
            extended = dict(binding)
            if all(
                arg == "_" or extended.setdefault(arg, value) == value if isinstance(arg, Variable) else arg == value
                for arg, value in zip(args, row, strict=True)
            ):
                yield from solutions(rest, extended, known)
    elif name == "count":
        number = sum(1 for _ in solutions([args[1]], binding, known))
        if binding.get(args[0], number) == number:
            yield from solutions(rest, {**binding, args[0]: number}, known)
    elif name == "=" and isinstance(args[0], Variable) and args[0] not in binding:
        yield from solutions(rest, {**binding, args[0]: value_of(args[1], binding)}, known)
    else:
        one, other = (value_of(arg, binding) for arg in args)
        if {">=": ge, "<=": le, "<": lt, ">": gt, "=": eq, "!=": ne}[name](one, other):
            yield from solutions(rest, binding, known)


def is_ready(part: Atom, binding: Mapping[Any, Any]) -> bool:
    if part[0] == "count":
        return all(arg in binding for arg in part[1][1][1] if isinstance(arg, Variable) and arg != "_")
    args = part[1][1:] if part[0] == "=" else part[1]
    return all(name in binding for arg in args for name in variables(arg))


def variables(value: Any) -> Iterator[Variable]:
    if isinstance(value, Variable):
        yield value
    elif isinstance(value, tuple):
        for part in value[1:]:
            yield from variables(part)


def value_of(value: Any, binding: Mapping[Any, Any]) -> Any:
    if isinstance(value, Variable):
        return binding[value]
    if isinstance(value, tuple):
        parts = [value_of(part, binding) for part in value[1:]]
        return float(parts[0]) if value[0] == "to_float" else parts[0] + parts[1]
    return value
