"""Names of predicates: that of the column where no other column has it, with that of the table otherwise."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping

from maxsynth.data.description import ColumnInfo, Role, Shape, TableInfo
from maxsynth.data.inference.words import Names, plain_name, without_id


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
