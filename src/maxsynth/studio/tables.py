"""What was inferred from tables, as the page shows it, and what a person wishes of columns in its place."""

from __future__ import annotations

import dataclasses

from maxsynth.data.description import ColumnInfo, Description, Role, Shape, TableInfo
from maxsynth.data.wishes import Wishes
from maxsynth.errors import MaxSynthError
from maxsynth.studio.views import Json

FIXED = (Role.KEY, Role.LINK, Role.THING, Role.TARGET)  # columns that say what a row is, or what is learned
CHOICES = {role.value: role for role in (Role.LEFT_OUT, Role.CATEGORY, Role.NUMBER, Role.CODE)}
SHAPES = {
    Shape.ENTITY: "things",
    Shape.ROWS: "things without a key, named by their row",
    Shape.RELATION: "a relation",
    Shape.PAIRS: "things with a key of several columns",
}


def data_view(description: Description, wishes: Wishes) -> Json:
    return {
        "target": str(description.target),
        "why": description.target.why,
        "form": description.form,
        "notes": [*description.notes, *description.leaks],
        "choices": list(CHOICES),
        "tables": [table_view(table, wishes) for table in description.tables],
    }


def table_view(table: TableInfo, wishes: Wishes) -> Json:
    return {
        "name": table.name,
        "rows": table.rows,
        "shape": SHAPES[table.shape],
        "key": list(table.key),
        "key_why": table.key_why if table.key_declared else f"a guess: {table.key_why}",
        "links": [
            {
                "columns": list(link.columns),
                "table": link.table,
                "why": link.why if link.declared else f"a guess: {link.why}",
            }
            for link in table.links
        ],
        "columns": [column_view(table, column, wishes) for column in table.columns],
        "counts": [
            {
                "what": count.what,
                "predicate": count.predicate,
                "least": count.least,
                "most": count.most,
                "leak": count.leak,
            }
            for count in table.counts
        ],
    }


def column_view(table: TableInfo, column: ColumnInfo, wishes: Wishes) -> Json:
    wish = wishes.roles.get((table.name, column.name))
    return {
        "name": column.name,
        "role": column.role.value,
        "to": column.table if column.role is Role.LINK else "",
        "predicate": ", ".join(filter(None, (column.predicate, column.opposite))),
        "distinct": column.distinct,
        "missing": column.missing,
        "examples": list(column.examples),
        "why": column.why,
        "leak": column.leak,
        "fixed": column.role in FIXED,
        "wish": None if wish is None else wish.value,
    }


def wished(wishes: Wishes, table: str, column: str, role: str | None) -> Wishes:
    """The same with a wish more, or without the one that there was."""
    roles = {place: known for place, known in wishes.roles.items() if place != (table, column)}
    if role is not None:
        if role not in CHOICES:
            raise MaxSynthError("a column cannot be that", remedy=f"it is one of {', '.join(CHOICES)}")
        roles[table, column] = CHOICES[role]
    return dataclasses.replace(wishes, roles=roles)
