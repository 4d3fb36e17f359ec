"""A knowledge graph: programs for its most frequent relations, and which triples they take for true.

.venv/bin/python benchmarks/graphs.py [--data FOLDER] [--relations 10] [--negatives 1] [--weights 1,1,1] [--limit 120]

The graph is CoDEx-S. For each of its most frequent relations, `maxsynth learn train.txt --target RELATION` learns which
pairs are related, with negatives that it draws itself (by the seed that it has by default), as a process of its own;
`maxsynth predict` then says which of the pairs in test.txt (true) and test_negatives.txt (false, as people verified)
are. Beside it is what one gets by saying yes to every pair. Balanced accuracy is the mean of the accuracies on both.
Seconds are processor time of learning.

A relation's own pairs are examples, and no facts. *--known 0.5* makes half of them facts, of another relation, so that
rules may say that diplomatic relations are mutual, or go from an occupation to those that are often found with it.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common import DEFAULT, print_head, print_row, run_measured

GRAPH = Path("graphs", "codex-s")
KNOWN = "_known"  # after the name of a relation: those of its pairs that rules may use
SEED = 1
LIMIT = 120  # seconds after which a run is cut
FILES = ("train.txt", "test.txt", "test_negatives.txt", "relations.json")

Triple = tuple[str, str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT, help=f"folder with {GRAPH}/ (default: {DEFAULT})")
    parser.add_argument("--relations", type=int, default=10, help="so many, the most frequent ones (default: 10)")
    parser.add_argument("--negatives", type=int, default=1, help="drawn for each pair (default: 1)")
    parser.add_argument("--weights", default="1,1,1", help="of literals and errors (default: 1,1,1)")
    parser.add_argument("--known", type=float, default=0.0, help="share of a relation's own pairs that rules may use")
    parser.add_argument("--only", nargs="+", help="these relations (default: all of the most frequent)")
    parser.add_argument("--limit", type=int, default=LIMIT, help=f"seconds for a run (default: {LIMIT})")
    options = parser.parse_args()
    folder = options.data / GRAPH
    lacking = [name for name in FILES if not (folder / name).is_file()]
    if lacking:
        print(f"no data: {folder} has no {', '.join(lacking)}; this benchmark needs it (see --data)")
        return
    how = ["--negatives", str(options.negatives), "--weights", options.weights, "--timeout", str(options.limit)]
    show(folder, options, how)


def show(folder: Path, options: argparse.Namespace, how: list[str]) -> None:
    train = list(triples(folder / "train.txt"))
    names = json.loads((folder / "relations.json").read_text())
    heads = ("relation", "pairs", "rules", "cost", "proven", "seconds", "MB")
    print_head(*heads, "test: true, false", "always yes", "accuracy", "balanced")
    together = Scores()
    for relation, pairs in Counter(middle for _, middle, _ in train).most_common(options.relations):
        if options.only and relation not in options.only:
            continue
        asked = {
            True: pairs_of(folder / "test.txt", relation),
            False: pairs_of(folder / "test_negatives.txt", relation),
        }
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch, "result.json")
            graph = Path(scratch, "train.txt")
            write(graph, with_known(train, relation, options.known))
            learned, cells = learn(graph, relation, report, how)
            if not learned:
                print_row(relation, pairs, *cells)
                continue
            rest = [triple for triple in with_known(train, relation, 1.0) if triple[1] != relation]
            yes = predicted(report, rest, relation, asked)
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
    report: Path, known: list[Triple], relation: str, asked: dict[bool, list[tuple[str, str]]]
) -> set[tuple[str, str]]:
    """The pairs that are taken for true, given the other relations of the graph to learn from."""
    new, answers = report.with_name("new.txt"), report.with_name("answers.csv")
    pairs = list(dict.fromkeys(asked[True] + asked[False]))
    write(new, [*known, *((subject, relation, thing) for subject, thing in pairs)])
    run = run_measured([sys.executable, "-m", "maxsynth", "predict", str(report), str(new), "--csv", str(answers)])
    if run.status:
        raise SystemExit(run.error)
    with answers.open(newline="") as file:
        rows = list(csv.reader(file))
    return {(row[0], row[1]) for row in rows[1:] if row[2] == "yes"}


def with_known(train: list[Triple], relation: str, share: float) -> list[Triple]:
    """The graph in which a share of the pairs of a relation are of one that rules may use, instead."""
    rng = random.Random(SEED)
    known = f"{relation}{KNOWN}"
    return [
        (subject, known, thing) if one == relation and rng.random() < share else (subject, one, thing)
        for subject, one, thing in train
    ]


def write(file: Path, graph: list[Triple]) -> None:
    file.write_text("".join("\t".join(triple) + "\n" for triple in graph))


def triples(file: Path) -> Iterator[Triple]:
    for line in file.read_text().splitlines():
        subject, relation, thing = line.split("\t")
        yield subject, relation, thing


def pairs_of(file: Path, relation: str) -> list[tuple[str, str]]:
    return [(subject, thing) for subject, one, thing in triples(file) if one == relation]


if __name__ == "__main__":
    main()
