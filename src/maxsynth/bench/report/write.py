"""The report: tables as Markdown, LaTeX and CSV, figures as SVG, and one page of HTML with everything in it."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth import __version__
from maxsynth.bench.report import contents, recorded
from maxsynth.bench.report.grouping import Results
from maxsynth.bench.report.page import page
from maxsynth.bench.report.tables import Table
from maxsynth.bench.results import Record
from maxsynth.errors import MaxSynthError, Position
from maxsynth.files import write_text

if TYPE_CHECKING:
    from maxsynth.bench.report.figures import Figure

WITHOUT_FIGURES = "without figures: they need matplotlib (pip install 'maxsynth[bench]')"


def write_report(records: Sequence[Record], folder: Path, settings: dict[str, object], file: Path | None) -> str:
    """Writes all files of the report; returns what to say about it."""
    if not records:
        raise MaxSynthError("there are no results yet", Position(str(folder)), "run some experiments first")
    results = Results(records)
    tables = list(contents.tables(results))
    if file is not None:
        tables[1:1] = recorded.tables(results, recorded.load(file))
    try:
        from maxsynth.bench.report.figures import figures

        drawn = figures(results)
    except ModuleNotFoundError:
        drawn = []
    try:
        write_files(folder, introduction(results, settings), tables, drawn)
    except (MaxSynthError, OSError):
        print(tables[0].markdown(), flush=True)
        raise
    said = f"{tables[0].markdown()}\nThe report of {len(records)} runs is in {folder / 'report.html'}"
    return said if drawn else f"{said} ({WITHOUT_FIGURES})"


def write_files(folder: Path, facts: list[str], tables: Sequence[Table], drawn: Sequence[Figure]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        write_text(table.latex(), str(folder / f"{table.key}.tex"))
        write_text(table.csv(), str(folder / f"{table.key}.csv"))
    for figure in drawn:
        write_text(figure.svg, str(folder / f"{figure.key}.svg"))
    images = "".join(f"![{figure.title}]({figure.key}.svg)\n\n" for figure in drawn)
    write_text(markdown(facts, tables, images), str(folder / "report.md"))
    write_text(page(facts, tables, drawn), str(folder / "report.html"))


def markdown(facts: list[str], tables: Sequence[Table], images: str) -> str:
    return "\n".join([*facts, "", images, *(table.markdown() for table in tables)])


def introduction(results: Results, settings: dict[str, object]) -> list[str]:
    """What was run, where."""
    trials = len({record["trial"] for record in results.records})
    limits = ", ".join(f"{system} {results.largest_limit(system)}" for system in results.systems)
    data = "data read from a folder" if settings.get("data") else f"generated data, seed {settings.get('seed')}"
    quick = " (a quick run: few trials, low limits, small test sets)" if settings.get("quick") else ""
    return [
        f"{len(results.tasks)} tasks, {trials} {'trial' if trials == 1 else 'trials'}, {len(results.records)} runs, "
        f"{len(results.errors)} of them with an error; {data}{quick}.",
        f"Limits of a run: {limits}. MaxSynth {__version__}, Python {platform.python_version()}, {platform.machine()}.",
    ]
