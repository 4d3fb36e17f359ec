"""MaxSynth from Python: tasks from data, functions as background, results to ask and to keep, threads, cancelling."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import maxsynth
from maxsynth import Compound, MaxSynthError, Progress, Result, Task, Text, learn, predicate
from maxsynth.api import options as python_options
from maxsynth.background.python_terms import from_term, to_term
from maxsynth.cli import main, memory
from maxsynth.demos import zendo
from maxsynth.prolog.writer import term_text

PARENTS = [("ann", "bob"), ("bob", "cleo"), ("bob", "dan"), ("cleo", "eve"), ("dan", "finn"), ("eve", "gia")]
GRAND = [("ann", "cleo"), ("ann", "dan"), ("bob", "eve"), ("bob", "finn"), ("cleo", "gia")]
OTHERS = [("ann", "bob"), ("bob", "ann"), ("gia", "ann"), ("ann", "eve")]
RULE = "grand(A,B) :- parent(A,C), parent(C,B)."

LABELLED = {("grand", *pair): True for pair in GRAND} | {("grand", *pair): False for pair in OTHERS}


def kin(**changes: object) -> Task:
    return Task(**{"examples": LABELLED, "background": {"parent": PARENTS}, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def long_task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """A proof takes longer than any test waits."""
    folder = tmp_path_factory.mktemp("long") / "task"
    zendo.make(train=300, noise=50, test=2).write(folder)
    return Task.from_folder(folder)


# -- tasks ----------------------------------------------------------------------------------------------------


def test_a_task_from_a_dict() -> None:
    result = learn(kin())
    assert str(result.program) == RULE
    assert (result.cost, result.status, result.lower_bound, result.size) == (3, "optimal", 3, 3)


@pytest.mark.parametrize(
    "examples",
    [
        list(LABELLED.items()),
        iter(LABELLED.items()),
        {"pos": [("grand", *pair) for pair in GRAND], "neg": [f"grand({a},{b})" for a, b in OTHERS]},
        {"pos": (("grand", a, b) for a, b in GRAND)},
        "".join(f"pos(grand({a},{b})).\n" for a, b in GRAND) + "neg(grand(ann,bob)).\n",
    ],
)
@pytest.mark.parametrize(
    "background",
    [
        {"parent": PARENTS},
        {"parent": set(PARENTS), "old": ["ann"]},
        [("parent", *pair) for pair in PARENTS],
        "parent(X,Y) :- child(Y,X).\n" + "".join(f"child({b},{a}).\n" for a, b in PARENTS),
        ["parent(X,Y) :- child(Y,X).", {"child": ((b, a) for a, b in PARENTS)}],
    ],
    ids=["dict", "sets", "atoms", "text", "mixed"],
)
def test_all_forms_of_data(examples: object, background: object) -> None:
    if isinstance(examples, Iterator):
        examples = list(LABELLED.items()).__iter__()  # a parameter is shared, and an iterator is used up
    if isinstance(background, list) and isinstance(background[1], dict):
        background = [background[0], {"child": ((b, a) for a, b in PARENTS)}]
    if isinstance(examples, dict) and "neg" not in examples and "pos" in examples:
        examples = {"pos": (("grand", a, b) for a, b in GRAND)}
    task = Task(examples, background, {"body_pred": ["parent/2"], "max_vars": 3})
    assert learn(task, exact=True).program is not None


def test_every_key_of_a_bias() -> None:
    task = kin(
        bias={
            "head_pred": "grand/2",
            "body_pred": [("parent", 2)],
            "type": {"grand": ("person", "person"), "parent": ["person", "person"]},
            "direction": {"grand": ("in", "out"), "parent": ("in", "out")},
            "max_vars": 3,
            "max_body": 2,
            "max_clauses": 2,
            "no_singletons": True,
            "enable_recursion": False,
            "constraints": ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,person)} != 3.",
        }
    )
    assert task._texts["bias.pl"] == (
        "head_pred(grand,2).\nbody_pred(parent,2).\n"
        "type(grand,(person,person)).\ntype(parent,(person,person)).\n"
        "direction(grand,(in,out)).\ndirection(parent,(in,out)).\n"
        "max_vars(3).\nmax_body(2).\nmax_clauses(2).\nno_singletons.\n"
        ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,person)} != 3.\n"
    )
    text = task._texts["bias.pl"].replace(":- clause", "% :- clause")
    assert str(learn(kin(bias=text)).program) == RULE


def test_folders(tmp_path: Path) -> None:
    task = kin(name="family")
    task.to_folder(tmp_path / "task")
    again = Task.from_folder(tmp_path / "task")
    assert repr(again) == "<Task task: 5 positive and 4 negative examples of grand/2>"
    assert str(learn(again).program) == RULE
    with pytest.raises(MaxSynthError, match="not empty"):
        task.to_folder(tmp_path / "task")


def test_values_of_all_kinds() -> None:
    values = ["ann", "Ann", "two words", "", "[]", "é", 3, -4, 2**70, 1.5, [1, ["a"], []], Text("text"), True, (1, 2)]
    back = [from_term(to_term(value)) for value in values]
    assert back == ["ann", "Ann", "two words", "", [], "é", 3, -4, 2**70, 1.5, [1, ["a"], []], "text", "true", [1, 2]]
    assert isinstance(from_term(to_term(Text("x"))), Text)
    compound = Compound("f", ("a", Compound("g", (1,))))
    assert from_term(to_term(compound)) == compound
    assert term_text(to_term(compound)) == "f(a,g(1))"
    strange = [value for value in values if value not in ("[]",)]
    rows = [("known", value, "yes") for value in strange]
    task = Task([(("f", *row[1:]), True) for row in rows], {"known": [row[1:] for row in rows]})
    result = learn(task)
    assert str(result.program) == "f(A,B) :- known(A,B)."
    assert all(result.predict([("f", value, "yes") for value in strange]))


class NoNumber:
    def __repr__(self) -> str:
        return "<no number>"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kin(examples={"pos": [5]}), r"5 is no atom \(write it as"),
        (lambda: kin(examples={"yes": []}), r"'yes'|\[\]|is no example"),
        (lambda: kin(examples=[("f", "a", "b")]), r"is no example with its label \("),
        (lambda: kin(examples=7), r"7 is no example"),
        (lambda: kin(examples={}), r"do not tell what is to be learned \("),
        (lambda: kin(examples={("grand", "a", NoNumber()): True}), r"<no number> \(NoNumber\) cannot be a term \("),
        (lambda: kin(examples={("grand", "a", float("nan")): True}), r"row 0, argument 2: nan is a missing value \("),
        (lambda: kin(examples="pos(grand(a,b)).\npos(f(a)).\n"), r"<examples>:2:1: the example `f\(a\)` is not of"),
        (lambda: kin(background=5), r"5 is no background knowledge \("),
        (lambda: kin(background={"parent": "ann"}), r"background 'parent': 'ann' is no set of rows \("),
        (lambda: kin(background={"parent": len}), r"no set of rows \(decorate it"),
        (lambda: kin(background="parent(a,b)"), r"<background>:1:12: the clause .* has no end"),
        (lambda: kin(bias=5), r"5 is no bias \("),
        (lambda: kin(bias={"maxvars": 3}), r"\['maxvars'\] is no bias \(give text, or .* keys of head_pred"),
        (lambda: kin(bias={"head_pred": "grand"}), r"'grand' is no predicate \(write name and arity"),
        (lambda: kin(bias={"type": {"parent": 3}}), r"type of parent is 3 \("),
        (lambda: kin(bias="head_pred(grand,2)."), r"<bias>: no body_pred \("),
        (lambda: kin(prolog="gnu"), r"prolog='gnu' \(choose"),
        (lambda: learn(kin(), weights=(1, 0, 1)), r"weights=\(1, 0, 1\) \("),
        (lambda: predicate(), r"\(\) is no direction \("),
        (lambda: predicate("in", "inout"), r"is no direction \("),
    ],
)  # fmt: skip
def test_mistakes(make: Callable[[], object], message: str) -> None:
    with pytest.raises(MaxSynthError, match=message):
        make()


FRAME = type("Frame", (), {"columns": ["a"], "items": lambda self: [], "__repr__": lambda self: "a  b\n1  2"})()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kin(name=3), r"name=3 \(give a string"),
        (lambda: kin(prolog=["swipl"]), r"prolog=\['swipl'\] \(choose"),
        (lambda: kin(background={5: PARENTS}), r"5 is no name of a predicate \(give a string"),
        (lambda: kin(background={5: predicate("in")(len)}), r"5 is no name of a predicate"),
        (lambda: kin(background=predicate("in")(type("F", (), {"__call__": print})())), r"has no name \(give {name"),
        (lambda: kin(background=None), r"None is no background knowledge"),
        (lambda: kin(background=[None]), r"None is no background knowledge"),
        (lambda: kin(background=b"p(a)."), r"b'p\(a\)\.' is no background knowledge"),
        (lambda: kin(background={"parent": []}), r"nothing that rules could use; background 'parent' has no rows"),
        (lambda: kin(background={"is": PARENTS}), r"background 'is', row 0: is/2 is part of Prolog itself"),
        (lambda: kin(examples=None), r"None is no example"),
        (lambda: kin(examples=FRAME), r"<Frame> is no example .*for a DataFrame"),
        (lambda: kin(examples={"pos": None}), r"""examples\["pos"\]: None is no list of atoms \("""),
        (lambda: kin(examples={"pos": "grand(a,b)"}), r"'grand\(a,b\)' is no list of atoms"),
        (lambda: kin(examples={"pos": ["grand(X,b)"]}), r"row 0: the atom `grand\(X,b\)` has a variable"),
        (lambda: kin(examples={"neg": [("grand", "a", "b")]}), r"there is no positive example \(give atoms of grand/2"),
        (lambda: kin(examples={"pos": [("grand", "a", "b"), "f(a)"]}), r"\], row 1: the example `f\(a\)` is not of"),
        (lambda: kin(examples=[(("grand", "a", "b"), "yes")]), r"is no example with its label"),
        (lambda: kin(bias={"type": 3}), r"type of the bias is 3 \(give a mapping"),
        (lambda: kin(bias={"type": {3: ("t",)}}), r"3 is no name of a predicate"),
        (lambda: kin(bias={"direction": [1]}), r"direction of the bias is \[1\] \(give a mapping"),
        (lambda: kin(bias={"body_pred": 5}), r"body_pred of the bias is 5 \(give a list"),
        (lambda: kin(bias={"body_pred": [5]}), r"5 is no predicate"),
        (lambda: kin(bias={"max_vars": "3"}), r"max_vars of the bias is '3' \(give a positive integer"),
        (lambda: kin(bias={"no_singletons": "no"}), r"no_singletons of the bias is 'no' \(give True or False"),
        (lambda: kin(bias={"constraints": 5}), r"constraints of the bias is 5 \(give the text"),
        (lambda: kin(bias={3: 4, "x": 1}), r"\[3, 'x'\] is no bias"),
        (lambda: Task.from_folder(5), r"folder=5 \(give a path"),
        (lambda: Task.from_folder(".", test="yes"), r"test='yes' \(give True or False"),
        (lambda: kin().to_folder(None), r"folder=None \(give a path"),
        (lambda: Result.load(None), r"file=None \(give a path"),
        (lambda: maxsynth.check("task"), r"task='task' \(give a maxsynth.Task"),
        (lambda: learn("task"), r"task='task' \(give a maxsynth.Task; Task.from_folder"),
        (lambda: learn(kin(), timeout="5"), r"timeout='5' \(give a number of seconds"),
        (lambda: learn(kin(), timeout=float("nan")), r"timeout=nan \("),
        (lambda: learn(kin(), timeout=float("inf")), r"timeout=inf \(.* None for no limit"),
        (lambda: learn(kin(), timeout=-1), r"timeout=-1 \("),
        (lambda: learn(kin(), timeout=True), r"timeout=True \("),
        (lambda: learn(kin(), steps=0), r"steps=0 \(give a positive integer"),
        (lambda: learn(kin(), steps=1.5), r"steps=1\.5 \("),
        (lambda: learn(kin(), weights=None), r"weights=None \(give three positive integers"),
        (lambda: learn(kin(), weights="1,1,1"), r"weights='1,1,1' \("),
        (lambda: learn(kin(), weights=(1, 1, 1 << 60)), r"together weigh"),
        (lambda: learn(kin(), weights="auto", exact=True), r'has no use for weights="auto"'),
        (lambda: learn(kin(), memory="5 GB"), r"memory='5 GB' \(give a number of bytes, or a size such as"),
        (lambda: learn(kin(), memory=-1), r"memory=-1 \("),
        (lambda: learn(kin(), exact="no"), r"exact='no' \(give True or False"),
        (lambda: learn(kin(), forbid_singletons=None), r"forbid_singletons=None \("),
        (lambda: learn(kin(), ignore_directions=2), r"ignore_directions=2 \("),
        (lambda: learn(kin(), on_progress=3), r"on_progress=3 \(give a function that takes a Progress"),
        (lambda: learn(kin()).predict(None), r"atoms: None is no list of atoms"),
        (lambda: learn(kin()).predict("grand(ann,cleo)"), r"atoms: 'grand\(ann,cleo\)' is no list of atoms"),
        (lambda: learn(kin()).predict(("grand", "ann", "cleo")), r"\('grand', 'ann', 'cleo'\) is one atom \("),
        (lambda: learn(kin()).predict([None]), r"atoms, row 0: None is no atom"),
        (lambda: learn(kin()).explain(None), r"None is no atom"),
        (lambda: learn(kin()).confusion(5), r"task=5 \(give a maxsynth.Task"),
        (lambda: learn(kin()).save(5), r"file=5 \(give a path"),
        (lambda: predicate("in")(5), r"5 is no function"),
        (lambda: Compound(3, ("a",)), r"Compound\(3, \.\.\.\) \(give its name"),
        (lambda: Compound("f", "ab"), r"Compound\('f', 'ab'\) \(give its arguments as a tuple"),
        (lambda: Compound("f", ()), r"Compound\('f', \(\)\) \("),
    ],
)  # fmt: skip
def test_arguments_of_no_use(make: Callable[[], object], message: str) -> None:
    with pytest.raises(MaxSynthError, match=message):
        make()


# -- options --------------------------------------------------------------------------------------------------


def test_options_as_the_command_takes_them() -> None:
    sized = learn(kin(), memory="4000M", timeout=np.float32(60), steps=np.int64(10**6), weights=[1, 2, 2])
    assert str(sized.program) == RULE
    assert sized._run.settings["weights"] == [1, 2, 2]
    assert str(learn(kin(), memory=4 << 30, weights=np.array([1, 1, 1])).program) == RULE
    assert python_options.memory("500M") == memory("500M") == 500 << 20


def test_weights_by_cross_validation() -> None:
    result = learn(kin(), weights="auto")
    assert str(result.program) == RULE
    tried = result._run.settings["weights_auto"]
    assert isinstance(tried, dict)
    assert len(tried["tried"]) == 8
    assert result.seconds["weights"] > 0


def test_cross_validation_can_be_stopped(long_task: Task) -> None:
    seen: list[str] = []

    def enough(progress: Progress) -> bool:
        seen.append(progress.stage)
        return len(seen) < 3

    result = learn(long_task, weights="auto", on_progress=enough)
    assert (result.status, seen) == ("interrupted", ["weights"] * 3)


# -- checks and advice ----------------------------------------------------------------------------------------


def test_a_task_is_checked_as_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = kin(background={"parent": PARENTS, "old": ["zoe"]}, bias={"max_vars": 3})
    report = maxsynth.check(task)
    task.to_folder(tmp_path / "task")
    main(["check", str(tmp_path / "task")])
    assert capsys.readouterr().out == f"{report}\n" == f"{task.check()}\n"
    assert dict(report.facts)["background"] == "7 facts, 0 rules"
    assert isinstance(report, maxsynth.Report)


def test_a_check_names_rows() -> None:
    pairs = [(("grand", "ann", "cleo"), True), (("grand", "ann", "dan"), True), (("grand", "ann", "cleo"), True)]
    report = kin(examples=[*pairs, (("grand", "ann", "dan"), False)]).check()
    assert report.warnings[:2] == [
        "<examples>, row 2: the positive example `grand(ann,cleo)` is listed 2 times",
        "<examples>, row 3: `grand(ann,dan)` is a negative and (row 1) a positive example",
    ]


def test_advice_when_little_is_found() -> None:
    task = kin(background={"parent": [(a.upper(), b.upper()) for a, b in PARENTS]})
    poor = learn(task)
    assert str(poor.program) == ""
    assert poor.advice[0] == "That is little. What `maxsynth check` would say:"
    assert any("no rule of the space covers 5 of the 5 positive examples" in line for line in poor.advice)
    assert poor.advice[0] in repr(poor)
    assert "What `maxsynth check` would say" in poor._repr_html_()
    assert learn(kin()).advice == ()


def test_a_program_without_errors_is_not_little() -> None:
    """With five positives, a program of four literals costs nearly as much as the empty one."""
    labels = [(("f", n), n in (2, 4, 6, 8, 10)) for n in (0, *range(20))]
    facts = {"even": list(range(0, 20, 2)), "small": list(range(11)), "positive": list(range(1, 20))}
    result = learn(Task(labels, facts))
    assert result.cost == 4
    assert result.advice == ()


def test_warnings_are_said() -> None:
    task = kin(bias={"body_pred": ["parent/2", "child/2"]})
    assert [warning[:46] for warning in task.warnings] == ["<background>: BK does not define child/2, so i"]
    with pytest.warns(maxsynth.MaxSynthWarning, match="BK does not define child/2") as said:
        result = learn(task)
    assert said[0].filename == __file__
    assert result.warnings == task.warnings


# -- functions ------------------------------------------------------------------------------------------------


def test_a_function_as_background() -> None:
    calls: list[int] = []

    @predicate("in", "out")
    def half(number: int) -> int | None:
        calls.append(number)
        return number // 2 if number % 2 == 0 else None

    task = Task(
        {("quarter", 4 * n, n): True for n in range(1, 9)} | {("quarter", n, n): False for n in range(3, 9)}, half
    )
    result = learn(task)
    assert str(result.program) == "quarter(A,B) :- half(A,C), half(C,B)."
    assert len(calls) == len(set(calls))  # once for an input
    assert half(8) == 4
    assert result.predict([("quarter", 400, 100), ("quarter", 400, 99), ("quarter", 6, 1)]) == [True, False, False]


def test_functions_of_all_kinds() -> None:
    @predicate("in", "in")
    def divides(one: int, other: int) -> bool:
        return one != 0 and other % one == 0

    @predicate("in", "out")
    def digit(number: int) -> Iterator[int]:
        yield from (int(char) for char in str(number))

    @predicate("in", "out", "out")
    def split(number: int) -> tuple[int, int]:
        return divmod(number, 10)

    @predicate("out")
    def lucky() -> Iterator[int]:
        yield from (3, 7)

    functions = {"divides": divides, "digit": digit, "split": split, "lucky": lucky}
    labels = {("f", n): any(c in "37" for c in str(n)) for n in range(10, 60)}
    task = Task(labels, functions, {"max_vars": 3, "max_body": 2})
    assert str(learn(task, exact=True).program) == "f(A) :- digit(A,B), lucky(B)."
    labels = {("f", n): n % 10 > 0 and n // 10 % (n % 10) == 0 for n in range(10, 60)}
    task = Task(labels, functions, {"max_vars": 3, "max_body": 3})
    assert str(learn(task, exact=True).program) == "f(A) :- split(A,B,C), divides(C,B)."


def test_functions_and_facts_together() -> None:
    @predicate("in", "in")
    def older(one: str, other: str) -> bool:
        return len(one) > len(other)

    background = [{"knows": [("a" * i, "a" * j) for i in range(1, 6) for j in range(1, 6)]}, older]
    labels = {("teaches", "a" * i, "a" * j): i > j for i in range(1, 6) for j in range(1, 6)}
    assert str(learn(Task(labels, background)).program) == "teaches(A,B) :- older(A,B)."


def test_a_function_that_raises() -> None:
    @predicate("in", "out")
    def broken(value: object) -> object:
        raise ValueError("no such value")

    with pytest.raises(MaxSynthError, match=r"function broken\(1\) raised ValueError: no such value \(correct it"):
        learn(Task({("f", 1, 1): True, ("f", 2, 2): True, ("f", 3, 3): True}, {"broken": broken}))


def test_a_function_that_answers_what_is_no_value() -> None:
    wrong = predicate("in", "out", "out")(lambda value: 3)
    with pytest.raises(MaxSynthError, match=r"it gave 3, not a tuple of 2 values"):
        learn(Task({("f", n, n): True for n in range(4)}, {"wrong": wrong}))


def test_a_function_and_facts_of_one_name() -> None:
    with pytest.raises(MaxSynthError, match=r"parent/2 is a Python function, and the background defines it too"):
        kin(background=[{"parent": PARENTS}, {"parent": predicate("in", "in")(lambda a, b: True)}])


def test_functions_cannot_be_written(tmp_path: Path) -> None:
    task = kin(background={"parent": predicate("in", "in")(lambda a, b: True)})
    with pytest.raises(MaxSynthError, match="parent/2 is a Python function"):
        task.to_folder(tmp_path / "task")


# -- results --------------------------------------------------------------------------------------------------


def test_predict_with_more_background() -> None:
    result = learn(kin())
    asked = ["grand(ann,cleo)", ("grand", "zoe", "bob"), ("grand", "ann", "zoe")]
    assert result.predict(asked) == [True, False, False]
    assert result.predict(asked, background={"parent": [("zoe", "ann")]}) == [True, True, False]
    assert result.predict([]) == []
    pairs = {("zoe", "bob"), *GRAND, *OTHERS}
    atoms = {("grand", *pair) for pair in pairs}
    for asked_for, order in ((atoms, [atom[1:] for atom in atoms]), ({"grand": pairs}, list(pairs))):
        assert result.predict(asked_for) == [pair in GRAND for pair in order]  # in the order of the set
    with pytest.raises(MaxSynthError, match="is not of grand/2"):
        result.predict(["parent(ann,bob)"])


def test_explain() -> None:
    result = learn(kin())
    known = result.explain(("grand", "ann", "dan"))
    assert known.covered
    assert known.proof is not None
    assert known.proof.binding == {"A": "ann", "B": "dan", "C": "bob"}
    assert [part.atom for part in known.proof.parts] == ["parent(ann,bob)", "parent(bob,dan)"]
    unknown = result.explain("grand(dan,ann)")
    assert unknown.failures[0].literal == "parent(C,B)"
    assert str(unknown) == (
        "grand(dan,ann) is not covered:\n  grand(A,B) :- parent(A,C), parent(C,B).\n"
        "    fails at parent(C,B): parent(dan,finn) holds, but no values make it true"
    )


def test_confusion() -> None:
    result = learn(kin())
    own = result.confusion()
    assert (own.tp, own.fn, own.tn, own.fp) == (5, 0, 4, 0)
    other = result.confusion(kin(background={"parent": PARENTS[:3]}))
    assert (other.tp, other.fn, other.accuracy) == (2, 3, 6 / 9)


@pytest.mark.parametrize("in_folder", [False, True])
def test_save_and_load(tmp_path: Path, in_folder: bool) -> None:
    task = kin()
    if in_folder:
        task.to_folder(tmp_path / "task")
        task = Task.from_folder(tmp_path / "task")
    result = learn(task)
    result.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json", None if in_folder else task)
    assert repr(again) == repr(result)
    assert (again.program, again.cost, again.lower_bound) == (result.program, result.cost, result.lower_bound)
    assert again.predict(["grand(ann,cleo)"]) == [True]
    lost = Result.load(tmp_path / "result.json")
    if not in_folder:
        with pytest.raises(MaxSynthError, match=r"the task of this result is not known \(give .* background=\.\.\."):
            lost.predict(["grand(ann,cleo)"])
        with pytest.raises(MaxSynthError, match="the task of this result is not known"):
            lost.confusion()


# -- results that are all there is ----------------------------------------------------------------------------


def alone(result: Result, folder: Path) -> Result:
    """The result without its task."""
    result.save(folder / "result.json")
    again = Result.load(folder / "result.json")
    assert again.task is None
    return again


def test_a_result_predicts_without_its_task(tmp_path: Path) -> None:
    result = alone(learn(kin()), tmp_path)
    asked = [("grand", "zoe", "bob"), ("grand", "zoe", "ann"), "grand(ann,zoe)"]
    assert result.predict(asked, background={"parent": [("zoe", "ann"), ("ann", "bob")]}) == [True, False, False]
    text = "parent(X,Y) :- mother(X,Y). mother(zoe,ann). mother(ann,bob)."
    assert result.predict(asked, background=text) == [True, False, False]
    assert result.explain(asked[0], background=text).covered
    assert result.predict([], background=text) == []
    with pytest.raises(MaxSynthError, match=r"atoms, row 0: the example `parent\(a,b\)` is not of grand/2"):
        result.predict(["parent(a,b)"], background=text)
    with pytest.raises(MaxSynthError, match=r"BK defines none of the declared predicates \(parent/2\)"):
        result.predict(asked, background={"child": PARENTS})


def test_rules_are_asked_as_the_program_asks_for_them(tmp_path: Path) -> None:
    """Neither can be listed without knowing what is given."""
    rules = "before(X,Y) :- X < Y.\nnext(X,Y) :- Y is X + 1.\n"
    born = [("ann", 1950), ("bob", 1951), ("cleo", 1951), ("dan", 1980), ("eve", 1981), ("finn", 1999)]
    labels = {("f", one, other): b == a + 1 for one, a in born for other, b in born}
    bias = {
        "direction": {"born": ("in", "out"), "next": ("in", "out"), "before": ("in", "in")},
        "type": {"f": ("person", "person"), "born": ("person", "year"), "next": ["year"] * 2, "before": ["year"] * 2},
    }
    learned = learn(Task(labels, [{"born": born}, rules], bias), exact=True)
    assert str(learned.program) == "f(A,B) :- born(A,C), born(B,D), next(C,D)."
    new = [{"born": [(f"p{n}", n) for n in range(300)]}, rules]
    asked = [("f", "p7", "p8"), ("f", "p8", "p7")]
    assert alone(learned, tmp_path).predict(asked, background=new) == [True, False]


def test_functions_with_a_result_alone(tmp_path: Path) -> None:
    half = predicate("in", "out")(lambda number: number // 2 if number % 2 == 0 else None)
    labels = {("quarter", 4 * n, n): True for n in range(1, 9)} | {("quarter", n, n): False for n in range(3, 9)}
    result = alone(learn(Task(labels, {"half": half})), tmp_path)
    assert result.predict([("quarter", 400, 100), ("quarter", 400, 99)], background={"half": half}) == [True, False]


def test_recursion_with_a_result_alone(tmp_path: Path) -> None:
    edges = [(f"n{i}", f"n{i + 1}") for i in range(8)]
    labels = {("path", f"n{i}", f"n{j}"): i < j for i in range(8) for j in range(8)}
    bias = {"enable_recursion": True, "max_vars": 3, "max_body": 2, "max_clauses": 2}
    result = alone(learn(Task(labels, {"edge": edges}, bias)), tmp_path)
    assert result.program is not None
    assert result.program.calls_itself
    new = {"edge": [("a", "b"), ("b", "c"), ("c", "d"), ("e", "a")]}
    asked = [("path", "a", "d"), ("path", "e", "d"), ("path", "d", "a")]
    assert result.predict(asked, background=new) == [True, True, False]


def test_the_empty_program_alone(tmp_path: Path) -> None:
    empty = learn(Task([(("f", 1), True)], {"p": [2]}))
    assert str(empty.program) == ""
    result = alone(empty, tmp_path)
    assert result.predict([("f", 1), ("f", 2)], background={"p": [1]}) == [False, False]


def test_what_the_new_background_lacks_is_said(tmp_path: Path) -> None:
    labels = {("f", n): n in (2, 4, 6) for n in range(9)}
    learned = learn(Task(labels, {"even": [0, 2, 4, 6, 8], "small": list(range(1, 8))}), exact=True)
    assert str(learned.program) == "f(A) :- even(A), small(A)."
    result = alone(learned, tmp_path)
    with pytest.warns(maxsynth.MaxSynthWarning, match="BK does not define small/1") as said:
        assert result.predict([("f", 2)], background={"even": [2]}) == [False]
    assert said[0].filename == __file__


def test_the_command_reads_what_was_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = kin()
    learn(task).save(tmp_path / "result.json")
    task.to_folder(tmp_path / "task")
    assert main(["verify", str(tmp_path / "result.json"), "--task", str(tmp_path / "task")]) == 0
    assert main(["explain", str(tmp_path / "result.json"), str(tmp_path / "task"), "--suspects"]) == 0
    assert main(["verify", str(tmp_path / "result.json")]) == 2
    assert "was not learned from a folder" in capsys.readouterr().err


def test_it_shows(tmp_path: Path) -> None:
    result = learn(kin())
    assert repr(result).startswith("<Result optimal: cost 3 = size 3 and 0 false positives, 0 false negatives, in ")
    assert repr(result).endswith(f">\n{RULE}")
    html = result._repr_html_()
    assert "<pre>grand(A,B) :- parent(A,C), parent(C,B).</pre>" in html
    assert "<td>5</td><td>0</td>" in html
    assert "&lt;" in learn(Task([("'<b>'(a)", True)] * 5, {"<i>": ["a"]}))._repr_html_()
    assert result.explain("grand(ann,cleo)")._repr_html_().startswith("<pre>grand(ann,cleo) is covered:")


def test_exact_mode() -> None:
    contradictory = [*LABELLED.items(), (("grand", "ann", "cleo"), False)]
    none = learn(kin(examples=contradictory), exact=True)
    assert (none.program, none.cost, none.status, none.size) == (None, None, "optimal", None)
    assert "\n% no program without errors exists in this space\nThat is little. What `maxsynth check`" in repr(none)
    with pytest.raises(MaxSynthError, match="there is no program in this result"):
        none.predict(["grand(ann,cleo)"])


# -- at once, and not to the end ------------------------------------------------------------------------------


def test_twice_in_one_process() -> None:
    first, second = kin(), Task({("f", n): n > 3 for n in range(9)}, {"big": [4, 5, 6, 7, 8], "odd": [1, 3, 5, 7]})
    for _ in range(2):
        assert str(learn(first).program) == RULE
        assert str(learn(second).program) == "f(A) :- big(A)."


def test_two_threads_at_once(long_task: Task) -> None:
    shared = kin()

    def work(number: int) -> str:
        if number % 2:
            return str(learn(shared).program)
        return str(learn(long_task, timeout=0.3).status)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(12)))
    assert found == ["timeout", RULE] * 6


def test_inside_a_thread() -> None:
    found: list[Result] = []
    thread = threading.Thread(target=lambda: found.append(learn(kin())))
    thread.start()
    thread.join(60)
    assert str(found[0].program) == RULE


def test_under_asyncio() -> None:
    async def both() -> list[Result]:
        return list(await asyncio.gather(*(asyncio.to_thread(learn, kin()) for _ in range(2))))

    assert [str(result.program) for result in asyncio.run(both())] == [RULE, RULE]


def test_a_callback_cancels(long_task: Task) -> None:
    seen: list[Progress] = []

    def enough(progress: Progress) -> bool:
        seen.append(progress)
        return sum(one.program is None for one in seen) < 8

    result = learn(long_task, on_progress=enough)
    assert result.status == "interrupted"
    assert result.cost is not None
    # What is under way when it is told may still find a better one.
    assert seen[-1].cost is not None
    assert result.lower_bound <= result.cost <= seen[-1].cost
    assert any(progress.program is not None for progress in seen)
    assert result.program is not None


def test_a_callback_sees_every_better_program() -> None:
    seen: list[Progress] = []
    result = learn(kin(), on_progress=seen.append)
    assert result.status == "optimal"  # None does not mean stop
    better = [progress for progress in seen if progress.program is not None]
    assert str(better[-1].program) == str(result.program)


def test_what_a_callback_raises_comes_out(long_task: Task) -> None:
    class Enough(Exception):
        pass

    def fail(progress: Progress) -> None:
        if progress.seconds > 0.5:
            raise Enough

    with pytest.raises(Enough):
        learn(long_task, on_progress=fail)


INTERRUPTED = """
import _thread, sys, threading
from maxsynth import Task, learn
task = Task.from_folder(sys.argv[1])
threading.Timer(1.0, _thread.interrupt_main).start()
try:
    learn(task)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_is_a_keyboard_interrupt(long_task: Task) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(long_task.folder)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_a_timeout(long_task: Task) -> None:
    result = learn(long_task, timeout=0.2)
    assert result.status == "timeout"
    assert result.seconds["total"] < 10


# -- the package ----------------------------------------------------------------------------------------------


def test_all_names_are_there() -> None:
    assert set(maxsynth.__all__) <= set(dir(maxsynth))
    assert all(getattr(maxsynth, name) is not None for name in maxsynth.__all__)
    with pytest.raises(AttributeError, match="has no `nothing`"):
        maxsynth.nothing  # noqa: B018


def test_importing_it_loads_nothing_heavy() -> None:
    script = (
        "import sys, maxsynth; print(sorted({n.partition('.')[0] for n in sys.modules} & {'numpy', 'clingo', 'rich'}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_it_is_typed() -> None:
    assert (Path(maxsynth.__file__).parent / "py.typed").is_file()


def test_a_task_can_be_learned_from_again_and_pickled() -> None:
    """The tables that were made to look at a task go to the first search, and to none besides."""
    examples = {"pos": [("f", "a"), ("f", "b"), ("f", "c")], "neg": [("f", "d")]}
    task = maxsynth.Task(examples, {"p": ["a", "b", "c"], "q": ["a", "d"]})
    copy = pickle.loads(pickle.dumps(task))
    first, second = task.read(), task.read()
    assert first.background.store is not second.background.store
    assert {str(maxsynth.learn(one).program) for one in (task, task, copy)} == {"f(A) :- p(A)."}
