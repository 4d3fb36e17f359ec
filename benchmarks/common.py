"""Where the paper's data is, and how a benchmark says that it is missing."""

from __future__ import annotations

import argparse
import json
import sys
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
