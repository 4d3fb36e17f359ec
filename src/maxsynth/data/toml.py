"""A description as a file that a person reads and edits: the role of each column, with what speaks for it as a comment.

What is read back are wishes: they go before what is inferred, and what the file does not say is inferred again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maxsynth.data.description import ColumnInfo, CountInfo, Description, Role, Shape, TableInfo
from maxsynth.data.wishes import Wishes
from maxsynth.errors import MaxSynthError, Position, listed, one_line, shortened

LINK = re.compile(r"link to (.*)", re.DOTALL)
ROLES = {role.value: role for role in Role if role not in (Role.LINK, Role.KEY)}
SHAPES = {shape.value: shape for shape in Shape}
SETTINGS = {
    "negatives": int, "closed_world": bool, "seed": int, "known": float, "counts": bool, "max_vars": int,
    "max_body": int,
}  # fmt: skip
TOP = ("data", "target", "where", "tables", *SETTINGS)


@dataclass(frozen=True)
class TaskFile:
    """All that such a file says."""

    path: Path
    data: str
    target: str
    where: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    wishes: Wishes = field(default_factory=Wishes)


# -- writing --------------------------------------------------------------------------------------------------


def description_text(description: Description, target: str, file: Path | None = None) -> str:
    """`target` as the user wrote it; paths are written as seen from where the file will be."""
    return "\n".join(lines(description, target, file)) + "\n"


def lines(description: Description, target: str, file: Path | None) -> Iterator[str]:
    yield "# What a task is made of. Edit it, and learn from it with: maxsynth learn THIS_FILE"
    yield f"data = {quoted(place_seen_from(description.place, file))}"
    yield f"target = {quoted(target)}{comment(description.target.why)}"
    if description.where:
        yield f"where = {quoted(description.where)}"
    if description.target.pairs:
        if description.negatives:
            yield f"negatives = {description.negatives}  # drawn for each positive"
            yield f"seed = {description.seed}"
        else:
            yield "closed_world = true  # what is not known to be true is false"
        yield f"known = {description.known}{comment(known_text(description))}"
    if any(table.counts for table in description.tables):
        yield "counts = true  # rules may ask how many rows lead to a thing; false: none of the counts below is made"
    for name, limit in (("max_vars", description.max_vars), ("max_body", description.max_body)):
        yield f"{name} = {limit}" if limit else f"# {name} = 4  # a limit of rules; without one, what fits the effort"
    for note in description.notes:
        yield f"# {one_line(note)}"
    yield ""
    yield f"# A column is {', '.join(repr(role) for role in ROLES)}, or 'link to TABLE'."
    for table in description.tables:
        yield from table_lines(table)


def known_text(description: Description) -> str:
    """What the share of known pairs means."""
    if not description.known:
        return "a share of the pairs that rules may use, while the others are examples"
    return f"the share of the pairs that rules may use, as {description.target.known}; the others are examples"


def table_lines(table: TableInfo) -> Iterator[str]:
    yield ""
    yield f"[tables.{key_text(table.name)}]  # {table.rows:,} rows"
    key: object = table.key[0] if len(table.key) == 1 else list(table.key)
    evidence = "" if table.key and table.key_declared else f"{'guessed: ' if table.key else ''}{table.key_why}"
    yield f"key = {quoted(key)}{comment(evidence)}"
    yield f"as = {quoted(table.shape.value)}{comment(table.predicate and f'the predicate {table.predicate}')}"
    yield f"[tables.{key_text(table.name)}.columns]"
    for column in table.columns:
        if column.role is not Role.KEY or leads_elsewhere(table, column):
            yield column_line(table, column)
    if table.counts:
        yield f"[tables.{key_text(table.name)}.counts]  # false leaves one out"
        yield from (f"{key_text(count.predicate)} = true{comment(count_text(count))}" for count in table.counts)


def count_text(count: CountInfo) -> str:
    """What is counted, and how many there are."""
    leak = f"LEAK? {count.leak}; " if count.leak else ""
    return f"{leak}{count.what}: {count.least:,} to {count.most:,}"


def leads_elsewhere(table: TableInfo, column: ColumnInfo) -> bool:
    """Whether it is a link, and be it a key as well."""
    return column.role in (Role.KEY, Role.LINK) and column.table not in ("", table.name)


def column_line(table: TableInfo, column: ColumnInfo) -> str:
    link = column.role is Role.LINK or leads_elsewhere(table, column)
    role = f"link to {column.table}" if link else column.role.value
    what = [f"LEAK? {column.leak}"] if column.leak else []
    if column.why and column.why != "declared":
        what.append(f"guessed: {column.why}" if column.role is Role.LINK else column.why)
    if column.predicate:
        what.append(f"the predicate {column.predicate}")
    what.append(f"{column.distinct:,} different: {', '.join(column.examples)}" if column.examples else "")
    return f"{key_text(column.name)} = {quoted(role)}{comment('; '.join(filter(None, what)))}"


def quoted(value: object) -> str:
    """A string or a list of strings, as TOML and JSON have them; but not all control characters."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_text(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def comment(text: str) -> str:
    return f"  # {one_line(text)}" if text else ""


def place_seen_from(place: str, file: Path | None) -> str:
    """A path relative to the file that names it; an address as it is."""
    if file is None or "://" in place or not os.path.exists(place):
        return place
    return os.path.relpath(place, os.path.dirname(os.path.abspath(file)))


# -- reading --------------------------------------------------------------------------------------------------


