"""What commands on tables are asked for: the target, and what to make of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from maxsynth.commands.output import warn
from maxsynth.commands.progress import say
from maxsynth.data.database import Database
from maxsynth.data.description import Description, Role
from maxsynth.data.toml import read_task_file
from maxsynth.data.wishes import Wishes
from maxsynth.errors import MaxSynthError, Position, listed, one_line
from maxsynth.files import read_text


@dataclass(frozen=True)
class DataOptions:
    target: str | None = None
    leave_out: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    negatives: int | None = None
    closed_world: bool = False
    where: str | None = None
    seed: int | None = None
    known: float | None = None
    counts: bool = True


@dataclass(frozen=True)
class DataTask:
    """Data that was read, with its description, and the target as the user wrote it."""

    database: Database
    description: Description
    target: str
    how: dict[str, object]  # what was said of the task

    def again(self) -> Description:
        """What the data means now that something else is wished of it."""
        return self.database.describe(self.target, **self.how)  # type: ignore[arg-type]


def is_task_file(source: Path) -> bool:
    return source.suffix.lower() == ".toml"


def read_data_task(source: str, asked: DataOptions) -> DataTask:
    """From data and a target, or from a file that says both."""
    if is_task_file(Path(source)):
        return from_task_file(Path(source), asked)
    if asked.target is None:
        raise MaxSynthError(
            "tables need a target", Position(source), "say what to learn with --target TABLE.COLUMN, or TABLE for pairs"
        )
    where = None if asked.where is None else {table_of(asked.target): asked.where}
    return described(Database(source, where=where), asked.target, asked, {}, asked.where or "")


def from_task_file(path: Path, asked: DataOptions) -> DataTask:
    """What is said on the command line goes before what the file says."""
    said = read_task_file(path, read_text(path))
    target, where = asked.target or said.target, asked.where or said.where
    database = Database(said.data, where={table_of(target): where} if where else None, wishes=said.wishes)
    try:
        task = described(database, target, asked, dict(said.settings), where)
        if asked.target is None:
            check_targets(said.wishes, task.description)
        return task
    except MaxSynthError as error:
        error.at(Position(str(path)))
        raise


def check_targets(wishes: Wishes, description: Description) -> None:
    """An error where a file calls a column the target that is none."""
    for (table, column), role in wishes.roles.items():
        if role is Role.TARGET and description.table(table).column(column).role is not Role.TARGET:
            raise MaxSynthError(
                f"{table}.{column} is called the target, which is {description.target}",
                remedy=f'write target = "{table}.{column}" at the top, or give it another role',
            )


def described(database: Database, target: str, asked: DataOptions, settings: dict[str, object], where: str) -> DataTask:
    for name in ("negatives", "seed", "known"):
        if getattr(asked, name) is not None:
            settings[name] = getattr(asked, name)
    if asked.closed_world:
        settings["closed_world"] = True
    if not asked.counts:
        settings["counts"] = False
    if asked.negatives is not None:
        settings.pop("closed_world", None)
    database.where = where
    how: dict[str, object] = {"leave_out": asked.leave_out, "keep": asked.keep, **settings}
    return DataTask(database, database.describe(target, **how), target, how)  # type: ignore[arg-type]


def table_of(target: str) -> str:
    """The table of a target as it is written."""
    place = target.split("=")[0]
    return place.rpartition(".")[0] or place


def tell(task: DataTask) -> None:
    """What a person should know before anything is learned from this, on standard error."""
    description = task.description
    say(f"{description.target}: {one_line(description.target.why)}")
    if description.known:
        share = f"{100 * description.known:.4g}%"
        say(f"{share} of the pairs are known, as {description.target.known}/2, and the others are examples (--known)")
    warn([*task.database.data.notes, *description.notes])
    guessed = [
        f"{table.name}.{'+'.join(link.columns)} -> {link.table}"
        for table in description.tables
        for link in table.links
        if not link.declared
    ]
    if guessed:
        say(f"links that were guessed: {listed(guessed, 8)}")
    out = [
        f"{table.name}.{column.name}"
        for table in description.tables
        for column in table.columns
        if column.role is Role.LEFT_OUT
    ]
    if out:
        say(f"left out: {listed(out, 8)} (maxsynth describe says why)")
    warn(description.leaks)
