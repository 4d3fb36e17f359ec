"""A program as mathematics for LaTeX: a part of a document, which needs the package amsmath."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxsynth.data.dates import dates_in
from maxsynth.data.meaning import Meaning
from maxsynth.exporting.subject import Subject
from maxsynth.exporting.values import term_of, text_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.programs import Argument, Literal, Rule, variable_names

ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "`": "{`}",
}  # fmt: skip
RELATIONS = {">=": r"\geq", "=<": r"\leq", "<": "<", ">": ">"}
WIDE = 60  # characters of a line, as they are seen


def latex(*subjects: Subject) -> str:
    return "".join(f"{line}\n" for subject in subjects for line in lines(subject))


def lines(subject: Subject) -> Iterator[str]:
    yield r"% needs \usepackage{amsmath}"
    if not str(subject.program).isascii():
        yield "% has letters beyond ASCII: where pdflatex does not know one of them, use lualatex"
    yield r"\begin{align*}"
    rules = [rule_text(rule, subject) for rule in subject.program.rules]
    if not rules:
        yield r"&\text{(no rules)}"
    told = [*rules, *(count_text(subject.meanings[predicate]) for predicate in subject.counts)]
    for number, line in enumerate(told, 1):
        yield line + (r" \\" if number < len(told) else "")
    yield r"\end{align*}"
    if subject.uses_known():
        yield "What is known of a pair itself does not count for it."


def rule_text(rule: Rule, subject: Subject) -> str:
    names = {
        variable: r"\_" if name == "_" else f"{name[0]}_{{{name[1:]}}}" if len(name) > 1 else name
        for variable, name in variable_names(rule).items()
    }
    dates = dates_in(rule, subject.meanings)
    head, *body = [literal_text(literal, names, dates.get(literal), subject) for literal in rule.literals()]
    if not body:
        return f"{head} &\\leftarrow \\top"
    written, width = f"{head} &\\leftarrow {body[0]}", seen(body[0])
    for part in body[1:]:
        width += seen(part)
        if width > WIDE:
            written += r" \\" + "\n&\\qquad"
            width = seen(part)
        written += f" \\land {part}"
    return written


def count_text(meaning: Meaning) -> str:
    """What a count is, for the reader."""
    assert meaning.counted is not None
    counted, name = meaning.counted, text(meaning.predicate)
    tests = f"{text(counted.by.column)}(R) = A"
    if counted.column is not None:
        value = counted.equals if isinstance(counted.equals, str) else str(counted.equals).lower()
        tests += rf" \land {text(counted.column.column)}(R) = {text(value)}"
    return rf"{name}(A, N) &\leftrightarrow N = |\{{R \in {text(counted.table)} \mid {tests}\}}|"


def seen(part: str) -> int:
    """About how many characters are seen of this."""
    return 3 + len(re.sub(r"\\text\{|\\[a-z]+(\{\})?|[\\}]", "", part))


def literal_text(literal: Literal, names: dict[int, str], date: str | None, subject: Subject) -> str:
    args = [argument_text(arg, names) for arg in literal.args]
    if subject.is_built_in(literal.predicate):
        if literal.predicate == SUM:
            return f"{args[2]} = {args[0]} + {args[1]}"
        return f"{args[0]} {RELATIONS[literal.name]} {text(date) if date else args[1]}"
    return text(literal.name) + (f"({', '.join(args)})" if args else "")


def argument_text(arg: Argument, names: dict[int, str]) -> str:
    if isinstance(arg, int):
        return names[arg]
    term = term_of(arg)
    if isinstance(term, int | float):
        mantissa, _, exponent = arg.text.partition("e")
        return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa
    return text(text_of(term))


def text(value: str) -> str:
    """Text in mathematics. What cannot be printed is shown by its number."""
    shown = (char if char.isprintable() else ascii(char)[1:-1] for char in value)
    return r"\text{" + "".join(ESCAPES.get(char, char) for part in shown for char in part) + "}"
