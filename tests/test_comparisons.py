"""Literals on numbers, and constants, in programs: how they read and print, what they mean, and who knows of them."""

from __future__ import annotations

import json
import math
import operator
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxsynth
from maxsynth.api.result import Result
from maxsynth.background.comparisons import Numbers
from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.explanation.explain import Explainer
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Literal, Program, Rule, parse_program, readable, rules_of
from maxsynth.prolog.writer import term_text
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.search.result import SearchResult
from maxsynth.task.task import ReadTask
from maxsynth.verification import numbers as second
from maxsynth.verification.simple_evaluator import SimpleEvaluator
from maxsynth.verification.space import violations
from maxsynth.verification.swipl_proof import SwiplProof

BIAS = """head_pred(heavy,1).
body_pred(part,2).
body_pred(size,2).
body_pred(color,2).
type(heavy,(thing,)).
type(part,(thing,part)).
type(size,(part,kg)).
type(color,(part,color)).
numbers(kg).
compared(kg).
constants(color).
numerical_pred(add,3).
type(add,(kg,kg,kg)).
max_numeric(2).
"""
BK = """part(a,a1). part(a,a2). part(b,b1). part(c,c1). part(d,d1).
size(a1,3). size(a2,9.4). size(b1,7.1). size(c1,9). size(d1,unknown).
color(a1,red). color(a2,blue). color(b1,red). color(c1,'Dark red').
"""
EXS = "pos(heavy(a)). pos(heavy(c)). neg(heavy(b)). neg(heavy(d)).\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "task")


def write(folder: Path, bias: str = BIAS, bk: str = BK, exs: str = EXS) -> Path:
    folder.mkdir()
    for name, text in (("bias.pl", bias), ("bk.pl", bk), ("exs.pl", exs)):
        (folder / name).write_text(text)
    return folder


# -- text ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("f(A) :- p(A,B), B >= 9.4.", [Literal(">=", (1, Constant("9.4")))]),
        ("f(A) :- p(A,B), B =< -9.", [Literal("=<", (1, Constant("-9")))]),
        ("f(A) :- p(A,B), A < B, B =< A.", [Literal("<", (0, 1)), Literal("=<", (1, 0))]),
        ("f(A) :- p(A,B), C is A+B, C > 1.", [Literal("+", (0, 1, 2)), Literal(">", (2, Constant("1")))]),
        ("f(A) :- p(A,B), C is B+(-1), C >= 1.0e-7.",
         [Literal("+", (1, Constant("-1"), 2)), Literal(">=", (2, Constant("1.0e-7")))]),
        ("f(A) :- p(A,_), 3 is A+A.", [Literal("+", (0, 0, Constant("3")))]),
        ("f(A) :- p(A,_), A >= (a=b).", [Literal(">=", (0, Constant("a=b")))]),
        ("f(A) :- p(A,_), q(A,red,'Dark red',[1,x],(a,b),f(x),-3).",
         [Literal("q", (0, *map(Constant, ["red", "'Dark red'", "[1,x]", "(a,b)", "f(x)", "-3"])))]),
    ],
)  # fmt: skip
def test_reading_and_printing(text: str, literals: list[Literal]) -> None:
    program = parse_program(text)
    assert list(program.rules[0].body[1:]) == literals
    assert str(program) == text


constants = st.one_of(
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["a", "'A b'", "[]", "f(x)", "a-b"]),
).map(lambda value: Constant(value if isinstance(value, str) else term_text(value)))
arguments = st.integers(0, 5) | constants
comparisons = st.builds(Literal, st.sampled_from([">=", "=<", "<", ">"]), st.tuples(arguments, arguments))
operands = st.integers(0, 5) | st.integers().map(lambda value: Constant(str(value)))
sums = st.builds(Literal, st.just("+"), st.tuples(operands, operands, arguments))
plain = st.builds(
    Literal, st.sampled_from(["p", "'x y'"]).map(lambda name: name.strip("'")), st.tuples(arguments, arguments)
)


