"""Data from Python: tables of any form in, a description and tasks out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from maxsynth.api import options
from maxsynth.api.task import Task
from maxsynth.background.python_terms import shown
from maxsynth.data.description import Description
from maxsynth.data.inference.infer import infer
from maxsynth.data.tables import Table
from maxsynth.data.task import make_task
from maxsynth.data.wishes import NO_WISHES, Wishes
from maxsynth.errors import MaxSynthError

if TYPE_CHECKING:
    from maxsynth.data.reading.databases.condition import Where
    from maxsynth.data.reading.keys import Keys


class Database:
    """Tables to learn from.

    - `data`: a path (SQLite, CSV, Parquet, a folder of these, or a graph), the URL of a database, or a mapping from
      names of tables to data frames of pandas, polars or Arrow.
    - `keys`: keys that the data does not declare: `{"drugs": "id", "atoms.drug": "drugs.id"}`. Those that are neither
      declared nor given are inferred.
    - `where`: a condition in SQL on the rows of a table: `{"orders": "year >= 2020"}`.

    Nothing is ever written to a database.
    """

    def __init__(
        self, data: object, *, keys: Keys | None = None, where: Where = None, wishes: Wishes = NO_WISHES
    ) -> None:
        from maxsynth.data.reading.open_data import open_data

        self.data = open_data(data, where=where, keys={**(keys or {}), **wished_keys(wishes)} or None)
        self.wishes = wishes
        self.where = where if isinstance(where, str) else "; ".join(map(": ".join, (where or {}).items()))

    @property
    def tables(self) -> Mapping[str, Table]:
        return self.data.tables

    def describe(
        self,
        target: str,
        *,
        leave_out: Iterable[str] = (),
        keep: Iterable[str] = (),
        negatives: int | None = None,
        closed_world: bool = False,
        seed: int = 1,
        known: float | None = None,
        counts: bool = True,
        max_vars: int | None = None,
        max_body: int | None = None,
    ) -> Description:
        """What the data means as a task.

        - `target`: what to learn: `"drugs.active"`, `"iris.species=setosa"`, or a table of pairs;
        - `leave_out`, `keep`: columns, or tables, that rules may not use, or may although they look useless;
        - `negatives`: so many for each positive, where only true pairs are known; `closed_world`: all others; `seed`;
        - `known`: the share of the true pairs that rules may use, while the others are examples; 0 for none;
        - `counts`: whether rules may ask how many rows lead to a thing;
        - `max_vars`, `max_body`: limits of rules; without them, limits that fit the effort.
        """
        options.text("target", target)
        description = infer(
            self.data,
            target,
            leave_out=names("leave_out", leave_out),
            keep=names("keep", keep),
            where=self.where,
            negatives=options.count("negatives", negatives),
            closed_world=options.flag("closed_world", closed_world),
            seed=checked_seed(seed),
            known=checked_share(known),
            counts=options.flag("counts", counts),
            wishes=self.wishes,
        )
        limits = options.overrides(max_vars, max_body, None)
        return dataclasses.replace(description, max_vars=limits.max_vars or 0, max_body=limits.max_body or 0)

    def task(self, target: str, **how: Any) -> Task:
        """The task to learn a target, a task like any other; `how` is what `describe` takes."""
        description = self.describe(target, **how)
        if len(description.target.aims) > 1:
            values = [shown(aim.equals) for aim in description.target.aims]
            raise MaxSynthError(
                f"{description.target} has {len(values)} values, and each is a program of its own",
                remedy=f'name one, such as "{description.target}={description.target.aims[0].equals}", or use tasks()',
            )
        return make_task(self.data, description)

    def tasks(self, target: str, **how: Any) -> dict[object, Task]:
        """For a column of several values, the task of each value."""
        description = self.describe(target, **how)
        return {aim.equals: make_task(self.data, description, aim) for aim in description.target.aims}

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({len(table):,})" for name, table in self.tables.items())
        return f"<Database {self.data.place}: {tables}>"


def wished_keys(wishes: Wishes) -> dict[str | tuple[str, ...], str | list[str]]:
    """The keys and links of a task file, as a reader takes them."""
    found: dict[str | tuple[str, ...], str | list[str]] = dict(wishes.keys.items())
    for (table, column), to in wishes.links.items():
        key = wishes.keys.get(to)
        if not isinstance(key, str):
            raise MaxSynthError(
                f"{table}.{column} is to lead to {to}, which is given no key of one column",
                remedy=f'write key = "..." for the table {to}',
            )
        found[f"{table}.{column}"] = f"{to}.{key}"
    return found


def names(option: str, given: Iterable[str]) -> list[str]:
    listed = [given] if isinstance(given, str) else list(given)
    for name in listed:
        options.text(option, name)
    return listed


def checked_seed(seed: object) -> int:
    number = options.integer(seed)
    if number is None or number < 0:
        raise options.wrong("seed", seed, "a whole number from 0 on")
    return number


def checked_share(known: object) -> float | None:
    if known is None or (isinstance(known, int | float) and not isinstance(known, bool) and 0 <= known < 1):
        return None if known is None else float(known)
    raise options.wrong("known", known, "a share of the pairs, from 0 to less than 1")
