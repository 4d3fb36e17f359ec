"""From data and a target to a description: the keys first, then what each column is, then names, then leaks."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np

from maxsynth.data.description import ColumnInfo, Description, LinkInfo, Role, Shape, TableInfo, Target
from maxsynth.data.inference.keys import Keys, find_keys
from maxsynth.data.inference.leaks import leak, pair_leak
from maxsynth.data.inference.roles import Seen, copies, role_of
from maxsynth.data.inference.target import find_column, make_target, pair_columns, read_target
from maxsynth.data.inference.types import Place, joined_columns, name_types
from maxsynth.data.inference.values import Values, all_values, as_list
from maxsynth.data.inference.wished import ASKED, check_wishes, wished_role
from maxsynth.data.inference.words import Names, plain_name, type_name, without_id
from maxsynth.data.tables import NULL, Data, Kind, Table
from maxsynth.data.wishes import NO_WISHES, Wishes
from maxsynth.errors import MaxSynthError

MOST_ARGUMENTS = 4  # of one predicate over all columns of a table


def infer(
    data: Data,
    target: str,
    *,
    leave_out: Iterable[str] = (),
    keep: Iterable[str] = (),
    where: str = "",
    negatives: int | None = None,
    closed_world: bool = False,
    seed: int = 1,
    wishes: Wishes = NO_WISHES,
) -> Description:
    """What data means, as far as `wishes` do not say it."""
    if not data.tables:
        raise MaxSynthError(f"{data.place} has no tables", remedy="there is nothing to learn from")
    asked = read_target(target, data)
    out = named(leave_out, data, asked.table.name, asked.column)
    kept = named(keep, data, asked.table.name, asked.column)
    check_wishes(wishes, data)
    keys = find_keys(data, wishes.keyless, {*wishes.roles})
    names = Names()
    aim = make_target(asked, keys, names)
    roles = Roles(data, keys, aim, out, kept, wishes)
    tables = [roles.table(table) for table in data.tables.values()]
    tables = connected(name_predicates(tables, names), aim, kept)
    notes = missing_labels(data, aim)
    if aim.pairs:
        notes += tuple(pair_leaks(data, tables, aim))
    else:
        tables = [with_leaks(table, data, aim) for table in tables]
    count = 0 if closed_world else 1 if negatives is None else negatives
    return Description(data.place, data.form, tuple(tables), aim, where, count, seed, notes=notes)


def named(texts: Iterable[str], data: Data, table: str, column: str) -> set[Place]:
    """The columns that a user names to be left out or kept."""
    found: set[Place] = set()
    for text in texts:
        place = find_column(text, data)
        columns = [place[1]] if place[1] else [one.name for one in data.tables[place[0]].columns]
        if place == (table, column) or (place[0] == table and not place[1]):
            raise MaxSynthError(f"{text} is what is to be learned", remedy="it is never in the rules")
        found |= {(place[0], name) for name in columns}
    return found


def missing_labels(data: Data, target: Target) -> tuple[str, ...]:
    if not target.column:
        return ()
    codes = data.tables[target.table].column(target.column).codes
    missing = int(np.count_nonzero(codes == NULL))
    return (f"{missing:,} of {len(codes):,} rows have no {target} and are left out",) if missing else ()


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


# -- names ----------------------------------------------------------------------------------------------------


def wished_name(column: ColumnInfo) -> str:
    return plain_name(without_id(column.name) if column.role is Role.LINK else column.name, "column")


def name_predicates(tables: list[TableInfo], names: Names) -> list[TableInfo]:
    """A name for each predicate: that of the column where no other column has it, with that of the table otherwise."""
    own = [(table, column) for table in tables if table.shape is not Shape.RELATION for column in table.columns]
    wished = Counter(wished_name(column) for table, column in own if has_predicate(table, column))
    wished.update(plain_name(table.name, "table") for table in tables if has_name(table))
    result = []
    for table in tables:
        base = plain_name(table.name, "table")
        arity = sum(column.used for column in table.columns) if table.shape is Shape.RELATION else len(table.key)
        name = names.free(arity, base) if has_name(table) else ""
        columns = [
            named_column(column, base, wished, names, max(len(table.key), 1))
            if has_predicate(table, column)
            else column
            for column in table.columns
        ]
        result.append(dataclasses.replace(table, predicate=name, columns=tuple(columns)))
    return result


def has_name(table: TableInfo) -> bool:
    if table.shape is Shape.RELATION:
        return any(column.used for column in table.columns)
    return table.shape is Shape.PAIRS and not any(column.role is Role.TARGET for column in table.columns)


def has_predicate(table: TableInfo, column: ColumnInfo) -> bool:
    return table.shape is not Shape.RELATION and column.used and column.name not in table.key


def named_column(column: ColumnInfo, table: str, wished: Mapping[str, int], names: Names, key: int) -> ColumnInfo:
    wish = wished_name(column)
    wishes = [wish, f"{table}_{wish}"] if wished[wish] == 1 else [f"{table}_{wish}"]
    if column.role is not Role.FLAG:
        return dataclasses.replace(column, predicate=names.free(key + 1, *wishes))
    yes = names.free(key, *wishes) if column.yes is not None else ""
    no = names.free(key, f"not_{yes or wishes[0]}") if column.no is not None else ""
    return dataclasses.replace(column, predicate=yes or no, opposite=no if yes else "")


# -- what reaches the target ----------------------------------------------------------------------------------


def connected(tables: list[TableInfo], target: Target, kept: Collection[Place]) -> list[TableInfo]:
    """Tables that no link or shared value leads to from the target's say nothing about it, and are left out."""
    types = {table.name: types_of(table, target) for table in tables}
    reached = set(types[target.table])
    near = {target.table}
    while True:
        more = {table.name for table in tables if table.name not in near and types[table.name] & reached}
        if not more:
            break
        near |= more
        for name in more:
            reached |= types[name]
    why = f"nothing leads from {target.table} to this table"
    return [
        table
        if table.name in near or any(place[0] == table.name for place in kept)
        else dataclasses.replace(
            table,
            predicate="",
            columns=tuple(
                dataclasses.replace(column, role=Role.LEFT_OUT, predicate="", opposite="", why=why)
                if column.used
                else column
                for column in table.columns
            ),
        )
        for table in tables
    ]


