"""What a person says of data, in the place of what would be inferred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from maxsynth.data.description import Role, Shape


@dataclass(frozen=True)
class Wishes:
    roles: Mapping[tuple[str, str], Role] = field(default_factory=dict)  # of columns that are neither key nor link
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    keyless: frozenset[str] = frozenset()  # tables that have no key
    keys: Mapping[str, str | list[str]] = field(default_factory=dict)  # of tables
    counts: Mapping[tuple[str, str], bool] = field(default_factory=dict)  # of things, by predicate: whether it is made
    uncounted: frozenset[str] = frozenset()  # tables whose rows are not counted
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)  # columns, and the tables that they lead to


NO_WISHES = Wishes()
