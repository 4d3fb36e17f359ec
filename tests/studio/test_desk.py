"""What is counted for all examples at once is what `maxsynth explain` says of each."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from maxsynth.explanation.explain import Explainer
from maxsynth.explanation.suspects import all_examples, find_suspects
from maxsynth.logic.programs import Program, parse_program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Weights
from maxsynth.studio.asking import Question, found
from maxsynth.studio.decisions import FLIP, LEAVE_OUT
from maxsynth.studio.desk import Desk, Listing
from maxsynth.studio.views import groups, program_view
from maxsynth.task.labels import Labels
from maxsynth.task.task import ReadTask
from studio.serving import write_task

LISTS = (
    "head_pred(even,1).\nbody_pred(zero,1).\nbody_pred(succ2,2).\nbody_pred(odd,1).\nenable_recursion.\nmax_clauses(3).\n",
    "zero(0).\nsucc2(X,Y) :- integer(X), X > 1, Y is X - 2.\nodd(7).\n",
    "".join(f"pos(even({n})).\n" for n in (0, 2, 4, 6, 8, 9)) + "".join(f"neg(even({n})).\n" for n in (1, 3, 5, 7, 10)),
)
CASES = [
    (None, "f(A) :- p(A).\nf(A) :- r(A,B), q(A).\n"),
    (None, "f(A) :- q(A), r(A,B).\nf(A) :- r(A,B).\n"),
    (None, ""),
    (LISTS, "even(A) :- zero(A).\neven(A) :- succ2(A,B), even(B).\n"),
    (LISTS, "even(A) :- succ2(A,B), inv(B).\ninv(A) :- succ2(A,B), zero(B).\neven(A) :- odd(A).\n"),
]


def desk_of(tmp_path: Path, texts: tuple[str, str, str] | None, rules: str) -> Desk:
    folder = write_task(tmp_path / "task", *(texts or ()))
    program = parse_program(rules) if rules else Program()
    return Desk(program, Listing(ReadTask.from_folder(folder)), {}, Weights())


@pytest.mark.parametrize(("texts", "rules"), CASES)
def test_counts_are_those_of_explain(tmp_path: Path, texts: tuple[str, str, str] | None, rules: str) -> None:
    desk = desk_of(tmp_path, texts, rules)
    examples = list(all_examples(Explainer(desk.program, desk.listing.task), desk.listing.task))
    assert [example.explanation.example for example in examples] == desk.listing.texts
    for number, example in enumerate(examples):
        kind = desk.kinds[desk.kind_of[number]]
        assert kind.covered is example.explanation.covered
        assert kind.rules == example.explanation.rules
        if not kind.covered:
            fails = [str(one.literal) for one in example.explanation.failures]
            assert len(fails) == len(kind.held)
    kinds = {(one.explanation.covered, one.explanation.treatment) for one in examples}
    assert len(kinds) == len(set(desk.kind_of.tolist()))


@pytest.mark.parametrize(("texts", "rules"), CASES)
def test_suspects_are_those_of_explain(tmp_path: Path, texts: tuple[str, str, str] | None, rules: str) -> None:
    desk = desk_of(tmp_path, texts, rules)
    suspects = find_suspects(list(all_examples(Explainer(desk.program, desk.listing.task), desk.listing.task)))
    assert [desk.listing.texts[number] for number in desk.suspects] == [
        one.example.explanation.example for one in suspects
    ]
    assert [desk.suspicion[number] for number in desk.suspects] == pytest.approx([one.suspicion for one in suspects])


def test_the_literal_at_which_a_rule_fails(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, None, "f(A) :- q(A), r(A,B).\n")
    for number, row in enumerate(desk.listing.rows):
        explained = desk.explainer.explain(tuple(row.tolist()))
        held = int(desk.treatment.held[0, number])
        assert held == (2 if explained.covered else len(explained.failures[0].held))


def test_what_rules_cover_alone_and_together(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, None, "f(A) :- p(A).\nf(A) :- q(A).\nf(A) :- r(A,B).\n")
    view = program_view(desk)
    first, second, _ = view["rules"]
    assert (first["positives"], first["negatives"], first["only_positives"], first["only_negatives"]) == (7, 2, 7, 2)
    assert (second["positives"], second["only_positives"]) == (9, 0)
    assert (view["tp"], view["fp"], view["fn"], view["tn"]) == (16, 2, 1, 29)
    assert view["cost"] == view["size"] + 3 == 9
    assert (
        groups(desk)
        == [
            {"rules": [0], "positives": 7, "negatives": 2},
            {"rules": [1, 2], "positives": 9, "negatives": 0},
            {"rules": [], "positives": 1, "negatives": 29},
        ][::1]
        or sum(group["positives"] for group in groups(desk)) == 17
    )


def test_decisions_change_what_is_counted(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task")
    made = {"f(a7)": FLIP, "f(a8)": FLIP, "f(a30)": LEAVE_OUT}
    read = ReadTask.from_folder(folder)
    program = parse_program("f(A) :- p(A).\nf(A) :- q(A).\n")
    desk = Desk(program, Listing(read), made, Weights())
    now = Labels.of(made).apply(read)
    changed = evaluate_program(program, now)
    assert desk.cost == changed.cost == 4
    assert len(desk.suspects) == 0
    assert (len(now.positives), len(now.negatives)) == (18, 29)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 48), ({"show": "right"}, 45), ({"show": "wrong"}, 3), ({"show": "suspected"}, 3), ({"label": "neg"}, 31),
        ({"rule": "0"}, 9), ({"rule": "-1"}, 30), ({"rule": "0", "label": "neg"}, 2), ({"rules": "1"}, 9),
        ({"rules": ""}, 30), ({"search": "A30"}, 1), ({"search": " f(a3 "}, 11), ({"search": "<b>"}, 0),
        ({"rule": "77"}, 0),
    ],
)  # fmt: skip
def test_filters(tmp_path: Path, given: dict[str, str], expected: int) -> None:
    desk = desk_of(tmp_path, None, "f(A) :- p(A).\nf(A) :- q(A).\n")
    nothing = np.zeros(len(desk.listing), bool)
    assert len(found(desk, Question.of(given), nothing)) == expected


def test_a_hundred_thousand_examples(tmp_path: Path) -> None:
    """Filters and searches answer while a person types."""
    many = 100_000
    bk = "".join(f"p(a{n}).\n" for n in range(0, many, 2)) + "".join(f"q(a{n}).\n" for n in range(0, many, 3))
    exs = "".join(f"{'neg' if n % 2 or n % 97 == 0 else 'pos'}(f(a{n})).\n" for n in range(many))
    desk = desk_of(tmp_path, ("head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\n", bk, exs), "f(A) :- p(A), q(A).\n")
    nothing = np.zeros(many, bool)
    assert len(found(desk, Question(search="a1"), nothing)) > 10_000  # makes all texts
    since = time.process_time()
    for question in (
        Question(show="wrong", suspicious_first=True),
        Question(rule=0, label="pos"),
        Question(search="a9999"),
    ):
        assert len(found(desk, question, nothing)) > 0
    assert time.process_time() - since < 1.5