def types_of(table: TableInfo, target: Target) -> set[str]:
    """The types by which a rule can come to this table."""
    roles = (Role.KEY, Role.LINK, Role.THING, Role.CATEGORY, Role.CODE, Role.NUMBER)
    own = {table.type} if table.type and table.shape in (Shape.ENTITY, Shape.ROWS) else set()
    targets = Role.TARGET if target.pairs else None
    return own | {column.type for column in table.columns if column.role in roles or column.role is targets}


def pair_leaks(data: Data, tables: list[TableInfo], target: Target) -> Iterator[str]:
    """Relations that have the pairs of the target, in this order or the other."""
    own = next(table for table in tables if table.name == target.table)
    if target.column:
        return
    pairs = [column.name for column in own.columns if column.role is Role.TARGET]
    known = pairs_of(data.tables[own.name], pairs)
    for table in tables:
        columns = [column.name for column in table.columns if column.used]
        if table.shape is Shape.RELATION and len(columns) == 2 and table.name != own.name:
            said = pair_leak(known, pairs_of(data.tables[table.name], columns))
            if said:
                yield f"leak? {table.name}: {said} (--leave-out {table.name})"


def pairs_of(table: Table, names: list[str]) -> set[tuple[object, object]]:
    first, second = (table.column(name) for name in names)
    one, other = as_list(first.values), as_list(second.values)
    codes = zip(first.codes.tolist(), second.codes.tolist(), strict=True)
    return {(one[a], other[b]) for a, b in codes if NULL not in (a, b)}


def with_leaks(table: TableInfo, data: Data, target: Target) -> TableInfo:
    """Says of each column in the target's table whether it alone decides the target."""
    if table.name != target.table:
        return table
    asked = data.tables[table.name].column(target.column)
    labels = asked.codes
    if len(target.aims) == 1:  # this value, or any other
        place = as_list(asked.values).index(target.aims[0].equals)
        labels = np.where(labels == NULL, NULL, labels == place).astype(np.int32)
    source = {column.name: column for column in all_values(data.tables[table.name])}
    columns = tuple(
        dataclasses.replace(column, leak=leak(source[column.name], labels))
        if column.used and column.name not in table.key
        else column
        for column in table.columns
    )
    return dataclasses.replace(table, columns=columns)