@given(st.lists(comparisons | sums | plain, min_size=1, max_size=5))
def test_every_rule_reads_back(body: list[Literal]) -> None:
    rule = Rule(Literal("f", (0, 1, 2, 3, 4, 5)), (Literal("all", (0, 1, 2, 3, 4, 5)), *body))
    assert parse_program(str(rule)).rules == (rule,)
    told = readable(rule)
    assert sorted(map(str, told.body)) == sorted(map(str, rule.body))


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("f(A) :- D >= 3, p(A,D).", "f(A) :- p(A,B), B >= 3."),
        ("f(A) :- E >= 3, E is C+D, C < D, q(A,D), p(A,C).", "f(A) :- q(A,B), p(A,C), D is C+B, D >= 3, C < B."),
        ("f(A) :- A >= 3, A =< 5.", "f(A) :- A >= 3, A =< 5."),
        ("f(A) :- D >= 3, p(B,D).", "f(_) :- p(_,A), A >= 3."),
    ],
)
def test_what_prolog_can_execute(text: str, ordered: str) -> None:
    program = parse_program(text)
    assert sorted(map(str, program.executable({}).rules[0].body)) == sorted(map(str, program.rules[0].body))
    assert str(program.executable({})) == ordered
    p, q, f = Predicate("p", 2), Predicate("q", 2), Predicate("f", 1)
    directed = program.executable({f: ("in",), p: ("in", "out"), q: ("in", "out")})
    if "p(B,D)" not in text:
        assert str(directed) == ordered


def test_comparisons_are_told_when_their_variables_are_known() -> None:
    rule = parse_program("f(A) :- C < D, D >= 3, E is C+D, E =< 5, q(A,D), p(A,C).").rules[0]
    assert str(rules_of([rule])) == "f(A) :- p(A,B), q(A,C), B < C, C >= 3, D is B+C, D =< 5."


# -- meaning -------------------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.integers(-5, 5), st.sampled_from([2**53, 2**53 + 1, 2.0**53, 10**400, -(10**400), 0.1, 0.2, -0.0]),
    st.integers(), st.floats(),
)  # fmt: skip
HOLDS = {">=": operator.ge, "=<": operator.le, "<": operator.lt, ">": operator.gt}


@given(st.sampled_from(sorted(HOLDS)), numbers, numbers)
def test_comparisons_are_exact(name: str, one: float, other: float) -> None:
    store = TermStore()
    row = store.intern(one), store.intern(other)
    finite = all(isinstance(value, int) or math.isfinite(value) for value in (one, other))
    expected = finite and HOLDS[name](Fraction(one), Fraction(other))
    assert Numbers(store).answers(Predicate(name, 2))(row) == ([row] if expected else [])
    assert second.holds(name, one, other) == expected


@given(numbers, numbers)
def test_sums(one: float, other: float) -> None:
    store = TermStore()
    row = store.intern(one), store.intern(other)
    found = [store.term(known) for *_, known in Numbers(store).answers(Predicate("+", 3))(row)]
    total = second.total(one, other)
    assert found == ([] if total is None else [total])
    assert [type(value) for value in found] == ([] if total is None else [type(total)])
    if isinstance(one, int) and isinstance(other, int):
        assert found == [one + other]


@pytest.mark.parametrize("term", ["red", "[1]", '"3"', "3+1", "1.0Inf", "-1.0Inf", "1.5NaN"])
def test_what_is_no_number_satisfies_nothing(tmp_path: Path, term: str) -> None:
    task = ReadTask.from_folder(write(tmp_path / "task", bk=f"part(a,a1). color(a1,red). size(a1,{term}).\n"))
    for literal in ("C >= 0", "C =< 0", "C < C", "C =< C", "C > -1", "0 =< C", "_ is C+C"):
        program = parse_program(f"heavy(A) :- part(A,B), size(B,C), {literal}.")
        rows = task.positives.rows[:1]
        assert not Evaluator(task.background, task.bias.head).coverage(program, rows).covered.any()
        assert SimpleEvaluator(program, task.background, task.bias.head).covers(tuple(rows[0].tolist())) is False


