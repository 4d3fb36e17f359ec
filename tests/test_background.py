"""BK as relations: which tuples a predicate has, how they are asked for, and that each is asked for once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from maxsynth.background.background import Background, Values
from maxsynth.background.engines import make_engine
from maxsynth.errors import PrologProblem
from maxsynth.kernel.terms import TermStore, distinct_rows, equal_rows
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.consult import consult
from maxsynth.prolog.engine import Engine
from maxsynth.prolog.interpreter.interpreter import Interpreter
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import Term
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import ReadTask

Signatures = Mapping[str, tuple[str, ...]]
ENGINES = ["builtin", pytest.param("swipl", marks=pytest.mark.swipl)]


class Counting:
    """An engine that passes everything on to another, and remembers each row that it was asked."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.asked: list[tuple[str, tuple[int, ...], tuple[str, ...]]] = []
        self.spent = 0

    def watch(self, should_stop: Callable[[], bool] | None) -> None:
        self.engine.watch(should_stop)

    def defines(self, name: str, arity: int) -> bool:
        return self.engine.defines(name, arity)

    def solve(
        self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]
    ) -> list[list[tuple[Term, ...]]]:
        self.asked += [(name, inputs, tuple(term_text(term) for term in row)) for row in rows]
        return self.engine.solve(name, arity, inputs, rows)

    def close(self) -> None:
        self.engine.close()


def predicate_of(name: str, values: tuple[str, ...]) -> Predicate:
    return Predicate(name, len(values))


def background(
    bk: str, directions: Signatures | None = None, types: Signatures | None = None, steps: int = 50_000
) -> tuple[Background, Counting]:
    source = consult(bk, "bk.pl", TermStore())
    engine = Counting(Interpreter(source, steps=steps, dynamic=source.dynamic))
    given = [
        {predicate_of(name, values): values for name, values in (signatures or {}).items()}
        for signatures in (types, directions)
    ]
    return Background(source, engine, *given), engine


def texts(known: Background, rows: Sequence[Sequence[int]]) -> list[tuple[str, ...]]:
    return [tuple(term_text(known.store.term(int(cell))) for cell in row) for row in rows]


def tuples(known: Background, name: str, arity: int) -> list[tuple[str, ...]]:
    """All tuples of a relation that is a table."""
    relation = known.relation(Predicate(name, arity))
    assert relation.rows is not None
    return texts(known, relation.rows.tolist())


def look_up(known: Background, name: str, arity: int, **bound: str) -> list[tuple[str, ...]]:
    """The tuples with these arguments (`a0="x"`), through the index for them."""
    given = {int(key[1:]): known.store.intern(parse_term(text).term) for key, text in bound.items()}
    index = known.relation(Predicate(name, arity)).index(given)
    assert index is not None
    rows = index.rows(tuple(given[column] for column in index.columns))
    return texts(known, [row for row in rows if all(row[i] == value for i, value in given.items())])


# -- facts --------------------------------------------------------------------------------------------------


def test_facts() -> None:
    known, engine = background("e(a,b).\ne(b,c).\ne(a,b).\ne(a,c).\nflag.\n")
    assert tuples(known, "e", 2) == [("a", "b"), ("b", "c"), ("a", "c")]
    assert look_up(known, "e", 2, a0="a") == [("a", "b"), ("a", "c")]
    assert look_up(known, "e", 2, a1="c") == [("b", "c"), ("a", "c")]
    assert look_up(known, "e", 2, a0="a", a1="c") == [("a", "c")]
    assert look_up(known, "e", 2, a0="z") == []
    assert len(look_up(known, "e", 2)) == 3
    assert len(tuples(known, "flag", 0)) == 1
    assert engine.asked == []


def test_facts_need_no_direction() -> None:
    """A direction says how rules are asked; facts can be looked up by any argument."""
    known, engine = background("e(a,b).\ne(b,c).\n", {"e": ("in", "out")})
    assert look_up(known, "e", 2, a1="c") == [("b", "c")]
    assert engine.asked == []


