"""Simple bias files mean the same with and without clingo."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsynth.bias.guard import checked_text
from maxsynth.bias.reader import read_program
from maxsynth.bias.simple import read_simple
from maxsynth.errors import MaxSynthError

CONSTRAINT = ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} != 1."


def same(text: str) -> bool:
    """Whether the text is simple; a simple one must be free of errors, and read as by clingo."""
    simple = read_simple(checked_text(text, "bias.pl"))
    if simple is None:
        return False
    program = read_program(text, "bias.pl")
    assert list(simple.atoms) == list(program.atoms)
    assert dict(simple.one_of_type) == dict(program.one_of_type)
    assert (simple.constraints, simple.most) == (program.constraints, program.most)
    assert list(simple.warnings) == list(program.warnings)
    return True


@pytest.mark.parametrize(
    "text",
    [
        "",
        "head_pred(f,1).body_pred(p,2). body_pred(p,2).\n\nbody_pred(q,\n1).",
        "% nothing\ntype(p,(a,)).\ntype ( q , ( a , b ) ) . %* no *% direction(p,(in,)).",
        "enable_pi.\nmax_vars(4).\nmax_vars(5).\nnon_datalog.",
        f"head_pred(f,1).\n{CONSTRAINT}\n\n{CONSTRAINT}",
        ":-clause(Cl),\n#count {X:clause_var(Cl,X),\tvar_type(Cl,X,t1)}!=1.",
        "constant(b,t). constant(a,u). constant(2,t). constant((a,b),t).\n"
        "body_pred(P,1) :- constant(P,_).\ntype(P,(T,)) :- constant(P,T).\ntype(P,T) :- constant(P,T).",
        "body_pred(p,-1).",
        "numerical_pred(geq,2). bounds(geq,1,(-100,100)). bounds(leq,1,(-5,-2)). numbers(t).",
        "n(-3). n(2). n(-20). max_numeric(X) :- n(X).",
        "constants(b). constants(a). body_pred(P,1) :- constants(P).",
        "colour(red;green;blue).\nn(3;1;2;1). n(2).\nbody_pred(P,1) :- colour(P).\nmax_vars(N) :- n(N).",
        "body_pred(q,1).\nbody_pred(p,1).\ndirection(P,(in,)) :- body_pred(P,1).",
        "max_vars(X) :- most(_,X,X).\nmost(1,2,3). most(1,2,2).",
        "a(p,(x,y)). b(p,(y,)). direction(P,(A,B)) :- a(P,(A,B)).\nno_singletons :- b(p,(y,)).",
    ],
)
def test_simple_files(text: str) -> None:
    assert same(text)


@pytest.mark.parametrize(
    "text",
    [
        "body_pred(p,1..2).",
        "body_pred(p;q,1).",
        "max_vars(3;4).",
        "a(p;q,1). body_pred(P,1) :- a(P).",
        "a(p;X). body_pred(P,1) :- a(P).",
        "a(p;(q,r)). body_pred(P,1) :- a(P).",
        "a(p;). body_pred(P,1) :- a(P).",
        "body_pred(p,-0).",
        "body_pred(p,- 1).",
        "max_vars(3-1).",
        "body_pred(p,01).",
        'body_pred("p",1).',
        "body_pred(P,1).",
        "body_pred(p(a),1).",
        "body_pred((p),1).",
        "body_pred(not,1).",
        "not body_pred(p,1).",
        "body_pred(p).",  # an error
        "body_prd(p,1).",  # a warning
        "constant(a,t).",
        "clause(1).",
        "body_pred(p,1)",
        "body_pred(P,1) :- constant(P,_).",  # a warning: nothing defines it
        "constant(a,t). body_pred(P,1) :- constant(_,T).",  # P is not bound
        "constant(a,t). body_pred(_,1) :- constant(_,T).",
        "constant(a,t). body_pred(P,1) :- constant(P,T), constant(T,P).",
        "constant(a,t). body_pred(P,1) :- not constant(P,T).",
        "constant(a,t). constant(A,B) :- constant(B,A).",
        "a(1). b(X) :- a(X). max_vars(X) :- b(X).",
        ":- clause(C), #count{C : clause_var(C,C), var_type(C,C,ex)} != 1.",
        ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} != 2.",
        ":- clause(C).",
        "#const n = 3. max_vars(n).",
        "max_vars(3).\r\n",
    ],
)
def test_what_is_left_to_clingo(text: str) -> None:
    assert read_simple(checked_text(text, "bias.pl")) is None


def test_many_rules_and_facts_are_left_to_clingo() -> None:
    text = "".join(f"a({i}). body_pred(X,{i}) :- a(X).\n" for i in range(200))
    assert read_simple(text) is None


WORDS = st.sampled_from(["a", "b", "p", "t_1", "in", "not", "X", "Y", "_", "_a", "0", "2", "10", "07"])
TERMS = st.one_of(
    WORDS,
    WORDS,
    st.lists(WORDS, min_size=1, max_size=3).map(lambda words: f"({','.join(words)}{',' if len(words) == 1 else ''})"),
)
NAMES = st.sampled_from(["body_pred", "type", "direction", "max_vars", "constant", "enable_pi", "c", "clause"])
LITERALS = st.builds(
    lambda name, terms: f"{name}({','.join(terms)})" if terms else name, NAMES, st.lists(TERMS, max_size=3)
)
GROUND = st.builds(
    lambda name, terms: f"{name}({','.join(terms)}).",
    st.sampled_from(["constant", "type", "body_pred"]),
    st.lists(st.sampled_from(["a", "b", "p", "aa", "0", "3", "12", "(a,)", "(3,b)", "(b,3)"]), min_size=2, max_size=2),
)
PROJECTIONS = st.builds(
    lambda name, terms: f"{name}({','.join(terms)}) :- constant(X,Y).",
    st.sampled_from(["type", "direction", "body_pred"]),
    st.lists(st.sampled_from(["X", "Y", "a", "1", "(X,)", "(Y,X)"]), min_size=2, max_size=2),
)
POOLS = st.builds(
    lambda terms: f"c({';'.join(terms)}). body_pred(X,1) :- c(X).", st.lists(WORDS, min_size=1, max_size=4)
)
STATEMENTS = st.one_of(
    GROUND,
    POOLS,
    PROJECTIONS,
    LITERALS.map(lambda head: f"{head}."),
    st.builds(lambda head, body: f"{head} :- {body}.", LITERALS, LITERALS),
    st.just(CONSTRAINT),
)


@given(st.lists(st.one_of(GROUND, PROJECTIONS), max_size=12), st.sampled_from(["", " ", "\n"]))
def test_facts_and_projections(statements: list[str], between: str) -> None:
    same(between.join([*statements, "constant(b,(a,)). constant(0,b)."]))


@given(st.lists(STATEMENTS, max_size=8), st.sampled_from(["", " ", "\n", "\n% or\n"]))
def test_any_statements(statements: list[str], between: str) -> None:
    same(between.join(statements))


@given(
    st.lists(st.one_of(GROUND, PROJECTIONS, st.just(CONSTRAINT)), max_size=4),
    st.integers(0, 200),
    st.integers(0, 3),
    st.text("ab_XY019 \n.,;:-()#{}'\"%*!=~@|&\\", max_size=3),
)
def test_typing_mistakes(statements: list[str], at: int, fewer: int, more: str) -> None:
    text = " ".join(statements)
    text = text[:at] + more + text[at + fewer :]
    try:
        checked_text(text, "bias.pl")
    except MaxSynthError:
        return
    same(text)
