"""Learns the textbook tasks, without noise and with a fifth of the labels wrong, and prints a table.

.venv/bin/python benchmarks/textbook.py [--timeout 60] [NAME ...]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from maxsynth.commands.demo import accuracy_on_test
from maxsynth.demos.textbook import TASKS
from maxsynth.logic.programs import Program
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    print(
        "| task | noise | status | cost | at least | seconds | accuracy | program |\n|---|---|---|---|---|---|---|---|"
    )
    for name in options.names or TASKS:
        for noise in (0, 20):
            print(row(name, noise, options.timeout), flush=True)


def row(name: str, noise: int, timeout: float) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / name
        TASKS[name].make(1, noise).write(folder)
        result = Search(ReadTask.from_folder(folder, prolog="builtin"), Settings(timeout=timeout)).run()
        program = result.program or Program()
        accuracy = accuracy_on_test(program, folder)
    # What a user waits for: the proof, or else the last improvement.
    seconds = result.seconds["total"] if result.status == "optimal" else (result.trace or [(0.0, 0, 0)])[-1][0]
    rules = " ".join(f"`{rule}`" for rule in program.rules)
    cells = (
        name,
        f"{noise}%",
        result.status,
        result.cost,
        result.lower_bound,
        f"{seconds:.1f}",
        f"{accuracy:.0%}",
        rules,
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