def test_undefined_and_dynamic_predicates_are_never_true() -> None:
    known, _ = background(":- dynamic d/1, d2/2.\n:- dynamic([d3/1]).\np(X) :- d(X).\nq(a).\n")
    assert not known.defines(Predicate("nosuch", 1))
    assert known.defines(Predicate("d", 1))
    for name, arity in (("nosuch", 1), ("d", 1), ("d2", 2), ("d3", 1), ("p", 1)):
        assert tuples(known, name, arity) == []


# -- rules without directions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bk", "expected"),
    [
        ("p(X,Y) :- e(Y,X).\ne(a,b).\ne(c,d).\n", [("b", "a"), ("d", "c")]),
        ("p(a,b).\np(X,Y) :- e(X,Y).\np(z,z).\ne(c,d).\n", [("a", "b"), ("c", "d"), ("z", "z")]),
        ("p(X,Y) :- e(X,Y) ; e(Y,X).\ne(a,b).\n", [("a", "b"), ("b", "a")]),
        ("p(X,Y) :- e(X,Y).\np(X,Y) :- e(X,Z), p(Z,Y).\ne(a,b).\ne(b,c).\n", [("a", "b"), ("b", "c"), ("a", "c")]),
        ("p(X,Y) :- e(X,Y), true.\np(X,Y) :- e(X,Y).\ne(a,b).\n", [("a", "b")]),
        ("p(X,Y) :- fail.\ne(a,b).\n", []),
    ],
)
def test_pure_rules_are_listed_with_one_call(bk: str, expected: list[tuple[str, ...]]) -> None:
    known, engine = background(bk)
    assert tuples(known, "p", 2) == expected
    tried = [row for _, inputs, row in engine.asked if inputs]
    assert tried == [] or "fail" in bk
    assert known.notes == []


@pytest.mark.parametrize(
    ("bk", "expected"),
    [
        ("p(X) :- number(X), X < 3.\nv(1). v(2). v(3). v(a).\n", ["1", "2"]),
        ("p(X) :- \\+ q(X).\nv(a). v(b). q(b).\n", ["a"]),
        ("p(X) :- X \\== a.\nv(a). v(b).\n", ["b"]),
        ("p(b).\np(X) :- atom(X), X @< b.\nv(a). v(b). v(c).\n", ["b", "a"]),
        ("p(X) :- var(X), !, X = first.\np(X) :- X == a.\nv(a).\n", ["first", "a"]),
        ("p(X) :- X = new.\nv(a).\n", ["new"]),
        ("p(_).\nv(a). v(b).\n", ["a", "b"]),
    ],
)
def test_impure_rules_are_tried_on_what_is_known(bk: str, expected: list[str]) -> None:
    """A test has answers only when its argument is given, so it is given every known term."""
    known, _ = background(bk)
    assert [value for (value,) in tuples(known, "p", 1)] == expected


def test_impure_rules_are_tried_on_values_of_their_type() -> None:
    bk = "p(X) :- X > 1.\nn(1). n(2). n(3).\nw(a). w(b).\n"
    known, _ = background(bk, types={"p": ("num",), "n": ("num",), "w": ("word",)})
    assert tuples(known, "p", 1) == [("2",), ("3",)]
    with pytest.raises(PrologProblem, match=r"bk\.pl:1:1: type error.*`p\((a|b)\)` \("):
        tuples(background(bk)[0], "p", 1)


def test_too_many_terms_to_try() -> None:
    facts = "".join(f"v({i}).\n" for i in range(150))
    known, _ = background(f"less(X,Y) :- X < Y.\n{facts}")
    with pytest.raises(PrologProblem) as caught:
        known.relation(Predicate("less", 2))
    assert str(caught.value) == (
        "bk.pl:1:1: less/2 cannot be listed without knowing its arguments: a variable is unbound where a value is "
        "needed (instantiation error), in `less(_1,_2)` "
        "(say in bias.pl which arguments are given, such as direction(less,(in,out)).)"
    )
    # With answers but too many terms to be sure, `maxsynth check` tells of the doubt.
    known, _ = background(f"same(X,Y) :- v(X), \\+ X > 5, Y = X.\n{facts}")
    assert tuples(known, "same", 2) == [(str(i), str(i)) for i in range(6)]
    assert len(known.notes) == 1
    assert known.notes[0].startswith("same/2 has no direction and is listed by calling it with no argument given")


