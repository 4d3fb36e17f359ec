"""Rules and programs: how they print, that they read back the same, and the order of their bodies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Literal, Program, Rule, executable, parse_program, rules_of

# Names as people write them, ones that need quotes, and operators.
NAMES = [
    "p", "q2", "inv1", "aB_c", "Hello", "two words", "it's", "_x", "é", "É", "=", "<", "is", "+", "a\nb", "\\", "[x]",
    "dynamic",
]  # fmt: skip
CONSTANTS = [
    "a", "'A'", "'it''s'", "0", "-1", "1.0", "1.0e10", "123456789012345678901234567890", "[]", "[a,b|c]", '"text"',
    "f(a,'B')", "a+b*c", "- 1", "{a}", "'\\n'", "(a:-b)", "(a,b)", "[(a,b)]", "\\+a", "'[x]'", "é",
]  # fmt: skip


def parse(text: str) -> Rule:
    (rule,) = parse_program(text).rules
    return rule


def canonical(rule: Rule) -> Rule:
    """Variables numbered in the order in which they appear."""
    numbers: dict[int, int] = {}

    def renamed(literal: Literal) -> Literal:
        args = tuple(numbers.setdefault(arg, len(numbers)) if isinstance(arg, int) else arg for arg in literal.args)
        return Literal(literal.name, args)

    return Rule(renamed(rule.head), tuple(renamed(literal) for literal in rule.body))


def literals(variables: int) -> st.SearchStrategy[Literal]:
    constant = st.sampled_from(CONSTANTS).map(lambda text: parse(f"x({text}).").head.args[0])
    arguments = st.lists(st.integers(0, variables - 1) | constant, min_size=1, max_size=4).map(tuple)
    return st.builds(Literal, st.sampled_from(NAMES), arguments) | st.just(Literal("nothing", ()))


def rules(variables: int) -> st.SearchStrategy[Rule]:
    return st.builds(Rule, literals(variables), st.lists(literals(variables), max_size=8).map(tuple))


@given(st.lists(st.integers(1, 40).flatmap(rules), max_size=4))
def test_what_is_printed_reads_back_the_same(parts: list[Rule]) -> None:
    program = Program(tuple(parts))
    again = parse_program(str(program))
    assert again == Program(tuple(canonical(rule) for rule in parts))
    assert str(again) == str(program)
    assert again.size == program.size == sum(1 + len(rule.body) for rule in parts)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule(Literal("f", (0, 1)), (Literal("p", (0, 2)), Literal("q", (2, 1)))), "f(A,B) :- p(A,C), q(C,B)."),
        (Rule(Literal("f", (7, 3)), (Literal("p", (3, 7)),)), "f(A,B) :- p(B,A)."),
        (Rule(Literal("f", (0, 1)), (Literal("p", (0, 2)), Literal("q", (0, 3)))), "f(A,_) :- p(A,_), q(A,_)."),
        (Rule(Literal("f", (0,)), ()), "f(_)."),
        (Rule(Literal("f", ()), (Literal("p", ()),)), "f :- p."),
        (Rule(Literal("f", (0,)), (Literal("p", (0, Constant("'B'"))),)), "f(A) :- p(A,'B')."),
        (Rule(Literal("F x", (0,)), (Literal("it's", (0,)),)), "'F x'(A) :- 'it\\'s'(A)."),
    ],
)
def test_printing(rule: Rule, text: str) -> None:
    assert str(rule) == text


def test_more_variables_than_letters() -> None:
    args = tuple(range(60))
    text = str(Rule(Literal("f", args), (Literal("p", args),)))
    names = text[2 : text.index(")")].split(",")
    assert names[:3] + names[25:28] + names[51:53] == ["A", "B", "C", "Z", "A1", "B1", "Z1", "A2"]
    assert len(set(names)) == 60
    assert parse(text) == Rule(Literal("f", args), (Literal("p", args),))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("f(X,Y):-p(Y,X).", "f(A,B) :- p(B,A)."),
        ("f(X) :- p(X,_), q(_,X).", "f(A) :- p(A,_), q(_,A)."),
        ("f(X) :- p(X,_Y), q(_Y).", "f(A) :- p(A,B), q(B)."),
        ("f(X) :- true.", "f(_)."),
        ("f(X) :- true, p(X), true.", "f(A) :- p(A)."),
        ("f(X) :- (p(X), q(X)), r(X).", "f(A) :- p(A), q(A), r(A)."),
        ("f(X) :- X = a.", "f(A) :- =(A,a)."),
        ("f(X) :- X < 3.", "f(A) :- A < 3."),
        ("f([]).  % nothing", "f([])."),
        ("f(X) :-\n    p(X), /* both */\n    q(X).", "f(A) :- p(A), q(A)."),
        ("f([1, 2 | x], \"s\", 'a b').", "f([1,2|x],\"s\",'a b')."),
    ],
)
def test_reading(text: str, printed: str) -> None:
    assert str(parse_program(text)) == printed


def test_variables_belong_to_their_rule() -> None:
    first, second = parse_program("f(X,Y) :- p(Y,X).\nf(Y,X) :- p(X,Y).").rules
    assert first == second


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("f(a).\nf(X) :- \\+ p(X).", 2, "has no place in it"),
        ("f(X) :- p(X), !.", 1, "`!` has no place in it"),
        ("f(X) :- p(X) ; q(X).", 1, "`;` has no place in it"),
        ("f(g(X)).", 1, "mixes variables and structure"),
        ("f(X) :- p([X]).", 1, "mixes variables and structure"),
        ("f(X) :- call(p(X)).", 1, "mixes variables and structure"),
        ("\n\n:- p(a).", 3, "a directive has no place in a program"),
        ("3.", 1, "is not a literal"),
        ("f(X) :- X.", 1, "is not a literal"),
        ('f(X) :- p(X), "text".', 1, "is not a literal"),
        ("X :- p(X).", 1, "must begin with one head literal"),
        ("(f(a), f(b)).", 1, "must begin with one head literal"),
        ("f --> p.", 1, "must begin with one head literal"),
        ("\\+ f(a).", 1, "must begin with one head literal"),
        ("f(X) :- (p(X) :- q(X)).", 1, "has no place in it"),
    ],
)
def test_what_is_no_rule(text: str, line: int, message: str) -> None:
    with pytest.raises(MaxSynthError) as caught:
        parse_program(text, "x.pl")
    assert message in caught.value.message
    assert caught.value.position is not None
    assert caught.value.position.line == line


def test_a_body_nested_to_the_left() -> None:
    depth = 20_000
    rule = parse(f"f(A) :- {'(' * depth}p(A){', q(A))' * depth}.")
    assert (rule.size, rule.body[0].name, rule.body[-1].name) == (depth + 2, "p", "q")


# -- order --------------------------------------------------------------------------------------------------

HEAD, TAIL, CONS, F = Predicate("head", 2), Predicate("tail", 2), Predicate("cons", 3), Predicate("f", 2)
DIRECTIONS = {HEAD: ("in", "out"), TAIL: ("in", "out"), CONS: ("in", "in", "out"), F: ("in", "out")}


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("f(A,B) :- tail(A,C), head(C,B).", "f(A,B) :- tail(A,C), head(C,B)."),  # in order already
        ("f(A,B) :- head(C,B), tail(A,C).", "f(A,B) :- tail(A,C), head(C,B)."),
        ("f(A,B) :- cons(C,D,B), head(A,C), tail(A,D).", "f(A,B) :- head(A,C), tail(A,D), cons(C,D,B)."),
        ("f(A,B) :- head(B,C), tail(A,B), head(A,C).", "f(A,B) :- tail(A,B), head(B,C), head(A,C)."),
        ("f(A,B) :- f(C,B), tail(A,C).", "f(A,B) :- tail(A,C), f(C,B)."),
        ("f(A,B) :- cons(a,C,B), tail(A,C).", "f(A,B) :- tail(A,C), cons(a,C,B)."),
        ("f(A,B) :- cons(a,[],B), tail(A,B).", "f(A,B) :- cons(a,[],B), tail(A,B)."),
        ("f(A,B) :- head(C,B), tail(A,_).", "f(A,B) :- tail(A,_), head(_,B)."),  # no order is safe
        ("f(A,B) :- p(C,D), p(A,C), p(D,B).", "f(A,B) :- p(A,C), p(C,D), p(D,B)."),  # without directions
        ("f(A,B) :- p(C,C), tail(A,B).", "f(A,B) :- tail(A,B), p(C,C)."),
    ],
)
def test_bodies_in_an_order_that_prolog_can_run(text: str, ordered: str) -> None:
    assert str(parse_program(text).executable(DIRECTIONS)) == ordered


@given(st.integers(1, 6).flatmap(rules))
def test_an_order_changes_nothing_else(rule: Rule) -> None:
    directions = {literal.predicate: ("in",) * len(literal.args) for literal in rule.literals() if literal.name < "m"}
    ordered = executable(rule, directions)
    assert ordered.head == rule.head
    assert sorted(map(repr, ordered.body)) == sorted(map(repr, rule.body))
    assert executable(ordered, directions) == ordered


# -- programs -----------------------------------------------------------------------------------------------


def test_programs() -> None:
    program = parse_program("f(A) :- inv(A,B), p(B).\ninv(A,B) :- q(A,B).\nf(A) :- p(A).")
    assert program.defined == {Predicate("f", 1), Predicate("inv", 2)}
    assert program.calls_itself
    assert not parse_program("f(A) :- p(A).").calls_itself
    assert parse_program("f(A) :- q(A,B), f(B).").calls_itself
    assert program.size == 7
    assert Program().size == 0
    assert str(Program()) == ""


def test_equal_sets_of_rules_print_alike() -> None:
    parts = parse_program("f(A) :- p(A), q(A,_).\nf(A) :- r(A).\nf(A) :- p(A).\nf(A) :- r(A).").rules
    assert str(rules_of(parts)) == str(rules_of(reversed(parts)))
    assert str(rules_of(parts)) == "f(A) :- p(A).\nf(A) :- r(A).\nf(A) :- p(A), q(A,_)."
