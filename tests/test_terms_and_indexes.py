"""What the tables of the kernel stand on: ids for terms, and the rows that have given values."""

from __future__ import annotations

import random
import struct
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsynth.kernel import terms
from maxsynth.kernel.terms import FactTable, Index, TermStore, TextTable
from maxsynth.prolog.consult import consult
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term
from maxsynth.prolog.writer import term_text

TEXTS = st.one_of(st.text(max_size=9), st.sampled_from(["", "1", "-1", "a", "\xff1", "\0", "\ud800", "[]", "a" * 500]))
INTEGERS = st.one_of(st.integers(-20, 20), st.integers(), st.integers(10**18 - 3, 10**18 + 3))
ATOMIC = st.one_of(
    TEXTS.map(Atom), TEXTS.map(String), INTEGERS, st.sampled_from([-(10**18), 10**18, 1 - 10**18]), st.floats()
)
TERMS: st.SearchStrategy[Term] = st.recursive(
    ATOMIC,
    lambda inner: st.builds(Struct, st.sampled_from(["f", "g", "1"]), st.lists(inner, min_size=1).map(tuple)),
    max_leaves=6,
)


def identity(term: Term) -> object:
    """What makes a term this one: kinds differ, and floats are equal when their bits are."""
    if isinstance(term, Struct):
        return term.name, tuple(map(identity, term.args))
    return type(term).__name__, struct.pack("<d", term) if isinstance(term, float) else repr(term)


@given(st.lists(TERMS, max_size=30))
def test_equal_terms_have_equal_ids(given_terms: list[Term]) -> None:
    store = TermStore()
    ids = [store.intern(term) for term in given_terms]
    known: dict[object, int] = {}
    for term, number in zip(given_terms, ids, strict=True):
        assert known.setdefault(identity(term), number) == number
        assert identity(store.term(number)) == identity(term)
    assert len(set(known.values())) == len(known)
    assert ids == [store.intern(term) for term in given_terms]


def test_many_terms_are_found_again() -> None:
    store = TermStore()
    some = [*(Atom(f"a{i}") for i in range(3000)), *range(-3000, 3000), *(Struct("f", (i,)) for i in range(3000))]
    ids = [store.intern(term) for term in some]
    assert ids == list(range(1, 1 + len(ids)))  # 0 is the empty list
    assert [store.intern(term) for term in some] == ids
    assert [term_text(store.term(number)) for number in ids] == [term_text(term) for term in some]


def test_scanned_facts_have_the_ids_of_terms() -> None:
    text = "p(a, 'a', b1, 12, '12', 012, -7, -0, f(a), [a,1], 123456789012345678, 1.5).\n"
    table = consult(text, "bk.pl", TermStore())
    store = table.store
    row = table.tables["p", 12].rows()[0].tolist()
    assert [term_text(store.term(number)) for number in row] == [
        "a", "a", "b1", "12", "'12'", "12", "-7", "0", "f(a)", "[a,1]", "123456789012345678", "1.5",
    ]  # fmt: skip
    assert [store.intern(store.term(number)) for number in row] == row
    assert len(set(row)) == 10


def test_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_TERMS", 3)
    store = TermStore()
    a, b = store.intern(Atom("a")), store.intern(Atom("b"))
    for term in (Atom("c"), 1, 1.0, Struct("f", (Atom("a"),))):
        with pytest.raises(Exception, match="more than 3 different terms"):
            store.intern(term)
    assert (store.intern(Atom("a")), store.intern(Atom("b"))) == (a, b)


@pytest.mark.parametrize("kind", ["few values", "many values", "hubs", "far apart"])
@pytest.mark.parametrize("arity", [1, 2, 3, 4])
@pytest.mark.parametrize("sparse", [False, True])
def test_an_index_finds_the_rows_with_given_values(kind: str, arity: int, sparse: bool) -> None:
    """In all forms that an index may take, which depend on how many values there are and how they are spread."""
    rng = np.random.default_rng(arity)
    most = {"few values": 5, "many values": 400, "hubs": 400, "far apart": 1 << 20}[kind]
    rows = rng.integers(0, most, (300, arity)).astype(np.int32)
    if kind == "hubs":
        rows[:60, 0] = 7
    rows = np.array(list(dict.fromkeys(map(tuple, rows.tolist()))), np.int32)
    for count in range(arity + 1):
        for columns in combinations(range(arity), count):
            index = Index(arity, columns, rows, sparse=sparse)
            by_key: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
            for row in map(tuple, rows.tolist()):
                by_key.setdefault(tuple(row[column] for column in columns), []).append(row)
            for key, expected in by_key.items():
                assert index.rows(key) == expected
                for place in range(count):
                    for other in (key[place] + 1, 0, most, most + 1, 1 << 30):
                        changed = (*key[:place], other, *key[place + 1 :])
                        assert index.rows(changed) == by_key.get(changed, [])
            assert index.fanout() == len(rows) / len(by_key)