def test_listing_that_does_not_end() -> None:
    known, _ = background("p(X,Y) :- p(Y,X).\n" + "".join(f"v({i}).\n" for i in range(150)))
    with pytest.raises(PrologProblem, match=r"^bk\.pl:1:1: p/2 has no direction.*terminate.*direction\(p,"):
        known.relation(Predicate("p", 2))


# -- rules with directions ----------------------------------------------------------------------------------

LISTS = "head([H|_],H).\ntail([_|T],T).\ncons(H,T,[H|T]).\nempty([]).\n"
MODES = {"head": ("in", "out"), "tail": ("in", "out"), "cons": ("in", "in", "out"), "empty": ("in",)}
TYPES = {"head": ("list", "item"), "tail": ("list", "list"), "cons": ("item", "list", "list"), "empty": ("list",)}


def test_each_input_is_asked_once() -> None:
    known, engine = background(LISTS, MODES)
    known.simple = lambda *_: None  # type: ignore[method-assign]
    for _ in range(3):
        assert look_up(known, "tail", 2, a0="[a,b]") == [("[a,b]", "[b]")]
        assert look_up(known, "tail", 2, a0="[a,b]", a1="[b]") == [("[a,b]", "[b]")]
        assert look_up(known, "tail", 2, a0="[]") == []
        assert look_up(known, "cons", 3, a0="a", a1="[]") == [("a", "[]", "[a]")]
    assert engine.asked == [("tail", (0,), ("[a,b]",)), ("tail", (0,), ("[]",)), ("cons", (0, 1), ("a", "[]"))]


def test_an_input_must_be_given() -> None:
    known, engine = background(LISTS, MODES)
    assert known.relation(Predicate("tail", 2)).index([1]) is None
    assert known.relation(Predicate("cons", 3)).index([0, 2]) is None
    assert engine.asked == []


def test_what_holds_is_what_is_answered_in_the_direction() -> None:
    """succ_to/2 would say yes to (1,2) as a test, but its answer for 1 is another."""
    known, _ = background("s(X,Y) :- nonvar(Y), !, Y is X+1.\ns(X,Y) :- Y is X+10.\n", {"s": ("in", "out")})
    assert look_up(known, "s", 2, a0="1", a1="2") == []
    assert look_up(known, "s", 2, a0="1", a1="11") == [("1", "11")]


def test_answers_are_distinct_and_in_order() -> None:
    known, _ = background("m(L,X) :- member(X,L).\n", {"m": ("in", "out")})
    assert look_up(known, "m", 2, a0="[c,a,c,b,a]") == [("[c,a,c,b,a]", item) for item in "cab"]


def test_mixed_facts_and_rules_with_a_direction() -> None:
    known, _ = background("p(a,1).\np(X,Y) :- q(X,Y).\np(a,3).\nq(a,2).\n", {"p": ("in", "out")})
    assert look_up(known, "p", 2, a0="a") == [("a", "1"), ("a", "2"), ("a", "3")]


def test_nothing_given() -> None:
    known, engine = background("p(X) :- member(X,[a,b]).\n", {"p": ("out",)})
    assert look_up(known, "p", 1, a0="b") == [("b",)]
    assert look_up(known, "p", 1) == [("a",), ("b",)]
    assert len(engine.asked) == 1


def test_an_error_names_the_call_and_leaves_the_rest_usable() -> None:
    known, _ = background("p(X,Y) :- Y is 6 / X.\n", {"p": ("in", "out")})
    assert look_up(known, "p", 2, a0="2") == [("2", "3")]
    for value, message in [("0", r"division by zero, in `p\(0,_1\)` \("), ("a", r"type error.*`p\(a,_1\)` \(")]:
        with pytest.raises(PrologProblem, match=r"^bk\.pl:1:1: " + message):
            look_up(known, "p", 2, a0=value)
    assert look_up(known, "p", 2, a0="3") == [("3", "2")]