PROGRAMS = {
    "heavy(A) :- part(A,B), size(B,C), C >= 9.": "ac",
    "heavy(A) :- part(A,B), size(B,C), C >= 9.2.": "a",
    "heavy(A) :- part(A,B), size(B,C), C =< 7.1.": "ab",
    "heavy(A) :- part(A,B), size(B,C), C < 7.1.": "a",
    "heavy(A) :- part(A,B), size(B,C), 9.0 < C.": "a",
    "heavy(A) :- part(A,B), size(B,C), C >= 9.0, C =< 9.": "c",
    "heavy(A) :- part(A,B), size(B,C), part(A,D), size(D,E), C < E.": "a",
    "heavy(A) :- part(A,B), size(B,C), part(A,D), size(D,E), F is C+E, F >= 18.": "ac",
    "heavy(A) :- part(A,B), size(B,C), part(A,D), size(D,E), F is C+E, F =< 6.": "a",
    "heavy(A) :- part(A,B), size(B,C), 18 is C+C.": "c",
    "heavy(A) :- part(A,B), size(B,C), 18.0 is C+C.": "",
    "heavy(A) :- part(A,B), color(B,red).": "ab",
    "heavy(A) :- part(A,B), color(B,'Dark red').": "c",
    "heavy(A) :- part(A,B), color(B,red), size(B,C), C >= 4.": "b",
    "heavy(A) :- big(A,B), B > 9.\nbig(A,C) :- part(A,B), size(B,C), C >= 8.": "a",
}


@pytest.mark.parametrize(("text", "covered"), PROGRAMS.items())
def test_programs(folder: Path, text: str, covered: str) -> None:
    task = ReadTask.from_folder(folder)
    program = parse_program(text)
    names = "acbd"
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    found = Evaluator(task.background, task.bias.head).coverage(program, rows).covered
    assert "".join(sorted(name for name, one in zip(names, found, strict=True) if one)) == covered
    simple = SimpleEvaluator(program, task.background, task.bias.head)
    assert [simple.covers(tuple(row)) for row in rows.tolist()] == found.tolist()
    if shutil.which("swipl"):
        proof = SwiplProof(program.executable({}), task)
        try:
            assert [proof.covers(tuple(row)) for row in rows.tolist()] == found.tolist()
        finally:
            proof.close()


values = st.sampled_from(["C", "E", "F"]) | (st.integers(-1, 12) | st.sampled_from([7.1, 9.4, 0.5])).map(str)
tests_of_values = st.builds("{} {} {}".format, values, st.sampled_from(["<", "=<", ">=", ">"]), values)


@given(st.lists(tests_of_values, min_size=1, max_size=3), st.permutations(range(5)))
def test_both_evaluators_agree_with_python(tests: list[str], order: list[int]) -> None:
    """Whatever the order of a body is: it is the same set of literals."""
    sizes = {"a": [3, 9.4], "b": [7.1], "c": [9, 0, 12], "d": []}
    bk = "".join(
        f"part({name},{name}{i}). size({name}{i},{size}).\n" for name in sizes for i, size in enumerate(sizes[name])
    )
    task = ReadTask.from_texts(
        "task", parse_bias(BIAS, "bias.pl"), (f"{bk}color(a0,red).\n", "bk.pl"), (EXS, "exs.pl"), prolog="builtin"
    )
    body = ["part(A,B)", "size(B,C)", "part(A,D)", "size(D,E)", "F is C+E"]
    program = parse_program(f"heavy(A) :- {', '.join([*tests, *(body[i] for i in order)])}.")
    code = " and ".join(tests).replace("=<", "<=")
    expected = [
        any(eval(code, {"C": c, "E": e, "F": c + e}) for c in sizes[name] for e in sizes[name]) for name in "acbd"
    ]
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    assert Evaluator(task.background, task.bias.head).coverage(program, rows).covered.tolist() == expected
    simple = SimpleEvaluator(program, task.background, task.bias.head)
    assert [simple.covers(tuple(row)) for row in rows.tolist()] == expected
    again = parse_program(str(program.executable({})))
    assert Evaluator(task.background, task.bias.head).coverage(again, rows).covered.tolist() == expected
    explained = [Explainer(program, task).explain(tuple(row)) for row in rows.tolist()]
    assert [one.covered for one in explained] == expected