def test_many_values_at_once() -> None:
    store = TermStore()
    terms = [Atom("ann"), 1, 1.0, -0.0, String("ann"), NIL, 2**80, Struct("f", (Atom("ann"), 1))]
    one_by_one = [store.intern(term) for term in terms]
    assert store.intern_all(["ann", *terms[1:]]).tolist() == one_by_one  # a str stands for an atom
    assert store.intern_all(["[]", "\ud800", "", "ann"]).tolist()[::3] == [store.nil, one_by_one[0]]
    assert [store.find(term) for term in ("ann", 1, 1.0, -0.0, String("ann"), "[]", 2**80)] == one_by_one[:-1]
    known = len(store)
    assert [store.find(term) for term in ("bob", 2, 2.0, String("bob"), 2**90)] == [-1] * 5
    assert len(store) == known  # asking adds nothing
    found = store.numbers_and_strings(np.array(one_by_one, np.int32))
    assert found.tolist() == [False, True, True, True, True, False, True, False]


def test_integers_of_an_array_are_the_same_terms() -> None:
    numbers = [0, 1, -1, 9, 10, -10, 10**17, 10**18 - 1, 1 - 10**18, 10**18, -(10**18), 2**63 - 1, -(2**63), 1]
    store, other = TermStore(), TermStore()
    assert store.intern_integers(np.array(numbers)).tolist() == [other.intern(number) for number in numbers]
    assert [store.term(known) for known in range(len(store))] == [other.term(known) for known in range(len(other))]
    assert store.intern_integers(np.zeros(0, np.int64)).tolist() == []


def test_texts_in_one_piece_are_the_same_terms() -> None:
    texts = ["ann", "", "é", "[]", "日本", "bob"]
    ends = np.cumsum([0, *(len(text.encode()) for text in texts)])
    pieces = np.frombuffer("".join(texts).encode(), np.uint8)
    store, other, known = TermStore(), TermStore(), np.full(len(texts), -1, np.int32)
    for places in ([4, 1, 4], [], [0, 1, 2, 3, 4, 5]):
        found = store.intern_texts(pieces, ends, np.array(places, np.int32), known)
        assert found.tolist() == [other.intern(Atom(texts[place])) for place in places]
    assert len(store) == len(other)
    for wrong in (6, -1):
        with pytest.raises(IndexError):
            store.intern_texts(pieces, ends, np.array([wrong], np.int32), known)
    with pytest.raises(IndexError):
        store.intern_texts(pieces, ends + 1, np.array([0], np.int32), known)


def test_a_table_of_texts_has_each_once() -> None:
    """Whatever comes together, and also when the table grows."""
    rng = random.Random(7)
    table, known = TextTable(), dict[str, int]()
    for size in (0, 1, 31, 32, 33, 3000, 5, 20_000):
        texts = ["é" * rng.randrange(3) + str(rng.randrange(1 + size * 2)) * rng.randrange(4) for _ in range(size)]
        before = rng.choice(["", "x"])
        ends = np.cumsum([len(before), *(len(text.encode()) for text in texts)])
        numbers = table.add(np.frombuffer((before + "".join(texts)).encode(), np.uint8), ends)
        assert numbers.tolist() == [known.setdefault(text, len(known)) for text in texts]
    text, ends = table.texts()
    assert [bytes(text[one:other]).decode() for one, other in pairwise(ends.tolist())] == list(known)
    assert len(table) == len(known)
    with pytest.raises(IndexError):
        table.add(text, ends + 1)


def test_numbers_that_no_atom_is_written_as_are_told_from_others() -> None:
    store = TermStore()
    terms = [1, 2, -3, 4.5, 5.5, 6.0, 10**20]
    ids = store.intern_all(terms)
    store.intern_all(["1", "-3.0", "4.5"])
    assert store.written_alike(ids).tolist() == [True, False, True, True, False, True, True]
    store.intern(String("a"))  # where there are strings, it is not sure of any
    assert store.written_alike(ids).all()


def test_a_table_takes_rows_of_no_text() -> None:
    table = FactTable("edge", 2)
    table.append([1, 2], 0)
    table.extend(np.array([[3, 4], [5, 6]], np.int32), 7)
    table.extend(np.zeros((0, 2), np.int32), 8)
    assert table.rows().tolist() == [[1, 2], [3, 4], [5, 6]]
    assert table.offsets().tolist() == [0, 7, 7]
    with pytest.raises(ValueError, match="3 columns for edge/2"):
        table.extend(np.zeros((1, 3), np.int32), 0)
    nothing = FactTable("rain", 0)
    nothing.extend(np.zeros((2, 0), np.int32), 0)
    assert (len(nothing), nothing.rows().shape) == (2, (2, 0))
