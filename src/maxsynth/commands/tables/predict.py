"""What `maxsynth predict` does and prints: what a learned program says of new data."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from maxsynth.commands.tables.given import read_learned
from maxsynth.data.dates import rule_text
from maxsynth.data.meaning import ROW_NUMBER
from maxsynth.data.prediction import Learned, Prediction, predict
from maxsynth.data.reading.open_data import open_data
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.files import check_output, write_text


def predict_command(result: Path, source: str, *, pairs: str | None = None, csv_file: str | None) -> int:
    learned = read_learned(result)
    if pairs is not None and not learned[0].description.target.pairs:
        raise MaxSynthError(f"{learned[0].description.target} has no pairs", remedy="leave out --pairs")
    check_output(csv_file, result, source, *([] if pairs is None else [pairs]), learned[0].description.place)
    found = list(predict(learned, open_data(source), None if pairs is None else open_data(pairs)))
    if csv_file is not None:
        write_text(as_csv(learned, found), csv_file)
    if csv_file != "-":
        show(learned, found)
    return 0


def headings(learned: list[Learned]) -> list[str]:
    target = learned[0].target
    keys = ["row" if argument.column == ROW_NUMBER else argument.column for argument in target.arguments]
    return [*keys, target.column or target.predicate, "rule"]


def rows(learned: list[Learned], found: list[Prediction]) -> list[list[str]]:
    meanings = learned[0].description.meanings
    return [[*one.key, one.value, "" if one.rule is None else rule_text(one.rule, meanings)] for one in found]


def as_csv(learned: list[Learned], found: list[Prediction]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings(learned))
    writer.writerows(rows(learned, found))
    return out.getvalue()


def show(learned: list[Learned], found: list[Prediction]) -> None:
    lines = [headings(learned), *([one_line(cell) for cell in row] for row in rows(learned, found))]
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]) - 1)]
    for line in lines:
        start = "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=False))
        print(f"{start}  {line[-1]}".rstrip())
