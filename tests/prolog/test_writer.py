"""Writing terms: the text reads back as the term, and is the one SWI-Prolog would write."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsynth.prolog.reading.operators import Operators
from maxsynth.prolog.reading.reader import parse_term, read_terms
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var, make_list
from maxsynth.prolog.writer import atom_text, term_text


def same(left: Term, right: Term) -> bool:
    """Whether two terms are equal up to the names of their variables."""
    pairs: list[tuple[Term, Term]] = [(left, right)]
    there: dict[Var, Var] = {}
    back: dict[Var, Var] = {}
    while pairs:
        a, b = pairs.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, Struct) and isinstance(b, Struct):
            if a.name != b.name or len(a.args) != len(b.args):
                return False
            pairs += zip(a.args, b.args, strict=True)
        elif isinstance(a, Var) and isinstance(b, Var):
            if there.setdefault(a, b) is not b or back.setdefault(b, a) is not a:
                return False
        elif repr(a) != repr(b):  # tells -0.0 from 0.0, and NaN is itself
            return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        "a:-b,c;d->e", "p-->q,{r}", ":-dynamic a/1,b/2", "1- -1", "- 1", "-1", "- -1", "- - 1", "-a", "- -a", "-(-)",
        "1-(2-3)", "1-2-3", "2^3^4", "(2^3)^4", "-1^2", "(- 1)^2", "- 1^2", "(-a)^2", "- (a+b)", "\\+a", "\\+ (a,b)",
        "\\+ \\+a", "\\+[a]", "f(+)", "[-]", "[-|+]", "a=(+)", "(-)=(-)", "- (-)", "f((a,b))", "f((a:-b),c)",
        "[(a:-b)|(c,d)]", "[a,b|c]", "{a,b}", "{}", "[]", "'A'", "'hello world'", "'it\\'s'", "'\\n\\x1\\'", "''",
        "','", "'|'", "a|b", "!", ";", "'/*'", "'.'", "=..", "a=..b", "a= \\b", "a* -1", "a is -1", "[a]is[b]",
        "f(x)is f(y)", "a mod b", "(mod)mod(mod)", "a mod (b,c)", "\"a\\\"b\\\\\"", "été", "'Été'", "日本", "→",
        "1.0e+20", "1.0e-5", "10000000000.0", "1.0e+15", "1.234567890123456e+15", "0.1", "-0.0", "1.0Inf", "-1.0Inf",
        "1.5NaN", "f(_1,_2,_1)", "_1=_1", "-(a,b,c)", "(a=b)=c", "(a:-b):-c", "a:b:c", "(a;b);c", "'my op'(a,b)",
        "[](a)", "{}(a,b)", "- {a}", "+1", "$a", "-'A'", "'$VAR'(1)",
    ],
)  # fmt: skip
def test_text_is_written_as_it_was_read(text: str) -> None:
    assert term_text(parse_term(text).term) == text.replace("-(-)", "- (-)")


def test_unquoted() -> None:
    assert term_text(parse_term("""f('A b', "c d", 'x''y')""").term, quoted=False) == "f(A b,c d,x'y)"


def test_atom_text() -> None:
    names = ["a", "aB_1", "A", "_a", "", "[]", "a b", "+", ".", "..", "/*", "*/", "%", "a\\", "é", "É", "²", "a²", "+→"]
    quoted = [atom_text(name) for name in names]
    assert quoted == [
        "a", "aB_1", "'A'", "'_a'", "''", "[]", "'a b'", "+", "'.'", "..", "'/*'", "*/", "'%'", "'a\\\\'", "é",
        "'É'", "'²'", "'a²'", "'+→'",
    ]  # fmt: skip


def test_bound_variables_show_their_value() -> None:
    x, y, z = Var("X"), Var("Y"), Var("Z")
    x.value, y.value = y, Atom("a")
    tail = Var()
    tail.value = make_list([1, 2])
    assert term_text(Struct("f", (x, z, Struct("[|]", (x, tail)), z))) == "f(a,_1,[a,1,2],_1)"


def test_own_operators() -> None:
    operators = Operators()
    operators.add(700, "xfx", "likes")
    operators.add(200, "xf", "squared")
    term = parse_term("a likes b squared", operators=operators).term
    assert term_text(term, operators=operators) == "a likes b squared"
    assert term_text(term) == "likes(a,squared(b))"


def test_equal_priorities_group_as_the_reader_groups() -> None:
    operators = Operators()
    operators.add(200, "yfx", "@@")
    for text in ("-(a@@b)", "a^(b@@c)", "-a@@b", "a^b@@c"):
        term = parse_term(text, operators=operators).term
        assert same(parse_term(term_text(term, operators=operators), operators=operators).term, term)
    assert term_text(parse_term("-(@@(a,b))", operators=operators).term, operators=operators) == "- (a@@b)"


def test_long_and_deep_terms() -> None:
    size = 40_000
    deep: Term = Atom("a")
    left: Term = Atom("a")
    right: Term = Atom("a")
    minus: Term = 1
    for _ in range(size):
        deep = Struct("f", (deep,))
        left = Struct("-", (left, 1))
        right = Struct(",", (1, right))
        minus = Struct("-", (minus,))
    for term in (deep, left, right, minus, make_list(range(size))):
        assert same(parse_term(term_text(term)).term, term)
    assert parse_term(term_text(-(10**20000))).term == -(10**20000)


NASTY = [
    "a", "b1", "A", "_", "", " ", "a b", "it's", '"', "`", "\\", "\n", "\t\x01\x7f", "\u200b", "[]", "{}", "[|]", "!",
    ";", ",", "|", ".", "..", "/*", "*/", "%", "+", "-", "*", "=", "=..", ":-", "-->", "?-", "\\+", "is", "mod",
    "dynamic", "table", "->", ":", "^", "**", "$", "@", "#", "0", "1a", "-1", "é", "É", "日本", "→", "a→", "\ufffd",
    "e", "x", "'", "''", "a.b", "$VAR", "e10", "likes", "very", "squared", "@@", "both", "ends",
]  # fmt: skip
TEXTS = st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
LEAVES = st.one_of(
    TEXTS.map(Atom),
    st.integers(),
    st.floats(),
    TEXTS.map(String),
    st.sampled_from([Var("A"), Var("B")]),
    st.just(NIL),
)


def compounds(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    arguments = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.builds(Struct, TEXTS, arguments) | st.builds(make_list, st.lists(inner, max_size=4), inner)


TERMS = st.recursive(LEAVES, compounds, max_leaves=12)


def many_operators() -> Operators:
    """A table with every type, names of several types, and equal priorities of opposite grouping."""
    operators = Operators()
    for priority, kind, name in [
        (700, "xfx", "likes"), (300, "fy", "very"), (200, "xf", "squared"), (200, "yfx", "@@"), (200, "fx", "@@"),
        (400, "yf", "both"), (400, "xfy", "both"), (400, "fy", "both"), (200, "yf", "ends"), (1200, "yfx", "#"),
        (1200, "fy", "table"), (400, "xfy", "→"), (200, "yf", "e"),
    ]:  # fmt: skip
        operators.add(priority, kind, name)
    return operators


@settings(deadline=None)
@given(TERMS)
def test_round_trip(term: Term) -> None:
    assert same(parse_term(term_text(term)).term, term)


@settings(deadline=None)
@given(TERMS)
def test_round_trip_with_many_operators(term: Term) -> None:
    operators = many_operators()
    assert same(parse_term(term_text(term, operators=operators), operators=operators).term, term)


@settings(deadline=None)
@given(TERMS)
def test_round_trip_as_a_clause(term: Term) -> None:
    """Between other clauses, where the end matters; a symbol before the full stop would swallow it."""
    text = term_text(term)
    first, second, third = read_terms(f"p(a).\n{text} .%\nq(b).", "f.pl")
    assert same(second.term, term)
    assert second.position.line == 2
    assert term_text(first.term) + term_text(third.term) == "p(a)q(b)"


SWI_NAMES = [
    "a", "b", "c1", "A", "it's", "a b", "", "\n", "{}", "!", ";", ",", "|", "/*", "+", "-", "*", "=", "=..", ":-",
    "-->", "\\+", "is", "mod", "dynamic", "->", ":", "^", "**", "\\", "@", "#", "é", "<", "?-", "f", "g",
]  # fmt: skip
SWI_PROGRAM = """
main :-
    set_stream(user_input, encoding(utf8)), set_stream(user_output, encoding(utf8)),
    repeat, catch(read_term(T, []), E, (print_message(error, E), fail)),
    ( T == end_of_file -> ! ; write_canonical(T), write('.\\n'), writeq(T), write('\\n--\\n'), fail ).
