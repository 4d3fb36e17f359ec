"""From data and a target to a description: the keys first, then what each column is, then names, then leaks."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator

import numpy as np

from maxsynth.data.description import Description, Role, Shape, TableInfo, Target
from maxsynth.data.inference.counts import count_values, with_counts
from maxsynth.data.inference.keys import find_keys
from maxsynth.data.inference.leaks import leak
from maxsynth.data.inference.naming import name_predicates
from maxsynth.data.inference.pair_leaks import Pairs, Wanted, pair_leak
from maxsynth.data.inference.table_roles import Roles
from maxsynth.data.inference.target import find_column, make_target, read_target
from maxsynth.data.inference.types import Place
from maxsynth.data.inference.values import all_values, as_list
from maxsynth.data.inference.wished import check_wishes
from maxsynth.data.inference.words import Names
from maxsynth.data.pairs.known import usual_share
from maxsynth.data.tables import NULL, Data
from maxsynth.data.wishes import NO_WISHES, Wishes
from maxsynth.errors import MaxSynthError


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
    known: float | None = None,
    counts: bool = True,
    wishes: Wishes = NO_WISHES,
) -> Description:
    """What data means, as far as `wishes` do not say it. `counts`: rules may count rows that lead to a thing."""
    if not data.tables:
        raise MaxSynthError(f"{data.place} has no tables", remedy="there is nothing to learn from")
    asked = read_target(target, data)
    out = named(leave_out, data, asked.table.name, asked.column)
    kept = named(keep, data, asked.table.name, asked.column)
    if both := sorted(out & kept):
        raise MaxSynthError(f"{'.'.join(both[0])} is to be left out and to be kept", remedy="say one of both")
    check_wishes(wishes, data)
    keys = find_keys(data, wishes.keyless, {*wishes.roles})
    names = Names()
    aim = make_target(asked, keys, names)
    if not aim.pairs and (closed_world or negatives is not None):
        raise MaxSynthError(
            f"{aim} has rows that are not positive: these are the negatives", remedy="they are drawn for pairs only"
        )
    if not aim.pairs and known:
        raise MaxSynthError(f"{aim} is a column, of which rows are known as a whole", remedy="--known is for pairs")
    roles = Roles(data, keys, aim, out, kept, wishes)
    tables = [roles.table(table) for table in data.tables.values()]
    tables = name_predicates(connected(tables, aim, kept), names)
    share = 0.0
    if aim.pairs:
        share = usual_share(asked.table, closed_world) if known is None else known
        aim = dataclasses.replace(aim, known=names.free(2, f"known_{aim.aims[0].predicate}") if share else "")
    tables = with_counts(tables, data, aim, names, wishes, wanted=counts)
    notes = missing_labels(data, aim)
    if aim.pairs:
        notes += tuple(pair_leaks(data, tables, aim))
    else:
        tables = [with_leaks(table, tables, data, aim) for table in tables]
    count = 0 if closed_world else 1 if negatives is None else negatives
    return Description(data.place, data.form, tuple(tables), aim, where, count, seed, share, notes=notes)


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
            columns=tuple(
                dataclasses.replace(column, role=Role.LEFT_OUT, why=why) if column.used else column
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
    """Warnings for relations that have the pairs of the target."""
    own = next(table for table in tables if table.name == target.table)
    if target.column:
        return
    first, second = (column.name for column in own.columns if column.role is Role.TARGET)
    known = Wanted(Pairs.of(data.tables[own.name], first, second))
    for table in tables:
        columns = [column.name for column in table.columns if column.used]
        if table.shape is Shape.RELATION and len(columns) == 2 and table.name != own.name:
            said = pair_leak(known, Pairs.of(data.tables[table.name], *columns))
            if said:
                yield f"leak? {table.name}: {said} (leave it out, unless it is known for new data too)"


def with_leaks(table: TableInfo, tables: list[TableInfo], data: Data, target: Target) -> TableInfo:
    """Says of each column and count in the target's table whether it alone decides the target."""
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
    numbers = count_values(table, {one.name: one for one in tables}, data)
    counts = tuple(dataclasses.replace(count, leak=leak(one, labels)) for count, one in numbers)
    return dataclasses.replace(table, columns=columns, counts=counts)
