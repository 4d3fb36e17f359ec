"""A table, and how it is written: Markdown, LaTeX, CSV, HTML."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, field

from maxsynth.bench.report.statistics import Mean

NONE = "–"
LATEX = str.maketrans(
    {"%": r"\%", "_": r"\_", "&": r"\&", "#": r"\#", "{": r"\{", "}": r"\}", "±": r"$\pm$"}
    | {
        "†": r"$^\dagger$",
        "‡": r"$^\ddagger$",
        "§": r"$^\S$",
        "–": "--",
        "≥": r"$\geq$",
        "<": "$<$",
        ">": "$>$",
        "$": r"\$",
    }
)


@dataclass(frozen=True)
class Cell:
    text: str
    bold: bool = False
    mean: Mean | None = None

    @classmethod
    def of(cls, mean: Mean | None, *, bold: bool = False, mark: str = "", digits: int | None = 1) -> Cell:
        """A mean and its standard error; with no digits given, as many as a time needs."""
        if mean is None:
            return cls(NONE)
        digits = digits if digits is not None else (2 if mean.value < 1 else 1 if mean.value < 100 else 0)
        error = f" ± {mean.error:,.{digits}f}" if mean.count > 1 else ""
        return cls(f"{mean.value:,.{digits}f}{error}{mark}", bold, mean)


@dataclass
class Table:
    """`key` names its files; `notes` are said below it."""

    key: str
    title: str
    columns: Sequence[str]
    rows: list[list[Cell]]
    notes: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        lines = [f"| {' | '.join(self.columns)} |", f"|{'---|' * len(self.columns)}"]
        for row in self.rows:
            lines.append(f"| {' | '.join(f'**{cell.text}**' if cell.bold else cell.text for cell in row)} |")
        return "\n".join([f"**{self.title}**", "", *lines, *(f"\n{note}" for note in self.notes)]) + "\n"

    def latex(self) -> str:
        def line(texts: Sequence[str]) -> str:
            return " & ".join(texts) + r" \\"

        rows = [
            line([rf"\textbf{{{text(cell.text)}}}" if cell.bold else text(cell.text) for cell in row])
            for row in self.rows
        ]
        return "\n".join(
            [
                "% needs \\usepackage{booktabs}",
                r"\begin{table}",
                r"\centering",
                rf"\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}",
                r"\toprule",
                line([rf"\textbf{{{text(column)}}}" for column in self.columns]),
                r"\midrule",
                *rows,
                r"\bottomrule",
                r"\end{tabular}",
                rf"\caption{{{text('. '.join([self.title, *self.notes]))}}}",
                rf"\label{{tab:{self.key}}}",
                r"\end{table}",
                "",
            ]
        )

    def csv(self) -> str:
        """Numbers as numbers, with the standard error in a column of its own."""
        means = [any(row[i].mean is not None for row in self.rows) for i in range(len(self.columns))]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = [
            [name, f"{name} (standard error)"] if mean else [name]
            for name, mean in zip(self.columns, means, strict=True)
        ]
        writer.writerow([name for group in names for name in group])
        for row in self.rows:
            writer.writerow([value for cell, mean in zip(row, means, strict=True) for value in numbers(cell, mean)])
        return out.getvalue()

    def html(self) -> str:
        """Each cell says its column, so that a row can be shown as a card where the screen is narrow."""
        head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in self.columns)
        body = []
        for row in self.rows:
            first, *rest = row
            cells = [f'<th scope="row">{html.escape(first.text)}</th>']
            for column, cell in zip(self.columns[1:], rest, strict=True):
                content = html.escape(cell.text)
                content = f"<b>{content}</b>" if cell.bold else content
                cells.append(f'<td data-label="{html.escape(column)}">{content}</td>')
            body.append(f"<tr>{''.join(cells)}</tr>")
        notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in self.notes)
        rows = "\n".join(body)
        return (
            f'<section id="{self.key}"><h3>{html.escape(self.title)}</h3>\n<table>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n{notes}</section>\n"
        )


def text(plain: str) -> str:
    return plain.translate(LATEX)


def numbers(cell: Cell, mean: bool) -> list[str]:
    if not mean:
        return [cell.text]
    return ["", ""] if cell.mean is None else [f"{cell.mean.value:.6g}", f"{cell.mean.error:.6g}"]
