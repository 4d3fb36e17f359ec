"""Rows from facts, and the command line."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

FACTS: list[str] = []


def covered(facts: Mapping[str, Iterable[tuple[Any, ...]]]) -> set[Any]:
    raise NotImplementedError


# -- the command line ----------------------------------------------------------------------------------------------


def main() -> None:
    """Reads facts from a file, and prints what is covered."""
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} FACTS.json", file=sys.stderr)
        sys.exit(2)
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    facts = {name: [tuple(row) for row in given.get(name, [])] for name in FACTS}
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for row in sorted(covered(facts), key=repr):
        writer.writerow(row if isinstance(row, tuple) else [row])


if __name__ == "__main__":
    main()
