"""Keys that the user sets: `{"drugs": "id", "bonds": ("a", "b"), "atoms.drug": "drugs.id"}`.

A table stands for its key, a column for a foreign key; a foreign key of several columns is
`{("rides.line", "rides.stop"): ("stops.line", "stops.number")}`. What is set goes before what the source declares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maxsynth.data.reading.drafts import Draft
from maxsynth.data.tables import ForeignKey
from maxsynth.errors import MaxSynthError, Position, listed, shortened

Names = str | Sequence[str]
Keys = Mapping[str | tuple[str, ...], Names]
REMEDY = 'keys are such as {"drugs": "id", "atoms.drug": "drugs.id"}'


def set_keys(drafts: list[Draft], keys: Keys | None, place: Position) -> None:
    """Puts the user's keys into the tables, in the place of declared ones."""
    if keys is None:
        return
    if not isinstance(keys, Mapping):
        raise MaxSynthError(f"keys are no mapping: {shortened(repr(keys))}", place, REMEDY)
    tables = {draft.name: draft for draft in drafts}
    for what, to in keys.items():
        if isinstance(what, str) and what in tables:
            set_key(tables[what], names(to, place), place)
        else:
            set_foreign_key(tables, names(what, place), names(to, place), place)


def names(given: object, place: Position) -> tuple[str, ...]:
    """A name or several."""
    several = (given,) if isinstance(given, str) else given
    if not isinstance(several, Sequence) or not several or not all(isinstance(one, str) for one in several):
        raise MaxSynthError(f"a key is a name or several names, not {shortened(repr(given))}", place, REMEDY)
    return tuple(several)


def set_key(draft: Draft, columns: tuple[str, ...], place: Position) -> None:
    """The columns may be given with the table before them."""
    draft.key = tuple(name.removeprefix(f"{draft.name}.") if name not in draft.names() else name for name in columns)
    draft.key_chosen = True
    for name in draft.key:
        if name not in draft.names():
            raise no_column(draft, name, place)


def set_foreign_key(tables: dict[str, Draft], columns: tuple[str, ...], to: tuple[str, ...], place: Position) -> None:
    own, other = [split(name, tables, place) for name in columns], [split(name, tables, place) for name in to]
    if len(own) != len(other) or len({table for table, _ in own}) > 1 or len({table for table, _ in other}) > 1:
        raise MaxSynthError(
            f"the foreign key {', '.join(columns)} to {', '.join(to)} leads not from one table to as many columns of "
            "one",
            place,
            REMEDY,
        )
    draft = tables[own[0][0]]
    link = ForeignKey(tuple(name for _, name in own), other[0][0], tuple(name for _, name in other))
    draft.foreign_keys = [known for known in draft.foreign_keys if known.columns != link.columns] + [link]
    draft.chosen.add(link)


def split(name: str, tables: dict[str, Draft], place: Position) -> tuple[str, str]:
    """A table and a column of it. Names may have points in them, so each is tried."""
    table = ""
    for point in (at for at, char in enumerate(name) if char == "."):
        if name[:point] in tables:
            table = name[:point]
            if name[point + 1 :] in tables[table].names():
                return table, name[point + 1 :]
    if table:
        raise no_column(tables[table], name[len(table) + 1 :], place)
    if "." not in name:
        raise MaxSynthError(f"keys: there is no table {name}", place, f"there are {listed(tables)}")
    raise MaxSynthError(f"keys: there is no table {name.rpartition('.')[0]}", place, f"there are {listed(tables)}")


def no_column(draft: Draft, name: str, place: Position) -> MaxSynthError:
    return MaxSynthError(f"keys: {draft.name} has no column {name}", place, f"it has {listed(draft.names())}")
