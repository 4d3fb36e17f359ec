"""Predicates answered without an engine, against the built-in interpreter."""

from __future__ import annotations

import random

import pytest

from maxsynth.background.simple_clauses import AskEngineError, simple_answers
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.consult import consult
from maxsynth.prolog.interpreter.interpreter import Interpreter
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import Term

BK = """tail([_|T],T).
head([H|_],H).
second([_,X|_],X).
twice(X,X,yes).
pair(A,B,p(A,B)).
first(p(A,_),A).
cons1(A,B,C) :- append(A,[B],C).
joined(A,B,C) :- append(A,B,C), nonvar(C).
geq(A,B) :- nonvar(A), integer(A), integer(B), A >= B.
less(A,B) :- A < B.
kind(0,zero).
kind(N,small) :- integer(N), N < 3.
kind([],list).
kind([_|_],list).
same(A,A).
"""
MODES = {
    "tail": "io", "head": "io", "second": "io", "twice": "iio", "pair": "iio", "first": "io", "cons1": "iio",
    "joined": "iio", "geq": "ii", "less": "ii", "kind": "io", "same": "io",
}  # fmt: skip
VALUES = ("0", "1", "2", "3", "-4", "a", "f", "2.5", "p(1,2)", "p([a],b)")
VALUES += ("[]", "[a]", "[1,2]", "[1,2,3]", "[a,[b]]", "[a|b]")


@pytest.mark.parametrize("name", MODES)
def test_answers_are_those_of_prolog(name: str) -> None:
    store = TermStore()
    source = consult(BK, "bk.pl", store)
    engine = Interpreter(source)
    modes = MODES[name]
    inputs = tuple(i for i, mode in enumerate(modes) if mode == "i")
    clauses = source[name, len(modes)]
    answers = simple_answers(clauses, inputs, store)
    assert answers is not None
    rng = random.Random(name)
    asked = 0
    for _ in range(200):
        terms: tuple[Term, ...] = tuple(parse_term(rng.choice(VALUES)).term for _ in inputs)
        row = tuple(store.intern(term) for term in terms)
        try:
            found = answers(row)
        except AskEngineError:
            continue
        asked += 1
        expected = []
        for answer in engine.solve(name, len(modes), inputs, [terms])[0]:
            given, made = iter(row), iter(answer)
            expected.append(tuple(next(given) if i in inputs else store.intern(next(made)) for i in range(len(modes))))
        assert found == list(dict.fromkeys(expected))
    assert asked > 10


@pytest.mark.parametrize(
    "clause", ["p(A,B) :- q(A,B).", "p(A,_).", "p(A,B) :- B is A+1.", "p(A,B) :- A = B.", "p(A,B) :- append(B,_,A)."]
)
def test_what_is_left_to_the_engine(clause: str) -> None:
    store = TermStore()
    source = consult(clause, "bk.pl", store)
    assert simple_answers(source["p", 2], (0,), store) is None