"""


def random_term(chance: random.Random, depth: int) -> Term:
    """A term of the kinds that both systems have, mostly operators with operators beside them."""
    if depth == 0 or chance.random() < 0.15:
        kind = chance.randrange(6)
        if kind == 0:
            return chance.randint(-3, 3)
        if kind == 1:
            return chance.choice([0.5, -2.0, 1e20, 1e-7, 123456789.125, 1.0e15])
        return Atom(chance.choice(SWI_NAMES)) if kind < 5 else String(chance.choice(SWI_NAMES))
    arguments = [random_term(chance, depth - 1) for _ in range(chance.choice((1, 1, 2, 2, 2, 3)))]
    if chance.random() < 0.1:
        return make_list(arguments, chance.choice((NIL, NIL, Atom("t"))))
    return Struct(chance.choice(SWI_NAMES), tuple(arguments))


@pytest.mark.swipl
@pytest.mark.skipif(shutil.which("swipl") is None, reason="SWI-Prolog is not installed")
def test_swi_prolog_reads_and_writes_the_same(tmp_path: Path) -> None:
    chance = random.Random(1)
    terms = [random_term(chance, chance.randint(1, 4)) for _ in range(600)]
    program = tmp_path / "echo.pl"
    program.write_text(SWI_PROGRAM)
    result = subprocess.run(
        ["swipl", "-q", "-g", "main", "-t", "halt", str(program)],
        input="".join(f"{term_text(term)} .\n" for term in terms),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    answers = result.stdout.split("\n--\n")[:-1]
    assert result.stderr == ""
    assert len(answers) == len(terms)
    for term, answer in zip(terms, answers, strict=True):
        canonical, text = answer.split(".\n", 1)
        assert same(parse_term(canonical).term, term)
        assert text == term_text(term)
