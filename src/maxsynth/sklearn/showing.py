"""Rules as people read them: a table, a page, and why a row is of its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.result import Result
from maxsynth.api.task_data import read_predicate
from maxsynth.data.dates import rule_text
from maxsynth.data.prediction import question
from maxsynth.data.tables import Data
from maxsynth.data.task import tested
from maxsynth.data.telling import TableExplainer
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.export import check_form, subject_of_result, written
from maxsynth.exporting.forms.telling import tell
from maxsynth.exporting.kinds import sorts_of
from maxsynth.exporting.subject import subject_of_data
from maxsynth.logic.programs import Program
from maxsynth.logic.tested import size_of
from maxsynth.sklearn.extras import PIP
from maxsynth.sklearn.verdicts import Verdict, Verdicts, known_rows
from maxsynth.verification.simple_evaluator import STEPS

if TYPE_CHECKING:
    import pandas

OTHERWISE = "otherwise"


def rules_frame(verdicts: Verdicts, classes: NDArray[Any]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError:
        raise MaxSynthError("rules_ is a data frame, and needs the package pandas", remedy=PIP) from None
    ordered = verdicts.ordered
    return pandas.DataFrame(
        {
            "class": classes[[one.place for one in ordered]],
            "rule": [text(one) for one in ordered],
            "condition": [meaning(one) for one in ordered],
            "size": [size(one) for one in ordered],
            "covered": whole_numbers([one.covered for one in ordered]),
            "precision": [one.precision for one in ordered],
        }
    )


def whole_numbers(numbers: list[float]) -> list[float] | list[int]:
    """Integers, where all are."""
    return [int(one) for one in numbers] if all(one.is_integer() for one in numbers) else numbers


def text(verdict: Verdict) -> str:
    if verdict.rule is None or verdict.program is None:
        return OTHERWISE
    return rule_text(verdict.rule, verdict.program.learned.description.meanings)


def meaning(verdict: Verdict) -> str:
    """The conditions of a rule as a sentence."""
    if verdict.rule is None or verdict.program is None:
        return OTHERWISE
    learned = verdict.program.learned
    subject = subject_of_data(learned.program, learned.description)
    return tell(subject, verdict.rule, sorts_of(subject, whole=False))


def size(verdict: Verdict) -> int:
    """As the search counts it."""
    if verdict.rule is None or verdict.program is None:
        return 0
    description = verdict.program.learned.description
    columns = tested(description, list(description.meanings.values())).get("tested", [])
    return size_of(Program((verdict.rule,)), {read_predicate(one) for one in columns})


def rules_html(frame: pandas.DataFrame) -> str:
    shown = frame.drop(columns="rule")
    return str(shown.to_html(index=False, float_format=lambda number: f"{number:.2f}"))


def exported(results: Sequence[Result], to: str, dialect: str | None) -> str:
    """The programs of all classes, together."""
    check_form(to, dialect)
    if not results:
        raise MaxSynthError("there are no rules to export", remedy="there was nothing to learn")
    return written([subject_of_result(one) for one in results], to, dialect)


def opening(verdict: Verdict, classes: NDArray[Any]) -> str:
    return f"{classes[verdict.place]}, with probability {verdict.probabilities[verdict.place]:.2f}:"


# -- why --------------------------------------------------------------------------------------------------------


def explanations(verdicts: Verdicts, data: Data, speaking: NDArray[np.int64], classes: NDArray[Any]) -> list[str]:
    """For each row what is said of it, and why."""
    texts = [[opening(verdicts.ordered[number], classes)] for number in speaking.tolist()]
    if not verdicts.programs:
        return [f"{start[0]}\nthere are no rules" for start in texts]
    known, keys = known_rows(verdicts.programs, data)
    for number in dict.fromkeys(speaking.tolist()):
        verdict = verdicts.ordered[number]
        rows = np.flatnonzero(speaking == number).tolist()
        for program in verdicts.programs if verdict.program is None else [verdict.program]:
            rules = program.learned.program if verdict.rule is None else Program((verdict.rule,))
            read = question(program.learned, known, keys)
            if read is None:
                continue
            explainer = TableExplainer(rules, read, program.learned.description, STEPS)
            for row in rows:
                texts[row].append(str(explainer.explain(tuple(read.positives.rows[row].tolist()))))
    return ["\n".join(lines) for lines in texts]