# -- closing ------------------------------------------------------------------------------------------------


def closed_names(known: Background, names: Sequence[str], budget: int = 10_000) -> list[str]:
    predicates = [predicate_of(name, known_values) for name, known_values in MODES.items() if name in names]
    return sorted(predicate.name for predicate in known.close(predicates, budget))


def learn(known: Background, type_: str, *terms: str) -> None:
    known.values.setdefault(type_, Values()).update(known.store.intern(parse_term(text).term) for text in terms)


def test_closing_gives_all_suffixes() -> None:
    known, engine = background(LISTS, MODES, TYPES)
    known.simple = lambda *_: None  # type: ignore[method-assign]
    learn(known, "list", "[a,b,c]", "[x]")
    assert closed_names(known, ["tail", "head", "empty"]) == ["head", "tail"]
    assert tuples(known, "tail", 2) == [("[a,b,c]", "[b,c]"), ("[x]", "[]"), ("[b,c]", "[c]"), ("[c]", "[]")]
    assert sorted(tuples(known, "head", 2)) == [("[a,b,c]", "a"), ("[b,c]", "b"), ("[c]", "c"), ("[x]", "x")]
    assert tuples(known, "empty", 1) == [("[]",)]
    assert len(engine.asked) == len(set(engine.asked)) == 2 * 5
    # A table can be looked up by any argument, and asks nobody.
    assert look_up(known, "tail", 2, a1="[]") == [("[x]", "[]"), ("[c]", "[]")]
    assert len(engine.asked) == 10


def test_closing_numbers() -> None:
    bk = "small(X) :- X < 3.\nsucc3(X,Y) :- X < 5, Y is X+1.\n"
    directions = {"small": ("in",), "succ3": ("in", "out")}
    known, _ = background(bk, directions, {"small": ("n",), "succ3": ("n", "n")})
    learn(known, "n", "1")
    assert known.close([Predicate("small", 1), Predicate("succ3", 2)]) == {Predicate("small", 1), Predicate("succ3", 2)}
    assert tuples(known, "succ3", 2) == [("1", "2"), ("2", "3"), ("3", "4"), ("4", "5")]
    assert tuples(known, "small", 1) == [("1",), ("2",)]


def test_what_makes_ever_new_values_stays_lazy() -> None:
    """cons/3 makes longer and longer lists, so everything that takes lists stays lazy with it; odd/1 does not."""
    known, _ = background(LISTS + "odd(X) :- X = a.\n", {**MODES, "odd": ("in",)}, {**TYPES, "odd": ("side",)})
    learn(known, "list", "[a,b]")
    learn(known, "item", "a", "b")
    learn(known, "side", "a", "b")
    predicates = [predicate_of(name, values) for name, values in [*MODES.items(), ("odd", ("in",))]]
    assert known.close(predicates, 500) == {Predicate("odd", 1)}
    assert look_up(known, "cons", 3, a0="b", a1="[a,b]") == [("b", "[a,b]", "[b,a,b]")]
    assert look_up(known, "tail", 2, a0="[q,r,s]") == [("[q,r,s]", "[r,s]")]


def test_the_budget_of_closing() -> None:
    known, engine = background("n(X,Y) :- Y is X+1.\n", {"n": ("in", "out")})
    learn(known, "any", "0")
    assert known.close([Predicate("n", 2)], 100) == set()
    assert len(engine.asked) <= 101
    asked = len(engine.asked)
    assert look_up(known, "n", 2, a0="50") == [("50", "51")]  # known already
    assert len(engine.asked) == asked
    assert look_up(known, "n", 2, a0="5000") == [("5000", "5001")]


def test_an_error_in_closing_leaves_a_predicate_lazy() -> None:
    known, _ = background("half(X,Y) :- Y is X / 2.\nq(X) :- X == a.\n", {"half": ("in", "out"), "q": ("in",)},
                          {"half": ("t", "u"), "q": ("t",)})  # fmt: skip
    learn(known, "t", "4", "a")
    assert known.close([Predicate("half", 2), Predicate("q", 1)]) == {Predicate("q", 1)}
    assert tuples(known, "q", 1) == [("a",)]
    assert look_up(known, "half", 2, a0="4") == [("4", "2")]
    with pytest.raises(PrologProblem, match=r"`half\(a,_1\)`"):
        look_up(known, "half", 2, a0="a")


