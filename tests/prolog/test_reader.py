"""Reading Prolog text: what it means, where mistakes are, and that size is no obstacle."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsynth.errors import Position, SyntaxProblem
from maxsynth.prolog.reading.operators import Operators
from maxsynth.prolog.reading.reader import Reader, parse_term, read_terms
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var, list_items


def shape(term: Term) -> object:
    """A term as nested tuples, so that `==` compares it. For small terms only."""
    if isinstance(term, Struct):
        return (term.name, *map(shape, term.args))
    if isinstance(term, Atom):
        return term.name
    if isinstance(term, Var):
        return {"var": term.name}
    if isinstance(term, String):
        return {"string": term.text}
    return [term]  # a list, so that 1 and 1.0 can be told apart by their repr


def read(text: str) -> object:
    return shape(parse_term(text).term)


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("a:-b,c;d->e", ":-(a,;(','(b,c),->(d,e)))"),
        ("1-2-3", "-(-(1,2),3)"),
        ("2^3^4", "^(2,^(3,4))"),
        ("a:b:c", ":(a,:(b,c))"),
        ("1+2*3=X", "=(+(1,*(2,3)),X)"),
        ("- 1", "-(1)"),
        ("- (1)", "-(1)"),
        ("-a^2", "-(^(a,2))"),
        ("-1^2", "^(-1,2)"),
        ("- 1^2", "-(^(1,2))"),
        ("-(1)^2", "^(-(1),2)"),
        ("a- -1", "-(a,-1)"),
        ("a - 1", "-(a,1)"),
        ("a -1", "-(a,1)"),
        ("- - a", "-(-(a))"),
        ("\\+ (a,b)", "\\+(','(a,b))"),
        ("\\+ a = b", "\\+(=(a,b))"),
        (":- dynamic a/1, b/2", ":-(dynamic(','(/(a,1),/(b,2))))"),
        ("dynamic is/2", "dynamic(/(is,2))"),
        ("X = +", "=(X,(+))"),
        ("- = -", "=((-),(-))"),
        ("- * 2", "*((-),2)"),
        ("* = *", "=((*),(*))"),
        ("\\+ =", "\\+((=))"),
        ("[-]", "'[|]'((-),[])"),
        ("[-|a]", "'[|]'((-),a)"),
        ("f(+, -)", "f((+),(-))"),
        ("f(:- a, b:-c)", "f((:-(a)),(:-(b,c)))"),
        ("f(a|b)", "f('|'(a,b))"),
        ("(a|b)", "'|'(a,b)"),
        ("a =(b)", "=(a,b)"),
        ("a mod (b,c)", "mod(a,','(b,c))"),
        ("[a,b|T]", "'[|]'(a,'[|]'(b,T))"),
        ("[ ]", "'[]'"),
        ("{ }", "'{}'"),
        ("{a,b}", "'{}'(','(a,b))"),
        ("{}(a)", "{a}"),
        ("'hello world'(x)", "'hello world'( x )"),
        ("a '=' b", "a = b"),
        ("'-'-1", "-((-),1)"),
        ("p --> q, {r}", "-->(p,','(q,{r}))"),
        ("/* c */ a % d\n", "a"),
        ("/* a /* b */ c */ x", "x"),
        ("/* a /* b */ x", "x"),
        ("`ab`", "[97,98]"),
    ],
)
def test_same_term(text: str, same_as: str) -> None:
    assert read(text) == read(same_as)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-5", -5),
        ("1_000_000", 1000000),
        ("0'a", 97),
        ("0'''", 39),
        ("0''", 39),
        ("0' ", 32),
        ("0'\\n", 10),
        ("0'\\x41\\", 65),
        ("-0'a", -97),
        ("0xfF", 255),
        ("0o17", 15),
        ("0b101", 5),
        ("16'FF", 255),
        ("36'Zz", 1295),
        ("1.5", 1.5),
        ("-0.5", -0.5),
        ("1.0e10", 1e10),
        ("1.0E-2", 0.01),
        ("1e3", 1000.0),
        ("1.0Inf", float("inf")),
        ("-1.0Inf", float("-inf")),
        ("9" * 40, int("9" * 40)),
    ],
)
def test_numbers(text: str, value: float) -> None:
    term = parse_term(text).term
    assert term == value
    assert type(term) is type(value)


def test_nan_and_huge_integer() -> None:
    nan = parse_term("1.5NaN").term
    assert nan != nan
    assert parse_term("1" + "0" * 20000).term == 10**20000
    assert parse_term("7'" + "1" + "0" * 9000).term == 7**9000


def test_a_number_may_end_the_clause() -> None:
    assert [shape(read.term) for read in read_terms("X = 1.\nY = 2.5.", "f.pl")] == [
        ("=", {"var": "X"}, [1]),
        ("=", {"var": "Y"}, [2.5]),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"'\n\t\\\'\"\`'", "\n\t\\'\"`"),
        (r"'\x41\\101\\u0041\U00000041'", "AAAA"),
        (r"'\x41\'", "A"),
        (r"'\a\b\e\f\r\s\v\0\'", "\a\b\x1b\f\r \v\0"),
        ("'it''s'", "it's"),
        ("'a\\\nb'", "ab"),
        ("'a\\\n   b'", "ab"),
        ("'a\\c\n  b'", "ab"),
        ("'a\nb'", "a\nb"),
        ("''", ""),
        ("[]", "[]"),
        ("'[]'", "[]"),
        ("été", "été"),
        ("日本", "日本"),
        ("→→", "→→"),
        ("=..", "=.."),
        ("!", "!"),
        (";", ";"),
    ],
)
def test_atoms(text: str, name: str) -> None:
    assert parse_term(text).term is Atom(name)


def test_strings_follow_the_flag() -> None:
    text = """a("x""y\\n").
    :- set_prolog_flag(double_quotes, codes). b("xy").
    :- set_prolog_flag(double_quotes, chars). b("xy").
    :- set_prolog_flag(double_quotes, atom). b("xy")."""
    terms = [read.term for read in read_terms(text, "f.pl")]
    assert shape(terms[0]) == ("a", {"string": 'x"y\n'})
    assert shape(terms[2]) == shape(parse_term("b([120,121])").term)
    assert shape(terms[4]) == shape(parse_term("b([x,y])").term)
    assert shape(terms[6]) == ("b", "xy")


def test_variables() -> None:
    result = parse_term("f(X, _, Y, _, _Z, X, Été)")
    assert list(result.variables) == ["X", "Y", "_Z", "Été"]
    assert isinstance(result.term, Struct)
    args = result.term.args
    assert args[0] is args[5] is result.variables["X"]
    assert args[1] is not args[3]


def test_positions_and_offset() -> None:
    text = "% facts\np(a).\n\n  q(X) :-\n    p(X). r.\n"
    reader = Reader(text, "f.pl")
    places = []
    while (result := reader.read()) is not None:
        places.append((result.position.line, result.position.column, text[reader.offset - 1]))
    assert places == [(2, 1, "."), (4, 3, "."), (5, 11, ".")]
    assert reader.offset == len(text)
    reader.offset = text.index("q(")
    again = reader.read()
    assert again is not None
    assert again.position == Position("f.pl", 4, 3)


def test_nothing_to_read() -> None:
    assert list(read_terms("", "f.pl")) == []
    assert list(read_terms("  % only\n /* comments */ ", "f.pl")) == []
    assert [shape(read.term) for read in read_terms("\ufeffp(a).", "f.pl")] == [("p", "a")]


def test_operators_can_be_defined() -> None:
    text = """
    :- op(700, xfx, likes).
    :- op(200, yf, [++, squared]), op(300, fy, very).
    :- module(m, [p/1, op(700, xfx, ===>)]).
    mary likes very very wine.
    p :- X squared ++ = Y.
    a ===> b.
    :- op(0, xfx, likes).
    """
    operators = Operators()
    terms = [read.term for read in read_terms(text, "f.pl", operators)]
    assert shape(terms[3]) == ("likes", "mary", ("very", ("very", "wine")))
    assert shape(terms[5]) == ("===>", "a", "b")
    assert "likes" not in operators.infix
    assert "very" not in Operators().prefix
    with pytest.raises(SyntaxProblem):
        parse_term("mary likes wine", operators=operators)


def test_postfix_chain_respects_priorities() -> None:
    operators = Operators()
    operators.add(200, "yf", "++")
    assert shape(parse_term("a ++ ++ = b", operators=operators).term) == ("=", ("++", ("++", "a")), "b")
    operators.add(200, "xf", "++")
    with pytest.raises(SyntaxProblem, match="clash"):
        parse_term("a ++ ++", operators=operators)


def test_operator_table() -> None:
    operators = Operators()
    assert (700, "xfx", "is") in set(operators)
    assert (200, "fy", "-") in set(operators)
    assert (500, "yfx", "-") in set(operators)
    twin = operators.copy()
    twin.add(400, "yfx", "over")
    assert "over" in twin
    assert "over" not in operators
    for wrong in ((1201, "xfx", "a"), (700, "yfy", "a"), (700, "xfx", ","), (700, "xfx", "|"), (700, "fy", "[]")):
        with pytest.raises(ValueError, match="operator"):
            operators.add(*wrong)


# Each with the line and column of the mistake and words of its message.
MISTAKES = [
    ("p(a) q(b).", 1, 6, "'q\\('.*operator.*',' missing"),
    ("p(a)\nq(b).", 2, 1, "'.' that ends a clause missing on the line above"),
    ("p(a).\nq(b)", 2, 5, "clause that starts at line 2 has no end"),
    ("p(a).\nq(b,\n  c", 3, 4, "'\\(' of line 2, column 2 .*starts at line 2"),
    ("p(a.\nq(b).", 1, 4, "end of the clause.*'\\(' of line 1, column 2"),
    ("p :- [a,b).", 1, 10, "'\\)' comes before the '\\[' of line 1, column 6"),
    ("p(a)).", 1, 5, "never opened"),
    ("p(a,).", 1, 5, "',' too many"),
    ("p(,a).", 1, 3, "a term is expected"),
    ("p :- a,, b.", 1, 8, "',' has no right argument"),
    ("p :- .", 1, 6, "':-' has no right argument: the end of the clause"),
    ("f().", 1, 3, "no arguments"),
    ("f (a).", 1, 3, "without a blank"),
    ("X(a).", 1, 1, "variable X cannot be"),
    ("[a|b,c].", 1, 5, "after the tail"),
    ("[a|b|c].", 1, 5, "after the tail"),
    ("[a|].", 1, 4, "nothing after its '\\|'"),
    ("[|a].", 1, 2, "a term is expected"),
    ("a = b = c.", 1, 7, "'=' and '=' clash"),
    ("p :- q,\nr :- s.", 2, 3, "'.' missing that ends the clause before"),
    ("X = \\+ a.", 1, 5, "'=' and '\\\\\\+' clash"),
    ("dynamic = a.", 1, 9, "clash"),
    ("a ---> b.", 1, 3, "'--->' is not an operator"),
    ("p.q.", 1, 2, "white space follows"),
    ("p(a).q(b).", 1, 5, "white space follows"),
    ("X = 1.e.", 1, 6, "white space follows"),
    ("\n  .", 2, 3, "a term is expected here"),
    ("p('abc).\nq.", 1, 3, "quoted atom has no end"),
    ('p("abc).', 1, 3, "quoted string has no end"),
    ("p('O'Brien').", 1, 6, "written twice"),
    ("p('a).\nq('b').", 2, 4, "several lines: is a quote missing"),
    ("p('a\\qb').", 1, 5, "unknown escape"),
    ("p('\\xD800\\').", 1, 4, "not that of a character"),
    ("p. /* abc", 1, 4, "comment has no end"),
    ("2nd(x).", 1, 2, "number cannot have letters"),
    ("X = 37'a.", 1, 5, "radix"),
    ("X = 1e999.", 1, 5, "too large"),
    ("p(a\x00).", 1, 4, "U\\+0000 .*text file"),
    ("p(\ufffd\x01).", 1, 4, "U\\+0001"),
    ("p(٣).", 1, 3, "illegal character"),
    (":- op(1300, xfx, foo).", 1, 1, "priority"),
    (":- op(700, xfx, X).", 1, 1, "op/3 needs"),
    (":- set_prolog_flag(double_quotes, x).", 1, 1, "double_quotes"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), MISTAKES)
def test_mistakes(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(SyntaxProblem, match=message) as caught:
        list(read_terms(text, "f.pl"))
    assert caught.value.position == Position("f.pl", line, column)


@pytest.mark.parametrize("text", ["", "  ", "% nothing", "a. b", "a. b."])
def test_parse_term_takes_exactly_one(text: str) -> None:
    with pytest.raises(SyntaxProblem):
        parse_term(text)


LARGE = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "p :- " + "a," * LARGE + "b.",
        "x = a" + "-a" * LARGE + ".",
        "x = a" + "^a" * LARGE + ".",
        "- " * LARGE + "a.",
        "(" * LARGE + "a" + ")" * LARGE + ".",
        "[" * LARGE + "]" * LARGE + ".",
        "{" * LARGE + "}" * LARGE + ".",
        "f(" * LARGE + "a" + ")" * LARGE + ".",
        "/*" * LARGE + "*/" * LARGE + "a.",
    ],
    ids=["conjunction", "left", "right", "prefix", "round", "square", "curly", "compound", "comment"],
)
def test_long_and_deep(text: str) -> None:
    assert len(list(read_terms(text, "f.pl"))) == 1


def test_long_list() -> None:
    term = parse_term("[" + "a," * 299_999 + "X]").term
    assert sum(1 for _ in list_items(term)) == 300_000
    assert parse_term("[]").term is NIL


@pytest.mark.parametrize("opener", ["(", "[", "{", "f(", "- ", "a,", "f(a,[b|{"])
def test_deep_mistakes(opener: str) -> None:
    with pytest.raises(SyntaxProblem):
        list(read_terms(opener * LARGE, "f.pl"))


HUGE = 5_000_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b c " * (HUGE // 6), "'b' follows a term"),
        ("(" * HUGE, "nested too deeply"),
        ("f(a,[" * (HUGE // 5), "nested too deeply"),
        ("- " * (HUGE // 2), "nested too deeply"),
        ("(- - " * (HUGE // 5), "nested too deeply"),
        ("/*" * (HUGE // 2), "nested too deeply"),
        ("'" + "text " * (HUGE // 5), "quoted atom has no end"),
        ("p('" + "''" * (HUGE // 2), "quoted atom has no end"),
        ('"' + "\\n" * (HUGE // 2), "quoted string has no end"),
        ("1" * HUGE, "longer than"),
        ("p(1" + "_1" * (HUGE // 2), "longer than"),
        ("p(" + "a" * HUGE, "the text ends before"),
        ("p :- X" + "x" * HUGE + "(a).", "the variable X.* cannot be"),
        ("%\n" * (HUGE // 2) + ")", "never opened"),
        (" \n" * (HUGE // 2) + ")", "never opened"),
    ],
    ids=lambda value: value[:8] if isinstance(value, str) else None,
)
def test_huge_mistakes_are_found_soon(text: str, message: str) -> None:
    with pytest.raises(SyntaxProblem, match=message) as caught:
        list(read_terms(text, "f.pl"))
    assert len(str(caught.value)) < 300


def test_many_comments_without_an_end_of_their_own() -> None:
    """Each is read from its own start; to look for its end must not take the whole rest of the text again."""
    text = "/* /* */ a. /* /* b. */ */ " * 20_000
    assert sum(1 for _ in read_terms(text, "f.pl")) == 20_000


def test_many_terms_on_one_line() -> None:
    *_, last = read_terms("p(a). " * 100_000, "f.pl")
    assert last.position == Position("f.pl", 1, 6 * 99_999 + 1)


def test_long_numbers_and_quoted_texts() -> None:
    assert parse_term("7" * 50_000).term == parse_term(f"{'7' * 25_000}_{'7' * 25_000}").term
    assert read("'" + "it''s\\n" * 10_000 + "'(a)") == ("it's\n" * 10_000, "a")
    with pytest.raises(SyntaxProblem, match="has no end"):
        read(r"'\x41\''")  # the second backslash ends the escape: as in SWI-Prolog, the atom goes on


PIECES = st.sampled_from(
    [*"()[]{},|.!;'\"`%\\-+ \n_0", ". ", "a", "X", "f(", "=", ":-", "\\+", "is", "dynamic", "0'", "1.5", "1e", "16'",
     "/*", "*/", "'q'", '"s"', "é", "→", "\x00", "=..", "- ", "\\x4", ":- op(700,xfx,a). "]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_reads_or_is_a_syntax_problem(text: str) -> None:
    place = Position("f.pl", 1, 1)
    try:
        for result in read_terms(text, "f.pl"):
            place = result.position
    except SyntaxProblem as problem:
        place = problem.position or Position("f.pl")
    assert 1 <= place.line <= text.count("\n") + 1
    assert place.column >= 1
