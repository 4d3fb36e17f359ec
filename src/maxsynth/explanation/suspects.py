"""Examples that a program contradicts, as suspected label noise.

A program treats examples alike that the same rules cover, or that all rules fail on at the same literals. If nearly all
others that are treated like an example have the other label, its own is probably wrong: `suspicion` is the share of
them, as Laplace estimates it, `(m + 1) / (n + 2)` for `m` of `n` others.

That says what one program makes of a label. Real data has exceptions, which are as suspicious as mistakes by this,
though another program, about as good, may well agree with them. `evidence` says how much worse such a program is, where
somebody looked for it (`maxsynth.search.again.weigh`).
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maxsynth.explanation.explain import Explainer, Explanation
from maxsynth.task.task import ReadTask

COLUMNS = ("suspicion", "example", "label", "line", "reason", "alike", "alike_with_other_label")
WEIGHED = ("evidence", "doubted")  # where suspects were weighed
NEITHER, IS_DOUBTED, IS_EXCEPTION = "", "doubted", "exception"
DOUBTED = 2  # evidence from which on a label is wrong with a probability of four fifths or more


@dataclass(frozen=True)
class Labelled:
    """An example of the task with what the program does on it."""

    label: bool
    line: int  # in exs.pl
    explanation: Explanation
    row: tuple[int, ...] = ()


@dataclass(frozen=True)
class Suspect:
    """An example whose label the program contradicts; `others` are treated alike, `against` of them labelled so."""

    example: Labelled
    others: int
    against: int
    evidence: int | None = None  # how much more a program costs at least that agrees with the label, if looked for
    exactly: bool = False  # whether it costs so much more, and not only at least

    @property
    def doubted(self) -> bool:
        """Whether the label is probably wrong: programs that agree with it are clearly worse."""
        return verdict(self.evidence, self.exactly) == IS_DOUBTED

    @property
    def exception(self) -> bool:
        """Whether a program that agrees with the label is about as good. What was not weighed is neither."""
        return verdict(self.evidence, self.exactly) == IS_EXCEPTION

    @property
    def probability(self) -> float | None:
        """Of a wrong label, where a program that costs one more is half as likely."""
        return None if self.evidence is None else 1 / (1 + 0.5**self.evidence)

    @property
    def suspicion(self) -> float:
        return (self.against + 1) / (self.others + 2)

    @property
    def reason(self) -> str:
        """The rules that cover a negative; the literals at which they fail on a positive."""
        explanation = self.example.explanation
        if explanation.covered:
            return "covered by rule " + ", ".join(str(number + 1) for number in explanation.rules)
        places = [f"rule {number + 1} fails at {one.literal}" for number, one in enumerate(explanation.failures)]
        return "; ".join(places) or "there is no rule"

    def __str__(self) -> str:
        label, other = ("positive", "negative") if self.example.label else ("negative", "positive")
        alike = f"{self.against} of {self.others} others treated alike are {other}"
        text = f"{self.suspicion:.2f}  {label}  {self.example.explanation.example}  {self.reason}; {alike}"
        if self.evidence is None:
            return text
        return f"{text}; {agreeing(self.evidence, self.exactly)}"


def verdict(evidence: int | None, exactly: bool) -> str:
    """What is made of a label by the evidence against it: whether it is doubted, or an exception, if that is known."""
    if evidence is not None and evidence >= DOUBTED:
        return IS_DOUBTED
    return IS_EXCEPTION if exactly else NEITHER


def agreeing(evidence: int, exactly: bool) -> str:
    """What is known of the best program that agrees with a label."""
    if not evidence:
        return f"a program that agrees {'is' if exactly else 'may be'} as good"
    return f"a program that agrees costs {'' if exactly else 'at least '}{evidence} more"


def all_examples(explainer: Explainer, task: ReadTask) -> Iterator[Labelled]:
    """All examples as listed, the positives first; one that is listed twice is explained once."""
    known: dict[tuple[int, ...], Explanation] = {}
    for label, side in ((True, task.positives), (False, task.negatives)):
        for row, line in zip(map(tuple, side.rows.tolist()), side.lines, strict=True):
            if row not in known:
                known[row] = explainer.explain(row)
            yield Labelled(label, line, known[row], row)


def find_suspects(examples: Sequence[Labelled]) -> list[Suspect]:
    """The examples that the program contradicts, the most suspicious first, then as listed."""
    alike = Counter(kind_of(example) for example in examples)
    positive = Counter(kind_of(example) for example in examples if example.label)
    found = []
    for example in examples:
        kind = kind_of(example)
        if example.explanation.covered is not None and example.explanation.covered != example.label:
            against = alike[kind] - positive[kind] if example.label else positive[kind]
            found.append(Suspect(example, alike[kind] - 1, against))
    return sorted(found, key=lambda suspect: -suspect.suspicion)


def kind_of(example: Labelled) -> tuple[object, ...]:
    return (example.explanation.covered, example.explanation.treatment)


def weighed_cells(suspect: Suspect) -> tuple[object, str]:
    """Whether a label is doubted is left open where that was not found out."""
    return suspect.evidence, "yes" if suspect.doubted else "no" if suspect.exception else ""


def as_csv(suspects: Sequence[Suspect], *, weighed: bool = False) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, *(WEIGHED if weighed else ())])
    for suspect in suspects:
        example = suspect.example
        label = "pos" if example.label else "neg"
        writer.writerow([
            f"{suspect.suspicion:.4f}", example.explanation.example, label, example.line, suspect.reason,
            suspect.others, suspect.against, *(weighed_cells(suspect) if weighed else ()),
        ])  # fmt: skip
    return out.getvalue()