def test_a_program_that_calls_itself(tmp_path: Path) -> None:
    """The number is compared for every goal that is met."""
    bias = "head_pred(f,1). body_pred(head,2). body_pred(tail,2). enable_recursion.\n"
    bias += "type(f,(list,)). type(head,(list,n)). type(tail,(list,list)). numbers(n).\n"
    bias += "direction(f,(in,)). direction(head,(in,out)). direction(tail,(in,out)).\n"
    bk = "head([H|_],H).\ntail([_|T],T).\n"
    exs = "pos(f([1,2,9])). pos(f([9])). neg(f([1,2])). neg(f([])).\n"
    task = ReadTask.from_folder(write(tmp_path / "task", bias, bk, exs))
    program = parse_program("f(A) :- B >= 5, head(A,B).\nf(A) :- tail(A,B), f(B).")
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    assert Evaluator(task.background, task.bias.head).coverage(program, rows).covered.tolist() == [1, 1, 0, 0]
    explainer = Explainer(program, task)
    assert [explainer.explain(tuple(row)).covered for row in rows.tolist()] == [True, True, False, False]
    assert "fails at B >= 5: B is 1, where head([1,2],1) holds" in str(explainer.explain(tuple(rows[2].tolist())))


def test_numbers_of_the_examples_alone(tmp_path: Path) -> None:
    bias = "head_pred(f,1). type(f,(int,)). numbers(int).\n"
    task = ReadTask.from_folder(write(tmp_path / "task", bias, "\n", "pos(f(5)). pos(f(7)). neg(f(1)). neg(f(9)).\n"))
    program = parse_program("f(A) :- A >= 3, A =< 8.")
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    assert Evaluator(task.background, task.bias.head).coverage(program, rows).covered.tolist() == [1, 1, 0, 0]
    assert not violations(program, task.bias)


def test_what_bk_or_the_bias_defines_is_what_it_says(tmp_path: Path) -> None:
    bk = f"{BK}'+'(3,3,unknown).\n"
    task = ReadTask.from_folder(write(tmp_path / "task", bk=bk))
    assert not task.background.is_built_in(Predicate("+", 3))
    program = parse_program("heavy(A) :- part(A,B), size(B,C), unknown is C+C.")
    assert Evaluator(task.background, task.bias.head).coverage(program, task.positives.rows).covered.tolist() == [1, 0]
    declared = BIAS + 'body_pred("<",2). type("<",(kg,kg)).\n'
    other = ReadTask.from_folder(write(tmp_path / "other", declared))
    assert not other.background.is_built_in(Predicate("<", 2))
    assert other.background.is_built_in(Predicate("=<", 2))


def test_a_variable_that_nothing_binds(folder: Path) -> None:
    task = ReadTask.from_folder(folder)
    program = parse_program("heavy(A) :- part(A,_), B >= 3.")
    with pytest.raises(MaxSynthError, match="callable"):
        Evaluator(task.background, task.bias.head).coverage(program, task.positives.rows)
    with pytest.raises(MaxSynthError, match="never bound"):
        SimpleEvaluator(program, task.background, task.bias.head).covers(tuple(task.positives.rows[0].tolist()))


# -- strange numbers -----------------------------------------------------------------------------------------------


def test_infinities_and_nan_are_reported(tmp_path: Path) -> None:
    bk = f"{BK}size(x,2).\nsize(e1,1.0Inf).\nsize(e2,1.5NaN). size(e3,-1.0Inf).\ncolor(e1,1.0Inf).\n"
    task = ReadTask.from_folder(write(tmp_path / "task", bk=bk))
    place = f"{tmp_path / 'task' / 'bk.pl'}:5"
    assert [warning for warning in task.warnings if "infinity" in warning] == [
        f"{place}: `size(e1,1.0Inf)`, and 2 others of size/2, have an infinity or NaN where numbers are compared: it "
        "is as if it were no number"
    ]
    silent = ReadTask.from_folder(write(tmp_path / "other", bias=BIAS.partition("numbers(")[0], bk=bk))
    assert not any("infinity" in warning for warning in silent.warnings)


def test_infinities_in_examples_are_reported(tmp_path: Path) -> None:
    bias = "head_pred(f,1). type(f,(int,)). numbers(int).\n"
    task = ReadTask.from_folder(write(tmp_path / "task", bias, "\n", "pos(f(5)).\npos(f(1.0Inf)).\nneg(f(1)).\n"))
    assert f"{tmp_path / 'task' / 'exs.pl'}:2: `f(1.0Inf)` has an infinity" in task.warnings[0]


