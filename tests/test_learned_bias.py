"""Directives on constants and numbers in literals: what they mean, in both vocabularies, and what is wrong in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import maxsynth
from maxsynth.bias.bias import Bias
from maxsynth.bias.guard import checked_text
from maxsynth.bias.learned import NOTHING_LEARNED, Learned
from maxsynth.bias.parsing import parse_bias
from maxsynth.bias.reader import read_program
from maxsynth.bias.simple import read_simple
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate

PARTS = """head_pred(zendo,1).
body_pred(piece,2).
body_pred(size,2).
body_pred(color,2).
type(zendo,(state,)).
type(piece,(state,piece)).
type(size,(piece,real)).
type(color,(piece,color)).
"""

NUMSYNTH = """
numerical_pred(geq,2).
numerical_pred(leq,2).
type(geq,(real,real)).
type(leq,(real,real)).
direction(geq,(in, out)).
direction(leq,(in, out)).
numerical_pred(add,3).
type(add,(real, real, real)).
direction(add,(in,in,out)).
"""

INTERVAL = """head_pred(interval,1).
type(interval,(int,)).
direction(interval,(in,)).
max_numeric(2).
numerical_pred(geq,2).
type(geq,(int,int)).
direction(geq,(in, out)).
bounds(geq,1,(-100,100)).
bounds(mult,1,(-100,100)).
"""


def read(more: str) -> Bias:
    return parse_bias(PARTS + more, "bias.pl")


def learned(more: str) -> Learned:
    """What both readers make of it, where the file is simple."""
    bias = read(more)
    simple = read_simple(checked_text(PARTS + more, "bias.pl"))
    if simple is not None:
        assert list(simple.atoms) == list(read_program(PARTS + more, "bias.pl").atoms)
    return bias.learned


def test_nothing_is_learned_without_a_directive() -> None:
    assert not learned("")
    assert learned("") is NOTHING_LEARNED


@pytest.mark.parametrize(
    ("more", "meaning"),
    [
        ("constants(color).", Learned(constant_types=("color",))),
        ("constants(color).constants(piece). constants(color).", Learned(constant_types=("color", "piece"))),
        ("constants(color,2).", Learned(constant_places=((Predicate("color", 2), 1),))),
        ("numbers(real).", Learned(at_least=("real",), at_most=("real",))),
        ("compared(real).", Learned(compared=("real",))),
        ("magic_value_type(color).", Learned(constant_types=("color",))),
        ("magic_value(color,1).", Learned(constant_places=((Predicate("color", 2), 1),))),
        (
            "magic_value(color,1). constants(color,2). magic_value(color,0).",
            Learned(constant_places=((Predicate("color", 2), 1), (Predicate("color", 2), 0))),
        ),
        (NUMSYNTH, Learned(at_least=("real",), at_most=("real",), sums=("real",))),
        ("numerical_pred(leq,2). type(leq,(real,real)).", Learned(at_most=("real",))),
        (
            f"{NUMSYNTH}bounds(geq,1,(-10,20)). bounds(add,1,(0,1)). max_numeric(3).",
            Learned(at_least=("real",), at_most=("real",), sums=("real",), bounds={">=": (-10, 20)}, most_numbers=3),
        ),
        (
            f'{NUMSYNTH}bounds(leq,1,("-0.5","1e3")).',
            Learned(at_least=("real",), at_most=("real",), sums=("real",), bounds={"=<": (-0.5, 1000.0)}),
        ),
        ("few(real). numbers(T) :- few(T).", Learned(at_least=("real",), at_most=("real",))),
        ("numbers(T) :- T = real.", Learned(at_least=("real",), at_most=("real",))),
    ],
)
def test_meaning(more: str, meaning: Learned) -> None:
    assert learned(more) == meaning
    assert learned(more)
    assert not read(more).warnings


def test_where_constants_may_stand() -> None:
    bias = read("constants(color). constants(size,2).")
    allowed = [
        (predicate.name, place)
        for predicate in bias.body
        for place in range(predicate.arity)
        if bias.learned.constant_at(predicate, place, bias.types)
    ]
    assert allowed == [("size", 1), ("color", 1)]


@pytest.mark.parametrize(
    "own", ["constants(c). constants(b).\nbody_pred(P,1) :- constants(P).", "numbers(X) :- n(X). n(1)."]
)
def test_names_that_a_file_uses_for_itself(own: str) -> None:
    if "body_pred" in own:
        bias = read(own)
        assert not bias.learned
        assert Predicate("c", 1) in bias.body
    else:  # what nothing uses is a directive
        with pytest.raises(MaxSynthError, match="no declared predicate has the type 1"):
            read(own)


def test_own_names_in_constraints_that_clingo_judges() -> None:
    bias = read("numbers(size).\n:- numbers(P), body_literal(C,P,2,V), body_literal(C,color,2,V).")
    assert not bias.learned
    assert "numbers(size)." in bias.constraints


@pytest.mark.parametrize(
    ("more", "warnings"),
    [
        ("numerical_pred(mult,3). type(mult,(real,real,real)). bounds(mult,1,(0,1)).",
         ["bias.pl:9: numerical_pred(mult,3) is left out: a learned factor is not in the space"]),
        ("numerical_pred(root,2).",
         ["bias.pl:9: numerical_pred(root,2) is left out: numbers are compared (geq/2, leq/2) and added (add/3), and a "
          "learned factor is not in the space"]),
        ("numerical_pred(add,3). direction(add,(in,out,out)).",
         ["bias.pl:9: numerical_pred(add,3) is left out for its direction: only the sum of two known numbers is in the "
          "space: direction(add,(in,in,out))."]),
        ("numerical_pred(geq,2). direction(geq,(in,in)). type(geq,(real,real)).",
         ["bias.pl:9: numerical_pred(geq,2) is left out for its direction: with a learned number it is "
          "direction(geq,(in,out)).; for two variables, compared(t)."]),
        ("bounds(geq,1,(0,1)).",
         ["bias.pl:9: bounds(geq,1,(0,1)) is ignored: geq compares with no learned number"]),
        ("bounds(geq,1).", ["bias.pl:9: bounds/2 is not supported and is ignored"]),
    ],
)  # fmt: skip
def test_warnings(more: str, warnings: list[str]) -> None:
    bias = read(more)
    assert list(bias.warnings) == warnings
    assert not bias.learned


@pytest.mark.parametrize(
    ("more", "message", "remedy"),
    [
        ("numbers(rael).", "no declared predicate has the type rael of numbers(rael)", "did you mean real?"),
        ("constants(x).", "no declared predicate has the type x of", "the types are color, piece, real, state"),
        ("compared(x).", "no declared predicate has the type x of compared(x)", "the types are"),
        ("constants(shape,1).", "constants(shape,1) is about shape, which is no body_pred", "write constants(p,1)."),
        ("constants(color,3).", "constants(color,3): color/2 has no argument 3", "from 1 to 2"),
        ("constants(color,0).", "constants(color,0): color/2 has no argument 0", "counted from 1 on"),
        ("constants(color,red).", "constants(color,red): color/2 has no argument red", "counted from 1 on"),
        ("magic_value(color,2).", "magic_value(color,2): color/2 has no argument 2", "from 0 to 1"),
        ("constants(a,b,c).", "constants takes 1 or 2 argument(s), not 3", "write for example constants("),
        ("numbers.", "numbers takes 1 argument(s), not 0", "write for example numbers(t)."),
        ("numerical_pred(geq,2).", "numerical_pred(geq,2) has no type", "write type(geq,(t,t))."),
        ("numerical_pred(geq,x).", "numerical_pred(geq,x) names no predicate", "write numerical_pred(geq,2)."),
        ("numerical_pred(leq,2). type(leq,(real,piece)).", "about values of one type, but has real, piece", "write"),
        ("numerical_pred(leq,2). type(leq,(int,int)).", "has the type int of numerical_pred(leq,2)", ""),
        (f"{NUMSYNTH}bounds(geq,0,(0,1)).", "the learned number of geq is argument 1", "bounds(geq,1,"),
        (f"{NUMSYNTH}bounds(geq,1,(a,1)).", "bounds(geq,1,(a,1)) has no two numbers", "(0,100)"),
        (f"{NUMSYNTH}bounds(geq,1,(1,2,3)).", "bounds(geq,1,(1,2,3)) has no two numbers", "(0,100)"),
        (f'{NUMSYNTH}bounds(geq,1,("nan",1)).', "has no two numbers", "(0,100)"),
        (f"{NUMSYNTH}bounds(geq,1,(2,-1)).", "bounds(geq,1,(2,-1)) leaves no number", "bounds(geq,1,(-1,2))."),
        (f"{NUMSYNTH}bounds(geq,1,(1,2)).\nbounds(geq,1,(1,3)).", "geq has two different bounds", "keep one"),
        ("max_numeric(0).", "max_numeric(0) is not a positive integer", "write max_numeric(2)."),
        ("max_numeric(1). max_numeric(2).", "max_numeric is both 1 and 2", "keep one of them"),
    ],
)  # fmt: skip
def test_errors(more: str, message: str, remedy: str) -> None:
    with pytest.raises(MaxSynthError) as caught:
        read(more)
    assert message in caught.value.message
    assert remedy in (caught.value.remedy or "")
    assert caught.value.position is not None
    assert caught.value.position.line >= 9


def test_types_are_needed_for_numbers() -> None:
    with pytest.raises(MaxSynthError, match="no declared predicate has the type kg") as caught:
        parse_bias("head_pred(f,1). body_pred(p,2). numbers(kg).", "bias.pl")
    assert caught.value.remedy == "declare types, such as type(p,(t,kg))."


def test_a_place_of_every_predicate_with_that_name() -> None:
    bias = parse_bias("head_pred(f,1). body_pred(p,2). body_pred(p,3). constants(p,3).", "bias.pl")
    assert bias.learned.constant_places == ((Predicate("p", 3), 2),)


def test_no_body_pred_is_needed_where_there_are_numbers() -> None:
    bias = parse_bias(INTERVAL, "bias.pl")
    assert bias.body == ()
    assert bias.learned == Learned(at_least=("int",), bounds={">=": (-100, 100)}, most_numbers=2)
    assert read_simple(INTERVAL) is not None


@pytest.mark.parametrize("more", ["", "constants(int).", "numerical_pred(mult,3).", "max_numeric(2)."])
def test_otherwise_one_is(more: str) -> None:
    with pytest.raises(MaxSynthError, match="no body_pred"):
        parse_bias(f"head_pred(f,1). type(f,(int,)). {more}", "bias.pl")


def test_simple_files_need_no_clingo() -> None:
    code = (
        "import sys; from maxsynth.bias.parsing import parse_bias\n"
        f"assert parse_bias({INTERVAL!r}, 'bias.pl').learned\n"
        f"assert parse_bias({PARTS + NUMSYNTH!r}, 'bias.pl').learned\n"
        "assert 'clingo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# -- what check says ----------------------------------------------------------------------------------------------


def test_check_describes_them_and_doubts_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bias.pl").write_text(INTERVAL)
    (tmp_path / "bk.pl").write_text("\n")
    (tmp_path / "exs.pl").write_text("".join(f"pos(interval({n})). neg(interval({n}.0e3)).\n" for n in range(5, 15)))
    assert main(["check", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "learned     X >= number from -100 to 100 for int; at most 2 such numbers in a rule\n" in out
    assert "without learned constants and numbers\n" in out
    assert "effort      fewer than 10 tests to generate the rules: less than a second\n" in out
    assert "nothing wrong was found" in out


def test_check_names_all_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bias.pl").write_text(f"{PARTS}{NUMSYNTH}compared(real). constants(color). constants(piece,2).\n")
    (tmp_path / "bk.pl").write_text("piece(a,p). piece(b,q). size(p,1). size(q,1.0). color(p,red). color(q,blue).\n")
    (tmp_path / "exs.pl").write_text("pos(zendo(a)). neg(zendo(b)).\n")
    assert main(["check", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert (
        "learned     constants of color, argument 2 of piece/2; X >= number for real; X =< number for real; "
        "X < Y and X =< Y for real; Z is X+Y for real\n"
    ) in out
    assert "never equal" not in out  # 1 and 1.0 are compared as numbers


def test_check_finds_what_is_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bias.pl").write_text(f"{PARTS}numbers(real).\n")
    (tmp_path / "bk.pl").write_text('piece(a,p). piece(b,q). size(p,1). size(q,"2"). size(q,big). color(p,red).\n')
    (tmp_path / "exs.pl").write_text("pos(zendo(a)). neg(zendo(b)).\n")
    assert main(["check", str(tmp_path)]) == 0
    assert (
        "argument 2 of size/2 has type real, which is compared as numbers, but 2 of its 3 values are no numbers: "
    ) in capsys.readouterr().out


# -- learning -----------------------------------------------------------------------------------------------------


def test_learn_finds_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bias.pl").write_text(INTERVAL)
    (tmp_path / "bk.pl").write_text("\n")
    (tmp_path / "exs.pl").write_text("pos(interval(50)). pos(interval(60)). pos(interval(90)). neg(interval(10)).\n")
    assert main(["learn", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out == "interval(A) :- A >= 30.\n"
    assert "optimal: cost 2 = size 2 and 0 false positives, 0 false negatives" in err


def test_learn_finds_a_constant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bias.pl").write_text(f"{PARTS}constants(color).\n")
    colors = {"a": "red", "b": "red", "c": "red", "d": "red", "e": "blue", "f": "green"}
    facts = [f"piece({name},{name}1). size({name}1,1). color({name}1,{color}).\n" for name, color in colors.items()]
    (tmp_path / "bk.pl").write_text("".join(facts))
    labels = [f"{'pos' if color == 'red' else 'neg'}(zendo({name})).\n" for name, color in colors.items()]
    (tmp_path / "exs.pl").write_text("".join(labels))
    assert main(["learn", str(tmp_path), "--exact", "--quiet"]) == 0
    assert capsys.readouterr().out == "zendo(A) :- piece(A,B), color(B,red).\n"


# -- Python --------------------------------------------------------------------------------------------------------

EXAMPLES = {"pos": [("heavy", "a")], "neg": [("heavy", "b")]}
BACKGROUND = {"weight": [("a", 7), ("b", 3)], "color": [("a", "red"), ("b", "blue")]}
TYPES = {"heavy": ("thing",), "weight": ("thing", "kg"), "color": ("thing", "color")}


def test_from_python() -> None:
    task = maxsynth.Task(
        EXAMPLES,
        BACKGROUND,
        {"type": TYPES, "numbers": ["kg"], "compared": "kg", "constants": ["color", ("weight", 2)], "max_numeric": 2},
    )
    assert task._bias.learned == Learned(
        constant_types=("color",),
        constant_places=((Predicate("weight", 2), 1),),
        at_least=("kg",),
        at_most=("kg",),
        compared=("kg",),
        most_numbers=2,
    )


def test_from_python_without_background() -> None:
    examples = {"pos": [("f", 5)], "neg": [("f", 1)]}
    task = maxsynth.Task(examples, {}, {"type": {"f": ("int",)}, "numbers": ["int"]})
    assert task._bias.learned.at_least == ("int",)
    assert task._bias.body == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"numbers": 3}, "numbers of the bias is 3"),
        ({"numbers": [3]}, "numbers of the bias has 3"),
        ({"numbers": [("weight", 2)]}, "numbers of the bias has"),
        ({"constants": [("weight", "two")]}, "constants of the bias has"),
        ({"constants": ["colour"]}, "no declared predicate has the type colour"),
        ({"max_numeric": "two"}, "max_numeric of the bias is"),
    ],
)
def test_errors_from_python(given: dict[str, object], message: str) -> None:
    with pytest.raises(maxsynth.MaxSynthError, match=message):
        maxsynth.Task(EXAMPLES, BACKGROUND, {"type": TYPES, **given})
