"""Types: which columns hold values of the same sort, so that a rule may go from one to the other.

Columns meet that a link joins, and columns of text that share values: a union of all that meet is a type. Numbers
meet only where a key joins them, for that two columns have the same numbers says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from maxsynth.data.inference.keys import Keys
from maxsynth.data.inference.values import Values
from maxsynth.data.inference.words import Names, type_name
from maxsynth.data.tables import Data, Kind

Place = tuple[str, str]  # a table and a column

ENOUGH = 0.5  # share of the values of the smaller column ...
AT_LEAST = 2  # ... and so many of them


class Union:
    """Sets of columns that meet; the one that came first stands for all."""

    def __init__(self) -> None:
        self.leader: dict[Place, Place] = {}

    def find(self, place: Place) -> Place:
        self.leader.setdefault(place, place)
        while self.leader[place] != place:
            self.leader[place] = self.leader[self.leader[place]]
            place = self.leader[place]
        return place

    def join(self, one: Place, other: Place) -> None:
        first, second = self.find(one), self.find(other)
        if first != second:
            self.leader[second] = first


def joined_columns(data: Data, keys: Keys, values: Mapping[Place, Values]) -> Union:
    """All columns, joined where they meet."""
    union = Union()
    for table in data.tables.values():
        for column in table.columns:
            union.find((table.name, column.name))
    for name, links in keys.links.items():
        for link in links:
            for own, to in zip(link.columns, link.to, strict=True):
                union.join((link.table, to), (name, own))
    texts = {place: column for place, column in values.items() if column.kind is Kind.TEXT and column.distinct}
    if data.form == "graph":
        join_all_that_share(union, texts)
    else:
        for one, other in combinations(texts, 2):
            if union.find(one) != union.find(other) and meet(texts[one], texts[other]):
                union.join(one, other)
    return union


def meet(one: Values, other: Values) -> bool:
    shared = one.shared_with(other)
    return shared >= AT_LEAST and shared >= ENOUGH * min(one.distinct, other.distinct)


def join_all_that_share(union: Union, texts: Mapping[Place, Values]) -> None:
    """In a graph, a node is the same thing wherever it occurs.

    There may be millions of values, so that nothing is done for each in Python. As long as all columns are joined, as
    they mostly are, it is enough that one value was seen before; and mostly that was in the first columns, so that the
    values of others are looked at only when it was not. Once a column has none that was seen before, a value is kept
    with the last column that has it: whatever had it before is joined with that one.
    """
    places, seen, last = list(texts), set[str](), None
    later: list[Iterable[str]] = []  # values that were seen, and are not in the set
    for number, place in enumerate(places):
        values: Sequence[str] = texts[place].column.values  # type: ignore[assignment]
        if last is None and number and seen.isdisjoint(values):
            seen.update(*later)
            later.clear()
            if seen.isdisjoint(values):
                last = dict.fromkeys(seen, 0)
        if last is None:
            union.join(places[0], place)
            later.append(values)
            if not number:
                seen.update(values)
        else:
            for other in sorted({other for other in set(map(last.get, values)) if other is not None}):
                union.join(places[other], place)
            last.update(dict.fromkeys(values, number))


def name_types(data: Data, keys: Keys, union: Union) -> dict[Place, str]:
    """A name for the type of each column: that of the table whose key it is, or of the first column."""
    names, found = Names(), dict[Place, str]()
    for owner, key in keys.keys.items():
        if len(key.columns) == 1:
            leader = union.find((owner, key.columns[0]))
            if leader not in found:
                found[leader] = names.free(0, type_name(owner, "thing"))
    result = {}
    for table in data.tables.values():
        for column in table.columns:
            place = (table.name, column.name)
            leader = union.find(place)
            if leader not in found:
                wish = "entity" if data.form == "graph" else type_name(column.name, "value")
                found[leader] = names.free(0, wish, f"{type_name(table.name, 'thing')}_{wish}")
            result[place] = found[leader]
    return result
