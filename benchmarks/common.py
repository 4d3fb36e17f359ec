"""Where the data is and how a benchmark says that it is missing; processes that are measured; tables."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "datasets"


def add_data_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DEFAULT, help=f"folder with paper/ and paper-results.json (default: {DEFAULT})"
    )


def need_data(folder: Path) -> None:
    """Ends the benchmark, with a word, where there is no data: it is not part of the project."""
    if not (folder / "paper").is_dir():
        print(f"no data: {folder} has no folder paper/; this benchmark needs the paper's data (see --data)")
        sys.exit(0)


def paper_results(folder: Path) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((folder / "paper-results.json").read_text())
    return results


@dataclass(frozen=True)
class Finished:
    """A process that came to its end, and what it took."""

    status: int
    out: str
    error: str
    seconds: float  # of processor time
    megabytes: float  # at its peak


def run_measured(command: Sequence[str]) -> Finished:
    """Runs a command; the peak of memory is that of this process, and not of all that were run before."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as error:
        process = subprocess.Popen(command, stdout=out, stderr=error)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        error.seek(0)
        peak = used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        return Finished(process.returncode, out.read(), error.read(), used.ru_utime + used.ru_stime, peak)


def print_row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def print_head(*names: str) -> None:
    print_row(*names)
    print_row(*("---" for _ in names))
