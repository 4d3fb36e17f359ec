"""A knowledge graph: programs for its most frequent relations, and which triples they take for true.

.venv/bin/python benchmarks/graphs.py [--data FOLDER] [--relations 10] [--valid] [--known 0.5] [--negatives 1]
    [--weights 1,1,1] [--limit 120]

The graph is CoDEx-S. For each of its most frequent relations, `maxsynth learn train.txt --target RELATION` learns which
pairs are related, as a process of its own: with a share of its pairs as known ones, which rules may use, and with
negatives that it draws itself (by the seed that it has by default). `maxsynth predict --pairs` then says which of the
pairs in test.txt (true) and test_negatives.txt (false, as people verified) are, with all of train.txt known. Beside it
is what one gets by saying yes to every pair. Balanced accuracy is the mean of the accuracies on both. Seconds are
processor time of learning. *--valid* asks about the validation set instead: that is for choosing settings.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common import DEFAULT, print_head, print_row, run_measured

GRAPH = Path("graphs", "codex-s")
LIMIT = 120  # seconds after which a run is cut
FILES = ("train.txt", "valid.txt", "valid_negatives.txt", "test.txt", "test_negatives.txt", "relations.json")

Triple = tuple[str, str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT, help=f"folder with {GRAPH}/ (default: {DEFAULT})")
    parser.add_argument("--relations", type=int, default=10, help="so many, the most frequent ones (default: 10)")
    parser.add_argument("--negatives", type=int, default=1, help="drawn for each pair (default: 1)")
    parser.add_argument("--weights", default="1,1,1", help="of literals and errors (default: 1,1,1)")
    parser.add_argument("--known", type=float, help="share of a relation's own pairs that rules may use")
    parser.add_argument("--valid", action="store_true", help="ask about the validation set, and not the test set")
    parser.add_argument("--only", nargs="+", help="these relations (default: all of the most frequent)")
    parser.add_argument("--limit", type=int, default=LIMIT, help=f"seconds for a run (default: {LIMIT})")
    options = parser.parse_args()
    folder = options.data / GRAPH
    lacking = [name for name in FILES if not (folder / name).is_file()]
    if lacking:
        print(f"no data: {folder} has no {', '.join(lacking)}; this benchmark needs it (see --data)")
        return
    how = ["--negatives", str(options.negatives), "--weights", options.weights, "--timeout", str(options.limit)]
    how += [] if options.known is None else ["--known", str(options.known)]
    show(folder, options, how)


def show(folder: Path, options: argparse.Namespace, how: list[str]) -> None:
    train = list(triples(folder / "train.txt"))
    names = json.loads((folder / "relations.json").read_text())
    heads = ("relation", "pairs", "rules", "cost", "proven", "seconds", "MB")
    print_head(*heads, "true, false", "always yes", "accuracy", "balanced")
    together = Scores()
    for relation, pairs in Counter(middle for _, middle, _ in train).most_common(options.relations):
        if options.only and relation not in options.only:
            continue
        files = ("valid" if options.valid else "test", "valid_negatives" if options.valid else "test_negatives")
        asked = {
            side: pairs_of(folder / f"{name}.txt", relation) for side, name in zip((True, False), files, strict=True)
        }
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch, "result.json")
            learned, cells = learn(folder / "train.txt", relation, report, how)
            if not learned:
                print_row(relation, pairs, *cells)
                continue
            yes = predicted(report, folder / "train.txt", relation, asked)
        scores = Scores(
            *(len(asked[side]) for side in (True, False)),
            sum(pair in yes for pair in asked[True]),
            sum(pair not in yes for pair in asked[False]),
        )
        together = together + scores
        print_row(f"{relation}, {names[relation]['label']}", pairs, *cells, *scores.cells())
    print_row("all", *[""] * (len(heads) - 1), *together.cells())


@dataclass(frozen=True)
class Scores:
    """How many pairs are true and false, and how many of them were taken for that."""

    true: int = 0
    false: int = 0
    right_true: int = 0
    right_false: int = 0

    def __add__(self, other: Scores) -> Scores:
        return Scores(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def cells(self) -> tuple[str, ...]:
        pairs = self.true + self.false
        if not pairs:
            return ("0, 0", "", "", "")
        accuracy = (self.right_true + self.right_false) / pairs
        sides = [right / of for right, of in ((self.right_true, self.true), (self.right_false, self.false)) if of]
        balanced = f"{100 * sum(sides) / 2:.1f}" if len(sides) == 2 else ""
        return f"{self.true}, {self.false}", f"{100 * self.true / pairs:.1f}", f"{100 * accuracy:.1f}", balanced


def learn(graph: Path, relation: str, report: Path, how: list[str]) -> tuple[bool, list[object]]:
    """Whether there is a program, and what to say about it."""
    command = [sys.executable, "-m", "maxsynth", "learn", str(graph), "--target", relation, "--quiet"]
    run = run_measured([*command, "--json", str(report), *how])
    if run.status:
        return False, [run.error.strip().splitlines()[-1]]
    result = json.loads(report.read_text())
    proven = "yes" if result["status"] == "optimal" else f"no, at least {result['lower_bound']} ({result['status']})"
    return True, [len(result["program"] or ()), result["cost"], proven, f"{run.seconds:.1f}", f"{run.megabytes:.0f}"]


def predicted(
    report: Path, graph: Path, relation: str, asked: dict[bool, list[tuple[str, str]]]
) -> set[tuple[str, str]]:
    """The pairs that are taken for true, given the graph to learn from."""
    new, answers = report.with_name("asked.txt"), report.with_name("answers.csv")
    pairs = dict.fromkeys(asked[True] + asked[False])
    new.write_text("".join(f"{subject}\t{relation}\t{thing}\n" for subject, thing in pairs))
    command = [sys.executable, "-m", "maxsynth", "predict", str(report), str(graph), "--pairs", str(new)]
    run = run_measured([*command, "--csv", str(answers)])
    if run.status:
        raise SystemExit(run.error)
    with answers.open(newline="") as file:
        rows = list(csv.reader(file))
    return {(row[0], row[1]) for row in rows[1:] if row[2] == "yes"}


def triples(file: Path) -> Iterator[Triple]:
    for line in file.read_text().splitlines():
        subject, relation, thing = line.split("\t")
        yield subject, relation, thing


def pairs_of(file: Path, relation: str) -> list[tuple[str, str]]:
    return [(subject, thing) for subject, one, thing in triples(file) if one == relation]


if __name__ == "__main__":
    main()
