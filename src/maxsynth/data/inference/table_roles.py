"""What a row of each table is, and with that what each of its columns is."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection

from maxsynth.data.description import ColumnInfo, LinkInfo, Role, Shape, TableInfo, Target
from maxsynth.data.inference.keys import Keys
from maxsynth.data.inference.roles import Seen, copies, role_of
from maxsynth.data.inference.target import pair_columns
from maxsynth.data.inference.types import Place, joined_columns, name_types
from maxsynth.data.inference.values import Values, all_values
from maxsynth.data.inference.wished import ASKED, wished_role
from maxsynth.data.inference.words import Names, type_name
from maxsynth.data.tables import Data, Kind, Table
from maxsynth.data.wishes import Wishes
from maxsynth.errors import MaxSynthError

MOST_ARGUMENTS = 4  # of one predicate over all columns of a table


class Roles:
    """What each column is, and what a row of each table is."""

    def __init__(
        self, data: Data, keys: Keys, target: Target, out: Collection[Place], kept: Collection[Place], wishes: Wishes
    ) -> None:
        self.data, self.keys, self.target, self.wishes = data, keys, target, wishes
        self.out = {*out, *(place for place, role in wishes.roles.items() if role is Role.LEFT_OUT)}
        wanted = {role for role in Role if role not in (Role.LEFT_OUT, Role.TARGET)}
        self.kept = {*kept, *(place for place, role in wishes.roles.items() if role in wanted)}
        self.values: dict[Place, Values] = {
            (table.name, column.name): column for table in data.tables.values() for column in all_values(table)
        }
        union = joined_columns(data, keys, self.values)
        self.types = name_types(data, keys, union)
        self.often = Counter(self.types.values())
        self.referred = {link.table for links in keys.links.values() for link in links}

    def table(self, table: Table) -> TableInfo:
        columns = self.without_copies(table, [self.column(table, column.name) for column in table.columns])
        key = self.keys.keys.get(table.name)
        shape = self.shape(table, columns)
        if shape is Shape.RELATION:
            columns = [self.in_relation(table, column) for column in columns]
        own_type = self.types[table.name, key.columns[0]] if key and len(key.columns) == 1 else ""
        return TableInfo(
            table.name,
            len(table),
            shape,
            tuple(columns),
            key.columns if key else (),
            key.declared if key else False,
            key.why if key else "no column is unique and named or used as a key",
            self.keys.links[table.name],
            own_type or (self.row_type(table) if shape is Shape.ROWS else ""),
        )

    def row_type(self, table: Table) -> str:
        return Names(self.types.values()).free(0, f"{type_name(table.name, 'table')}_row")

    # -- columns ----------------------------------------------------------------------------------------------

    def column(self, table: Table, name: str) -> ColumnInfo:
        place = (table.name, name)
        values, key, link = self.values[place], self.keys.keys.get(table.name), self.link(table, name)
        entity = link.table if link else table.name if key and key.columns == (name,) else ""
        seen = self.role(table, name, link)
        return ColumnInfo(
            name,
            values.kind,
            seen.role,
            self.types[place],
            yes=seen.yes,
            no=seen.no,
            table=entity,
            why=seen.why,
            distinct=values.distinct,
            missing=values.missing,
            examples=values.shown(),
            stored_as_text=values.column.stored_as_text,
        )

    def link(self, table: Table, name: str) -> LinkInfo | None:
        """Where a column leads to, if that is a key; one that leads to another column has values in common with it."""
        link = self.keys.link(table.name, name)
        key = self.keys.keys.get(link.table) if link else None
        return link if link is not None and key is not None and key.columns == link.to else None

    def role(self, table: Table, name: str, link: LinkInfo | None) -> Seen:
        place, key = (table.name, name), self.keys.keys.get(table.name)
        if self.is_target(table, name):
            return Seen(Role.TARGET)
        if key is not None and name in key.columns:
            return Seen(Role.KEY, key.why)
        if place in self.out:
            return Seen(Role.LEFT_OUT, ASKED)
        if link is not None:
            return Seen(Role.LINK, link.why)
        if self.data.form == "graph" and self.values[place].kind is Kind.TEXT and place not in self.wishes.roles:
            return Seen(Role.THING)
        seen = role_of(self.values[place], joined=self.often[self.types[place]] > 1)
        wish = self.wishes.roles.get(place)
        if wish is not None and wish not in (seen.role, Role.TARGET):
            return wished_role(self.values[place], wish)
        if seen.role is Role.LEFT_OUT and place in self.kept:
            return Seen(Role.CATEGORY if self.values[place].kind in (Kind.TEXT, Kind.YES_NO) else Role.NUMBER, ASKED)
        return seen

    def is_target(self, table: Table, name: str) -> bool:
        if table.name != self.target.table:
            return False
        return name == self.target.column if self.target.column else name in pair_columns(table, self.keys)

    def without_copies(self, table: Table, columns: list[ColumnInfo]) -> list[ColumnInfo]:
        """Leaves out columns that repeat another one, and in the target's table what repeats the target."""
        target = [column for column in columns if column.role is Role.TARGET and self.target.column]
        first = [
            (self.values[table.name, column.name], role_of(self.values[table.name, column.name]).role)
            for column in target
        ]
        rest = [(self.values[table.name, column.name], column.role) for column in columns if column.used]
        found = copies([*first, *rest])
        return [
            dataclasses.replace(column, role=Role.LEFT_OUT, why=self.copy_text(table, found[column.name]))
            if column.name in found and (table.name, column.name) not in self.kept
            else column
            for column in columns
        ]

    def copy_text(self, table: Table, other: str) -> str:
        target = (table.name, other) == (self.target.table, self.target.column)
        return f"says the same as {'the target, ' if target else ''}{other}"

    # -- tables -----------------------------------------------------------------------------------------------

    def shape(self, table: Table, columns: list[ColumnInfo]) -> Shape:
        if table.name in self.wishes.shapes:
            return self.wished_shape(table)
        key = self.keys.keys.get(table.name)
        used = [column for column in columns if column.used and column.name not in (key.columns if key else ())]
        narrow = not any(column.missing for column in used)
        if table.name == self.target.table and (self.target.column or key is None):
            if not self.target.column:
                return Shape.RELATION
            return Shape.ROWS if key is None else Shape.ENTITY if len(key.columns) == 1 else Shape.PAIRS
        if key is None:
            return Shape.RELATION if narrow and len(used) <= MOST_ARGUMENTS else Shape.ROWS
        if len(key.columns) > 1:
            whole = narrow and len(used) + len(key.columns) <= MOST_ARGUMENTS
            return Shape.RELATION if whole else Shape.PAIRS
        links = [column for column in columns if column.role in (Role.LINK, Role.TARGET) and column.table]
        only_joins = len(links) > 1 or (len(links) == 1 and len(used) in (2, 3))
        if table.name not in self.referred and only_joins and narrow and 2 <= len(used) <= MOST_ARGUMENTS:
            return Shape.RELATION
        return Shape.RELATION if table.name == self.target.table else Shape.ENTITY

    def wished_shape(self, table: Table) -> Shape:
        wish, key = self.wishes.shapes[table.name], self.keys.keys.get(table.name)
        wanted = {Shape.ENTITY: 1, Shape.PAIRS: 2}.get(wish, 0)
        if wanted and (key is None or (len(key.columns) == 1) != (wanted == 1)):
            of = "one column" if wanted == 1 else "several columns"
            raise MaxSynthError(f"{table.name} is to be {wish.value}, and has no key of {of}", remedy="give it a key")
        if wish is Shape.RELATION and table.name == self.target.table and self.target.column:
            raise MaxSynthError(f"{table.name} is to be a relation, and has the target", remedy="learn of rows")
        return wish

    def in_relation(self, table: Table, column: ColumnInfo) -> ColumnInfo:
        """In a relation, a yes/no is a value like others, and a key of its own that nobody asks for is nothing."""
        key = self.keys.keys.get(table.name)
        if column.role is Role.KEY and key is not None and len(key.columns) == 1:
            why = "a number for each row of a relation, which no table refers to"
            return dataclasses.replace(column, role=Role.LEFT_OUT, why=why)
        if column.used and table.name == self.target.table:
            return dataclasses.replace(column, role=Role.LEFT_OUT, why="says something of the pairs that are learned")
        if column.role is Role.KEY and column.table:
            return dataclasses.replace(column, role=Role.LINK)
        if column.role in (Role.FLAG, Role.KEY):
            text = column.kind in (Kind.TEXT, Kind.YES_NO)
            return dataclasses.replace(column, role=Role.CATEGORY if text else Role.CODE, yes=None, no=None)
        return column
