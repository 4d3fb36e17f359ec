"""Task folders read into tasks: which examples, with which weights and lines, over which BK."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.task.task import Examples, ReadTask

MakeTask = Callable[..., Path]

BIAS = "head_pred(f,2).\nbody_pred(p,1).\n"
BK = "p(a).\n"
EXS = "pos(f(a,b)).\nneg(f(b,a)).\n"


def texts(task: ReadTask, side: Examples) -> list[str]:
    return [task.example_text(row) for row in side.rows]


def test_a_task(make_task: MakeTask) -> None:
    folder = make_task(BIAS, BK, EXS)
    task = ReadTask.from_folder(folder)
    assert task.name == "task"
    assert task.bias.head == Predicate("f", 2)
    assert texts(task, task.positives) == ["f(a,b)"]
    assert texts(task, task.negatives) == ["f(b,a)"]
    assert task.warnings == []


def test_examples_keep_order_weights_and_lines(make_task: MakeTask) -> None:
    """Those with and without a weight may alternate, several share a line, and one be listed again."""
    exs = (
        "% noise\npos(f(1,1),3).\nneg(f(0,0)). pos(f(2,2)).\n\n"
        "pos(f(1,1)).\nneg(f(5,5),2147483647).\npos(\n  f(3,3), 2).\n"
    )
    task = ReadTask.from_folder(make_task(BIAS, BK, exs))
    assert texts(task, task.positives) == ["f(1,1)", "f(2,2)", "f(1,1)", "f(3,3)"]
    assert task.positives.weights.tolist() == [3, 1, 1, 2]
    assert task.positives.lines == [2, 3, 5, 7]
    assert texts(task, task.negatives) == ["f(0,0)", "f(5,5)"]
    assert task.negatives.weights.tolist() == [1, 2_147_483_647]
    assert task.negatives.lines == [3, 6]


def test_no_negative_example_is_fine(make_task: MakeTask) -> None:
    task = ReadTask.from_folder(make_task(BIAS, BK, "pos(f(a,b)).\n"))
    assert (len(task.positives), len(task.negatives)) == (1, 0)
    assert task.negatives.rows.shape == (0, 2)


@pytest.mark.parametrize(
    "atom",
    [
        "f([a,b|c],[])",
        "f('Hello World',\"a string\")",
        "f(-1,- 1)",
        "f(1.0,1)",
        "f(1.5e300,123456789012345678901234567890)",
        "f(g(h(i),[]),{a,b})",
        "f('\\n',a+b*c)",
        "f([[1,2],[3]],'[]')",
        "f(é,'É')",
        "f((a,b),(a:-b))",
    ],
)
def test_terms_in_examples_print_as_they_are_read(atom: str, make_task: MakeTask) -> None:
    task = ReadTask.from_folder(make_task(BIAS, BK, f"pos({atom}).\n"))
    shown = texts(task, task.positives)[0]
    again = ReadTask.from_folder(make_task(BIAS, BK, f"pos({shown}).\npos({atom}).\n"))
    assert again.positives.rows[0].tolist() == again.positives.rows[1].tolist()


def test_the_test_folder(make_task: MakeTask) -> None:
    folder = make_task(BIAS, BK, EXS, test=("p(z).\n", "pos(f(z,z)).\n"))
    task = ReadTask.from_folder(folder, test=True)
    assert texts(task, task.positives) == ["f(z,z)"]
    assert task.background.source.file == str(folder / "test" / "bk.pl")
    (folder / "test" / "bk.pl").unlink()
    task = ReadTask.from_folder(folder, test=True)
    assert texts(task, task.positives) == ["f(z,z)"]
    assert task.background.source.file == str(folder / "bk.pl")


def test_the_test_folder_is_not_read_otherwise(make_task: MakeTask) -> None:
    folder = make_task(BIAS, BK, EXS, test=("syntax error", "as well"))
    assert len(ReadTask.from_folder(folder).positives) == 1
    with pytest.raises(MaxSynthError, match=r"test.exs\.pl|test.bk\.pl"):
        ReadTask.from_folder(folder, test=True)


def test_warnings(make_task: MakeTask) -> None:
    """A predicate that nothing defines is doubtful, unless Prolog itself has it or it is declared dynamic."""
    bias = BIAS + "body_pred(q,2).\nbody_pred(r,1).\nbody_pred(length,2).\n"
    folder = make_task(bias, ":- dynamic r/1.\np(a).\n", EXS)
    task = ReadTask.from_folder(folder)
    assert task.warnings == [
        f"{folder / 'bk.pl'}: BK does not define q/2, so it is never true (check body_pred in bias.pl)"
    ]


def test_examples_and_facts_are_known_values_of_their_types(make_task: MakeTask) -> None:
    bias = BIAS + "type(f,(t,u)).\ntype(p,(t,)).\n"
    task = ReadTask.from_folder(make_task(bias, "p(c).\nq(d).\n", "pos(f(a,b)).\nneg(f(b,a)).\n"))
    store = task.background.store
    values = {
        name: {str(store.term(known).name) for known in ids.listed} for name, ids in task.background.values.items()
    }  # type: ignore[union-attr]
    assert values == {"t": {"a", "b", "c"}, "u": {"a", "b"}, "any": {"d"}}


def test_a_byte_order_mark_and_windows_lines(make_task: MakeTask) -> None:
    folder = make_task(BIAS, BK, EXS)
    for name in ("bias.pl", "bk.pl", "exs.pl"):
        text = (folder / name).read_text()
        (folder / name).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    task = ReadTask.from_folder(folder)
    assert texts(task, task.positives) == ["f(a,b)"]
    assert task.negatives.lines == [2]


def test_many_examples(make_task: MakeTask) -> None:
    exs = "".join(f"{'pos' if i % 2 else 'neg'}(f({i},n{i})).\n" for i in range(20_000))
    task = ReadTask.from_folder(make_task(BIAS, BK, exs))
    assert (len(task.positives), len(task.negatives)) == (10_000, 10_000)
    assert task.positives.lines[-1] == 20_000
    assert texts(task, task.negatives)[1] == "f(2,n2)"


@pytest.mark.parametrize(
    ("bk", "choice", "engine"),
    [
        ("p(a).\n", "auto", "BuiltIn"),
        ("p(X) :- member(X, [a]).\n", "auto", "BuiltIn"),
        ("p(X) :- member(X, [a]).\n", "builtin", "BuiltIn"),
        ("p(X) :- nosuch(X).\n", "builtin", "BuiltIn"),
        pytest.param("p(X) :- X = a.\n", "swipl", "Swipl", marks=pytest.mark.swipl),
        pytest.param("p(X) :- format(atom(X), a, []).\n", "auto", "Swipl", marks=pytest.mark.swipl),
        pytest.param("p(X) :- q(X).\nq(X) :- (X = a ; format(X, [])).\n", "auto", "Swipl", marks=pytest.mark.swipl),
        pytest.param(":- table p/1.\np(a).\np(X) :- p(X).\n", "auto", "Swipl", marks=pytest.mark.swipl),
        # what is not declared does not matter
        ("p(X) :- X = a.\nother(X) :- format(atom(X), a, []).\n", "auto", "BuiltIn"),
    ],
)  # fmt: skip
def test_the_engine(bk: str, choice: str, engine: str, make_task: MakeTask) -> None:
    task = ReadTask.from_folder(make_task(BIAS, bk, EXS), prolog=choice)
    assert type(task.background.engine).__name__ == engine
    task.background.close_engine()