def test_closing_twice_and_closing_facts() -> None:
    known, engine = background(LISTS + "e(a,b).\n", MODES, TYPES)
    learn(known, "list", "[a]")
    tail = Predicate("tail", 2)
    assert known.close([tail, tail, Predicate("e", 2), Predicate("nosuch", 1)]) == {tail}
    asked = len(engine.asked)
    assert known.close([tail]) == set()  # nothing is open any more
    assert len(engine.asked) == asked


# -- constants ----------------------------------------------------------------------------------------------

DIFFERENT = [
    "1", "1.0", "-1", "-1.0", "0", "0.0", "-0.0", "'1'", '"1"', "a", "'A'", '"a"', "[a]", "'[a]'", "[]", "''", '""',
    "' '", "123456789012345678901234567890", "123456789012345678901234567891", "1.0e30", "1.5", "f(a)", "f('A')",
    "f(f(a))", "f(a,a)", "'f(a)'", "a+b", "+(a)", "- 1", "1-1", "[a,b]", "[a|b]", "[[a],b]", "{a}", "{}", "'{}'(a,b)",
    "'it''s'", "'a\\nb'", "é", "'É'", "'日本'", "(a,b)", "(a:-b)", "'$VAR'(1)", "[1,1.0]", "[1.0,1]", "0'a",
]  # fmt: skip


@pytest.mark.parametrize("choice", ENGINES)
def test_terms_of_all_kinds_survive_and_stay_distinct(choice: str, tmp_path: Path) -> None:
    """Through facts, through an engine as input, and as answer."""
    long = f"[{','.join(map(str, range(2000)))}]"
    deep = "s(" * 300 + "z" + ")" * 300
    different = [*DIFFERENT, long, deep]
    bk = "".join(f"v({text}).\n" for text in different) + "same(X,Y) :- Y = X.\nall(X) :- v(X).\n"
    path = tmp_path / "bk.pl"
    path.write_text(bk)
    source = consult(bk, str(path), TermStore())
    v, same, everything = Predicate("v", 1), Predicate("same", 2), Predicate("all", 1)
    known = Background(
        source, make_engine(source, path, [v, same, everything], choice), directions={same: ("in", "out")}
    )
    expected = [known.store.intern(parse_term(text).term) for text in dict.fromkeys(different) if text != "'{}'(a)"]
    assert len(set(expected)) == len(expected)
    rows = known.relation(v).rows
    assert rows is not None
    assert rows[:, 0].tolist() == expected
    index = known.relation(same).index([0])
    assert index is not None
    for term in expected:
        assert index.rows((term,)) == [(term, term)], term_text(known.store.term(term))
    listed = known.relation(everything).rows
    assert listed is not None
    assert listed[:, 0].tolist() == expected
    known.close_engine()


# -- both engines -------------------------------------------------------------------------------------------

