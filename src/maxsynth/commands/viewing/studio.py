"""What `maxsynth studio` does: reads a task, and serves its page until it is told to end."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from maxsynth.commands.tables.options import DataOptions
from maxsynth.commands.viewing.opening import open_data, open_folder
from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import check_output
from maxsynth.task.task import TASK_FILES

PIP = "pip install 'maxsynth[studio]'"


def studio_command(
    given: str | None, data: DataOptions | None, *, how: dict[str, Any], port: int, browse: bool, prolog: str
) -> int:
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MaxSynthError("the studio needs Starlette and uvicorn", remedy=PIP)
    from maxsynth.studio.decisions import Decisions, place_beside
    from maxsynth.studio.serve import serve
    from maxsynth.studio.session import Session

    if given is None:
        check_here()
    opened = open_folder(Path(given or "."), prolog) if data is None else open_data(given or "", data)
    labels = place_beside(opened.place, Path.cwd())
    check_output(labels, opened.place)
    serve(Session(opened, Decisions(labels), how), port=port, browse=browse)
    return 0


def check_here() -> None:
    """Without a task, the folder that one is in is meant."""
    if not all(Path(name).is_file() for name in TASK_FILES):
        raise MaxSynthError(
            "there is no task here",
            Position("."),
            "give a task folder, or data with --target; `maxsynth demo zendo --save mytask` makes one",
        )
