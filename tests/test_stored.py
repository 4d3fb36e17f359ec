"""Values as they are stored: in any form they are the same values, and the same terms."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from maxsynth.api.rows import Rows
from maxsynth.api.stored import AT_ONCE, Chosen, Joined, Numbering, Texts, listed, values_at
from maxsynth.kernel.terms import TermStore

pa = pytest.importorskip("pyarrow")


def chosen(texts: list[str], places: list[int]) -> Chosen:
    return Chosen(Texts(pa.array(texts, pa.large_string())), np.array(places, np.int32))


def test_chosen_texts_are_like_a_list() -> None:
    some = chosen(["a", "é", "", "b"], [3, 1, 3])
    assert list(some) == some.tolist() == listed(some) == ["b", "é", "b"]
    assert some == ["b", "é", "b"]
    assert some != ["b"]
    assert len(some) == 3
    assert "é" in some
    assert (some[1], some[-1], list(some[1:])) == ("é", "b", ["é", "b"])
    many = chosen(["x", "y"], [0, 1] * AT_ONCE)
    assert list(many) == ["x", "y"] * AT_ONCE == many.texts.objects[many.places].tolist() == many.tolist()


def test_chosen_texts_can_be_sent_elsewhere() -> None:
    some = chosen(["a", "b"], [1, 0])
    assert len(some.texts.objects) == 2
    again = pickle.loads(pickle.dumps(some))
    assert "objects" not in vars(again.texts)
    assert again == some


@pytest.mark.parametrize("texts", [pa.array([], pa.large_string()), pa.array(["x", "a", "é"], pa.large_string())[1:]])
def test_texts_of_any_array_are_numbered(texts: Any) -> None:
    store = TermStore()
    every = Chosen(Texts(texts), np.arange(len(texts), dtype=np.int32))
    assert Numbering(store).ids(every).tolist() == store.intern_all(texts.to_pylist()).tolist()


def test_values_in_all_forms_are_the_terms_that_they_are() -> None:
    forms: list[Any] = [
        ["b", 2, 1.5],
        np.array([7, -2, 10**18]),
        np.array([1.5, 2.0]),
        range(1, 4),
        chosen(["a", "b", "c"], [2, 1]),
        [],
        np.zeros(0, np.int64),
    ]
    joined = Joined([*forms, Joined(forms[:2])])
    plain = [value for part in [*forms, *forms[:2]] for value in listed(part)]
    assert list(joined) == plain
    assert len(joined) == len(plain)
    assert [type(value) for value in joined] == list(map(type, plain))
    assert [joined[place] for place in range(len(plain))] == plain
    assert joined[-1] == plain[-1]
    assert type(joined[3]) is int
    assert joined[2:4] == plain[2:4]
    with pytest.raises(IndexError):
        joined[len(plain)]
    store, other = TermStore(), TermStore()
    numbering = Numbering(store)
    assert numbering.ids(joined).tolist() == other.intern_all(plain).tolist() == numbering.ids(joined).tolist()
    assert len(store) == len(other)
    assert Numbering(store).ids(Joined([])).tolist() == []


def test_some_of_the_values() -> None:
    places = np.array([1, 0, 1])
    assert values_at(["a", "b"], places) == ["b", "a", "b"]
    assert values_at(np.array([5, 6]), places) == [6, 5, 6]
    assert values_at(chosen(["a", "b"], [1, 0]), places) == ["a", "b", "a"]


def test_rows_of_arrays_are_written_like_others() -> None:
    rows = Rows(Joined([np.array([3, 4]), chosen(["a", "B"], [1])]), np.array([[0, 2], [1, 2]], np.int32))
    assert list(rows.atoms("p")) == ["p(3,'B')", "p(4,'B')"]
    assert rows.atom("p", 1) == "p(4,'B')"