PROGRAMS = [
    ("p(X,Y) :- append(X,_,Y), length(X,N), N < 3.\n", ("out", "in"), "[a,b,c]"),
    ("p(X,Y) :- member(Y,X) ; reverse(X,Y).\n", ("in", "out"), "[1,2.0,\"s\",'A b']"),
    ("p(X,Y) :- findall(A-B,(member(A,X),member(B,X),A @< B),Y).\n", ("in", "out"), "[c,1,a,f(x),2.5,\"t\"]"),
    ("p(X,Y) :- atom_chars(X,L), msort(L,M), atom_chars(Y,M).\n", ("in", "out"), "hello"),
    ("p(X,Y) :- X =.. [_|L], sort(0,@>=,L,Y).\n", ("in", "out"), "f(b,a,c,b)"),
    ("p(X,Y) :- Y is X**2 mod 7 + max(X,3) - X // 2.\n", ("in", "out"), "123456789123456789"),
    ("p(X,Y) :- ( X > 3 -> Y = big ; X =:= 3 -> Y = three ; Y = small ).\n", ("in", "out"), "3"),
    ("p(X,Y) :- catch(Y is 1/X, error(E,_), Y = E).\n", ("in", "out"), "0"),
    ("p(X,Y) :- nth0(I,X,Y), I mod 2 =:= 0.\np(X,X) :- is_list(X), !.\np(_,no).\n", ("in", "out"), "[a,b,c]"),
    ("p(X,Y) :- forall(member(Z,X),Z > 0), sum_list(X,Y).\n", ("in", "out"), "[1,2.5,3]"),
    ("p(X,Y) :- setof(K-V,member(K-V,X),Y).\n", ("in", "out"), "[b-1,a-2,b-1]"),
    ("p(X,Y) :- between(1,X,Y), \\+ (between(2,Y,D), D < Y, 0 is Y mod D).\n", ("in", "out"), "20"),
]  # fmt: skip


@pytest.mark.swipl
@pytest.mark.parametrize(("bk", "modes", "value"), PROGRAMS)
def test_both_engines_give_the_same_answers(bk: str, modes: tuple[str, ...], value: str, tmp_path: Path) -> None:
    path = tmp_path / "bk.pl"
    path.write_text(bk)
    answers = []
    for choice in ("builtin", "swipl"):
        source = consult(bk, str(path), TermStore())
        p = Predicate("p", 2)
        known = Background(source, make_engine(source, path, [p], choice), directions={p: modes})
        answers.append(look_up(known, "p", 2, **{f"a{modes.index('in')}": value}))
        known.close_engine()
    assert answers[0] == answers[1]
    assert answers[0]


@pytest.mark.swipl
@pytest.mark.parametrize(
    "bk",
    [
        "p(X) :- v(X), X > 1.\nv(1). v(2). v(3).\n",
        "p(X) :- number(X), X > 1.\nv(1). v(2). v(3). v(a).\n",
        "p(a).\np(X) :- \\+ v(X), w(X).\np(z).\nv(1). w(1). w(2).\n",
        "p(X) :- e(X,Y), p(Y).\np(c).\ne(a,b). e(b,c). e(d,a).\n",
    ],
)
def test_both_engines_list_the_same(bk: str, tmp_path: Path) -> None:
    path = tmp_path / "bk.pl"
    path.write_text(bk)
    listed = []
    for choice in ("builtin", "swipl"):
        source = consult(bk, str(path), TermStore())
        known = Background(source, make_engine(source, path, [Predicate("p", 1)], choice))
        listed.append(tuples(known, "p", 1))
        known.close_engine()
    assert listed[0] == listed[1]
    assert listed[0]


@pytest.mark.parametrize("arity", [1, 2, 3, 4])
def test_repeated_rows_count_once_in_the_order_of_first_appearance(arity: int) -> None:
    rows = np.random.default_rng(arity).choice([0, 1, 7, (1 << 31) - 1], (200, arity)).astype(np.int32)
    assert distinct_rows(rows).tolist() == [list(row) for row in dict.fromkeys(map(tuple, rows.tolist()))]
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    assert [part.tolist() for part in equal_rows(rows)] == [first.tolist(), group.ravel().tolist()]


def test_values_without_end_do_not_take_for_ever(make_task: Callable[[str, str, str], Path]) -> None:
    """Each round of closing finds one new value: it gives up after some, and a run that is to stop stops there."""
    bias = "head_pred(f,1).\nbody_pred(s,2).\ndirection(f,(in,)).\ndirection(s,(in,out)).\n"
    folder = make_task(bias, "s(X,Y) :- Y is X + 1.\n", "pos(f(1)).\nneg(f(2)).\n")
    task = ReadTask.from_folder(folder)
    assert task.background.close(task.bias.body, rounds=100) == set()
    looks = iter(range(10))
    task = ReadTask.from_folder(folder)
    assert task.background.close(task.bias.body, should_stop=lambda: next(looks, None) is None) == set()
    assert next(looks, None) is None