# -- commands ------------------------------------------------------------------------------------------------------

PROGRAM = "heavy(A) :- part(A,B), size(B,D), D >= 9.2.\nheavy(A) :- part(A,B), color(B,'Dark red').\n"


def test_evaluate(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.pl"
    file.write_text(PROGRAM)
    assert main(["evaluate", str(file), str(folder), "--json", str(tmp_path / "out.json")]) == 0
    out, err = capsys.readouterr()
    assert not err
    assert "heavy(A) :- part(A,B), size(B,C), C >= 9.2." in out
    value = json.loads((tmp_path / "out.json").read_text())
    assert [value[name] for name in ("tp", "fn", "tn", "fp", "size")] == [2, 0, 2, 0, 7]


def test_evaluate_doubts_what_is_no_number(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.pl"
    file.write_text("heavy(A) :- part(A,B), size(B,C), C >= 2*3, color(B,red).\n")
    assert main(["evaluate", str(file), str(folder)]) == 0
    assert f"{file}: 2*3 is no number, and so `C >= (2*3)` is never true" in capsys.readouterr().err


def test_explain(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.pl"
    file.write_text("heavy(A) :- part(A,B), size(B,C), C >= 9.2, E is C+C, E >= 18.8.\n")
    said = {}
    for name in "abcd":
        assert main(["explain", str(file), str(folder), "--example", f"heavy({name})"]) == 0
        said[name] = capsys.readouterr().out
    assert "9.4 >= 9.2\n" in said["a"]
    assert "18.8 is 9.4+9.4\n" in said["a"]
    assert "18.8 >= 18.8\n" in said["a"]
    assert "fails at C >= 9.2: C is 7.1, where part(b,b1), size(b1,7.1) hold\n" in said["b"]
    assert "fails at C >= 9.2: C is unknown, which is no number" in said["d"]
    file.write_text("heavy(A) :- part(A,B), size(B,D), D >= 12.\n")
    assert main(["explain", str(file), str(folder), "--example", "heavy(a)"]) == 0
    assert "fails at C >= 12: the largest C is 9.4, where part(a,a2), size(a2,9.4) hold" in capsys.readouterr().out
    file.write_text("heavy(A) :- part(A,B), size(B,D), D =< 2.\n")
    assert main(["explain", str(file), str(folder), "--example", "heavy(a)"]) == 0
    assert "fails at C =< 2: the smallest C is 3, where part(a,a1), size(a1,3) hold" in capsys.readouterr().out


def result(text: str) -> SearchResult:
    program = parse_program(text)
    return SearchResult(
        status="optimal",
        program=program,
        cost=program.size,
        lower_bound=program.size,
        confusion=maxsynth.Confusion(2, 0, 2, 0),
        settings={
            "weights": [1, 1, 1], "exact": False, "singletons": True, "directions": True, "max_vars": None,
            "max_body": None, "max_clauses": None, "prolog": "auto",
        },
        trace=[(0.1, program.size, 2)],
        counts={},
        seconds={"total": 0.1},
    )  # fmt: skip


def test_verify_and_python(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = maxsynth.Task.from_folder(folder)
    known = Result(result(PROGRAM), task)
    assert known.predict(["heavy(a)", "heavy(b)", "heavy(c)"]) == [True, False, True]
    assert known.predict(["heavy(z)"], background="part(z,z1). size(z1,10).") == [True]
    file = tmp_path / "result.json"
    known.save(file)
    assert main(["verify", str(file)]) == 0, capsys.readouterr().out
    alone = Result(Result.load(file)._run, None)
    background = {"part": [("z", "z1"), ("y", "y1")], "size": [("z1", 9.3), ("y1", 9.1)], "color": [("y1", "red")]}
    assert alone.predict(["heavy(z)", "heavy(y)"], background=background) == [True, False]
    assert "the largest" not in str(alone.explain("heavy(y)", background=background))
    assert "fails at C >= 9.2: C is 9.1" in str(alone.explain("heavy(y)", background=background))


def test_sums_without_a_task() -> None:
    run = result("heavy(A) :- w(A,B), v(A,C), D is B+C, D >= 10.")
    background = {"w": [("a", 7), ("b", 5)], "v": [("a", 3), ("b", 4.5)]}
    assert Result(run, None).predict(["heavy(a)", "heavy(b)"], background=background) == [True, False]


# -- the space -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "heavy(A) :- part(A,B), size(B,C), C >= 9.2.",
        "heavy(A) :- part(A,B), size(B,C), C >= 9.2, C =< 12.",
        "heavy(A) :- part(A,B), color(B,red).",
        "heavy(A) :- part(A,B), size(B,C), part(A,D), size(D,E), C < E.",
        "heavy(A) :- part(A,B), size(B,C), part(A,D), size(D,E), F is C+E, F =< 6.",
    ],
)
def test_in_the_space(text: str) -> None:
    assert violations(parse_program(text), parse_bias(BIAS, "bias.pl")) == []


BOUNDED = f"{BIAS}numerical_pred(geq,2). type(geq,(kg,kg)). bounds(geq,1,(0,10)).\n"


@pytest.mark.parametrize(
    ("text", "bias", "violation"),
    [
        ("heavy(A) :- part(A,B), color(B,red).", BIAS.replace("constants(color).", ""), "argument 2 of color/2 is not"),
        ("heavy(A) :- part(A,a1), color(a1,red).", BIAS, "argument 2 of part/2 is not a variable"),
        ("heavy(A) :- part(A,_), color(b,red).", f"{BIAS}constants(color,1).", "no argument of color/2 is a variable"),
        ("heavy(a) :- part(A,B), size(B,A).", BIAS, "an argument of the head is not a variable"),
        ("heavy(A) :- part(A,B), size(B,C), C >= 1.", BIAS.replace("numbers(kg).", ""), "does not allow `V2 >= 1`"),
        ("heavy(A) :- part(A,B), color(B,C), C >= 1.", BIAS, "does not allow `V2 >= 1`"),
        ("heavy(A) :- part(A,B), size(B,C), C < 1.", BIAS, "does not allow `V2 < 1`"),
        ("heavy(A) :- part(A,B), size(B,C), 1 =< C.", BIAS, "does not compare a variable with a number"),
        ("heavy(A) :- part(A,B), size(B,C), C >= red.", BIAS, "does not compare a variable with a number"),
        ("heavy(A) :- part(A,B), size(B,C), C >= 11.", BOUNDED, "not within its bounds, 0 and 10"),
        ("heavy(A) :- part(A,B), size(B,C), part(A,D), size(D,E), C >= E.", BIAS, "does not allow `V2 >= V4`"),
        ("heavy(A) :- part(A,B), size(B,C), D is C+1, D >= 3.", BIAS, "a number where a variable is due"),
        ("heavy(A) :- part(A,B), size(B,C), C >= 1, C >= 2, C =< 3.", BIAS, "3 learned numbers, and max_numeric is 2"),
        ("heavy(A) :- part(A,_), B >= 1.", BIAS, "occurs in no other literal"),
    ],
)
def test_outside_of_the_space(text: str, bias: str, violation: str) -> None:
    found = violations(parse_program(text), parse_bias(bias, "bias.pl"))
    assert any(violation in one for one in found), found


def test_directions_of_comparisons() -> None:
    modes = "direction(heavy,(in,)). direction(part,(in,out)). direction(size,(in,out)). direction(color,(in,out)).\n"
    bias = parse_bias(BIAS + modes, "bias.pl")
    assert not violations(parse_program("heavy(A) :- part(A,B), size(B,C), C >= 1, color(B,red)."), bias)
    unsafe = violations(parse_program("heavy(A) :- part(A,B), size(B,C), D is C+E, E is C+D."), bias)
    assert "no order of a body makes every `in` argument safe" in unsafe


def test_constraints_see_constants_as_such() -> None:
    bias = parse_bias(f"{BIAS}:- body_literal(C,color,2,(_,V)), body_literal(C,size,2,(_,V)).\n", "bias.pl")
    assert not violations(parse_program("heavy(A) :- part(A,B), color(B,red), size(B,C), C >= 2."), bias)


def test_the_empty_program_has_none() -> None:
    assert violations(Program(), parse_bias(BIAS, "bias.pl")) == []
