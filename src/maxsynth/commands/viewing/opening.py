"""The task that a page is about: a folder, or tables with a target."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from maxsynth.api.task import Task
from maxsynth.commands.tables.options import DataOptions, read_data_task
from maxsynth.data.description import Description
from maxsynth.data.task import make_task
from maxsynth.data.wishes import Wishes
from maxsynth.errors import MaxSynthError, Position
from maxsynth.studio.session import Opened


def open_folder(folder: Path, prolog: str) -> Opened:
    def make(_: Wishes) -> tuple[Task, None]:
        return Task.from_folder(folder, prolog=prolog), None

    return Opened(folder.resolve().name, os.path.abspath(folder), make)


def open_data(source: str, asked: DataOptions) -> Opened:
    """The data is read once; what a person wishes of its columns changes what it means, and not what it is."""
    read = read_data_task(source, asked)
    if len(read.description.target.aims) > 1:
        target, aims = read.description.target, read.description.target.aims
        raise MaxSynthError(
            f"{target} has {len(aims)} values, and each is a program of its own",
            Position(source),
            f"name one: --target {target}={aims[0].equals}",
        )
    before = read.database.wishes

    def make(wishes: Wishes) -> tuple[Task, Description]:
        roles = {**before.roles, **wishes.roles}
        read.database.wishes = dataclasses.replace(before, roles=roles)
        description = read.again()
        return make_task(read.database.data, description), description

    return Opened(str(read.description.target), read.description.place, make)