def read_task_file(path: Path, text: str) -> TaskFile:
    given = parse(text, path)
    reader = Reader(path, text)
    unknown = next((name for name in given if name not in TOP), None)
    if unknown is not None:
        raise reader.wrong(f"`{shortened(unknown)}` is unknown here", (unknown,), f"there are {listed(TOP, 10)}")
    for name, kind in (("data", str), ("target", str), ("where", str), *SETTINGS.items()):
        if name in given and not is_a(given[name], kind):
            raise reader.wrong(f"`{name}` is {shortened(repr(given[name]))}", (name,), f"give {WANTED[kind]}")
        if kind is int and given.get(name, 1) < (0 if name == "seed" else 1):
            raise reader.wrong(f"`{name}` is {given[name]}", (name,), "give a positive number")
        if kind is float and not 0 <= given.get(name, 0) < 1:
            raise reader.wrong(f"`{name}` is {given[name]}", (name,), f"give {WANTED[float]}")
    for name in ("data", "target"):
        if name not in given:
            raise MaxSynthError(f"it does not say `{name}`", Position(str(path)), f'write {name} = "..."')
    place = given["data"]
    if "://" not in place:
        place = os.path.normpath(os.path.join(os.path.dirname(path), place))
    settings = {name: given[name] for name in SETTINGS if name in given}
    return TaskFile(path, place, given["target"], given.get("where", ""), settings, reader.wishes(given))


WANTED = {
    str: "a string", int: "a whole number", bool: "true or false", float: "a share, from 0 to less than 1"
}  # fmt: skip


def is_a(value: object, kind: type) -> bool:
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, int | float if kind is float else kind)


def parse(text: str, path: Path) -> dict[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:  # before Python 3.11
        try:
            import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ModuleNotFoundError:
            raise MaxSynthError(
                "Python 3.10 cannot read TOML by itself", Position(str(path)), "pip install 'maxsynth[data]'"
            ) from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(problem))
        message = re.sub(r"\s*\(at .*\)$", "", str(problem))
        line, column = (int(found[1]), int(found[2])) if found else (0, 0)
        raise MaxSynthError(
            f"this is no TOML: {message}", Position(str(path), line, column), "correct it there"
        ) from None


@dataclass(frozen=True)
class Reader:
    """Reads what such a file says of tables, and knows where it says what."""

    path: Path
    text: str

    def wishes(self, given: Mapping[str, Any]) -> Wishes:
        roles, links, shapes, keys, keyless = {}, {}, {}, dict[str, str | list[str]](), set()
        counts: dict[tuple[str, str], bool] = {}
        for table, said in self.mapping(given.get("tables", {}), ("tables",)).items():
            place = ("tables", table)
            for name, value in self.mapping(said, place).items():
                if name == "key" and value in ([], ""):
                    keyless.add(table)
                elif name == "key":
                    keys[table] = self.names(value, (*place, name))
                elif name == "as":
                    shapes[table] = SHAPES[self.word(value, SHAPES, (*place, name))]
                elif name == "columns":
                    for column, role in self.mapping(value, (*place, name)).items():
                        link = LINK.fullmatch(role) if isinstance(role, str) else None
                        if link is not None:
                            links[table, column] = link[1]
                        else:
                            roles[table, column] = ROLES[self.word(role, ROLES, (*place, name, column))]
                elif name == "counts":
                    for predicate, made in self.mapping(value, (*place, name)).items():
                        counts[table, predicate] = self.truth(made, (*place, name, predicate))
                else:
                    raise self.wrong(
                        f"`{name}` is unknown here", (*place, name), "there are key, as, columns and counts"
                    )
        return Wishes(roles, shapes, frozenset(keyless), keys, counts, links=links)

    def mapping(self, value: object, place: tuple[str, ...]) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.wrong(f"`{'.'.join(place)}` is no table", place, f"write [{'.'.join(map(key_text, place))}]")
        return value

    def truth(self, value: object, place: tuple[str, ...]) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(f"{shortened(repr(value))} is unknown for {place[-1]}", place, "write true or false")
        return value

    def word(self, value: object, known: Mapping[str, object], place: tuple[str, ...]) -> str:
        if not isinstance(value, str) or value not in known:
            also = ", link to TABLE" if known is ROLES else ""
            raise self.wrong(
                f"{shortened(repr(value))} is unknown for {place[-1]}", place, f"there are {listed(known, 10)}{also}"
            )
        return value

    def names(self, value: object, place: tuple[str, ...]) -> str | list[str]:
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return value
        raise self.wrong(f"{shortened(repr(value))} is no key", place, "give the name of a column, or a list of names")

    def wrong(self, message: str, place: tuple[str, ...], remedy: str) -> MaxSynthError:
        return MaxSynthError(message, self.position(place), remedy)

    def position(self, place: tuple[str, ...]) -> Position:
        """The line where something is said: found by its name, below the heading of its table."""
        heading, inside = f"[{'.'.join(map(key_text, place[:-1]))}]", len(place) == 1
        for number, line in enumerate(self.text.splitlines(), 1):
            bare = line.strip()
            if bare.startswith("["):
                inside = bare.startswith(heading) and len(place) > 1
                if bare.startswith(f"[{'.'.join(map(key_text, place))}]"):
                    return Position(str(self.path), number)
            elif inside and re.match(rf"{re.escape(key_text(place[-1]))}\s*=", bare):
                return Position(str(self.path), number)
        return Position(str(self.path))
